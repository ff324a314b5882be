//! Tables of counts: how many calls of which kind took how long.
//!
//! A tally has of each kind the calls by bins of their duration, and exact sums. Tallies add up. They are made for bins
//! of time of all ranks, and for single ranks over a longer time.

use std::collections::BTreeMap;

use crate::bins;
use crate::varint::{Reader, put, put_signed};

/// Sums over calls of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// Calls: more than rows where polls are folded.
    pub calls: u64,
    /// Time of all.
    pub time_ns: u64,
    /// The part of it that is inside of other calls.
    pub nested_ns: u64,
    /// The shortest and the longest call; of folded polls their mean counts.
    pub min_ns: u64,
    /// See `min_ns`.
    pub max_ns: u64,
    /// Squares of the times of calls.
    pub squares: f64,
    /// Payload of all. Where the kind has no exact size, each counts with the middle of its bin.
    pub bytes: u64,
}

impl Sums {
    pub(crate) const NONE: Sums =
        Sums { calls: 0, time_ns: 0, nested_ns: 0, min_ns: u64::MAX, max_ns: 0, squares: 0.0, bytes: 0 };

    /// Puts others in.
    pub fn join(&mut self, other: &Sums) {
        self.calls = self.calls.saturating_add(other.calls);
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.nested_ns = self.nested_ns.saturating_add(other.nested_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.squares += other.squares;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// One call (or run of polls) as tallies take it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    duration_ns: u64,
    bin: usize,
    calls: u32,
    /// The mean of folded polls, and the squares of all.
    each_ns: u64,
    squares: f64,
    is_nested: bool,
    bytes: u64,
}

impl Counted {
    /// `bytes`: of each of the calls.
    #[inline]
    pub fn new(duration_ns: u64, calls: u32, is_nested: bool, bytes: u64) -> Counted {
        let each_ns = if calls == 1 { duration_ns } else { duration_ns / u64::from(calls.max(1)) };
        Counted {
            duration_ns,
            bin: bins::bin(duration_ns),
            calls,
            each_ns,
            squares: f64::from(calls) * (each_ns as f64 * each_ns as f64),
            is_nested,
            bytes: bytes.saturating_mul(calls.into()),
        }
    }
}

/// Rows and calls by bin of duration.
#[derive(Clone)]
struct Page {
    kind: u16,
    /// First and last bin that may be other than 0.
    from: u16,
    until: u16,
    rows: Box<[u32; bins::COUNT]>,
    /// Only where a row may be several calls.
    calls: Option<Box<[u32; bins::COUNT]>>,
    sums: Sums,
}

/// A tally while it is being filled: dense, a page for each kind.
#[derive(Default)]
pub(crate) struct Tally {
    /// By kind: place of its page plus one.
    places: Vec<u16>,
    pages: Vec<Page>,
    /// Pages that are in use; those after them are empty.
    used: usize,
}

impl Tally {
    #[inline]
    fn page(&mut self, kind: u16) -> &mut Page {
        let at = usize::from(kind);
        if at >= self.places.len() {
            self.places.resize(at + 1, 0);
        }
        let place = match self.places[at] {
            0 => self.open(kind),
            place => place,
        };
        &mut self.pages[usize::from(place) - 1]
    }

    #[cold]
    fn open(&mut self, kind: u16) -> u16 {
        if self.used == self.pages.len() {
            self.pages.push(Page {
                kind,
                from: u16::MAX,
                until: 0,
                rows: Box::new([0; bins::COUNT]),
                calls: None,
                sums: Sums::NONE,
            });
        }
        self.pages[self.used].kind = kind;
        self.used += 1;
        self.places[usize::from(kind)] = self.used as u16;
        self.used as u16
    }

    #[inline]
    pub fn add(&mut self, kind: u16, call: &Counted) {
        let page = self.page(kind);
        let bin = call.bin;
        page.rows[bin] += 1;
        if call.calls != 1 || page.calls.is_some() {
            let rows = &page.rows;
            // Until now each row was one call.
            let calls = page.calls.get_or_insert_with(|| {
                let mut calls = rows.clone();
                calls[bin] -= 1;
                calls
            });
            calls[bin] = calls[bin].saturating_add(call.calls);
        }
        page.from = page.from.min(bin as u16);
        page.until = page.until.max(bin as u16);
        let sums = &mut page.sums;
        sums.calls += u64::from(call.calls);
        sums.time_ns = sums.time_ns.saturating_add(call.duration_ns);
        if call.is_nested {
            sums.nested_ns = sums.nested_ns.saturating_add(call.duration_ns);
        }
        sums.min_ns = sums.min_ns.min(call.each_ns);
        sums.max_ns = sums.max_ns.max(call.each_ns);
        sums.squares += call.squares;
        sums.bytes = sums.bytes.saturating_add(call.bytes);
    }

    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Puts in what [`decode`] gives.
    pub fn absorb(&mut self, kind: u16, entries: &[Entry], sums: &Sums) {
        let page = self.page(kind);
        if page.calls.is_none() && entries.iter().any(|e| e.calls != e.rows) {
            page.calls = Some(page.rows.clone());
        }
        for entry in entries {
            page.rows[entry.duration] = page.rows[entry.duration].saturating_add(entry.rows);
            if let Some(calls) = &mut page.calls {
                calls[entry.duration] = calls[entry.duration].saturating_add(entry.calls);
            }
            page.from = page.from.min(entry.duration as u16);
            page.until = page.until.max(entry.duration as u16);
        }
        page.sums.join(sums);
    }

    /// Takes what another has, which is empty then.
    pub fn merge(&mut self, other: &mut Tally) {
        for at in 0..other.used {
            let from = &other.pages[at];
            let page = self.page(from.kind);
            if from.calls.is_some() && page.calls.is_none() {
                page.calls = Some(page.rows.clone());
            }
            let bins = usize::from(from.from)..=usize::from(from.until);
            for bin in bins {
                page.rows[bin] = page.rows[bin].saturating_add(from.rows[bin]);
                if let Some(calls) = &mut page.calls {
                    let more = from.calls.as_ref().map_or(from.rows[bin], |calls| calls[bin]);
                    calls[bin] = calls[bin].saturating_add(more);
                }
            }
            page.from = page.from.min(from.from);
            page.until = page.until.max(from.until);
            page.sums.join(&from.sums);
        }
        other.clear();
    }

    pub fn clear(&mut self) {
        for page in &mut self.pages[..self.used] {
            self.places[usize::from(page.kind)] = 0;
            if page.from <= page.until {
                page.rows[usize::from(page.from)..=usize::from(page.until)].fill(0);
            }
            page.calls = None;
            (page.from, page.until, page.sums) = (u16::MAX, 0, Sums::NONE);
        }
        self.used = 0;
    }

    /// Kinds, then of each the bins and the sums. Empties it.
    pub fn encode(&mut self, out: &mut Vec<u8>) {
        let mut order: Vec<usize> = (0..self.used).collect();
        order.sort_unstable_by_key(|&at| self.pages[at].kind);
        put(out, order.len() as u64);
        let mut next = 0;
        for page in order.into_iter().map(|at| &self.pages[at]) {
            put(out, u64::from(page.kind - next) << 1 | u64::from(page.calls.is_some()));
            next = page.kind;
            let range = usize::from(page.from)..usize::from(page.until) + 1;
            put(out, page.rows[range.clone()].iter().filter(|&&n| n > 0).count() as u64);
            let mut last = 0;
            for bin in range.filter(|&bin| page.rows[bin] > 0) {
                put(out, (bin - last) as u64);
                last = bin;
                put(out, page.rows[bin].into());
                if let Some(calls) = &page.calls {
                    put(out, calls[bin].into());
                }
            }
            let Sums { calls: _, time_ns, nested_ns, min_ns, max_ns, squares, bytes } = page.sums;
            put(out, time_ns);
            put(out, nested_ns);
            put(out, min_ns);
            put(out, max_ns.saturating_sub(min_ns));
            put(out, bytes);
            out.extend(squares.to_le_bytes());
        }
        self.clear();
    }
}

/// Calls of one kind with durations of one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// [`bins::bin`] of the duration.
    pub duration: usize,
    /// Rows of the store.
    pub rows: u32,
    /// Calls: more where polls are folded.
    pub calls: u32,
}

/// Reads what [`Tally::encode`] wrote, kind by kind; `None` where bytes make no sense.
pub(crate) fn decode(reader: &mut Reader<'_>, mut visit: impl FnMut(u16, &[Entry], &Sums)) -> Option<()> {
    let kinds = reader.get()?;
    let mut kind = 0u64;
    let mut entries: Vec<Entry> = Vec::new();
    for _ in 0..kinds {
        let head = reader.get()?;
        kind = kind.checked_add(head >> 1)?;
        let has_calls = head & 1 != 0;
        entries.clear();
        let (mut bin, mut all) = (0usize, 0u64);
        for _ in 0..reader.get()? {
            bin = bin.checked_add(usize::try_from(reader.get()?).ok()?).filter(|&bin| bin < bins::COUNT)?;
            let rows = u32::try_from(reader.get()?).ok()?;
            let calls = if has_calls { u32::try_from(reader.get()?).ok()? } else { rows };
            all = all.saturating_add(calls.into());
            entries.push(Entry { duration: bin, rows, calls });
        }
        let (time_ns, nested_ns, min_ns) = (reader.get()?, reader.get()?, reader.get()?);
        let max_ns = min_ns.checked_add(reader.get()?)?;
        let bytes = reader.get()?;
        let squares = f64::from_le_bytes(reader.read_array()?);
        visit(
            u16::try_from(kind).ok()?,
            &entries,
            &Sums { calls: all, time_ns, nested_ns, min_ns, max_ns, squares, bytes },
        );
    }
    Some(())
}

/// Puts an encoded tally into another.
pub(crate) fn decode_all(bytes: &[u8], to: &mut Tally) -> Option<()> {
    let mut reader = Reader(bytes);
    while !reader.0.is_empty() {
        decode(&mut reader, |kind, entries, sums| to.absorb(kind, entries, sums))?;
    }
    Some(())
}

/// Tallies of bins of time of a block; those of others are few and sparse.
pub(crate) struct Times {
    pub shift: u8,
    first: u64,
    bins: Vec<Tally>,
    others: BTreeMap<u64, Tally>,
    /// Bins in use.
    count: usize,
    /// How many there may be before they become wider, unless they stay as they are.
    most: usize,
    is_growing: bool,
}

impl Times {
    /// For a block that is known. `bins` are empty tallies whose memory is used again.
    pub fn new(shift: u8, begin_ns: u64, end_ns: u64, mut bins: Vec<Tally>) -> Times {
        let first = begin_ns >> shift;
        let count = ((end_ns.saturating_sub(1).max(begin_ns) >> shift) - first + 1) as usize;
        bins.resize_with(bins.len().max(count), Tally::default);
        Times { shift, first, bins, others: BTreeMap::new(), count, most: count, is_growing: false }
    }

