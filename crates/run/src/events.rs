//! Decoded events with times in nanoseconds, read from the file when asked for.

use mpiscope_trace::reader::ReadError;
use mpiscope_trace::{Event, RankFile, Shape};

use crate::run::Rank;

/// One record of a rank.
pub struct TimedEvent<'a> {
    /// Index of the thread in the rank.
    pub thread: usize,
    /// What the call was.
    pub shape: &'a Shape,
    /// Entry, ns of `CLOCK_MONOTONIC` on the rank's host.
    pub start_ns: u64,
    /// Return; for a run of polls that of the last.
    pub end_ns: u64,
    /// The record as it stands, in ticks.
    pub record: &'a Event,
}

impl Rank {
    /// Gives every event that the rings still hold to `visit`, thread by thread, in the order in
    /// which calls returned. Returns the number of chunks that ended in nonsense.
    pub fn events(&self, mut visit: impl FnMut(TimedEvent<'_>)) -> Result<u64, ReadError> {
        let file = RankFile::open(&self.path)?;
        let clock = file.clock();
        let mut damaged = 0;
        for thread in 0..file.threads.len() {
            damaged += file.events(thread, |view, record| {
                let Some(shape) = view.shapes.get(record.shape as usize) else { return };
                let start_ns = clock.ns(record.start);
                let end_ns = clock.ns(record.start.wrapping_add(record.duration));
                visit(TimedEvent { thread, shape, start_ns, end_ns, record });
            })?;
        }
        Ok(damaged)
    }
}
