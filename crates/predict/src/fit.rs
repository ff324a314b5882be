//! What communication cost in the recorded run: the parameters of its network.

use mpiscope_abi::role::Role;
use mpiscope_analysis::waits::{Backlogs, held_above_bytes};
use mpiscope_model::simulation::{Curve, Link, Network};
use mpiscope_store::{Batch, CallInfo, Dimensions, End, Message, RankId, flags};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::bursts::{Bursts, PerMessage, SHORT_BYTES, Turn};
use crate::hindrance::Hindrance;
use crate::kinds::Kinds;
use crate::points::{MUCH_MORE_OFTEN, Point, anchored, extended, far_below, in_pieces, mean_curve, rising};
use crate::samples::{Sample, Samples};
use crate::sharing::Traffic;

/// A send began so long before its receiver came that the message was there, ns.
const LONG_BEFORE_NS: u64 = 50_000;
/// Clocks of two hosts may differ by this much, ns.
const CLOCK_NS: u64 = 1_000;
/// Fewer samples say nothing about a size if others have more.
const FEW: f64 = 3.0;
/// A message that was sent so many times its transit before is there: it may have waited for others on its way.
const SURELY_THERE: f64 = 2.0;
/// So many say something about all.
const MANY: u64 = 8;

/// Samples of one size.
#[derive(Clone, Debug, Default)]
struct OfSize {
    bytes: u64,
    /// Time of the call that began the send: where it could not wait for its receiver, and other sends that did not need it.
    send: Samples,
    send_early: Samples,
    /// Time of any call that began the send or received; from when the send began until the receiver left: sending, receiving and transit
    /// take no longer.
    any_send: Samples,
    any_receive: Samples,
    arrived: Samples,
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
    /// How many of the first of these were sent after the call had begun, and last: it surely waited for them.
    came_several: u64,
    /// Sends whose receive was posted long after they began, and those of them that ended only after it was.
    late_receives: u64,
    waited_for: u64,
}

/// Pairs of ranks at one distance.
#[derive(Default)]
struct OfLink {
    sizes: BTreeMap<u32, OfSize>,
    /// Messages whose answers surely queued, and those that other messages hindered.
    queued: u64,
    hindered: u64,
    bursts: Bursts,
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
        let of = dimensions.numbers_of_hosts();
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
    /// Half of the time that clocks of two hosts were compared in, ns: no message took that little, on the same network.
    clock_error_ns: Option<u64>,
    links: [OfLink; 2],
    backlogs: Backlogs,
    /// Calls that complete several messages: how many are missing, when the last was sent, their bytes, when it ended.
    open: FxHashMap<(RankId, u64), Several>,
}

#[derive(Clone, Copy, Default)]
struct Several {
    left: u32,
    last_ns: u64,
    end_ns: u64,
    bytes: u64,
    receives: u32,
    link: usize,
    /// Of its receives, see [`Traffic`].
    shares: f64,
    queued_ns: u64,
    follows_ns: u64,
    /// Of those from other hosts: how many, their bytes, when the first one was sent.
    far: u32,
    far_bytes: u64,
    first_sent_ns: u64,
    /// Of the one that was sent last: when, and its turn.
    sent_ns: u64,
    turn: Turn,
}

impl Several {
    /// The turn of the message that was sent last. Those that the same call, which began then, receives are before it, though other batches may
    /// contain them.
    fn turn(&self, start_ns: u64) -> Turn {
        let late_ns = start_ns.saturating_sub(self.sent_ns);
        let own = Turn { behind: self.far.saturating_sub(1), since_ns: self.sent_ns - self.first_sent_ns, late_ns };
        match self.are_short() && own.behind > self.turn.behind {
            true => own,
            false => Turn { late_ns, ..self.turn },
        }
    }

    /// Whether all come from other hosts, and are short.
    fn are_short(&self) -> bool {
        self.far == self.receives && self.far_bytes <= SHORT_BYTES * u64::from(self.far)
    }
}

impl Fit {
    /// For the ranks of a run.
    pub fn new(dimensions: &Dimensions) -> Fit {
        Fit {
            ports: Ports::of_hosts(dimensions),
            held_above_bytes: held_above_bytes(dimensions),
            clock_error_ns: dimensions.ranks.iter().filter_map(|row| row.clock_error_ns).max().filter(|&ns| ns > 0),
            links: Default::default(),
            backlogs: Backlogs::default(),
            open: FxHashMap::default(),
        }
    }

