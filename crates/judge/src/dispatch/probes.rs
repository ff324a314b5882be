//! Probes, and receives of the messages that they have found.

use mpiscope_trace::check::event::{Data, Head, flag};

use crate::judge::Judge;
use crate::messages::NewReceive;
use crate::other_matches::Act;
use crate::process::Awaited;
use crate::replay::{Need, Step};

impl Judge {
    pub(super) fn probe(&mut self, process: u32, head: &Head, source: Option<i32>, tag: Option<i32>) {
        if head.flags & flag::BLOCKING == 0 {
            return;
        }
        let awaited = self.probed(process, head, source, tag);
        self.open(process, head, awaited);
    }

    /// What a probe waits for.
    pub(super) fn probed(&self, process: u32, head: &Head, source: Option<i32>, tag: Option<i32>) -> Awaited {
        match self.partner(process, head, source) {
            Some((comm, source)) => Awaited::Probe { comm, source, tag },
            None => Awaited::Nothing,
        }
    }

    /// A probe has found a message; one that reserves it takes it out of the queue.
    pub(super) fn found(&mut self, process: u32, head: &Head, source: i32, tag: i32, message: u64) {
        self.hears(process, true);
        let Some((comm, sender)) = self.peer(process, head.comm, source) else { return };
        let place = self.place(process, head);
        if head.flags & flag::ANY_SOURCE != 0 {
            let asked_tag = (head.flags & flag::ANY_TAG == 0).then_some(tag);
            let order = self.messages.posted(comm, process);
            self.step(process, Step::Probed { comm, source: sender, tag: asked_tag, order, place });
        }
        let (is_any, waits) = (head.flags & flag::ANY_SOURCE != 0, self.waits(process, head.thread));
        self.others.add(process, Act::Found { comm, source: sender, tag, is_any, waits });
        if message == 0 {
            return;
        }
        self.talks(process, head.thread);
        let id = self.messages.receive(NewReceive {
            receiver: process,
            comm,
            source: Some(sender),
            tag: Some(tag),
            data: None,
            is_exact: false,
            place,
            begun_ns: self.objects.moment_ns(process, head.at),
            local_comm: head.comm,
        });
        self.step(process, Step::Post(id));
        self.processes[process as usize].reserved.insert(message, id);
        self.pairs();
    }

    pub(super) fn receive_matched(&mut self, process: u32, head: &Head, op: u64, message: u64, data: &Data) {
        let Some(id) = self.processes[process as usize].reserved.remove(&message) else {
            return self.begun(process, head, op, Awaited::Nothing, None);
        };
        let signature = self.objects.signature(process, data.datatype, data.count);
        let place = self.place(process, head);
        let mut pair = None;
        if let Some(receive) = self.messages.receives.get_mut(id) {
            (receive.data, receive.place) = (signature, place);
            receive.is_exact = head.flags & flag::EXACT != 0;
            pair = receive.matched;
        }
        if let Some(message) = pair {
            self.check_pair(message, id);
        }
        self.local(process, head, op, data, true, None);
        self.begun(process, head, op, Awaited::Receive(id), Some(Need::Received(id)));
    }
}
