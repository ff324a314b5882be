//! Epochs of passive target communication on one window: who holds which lock, and what calls inside of them wait for.

use std::collections::VecDeque;

use mpiscope_abi::role::{Epoch, Role};
use mpiscope_store::{CallInfo, RankId};
use rustc_hash::FxHashMap;

use super::lock_contention::{Holder, lock_contention};
use super::rma::{At, REMEMBERED};
use super::target_progress::{Calls, LEAST_NS, rma_wait_for_progress};
use crate::explanation::Wait;

/// Where the target is needed, at most one of this many calls that complete accesses returns while it is outside of MPI.
const ALONE_OF: u32 = 4;

/// A lock that is held.
struct Lock {
    /// [`RankId::NONE`] for all.
    target: RankId,
    at: At,
    /// Targets with accesses that are not known to be complete, and when the first of these began.
    accessed: Vec<(RankId, u64)>,
}

/// A call of an epoch.
struct InLock {
    rank: RankId,
    /// [`RankId::NONE`] for all.
    target: RankId,
    at: At,
    /// The ranks that the MPI may need for it.
    needed: Vec<RankId>,
    /// If it returns only when accesses are complete at their targets: when the first of them began.
    completes_since_ns: Option<u64>,
}

/// The epochs.
#[derive(Default)]
pub(super) struct Passive {
    /// By rank.
    locks: FxHashMap<RankId, Vec<Lock>>,
    holders: VecDeque<Holder>,
    calls: Vec<InLock>,
    /// How many calls have waited for their target to enter MPI, and how many completed accesses while it was outside.
    by_target: u32,
    alone: u32,
}

impl Passive {
    pub fn call(&mut self, rank: RankId, target: RankId, at: At, facts: &CallInfo) {
        let locks = self.locks.entry(rank).or_default();
        let is_long = at.end_ns - at.start_ns >= LEAST_NS;
        if facts.role == Role::Epoch(Epoch::Lock) {
            locks.push(Lock { target, at, accessed: Vec::new() });
            if is_long {
                let needed = target.is_some().then_some(target).into_iter().collect();
                self.calls.push(InLock { rank, target, at, needed, completes_since_ns: None });
            }
            return;
        }
        let Some(held) = locks.iter().position(|l| l.target == target || l.target == RankId::NONE) else { return };
        let accessed = &mut locks[held].accessed;
        let is_known = accessed.iter().any(|(known, _)| *known == target);
        if facts.role == Role::Access && accessed.len() < REMEMBERED && !is_known {
            accessed.push((target, at.start_ns));
        }
        let concerns = |(accessed, _): &(RankId, u64)| target == RankId::NONE || *accessed == target;
        let of_call = || accessed.iter().filter(|a| concerns(a));
        let completes = completes(facts);
        let completes_since_ns = of_call().map(|(_, start_ns)| *start_ns).min().filter(|_| completes);
        if is_long || completes_since_ns.is_some() {
            let needed = of_call().map(|(accessed, _)| *accessed).collect();
            self.calls.push(InLock { rank, target, at, needed, completes_since_ns });
        }
        if completes {
            accessed.retain(|a| !concerns(a));
        }
        if facts.role == Role::Epoch(Epoch::Unlock) {
            let lock = locks.swap_remove(held);
            self.holders.push_back(Holder { rank, target, lock: lock.at, unlock: at });
        }
    }

    /// A call that waits for the requests of accesses to these targets. That of a put may end before the access is complete there, so it
    /// proves nothing about the need for the target.
    pub fn completes(&mut self, rank: RankId, at: At, needed: Vec<RankId>) {
        let is_locked = self.locks.get(&rank).is_some_and(|locks| !locks.is_empty());
        if is_locked && at.end_ns - at.start_ns >= LEAST_NS {
            let target = if let [one] = needed[..] { one } else { RankId::NONE };
            self.calls.push(InLock { rank, target, at, needed, completes_since_ns: None });
        }
    }

    /// When the oldest call that is not processed yet, or an access that it completes, began.
    pub fn pending_since(&self) -> Option<u64> {
        let since = |call: &InLock| call.completes_since_ns.map_or(call.at.start_ns, |ns| ns.min(call.at.start_ns));
        self.calls.iter().map(since).min()
    }

