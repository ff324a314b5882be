//! Converts one rank's records to rows; tracks requests from post to completion.

use std::collections::VecDeque;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_store::{Call, CallInfo, CommId, End, Member, RankBatch, RankId, Span, UnfinishedCall, flags};
use mpiscope_trace::reader::{Coding, ThreadView};
use mpiscope_trace::shape::NONE;
use mpiscope_trace::writer::Completed;
use mpiscope_trace::{Event, Shape};
use rustc_hash::FxHashMap;

use crate::call_info::{Envelope, Meaning, Peer};
use crate::envelopes::Envelopes;
use crate::receives::{Received, Receives, Ticket};
use crate::row_plan::{Action, RowPlan};
use crate::streams::{NO_NUMBER, Numbers, PARTITIONED, Stream};
use crate::turns::{Poll, Turns};
use crate::unfinished_calls::OpenCall;

/// A send that has completed, or never did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Number of its stream.
    pub stream: u32,
    pub flags: u16,
    /// Which message of the stream.
    pub sequence: u64,
    pub bytes: u64,
    pub end: End,
}

/// A part in a collective operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Number of what it is counted with, see [`space`].
    pub space: u32,
    pub index: u64,
    pub function: u32,
    pub root: RankId,
    pub member: Member,
}

/// The rows that the records of a rank become.
#[derive(Default)]
pub(crate) struct RankOutput {
    pub rows: RankBatch,
    pub sent: Vec<Sent>,
    pub received: Vec<Received>,
    pub parts: Vec<Part>,
    /// Sends to and receives from processes that are not in the run: whether a send, comm, tag, bytes, end.
    pub strangers: Vec<(bool, CommId, i32, u64, End)>,
    /// Calls that had not returned.
    pub open: Vec<UnfinishedCall>,
}

impl RankOutput {
    /// Whether its memory should be reused.
    pub fn has_room(&self) -> bool {
        self.sent.capacity() + self.received.capacity() + self.parts.capacity() > 0
    }

    /// Empties it, but keeps the memory.
    pub fn emptied(mut self) -> RankOutput {
        self.sent.clear();
        self.received.clear();
        self.parts.clear();
        self.strangers.clear();
        self.open.clear();
        self
    }
}

/// The operation of a request.
#[derive(Clone, Copy)]
enum Posted {
    Send(Sent),
    Receive(Ticket, u32),
    Both(Sent, Ticket, u32),
    Part(Part),
}

/// What a persistent request does each time it is started.
#[derive(Clone, Copy)]
struct Template {
    facts: u32,
    envelope: Envelope,
    comm: u32,
    is_spelled: bool,
    /// Of a collective: which persistent one, and how often it was started.
    nth: u64,
    starts: u64,
}

/// A message reserved by a matched probe.
struct Reserved {
    comm: CommId,
    local_comm: u32,
    source: i32,
    actual: Option<(RankId, i32)>,
    ticket: Ticket,
}

/// State of one rank between two intervals.
#[derive(Default)]
pub(crate) struct RankState {
    /// By facts.
    plans: Vec<RowPlan>,
    next_row: u64,
    requests: Vec<Option<Posted>>,
    /// Further sends under the same id: MPICH gives all sends that are complete at once one handle.
    shared: FxHashMap<u32, VecDeque<Sent>>,
    templates: FxHashMap<u32, Template>,
    receives: Receives,
    reserved: Vec<Reserved>,
    sends: Numbers<Stream>,
    /// What collective operations are counted by: communicator and [`space`].
    spaces: Numbers<(CommId, u64)>,
    persistent_collectives: u64,
    turns: Turns,
}

/// Largest request id that is tracked. The recorder's ids are at most half as large; those of a damaged file must not take
/// memory.
const MOST_REQUESTS: u32 = 1 << 16;

/// Rows among which the last ones of each thread are.
const LATEST: usize = 256;

/// Maximum number of sends with one id; older ones completed without a recorded call.
const MOST_SHARED: usize = 1 << 12;

