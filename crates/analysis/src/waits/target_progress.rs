//! A call on a locked window waits until its target enters MPI.

use std::collections::VecDeque;

use mpiscope_store::{Batch, RankId};

use super::rma::At;
use crate::explanation::{Cause, Wait, WaitKind};

/// Shorter waits cannot be distinguished from the access itself.
pub(super) const LEAST_NS: u64 = 5_000;
/// So many calls before a moment are looked at: the last one to start is not the last one to return if several threads
/// call, and the target may make several calls until the access is complete.
const LOOKED_AT: usize = 8;

/// When a rank was outside of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// From when on: the return from the call before; 0 if none is known.
    pub since_ns: u64,
    /// The call that ends it.
    pub until: At,
}

/// Recent calls of all ranks, in the order of their rows.
#[derive(Default)]
pub(super) struct Calls {
    ranks: Vec<VecDeque<At>>,
}

impl Calls {
    pub fn add(&mut self, batch: &Batch) {
        if self.ranks.len() < batch.ranks.len() {
            self.ranks.resize_with(batch.ranks.len(), VecDeque::new);
        }
        for (calls, rank) in self.ranks.iter_mut().zip(&batch.ranks) {
            calls.extend(rank.calls.iter().zip(rank.first_row..).map(|(call, row)| At::new(row, call)));
        }
    }

    /// Discards what is not needed for calls that start from `since_ns` on.
    pub fn forget(&mut self, since_ns: u64) {
        for calls in &mut self.ranks {
            let old = calls.partition_point(|call| call.end_ns < since_ns);
            calls.drain(..old.saturating_sub(LOOKED_AT));
        }
    }

    /// The last stretches outside of MPI of a rank that end by `ns`, the latest first.
    pub fn outside_until(&self, rank: RankId, ns: u64) -> impl Iterator<Item = Outside> {
        let before = |at: usize| at.saturating_sub(LOOKED_AT)..at;
        self.ranks.get(rank.0 as usize).into_iter().flat_map(move |calls| {
            let begun = calls.partition_point(|call| call.start_ns <= ns);
            before(begun).rev().map(move |at| {
                let since_ns = calls.range(before(at)).map(|c| c.end_ns).max().unwrap_or(0);
                Outside { since_ns, until: calls[at] }
            })
        })
    }

    /// Whether a rank was outside of MPI from `from_ns` to `to_ns`, and entered it again later.
    pub fn was_outside(&self, rank: RankId, from_ns: u64, to_ns: u64) -> bool {
        let Some(calls) = self.ranks.get(rank.0 as usize) else { return false };
        let next = calls.partition_point(|call| call.start_ns <= to_ns);
        next < calls.len() && calls.range(next.saturating_sub(LOOKED_AT)..next).all(|call| call.end_ns < from_ns)
    }
}

/// RMA wait for progress: a call of a passive target epoch returns only when its target enters MPI, because the MPI needs a
/// call of the target to grant the lock, or to access the window.
///
/// ```text
/// origin           [lock ==wait==|-]       wait = target's call.start − max(call.start, outside since)
/// target  [call]  computes     [call …]
/// ```
///
/// It counts only if the call returns within a quarter of that time after the target has come: an access that the target has no part in takes as
/// long as it takes. Source: Scalasca, *RMA Wait for Progress*; MPI-5.0 §12.7.3 (progress).
pub fn rma_wait_for_progress(rank: RankId, target: RankId, call: &At, outside: &Outside) -> Option<Wait> {
    let start_ns = call.start_ns.max(outside.since_ns);
    let until = &outside.until;
    let ns = until.start_ns.saturating_sub(start_ns);
    let is_soon = call.end_ns >= until.start_ns && call.end_ns - until.start_ns <= ns / 4;
    (target != rank && ns >= LEAST_NS && is_soon).then_some(Wait {
        kind: WaitKind::RmaWaitForProgress,
        rank,
        row: call.row,
        facts: call.facts,
        start_ns,
        end_ns: until.start_ns,
        cause: Some(Cause { rank: target, at_ns: until.start_ns, row: until.row, facts: until.facts }),
    })
}
