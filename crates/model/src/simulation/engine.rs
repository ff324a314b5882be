//! The run of a program on a network: event by event, in order of time.
//!
//! A rank's call is processed as a whole when the rank enters it, up to a part that has to wait for another rank. Messages
//! and operations keep only what is in flight, so memory does not grow with the length of the run.

mod rendezvous;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::algorithms::{Meeting, UNKNOWN};
use super::flows::{Ends, Flows, Passage};
use super::network::Network;
use super::program::{Id, Kind, Mode, Part, Section, Shape, Step};

/// Why a rank waits in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Waiting {
    /// For a message whose send has not begun.
    LateSender,
    /// For a receive that is not posted.
    LateReceiver,
    /// For other members of an operation in which all wait for all.
    AllMembers,
    /// For the root.
    LateRoot,
    /// As the root, for others.
    EarlyRoot,
    /// In a scan, for those before.
    EarlierMembers,
    /// For another rank in an epoch of one-sided communication.
    Epoch,
    /// For the target of an access to enter MPI: only if there is no progress while ranks compute.
    Target,
}

impl Waiting {
    /// All, in the order of [`Outcome::waits_ns`].
    pub const ALL: [Waiting; 8] = [
        Waiting::LateSender,
        Waiting::LateReceiver,
        Waiting::AllMembers,
        Waiting::LateRoot,
        Waiting::EarlyRoot,
        Waiting::EarlierMembers,
        Waiting::Epoch,
        Waiting::Target,
    ];

    /// That of an operation.
    pub fn of(shape: Shape) -> Waiting {
        match shape {
            Shape::AllToAll => Waiting::AllMembers,
            Shape::FromRoot => Waiting::LateRoot,
            Shape::ToRoot => Waiting::EarlyRoot,
            Shape::Chain => Waiting::EarlierMembers,
        }
    }
}

/// Sees each call as it ends.
pub trait Watch {
    /// A rank has been in a call from `start_ns` to `end_ns`.
    fn step(&mut self, rank: u32, step: &Step, start_ns: u64, end_ns: u64);
}

/// Sees nothing.
impl Watch for () {
    fn step(&mut self, _: u32, _: &Step, _: u64, _: u64) {}
}

/// The run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// When each rank began and ended, ns.
    pub starts_ns: Vec<u64>,
    /// See above.
    pub ends_ns: Vec<u64>,
    /// Time of all ranks in waits, ns, by [`Waiting::ALL`].
    pub waits_ns: [u64; Waiting::ALL.len()],
    /// Calls.
    pub calls: u64,
    /// Waits that nothing would have ended: parts of the run are missing.
    pub released: u64,
}

impl Outcome {
    /// From the first beginning to the last end, ns.
    pub fn time_ns(&self) -> u64 {
        let end = self.ends_ns.iter().max().copied().unwrap_or(0);
        end - self.starts_ns.iter().min().copied().unwrap_or(0).min(end)
    }
}

#[derive(Clone, Copy)]
struct Message {
    /// When the send began; `UNKNOWN` until then.
    sent_ns: u64,
    /// When the receive was posted.
    posted_ns: u64,
    /// When it is there (eager), or when the receiver leaves (rendezvous).
    there_ns: u64,
    /// Eager: from when its send may be over, since its receiver has taken it. Rendezvous: when the sender leaves, if that is before the
    /// receiver does; `UNKNOWN` if not.
    taken_ns: u64,
    /// By rendezvous: when both ends were ready.
    both_ns: u64,
    /// Sender and receiver.
    ends: (u32, u32),
    bytes: u64,
    is_eager: bool,
    /// By rendezvous: both ends were ready.
    is_moving: bool,
    is_received: bool,
    is_send_over: bool,
    /// Its data are packed or unpacked by the ranks; see [`super::Network::packing`].
    is_packed: bool,
    /// The message whose data contain its own.
    carrier: Option<Id>,
}

impl Default for Message {
    fn default() -> Message {
        Message {
            sent_ns: UNKNOWN,
            posted_ns: UNKNOWN,
            there_ns: UNKNOWN,
            taken_ns: 0,
            both_ns: 0,
            ends: (0, 0),
            bytes: 0,
            is_eager: false,
            is_packed: false,
            is_moving: false,
            is_received: false,
            is_send_over: false,
            carrier: None,
        }
    }
}

