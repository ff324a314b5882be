//! Requests and calls that wait: waiting, polling, completing, cancelling and freeing; returns of calls.

use mpiscope_trace::check::event::{Head, flag, mode, need};

use crate::judge::Judge;
use crate::other_matches::Until;
use crate::process::{Asking, Awaited, PendingCall};
use crate::replay::{Need, Step};

impl Judge {
    pub(super) fn wait(&mut self, process: u32, head: &Head, need: u64, ops: &[u64]) {
        self.talks(process, head.thread);
        let place = self.place(process, head);
        let is_any = need == need::ANY;
        let of = &mut self.processes[process as usize];
        if !is_any && head.flags & flag::CUT == 0 {
            let mut needs: Vec<Need> = Vec::with_capacity(ops.len());
            for op in ops.iter().filter_map(|op| of.ops.get(op)) {
                match &op.what {
                    Awaited::Send(id) => needs.push(Need::Sent(*id)),
                    Awaited::Receive(id) => needs.push(Need::Received(*id)),
                    Awaited::Collective(joined) => needs.push(Need::Collective(*joined)),
                    Awaited::Transmitted(ids) => needs.extend(ids.iter().map(|&id| Need::Transmitted(id))),
                    _ => {}
                }
            }
            if !needs.is_empty() {
                self.step(process, Step::Wait(place, needs.into()));
            }
        }
        let awaited = if head.flags & flag::CUT != 0 {
            vec![Awaited::Nothing]
        } else {
            ops.iter().map(|&op| Awaited::Op(op)).collect()
        };
        self.processes[process as usize].thread(head.thread).open =
            Some(PendingCall { place, is_any, is_wrong: false, awaited });
    }

    pub(super) fn poll(
        &mut self,
        process: u32,
        head: &Head,
        ops: &[u64],
        need: u64,
        probe: Option<(Option<i32>, Option<i32>)>,
    ) {
        let place = self.place(process, head);
        let awaited: Vec<Awaited> = match probe {
            Some((source, tag)) => vec![self.probed(process, head, source, tag)],
            None if need == need::EXPOSURE => {
                let local = ops.first().and_then(|&window| self.window(process, window as u32));
                let origins =
                    |window: u32| self.processes[process as usize].epochs.get(&window).map(|e| e.posted.clone());
                let exposed = local.and_then(|(window, _)| Some((window, origins(window)?)));
                vec![exposed.map_or(Awaited::Nothing, |(window, origins)| Awaited::Completes { window, origins })]
            }
            None if head.flags & flag::CUT != 0 || ops.is_empty() => vec![Awaited::Nothing],
            None => ops.iter().map(|&op| Awaited::Op(op)).collect(),
        };
        let thread = self.processes[process as usize].thread(head.thread);
        thread.open = None;
        if thread.asking.is_empty() {
            thread.asking_since = head.at;
            thread.asked_at = head.at;
            thread.asked = 0;
            thread.has_moved = true;
        }
        thread.asks |= head.at > thread.asked_at;
        thread.asked_at = thread.asked_at.max(head.at);
        thread.asked += 1;
        let is_any = need == need::ANY;
        if !thread.asking.iter().any(|a| a.is_any == is_any && a.awaited == awaited) {
            thread.asking.push(Asking { place, is_any, awaited });
            thread.has_moved = true;
        }
    }

    /// An operation is complete.
    pub(super) fn complete(&mut self, process: u32, thread: u8, op: u64, status: Option<(i32, i32)>, cancelled: bool) {
        let of = &mut self.processes[process as usize];
        let Some(known) = of.ops.remove(&op) else { return };
        if of.has_several() {
            of.take_from_others(thread, op);
        }
        // Of a send only that it may be over, unless it waits for its receive.
        if !matches!(known.what, Awaited::Send(_)) {
            self.hears(process, false);
        }
        match known.what {
            Awaited::Send(id) if cancelled => {
                self.buffers.cancelled(process, id, &mut self.messages);
                self.messages.cancel_send(id);
            }
            Awaited::Receive(id) if cancelled => self.messages.cancel_receive(id),
            Awaited::Send(id) => {
                if let Some(message) = self.messages.messages.get(id).filter(|m| m.mode == mode::SYNCHRONOUS) {
                    self.others.done(process, Until::Sent(message.number));
                }
                self.messages.send_done(id);
            }
            Awaited::Receive(id) => {
                self.step(process, Step::Done(Need::Received(id)));
                self.receive_over(process, id, status);
            }
            Awaited::Collective(joined) => self.step(process, Step::Done(Need::Collective(joined))),
            Awaited::Access => self.access_over(process, op),
            Awaited::Transmitted(ids) => ids.iter().for_each(|&id| self.messages.release_message(id)),
            _ => {}
        }
        self.local_over(process, op);
        self.pairs();
    }

    /// The program has cancelled or freed a request.
    pub(super) fn given_up(&mut self, process: u32, head: &Head, op: u64, freed: bool) {
        let here = self.place(process, head);
        let of = &mut self.processes[process as usize];
        let Some((Awaited::Send(id), begun)) = of.ops.get(&op).map(|known| (&known.what, known.place)) else { return };
        self.messages.give_up(*id, freed);
        if freed {
            of.freed(here, begun);
        }
    }

    /// The process may have received data from others; if `is_unseen`, other than by messages and collective operations.
    pub(super) fn hears(&mut self, process: u32, is_unseen: bool) {
        self.processes[process as usize].freed_sends.clear();
        if is_unseen {
            self.access_conflicts.observers().learns(process);
        }
    }

    /// Progress of a generalised request, which the process itself completes.
    pub(super) fn generalized(&mut self, process: u32, head: &Head, op: u64, is_complete: bool) {
        if !is_complete {
            return self.add_op(process, head, op, Awaited::Own);
        }
        if let Some(op) = self.processes[process as usize].ops.get_mut(&op) {
            op.what = Awaited::Nothing;
        }
    }

    /// The open call has returned.
    pub(super) fn returned(&mut self, process: u32, head: &Head, status: Option<(i32, i32)>, code: i32) {
        let thread = self.processes[process as usize].thread(head.thread);
        thread.parts.clear();
        let open = thread.open.take();
        self.call_over(process, head.thread);
        let is_reported = |awaited: &Awaited| !matches!(awaited, Awaited::Send(_) | Awaited::Op(_));
        if open.as_ref().is_some_and(|open| open.awaited.is_empty() || open.awaited.iter().any(is_reported)) {
            self.hears(process, false);
        }
        let Some(open) = open else {
            let thread = self.processes[process as usize].thread(head.thread);
            // A call that makes a request returns only if it has failed: there is no operation.
            let op = thread.last_op;
            if code != 0 {
                self.complete(process, head.thread, op, None, true);
            }
            return;
        };
        for awaited in open.awaited {
            match awaited {
                Awaited::Send(id) if code != 0 => {
                    self.buffers.cancelled(process, id, &mut self.messages);
                    self.messages.cancel_send(id);
                }
                Awaited::Send(id) => self.messages.send_done(id),
                Awaited::Transmitted(ids) => ids.iter().for_each(|&id| self.messages.release_message(id)),
                Awaited::Receive(id) => {
                    self.receive_over(process, id, status);
                }
                _ => {}
            }
        }
        self.pairs();
    }
}
