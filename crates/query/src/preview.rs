//! The preview of a store.

use std::fs;

use mpiscope_pyramid::{Builder, Pyramid, PyramidError};
use mpiscope_store::{Manifest, Store};

use crate::{QueryError, Watch, go_on};

/// The preview of a store if it has a current one.
pub fn preview_if_there(store: &Store) -> Option<Pyramid> {
    let found = Pyramid::open(&store.path().join(Manifest::PREVIEW)).ok()?;
    (found.source() == store.manifest().source && found.ranks() as usize == store.call_info().len()).then_some(found)
}

/// The preview of a store. If there is no current one, it is made from the store's tables.
///
/// # Errors
///
/// If the store cannot be read, the preview cannot be written, or `watch` cancels.
pub fn preview(store: &Store, watch: &mut Watch<'_>) -> Result<Pyramid, QueryError> {
    if let Some(found) = preview_if_there(store) {
        return Ok(found);
    }
    let (path, source) = (store.path().join(Manifest::PREVIEW), &store.manifest().source);
    // If several processes make it at once the last one wins; all are equal.
    let partial = store.path().join(format!("{}.{}", Manifest::PREVIEW, std::process::id()));
    let made = Builder::create(&partial, source, store.dimensions(), store.call_info())
        .map_err(QueryError::from)
        .and_then(|builder| fill(builder, store, watch));
    let placed = made.and_then(|bytes| {
        fs::rename(&partial, &path).map_err(|e| PyramidError::Write(path.clone(), e))?;
        Manifest { preview_bytes: Some(bytes), ..store.manifest().clone() }.write(store.path())?;
        Ok(())
    });
    if let Err(e) = placed {
        let _ = fs::remove_file(&partial);
        return Err(e);
    }
    Ok(Pyramid::open(&path)?)
}

fn fill(mut builder: Builder, store: &Store, watch: &mut Watch<'_>) -> Result<u64, QueryError> {
    let calls = store.manifest().tables.iter().find(|t| t.name == "calls").map_or(0, |t| t.rows);
    let mut done = 0;
    let mut batches = store.outline()?;
    while let Some(batch) = batches.next_batch()? {
        builder.add_batch(&batch, &batches.waits()?)?;
        done += batch.ranks.iter().map(|r| r.calls.len() as u64).sum::<u64>();
        go_on(watch, (done, calls))?;
    }
    Ok(builder.finish()?)
}
