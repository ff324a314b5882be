//! A row of cells while it is being filled: dense, since most of them are.

use crate::varint::{Reader, put, put_signed};

/// The longest call that touches a cell. Of equally long ones the first, by rank and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Longest {
    pub ns: u64,
    pub rank: u32,
    pub row: u64,
}

impl Longest {
    /// No call.
    pub const NONE: Longest = Longest { ns: 0, rank: u32::MAX, row: u64::MAX };

    #[inline]
    fn take(&mut self, other: Longest) {
        if other.ns > self.ns || (other.ns == self.ns && (other.rank, other.row) < (self.rank, self.row)) {
            *self = other;
        }
    }
}

/// What is known of a cell besides its functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub calls: u64,
    pub longest: Longest,
}

/// A stretch of time in one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionSpan {
    pub start_ns: u64,
    pub end_ns: u64,
    pub function: usize,
    /// Whether its time counts: not that of a call inside another.
    pub has_time: bool,
    /// [`Longest::NONE`] for what is no call.
    pub longest: Longest,
}

/// Cells of bins of `2^shift` ns from bin number `first` on.
pub(crate) struct Row {
    pub shift: u8,
    pub first: u64,
    pub bins: usize,
    width: usize,
    words: usize,
    /// By bin and function.
    times: Vec<u64>,
    /// By bin, a bit for each function.
    present: Vec<u64>,
    cells: Vec<Cell>,
}

impl Row {
    pub fn new(shift: u8, first: u64, bins: usize, functions: usize) -> Row {
        let words = functions.div_ceil(64).max(1);
        Row {
            shift,
            first,
            bins,
            width: functions,
            words,
            times: vec![0; bins * functions],
            present: vec![0; bins * words],
            cells: vec![Cell { calls: 0, longest: Longest::NONE }; bins],
        }
    }

    /// Bins that cover a stretch.
    pub fn over(begin_ns: u64, end_ns: u64, shift: u8, functions: usize) -> Row {
        let first = begin_ns >> shift;
        let last = end_ns.saturating_sub(1).max(begin_ns) >> shift;
        Row::new(shift, first, (last - first) as usize + 1, functions)
    }

    /// How many functions there is room for.
    pub fn functions(&self) -> usize {
        self.width
    }

    /// Where a moment lies, if it is inside.
    pub fn place(&self, ns: u64) -> Option<usize> {
        let at = (ns >> self.shift).checked_sub(self.first)?;
        (at < self.bins as u64).then_some(at as usize)
    }

    /// Calls that begin at a moment.
    #[inline]
    pub fn count(&mut self, ns: u64, calls: u64) {
        if let Some(at) = self.place(ns) {
            self.cells[at].calls = self.cells[at].calls.saturating_add(calls);
        }
    }

    /// What of a stretch lies inside.
    #[inline]
    pub fn add_span(&mut self, part: &FunctionSpan) {
        let FunctionSpan { start_ns, end_ns, .. } = *part;
        let (from, until) = (start_ns >> self.shift, end_ns.saturating_sub(1).max(start_ns) >> self.shift);
        if until < self.first || from >= self.first + self.bins as u64 {
            return;
        }
        if from == until {
            return self.put((from - self.first) as usize, part, end_ns.saturating_sub(start_ns));
        }
        let from = from.max(self.first) - self.first;
        let until = (until - self.first).min(self.bins as u64 - 1);
        for at in from..=until {
            let bin_ns = (self.first + at) << self.shift;
            let end = bin_ns.saturating_add(1 << self.shift).min(end_ns);
            self.put(at as usize, part, end.saturating_sub(bin_ns.max(start_ns)));
        }
    }

    #[inline]
    fn put(&mut self, at: usize, part: &FunctionSpan, time_ns: u64) {
        self.add_entry(at, part.function, if part.has_time { time_ns } else { 0 });
        self.cells[at].longest.take(part.longest);
    }

    /// A function is in a cell, for so long.
    #[inline]
    pub fn add_entry(&mut self, at: usize, function: usize, time_ns: u64) {
        if let Some(time) = self.times.get_mut(at * self.width + function) {
            *time = time.saturating_add(time_ns);
            self.present[at * self.words + function / 64] |= 1 << (function % 64);
        }
    }

    #[inline]
    pub fn add_cell(&mut self, at: usize, calls: u64, longest: Longest) {
        let cell = &mut self.cells[at];
        cell.calls = cell.calls.saturating_add(calls);
        cell.longest.take(longest);
    }

    fn is_empty(&self, at: usize) -> bool {
        self.present[at * self.words..][..self.words].iter().all(|&word| word == 0)
    }

    /// Functions of a cell and the time in each.
    #[inline]
    pub fn entries(&self, at: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let words = &self.present[at * self.words..][..self.words];
        words.iter().enumerate().flat_map(move |(number, &word)| {
            Bits(word).map(move |bit| {
                let function = 64 * number + bit;
                (function, self.times[at * self.width + function])
            })
        })
    }

