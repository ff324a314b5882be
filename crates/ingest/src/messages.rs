//! Sends and receives to messages.

use mpiscope_store::{Lone, LoneReason, Message, RankId, flags};
use mpiscope_trace::shape::NONE;
use rustc_hash::FxHashMap;

use crate::rank::Sent;
use crate::receives::{PARTITIONED, Received};

/// Names a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    comm: u32,
    sender: u32,
    receiver: u32,
    tag: i32,
    sequence: u64,
}

#[derive(Clone, Copy)]
enum Half {
    Sent(Sent),
    Received(Received),
}

/// Messages to some of the ranks.
#[derive(Default)]
pub(crate) struct Matcher {
    halves: FxHashMap<Key, Half>,
    /// Receives whose source nobody noted.
    unknown: Vec<(RankId, Received)>,
}

fn lane(comm: u32, partitioned: bool) -> u32 {
    comm | if partitioned { PARTITIONED } else { 0 }
}

impl Matcher {
    /// `sender` has sent.
    pub fn sent(&mut self, sender: RankId, sent: Sent, out: &mut Vec<Message>) {
        let comm = lane(sent.comm.0, sent.partitioned);
        let Sent { to, tag, sequence, .. } = sent;
        let key = Key { comm, sender: sender.0, receiver: to.0, tag, sequence };
        match self.halves.remove(&key) {
            Some(Half::Received(received)) => out.push(message(&key, &sent, &received)),
            _ => {
                self.halves.insert(key, Half::Sent(sent));
            }
        }
    }

    /// `receiver` has received.
    pub fn received(&mut self, receiver: RankId, received: Received, out: &mut Vec<Message>) {
        let Some((sender, tag, sequence)) = received.from else {
            self.unknown.push((receiver, received));
            return;
        };
        let comm = lane(received.comm.0, received.partitioned);
        let key = Key { comm, sender: sender.0, receiver: receiver.0, tag, sequence };
        match self.halves.remove(&key) {
            Some(Half::Sent(sent)) => out.push(message(&key, &sent, &received)),
            _ => {
                self.halves.insert(key, Half::Received(received));
            }
        }
    }

    /// The end: receives without a source get what fits best, the rest is alone. `lost` says of which ranks
    /// events are missing.
    pub fn finish(&mut self, lost: &[bool], messages: &mut Vec<Message>, lone: &mut Vec<Lone>) {
        self.infer(messages);
        for (key, half) in self.halves.drain() {
            lone.push(alone(&key, half, lost));
        }
        for (receiver, received) in self.unknown.drain(..) {
            let reason = if lost.contains(&true) { LoneReason::Overwritten } else { LoneReason::NeverHappened };
            lone.push(Lone {
                rank: receiver,
                peer: RankId::NONE,
                comm: received.comm,
                tag: received.tag,
                bytes: received.bytes,
                is_send: false,
                end: received.end,
                reason,
            });
        }
        lone.sort_by_key(|l| (l.rank, l.end.row));
    }

    /// Gives each receive of unknown source the earliest send that fits: on the same communicator, with its tag,
    /// begun before the receive was over.
    fn infer(&mut self, out: &mut Vec<Message>) {
        if self.unknown.is_empty() {
            return;
        }
        let mut open: FxHashMap<(u32, u32), Vec<(u64, Key)>> = FxHashMap::default();
        for (key, half) in &self.halves {
            if let Half::Sent(sent) = half {
                open.entry((key.comm, key.receiver)).or_default().push((sent.end.start_ns, *key));
            }
        }
        // Backwards, so that what is taken from the front is taken from the end of the list.
        open.values_mut().for_each(|sends| sends.sort_by_key(|&(start, key)| std::cmp::Reverse((start, key.sequence))));
        self.unknown.sort_by_key(|(rank, received)| (*rank, received.end.done_end_ns));
        let mut left = Vec::new();
        for (receiver, received) in std::mem::take(&mut self.unknown) {
            let comm = lane(received.comm.0, received.partitioned);
            let sends = open.entry((comm, receiver.0)).or_default();
            let fits = |(start, key): &(u64, Key)| {
                received.tag.is_none_or(|tag| tag == key.tag) && *start <= received.end.done_end_ns
            };
            let Some(at) = sends.iter().rposition(fits).filter(|_| received.end.is_done()) else {
                left.push((receiver, received));
                continue;
            };
            let (_, key) = sends.remove(at);
            if let Some(Half::Sent(sent)) = self.halves.remove(&key) {
                let found = message(&key, &sent, &received);
                out.push(Message { flags: found.flags | flags::INFERRED, ..found });
            }
        }
        self.unknown = left;
    }
}

fn message(key: &Key, sent: &Sent, received: &Received) -> Message {
    Message {
        comm: sent.comm,
        sender: RankId(key.sender),
        receiver: RankId(key.receiver),
        tag: key.tag,
        bytes: sent.bytes,
        sequence: key.sequence,
        send: sent.end,
        receive: received.end,
        flags: (sent.flags | received.flags) & !flags::NON_BLOCKING,
    }
}

fn alone(key: &Key, half: Half, lost: &[bool]) -> Lone {
    let (rank, peer, end, bytes, comm, is_send) = match half {
        Half::Sent(s) => (key.sender, key.receiver, s.end, s.bytes, s.comm, true),
        Half::Received(r) => (key.receiver, key.sender, r.end, r.bytes, r.comm, false),
    };
    let is_lost = lost.get(peer as usize).copied().unwrap_or(true);
    let reason = if is_lost { LoneReason::Overwritten } else { LoneReason::NeverHappened };
    let tag = (key.tag != NONE).then_some(key.tag);
    Lone { rank: RankId(rank), peer: RankId(peer), comm, tag, bytes, is_send, end, reason }
}