struct Operation {
    kind: u32,
    entries_ns: Vec<u64>,
    exits_ns: Vec<u64>,
    /// When the last of those who have come came.
    latest_ns: u64,
    arrived: u32,
    left: u32,
}

/// What a rank reaches, and another one waits for: the one that comes first notes it.
enum Reached {
    /// When it was reached, ns.
    At(u64),
    /// The rank that waits for it.
    Waiting(u32),
    /// Nobody waits for it any more.
    NotNeeded,
}

/// Where a rank is.
struct Rank {
    /// The section, counted from the first one of all, and the step in it.
    section: u64,
    step: usize,
    /// The part that it is at, inside a call.
    part: Option<usize>,
    now_ns: u64,
    entered_ns: u64,
    /// When the present call began to await messages.
    awaits_from_ns: u64,
    /// Until when it packs or unpacks data.
    packs_until_ns: u64,
    /// Until when it is inside MPI.
    inside_until_ns: u64,
    /// What the part that it is at waits for.
    blocked: Option<Id>,
    /// The longest wait of the present call.
    wait: (u64, Option<Waiting>),
    /// Messages whose protocol goes on when it is inside MPI again.
    handshakes: Vec<Id>,
    is_over: bool,
}

/// What happens at a moment: a rank goes on, or the flow with this number and [`FLOW`] ends, or the answer with this number and [`ANSWER`]
/// leaves its rank. The number orders what happens at the same moment.
type Event = Reverse<(u64, u32)>;

/// Set in the numbers of flows.
const FLOW: u32 = 1 << 31;
/// Set in the numbers of answers.
const ANSWER: u32 = 1 << 30;

/// See the module.
pub struct Simulation {
    network: Arc<Network>,
    kinds: Vec<Kind>,
    sections: VecDeque<Arc<Section>>,
    first_section: u64,
    ranks: Vec<Rank>,
    events: BinaryHeap<Event>,
    messages: FxHashMap<Id, Message>,
    /// Messages inside others that are not there yet, by these.
    carried: FxHashMap<Id, Vec<Id>>,
    operations: FxHashMap<Id, Operation>,
    reached: FxHashMap<Id, Reached>,
    flows: Flows,
    /// Messages by rendezvous to which a receiver answers later, by number; see [`super::Link::answers_queue`].
    answers: Vec<Id>,
    /// Numbers that are free.
    free_answers: Vec<u32>,
    /// No event after this moment may be processed: a rank has no more calls yet.
    limit_ns: u64,
    is_last: bool,
    outcome: Outcome,
}

impl Simulation {
    /// Of ranks that begin at these moments, ns.
    pub fn new(network: Arc<Network>, starts_ns: &[u64]) -> Simulation {
        let rank = |&now_ns: &u64| Rank {
            section: 0,
            step: 0,
            part: None,
            now_ns,
            entered_ns: now_ns,
            awaits_from_ns: UNKNOWN,
            packs_until_ns: 0,
            inside_until_ns: 0,
            blocked: None,
            wait: (0, None),
            handshakes: Vec::new(),
            is_over: false,
        };
        Simulation {
            flows: Flows::new(network.ways(), network.in_order),
            network,
            kinds: Vec::new(),
            sections: VecDeque::new(),
            first_section: 0,
            ranks: starts_ns.iter().map(rank).collect(),
            events: BinaryHeap::new(),
            messages: FxHashMap::default(),
            carried: FxHashMap::default(),
            operations: FxHashMap::default(),
            reached: FxHashMap::default(),
            answers: Vec::new(),
            free_answers: Vec::new(),
            limit_ns: 0,
            is_last: false,
            outcome: Outcome { starts_ns: starts_ns.to_vec(), ..Outcome::default() },
        }
    }

    /// Takes the next section and goes on as far as it is known what ranks do.
    pub fn add(&mut self, section: &Arc<Section>, watch: &mut impl Watch) {
        self.kinds.extend(section.kinds.iter().cloned());
        self.is_last = section.is_last;
        self.sections.push_back(section.clone());
        self.limit_ns = u64::MAX;
        for rank in 0..self.ranks.len() as u32 {
            let of = &self.ranks[rank as usize];
            // One that is inside a call, or has an event, is not at the end of what is known.
            if of.part.is_none() && !of.is_over && self.was_without_calls(rank) {
                self.schedule_next(rank);
            }
        }
        self.run(watch);
        let first = self.ranks.iter().filter(|of| !of.is_over).map(|of| of.section).min();
        let first = first.unwrap_or(self.first_section + self.sections.len() as u64);
        while self.first_section < first && self.sections.pop_front().is_some() {
            self.first_section += 1;
        }
    }

