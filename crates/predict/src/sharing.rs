//! How many messages between hosts shared a port with each of them, while it was on its way, and what it waited for before that.
//!
//! The model lets messages share ports, so the costs fitted for it must be those of a message alone: otherwise a run whose messages share
//! the network would share it twice.

use mpiscope_store::{Message, RankId};

use crate::bursts::{Turn, turns};
use crate::fit::{ALWAYS_EAGER_BYTES, Ports};
use crate::queued::{Moved, Queued, queued};

/// What else was on the network with a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// How many messages shared the network with it, itself included.
    pub share: f64,
    /// For how long it came behind messages that were sent before it, if the network hands over one after the other, ns.
    pub follows_ns: u64,
    /// When it was its turn, of short messages in a row.
    pub turn: Turn,
    pub(crate) queued: Queued,
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic { share: 1.0, follows_ns: 0, turn: Turn::default(), queued: Queued::default() }
    }
}

/// Messages hinder each other if it is more than this that shares the network.
const SHARED: f64 = 1.05;

impl Traffic {
    /// Whether other messages hindered it.
    pub(crate) fn was_hindered(&self) -> bool {
        self.share > SHARED || self.queued.is_sure
    }
}

/// A message on its way.
#[derive(Clone, Copy, Debug)]
struct Passage {
    /// Ports that it leaves and enters.
    pub ports: (u32, u32),
    /// From when until when it was on its way, ns.
    pub from_ns: u64,
    pub until_ns: u64,
    pub bytes: u64,
}

/// For each message; empty for a run on one host, which has no network.
pub(crate) fn traffic_of(ports: &Ports, messages: &[Message]) -> Vec<Traffic> {
    if ports.count <= 1 {
        return Vec::new();
    }
    let between = messages.iter().enumerate().filter_map(|(at, message)| Some((at, passage(ports, message)?)));
    let (places, mut passages): (Vec<usize>, Vec<Passage>) = between.unzip();
    let mut found = vec![Traffic::default(); messages.len()];
    let long = places.iter().zip(&passages).enumerate().filter(|(_, (at, _))| !was_eager(&messages[**at]));
    let moved = long.map(|(nth, (&at, passage))| Moved {
        both_ns: passage.from_ns,
        sent_ns: messages[at].send.start_ns,
        until_ns: passage.until_ns,
        ends: (messages[at].sender.0, messages[at].receiver.0),
        bytes: passage.bytes,
        at: nth,
    });
    for (nth, queued) in queued(moved.collect()) {
        passages[nth].from_ns += queued.ns;
        found[places[nth]].queued = queued;
    }
    for (at, (share, follows_ns)) in places.into_iter().zip(shares(&passages)) {
        (found[at].share, found[at].follows_ns) = (share, follows_ns);
    }
    found.iter_mut().zip(turns(ports, messages)).for_each(|(found, turn)| found.turn = turn);
    found
}

fn was_eager(message: &Message) -> bool {
    message.send.is_done() && message.send.done_end_ns < message.receive.start_ns
}

/// Of a message between hosts whose time depends on what else is on its way.
fn passage(ports: &Ports, message: &Message) -> Option<Passage> {
    let Message { sender, receiver, send, receive, bytes, .. } = message;
    let port = |rank: &RankId| rank.index().and_then(|at| ports.of.get(at)).copied();
    let ports = (port(sender)?, port(receiver)?);
    if ports.0 == ports.1 || *bytes <= ALWAYS_EAGER_BYTES || !receive.is_done() {
        return None;
    }
    let from_ns = if was_eager(message) { send.start_ns } else { send.start_ns.max(receive.start_ns) };
    Some(Passage { ports, from_ns, until_ns: receive.done_end_ns, bytes: *bytes })
}

/// By message: of all that passes its busier port, over its share; 1 for one that is alone. And how long it follows others.
fn shares(passages: &[Passage]) -> Vec<(f64, u64)> {
    let ports = passages.iter().map(|of| of.ports.0.max(of.ports.1) + 1).max().unwrap_or(0);
    let mut shares = vec![(1.0, 0); passages.len()];
    for is_entered in [false, true] {
        let port = |of: &Passage| if is_entered { of.ports.1 } else { of.ports.0 };
        let mut by_port = vec![Vec::new(); ports as usize];
        for (at, passage) in passages.iter().enumerate() {
            by_port[port(passage) as usize].push(at);
        }
        for of_port in by_port.iter().filter(|of_port| of_port.len() > 1) {
            let busy = Busy::new(of_port.iter().map(|&at| &passages[at]));
            for &at in of_port {
                shares[at].0 = f64::max(shares[at].0, busy.share(&passages[at]));
            }
            for (at, follows_ns) in follows(passages, of_port) {
                shares[at].1 = shares[at].1.max(follows_ns);
            }
        }
    }
    shares
}

