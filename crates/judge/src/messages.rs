//! Matches sends and receives to messages as the standard does (MPI-5.0 §3.5): messages of one sender in a communicator do
//! not overtake each other, and a receive takes the first one that matches.
//!
//! The MPI library chooses the message of a wildcard receive; the status shows which. Until that is read, all messages that it may
//! take, and the later receives that might get them, stay open. So the result does not depend on the order of reading.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::clocks::Clock;
use crate::other_matches::NONE;
use crate::report::CallRef;
use crate::signature::Signature;
use crate::slab::Slab;

/// Bit of a communicator's number: partitioned operations match each other only (MPI-5.0 §4.2).
pub(crate) const PARTITIONED: u32 = 1 << 31;

/// A send, until it is received and complete.
pub(crate) struct Message {
    pub sender: u32,
    pub receiver: u32,
    /// Number of the communicator.
    pub comm: u32,
    pub tag: i32,
    pub data: Option<Signature>,
    pub mode: u64,
    /// Partitions that were not marked ready yet.
    pub unready: u32,
    pub place: CallRef,
    pub begun_ns: i128,
    /// Order among those of its sender to its receiver.
    order: u64,
    pub matched: Option<u32>,
    pub is_done: bool,
    pub is_cancelled: bool,
    /// The program called MPI_Cancel for it; the result is unknown.
    is_given_up: bool,
    /// In the replay: it has begun, it is taken for kept by the MPI.
    pub is_issued: bool,
    pub is_kept: bool,
    pub clock: Clock,
    /// Its number in the log of what processes did.
    pub number: u32,
    held: u32,
}

/// A receive, until it has its message and is complete.
pub(crate) struct Receive {
    pub receiver: u32,
    pub comm: u32,
    /// Its source, from the call or from its status.
    pub source: Option<u32>,
    pub tag: Option<i32>,
    /// It is a receive from any source.
    pub is_wild: bool,
    pub asked_tag: Option<i32>,
    pub data: Option<Signature>,
    /// Its process has promised that what comes is as long.
    pub is_exact: bool,
    pub place: CallRef,
    pub begun_ns: i128,
    /// Order among those of its communicator and process.
    pub order: u64,
    pub matched: Option<u32>,
    pub is_done: bool,
    pub is_cancelled: bool,
    /// The receiver's id of the communicator.
    pub local_comm: u32,
    /// In the replay: it has begun.
    pub is_posted: bool,
    /// In the replay: it is complete for the process.
    pub is_over: bool,
    /// See [`Message::number`].
    pub number: u32,
    held: u32,
}

impl Receive {
    fn fits(&self, message: &Message) -> bool {
        self.source.is_none_or(|s| s == message.sender) && self.tag.is_none_or(|t| t == message.tag)
    }
}

/// Messages from one process to another in a communicator, and receives that name it.
#[derive(Default)]
struct Channel {
    queue: VecDeque<u32>,
    posted: VecDeque<u32>,
    sent: u64,
}

/// What arrives at one process in one communicator.
#[derive(Default)]
struct Mailbox {
    channels: FxHashMap<u32, Channel>,
    /// Receives of any source that are open.
    wild: VecDeque<u32>,
    posted: u64,
    /// The status of a receive is unknown.
    is_uncertain: bool,
}

/// All of a run.
#[derive(Default)]
pub(crate) struct Messages {
    pub messages: Slab<Message>,
    pub receives: Slab<Receive>,
    numbers: FxHashMap<(u32, u32), u32>,
    boxes: Vec<Mailbox>,
    of_receiver: FxHashMap<u32, Vec<u32>>,
    /// Pairs since they were taken last.
    pub pairs: Vec<(u32, u32)>,
}

/// Why something that waits did not get something that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    Tag,
    Comm,
    Source,
}

pub(crate) struct NewMessage {
    pub sender: u32,
    pub receiver: u32,
    pub comm: u32,
    pub tag: i32,
    pub data: Option<Signature>,
    pub mode: u64,
    pub partitions: u32,
    pub place: CallRef,
    pub begun_ns: i128,
}