/// What is counted separately on a communicator.
pub(crate) mod space {
    /// Collective operations of a communicator.
    pub const COMM: u64 = 0;
    /// Fences of the window with this ordinal on its communicator.
    pub const WINDOW: u64 = 1 << 32;
    /// Operations of the file with this ordinal.
    pub const FILE: u64 = 2 << 32;
    /// Starts of the persistent operation with this ordinal.
    pub const PERSISTENT: u64 = 3 << 32;
}

/// A record with its times, and where its thread's shapes begin among the rank's facts.
pub(crate) struct Record<'a> {
    pub thread: u16,
    pub first_facts: u32,
    pub event: &'a Event,
    pub coding: Coding,
    /// See [`crate::input::RankInput`].
    pub spelled: &'a FxHashMap<u32, Shape>,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// What a rank's records refer to.
pub(crate) struct Context<'a> {
    pub meaning: Meaning<'a>,
    pub facts: &'a [CallInfo],
    pub envelopes: &'a Envelopes,
}

impl<'a> Context<'a> {
    /// Facts and envelopes of all threads, one after the other.
    pub fn tables(meaning: &Meaning<'_>, threads: &[ThreadView]) -> (Vec<CallInfo>, Envelopes) {
        let shapes = threads.iter().map(|t| t.shapes.len()).sum();
        let (mut facts, mut envelopes) = (Vec::with_capacity(shapes), Envelopes::default());
        for thread in threads {
            facts.extend(meaning.of_thread(thread));
            thread.shapes.iter().for_each(|shape| envelopes.push(meaning.envelope(shape)));
        }
        (facts, envelopes)
    }
}

impl RankState {
    /// Before the first record.
    pub fn new(facts: &[CallInfo]) -> RankState {
        RankState { plans: facts.iter().map(RowPlan::from_call_info).collect(), ..RankState::default() }
    }

    /// Counting of sends begins here.
    pub fn sends_begin_at(&mut self, stream: Stream, number: u64) {
        self.sends.begin_at(stream, number);
    }
    /// Counting of receives begins here.
    pub fn receives_begin_at(&mut self, stream: Stream, number: u64) {
        self.receives.streams.begin_at(stream, number);
    }
    /// Counting of collective operations begins here.
    pub fn collectives_begin_at(&mut self, comm: CommId, space: u64, number: u64) {
        self.spaces.begin_at((comm, space), number);
    }
    /// Streams by the numbers in [`Sent::stream`].
    pub fn sends(&self) -> &[Stream] {
        self.sends.all()
    }
    /// Streams by the numbers in [`Received::stream`].
    pub fn receives(&self) -> &[Stream] {
        self.receives.streams.all()
    }
    /// Communicators and spaces by the numbers in [`Part::space`].
    pub fn spaces(&self) -> &[(CommId, u64)] {
        self.spaces.all()
    }

