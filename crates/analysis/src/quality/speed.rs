//! How long messages take by size: latency and bandwidth of each path, and the size from which sends wait for receivers.

use mpiscope_store::Message;

use super::fit::{self, Point, Segment};
use super::kinds::{Info, Kinds, bits};
use super::sample::{Reservoir, SIZE_CLASSES, quantile, size_class};
use crate::explanation::quality::{SpeedRow, SpeedSegment};

/// Times by size.
#[derive(Default)]
pub(crate) struct Times {
    by_size: Vec<Reservoir>,
    seen: u64,
}

impl Times {
    #[inline]
    pub fn push(&mut self, bytes: u64, ns: u64) {
        if self.by_size.is_empty() {
            self.by_size.resize_with(SIZE_CLASSES, Reservoir::default);
        }
        self.seen += 1;
        self.by_size[size_class(bytes)].push(bytes, ns);
    }

    /// Adds other times.
    pub fn merge(&mut self, other: Times) {
        if self.by_size.len() < other.by_size.len() {
            self.by_size.resize_with(other.by_size.len(), Reservoir::default);
        }
        self.seen += other.seen;
        self.by_size.iter_mut().zip(other.by_size).for_each(|(own, more)| own.merge(more));
    }

    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// One point for each frequent size, and one for the others of a class, each with the lower quartile of the times:
    /// disturbances only add time.
    pub fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for reservoir in self.by_size.iter().filter(|r| r.seen() >= LEAST) {
            let mut kept = reservoir.kept().to_vec();
            kept.sort_unstable();
            let weight = |n: usize| reservoir.seen().min(32) as f64 * n as f64 / kept.len() as f64;
            let frequent = (kept.len() / 8).max(LEAST as usize);
            let mut others: Vec<(u64, u64)> = Vec::new();
            let mut add = |pairs: &[(u64, u64)]| {
                let mut sizes: Vec<u64> = pairs.iter().map(|p| p.0).collect();
                let mut ns: Vec<u64> = pairs.iter().map(|p| p.1).collect();
                let bytes = quantile(&mut sizes, 0.5) as f64;
                points.push(Point { bytes, ns: quantile(&mut ns, 0.25) as f64, weight: weight(pairs.len()) });
            };
            for same in kept.chunk_by(|a, b| a.0 == b.0) {
                if same.len() >= frequent { add(same) } else { others.extend(same) }
            }
            if others.len() >= frequent {
                add(&others);
            }
        }
        points.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
        points
    }
}

/// A size needs this many messages to be used.
const LEAST: u64 = 5;

/// Which sizes wait for the receiver, by votes of sends whose receiver was late.
#[derive(Default)]
struct Protocol {
    /// By class of size: sends that returned before the receive was posted, and the largest of them.
    eager: Vec<(u64, u64)>,
    /// Sends that did not, and the smallest of them.
    rendezvous: Vec<(u64, u64)>,
}

impl Protocol {
    fn vote(&mut self, bytes: u64, is_eager: bool) {
        if self.eager.is_empty() {
            self.eager = vec![(0, 0); SIZE_CLASSES];
            self.rendezvous = vec![(0, u64::MAX); SIZE_CLASSES];
        }
        let class = size_class(bytes);
        if is_eager {
            let (votes, largest) = &mut self.eager[class];
            (*votes, *largest) = (*votes + 1, bytes.max(*largest));
        } else {
            let (votes, smallest) = &mut self.rendezvous[class];
            (*votes, *smallest) = (*votes + 1, bytes.min(*smallest));
        }
    }

