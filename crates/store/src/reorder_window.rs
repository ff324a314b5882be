//! Until when the rows are complete.
//!
//! Parts of one event may be in different batches: a message is known when its last call has returned, which is long
//! after the first one if a rank has lost its core. An analysis that needs an order of time across ranks lags some rows behind.

use std::collections::VecDeque;

use crate::batch::Batch;

/// Nearly all parts of one event are within this many rows of all ranks: 16 ranks on 2 cores make 50,000 calls
/// while one of them waits for its turn (4 ms for each before it, a call every µs).
pub const BEHIND: usize = 1 << 16;

/// Ends of the last batches and their rows, oldest first.
#[derive(Default)]
pub struct Behind(VecDeque<(u64, usize)>);

impl Behind {
    /// The next batch.
    pub fn push(&mut self, batch: &Batch) {
        self.0.push_back((batch.until_ns, batch.ranks.iter().map(|r| r.calls.len()).sum()));
    }

    /// Until when rows are complete: the end of the newest batch followed by this many rows, and batches; 0 for none.
    pub fn moment(&self, rows: usize, batches: usize) -> u64 {
        let mut later = 0;
        for (at, &(until_ns, of_batch)) in self.0.iter().rev().enumerate() {
            if at >= batches && later >= rows {
                return until_ns;
            }
            later += of_batch;
        }
        0
    }

    /// Rows of the batches that ended until then.
    pub fn rows_until(&self, ns: u64) -> usize {
        self.0.iter().filter(|&&(until_ns, _)| until_ns <= ns).map(|b| b.1).sum()
    }

    /// Discards the batches that ended until then.
    pub fn forget(&mut self, ns: u64) {
        self.0.retain(|&(until_ns, _)| until_ns > ns);
    }
}
