//! Sends and receives: what their calls say of a message, and which of them belong together.

use mpiscope_trace::check::event::{Data, Head, flag, mode};

use crate::judge::Judge;
use crate::messages::{NewMessage, NewReceive, PARTITIONED};
use crate::process::{Awaited, Op};
use crate::replay::{Need, Needs, Step};
use crate::report::CallRef;
use crate::signature::Signature;

/// A send or receive, as its call describes it.
struct Transfer {
    /// Number of the communicator; partitioned operations match only each other.
    comm: u32,
    /// The other process; none with `MPI_ANY_SOURCE`.
    partner: Option<u32>,
    signature: Option<Signature>,
    place: CallRef,
    begun_ns: i128,
}

impl Judge {
    /// Number of the communicator and the process with a rank in it; nothing where not all is known.
    pub(crate) fn peer(&self, process: u32, comm: u32, rank: i32) -> Option<(u32, u32)> {
        let local = self.objects.local_comm(process, comm).filter(|c| !c.foreign)?;
        let peer = *local.peers.get(usize::try_from(rank).ok()?)?;
        Some((local.number, peer))
    }

    /// Number of the communicator and the partner that a call names, no process for `MPI_ANY_SOURCE`. Nothing where not all is known,
    /// and with `MPI_PROC_NULL`.
    pub(super) fn partner(&self, process: u32, head: &Head, rank: Option<i32>) -> Option<(u32, Option<u32>)> {
        if head.flags & flag::PROC_NULL != 0 {
            return None;
        }
        match rank {
            Some(rank) => self.peer(process, head.comm, rank).map(|(comm, peer)| (comm, Some(peer))),
            None => {
                let local = self.objects.local_comm(process, head.comm).filter(|c| !c.foreign);
                local.map(|c| (c.number, None))
            }
        }
    }

    /// How every send and receive begins; nothing if its partner is unknown or it has none.
    fn transfer(&mut self, process: u32, head: &Head, rank: Option<i32>, data: &Data) -> Option<Transfer> {
        self.talks(process, head.thread);
        let (comm, partner) = self.partner(process, head, rank)?;
        Some(Transfer {
            comm: comm | partitioned(head),
            partner,
            signature: self.objects.signature(process, data.datatype, data.count),
            place: self.place(process, head),
            begun_ns: self.objects.moment_ns(process, head.at),
        })
    }

    fn is_packed(&self, signature: Option<Signature>) -> bool {
        signature.is_some_and(|s| self.objects.signatures.is_packed(s))
    }

    #[allow(clippy::too_many_arguments)] // as the event has them
    pub(super) fn send(
        &mut self,
        process: u32,
        head: &Head,
        op: u64,
        (mode, partitions): (u64, u32),
        (dest, tag): (i32, i32),
        data: &Data,
    ) {
        let data = &believed(head, data);
        let transfer = self.transfer(process, head, Some(dest), data);
        if mode == mode::SYNCHRONOUS || transfer.is_none() {
            // Its end shows that the receive has started.
            self.hears(process, true);
        }
        let Some(Transfer { comm, partner: Some(receiver), signature, place, begun_ns }) = transfer else {
            return self.begun_without_partner(process, head, op);
        };
        let id = self.messages.send(NewMessage {
            sender: process,
            receiver,
            comm,
            tag,
            data: signature,
            mode,
            partitions,
            place,
            begun_ns,
        });
        match self.is_packed(signature) {
            true => self.packed.sent(process, id, data),
            false => self.packed.is_no_message(id),
        }
        if mode == mode::BUFFERED {
            let bytes = signature.map_or(0, |s| s.bytes);
            self.buffers.sent((process, head.comm), id, bytes, begun_ns, place, &mut self.messages);
        }
        if self.objects.is_multiple(process) {
            self.threads.sent(id, (process, receiver, comm, tag), head.thread);
        } else {
            self.threads.gone(id);
        }
        self.local(process, head, op, data, false, None);
        self.step(process, Step::Issue(id));
        self.begun(process, head, op, Awaited::Send(id), Some(Need::Sent(id)));
        self.pairs();
    }

