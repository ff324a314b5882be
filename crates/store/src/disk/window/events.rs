//! Messages, collective operations, waits and regions of a window.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::rows::{End, Lone, Member, Message, Span, WaitRow};
use crate::{CommId, RankId};

use super::super::StoreError;
use super::super::read::{self, Stretched, Wanted};
use super::super::tables::{Collectives, Members, Messages, Regions, Table, Unmatched, Waits};
use super::cache::Cache;
use super::groups::RowGroups;
use super::index::{Bounds, Files, Part, Piece, PieceKey, RowsOfGroup};
use super::{Cancel, RankSet, WindowReader, decoded, overlaps};

/// A collective operation without its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveRow {
    /// Its number in the run.
    pub operation: u64,
    /// Communicator.
    pub comm: CommId,
    /// Which one on this communicator (window, file), from 0.
    pub index: u64,
    /// Function of the first member.
    pub function: u32,
    /// Root, [`RankId::NONE`] for operations without one.
    pub root: RankId,
    /// Members whose part is known.
    pub members: u32,
    /// Members of the communicator of which no call is known.
    pub missing: u32,
    /// First entry.
    pub first_start_ns: u64,
    /// Last entry.
    pub last_start_ns: u64,
    /// Last return or completion, `u64::MAX` while a member has not completed.
    pub last_end_ns: u64,
}

/// A rank's part in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationMember {
    /// [`CollectiveRow::operation`].
    pub operation: u64,
    /// The part.
    pub member: Member,
}

/// A region of the program that a rank entered and left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSpan {
    /// Who.
    pub rank: RankId,
    /// What and when.
    pub span: Span,
}

/// A stretch of waiting as pictures need it: not what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitSpan {
    /// Who.
    pub rank: RankId,
    /// Facts of the call that it is in.
    pub facts: u32,
    /// When it began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
}

/// Rows of a window: all, or the longest ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowRows<T> {
    /// In the order in which the store has them.
    pub rows: Vec<T>,
    /// How many were wanted: more than there are `rows` where the limit cut the shorter ones off.
    pub total: u64,
}

/// Rows of a row group, or only those at some places.
type Read<T> = fn(&Part, usize, Option<Range<usize>>) -> Result<Vec<T>, StoreError>;

/// A kind of rows: where they are, what was decoded of them, how they are read.
struct Kind<'a, T> {
    files: &'a Files,
    cache: &'a Cache<Vec<T>, PieceKey>,
    /// A column whose pages are as large as those of most others.
    column: &'static str,
    read: Read<T>,
}

impl<T: Send + Sync> Kind<'_, T> {
    fn piece(&self, piece: &Piece, is_scan: bool, cancel: Cancel<'_>) -> Result<Arc<Vec<T>>, StoreError> {
        decoded(self.cache, piece.key, is_scan, cancel, || {
            let (part, group, _) = piece.key;
            let part = &self.files.0[part];
            let is_whole = piece.places == (0..part.rows(group));
            let rows = (self.read)(part, group, (!is_whole).then(|| piece.places.clone()))?;
            let bytes = rows.len() * size_of::<T>();
            Ok((rows, bytes))
        })
    }

    fn fold<A: Send>(
        &self,
        may_have: impl Fn(&Part, RowsOfGroup) -> bool,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &T) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let groups = self.files.groups(|part, group| may_have(part, group.into()));
        let pieces = groups.into_iter().flat_map(|key| self.files.pieces(key, self.column));
        let pieces: Vec<Piece> = pieces.filter(|piece| may_have(&self.files.0[piece.key.0], piece.place())).collect();
        let rows: usize = pieces.iter().map(|piece| piece.places.len()).sum();
        let is_scan = rows * size_of::<T>() > self.cache.most_bytes();
        let fold = |mut all: A, piece: &Piece| {
            self.piece(piece, is_scan, cancel)?.iter().for_each(|row| take(&mut all, row));
            if cancel() { Err(StoreError::Cancelled) } else { Ok(all) }
        };
        pieces.par_iter().try_fold(&begin, fold).try_reduce(&begin, |a, b| Ok(join(a, b)))
    }
}