pub(crate) struct NewReceive {
    pub receiver: u32,
    pub comm: u32,
    pub source: Option<u32>,
    pub tag: Option<i32>,
    pub data: Option<Signature>,
    pub is_exact: bool,
    pub place: CallRef,
    pub begun_ns: i128,
    pub local_comm: u32,
}

impl Messages {
    fn mailbox(&mut self, comm: u32, receiver: u32) -> usize {
        *self.numbers.entry((comm, receiver)).or_insert_with(|| {
            self.boxes.push(Mailbox::default());
            let number = self.boxes.len() as u32 - 1;
            self.of_receiver.entry(receiver).or_default().push(number);
            number
        }) as usize
    }

    pub fn send(&mut self, new: NewMessage) -> u32 {
        let number = self.mailbox(new.comm, new.receiver);
        let channel = self.boxes[number].channels.entry(new.sender).or_default();
        channel.sent += 1;
        let message = Message {
            sender: new.sender,
            receiver: new.receiver,
            comm: new.comm,
            tag: new.tag,
            data: new.data,
            mode: new.mode,
            unready: new.partitions,
            place: new.place,
            begun_ns: new.begun_ns,
            order: channel.sent,
            matched: None,
            is_done: false,
            is_cancelled: false,
            is_given_up: false,
            is_issued: false,
            is_kept: false,
            clock: Clock::default(),
            number: NONE,
            held: 2,
        };
        let id = self.messages.insert(message);
        channel.queue.push_back(id);
        if !channel.posted.is_empty() {
            self.resolve(number, new.sender);
        }
        self.take_unknown(number);
        id
    }

    /// Receives of a process in a communicator so far.
    pub fn posted(&mut self, comm: u32, receiver: u32) -> u64 {
        let number = self.mailbox(comm, receiver);
        self.boxes[number].posted
    }

    pub fn receive(&mut self, new: NewReceive) -> u32 {
        let number = self.mailbox(new.comm, new.receiver);
        let mailbox = &mut self.boxes[number];
        mailbox.posted += 1;
        let receive = Receive {
            receiver: new.receiver,
            comm: new.comm,
            source: new.source,
            tag: new.tag,
            is_wild: new.source.is_none(),
            asked_tag: new.tag,
            data: new.data,
            is_exact: new.is_exact,
            place: new.place,
            begun_ns: new.begun_ns,
            order: mailbox.posted,
            matched: None,
            is_done: false,
            is_cancelled: false,
            local_comm: new.local_comm,
            is_posted: false,
            is_over: false,
            number: NONE,
            held: 2,
        };
        let id = self.receives.insert(receive);
        match new.source {
            Some(source) => {
                let channel = mailbox.channels.entry(source).or_default();
                channel.posted.push_back(id);
                if !channel.queue.is_empty() {
                    self.resolve(number, source);
                }
            }
            None => mailbox.wild.push_back(id),
        }
        id
    }

    /// Pairs what has become clear between `source` and the owner of a mailbox.
    fn resolve(&mut self, number: usize, source: u32) {
        let Messages { messages, receives, boxes, pairs, .. } = self;
        let Mailbox { channels, wild, .. } = &mut boxes[number];
        let Some(channel) = channels.get_mut(&source) else { return };
        // Open receives before the one that is looked at, which may take what fits them.
        let mut open: Vec<(u64, Option<i32>)> =
            wild.iter().filter_map(|&w| receives.get(w)).map(|w| (w.order, w.tag)).collect();
        let mut at = 0;
        while at < channel.posted.len() && !channel.queue.is_empty() {
            let id = channel.posted[at];
            let Some(receive) = receives.get(id) else {
                channel.posted.remove(at);
                continue;
            };
            let found = channel.queue.iter().position(|&m| messages.get(m).is_some_and(|m| receive.fits(m)));
            let Some(place) = found else {
                at += 1;
                continue;
            };
            let message = channel.queue[place];
            let tag = messages.get(message).map_or(0, |m| m.tag);
            if open.iter().any(|&(order, of)| order < receive.order && of.is_none_or(|t| t == tag)) {
                // What it takes depends on one before it; so does what those after it take.
                open.push((receive.order, receive.tag));
                at += 1;
                continue;
            }
            channel.queue.remove(place);
            channel.posted.remove(at);
            if let (Some(m), Some(r)) = (messages.get_mut(message), receives.get_mut(id)) {
                (m.matched, r.matched) = (Some(id), Some(message));
            }
            pairs.push((message, id));
        }
    }

