//! Processes that may have ordered two accesses under locks without any MPI call: a process that reads from memory what another one
//! wrote there, and acts on it. Where no process could, two writes of the same bytes certainly have no order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clocks::{Clock, Clocks};

/// An access, and the processes that may have seen it or acted on it.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub origin: u32,
    /// Which one of all accesses it is.
    pub number: u64,
    /// What its origin knew.
    pub clock: &'a Clock,
}

/// What is known of all processes.
#[derive(Default)]
pub(crate) struct Observers {
    /// Since which access a process may know more of others than clocks do.
    since: FxHashMap<u32, u64>,
    /// Processes in whose memory others write: to see that they need no call.
    written: FxHashSet<u32>,
    /// So may anybody: memory is shared, or exclusive locks make processes wait for each other.
    everybody: bool,
}

impl Observers {
    /// A process looks at memory of others, with its access of that number.
    pub(super) fn reads(&mut self, process: u32, number: u64) {
        self.since.entry(process).or_insert(number);
    }

    /// A process has learned something of others that clocks do not follow.
    pub fn learns(&mut self, process: u32) {
        self.since.insert(process, 0);
    }

    /// Others write into a process's memory.
    pub fn writes_to(&mut self, target: u32) {
        self.written.insert(target);
    }

    /// Nothing can be excluded.
    pub fn all(&mut self) {
        self.everybody = true;
    }

    /// Whether a process may have seen the one access and made the other one wait for it.
    fn may_follow(&self, one: Moment<'_>, other: Moment<'_>, clocks: &Clocks) -> bool {
        // The process that acts on what it has seen is the other one, or one that has sent it something since.
        let may_act = |process: u32| {
            process == other.origin
                || !clocks.ticks(process)
                || clocks.seen(other.clock, process) > clocks.seen(one.clock, process)
        };
        self.everybody
            || self.since.iter().any(|(&process, &since)| since < other.number && may_act(process))
            || self.written.iter().any(|&process| may_act(process))
    }

    /// The same, whichever of them comes first.
    pub(super) fn may_order(&self, one: Moment<'_>, other: Moment<'_>, clocks: &Clocks) -> bool {
        self.may_follow(one, other, clocks) || self.may_follow(other, one, clocks)
    }
}
