//! One rank's records to rows: requests are followed from post to completion.

use std::collections::VecDeque;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_store::{Call, CommId, End, Facts, Member, RankBatch, RankId, Span, flags};
use mpiscope_trace::annotation::{REGION, is_annotation};
use mpiscope_trace::reader::ThreadView;
use mpiscope_trace::shape::{NONE, flag};
use mpiscope_trace::writer::Completed;
use mpiscope_trace::{Event, Shape};
use rustc_hash::FxHashMap;

use crate::facts::{Envelope, Meaning, Peer};
use crate::receives::{PARTITIONED, Received, Receives, Stream, Ticket};

/// A send whose buffer is free again, or one that never was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub comm: CommId,
    pub partitioned: bool,
    pub to: RankId,
    pub tag: i32,
    pub sequence: u64,
    pub bytes: u64,
    pub flags: u16,
    pub end: End,
}

/// A part in a collective operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub comm: CommId,
    /// Sequence of its own: collectives, each window's fences, each file's operations, each persistent one.
    pub space: u64,
    pub index: u64,
    pub function: u32,
    pub root: RankId,
    pub member: Member,
}

/// What a rank's records have yielded.
#[derive(Default)]
pub(crate) struct Yield {
    pub rows: RankBatch,
    pub sent: Vec<Sent>,
    pub received: Vec<Received>,
    pub parts: Vec<Part>,
    /// Sends to and receives from processes that the run does not have: whether a send, comm, tag, bytes, end.
    pub strangers: Vec<(bool, CommId, i32, u64, End)>,
}

/// What a request stands for.
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

/// State of one rank between two stretches.
#[derive(Default)]
pub(crate) struct RankState {
    next_row: u64,
    requests: Vec<Option<Posted>>,
    /// Further sends under the same id: MPICH gives all sends that are complete at once one handle.
    shared: FxHashMap<u32, VecDeque<Sent>>,
    templates: FxHashMap<u32, Template>,
    receives: Receives,
    reserved: Vec<Reserved>,
    sends: FxHashMap<Stream, u64>,
    collectives: FxHashMap<(u32, u64), u64>,
    persistent_collectives: u64,
}

/// Most sends under one id; what is older was completed where nobody saw it.
const MOST_SHARED: usize = 1 << 12;

/// Spaces of [`Part::space`]: what is counted by itself.
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
    pub shape: &'a Shape,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// What a rank's records refer to.
pub(crate) struct Context<'a> {
    pub meaning: Meaning<'a>,
    pub facts: &'a [Facts],
    pub envelopes: &'a [Envelope],
}

impl<'a> Context<'a> {
    /// Facts and envelopes of all threads, one after the other.
    pub fn tables(meaning: &Meaning<'_>, threads: &[ThreadView]) -> (Vec<Facts>, Vec<Envelope>) {
        let facts = threads.iter().flat_map(|t| meaning.of_thread(t)).collect();
        let envelopes = threads.iter().flat_map(|t| t.shapes.iter().map(|s| meaning.envelope(s))).collect();
        (facts, envelopes)
    }
}

impl RankState {
    /// Counting of sends begins here.
    pub fn sends_begin_at(&mut self, stream: Stream, number: u64) {
        self.sends.insert(stream, number);
    }
    /// Counting of receives begins here.
    pub fn receives_begin_at(&mut self, stream: Stream, number: u64) {
        self.receives.begin_at(stream, number);
    }
    /// Counting of collective operations begins here.
    pub fn collectives_begin_at(&mut self, comm: CommId, space: u64, number: u64) {
        self.collectives.insert((comm.0, space), number);
    }

