//! From a run to its explanation.

use mpiscope_analysis::{Explainer, Explanation};
use mpiscope_ingest::{Ingest, IngestError};
use mpiscope_query::{Diagnostic, Resolver, Run};

use crate::progress::Progress;

/// Reads all events of `run` and explains them. The second value says what stood in the way.
pub fn explain(run: &Run, resolver: &Resolver) -> Result<(Explanation, Vec<Diagnostic>), IngestError> {
    let mut ingest = Ingest::new(run, resolver)?;
    let mut explainer = Explainer::new(ingest.dimensions());
    let mut progress = Progress::new("reading events");
    while let Some(batch) = ingest.next_batch()? {
        explainer.take(ingest.dimensions(), ingest.facts(), &batch);
        ingest.recycle(batch);
        let (done, all) = ingest.progress();
        progress.at(done, all);
    }
    progress.done();
    let explanation = explainer.finish(ingest.dimensions(), ingest.facts());
    Ok((explanation, ingest.problems().to_vec()))
}