    /// Takes the next record, in order of return. Part of the loop that decodes, so that a record need not be written to memory.
    #[inline(always)]
    pub fn add_record(&mut self, context: &Context<'_>, record: &Record<'_>, out: &mut RankOutput) {
        let index = record.first_facts + record.event.shape;
        let facts = &context.facts[index as usize];
        let action = self.plans[index as usize].action;
        if matches!(action, Action::Region | Action::Marker | Action::Poll)
            && !self.needs_row(action, record, facts, out)
        {
            return;
        }
        let mut call = call_of(record);
        let mut spelled = None;
        if !record.event.inline.is_empty() || record.event.offset.is_some() {
            let mut detail = facts.detail(record.event.offset.unwrap_or(0));
            if let Some(shape) = record.spelled.get(&index) {
                let (envelope, found) = context.meaning.inlined(shape, facts, record.event);
                detail = found;
                spelled = Some((envelope, found));
            }
            out.rows.details.push(detail);
            call.detail = out.rows.details.len() as u32;
        }
        let row = self.push_row(call, out);
        if matches!(action, Action::Row | Action::Poll) {
            return;
        }
        let mut end = End {
            row,
            start_ns: call.start_ns,
            end_ns: call.end_ns,
            done_row: row,
            done_start_ns: call.start_ns,
            done_end_ns: call.end_ns,
            facts: index,
            done_facts: index,
            done_with: 1,
        };
        if matches!(action, Action::Complete) {
            return self.complete(&context.meaning, &record.event.requests, end, out);
        }
        if matches!(action, Action::Post) {
            end = not_done(end);
        }
        let (envelope, tag, sent, received) = match spelled {
            Some((envelope, detail)) => (envelope, detail.tag, detail.bytes_sent, detail.bytes_received),
            None => (context.envelopes.envelope_of(index), facts.tag, facts.bytes_sent, facts.bytes_received),
        };
        let plan = index as usize;
        let (local_comm, is_spelled) = (record.coding.comm, spelled.is_some());
        let posting = Posting { context, facts, plan, is_spelled, local_comm, envelope, tag, sent, received, end };
        match action {
            Action::Send => self.send(&posting, 1, out),
            Action::Receive => self.receive(&posting, 1, out),
            Action::Post => self.post(record.event.request.unwrap_or(0), &posting, out),
            Action::Start => self.start(context, record, end, out),
            Action::Remember => self.remember(&posting, record),
            Action::Cancel => self.cancel(&record.event.requests, out),
            Action::Free => self.free(&record.event.requests, out),
            _ => self.blocking(action, &posting, out),
        }
    }

    /// Adds the next row.
    #[inline(always)]
    fn push_row(&mut self, call: Call, out: &mut RankOutput) -> u64 {
        let row = self.next_row;
        if out.rows.calls.is_empty() {
            out.rows.first_row = row;
        }
        self.next_row += 1;
        out.rows.calls.push(call);
        row
    }

    /// Before the first record of a batch.
    pub fn begin_batch(&mut self, out: &mut RankOutput) {
        for call in self.turns.put_back() {
            self.push_row(call, out);
        }
    }

    /// After the last record of a batch; the next one returns at `next_ns`.
    pub fn end_batch(&mut self, next_ns: u64, out: &mut RankOutput) {
        self.turns.hold_back(&mut out.rows.calls, &mut self.next_row, next_ns);
    }

    /// The moment before which no row of the next batch returned, as far as its rows are known.
    pub fn held_until_ns(&self) -> u64 {
        self.turns.held_until_ns().unwrap_or(u64::MAX)
    }

    /// Takes a record that may not become a row of its own; whether it does.
    fn needs_row(&mut self, action: Action, record: &Record<'_>, facts: &CallInfo, out: &mut RankOutput) -> bool {
        let Record { thread, start_ns, end_ns, event, .. } = *record;
        match action {
            Action::Region => out.rows.regions.push(Span { region: facts.region, thread, start_ns, end_ns }),
            Action::Poll => {
                let part = event.busy as f64 / event.duration.max(1) as f64;
                let inside_ns = (end_ns.saturating_sub(start_ns) as f64 * part.min(1.0)) as u64;
                let poll = Poll { call: call_of(record), inside_ns };
                return !self.turns.join(&poll, &mut out.rows.calls, self.next_row);
            }
            _ => {}
        }
        false
    }

    fn cancel(&mut self, requests: &[Completed], out: &mut RankOutput) {
        for done in requests {
            if let Some(Some(Posted::Receive(ticket, _))) = self.requests.get(done.request as usize) {
                self.receives.cancel(*ticket, &mut out.received);
                self.take_request(done.request);
            }
        }
    }

    fn free(&mut self, requests: &[Completed], out: &mut RankOutput) {
        for done in requests {
            self.templates.remove(&done.request);
            if let Some(posted) = self.take_request(done.request) {
                self.abandon(posted, out);
            }
        }
    }

