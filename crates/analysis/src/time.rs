//! How the ranks spend their time.

use mpiscope_abi::role::Role;
use mpiscope_store::{Call, CallInfo, Dimensions, RankId};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, Input};
use crate::explanation::{Explanation, PlaceTime, TimeSplit};
use crate::waits::PollPlaces;
use crate::waits::places::Places;

/// At most this many places are kept.
const ROWS: usize = 64;

/// Adds up the outermost calls of each rank's first thread: other threads' time is not rank time.
#[derive(Default)]
pub(crate) struct TimeSplitter {
    ranks: Vec<RankTime>,
    waiting_ns: u64,
    polls: PollPlaces,
}

#[derive(Default)]
struct RankTime {
    inside_ns: u64,
    /// By facts.
    places: Vec<Inside>,
    /// Start of the previous row, what it added and to which facts: the row of an enclosing call comes after it.
    before: (u64, u64, u32),
}

#[derive(Clone, Copy, Default)]
struct Inside {
    calls: u64,
    ns: u64,
    waiting_ns: u64,
}

impl RankTime {
    fn add(&mut self, call: &Call, inside_ns: u64, from_ns: u64, until_ns: u64) {
        let (start, end) = (call.start_ns.max(from_ns), call.end_ns.min(until_ns));
        let ns = inside_ns.min(end.saturating_sub(start));
        if call.start_ns <= self.before.0 {
            // It encloses the previous call, whose time is part of its own.
            self.inside_ns -= self.before.1;
            self.places[self.before.2 as usize].ns -= self.before.1;
        }
        self.inside_ns += ns;
        self.before = (0, 0, 0);
        if let Some(place) = self.places.get_mut(call.facts as usize) {
            place.calls += u64::from(call.calls);
            place.ns += ns;
            self.before = (call.start_ns, ns, call.facts);
        }
    }
}

impl Analysis for TimeSplitter {
    fn add_batch(&mut self, input: &Input<'_>) {
        if self.ranks.is_empty() {
            let new = |facts: &Vec<CallInfo>| RankTime {
                places: vec![Inside::default(); facts.len()],
                ..RankTime::default()
            };
            self.ranks = input.facts.iter().map(new).collect();
        }
        let rows = input.batch.ranks.iter().zip(input.facts).zip(&input.dimensions.ranks);
        for (at, (time, ((rank, facts), row))) in self.ranks.iter_mut().zip(rows).enumerate() {
            for call in &rank.calls {
                let facts = facts.get(call.facts as usize);
                let ns = call.end_ns.saturating_sub(call.start_ns);
                let inside_ns = facts.map_or(ns, |facts| self.polls.time_inside_ns(at, call, facts));
                if call.thread == 0 && !matches!(facts.map(|f| f.role), Some(Role::Init | Role::Finalize)) {
                    time.add(call, inside_ns, row.rows_from_ns, row.rows_until_ns);
                }
            }
        }
        for wait in input.waits {
            let batch = input.batch.ranks.get(wait.rank.0 as usize);
            let call = batch.and_then(|b| b.calls.get(wait.row.checked_sub(b.first_row)? as usize));
            if call.is_none_or(|c| c.thread == 0) {
                self.waiting_ns += wait.ns();
                let rank = self.ranks.get_mut(wait.rank.0 as usize);
                if let Some(place) = rank.and_then(|r| r.places.get_mut(wait.facts as usize)) {
                    place.waiting_ns += wait.ns();
                }
            }
        }
    }

    fn conclude(mut self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation) {
        self.add_open(&explanation.open_waits);
        let inside_ns: u64 = self.ranks.iter().map(|r| r.inside_ns).sum();
        let waiting_ns = self.waiting_ns.min(inside_ns);
        explanation.time = TimeSplit {
            computing_ns: explanation.scope.rank_time_ns.saturating_sub(inside_ns),
            waiting_ns,
            communicating_ns: inside_ns - waiting_ns,
        };
        explanation.places = self.places(dimensions, facts);
    }
}

