//! Calls of a window, calls by their numbers, the next call of a kind.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rayon::prelude::*;

use crate::RankId;
use crate::rows::flags;

use super::super::StoreError;
use super::super::read::{self, Wanted};
use super::super::tables::{Calls, Table};
use super::columns::{CallColumns, Kept, Longest};
use super::groups::{RowGroups, Zone};
use super::index::Part;
use super::{Cancel, RankSet, WindowReader, decoded, overlaps};

/// What every call has.
const COLUMNS: [&str; 9] = ["rank", "row", "thread", "start_ns", "end_ns", "calls", "is_nested", "facts", "is_spelled"];
/// What calls have of which facts do not say all.
const SPELLED: [&str; 8] = ["peer", "tag", "peer2", "tag2", "bytes_sent", "bytes_received", "count", "offset"];

/// Up to so many rows are taken out of a row group by themselves.
const FEW: u64 = 4096;

/// A row group of calls.
pub(super) struct Decoded {
    calls: CallColumns,
    /// Ranks, and the place of the first call of each; one more at the end.
    runs: Vec<(u32, usize)>,
}

impl Decoded {
    fn read(part: &Part, group: usize) -> Result<(Decoded, usize), StoreError> {
        let calls = columns(part, group, None)?;
        let runs = runs(&calls.rank);
        let bytes = calls.bytes() + runs.len() * size_of::<(u32, usize)>();
        Ok((Decoded { calls, runs }, bytes))
    }

    /// Ranks and the places of their calls.
    fn runs(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        self.runs.windows(2).map(|w| (w[0].0, w[0].1..w[1].1))
    }

    /// The places of a rank's calls.
    fn run(&self, rank: u32) -> Range<usize> {
        // Ranks ascend, unless the file is damaged: then some are not found.
        let at = self.runs.partition_point(|(r, _)| *r < rank);
        match (self.runs.get(at), self.runs.get(at + 1)) {
            (Some(&(found, from)), Some(&(_, until))) if found == rank => from..until,
            _ => 0..0,
        }
    }
}

