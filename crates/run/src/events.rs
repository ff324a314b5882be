//! Decoded events with times in nanoseconds, read from the file on request.

use mpiscope_trace::reader::ReadError;
use mpiscope_trace::{Event, RankFile, Shape};

use crate::run::Rank;

/// One record of a rank.
pub struct TimedEvent<'a> {
    /// Index of the thread in the rank.
    pub thread: usize,
    /// The shape of the call.
    pub shape: &'a Shape,
    /// Entry, ns of `CLOCK_MONOTONIC` on the rank's host.
    pub start_ns: u64,
    /// Return; for a series of polls that of the last.
    pub end_ns: u64,
    /// The record itself, in ticks.
    pub record: &'a Event,
}

impl Rank {
    /// Calls `visit` for every event that the rings still contain, thread by thread, in the order in which calls returned.
    /// Returns the number of damaged chunks.
    ///
    /// # Errors
    ///
    /// If the rank file can no longer be read.
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
