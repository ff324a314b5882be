//! An exchange of messages becomes a neighbourhood collective operation, or one in phases.
//!
//! An exchange is what follows each other within [`SLIGHT_NS`](super::SLIGHT_NS) of computing: calls with messages, until a call sends to a rank, or receives from it, a second
//! time. That is the next exchange, which may need what this one brought. All messages are begun where the last of them was, since the data of all are ready only
//! then, and everything that is awaited in the exchange is awaited there, in the same call. What is awaited later stays where it is: the operation is then
//! one of those that do not block.
//!
//! In phases, the messages whose receiver is the next rank go first, then those to the rank after it, and so on: in the *k*-th phase a rank sends to the rank *k* places
//! after it, receives from the one *k* places before it, and waits for both.

use std::collections::BTreeMap;

use mpiscope_model::simulation::{Calls, Id, Part, Step};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rewrite::{Rewrite, goes_on, has_messages, is_slight};
use super::{WAIT, is};
use crate::translate::place_in_call;

/// What an exchange becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Regrouped {
    /// One operation.
    AtOnce,
    /// A send and a receive for each distance between ranks, one after the other.
    InPhases,
}

/// See the module.
pub(super) struct Regroup {
    to: Regrouped,
    selected: Vec<Vec<bool>>,
    /// By rank: its exchange that is not over.
    exchanges: Vec<Vec<(Step, Vec<Part>)>>,
    /// By rank: what its exchange has begun; the facts of the call, the other rank, whether it sends.
    begun: Vec<FxHashSet<(u32, u32, bool)>>,
    /// Calls, and operations or phases that they become.
    before: u64,
    after: u64,
}

impl Regroup {
    /// Of exchanges in which one of these calls takes part.
    pub(super) fn new(to: Regrouped, selected: Vec<Vec<bool>>) -> Regroup {
        let exchanges = vec![Vec::new(); selected.len()];
        let begun = vec![FxHashSet::default(); selected.len()];
        Regroup { to, selected, exchanges, begun, before: 0, after: 0 }
    }

    /// The parts of an exchange, phase by phase. What is awaited only after it is begun in its phase.
    fn phases(&self, rank: usize, parts: Vec<Part>) -> Vec<Vec<Part>> {
        let ranks = self.selected.len().max(1);
        let distance = |part: &Part| match *part {
            Part::Send { to, .. } => Some((to as usize + ranks - rank) % ranks),
            Part::Receive { from, .. } => Some((rank + ranks - from as usize) % ranks),
            _ => None,
        };
        let message = |part: &Part| match *part {
            Part::Send { id, .. }
            | Part::Receive { id, .. }
            | Part::Inside { id, .. }
            | Part::AwaitSent(id)
            | Part::AwaitReceived(id) => Some(id),
            _ => None,
        };
        let of_message: FxHashMap<Id, usize> =
            parts.iter().filter_map(|part| Some((message(part)?, distance(part)?))).collect();
        // What was begun before this exchange is awaited first.
        let phase_of = |part: &Part| message(part).and_then(|id| of_message.get(&id)).copied().unwrap_or(0);
        let mut phases: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        for part in parts {
            phases.entry(phase_of(&part)).or_default().push(part);
        }
        phases.into_values().collect()
    }
}

fn begins(part: &Part) -> bool {
    matches!(part, Part::Send { .. } | Part::Receive { .. })
}

/// What a call begins.
fn begun(step: Step, parts: &[Part]) -> impl Iterator<Item = (u32, u32, bool)> {
    parts.iter().filter_map(move |part| match *part {
        Part::Send { to, .. } => Some((step.facts, to, true)),
        Part::Receive { from, .. } => Some((step.facts, from, false)),
        _ => None,
    })
}

impl Rewrite for Regroup {
    fn step(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls) {
        let has_messages = has_messages(parts);
        let is_again = begun(step, parts).any(|one| self.begun.get(rank).is_some_and(|all| all.contains(&one)));
        let is_slight = is_slight(&step, parts);
        if is_again || !goes_on(&step, parts, false) {
            self.end(rank, out);
        }
        if let Some(all) = self.begun.get_mut(rank) {
            all.extend(begun(step, parts));
        }
        match self.exchanges.get_mut(rank) {
            Some(exchange) if has_messages || (is_slight && !exchange.is_empty()) => {
                exchange.push((step, parts.to_vec()))
            }
            _ => out.push(step, parts.iter().copied()),
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        let Some(mut exchange) = self.exchanges.get_mut(rank).map(std::mem::take) else { return };
        self.begun[rank].clear();
        let takes_part =
            |(step, parts): &(Step, Vec<Part>)| is(&self.selected, rank, step.facts) && parts.iter().any(begins);
        let last = exchange.iter().rposition(|(_, parts)| parts.iter().any(begins));
        let calls = exchange.iter().filter(|(_, parts)| !parts.is_empty()).count();
        let changes = calls > 1 && exchange.iter().any(takes_part);
        if let Some(last) = last.filter(|_| changes) {
            let mut all: Vec<Part> = exchange.iter_mut().flat_map(|(_, parts)| std::mem::take(parts)).collect();
            all.sort_by_key(place_in_call);
            let phases = match self.to {
                Regrouped::AtOnce => vec![all],
                Regrouped::InPhases => self.phases(rank, all),
            };
            self.before += calls as u64;
            self.after += phases.len() as u64;
            // All but the first phase have calls that the recorded run does not have.
            let row = exchange[last].0.row;
            for (at, parts) in phases.into_iter().enumerate() {
                match at {
                    0 => exchange[last].1 = parts,
                    _ => exchange.insert(last + at, (Step { row, facts: WAIT, ..Step::default() }, parts)),
                }
            }
        }
        exchange.into_iter().for_each(|(step, parts)| out.push(step, parts));
    }

    fn summary(&self) -> Result<String, String> {
        match self.after {
            0 => Err("none of these calls is near another one with messages: there is no exchange".to_owned()),
            after => Ok(format!("{} calls become {after}", self.before)),
        }
    }
}
