//! The tables that are split by rank: one file for each group of ranks, written in parallel.

use std::ops::Range;

use crate::rows::{Call, CallInfo, Detail, End, LoneReason, flags};
use crate::{Batch, CommId, RankBatch, RankId, SiteId, WaitRow};

use super::StoreError;
use super::columns::{OptId, OptInt, Texts, id, int};
use super::file::{ROW_GROUP, TableFile};
use super::folder::{Folder, TableSize};
use super::tables::{Calls, Messages, Regions, Requests, Unmatched, Waits};

/// What rows need besides themselves.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext<'a> {
    pub folder: &'a Folder,
    pub texts: &'a Texts,
    /// By function id: number of its name, −1 for none.
    pub functions: &'a [i32],
    pub call_info: &'a [Vec<CallInfo>],
    pub stretch: i32,
}

impl WriteContext<'_> {
    fn call_info(&self, rank: RankId, index: u32) -> Option<&CallInfo> {
        self.call_info.get(rank.0 as usize)?.get(index as usize)
    }

    pub fn function(&self, function: u32) -> i32 {
        self.functions.get(function as usize).copied().unwrap_or(-1)
    }
}

/// Calls of one rank that wait for their row group: as they came, which is a fifth of what columns take.
#[derive(Default)]
struct RankCalls {
    first_row: u64,
    calls: Vec<Call>,
    details: Vec<Detail>,
    /// Stretches, and the first call of each.
    stretches: Vec<(i32, usize)>,
}

pub(crate) struct Group {
    ranks: Range<usize>,
    waiting: Vec<RankCalls>,
    count: usize,
    calls: TableFile<Calls>,
    messages: TableFile<Messages>,
    unmatched: TableFile<Unmatched>,
    regions: TableFile<Regions>,
    requests: TableFile<Requests>,
    waits: TableFile<Waits>,
}

/// A number of a name among texts: negative for none.
fn name(id: u32) -> i32 {
    i32::try_from(id).unwrap_or(-1)
}

fn site_name(site: SiteId) -> i32 {
    if site.0 == 0 { -1 } else { name(site.0) }
}

fn done(end: &End) -> (i64, i64, i64) {
    if end.is_done() {
        (int(end.done_row), int(end.done_start_ns), int(end.done_end_ns))
    } else {
        (OptInt::NONE, OptInt::NONE, OptInt::NONE)
    }
}

impl Group {
    pub fn new(part: usize, ranks: Range<usize>) -> Group {
        Group {
            waiting: ranks.clone().map(|_| RankCalls::default()).collect(),
            ranks,
            count: 0,
            calls: TableFile::new(part),
            messages: TableFile::new(part),
            unmatched: TableFile::new(part),
            regions: TableFile::new(part),
            requests: TableFile::new(part),
            waits: TableFile::new(part),
        }
    }

    /// Which ranks.
    pub fn ranks(&self) -> Range<usize> {
        self.ranks.clone()
    }

    fn has(&self, rank: RankId) -> bool {
        self.ranks.contains(&(rank.0 as usize))
    }

    /// What of a stretch belongs to the group.
    pub fn append(&mut self, scene: &WriteContext<'_>, batch: &Batch, waits: &[WaitRow]) -> Result<(), StoreError> {
        for rank in self.ranks.clone() {
            if let Some(rows) = batch.ranks.get(rank) {
                self.keep(scene.stretch, rank, rows);
                self.take_regions(scene, rank, rows)?;
            }
        }
        self.take_messages(scene, batch)?;
        self.take_unmatched(scene, batch)?;
        self.take_members(scene, batch)?;
        self.take_waits(scene, waits)?;
        if self.count >= ROW_GROUP {
            self.write_calls(scene)?;
        }
        let WriteContext { folder, texts, .. } = *scene;
        self.messages.end_stretch(folder, texts)?;
        self.unmatched.end_stretch(folder, texts)?;
        self.regions.end_stretch(folder, texts)?;
        self.requests.end_stretch(folder, texts)?;
        self.waits.end_stretch(folder, texts)
    }

    pub fn finish(mut self, scene: &WriteContext<'_>) -> Result<Vec<TableSize>, StoreError> {
        self.write_calls(scene)?;
        let WriteContext { folder, texts, .. } = *scene;
        Ok(vec![
            self.calls.finish(folder, texts)?,
            self.messages.finish(folder, texts)?,
            self.unmatched.finish(folder, texts)?,
            self.regions.finish(folder, texts)?,
            self.requests.finish(folder, texts)?,
            self.waits.finish(folder, texts)?,
        ])
    }