    /// All that has happened; after the last section.
    pub fn finish(mut self) -> Outcome {
        self.outcome.ends_ns = self.ranks.iter().map(|of| of.now_ns).collect();
        self.outcome
    }

    fn was_without_calls(&self, rank: u32) -> bool {
        // The section that has just come is the first one with calls for it.
        let last = self.first_section + self.sections.len() as u64 - 1;
        self.ranks[rank as usize].section == last
    }

    /// The step that a rank is at.
    fn step_of(&self, rank: u32) -> Option<&Step> {
        let of = &self.ranks[rank as usize];
        let section = self.sections.get((of.section - self.first_section) as usize)?;
        section.ranks.get(rank as usize)?.steps.get(of.step)
    }

    /// Moves a rank to the next section with calls for it, if there is one. Gives how long it computes before the next call, ns.
    fn find_step(&mut self, rank: u32) -> Option<u64> {
        loop {
            if let Some(step) = self.step_of(rank) {
                return Some(step.gap_ns);
            }
            let of = &mut self.ranks[rank as usize];
            if of.section >= self.first_section + self.sections.len() as u64 {
                return None;
            }
            (of.section, of.step) = (of.section + 1, 0);
        }
    }

    /// The rank computes, and then enters its next call.
    fn schedule_next(&mut self, rank: u32) {
        if let Some(gap_ns) = self.find_step(rank) {
            self.events.push(Reverse((self.ranks[rank as usize].now_ns + gap_ns, rank)));
        } else if self.is_last {
            self.ranks[rank as usize].is_over = true;
        } else {
            self.limit_ns = self.limit_ns.min(self.ranks[rank as usize].now_ns);
        }
    }

    fn run(&mut self, watch: &mut impl Watch) {
        loop {
            while let Some(&Reverse((at_ns, rank))) = self.events.peek() {
                if at_ns > self.limit_ns {
                    return;
                }
                self.events.pop();
                match rank {
                    flow if flow & FLOW != 0 => self.end_flow(flow & !FLOW, at_ns),
                    answer if answer & ANSWER != 0 => self.answer(answer & !ANSWER, at_ns),
                    rank => self.go(rank, at_ns, watch),
                }
            }
            if !self.is_last || !self.release() {
                return;
            }
        }
    }

    /// Nothing can happen any more, but ranks wait: what they wait for is missing from the run. The one that is first goes on.
    fn release(&mut self) -> bool {
        let blocked = self.ranks.iter().enumerate().filter(|(_, of)| of.blocked.is_some());
        let Some((rank, _)) = blocked.min_by_key(|(at, of)| (of.now_ns, *at)) else { return false };
        self.outcome.released += 1;
        let of = &mut self.ranks[rank];
        of.part = of.part.map(|part| part + 1);
        of.blocked = None;
        self.events.push(Reverse((of.now_ns, rank as u32)));
        true
    }

    /// A rank enters its next call, or goes on in the one in which it has waited.
    fn go(&mut self, rank: u32, at_ns: u64, watch: &mut impl Watch) {
        let Some(&step) = self.step_of(rank) else { return };
        let at = rank as usize;
        let mut part = match self.ranks[at].part {
            Some(part) => {
                self.ranks[at].blocked = None;
                part
            }
            None => {
                let of = &mut self.ranks[at];
                (of.now_ns, of.entered_ns) = (at_ns, at_ns);
                (of.part, of.wait, of.awaits_from_ns) = (Some(0), (0, None), UNKNOWN);
                for id in std::mem::take(&mut of.handshakes) {
                    self.progress(id, at_ns);
                }
                0
            }
        };
        let section = (self.ranks[at].section - self.first_section) as usize;
        // Not the section itself: counting who holds it, for each call, costs more than looking it up.
        while let Some(&of_step) = self.sections[section].ranks[at].parts_of(&step).get(part) {
            self.ranks[at].part = Some(part);
            if !self.do_part(rank, of_step) {
                return;
            }
            part += 1;
        }
        let of = &mut self.ranks[at];
        of.now_ns += step.own_ns;
        (of.part, of.inside_until_ns) = (None, of.now_ns);
        if let (ns, Some(kind)) = of.wait {
            self.outcome.waits_ns[kind as usize] += ns;
        }
        self.outcome.calls += 1;
        watch.step(rank, &step, of.entered_ns, of.now_ns);
        of.step += 1;
        self.schedule_next(rank);
    }

