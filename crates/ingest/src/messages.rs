//! Matches sends and receives to messages.

use mpiscope_store::{CommId, Lone, LoneReason, Message, RankId, flags};
use mpiscope_trace::shape::NONE;
use rustc_hash::FxHashMap;

use crate::ordered::Ordered;
use crate::rank::Sent;
use crate::receives::Received;
use crate::streams::{NO_NUMBER, PARTITIONED};

/// Identifies a stream of messages between two ranks; `comm` as in [`crate::streams::Stream`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub comm: u32,
    pub sender: u32,
    pub receiver: u32,
    pub tag: i32,
}

impl Key {
    fn comm(&self) -> CommId {
        // No communicator has the bit as well.
        if self.comm == CommId::NONE.0 { CommId::NONE } else { CommId(self.comm & !PARTITIONED) }
    }
}

#[derive(Clone, Copy)]
enum Half {
    Sent(Sent),
    Received(Received),
}

/// A stream and its unmatched halves: indices into [`Matcher::halves`].
struct Lane {
    key: Key,
    waiting: Ordered<u32>,
    /// Sends and receives before these numbers are lost: their other halves cannot be matched.
    sends_from: u64,
    receives_from: u64,
}

/// Sends and receives of a run.
#[derive(Default)]
pub(crate) struct Matcher {
    numbers: FxHashMap<Key, u32>,
    lanes: Vec<Lane>,
    /// Stored in one vector; the slot that was freed last is reused first, so that slots stay in the cache.
    halves: Vec<Half>,
    free: Vec<u32>,
    /// Receives whose source was not recorded.
    unknown: Vec<(RankId, Received)>,
}

