//! Where the time of the ranks went.

use mpiscope_abi::role::Role;
use mpiscope_store::{Call, Dimensions, Facts};
use serde::Serialize;

use crate::explain::{Analysis, Explanation, Input};

/// Rank time, ns, between initialisation and finalization, by what it was spent on. The parts add up to
/// [`crate::Scope::rank_time_ns`] where all rows are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimeSplit {
    /// Outside of MPI.
    pub computing_ns: u64,
    /// In MPI, for somebody who was not there yet.
    pub waiting_ns: u64,
    /// In MPI, at work.
    pub communicating_ns: u64,
}

/// Adds up the outermost calls of each rank's first thread: other threads' time is not rank time.
#[derive(Default)]
pub(crate) struct TimeSplitter {
    ranks: Vec<RankTime>,
    waiting_ns: u64,
}

#[derive(Default)]
struct RankTime {
    inside_ns: u64,
    /// Beginning of the row before and what it has added: a call around it comes after it.
    before: (u64, u64),
}

impl RankTime {
    fn add(&mut self, call: &Call, from_ns: u64, until_ns: u64) {
        let (start, end) = (call.start_ns.max(from_ns), call.end_ns.min(until_ns));
        let ns = end.saturating_sub(start);
        if call.start_ns <= self.before.0 {
            // Around the call before: that one's time is inside this one's.
            self.inside_ns -= self.before.1;
        }
        self.inside_ns += ns;
        self.before = (call.start_ns, ns);
    }
}

impl Analysis for TimeSplitter {
    fn take(&mut self, input: &Input<'_>) {
        self.ranks.resize_with(input.facts.len(), RankTime::default);
        let rows = input.batch.ranks.iter().zip(input.facts).zip(&input.dimensions.ranks);
        for (time, ((rank, facts), row)) in self.ranks.iter_mut().zip(rows) {
            for call in rank.calls.iter().filter(|c| c.thread == 0) {
                let role = facts.get(call.facts as usize).map(|f| f.role);
                if !matches!(role, Some(Role::Init | Role::Finalize)) {
                    time.add(call, row.init_end_ns, row.finalize_start_ns);
                }
            }
        }
        let waits = input.waits.iter().filter(|w| {
            let batch = input.batch.ranks.get(w.rank.0 as usize);
            let call = batch.and_then(|b| b.calls.get(w.row.checked_sub(b.first_row)? as usize));
            call.is_none_or(|c| c.thread == 0)
        });
        self.waiting_ns += waits.map(|w| w.ns()).sum::<u64>();
    }

    fn finish(self: Box<Self>, _: &Dimensions, _: &[Vec<Facts>], explanation: &mut Explanation) {
        let inside_ns: u64 = self.ranks.iter().map(|r| r.inside_ns).sum();
        let waiting_ns = self.waiting_ns.min(inside_ns);
        explanation.time = TimeSplit {
            computing_ns: explanation.scope.rank_time_ns.saturating_sub(inside_ns),
            waiting_ns,
            communicating_ns: inside_ns - waiting_ns,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::Explainer;
    use mpiscope_ingest::testing::ingested;

    #[test]
    fn outermost_calls_only() {
        // The Comm_rank is made inside the Allreduce (by a user's operation).
        let run = ingested(
            "0 10 20 Barrier
             0 32 34 Comm_rank
             0 30 50 Allreduce bytes=8
             0 99 100 Comm_size",
        );
        let mut explainer = Explainer::new(&run.dimensions);
        run.batches.iter().for_each(|b| explainer.take(&run.dimensions, &run.facts, b));
        let time = explainer.finish(&run.dimensions, &run.facts).time;
        let inside = time.waiting_ns + time.communicating_ns;
        assert_eq!((time.computing_ns, inside), (69_000, 31_000));
    }
}
