//! Reads a store: dimensions, call info, and batches.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpiscope_abi::role::{Role, role};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::file::statistics::Statistics;

use crate::rows::{
    Call, CallInfo, Collective, Detail, End, Lone, LoneReason, Member, Message, Span, WaitCause, WaitRow, flags,
};
use crate::{
    Batch, CommId, CommRow, DatatypeRow, Dimensions, GroupId, RankBatch, RankId, RankRow, RegionId, RegionRow, SiteId,
    SiteRow, Unreadable,
};

use super::StoreError;
use super::columns::{OptId, OptInt, Source};
use super::folder::Manifest;
use super::tables::{
    CallInfoTable, Calls, Collectives, Communicators, Datatypes, Groups, Members, Messages, Ranks, RegionNames,
    Regions, Sites, Stretches, Table, Unmatched, Waits, name_in_format_1,
};

/// A store that was opened.
pub struct Store {
    path: PathBuf,
    manifest: Manifest,
    dimensions: Dimensions,
    call_info: Vec<Vec<CallInfo>>,
    stretches: Stretches,
}

/// Which part of a run: everything by default.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Calls that end at or after the first moment and begin before the second, ns since the origin.
    pub time_ns: Option<Range<u64>>,
    /// Ranks. Messages and operations count as theirs if any of them takes part.
    pub ranks: Option<Vec<RankId>>,
}

impl Store {
    /// Opens the store at `path`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] if there is none; if a file cannot be read, or is of a newer mpiscope.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let manifest = Manifest::read(path)?.ok_or_else(|| StoreError::Missing(path.to_owned()))?;
        let mut dimensions = dimensions(path)?;
        dimensions.origin_ns = manifest.origin_ns;
        let call_info = call_info(path, dimensions.ranks.len())?;
        Ok(Store { path: path.to_owned(), manifest, dimensions, call_info, stretches: whole(path)? })
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What ids stand for.
    pub fn dimensions(&self) -> &Dimensions {
        &self.dimensions
    }

    /// What repeats from call to call, of each rank.
    pub fn call_info(&self) -> &[Vec<CallInfo>] {
        &self.call_info
    }

    /// What ids stand for and what repeats from call to call of each rank, for whoever needs nothing else of it.
    pub fn into_tables(self) -> (Dimensions, Vec<Vec<CallInfo>>) {
        (self.dimensions, self.call_info)
    }

    /// What `store.json` says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The batches of a part of the run, in order.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened.
    pub fn batches(&self, wanted: Wanted) -> Result<Batches<'_>, StoreError> {
        self.batches_of(wanted, false)
    }

    /// All batches with no more than a preview is made of, which needs a third of the memory: calls without threads and
    /// arguments but sizes; of messages the envelope, the row and entry of the send and the completion of the receive;
    /// regions; no operations and no unmatched messages.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened.
    pub fn outline(&self) -> Result<Batches<'_>, StoreError> {
        self.batches_of(Wanted::default(), true)
    }

    fn batches_of(&self, wanted: Wanted, is_outline: bool) -> Result<Batches<'_>, StoreError> {
        let mut is_wanted = vec![wanted.ranks.is_none(); self.call_info.len()];
        for rank in wanted.ranks.iter().flatten() {
            if let Some(place) = is_wanted.get_mut(rank.0 as usize) {
                *place = true;
            }
        }
        Ok(Batches {
            store: self,
            next: 0,
            wanted,
            is_wanted,
            is_outline,
            calls: Cursor::open(&self.path, if is_outline { CALLS_OUTLINE } else { Calls::COLUMNS })?,
            messages: Cursor::open(&self.path, if is_outline { MESSAGES_OUTLINE } else { Messages::COLUMNS })?,
            unmatched: if is_outline { Vec::new() } else { Cursor::open(&self.path, Unmatched::COLUMNS)? },
            regions: Cursor::open(&self.path, Regions::COLUMNS)?,
            collectives: if is_outline { Vec::new() } else { Cursor::open(&self.path, Collectives::COLUMNS)? },
            members: if is_outline { Vec::new() } else { Cursor::open(&self.path, Members::COLUMNS)? },
            waits: None,
        })
    }
}

/// Rows that room is made for at once: files are not trusted.
const MOST_RESERVED: usize = 1 << 20;