    /// Blocking calls, those that are not the most frequent.
    fn blocking(&mut self, action: Action, posting: &Posting<'_>, out: &mut RankOutput) {
        match action {
            Action::SendReceive => {
                self.send(posting, 2, out);
                self.receive(posting, 2, out);
            }
            Action::MatchedProbe => {
                let actual = posting.envelope.from.with_tag(posting.envelope.tag_from);
                let stream = self.receive_stream(posting);
                let ticket = self.receives.post(posting.received(1), stream);
                self.reserved.push(Reserved {
                    comm: posting.facts.comm,
                    local_comm: posting.local_comm,
                    source: posting.envelope.source,
                    actual,
                    ticket,
                });
            }
            Action::MatchedReceive => {
                if let Some((reserved, received)) = self.reserved_for(posting) {
                    let actual = self.stream_of(&received, reserved.actual);
                    self.receives.set_posted(reserved.ticket, received, actual);
                    self.receives.complete(reserved.ticket, actual, &mut out.received);
                }
            }
            Action::Collective(pattern) => out.parts.extend(self.part(posting, pattern)),
            _ => {}
        }
    }

    /// The stream of a receive whose source and tag are known.
    fn stream_of(&mut self, received: &Received, actual: Option<(RankId, i32)>) -> Option<u32> {
        let (rank, tag) = actual?;
        Some(self.receives.streams.number_of(Stream { comm: received.lane(), peer: rank.0, tag }))
    }

    /// The stream that a call receives from, if its arguments (or the status noted with them) say it.
    fn receive_stream(&mut self, posting: &Posting<'_>) -> Option<u32> {
        let plan = &mut self.plans[posting.plan];
        if !posting.is_spelled && plan.receive != NO_NUMBER {
            return Some(plan.receive);
        }
        let (rank, tag) = posting.envelope.from.with_tag(posting.envelope.tag_from)?;
        let stream = self.receives.streams.number_of(Stream { comm: posting.lane(), peer: rank.0, tag });
        if !posting.is_spelled {
            plan.receive = stream;
        }
        Some(stream)
    }

    /// The stream that a call sends to.
    fn send_stream(&mut self, posting: &Posting<'_>, to: RankId) -> u32 {
        let plan = &mut self.plans[posting.plan];
        if !posting.is_spelled && plan.send != NO_NUMBER {
            return plan.send;
        }
        let stream = self.sends.number_of(Stream { comm: posting.lane(), peer: to.0, tag: posting.envelope.tag_to });
        if !posting.is_spelled {
            plan.send = stream;
        }
        stream
    }

    /// The matched probe that reserved what this call takes.
    fn reserved_for(&mut self, posting: &Posting<'_>) -> Option<(Reserved, Received)> {
        let Envelope { source, tag_from, .. } = posting.envelope;
        let fits = |r: &Reserved| {
            source == NONE || r.actual.is_none() || r.source == source && r.actual.map(|a| a.1) == tag_from
        };
        let mut reserved = self.reserved.remove(self.reserved.iter().position(fits)?);
        if reserved.actual.is_none() && source != NONE {
            let peer = posting.context.meaning.peer(reserved.local_comm, source);
            reserved.actual = peer.with_tag(tag_from);
        }
        let mut received = posting.received(1);
        received.comm = reserved.comm;
        Some((reserved, received))
    }

    fn send(&mut self, posting: &Posting<'_>, with: u32, out: &mut RankOutput) {
        if let Some(mut sent) = self.sent(posting, out) {
            sent.end.done_with = with;
            out.sent.push(sent);
        }
    }

    /// A send, numbered; none to `MPI_PROC_NULL` or to processes that the run does not have.
    fn sent(&mut self, posting: &Posting<'_>, out: &mut RankOutput) -> Option<Sent> {
        let Posting { facts, envelope, .. } = posting;
        let Peer::Rank(to) = envelope.to else {
            if envelope.to == Peer::Stranger {
                out.strangers.push((true, facts.comm, posting.tag, posting.sent, posting.end));
            }
            return None;
        };
        let stream = self.send_stream(posting, to);
        Some(Sent {
            stream,
            flags: facts.flags & (flags::PARTITIONED | flags::NON_BLOCKING),
            sequence: self.sends.count(stream),
            bytes: posting.sent,
            end: posting.end,
        })
    }