    /// For one that begins now and whose end is not known: bins become wider while it grows.
    pub fn growing(shift: u8, begin_ns: u64, most: usize, mut bins: Vec<Tally>) -> Times {
        bins.resize_with(bins.len().max(most), Tally::default);
        Times { shift, first: begin_ns >> shift, bins, others: BTreeMap::new(), count: 0, most, is_growing: true }
    }

    /// The tally of a moment.
    #[inline]
    pub fn at(&mut self, ns: u64) -> &mut Tally {
        let bin = ns >> self.shift;
        match bin.checked_sub(self.first).filter(|&at| at < self.count as u64) {
            Some(at) => &mut self.bins[at as usize],
            None => self.further(ns),
        }
    }

    fn further(&mut self, ns: u64) -> &mut Tally {
        let is_far = |times: &Times| (ns >> times.shift).saturating_sub(times.first) >= times.most as u64;
        while self.is_growing && self.shift < 62 && (is_far(self) || self.others.len() > self.most) {
            self.widen();
        }
        let bin = ns >> self.shift;
        match bin.checked_sub(self.first).filter(|&at| at < self.most as u64) {
            Some(at) => {
                self.count = self.count.max(at as usize + 1);
                &mut self.bins[at as usize]
            }
            None => self.others.entry(bin).or_default(),
        }
    }