    /// Whether the part is over; if not, the rank waits.
    fn do_part(&mut self, rank: u32, part: Part) -> bool {
        match part {
            Part::Send { id, to, bytes, mode } => self.send(rank, (id, to, bytes, mode)),
            Part::Receive { id, from, bytes } => self.post(rank, (id, from, bytes)),
            Part::Inside { id, carrier } => self.carry(rank, id, carrier),
            Part::AwaitSent(id) => return self.await_sent(rank, id),
            Part::AwaitReceived(id) => return self.await_received(rank, id),
            Part::Reach(id) => self.reach(rank, id),
            Part::AwaitReached { id, kind } => return self.await_reached(rank, id, kind),
            Part::Enter { id, kind, member } => self.enter(rank, (id, kind, member)),
            Part::Leave { id, member } => return self.leave(rank, id, member as usize),
        }
        true
    }

    fn waits(&mut self, rank: u32, ns: u64, kind: Waiting) {
        let wait = &mut self.ranks[rank as usize].wait;
        if ns > wait.0 {
            *wait = (ns, Some(kind));
        }
    }

    fn send(&mut self, rank: u32, (id, to, bytes, mode): (Id, u32, u64, Mode)) {
        let now_ns = self.ranks[rank as usize].now_ns;
        let link = self.network.link(rank, to);
        let is_eager = match mode {
            Mode::Buffered => true,
            Mode::Standard => bytes <= link.eager_bytes,
            Mode::Synchronous => false,
        };
        let busy_ns = if is_eager { link.send.at(bytes) } else { link.send.at(0) } as u64;
        let flight_ns = (link.transit.at(bytes) - link.receive.at(bytes)).max(0.0) as u64;
        let is_held = is_eager && mode == Mode::Standard && link.is_held(bytes);
        let is_packed = self.packs(rank);
        let message = self.messages.entry(id).or_default();
        (message.sent_ns, message.ends, message.bytes, message.is_eager) = (now_ns, (rank, to), bytes, is_eager);
        message.is_packed |= is_packed;
        message.taken_ns = if is_held || !is_eager { UNKNOWN } else { 0 };
        self.ranks[rank as usize].now_ns += busy_ns;
        if is_eager {
            self.fly((id, rank, to), bytes, now_ns, now_ns + flight_ns.max(busy_ns));
        }
        if is_held || !is_eager {
            self.progress(id, now_ns);
        }
    }

    /// Whether the data of a rank's present call are packed.
    fn packs(&self, rank: u32) -> bool {
        !self.network.packing.is_empty() && self.step_of(rank).is_some_and(|step| self.network.packs(rank, step.facts))
    }

    /// What a message needs of ranks that are inside MPI.
    fn progress(&mut self, id: Id, now_ns: u64) {
        match self.messages.get(&id) {
            Some(message) if message.is_eager => self.take_out(id, now_ns),
            Some(_) => self.shake_hands(id, now_ns),
            None => {}
        }
    }

    /// Whether a rank is inside MPI at a moment; if not, the message goes on when it is.
    fn is_inside(&mut self, rank: u32, id: Id, at_ns: u64) -> bool {
        let of = &mut self.ranks[rank as usize];
        let is_inside = self.network.always_progresses || of.part.is_some() || of.inside_until_ns >= at_ns;
        if !is_inside {
            of.handshakes.push(id);
        }
        is_inside
    }

    /// An eager message whose send is held: the receiver takes it out of the sender's buffer when it is inside MPI.
    fn take_out(&mut self, id: Id, now_ns: u64) {
        let Some(&Message { ends: (from, to), taken_ns: UNKNOWN, .. }) = self.messages.get(&id) else { return };
        if !self.is_inside(to, id, now_ns) {
            return;
        }
        if let Some(message) = self.messages.get_mut(&id) {
            message.taken_ns = now_ns;
        }
        if self.is_waiting_for(from, id) {
            self.events.push(Reverse((now_ns, from)));
        }
    }

