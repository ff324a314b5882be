//! What was not recorded.

use mpiscope_trace::RankFile;
use mpiscope_trace::reader::Source;
use serde::Serialize;

/// `Header::off_reason` of a rank that was excluded from recording.
pub(crate) const RANK_NOT_WANTED: u32 = 1;

/// Counts of what was not recorded, or recorded with less detail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Losses {
    /// Events overwritten by newer ones.
    pub events_overwritten: u64,
    /// Events dropped because the ring was full.
    pub events_dropped: u64,
    /// Events that cannot be read because a ring is damaged, and those left out with them. Known once events are read.
    pub events_unreadable: u64,
    /// Calls counted with less detail because a thread's shape table was full.
    pub calls_coarse: u64,
    /// Request ids cut off long lists.
    pub requests_cut: u64,
    /// Requests that could not be tracked.
    pub requests_lost: u64,
    /// Definitions that did not fit.
    pub definitions_lost: u64,
    /// Calls of threads beyond the limit: not in any table.
    pub calls_without_thread: u64,
    /// Calls while recording was paused or excluded by a filter: not in any table.
    pub calls_filtered: u64,
    /// Damaged parts of files.
    pub damaged_parts: u64,
    /// Ranks that recorded summaries only.
    pub ranks_without_trace: u64,
    /// Ranks that stopped recording.
    pub ranks_switched_off: u64,
    /// Ranks excluded from recording (`--ranks`): not in any table.
    pub ranks_not_wanted: u64,
}

impl Losses {
    /// The losses of one file.
    pub fn from_file<S: Source>(file: &RankFile<S>) -> Losses {
        let header = &file.header;
        let mut losses = Losses {
            requests_lost: header.requests_lost,
            definitions_lost: header.defs_lost,
            calls_without_thread: header.calls_without_thread,
            calls_filtered: header.calls_filtered,
            damaged_parts: file.damaged,
            ranks_without_trace: (header.trace == 0).into(),
            ranks_switched_off: (header.off_reason > RANK_NOT_WANTED).into(),
            ranks_not_wanted: (header.off_reason == RANK_NOT_WANTED).into(),
            ..Losses::default()
        };
        for thread in &file.threads {
            losses.add(&Losses {
                events_overwritten: thread.records_overwritten,
                events_dropped: thread.records_dropped,
                calls_coarse: thread.calls_coarse,
                requests_cut: thread.requests_cut,
                ..Losses::default()
            });
        }
        losses
    }

    /// Calls that are counted in summaries, but have no event.
    pub fn rows_lost(&self) -> u64 {
        self.events_overwritten.saturating_add(self.events_dropped).saturating_add(self.events_unreadable)
    }

    /// Adds those of another rank.
    pub fn add(&mut self, other: &Losses) {
        for (sum, value) in [
            (&mut self.events_overwritten, other.events_overwritten),
            (&mut self.events_dropped, other.events_dropped),
            (&mut self.events_unreadable, other.events_unreadable),
            (&mut self.calls_coarse, other.calls_coarse),
            (&mut self.requests_cut, other.requests_cut),
            (&mut self.requests_lost, other.requests_lost),
            (&mut self.definitions_lost, other.definitions_lost),
            (&mut self.calls_without_thread, other.calls_without_thread),
            (&mut self.calls_filtered, other.calls_filtered),
            (&mut self.damaged_parts, other.damaged_parts),
            (&mut self.ranks_without_trace, other.ranks_without_trace),
            (&mut self.ranks_switched_off, other.ranks_switched_off),
            (&mut self.ranks_not_wanted, other.ranks_not_wanted),
        ] {
            *sum = sum.saturating_add(value);
        }
    }
}

/// A function that was called without being recorded, or may have been.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
    /// Ranks that report it.
    pub ranks: u64,
}
