//! What communication cost in the recorded run: the parameters of its network.

use mpiscope_abi::role::Role;
use mpiscope_analysis::waits::{Backlogs, held_above_bytes};
use mpiscope_model::simulation::{Curve, Link, Network};
use mpiscope_store::{Batch, CallInfo, Dimensions, End, Message, RankId, flags};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::kinds::Kinds;
use crate::samples::Samples;
use crate::sharing::{Passage, shares};

/// A send began so long before its receiver came that the message was there, ns.
const LONG_BEFORE_NS: u64 = 50_000;
/// Clocks of two hosts may differ by this much, ns.
const CLOCK_NS: u64 = 1_000;
/// Fewer samples say nothing about a size if others have more.
const FEW: u64 = 3;
/// So many say something about all.
const MANY: u64 = 8;
/// What was measured so many times as often says more about a larger size than that size does.
const MUCH_MORE_OFTEN: f64 = 8.0;

/// Samples of one size.
#[derive(Clone, Debug, Default)]
struct OfSize {
    bytes: u64,
    /// Time of the call that began the send: where it could not wait for its receiver, and other sends that did not need it.
    send: Samples,
    send_early: Samples,
    /// Time of a blocking send whose receive was posted: if it is not eager, its data move in it.
    sent_whole: Samples,
    /// From when the send began until the receiver, which waited, left.
    waited: Samples,
    /// Time of the receiving call for a message that was there.
    there: Samples,
    /// The same of receives that were not posted before: by rendezvous, their data move in them.
    there_whole: Samples,
    /// The first two, estimated from calls that completed several messages.
    waited_several: Samples,
    there_several: Samples,
    /// Sends whose receive was posted long after they began, and those of them that ended only after it was.
    late_receives: u64,
    waited_for: u64,
}

/// Pairs of ranks at one distance.
#[derive(Default)]
struct OfLink {
    sizes: BTreeMap<u32, OfSize>,
}

/// Where the ranks are, for the fit and for the network.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    /// By rank.
    pub of: Vec<u32>,
    /// How many.
    pub count: u32,
}

impl Ports {
    /// One for each host.
    pub fn of_hosts(dimensions: &Dimensions) -> Ports {
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let number = |row: &'_ mpiscope_store::RankRow| row.host.clone();
        let hosts: Vec<String> = dimensions.ranks.iter().map(number).collect();
        let of = hosts.iter().map(|host| {
            let next = numbers.len() as u32;
            *numbers.entry(host.as_str()).or_insert(next)
        });
        let of: Vec<u32> = of.collect();
        Ports { count: of.iter().max().map_or(1, |most| most + 1), of }
    }

    /// Same port, or another one.
    pub fn link(&self, a: RankId, b: RankId) -> usize {
        let of = |rank: RankId| rank.index().and_then(|at| self.of.get(at));
        usize::from(of(a) != of(b))
    }
}

/// See the module.
pub struct Fit {
    ports: Ports,
    held_above_bytes: Option<u64>,
    links: [OfLink; 2],
    backlogs: Backlogs,
    /// Calls that complete several messages: how many are missing, when the last was sent, their bytes, when it ended.
    open: FxHashMap<(RankId, u64), Several>,
}

#[derive(Default)]
struct Several {
    left: u32,
    last_ns: u64,
    end_ns: u64,
    bytes: u64,
    receives: u32,
    link: usize,
    /// Of its receives, see [`shares`].
    shares: f64,
}

impl Fit {
    /// For the ranks of a run.
    pub fn new(dimensions: &Dimensions) -> Fit {
        Fit {
            ports: Ports::of_hosts(dimensions),
            held_above_bytes: held_above_bytes(dimensions),
            links: Default::default(),
            backlogs: Backlogs::default(),
            open: FxHashMap::default(),
        }
    }

    /// Takes the next batch.
    pub fn add_batch(&mut self, facts: &[Vec<CallInfo>], batch: &Batch) {
        let received = || batch.messages.iter().filter(|m| m.receive.is_done());
        let between = received().enumerate().filter_map(|(at, message)| Some((at, self.passage(message)?)));
        let (places, passages): (Vec<usize>, Vec<Passage>) = between.unzip();
        let mut shares = places.into_iter().zip(shares(&passages)).peekable();
        for (at, message) in received().enumerate() {
            let share = shares.next_if(|(of, _)| *of == at).map_or(1.0, |(_, share)| share);
            self.add_message(facts, message, share);
        }
        // What is not complete by now has ends that are in no message.
        if self.open.len() > 1 << 16 || batch.is_last {
            self.open.clear();
        }
    }

