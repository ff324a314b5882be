//! What the machine can do, as curves over sizes: the part of a machine profile that a run is compared with.

use mpiscope_store::RankId;

use crate::explanation::attainable::Estimate;

/// The curves that hold for a run.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// Messages by pair class.
    pub classes: Vec<PairClass>,
    /// Where the ranks of the run are.
    pub places: Places,
    /// Collective operations.
    pub operations: Vec<OperationCurve>,
    /// Ranks with which they were measured.
    pub ranks: u64,
    /// What copying costs.
    pub memory: Option<Memory>,
}

/// Times of copying by the number of copied bytes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// One rank, while the others sleep.
    pub alone: Curve,
    /// Each of the ranks of a host, all at once.
    pub at_once: Curve,
    /// How many these were.
    pub ranks: u64,
}

/// Pairs of ranks that are equally close.
#[derive(Clone, Debug, Default)]
pub struct PairClass {
    /// Such as `same-l3`.
    pub name: &'static str,
    /// Hops between their hosts, if the network is known.
    pub hops: Option<u32>,
    /// Half a round trip by size; `None` if no such pair was measured.
    pub curve: Option<Curve>,
}

/// A collective operation by its own function.
#[derive(Clone, Debug, Default)]
pub struct OperationCurve {
    /// Name of the function without prefix, in lower case: `allreduce`, `reduce_scatter_block`.
    pub name: String,
    /// Time of the slowest rank by size.
    pub curve: Curve,
}

/// The place of each rank. Ranks with the same place on their host are equally close to others, so that the table of classes is small.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By rank: number of its host.
    pub hosts: Vec<u32>,
    /// By rank: number of its place on the host.
    pub places: Vec<u32>,
    /// By two places on one host: index into [`Reference::classes`].
    pub within: Vec<Vec<usize>>,
    /// Index of the class of pairs on different hosts.
    pub between: usize,
    /// By two hosts: index of the class of their pairs. Empty: all hosts are as far apart.
    pub apart: Vec<Vec<usize>>,
}

/// Times by size.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// In ascending order of size.
    pub points: Vec<Point>,
    /// The machine was not quiet while it was measured.
    pub is_disturbed: bool,
}

/// The time at one size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// The size.
    pub bytes: u64,
    /// The median.
    pub ns: f64,
    /// 95 % interval of the median.
    pub low_ns: Option<f64>,
    /// Its upper end.
    pub high_ns: Option<f64>,
}

/// Below the smallest measured size, its time holds if it is at most this: so few bytes make no difference.
const SMALL_BYTES: u64 = 64;

/// Ranks that copy at once share the memory if a copy takes this times as long as alone.
const SHARED: f64 = 1.3;

/// The command that measures what a profile lacks.
pub fn command(ranks: usize, experiments: &str) -> String {
    format!("mpiscope bench -n {} -o NEW.machine {experiments}", ranks.max(2))
}

impl Curve {
    /// The time at a size: on the straight line between the measured sizes around it. `None` outside of them.
    pub fn at(&self, bytes: u64) -> Option<Estimate> {
        let next = self.points.partition_point(|point| point.bytes < bytes);
        let b = self.points.get(next)?;
        let a = match next.checked_sub(1) {
            Some(before) => &self.points[before],
            None if b.bytes == bytes || b.bytes <= SMALL_BYTES => b,
            None => return None,
        };
        let part = match b.bytes - a.bytes {
            0 => 0.0,
            width => (bytes - a.bytes) as f64 / width as f64,
        };
        let between = |a: f64, b: f64| a + (b - a) * part;
        let interval = |end: fn(&Point) -> Option<f64>| Some(between(end(a)?, end(b)?));
        Some(Estimate {
            ns: between(a.ns, b.ns),
            low_ns: interval(|point| point.low_ns),
            high_ns: interval(|point| point.high_ns),
            is_disturbed: self.is_disturbed,
        })
    }
}

impl Curve {
    /// The time at a size; of larger ones than those measured, at the rate of the largest. 0 without any.
    fn of_any_size(&self, bytes: u64) -> f64 {
        let largest = || self.points.last().map_or(0.0, |last| last.ns * bytes as f64 / last.bytes.max(1) as f64);
        self.at(bytes).map_or_else(largest, |at| at.ns)
    }

    /// Time of the smallest messages: the shortest of those that are equally small, since one measured at a bad moment is longer.
    pub(super) fn latency_ns(&self) -> Option<f64> {
        let small = self.points.iter().filter(|point| point.bytes <= SMALL_BYTES);
        small.map(|point| point.ns).min_by(f64::total_cmp)
    }
}

impl Memory {
    /// Time of a copy alone.
    pub(super) fn alone_ns(&self, bytes: u64) -> f64 {
        self.alone.of_any_size(bytes)
    }