    fn keep(&mut self, stretch: i32, rank: usize, rows: &RankBatch) {
        if rows.calls.is_empty() {
            return;
        }
        let kept = &mut self.waiting[rank - self.ranks.start];
        if kept.calls.is_empty() {
            kept.first_row = rows.first_row;
        }
        kept.stretches.push((stretch, kept.calls.len()));
        let before = kept.details.len() as u32;
        let moved = |c: &Call| Call { detail: if c.detail == 0 { 0 } else { c.detail + before }, ..*c };
        kept.calls.extend(rows.calls.iter().map(moved));
        kept.details.extend_from_slice(&rows.details);
        self.count += rows.calls.len();
    }

    /// A row group: rank by rank, each in order of time.
    fn write_calls(&mut self, scene: &WriteContext<'_>) -> Result<(), StoreError> {
        for (rank, kept) in self.ranks.clone().zip(&mut self.waiting) {
            let kept = std::mem::take(kept);
            let mut stretches = kept.stretches.iter().peekable();
            let mut stretch = 0;
            for (at, call) in kept.calls.iter().enumerate() {
                while let Some((number, _)) = stretches.next_if(|(_, first)| *first <= at) {
                    stretch = *number;
                }
                let detail = (call.detail as usize).checked_sub(1).and_then(|i| kept.details.get(i));
                if let Some(info) = scene.call_info(RankId(rank as u32), call.facts) {
                    let row = kept.first_row + at as u64;
                    push_call(&mut self.calls.rows, scene, rank, row, stretch, call, info, detail);
                    self.calls.breathe(scene.folder, scene.texts)?;
                }
            }
        }
        self.count = 0;
        self.calls.end_group(scene.folder, scene.texts)
    }

    fn take_regions(&mut self, scene: &WriteContext<'_>, rank: usize, rows: &RankBatch) -> Result<(), StoreError> {
        for span in &rows.regions {
            let to = &mut self.regions.rows;
            to.region.0.push(name(span.region.0));
            to.region_id.0.push(id(span.region.0));
            to.rank.0.push(rank as i32);
            to.thread.0.push(span.thread.into());
            to.start_ns.0.push(int(span.start_ns));
            to.end_ns.0.push(int(span.end_ns));
            to.stretch.0.push(scene.stretch);
        }
        self.regions.breathe(scene.folder, scene.texts)
    }

    fn take_messages(&mut self, scene: &WriteContext<'_>, batch: &Batch) -> Result<(), StoreError> {
        for message in &batch.messages {
            let (sends, receives) = (self.has(message.sender), self.has(message.receiver));
            let (comm, tag, bytes) = (message.comm, message.tag, message.bytes);
            if sends && message.send.row != message.send.done_row {
                let more = (comm, message.receiver, tag, bytes);
                self.request(scene, "send", message.sender, &message.send, more)?;
            }
            if !receives {
                continue;
            }
            if message.receive.row != message.receive.done_row {
                self.request(scene, "receive", message.receiver, &message.receive, (comm, message.sender, tag, bytes))?;
            }
            let to = &mut self.messages.rows;
            to.comm.0.push(name(comm.0));
            to.comm_id.0.push(id(comm.0));
            to.sender.0.push(id(message.sender.0));
            to.receiver.0.push(id(message.receiver.0));
            to.tag.0.push(tag);
            to.bytes.0.push(int(bytes));
            to.sequence.0.push(int(message.sequence));
            let end = &message.send;
            let (row, start_ns, end_ns) = done(end);
            to.send_row.0.push(int(end.row));
            to.send_start_ns.0.push(int(end.start_ns));
            to.send_end_ns.0.push(int(end.end_ns));
            to.send_done_row.0.push(row);
            to.send_done_start_ns.0.push(start_ns);
            to.send_done_end_ns.0.push(end_ns);
            to.send_call_info.0.push(end.facts as i32);
            to.send_done_call_info.0.push(end.done_facts as i32);
            to.send_done_with.0.push(end.done_with as i32);
            let end = &message.receive;
            let (row, start_ns, end_ns) = done(end);
            to.receive_row.0.push(int(end.row));
            to.receive_start_ns.0.push(int(end.start_ns));
            to.receive_end_ns.0.push(int(end.end_ns));
            to.receive_done_row.0.push(row);
            to.receive_done_start_ns.0.push(start_ns);
            to.receive_done_end_ns.0.push(end_ns);
            to.receive_call_info.0.push(end.facts as i32);
            to.receive_done_call_info.0.push(end.done_facts as i32);
            to.receive_done_with.0.push(end.done_with as i32);
            let is = |bit: u16| message.flags & bit != 0;
            to.is_any_source.0.push(is(flags::ANY_SOURCE));
            to.is_any_tag.0.push(is(flags::ANY_TAG));
            to.is_partitioned.0.push(is(flags::PARTITIONED));
            to.is_inferred.0.push(is(flags::INFERRED));
            to.flags.0.push(message.flags.into());
            to.stretch.0.push(scene.stretch);
            self.messages.breathe(scene.folder, scene.texts)?;
        }
        Ok(())
    }

