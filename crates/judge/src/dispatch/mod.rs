//! An event at a time: which part of the judge it concerns. Each file has the events of one subject.

mod collectives;
mod life;
mod messages;
mod operations;
mod own_findings;
mod probes;
mod requests;
mod windows;

use mpiscope_abi::name;
use mpiscope_trace::check::event::{Body, Event, Head, flag, need};

use crate::access_conflicts::Changed;
use crate::judge::Judge;
use crate::memory::Accessing;
use crate::other_matches::{Act, Call};
use crate::process::Awaited;
use crate::report::CallRef;
use own_findings::OwnFinding;

impl Judge {
    pub(crate) fn place(&self, process: u32, head: &Head) -> CallRef {
        let key = self.objects.site_key(process, head.site);
        CallRef { process, function: head.function, site: head.site, at: head.at, key }
    }

    pub(crate) fn event(&mut self, process: u32, event: &Event) {
        let head = &event.head;
        let of = &mut self.processes[process as usize];
        if of.thread(head.thread).seen.0 == 0 && of.threads.iter().any(|thread| thread.seen.0 != 0) {
            // Its threads may pass each other data without MPI.
            self.access_conflicts.observers().all();
        }
        let thread = of.thread(head.thread);
        if thread.seen.0 == 0 {
            thread.seen.0 = head.at;
        }
        thread.seen.1 = head.at.max(thread.seen.1);
        match &event.body {
            // Only polls continue polling; a finding, or a buffer, does not show where the thread is.
            Body::Poll { .. } | Body::Finding { .. } | Body::Passed { .. } => {}
            _ => {
                thread.has_moved = true;
                thread.asking.clear();
            }
        }
        if self.follows_no_more && !matches!(event.body, Body::Finding { .. }) {
            return;
        }
        self.follow(process, event);
        match &event.body {
            Body::Begin { .. } => self.begun_mpi(process),
            Body::End => self.ends_mpi(process, head),
            Body::Send { op, mode, partitions, dest, tag, data } => {
                self.send(process, head, *op, (*mode, *partitions), (*dest, *tag), data);
            }
            Body::Receive { op, source, tag, data } => self.receive(process, head, *op, *source, *tag, data),
            Body::Probe { source, tag, .. } => self.probe(process, head, *source, *tag),
            Body::ReceiveMatched { op, message, data } => self.receive_matched(process, head, *op, *message, data),
            Body::Collective { op, root, reduction, send, receive, agreed } => {
                self.enters_collective(process, head, *op, (*root, *reduction), [send, receive], agreed);
            }
            Body::Wait { need, ops } => self.wait(process, head, *need, ops),
            Body::Poll { ops, need, probe } => self.poll(process, head, ops, *need, *probe),
            Body::Complete { op, status, cancelled, .. } => {
                self.complete(process, head.thread, *op, *status, *cancelled)
            }
            Body::Found { source, tag, message } => self.found(process, head, *source, *tag, *message),
            Body::Return { status, code, .. } => self.returned(process, head, *status, *code),
            // A freed operation continues; rules of the process itself report what is wrong with it.
            Body::Drop { op, freed } => self.given_up(process, head, *op, *freed),
            // The reader of debug information compares it.
            Body::Passed { .. } | Body::Unknown(_) => {}
            Body::Ready { op, partitions } => self.ready(process, *op, *partitions),
            Body::Epoch { window, what, targets, assertion } => {
                self.epoch(process, head, *window, *what, targets, *assertion);
            }
            Body::Access { window, what, op, target, reduction, origin, result, at_target, content } => {
                let (window, what, op, target, reduction) = (*window, *what, *op, *target, *reduction);
                let of = Accessing { window, what, op, target, reduction, origin, result, at_target, content };
                self.accesses(process, head, &of);
            }
            Body::Generalized { op, is_complete } => self.generalized(process, head, *op, *is_complete),
            Body::Memory { window, what, address, bytes } => {
                self.window_memory(process, head, *window, *what, (*address, *bytes));
            }
            Body::Stored { window, pieces, content } => self.stored(process, head, *window, pieces, content),
            Body::Changed { address, bytes, changed, first, origin, text } => {
                let elsewhere = Head { site: *origin, function: 0, at: 0, ..*head };
                let places = [self.place(process, head), self.place(process, &elsewhere)];
                let of = Changed { places, bytes: *changed, first: *first, text: text.clone() };
                self.changed(process, (*address, *bytes), of);
            }
            Body::Loaded { window, target, how, at, bytes, site } => {
                self.touched(process, head, (*window, *target), *how, (*at, *bytes), *site);
            }
            Body::Attached { bytes, overhead } => self.buffers.attached(process, head.comm, *bytes, *overhead),
            Body::Counted { received, asked, bytes, site } => {
                self.check_counted(process, head, [*received, *asked], *bytes, *site);
            }
            Body::Packed { packs, bytes, data, content } => {
                self.pack(process, head, *packs, *bytes, data, content);
            }
            Body::Flush { op } => self.flush(process, head, *op),
            Body::Opened { file, identity, appends } => self.opened(process, head, *file, *identity, *appends),
            Body::Seek { file, whence, by } => self.shared_seek(process, *file, *whence, *by),
            Body::View { file, begin, pieces, .. } => self.viewed(process, head, *file, *begin, *pieces),
            Body::Ordered { file, what } => self.ordered(process, *file, *what),
            Body::File { file, offset, bytes, writes } => self.file(process, head, *file, *offset, *bytes, *writes),
            Body::Finding { rule, argument, withheld, origin, values, text } => {
                let (rule, argument, withheld, origin) = (*rule, *argument, *withheld, *origin);
                self.own_finding(process, head, &OwnFinding { rule, argument, withheld, origin, values, text });
            }
        }
    }

    /// What the log of what processes did needs beside the steps of the replay.
    fn follow(&mut self, process: u32, event: &Event) {
        let head = &event.head;
        match &event.body {
            Body::Return { .. } | Body::Finding { .. } => return,
            _ => self.others.here(process, Call { function: head.function, site: head.site, at: head.at }),
        }
        let is_unclear = match &event.body {
            Body::Send { .. } | Body::Receive { .. } => head.flags & flag::PARTITIONED != 0,
            // Whether it was in time for that is the MPI's secret.
            Body::Drop { freed, .. } => !freed,
            Body::Unknown(_) | Body::Generalized { .. } => true,
            // Its contents may be known before an operation is complete.
            Body::Poll { .. } => name(head.function.into()).starts_with("MPI_Request_get_status"),
            Body::Wait { need, ops } => {
                let ops_known = &self.processes[process as usize].ops;
                let is_known = |op: &u64| {
                    ops_known
                        .get(op)
                        .is_some_and(|op| !matches!(op.what, Awaited::Nothing | Awaited::Taken | Awaited::Own))
                };
                *need == need::ALL && (head.flags & flag::CUT != 0 || !ops.iter().all(is_known))
            }
            Body::Access { .. }
            | Body::Memory { .. }
            | Body::Epoch { .. }
            | Body::File { .. }
            | Body::Opened { .. } => {
                self.others.has_memory = true;
                false
            }
            _ => false,
        };
        if is_unclear {
            self.others.add(process, Act::Reacts);
        }
    }
}
