//! Random access: reads a window of ranks and time from a store without reading the rest.
//!
//! Row groups whose minimum and maximum values exclude the window are skipped; others are decoded in parallel and kept in a
//! cache of limited size. A request may be cancelled at any time. A damaged file is an error, never a panic.

mod cache;
mod calls;
mod columns;
mod events;
mod groups;
mod index;
#[cfg(test)]
mod tests;

use std::hash::Hash;
use std::sync::Arc;

pub use columns::{CallColumns, WindowCalls};
pub use events::{CollectiveRow, OperationMember, RankSpan, WaitSpan, WindowRows};
pub use groups::{RowGroups, Zone};

use crate::rows::{Lone, Message, WaitRow};

use super::StoreError;
use super::read::{Store, Wanted};
use cache::Cache;
use index::{Files, PieceKey};

/// Asked now and then by long work: whether nobody wants the answer any more.
pub type Cancel<'a> = &'a (dyn Fn() -> bool + Sync);

/// Reads windows of a store. It can be shared between threads.
pub struct WindowReader {
    calls: Files,
    messages: Files,
    unmatched: Files,
    collectives: Files,
    members: Files,
    waits: Files,
    regions: Files,
    decoded_calls: Cache<calls::Decoded, PieceKey>,
    directories: Cache<calls::Directory>,
    decoded_messages: Cache<Vec<Message>, PieceKey>,
    decoded_unmatched: Cache<Vec<Lone>, PieceKey>,
    decoded_collectives: Cache<Vec<CollectiveRow>, PieceKey>,
    decoded_members: Cache<Vec<OperationMember>, PieceKey>,
    decoded_waits: Cache<Vec<WaitRow>, PieceKey>,
    decoded_wait_spans: Cache<Vec<WaitSpan>, PieceKey>,
    decoded_regions: Cache<Vec<RankSpan>, PieceKey>,
}

impl WindowReader {
    /// Looks at where things are in the store; of what is decoded, at most about `cache_bytes` are kept.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened.
    pub fn open(store: &Store, cache_bytes: usize) -> Result<WindowReader, StoreError> {
        let files = |table: &str| Files::open(store.path(), table);
        let part = cache_bytes / 32;
        Ok(WindowReader {
            calls: files("calls")?,
            messages: files("messages")?,
            unmatched: files("unmatched")?,
            collectives: files("collectives")?,
            members: files("members")?,
            waits: files("waits")?,
            regions: files("regions")?,
            // As many calls as are read for a picture at most; of all others some pages.
            decoded_calls: Cache::new(20 * part),
            directories: Cache::new(part),
            decoded_messages: Cache::new(3 * part),
            decoded_unmatched: Cache::new(part),
            decoded_collectives: Cache::new(part),
            decoded_members: Cache::new(part),
            decoded_waits: Cache::new(part),
            decoded_wait_spans: Cache::new(3 * part),
            decoded_regions: Cache::new(part),
        })
    }
}

/// Whether ranks are wanted, quickly.
struct RankSet {
    /// Nothing: all.
    is_in: Option<Vec<bool>>,
    first: u32,
    last: u32,
}

impl RankSet {
    fn new(wanted: &Wanted) -> RankSet {
        let Some(ranks) = &wanted.ranks else { return RankSet { is_in: None, first: 0, last: u32::MAX } };
        let first = ranks.iter().map(|r| r.0).min().unwrap_or(u32::MAX);
        // Numbers that no run has would only make the table large.
        let last = ranks.iter().map(|r| r.0).filter(|&r| r < 1 << 27).max();
        let mut is_in = vec![false; last.map_or(0, |last| last as usize + 1)];
        for rank in ranks {
            if let Some(place) = is_in.get_mut(rank.0 as usize) {
                *place = true;
            }
        }
        RankSet { is_in: Some(is_in), first, last: last.unwrap_or(0) }
    }

    fn has(&self, rank: u32) -> bool {
        self.is_in.as_ref().is_none_or(|is_in| is_in.get(rank as usize) == Some(&true))
    }

    /// Whether all ranks between these two are wanted.
    fn has_all(&self, first: u32, last: u32) -> bool {
        match &self.is_in {
            None => true,
            Some(is_in) => is_in.get(first as usize..=last as usize).is_some_and(|part| !part.contains(&false)),
        }
    }

    /// Whether any wanted rank may lie between these two.
    fn meets(&self, first: u32, last: u32) -> bool {
        match &self.is_in {
            None => true,
            Some(is_in) => {
                let (from, until) = (first.max(self.first) as usize, (last.min(self.last) as usize).saturating_add(1));
                from < until && is_in.get(from..until.min(is_in.len())).is_some_and(|part| part.contains(&true))
            }
        }
    }
}

/// Whether a stretch lies in the wanted time, as [`Wanted::time_ns`] has it.
fn overlaps(wanted: &Wanted, start_ns: u64, end_ns: u64) -> bool {
    wanted.time_ns.as_ref().is_none_or(|t| end_ns >= t.start && start_ns < t.end)
}

/// A decoded row group, or a piece of one: of the cache, or made now.
fn decoded<T: Send + Sync, K: Copy + Eq + Hash>(
    cache: &Cache<T, K>,
    key: K,
    is_scan: bool,
    cancel: Cancel<'_>,
    make: impl FnOnce() -> Result<(T, usize), StoreError>,
) -> Result<Arc<T>, StoreError> {
    if let Some(found) = cache.get(key) {
        return Ok(found);
    }
    if cancel() {
        return Err(StoreError::Cancelled);
    }
    let (made, bytes) = make()?;
    let made = Arc::new(made);
    if !is_scan {
        cache.put(key, made.clone(), bytes);
    }
    Ok(made)
}