    /// Takes the next record, in order of return.
    pub fn take(&mut self, context: &Context<'_>, record: &Record<'_>, out: &mut Yield) {
        let shape = record.shape;
        let index = record.first_facts + record.event.shape;
        if is_annotation(shape.function) {
            if shape.function == REGION {
                let region = context.facts[index as usize].region;
                let Record { thread, start_ns, end_ns, .. } = *record;
                out.rows.regions.push(Span { region, thread, start_ns, end_ns });
            }
            return;
        }
        let facts = &context.facts[index as usize];
        let mut envelope = context.envelopes[index as usize];
        let (mut sent, mut received, mut tag) = (facts.bytes_sent, facts.bytes_received, facts.tag);
        let mut call = Call {
            start_ns: record.start_ns,
            end_ns: record.end_ns,
            facts: index,
            detail: 0,
            calls: record.event.calls.min(u32::MAX.into()) as u32,
            thread: record.thread,
            flags: 0,
        };
        if !record.event.inline.is_empty() || record.event.offset.is_some() {
            let mut detail = context.meaning.plain(facts, record.event);
            if shape.flags & flag::INLINE != 0 {
                (envelope, detail) = context.meaning.inlined(shape, facts, record.event);
                (sent, received, tag) = (detail.bytes_sent, detail.bytes_received, detail.tag);
            }
            out.rows.details.push(detail);
            call.detail = out.rows.details.len() as u32;
        }
        let row = self.next_row;
        if out.rows.calls.is_empty() {
            out.rows.first_row = row;
        }
        self.next_row += 1;
        out.rows.calls.push(call);
        if facts.flags & (flags::FAILED | flags::POLL) != 0 {
            return;
        }
        let end = End {
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
        let posting = Posting { context, facts, shape, envelope, tag, sent, received, end };
        match facts.role {
            Role::Local | Role::File | Role::Access | Role::Partition | Role::Epoch(_) => {
                self.local(&posting, record, out)
            }
            Role::Complete => self.complete(&context.meaning, &record.event.requests, end, out),
            Role::Start => self.start(context, record, end, out),
            _ if facts.flags & flags::MAKES_PERSISTENT != 0 => self.remember(&posting, record),
            _ if facts.flags & flags::NON_BLOCKING != 0 => {
                let request = record.event.request.unwrap_or(0);
                self.post(request, &posting, out);
            }
            _ => self.blocking(&posting, out),
        }
    }

    /// Calls that neither send nor wait but may say something of a request.
    fn local(&mut self, posting: &Posting<'_>, record: &Record<'_>, out: &mut Yield) {
        match mpiscope_abi::name(posting.facts.function) {
            "MPI_Cancel" => {
                for done in &record.event.requests {
                    if let Some(Some(Posted::Receive(ticket, _))) = self.requests.get(done.request as usize) {
                        self.receives.cancel(*ticket, &mut out.received);
                        self.take_request(done.request);
                    }
                }
            }
            "MPI_Request_free" => {
                for done in &record.event.requests {
                    self.templates.remove(&done.request);
                    if let Some(posted) = self.take_request(done.request) {
                        self.abandon(posted, out);
                    }
                }
            }
            _ => {}
        }
    }

    fn blocking(&mut self, posting: &Posting<'_>, out: &mut Yield) {
        let Envelope { from, .. } = posting.envelope;
        match posting.facts.role {
            Role::Send(_) => self.send(posting, 1, out),
            Role::Receive => self.receive(posting, 1, out),
            Role::SendReceive => {
                self.send(posting, 2, out);
                self.receive(posting, 2, out);
            }
            // A probe that found nothing is a poll.
            Role::MatchedProbe => {
                let actual = from.known(posting.envelope.tag_from);
                let ticket = self.receives.post(posting.received(1), actual);
                self.reserved.push(Reserved {
                    comm: posting.facts.comm,
                    local_comm: posting.shape.comm,
                    source: posting.envelope.source,
                    actual,
                    ticket,
                });
            }
            Role::MatchedReceive => {
                if let Some((reserved, received)) = self.reserved_for(posting) {
                    let actual = reserved.actual;
                    self.receives.complete(reserved.ticket, received, actual, &mut out.received);
                }
            }
            Role::Collective(pattern) => {
                if let Some(part) = self.part(posting, pattern) {
                    out.parts.push(part);
                }
            }
            _ => {}
        }
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
            reserved.actual = peer.known(tag_from);
        }
        let mut received = posting.received(1);
        received.comm = reserved.comm;
        Some((reserved, received))
    }

    fn send(&mut self, posting: &Posting<'_>, with: u32, out: &mut Yield) {
        if let Some(mut sent) = self.sent(posting, out) {
            sent.end.done_with = with;
            out.sent.push(sent);
        }
    }

    /// A send, numbered; none to `MPI_PROC_NULL` or to processes that the run does not have.
    fn sent(&mut self, posting: &Posting<'_>, out: &mut Yield) -> Option<Sent> {
        let Posting { facts, envelope, .. } = posting;
        let Peer::Rank(to) = envelope.to else {
            if envelope.to == Peer::Stranger {
                out.strangers.push((true, facts.comm, posting.tag, posting.sent, posting.end));
            }
            return None;
        };
        let partitioned = facts.flags & flags::PARTITIONED != 0;
        let lane = facts.comm.0 | if partitioned { PARTITIONED } else { 0 };
        let tag = envelope.tag_to;
        let next = self.sends.entry(Stream { comm: lane, peer: to.0, tag }).or_insert(0);
        *next += 1;
        let kept = facts.flags & (flags::PARTITIONED | flags::NON_BLOCKING);
        Some(Sent {
            comm: facts.comm,
            partitioned,
            to,
            tag,
            sequence: *next - 1,
            bytes: posting.sent,
            flags: kept,
            end: posting.end,
        })
    }