/// What an outline has of calls and messages.
const CALLS_OUTLINE: &[&str] = &[
    "rank",
    "row",
    "start_ns",
    "end_ns",
    "calls",
    "bytes_sent",
    "bytes_received",
    "is_nested",
    "call_info",
    "is_spelled",
    "stretch",
];
const MESSAGES_OUTLINE: &[&str] = &[
    "comm_id",
    "sender",
    "receiver",
    "bytes",
    "send_row",
    "send_start_ns",
    "receive_done_row",
    "receive_done_end_ns",
    "stretch",
];

/// Batches on their way from the store.
pub struct Batches<'a> {
    store: &'a Store,
    next: usize,
    wanted: Wanted,
    is_wanted: Vec<bool>,
    is_outline: bool,
    calls: Vec<Cursor<Calls>>,
    messages: Vec<Cursor<Messages>>,
    unmatched: Vec<Cursor<Unmatched>>,
    regions: Vec<Cursor<Regions>>,
    collectives: Vec<Cursor<Collectives>>,
    members: Vec<Cursor<Members>>,
    /// Opened when somebody asks.
    waits: Option<Vec<Cursor<Waits>>>,
}

impl Batches<'_> {
    /// The waits that the batch that came last made known; ask once.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn waits(&mut self) -> Result<Vec<WaitRow>, StoreError> {
        let mut found = Vec::new();
        let at = self.next.checked_sub(1);
        let Some(&stretch) = at.and_then(|at| self.store.stretches.stretch.0.get(at)) else { return Ok(found) };
        if self.waits.is_none() {
            self.waits = Some(Cursor::open(&self.store.path, Waits::COLUMNS)?);
        }
        for cursor in self.waits.iter_mut().flatten() {
            cursor.at(stretch, |rows, at| found.push(wait(rows, at)))?;
        }
        let time = self.wanted.time_ns.as_ref();
        found.retain(|w| {
            self.is_wanted.get(w.rank.0 as usize) == Some(&true)
                && time.is_none_or(|t| w.end_ns >= t.start && w.start_ns < t.end)
        });
        Ok(found)
    }

    /// The next stretch; `None` after the last.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, StoreError> {
        loop {
            let at = self.next;
            let Stretches { stretch, until_ns, is_last } = &self.store.stretches;
            let Some(&number) = stretch.0.get(at) else { return Ok(None) };
            let moment = |at: usize| until_ns.0.get(at).map_or(u64::MAX, |&ns| from_opt(ns));
            self.next += 1;
            let begin_ns = if at == 0 { 0 } else { moment(at - 1) };
            // A call may begin long before its stretch, but none that ended in it ends before it begins.
            if let Some(time) = &self.wanted.time_ns
                && moment(at) <= time.start
            {
                continue;
            }
            let mut batch =
                Batch { until_ns: moment(at), is_last: is_last.0.get(at) == Some(&true), ..Batch::default() };
            self.fill(number, &mut batch)?;
            self.narrow(&mut batch);
            let is_past = self.wanted.time_ns.as_ref().is_some_and(|time| begin_ns >= time.end);
            let is_empty = batch.ranks.iter().all(|r| r.calls.is_empty() && r.regions.is_empty());
            if is_past && is_empty && batch.messages.is_empty() && batch.members.is_empty() && batch.lone.is_empty() {
                continue;
            }
            return Ok(Some(batch));
        }
    }

    fn fill(&mut self, stretch: i32, batch: &mut Batch) -> Result<(), StoreError> {
        batch.ranks.resize_with(self.store.call_info.len(), RankBatch::default);
        let is_outline = self.is_outline;
        for cursor in &mut self.calls {
            cursor.at(stretch, |rows, at| {
                let Some(to) = batch.ranks.get_mut(rows.rank.0[at] as usize) else { return };
                if to.calls.is_empty() {
                    to.first_row = from(rows.row.0[at]);
                }
                let detail = rows.is_spelled.0[at].then(|| match is_outline {
                    true => sizes(rows, at),
                    false => detail(rows, at),
                });
                let number = if let Some(detail) = detail {
                    to.details.push(detail);
                    to.details.len() as u32
                } else {
                    0
                };
                to.calls.push(Call {
                    start_ns: from(rows.start_ns.0[at]),
                    end_ns: from(rows.end_ns.0[at]),
                    facts: rows.call_info.0[at] as u32,
                    detail: number,
                    calls: rows.calls.0[at] as u32,
                    thread: rows.thread.0.get(at).map_or(0, |&thread| thread as u16),
                    flags: if rows.is_nested.0[at] { flags::NESTED } else { 0 },
                });
            })?;
        }
        for cursor in &mut self.regions {
            cursor.at(stretch, |rows, at| {
                let Some(to) = batch.ranks.get_mut(rows.rank.0[at] as usize) else { return };
                to.regions.push(span(rows, at));
            })?;
        }
        for cursor in &mut self.messages {
            let row = if is_outline { envelope } else { message };
            cursor.at(stretch, |rows, at| batch.messages.push(row(rows, at)))?;
        }
        for cursor in &mut self.unmatched {
            cursor.at(stretch, |rows, at| batch.lone.push(lone(rows, at)))?;
        }
        for cursor in &mut self.members {
            cursor.at(stretch, |rows, at| batch.members.push(member(rows, at)))?;
        }
        let mut next = 0;
        for cursor in &mut self.collectives {
            cursor.at(stretch, |rows, at| {
                let begin = next;
                next += rows.members.0[at].max(0) as usize;
                batch.collectives.push(Collective {
                    comm: CommId(from_id(rows.comm_id.0[at])),
                    index: from(rows.number.0[at]),
                    function: rows.function_id.0[at] as u32,
                    root: RankId(from_id(rows.root.0[at])),
                    members: begin.min(batch.members.len())..next.min(batch.members.len()),
                    missing: rows.missing.0[at] as u32,
                });
            })?;
        }
        Ok(())
    }

    /// Takes out what is not wanted.
    fn narrow(&self, batch: &mut Batch) {
        let overlaps = |start_ns: u64, end_ns: u64| {
            self.wanted.time_ns.as_ref().is_none_or(|t| end_ns >= t.start && start_ns < t.end)
        };
        let is_wanted = |rank: RankId| self.is_wanted.get(rank.0 as usize) == Some(&true);
        if self.wanted.time_ns.is_none() && self.wanted.ranks.is_none() {
            return;
        }
        for (at, rows) in batch.ranks.iter_mut().enumerate() {
            if !self.is_wanted[at] {
                *rows = RankBatch::default();
                continue;
            }
            // Rows stay without gaps: only what is before the first and after the last wanted one goes.
            let is_in = |c: &Call| overlaps(c.start_ns, c.end_ns);
            let first = rows.calls.iter().position(is_in).unwrap_or(rows.calls.len());
            let end = rows.calls.iter().rposition(is_in).map_or(first, |last| last + 1);
            rows.calls.truncate(end);
            rows.calls.drain(..first);
            rows.first_row += first as u64;
            rows.regions.retain(|r| overlaps(r.start_ns, r.end_ns));
        }
        let ends = |a: &End| overlaps(a.start_ns, if a.is_done() { a.done_end_ns } else { u64::MAX });
        batch
            .messages
            .retain(|m| (is_wanted(m.sender) || is_wanted(m.receiver)) && (ends(&m.send) || ends(&m.receive)));
        batch.lone.retain(|l| is_wanted(l.rank) && ends(&l.end));
        let members = &batch.members;
        batch.collectives.retain(|c| {
            members[c.members.clone()].iter().any(|m| is_wanted(m.rank))
                && members[c.members.clone()].iter().any(|m| ends(&m.end))
        });
    }
}

