//! An event at a time: to operations, messages, collective operations, windows and files.

use mpiscope_abi::role::{self, Pattern, Role};
use mpiscope_abi::{id, name};
use mpiscope_trace::check::event::{Body, Data, Event, Head, access, assertion, epoch, flag, mode, need};
use mpiscope_trace::check::rule;

use crate::access_conflicts::Changed;
use crate::assertions::Half;
use crate::collective_traits::Order;
use crate::collectives::{Among, Entering, Joined};
use crate::finding::{Confidence, MAY_HAVE_WRITTEN, MAY_READ, MAY_WRITE};
use crate::judge::Judge;
use crate::memory::Accessing;
use crate::messages::{NewMessage, NewReceive, PARTITIONED};
use crate::other_matches::{Act, Call, Until};
use crate::process::{Asking, Awaited, FreedSend, Op, PendingCall};
use crate::replay::{Need, Needs, Step};
use crate::report::{CallRef, Draft};
use crate::rules;

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
            self.looks.observers().all();
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
            Body::Begin { .. } => {
                let process = &mut self.processes[process as usize];
                (process.has_begun, process.is_finalizing) = (true, false);
            }
            Body::End => {
                self.others.add(process, Act::End);
                self.processes[process as usize].is_finalizing = true;
                self.freed_sends_left(process);
                self.open(process, head, Awaited::Finalize);
            }
            Body::Send { op, mode, partitions, dest, tag, data } => {
                self.send(process, head, *op, (*mode, *partitions), (*dest, *tag), data);
            }
            Body::Receive { op, source, tag, data } => self.receive(process, head, *op, *source, *tag, data),
            Body::Probe { source, tag, .. } => self.probe(process, head, *source, *tag),
            Body::ReceiveMatched { op, message, data } => self.receive_matched(process, head, *op, *message, data),
            Body::Collective { op, root, reduction, send, receive, agreed } => {
                self.talks(process, head.thread);
                let entering = Entering {
                    place: self.place(process, head),
                    flags: head.flags,
                    comm: head.comm,
                    root: *root,
                    reduction: *reduction,
                    send,
                    receive,
                    agreed,
                    of: self.freed_window(process, head, agreed),
                };
                let joined = match self.kinds.of_function(head.function).order {
                    Order::Among => self.enter_among(process, head, &entering),
                    _ => self.enter(&entering),
                };
                self.local(process, head, *op, &send.data, false, None);
                self.local(process, head, *op, &receive.data, true, None);
                let bridge = self.leaders_meet(process, head, &entering);
                if let (Some(joined), Some(bridge)) = (joined, bridge) {
                    self.collectives.bridge(joined, bridge);
                    self.step(process, Step::Enter(bridge));
                    self.step(process, Step::Done(Need::Collective(bridge)));
                }
                // A leader may be the only member of its group.
                let joined = joined.or(bridge);
                self.begun_collective(process, head, *op, joined);
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
                if *op != 0 {
                    self.add_op(process, head, *op, Awaited::Access);
                }
                if head.flags & (flag::NOBODY | flag::CUT) == 0 {
                    // Without an operation the origin of an accumulate means nothing.
                    let name = self.objects.process(process).ops.get(reduction);
                    match *what {
                        access::GET => self.check_access(process, head, [origin, at_target]),
                        _ if name.is_some_and(|op| &**op == "MPI_NO_OP") => {}
                        _ => self.check_access(process, head, [at_target, origin]),
                    }
                    self.check_access(process, head, [result, at_target]);
                }
                let (window, what, op, target, reduction) = (*window, *what, *op, *target, *reduction);
                let of = Accessing { window, what, op, target, reduction, origin, result, at_target, content };
                self.access(process, head, &of);
            }
            Body::Generalized { op, is_complete: false } => self.add_op(process, head, *op, Awaited::Own),
            Body::Generalized { op, .. } => {
                if let Some(op) = self.processes[process as usize].ops.get_mut(op) {
                    op.what = Awaited::Nothing;
                }
            }
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
                let Some(known) = rules::of_process(*rule) else { return };
                let elsewhere = |site| Head { site, function: 0, at: 0, ..*head };
                let toucher = toucher(*rule, values);
                let mut places = vec![self.place(process, head)];
                places.extend(toucher.map(|(site, _)| self.place(process, &elsewhere(site))));
                places
                    .extend(Some(*origin).filter(|&site| site != 0).map(|site| self.place(process, &elsewhere(site))));
                if self.sink.again(known.id, &places) {
                    return;
                }
                let place = places[0];
                let draft = Draft::new(known.id).text(rules::fill(known.text, text, *values)).literal();
                let draft = draft.withheld(*withheld);
                let shown = match *rule {
                    rule::MEMORY_RACE => &values[..1],
                    _ if toucher.is_some() => &values[..2],
                    _ => &values[..],
                };
                let base = u32::from(head.function) & !mpiscope_abi::LARGE;
                let is_excused = match *rule {
                    // With an exit code the program may have ended because of an error.
                    rule::NO_FINALIZE => values[0] != 0,
                    // The standard only advises to detach memory before it is freed.
                    rule::BUFFER_UNMAPPED => base == id::Win_detach,
                    // It is not certain which variable it is.
                    rule::VARIABLE_SHORT | rule::VARIABLE_TYPE => values[2] != 0,
                    rule::BUFFER_RACE => values[2] & rule::MAY_BE_ORDERED != 0,
                    _ => false,
                };
                let draft = if is_excused { draft.at_most(Confidence::Possible) } else { draft };
                let mut draft = shown.iter().enumerate().fold(draft, |d, (at, &v)| d.number(&format!("value{at}"), v));
                if let Some((site, role)) = toucher {
                    draft.add(self.place(process, &elsewhere(site)), None, role);
                }
                let role = match *rule {
                    rule::MEMORY_RACE if values[1] & rule::WRITES != 0 => "writes",
                    rule::MEMORY_RACE => "reads",
                    _ => "calls",
                };
                draft.add(place, Some(*argument).filter(|&a| a != 255), role);
                if *origin != 0 {
                    let role = if *rule == rule::BUFFER_RACE { "the other operation" } else { "started here" };
                    draft.add(self.place(process, &elsewhere(*origin)), None, role);
                }
                match toucher.is_none() && is_written_in_collective(*rule, text) {
                    true => self.written.push((draft, false)),
                    false => self.sink.add(draft),
                }
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

    /// A call waits for something, or for one thing more.
    fn open(&mut self, process: u32, head: &Head, awaited: Awaited) {
        let place = self.place(process, head);
        let is_wrong = head.flags & flag::WRONG != 0;
        let thread = self.processes[process as usize].thread(head.thread);
        match &mut thread.open {
            Some(open) => open.awaited.push(awaited),
            None => thread.open = Some(PendingCall { place, is_any: false, is_wrong, awaited: vec![awaited] }),
        }
    }

    fn add_op(&mut self, process: u32, head: &Head, op: u64, what: Awaited) {
        let place = self.place(process, head);
        let of = &mut self.processes[process as usize];
        of.thread(head.thread).last_op = op;
        of.ops.insert(op, Op { what, place });
    }

    /// An operation begins: the call waits for it, or it has a request.
    fn begun(&mut self, process: u32, head: &Head, op: u64, awaited: Awaited, need: Option<Need>) {
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

    fn talks(&mut self, process: u32, thread: u8) {
        let of = &mut self.processes[process as usize];
        if of.talking.insert(thread) && of.talking.len() == 2 {
            self.replay.set_free(process);
            self.looks.set_blind();
        }
    }

    /// Number of the communicator and the process with a rank in it; nothing where not all is known.
    pub(crate) fn peer(&self, process: u32, comm: u32, rank: i32) -> Option<(u32, u32)> {
        let local = self.objects.local_comm(process, comm).filter(|c| !c.foreign)?;
        let peer = *local.peers.get(usize::try_from(rank).ok()?)?;
        Some((local.number, peer))
    }

    #[allow(clippy::too_many_arguments)] // as the event has them
    fn send(
        &mut self,
        process: u32,
        head: &Head,
        op: u64,
        (mode, partitions): (u64, u32),
        (dest, tag): (i32, i32),
        data: &Data,
    ) {
        self.talks(process, head.thread);
        let data = &believed(head, data);
        let found = self.peer(process, head.comm, dest).filter(|_| head.flags & flag::NOBODY == 0);
        if mode == mode::SYNCHRONOUS || found.is_none() {
            // Its end shows that the receive has started.
            self.hears(process, true);
        }
        let Some((comm, receiver)) = found else {
            self.unclear(process, head);
            return self.begun(process, head, op, Awaited::Nothing, None);
        };
        let comm = comm | partitioned(head);
        let id = self.messages.send(NewMessage {
            sender: process,
            receiver,
            comm,
            tag,
            data: self.objects.signature(process, data.datatype, data.count),
            mode,
            partitions,
            place: self.place(process, head),
            begun_ns: self.objects.moment_ns(process, head.at),
        });
        let signature = self.objects.signature(process, data.datatype, data.count);
        match signature.is_some_and(|s| self.objects.signatures.is_packed(s)) {
            true => self.packed.sent(process, id, data),
            false => self.packed.is_no_message(id),
        }
        if mode == mode::BUFFERED {
            let bytes = signature.map_or(0, |s| s.bytes);
            let (at_ns, place) = (self.objects.moment_ns(process, head.at), self.place(process, head));
            self.buffers.sent((process, head.comm), id, bytes, at_ns, place, &mut self.messages);
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

    /// The peer of a call is unknown, unless there is none.
    fn unclear(&mut self, process: u32, head: &Head) {
        if head.flags & flag::NOBODY == 0 {
            self.others.add(process, Act::Reacts);
        }
    }

    /// A call that waits until a buffer for buffered sends is empty.
    fn flush(&mut self, process: u32, head: &Head, op: u64) {
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
    fn ready(&mut self, process: u32, op: u64, (first, last): (u64, u64)) {
        let Some(Op { what: Awaited::Send(id), .. }) = self.processes[process as usize].ops.get(&op) else { return };
        if let Some(message) = self.messages.messages.get_mut(*id) {
            let n = last.saturating_sub(first).saturating_add(1);
            message.unready = message.unready.saturating_sub(u32::try_from(n).unwrap_or(u32::MAX));
        }
    }

    fn receive(&mut self, process: u32, head: &Head, op: u64, source: Option<i32>, tag: Option<i32>, data: &Data) {
        self.talks(process, head.thread);
        let data = &believed(head, data);
        let found = match (source, head.flags & flag::NOBODY) {
            (_, 1..) => None,
            (Some(rank), _) => self.peer(process, head.comm, rank).map(|(comm, peer)| (comm, Some(peer))),
            (None, _) => {
                let local = self.objects.local_comm(process, head.comm).filter(|c| !c.foreign);
                local.map(|c| (c.number, None))
            }
        };
        if found.is_none() || partitioned(head) != 0 {
            // From MPI_PROC_NULL, from another world, or piece by piece.
            self.looks.observers().learns(process);
        }
        let Some((comm, source)) = found else {
            self.unclear(process, head);
            return self.begun(process, head, op, Awaited::Nothing, None);
        };
        let comm = comm | partitioned(head);
        let id = self.messages.receive(NewReceive {
            receiver: process,
            comm,
            source,
            tag,
            data: self.objects.signature(process, data.datatype, data.count),
            is_exact: head.flags & flag::EXACT != 0,
            place: self.place(process, head),
            begun_ns: self.objects.moment_ns(process, head.at),
            local_comm: head.comm,
        });
        let signature = self.objects.signature(process, data.datatype, data.count);
        match signature.is_some_and(|s| self.objects.signatures.is_packed(s)) {
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

    fn probe(&mut self, process: u32, head: &Head, source: Option<i32>, tag: Option<i32>) {
        if head.flags & flag::BLOCKING == 0 {
            return;
        }
        let awaited = self.probed(process, head, source, tag);
        self.open(process, head, awaited);
    }

    fn probed(&self, process: u32, head: &Head, source: Option<i32>, tag: Option<i32>) -> Awaited {
        if head.flags & flag::NOBODY != 0 {
            return Awaited::Nothing;
        }
        match source {
            Some(rank) => match self.peer(process, head.comm, rank) {
                Some((comm, peer)) => Awaited::Probe { comm, source: Some(peer), tag },
                None => Awaited::Nothing,
            },
            None => match self.objects.local_comm(process, head.comm).filter(|c| !c.foreign) {
                Some(local) => Awaited::Probe { comm: local.number, source: None, tag },
                None => Awaited::Nothing,
            },
        }
    }

    /// A probe has found a message; one that reserves it takes it out of the queue.
    fn found(&mut self, process: u32, head: &Head, source: i32, tag: i32, message: u64) {
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

    fn receive_matched(&mut self, process: u32, head: &Head, op: u64, message: u64, data: &Data) {
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

    /// Whether a thread is in a call that waits.
    fn waits(&mut self, process: u32, thread: u8) -> bool {
        self.processes[process as usize].thread(thread).open.is_some()
    }

    /// A process's part of a collective operation.
    pub(crate) fn enter(&mut self, entering: &Entering<'_>) -> Option<Joined> {
        if self.is_one_sided(entering.place.process, entering.comm, entering.place.function) {
            return None;
        }
        let joined = self.collectives.enter(&self.kinds, &mut self.objects, entering);
        if self.collectives.has_much_to_tell() {
            self.collectives.report(&mut self.objects, &mut self.sink);
        }
        joined
    }

    /// The window that a call frees: in order with its fences. 0 for all else.
    fn freed_window(&mut self, process: u32, head: &Head, agreed: &[i64]) -> u32 {
        let &[ordinal] = agreed else { return 0 };
        let frees = u32::from(self.kinds.of_function(head.function).base) == mpiscope_abi::id::Win_free;
        let Some(comm) = self.objects.local_comm(process, head.comm).filter(|_| frees) else { return 0 };
        let next = self.windows.len() as u32 + 1;
        // Windows are numbered from 1, and events have the number of windows that were created before.
        *self.windows.entry((true, comm.number, ordinal as u32 + 1)).or_insert(next)
    }

    /// A part of an operation that only the processes of a group call: those with the same group and tag belong together.
    fn enter_among(&mut self, process: u32, head: &Head, entering: &Entering<'_>) -> Option<Joined> {
        if head.flags & flag::CUT != 0 {
            return None;
        }
        let ranks = entering.receive.counts().iter().map(|&rank| i32::try_from(rank).ok());
        let (comm, members): (u32, Option<Vec<u32>>) = if head.comm == 0 {
            (u32::MAX, ranks.map(|rank| self.objects.fellow(process, rank?)).collect())
        } else {
            let (comm, peers) =
                self.objects.local_comm(process, head.comm).filter(|c| !c.foreign).map(|c| (c.number, &c.peers))?;
            (comm, ranks.map(|rank| peers.get(rank? as usize).copied()).collect())
        };
        let of = Among { comm, members: members?, tag: entering.send.counts().first().copied().unwrap_or(0) };
        self.collectives.enter_among(&self.kinds, &self.objects, of, entering.place, entering.agreed)
    }

    /// A leader's part of making an intercommunicator: it meets the other group's leader.
    fn leaders_meet(&mut self, process: u32, head: &Head, entering: &Entering<'_>) -> Option<Joined> {
        let (comm, other, tag) = match u32::from(self.kinds.of_function(head.function).base) {
            mpiscope_abi::id::Intercomm_create => {
                let &[comm, leader, tag] = entering.receive.counts() else { return None };
                let (comm, other) = self.peer(process, comm as u32, leader as i32)?;
                (comm, other, tag)
            }
            mpiscope_abi::id::Intercomm_create_from_groups if head.flags & flag::CUT == 0 => {
                let &[tag, leader] = entering.send.counts() else { return None };
                // Beside what the leaders may make of a group of both with the same text.
                (u32::MAX, self.objects.fellow(process, i32::try_from(leader).ok()?)?, !tag)
            }
            _ => return None,
        };
        let members = vec![process.min(other), process.max(other)];
        let of = Among { comm, members, tag };
        self.collectives.enter_among(&self.kinds, &self.objects, of, entering.place, &[])
    }

    fn begun_collective(&mut self, process: u32, head: &Head, op: u64, joined: Option<Joined>) {
        let awaited = joined.map_or(Awaited::Nothing, Awaited::Collective);
        if joined.is_none() {
            self.unclear(process, head);
        }
        let is_partial = matches!(self.kinds.of_function(head.function).pattern, Pattern::Scan | Pattern::Neighbors);
        if joined.is_none() || is_partial {
            self.looks.observers().learns(process);
        }
        if let Some(joined) = joined {
            self.step(process, Step::Enter(joined));
        }
        // An initialisation of a persistent operation need not wait for anybody.
        let need = joined
            .filter(|_| {
                self.kinds.of_function(head.function).variant != crate::collective_traits::Variant::Persistent
                    || op != 0
            })
            .map(Need::Collective);
        self.begun(process, head, op, awaited, need);
    }

    fn wait(&mut self, process: u32, head: &Head, need: u64, ops: &[u64]) {
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

    fn poll(&mut self, process: u32, head: &Head, ops: &[u64], need: u64, probe: Option<(Option<i32>, Option<i32>)>) {
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
    fn complete(&mut self, process: u32, thread: u8, op: u64, status: Option<(i32, i32)>, cancelled: bool) {
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
    fn given_up(&mut self, process: u32, head: &Head, op: u64, freed: bool) {
        let here = self.place(process, head);
        let of = &mut self.processes[process as usize];
        let Some((Awaited::Send(id), begun)) = of.ops.get(&op).map(|known| (&known.what, known.place)) else { return };
        self.messages.give_up(*id, freed);
        if freed {
            of.freed(here, begun);
        }
    }

    /// The process may have received data from others; if `is_unseen`, other than by messages and collective operations.
    fn hears(&mut self, process: u32, is_unseen: bool) {
        self.processes[process as usize].freed_sends.clear();
        if is_unseen {
            self.looks.observers().learns(process);
        }
    }

    /// The process ends MPI, and nothing confirmed that these sends are complete.
    fn freed_sends_left(&mut self, process: u32) {
        for FreedSend { freed, begun } in std::mem::take(&mut self.processes[process as usize].freed_sends) {
            let text = format!(
                "The request of the send is freed, and nothing that rank {process} does before MPI_Finalize can confirm that the \
                 send is complete."
            );
            let draft = Draft::new("request.freed-unconfirmed").text(text);
            self.sink.add(draft.party(freed, "frees").party(begun, "started here"));
        }
    }

    fn receive_over(&mut self, process: u32, id: u32, status: Option<(i32, i32)>) {
        let Some(receive) = self.messages.receives.get(id) else { return };
        if receive.matched.is_none() {
            let is_wild = receive.source.is_none();
            let sender =
                status.and_then(|(source, tag)| Some((self.peer(process, receive.local_comm, source)?.1, tag)));
            match sender {
                Some((sender, tag)) => self.messages.status(id, sender, tag),
                None if is_wild => {
                    self.looks.observers().learns(process);
                    self.messages.receive_done(id);
                    self.messages.status_unknown(id);
                }
                None => {}
            }
        }
        self.messages.receive_done(id);
    }

    /// The open call has returned.
    fn returned(&mut self, process: u32, head: &Head, status: Option<(i32, i32)>, code: i32) {
        let thread = self.processes[process as usize].thread(head.thread);
        thread.parts.clear();
        let open = thread.open.take();
        self.call_over(process, head.thread);
        let tells = |awaited: &Awaited| !matches!(awaited, Awaited::Send(_) | Awaited::Op(_));
        if open.as_ref().is_some_and(|open| open.awaited.is_empty() || open.awaited.iter().any(tells)) {
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

    /// Messages and receives that have found each other.
    fn pairs(&mut self) {
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
                looks: &mut self.looks,
            };
            self.replay.paired(sides.0, sides.1, &mut world);
            self.messages.release_message(message);
            self.messages.release_receive(receive);
        }
    }

    fn epoch(&mut self, process: u32, head: &Head, window: u32, what: u64, ranks: &[i32], asserted: u64) {
        let Some((window, comm)) = self.window(process, window) else {
            if head.flags & flag::BLOCKING != 0 {
                self.open(process, head, Awaited::Nothing);
            }
            return;
        };
        let Some(local) = self.objects.local_comm(process, comm).filter(|c| !c.foreign) else {
            if head.flags & flag::BLOCKING != 0 {
                self.open(process, head, Awaited::Nothing);
            }
            return;
        };
        let targets: Vec<u32> =
            ranks.iter().filter_map(|&r| local.peers.get(usize::try_from(r).ok()?).copied()).collect();
        let place = self.place(process, head);
        let count = |judge: &mut Judge, target: u32, origin: u32, which: usize| {
            let counts = judge.counts.entry((window, target, origin)).or_default();
            counts[which] += 1;
            counts[which]
        };
        let is_promised = asserted & assertion::NO_CHECK != 0;
        let (at_ns, error_ns) = (self.objects.moment_ns(process, head.at), i128::from(self.settings.clock_error_ns));
        let half = |judge: &mut Judge, is_start: bool, target: u32, origin: u32, which: u32| {
            let half = Half { is_start, is_promised, at_ns, place };
            judge.no_checks.half((window, target, origin, which), half, error_ns, &mut judge.sink);
        };
        let complete = |judge: &mut Judge, target: Option<u32>| judge.complete_accesses(process, window, target, false);
        let mut awaited = Awaited::Nothing;
        match what {
            epoch::FENCE => {
                complete(self, None);
                let entering = Entering {
                    place,
                    flags: 0,
                    comm,
                    root: None,
                    reduction: 0,
                    send: &Default::default(),
                    receive: &Default::default(),
                    agreed: &[(asserted & (assertion::NO_PRECEDE | assertion::NO_SUCCEED)) as i64],
                    of: window,
                };
                let joined = self.enter(&entering);
                // Before its clock includes the others.
                self.promises_no_store(process, window, asserted, place);
                self.begun_collective(process, head, 0, joined);
                self.fenced(process, window, asserted);
                return self.expose(process, head, window, asserted, false);
            }
            epoch::PROMISED => return self.promised(process, window, asserted, place),
            // What it has stored since then, others may have accessed under locks.
            epoch::KEPT => return self.expose(process, head, window, 0, true),
            epoch::START => {
                let needs: Needs = targets
                    .iter()
                    .map(|&target| {
                        let n = count(self, target, process, 1);
                        half(self, true, target, process, n);
                        Need::Posted { window, target, origin: process, count: n }
                    })
                    .collect();
                let epochs = self.epochs(process, window);
                epochs.started.clone_from(&targets);
                epochs.is_fenced = false;
                awaited = Awaited::Posts { window, targets };
                if !needs.is_empty() {
                    self.step(process, Step::Wait(place, needs));
                }
            }
            epoch::COMPLETE => {
                let targets = std::mem::take(&mut self.epochs(process, window).started);
                let signals: Box<[Need]> = targets
                    .iter()
                    .map(|&target| {
                        complete(self, Some(target));
                        count(self, target, process, 2);
                        Need::Completed { window, target, origin: process, count: 0 }
                    })
                    .collect();
                if !signals.is_empty() {
                    self.step(process, Step::Signal(signals));
                }
                awaited = Awaited::Posts { window, targets };
            }
            epoch::POST => {
                let signals: Box<[Need]> = targets
                    .iter()
                    .map(|&origin| {
                        let n = count(self, process, origin, 0);
                        half(self, false, process, origin, n);
                        Need::Posted { window, target: process, origin, count: 0 }
                    })
                    .collect();
                self.epochs(process, window).posted = targets;
                if !signals.is_empty() {
                    self.step(process, Step::Signal(signals));
                }
                self.promises_no_store(process, window, asserted, place);
                self.expose(process, head, window, asserted, false);
            }
            epoch::WAIT => {
                let origins = std::mem::take(&mut self.epochs(process, window).posted);
                let needs: Needs = origins
                    .iter()
                    .map(|&origin| {
                        let count = self.counts.get(&(window, process, origin)).map_or(0, |c| c[0]);
                        Need::Completed { window, target: process, origin, count }
                    })
                    .collect();
                if !needs.is_empty() {
                    self.step(process, Step::Wait(place, needs));
                }
                self.hide(process, window);
                awaited = Awaited::Completes { window, origins };
            }
            epoch::LOCK_SHARED | epoch::LOCK_EXCLUSIVE => {
                let target = targets.first().copied();
                let is_exclusive = what == epoch::LOCK_EXCLUSIVE;
                self.epochs(process, window).locks.push((target, is_exclusive));
                self.no_checks.locks(window, target, (is_exclusive, is_promised), at_ns, place);
                if target.is_some() {
                    self.locks(process, window, target, is_exclusive, place);
                }
                if let Some(target) = target {
                    awaited = Awaited::Lock { window, target, is_exclusive };
                }
            }
            epoch::LOCK_ALL => {
                self.epochs(process, window).locks.push((None, false));
                self.no_checks.locks(window, None, (false, is_promised), at_ns, place);
                self.locks(process, window, None, false, place);
            }
            // Others may have it from now on; whether this process ever had it, the call will show.
            epoch::UNLOCK | epoch::UNLOCK_ALL | epoch::FLUSH => {
                let target = targets.first().copied().filter(|_| what != epoch::UNLOCK_ALL);
                complete(self, target);
                let locks = &mut self.epochs(process, window).locks;
                if let (Some(target), Some(at)) = (target, locks.iter().position(|l| l.0 == target)) {
                    awaited = Awaited::Lock { window, target, is_exclusive: locks[at].1 };
                }
                if what != epoch::FLUSH {
                    locks.retain(|l| l.0 != target);
                    self.no_checks.unlocks(window, target, process, at_ns, error_ns, &mut self.sink);
                }
            }
            epoch::FLUSH_LOCAL => self.complete_accesses(process, window, targets.first().copied(), true),
            _ => {}
        }
        if head.flags & flag::BLOCKING != 0 {
            self.open(process, head, awaited);
        }
    }

    pub(crate) fn epochs(&mut self, process: u32, window: u32) -> &mut crate::process::Epochs {
        self.processes[process as usize].epochs.entry(window).or_default()
    }
}

/// A buffer of a collective operation was changed by an unknown writer.
fn is_written_in_collective(rule: u16, text: &str) -> bool {
    let name = text.split(',').next().unwrap_or_default();
    let function = mpiscope_abi::by_name(name).filter(|_| matches!(rule, rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN));
    function.is_some_and(|id| matches!(role::role(id), Role::Collective(_)))
}

fn partitioned(head: &Head) -> u32 {
    if head.flags & flag::PARTITIONED != 0 { PARTITIONED } else { 0 }
}

/// The data of a call; empty if its arguments are wrong.
fn believed(head: &Head, data: &Data) -> Data {
    if head.flags & flag::WRONG == 0 { *data } else { Data::default() }
}

/// The instruction that touches a buffer in flight, where it is known: its site, and what it does.
fn toucher(rule: u16, values: &[i64; 3]) -> Option<(u32, &'static str)> {
    let is = |flag: i64| values[2] & flag != 0;
    let role = match (rule, is(rule::MAY_BE_BESIDE)) {
        (rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN | rule::ARGUMENT_WRITTEN, false) => "writes",
        (rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN | rule::ARGUMENT_WRITTEN, true) if is(rule::UNCHANGED) => MAY_WRITE,
        (rule::SEND_WRITTEN | rule::RECEIVE_WRITTEN | rule::ARGUMENT_WRITTEN, true) => MAY_HAVE_WRITTEN,
        (rule::RECEIVE_READ, false) => "reads",
        (rule::RECEIVE_READ, true) => MAY_READ,
        (rule::BUFFER_RACE | rule::MEMORY_RACE, _) if is(rule::WRITES) => "writes",
        (rule::BUFFER_RACE | rule::MEMORY_RACE, _) => "reads",
        _ => return None,
    };
    let site = u32::try_from(values[2] & i64::from(u32::MAX)).ok().filter(|&site| site != 0)?;
    Some((site, role))
}