    /// Of a message between hosts whose time depends on what else is on its way.
    fn passage(&self, message: &Message) -> Option<Passage> {
        let Message { sender, receiver, send, receive, bytes, .. } = message;
        let port = |rank: &RankId| rank.index().and_then(|at| self.ports.of.get(at)).copied();
        let ports = (port(sender)?, port(receiver)?);
        if ports.0 == ports.1 || *bytes <= ALWAYS_EAGER_BYTES {
            return None;
        }
        let was_eager = send.is_done() && send.done_end_ns < receive.start_ns;
        let from_ns = if was_eager { send.start_ns } else { send.start_ns.max(receive.start_ns) };
        Some(Passage { ports, from_ns, until_ns: receive.done_end_ns, bytes: *bytes })
    }

    /// `share`: how many messages shared the network with it.
    fn add_message(&mut self, facts: &[Vec<CallInfo>], message: &Message, share: f64) {
        let Message { sender, receiver, send, receive, bytes, .. } = message;
        let link = self.ports.link(*sender, *receiver);
        let info = |rank: RankId, of: u32| rank.index().and_then(|at| facts.get(at)?.get(of as usize));
        let flags_of = |rank, of| info(rank, of).map_or(0, |f| f.flags);
        let size = self.links[link].sizes.entry(class_of(*bytes)).or_default();
        size.bytes = size.bytes.max(*bytes);
        let was_eager = send.is_done() && send.done_end_ns + CLOCK_NS < receive.start_ns;
        if send.is_done() && send.done_with <= 1 && send.done_start_ns + LONG_BEFORE_NS < receive.start_ns {
            size.late_receives += 1;
            size.waited_for += u64::from(!was_eager);
        }
        let is_apart = flags_of(*sender, send.facts) & flags::NON_BLOCKING != 0;
        let send_ns = send.end_ns.saturating_sub(send.start_ns);
        // A call that also receives waits for that.
        let only_sends = info(*sender, send.facts).is_some_and(|f| f.role != Role::SendReceive);
        let was_posted = receive.start_ns + CLOCK_NS < send.start_ns;
        if only_sends && !is_apart && was_posted {
            size.sent_whole.push(send_ns);
        }
        // Open MPI holds a blocking send until the receiver is inside MPI.
        let was_awaited = was_posted && receive.done_start_ns < send.start_ns;
        if only_sends && (is_apart || was_awaited) {
            size.send.push(send_ns);
        } else if only_sends && was_eager && self.backlogs.late_receiver(message).is_none() {
            // Open MPI may keep an eager send until the receiver is inside MPI: more than what sending takes.
            size.send_early.push(send_ns);
        }
        // The same call may complete the rank's own sends and receives.
        if send.is_done() && send.done_with > 1 {
            self.of_several((*sender, send), receive.start_ns, None);
        }
        let size = self.links[link].sizes.entry(class_of(*bytes)).or_default();
        let is_polled = flags_of(*receiver, receive.done_facts) & flags::ASKS != 0;
        if is_polled {
            return;
        }
        let from_ns = receive.done_start_ns;
        if receive.done_with <= 1 {
            let until_ns = receive.done_end_ns;
            let alone_ns = |ns: u64| (ns as f64 / share) as u64;
            if send.start_ns >= from_ns {
                size.waited.push(alone_ns(until_ns.saturating_sub(send.start_ns)));
            } else if send.start_ns + LONG_BEFORE_NS < from_ns || was_eager {
                let ns = alone_ns(until_ns.saturating_sub(from_ns));
                size.there.push(ns);
                if receive.row == receive.done_row {
                    size.there_whole.push(ns);
                }
            }
            return;
        }
        self.of_several((*receiver, receive), send.start_ns, Some((*bytes, link, share)));
    }

    /// A message of a call that completes several; what it needed came at `needed_ns`.
    fn of_several(&mut self, (rank, end): (RankId, &End), needed_ns: u64, received: Option<(u64, usize, f64)>) {
        let new = || Several { left: end.done_with, ..Several::default() };
        let several = self.open.entry((rank, end.done_row)).or_insert_with(new);
        several.left = several.left.saturating_sub(1);
        several.end_ns = end.done_end_ns;
        several.last_ns = several.last_ns.max(end.done_start_ns).max(needed_ns.min(end.done_end_ns));
        if let Some((bytes, link, share)) = received {
            several.bytes += bytes;
            several.receives += 1;
            several.link = link;
            several.shares += share;
        }
        if several.left > 0 {
            return;
        }
        let Some(several) = self.open.remove(&(rank, end.done_row)).filter(|s| s.receives > 0) else { return };
        let count = u64::from(several.receives);
        let bytes = several.bytes / count;
        let size = self.links[several.link].sizes.entry(class_of(bytes)).or_default();
        size.bytes = size.bytes.max(bytes);
        // The last message came when it came; the others were received before or after that.
        let [_, _, (per_message_ns, per_byte_ns)] = USUAL;
        let one_ns = per_message_ns + per_byte_ns * bytes as f64;
        let all_ns = several.end_ns.saturating_sub(several.last_ns);
        let share = several.shares / count as f64;
        let alone_ns = (all_ns as f64 / share) as u64;
        let rest_ns = all_ns.saturating_sub(((count - 1) as f64 * one_ns) as u64).max(all_ns / count);
        // Messages that shared the network took as long as they did for that reason.
        size.waited_several.push(if share > 1.0 { alone_ns } else { rest_ns });
        size.there_several.push(alone_ns.min(all_ns / count));
    }