/// Goes through one file, row group by row group. A row group has whole stretches, in ascending order over the file.
struct Cursor<T> {
    path: PathBuf,
    metadata: Arc<ParquetMetaData>,
    columns: &'static [&'static str],
    next_group: usize,
    rows: T,
    /// Rows of each stretch of the row group: runs of them, several where rows are sorted by rank.
    stretches: BTreeMap<i32, Vec<Range<usize>>>,
}

impl<T: Stretched> Cursor<T> {
    fn open(store: &Path, columns: &'static [&'static str]) -> Result<Vec<Cursor<T>>, StoreError> {
        let open = |path: PathBuf| {
            let metadata = metadata(&path)?;
            Ok(Cursor { path, metadata, columns, next_group: 0, rows: T::default(), stretches: BTreeMap::new() })
        };
        parts(store, T::NAME)?.into_iter().map(open).collect()
    }

    /// First and last stretch of a row group, as far as the file says.
    fn stretches_of(&self, group: usize) -> Option<(i32, i32)> {
        let columns = self.metadata.row_group(group).columns();
        let column = columns.iter().find(|c| c.column_path().string() == "stretch")?;
        match column.statistics()? {
            Statistics::Int32(found) => Some((*found.min_opt()?, *found.max_opt()?)),
            _ => None,
        }
    }

    /// Columns that a row group needs: an outline wants sizes only of calls that spell them out.
    fn columns_of(&self, group: usize) -> Vec<&'static str> {
        let mut columns = self.columns.to_vec();
        let of_group = self.metadata.row_group(group).columns();
        let spelled = of_group.iter().find(|c| c.column_path().string() == "is_spelled").and_then(|c| c.statistics());
        if std::ptr::eq(self.columns, CALLS_OUTLINE)
            && matches!(spelled, Some(Statistics::Boolean(found)) if found.max_opt() == Some(&false))
        {
            columns.retain(|c| !c.starts_with("bytes_"));
        }
        columns
    }

    /// Visits the rows of a stretch. Stretches must be asked for in ascending order.
    fn at(&mut self, stretch: i32, mut visit: impl FnMut(&T, usize)) -> Result<(), StoreError> {
        while self.stretches.last_key_value().is_none_or(|(last, _)| *last < stretch) {
            self.rows.clear();
            self.stretches.clear();
            if self.next_group >= self.metadata.num_row_groups() {
                // Other files go on, and this one needs no memory any more.
                self.rows = T::default();
                break;
            }
            match self.stretches_of(self.next_group) {
                Some((first, _)) if first > stretch => break,
                Some((_, last)) if last < stretch => {
                    self.next_group += 1;
                    continue;
                }
                _ => {}
            }
            let columns = self.columns_of(self.next_group);
            let rows = self.metadata.row_group(self.next_group).num_rows();
            self.rows.reserve(&columns, usize::try_from(rows).unwrap_or(0).min(MOST_RESERVED));
            read_group(&self.path, &self.metadata, &columns, self.next_group, None, &mut self.rows)?;
            self.next_group += 1;
            if !self.rows.has(&columns) {
                return Err(StoreError::Read(self.path.clone(), "columns are missing".into()));
            }
            for (at, &stretch) in self.rows.stretches().iter().enumerate() {
                let runs = self.stretches.entry(stretch).or_default();
                match runs.last_mut().filter(|run| run.end == at) {
                    Some(run) => run.end += 1,
                    None => runs.push(at..at + 1),
                }
            }
        }
        for run in self.stretches.get(&stretch).into_iter().flatten() {
            run.clone().for_each(|at| visit(&self.rows, at));
        }
        Ok(())
    }
}