    fn receive(&mut self, posting: &Posting<'_>, with: u32, out: &mut RankOutput) {
        let mut received = posting.received(with);
        received.end.done_with = with;
        match posting.envelope.from {
            Peer::Nobody => {}
            Peer::Stranger => {
                let tag = posting.envelope.tag_from.unwrap_or(NONE);
                out.strangers.push((false, received.comm, tag, received.bytes, received.end));
            }
            Peer::Rank(_) | Peer::Any => {
                let actual = self.receive_stream(posting);
                self.receives.add_completed(received, actual, &mut out.received);
            }
        }
    }

    /// A call that makes a request; the end of `posting` is [not done](not_done).
    fn post(&mut self, request: u32, posting: &Posting<'_>, out: &mut RankOutput) {
        let comm = posting.local_comm;
        let mut ticket = |state: &mut RankState| match posting.envelope.from {
            Peer::Nobody => None,
            Peer::Stranger => {
                let received = posting.received(1);
                let tag = posting.envelope.tag_from.unwrap_or(NONE);
                out.strangers.push((false, received.comm, tag, received.bytes, received.end));
                None
            }
            Peer::Rank(_) | Peer::Any => {
                let named = state.receive_stream(posting);
                Some(state.receives.post(posting.received(1), named))
            }
        };
        let posted = match posting.facts.role {
            Role::Receive => ticket(self).map(|ticket| Posted::Receive(ticket, comm)),
            Role::SendReceive => {
                let ticket = ticket(self);
                match (self.sent(posting, out), ticket) {
                    (Some(sent), Some(ticket)) => Some(Posted::Both(sent, ticket, comm)),
                    (Some(sent), None) => Some(Posted::Send(sent)),
                    (None, ticket) => ticket.map(|ticket| Posted::Receive(ticket, comm)),
                }
            }
            Role::MatchedReceive => self.reserved_for(posting).map(|(reserved, received)| {
                let actual = self.stream_of(&received, reserved.actual);
                self.receives.set_posted(reserved.ticket, received, actual);
                Posted::Receive(reserved.ticket, reserved.local_comm)
            }),
            Role::Send(_) => self.sent(posting, out).map(Posted::Send),
            Role::Collective(pattern) => self.part(posting, pattern).map(Posted::Part),
            _ => None,
        };
        self.set_request(request, posted, out);
    }

    #[inline]
    fn set_request(&mut self, request: u32, posted: Option<Posted>, out: &mut RankOutput) {
        if request == 0 || request > MOST_REQUESTS {
            // Its handle found no place: when it completes is not known.
            if let Some(posted) = posted {
                self.abandon(posted, out);
            }
            return;
        }
        let at = request as usize;
        if self.requests.len() <= at {
            self.requests.resize(at + 1, None);
        }
        let place = &mut self.requests[at];
        if place.is_none() {
            *place = posted;
            return;
        }
        if let (Some(Posted::Send(_)), Some(Posted::Send(sent))) = (&*place, &posted) {
            let shared = self.shared.entry(request).or_default();
            shared.push_back(*sent);
            if shared.len() > MOST_SHARED {
                out.sent.extend(shared.pop_front());
            }
            return;
        }
        if let Some(before) = std::mem::replace(place, posted) {
            self.abandon(before, out);
        }
    }

    /// What `request` stands for, which it does no longer.
    fn take_request(&mut self, request: u32) -> Option<Posted> {
        let place = self.requests.get_mut(request as usize)?;
        let posted = place.take();
        *place = next_shared(&mut self.shared, request);
        posted
    }

    /// Nobody will hear of its completion.
    fn abandon(&mut self, posted: Posted, out: &mut RankOutput) {
        match posted {
            Posted::Send(sent) => out.sent.push(sent),
            Posted::Receive(ticket, _) => self.receives.complete(ticket, None, &mut out.received),
            Posted::Both(sent, ticket, _) => {
                out.sent.push(sent);
                self.receives.complete(ticket, None, &mut out.received);
            }
            Posted::Part(part) => out.parts.push(part),
        }
    }