/// How long the messages of a port would come behind those that came to it before, if it took one after the other.
fn follows(passages: &[Passage], of_port: &[usize]) -> Vec<(usize, u64)> {
    let mut order = of_port.to_vec();
    order.sort_unstable_by_key(|&at| (passages[at].from_ns, passages[at].until_ns));
    let behind = |(nth, &at): (usize, &usize)| {
        let own = &passages[at];
        let before = order[nth.saturating_sub(NEAR)..nth].iter().map(|&before| passages[before].until_ns);
        let last_ns = before.filter(|&until_ns| until_ns < own.until_ns).max().unwrap_or(0);
        (at, last_ns.saturating_sub(own.from_ns))
    };
    order.iter().enumerate().map(behind).collect()
}

/// Messages of a port that are looked at: the last ones before each.
const NEAR: usize = 8;

/// What passed a port, at each moment at which that changes: its sum until then, and its rate from then on.
struct Busy {
    /// ns; messages × ns and bytes until then; messages, and bytes per ns, from then on.
    moments: Vec<(u64, [f64; 2], [f64; 2])>,
}

impl Busy {
    fn new<'a>(passages: impl Iterator<Item = &'a Passage>) -> Busy {
        let mut changes: Vec<(u64, [f64; 2])> = Vec::new();
        for passage in passages {
            let rate = passage.bytes as f64 / passage.length_ns();
            changes.push((passage.from_ns, [1.0, rate]));
            changes.push((passage.end_ns(), [-1.0, -rate]));
        }
        changes.sort_unstable_by_key(|&(ns, _)| ns);
        let mut moments: Vec<(u64, [f64; 2], [f64; 2])> = Vec::with_capacity(changes.len());
        let (mut sums, mut rates, mut last_ns) = ([0.0; 2], [0.0; 2], 0);
        for (ns, by) in changes {
            for at in 0..2 {
                sums[at] += rates[at] * (ns - last_ns) as f64;
                rates[at] += by[at];
            }
            last_ns = ns;
            moments.push((ns, sums, rates));
        }
        Busy { moments }
    }

    fn until(&self, ns: u64) -> [f64; 2] {
        let after = self.moments.partition_point(|&(of, ..)| of <= ns);
        let Some(&(from_ns, sums, rates)) = after.checked_sub(1).and_then(|at| self.moments.get(at)) else {
            return [0.0; 2];
        };
        [0, 1].map(|at| sums[at] + rates[at] * (ns - from_ns) as f64)
    }

    /// A message has one part of as many as are on their way. Where that is an overestimate, since some were there long before the call
    /// that completes them ended, the bytes that pass meanwhile are less.
    fn share(&self, passage: &Passage) -> f64 {
        let (before, after) = (self.until(passage.from_ns), self.until(passage.end_ns()));
        let messages = (after[0] - before[0]) / passage.length_ns();
        let bytes = (after[1] - before[1]) / passage.bytes.max(1) as f64;
        messages.min(bytes).max(1.0)
    }
}

impl Passage {
    fn end_ns(&self) -> u64 {
        self.until_ns.max(self.from_ns + 1)
    }

    fn length_ns(&self) -> f64 {
        (self.end_ns() - self.from_ns) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(ports: (u32, u32), from_ns: u64, until_ns: u64, bytes: u64) -> Passage {
        Passage { ports, from_ns, until_ns, bytes }
    }

    #[test]
    fn messages_share_the_ports_that_they_leave_and_enter() {
        let alone = [passage((0, 1), 0, 1000, 500), passage((1, 0), 0, 1000, 500)];
        assert_eq!(shares(&alone), [(1.0, 0), (1.0, 0)], "both directions of a port are apart");
        let two = [passage((0, 1), 0, 1000, 500), passage((0, 2), 0, 1000, 500)];
        assert_eq!(shares(&two), [(2.0, 0), (2.0, 0)]);
        let entered = [passage((0, 2), 0, 1000, 500), passage((1, 2), 500, 1500, 500)];
        assert_eq!(shares(&entered), [(1.5, 0), (1.5, 500)], "the second one comes 500 ns behind the first");
    }

    #[test]
    fn small_messages_take_no_bandwidth() {
        let found = shares(&[passage((0, 1), 0, 1000, 1_000_000), passage((0, 1), 0, 1000, 1)]);
        assert!((found[0].0 - 1.0).abs() < 0.01, "{found:?}");
        assert!((found[1].0 - 2.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn messages_of_no_time_and_no_bytes_are_alone() {
        assert_eq!(shares(&[passage((0, 1), 5, 5, 0), passage((0, 1), 9, 5, 0)]), [(1.0, 0), (1.0, 0)]);
        assert!(shares(&[]).is_empty());
    }
}