    fn receive(&mut self, posting: &Posting<'_>, with: u32, out: &mut Yield) {
        let mut received = posting.received(with);
        received.end.done_with = with;
        match posting.envelope.from {
            Peer::Nobody => {}
            Peer::Stranger => {
                let tag = posting.envelope.tag_from.unwrap_or(NONE);
                out.strangers.push((false, received.comm, tag, received.bytes, received.end));
            }
            from => {
                let actual = from.known(posting.envelope.tag_from);
                self.receives.take(received, actual, &mut out.received);
            }
        }
    }

    /// A call that makes a request.
    fn post(&mut self, request: u32, posting: &Posting<'_>, out: &mut Yield) {
        let mut open = *posting;
        open.end = End { done_row: End::NEVER, done_start_ns: 0, done_end_ns: 0, ..posting.end };
        let comm = posting.shape.comm;
        let mut ticket = |state: &mut RankState| match posting.envelope.from {
            Peer::Nobody => None,
            Peer::Stranger => {
                let received = open.received(1);
                let tag = posting.envelope.tag_from.unwrap_or(NONE);
                out.strangers.push((false, received.comm, tag, received.bytes, received.end));
                None
            }
            from => {
                let named = from.known(posting.envelope.tag_from);
                Some(state.receives.post(open.received(1), named))
            }
        };
        let posted = match posting.facts.role {
            Role::Receive => ticket(self).map(|ticket| Posted::Receive(ticket, comm)),
            Role::SendReceive => {
                let ticket = ticket(self);
                match (self.sent(&open, out), ticket) {
                    (Some(sent), Some(ticket)) => Some(Posted::Both(sent, ticket, comm)),
                    (Some(sent), None) => Some(Posted::Send(sent)),
                    (None, ticket) => ticket.map(|ticket| Posted::Receive(ticket, comm)),
                }
            }
            Role::MatchedReceive => self.reserved_for(&open).map(|(reserved, received)| {
                self.receives.set_posted(reserved.ticket, received, reserved.actual);
                Posted::Receive(reserved.ticket, reserved.local_comm)
            }),
            Role::Send(_) => self.sent(&open, out).map(Posted::Send),
            Role::Collective(pattern) => self.part(&open, pattern).map(Posted::Part),
            _ => None,
        };
        self.set_request(request, posted, out);
    }