    /// Takes the next batch, with its [`traffic`](crate::Translator::traffic).
    pub fn add_batch(&mut self, facts: &[Vec<CallInfo>], batch: &Batch, traffic: &[Traffic]) {
        for (at, message) in batch.messages.iter().enumerate().filter(|(_, message)| message.receive.is_done()) {
            self.add_message(facts, message, traffic.get(at).copied().unwrap_or_default());
        }
        // What is not complete by now has ends that are in no message.
        if self.open.len() > 1 << 16 || batch.is_last {
            self.open.clear();
        }
    }

    fn add_message(&mut self, facts: &[Vec<CallInfo>], message: &Message, traffic: Traffic) {
        let Message { sender, receiver, send, receive, bytes, .. } = message;
        let link = self.ports.link(*sender, *receiver);
        self.links[link].queued += u64::from(traffic.queued.is_sure);
        self.links[link].hindered += u64::from(traffic.was_hindered());
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
        if only_sends {
            size.any_send.push(send_ns);
        }
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
        let is_polled = flags_of(*receiver, receive.done_facts) & flags::ASKS != 0;
        if is_polled {
            return;
        }
        let from_ns = receive.done_start_ns;
        if receive.done_with <= 1 {
            let until_ns = receive.done_end_ns;
            let sample = |since_ns: u64| Sample {
                ns: until_ns.saturating_sub(since_ns),
                share: traffic.share as f32,
                queued_ns: traffic.queued.ns,
                follows_ns: traffic.follows_ns,
                ahead_ns: from_ns.saturating_sub(send.start_ns),
                turn: traffic.turn.later(since_ns.saturating_sub(send.start_ns)),
                others_ns: 0,
            };
            if link == 1 && *bytes <= SHORT_BYTES {
                self.links[link].bursts.add(traffic.turn, *bytes, until_ns.saturating_sub(send.start_ns));
            }
            let size = self.links[link].sizes.entry(class_of(*bytes)).or_default();
            size.arrived.push(until_ns.saturating_sub(send.start_ns));
            size.any_receive.push(until_ns.saturating_sub(from_ns));
            if send.start_ns >= from_ns {
                size.waited.add(sample(send.start_ns));
            } else if send.start_ns + LONG_BEFORE_NS < from_ns || was_eager {
                size.there.add(sample(from_ns));
                if receive.row == receive.done_row {
                    size.there_whole.add(sample(from_ns));
                }
            }
            return;
        }
        self.of_several((*receiver, receive), send.start_ns, Some((*bytes, link, traffic)));
    }

    /// A message of a call that completes several; what it needed came at `needed_ns`.
    fn of_several(&mut self, (rank, end): (RankId, &End), needed_ns: u64, received: Option<(u64, usize, Traffic)>) {
        let new = || Several { left: end.done_with, ..Several::default() };
        let several = self.open.entry((rank, end.done_row)).or_insert_with(new);
        several.left = several.left.saturating_sub(1);
        several.end_ns = end.done_end_ns;
        several.last_ns = several.last_ns.max(end.done_start_ns).max(needed_ns.min(end.done_end_ns));
        if let Some((bytes, link, traffic)) = received {
            several.bytes += bytes;
            several.receives += 1;
            several.link = link;
            several.shares += traffic.share;
            several.queued_ns = several.queued_ns.max(traffic.queued.ns);
            several.follows_ns = several.follows_ns.max(traffic.follows_ns);
            if link == 1 {
                several.first_sent_ns = if several.far == 0 { needed_ns } else { several.first_sent_ns.min(needed_ns) };
                several.far += 1;
                several.far_bytes += bytes;
            }
            if needed_ns >= several.sent_ns {
                (several.sent_ns, several.turn) = (needed_ns, traffic.turn);
            }
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
        let rest_ns = all_ns.saturating_sub(((count - 1) as f64 * one_ns) as u64).max(all_ns / count);
        // Messages that others hindered took as long as they did for that reason.
        let (turn, Several { queued_ns, follows_ns, sent_ns, .. }) = (several.turn(end.done_start_ns), several);
        let ns = if share > 1.0 || queued_ns > 0 { all_ns } else { rest_ns };
        let (others_ns, ahead_ns) = (all_ns - ns, several.last_ns.saturating_sub(sent_ns));
        let of_all =
            Sample { ns, share: share as f32, queued_ns, follows_ns, ahead_ns, turn: turn.later(ahead_ns), others_ns };
        size.came_several += u64::from(ahead_ns == 0);
        size.waited_several.add(of_all);
        size.there_several.add(Sample { ns: all_ns, ..of_all }.of_each(count));
        if several.are_short() {
            // The receiver takes time for the others as well.
            let took_ns = several.end_ns.saturating_sub(sent_ns).saturating_sub(all_ns - rest_ns);
            self.links[1].bursts.add(turn, bytes, took_ns);
        }
    }

    /// Bytes of the largest message within a host, and between hosts.
    pub fn largest(&self) -> [Option<u64>; 2] {
        [0, 1].map(|link| self.links[link].sizes.values().map(|size| size.bytes).max())
    }

    /// What the run does not tell about the network between hosts.
    pub fn note(&self) -> Option<&'static str> {
        let is_unclear = self.links[1].per_message(self.clock_error_ns) == PerMessage::Unclear;
        is_unclear.then_some(
            "Between hosts, short messages follow each other, but nothing tells whether each of them takes time or all of them the latency; \
             in the model it is the latency",
        )
    }

