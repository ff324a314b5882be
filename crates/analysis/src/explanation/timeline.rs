//! How far a rank was at a moment: computing time, and time on an ideal network.

use mpiscope_store::RankId;

use super::pop::{Efficiencies, Times, efficiencies};

/// Moments that are kept for each rank, …
const MOST: usize = 4096;
/// … of all ranks, some 50 MB, …
const MOST_OF_ALL: usize = 1 << 21;
/// … but at least so many for each.
const LEAST: usize = 256;

/// How far a rank is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Moment, ns since the origin.
    pub at_ns: u64,
    /// Computing time until then.
    pub useful_ns: u64,
    /// Time on the ideal network until then.
    pub ideal_ns: u64,
}

/// A rank's points, as many as fit; between them it is a straight line.
#[derive(Clone, Debug)]
pub struct Timeline {
    points: Vec<Point>,
    most: usize,
    stride: u32,
    skipped: u32,
    /// Those at beginnings of iterations, which stay.
    turns: Vec<Point>,
    /// Once there are this many, only those that [`Timeline::keep_turns`] names stay.
    many_turns: usize,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline::of_up_to(MOST)
    }
}

impl Timeline {
    /// That of one of so many ranks.
    pub fn of_one_of(ranks: usize) -> Timeline {
        Timeline::of_up_to((MOST_OF_ALL / ranks.max(1)).clamp(LEAST, MOST))
    }

    fn of_up_to(most: usize) -> Timeline {
        Timeline { points: Vec::new(), most, stride: 1, skipped: 0, turns: Vec::new(), many_turns: most }
    }

    /// The next point, in order of time.
    #[inline]
    pub fn push(&mut self, point: Point) {
        self.skipped += 1;
        if self.skipped >= self.stride {
            self.keep(point);
        }
    }

    #[cold]
    fn keep(&mut self, point: Point) {
        self.skipped = 0;
        self.points.push(point);
        if self.points.len() == self.most {
            let mut at = 0;
            self.points.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride = self.stride.saturating_mul(2);
        }
    }

    /// A point at the beginning of an iteration, in order of time. True if there are many by now.
    pub fn push_turn(&mut self, point: Point) -> bool {
        self.turns.push(point);
        self.turns.len() >= self.many_turns
    }

    /// Leaves the points at beginnings of iterations that are in `kept`, which is in order.
    pub fn keep_turns(&mut self, kept: &[u64]) {
        self.turns.retain(|p| kept.binary_search(&p.at_ns).is_ok());
        self.many_turns = self.most.max(2 * self.turns.len());
    }

    /// How far the rank was at `at_ns`.
    pub fn at(&self, at_ns: u64) -> Point {
        let around = |points: &[Point]| {
            let next = points.partition_point(|p| p.at_ns <= at_ns);
            (next.checked_sub(1).map(|i| points[i]), points.get(next).copied())
        };
        let ((a, b), (turn_a, turn_b)) = (around(&self.points), around(&self.turns));
        let before = [a, turn_a].into_iter().flatten().max_by_key(|p| p.at_ns);
        let after = [b, turn_b].into_iter().flatten().min_by_key(|p| p.at_ns);
        let (Some(a), Some(b)) = (before, after) else {
            return Point { at_ns, ..before.or(after).unwrap_or_default() };
        };
        let part = (at_ns - a.at_ns) as f64 / (b.at_ns - a.at_ns).max(1) as f64;
        let between = |a: u64, b: u64| a + (b.saturating_sub(a) as f64 * part) as u64;
        let useful_ns = between(a.useful_ns, b.useful_ns);
        Point { at_ns, useful_ns, ideal_ns: between(a.ideal_ns, b.ideal_ns) }
    }
}

/// How far each rank had got at each moment: for efficiencies of any interval of the run.
#[derive(Clone, Debug, Default)]
pub struct Timelines {
    pub(crate) ranks: Vec<Timeline>,
}

impl Timelines {
    /// How long a rank computed between two moments.
    pub(crate) fn computing_ns(&self, rank: usize, from_ns: u64, until_ns: u64) -> Option<u64> {
        let line = self.ranks.get(rank)?;
        Some(line.at(until_ns).useful_ns.saturating_sub(line.at(from_ns).useful_ns))
    }

    /// One for each rank, for tests: moments and computing time until then.
    #[cfg(test)]
    pub(crate) fn from_ranks(ranks: &[&[(u64, u64)]]) -> Timelines {
        let line = |points: &&[(u64, u64)]| {
            let mut line = Timeline::default();
            points.iter().for_each(|&(at_ns, useful_ns)| line.push(Point { at_ns, useful_ns, ideal_ns: 0 }));
            line
        };
        Timelines { ranks: ranks.iter().map(line).collect() }
    }

    /// Efficiencies of an interval of the run, such as an iteration: its start and end on each rank, ns.
    pub fn efficiencies(&self, ranges: &[(RankId, u64, u64)]) -> Efficiencies {
        let mut times = Times::default();
        for &(rank, start_ns, end_ns) in ranges {
            let Some(line) = rank.index().and_then(|r| self.ranks.get(r)) else { continue };
            let (start, end) = (line.at(start_ns), line.at(end_ns));
            times.useful_ns.push(end.useful_ns.saturating_sub(start.useful_ns));
            times.ideal_ns = times.ideal_ns.max(end.ideal_ns.saturating_sub(start.ideal_ns));
            times.elapsed_ns = times.elapsed_ns.max(end_ns.saturating_sub(start_ns));
        }
        efficiencies(&times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_lines_between_few_points() {
        let mut line = Timeline::default();
        for t in 0..20_000u64 {
            line.push(Point { at_ns: t * 10, useful_ns: t * 4, ideal_ns: t * 7 });
        }
        assert!(line.points.len() <= MOST);
        let mut of_many = Timeline::of_one_of(10_000);
        (0..20_000).for_each(|t| of_many.push(Point { at_ns: t * 10, useful_ns: t * 4, ideal_ns: t * 7 }));
        assert!(of_many.points.len() <= LEAST && of_many.at(55_000).useful_ns.abs_diff(22_000) < 4);
        let at = line.at(100_005);
        assert!(at.useful_ns.abs_diff(40_002) <= 1 && at.ideal_ns.abs_diff(70_003) <= 1, "{at:?}");
        assert_eq!(Timeline::default().at(7), Point { at_ns: 7, ..Point::default() });
    }
}
