//! The sends of an exchange in another order: each rank begins with the rank after it, so that not all send to the same rank at once.
//!
//! An exchange is what follows each other within [`SLIGHT_NS`](super::SLIGHT_NS) of computing: calls with messages, up to one that waits for a message, since what is sent later may
//! depend on it. The sends that are selected keep their moments, and change places: sorted by (receiver − sender) modulo the number of ranks. None of them passes
//! another send to its receiver that stays, since messages between two ranks keep their order (MPI-5.0 §3.5). What receivers do stays. Where that does not go, because they receive in the order in which they were sent to, some ranks wait forever in the replay.

use mpiscope_model::simulation::{Calls, Id, Part, Step};

use super::is;
use super::rewrite::{Rewrite, goes_on};

/// See the module.
pub(super) struct Reorder {
    selected: Vec<Vec<bool>>,
    /// By rank: its exchange that is not over.
    exchanges: Vec<Vec<(Step, Vec<Part>)>>,
    /// Messages that are sent at another place.
    moved: u64,
    has_several: bool,
}

impl Reorder {
    /// Of the sends of these calls.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> Reorder {
        let exchanges = vec![Vec::new(); selected.len()];
        Reorder { selected, exchanges, moved: 0, has_several: false }
    }
}

/// The message of a call that does nothing but send it: its number and receiver.
fn sent(parts: &[Part]) -> Option<(Id, u32)> {
    let found = parts.iter().find_map(|part| match *part {
        Part::Send { id, to, .. } => Some((id, to)),
        _ => None,
    });
    found.filter(|&(message, _)| {
        parts.iter().all(|part| matches!(part, Part::Send { id, .. } | Part::AwaitSent(id) if *id == message))
    })
}

impl Rewrite for Reorder {
    fn step(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls) {
        let waits = parts.iter().any(|part| matches!(part, Part::AwaitReceived(_)));
        if !goes_on(&step, parts, waits) {
            self.end(rank, out);
        }
        let sends = is(&self.selected, rank, step.facts) && sent(parts).is_some() && !waits;
        match self.exchanges.get_mut(rank) {
            Some(exchange) if sends || !exchange.is_empty() => exchange.push((step, parts.to_vec())),
            _ => out.push(step, parts.iter().copied()),
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        let Some(mut exchange) = self.exchanges.get_mut(rank).map(std::mem::take) else { return };
        let receiver = |(step, parts): &(Step, Vec<Part>)| {
            sent(parts).filter(|_| is(&self.selected, rank, step.facts)).map(|(_, to)| to)
        };
        let receivers: Vec<Option<u32>> = exchange.iter().map(receiver).collect();
        // Receivers and places.
        let mut messages: Vec<(u32, usize)> = Vec::new();
        for (at, receiver) in receivers.iter().enumerate() {
            let stays = |part: &Part| matches!(*part, Part::Send { to, .. } if receivers.contains(&Some(to)));
            match receiver {
                Some(to) => messages.push((*to, at)),
                None if exchange[at].1.iter().any(stays) => {
                    self.sort(rank, &mut exchange, std::mem::take(&mut messages));
                }
                None => {}
            }
        }
        self.sort(rank, &mut exchange, messages);
        exchange.into_iter().for_each(|(step, parts)| out.push(step, parts));
    }

    fn summary(&self) -> Result<String, String> {
        match (self.moved, self.has_several) {
            (0, true) => Err("each rank sends to the rank after it first, and then to those after that".to_owned()),
            (0, false) => Err("no exchange has such messages to several ranks".to_owned()),
            (moved, _) => Ok(format!("{moved} messages change places")),
        }
    }
}

impl Reorder {
    /// Sorts the messages of an exchange that are at some of its places.
    fn sort(&mut self, rank: usize, exchange: &mut [(Step, Vec<Part>)], mut messages: Vec<(u32, usize)>) {
        let places: Vec<usize> = messages.iter().map(|(_, at)| *at).collect();
        let ranks = self.selected.len();
        messages.sort_by_key(|&(to, _)| (to as usize + ranks - rank) % ranks.max(1));
        self.has_several |= messages.iter().any(|(to, _)| *to != messages[0].0);
        if messages.iter().zip(&places).any(|((_, from), to)| from != to) {
            // Calls change places; the computing before a place stays.
            let taken: Vec<(Step, Vec<Part>)> =
                messages.iter().map(|&(_, from)| (exchange[from].0, std::mem::take(&mut exchange[from].1))).collect();
            let gaps_ns: Vec<u64> = places.iter().map(|&at| exchange[at].0.gap_ns).collect();
            for (((step, parts), &at), (&gap_ns, &(_, from))) in
                taken.into_iter().zip(&places).zip(gaps_ns.iter().zip(&messages))
            {
                self.moved += u64::from(at != from);
                exchange[at] = (Step { gap_ns, ..step }, parts);
            }
        }
    }
}