    /// A Wait or Test that has completed requests.
    fn complete(&mut self, meaning: &Meaning<'_>, requests: &[Completed], mut done: End, out: &mut RankOutput) {
        let messages = |posted: Option<&Option<Posted>>| match posted {
            Some(Some(Posted::Send(_) | Posted::Receive(..))) => 1,
            Some(Some(Posted::Both(..))) => 2,
            _ => 0,
        };
        done.done_with = requests.iter().map(|c| messages(self.requests.get(c.request as usize))).sum();
        for c in requests {
            let Some(place) = self.requests.get_mut(c.request as usize) else { continue };
            let receive = match place {
                None => None,
                Some(Posted::Send(sent)) => {
                    set_completion(&mut sent.end, &done);
                    out.sent.push(*sent);
                    None
                }
                Some(Posted::Receive(ticket, comm)) => Some((*ticket, *comm)),
                Some(Posted::Both(sent, ticket, comm)) => {
                    set_completion(&mut sent.end, &done);
                    out.sent.push(*sent);
                    Some((*ticket, *comm))
                }
                Some(Posted::Part(part)) => {
                    set_completion(&mut part.member.end, &done);
                    out.parts.push(*part);
                    None
                }
            };
            *place = next_shared(&mut self.shared, c.request);
            if let Some((ticket, comm)) = receive {
                self.receive_done(meaning, ticket, comm, &done, c, out);
            }
        }
    }

    fn receive_done(
        &mut self,
        meaning: &Meaning<'_>,
        ticket: Ticket,
        comm: u32,
        done: &End,
        completed: &Completed,
        out: &mut RankOutput,
    ) {
        let Some(received) = self.receives.posted(ticket) else { return };
        set_completion(&mut received.end, done);
        let mut actual = None;
        if completed.has_status {
            received.bytes = completed.bytes;
            if received.stream == NO_NUMBER {
                let received = *received;
                let from = meaning.peer(comm, completed.source).with_tag(Some(completed.tag));
                actual = self.stream_of(&received, from);
            }
        }
        self.receives.complete(ticket, actual, &mut out.received);
    }

    /// A call that makes a persistent request.
    fn remember(&mut self, posting: &Posting<'_>, record: &Record<'_>) {
        let nth = self.persistent_collectives;
        if matches!(posting.facts.role, Role::Collective(_)) {
            self.persistent_collectives += 1;
        }
        if let Some(request) = record.event.request.filter(|&r| r != 0) {
            let template = Template {
                facts: posting.end.facts,
                envelope: posting.envelope,
                comm: posting.local_comm,
                is_spelled: posting.is_spelled,
                nth,
                starts: 0,
            };
            self.templates.insert(request, template);
        }
    }

    fn start(&mut self, context: &Context<'_>, record: &Record<'_>, end: End, out: &mut RankOutput) {
        for done in &record.event.requests {
            let Some(template) = self.templates.get_mut(&done.request) else { continue };
            template.starts += 1;
            let template = *template;
            let facts = &context.facts[template.facts as usize];
            let posting = Posting {
                context,
                facts,
                plan: template.facts as usize,
                is_spelled: template.is_spelled,
                local_comm: template.comm,
                envelope: template.envelope,
                tag: facts.tag,
                sent: facts.bytes_sent,
                received: facts.bytes_received,
                end: not_done(end),
            };
            if let Role::Collective(_) = facts.role {
                let part = facts.comm.is_some().then(|| {
                    let space = self.spaces.number_of((facts.comm, space::PERSISTENT + template.nth));
                    let mut part = posting.part(space, template.starts - 1);
                    part.member.end.facts = template.facts;
                    Posted::Part(part)
                });
                self.set_request(done.request, part, out);
            } else {
                self.post(done.request, &posting, out);
            }
        }
    }