    /// How messages may hinder each other between hosts, as far as the run tells; the most likely way first.
    pub fn hindrances(&self) -> Vec<Hindrance> {
        let far = &self.links[1];
        let likely = Hindrance { in_order: false, answers_queue: far.queued >= MANY };
        let others = Hindrance::ALL.into_iter().filter(|way| *way != likely && far.hindered >= MANY);
        std::iter::once(likely).chain(others).collect()
    }

    /// The network, with links that were measured elsewhere in place of fitted ones: within a host, and between hosts. Messages
    /// between hosts share the ports of the hosts. The kinds of operations calibrate it.
    pub fn network(&self, measured: [Option<Link>; 2], kinds: &Kinds, hindrance: Hindrance) -> Network {
        let Ports { of, count } = &self.ports;
        let [near, far] = measured;
        let mut near = near.unwrap_or_else(|| self.links[0].link(None, Hindrance::default(), None));
        near.held_above_bytes = self.held_above_bytes.filter(|&limit| self.links[0].may_hold_above(limit));
        let far = between_hosts(far.unwrap_or_else(|| self.links[1].link(Some(&near), hindrance, self.clock_error_ns)));
        let link_of = (0..count * count).map(|at| u16::from(at / count != at % count)).collect();
        let mut network = Network {
            port_of: of.clone(),
            ports: *count,
            link_of,
            links: vec![near, far],
            in_order: hindrance.in_order,
            reduce_ns_per_byte: REDUCE_NS_PER_BYTE,
            ..Network::default()
        };
        kinds.calibrate(&mut network);
        network
    }
}

/// A link between hosts: messages share the ports of the hosts, and need both ranks inside MPI.
pub(crate) fn between_hosts(link: Link) -> Link {
    let port_ns_per_byte = ns_per_byte(&link.transit, &link.rendezvous);
    Link { needs_sender: true, port_ns_per_byte, ..link }
}

/// Adding doubles from cache: 8 bytes in about 1 ns. Factors of kinds make up for what it is in fact.
const REDUCE_NS_PER_BYTE: f64 = 0.1;

/// Times of an MPI in shared memory of which nothing was recorded: ns, ns per byte.
const USUAL: [(f64, f64); 3] = [(150.0, 0.05), (700.0, 0.15), (200.0, 0.1)];
/// No known MPI waits for the receiver of smaller messages, unless configured to.
pub(crate) const ALWAYS_EAGER_BYTES: u64 = 1024;
/// Latency between hosts, if the run has only long messages between them, ns.
const USUAL_LATENCY_NS: f64 = 20_000.0;
/// Eager limit of links of which nothing was recorded, bytes.
const USUAL_EAGER_BYTES: u64 = 4096;

impl OfLink {
    fn curve(&self, samples: impl Fn(&OfSize) -> &Samples, wanted: impl Fn(u64) -> bool) -> Vec<Point> {
        self.curve_of(samples, wanted, |_, sample| Some(sample.ns as f64))
    }

