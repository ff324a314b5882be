//! Calls that complete several messages: one wait each.

use mpiscope_store::{RankBatch, RankId};

use super::candidate::Candidate;
use crate::explanation::Wait;
use crate::row_map::RowMap;
use crate::slab::put;

/// A call whose messages are not all known yet.
#[derive(Clone, Copy)]
struct IncompleteCall {
    left: u32,
    /// Returns when the first is complete (`Waitany`, `Waitsome`).
    any: bool,
    /// Whether it did not wait for one of them.
    has_none: bool,
    /// Number of its candidate; most calls have none.
    candidate: u32,
}

const NONE: u32 = u32::MAX;

/// Waits of a rank's last few calls that complete several things: a collective operation of the same call may come
/// later, and must not claim the same time.
const REMEMBERED: usize = 16;

/// Of one rank.
#[derive(Default)]
struct OfRank {
    /// Numbers of open calls.
    numbers: RowMap,
    open: Vec<IncompleteCall>,
    free: Vec<u32>,
    candidates: Vec<Candidate>,
    free_candidates: Vec<u32>,
    last: [(u64, u64); REMEMBERED],
    next: usize,
}

impl OfRank {
    fn put_candidate(&mut self, candidate: Candidate) -> u32 {
        put(&mut self.candidates, &mut self.free_candidates, candidate)
    }

    /// Joins what is known of a call with another candidate.
    fn join(&mut self, at: u32, candidate: &Candidate) {
        let open = self.open[at as usize];
        let is_none = candidate.end_ns() == 0;
        self.open[at as usize].has_none |= is_none;
        if is_none {
            return;
        }
        if open.candidate == NONE {
            self.open[at as usize].candidate = self.put_candidate(*candidate);
            return;
        }
        let known = &mut self.candidates[open.candidate as usize];
        *known = if open.any { known.sooner(*candidate) } else { known.later(*candidate) };
    }

    /// The call, which has no number any more, is complete: what it has waited for.
    fn close(&mut self, at: u32) -> Option<Candidate> {
        let open = self.open[at as usize];
        self.free.push(at);
        if open.candidate == NONE {
            return None;
        }
        self.free_candidates.push(open.candidate);
        // Who needs only one has not waited if one was there.
        (!open.any || !open.has_none).then(|| self.candidates[open.candidate as usize])
    }
}

/// Collects the messages of calls that complete several.
#[derive(Default)]
pub(super) struct Pending {
    ranks: Vec<OfRank>,
}

impl Pending {
    pub fn set_ranks(&mut self, ranks: usize) {
        if self.ranks.len() < ranks {
            self.ranks.resize_with(ranks, OfRank::default);
        }
    }

    /// The next batch has these rows.
    pub fn begin(&mut self, batches: &[RankBatch]) {
        for (of, batch) in self.ranks.iter_mut().zip(batches) {
            of.numbers.begin(batch.first_row, batch.calls.len());
        }
    }

    /// One of `of` messages that call `row` has completed. Gives the call's candidate when it was the last.
    pub fn add(&mut self, rank: RankId, row: u64, of: u32, any: bool, candidate: &Candidate) -> Option<Candidate> {
        let of_rank = self.ranks.get_mut(rank.0 as usize)?;
        let at = match of_rank.numbers.get(row) {
            Some(at) => at,
            None => {
                let open = IncompleteCall { left: of, any, has_none: false, candidate: NONE };
                let at = put(&mut of_rank.open, &mut of_rank.free, open);
                of_rank.numbers.insert(row, at);
                at
            }
        };
        of_rank.join(at, candidate);
        let open = &mut of_rank.open[at as usize];
        open.left = open.left.saturating_sub(1);
        if open.left > 0 {
            return None;
        }
        of_rank.numbers.remove(row);
        of_rank.close(at)
    }

    /// A collective operation that call `row` has completed, perhaps with messages that are not all known yet.
    /// Returns what is to be reported now.
    pub fn add_collective(&mut self, wait: Wait) -> Option<Wait> {
        let of_rank = self.ranks.get_mut(wait.rank.0 as usize)?;
        match of_rank.numbers.get(wait.row) {
            Some(at) => {
                of_rank.join(at, &Candidate { first: Some(wait), then: None });
                None
            }
            None => Some(wait),
        }
    }

    /// What of a wait no other wait of the same call has claimed yet.
    pub fn claim(&mut self, mut wait: Wait) -> Option<Wait> {
        let of_rank = self.ranks.get_mut(wait.rank.0 as usize)?;
        match of_rank.last.iter_mut().find(|(row, end)| *end > 0 && *row == wait.row) {
            Some((_, end)) => {
                wait.start_ns = wait.start_ns.max(*end);
                *end = wait.end_ns.max(*end);
            }
            None => {
                of_rank.last[of_rank.next % REMEMBERED] = (wait.row, wait.end_ns);
                of_rank.next += 1;
            }
        }
        (wait.start_ns < wait.end_ns).then_some(wait)
    }

    /// The end: calls of which messages are still missing.
    pub fn drain(&mut self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for of in &mut self.ranks {
            for (_, at) in of.numbers.drain() {
                // Of those that need only one, the missing one may be it.
                let any = of.open[at as usize].any;
                found.extend(of.close(at).filter(|_| !any));
            }
        }
        found
    }
}
