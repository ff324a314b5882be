//! Calls that complete several messages: one wait each.

use mpiscope_store::RankId;
use rustc_hash::FxHashMap;

use super::candidate::Candidate;
use crate::wait::Wait;

/// A call of which messages are missing yet.
#[derive(Clone, Copy)]
struct Open {
    left: u32,
    /// Returns when the first is there (`Waitany`, `Waitsome`).
    any: bool,
    is_new: bool,
    candidate: Candidate,
}

/// Waits of a rank's last few calls that complete several things: a collective operation of the same call may come
/// later, and must not claim the same time.
const REMEMBERED: usize = 16;

/// Of one rank.
#[derive(Default)]
struct OfRank {
    open: FxHashMap<u64, Open>,
    last: [(u64, u64); REMEMBERED],
    next: usize,
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

    /// One of `of` messages that call `row` has completed. Gives the call's candidate when it was the last.
    pub fn add(&mut self, rank: RankId, row: u64, of: u32, any: bool, candidate: Candidate) -> Option<Candidate> {
        let open = &mut self.ranks.get_mut(rank.0 as usize)?.open;
        let entry = open.entry(row).or_insert(Open { left: of, any, is_new: true, candidate });
        if !entry.is_new {
            entry.candidate = match entry.any {
                true => entry.candidate.sooner(candidate),
                false => entry.candidate.later(candidate),
            };
        }
        entry.is_new = false;
        entry.left = entry.left.saturating_sub(1);
        if entry.left > 0 {
            return None;
        }
        let candidate = entry.candidate;
        open.remove(&row);
        Some(candidate)
    }

    /// A collective operation that call `row` has completed, perhaps with messages that are not all known yet.
    /// Gives back what is to be said now.
    pub fn add_collective(&mut self, wait: Wait) -> Option<Wait> {
        let open = &mut self.ranks.get_mut(wait.rank.0 as usize)?.open;
        match open.get_mut(&wait.row) {
            Some(entry) => {
                entry.candidate = entry.candidate.later(Candidate { first: Some(wait), then: None });
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
    pub fn finish(&mut self) -> Vec<Candidate> {
        let all = self.ranks.iter_mut().flat_map(|r| r.open.drain()).filter(|(_, o)| !o.any);
        all.map(|(_, open)| open.candidate).collect()
    }
}
