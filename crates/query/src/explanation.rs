//! From a run to its explanation.

use std::sync::Arc;

use mpiscope_analysis::attainable::Reference;
use mpiscope_analysis::{Explainer, Explanation};
use mpiscope_ingest::Ingest;
use mpiscope_run::{Diagnostic, Resolver, Run};
use mpiscope_store::CallInfo;

use crate::batches::each_batch;
use crate::{QueryError, Watch, go_on};

/// Reads all events of `run` and explains them, beside what its machine can do if that is known. The second value lists what could not be read.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn explain(
    run: &Run,
    resolver: &Resolver,
    reference: Option<Reference>,
    watch: &mut Watch<'_>,
) -> Result<(Explanation, Vec<Diagnostic>), QueryError> {
    explain_sharing(run, resolver, None, reference, watch)
}

/// As above, where the facts of the run's ranks may be known already ([`Ingest::sharing`]).
pub(crate) fn explain_sharing(
    run: &Run,
    resolver: &Resolver,
    known: Option<&Arc<Vec<Vec<CallInfo>>>>,
    reference: Option<Reference>,
    watch: &mut Watch<'_>,
) -> Result<(Explanation, Vec<Diagnostic>), QueryError> {
    let mut ingest = Ingest::sharing(run, resolver, known)?;
    let mut explainer = Explainer::new(ingest.dimensions());
    if let Some(reference) = reference {
        explainer = explainer.beside(reference);
    }
    each_batch(&mut ingest, watch, |tables, batch| {
        explainer.add_batch(&tables.dimensions, &tables.facts, batch);
        Ok(())
    })?;
    let (tables, problems) = (ingest.tables(), ingest.problems().to_vec());
    // The analysis takes memory as well, and needs only the tables of the reader. The watcher may return
    // free memory.
    let progress = ingest.progress();
    drop(ingest);
    go_on(watch, progress)?;
    Ok((explainer.finish(&tables.dimensions, &tables.facts), problems))
}