/// Whether a row group, or a piece of one, may overlap the wanted time, as these two columns say.
fn may_overlap(wanted: &Wanted, part: &Part, group: impl Into<RowsOfGroup> + Copy, start: &str, end: &str) -> bool {
    overlaps(wanted, part.bounds(group, start).moments().0, part.bounds(group, end).moments().1)
}

/// Return of the call that completed a side, if one did.
fn last_ns(end: &End) -> u64 {
    if end.is_done() { end.done_end_ns } else { u64::MAX }
}

fn may_have_ranks(ranks: &RankSet, part: &Part, group: impl Into<RowsOfGroup>, column: &str) -> bool {
    let (first, last) = part.bounds(group, column).ranks();
    ranks.meets(first, last)
}

impl WindowReader {
    /// Folds the messages of which a side, from the call that posted it to the one that completed it, lies in the window,
    /// and belongs to one of the ranks if some are wanted.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_messages<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Message) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let ranks = RankSet::new(wanted);
        let may_have = |part: &Part, group: RowsOfGroup| {
            (may_overlap(wanted, part, group, "send_start_ns", "send_done_end_ns")
                || may_overlap(wanted, part, group, "receive_start_ns", "receive_done_end_ns"))
                && (may_have_ranks(&ranks, part, group, "sender") || may_have_ranks(&ranks, part, group, "receiver"))
        };
        let kind =
            Kind { files: &self.messages, cache: &self.decoded_messages, column: "send_start_ns", read: messages };
        let take_wanted = |all: &mut A, message: &Message| {
            let ends = |end: &End| overlaps(wanted, end.start_ns, last_ns(end));
            let is_theirs = ranks.has(message.sender.0) || ranks.has(message.receiver.0);
            if is_theirs && (ends(&message.send) || ends(&message.receive)) {
                take(all, message);
            }
        };
        kind.fold(may_have, cancel, begin, take_wanted, join)
    }

    /// Folds the messages that are under way in the window: from the first entry of either side to the last return of either; with one of
    /// the ranks if some are wanted.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_messages_under_way<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Message) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let ranks = RankSet::new(wanted);
        let may_have = |part: &Part, group: RowsOfGroup| {
            let first = |column: &str| part.bounds(group, column).moments().0;
            let last = |column: &str| part.bounds(group, column).moments().1;
            let start_ns = first("send_start_ns").min(first("receive_start_ns"));
            let end_ns = last("send_done_end_ns").max(last("receive_done_end_ns"));
            overlaps(wanted, start_ns, end_ns)
                && (may_have_ranks(&ranks, part, group, "sender") || may_have_ranks(&ranks, part, group, "receiver"))
        };
        let kind =
            Kind { files: &self.messages, cache: &self.decoded_messages, column: "send_start_ns", read: messages };
        let take_wanted = |all: &mut A, message: &Message| {
            let (send, receive) = (&message.send, &message.receive);
            let (start_ns, end_ns) = (send.start_ns.min(receive.start_ns), last_ns(send).max(last_ns(receive)));
            if overlaps(wanted, start_ns, end_ns) && (ranks.has(message.sender.0) || ranks.has(message.receiver.0)) {
                take(all, message);
            }
        };
        kind.fold(may_have, cancel, begin, take_wanted, join)
    }

    /// Folds the sides of messages of which the other is not known, that begin before the end of the window, whenever they were completed:
    /// a message that is never received is under way until the end.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_unmatched<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Lone) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let may_have =
            |part: &Part, group: RowsOfGroup| overlaps(wanted, part.bounds(group, "start_ns").moments().0, u64::MAX);
        let kind = Kind { files: &self.unmatched, cache: &self.decoded_unmatched, column: "start_ns", read: unmatched };
        let ranks = RankSet::new(wanted);
        let take_wanted = |all: &mut A, lone: &Lone| {
            if overlaps(wanted, lone.end.start_ns, u64::MAX) && (ranks.has(lone.rank.0) || ranks.has(lone.peer.0)) {
                take(all, lone);
            }
        };
        kind.fold(may_have, cancel, begin, take_wanted, join)
    }

    /// Row groups that may have messages that are under way in a window: from the entry of the sending call to the return
    /// of the call that completed the receive.
    pub fn message_groups(&self, wanted: &Wanted) -> RowGroups {
        let ranks = RankSet::new(wanted);
        let groups = self.messages.groups(|part, group| {
            may_overlap(wanted, part, group, "send_start_ns", "receive_done_end_ns")
                && (may_have_ranks(&ranks, part, group, "sender") || may_have_ranks(&ranks, part, group, "receiver"))
        });
        RowGroups::from_groups(&self.messages, groups)
    }

    /// Folds all messages of some row groups. `read` is called now and then with the number of rows that were read.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_messages_of<A: Send>(
        &self,
        groups: &RowGroups,
        cancel: Cancel<'_>,
        read: &(dyn Fn(u64) + Sync),
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Message) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let kind =
            Kind { files: &self.messages, cache: &self.decoded_messages, column: "send_start_ns", read: messages };
        let is_scan = groups.rows() as usize * size_of::<Message>() > self.decoded_messages.most_bytes();
        let fold = |mut all: A, &(key, rows): &((usize, usize), u64)| {
            for piece in &self.messages.pieces(key, kind.column) {
                kind.piece(piece, is_scan, cancel)?.iter().for_each(|row| take(&mut all, row));
            }
            read(rows);
            if cancel() { Err(StoreError::Cancelled) } else { Ok(all) }
        };
        groups.0.par_iter().try_fold(&begin, fold).try_reduce(&begin, |a, b| Ok(join(a, b)))
    }

    /// Messages as [`WindowReader::fold_messages`] finds them that `keep` wants; if there are more than `limit`, those
    /// that took longest from the entry of the sending call to the return of the call that completed the receive.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn messages(
        &self,
        wanted: &Wanted,
        limit: usize,
        keep: impl Fn(&Message) -> bool + Sync + Send,
        cancel: Cancel<'_>,
    ) -> Result<WindowRows<Message>, StoreError> {
        let length = |m: &Message| last_ns(&m.receive).saturating_sub(m.send.start_ns);
        let take = |all: &mut WindowRows<Message>, m: &Message| {
            if keep(m) {
                all.take(*m, limit, length);
            }
        };
        let found = self.fold_messages(wanted, cancel, WindowRows::new, take, |a, b| a.join(b, limit, length))?;
        Ok(found.finish(limit, length))
    }

    /// Folds the stretches of waiting in a window.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_waits<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &WaitRow) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let ranks = RankSet::new(wanted);
        let may_have = |part: &Part, group: RowsOfGroup| {
            may_overlap(wanted, part, group, "start_ns", "end_ns") && may_have_ranks(&ranks, part, group, "rank")
        };
        let kind = Kind { files: &self.waits, cache: &self.decoded_waits, column: "start_ns", read: waits };
        let take_wanted = |all: &mut A, wait: &WaitRow| {
            if ranks.has(wait.rank.0) && overlaps(wanted, wait.start_ns, wait.end_ns) {
                take(all, wait);
            }
        };
        kind.fold(may_have, cancel, begin, take_wanted, join)
    }

    /// The same with no more than when they were: a quarter of the columns and of the memory.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_wait_spans<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &WaitSpan) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let ranks = RankSet::new(wanted);
        let may_have = |part: &Part, group: RowsOfGroup| {
            may_overlap(wanted, part, group, "start_ns", "end_ns") && may_have_ranks(&ranks, part, group, "rank")
        };
        let kind = Kind { files: &self.waits, cache: &self.decoded_wait_spans, column: "start_ns", read: wait_spans };
        let take_wanted = |all: &mut A, wait: &WaitSpan| {
            if overlaps(wanted, wait.start_ns, wait.end_ns) && ranks.has(wait.rank.0) {
                take(all, wait);
            }
        };
        kind.fold(may_have, cancel, begin, take_wanted, join)
    }

    /// Stretches of waiting in a window that `keep` wants; if there are more than `limit`, the longest ones.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn waits(
        &self,
        wanted: &Wanted,
        limit: usize,
        keep: impl Fn(&WaitRow) -> bool + Sync + Send,
        cancel: Cancel<'_>,
    ) -> Result<WindowRows<WaitRow>, StoreError> {
        let length = |w: &WaitRow| w.end_ns.saturating_sub(w.start_ns);
        let take = |all: &mut WindowRows<WaitRow>, w: &WaitRow| {
            if keep(w) {
                all.take(*w, limit, length);
            }
        };
        let found = self.fold_waits(wanted, cancel, WindowRows::new, take, |a, b| a.join(b, limit, length))?;
        Ok(found.finish(limit, length))
    }

    /// Regions of the program in a window that `keep` wants; if there are more than `limit`, the longest ones.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn regions(
        &self,
        wanted: &Wanted,
        limit: usize,
        keep: impl Fn(&RankSpan) -> bool + Sync + Send,
        cancel: Cancel<'_>,
    ) -> Result<WindowRows<RankSpan>, StoreError> {
        let ranks = RankSet::new(wanted);
        let may_have = |part: &Part, group: RowsOfGroup| {
            may_overlap(wanted, part, group, "start_ns", "end_ns") && may_have_ranks(&ranks, part, group, "rank")
        };
        let kind = Kind { files: &self.regions, cache: &self.decoded_regions, column: "start_ns", read: regions };
        let length = |r: &RankSpan| r.span.end_ns.saturating_sub(r.span.start_ns);
        let take = |all: &mut WindowRows<RankSpan>, r: &RankSpan| {
            if ranks.has(r.rank.0) && overlaps(wanted, r.span.start_ns, r.span.end_ns) && keep(r) {
                all.take(*r, limit, length);
            }
        };
        let found = kind.fold(may_have, cancel, WindowRows::new, take, |a, b| a.join(b, limit, length))?;
        Ok(found.finish(limit, length))
    }

    /// Folds the parts of ranks in collective operations, from the call that began it to the one that completed it, that
    /// lie in a window.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_members<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &OperationMember) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let ranks = RankSet::new(wanted);
        let may_have = |part: &Part, group: RowsOfGroup| {
            may_overlap(wanted, part, group, "start_ns", "done_end_ns") && may_have_ranks(&ranks, part, group, "rank")
        };
        let kind = Kind { files: &self.members, cache: &self.decoded_members, column: "start_ns", read: members };
        let take_wanted = |all: &mut A, part: &OperationMember| {
            let end = &part.member.end;
            if ranks.has(part.member.rank.0) && overlaps(wanted, end.start_ns, last_ns(end)) {
                take(all, part);
            }
        };
        kind.fold(may_have, cancel, begin, take_wanted, join)
    }

    /// Collective operations of which some part lies in the window, if ranks are wanted: of these; that `keep` wants; if
    /// there are more than `limit`, those that took longest from the first entry to the last return.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn collectives(
        &self,
        wanted: &Wanted,
        limit: usize,
        keep: impl Fn(&CollectiveRow) -> bool + Sync + Send,
        cancel: Cancel<'_>,
    ) -> Result<WindowRows<CollectiveRow>, StoreError> {
        let of_ranks = match &wanted.ranks {
            None => None,
            Some(_) => {
                let take = |all: &mut Vec<u64>, part: &OperationMember| {
                    if all.last() != Some(&part.operation) {
                        all.push(part.operation);
                    }
                };
                let mut all = self.fold_members(wanted, cancel, Vec::new, take, |mut a, mut b| {
                    a.append(&mut b);
                    a
                })?;
                all.sort_unstable();
                all.dedup();
                Some(all)
            }
        };
        let may_have = |part: &Part, group: RowsOfGroup| {
            let Bounds { least, most, .. } = part.bounds(group, "operation");
            may_overlap(wanted, part, group, "first_start_ns", "last_end_ns")
                && of_ranks.as_ref().is_none_or(|all| has_between(all, least, most))
        };
        let kind = Kind {
            files: &self.collectives,
            cache: &self.decoded_collectives,
            column: "first_start_ns",
            read: collectives,
        };
        let length = |c: &CollectiveRow| c.last_end_ns.saturating_sub(c.first_start_ns);
        let take = |all: &mut WindowRows<CollectiveRow>, c: &CollectiveRow| {
            let is_theirs = of_ranks.as_ref().is_none_or(|all| all.binary_search(&c.operation).is_ok());
            if is_theirs && overlaps(wanted, c.first_start_ns, c.last_end_ns) && keep(c) {
                all.take(*c, limit, length);
            }
        };
        let found = kind.fold(may_have, cancel, WindowRows::new, take, |a, b| a.join(b, limit, length))?;
        Ok(found.finish(limit, length))
    }

    /// All parts of these operations (ascending), operation by operation in the order of the communicator.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn members(&self, operations: &[u64], cancel: Cancel<'_>) -> Result<Vec<OperationMember>, StoreError> {
        let may_have = |part: &Part, group: RowsOfGroup| {
            let Bounds { least, most, .. } = part.bounds(group, "operation");
            has_between(operations, least, most)
        };
        let kind = Kind { files: &self.members, cache: &self.decoded_members, column: "start_ns", read: members };
        let take = |all: &mut Vec<OperationMember>, part: &OperationMember| {
            if operations.binary_search(&part.operation).is_ok() {
                all.push(*part);
            }
        };
        kind.fold(may_have, cancel, Vec::new, take, |mut a, mut b| {
            a.append(&mut b);
            a
        })
    }
}

