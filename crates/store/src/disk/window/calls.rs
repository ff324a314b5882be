//! Calls of a window, calls by their numbers, the next call of a kind.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rayon::prelude::*;

use crate::RankId;
use crate::rows::{Detail, flags};

use super::super::StoreError;
use super::super::read::{self, Wanted};
use super::super::tables::{Calls, Table};
use super::columns::{CallColumns, Longest, WindowCalls};
use super::groups::{RowGroups, Zone};
use super::index::{Part, Piece};
use super::{Cancel, RankSet, WindowReader, decoded, overlaps};

/// What every call has.
const COLUMNS: [&str; 9] =
    ["rank", "row", "thread", "start_ns", "end_ns", "calls", "is_nested", "call_info", "is_spelled"];
/// What calls have of which the call info does not say all.
const SPELLED: [&str; 8] = ["peer", "tag", "peer2", "tag2", "bytes_sent", "bytes_received", "count", "offset"];

/// Bytes of a decoded call without its arguments.
pub(super) const BYTES_OF_CALL: usize = 4 + 2 + 8 + 8 + 8 + 4 + 4 + 2;

/// A piece of a row group of calls, decoded. Pieces are as large as pages are: ranks stand one after the other in a row
/// group, so that a few of them are found in a few pieces.
pub(super) struct Decoded {
    calls: CallColumns,
    /// Ranks, and the place of the first call of each; one more at the end.
    runs: Vec<(u32, usize)>,
    /// Of each rank, whether its calls begin in the order in which they return: those of one thread, none inside another.
    in_order: Vec<bool>,
}

impl Decoded {
    fn read(part: &Part, group: usize, places: Range<usize>) -> Result<(Decoded, usize), StoreError> {
        let is_whole = places == (0..part.rows(group));
        let calls = columns(part, group, (!is_whole).then_some(places))?;
        let runs = runs(&calls.rank);
        let in_order = runs.windows(2).map(|w| calls.start_ns[w[0].1..w[1].1].is_sorted()).collect();
        let bytes = calls.bytes() + runs.len() * size_of::<((u32, usize), bool)>();
        Ok((Decoded { calls, runs, in_order }, bytes))
    }

    /// Places of the calls of each wanted rank, without those that have returned before a time, and as far as that is quickly
    /// known those that begin when it is over.
    fn runs<'a>(&'a self, ranks: &'a RankSet, time_ns: &'a Range<u64>) -> impl Iterator<Item = Range<usize>> + 'a {
        let within = move |(w, in_order): (&[(u32, usize)], &bool)| {
            let run = w[0].1..w[1].1;
            // Rows come in the order of their return.
            let first = run.start + self.calls.end_ns[run.clone()].partition_point(|&end| end < time_ns.start);
            let begun = |&start: &u64| start < time_ns.end;
            let last = if *in_order { run.start + self.calls.start_ns[run].partition_point(begun) } else { run.end };
            first..last
        };
        let wanted = self.runs.windows(2).zip(&self.in_order).filter(|(w, _)| ranks.has(w[0].0));
        wanted.map(within).filter(|run| !run.is_empty())
    }

    /// The places of a rank's calls.
    fn run(&self, rank: u32) -> Range<usize> {
        run_of(&self.runs, rank)
    }

    /// The places of those with these numbers.
    fn places(&self, rank: RankId, rows: &Range<u64>) -> Range<usize> {
        let run = self.run(rank.0);
        let of_rank = &self.calls.row[run.clone()];
        let first = run.start + of_rank.partition_point(|&row| row < rows.start);
        first..(run.start + of_rank.partition_point(|&row| row < rows.end)).max(first)
    }
}