/// Calls of a row group, or only those at some places.
fn columns(part: &Part, group: usize, places: Option<Range<usize>>) -> Result<CallColumns, StoreError> {
    let is_spelled = part.bounds(group, "is_spelled").most != 0;
    let columns: Vec<&str> = if is_spelled { [&COLUMNS[..], &SPELLED[..]].concat() } else { COLUMNS.to_vec() };
    let rows: Calls = part.read_part(group, &columns, places)?;
    let length = rows.len();
    let is_whole = [rows.thread.0.len(), rows.calls.0.len(), rows.facts.0.len()].iter().all(|&n| n == length)
        && [rows.row.0.len(), rows.start_ns.0.len(), rows.end_ns.0.len()].iter().all(|&n| n == length)
        && [rows.is_nested.0.len(), rows.is_spelled.0.len()].iter().all(|&n| n == length);
    let has_details = [&rows.peer.0, &rows.tag.0, &rows.peer2.0, &rows.tag2.0].iter().all(|c| c.len() == length)
        && [&rows.bytes_sent.0, &rows.bytes_received.0, &rows.count.0, &rows.offset.0]
            .iter()
            .all(|c| c.len() == length);
    if !is_whole || (is_spelled && !has_details) {
        return Err(part.lacks_columns());
    }
    let mut calls = CallColumns { detail: vec![0; length], ..CallColumns::default() };
    for at in (0..length).filter(|&at| is_spelled && rows.is_spelled.0[at]) {
        calls.details.push(read::detail(&rows, at));
        calls.detail[at] = calls.details.len() as u32;
    }
    let moments = |column: Vec<i64>| column.into_iter().map(read::from).collect::<Vec<u64>>();
    calls.rank = rows.rank.0.iter().map(|&v| read::from_id(v)).collect();
    calls.thread = rows.thread.0.iter().map(|&v| v as u16).collect();
    calls.row = moments(rows.row.0);
    calls.start_ns = moments(rows.start_ns.0);
    calls.end_ns = moments(rows.end_ns.0);
    calls.facts = rows.facts.0.iter().map(|&v| v as u32).collect();
    calls.calls = rows.calls.0.iter().map(|&v| v.clamp(0, i64::from(u32::MAX)) as u32).collect();
    calls.flags = rows.is_nested.0.iter().map(|&v| if v { flags::NESTED } else { 0 }).collect();
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

/// Where the calls of ranks are in a row group.
pub(super) struct Directory {
    /// Rank, place and row of its first call, row of its last one; the last entry is behind all.
    runs: Vec<(u32, usize, u64, u64)>,
}

impl Directory {
    fn read(part: &Part, group: usize) -> Result<(Directory, usize), StoreError> {
        let found: Calls = part.read(group, &["rank", "row"])?;
        if found.rank.0.len() != found.row.0.len() {
            return Err(part.lacks_columns());
        }
        let ranks: Vec<u32> = found.rank.0.iter().map(|&v| read::from_id(v)).collect();
        let row = |at: usize| found.row.0.get(at).map_or(0, |&row| read::from(row));
        let starts = runs(&ranks);
        let ends = starts.iter().skip(1).map(|next| next.1).chain([ranks.len()]);
        let runs: Vec<_> = starts
            .iter()
            .zip(ends)
            .map(|(&(rank, from), end)| (rank, from, row(from), row(end.saturating_sub(1))))
            .collect();
        let bytes = runs.len() * size_of::<(u32, usize, u64, u64)>();
        Ok((Directory { runs }, bytes))
    }

    /// Places of a rank's calls with these numbers, where numbers have no gaps; nothing where that is not known.
    fn places(&self, rank: u32, rows: &Range<u64>) -> Option<Range<usize>> {
        let at = self.runs.partition_point(|run| run.0 < rank);
        let (Some(&(found, from, first, last)), Some(&(_, end, ..))) = (self.runs.get(at), self.runs.get(at + 1))
        else {
            return Some(0..0);
        };
        if found != rank || from >= end {
            return Some(0..0);
        }
        if last.checked_sub(first)? != (end - from) as u64 - 1 {
            return None;
        }
        let place = |row: u64| from + (row.clamp(first, last + 1) - first) as usize;
        Some(place(rows.start)..place(rows.end).max(place(rows.start)))
    }
}

impl WindowReader {
    fn call_group(&self, key: (usize, usize), is_scan: bool, cancel: Cancel<'_>) -> Result<Arc<Decoded>, StoreError> {
        decoded(&self.decoded_calls, key, is_scan, cancel, || Decoded::read(&self.calls.0[key.0], key.1))
    }

    /// Row groups that may have calls of a window, as far as their smallest and largest values say.
    pub fn call_groups(&self, wanted: &Wanted, zone: &Zone) -> RowGroups {
        let ranks = RankSet::new(wanted);
        let groups = self.calls.groups(|part, group| {
            let (first, last) = part.bounds(group, "rank").ranks();
            let (start, end) = (part.bounds(group, "start_ns").moments().0, part.bounds(group, "end_ns").moments().1);
            ranks.meets(first, last) && overlaps(wanted, start, end) && zone.meets(part, group)
        });
        RowGroups::of(&self.calls, groups)
    }

    /// Folds the calls of a window, row groups side by side: `begin` makes an accumulator, `take` adds a call to one
    /// (the columns and its place in them), `join` puts two together, earlier rows first.
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

    /// The same of some row groups only. `read` is told now and then how many rows were gone through.
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
        let ranks = RankSet::new(wanted);
        let bytes = 44 * groups.rows() as usize;
        let is_scan = bytes > self.decoded_calls.most_bytes();
        let time = wanted.time_ns.clone().unwrap_or(0..u64::MAX);
        let fold = |mut all: A, &(key, rows): &((usize, usize), u64)| {
            let found = self.call_group(key, is_scan, cancel)?;
            let calls = &found.calls;
            for (_, run) in found.runs().filter(|(rank, _)| ranks.has(*rank)) {
                // Rows come in the order of their return.
                let first = run.start + calls.end_ns[run.clone()].partition_point(|&end| end < time.start);
                for at in (first..run.end).filter(|&at| calls.start_ns[at] < time.end || time.end == u64::MAX) {
                    take(&mut all, calls, at);
                }
            }
            read(rows);
            if cancel() { Err(StoreError::Cancelled) } else { Ok(all) }
        };
        let folded = groups.0.par_iter().try_fold(&begin, fold);
        folded.try_reduce(&begin, |a, b| Ok(join(a, b)))
    }

    /// First call of each rank that is still there: entry.
    pub fn first_calls(&self) -> Result<Vec<(RankId, u64)>, StoreError> {
        let mut found = Vec::new();
        for (part, group) in self.calls.groups(|part, group| part.bounds(group, "row").least <= 0) {
            let rows: Calls = self.calls.0[part].read(group, &["rank", "row", "start_ns"])?;
            for ((&rank, &row), &start_ns) in rows.rank.0.iter().zip(&rows.row.0).zip(&rows.start_ns.0) {
                if row == 0 {
                    found.push((RankId(read::from_id(rank)), read::from(start_ns)));
                }
            }
        }
        Ok(found)
    }

    /// Return of the last call, as the files say.
    pub fn last_ns(&self) -> u64 {
        let last = |(part, group): (usize, usize)| self.calls.0[part].bounds(group, "end_ns").moments().1;
        self.calls.groups(|_, _| true).into_iter().map(last).filter(|&ns| ns < i64::MAX as u64).max().unwrap_or(0)
    }

    /// Calls of a window that `keep` wants; if there are more than `limit`, the longest ones.
    pub fn calls(
        &self,
        wanted: &Wanted,
        limit: usize,
        keep: impl Fn(&CallColumns, usize) -> bool + Sync + Send,
        cancel: Cancel<'_>,
    ) -> Result<Kept, StoreError> {
        let take = |all: &mut Longest, calls: &CallColumns, at: usize| {
            if keep(calls, at) {
                all.take(calls, at);
            }
        };
        Ok(self.fold_calls(wanted, cancel, || Longest::new(limit), take, Longest::join)?.finish())
    }

    /// Row groups that may have some of these rows of a rank, in order of time.
    fn groups_of_rows(&self, rank: RankId, rows: &Range<u64>) -> Vec<(usize, usize)> {
        self.calls.groups(|part, group| {
            let (first, last) = part.bounds(group, "rank").ranks();
            let (least, most) = part.bounds(group, "row").moments();
            (first..=last).contains(&rank.0) && least < rows.end && most >= rows.start
        })
    }

    /// Some calls of a rank out of a row group that is not decoded, without decoding all of it.
    fn few_of(
        &self,
        key: (usize, usize),
        rank: RankId,
        rows: &Range<u64>,
        cancel: Cancel<'_>,
    ) -> Result<Option<CallColumns>, StoreError> {
        if rows.end.saturating_sub(rows.start) > FEW || self.decoded_calls.get(key).is_some() {
            return Ok(None);
        }
        let part = &self.calls.0[key.0];
        let directory = decoded(&self.directories, key, false, cancel, || Directory::read(part, key.1))?;
        let Some(places) = directory.places(rank.0, rows) else { return Ok(None) };
        if places.is_empty() {
            return Ok(Some(CallColumns::default()));
        }
        let found = columns(part, key.1, Some(places))?;
        let is_it = (0..found.len()).all(|at| found.rank[at] == rank.0 && rows.contains(&found.row[at]));
        Ok(is_it.then_some(found))
    }

    /// Calls of a rank by their numbers, those that there are. (Few: they are decoded one row group after the other.)
    pub fn rows(&self, rank: RankId, rows: Range<u64>, cancel: Cancel<'_>) -> Result<CallColumns, StoreError> {
        let mut found = CallColumns::default();
        for key in self.groups_of_rows(rank, &rows) {
            match self.few_of(key, rank, &rows, cancel)? {
                Some(few) => (0..few.len()).for_each(|at| found.push(&few, at)),
                None => {
                    let group = self.call_group(key, false, cancel)?;
                    let run = group.run(rank.0);
                    let of_rank = &group.calls.row[run.clone()];
                    let first = of_rank.partition_point(|&row| row < rows.start);
                    let end = of_rank.partition_point(|&row| row < rows.end).max(first);
                    (run.start + first..run.start + end).for_each(|at| found.push(&group.calls, at));
                }
            }
            if found.len() as u64 >= rows.end.saturating_sub(rows.start) {
                break;
            }
        }
        Ok(found)
    }

    /// One call: columns of length 1, or 0 if there is none.
    pub fn call(&self, rank: RankId, row: u64, cancel: Cancel<'_>) -> Result<CallColumns, StoreError> {
        self.rows(rank, row..row.saturating_add(1), cancel)
    }

    /// Goes through the calls of a rank from a row on (`is_forward`: after it, otherwise before it), one after the other,
    /// until `visit` breaks.
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
            let group = self.call_group(key, false, cancel)?;
            let run = group.run(rank.0);
            let of_rank = &group.calls.row[run.clone()];
            let first = run.start + of_rank.partition_point(|&row| row < rows.start);
            let end = (run.start + of_rank.partition_point(|&row| row < rows.end)).max(first);
            let places: &mut dyn Iterator<Item = usize> =
                if is_forward { &mut (first..end) } else { &mut (first..end).rev() };
            for at in places {
                if let ControlFlow::Break(found) = visit(&group.calls, at) {
                    return Ok(Some(found));
                }
            }
            if cancel() {
                return Err(StoreError::Cancelled);
            }
        }
        Ok(None)
    }
}
