//! Which operations count, and how long windows have to be.

use mpiscope_statistics::{median, sorted};

use crate::schedule::Batch;

/// A rank that begins later than this, or than this share of the operation, has missed the begin.
const LATE_NS: f64 = 1000.0;
const LATE_SHARE: f64 = 0.1;
/// A window is so many times as long as an operation, and longer where too many do not count.
const FACTORS: (f64, f64) = (3.0, 24.0);
/// Besides, for reading the clock and for waiting.
const MARGIN_NS: f64 = 5000.0;
/// The first window of a place, and the longest.
const FIRST_NS: i64 = 200_000;
const LONGEST_NS: f64 = 1e9;
/// Share of the operations that should count.
const WANTED: f64 = 0.75;

/// When a rank began an operation, after it should have; when it left it, after the last rank should have begun: without a skew both are the begin of the
/// window, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    pub began_ns: i64,
    pub ended_ns: i64,
}

/// What decides whether an operation counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub late_ns: i64,
    pub length_ns: i64,
}

impl Limits {
    /// All operations count.
    pub const NONE: Limits = Limits { late_ns: i64::MAX, length_ns: i64::MAX };
}

/// Times of the ranks in order, for each operation that counts: every rank was there at its begin and left it before the next one.
/// `of_ranks` has the operations of each rank.
pub fn counted(of_ranks: &[Vec<Timed>], limits: Limits) -> Vec<Vec<f64>> {
    let is_in = |timed: &Timed| timed.began_ns <= limits.late_ns && timed.ended_ns <= limits.length_ns;
    operations(of_ranks)
        .filter(|of| of.iter().all(is_in))
        .map(|of| sorted(&of.iter().map(|timed| timed.ended_ns as f64).collect::<Vec<_>>()))
        .collect()
}

/// The mean of operations: of the slowest rank, and of the fastest and the median one.
pub fn mean(counted: &[Vec<f64>]) -> Option<Batch> {
    // A time of 0 has no logarithm and no rate.
    let mean = |of: fn(&Vec<f64>) -> f64| (counted.iter().map(of).sum::<f64>() / counted.len() as f64).max(1e-3);
    (!counted.is_empty()).then(|| Batch {
        operations: counted.len() as u64,
        time_ns: mean(|times| times[times.len() - 1]),
        ranks_ns: Some((mean(|times| times[0]), mean(|times| median(times)))),
    })
}

fn operations(of_ranks: &[Vec<Timed>]) -> impl Iterator<Item = Vec<Timed>> + '_ {
    let count = of_ranks.iter().map(Vec::len).min().unwrap_or(0);
    (0..count).map(|at| of_ranks.iter().map(|of| of[at]).collect())
}

/// The windows of one place.
#[derive(Clone, Debug)]
pub struct Length {
    ns: i64,
    factor: f64,
    /// Median time of an operation; `None` before the first.
    operation_ns: Option<f64>,
}

impl Length {
    pub fn first() -> Length {
        Length { ns: FIRST_NS, factor: FACTORS.0, operation_ns: None }
    }

    /// The limits of operations. Where there are more ranks than processors, not all of them can begin at once: what counts is that each
    /// waits for its turn before the window ends.
    pub fn limits(&self, is_crowded: bool) -> Limits {
        let late = self.operation_ns.map_or(0.0, |ns| ns * LATE_SHARE).max(LATE_NS) as i64;
        Limits { late_ns: if is_crowded { self.ns } else { late }, length_ns: self.ns }
    }

    /// Adapts it to operations, of which this share counted. All of them say how long they take, also those that do not count: from when the
    /// last rank began, or the first one, where ranks wait for processors.
    pub fn adapt(&mut self, of_ranks: &[Vec<Timed>], share: f64, is_crowded: bool) {
        let time = |of: Vec<Timed>| {
            let began = of.iter().map(|timed| timed.began_ns);
            let began = if is_crowded { began.min() } else { began.max() };
            let ended = of.iter().map(|timed| timed.ended_ns).max();
            ended.zip(began).map_or(0.0, |(ended, began)| (ended - began).max(0) as f64)
        };
        let times: Vec<f64> = operations(of_ranks).map(time).collect();
        if times.is_empty() {
            return;
        }
        let scale = if share < WANTED { 1.5 } else { 0.8 };
        self.factor = (self.factor * scale).clamp(FACTORS.0, FACTORS.1);
        let operation_ns = median(&sorted(&times));
        self.operation_ns = Some(operation_ns);
        self.ns = (operation_ns * self.factor + MARGIN_NS).min(LONGEST_NS) as i64;
    }
}

/// How many operations did not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    operations: u64,
    dropped: u64,
    batches: u64,
    /// Samples, and those that began after barriers.
    samples: u64,
    after_barriers: u64,
}

/// Batches before windows are given up, and how often they are tried again: one sample in so many.
const FEWEST_BATCHES: u64 = 48;
const AGAIN: u64 = 4;
/// Of a batch, and of all, at least one in so many operations has to count: the others show that the machine did something else.
const LEAST: u64 = 8;
/// Share of dropped operations that is reported.
const LARGE: f64 = 0.25;