    /// The same of a time that some of the samples of a size tell.
    fn curve_of(
        &self,
        samples: impl Fn(&OfSize) -> &Samples,
        wanted: impl Fn(u64) -> bool,
        time_ns: impl Fn(&OfSize, &Sample) -> Option<f64>,
    ) -> Vec<Point> {
        let point = |size: &OfSize| {
            let (ns, of) = samples(size).typical_of(|sample| time_ns(size, sample))?;
            Some(Point { bytes: size.bytes, ns, samples: of })
        };
        let mut points: Vec<Point> = self.sizes.values().filter_map(point).collect();
        let most = points.iter().map(|point| point.samples).fold(0.0, f64::max);
        points.retain(|point| point.samples >= most.min(FEW) && wanted(point.bytes));
        in_pieces(points)
    }

    /// No longer than messages usually took. Where ranks exchange messages in quick succession, a message comes before its receiver looks for
    /// it, and only those that something held up show what is looked for, or none do. Then it is no longer than `otherwise`.
    fn no_longer(
        &self,
        mut points: Vec<Point>,
        than: impl Fn(&OfSize) -> &Samples,
        wanted: impl Fn(u64) -> bool,
        otherwise: Option<(f64, f64)>,
    ) -> Vec<Point> {
        for size in self.sizes.values().filter(|size| wanted(size.bytes)) {
            let Some(ns) = than(size).typical() else { continue };
            let samples = than(size).count() as f64;
            let is_less = |than_ns: f64, of: f64| ns < than_ns && samples >= MUCH_MORE_OFTEN * of;
            let usual_ns = otherwise.map_or(0.0, |(ns, per_byte)| ns + per_byte * size.bytes as f64);
            match points.iter_mut().find(|point| point.bytes == size.bytes) {
                Some(point) if is_less(point.ns, point.samples) => (point.ns, point.samples) = (ns, samples),
                None if is_less(usual_ns, 1.0) => points.push(Point { bytes: size.bytes, ns, samples }),
                _ => {}
            }
        }
        points
    }

    /// What a port takes for each short message. Clocks were compared in so much: what the network takes for less than a message of MPI.
    fn per_message(&self, clock_error_ns: Option<u64>) -> PerMessage {
        let overhead_ns = self.curve(|s| &s.send, |bytes| bytes <= SHORT_BYTES).first().map_or(0.0, |point| point.ns);
        self.bursts.per_message(clock_error_ns.map(|ns| ns as f64 + 2.0 * overhead_ns))
    }

    /// Times until a receiver leaves that waits, of messages that would have the network for themselves.
    fn transits(
        &self,
        wanted: impl Fn(u64) -> bool + Copy,
        latency_ns: f64,
        (hindrance, per_message): (Hindrance, PerMessage),
        otherwise: Option<(f64, f64)>,
    ) -> Vec<Point> {
        // Answers are to messages by rendezvous only.
        let way = Hindrance { answers_queue: false, ..hindrance };
        let alone = |_: &OfSize, sample: &Sample| per_message.alone_ns(sample, latency_ns, way);
        let waited = self.curve_of(|s| &s.waited, wanted, alone);
        let waited = self.no_longer(waited, |s| &s.arrived, wanted, otherwise);
        // What was sent before may have come at any time, also before the call.
        let came = |size: &OfSize, sample: &Sample| {
            let is_known = size.came_several >= MANY;
            if is_known && sample.ahead_ns > 0 { None } else { alone(size, sample) }
        };
        extended(waited, self.curve_of(|s| &s.waited_several, wanted, came))
    }