    /// What is open in any channel of a mailbox may have become clear.
    fn resolve_all(&mut self, number: usize) {
        let ready: Vec<u32> = self.boxes[number]
            .channels
            .iter()
            .filter(|(_, c)| !c.posted.is_empty() && !c.queue.is_empty())
            .map(|(&source, _)| source)
            .collect();
        for source in ready {
            self.resolve(number, source);
        }
    }

    /// Status of a receive: source and tag of its message.
    pub fn status(&mut self, id: u32, source: u32, tag: i32) {
        let Some(receive) = self.receives.get_mut(id) else { return };
        if receive.matched.is_some() {
            return;
        }
        // Source and tag of the call count, whatever the status contains.
        receive.tag.get_or_insert(tag);
        let (order, comm, receiver) = (receive.order, receive.comm, receive.receiver);
        let was_open = receive.source.is_none();
        let source = *receive.source.get_or_insert(source);
        let number = self.mailbox(comm, receiver);
        if was_open {
            let mailbox = &mut self.boxes[number];
            mailbox.wild.retain(|&w| w != id);
            let channel = mailbox.channels.entry(source).or_default();
            let receives = &self.receives;
            let before = |&r: &u32| receives.get(r).is_some_and(|r| r.order < order);
            let at = channel.posted.iter().rposition(before).map_or(0, |at| at + 1);
            channel.posted.insert(at, id);
            if mailbox.channels.len() > 1 {
                self.resolve_all(number);
                return;
            }
        }
        self.resolve(number, source);
    }

    /// A wildcard receive is complete and its message is unknown: the first that matches.
    pub fn status_unknown(&mut self, id: u32) {
        let Some(receive) = self.receives.get(id) else { return };
        if receive.matched.is_some() || receive.source.is_some() {
            return;
        }
        let number = self.mailbox(receive.comm, receive.receiver);
        self.boxes[number].is_uncertain = true;
        self.take_unknown(number);
    }

    fn take_unknown(&mut self, number: usize) {
        let mailbox = &self.boxes[number];
        if !mailbox.is_uncertain {
            return;
        }
        let over = mailbox.wild.iter().copied().find(|&w| self.receives.get(w).is_some_and(|r| r.is_done));
        let Some(id) = over else { return };
        let Some(receive) = self.receives.get(id) else { return };
        let first = mailbox
            .channels
            .values()
            .filter_map(|c| c.queue.iter().filter_map(|&m| self.messages.get(m)).find(|m| receive.fits(m)))
            .min_by_key(|m| (m.begun_ns, m.sender));
        if let Some((sender, tag)) = first.map(|m| (m.sender, m.tag)) {
            self.status(id, sender, tag);
        }
    }

    /// Statuses were lost, or threads share the mailbox: its pairs are a guess.
    pub fn is_uncertain(&self, comm: u32, receiver: u32) -> bool {
        self.numbers.get(&(comm, receiver)).is_some_and(|&n| self.boxes[n as usize].is_uncertain)
    }

    /// The same of any mailbox.
    pub fn has_uncertain(&self) -> bool {
        self.boxes.iter().any(|mailbox| mailbox.is_uncertain)
    }

    /// A receive is complete for the calls of its process.
    pub fn receive_done(&mut self, id: u32) {
        if let Some(receive) = self.receives.get_mut(id)
            && !receive.is_done
        {
            receive.is_done = true;
            self.release_receive(id);
        }
    }

    pub fn send_done(&mut self, id: u32) {
        if let Some(message) = self.messages.get_mut(id)
            && !message.is_done
        {
            message.is_done = true;
            self.release_message(id);
        }
    }

    pub fn hold_message(&mut self, id: u32) {
        if let Some(message) = self.messages.get_mut(id) {
            message.held += 1;
        }
    }

    pub fn hold_receive(&mut self, id: u32) {
        if let Some(receive) = self.receives.get_mut(id) {
            receive.held += 1;
        }
    }

