//! The quality of communication: sizes, speed, overlap, calls that could be removed.
//!
//! One pass over calls and one over messages serve all rules, so that each row is read once. At the end, the fit to
//! the messages ([`SpeedRow`]) comes first; rules compare with it. The rules are listed in `registry.rs`.

mod barriers;
mod collectives;
mod datatypes;
mod depth;
pub(crate) mod draft;
mod fit;
mod kinds;
mod needless;
mod overlap;
mod polling;
mod recreated;
mod registry;
mod sample;
mod senders;
mod sequences;
mod small;
mod small_collectives;
mod speed;
#[cfg(test)]
mod tests;
mod unexpected;

use mpiscope_store::{CallInfo, Dimensions, Message, flags};
use mpiscope_units::count;

pub use registry::rules;
pub(crate) use sample::{CostlySpan, Reservoir, SIZE_CLASSES, Top, quantile, size_class};
pub use small_collectives::JOINED_WITHIN_NS;

pub use crate::explanation::quality::{CollectiveRow, OverlapRow, QueueRow, SpeedRow, SpeedSegment, UnexpectedRow};

use crate::analysis::{Analysis, Input};
use crate::explanation::Explanation;
use kinds::{Kinds, bits};
use registry::{CallSeen, Collected, Context, MessageSeen, TransferSeen};
use speed::Speed;

/// Facts about the machine that are not in the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Machine {
    /// Copy bandwidth of one core, bytes per second, as measured by the caller.
    pub copy_bandwidth_bytes_per_s: Option<f64>,
}

/// A core of the last ten years copies at least this much from memory to memory.
const COPY_BYTES_PER_S: f64 = 4e9;
/// Latency of a message within a host, generously.
const LATENCY_NS: f64 = 2_000.0;

impl Machine {
    /// As far as it was measured, and on one host only: between hosts, the network decides.
    pub fn of(dimensions: &Dimensions) -> Machine {
        let mut ranks = dimensions.ranks.iter();
        let first = ranks.next().filter(|first| ranks.all(|r| r.host == first.host));
        let measured = first.and_then(|r| r.copy_bytes_per_s).filter(|&speed| speed > 0);
        Machine { copy_bandwidth_bytes_per_s: measured.map(|speed| speed as f64) }
    }

    fn copy_bandwidth(&self) -> f64 {
        self.copy_bandwidth_bytes_per_s.filter(|b| *b > 0.0).unwrap_or(COPY_BYTES_PER_S)
    }
}

/// All rules of this part.
#[derive(Default)]
pub struct Quality {
    machine: Machine,
    parts: Option<Parts>,
}

/// What the pass over the run collects.
struct Parts {
    kinds: Kinds,
    speed: Speed,
    collected: Collected,
    /// Messages with an unknown completion.
    open: u64,
    messages: u64,
}

impl Quality {
    /// With the facts about the machine.
    pub fn of(machine: Machine) -> Quality {
        Quality { machine, parts: None }
    }
}

impl Parts {
    fn new(dimensions: &Dimensions, facts: &[Vec<CallInfo>]) -> Parts {
        let kinds = Kinds::new(dimensions, facts);
        let (speed, collected) = (Speed::new(&kinds), Collected::new(&kinds, dimensions));
        Parts { kinds, speed, collected, open: 0, messages: 0 }
    }

    fn calls(&mut self, input: &Input<'_>) {
        for (rank, batch) in input.batch.ranks.iter().enumerate().take(self.kinds.ranks()) {
            let infos = self.kinds.of_rank(rank);
            for (row, call) in (batch.first_row..).zip(&batch.calls) {
                let Some(info) = infos.get(call.facts as usize) else { continue };
                self.collected.call(&CallSeen { rank, row, call, info, details: &batch.details });
            }
        }
    }

    #[inline]
    fn message(&mut self, m: &Message) {
        self.messages += 1;
        // No times if the clocks show it received before it was sent, its source is inferred, or other calls send its parts.
        let backward = m.receive.is_done() && m.receive.done_end_ns < m.send.start_ns;
        if backward || m.flags & (flags::INFERRED | flags::PARTITIONED) != 0 {
            return;
        }
        let send = self.kinds.info(m.sender, m.send.facts);
        let receive = self.kinds.info(m.receiver, m.receive.facts);
        self.collected.message(&MessageSeen { message: m, receive });
        if !m.send.is_done() || !m.receive.is_done() {
            self.open += 1;
            return;
        }
        let same_host = self.kinds.same_host(m.sender, m.receiver);
        let pure_ns = Speed::pure_ns(m, receive);
        let has_gaps = (send.bits | receive.bits) & bits::GAPS != 0;
        if !has_gaps {
            self.speed.add_message(m, send, same_host, pure_ns);
        }
        self.collected.transfer(&TransferSeen { message: m, send, kinds: &self.kinds, same_host, has_gaps, pure_ns });
    }
}

impl Analysis for Quality {
    fn add_batch(&mut self, input: &Input<'_>) {
        let parts = self.parts.get_or_insert_with(|| Parts::new(input.dimensions, input.facts));
        parts.calls(input);
        input.batch.messages.iter().for_each(|m| parts.message(m));
        for operation in &input.batch.collectives {
            let Some(members) = input.batch.members.get(operation.members.clone()) else { continue };
            parts.collected.collective(operation, members, &parts.kinds);
        }
        parts.collected.end_batch();
    }

    fn conclude(self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], out: &mut Explanation) {
        let has_rows = self.parts.is_some();
        let Parts { kinds, speed, collected, open, messages } =
            self.parts.unwrap_or_else(|| Parts::new(dimensions, facts));
        out.speed = speed.rows(&kinds);
        let context = Context { kinds: &kinds, dimensions, facts, machine: &self.machine, speed: &speed };
        collected.conclude(&context, out);
        if has_rows {
            caveats(open, messages, dimensions, out);
        }
    }
}

/// What the times of calls cannot show.
fn caveats(open: u64, messages: u64, dimensions: &Dimensions, out: &mut Explanation) {
    if open > 0 {
        out.caveats.push(format!(
            "It is unknown when {} of {} messages completed: speeds and overlap do not include them.",
            count(open),
            count(messages)
        ));
    }
    let lost = dimensions.ranks.iter().filter(|r| r.rows_lost > 0).count();
    if lost > 0 {
        out.caveats.push(format!(
            "Events of {lost} ranks are missing: speeds, queues and overlap cover the remaining events. The calls and times of \
             polling and of needless calls are those of the whole run; their cost is that of the analysed part."
        ));
    }
}
