//! Processes with `MPI_THREAD_MULTIPLE`: messages of several of their threads have no order among each other (MPI-5.0 §3.5), so
//! the message that a receive gets is unknown where several threads send to it, or receive messages that it could get.
//!
//! Whether several threads do so is certain only when all events are read: a finding about a message and its receive is reported
//! then. Where threads do share sender, receiver and tag the pairs are meaningless, and nothing is reported.
//!
//! `race.threads`: the order of such messages matters. Synchronisation of threads outside of MPI is not seen, so two threads must
//! be seen to overlap: the one that sends later called MPI before, and the other one calls it afterwards, so neither was started or
//! joined in between. A lock may still separate them, so the finding is at most possible. And the messages must be received at different
//! places: a receive that takes whatever comes next does not depend on the order.

use rustc_hash::FxHashMap;

use crate::finding::Confidence;
use crate::report::{CallRef, Draft, Sink};
use crate::signature::Signature;

/// Senders, receivers and tags that are remembered, …
const MOST_ROUTES: usize = 1 << 14;
/// … messages of each, …
const MOST: usize = 256;
/// … messages that are not received yet, and findings.
const MOST_WAITING: usize = 1 << 16;

/// Sender, receiver, communicator and tag.
type Sends = (u32, u32, u32, i32);
/// Receiver and communicator of a receive, its source and tag, unless wildcards.
type Asks = (u32, u32, Option<u32>, Option<i32>);

/// How a message reached its receive.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub sent: Sends,
    pub asked: Asks,
}

struct Sent {
    thread: u8,
    place: CallRef,
    received: CallRef,
    data: Option<Signature>,
}

struct Waiting {
    draft: Draft,
    /// Sender and receiver.
    sides: [u32; 2],
    route: Route,
}

/// What all of them do.
#[derive(Default)]
pub(crate) struct Threads {
    /// By message.
    under_way: FxHashMap<u32, (Sends, u8)>,
    received: FxHashMap<Sends, Vec<Sent>>,
    /// The thread that sends so, none where there are several.
    senders: FxHashMap<Sends, Option<u8>>,
    askers: FxHashMap<Asks, Option<u8>>,
    waiting: Vec<Waiting>,
}

/// One thread more of those that do something.
fn joined<K: std::hash::Hash + Eq>(of: &mut FxHashMap<K, Option<u8>>, key: K, thread: u8) {
    if of.len() < MOST_ROUTES || of.contains_key(&key) {
        let known = of.entry(key).or_insert(Some(thread));
        *known = known.filter(|&other| other == thread);
    }
}

impl Threads {
    pub fn sent(&mut self, message: u32, route: Sends, thread: u8) {
        joined(&mut self.senders, route, thread);
        if self.under_way.len() < MOST_WAITING {
            self.under_way.insert(message, (route, thread));
        }
    }

    /// A message of that number is another one now.
    pub fn gone(&mut self, message: u32) {
        if !self.under_way.is_empty() {
            self.under_way.remove(&message);
        }
    }

    pub fn receives(&mut self, asked: Asks, thread: u8) {
        joined(&mut self.askers, asked, thread);
    }

    /// A message has found its receive.
    pub fn received(&mut self, message: u32, place: CallRef, received: CallRef, data: Option<Signature>) {
        if self.under_way.is_empty() {
            return;
        }
        let Some((route, thread)) = self.under_way.remove(&message) else { return };
        if self.received.len() >= MOST_ROUTES && !self.received.contains_key(&route) {
            return;
        }
        let all = self.received.entry(route).or_default();
        if all.len() < MOST {
            all.push(Sent { thread, place, received, data });
        }
    }

    /// Something follows from a pair, if it is one.
    pub fn defer(&mut self, draft: Draft, sides: [u32; 2], route: Route) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push(Waiting { draft, sides, route });
        }
    }

    /// At the end, when all events are read. `has_several`: whether several threads of a process communicate. `seen`: when a thread of a
    /// process called MPI for the first and the last time.
    pub fn report(&mut self, sink: &mut Sink, has_several: impl Fn(u32) -> bool, seen: impl Fn(u32, u8) -> (u64, u64)) {
        for Waiting { draft, sides, route } in std::mem::take(&mut self.waiting) {
            let is_shared =
                self.senders.get(&route.sent) == Some(&None) || self.askers.get(&route.asked) == Some(&None);
            match sides.into_iter().any(&has_several) {
                true if is_shared => {}
                true => sink.add(draft.at_most(Confidence::Possible)),
                false => sink.add(draft),
            }
        }
        let mut routes: Vec<_> = std::mem::take(&mut self.received).into_iter().collect();
        routes.sort_unstable_by_key(|(route, _)| *route);
        for ((sender, receiver, _, tag), mut all) in routes {
            all.sort_by_key(|sent| sent.place.at);
            let Some((one, other)) = unordered(&all, |thread| seen(sender, thread)) else { continue };
            let text = format!(
                "Two threads of rank {sender} send messages with tag {tag} to rank {receiver}; they may arrive in any order{}, and rank \
                 {receiver} receives them at different places.",
                if one.data == other.data { "" } else { ", although their types or lengths differ" }
            );
            let draft = Draft::new("race.threads").text(text);
            let draft = draft.party(one.place, "sends").party(other.place, "sends from another thread");
            sink.add(draft.party(one.received, "receives").party(other.received, "receives the other message"));
        }
    }
}

/// Two messages of overlapping threads whose order matters.
fn unordered(all: &[Sent], seen: impl Fn(u8) -> (u64, u64)) -> Option<(&Sent, &Sent)> {
    let mut pairs = all.windows(2).map(|two| (&two[0], &two[1]));
    pairs.find(|(one, other)| {
        let (was, stays) = (seen(other.thread).0 < one.place.at, seen(one.thread).1 > other.place.at);
        one.thread != other.thread && one.received.key != other.received.key && was && stays
    })
}