    /// Processes everything that ended before `until_ns`.
    pub fn detect(&mut self, until_ns: u64, recent: &Calls, found: &mut impl FnMut(Wait)) {
        let mut calls = std::mem::take(&mut self.calls);
        calls.sort_by_key(|call| (call.at.end_ns, call.rank));
        self.calls = calls.split_off(calls.partition_point(|call| call.at.end_ns < until_ns));
        if !calls.is_empty() {
            self.holders.make_contiguous().sort_by_key(|h| (h.unlock.start_ns, h.rank));
        }
        for call in &calls {
            let waits = call.needed.iter().filter_map(|target| for_target(call.rank, *target, &call.at, recent));
            let for_target = waits.max_by_key(|w| w.end_ns);
            self.learn(call, for_target.is_some(), recent);
            let [first, then] = match self.contention(call) {
                Some((holder, wait)) => self.after_target(wait, call, holder, recent),
                None => [for_target.filter(|_| self.needs_target()), None],
            };
            first.into_iter().chain(then).for_each(&mut *found);
        }
        while self.holders.len() > REMEMBERED && self.holders.front().is_some_and(|h| h.unlock.end_ns < until_ns) {
            self.holders.pop_front();
        }
    }

    fn learn(&mut self, call: &InLock, has_waited: bool, recent: &Calls) {
        self.by_target += u32::from(has_waited);
        let Some(since_ns) = call.completes_since_ns else { return };
        let is_other = |target: &&RankId| **target != call.rank;
        let is_alone = |target: &RankId| recent.was_outside(*target, since_ns, call.at.end_ns);
        self.alone += u32::from(call.needed.iter().filter(is_other).any(is_alone));
    }

    /// Whether accesses need calls of their targets, as far as is known.
    fn needs_target(&self) -> bool {
        self.alone * ALONE_OF <= self.by_target
    }

    /// The rank that unlocks during the call, if there is one: of several the last.
    fn contention(&self, call: &InLock) -> Option<(&Holder, Wait)> {
        let first = self.holders.partition_point(|h| h.unlock.start_ns <= call.at.start_ns);
        let during = self.holders.range(first..).take_while(|h| h.unlock.start_ns <= call.at.end_ns);
        let waits = during.filter_map(|h| Some((h, lock_contention(call.rank, call.target, &call.at, h)?)));
        waits.max_by_key(|(_, wait)| wait.end_ns)
    }

    /// Contention with a holder that itself waits for the target begins only when the target comes: until then it is
    /// a wait for the target, too.
    fn after_target(&self, wait: Wait, call: &InLock, holder: &Holder, recent: &Calls) -> [Option<Wait>; 2] {
        let target = if call.target.is_some() { call.target } else { holder.target };
        let of_holder = for_target(holder.rank, target, &holder.lock, recent).filter(|_| self.needs_target());
        match of_holder.filter(|w| wait.start_ns < w.end_ns && w.end_ns < wait.end_ns) {
            Some(w) => {
                let first = Wait { rank: wait.rank, row: wait.row, facts: wait.facts, start_ns: wait.start_ns, ..w };
                [Some(first), Some(Wait { start_ns: w.end_ns, ..wait })]
            }
            None => [Some(wait), None],
        }
    }
}

fn for_target(rank: RankId, target: RankId, at: &At, recent: &Calls) -> Option<Wait> {
    let away = recent.outside_until(target, at.end_ns);
    let mut until_call = away.take_while(|outside| outside.until.start_ns > at.start_ns);
    until_call.find_map(|outside| rma_wait_for_progress(rank, target, at, &outside))
}

/// Whether a call returns only when the accesses of its epoch are complete at their targets (MPI-5.0 §12.5.4).
fn completes(facts: &CallInfo) -> bool {
    match facts.role {
        Role::Epoch(Epoch::Unlock) => true,
        Role::Epoch(Epoch::Flush) => {
            matches!(mpiscope_abi::name(facts.function), "MPI_Win_flush" | "MPI_Win_flush_all")
        }
        _ => false,
    }
}