/// Calls of a row group, or only those at some places.
fn columns(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<CallColumns, StoreError> {
    let is_spelled = part.bounds(group, "is_spelled").most != 0;
    let columns: Vec<&str> = if is_spelled { [&COLUMNS[..], &SPELLED[..]].concat() } else { COLUMNS.to_vec() };
    let rows: Calls = part.read_part(group, &columns, places)?;
    let length = rows.len();
    let is_whole = [rows.thread.0.len(), rows.calls.0.len(), rows.call_info.0.len()].iter().all(|&n| n == length)
        && [rows.row.0.len(), rows.start_ns.0.len(), rows.end_ns.0.len()].iter().all(|&n| n == length)
        && [rows.is_nested.0.len(), rows.is_spelled.0.len()].iter().all(|&n| n == length);
    let has_details = [&rows.peer.0, &rows.tag.0, &rows.peer2.0, &rows.tag2.0].iter().all(|c| c.len() == length)
        && [&rows.bytes_sent.0, &rows.bytes_received.0, &rows.count.0, &rows.offset.0]
            .iter()
            .all(|c| c.len() == length);
    if !is_whole || (is_spelled && !has_details) {
        return Err(part.lacks_columns());
    }
    let spelled: Vec<(usize, Detail)> = match is_spelled {
        true => (0..length).filter(|&at| rows.is_spelled.0[at]).map(|at| (at, read::detail(&rows, at))).collect(),
        false => Vec::new(),
    };
    let mut calls = CallColumns::default();
    let moments = |column: Vec<i64>| column.into_iter().map(read::from).collect::<Vec<u64>>();
    calls.rank = rows.rank.0.iter().map(|&v| read::from_id(v)).collect();
    calls.thread = rows.thread.0.iter().map(|&v| v as u16).collect();
    calls.row = moments(rows.row.0);
    calls.start_ns = moments(rows.start_ns.0);
    calls.end_ns = moments(rows.end_ns.0);
    calls.call_info = rows.call_info.0.iter().map(|&v| v as u32).collect();
    calls.calls = rows.calls.0.iter().map(|&v| v.clamp(0, i64::from(u32::MAX)) as u32).collect();
    calls.flags = rows.is_nested.0.iter().map(|&v| if v { flags::NESTED } else { 0 }).collect();
    spelled.into_iter().for_each(|(at, detail)| calls.spell(at, detail));
    Ok(calls)
}

/// Ranks, and the place of the first call of each; one more at the end.
fn runs(ranks: &[u32]) -> Vec<(u32, usize)> {
    let mut runs: Vec<(u32, usize)> = Vec::new();
    for (at, &rank) in ranks.iter().enumerate() {
        if runs.last().is_none_or(|&(last, _)| last != rank) {
            runs.push((rank, at));
        }
    }
    runs.push((u32::MAX, ranks.len()));
    runs
}

/// The places of a rank.
fn run_of(runs: &[(u32, usize)], rank: u32) -> Range<usize> {
    // Ranks ascend, unless the file is damaged: then some are not found.
    let at = runs.partition_point(|(r, _)| *r < rank);
    match (runs.get(at), runs.get(at + 1)) {
        (Some(&(found, from)), Some(&(_, until))) if found == rank => from..until,
        _ => 0..0,
    }
}

/// Where the calls of ranks are in a row group: of all columns that of ranks is the quickest to decode.
pub(super) struct Directory {
    runs: Vec<(u32, usize)>,
}

impl Directory {
    fn read(part: &Part, group: usize) -> Result<(Directory, usize), StoreError> {
        let found: Calls = part.read(group, &["rank"])?;
        let ranks: Vec<u32> = found.rank.0.iter().map(|&v| read::from_id(v)).collect();
        let mut runs = runs(&ranks);
        runs.shrink_to_fit();
        let bytes = runs.len() * size_of::<(u32, usize)>();
        Ok((Directory { runs }, bytes))
    }

    /// Whether a wanted rank has calls at these places.
    fn has(&self, ranks: &RankSet, places: &Range<usize>) -> bool {
        let first = self.runs.partition_point(|run| run.1 <= places.start).saturating_sub(1);
        let runs = self.runs.get(first..).unwrap_or_default().windows(2);
        runs.take_while(|run| run[0].1 < places.end).any(|run| run[1].1 > places.start && ranks.has(run[0].0))
    }
}

impl WindowReader {
    fn piece(&self, piece: &Piece, is_scan: bool, cancel: Cancel<'_>) -> Result<Arc<Decoded>, StoreError> {
        let (part, group, _) = piece.key;
        let read = || Decoded::read(&self.calls.0[part], group, piece.places.clone());
        decoded(&self.decoded_calls, piece.key, is_scan, cancel, read)
    }

    fn directory(&self, (part, group): (usize, usize), cancel: Cancel<'_>) -> Result<Arc<Directory>, StoreError> {
        decoded(&self.directories, (part, group), false, cancel, || Directory::read(&self.calls.0[part], group))
    }

    /// All pieces of a row group.
    fn pieces(&self, key: (usize, usize)) -> Vec<Piece> {
        self.calls.pieces(key, "start_ns")
    }

    /// Those that have calls of some ranks.
    fn pieces_with(&self, key: (usize, usize), ranks: &RankSet, cancel: Cancel<'_>) -> Result<Vec<Piece>, StoreError> {
        let mut pieces = self.pieces(key);
        let (first, last) = self.calls.0[key.0].bounds(key.1, "rank").ranks();
        if pieces.len() > 1 && !ranks.has_all(first, last) {
            let directory = self.directory(key, cancel)?;
            pieces.retain(|piece| directory.has(ranks, &piece.places));
        }
        Ok(pieces)
    }

    /// Row groups that may have calls of a window, as far as their smallest and largest values say.
    pub fn call_groups(&self, wanted: &Wanted, zone: &Zone) -> RowGroups {
        let ranks = RankSet::new(wanted);
        let groups = self.calls.groups(|part, group| {
            let (first, last) = part.bounds(group, "rank").ranks();
            let (start, end) = (part.bounds(group, "start_ns").moments().0, part.bounds(group, "end_ns").moments().1);
            ranks.meets(first, last) && overlaps(wanted, start, end) && zone.meets(part, group)
        });
        RowGroups::from_groups(&self.calls, groups)
    }

    /// Folds the calls of a window, row groups side by side: `begin` makes an accumulator, `take` adds a call to one
    /// (the columns and its place in them), `join` puts two together, earlier rows first.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn fold_calls<A: Send>(
        &self,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &CallColumns, usize) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let groups = self.call_groups(wanted, &Zone::default());
        self.fold_calls_of(&groups, wanted, cancel, &|_| (), begin, take, join)
    }

    /// The same of some row groups only. `read` is called now and then with the number of rows that were read.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    #[allow(clippy::too_many_arguments)] // what, how far, and the three parts of a fold
    pub fn fold_calls_of<A: Send>(
        &self,
        groups: &RowGroups,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        read: &(dyn Fn(u64) + Sync),
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &CallColumns, usize) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let end_ns = wanted.time_ns.as_ref().map_or(u64::MAX, |time| time.end);
        let take_run = |all: &mut A, calls: &CallColumns, run: Range<usize>| {
            for at in run.filter(|&at| calls.start_ns[at] < end_ns || end_ns == u64::MAX) {
                take(all, calls, at);
            }
        };
        self.fold_runs_of(groups, wanted, cancel, read, begin, take_run, join)
    }

    /// The same rank by rank: `take` gets places of calls of one rank that end in the window or after it, those that begin
    /// after it among them.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    #[allow(clippy::too_many_arguments)] // what, how far, and the three parts of a fold
    pub fn fold_runs_of<A: Send>(
        &self,
        groups: &RowGroups,
        wanted: &Wanted,
        cancel: Cancel<'_>,
        read: &(dyn Fn(u64) + Sync),
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &CallColumns, Range<usize>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, StoreError> {
        let ranks = RankSet::new(wanted);
        let of_group = |&(key, rows): &((usize, usize), u64)| {
            let pieces = self.pieces_with(key, &ranks, cancel)?;
            // What is not looked at is done.
            read(rows.saturating_sub(pieces.iter().map(|piece| piece.places.len() as u64).sum()));
            Ok(pieces)
        };
        let pieces = groups.0.par_iter().map(of_group).collect::<Result<Vec<_>, StoreError>>()?;
        let pieces: Vec<Piece> = pieces.into_iter().flatten().collect();
        let rows: usize = pieces.iter().map(|piece| piece.places.len()).sum();
        let is_scan = BYTES_OF_CALL * rows > self.decoded_calls.most_bytes();
        let time_ns = wanted.time_ns.clone().unwrap_or(0..u64::MAX);
        let fold = |mut all: A, piece: &Piece| {
            let found = self.piece(piece, is_scan, cancel)?;
            for run in found.runs(&ranks, &time_ns) {
                take(&mut all, &found.calls, run);
            }
            read(piece.places.len() as u64);
            if cancel() { Err(StoreError::Cancelled) } else { Ok(all) }
        };
        let folded = pieces.par_iter().try_fold(&begin, fold);
        folded.try_reduce(&begin, |a, b| Ok(join(a, b)))
    }

    /// First call of each rank that is still there: entry.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn first_calls(&self) -> Result<Vec<(RankId, u64)>, StoreError> {
        let groups = self.calls.groups(|part, group| part.bounds(group, "row").least <= 0);
        let of_group = |&(part, group): &(usize, usize)| {
            let rows: Calls = self.calls.0[part].read(group, &["rank", "row", "start_ns"])?;
            let rows = rows.rank.0.iter().zip(&rows.row.0).zip(&rows.start_ns.0);
            let first = rows.filter(|((_, row), _)| **row == 0);
            Ok(first.map(|((&rank, _), &start_ns)| (RankId(read::from_id(rank)), read::from(start_ns))).collect())
        };
        let found: Result<Vec<Vec<(RankId, u64)>>, StoreError> = groups.par_iter().map(of_group).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Return of the last call, as the files say.
    pub fn last_ns(&self) -> u64 {
        let last = |(part, group): (usize, usize)| self.calls.0[part].bounds(group, "end_ns").moments().1;
        self.calls.groups(|_, _| true).into_iter().map(last).filter(|&ns| ns < i64::MAX as u64).max().unwrap_or(0)
    }

    /// Calls of a window that `keep` wants; if there are more than `limit`, the longest ones.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn calls(
        &self,
        wanted: &Wanted,
        limit: usize,
        keep: impl Fn(&CallColumns, usize) -> bool + Sync + Send,
        cancel: Cancel<'_>,
    ) -> Result<WindowCalls, StoreError> {
        let take = |all: &mut Longest, calls: &CallColumns, at: usize| {
            if keep(calls, at) {
                all.push_row(calls, at);
            }
        };
        Ok(self.fold_calls(wanted, cancel, || Longest::new(limit), take, Longest::join)?.into_calls())
    }

    /// Row groups that may have some of these rows of a rank, in order of time.
    fn groups_of_rows(&self, rank: RankId, rows: &Range<u64>) -> Vec<(usize, usize)> {
        self.calls.groups(|part, group| {
            let (first, last) = part.bounds(group, "rank").ranks();
            let (least, most) = part.bounds(group, "row").moments();
            (first..=last).contains(&rank.0) && least < rows.end && most >= rows.start
        })
    }

    /// The pieces of a row group that have calls of a rank.
    fn pieces_of(&self, key: (usize, usize), rank: RankId, cancel: Cancel<'_>) -> Result<Vec<Piece>, StoreError> {
        let places = run_of(&self.directory(key, cancel)?.runs, rank.0);
        let mut pieces = self.pieces(key);
        pieces.retain(|piece| piece.places.start < places.end && piece.places.end > places.start);
        Ok(pieces)
    }

    /// The first of these pieces that has this row of a rank or a later one.
    fn seek(&self, pieces: &[Piece], rank: RankId, row: u64, cancel: Cancel<'_>) -> Result<usize, StoreError> {
        let (mut from, mut until) = (0, pieces.len());
        while from < until {
            let middle = from + (until - from) / 2;
            let found = self.piece(&pieces[middle], false, cancel)?;
            match found.run(rank.0).last().is_some_and(|last| found.calls.row[last] >= row) {
                true => until = middle,
                false => from = middle + 1,
            }
        }
        Ok(from)
    }

    /// Calls of a rank by their numbers, those that there are. (Few: they are decoded one piece after the other.)
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn rows(&self, rank: RankId, rows: Range<u64>, cancel: Cancel<'_>) -> Result<CallColumns, StoreError> {
        let mut found = CallColumns::default();
        for key in self.groups_of_rows(rank, &rows) {
            let pieces = self.pieces_of(key, rank, cancel)?;
            for piece in &pieces[self.seek(&pieces, rank, rows.start, cancel)?..] {
                let piece = self.piece(piece, false, cancel)?;
                let places = piece.places(rank, &rows);
                if places.is_empty() {
                    break;
                }
                places.for_each(|at| found.push(&piece.calls, at));
            }
            if found.len() as u64 >= rows.end.saturating_sub(rows.start) {
                break;
            }
        }
        Ok(found)
    }

    /// One call: columns of length 1, or 0 if there is none.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn call(&self, rank: RankId, row: u64, cancel: Cancel<'_>) -> Result<CallColumns, StoreError> {
        self.rows(rank, row..row.saturating_add(1), cancel)
    }

    /// Goes through the calls of a rank from a row on (`is_forward`: after it, otherwise before it), one after the other,
    /// until `visit` breaks.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or `cancel` returns true.
    pub fn step<B>(
        &self,
        rank: RankId,
        row: u64,
        is_forward: bool,
        cancel: Cancel<'_>,
        mut visit: impl FnMut(&CallColumns, usize) -> ControlFlow<B>,
    ) -> Result<Option<B>, StoreError> {
        let rows = if is_forward { row.saturating_add(1)..u64::MAX } else { 0..row };
        let mut groups = self.groups_of_rows(rank, &rows);
        if !is_forward {
            groups.reverse();
        }
        for key in groups {
            let mut pieces = self.pieces_of(key, rank, cancel)?;
            if is_forward {
                pieces.drain(..self.seek(&pieces, rank, rows.start, cancel)?);
            } else {
                // The piece that has the row itself may have those before it.
                pieces.truncate(self.seek(&pieces, rank, row, cancel)?.saturating_add(1));
                pieces.reverse();
            }
            for piece in &pieces {
                let piece = self.piece(piece, false, cancel)?;
                let mut places = piece.places(rank, &rows);
                let places: &mut dyn Iterator<Item = usize> = if is_forward { &mut places } else { &mut places.rev() };
                for at in places {
                    if let ControlFlow::Break(found) = visit(&piece.calls, at) {
                        return Ok(Some(found));
                    }
                }
                if cancel() {
                    return Err(StoreError::Cancelled);
                }
            }
        }
        Ok(None)
    }
}