    pub fn release_message(&mut self, id: u32) {
        let Some(message) = self.messages.get_mut(id) else { return };
        message.held = message.held.saturating_sub(1);
        if message.held > 0 {
            return;
        }
        let other = message.matched;
        if other.is_none_or(|r| self.receives.get(r).is_none_or(|r| r.held == 0)) {
            self.messages.remove(id);
            other.and_then(|r| self.receives.remove(r));
        }
    }

    pub fn release_receive(&mut self, id: u32) {
        let Some(receive) = self.receives.get_mut(id) else { return };
        receive.held = receive.held.saturating_sub(1);
        if receive.held > 0 {
            return;
        }
        let other = receive.matched;
        if other.is_none_or(|m| self.messages.get(m).is_none_or(|m| m.held == 0)) {
            self.receives.remove(id);
            other.and_then(|m| self.messages.remove(m));
        }
    }

    /// A receive was cancelled: it takes nothing, and what it was thought to have taken is free again.
    pub fn cancel_receive(&mut self, id: u32) {
        let Some(receive) = self.receives.get_mut(id) else { return };
        receive.is_cancelled = true;
        let (comm, receiver, matched) = (receive.comm, receive.receiver, receive.matched.take());
        let number = self.mailbox(comm, receiver);
        let mailbox = &mut self.boxes[number];
        mailbox.wild.retain(|&w| w != id);
        for channel in mailbox.channels.values_mut() {
            channel.posted.retain(|&r| r != id);
        }
        if let Some(m) = matched
            && let Some(message) = self.messages.get_mut(m)
        {
            message.matched = None;
            let (order, sender) = (message.order, message.sender);
            let messages = &self.messages;
            let channel = mailbox.channels.entry(sender).or_default();
            let before = |&m: &u32| messages.get(m).is_some_and(|m| m.order < order);
            let at = channel.queue.iter().rposition(before).map_or(0, |at| at + 1);
            channel.queue.insert(at, m);
        } else {
            self.release_receive(id);
        }
        self.resolve_all(number);
        self.receive_done(id);
    }

    /// The program cancels a send, or has freed its request, so that the result is not seen.
    pub fn give_up(&mut self, id: u32, freed: bool) {
        let Some(message) = self.messages.get_mut(id) else { return };
        message.is_given_up |= !freed;
        let (comm, receiver) = (message.comm, message.receiver);
        if freed && message.is_given_up && message.matched.is_none() {
            let number = self.mailbox(comm, receiver);
            self.boxes[number].is_uncertain = true;
        }
    }

    /// A send was cancelled.
    pub fn cancel_send(&mut self, id: u32) {
        let Some(message) = self.messages.get_mut(id) else { return };
        message.is_cancelled = true;
        let (comm, receiver, sender, matched) =
            (message.comm, message.receiver, message.sender, message.matched.take());
        let number = self.mailbox(comm, receiver);
        if let Some(channel) = self.boxes[number].channels.get_mut(&sender) {
            channel.queue.retain(|&m| m != id);
        }
        if let Some(r) = matched
            && let Some(receive) = self.receives.get_mut(r)
        {
            receive.matched = None;
            let order = receive.order;
            let receives = &self.receives;
            let channel = self.boxes[number].channels.entry(sender).or_default();
            let before = |&r: &u32| receives.get(r).is_some_and(|r| r.order < order);
            let at = channel.posted.iter().rposition(before).map_or(0, |at| at + 1);
            channel.posted.insert(at, r);
        } else {
            self.release_message(id);
        }
        self.resolve_all(number);
        self.send_done(id);
    }

    /// Whether an available message matches a probe or a posted receive of `receiver`.
    pub fn has_message(&self, comm: u32, receiver: u32, source: Option<u32>, tag: Option<i32>) -> bool {
        let Some(&number) = self.numbers.get(&(comm, receiver)) else { return false };
        let fits = |m: &u32| self.messages.get(*m).is_some_and(|m| tag.is_none_or(|t| t == m.tag));
        let channels = &self.boxes[number as usize].channels;
        match source {
            Some(source) => channels.get(&source).is_some_and(|c| c.queue.iter().any(fits)),
            None => channels.values().any(|c| c.queue.iter().any(fits)),
        }
    }