    /// A call that waits until a buffer for buffered sends is empty.
    pub(super) fn flush(&mut self, process: u32, head: &Head, op: u64) {
        let waits = head.flags & flag::BLOCKING != 0;
        let messages = self.buffers.under_way((process, head.comm), waits, &mut self.messages);
        let needs: Needs = messages.iter().map(|&id| Need::Transmitted(id)).collect();
        // The buffer of a session is that of several communicators: each has an event.
        if let (false, Some(Op { what: Awaited::Transmitted(before), .. })) =
            (waits, self.processes[process as usize].ops.get_mut(&op))
        {
            *before = before.iter().chain(&messages).copied().collect();
            return;
        }
        let awaited = Awaited::Transmitted(messages);
        if !waits {
            return self.add_op(process, head, op, awaited);
        }
        self.open(process, head, awaited);
        if !needs.is_empty() {
            let place = self.place(process, head);
            self.step(process, Step::Wait(place, needs));
        }
    }

    /// Partitions of a send are ready: the process reports each once.
    pub(super) fn ready(&mut self, process: u32, op: u64, (first, last): (u64, u64)) {
        let Some(Op { what: Awaited::Send(id), .. }) = self.processes[process as usize].ops.get(&op) else { return };
        if let Some(message) = self.messages.messages.get_mut(*id) {
            let n = last.saturating_sub(first).saturating_add(1);
            message.unready = message.unready.saturating_sub(u32::try_from(n).unwrap_or(u32::MAX));
        }
    }

    pub(super) fn receive(
        &mut self,
        process: u32,
        head: &Head,
        op: u64,
        source: Option<i32>,
        tag: Option<i32>,
        data: &Data,
    ) {
        let data = &believed(head, data);
        let transfer = self.transfer(process, head, source, data);
        if transfer.is_none() || partitioned(head) != 0 {
            // From MPI_PROC_NULL, from another world, or piece by piece.
            self.access_conflicts.observers().learns(process);
        }
        let Some(Transfer { comm, partner: source, signature, place, begun_ns }) = transfer else {
            return self.begun_without_partner(process, head, op);
        };
        let id = self.messages.receive(NewReceive {
            receiver: process,
            comm,
            source,
            tag,
            data: signature,
            is_exact: head.flags & flag::EXACT != 0,
            place,
            begun_ns,
            local_comm: head.comm,
        });
        match self.is_packed(signature) {
            true => self.packed.received(process, id, data),
            false => self.packed.is_no_receive(process, id),
        }
        if self.objects.is_multiple(process) {
            self.threads.receives((process, comm, source, tag), head.thread);
        }
        self.local(process, head, op, data, true, None);
        self.step(process, Step::Post(id));
        self.begun(process, head, op, Awaited::Receive(id), Some(Need::Received(id)));
        self.pairs();
    }

    pub(super) fn receive_over(&mut self, process: u32, id: u32, status: Option<(i32, i32)>) {
        let Some(receive) = self.messages.receives.get(id) else { return };
        if receive.matched.is_none() {
            let is_wild = receive.source.is_none();
            let sender =
                status.and_then(|(source, tag)| Some((self.peer(process, receive.local_comm, source)?.1, tag)));
            match sender {
                Some((sender, tag)) => self.messages.status(id, sender, tag),
                None if is_wild => {
                    self.access_conflicts.observers().learns(process);
                    self.messages.receive_done(id);
                    self.messages.status_unknown(id);
                }
                None => {}
            }
        }
        self.messages.receive_done(id);
    }

    /// Messages and receives that have found each other.
    pub(super) fn pairs(&mut self) {
        while let Some((message, receive)) = self.messages.pairs.pop() {
            let sides = match (self.messages.messages.get(message), self.messages.receives.get(receive)) {
                (Some(m), Some(r)) => {
                    if m.mode == mode::BUFFERED {
                        self.buffers.received(message, r.begun_ns);
                    }
                    self.others.paired(m, r);
                    (m.sender, r.receiver)
                }
                _ => continue,
            };
            self.check_pair(message, receive);
            self.packed_paired(message, sides.1, receive);
            let mut world = crate::replay::World {
                messages: &mut self.messages,
                collectives: &self.collectives,
                kinds: &self.kinds,
                access_conflicts: &mut self.access_conflicts,
            };
            self.replay.paired(sides.0, sides.1, &mut world);
            self.messages.release_message(message);
            self.messages.release_receive(receive);
        }
    }
}

fn partitioned(head: &Head) -> u32 {
    if head.flags & flag::PARTITIONED != 0 { PARTITIONED } else { 0 }
}

/// The data of a call; empty if its arguments are wrong.
fn believed(head: &Head, data: &Data) -> Data {
    if head.flags & flag::WRONG == 0 { *data } else { Data::default() }
}
