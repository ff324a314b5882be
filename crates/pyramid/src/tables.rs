//! Answers from tables: tallies of calls and messages, messages between blocks of ranks.

use std::ops::Range;

use mpiscope_store::Cancel;
use rayon::prelude::*;

use crate::PyramidError;
use crate::flow::{self, ONE_BIN, Sent, Table};
use crate::format::TallySpan;
use crate::kinds::{Kind, KindFields};
use crate::read::Pyramid;
use crate::shape::{self, FACTOR_BITS};
use crate::tally::{self, Entry, Sums};
use crate::varint::Reader;

/// What tallies are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Calls; durations are theirs.
    Calls,
    /// Messages; durations are their latencies, from the entry of the sending call to the return of the call that
    /// completed the receive. Those that no call completed are left out.
    Messages,
}

/// What tables can say about a window: all of a somewhat larger one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Of calls and messages that begin in this time. Tables by rank: of calls that return in it. Tables of pairs of ranks:
    /// of messages that were received in it.
    pub time_ns: Range<u64>,
    /// The widest bins of time, ns.
    pub bin_ns: u64,
    /// Calls or messages, of all bins of the stretches that are touched.
    pub rows: u64,
}

/// Calls of a kind that begin in a bin of time, or are of a rank.
#[derive(Clone, Debug)]
pub struct Tallied<'a> {
    /// The bin.
    pub time_ns: Range<u64>,
    /// Whose, of tallies by rank.
    pub rank: Option<u32>,
    /// Place in [`Pyramid::kinds`].
    pub kind: u16,
    /// By duration.
    pub entries: &'a [Entry],
    /// Exact.
    pub sums: &'a Sums,
}

/// Tables of messages between blocks of so many ranks.
#[derive(Clone, Debug)]
pub struct Flows {
    /// A block begins at each multiple of it.
    pub ranks_per_block: u32,
    /// What they say about the window that was asked for.
    pub cover: Cover,
    tables: Vec<usize>,
    levels: u32,
}

impl Pyramid {
    /// Kinds of calls or of messages.
    pub fn kinds(&self, what: What) -> &[Kind] {
        match what {
            What::Calls => &self.tail.kinds,
            What::Messages => &self.tail.message_kinds,
        }
    }

    /// What kinds of calls distinguish.
    pub fn kept(&self) -> KindFields {
        self.tail.kept
    }

    /// Messages altogether.
    pub fn sent(&self) -> u64 {
        self.tail.sent
    }

    fn stretches(&self, what: What) -> &[TallySpan] {
        match what {
            What::Calls => &self.tail.times,
            What::Messages => &self.tail.messages,
        }
    }

    /// What tallies by time cover of a window.
    pub fn cover(&self, what: What, window: Range<u64>) -> Cover {
        let spans = self.stretches(what).iter().map(|s| (s.from_ns..s.until_ns, s.shift, s.rows));
        cover(spans, window)
    }

    /// Folds the tallies by time of a window, which should be a [`Cover`].
    ///
    /// # Errors
    ///
    /// If the file is damaged, or `cancel` returns true.
    pub fn fold_times<A: Send>(
        &self,
        what: What,
        window: Range<u64>,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Tallied<'_>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, PyramidError> {
        let fold = |mut all: A, stretch: &TallySpan| {
            if cancel() {
                return Err(PyramidError::Cancelled);
            }
            let bytes = self.bytes(stretch.at, stretch.bytes).ok_or_else(|| self.damaged())?;
            let mut reader = Reader(bytes);
            let mut bin = stretch.first;
            while !reader.0.is_empty() {
                let found = reader.get_signed().map(|further| bin.wrapping_add(further as u64));
                bin = found.ok_or_else(|| self.damaged())?;
                let time_ns = bin_ns(bin, stretch.shift);
                let is_in = time_ns.start < window.end && time_ns.end > window.start;
                let decoded = tally::decode(&mut reader, |kind, entries, sums| {
                    if is_in {
                        take(&mut all, &Tallied { time_ns: time_ns.clone(), rank: None, kind, entries, sums });
                    }
                });
                decoded.ok_or_else(|| self.damaged())?;
            }
            Ok(all)
        };
        let stretches = self.stretches(what).par_iter();
        let touched = stretches.filter(|s| s.from_ns < window.end && s.until_ns > window.start);
        touched.try_fold(&begin, fold).try_reduce(&begin, |a, b| Ok(join(a, b)))
    }

