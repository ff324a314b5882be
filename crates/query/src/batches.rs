//! Batches of a run, one after the other.

use mpiscope_ingest::{Ingest, Tables};
use mpiscope_store::Batch;

use crate::{QueryError, Watch, go_on};

/// Passes each batch to `take`. With several threads the next one is prepared meanwhile; with one thread that would only evict
/// the batch from the cache.
pub(crate) fn each_batch(
    ingest: &mut Ingest<'_>,
    watch: &mut Watch<'_>,
    mut take: impl FnMut(&Tables, &Batch) -> Result<(), QueryError> + Send,
) -> Result<(), QueryError> {
    let tables = ingest.tables();
    let is_alone = rayon::current_num_threads() == 1;
    let mut next = ingest.next_batch()?;
    while let Some(batch) = next {
        next = if is_alone {
            take(&tables, &batch)?;
            None
        } else {
            let (next, taken) = rayon::join(|| ingest.next_batch(), || take(&tables, &batch));
            taken?;
            next?
        };
        ingest.recycle(batch);
        go_on(watch, ingest.progress())?;
        if is_alone {
            next = ingest.next_batch()?;
        }
    }
    Ok(())
}
