//! Fixed-work quanta: the same work again and again; what takes longer was interrupted.
//!
//! Source: Sottile and Minnich, *Analysis of Microbenchmarks for Performance Tuning of Clusters* (2004); the FWQ benchmark of
//! the ASC Sequoia suite; Hoefler, Schneider and Lumsdaine, *Characterizing the Influence of System Noise on Large-Scale
//! Applications by Simulation* (2010), for what is called a detour.

use std::hint::black_box;
use std::time::{Duration, Instant};

use mpiscope_statistics::{median, quantile, sorted};

/// Length of a quantum: short against a time slice, long against reading the clock.
pub const QUANTUM: Duration = Duration::from_micros(100);
/// What is slower by less than this is not counted: reading the clock and the memory that holds the times vary by less.
const SMALLEST_NS: f64 = 1000.0;
/// A quantum that is slower than usual by so many times the usual spread was interrupted.
const SPREADS: f64 = 3.0;
/// Rounds of the calibration.
const ROUNDS: usize = 20;

/// Work that uses no memory: each step depends on the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantum {
    steps: u64,
}

impl Quantum {
    /// Finds how many steps take about [`QUANTUM`] when nothing interrupts them.
    pub fn calibrate() -> Quantum {
        let mut quantum = Quantum { steps: 10_000 };
        for _ in 0..3 {
            let best = (0..ROUNDS).map(|_| quantum.time_ns()).fold(f64::INFINITY, f64::min);
            let factor = QUANTUM.as_nanos() as f64 / best.max(1.0);
            quantum.steps = ((quantum.steps as f64 * factor) as u64).clamp(1000, 1 << 30);
        }
        quantum
    }

    /// The same work, as much as takes this long.
    pub fn lasting(self, length: Duration) -> Quantum {
        let steps = self.steps as f64 * length.as_nanos() as f64 / QUANTUM.as_nanos() as f64;
        Quantum { steps: (steps as u64).max(1) }
    }

    /// This work in parts that are as long as `part`, but for the last one.
    pub fn parts(self, part: Quantum) -> impl Iterator<Item = Quantum> {
        let begins = (0..self.steps).step_by(part.steps as usize);
        begins.map(move |begin| Quantum { steps: part.steps.min(self.steps - begin) })
    }

    pub fn work(self) {
        // A linear congruential generator: the compiler has no closed form for it.
        let mut state = black_box(1u64);
        for _ in 0..self.steps {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
        black_box(state);
    }

    /// For the time of this work, that of one of its steps: comparable between ranks, whatever each has calibrated.
    pub fn step_ns(self, time_ns: f64) -> f64 {
        time_ns / self.steps as f64
    }

    fn time_ns(self) -> f64 {
        let start = Instant::now();
        self.work();
        start.elapsed().as_nanos() as f64
    }

    /// Works for this long, without a pause; returns the time of each quantum, ns.
    pub fn times(self, length: Duration) -> Vec<f64> {
        // Room before: growing would interrupt the work. Where quanta are faster than calibrated, it ends earlier.
        let room = (length.as_nanos() / QUANTUM.as_nanos()) as usize + 1;
        // Touched now, not page by page while working.
        let mut times = vec![1.0f64; room];
        let begin = Instant::now();
        let mut last = begin;
        let mut len = 0;
        while len < room && last.duration_since(begin) < length {
            self.work();
            // One reading ends a quantum and begins the next: no time is between them.
            let now = Instant::now();
            times[len] = now.duration_since(last).as_nanos() as f64;
            (last, len) = (now, len + 1);
        }
        times.truncate(len);
        times
    }
}

/// What the system took from a series of quanta.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Detours {
    /// Time of a quantum that nothing interrupts, ns.
    pub base_ns: f64,
    /// A quantum that takes longer was interrupted, ns.
    pub limit_ns: f64,
    /// All quanta together, ns.
    pub total_ns: f64,
    /// What detours took of it, ns.
    pub taken_ns: f64,
    /// Quanta that were interrupted.
    pub count: u64,
    /// Of the detours: the median and the longest, ns.
    pub median_ns: f64,
    pub longest_ns: f64,
}