    /// The data of a message move from `begin_ns` on; they are there at `there_ns` if no other message hinders them.
    fn fly(&mut self, (id, from, to): (Id, u32, u32), bytes: u64, begin_ns: u64, there_ns: u64) {
        let alone_ns = self.network.link(from, to).port_ns(bytes);
        if alone_ns <= 0.0 {
            return self.is_there(id, there_ns);
        }
        let delay_ns = (there_ns - begin_ns).saturating_sub(alone_ns as u64);
        // Parts of long messages alternate.
        let line = self.messages.get(&id).is_some_and(|message| message.is_eager).then_some((from, to));
        let passage = Passage { id, begin_ns, alone_ns, delay_ns };
        let ends = self.flows.begin(passage, self.network.way(from, to), line);
        self.flows_end(ends);
    }

    fn flows_end(&mut self, ends: Vec<Ends>) {
        self.events.extend(ends.into_iter().map(|Ends { slot, at_ns }| Reverse((at_ns, slot | FLOW))));
    }

    fn end_flow(&mut self, slot: u32, at_ns: u64) {
        let Some((id, there_ns, others)) = self.flows.end(slot, at_ns) else { return };
        self.flows_end(others);
        self.is_there(id, there_ns);
    }

    /// The data of a message are there then: those who wait for it go on.
    fn is_there(&mut self, id: Id, there_ns: u64) {
        let Some(message) = self.messages.get_mut(&id) else { return };
        message.there_ns = there_ns;
        let (from, to) = message.ends;
        // By rendezvous, a sender that leaves before the receiver has gone on already, or will.
        let sender = Some(from).filter(|_| message.is_eager || message.taken_ns == UNKNOWN);
        for rank in [sender, Some(to)].into_iter().flatten() {
            if self.is_waiting_for(rank, id) {
                self.events.push(Reverse((there_ns, rank)));
            }
        }
        for id in self.carried.remove(&id).unwrap_or_default() {
            self.is_there(id, there_ns);
        }
    }

    fn post(&mut self, rank: u32, (id, from, bytes): (Id, u32, u64)) {
        let now_ns = self.ranks[rank as usize].now_ns;
        let is_packed = self.packs(rank);
        let message = self.messages.entry(id).or_default();
        (message.posted_ns, message.ends) = (message.posted_ns.min(now_ns), (from, rank));
        message.is_packed |= is_packed;
        if message.sent_ns == UNKNOWN {
            message.bytes = bytes;
            return;
        }
        let (carrier, is_eager) = (message.carrier, message.is_eager);
        match carrier {
            Some(carrier) => self.post_carrier(carrier, now_ns, now_ns),
            None if !is_eager => self.shake_hands(id, now_ns),
            None => {}
        }
    }

    /// The data of a message travel inside another one, which the rank has just sent: it needs no time of its own, and its receiver has it
    /// when it has that one.
    fn carry(&mut self, rank: u32, id: Id, carrier: Id) {
        let now_ns = self.ranks[rank as usize].now_ns;
        let Some(&Message { sent_ns, ends, there_ns, .. }) = self.messages.get(&carrier) else { return };
        let message = self.messages.entry(id).or_default();
        (message.sent_ns, message.ends, message.is_eager, message.carrier) = (sent_ns, ends, true, Some(carrier));
        let posted_ns = message.posted_ns;
        if there_ns != UNKNOWN {
            return self.is_there(id, there_ns);
        }
        self.carried.entry(carrier).or_default().push(id);
        if posted_ns != UNKNOWN {
            self.post_carrier(carrier, posted_ns, now_ns);
        }
    }

    /// What receives several messages at once is posted where the first of them was received.
    fn post_carrier(&mut self, id: Id, posted_ns: u64, now_ns: u64) {
        let Some(message) = self.messages.get_mut(&id) else { return };
        message.posted_ns = message.posted_ns.min(posted_ns);
        if !message.is_eager {
            self.shake_hands(id, now_ns);
        }
    }

    fn is_waiting_for(&self, rank: u32, id: Id) -> bool {
        self.ranks.get(rank as usize).is_some_and(|of| of.blocked == Some(id))
    }

