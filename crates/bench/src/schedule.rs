//! Which place of which series is measured next, by how many operations, and when all are done.
//!
//! In each round, every place that is not yet measured well enough gets one sample, in a new random order: slow moments of the machine then
//! spread over all places, and drift is visible. A sample is a batch of operations that takes [`BATCH`], so that reading the clock costs
//! nothing.

use std::time::{Duration, Instant};

use mpiscope_machine::Scope;

use crate::error::BenchError;
use crate::journal::Line;
use crate::point::{is_reached, settled};
use crate::session::Session;

/// Length of a sample. 10,000 times the cost of reading the clock.
const BATCH: Duration = Duration::from_micros(250);
/// Most operations of a sample.
const MOST_OPERATIONS: u64 = 1000;
/// Shortest time between lines of progress.
const PROGRESS: Duration = Duration::from_millis(200);

/// A place of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub series: String,
    /// On the axis of the series, such as bytes of a message.
    pub x: u64,
    /// Bytes that an operation moves, as a multiple of `x`; 0 if it moves none.
    pub moved: f64,
}

/// What was measured at once.
pub struct Batch {
    pub operations: u64,
    /// Time of one operation.
    pub time_ns: f64,
    /// If `time_ns` is that of the slowest of all ranks: those of the fastest and of the median rank.
    pub ranks_ns: Option<(f64, f64)>,
}

/// The order of measuring.
pub struct Schedule {
    places: Vec<Place>,
    operations: Vec<Option<u64>>,
    times: Vec<Vec<f64>>,
    /// What this round measures, in its order, and how much of it is done.
    round: Vec<usize>,
    next: usize,
    /// Rounds that are complete.
    rounds: usize,
    is_endless: bool,
    random: fastrand::Rng,
    begun: Instant,
    budget: Duration,
    last_progress: Instant,
}

impl Schedule {
    /// The budget counts from `begun`.
    pub fn new(places: Vec<Place>, seed: u64, begun: Instant, budget: Duration) -> Schedule {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut round: Vec<usize> = (0..places.len()).collect();
        random.shuffle(&mut round);
        Schedule {
            operations: vec![None; places.len()],
            times: vec![Vec::new(); places.len()],
            places,
            round,
            next: 0,
            rounds: 0,
            is_endless: false,
            random,
            begun,
            budget,
            last_progress: Instant::now(),
        }
    }

    /// Leaves out the other series.
    pub fn only(mut self, is_chosen: impl Fn(&str) -> bool) -> Schedule {
        self.round.retain(|&at| is_chosen(&self.places[at].series));
        self
    }

    /// Goes on until the budget ends, although all places are measured well enough.
    pub fn endless(self) -> Schedule {
        Schedule { is_endless: true, ..self }
    }

    /// The index of the place to measure now; `None` if all are done, or the budget has ended. The first round is always complete: every
    /// place has a sample.
    pub fn next(&mut self) -> Option<usize> {
        if self.next == self.round.len() {
            let (times, is_endless) = (&self.times, self.is_endless);
            self.round.retain(|&at| is_endless || !is_reached(settled(&times[at])));
            self.random.shuffle(&mut self.round);
            (self.next, self.rounds) = (0, self.rounds + 1);
        }
        if self.rounds > 0 && self.begun.elapsed() >= self.budget {
            return None;
        }
        let at = self.round.get(self.next).copied()?;
        self.next += 1;
        Some(at)
    }

    /// How many rounds are complete.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// One more place, from this round on.
    pub fn add(&mut self, place: Place) {
        self.round.push(self.places.len());
        self.places.push(place);
        self.operations.push(None);
        self.times.push(Vec::new());
    }

    /// Times of the operations of a place so far, ns.
    pub fn times(&self, at: usize) -> &[f64] {
        &self.times[at]
    }

    /// The operations of a sample at a place, once they are known.
    pub fn operations(&self, at: usize) -> Option<u64> {
        self.operations[at]
    }

    /// Finds out how many operations take about [`BATCH`]. `measure` makes about as many as requested, and returns how many they were
    /// and the time of one, ns.
    pub fn calibrate(
        &mut self,
        at: usize,
        mut measure: impl FnMut(u64) -> Result<(u64, f64), BenchError>,
    ) -> Result<u64, BenchError> {
        let mut count = 1;
        for _ in 0..3 {
            let (done, time_ns) = measure(count)?;
            let wanted = (BATCH.as_nanos() as f64 / time_ns.max(1.0)).ceil() as u64;
            count = wanted.clamp(1, MOST_OPERATIONS);
            // The first operations are slow: caches, connections. Once most of a batch was measured, the number is good.
            if done * 2 >= count {
                break;
            }
        }
        self.operations[at] = Some(count);
        Ok(count)
    }