    /// The time in one function, if it is in the cell.
    #[inline]
    pub fn entry(&self, at: usize, function: usize) -> Option<u64> {
        let is_there = self.present[at * self.words + function / 64] >> (function % 64) & 1 != 0;
        is_there.then(|| self.times[at * self.width + function])
    }

    /// How many functions all cells have together.
    pub fn count_entries(&self) -> usize {
        self.present.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn cell(&self, at: usize) -> Cell {
        self.cells[at]
    }

    /// Adds a row with the same functions and bins that are not wider; what lies outside of this one is left out.
    pub fn add(&mut self, other: &Row) {
        let narrower = self.shift - other.shift;
        for at in (0..other.bins).filter(|&at| !other.is_empty(at)) {
            let Some(to) = ((other.first + at as u64) >> narrower).checked_sub(self.first) else { continue };
            let to = to as usize;
            if to >= self.bins {
                break;
            }
            for (function, time_ns) in other.entries(at) {
                self.add_entry(to, function, time_ns);
            }
            let cell = other.cells[at];
            self.add_cell(to, cell.calls, cell.longest);
        }
    }

    /// The same row with bins of `shift`, which are wider.
    pub fn coarsened(&self, shift: u8) -> Row {
        let by = shift - self.shift;
        let first = self.first >> by;
        let last = (self.first + (self.bins as u64).saturating_sub(1)) >> by;
        let mut row = Row::new(shift, first, (last - first) as usize + 1, self.width);
        row.add(self);
        row
    }

    /// Nothing in it.
    pub fn clear(&mut self) {
        for at in 0..self.bins {
            for number in 0..self.words {
                for bit in Bits(std::mem::take(&mut self.present[at * self.words + number])) {
                    self.times[at * self.width + 64 * number + bit] = 0;
                }
            }
            self.cells[at] = Cell { calls: 0, longest: Longest::NONE };
        }
    }

    /// The cells that are not empty, as they stand in the file. Function 0 is waiting, which is no call. `ranks`: rank of
    /// the first of the row and whether there may be others.
    pub fn encode(&self, ranks: (u32, bool), out: &mut Vec<u8>) {
        let (mut next, mut last_row) = (0, 0u64);
        for at in (0..self.bins).filter(|&at| !self.is_empty(at)) {
            put(out, (at - next) as u64);
            next = at + 1;
            let words = &self.present[at * self.words..][..self.words];
            words.iter().for_each(|&word| put(out, word));
            self.entries(at).for_each(|(_, time_ns)| put(out, time_ns));
            let Cell { calls, longest } = self.cells[at];
            put(out, calls);
            if longest != Longest::NONE {
                put(out, longest.ns);
                if ranks.1 {
                    put(out, u64::from(longest.rank.wrapping_sub(ranks.0)));
                }
                put_signed(out, longest.row.wrapping_sub(last_row) as i64);
                last_row = longest.row;
            }
        }
    }
}

/// Numbers of the bits that are set.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    }
}

/// Cells as [`Row::encode`] wrote them.
pub(crate) struct Decoder<'a> {
    reader: Reader<'a>,
    functions: usize,
    ranks: (u32, bool),
    bin: u64,
    last_row: u64,
}

/// One cell from a file: its bin, its functions and times, the rest.
pub(crate) struct Decoded {
    pub bin: u64,
    pub cell: Cell,
}

impl<'a> Decoder<'a> {
    /// `first` is the bin in which the block begins.
    pub fn new(bytes: &'a [u8], first: u64, functions: usize, ranks: (u32, bool)) -> Decoder<'a> {
        Decoder { reader: Reader(bytes), functions, ranks, bin: first, last_row: 0 }
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.reader.0.is_empty()
    }

    /// The next cell; its functions and times go to `entries`. `None` where bytes make no sense.
    #[inline]
    pub fn next(&mut self, entries: &mut Vec<(usize, u64)>) -> Option<Decoded> {
        entries.clear();
        let bin = self.bin.checked_add(self.reader.get()?)?;
        self.bin = bin.checked_add(1)?;
        let mut is_call = false;
        for number in 0..self.functions.div_ceil(64).max(1) {
            let word = self.reader.get()?;
            is_call |= (if number == 0 { word & !1 } else { word }) != 0;
            entries.extend(Bits(word).map(|bit| (64 * number + bit, 0)));
        }
        for entry in entries.iter_mut() {
            entry.1 = self.reader.get()?;
        }
        let calls = self.reader.get()?;
        let mut longest = Longest::NONE;
        if is_call {
            longest.ns = self.reader.get()?;
            let offset = if self.ranks.1 { u32::try_from(self.reader.get()?).ok()? } else { 0 };
            longest.rank = self.ranks.0.checked_add(offset)?;
            self.last_row = self.last_row.wrapping_add(self.reader.get_signed()? as u64);
            longest.row = self.last_row;
        }
        Some(Decoded { bin, cell: Cell { calls, longest } })
    }
}