impl Matcher {
    /// The number of a stream.
    pub fn lane(&mut self, key: Key) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.lanes.push(Lane { key, waiting: Ordered::default(), sends_from: 0, receives_from: 0 });
            self.lanes.len() as u32 - 1
        })
    }

    /// Sends of a stream before number `from` are lost.
    pub fn sends_begin_at(&mut self, key: Key, from: u64) {
        let lane = self.lane(key);
        self.lanes[lane as usize].sends_from = from;
    }

    /// Receives of a stream before number `from` are lost.
    pub fn receives_begin_at(&mut self, key: Key, from: u64) {
        let lane = self.lane(key);
        self.lanes[lane as usize].receives_from = from;
    }

    /// One more message of a stream was sent.
    pub fn sent(&mut self, lane: u32, sent: &Sent, out: &mut Vec<Message>, lone: &mut Vec<Lone>) {
        let Lane { key, waiting, receives_from, .. } = &mut self.lanes[lane as usize];
        if sent.sequence < *receives_from {
            return lone.push(alone(key, Half::Sent(*sent), LoneReason::Overwritten));
        }
        let found = waiting.find(sent.sequence);
        if let Ok(at) = found
            && let Half::Received(received) = &self.halves[*waiting.at(at) as usize]
        {
            out.push(message(key, sent, received));
            self.forget(lane, at);
        } else {
            self.wait(lane, found, sent.sequence, Half::Sent(*sent));
        }
    }

    /// One more message of a stream was received.
    pub fn received(&mut self, lane: u32, received: &Received, out: &mut Vec<Message>, lone: &mut Vec<Lone>) {
        let Lane { key, waiting, sends_from, .. } = &mut self.lanes[lane as usize];
        if received.sequence < *sends_from {
            return lone.push(alone(key, Half::Received(*received), LoneReason::Overwritten));
        }
        let found = waiting.find(received.sequence);
        if let Ok(at) = found
            && let Half::Sent(sent) = &self.halves[*waiting.at(at) as usize]
        {
            out.push(message(key, sent, received));
            self.forget(lane, at);
        } else {
            self.wait(lane, found, received.sequence, Half::Received(*received));
        }
    }

    /// `receiver` received a message whose source was not recorded.
    pub fn received_from_somebody(&mut self, receiver: RankId, received: Received) {
        self.unknown.push((receiver, received));
    }

    fn wait(&mut self, lane: u32, found: Result<usize, usize>, sequence: u64, half: Half) {
        let waiting = &mut self.lanes[lane as usize].waiting;
        let at = match found {
            // Only a hostile file has the same one twice.
            Ok(at) => {
                self.halves[*waiting.at(at) as usize] = half;
                return;
            }
            Err(at) => at,
        };
        let place = match self.free.pop() {
            Some(place) => {
                self.halves[place as usize] = half;
                place
            }
            None => {
                self.halves.push(half);
                self.halves.len() as u32 - 1
            }
        };
        waiting.insert(at, sequence, place);
    }

    fn forget(&mut self, lane: u32, at: usize) {
        self.free.extend(self.lanes[lane as usize].waiting.remove(at));
    }

    /// Called at the end: receives without a source get the best match, the rest remains unmatched. `lost` shows which ranks
    /// lack events.
    pub fn drain_unmatched(&mut self, lost: &[bool], messages: &mut Vec<Message>, lone: &mut Vec<Lone>) {
        self.infer(messages);
        let before = lone.len();
        for lane in &mut self.lanes {
            let key = lane.key;
            lone.extend(lane.waiting.drain().map(|(_, place)| {
                let half = self.halves[place as usize];
                let peer = if let Half::Sent(_) = half { key.receiver } else { key.sender };
                let is_lost = lost.get(peer as usize).copied().unwrap_or(true);
                alone(&key, half, if is_lost { LoneReason::Overwritten } else { LoneReason::NeverHappened })
            }));
        }
        for (receiver, received) in self.unknown.drain(..) {
            let reason = if lost.contains(&true) { LoneReason::Overwritten } else { LoneReason::NeverHappened };
            lone.push(Lone {
                rank: receiver,
                peer: RankId::NONE,
                comm: received.comm,
                tag: (received.tag != NONE).then_some(received.tag),
                bytes: received.bytes,
                is_send: false,
                end: received.end,
                reason,
            });
        }
        lone[before..].sort_by_key(|l| (l.rank, l.end.row));
    }

    /// Gives each receive of unknown source the earliest send that fits: on the same communicator, with its tag, started before
    /// the receive ended.
    fn infer(&mut self, out: &mut Vec<Message>) {
        if self.unknown.is_empty() {
            return;
        }
        /// Start, sequence number, stream.
        type Open = (u64, u64, u32);
        // By communicator and receiver.
        let mut open: FxHashMap<(u32, u32), Vec<Open>> = FxHashMap::default();
        for (number, lane) in self.lanes.iter().enumerate() {
            for &(sequence, place) in lane.waiting.iter() {
                if let Half::Sent(sent) = &self.halves[place as usize] {
                    let sends = open.entry((lane.key.comm, lane.key.receiver)).or_default();
                    sends.push((sent.end.start_ns, sequence, number as u32));
                }
            }
        }
        // Backwards, so that what is taken from the front is taken from the end of the list.
        open.values_mut().for_each(|sends| sends.sort_unstable_by(|a, b| b.cmp(a)));
        self.unknown.sort_by_key(|(rank, received)| (*rank, received.end.done_end_ns));
        let mut left = Vec::new();
        for (receiver, received) in std::mem::take(&mut self.unknown) {
            let sends = open.entry((received.lane(), receiver.0)).or_default();
            let fits = |&(start_ns, _, lane): &Open| {
                let tag = self.lanes[lane as usize].key.tag;
                (received.tag == NONE || received.tag == tag) && start_ns <= received.end.done_end_ns
            };
            let Some(at) = sends.iter().rposition(fits).filter(|_| received.end.is_done()) else {
                left.push((receiver, received));
                continue;
            };
            let (_, sequence, number) = sends.remove(at);
            let Lane { key, waiting, .. } = &mut self.lanes[number as usize];
            let Ok(at) = waiting.find(sequence) else { continue };
            if let Half::Sent(sent) = &self.halves[*waiting.at(at) as usize] {
                let found = message(key, sent, &received);
                out.push(Message { flags: found.flags | flags::INFERRED, ..found });
                self.forget(number, at);
            }
        }
        self.unknown = left;
    }
}

fn message(key: &Key, sent: &Sent, received: &Received) -> Message {
    debug_assert!(sent.stream != NO_NUMBER);
    Message {
        comm: key.comm(),
        sender: RankId(key.sender),
        receiver: RankId(key.receiver),
        tag: key.tag,
        bytes: sent.bytes,
        sequence: sent.sequence,
        send: sent.end,
        receive: received.end,
        flags: (sent.flags | received.flags) & !flags::NON_BLOCKING,
    }
}

fn alone(key: &Key, half: Half, reason: LoneReason) -> Lone {
    let (rank, peer, end, bytes, is_send) = match half {
        Half::Sent(s) => (key.sender, key.receiver, s.end, s.bytes, true),
        Half::Received(r) => (key.receiver, key.sender, r.end, r.bytes, false),
    };
    let tag = (key.tag != NONE).then_some(key.tag);
    Lone { rank: RankId(rank), peer: RankId(peer), comm: key.comm(), tag, bytes, is_send, end, reason }
}