    /// Bytes of the largest message within a host, and between hosts.
    pub fn largest(&self) -> [Option<u64>; 2] {
        [0, 1].map(|link| self.links[link].sizes.values().map(|size| size.bytes).max())
    }

    /// The network, with links that were measured elsewhere in place of fitted ones: within a host, and between hosts. Messages
    /// between hosts share the ports of the hosts. The kinds of operations calibrate it.
    pub fn network(&self, measured: [Option<Link>; 2], kinds: &Kinds) -> Network {
        let Ports { of, count } = &self.ports;
        let [near, far] = measured;
        let mut near = near.unwrap_or_else(|| self.links[0].link(None));
        near.held_above_bytes = self.held_above_bytes.filter(|&limit| self.links[0].may_hold_above(limit));
        let far = between_hosts(far.unwrap_or_else(|| self.links[1].link(Some(&near))));
        let link_of = (0..count * count).map(|at| u16::from(at / count != at % count)).collect();
        let mut network = Network {
            port_of: of.clone(),
            ports: *count,
            link_of,
            links: vec![near, far],
            reduce_ns_per_byte: REDUCE_NS_PER_BYTE,
            ..Network::default()
        };
        kinds.calibrate(&mut network);
        network
    }
}

/// A link between hosts: messages share the ports of the hosts, and need both ranks inside MPI.
pub(crate) fn between_hosts(link: Link) -> Link {
    let port_ns_per_byte = link.transit.ns_per_byte().max(link.rendezvous.ns_per_byte()).max(0.0);
    Link { needs_sender: true, port_ns_per_byte, ..link }
}

/// Adding doubles from cache: 8 bytes in about 1 ns. Factors of kinds make up for what it is in fact.
const REDUCE_NS_PER_BYTE: f64 = 0.1;

/// Times of an MPI in shared memory of which nothing was recorded: ns, ns per byte.
const USUAL: [(f64, f64); 3] = [(150.0, 0.05), (700.0, 0.15), (200.0, 0.1)];
/// A sender that needs less than this part of the receiver's time leaves before it.
const LEAVES_BEFORE: f64 = 0.6;
/// No known MPI waits for the receiver of smaller messages, unless configured to.
const ALWAYS_EAGER_BYTES: u64 = 1024;
/// Latency between hosts, if the run has only long messages between them, ns.
const USUAL_LATENCY_NS: f64 = 20_000.0;
/// Eager limit of links of which nothing was recorded, bytes.
const USUAL_EAGER_BYTES: u64 = 4096;

impl OfLink {
    fn curve(&self, samples: impl Fn(&OfSize) -> &Samples, wanted: impl Fn(u64) -> bool) -> Vec<Point> {
        let most = self.sizes.values().map(|size| samples(size).count()).max().unwrap_or(0);
        let is_known = |size: &&OfSize| samples(size).count() >= FEW.min(most) && wanted(size.bytes);
        let point = |size: &OfSize| {
            Some(Point { bytes: size.bytes, ns: samples(size).typical()?, samples: samples(size).count() as f64 })
        };
        in_pieces(self.sizes.values().filter(is_known).filter_map(point).collect())
    }

    /// The largest size whose sends, mostly, did not wait for a late receiver, below the smallest whose sends did. A rank that
    /// loses its core in a send seems to wait, too.
    fn eager_limit(&self) -> u64 {
        let known = || self.sizes.values().filter(|size| size.late_receives > 0);
        let waits = |size: &&OfSize| 2 * size.waited_for > size.late_receives && size.bytes > ALWAYS_EAGER_BYTES;
        let first = known().filter(waits).map(|size| size.bytes).min();
        let is_eager = |size: &&OfSize| !waits(size) && first.is_none_or(|first| size.bytes < first);
        let most = known().filter(is_eager).map(|size| size.bytes).max().unwrap_or(0).max(USUAL_EAGER_BYTES);
        first.map_or(most, |first| most.min(first - 1))
    }