    /// Keeps the time of a place, ns.
    pub fn keep(&mut self, at: usize, time_ns: f64) {
        self.times[at].push(time_ns);
    }

    /// Records a sample, and now and then how far the experiment is.
    pub fn sample(&mut self, session: &mut Session, scope: Scope, at: usize, batch: &Batch) -> Result<(), BenchError> {
        self.keep(at, batch.time_ns);
        let place = &self.places[at];
        session.record(Line::Sample {
            experiment: session.experiment.to_owned(),
            series: place.series.clone(),
            scope,
            x: place.x,
            moved: place.moved,
            at_ns: session.begun.elapsed().as_nanos() as u64,
            operations: batch.operations,
            time_ns: batch.time_ns,
            ranks_ns: batch.ranks_ns,
            is_only: false,
        });
        // While all ranks measure at once, no rank receives progress.
        if self.is_endless || self.last_progress.elapsed() < PROGRESS {
            return Ok(());
        }
        self.last_progress = Instant::now();
        let experiment = session.experiment.to_owned();
        session.record(Line::Progress { experiment, scope, done: self.percent(), all: 100 });
        session.flush()
    }

    /// It ends when all places are done, or with the budget.
    fn percent(&self) -> u64 {
        let all = self.places.len().max(1) as f64;
        let done = if self.rounds == 0 { 0.0 } else { 1.0 - self.round.len() as f64 / all };
        let spent = self.begun.elapsed().as_secs_f64() / self.budget.as_secs_f64().max(1e-3);
        (100.0 * f64::max(done, spent)).min(99.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(places: u64, budget: Duration) -> Schedule {
        let place = |x| Place { series: "a".into(), x, moved: 1.0 };
        Schedule::new((0..places).map(place).collect(), 1, Instant::now(), budget)
    }

    #[test]
    fn every_place_is_measured_once_even_without_time() {
        let mut schedule = schedule(20, Duration::ZERO);
        let mut order: Vec<usize> = std::iter::from_fn(|| schedule.next()).collect();
        assert!(!order.is_sorted(), "{order:?}");
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
        assert_eq!(super::Schedule::new(Vec::new(), 1, Instant::now(), Duration::MAX).next(), None);
    }

    #[test]
    fn a_place_that_is_done_is_left_out() {
        let mut schedule = schedule(2, Duration::from_secs(600));
        let mut taken = [0, 0];
        let mut random = fastrand::Rng::with_seed(3);
        while let Some(at) = schedule.next() {
            taken[at] += 1;
            // The second place has a wide spread.
            schedule.times[at].push(100.0 + if at == 0 { 1.0 } else { 60.0 } * random.f64());
        }
        assert!(taken[0] < 20 && taken[1] > 2 * taken[0], "{taken:?}");
    }

    #[test]
    fn series_that_are_not_chosen_are_left_out() {
        let place = |series: &str| Place { series: series.into(), x: 1, moved: 1.0 };
        let places = vec![place("a"), place("b"), place("a")];
        let schedule = || Schedule::new(places.clone(), 1, Instant::now(), Duration::ZERO);
        let mut some = schedule().only(|series| series == "a");
        let mut order: Vec<usize> = std::iter::from_fn(|| some.next()).collect();
        order.sort_unstable();
        assert_eq!(order, [0, 2]);
        assert_eq!(schedule().only(|_| false).next(), None);
    }

    #[test]
    fn a_place_that_is_added_is_measured() {
        let mut schedule = schedule(2, Duration::from_secs(600));
        let mut order = Vec::new();
        while order.len() < 5 {
            let at = schedule.next().unwrap();
            schedule.times[at].push(100.0);
            order.push(at);
            if order.len() == 2 {
                schedule.add(Place { series: "a".into(), x: 9, moved: 1.0 });
            }
        }
        assert_eq!((order[2], schedule.times(2)[0], schedule.rounds()), (2, 100.0, 1), "{order:?}");
    }

    #[test]
    fn a_batch_is_long_enough_for_the_clock() {
        let mut schedule = schedule(2, Duration::ZERO);
        assert_eq!(schedule.operations(0), None);
        assert_eq!(schedule.calibrate(0, |count| Ok((count, 2500.0))).unwrap(), 100);
        assert_eq!(schedule.calibrate(1, |count| Ok((count, 1e9))).unwrap(), 1);
        assert_eq!(schedule.operations(0), Some(100));
    }
}