    /// From when a call awaits its messages. What it awaits second may take until the same moment, and be the reason as well: the longest wait
    /// of a call counts, as in the recorded run.
    fn awaits_from_ns(&mut self, rank: u32) -> u64 {
        let of = &mut self.ranks[rank as usize];
        of.awaits_from_ns = of.awaits_from_ns.min(of.now_ns);
        of.awaits_from_ns
    }

    fn await_sent(&mut self, rank: u32, id: Id) -> bool {
        let from_ns = self.awaits_from_ns(rank);
        let now_ns = self.ranks[rank as usize].now_ns;
        let Some(&message) = self.messages.get(&id) else { return true };
        if message.sent_ns == UNKNOWN {
            return true;
        }
        // Until when the send waits for its receiver, and until when it takes.
        let (ready_ns, over_ns) = match message.is_eager {
            true => (message.taken_ns, message.taken_ns),
            false => (message.posted_ns, message.taken_ns.min(message.there_ns)),
        };
        if over_ns == UNKNOWN {
            self.ranks[rank as usize].blocked = Some(id);
            return false;
        }
        self.waits(rank, ready_ns.saturating_sub(from_ns), Waiting::LateReceiver);
        self.ranks[rank as usize].now_ns = now_ns.max(over_ns);
        self.ends(id, |message| message.is_send_over = true);
        true
    }

    fn await_received(&mut self, rank: u32, id: Id) -> bool {
        let from_ns = self.awaits_from_ns(rank);
        let now_ns = self.ranks[rank as usize].now_ns;
        let message = match self.messages.get(&id) {
            Some(message) if message.there_ns != UNKNOWN => *message,
            _ => {
                self.ranks[rank as usize].blocked = Some(id);
                return false;
            }
        };
        self.waits(rank, message.sent_ns.saturating_sub(from_ns), Waiting::LateSender);
        let mut end_ns = now_ns.max(message.there_ns);
        if message.is_eager && message.carrier.is_none() {
            end_ns += self.network.link(message.ends.0, rank).receive.at(message.bytes) as u64;
        }
        self.ranks[rank as usize].now_ns = end_ns;
        self.ends(id, |message| message.is_received = true);
        true
    }

    /// One end of a message is over; it is forgotten after the other one.
    fn ends(&mut self, id: Id, mark: impl FnOnce(&mut Message)) {
        let Some(message) = self.messages.get_mut(&id) else { return };
        mark(message);
        let Message { is_received, is_send_over, is_eager, ends: (from, _), .. } = *message;
        // A send that is never awaited ends by itself where it is eager.
        if is_received && (is_send_over || is_eager && !self.is_waiting_for(from, id)) {
            self.messages.remove(&id);
        }
    }

    fn reach(&mut self, rank: u32, id: Id) {
        let at_ns = self.ranks[rank as usize].now_ns;
        match self.reached.insert(id, Reached::At(at_ns)) {
            // One that was released does not wait any more.
            Some(Reached::Waiting(other)) if self.is_waiting_for(other, id) => {
                self.events.push(Reverse((at_ns, other)));
            }
            Some(Reached::NotNeeded) => {
                self.reached.remove(&id);
            }
            _ => {}
        }
    }

    fn await_reached(&mut self, rank: u32, id: Id, kind: Waiting) -> bool {
        let now_ns = self.ranks[rank as usize].now_ns;
        let reached = self.reached.remove(&id);
        if kind == Waiting::Target && self.network.always_progresses {
            if reached.is_none() {
                self.reached.insert(id, Reached::NotNeeded);
            }
            return true;
        }
        let Some(Reached::At(at_ns)) = reached else {
            self.reached.insert(id, Reached::Waiting(rank));
            self.ranks[rank as usize].blocked = Some(id);
            return false;
        };
        self.waits(rank, at_ns.saturating_sub(now_ns), kind);
        self.ranks[rank as usize].now_ns = now_ns.max(at_ns);
        true
    }

    fn enter(&mut self, rank: u32, (id, kind, member): (Id, u32, u32)) {
        let now_ns = self.ranks[rank as usize].now_ns;
        let Some(of_kind) = self.kinds.get(kind as usize) else { return };
        let size = of_kind.members.len();
        let operation = self.operations.entry(id).or_insert_with(|| Operation {
            kind,
            entries_ns: vec![UNKNOWN; size],
            exits_ns: vec![UNKNOWN; size],
            latest_ns: 0,
            arrived: 0,
            left: 0,
        });
        let Some(entry) = operation.entries_ns.get_mut(member as usize) else { return };
        *entry = now_ns;
        operation.latest_ns = operation.latest_ns.max(now_ns);
        operation.arrived += 1;
        let meeting = Meeting::new(&self.network, kind, of_kind);
        let resolved = operation.resolve(&meeting, member as usize, of_kind.present);
        for (member, exit_ns) in resolved {
            let other = of_kind.members[member];
            if self.ranks.get(other as usize).is_some_and(|of| of.blocked == Some(id)) {
                self.events.push(Reverse((exit_ns.max(now_ns), other)));
            }
        }
    }