    /// The part of the memory's time that one copy takes. `None` if all ranks at once are about as fast as one: then cores limit them.
    pub(super) fn work_ns(&self, bytes: u64) -> Option<f64> {
        let at_once_ns = self.at_once.of_any_size(bytes);
        let is_limit = at_once_ns >= SHARED * self.alone_ns(bytes);
        is_limit.then(|| at_once_ns / self.ranks.max(1) as f64)
    }
}

impl Reference {
    /// Index of the class of two ranks; `None` for a rank and itself, and where a place is unknown.
    pub fn class_of(&self, a: RankId, b: RankId) -> Option<usize> {
        let (a, b) = (a.index()?, b.index()?);
        if a == b {
            return None;
        }
        let Places { hosts, places, within, between, apart } = &self.places;
        if hosts.get(a)? != hosts.get(b)? {
            let of_hosts = apart.get(hosts[a] as usize).and_then(|row| row.get(hosts[b] as usize));
            return of_hosts.copied().or(Some(*between));
        }
        within.get(*places.get(a)? as usize)?.get(*places.get(b)? as usize).copied()
    }

    /// The number of a rank's host.
    pub(super) fn host_of(&self, rank: RankId) -> Option<u32> {
        self.places.hosts.get(rank.index()?).copied()
    }

    /// Ranks of the run.
    pub(super) fn run_ranks(&self) -> usize {
        self.places.hosts.len()
    }

    /// The curve of messages between two ranks.
    pub(super) fn curve_of(&self, a: RankId, b: RankId) -> Option<&Curve> {
        self.classes.get(self.class_of(a, b)?)?.curve.as_ref()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One host, all ranks equally close: 1 µs and 1 ns for each byte, up to 1 MiB, ± 10 %.
    pub fn reference(ranks: usize) -> Reference {
        let point = |bytes: u64| {
            let ns = 1000.0 + bytes as f64;
            Point { bytes, ns, low_ns: Some(0.9 * ns), high_ns: Some(1.1 * ns) }
        };
        let curve = Curve { points: vec![point(0), point(1 << 10), point(1 << 20)], is_disturbed: false };
        Reference {
            classes: vec![PairClass { name: "same-l3", hops: None, curve: Some(curve) }],
            places: Places {
                hosts: vec![0; ranks],
                places: vec![0; ranks],
                within: vec![vec![0]],
                ..Places::default()
            },
            operations: Vec::new(),
            ranks: ranks as u64,
            memory: None,
        }
    }

    #[test]
    fn between_measured_sizes_it_is_a_straight_line() {
        let point = |bytes, ns, low_ns| Point { bytes, ns, low_ns, high_ns: Some(2.0 * ns) };
        let points = vec![point(8, 100.0, Some(90.0)), point(16, 200.0, Some(190.0)), point(32, 300.0, None)];
        let curve = Curve { points, is_disturbed: true };
        let at = |bytes| curve.at(bytes).map(|e| (e.ns, e.low_ns, e.high_ns));
        assert_eq!(at(8), Some((100.0, Some(90.0), Some(200.0))));
        assert_eq!(at(12), Some((150.0, Some(140.0), Some(300.0))));
        assert_eq!(at(24), Some((250.0, None, Some(500.0))), "one end has no interval");
        assert_eq!(at(4), Some((100.0, Some(90.0), Some(200.0))), "a few bytes less");
        assert_eq!(at(33), None, "larger than all");
        assert!(curve.at(8).is_some_and(|e| e.is_disturbed));
        let busy = Curve { points: vec![point(0, 120_000.0, None), point(8, 300.0, None)], is_disturbed: true };
        assert_eq!((busy.latency_ns(), Curve::default().latency_ns()), (Some(300.0), None));
        let large = Curve { points: vec![point(1024, 1.0, None), point(2048, 1.0, None)], is_disturbed: false };
        assert_eq!((large.at(4), Curve::default().at(4)), (None, None));
        assert!(large.at(1024).is_some());
    }

    #[test]
    fn ranks_of_other_hosts_have_their_own_class() {
        let mut reference = reference(3);
        reference.classes.push(PairClass { name: "other-node", ..PairClass::default() });
        let (hosts, places, within) = (vec![0, 0, 1], vec![0, 0, 0], vec![vec![0]]);
        reference.places = Places { hosts, places, within, between: 1, ..Places::default() };
        let class = |a, b| reference.class_of(RankId(a), RankId(b));
        assert_eq!([class(0, 1), class(0, 2), class(1, 1), class(0, 9)], [Some(0), Some(1), None, None]);
        assert!(
            reference.curve_of(RankId(0), RankId(1)).is_some() && reference.curve_of(RankId(0), RankId(2)).is_none()
        );
    }
}