impl Detours {
    /// Finds them. The base is the 10th percentile: the smallest time may come from a moment with a faster clock rate.
    pub fn of(times: &[f64]) -> Detours {
        let all = sorted(times);
        let base_ns = quantile(&all, 0.1);
        let spread = quantile(&all, 0.5) - base_ns;
        let limit_ns = base_ns + SMALLEST_NS.max(SPREADS * spread);
        // Up to a half of the quanta are interrupted: the median is one of the others. Where more are, the spread is that of the
        // interrupted ones; a detour of a time slice is longer than any quantum.
        let limit_ns = limit_ns.min(2.0 * base_ns.max(SMALLEST_NS));
        let taken: Vec<f64> = all.iter().filter(|&&time| time > limit_ns).map(|time| time - base_ns).collect();
        Detours {
            base_ns,
            limit_ns,
            total_ns: times.iter().sum(),
            taken_ns: taken.iter().sum(),
            count: taken.len() as u64,
            median_ns: median(&taken),
            longest_ns: taken.last().copied().unwrap_or(0.0),
        }
    }

    /// What detours took of a part of the quanta, and how long this part was, ns.
    pub fn of_window(&self, times: &[f64]) -> (f64, f64) {
        let taken = times.iter().filter(|&&time| time > self.limit_ns).map(|time| time - self.base_ns).sum();
        (taken, times.iter().sum())
    }

    /// Share of the time.
    pub fn share(&self) -> f64 {
        if self.total_ns > 0.0 { self.taken_ns / self.total_ns } else { 0.0 }
    }

    /// How often, 1/s.
    pub fn rate(&self) -> f64 {
        if self.total_ns > 0.0 { self.count as f64 / (self.total_ns / 1e9) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quanta of 100 µs that vary by 0.1 %.
    fn quiet(len: usize) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(2);
        (0..len).map(|_| 100_000.0 + 100.0 * random.f64()).collect()
    }

    #[test]
    fn planted_detours_are_found() {
        let mut times = quiet(10_000);
        // A tick of 3 µs in every 40th quantum, and two long ones.
        times.iter_mut().step_by(40).for_each(|time| *time += 3000.0);
        times[17] += 4e6;
        times[5018] += 9e6;
        let found = Detours::of(&times);
        assert_eq!(found.count, 252);
        assert!((found.longest_ns / 9e6 - 1.0).abs() < 1e-3, "{found:?}");
        assert!((found.median_ns / 3000.0 - 1.0).abs() < 0.05, "{found:?}");
        let taken = 250.0 * 3000.0 + 13e6;
        assert!((found.share() / (taken / times.iter().sum::<f64>()) - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.rate() / (252.0 / 1.0137) - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_competing_process_is_found() {
        // Time slices of 3 ms: 30 quanta, then one with 3 ms more.
        let mut times = quiet(3000);
        times.iter_mut().step_by(30).for_each(|time| *time += 3e6);
        let found = Detours::of(&times);
        assert_eq!(found.count, 100);
        assert!((found.share() - 0.5).abs() < 0.01, "{found:?}");
        // Time slices of a quantum: most are interrupted.
        let mut times = quiet(3000);
        times.iter_mut().enumerate().filter(|(at, _)| at % 4 != 0).for_each(|(_, time)| *time += 150_000.0);
        assert!((Detours::of(&times).share() - 0.53).abs() < 0.02, "{:?}", Detours::of(&times));
    }

    #[test]
    fn a_quiet_core_has_none() {
        assert_eq!(Detours::of(&quiet(1000)).count, 0);
        let nothing = Detours::of(&[]);
        assert_eq!((nothing.count, nothing.share(), nothing.rate()), (0, 0.0, 0.0));
    }

    #[test]
    fn work_is_divided() {
        let quantum = Quantum { steps: 1000 };
        let work = quantum.lasting(QUANTUM * 7 / 2);
        assert_eq!(work.steps, 3500);
        let parts: Vec<u64> = work.parts(quantum).map(|part| part.steps).collect();
        assert_eq!(parts, [1000, 1000, 1000, 500]);
        assert_eq!(quantum.lasting(Duration::ZERO).steps, 1);
    }

    #[test]
    fn quanta_take_as_long_as_they_should() {
        let quantum = Quantum::calibrate();
        let times = quantum.times(Duration::from_millis(20));
        assert!(!times.is_empty() && times.len() <= 201, "{}", times.len());
        let shortest = quantile(&sorted(&times), 0.0);
        // On a busy machine the calibration itself is interrupted, but seldom in all its rounds.
        assert!((20_000.0..2_000_000.0).contains(&shortest), "{shortest}");
        assert!(Quantum { steps: 10 * quantum.steps }.time_ns() > 3.0 * shortest, "the work is not removed");
    }
}