    fn part(&mut self, posting: &Posting<'_>, pattern: Pattern) -> Option<Part> {
        posting.facts.comm.index()?;
        let mut space = self.plans[posting.plan].space;
        if space == NO_NUMBER {
            space = self.spaces.number_of((posting.facts.comm, space_of(posting, pattern)?));
            self.plans[posting.plan].space = space;
        }
        Some(posting.part(space, self.spaces.count(space)))
    }

    /// A call that had not returned. What it would send, receive or take part in is there, and not complete.
    pub fn open(&mut self, context: &Context<'_>, open: &OpenCall, out: &mut RankOutput) {
        let OpenCall { thread, start_ns, end_ns, facts: index, .. } = *open;
        // A process that runs may have left the call since its header was read.
        let mut last = out.rows.calls.iter().rev().take(LATEST);
        if last.any(|call| call.thread == thread && call.start_ns == start_ns) {
            return;
        }
        let Some(facts) = context.facts.get(index as usize) else { return };
        let envelope = context.envelopes.envelope_of(index);
        let bits = flags::OPEN | if open.is_nested { flags::NESTED } else { 0 };
        let call = Call { start_ns, end_ns, facts: index, detail: 0, calls: 1, thread, flags: bits };
        let row = self.push_row(call, out);
        let end = End {
            row,
            start_ns,
            end_ns,
            done_row: End::NEVER,
            facts: index,
            done_facts: index,
            done_with: 1,
            ..End::default()
        };
        let (plan, local_comm) = (index as usize, open.comm);
        let posting = Posting {
            context,
            facts,
            plan,
            is_spelled: false,
            local_comm,
            envelope,
            tag: facts.tag,
            sent: 0,
            received: 0,
            end,
        };
        let mut knows_requests = true;
        match self.plans[plan].action {
            Action::Send => self.send(&posting, 1, out),
            Action::Receive => self.open_receive(&posting, out),
            Action::SendReceive => {
                self.send(&posting, 2, out);
                self.open_receive(&posting, out);
            }
            Action::Collective(pattern) => out.parts.extend(self.part(&posting, pattern)),
            Action::Complete => knows_requests = self.await_requests(open),
            _ => {}
        }
        let rank = RankId(context.meaning.at as u32);
        let (requests, is_nested) = (open.requests, open.is_nested);
        out.open.push(UnfinishedCall {
            rank,
            thread,
            row,
            facts: index,
            start_ns,
            end_ns,
            requests,
            knows_requests,
            is_nested,
        });
    }

    /// A receive that has taken nothing.
    fn open_receive(&mut self, posting: &Posting<'_>, out: &mut RankOutput) {
        match posting.envelope.from {
            Peer::Nobody => {}
            Peer::Stranger => {
                let tag = posting.envelope.tag_from.unwrap_or(NONE);
                out.strangers.push((false, posting.facts.comm, tag, 0, posting.end));
            }
            Peer::Rank(_) | Peer::Any => {
                let named = self.receive_stream(posting);
                self.receives.post(posting.received(1), named);
            }
        }
    }

    /// Marks the requests that an open call waits for. Which ones is known if there are no others; of a longer list
    /// the file has the first only.
    fn await_requests(&mut self, open: &OpenCall) -> bool {
        let pending = self.requests.iter().filter(|posted| posted.is_some()).count();
        let is_all = open.requests > 1 && pending <= open.requests as usize;
        let first = open.request as usize;
        for (_, posted) in self.requests.iter_mut().enumerate().filter(|(at, _)| is_all || *at == first) {
            let mark = |end: &mut End| (end.done_start_ns, end.done_facts) = (open.start_ns, open.facts);
            let receive = match posted {
                Some(Posted::Send(sent)) => {
                    mark(&mut sent.end);
                    None
                }
                Some(Posted::Both(sent, ticket, _)) => {
                    mark(&mut sent.end);
                    Some(*ticket)
                }
                Some(Posted::Receive(ticket, _)) => Some(*ticket),
                Some(Posted::Part(part)) => {
                    mark(&mut part.member.end);
                    None
                }
                None => None,
            };
            if let Some(received) = receive.and_then(|ticket| self.receives.posted(ticket)) {
                mark(&mut received.end);
            }
        }
        is_all || open.requests <= 1
    }

