//! Saturated paths: several messages at once leave or reach a host, or are copied within it, and together they are no faster than one
//! alone.
//!
//! Each message occupies the path out of the sender's host and the path into the receiver's host, from the moment at which both sides
//! are ready until it is received. While several do, a path with room for all of them carries the work of several; a saturated path
//! carries that of one: *work* is the time that a message takes alone, by the machine profile. Messages within a host, and exchanges
//! of all its ranks, occupy its memory: there, *work* is the time of their copies with all ranks copying at once, divided by the ranks.

mod finding;
mod path;

use mpiscope_store::{BEHIND, Behind, CallInfo, Collective, Dimensions, Member};

use super::reference::Reference;
use super::transfers::{Transfer, TransferEnd};
use crate::analysis::Input;
use crate::explanation::{Explanation, Scope, Spread};
use finding::{Saturated, Side};
use path::Path;

pub(crate) use finding::RULES;

/// Messages within a host that are shorter cost latency, and their bytes are in the caches.
const LEAST_COPIED: u64 = 32 << 10;

/// The paths of all hosts.
#[derive(Default)]
pub(super) struct Saturation {
    /// By host.
    out: Vec<Path>,
    into: Vec<Path>,
    memory: Vec<Path>,
    behind: Behind,
    /// Of no cost.
    spread: Spread,
}

impl Saturation {
    pub fn new(scope: &Scope) -> Saturation {
        Saturation { spread: Spread::new(scope), ..Saturation::default() }
    }

    /// A message between hosts, or within one.
    pub fn message(&mut self, [from, to]: [u32; 2], transfer: &Transfer, reference: &Reference) {
        if from != to {
            at(&mut self.out, from, &self.spread).push(transfer.clone());
            at(&mut self.into, to, &self.spread).push(transfer.clone());
        } else if transfer.bytes >= LEAST_COPIED
            && let Some(work_ns) = reference.memory.as_ref().and_then(|memory| memory.work_ns(transfer.bytes))
        {
            let copied = Transfer { work_ns, ..transfer.clone() };
            at(&mut self.memory, from, &self.spread).push(copied);
        }
    }

    /// An operation in which each rank receives from all others, if all are on one host: each rank receives from when the last one is
    /// there until it leaves.
    pub fn operation(&mut self, operation: &Collective, members: &[Member], reference: &Reference) {
        let Some(memory) = &reference.memory else { return };
        let name = mpiscope_abi::name(operation.function);
        let is_exchange = ["MPI_Allgather", "MPI_Alltoall"].iter().any(|known| name.starts_with(known));
        let Some(host) = members.first().and_then(|member| reference.host_of(member.rank)) else { return };
        let is_blocking = |member: &Member| member.end.done_row == member.end.row;
        let is_here = |member: &Member| reference.host_of(member.rank) == Some(host) && is_blocking(member);
        if !is_exchange || operation.missing > 0 || !members.iter().all(is_here) {
            return;
        }
        let begin_ns = members.iter().map(|member| member.end.start_ns).max().unwrap_or(0);
        for member in members.iter().filter(|of| of.bytes_received >= LEAST_COPIED && of.end.end_ns > begin_ns) {
            let Some(work_ns) = memory.work_ns(member.bytes_received) else { continue };
            at(&mut self.memory, host, &self.spread).push(Transfer {
                begin_ns,
                end_ns: member.end.end_ns,
                bytes: member.bytes_received,
                alone_ns: memory.alone_ns(member.bytes_received),
                work_ns,
                ends: [Some(TransferEnd::of(member.rank, &member.end)), None],
                is_alone: true,
            });
        }
    }

    /// After the messages and operations of a batch.
    pub fn end_batch(&mut self, input: &Input<'_>) {
        if self.out.is_empty() && self.memory.is_empty() {
            return;
        }
        self.behind.push(input.batch);
        let until_ns = if input.batch.is_last { u64::MAX } else { self.behind.moment(BEHIND, 1) };
        let paths = self.out.iter_mut().chain(&mut self.into).chain(&mut self.memory);
        paths.for_each(|path| path.follow(until_ns));
        self.behind.forget(until_ns.min(self.behind.moment(2 * BEHIND, 2)));
    }

    /// The findings: about the side of the network on which more time is lost, and about the memory.
    pub fn conclude(
        &self,
        hosts: &[u32],
        (dimensions, facts): (&Dimensions, &[Vec<CallInfo>]),
        explanation: &mut Explanation,
    ) {
        let (out, into) = (Saturated::of(&self.out, Side::Out), Saturated::of(&self.into, Side::Into));
        let network = if into.cost_ns > out.cost_ns { into } else { out };
        for found in [network, Saturated::of(&self.memory, Side::Memory)] {
            if !found.paths.is_empty() && found.cost_ns >= explanation.scope.threshold_ns() {
                explanation.findings.push(found.finding(hosts, (dimensions, facts), &explanation.scope));
                let mut spread = self.spread.clone();
                found.paths.iter().for_each(|(_, path)| spread.add_all(&path.slowed.spread));
                explanation.costs.push((found.rule().id, spread));
            }
        }
    }
}

/// The path of a host.
fn at<'a>(paths: &'a mut Vec<Path>, host: u32, spread: &Spread) -> &'a mut Path {
    let host = host as usize;
    if paths.len() <= host {
        paths.resize_with(host + 1, || Path::new(spread.clone()));
    }
    &mut paths[host]
}