    /// Whether an open receive could take a message.
    pub fn has_receive(&self, message: &Message) -> bool {
        let Some(&number) = self.numbers.get(&(message.comm, message.receiver)) else { return false };
        let mailbox = &self.boxes[number as usize];
        let fits = |r: &u32| self.receives.get(*r).is_some_and(|r| r.fits(message));
        mailbox.wild.iter().any(fits)
            || mailbox.channels.get(&message.sender).is_some_and(|c| c.posted.iter().any(fits))
    }

    /// Those of a process, one for each communicator.
    fn mailboxes(&self, receiver: u32) -> impl Iterator<Item = &Mailbox> {
        self.of_receiver.get(&receiver).into_iter().flatten().map(|&number| &self.boxes[number as usize])
    }

    /// Messages that wait at a process, in the order in which they were sent; and its open receives.
    pub fn outstanding(&self, receiver: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut messages, mut receives) = (Vec::new(), Vec::new());
        for mailbox in self.mailboxes(receiver) {
            receives.extend(mailbox.wild.iter().copied());
            for channel in mailbox.channels.values() {
                messages.extend(channel.queue.iter().copied());
                receives.extend(channel.posted.iter().copied());
            }
        }
        messages.sort_by_key(|&m| self.messages.get(m).map(|m| (m.comm, m.sender, m.order)));
        receives.sort_by_key(|&r| self.receives.get(r).map(|r| (r.comm, r.order)));
        (messages, receives)
    }

    /// What nearly fits a receive or probe: a message that waits and differs in one thing.
    pub fn near(&self, receiver: u32, comm: u32, source: Option<u32>, tag: Option<i32>) -> Option<(u32, Miss)> {
        let miss = |&id: &u32| {
            let m = self.messages.get(id)?;
            let (same, source, tag) =
                (m.comm == comm, source.is_none_or(|s| s == m.sender), tag.is_none_or(|t| t == m.tag));
            miss_of(same, source, tag).map(|miss| ((miss as u8, m.comm, m.sender, m.order), id, miss))
        };
        let channels = self.mailboxes(receiver).flat_map(|mailbox| mailbox.channels.values());
        let nearest = channels.flat_map(|channel| &channel.queue).filter_map(miss).min_by_key(|(order, ..)| *order);
        nearest.map(|(_, id, miss)| (id, miss))
    }

    /// An open receive that nearly fits a message.
    pub fn near_receive(&self, message: &Message) -> Option<(u32, Miss)> {
        let miss = |&id: &u32| {
            let r = self.receives.get(id)?;
            let (comm, source, tag) = (
                r.comm == message.comm,
                r.source.is_none_or(|s| s == message.sender),
                r.tag.is_none_or(|t| t == message.tag),
            );
            miss_of(comm, source, tag).map(|miss| ((miss as u8, r.comm, r.order), id, miss))
        };
        let open = self.mailboxes(message.receiver).flat_map(|mailbox| {
            let posted = mailbox.channels.values().flat_map(|channel| &channel.posted);
            mailbox.wild.iter().chain(posted)
        });
        let nearest = open.filter_map(miss).min_by_key(|(order, ..)| *order);
        nearest.map(|(_, id, miss)| (id, miss))
    }

    /// Everything that is left: sends without a receive and receives without a message, in a fixed order.
    pub fn left(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut messages, mut receives) = (Vec::new(), Vec::new());
        let mut receivers: Vec<u32> = self.of_receiver.keys().copied().collect();
        receivers.sort_unstable();
        for receiver in receivers {
            let (m, r) = self.outstanding(receiver);
            messages.extend(m);
            receives.extend(r);
        }
        (messages, receives)
    }
}

fn miss_of(comm: bool, source: bool, tag: bool) -> Option<Miss> {
    match (comm, source, tag) {
        (true, true, false) => Some(Miss::Tag),
        (false, true, true) => Some(Miss::Comm),
        (true, false, true) => Some(Miss::Source),
        _ => None,
    }
}
