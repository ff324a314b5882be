//! A path that messages share: out of a host, into a host, or its memory.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::super::transfers::Transfer;
use crate::explanation::Spread;
use crate::quality::{CostlySpan, Top};

/// Work at once on a saturated path. Less is not the path's fault, more means that it has room.
const WORK: std::ops::RangeInclusive<f64> = 0.7..=1.3;
/// Messages without which a path is not looked at.
const FEWEST: u64 = 16;
/// A message that shares the path for this part of its time is slowed down by others.
const MOSTLY: f64 = 0.5;

/// A message that is on the path.
struct Active {
    transfer: Transfer,
    begin_ns: u64,
    /// [`Path::shared_ns`] when it began.
    shared_before_ns: u64,
}

/// What the path did while several messages shared it.
#[derive(Default)]
pub(super) struct Path {
    /// Not yet ordered.
    pending: Vec<Transfer>,
    active: Vec<Active>,
    now_ns: u64,
    pub shared_ns: u64,
    /// Their work meanwhile, ns.
    pub work_ns: f64,
    /// Sum over shared time of the number of messages, ns.
    pub together_ns: f64,
    pub slowed: Slowed,
}

/// Messages that shared the path for most of their time.
#[derive(Default)]
pub(super) struct Slowed {
    pub messages: u64,
    pub bytes: u64,
    pub cost_ns: f64,
    pub by_rank_ns: BTreeMap<u32, f64>,
    /// Calls whose time it is.
    pub calls: FxHashSet<(u32, u32)>,
    pub top: Top,
    pub spread: Spread,
}

impl Slowed {
    fn add(&mut self, of: &Transfer) {
        let lost_ns = (of.ns() as f64 - of.alone_ns).max(0.0);
        (self.messages, self.bytes) = (self.messages + 1, self.bytes.saturating_add(of.bytes));
        self.spread.add(of.end_ns - lost_ns as u64, of.end_ns);
        for end in of.ends.iter().flatten() {
            let ns = lost_ns / f64::from(end.done_with.max(1));
            self.cost_ns += ns;
            *self.by_rank_ns.entry(end.rank.0).or_default() += ns;
            self.calls.insert((end.rank.0, end.facts));
            self.top.push(CostlySpan {
                cost_ns: ns as u64,
                rank: end.rank,
                start_ns: of.begin_ns,
                end_ns: of.end_ns,
                row: Some(end.row),
            });
        }
    }
}

impl Path {
    pub fn new(spread: Spread) -> Path {
        Path { slowed: Slowed { spread, ..Slowed::default() }, ..Path::default() }
    }

    pub fn push(&mut self, transfer: Transfer) {
        self.pending.push(transfer);
    }

    /// Follows the messages that begin before `until_ns`, in order.
    pub fn follow(&mut self, until_ns: u64) {
        let mut ready: Vec<Transfer> = self.pending.extract_if(.., |of| of.begin_ns < until_ns).collect();
        ready.sort_unstable_by_key(|of| (of.begin_ns, of.end_ns, of.ends[0].map(|end| end.rank)));
        for transfer in ready {
            self.advance(transfer.begin_ns);
            // One that became known late begins late.
            let begin_ns = transfer.begin_ns.max(self.now_ns);
            if transfer.end_ns > begin_ns {
                self.active.push(Active { transfer, begin_ns, shared_before_ns: self.shared_ns });
            }
        }
        self.advance(until_ns);
    }

    /// Until a moment; messages that end before leave the path.
    fn advance(&mut self, until_ns: u64) {
        while let Some(at) = (0..self.active.len()).min_by_key(|&at| self.active[at].transfer.end_ns)
            && self.active[at].transfer.end_ns <= until_ns
        {
            self.pass(self.active[at].transfer.end_ns);
            let done = self.active.swap_remove(at);
            let shared_ns = self.shared_ns - done.shared_before_ns;
            if shared_ns as f64 >= MOSTLY * (done.transfer.end_ns - done.begin_ns) as f64 {
                self.slowed.add(&done.transfer);
            }
        }
        self.pass(until_ns);
    }

    fn pass(&mut self, until_ns: u64) {
        let ns = until_ns.saturating_sub(self.now_ns);
        if self.active.len() > 1 {
            let work: f64 = self.active.iter().map(|of| of.transfer.work_ns / of.transfer.ns().max(1) as f64).sum();
            self.shared_ns += ns;
            self.work_ns += work * ns as f64;
            self.together_ns += (self.active.len() as u64 * ns) as f64;
        }
        self.now_ns = self.now_ns.max(until_ns);
    }

    pub fn is_saturated(&self) -> bool {
        let enough = self.slowed.messages >= FEWEST && self.shared_ns > 0;
        enough && WORK.contains(&(self.work_ns / self.shared_ns as f64))
    }
}