    fn set_request(&mut self, request: u32, posted: Option<Posted>, out: &mut Yield) {
        if request == 0 {
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
        if let (Some(Posted::Send(_)), Some(Posted::Send(sent))) = (&self.requests[at], &posted) {
            let shared = self.shared.entry(request).or_default();
            shared.push_back(*sent);
            if shared.len() > MOST_SHARED {
                out.sent.extend(shared.pop_front());
            }
            return;
        }
        if let Some(before) = std::mem::replace(&mut self.requests[at], posted) {
            self.abandon(before, out);
        }
    }

    /// What `request` stands for, which it does no longer.
    fn take_request(&mut self, request: u32) -> Option<Posted> {
        let slot = self.requests.get_mut(request as usize)?;
        let posted = slot.take();
        if !self.shared.is_empty()
            && let Some(next) = self.shared.get_mut(&request).and_then(VecDeque::pop_front)
        {
            *slot = Some(Posted::Send(next));
        }
        posted
    }

    /// Nobody will hear of its completion.
    fn abandon(&mut self, posted: Posted, out: &mut Yield) {
        match posted {
            Posted::Send(sent) => out.sent.push(sent),
            Posted::Receive(ticket, _) => self.receive_done(ticket, None, None, out),
            Posted::Both(sent, ticket, _) => {
                out.sent.push(sent);
                self.receive_done(ticket, None, None, out);
            }
            Posted::Part(part) => out.parts.push(part),
        }
    }

    fn receive_done(
        &mut self,
        ticket: Ticket,
        done: Option<End>,
        status: Option<(Option<(RankId, i32)>, u64)>,
        out: &mut Yield,
    ) {
        let Some(mut received) = self.receives.posted(ticket) else { return };
        if let Some(done) = done {
            finish(&mut received.end, &done);
        }
        let mut actual = None;
        if let Some((from, bytes)) = status {
            actual = from;
            received.bytes = bytes;
        }
        self.receives.complete(ticket, received, actual, &mut out.received);
    }

    /// A Wait or Test that has completed requests.
    fn complete(&mut self, meaning: &Meaning<'_>, requests: &[Completed], mut done: End, out: &mut Yield) {
        let messages = |posted: Option<&Option<Posted>>| match posted {
            Some(Some(Posted::Send(_) | Posted::Receive(..))) => 1,
            Some(Some(Posted::Both(..))) => 2,
            _ => 0,
        };
        done.done_with = requests.iter().map(|c| messages(self.requests.get(c.request as usize))).sum();
        for c in requests {
            let Some(posted) = self.take_request(c.request) else { continue };
            let status = |comm: u32| {
                let from = || meaning.peer(comm, c.source).known(Some(c.tag));
                c.has_status.then(|| (from(), c.bytes))
            };
            match posted {
                Posted::Send(mut sent) => {
                    finish(&mut sent.end, &done);
                    out.sent.push(sent);
                }
                Posted::Receive(ticket, comm) => self.receive_done(ticket, Some(done), status(comm), out),
                Posted::Both(mut sent, ticket, comm) => {
                    finish(&mut sent.end, &done);
                    out.sent.push(sent);
                    self.receive_done(ticket, Some(done), status(comm), out);
                }
                Posted::Part(mut part) => {
                    finish(&mut part.member.end, &done);
                    out.parts.push(part);
                }
            }
        }
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
                comm: posting.shape.comm,
                nth,
                starts: 0,
            };
            self.templates.insert(request, template);
        }
    }

    fn start(&mut self, context: &Context<'_>, record: &Record<'_>, end: End, out: &mut Yield) {
        for done in &record.event.requests {
            let Some(template) = self.templates.get_mut(&done.request) else { continue };
            template.starts += 1;
            let template = *template;
            let facts = &context.facts[template.facts as usize];
            let shape = Shape { comm: template.comm, ..*record.shape };
            let mut posting = Posting {
                context,
                facts,
                shape: &shape,
                envelope: template.envelope,
                tag: facts.tag,
                sent: facts.bytes_sent,
                received: facts.bytes_received,
                end,
            };
            if let Role::Collective(_) = facts.role {
                posting.end = End { done_row: End::NEVER, done_start_ns: 0, done_end_ns: 0, ..end };
                let mut part = posting.part(facts.comm, space::PERSISTENT + template.nth, template.starts - 1);
                part.member.end.facts = template.facts;
                self.set_request(done.request, Some(Posted::Part(part)), out);
            } else {
                self.post(done.request, &posting, out);
            }
        }
    }

    fn part(&mut self, posting: &Posting<'_>, pattern: Pattern) -> Option<Part> {
        let Facts { comm, window, file, .. } = *posting.facts;
        comm.index()?;
        let rank = posting.context.meaning.rank;
        // The same window or file has the same ordinal on all members of its communicator.
        let space = match pattern {
            Pattern::Fence => {
                let local = rank.defs.windows.get(&window)?.comm;
                space::WINDOW + rank.defs.windows.range(..window).filter(|(_, w)| w.comm == local).count() as u64
            }
            _ if file != 0 => {
                let local = rank.defs.files.get(&file)?.comm;
                space::FILE + rank.defs.files.range(..file).filter(|(_, f)| f.comm == local).count() as u64
            }
            _ => space::COMM,
        };
        let next = self.collectives.entry((comm.0, space)).or_insert(0);
        *next += 1;
        Some(posting.part(comm, space, *next - 1))
    }

    /// The end of the recording: what is still open.
    pub fn flush(&mut self, out: &mut Yield) {
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

fn finish(end: &mut End, done: &End) {
    (end.done_row, end.done_start_ns, end.done_end_ns) = (done.row, done.start_ns, done.end_ns);
    (end.done_facts, end.done_with) = (done.facts, done.done_with);
}

/// A call that sends, receives or takes part.
#[derive(Clone, Copy)]
struct Posting<'a> {
    context: &'a Context<'a>,
    facts: &'a Facts,
    shape: &'a Shape,
    envelope: Envelope,
    tag: i32,
    sent: u64,
    received: u64,
    end: End,
}

impl Posting<'_> {
    fn received(&self, with: u32) -> Received {
        Received {
            comm: self.facts.comm,
            partitioned: self.facts.flags & flags::PARTITIONED != 0,
            from: None,
            tag: self.envelope.tag_from,
            bytes: self.received,
            flags: self.facts.flags & (flags::ANY_SOURCE | flags::ANY_TAG | flags::PARTITIONED | flags::NON_BLOCKING),
            end: End { done_with: with, ..self.end },
        }
    }

    fn part(&self, comm: CommId, space: u64, index: u64) -> Part {
        let member = Member {
            rank: RankId(self.context.meaning.at as u32),
            end: self.end,
            bytes_sent: self.sent,
            bytes_received: self.received,
        };
        Part { comm, space, index, function: self.facts.function, root: self.facts.root, member }
    }
}