    /// The end of the recording: what is still open.
    pub fn flush(&mut self, out: &mut RankOutput) {
        for posted in std::mem::take(&mut self.requests).into_iter().flatten() {
            match posted {
                Posted::Send(sent) | Posted::Both(sent, ..) => out.sent.push(sent),
                Posted::Part(part) => out.parts.push(part),
                Posted::Receive(..) => {}
            }
        }
        out.sent.extend(std::mem::take(&mut self.shared).into_values().flatten());
        self.receives.flush(&mut out.received);
    }
}

/// The row of a record.
#[inline(always)]
fn call_of(record: &Record<'_>) -> Call {
    Call {
        start_ns: record.start_ns,
        end_ns: record.end_ns,
        facts: record.first_facts + record.event.shape,
        detail: 0,
        calls: record.event.calls.min(u32::MAX.into()) as u32,
        thread: record.thread,
        flags: 0,
    }
}

/// The next send under the same id.
fn next_shared(shared: &mut FxHashMap<u32, VecDeque<Sent>>, request: u32) -> Option<Posted> {
    if shared.is_empty() {
        return None;
    }
    shared.get_mut(&request)?.pop_front().map(Posted::Send)
}

/// What a collective operation is counted with.
fn space_of(posting: &Posting<'_>, pattern: Pattern) -> Option<u64> {
    let CallInfo { window, file, .. } = *posting.facts;
    let defs = &posting.context.meaning.rank.defs;
    // The same window or file has the same ordinal on all members of its communicator.
    Some(match pattern {
        Pattern::Fence => {
            let local = defs.windows.get(&window)?.comm;
            space::WINDOW + defs.windows.range(..window).filter(|(_, w)| w.comm == local).count() as u64
        }
        _ if file != 0 => {
            let local = defs.files.get(&file)?.comm;
            space::FILE + defs.files.range(..file).filter(|(_, f)| f.comm == local).count() as u64
        }
        _ => space::COMM,
    })
}

/// Of a call that only starts an operation.
fn not_done(end: End) -> End {
    End { done_row: End::NEVER, done_start_ns: 0, done_end_ns: 0, ..end }
}

fn set_completion(end: &mut End, done: &End) {
    (end.done_row, end.done_start_ns, end.done_end_ns) = (done.row, done.start_ns, done.end_ns);
    (end.done_facts, end.done_with) = (done.facts, done.done_with);
}

/// A call that sends, receives or takes part.
#[derive(Clone, Copy)]
struct Posting<'a> {
    context: &'a Context<'a>,
    facts: &'a CallInfo,
    /// Which of [`RankState::plans`] `envelope` belongs to.
    plan: usize,
    /// Whether `envelope` stands in the record instead.
    is_spelled: bool,
    /// Communicator as the rank calls it.
    local_comm: u32,
    envelope: Envelope,
    tag: i32,
    sent: u64,
    received: u64,
    end: End,
}

impl Posting<'_> {
    /// Communicator as in [`Stream::comm`].
    fn lane(&self) -> u32 {
        self.facts.comm.0 | if self.facts.flags & flags::PARTITIONED != 0 { PARTITIONED } else { 0 }
    }

    fn received(&self, with: u32) -> Received {
        Received {
            stream: NO_NUMBER,
            comm: self.facts.comm,
            sequence: 0,
            bytes: self.received,
            tag: self.envelope.tag_from.unwrap_or(NONE),
            flags: self.facts.flags & (flags::ANY_SOURCE | flags::ANY_TAG | flags::PARTITIONED | flags::NON_BLOCKING),
            end: End { done_with: with, ..self.end },
        }
    }

    fn part(&self, space: u32, index: u64) -> Part {
        let member = Member {
            rank: RankId(self.context.meaning.at as u32),
            end: self.end,
            bytes_sent: self.sent,
            bytes_received: self.received,
        };
        Part { space, index, function: self.facts.function, root: self.facts.root, member }
    }
}