    /// Twice as wide bins.
    fn widen(&mut self) {
        let odd = (self.first & 1) as usize;
        for at in 0..self.most {
            let to = (at + odd) / 2;
            if to < at {
                let (left, right) = self.bins.split_at_mut(at);
                left[to].merge(&mut right[0]);
            }
        }
        for (bin, mut tally) in std::mem::take(&mut self.others) {
            self.others.entry(bin >> 1).or_default().merge(&mut tally);
        }
        (self.shift, self.first, self.count) = (self.shift + 1, self.first >> 1, (self.count + odd).div_ceil(2));
    }

    /// Takes what another has of the same bins, which is empty then.
    pub fn merge(&mut self, other: &mut Times) {
        for (to, from) in self.bins.iter_mut().zip(&mut other.bins) {
            to.merge(from);
        }
        for (bin, from) in &mut other.others {
            self.others.entry(*bin).or_default().merge(from);
        }
    }

    /// The memory, for the next ones.
    pub fn into_bins(self) -> Vec<Tally> {
        self.bins
    }

    /// Bins and their tallies. Says which is the first bin.
    pub fn encode(&mut self, out: &mut Vec<u8>) -> u64 {
        let first = self.others.first_key_value().map_or(self.first, |(bin, _)| *bin.min(&self.first));
        let mut next = first;
        let later = (self.first..).zip(&mut self.bins).filter(|(_, tally)| !tally.is_empty());
        for (bin, tally) in self.others.iter_mut().map(|(bin, tally)| (*bin, tally)).chain(later) {
            put_signed(out, bin.wrapping_sub(next) as i64);
            next = bin;
            tally.encode(out);
        }
        first
    }
}