    /// Largest eager size, smallest size that waits, share of votes that agree. Neither flow control that delays even small
    /// sends nor a single early receive must look like a limit: the cut is where the fewest votes disagree.
    fn limits(&self) -> (Option<u64>, Option<u64>, Option<f64>) {
        let votes = |list: &[(u64, u64)]| list.iter().map(|v| v.0).sum::<u64>();
        let (eager, rendezvous) = (votes(&self.eager), votes(&self.rendezvous));
        if eager + rendezvous == 0 {
            return (None, None, None);
        }
        // Classes below the cut are eager. A class with both is split between its sizes.
        let wrong = |cut: usize| votes(&self.rendezvous[..cut]) + votes(&self.eager[cut..]);
        let cut = (0..=SIZE_CLASSES).min_by_key(|&cut| (wrong(cut), SIZE_CLASSES - cut)).unwrap_or(0);
        let mixed = (cut < SIZE_CLASSES && self.eager[cut].1 < self.rendezvous[cut].1)
            .then(|| self.eager[cut])
            .filter(|v| v.0 > 0);
        let mixed_below = (cut > 0 && self.rendezvous[cut - 1].1 > self.eager[cut - 1].1)
            .then(|| self.rendezvous[cut - 1])
            .filter(|v| v.0 > 0);
        let mut disagree = wrong(cut);
        disagree -= mixed.map_or(0, |v| v.0) + mixed_below.map_or(0, |v| v.0);
        let largest = self.eager[..cut].iter().filter(|v| v.0 > 0).map(|v| v.1).chain(mixed.map(|v| v.1)).max();
        let smallest = self.rendezvous[cut..].iter().filter(|v| v.0 > 0).map(|v| v.1);
        let smallest = smallest.chain(mixed_below.map(|v| v.1)).min();
        // Without sends that wait, the limit is above all sizes; a few sends may have been delayed for other reasons.
        let enough = votes(&self.rendezvous[cut..]) + mixed_below.map_or(0, |v| v.0) >= LEAST;
        let smallest = smallest.filter(|_| enough);
        let agree = 1.0 - disagree as f64 / (eager + rendezvous) as f64;
        (largest.filter(|_| enough), smallest, smallest.map(|_| agree))
    }
}

/// One function on one path.
#[derive(Default)]
struct Path {
    transfer: Times,
    call: Times,
    protocol: Protocol,
}

/// Collects times of messages.
#[derive(Default)]
pub(crate) struct Speed {
    /// By function, same and other host in turn.
    paths: Vec<Path>,
}

/// A receiver must be at least this late for its sender's behaviour to be conclusive: clocks of one host, and corrected clocks of
/// several hosts, agree better than this.
const LATE_NS: u64 = 10_000;

impl Speed {
    pub fn new(kinds: &Kinds) -> Speed {
        Speed { paths: std::iter::repeat_with(Path::default).take(2 * kinds.functions.len()).collect() }
    }

    /// Time of only the transfer, if this message shows it: the receiver was already in its call when the send started, and
    /// completed nothing else with it.
    #[inline]
    pub fn pure_ns(m: &Message, receive: &Info) -> Option<u64> {
        let alone = m.receive.done_with <= 1 || receive.bits & bits::BOTH != 0;
        (alone && m.receive.done_start_ns <= m.send.start_ns)
            .then(|| m.receive.done_end_ns.saturating_sub(m.send.start_ns))
    }

    /// A message; `pure_ns` as above.
    #[inline]
    pub fn add_message(&mut self, m: &Message, send: &Info, same_host: bool, pure_ns: Option<u64>) {
        let Some(path) = self.paths.get_mut(2 * usize::from(send.function) + usize::from(!same_host)) else { return };
        if let Some(ns) = pure_ns {
            path.transfer.push(m.bytes, ns);
            path.call.push(m.bytes, m.send.end_ns.saturating_sub(m.send.start_ns));
        } else if send.bits & bits::STANDARD != 0 && m.receive.start_ns > m.send.start_ns + LATE_NS {
            if m.send.done_end_ns <= m.receive.start_ns {
                path.protocol.vote(m.bytes, true);
            } else if m.send.done_with <= 1 && m.send.done_start_ns + LATE_NS < m.receive.start_ns {
                path.protocol.vote(m.bytes, false);
            }
        }
    }

