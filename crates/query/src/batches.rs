//! Batches of a run, one after the other.

use mpiscope_ingest::{Ingest, Tables};
use mpiscope_store::Batch;

use crate::{QueryError, Watch, go_on};

/// Gives each batch to `take`, which says whether something is kept when it ends after it. With several threads the next one is made meanwhile; with one that would only take the
/// batch out of the cache.
pub(crate) fn each_batch(
    ingest: &mut Ingest<'_>,
    watch: &mut Watch<'_>,
    mut take: impl FnMut(&Tables, &Batch) -> Result<bool, QueryError> + Send,
) -> Result<(), QueryError> {
    let tables = ingest.tables();
    let is_alone = rayon::current_num_threads() == 1;
    let mut next = ingest.next_batch()?;
    while let Some(batch) = next {
        let is_kept;
        (next, is_kept) = if is_alone {
            (None, take(&tables, &batch)?)
        } else {
            let (next, taken) = rayon::join(|| ingest.next_batch(), || take(&tables, &batch));
            (next?, taken?)
        };
        ingest.recycle(batch);
        go_on(watch, ingest.progress(), is_kept)?;
        if is_alone {
            next = ingest.next_batch()?;
        }
    }
    Ok(())
}
