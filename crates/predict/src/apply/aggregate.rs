//! Messages of one exchange to one rank become one message.
//!
//! An exchange begins with a send that is selected. It ends where the rank computes for more than [`SLIGHT_NS`](super::SLIGHT_NS), makes a call without
//! messages, or waits for a message: what is sent later may depend on it. (A call that sends and receives is part of it: it waits
//! when all are sent.) The last send to a rank sends everything; the sends before it take no time. The receiver posts one receive,
//! where it posted the first of them, and has all messages when that is over.

use mpiscope_model::simulation::{Calls, Id, Mode, Part, Step};

use super::is;
use super::rewrite::{Rewrite, goes_on, rows_between};
use crate::translate::place_in_call;

/// Bytes of an aggregated message: with more, its overheads do not matter.
const MOST_BYTES: u64 = 1 << 20;

/// See the module.
pub(super) struct Aggregate {
    selected: Vec<Vec<bool>>,
    /// By rank: its exchange that is not over.
    exchanges: Vec<Vec<(Step, Vec<Part>)>>,
    /// Messages that are aggregated, and what they become.
    before: u64,
    after: u64,
    /// Whether an exchange has several messages at all, to whichever ranks; those to one rank that are too large together.
    has_several: bool,
    too_large: bool,
}

/// A message of an exchange.
#[derive(Clone, Copy)]
struct Sent {
    /// Its call, counted from the beginning of the exchange.
    at: usize,
    id: Id,
    to: u32,
    bytes: u64,
    mode: Mode,
}

impl Aggregate {
    /// Of the sends of these calls.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> Aggregate {
        let exchanges = vec![Vec::new(); selected.len()];
        Aggregate { selected, exchanges, before: 0, after: 0, has_several: false, too_large: false }
    }

    /// One message to a rank, for these.
    fn aggregate(&mut self, exchange: &mut [(Step, Vec<Part>)], sent: &[Sent]) {
        let (Some(first), Some(last)) = (sent.first().copied(), sent.last().copied()) else { return };
        let is_of = |id: Id| sent.iter().any(|of| of.id == id);
        let mut moved = Vec::new();
        let mut is_awaited = false;
        let last_row = exchange.get(last.at).map_or(0, |(step, _)| step.row);
        for (at, (step, parts)) in exchange.iter_mut().enumerate().take(last.at + 1) {
            let sends = parts.iter().any(|part| matches!(part, Part::Send { id, .. } if is_of(*id)));
            let receives = at < last.at && sends && parts.iter().any(|part| matches!(part, Part::AwaitReceived(_)));
            parts.retain(|part| match *part {
                Part::Send { id, .. } => !is_of(id),
                Part::AwaitSent(id) if is_of(id) => {
                    is_awaited = true;
                    false
                }
                Part::Receive { .. } | Part::AwaitReceived(_) if receives => {
                    moved.push(*part);
                    false
                }
                _ => true,
            });
            if sends {
                step.moved_rows = rows_between(step.row, last_row);
                // What held up a call that no longer occurs holds up nothing.
                if at < last.at && parts.is_empty() {
                    step.own_ns = 0;
                }
            }
        }
        let Some((_, parts)) = exchange.get_mut(last.at) else { return };
        let bytes = sent.iter().map(|of| of.bytes).sum();
        parts.push(Part::Send { id: first.id, to: first.to, bytes, mode: first.mode });
        parts.extend(sent[1..].iter().map(|of| Part::Inside { id: of.id, carrier: first.id }));
        parts.extend(is_awaited.then_some(Part::AwaitSent(first.id)));
        parts.append(&mut moved);
        parts.sort_by_key(place_in_call);
        self.before += sent.len() as u64;
        self.after += 1;
    }
}

impl Rewrite for Aggregate {
    fn step(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls) {
        let sends = is(&self.selected, rank, step.facts) && parts.iter().any(|part| matches!(part, Part::Send { .. }));
        let waits = !sends && parts.iter().any(|part| matches!(part, Part::AwaitReceived(_)));
        if !goes_on(&step, parts, waits) {
            self.end(rank, out);
        }
        match self.exchanges.get_mut(rank) {
            Some(exchange) if sends || !exchange.is_empty() => exchange.push((step, parts.to_vec())),
            _ => out.push(step, parts.iter().copied()),
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        let Some(mut exchange) = self.exchanges.get_mut(rank).map(std::mem::take) else { return };
        let mut sent: Vec<Sent> = Vec::new();
        for (at, (step, parts)) in exchange.iter().enumerate() {
            if is(&self.selected, rank, step.facts) {
                sent.extend(parts.iter().filter_map(|part| match *part {
                    Part::Send { id, to, bytes, mode } => Some(Sent { at, id, to, bytes, mode }),
                    _ => None,
                }));
            }
        }
        self.has_several |= sent.len() > 1;
        // The order of the messages to one rank stays.
        sent.sort_by_key(|of| of.to);
        for to_one in sent.chunk_by(|a, b| a.to == b.to) {
            let mut from = 0;
            while from < to_one.len() {
                let mut bytes = 0u64;
                let fits = |of: &&Sent| {
                    bytes = bytes.saturating_add(of.bytes);
                    bytes <= MOST_BYTES
                };
                let count = to_one[from..].iter().take_while(fits).count();
                match count {
                    0 | 1 => self.too_large |= to_one.len() > 1,
                    _ => self.aggregate(&mut exchange, &to_one[from..from + count]),
                }
                from += count.max(1);
            }
        }
        exchange.into_iter().for_each(|(step, parts)| out.push(step, parts));
    }

    fn summary(&self) -> Result<String, String> {
        match (self.after, self.too_large, self.has_several) {
            (0, true, _) => Err("the messages to one rank are so large that together they exceed 1 MiB".to_owned()),
            (0, _, true) => Err("in each exchange there is only one message to each rank".to_owned()),
            (0, ..) => Err("no two of these messages follow each other: between them the ranks compute for more than 20 µs, wait for \
                            a message, or make a call without messages"
                .to_owned()),
            (after, ..) => Ok(format!("{} messages become {after}", self.before)),
        }
    }
}