    /// The model of a path: that of the function with the most messages.
    pub fn model(&self, same_host: bool) -> Model {
        let paths = self.paths.iter().skip(usize::from(!same_host)).step_by(2);
        Model::of(paths.max_by_key(|p| p.transfer.seen()).map_or(Vec::new(), |p| p.transfer.points()))
    }

    pub fn rows(&self, kinds: &Kinds) -> Vec<SpeedRow> {
        let mut rows = Vec::new();
        for (at, path) in self.paths.iter().enumerate() {
            let function = mpiscope_abi::name(kinds.functions[at / 2]);
            let (eager, rendezvous, agree) = path.protocol.limits();
            let classes = [
                (["point-to-point same node", "point-to-point other node"][at % 2], &path.transfer, true),
                (["call same node", "call other node"][at % 2], &path.call, false),
            ];
            for (class, times, with_limits) in classes {
                let model = Model::of(times.points());
                if model.points.is_empty() && !(with_limits && agree.is_some()) {
                    continue;
                }
                rows.push(SpeedRow {
                    class,
                    function,
                    messages: times.seen(),
                    segments: model.segments(),
                    eager_limit_bytes: eager.filter(|_| with_limits),
                    rendezvous_from_bytes: rendezvous.filter(|_| with_limits),
                    eager_confidence: agree.filter(|_| with_limits),
                });
            }
        }
        rows.sort_by(|a, b| (a.class, a.function).cmp(&(b.class, b.function)));
        rows
    }
}

/// Latency and bandwidth by size.
pub(crate) struct Model {
    points: Vec<Point>,
    lines: Vec<Segment>,
}

impl Model {
    fn of(points: Vec<Point>) -> Model {
        Model { lines: fit::fit(&points), points }
    }

    /// Time of a transfer of this size; `None` where nothing near it was measured: a factor of 4 away at most.
    pub fn ns(&self, bytes: u64) -> Option<f64> {
        let bytes = bytes as f64;
        let (first, last) = (self.points.first()?.bytes, self.points.last()?.bytes);
        if bytes > 4.0 * last || bytes * 4.0 < first {
            return None;
        }
        let line = self.lines.iter().find(|l| bytes <= self.points[l.last].bytes).or(self.lines.last())?;
        Some(line.ns(bytes))
    }

    /// Time of the smallest messages, if there were small ones.
    pub fn latency_ns(&self) -> Option<f64> {
        self.points.first().filter(|p| p.bytes <= 1024.0).map(|p| p.ns)
    }

    fn segments(&self) -> Vec<SpeedSegment> {
        let segment = |l: &Segment| SpeedSegment {
            from_bytes: self.points[l.first].bytes as u64,
            to_bytes: self.points[l.last].bytes as u64,
            latency_ns: l.latency_ns,
            bandwidth_bytes_per_s: (l.ns_per_byte > 0.0).then(|| 1e9 / l.ns_per_byte),
            points: l.last + 1 - l.first,
            residual: l.residual,
        };
        self.lines.iter().map(segment).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_where_fewest_disagree() {
        let mut p = Protocol::default();
        for bytes in [8, 100, 4000, 4064, 2000] {
            p.vote(bytes, true);
        }
        for bytes in [4072, 4072, 5000, 100_000, 100_000, 8] {
            p.vote(bytes, false); // the 8 was held back by something else
        }
        let (eager, rendezvous, agree) = p.limits();
        assert_eq!((eager, rendezvous), (Some(4064), Some(4072)));
        assert!((agree.unwrap_or(0.0) - 10.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn no_limit_without_both_sides() {
        let mut p = Protocol::default();
        assert_eq!(p.limits(), (None, None, None));
        p.vote(8, true);
        assert_eq!(p.limits(), (None, None, None));
    }
}