/// A table whose rows belong to stretches.
pub(super) trait Stretched: Table {
    /// Columns that are needed to make rows of it; none means all.
    const COLUMNS: &'static [&'static str] = &[];
    fn stretches(&self) -> &[i32];
    /// Whether these columns are as long as the first.
    fn has(&self, columns: &[&str]) -> bool;
    /// Whether all columns that are needed are.
    fn is_whole(&self) -> bool {
        self.has(Self::COLUMNS)
    }
}

macro_rules! stretched {
    ($($table:ident { $($column:ident),* })*) => {$(
        impl Stretched for $table {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),*];
            fn stretches(&self) -> &[i32] {
                &self.stretch.0
            }
            fn has(&self, columns: &[&str]) -> bool {
                $((!columns.contains(&stringify!($column)) || self.$column.0.len() == self.stretch.0.len()))&&*
            }
        }
    )*};
}

stretched! {
    Calls { rank, row, thread, start_ns, end_ns, calls, peer, tag, peer2, tag2, bytes_sent, bytes_received, count,
        offset, is_nested, call_info, is_spelled, stretch }
    Messages { comm_id, sender, receiver, tag, bytes, sequence, send_row, send_start_ns, send_end_ns, send_done_row,
        send_done_start_ns, send_done_end_ns, receive_row, receive_start_ns, receive_end_ns, receive_done_row,
        receive_done_start_ns, receive_done_end_ns, flags, send_call_info, send_done_call_info, send_done_with,
        receive_call_info, receive_done_call_info, receive_done_with, stretch }
    Unmatched { rank, peer, comm_id, tag, bytes, is_send, row, start_ns, end_ns, done_row, done_start_ns,
        done_end_ns, call_info, done_call_info, done_with, reason_id, stretch }
    Regions { region_id, rank, thread, start_ns, end_ns, stretch }
    Collectives { comm_id, number, function_id, root, members, missing, stretch }
    Waits { kind, rank, row, start_ns, end_ns, cause_rank, cause_row, cause_start_ns, call_info, cause_call_info, stretch }
    Members { rank, row, start_ns, end_ns, done_row, done_start_ns, done_end_ns, bytes_sent, bytes_received, call_info,
        done_call_info, done_with, stretch }
}