    /// Whether sends of more than `limit` bytes may be held until the receiver is in MPI: where many did not wait for receivers that
    /// were late, they are not, as over TCP.
    fn may_hold_above(&self, limit: u64) -> bool {
        let sizes = self.sizes.values().filter(|size| size.bytes > limit);
        let (late, waited) = sizes.fold((0, 0), |(l, w), size| (l + size.late_receives, w + size.waited_for));
        late < MANY || waited * 10 > late
    }

    fn link(&self, near: Option<&Link>) -> Link {
        let eager_bytes = self.eager_limit();
        let [send, transit, receive] = USUAL;
        let eager = |bytes: u64| bytes <= eager_bytes;
        let or_usual = |points: Vec<Point>, usual: (f64, f64)| match points.is_empty() {
            true => Curve::line(usual.0, usual.1),
            false => anchored(points, usual.0),
        };
        let mut sends = self.curve(|s| &s.send, eager);
        if sends.is_empty() {
            sends = self.curve(|s| &s.send_early, eager);
        }
        let sends = or_usual(sends, send);
        let receives = or_usual(self.curve(|s| &s.there, eager), receive);
        let mut waited = self.curve(|s| &s.waited, eager);
        if waited.is_empty() {
            waited = self.curve(|s| &s.waited_several, eager);
        }
        let far = near.map_or(transit, |near| (USUAL_LATENCY_NS.max(near.transit.at(0)), near.transit.ns_per_byte()));
        let transit = or_usual(waited, far);
        let long = |bytes: u64| bytes > eager_bytes;
        let received = mean_curve([self.curve(|s| &s.waited, long), self.curve(|s| &s.there_whole, long)].concat());
        let sent = self.curve(|s| &s.sent_whole, long);
        let leaves_before = far_below(&sent, &received);
        let mut both = match leaves_before {
            true => received,
            false => mean_curve([received, sent.clone()].concat()),
        };
        if both.is_empty() {
            both = self.curve(|s| &s.there, long);
        }
        if both.is_empty() {
            both = self.curve(|s| &s.there_several, long);
        }
        let rendezvous = if both.is_empty() { transit.clone() } else { anchored(both, transit.at(0)) };
        let rendezvous_sent = if leaves_before { anchored(sent, rendezvous.at(0)) } else { Curve::default() };
        Link { send: sends, transit, receive: receives, rendezvous, rendezvous_sent, eager_bytes, ..Link::default() }
    }
}

/// A typical time of a size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    bytes: u64,
    ns: f64,
    /// Of so many.
    samples: f64,
}

impl Point {
    /// The mean of two, at the larger size.
    fn with(self, other: Point) -> Point {
        let samples = self.samples + other.samples;
        let ns = (self.ns * self.samples + other.ns * other.samples) / samples.max(1.0);
        Point { bytes: self.bytes.max(other.bytes), ns, samples }
    }
}

/// Whether senders leave so much before receivers that they do not wait until the data are there: over TCP, when the system has them.
fn far_below(sent: &[Point], received: &[Point]) -> bool {
    let of = |bytes: u64| received.iter().find(|point| point.bytes == bytes);
    let ratios = sent.iter().filter_map(|point| Some(point.ns / of(point.bytes)?.ns.max(1.0)));
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio, count + 1));
    count > 0 && sum < LEAVES_BEFORE * f64::from(count)
}

/// Several samples of a size say the same: their mean.
fn mean_curve(points: Vec<Point>) -> Vec<Point> {
    let mut sums: BTreeMap<u64, Point> = BTreeMap::new();
    for point in points {
        sums.entry(point.bytes).and_modify(|sum| *sum = sum.with(point)).or_insert(point);
    }
    sums.into_values().collect()
}

/// A message takes no longer than its bytes would in pieces of a shorter size that was measured much more often: a few messages that
/// something else held up do not tell the time for a byte.
fn in_pieces(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_unstable_by_key(|point| point.bytes);
    for at in 1..points.len() {
        let (shorter, longer) = points.split_at_mut(at);
        let point = &mut longer[0];
        let often = shorter.iter().filter(|s| s.bytes > 0 && s.samples >= MUCH_MORE_OFTEN * point.samples);
        let pieces = often.map(|s| s.ns * point.bytes as f64 / s.bytes as f64);
        point.ns = pieces.fold(point.ns, f64::min);
    }
    points
}

