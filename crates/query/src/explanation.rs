//! From a run to its explanation.

use mpiscope_analysis::{Explainer, Explanation};
use mpiscope_ingest::Ingest;
use mpiscope_run::{Diagnostic, Resolver, Run};

use crate::batches::each_batch;
use crate::{QueryError, Watch};

/// Reads all events of `run` and explains them. The second value says what stood in the way.
pub fn explain(
    run: &Run,
    resolver: &Resolver,
    watch: &mut Watch<'_>,
) -> Result<(Explanation, Vec<Diagnostic>), QueryError> {
    let mut ingest = Ingest::new(run, resolver)?;
    let mut explainer = Explainer::new(ingest.dimensions());
    each_batch(&mut ingest, watch, |tables, batch| {
        explainer.take(&tables.dimensions, &tables.facts, batch);
        Ok(())
    })?;
    let explanation = explainer.finish(ingest.dimensions(), ingest.facts());
    Ok((explanation, ingest.problems().to_vec()))
}