pub(super) fn from(value: i64) -> u64 {
    value.max(0) as u64
}

/// Null is "never".
pub(super) fn from_opt(value: i64) -> u64 {
    if value == OptInt::NONE { u64::MAX } else { from(value) }
}

pub(super) fn from_id(value: i32) -> u32 {
    if value == OptId::NONE { u32::MAX } else { value as u32 }
}

/// Row, start, end, those of completion, call info.
fn end(posted: (i64, i64, i64), done: (i64, i64, i64), call_info: (i32, i32, i32)) -> End {
    let is_done = done.0 != OptInt::NONE;
    End {
        row: from(posted.0),
        start_ns: from(posted.1),
        end_ns: from(posted.2),
        done_row: from_opt(done.0),
        done_start_ns: if is_done { from(done.1) } else { 0 },
        done_end_ns: if is_done { from(done.2) } else { 0 },
        facts: call_info.0 as u32,
        done_facts: call_info.1 as u32,
        done_with: call_info.2 as u32,
    }
}

pub(super) fn detail(rows: &Calls, at: usize) -> Detail {
    Detail {
        peer: RankId(from_id(rows.peer.0[at])),
        peer2: RankId(from_id(rows.peer2.0[at])),
        tag: rows.tag.0[at],
        tag2: rows.tag2.0[at],
        bytes_sent: from(rows.bytes_sent.0[at]),
        bytes_received: from(rows.bytes_received.0[at]),
        count: from(rows.count.0[at]),
        offset: rows.offset.0[at],
    }
}

/// The same with sizes only.
fn sizes(rows: &Calls, at: usize) -> Detail {
    Detail {
        peer: RankId::NONE,
        peer2: RankId::NONE,
        tag: 0,
        tag2: 0,
        bytes_sent: from(rows.bytes_sent.0[at]),
        bytes_received: from(rows.bytes_received.0[at]),
        count: 0,
        offset: 0,
    }
}

/// A message of an outline.
fn envelope(rows: &Messages, at: usize) -> Message {
    let none = OptInt::NONE;
    let done = (rows.receive_done_row.0[at], 0, rows.receive_done_end_ns.0[at]);
    Message {
        comm: CommId(from_id(rows.comm_id.0[at])),
        sender: RankId(from_id(rows.sender.0[at])),
        receiver: RankId(from_id(rows.receiver.0[at])),
        tag: 0,
        bytes: from(rows.bytes.0[at]),
        sequence: 0,
        send: end((rows.send_row.0[at], rows.send_start_ns.0[at], 0), (none, none, none), (0, 0, 0)),
        receive: end((0, 0, 0), done, (0, 0, 0)),
        flags: 0,
    }
}

pub(super) fn message(rows: &Messages, at: usize) -> Message {
    Message {
        comm: CommId(from_id(rows.comm_id.0[at])),
        sender: RankId(from_id(rows.sender.0[at])),
        receiver: RankId(from_id(rows.receiver.0[at])),
        tag: rows.tag.0[at],
        bytes: from(rows.bytes.0[at]),
        sequence: from(rows.sequence.0[at]),
        send: end(
            (rows.send_row.0[at], rows.send_start_ns.0[at], rows.send_end_ns.0[at]),
            (rows.send_done_row.0[at], rows.send_done_start_ns.0[at], rows.send_done_end_ns.0[at]),
            (rows.send_call_info.0[at], rows.send_done_call_info.0[at], rows.send_done_with.0[at]),
        ),
        receive: end(
            (rows.receive_row.0[at], rows.receive_start_ns.0[at], rows.receive_end_ns.0[at]),
            (rows.receive_done_row.0[at], rows.receive_done_start_ns.0[at], rows.receive_done_end_ns.0[at]),
            (rows.receive_call_info.0[at], rows.receive_done_call_info.0[at], rows.receive_done_with.0[at]),
        ),
        flags: rows.flags.0[at] as u16,
    }
}