impl TimeSplitter {
    /// Calls that had not returned: they have rows, but no waits.
    fn add_open(&mut self, waits: &[(RankId, u32, u64)]) {
        for &(rank, facts, ns) in waits {
            let Some(place) = self.ranks.get_mut(rank.0 as usize).and_then(|r| r.places.get_mut(facts as usize)) else {
                continue;
            };
            // The part of it that is within the analysed part of the run.
            let ns = ns.min(place.ns);
            place.waiting_ns += ns;
            self.waiting_ns += ns;
        }
    }

    /// The places with the most time other than waiting.
    fn places(&self, dimensions: &Dimensions, facts: &[Vec<CallInfo>]) -> Vec<PlaceTime> {
        let numbers = Places::new(facts);
        let mut sums: FxHashMap<u32, Inside> = FxHashMap::default();
        for (rank, time) in self.ranks.iter().enumerate() {
            for (at, inside) in time.places.iter().enumerate().filter(|(_, inside)| inside.ns > 0) {
                let Some(place) = numbers.id_of(rank, at as u32) else { continue };
                let sum = sums.entry(place).or_default();
                sum.calls += inside.calls;
                sum.ns += inside.ns;
                sum.waiting_ns += inside.waiting_ns.min(inside.ns);
            }
        }
        let mut sums: Vec<(u32, Inside)> = sums.into_iter().collect();
        sums.sort_unstable_by_key(|&(place, sum)| (std::cmp::Reverse(sum.ns - sum.waiting_ns), place));
        let row = |(place, sum): (u32, Inside)| {
            let place = numbers.get(place);
            PlaceTime {
                function: place.function(),
                site: place.site(dimensions),
                region: place.region(dimensions),
                calls: sum.calls,
                waiting_ns: sum.waiting_ns,
                communicating_ns: sum.ns - sum.waiting_ns,
            }
        };
        sums.into_iter().take(ROWS).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Explainer;
    use mpiscope_ingest::testing::ingested;

    #[test]
    fn only_where_the_rows_of_all_ranks_are_there() {
        let mut run = ingested(
            "0 10 20 Barrier
             1 15 20 Barrier
             0 60 90 Barrier
             1 80 90 Barrier
             0 109 110 Comm_size
             1 109 110 Comm_size",
        );
        for row in &mut run.dimensions.ranks {
            (row.rows_lost, row.rows_from_ns) = (1, 50_000);
        }
        let mut explainer = Explainer::new(&run.dimensions);
        run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
        let explained = explainer.finish(&run.dimensions, &run.facts);
        assert_eq!((explained.scope.start_ns, explained.scope.rank_time_ns), (50_000, 120_000));
        let time = explained.time;
        assert_eq!((time.computing_ns, time.waiting_ns, time.communicating_ns), (78_000, 20_000, 22_000));
        assert_eq!(explained.efficiency.unwrap().whole.parallel, Some(78.0 / 120.0));
    }

    #[test]
    fn computing_between_polls_is_no_time_in_mpi() {
        let inside = |inside_us: u64| {
            let run = ingested(&format!(
                "0 5 6 Irecv from=1 tag=0 bytes=8 request=1
                 0 10 110 Test requests=1 calls=100 inside={inside_us}
                 0 110 111 Wait requests=1 status=1:0:8
                 1 110 111 Send to=0 tag=0 bytes=8"
            ));
            let mut explainer = Explainer::new(&run.dimensions);
            run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
            let time = explainer.finish(&run.dimensions, &run.facts).time;
            time.waiting_ns + time.communicating_ns
        };
        assert_eq!(inside(90), 103_000, "a loop of polls and nothing else");
        assert_eq!(inside(20), 23_000, "the rank computes between its polls");
    }

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
        run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
        let explained = explainer.finish(&run.dimensions, &run.facts);
        let time = explained.time;
        let inside = time.waiting_ns + time.communicating_ns;
        assert_eq!((time.computing_ns, inside), (69_000, 31_000));
        let places: Vec<_> = explained.places.iter().map(|p| (p.function, p.calls, p.communicating_ns)).collect();
        assert_eq!(places, [("MPI_Allreduce", 1, 20_000), ("MPI_Barrier", 1, 10_000), ("MPI_Comm_size", 1, 1_000)]);
    }
}