    fn take_unmatched(&mut self, scene: &WriteContext<'_>, batch: &Batch) -> Result<(), StoreError> {
        for lone in batch.lone.iter().filter(|l| self.ranks.contains(&(l.rank.0 as usize))) {
            let to = &mut self.unmatched.rows;
            to.rank.0.push(id(lone.rank.0));
            to.peer.0.push(id(lone.peer.0));
            to.comm.0.push(name(lone.comm.0));
            to.comm_id.0.push(id(lone.comm.0));
            to.tag.0.push(lone.tag.unwrap_or(OptId::NONE));
            to.bytes.0.push(int(lone.bytes));
            to.is_send.0.push(lone.is_send);
            let (text, number) = reason(lone.reason);
            to.reason.0.push(text);
            to.reason_id.0.push(number);
            let end = &lone.end;
            let (row, start_ns, end_ns) = done(end);
            to.row.0.push(int(end.row));
            to.start_ns.0.push(int(end.start_ns));
            to.end_ns.0.push(int(end.end_ns));
            to.done_row.0.push(row);
            to.done_start_ns.0.push(start_ns);
            to.done_end_ns.0.push(end_ns);
            to.call_info.0.push(end.facts as i32);
            to.done_call_info.0.push(end.done_facts as i32);
            to.done_with.0.push(end.done_with as i32);
            to.stretch.0.push(scene.stretch);
        }
        for lone in &batch.lone {
            if self.has(lone.rank) && lone.end.row != lone.end.done_row {
                let kind = if lone.is_send { "send" } else { "receive" };
                let more = (lone.comm, lone.peer, lone.tag.unwrap_or(OptId::NONE), lone.bytes);
                self.request(scene, kind, lone.rank, &lone.end, more)?;
            }
        }
        self.unmatched.breathe(scene.folder, scene.texts)
    }

    /// Requests of collective operations.
    fn take_members(&mut self, scene: &WriteContext<'_>, batch: &Batch) -> Result<(), StoreError> {
        for operation in &batch.collectives {
            for member in batch.members.get(operation.members.clone()).unwrap_or(&[]) {
                if self.has(member.rank) && member.end.row != member.end.done_row {
                    let more = (operation.comm, RankId::NONE, OptId::NONE, member.bytes_sent);
                    self.request(scene, "collective", member.rank, &member.end, more)?;
                }
            }
        }
        Ok(())
    }

    fn request(
        &mut self,
        scene: &WriteContext<'_>,
        kind: &'static str,
        rank: RankId,
        end: &End,
        (comm, peer, tag, bytes): (CommId, RankId, i32, u64),
    ) -> Result<(), StoreError> {
        let to = &mut self.requests.rows;
        let posted = scene.call_info(rank, end.facts);
        let completed = scene.call_info(rank, end.done_facts).filter(|_| end.is_done());
        to.rank.0.push(id(rank.0));
        to.kind.0.push(kind);
        to.function.0.push(posted.map_or(-1, |f| scene.function(f.function)));
        to.row.0.push(int(end.row));
        to.start_ns.0.push(int(end.start_ns));
        to.end_ns.0.push(int(end.end_ns));
        to.done_function.0.push(completed.map_or(-1, |f| scene.function(f.function)));
        let (row, start_ns, end_ns) = done(end);
        to.done_row.0.push(row);
        to.done_start_ns.0.push(start_ns);
        to.done_end_ns.0.push(end_ns);
        to.done_with.0.push(if end.is_done() { end.done_with as i32 } else { 0 });
        to.comm.0.push(name(comm.0));
        to.comm_id.0.push(id(comm.0));
        to.peer.0.push(id(peer.0));
        to.tag.0.push(tag);
        to.bytes.0.push(int(bytes));
        to.site.0.push(posted.map_or(-1, |f| site_name(f.site)));
        to.region.0.push(posted.map_or(-1, |f| name(f.region.0)));
        to.stretch.0.push(scene.stretch);
        self.requests.breathe(scene.folder, scene.texts)
    }