pub(super) fn lone(rows: &Unmatched, at: usize) -> Lone {
    let tag = rows.tag.0[at];
    Lone {
        rank: RankId(from_id(rows.rank.0[at])),
        peer: RankId(from_id(rows.peer.0[at])),
        comm: CommId(from_id(rows.comm_id.0[at])),
        tag: (tag != OptId::NONE).then_some(tag),
        bytes: from(rows.bytes.0[at]),
        is_send: rows.is_send.0[at],
        end: end(
            (rows.row.0[at], rows.start_ns.0[at], rows.end_ns.0[at]),
            (rows.done_row.0[at], rows.done_start_ns.0[at], rows.done_end_ns.0[at]),
            (rows.call_info.0[at], rows.done_call_info.0[at], rows.done_with.0[at]),
        ),
        reason: match rows.reason_id.0[at] {
            0 => LoneReason::PeerUnknown,
            1 => LoneReason::Overwritten,
            _ => LoneReason::NeverHappened,
        },
    }
}

pub(super) fn span(rows: &Regions, at: usize) -> Span {
    Span {
        region: RegionId(from_id(rows.region_id.0[at])),
        thread: rows.thread.0[at] as u16,
        start_ns: from(rows.start_ns.0[at]),
        end_ns: from(rows.end_ns.0[at]),
    }
}

pub(super) fn member(rows: &Members, at: usize) -> Member {
    Member {
        rank: RankId(from_id(rows.rank.0[at])),
        end: end(
            (rows.row.0[at], rows.start_ns.0[at], rows.end_ns.0[at]),
            (rows.done_row.0[at], rows.done_start_ns.0[at], rows.done_end_ns.0[at]),
            (rows.call_info.0[at], rows.done_call_info.0[at], rows.done_with.0[at]),
        ),
        bytes_sent: from(rows.bytes_sent.0[at]),
        bytes_received: from(rows.bytes_received.0[at]),
    }
}

pub(super) fn wait(rows: &Waits, at: usize) -> WaitRow {
    let has_cause = rows.cause_rank.0[at] != OptId::NONE && rows.cause_row.0[at] != OptInt::NONE;
    WaitRow {
        kind: rows.kind.0[at],
        rank: RankId(from_id(rows.rank.0[at])),
        row: from(rows.row.0[at]),
        facts: rows.call_info.0[at] as u32,
        start_ns: from(rows.start_ns.0[at]),
        end_ns: from(rows.end_ns.0[at]),
        cause: has_cause.then(|| WaitCause {
            rank: RankId(from_id(rows.cause_rank.0[at])),
            row: from(rows.cause_row.0[at]),
            facts: from_id(rows.cause_call_info.0[at]),
            start_ns: from(rows.cause_start_ns.0[at]),
        }),
    }
}

/// Files of a table, in order.
pub(super) fn parts(store: &Path, table: &str) -> Result<Vec<PathBuf>, StoreError> {
    let older = name_in_format_1(table).map(|name| store.join(name)).filter(|folder| folder.is_dir());
    let folder = older.unwrap_or_else(|| store.join(table));
    let entries = std::fs::read_dir(&folder).map_err(|e| StoreError::Read(folder.clone(), e.to_string()))?;
    let mut parts: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    parts.retain(|p| p.extension().is_some_and(|e| e == "parquet"));
    parts.sort();
    Ok(parts)
}

pub(super) fn metadata(path: &Path) -> Result<Arc<ParquetMetaData>, StoreError> {
    metadata_as(path, PageIndexPolicy::Skip)
}

/// The same with the places of pages, and the smallest and largest values of each, if the file says so.
pub(super) fn paged(path: &Path) -> Result<Arc<ParquetMetaData>, StoreError> {
    metadata_as(path, PageIndexPolicy::Optional)
}

fn metadata_as(path: &Path, pages: PageIndexPolicy) -> Result<Arc<ParquetMetaData>, StoreError> {
    let failed = |e: &dyn std::fmt::Display| StoreError::Read(path.to_owned(), e.to_string());
    let file = File::open(path).map_err(|e| failed(&e))?;
    let reader = ParquetMetaDataReader::new().with_page_index_policy(pages);
    guarded(path, || reader.parse_and_finish(&file).map(Arc::new).map_err(|e| failed(&e)))
}

/// Number of a column in a table's files. No column has columns in it: its number in the schema is that in a row group.
pub(super) fn column_number(metadata: &ParquetMetaData, name: &str) -> Option<usize> {
    let schema = metadata.file_metadata().schema_descr();
    schema.root_schema().get_fields().iter().position(|field| field.name() == name)
}

/// The parquet crate panics on some damaged files; here that is one more file that cannot be read.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    caught.unwrap_or_else(|_| Err(StoreError::Read(path.to_owned(), "it is damaged".into())))
}

