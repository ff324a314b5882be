//! A probe waits for a send that has not started.

use std::collections::VecDeque;

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, CommId, Message, RankBatch, RankId, flags};

use super::late_sender::in_call;
use crate::explanation::Wait;

/// At most this many probes of a rank without a matching receive so far are kept for the next batch.
const REMEMBERED: usize = 64;

/// A blocking probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Row.
    pub row: u64,
    /// Facts.
    pub facts: u32,
    /// Entry.
    pub start_ns: u64,
    /// Return.
    pub end_ns: u64,
    /// Communicator.
    pub comm: CommId,
    /// The source that it specifies, or that its status returned; [`RankId::NONE`] for any source.
    pub peer: RankId,
    /// The tag, likewise; negative for any tag.
    pub tag: i32,
}

/// Late sender, in `MPI_Probe` or `MPI_Mprobe`: the message that the probe reported was sent after the probe began.
///
/// ```text
/// receiver   [====probe====|-][recv]       wait = min(send.start, probe.end) − probe.start
/// sender                   [send]
/// ```
///
/// The message of a probe is the first that is received after it and fits it (MPI-5.0 §3.8.1: a receive with the same
/// arguments receives what was probed).
pub fn late_sender_of_probe(probe: &Probe, message: &Message) -> Option<Wait> {
    in_call(message, probe.row, probe.facts, probe.start_ns, probe.end_ns)
}

impl Probe {
    fn fits(&self, message: &Message) -> bool {
        let is_before = self.row < message.receive.row && self.end_ns <= message.receive.start_ns;
        // It returned before there was such a message: it reported another one.
        let is_sent = message.send.start_ns <= self.end_ns;
        let is_his = !self.peer.is_some() || self.peer == message.sender;
        is_before && is_sent && is_his && self.comm == message.comm && (self.tag < 0 || self.tag == message.tag)
    }
}

/// Probes of all ranks.
#[derive(Default)]
pub(super) struct Probes {
    /// By rank: whether facts are those of a blocking probe; empty for ranks that never probe.
    is_probe: Vec<Vec<bool>>,
    open: Vec<VecDeque<Probe>>,
}

impl Probes {
    pub fn new(facts: &[Vec<CallInfo>]) -> Probes {
        let waits = |f: &CallInfo| {
            matches!(f.role, Role::Probe | Role::MatchedProbe)
                && f.flags & (flags::ASKS | flags::POLL | flags::FAILED) == 0
        };
        let of = |rank: &Vec<CallInfo>| match rank.iter().any(waits) {
            true => rank.iter().map(waits).collect(),
            false => Vec::new(),
        };
        Probes { is_probe: facts.iter().map(of).collect(), open: vec![VecDeque::new(); facts.len()] }
    }

    /// The next stretch.
    pub fn begin(&mut self, batches: &[RankBatch], facts: &[Vec<CallInfo>]) {
        for (((is_probe, open), batch), facts) in self.is_probe.iter().zip(&mut self.open).zip(batches).zip(facts) {
            if is_probe.is_empty() {
                continue;
            }
            while open.len() > REMEMBERED {
                open.pop_front();
            }
            for (row, call) in (batch.first_row..).zip(&batch.calls) {
                if !is_probe.get(call.facts as usize).copied().unwrap_or(false) {
                    continue;
                }
                let of = &facts[call.facts as usize];
                let detail = (call.detail as usize).checked_sub(1).and_then(|d| batch.details.get(d));
                let (peer, tag) = detail.map_or((of.peer, of.tag), |d| (d.peer, d.tag));
                let (start_ns, end_ns) = (call.start_ns, call.end_ns);
                open.push_back(Probe { row, facts: call.facts, start_ns, end_ns, comm: of.comm, peer, tag });
            }
        }
    }

    /// Probes that reported `message`; each reports one.
    pub fn answered(&mut self, message: &Message, mut found: impl FnMut(Wait)) {
        let Some(open) = self.open.get_mut(message.receiver.0 as usize).filter(|open| !open.is_empty()) else { return };
        open.retain(|probe| {
            let fits = probe.fits(message);
            if fits && let Some(wait) = late_sender_of_probe(probe, message) {
                found(wait);
            }
            !fits
        });
    }
}
