//! Arrivals at a collective operation.

use mpiscope_store::{Collective, Member};

use crate::explanation::{Cause, Wait, WaitKind};

/// The calls of all members, and the facts from which their waits follow.
pub struct Meeting<'a> {
    /// The operation.
    pub collective: &'a Collective,
    /// Its members, by rank.
    pub members: &'a [Member],
    /// The last member to enter.
    pub last: &'a Member,
    /// The first return, ns.
    pub first_end_ns: u64,
}

impl<'a> Meeting<'a> {
    /// `None` for an operation of which fewer than two members are known.
    pub fn new(collective: &'a Collective, all: &'a [Member]) -> Option<Meeting<'a>> {
        let members = all.get(collective.members.clone())?;
        let last = members.iter().max_by_key(|m| (m.end.start_ns, std::cmp::Reverse(m.rank)))?;
        let first_end_ns = members.iter().filter(|m| m.end.is_done()).map(|m| m.end.done_end_ns).min()?;
        (members.len() > 1).then_some(Meeting { collective, members, last, first_end_ns })
    }

    /// Whether a rank left before the last one entered: then the operation did not make all ranks wait.
    pub fn lets_pass(&self) -> bool {
        self.first_end_ns + CLOCK_NS < self.last.end.start_ns
    }

    /// `member` waits until `other` enters.
    pub fn wait(&self, kind: WaitKind, member: &Member, other: &Member) -> Option<Wait> {
        let end = &member.end;
        if !end.is_done() || other.end.start_ns <= end.done_start_ns || member.rank == other.rank {
            return None;
        }
        Some(Wait {
            kind,
            rank: member.rank,
            row: end.done_row,
            facts: end.done_facts,
            start_ns: end.done_start_ns,
            end_ns: other.end.start_ns.min(end.done_end_ns),
            cause: Some(cause(other)),
        })
    }

    /// From the first return, after the last rank has entered, to the return of the rank.
    pub fn completion(&self, kind: WaitKind, member: &Member) -> Option<Wait> {
        let end = &member.end;
        let start_ns = self.first_end_ns.max(self.last.end.start_ns).max(end.done_start_ns);
        let has = end.is_done() && end.done_end_ns > start_ns;
        has.then_some(Wait {
            kind,
            rank: member.rank,
            row: end.done_row,
            facts: end.done_facts,
            start_ns,
            end_ns: end.done_end_ns,
            cause: None,
        })
    }
}

/// Clocks of two hosts may differ by this much.
const CLOCK_NS: u64 = 20_000;

/// The member whose entry ended the wait.
pub fn cause(member: &Member) -> Cause {
    Cause { rank: member.rank, at_ns: member.end.start_ns, row: member.end.row, facts: member.end.facts }
}