/// Adds rows of one row group to `rows`: those columns, or all if none is named; all rows, or those at some places.
pub(super) fn read_group<T: Table>(
    path: &Path,
    metadata: &ParquetMetaData,
    columns: &[&str],
    group: usize,
    part: Option<Range<usize>>,
    rows: &mut T,
) -> Result<(), StoreError> {
    let failed = |e: &dyn std::fmt::Display| StoreError::Read(path.to_owned(), e.to_string());
    let file = Arc::new(File::open(path).map_err(|e| failed(&e))?);
    // What a panic leaves of `rows` is not looked at.
    guarded(path, || {
        let group_metadata = metadata.row_group(group);
        let pages = metadata.offset_index().and_then(|index| index.get(group)).map(Vec::as_slice);
        let properties = Arc::new(ReaderProperties::builder().build());
        let reader = SerializedRowGroupReader::new(file, group_metadata, pages, properties).map_err(|e| failed(&e))?;
        let part = part.unwrap_or(0..usize::try_from(group_metadata.num_rows()).unwrap_or(0));
        let column = |name: &str| {
            if !columns.is_empty() && !columns.contains(&name) {
                return Ok(None);
            }
            let number = column_number(metadata, name);
            let older = || column_number(metadata, &name_in_format_1(name)?);
            let Some(number) = number.or_else(older) else { return Ok(None) };
            let mut reader = reader.get_column_reader(number)?;
            let skipped = part.start;
            if skipped > 0 {
                skip(&mut reader, skipped)?;
            }
            let level = metadata.file_metadata().schema_descr().column(number).max_def_level();
            Ok(Some(Source { reader, level, rows: part.len() }))
        };
        rows.extend(column).map_err(|e| failed(&e))
    })
}

fn skip(reader: &mut ColumnReader, rows: usize) -> Result<(), ParquetError> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int32ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int64ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::ByteArrayColumnReader(reader) => reader.skip_records(rows),
        // Types that no table has: such a column counts as missing.
        _ => Ok(0),
    }
    .map(drop)
}

/// All rows of a small table.
fn whole<T: Table>(store: &Path) -> Result<T, StoreError> {
    let mut rows = T::default();
    for path in parts(store, T::NAME)? {
        let metadata = metadata(&path)?;
        for group in 0..metadata.num_row_groups() {
            read_group(&path, &metadata, &[], group, None, &mut rows)?;
        }
    }
    Ok(rows)
}

