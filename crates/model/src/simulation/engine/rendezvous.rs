//! Messages by rendezvous: until both ends are ready, until the receiver has answered, until the data are there.

use std::cmp::Reverse;

use super::{ANSWER, Message, Simulation, UNKNOWN};
use crate::simulation::program::Id;

impl Simulation {
    /// A message by rendezvous: its data move when both ends are ready, and inside MPI.
    pub(super) fn shake_hands(&mut self, id: Id, now_ns: u64) {
        let Some(&message) = self.messages.get(&id) else { return };
        let Message { sent_ns, posted_ns, is_moving, ends: (from, to), .. } = message;
        if sent_ns == UNKNOWN || posted_ns == UNKNOWN || is_moving {
            return;
        }
        let both_ns = now_ns.max(sent_ns).max(posted_ns);
        let needs_sender = self.network.link(from, to).needs_sender;
        for rank in [Some(to), Some(from).filter(|_| needs_sender)].into_iter().flatten() {
            if !self.is_inside(rank, id, both_ns) {
                return;
            }
        }
        if let Some(message) = self.messages.get_mut(&id) {
            (message.is_moving, message.both_ns) = (true, both_ns);
        }
        if !self.network.link(from, to).answers_queue {
            return self.move_data(id, both_ns);
        }
        let at_ns = self.answers_ns(sent_ns, posted_ns, (from, to)).max(both_ns);
        self.answer_at(id, at_ns);
    }

    /// When a receiver may answer: it has posted its receive, and knows of the message.
    fn answers_ns(&self, sent_ns: u64, posted_ns: u64, (from, to): (u32, u32)) -> u64 {
        posted_ns.max(sent_ns + self.network.link(from, to).transit.at(0) as u64)
    }

    fn answer_at(&mut self, id: Id, at_ns: u64) {
        let number = self.free_answers.pop().unwrap_or(self.answers.len() as u32);
        match self.answers.get_mut(number as usize) {
            Some(slot) => *slot = id,
            None => self.answers.push(id),
        }
        self.events.push(Reverse((at_ns, number | ANSWER)));
    }

    /// A receiver answers to a rendezvous, unless it is sending data to the same rank: the answer comes after them.
    pub(super) fn answer(&mut self, number: u32, now_ns: u64) {
        let Some(&id) = self.answers.get(number as usize) else { return };
        self.free_answers.push(number);
        let Some(&Message { sent_ns, posted_ns, ends: (from, to), .. }) = self.messages.get(&id) else { return };
        let known_ns = self.answers_ns(sent_ns, posted_ns, (from, to));
        let back_ns = self.network.link(to, from).transit.at(0) as u64;
        let is_before = |other: Id| {
            let of = self.messages.get(&other).filter(|of| of.ends == (to, from) && !of.is_eager);
            // Its data leave when the answer to it has come.
            of.is_some_and(|of| self.answers_ns(of.sent_ns, of.posted_ns, of.ends) + back_ns <= known_ns)
        };
        match self.flows.passed_ns(self.network.way(to, from)[0], is_before) {
            Some(later_ns) if later_ns > now_ns => self.answer_at(id, later_ns),
            _ => self.move_data(id, now_ns),
        }
    }

    /// Both ends of a message by rendezvous are ready, and nothing is in its way.
    fn move_data(&mut self, id: Id, now_ns: u64) {
        let Some(&Message { sent_ns, posted_ns, both_ns, ends: (from, to), bytes, is_packed, .. }) =
            self.messages.get(&id)
        else {
            return;
        };
        let link = self.network.link(from, to);
        // What a late answer has not delayed has happened since both were ready.
        let ready_ns = match link.answers_queue {
            true => both_ns + now_ns - self.answers_ns(sent_ns, posted_ns, (from, to)).max(both_ns),
            false => both_ns,
        };
        // Two ranks of a host pack and unpack at the same time, but no core does two messages at once.
        let is_packed = is_packed && self.network.port(from) == self.network.port(to);
        let busy_ns = |rank: u32| if is_packed { self.ranks[rank as usize].packs_until_ns } else { 0 };
        let ready_ns = ready_ns.max(busy_ns(from)).max(busy_ns(to));
        let there_ns = ready_ns + link.rendezvous.at(bytes) as u64;
        let leaves_ns = link.sender_leaves(bytes).map(|ns| ready_ns + ns as u64);
        if is_packed {
            for rank in [from, to] {
                self.ranks[rank as usize].packs_until_ns = there_ns;
            }
        }
        if let Some(message) = self.messages.get_mut(&id) {
            message.taken_ns = leaves_ns.unwrap_or(UNKNOWN);
        }
        if let Some(leaves_ns) = leaves_ns.filter(|_| self.is_waiting_for(from, id)) {
            self.events.push(Reverse((leaves_ns.max(now_ns), from)));
        }
        self.fly((id, from, to), bytes, now_ns, there_ns.max(now_ns));
    }
}