/// Whether one of `all` (ascending) lies between these.
fn has_between(all: &[u64], least: i64, most: i64) -> bool {
    let at = all.partition_point(|&v| v < least.max(0) as u64);
    all.get(at).is_some_and(|&v| v <= most.max(0) as u64)
}

impl<T> WindowRows<T> {
    fn new() -> WindowRows<T> {
        WindowRows { rows: Vec::new(), total: 0 }
    }

    fn take(&mut self, row: T, limit: usize, length: impl Fn(&T) -> u64) {
        self.total += 1;
        self.rows.push(row);
        if self.rows.len() > limit.saturating_mul(2).saturating_add(64) {
            self.cut(limit, length);
        }
    }

    fn join(mut self, mut other: WindowRows<T>, limit: usize, length: impl Fn(&T) -> u64) -> WindowRows<T> {
        self.total += other.total;
        self.rows.append(&mut other.rows);
        if self.rows.len() > limit.saturating_mul(2).saturating_add(64) {
            self.cut(limit, length);
        }
        self
    }

    /// Only the longest stay, in their order. Of equally long ones the first.
    fn cut(&mut self, limit: usize, length: impl Fn(&T) -> u64) {
        if self.rows.len() <= limit {
            return;
        }
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        if limit > 0 {
            places.select_nth_unstable_by_key(limit - 1, |&at| (Reverse(length(&self.rows[at])), at));
        }
        let mut stays = vec![false; self.rows.len()];
        places[..limit].iter().for_each(|&at| stays[at] = true);
        let mut stays = stays.into_iter();
        self.rows.retain(|_| stays.next() == Some(true));
    }