    fn leave(&mut self, rank: u32, id: Id, member: usize) -> bool {
        let now_ns = self.ranks[rank as usize].now_ns;
        let Some(operation) = self.operations.get_mut(&id) else { return true };
        let Some(kind) = self.kinds.get(operation.kind as usize) else { return true };
        let Some(&exit_ns) = operation.exits_ns.get(member) else { return true };
        if exit_ns == UNKNOWN {
            self.ranks[rank as usize].blocked = Some(id);
            return false;
        }
        let needed_ns = match kind.shape {
            Shape::AllToAll => operation.latest_ns,
            Shape::FromRoot => known(operation.entries_ns.get(kind.root as usize)),
            Shape::ToRoot if member == kind.root as usize => operation.latest_ns,
            Shape::ToRoot => 0,
            Shape::Chain => operation.entries_ns[..member].iter().map(|ns| known(Some(ns))).max().unwrap_or(0),
        };
        let sends_on_ns = match kind.shape {
            Shape::FromRoot => Meeting::new(&self.network, operation.kind, kind).sends_on(member),
            _ => 0,
        };
        operation.left += 1;
        let is_over = operation.left >= kind.present;
        let shape = kind.shape;
        if is_over {
            self.operations.remove(&id);
        }
        self.waits(rank, needed_ns.saturating_sub(now_ns), Waiting::of(shape));
        self.ranks[rank as usize].now_ns = now_ns.max(exit_ns) + sends_on_ns;
        true
    }
}

/// A moment if it is known, else 0.
fn known(moment_ns: Option<&u64>) -> u64 {
    moment_ns.copied().filter(|&ns| ns != UNKNOWN).unwrap_or(0)
}

impl Operation {
    /// A member has come: members that can leave now, and when.
    fn resolve(&mut self, meeting: &Meeting<'_>, member: usize, present: u32) -> Vec<(usize, u64)> {
        let mut resolved = Vec::new();
        match meeting.kind.shape {
            Shape::AllToAll => {
                if self.arrived < present {
                    return resolved;
                }
                // Members that were not recorded come with the last one.
                let come = |&ns: &u64| if ns == UNKNOWN { self.latest_ns } else { ns };
                let entries_ns: Vec<u64> = self.entries_ns.iter().map(come).collect();
                self.exits_ns = meeting.all_to_all(&entries_ns);
                let least_ns = self.latest_ns + meeting.least_ns as u64;
                self.exits_ns.iter_mut().for_each(|ns| *ns = (*ns).max(least_ns));
                resolved.extend(self.exits_ns.iter().copied().enumerate());
            }
            Shape::FromRoot => {
                let mut open = vec![member];
                while let Some(member) = open.pop() {
                    if self.exits_ns[member] != UNKNOWN {
                        continue;
                    }
                    let Some(exit_ns) = meeting.root_reached(member, &self.entries_ns, &self.exits_ns) else {
                        continue;
                    };
                    self.exits_ns[member] = exit_ns;
                    resolved.push((member, exit_ns));
                    open.extend(meeting.children(member));
                }
            }
            Shape::ToRoot => {
                let mut open = Some(member);
                while let Some(member) = open {
                    let Some(exit_ns) = meeting.subtree_reached(member, &self.entries_ns, &self.exits_ns) else {
                        break;
                    };
                    self.exits_ns[member] = exit_ns;
                    resolved.push((member, exit_ns));
                    open = meeting.parent(member);
                }
            }
            Shape::Chain => {
                for member in member..self.exits_ns.len() {
                    let Some(exit_ns) = meeting.chain(member, &self.entries_ns, &self.exits_ns) else { break };
                    self.exits_ns[member] = exit_ns;
                    resolved.push((member, exit_ns));
                }
            }
        }
        resolved
    }
}
