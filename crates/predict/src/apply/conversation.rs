//! Questions and answers: messages that go back and forth between two ranks without computing, such as a ping-pong. What a rank sends may be the
//! answer to what it has just received, so these calls are no exchange that could be made at once.

use std::collections::HashMap;

use mpiscope_model::simulation::{Part, Step};

use super::SLIGHT_NS;

/// In an exchange, a rank changes at most so often between sending to a partner and receiving from it. A halo of three dimensions, all
/// of whose faces go to one partner, changes 11 times.
const MOST_TURNS: u32 = 12;

/// What one rank does since it has last computed, or come to an operation of several ranks.
#[derive(Clone, Default)]
pub(super) struct Conversation {
    /// By partner: whether the last message went to it, and how often this has changed.
    turns: HashMap<u32, (bool, u32)>,
}

impl Conversation {
    /// Takes a call. Computing before it, or an operation of several ranks, ends what was before.
    pub(super) fn add(&mut self, step: &Step, parts: &[Part]) {
        if step.gap_ns > SLIGHT_NS || !parts.iter().all(Part::is_of_message) {
            self.turns.clear();
        }
        for part in parts {
            let (partner, sends) = match *part {
                Part::Send { to, .. } => (to, true),
                Part::Receive { from, .. } => (from, false),
                _ => continue,
            };
            let (last, changes) = self.turns.entry(partner).or_insert((sends, 0));
            *changes += u32::from(*last != sends);
            *last = sends;
        }
    }

    /// Whether it is more than an exchange.
    pub(super) fn is_one(&self) -> bool {
        self.turns.values().any(|(_, changes)| *changes > MOST_TURNS)
    }
}