    fn finish(mut self, limit: usize, length: impl Fn(&T) -> u64) -> WindowRows<T> {
        self.cut(limit, length);
        self
    }
}

fn stretched<T: Stretched>(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<T, StoreError> {
    let rows: T = part.read_part(group, T::COLUMNS, places)?;
    if rows.is_whole() { Ok(rows) } else { Err(part.lacks_columns()) }
}

fn messages(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<Message>, StoreError> {
    let rows: Messages = stretched(part, group, places)?;
    Ok((0..rows.stretches().len()).map(|at| read::message(&rows, at)).collect())
}

fn unmatched(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<Lone>, StoreError> {
    let rows: Unmatched = stretched(part, group, places)?;
    Ok((0..rows.stretches().len()).map(|at| read::lone(&rows, at)).collect())
}

fn regions(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<RankSpan>, StoreError> {
    let rows: Regions = stretched(part, group, places)?;
    let row = |at: usize| RankSpan { rank: RankId(read::from_id(rows.rank.0[at])), span: read::span(&rows, at) };
    Ok((0..rows.stretches().len()).map(row).collect())
}

fn members(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<OperationMember>, StoreError> {
    let columns = [&["operation"], Members::COLUMNS].concat();
    let rows: Members = part.read_part(group, &columns, places)?;
    if !rows.is_whole() || rows.operation.0.len() != rows.stretch.0.len() {
        return Err(part.lacks_columns());
    }
    let row =
        |at: usize| OperationMember { operation: read::from(rows.operation.0[at]), member: read::member(&rows, at) };
    Ok((0..rows.len()).map(row).collect())
}

fn collectives(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<CollectiveRow>, StoreError> {
    let columns = [&["operation", "first_start_ns", "last_start_ns", "last_end_ns"], Collectives::COLUMNS].concat();
    let rows: Collectives = part.read_part(group, &columns, places)?;
    let length = rows.stretch.0.len();
    let moments = [&rows.operation.0, &rows.first_start_ns.0, &rows.last_start_ns.0, &rows.last_end_ns.0];
    if !rows.is_whole() || moments.iter().any(|column| column.len() != length) {
        return Err(part.lacks_columns());
    }
    let row = |at: usize| CollectiveRow {
        operation: read::from(rows.operation.0[at]),
        comm: CommId(read::from_id(rows.comm_id.0[at])),
        index: read::from(rows.number.0[at]),
        function: rows.function_id.0[at] as u32,
        root: RankId(read::from_id(rows.root.0[at])),
        members: rows.members.0[at] as u32,
        missing: rows.missing.0[at] as u32,
        first_start_ns: read::from(rows.first_start_ns.0[at]),
        last_start_ns: read::from(rows.last_start_ns.0[at]),
        last_end_ns: read::from_opt(rows.last_end_ns.0[at]),
    };
    Ok((0..length).map(row).collect())
}

fn waits(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<WaitRow>, StoreError> {
    let rows: Waits = stretched(part, group, places)?;
    Ok((0..rows.stretches().len()).map(|at| read::wait(&rows, at)).collect())
}

fn wait_spans(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<Vec<WaitSpan>, StoreError> {
    let rows: Waits = part.read_part(group, &["rank", "call_info", "start_ns", "end_ns"], places)?;
    let length = rows.rank.0.len();
    if rows.call_info.0.len() != length || rows.start_ns.0.len() != length || rows.end_ns.0.len() != length {
        return Err(part.lacks_columns());
    }
    let row = |at: usize| WaitSpan {
        rank: RankId(read::from_id(rows.rank.0[at])),
        facts: rows.call_info.0[at] as u32,
        start_ns: read::from(rows.start_ns.0[at]),
        end_ns: read::from(rows.end_ns.0[at]),
    };
    Ok((0..length).map(row).collect())
}
