//! Partners of one call: for which of them it waited.

use crate::explanation::{Wait, WaitKind};

/// How long a call waited for one partner: until its call started, and from then until it made progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// For the partner's call to start.
    pub first: Option<Wait>,
    /// For progress after that.
    pub then: Option<Wait>,
}

/// Two reasons cannot be distinguished if they differ by less than this.
const SAME_NS: u64 = 20_000;

impl Candidate {
    /// When the wait was over; 0 for none.
    pub fn end_ns(&self) -> u64 {
        self.then.or(self.first).map_or(0, |w| w.end_ns)
    }

    /// A receive without its data certainly waits; for a send, or for progress, it is inferred from durations.
    fn is_sure(&self) -> bool {
        self.then.is_none() && self.first.is_some_and(|w| !matches!(w.kind, WaitKind::LateReceiver))
    }

    /// The partner for which a call waited longest; of several at about the same time, the more certain one.
    pub fn later(self, other: Candidate) -> Candidate {
        let (mut early, mut late) = if self.end_ns() <= other.end_ns() { (self, other) } else { (other, self) };
        if early.end_ns() == late.end_ns() && late.is_sure() && early.is_sure() {
            // The same moment: the lower rank, so that the order of messages does not matter.
            let cause = |c: &Candidate| c.first.and_then(|w| w.cause).map(|c| (c.rank, c.row));
            if cause(&early) < cause(&late) {
                std::mem::swap(&mut early, &mut late);
            }
        }
        let is_close = early.end_ns() > 0 && late.end_ns() - early.end_ns() < SAME_NS;
        if is_close && early.is_sure() && !late.is_sure() { early } else { late }
    }

    /// The first partner, for calls that need only one.
    pub fn sooner(self, other: Candidate) -> Candidate {
        if self.end_ns() <= other.end_ns() { self } else { other }
    }

    /// Ends the waits at `end_ns` at the latest.
    pub fn cut(&mut self, end_ns: u64) {
        for wait in [&mut self.first, &mut self.then].into_iter().flatten() {
            wait.end_ns = wait.end_ns.min(end_ns);
        }
    }

    /// The waits in the call, one after another.
    pub fn waits(self) -> impl Iterator<Item = Wait> {
        let begin = self.first.map_or(0, |w| w.end_ns);
        let then = self.then.map(|w| Wait { start_ns: w.start_ns.max(begin), ..w });
        self.first.into_iter().chain(then).filter(|w| w.start_ns < w.end_ns)
    }
}
