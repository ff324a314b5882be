//! Messages: how long their transfers take, beside a ping-pong of two ranks that are as close.

use std::collections::BTreeMap;

use mpiscope_abi::role::Role;
use mpiscope_store::{End, Message, RankId, flags};

use super::reference::{Curve, PairClass, Reference, command};
use super::saturation::Saturation;
use super::sums::Sum;
use crate::analysis::Input;
use crate::explanation::Scope;
use crate::explanation::attainable::{Attainable, AttainableRow, LeftOut};
use crate::quality::{SIZE_CLASSES, size_class};

/// In [`AttainableRow::what`].
const MESSAGES: &str = "messages";

#[derive(Default)]
pub(super) struct Transfers {
    /// By pair class and class of size.
    sums: Vec<Vec<Sum>>,
    /// By pair class, and whether such pairs were measured: messages, their time and the largest size.
    left_out: BTreeMap<(usize, bool), (u64, u64, u64)>,
    /// Of what they share.
    pub saturation: Saturation,
}

impl Transfers {
    pub fn new(scope: &Scope) -> Transfers {
        Transfers { saturation: Saturation::new(scope), ..Transfers::default() }
    }

    pub fn message(&mut self, m: &Message, reference: &Reference, input: &Input<'_>) {
        let Some(class) = reference.class_of(m.sender, m.receiver) else { return };
        if self.sums.is_empty() {
            self.sums = vec![vec![Sum::default(); SIZE_CLASSES]; reference.classes.len()];
        }
        let Some(sum) = self.sums.get_mut(class).map(|of| &mut of[size_class(m.bytes)]) else { return };
        sum.of += 1;
        let curve = reference.classes[class].curve.as_ref();
        let Some(transfer) = Transfer::of(m, curve, input) else { return };
        if let (Some(from), Some(to)) = (reference.host_of(m.sender), reference.host_of(m.receiver))
            && transfer.alone_ns > 0.0
        {
            self.saturation.message([from, to], &transfer, reference);
        }
        // A call that completes several receives does not show when each of them was complete.
        if !transfer.is_alone {
            return;
        }
        let ns = transfer.ns();
        if curve.is_some_and(|curve| sum.push(m.bytes, ns, curve)) {
            return;
        }
        let (count, time_ns, largest) = self.left_out.entry((class, curve.is_some())).or_default();
        (*count, *time_ns, *largest) = (*count + 1, time_ns.saturating_add(ns), m.bytes.max(*largest));
    }

    /// After the messages of a batch.
    pub fn end_batch(&mut self, input: &Input<'_>) {
        self.saturation.end_batch(input);
    }

    pub fn conclude(self, reference: &Reference, found: &mut Attainable) {
        for (class, sums) in reference.classes.iter().zip(&self.sums) {
            let Some(curve) = &class.curve else { continue };
            let row =
                |row| AttainableRow { what: MESSAGES, pair_class: Some(class.name), hops: class.hops, ranks: 2, ..row };
            found.rows.extend(sums.iter().filter_map(|sum| sum.row(curve)).map(row));
        }
        for ((class, is_measured), (count, time_ns, largest)) in self.left_out {
            let (why, command) = match is_measured {
                true => (
                    "larger than the largest message of the profile".to_owned(),
                    command(reference.run_ranks(), &format!("--max-bytes {largest} pingpong collectives")),
                ),
                false => (
                    "the profile has no pair of ranks that are as close".to_owned(),
                    command(reference.run_ranks(), "pingpong collectives"),
                ),
            };
            let PairClass { name, hops, .. } = reference.classes[class];
            found.left_out.push(LeftOut {
                what: MESSAGES,
                pair_class: Some(name),
                hops,
                ranks: 2,
                count,
                time_ns,
                why,
                command: Some(command),
            });
        }
    }
}

/// A message between two ranks while its data are transferred.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    pub begin_ns: u64,
    pub end_ns: u64,
    pub bytes: u64,
    /// Time that it takes alone, by the profile.
    pub alone_ns: f64,
    /// Time that it takes of what it shares with others.
    pub work_ns: f64,
    /// The receiver's call that completes it, and the sender's if that lasts as long as the transfer.
    pub ends: [Option<TransferEnd>; 2],
    /// No call completes other messages as well: otherwise the end of the call is not that of this transfer.
    pub is_alone: bool,
}

/// A call that lasts as long as a transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransferEnd {
    pub rank: RankId,
    pub facts: u32,
    pub row: u64,
    pub done_with: u32,
}

impl TransferEnd {
    pub fn of(rank: RankId, end: &End) -> TransferEnd {
        TransferEnd { rank, facts: end.done_facts, row: end.done_row, done_with: end.done_with }
    }
}

impl Transfer {
    pub fn ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    /// Only the transfer, if the message shows it: the receiver was in the call that completes it before the first bytes could arrive, or
    /// the sender waited for it. Then only this lateness does not count. Not of data with gaps, which a ping-pong does not have.
    pub fn of(m: &Message, curve: Option<&Curve>, input: &Input<'_>) -> Option<Transfer> {
        let is_timed = m.send.is_done() && m.receive.is_done() && m.flags & (flags::INFERRED | flags::PARTITIONED) == 0;
        if !is_timed || m.receive.done_end_ns < m.send.start_ns {
            return None;
        }
        let info = |rank: RankId, facts: u32| input.facts.get(rank.index()?)?.get(facts as usize);
        let (send, receive) = (info(m.sender, m.send.facts)?, info(m.receiver, m.receive.facts)?);
        let is_alone = |end: &End, role: Role| end.done_with <= 1 || role == Role::SendReceive;
        let has_gaps = |rank: RankId, datatype: u32| {
            let table = rank.index().and_then(|rank| input.dimensions.datatypes.get(rank));
            table.and_then(|table| table.get(&datatype)).is_some_and(|datatype| datatype.has_gaps())
        };
        let latency_ns = curve.and_then(Curve::latency_ns).map_or(0, |ns| ns as u64);
        let ready_ns = m.receive.done_start_ns;
        let late_ns = ready_ns.saturating_sub(m.send.start_ns).saturating_sub(latency_ns);
        // A send that began first and ends last: its data did not leave before the receiver was there.
        let is_until_the_end = m.send.done_end_ns >= m.receive.done_end_ns;
        let has_waited = is_until_the_end && m.send.done_start_ns <= ready_ns && is_alone(&m.send, send.role);
        if late_ns > 0 && !has_waited || has_gaps(m.sender, send.datatype) || has_gaps(m.receiver, receive.datatype) {
            return None;
        }
        let begin_ns = m.send.start_ns.saturating_add(late_ns);
        let is_as_long = is_until_the_end && m.send.done_start_ns <= begin_ns;
        let alone_ns = curve.and_then(|curve| curve.at(m.bytes)).map_or(0.0, |attainable| attainable.ns);
        Some(Transfer {
            begin_ns,
            end_ns: m.receive.done_end_ns,
            bytes: m.bytes,
            alone_ns,
            work_ns: alone_ns,
            ends: [
                Some(TransferEnd::of(m.receiver, &m.receive)),
                is_as_long.then(|| TransferEnd::of(m.sender, &m.send)),
            ],
            is_alone: is_alone(&m.receive, receive.role),
        })
    }
}