/// The times that do not fall with the size and are closest to these, by the number of samples: a few slow short messages say
/// nothing about thousands of longer ones that took less (isotonic regression by pooling adjacent violators: Barlow, Bartholomew, Bremner & Brunk, 1972).
fn rising(mut points: Vec<Point>) -> impl Iterator<Item = (u64, f64)> {
    points.sort_unstable_by_key(|point| point.bytes);
    // Each with the sizes that it stands for.
    let mut pools: Vec<(Point, Vec<u64>)> = Vec::new();
    for point in points {
        pools.push((point, vec![point.bytes]));
        while let [.., (a, _), (b, _)] = pools[..]
            && a.ns > b.ns
            && let Some((last, sizes)) = pools.pop()
            && let Some((pool, of)) = pools.last_mut()
        {
            *pool = pool.with(last);
            of.extend(sizes);
        }
    }
    pools.into_iter().flat_map(|(pool, sizes)| sizes.into_iter().map(move |bytes| (bytes, pool.ns)))
}

/// A curve. If the run has only long messages, it does not show which part of their time is latency: that of nothing is taken to be
/// `at_zero_ns`, if it is less.
fn anchored(points: Vec<Point>, at_zero_ns: f64) -> Curve {
    let mut points: Vec<(u64, f64)> = rising(points).collect();
    if let Some(&(bytes, ns)) = points.first()
        && bytes > ALWAYS_EAGER_BYTES
    {
        points.push((0, at_zero_ns.min(ns)));
    }
    Curve::new(points)
}

/// Four classes for each power of two.
fn class_of(bytes: u64) -> u32 {
    let log = 64 - bytes.leading_zeros();
    let part = if log > 3 { (bytes >> (log - 3)) & 3 } else { bytes & 3 };
    log * 4 + part as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(bytes: u64, ns: f64, samples: f64) -> Point {
        Point { bytes, ns, samples }
    }

    #[test]
    fn a_few_slow_messages_do_not_outweigh_many_fast_ones() {
        let curve: Vec<(u64, f64)> =
            rising(vec![point(8, 20.0, 990.0), point(0, 520.0, 10.0), point(64, 90.0, 1.0)]).collect();
        assert_eq!(curve, [(0, 25.0), (8, 25.0), (64, 90.0)]);
    }

    #[test]
    fn sends_that_did_not_wait_for_late_receivers_are_not_held() {
        let holds = |late_receives, waited_for| {
            let size = OfSize { bytes: 8_000, late_receives, waited_for, ..OfSize::default() };
            OfLink { sizes: BTreeMap::from([(class_of(8_000), size)]) }.may_hold_above(256)
        };
        assert!(holds(0, 0) && holds(5, 0) && holds(100, 90));
        assert!(!holds(100, 2));
    }

    #[test]
    fn a_few_long_messages_that_were_held_up_do_not_tell_the_time_for_a_byte() {
        let of = |points: &[Point]| -> Vec<f64> { in_pieces(points.to_vec()).iter().map(|point| point.ns).collect() };
        let many = point(8_000, 60_000.0, 500.0);
        assert_eq!(of(&[point(18_000, 2e6, 6.0), many]), [60_000.0, 135_000.0]);
        // As many samples say as much, and few ones may say that it takes less.
        assert_eq!(of(&[many, point(18_000, 2e6, 100.0)]), [60_000.0, 2e6]);
        assert_eq!(of(&[many, point(18_000, 90_000.0, 6.0)]), [60_000.0, 90_000.0]);
        // A short message consists of latency, which pieces would pay many times.
        assert_eq!(of(&[point(8, 1_000.0, 500.0), point(80_000, 60_000.0, 3.0)]), [1_000.0, 60_000.0]);
    }

    proptest! {
        #[test]
        fn times_rise_and_keep_their_sum(points in prop::collection::vec((0u64..1000, 0f64..1e6, 1f64..100.0), 0..30)) {
            let points: Vec<Point> = points.into_iter().map(|(bytes, ns, samples)| point(bytes, ns, samples)).collect();
            let sum: f64 = points.iter().map(|point| point.ns * point.samples).sum();
            let mut sorted = points.clone();
            sorted.sort_by_key(|point| point.bytes);
            let curve: Vec<(u64, f64)> = rising(sorted.clone()).collect();
            prop_assert_eq!(curve.len(), points.len());
            prop_assert!(curve.windows(2).all(|pair| pair[0].1 <= pair[1].1 && pair[0].0 <= pair[1].0));
            let kept: f64 = curve.iter().zip(&sorted).map(|((_, ns), point)| ns * point.samples).sum();
            prop_assert!((kept - sum).abs() <= 1e-6 * sum.max(1.0));
        }
    }
}