    /// What short messages take, which share next to nothing, ns; 0 if there are none.
    fn latency_ns(&self, per_message: PerMessage) -> f64 {
        rising(self.transits(|bytes| bytes <= ALWAYS_EAGER_BYTES, 0.0, (Hindrance::default(), per_message), None))
            .next()
            .map_or(0.0, |(_, ns)| ns)
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

    fn link(&self, near: Option<&Link>, hindrance: Hindrance, clock_error_ns: Option<u64>) -> Link {
        let answers_queue = hindrance.answers_queue;
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
        let sends = or_usual(self.no_longer(sends, |s| &s.any_send, eager, Some(send)), send);
        let per_message = self.per_message(clock_error_ns);
        let latency_ns = self.latency_ns(per_message);
        let alone = |_: &OfSize, sample: &Sample| per_message.alone_ns(sample, latency_ns, hindrance);
        let far = near.map_or(transit, |near| (USUAL_LATENCY_NS.max(near.transit.at(0)), near.transit.ns_per_byte()));
        // Clocks of two hosts are not exact enough to tell a time that no message waited for.
        let otherwise = if near.is_none() { Some(transit) } else { None };
        let transit = or_usual(self.transits(eager, latency_ns, (hindrance, per_message), otherwise), far);
        let was_there = |size: &OfSize, sample: &Sample| {
            let since_turn_ns = sample.ahead_ns as f64 - sample.turn_ns(per_message.short_ns());
            let is_there = since_turn_ns > SURELY_THERE * transit.at(size.bytes);
            is_there.then_some(sample.ns as f64)
        };
        let received = self.curve_of(|s| &s.there, eager, was_there);
        let receive = or_usual(self.no_longer(received, |s| &s.any_receive, eager, Some(receive)), receive);
        let long = |bytes: u64| bytes > eager_bytes;
        let waited = self.curve_of(|s| &s.waited, long, alone);
        let received = mean_curve([waited, self.curve_of(|s| &s.there_whole, long, alone)].concat());
        let sent = self.curve(|s| &s.sent_whole, long);
        let leaves_before = far_below(&sent, &received);
        let mut both = match leaves_before {
            true => received,
            false => mean_curve([received, sent.clone()].concat()),
        };
        if both.is_empty() {
            both = self.curve_of(|s| &s.there, long, alone);
        }
        if both.is_empty() {
            both = self.curve_of(|s| &s.there_several, long, alone);
        }
        let rendezvous = if both.is_empty() { transit.clone() } else { anchored(both, transit.at(0)) };
        let ns_per_byte = ns_per_byte(&transit, &rendezvous);
        let rendezvous_sent = match (leaves_before, answers_queue) {
            (true, _) => anchored(sent, rendezvous.at(0)),
            // The system takes the data as soon as the answer has come, which is a copy.
            (_, true) => Curve::line(rendezvous.at(0), USUAL[1].1),
            _ => Curve::default(),
        };
        Link {
            send: sends,
            transit,
            receive,
            rendezvous,
            rendezvous_sent,
            answers_queue,
            eager_bytes,
            port_ns_per_message: per_message.without_bytes_ns(ns_per_byte),
            ..Link::default()
        }
    }
}

/// Time of a long message for each byte, ns.
fn ns_per_byte(transit: &Curve, rendezvous: &Curve) -> f64 {
    transit.ns_per_byte().max(rendezvous.ns_per_byte()).max(0.0)
}

/// Four classes for each power of two.
fn class_of(bytes: u64) -> u32 {
    let log = 64 - bytes.leading_zeros();
    let part = if log > 3 { (bytes >> (log - 3)) & 3 } else { bytes & 3 };
    log * 4 + part as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_messages_that_were_held_up_do_not_tell_the_costs() {
        let samples = |count: u64, ns: u64| {
            let mut samples = Samples::default();
            (0..count).for_each(|_| samples.add(Sample { ns, ahead_ns: 1_000_000, ..Sample::default() }));
            samples
        };
        let link_of = |held_up: u64| {
            let [waited, there] = [24_000, 40_000].map(|ns| samples(held_up, ns));
            let [arrived, any_receive, any_send] = [250, 170, 340].map(|ns| samples(1_000, ns));
            let size = OfSize { bytes: 1_000, waited, there, arrived, any_receive, any_send, ..OfSize::default() };
            let of_link = OfLink { sizes: BTreeMap::from([(class_of(1_000), size)]), ..OfLink::default() };
            let link = of_link.link(None, Hindrance::default(), None);
            [link.transit, link.receive, link.send].map(|curve| curve.at(1_000).round() as u64)
        };
        // Few messages came after their receivers; none did, and what is usual elsewhere takes longer for receiving only.
        assert_eq!(link_of(9), [250, 170, USUAL[0].0 as u64 + 50]);
        assert_eq!(link_of(0), [250, 170, USUAL[0].0 as u64 + 50]);
        // Most did.
        assert_eq!(link_of(900), [24_000, 40_000, USUAL[0].0 as u64 + 50]);
    }

    #[test]
    fn sends_that_did_not_wait_for_late_receivers_are_not_held() {
        let holds = |late_receives, waited_for| {
            let size = OfSize { bytes: 8_000, late_receives, waited_for, ..OfSize::default() };
            OfLink { sizes: BTreeMap::from([(class_of(8_000), size)]), ..OfLink::default() }.may_hold_above(256)
        };
        assert!(holds(0, 0) && holds(5, 0) && holds(100, 90));
        assert!(!holds(100, 2));
    }
}