impl Tally {
    /// Counts a batch; whether enough of it counts.
    pub fn add(&mut self, operations: u64, counted: u64) -> bool {
        self.operations += operations;
        self.dropped += operations - counted;
        self.batches += 1;
        counted > 0 && counted * LEAST >= operations
    }

    pub fn sample(&mut self, is_after_barriers: bool) {
        self.samples += 1;
        self.after_barriers += u64::from(is_after_barriers);
    }

    /// Whether so few operations count that trying costs more than it finds, for most samples: the machine may become quiet.
    pub fn is_given_up(&self) -> bool {
        let is_hopeless = (self.operations - self.dropped) * LEAST < self.operations;
        self.batches >= FEWEST_BATCHES && is_hopeless && !self.samples.is_multiple_of(AGAIN)
    }

    /// The share of operations that did not count.
    pub fn dropped_share(&self) -> f64 {
        self.dropped as f64 / self.operations.max(1) as f64
    }

    /// What a reader has to consider.
    pub fn problems(&self, experiment: &str) -> Vec<String> {
        let mut found = Vec::new();
        if self.dropped_share() > LARGE {
            found.push(format!(
                "{experiment}: {} of the operations do not count: a rank missed the begin, or the operation ran over into the next window",
                mpiscope_units::percent(self.dropped_share())
            ));
        }
        if self.after_barriers > 0 {
            found.push(format!(
                "{experiment}: {} of {} samples begin after barriers in place of clock windows, which too few operations kept",
                self.after_barriers, self.samples
            ));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(began_ns: i64, ended_ns: i64) -> Timed {
        Timed { began_ns, ended_ns }
    }

    #[test]
    fn an_operation_counts_if_all_ranks_began_and_left_it_in_time() {
        let ranks = [
            vec![timed(10, 4000), timed(50, 4000), timed(0, 3000), timed(0, 9001)],
            vec![timed(20, 5000), timed(2000, 6000), timed(10, 2000), timed(0, 4000)],
        ];
        let limits = Limits { late_ns: 1000, length_ns: 9000 };
        // The second began late on one rank, the last ran over on the other.
        assert_eq!(counted(&ranks, limits), [[4000.0, 5000.0], [2000.0, 3000.0]]);
        let mean = mean(&counted(&ranks, limits)).unwrap();
        assert_eq!((mean.operations, mean.time_ns, mean.ranks_ns), (2, 4000.0, Some((3000.0, 3500.0))));
        assert_eq!(counted(&ranks, Limits::NONE).len(), 4);
        assert!(super::mean(&[]).is_none());
    }

    #[test]
    fn windows_adapt_to_the_operation() {
        let mut length = Length::first();
        assert_eq!(length.limits(false), Limits { late_ns: 1000, length_ns: 200_000 });
        // 40 µs after the last rank, which was 1 ms late.
        let late = vec![vec![timed(0, 1_040_000); 3], vec![timed(1_000_000, 1_040_000); 3]];
        length.adapt(&late, 1.0, false);
        assert_eq!(length.limits(false), Limits { late_ns: 4000, length_ns: 125_000 });
        // Too many dropped: longer, up to a limit.
        length.adapt(&late, 0.5, false);
        assert_eq!(length.limits(false).length_ns, 185_000);
        (0..20).for_each(|_| length.adapt(&late, 0.5, false));
        assert_eq!(length.limits(false).length_ns, 965_000);
        (0..20).for_each(|_| length.adapt(&late, 1.0, false));
        assert_eq!(length.limits(false).length_ns, 125_000);
        // More ranks than processors: waiting for one belongs to it.
        length.adapt(&late, 1.0, true);
        assert_eq!(length.limits(true), Limits { late_ns: 3_125_000, length_ns: 3_125_000 });
        length.adapt(&[], 1.0, true);
        assert_eq!(length.limits(true).length_ns, 3_125_000);
    }

    #[test]
    fn windows_are_given_up_if_too_few_are_kept() {
        let mut tally = Tally::default();
        assert!(tally.add(80, 10) && !tally.add(80, 9) && !tally.add(1, 0));
        tally.sample(true);
        (0..44).for_each(|_| assert!(!tally.add(10, 0)));
        assert!(!tally.is_given_up(), "too few batches");
        assert!(!tally.add(10, 1) && tally.is_given_up());
        (0..3).for_each(|_| tally.sample(true));
        assert!(!tally.is_given_up(), "tried again");
        tally.sample(true);
        assert!(tally.is_given_up());
        (0..8).for_each(|_| assert!(tally.add(10, 10)));
        assert!(!tally.is_given_up());
    }

    #[test]
    fn what_was_dropped_is_reported() {
        let mut tally = Tally::default();
        tally.add(100, 75);
        tally.sample(false);
        assert!(tally.problems("collectives").is_empty());
        tally.add(20, 8);
        tally.sample(true);
        assert_eq!(
            tally.problems("collectives"),
            [
                "collectives: 30.8 % of the operations do not count: a rank missed the begin, or the operation ran over into the next window",
                "collectives: 1 of 2 samples begin after barriers in place of clock windows, which too few operations kept",
            ]
        );
    }
}