    /// What tallies by rank cover of a window.
    pub fn cover_of_ranks(&self, window: Range<u64>) -> Cover {
        let mut found = Cover { time_ns: window.clone(), bin_ns: 0, rows: 0 };
        for s in self.tail.ranks.iter().filter(|s| s.from_ns < window.end && s.until_ns > window.start) {
            found.time_ns = found.time_ns.start.min(s.from_ns)..found.time_ns.end.max(s.until_ns);
            found.bin_ns = found.bin_ns.max(s.until_ns - s.from_ns);
            found.rows = found.rows.saturating_add(s.rows);
        }
        found
    }

    /// Folds the tallies of single ranks in a window, which should be a [`Cover`].
    ///
    /// # Errors
    ///
    /// If the file is damaged, or `cancel` returns true.
    pub fn fold_ranks<A: Send>(
        &self,
        window: Range<u64>,
        is_wanted: impl Fn(u32) -> bool + Sync + Send,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Tallied<'_>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, PyramidError> {
        let stretches = self.tail.ranks.iter().filter(|s| s.from_ns < window.end && s.until_ns > window.start);
        let ranks = self.ranks();
        // Side by side also where there is but one stretch.
        let parts: Vec<(&TallySpan, u32)> =
            stretches.flat_map(|s| (0..ranks.div_ceil(PART)).map(move |part| (s, part * PART))).collect();
        let fold = |mut all: A, &(stretch, first): &(&TallySpan, u32)| {
            if cancel() {
                return Err(PyramidError::Cancelled);
            }
            let table = 4 * (u64::from(ranks) + 1);
            let offsets = self.bytes(stretch.at, table).ok_or_else(|| self.damaged())?;
            let offset = |rank: u32| {
                let at = 4 * rank as usize;
                Some(u64::from(u32::from_le_bytes(offsets.get(at..at + 4)?.try_into().ok()?)))
            };
            for rank in (first..ranks.min(first + PART)).filter(|&rank| is_wanted(rank)) {
                let bytes = offset(rank).zip(offset(rank + 1)).and_then(|(from, until)| {
                    let length = until.checked_sub(from)?;
                    (until <= stretch.bytes).then(|| self.bytes(stretch.at + table + from, length)).flatten()
                });
                let mut reader = Reader(bytes.ok_or_else(|| self.damaged())?);
                while !reader.0.is_empty() {
                    let decoded = tally::decode(&mut reader, |kind, entries, sums| {
                        let time_ns = stretch.from_ns..stretch.until_ns;
                        take(&mut all, &Tallied { time_ns, rank: Some(rank), kind, entries, sums });
                    });
                    decoded.ok_or_else(|| self.damaged())?;
                }
            }
            Ok(all)
        };
        parts.par_iter().try_fold(&begin, fold).try_reduce(&begin, |a, b| Ok(join(a, b)))
    }

    /// Tables of messages that can say something about a window: fine in ranks first, then fine in time.
    pub fn flows(&self, window: Range<u64>) -> Vec<Flows> {
        let tables = || self.tail.flows.iter().enumerate();
        let coarse = tables().filter(|(_, t)| t.shift != ONE_BIN).map(|(_, t)| t.level).max().unwrap_or(0);
        let touches = |t: &Table| t.from_ns < window.end && t.until_ns > window.start;
        let mut found = Vec::new();
        let of_pairs = || tables().filter(|(_, t)| t.shift == ONE_BIN);
        let is_whole = of_pairs().map(|(_, t)| t.messages).fold(0, u64::saturating_add) == self.tail.sent;
        if coarse > 0 && is_whole {
            let touched = || of_pairs().filter(|(_, t)| touches(t));
            let level = touched().map(|(_, t)| t.level).max().unwrap_or(0);
            let from = touched().map(|(_, t)| t.from_ns).min().unwrap_or(window.start);
            let until = touched().map(|(_, t)| t.until_ns).max().unwrap_or(window.end);
            let cover = Cover {
                time_ns: from.min(window.start)..until.max(window.end),
                bin_ns: touched().map(|(_, t)| t.until_ns - t.from_ns).max().unwrap_or(0),
                rows: touched().map(|(_, t)| t.messages).sum(),
            };
            found.push(Flows::new(level, cover, touched().map(|(at, _)| at).collect()));
        }
        let spans =
            tables().filter(|(_, t)| t.shift != ONE_BIN).map(|(_, t)| (t.from_ns..t.until_ns, t.shift, t.messages));
        let cover = cover(spans, window.clone());
        let touched = tables()
            .filter(|(_, t)| t.shift != ONE_BIN && t.from_ns < cover.time_ns.end && t.until_ns > cover.time_ns.start);
        let touched = touched.map(|(at, _)| at).collect();
        found.push(Flows::new(coarse, cover, touched));
        found
    }