fn dimensions(store: &Path) -> Result<Dimensions, StoreError> {
    let ranks: Ranks = whole(store)?;
    let comms: Communicators = whole(store)?;
    let sites: Sites = whole(store)?;
    let regions: RegionNames = whole(store)?;
    let datatypes: Datatypes = whole(store)?;
    // A store that knows nothing of it was made before there was the column.
    let known = |column: &OptInt, at: usize| column.0.get(at).filter(|&&n| n != OptInt::NONE).map(|&n| from(n));
    // Stores have had this table since some version only.
    let groups: Groups = if store.join(Groups::NAME).is_dir() { whole(store)? } else { Groups::default() };
    let rank = |at: usize| {
        Some(RankRow {
            world_rank: *ranks.world_rank.0.get(at)?,
            world: from_id(*ranks.world.0.get(at)?),
            host: ranks.host.0.get(at)?.clone(),
            pid: *ranks.pid.0.get(at)? as u32,
            init_end_ns: from(*ranks.init_end_ns.0.get(at)?),
            finalize_start_ns: from(*ranks.finalize_start_ns.0.get(at)?),
            rows_from_ns: from(*ranks.rows_from_ns.0.get(at)?),
            rows_until_ns: from(*ranks.rows_until_ns.0.get(at)?),
            rows_lost: from(*ranks.calls_lost.0.get(at)?),
            clock_error_ns: known(&ranks.clock_error_ns, at),
            copy_bytes_per_s: known(&ranks.copy_bytes_per_s, at),
            unreadable: known(&ranks.unreadable_from_ns, at).map(|from_ns| Unreadable {
                from_ns,
                until_ns: known(&ranks.unreadable_until_ns, at).unwrap_or(from_ns),
                events: known(&ranks.calls_unreadable, at).unwrap_or(0),
            }),
            is_finalized: false,
            failed: None,
            cores: Default::default(),
        })
    };
    let comm = |at: usize| {
        let periods = comms.is_periodic.0.get(at)?.iter().map(|&p| p != 0);
        Some(CommRow {
            key: comms.key.0.get(at)?.clone(),
            label: comms.comm.0.get(at)?.clone(),
            members: comms.members.0.get(at)?.iter().map(|&m| RankId(from_id(m))).collect(),
            is_inter: *comms.is_inter.0.get(at)?,
            dims: comms.dims.0.get(at)?.iter().map(|&d| d as u32).zip(periods).collect(),
            neighbors: Vec::new(),
        })
    };
    let group = |at: usize| Some(groups.members.0.get(at)?.iter().map(|&m| RankId(from_id(m))).collect());
    let site =
        |at: usize| Some(SiteRow { text: sites.site.0.get(at)?.clone(), frames: sites.frames.0.get(at)?.clone() });
    let region = |at: usize| {
        let parent = *regions.parent_id.0.get(at)?;
        let parent = (parent != OptId::NONE).then_some(parent as u32);
        Some(RegionRow { name: regions.name.0.get(at)?.clone(), parent })
    };
    let mut of_ranks = vec![BTreeMap::new(); ranks.len()];
    let datatype = |at: usize| {
        let made_by = datatypes.made_by.0.get(at)?;
        let row = DatatypeRow {
            name: datatypes.name.0.get(at)?.clone(),
            size_bytes: from(*datatypes.size_bytes.0.get(at)?),
            extent_bytes: *datatypes.extent_bytes.0.get(at)?,
            created_by: mpiscope_abi::by_name(made_by).unwrap_or(0),
        };
        Some((*datatypes.rank.0.get(at)?, from_id(*datatypes.datatype.0.get(at)?), row))
    };
    for (rank, datatype, row) in (0..datatypes.len()).map_while(datatype) {
        if let Some(rows) = usize::try_from(rank).ok().and_then(|rank| of_ranks.get_mut(rank)) {
            rows.insert(datatype, row);
        }
    }
    Ok(Dimensions {
        origin_ns: 0,
        ranks: (0..ranks.len()).map_while(rank).collect(),
        comms: (0..comms.len()).map_while(comm).collect(),
        groups: (0..groups.len()).map_while(group).collect(),
        sites: (0..sites.len()).map_while(site).collect(),
        regions: (0..regions.len()).map_while(region).collect(),
        datatypes: of_ranks,
        hosts: Vec::new(),
        mpi_family: "",
        mpi_device: String::new(),
    })
}

fn call_info(store: &Path, ranks: usize) -> Result<Vec<Vec<CallInfo>>, StoreError> {
    let rows: CallInfoTable = whole(store)?;
    let mut call_info: Vec<Vec<CallInfo>> = vec![Vec::new(); ranks];
    let row = |at: usize| {
        let function = *rows.function_id.0.get(at)? as u32;
        Some(CallInfo {
            function,
            role: if mpiscope_abi::function(function).is_some() { role(function) } else { Role::Local },
            flags: *rows.flags.0.get(at)? as u16,
            comm: CommId(from_id(*rows.comm_id.0.get(at)?)),
            peer: RankId(from_id(*rows.peer.0.get(at)?)),
            peer2: RankId(from_id(*rows.peer2.0.get(at)?)),
            tag: *rows.tag.0.get(at)?,
            tag2: *rows.tag2.0.get(at)?,
            root: RankId(from_id(*rows.root.0.get(at)?)),
            bytes_sent: from(*rows.bytes_sent.0.get(at)?),
            bytes_received: from(*rows.bytes_received.0.get(at)?),
            count: from(*rows.count.0.get(at)?),
            datatype: *rows.datatype.0.get(at)? as u32,
            op: *rows.op.0.get(at)? as u32,
            window: *rows.window.0.get(at)? as u32,
            file: *rows.file.0.get(at)? as u32,
            // A store that knows nothing of groups was made before there was the column.
            group: rows.group_id.0.get(at).map_or(GroupId::NONE, |&group| GroupId(from_id(group))),
            site: SiteId(*rows.site_id.0.get(at)? as u32),
            region: RegionId(from_id(*rows.region_id.0.get(at)?)),
            calls: from(*rows.calls.0.get(at)?),
            time_ns: from(*rows.time_ns.0.get(at)?),
        })
    };
    for at in 0..rows.len() {
        let place = rows.rank.0.get(at).and_then(|&rank| call_info.get_mut(rank as usize));
        if let (Some(place), Some(row)) = (place, row(at)) {
            place.push(row);
        }
    }
    // Of thousands of ranks, what was grown too large is much.
    call_info.iter_mut().for_each(Vec::shrink_to_fit);
    Ok(call_info)
}