    fn take_waits(&mut self, scene: &WriteContext<'_>, waits: &[WaitRow]) -> Result<(), StoreError> {
        for wait in waits.iter().filter(|w| self.ranks.contains(&(w.rank.0 as usize))) {
            let info = scene.call_info(wait.rank, wait.facts);
            let to = &mut self.waits.rows;
            to.kind.0.push(wait.kind);
            to.rank.0.push(id(wait.rank.0));
            to.row.0.push(int(wait.row));
            to.function.0.push(info.map_or(-1, |f| scene.function(f.function)));
            to.site.0.push(info.map_or(-1, |f| site_name(f.site)));
            to.region.0.push(info.map_or(-1, |f| name(f.region.0)));
            to.start_ns.0.push(int(wait.start_ns));
            to.end_ns.0.push(int(wait.end_ns));
            let cause = wait.cause.as_ref();
            to.cause_rank.0.push(cause.map_or(OptId::NONE, |c| id(c.rank.0)));
            to.cause_row.0.push(cause.map_or(OptInt::NONE, |c| int(c.row)));
            to.cause_start_ns.0.push(cause.map_or(OptInt::NONE, |c| int(c.start_ns)));
            to.call_info.0.push(wait.facts as i32);
            to.cause_call_info.0.push(cause.map_or(OptId::NONE, |c| id(c.facts)));
            to.stretch.0.push(scene.stretch);
        }
        self.waits.breathe(scene.folder, scene.texts)
    }
}

/// Text and number of a reason. Numbers are part of the format.
fn reason(reason: LoneReason) -> (&'static str, i32) {
    match reason {
        LoneReason::PeerUnknown => ("peer_unknown", 0),
        LoneReason::Overwritten => ("overwritten", 1),
        LoneReason::NeverHappened => ("never_happened", 2),
    }
}

#[allow(clippy::too_many_arguments)] // a row and what it refers to
#[inline]
fn push_call(
    to: &mut Calls,
    scene: &WriteContext<'_>,
    rank: usize,
    row: u64,
    stretch: i32,
    call: &Call,
    info: &CallInfo,
    detail: Option<&Detail>,
) {
    let arguments = detail.copied().unwrap_or_else(|| info.detail(OptInt::NONE));
    to.rank.0.push(rank as i32);
    to.row.0.push(int(row));
    to.thread.0.push(call.thread.into());
    to.start_ns.0.push(int(call.start_ns));
    to.end_ns.0.push(int(call.end_ns));
    to.function.0.push(scene.function(info.function));
    to.calls.0.push(call.calls.into());
    to.comm.0.push(name(info.comm.0));
    to.comm_id.0.push(id(info.comm.0));
    to.peer.0.push(id(arguments.peer.0));
    to.tag.0.push(arguments.tag);
    to.peer2.0.push(id(arguments.peer2.0));
    to.tag2.0.push(arguments.tag2);
    to.root.0.push(id(info.root.0));
    to.bytes_sent.0.push(int(arguments.bytes_sent));
    to.bytes_received.0.push(int(arguments.bytes_received));
    to.count.0.push(int(arguments.count));
    to.datatype.0.push(if info.datatype == 0 { OptId::NONE } else { id(info.datatype) });
    to.offset.0.push(arguments.offset);
    to.site.0.push(site_name(info.site));
    to.site_id.0.push(info.site.0 as i32);
    to.region.0.push(name(info.region.0));
    to.region_id.0.push(id(info.region.0));
    to.is_poll.0.push(info.flags & flags::POLL != 0);
    to.is_failed.0.push(info.flags & flags::FAILED != 0);
    to.is_nested.0.push(call.flags & flags::NESTED != 0);
    to.call_info.0.push(call.facts as i32);
    to.is_spelled.0.push(detail.is_some());
    to.stretch.0.push(stretch);
}
