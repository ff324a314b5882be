//! Operations and pending calls of a process: what each waits for.

use mpiscope_trace::check::event::{Head, flag};

use crate::judge::Judge;
use crate::other_matches::Act;
use crate::process::{Awaited, Op, PendingCall};
use crate::replay::{Need, Step};

impl Judge {
    /// A call waits for something, or for one thing more.
    pub(super) fn open(&mut self, process: u32, head: &Head, awaited: Awaited) {
        let place = self.place(process, head);
        let is_wrong = head.flags & flag::WRONG != 0;
        let thread = self.processes[process as usize].thread(head.thread);
        match &mut thread.open {
            Some(open) => open.awaited.push(awaited),
            None => thread.open = Some(PendingCall { place, is_any: false, is_wrong, awaited: vec![awaited] }),
        }
    }

    /// The same, for calls of which only some wait.
    pub(super) fn open_if_blocking(&mut self, process: u32, head: &Head, awaited: Awaited) {
        if head.flags & flag::BLOCKING != 0 {
            self.open(process, head, awaited);
        }
    }

    pub(super) fn add_op(&mut self, process: u32, head: &Head, op: u64, what: Awaited) {
        let place = self.place(process, head);
        let of = &mut self.processes[process as usize];
        of.thread(head.thread).last_op = op;
        of.ops.insert(op, Op { what, place });
    }

    /// An operation begins: the call waits for it, or it has a request.
    pub(super) fn begun(&mut self, process: u32, head: &Head, op: u64, awaited: Awaited, need: Option<Need>) {
        if head.flags & flag::BLOCKING == 0 {
            self.add_op(process, head, op, awaited);
            return;
        }
        self.open(process, head, awaited);
        let place = self.place(process, head);
        let thread = self.processes[process as usize].thread(head.thread);
        match (head.flags & flag::MORE != 0, thread.parts.is_empty()) {
            (true, _) => thread.parts.extend(need),
            // The usual call has one part.
            (false, true) => {
                if let Some(need) = need {
                    self.step(process, Step::Wait(place, [need].into()));
                }
            }
            (false, false) => {
                thread.parts.extend(need);
                let needs = std::mem::take(&mut thread.parts).into();
                self.step(process, Step::Wait(place, needs));
            }
        }
    }

    pub(super) fn talks(&mut self, process: u32, thread: u8) {
        let of = &mut self.processes[process as usize];
        if of.talking.insert(thread) && of.talking.len() == 2 {
            self.replay.set_free(process);
            self.access_conflicts.set_blind();
        }
    }

    /// An operation whose partner is unknown, or that has none, begins.
    pub(super) fn begun_without_partner(&mut self, process: u32, head: &Head, op: u64) {
        self.unclear(process, head);
        self.begun(process, head, op, Awaited::Nothing, None);
    }

    /// The peer of a call is unknown, unless there is none.
    pub(super) fn unclear(&mut self, process: u32, head: &Head) {
        if head.flags & flag::PROC_NULL == 0 {
            self.others.add(process, Act::Reacts);
        }
    }

    /// Whether a thread is in a call that waits.
    pub(super) fn waits(&mut self, process: u32, thread: u8) -> bool {
        self.processes[process as usize].thread(thread).open.is_some()
    }
}