    /// Folds messages between blocks of ranks: `take` gets the first rank of the block of senders, that of receivers, and the
    /// communicator.
    ///
    /// # Errors
    ///
    /// If the file is damaged, or `cancel` returns true.
    pub fn fold_flows<A: Send>(
        &self,
        flows: &Flows,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, (u32, u32), u32, &Sent) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, PyramidError> {
        self.fold_flows_in_time(flows, cancel, begin, |all, pair, comm, sent, _| take(all, pair, comm, sent), join)
    }

    /// The same; `take` also gets the bin of time in which they were sent, which is the time of the whole table where that tells
    /// pairs of ranks apart and not times.
    ///
    /// # Errors
    ///
    /// If the file is damaged, or `cancel` returns true.
    pub fn fold_flows_in_time<A: Send>(
        &self,
        flows: &Flows,
        cancel: Cancel<'_>,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, (u32, u32), u32, &Sent, Range<u64>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, PyramidError> {
        let window = &flows.cover.time_ns;
        let fold = |mut all: A, &at: &usize| {
            if cancel() {
                return Err(PyramidError::Cancelled);
            }
            let table = self.tail.flows.get(at).ok_or_else(|| self.damaged())?;
            let bytes = self.bytes(table.at, table.bytes).ok_or_else(|| self.damaged())?;
            let by = FACTOR_BITS * table.level as u32;
            let read = flow::read(table, bytes, |found| {
                let bin = match table.shift {
                    ONE_BIN => table.from_ns..table.until_ns,
                    shift => bin_ns(found.bin, shift),
                };
                let is_in = table.shift == ONE_BIN || (bin.start < window.end && bin.end > window.start);
                let first = |row: u32| (u64::from(row) << by).min(u64::from(u32::MAX)) as u32;
                if is_in {
                    let pair = (first(found.sender), first(found.receiver));
                    take(&mut all, pair, found.comm, &found.sent, bin);
                }
            });
            read.ok_or_else(|| self.damaged())?;
            Ok(all)
        };
        flows.tables.par_iter().try_fold(&begin, fold).try_reduce(&begin, |a, b| Ok(join(a, b)))
    }
}

impl Flows {
    fn new(level: usize, cover: Cover, tables: Vec<usize>) -> Flows {
        let levels = FACTOR_BITS * level as u32;
        Flows { ranks_per_block: 1u32.checked_shl(levels).unwrap_or(u32::MAX), cover, tables, levels }
    }

    /// Whether a block is one rank.
    pub fn is_of_ranks(&self) -> bool {
        self.levels == 0
    }
}

/// Ranks that are worked on together.
const PART: u32 = 512;

fn bin_ns(bin: u64, shift: u8) -> Range<u64> {
    let shift = shift.min(shape::WIDEST);
    let from = bin.saturating_mul(1 << shift);
    from..from.saturating_add(1 << shift)
}

/// The window that has whole bins of all stretches it touches. Bins are powers of two from the origin on, so those of the
/// stretch with the widest are whole bins of all others.
fn cover(spans: impl Iterator<Item = (Range<u64>, u8, u64)> + Clone, window: Range<u64>) -> Cover {
    let mut found = Cover { time_ns: window, bin_ns: 0, rows: 0 };
    loop {
        let Range { start, end } = found.time_ns;
        let touched = spans.clone().filter(|(span, ..)| span.start < end && span.end > start);
        let (mut shift, mut rows) = (0, 0u64);
        for (_, of_it, more) in touched {
            shift = of_it.min(shape::WIDEST).max(shift);
            rows = rows.saturating_add(more);
        }
        let wide = start >> shift << shift..end.div_ceil(1 << shift).saturating_mul(1 << shift);
        let is_stable = wide == (start..end);
        found = Cover { time_ns: wide, bin_ns: 1 << shift, rows };
        if is_stable {
            return found;
        }
    }
}
