//! From the calls of a stretch of time to a block.

use rayon::prelude::*;

use crate::format::{Block, Level, NOTHING, Reaching, Section};
use crate::row::{FunctionSpan, Longest, Row};
use crate::shape::{self, FACTOR_BITS, STEP};
use crate::varint::{Reader, put, put_signed};

/// A call that waits for its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub start_ns: u64,
    pub end_ns: u64,
    pub row: u64,
    /// Calls in the row of the store.
    pub calls: u32,
    /// Place in the functions of the run; of a region its place among regions.
    pub function: u16,
    /// Its kind ([`crate::kinds`]), and the highest bit: inside another call.
    kind: u16,
}

const NESTED: u16 = 1 << 15;

impl Item {
    pub fn new(
        (start_ns, end_ns): (u64, u64),
        row: u64,
        calls: u32,
        function: u16,
        kind: u16,
        is_nested: bool,
    ) -> Item {
        Item { start_ns, end_ns, row, calls, function, kind: kind | if is_nested { NESTED } else { 0 } }
    }

    pub fn kind(&self) -> u16 {
        self.kind & !NESTED
    }

    pub fn is_nested(&self) -> bool {
        self.kind & NESTED != 0
    }
}

/// Calls and waits of one rank.
pub(crate) struct OfRank {
    /// In order of return.
    pub calls: Vec<Item>,
    pub waits: Vec<(u64, u64)>,
    /// First entry and last return of the calls, or something before and after them.
    pub first_ns: u64,
    pub last_ns: u64,
    /// Functions that occur, a bit for each of the first 64; the highest stands for all others.
    occurs: u64,
}

impl Default for OfRank {
    fn default() -> OfRank {
        OfRank { calls: Vec::new(), waits: Vec::new(), first_ns: u64::MAX, last_ns: 0, occurs: 0 }
    }
}

impl OfRank {
    #[inline]
    pub fn push(&mut self, item: Item) {
        self.first_ns = self.first_ns.min(item.start_ns);
        self.last_ns = self.last_ns.max(item.end_ns);
        self.occurs |= 1 << item.function.min(63);
        self.calls.push(item);
    }

    /// Takes everything out; the memory stays.
    pub fn clear(&mut self) {
        self.calls.clear();
        self.waits.clear();
        (self.first_ns, self.last_ns, self.occurs) = (u64::MAX, 0, 0);
    }
}

/// A row at one width: which, and its cells.
struct Encoded {
    level: usize,
    row: usize,
    shift: u8,
    cells: Vec<u8>,
}

/// What all rows of a block share.
struct BlockContext<'a> {
    ranks: &'a [OfRank],
    begin_ns: u64,
    end_ns: u64,
    top: u8,
    /// No narrower bins are made: they would need too much memory.
    least: u8,
    /// Of a function of the run: its place among those of the block.
    places: Vec<u16>,
    functions: usize,
    /// By level and row: calls, and whether there is anything.
    counts: Vec<Vec<(u64, bool)>>,
}

/// Makes a block of all calls and waits, which end in `begin_ns..end_ns` or before. Its bytes will stand at `at`.
pub(crate) fn block(ranks: &[OfRank], begin_ns: u64, end_ns: u64, functions: usize, at: u64) -> (Block, Vec<u8>) {
    let mut occurs = vec![false; functions];
    let first = ranks.iter().map(|r| r.occurs).fold(0, |all, of_rank| all | of_rank);
    occurs.iter_mut().take(63).enumerate().for_each(|(at, occurs)| *occurs = first & (1 << at) != 0);
    if first >> 63 != 0 {
        ranks.iter().flat_map(|r| &r.calls).for_each(|item| occurs[item.function as usize] = true);
    }
    if let Some(waiting) = occurs.first_mut() {
        *waiting = true;
    }
    let present: Vec<u16> = (0..functions).filter(|&f| occurs[f]).map(|f| f as u16).collect();
    let mut places = vec![0; functions];
    present.iter().enumerate().for_each(|(place, &f)| places[f as usize] = place as u16);
    let scene = BlockContext {
        ranks,
        begin_ns,
        end_ns,
        top: shape::top(begin_ns, end_ns),
        least: shape::least(end_ns - begin_ns, present.len()),
        places,
        functions: present.len(),
        counts: counts(ranks),
    };
    let highest = scene.counts.len() - 1;
    let encoded = scene.node(highest, 0, u8::MAX).map_or_else(Vec::new, |(_, encoded)| encoded);
    let mut bytes = Vec::new();
    let levels = (0..=highest).map(|level| scene.level(level, &encoded, at, &mut bytes)).collect();
    let reaching = scene.reaching(at, &mut bytes);
    let calls = ranks.iter().map(|r| r.calls.len() as u64).sum();
    (Block { begin_ns, end_ns, calls, functions: present, top: scene.top, levels, reaching }, bytes)
}

fn counts(ranks: &[OfRank]) -> Vec<Vec<(u64, bool)>> {
    let of_ranks = ranks.iter().map(|r| (r.calls.len() as u64, !r.calls.is_empty() || !r.waits.is_empty()));
    let mut counts: Vec<Vec<(u64, bool)>> = vec![of_ranks.collect()];
    for level in 1..shape::levels(ranks.len() as u32) {
        let add = |all: (u64, bool), row: &(u64, bool)| (all.0 + row.0, all.1 | row.1);
        counts.push(counts[level - 1].chunks(1 << FACTOR_BITS).map(|rows| rows.iter().fold((0, false), add)).collect());
    }
    counts
}

impl BlockContext<'_> {
    /// A row of a level, and what it and all below it have written. Bins are those of the file or finer, and not wider
    /// than `widest`, so that rows above can be made of this one.
    fn node(&self, level: usize, row: usize, widest: u8) -> Option<(Row, Vec<Encoded>)> {
        let &(calls, is_there) = self.counts[level].get(row)?;
        if !is_there {
            return None;
        }
        let finest = shape::finest(level, calls, self.end_ns - self.begin_ns, self.top).max(self.least.min(self.top));
        let shift = finest.min(widest);
        let mut cells = Row::over(self.begin_ns, self.end_ns, shift, self.functions);
        let mut encoded = Vec::new();
        if level == 0 {
            self.fill(row, &mut cells);
        } else {
            let children = row << FACTOR_BITS..((row + 1) << FACTOR_BITS).min(self.counts[level - 1].len());
            let child = |at: usize| self.node(level - 1, at, shift);
            let add = |(child, more): (Row, Vec<Encoded>), cells: &mut Row, encoded: &mut Vec<Encoded>| {
                cells.add(&child);
                encoded.extend(more);
            };
            if level == 1 {
                children.filter_map(child).for_each(|found| add(found, &mut cells, &mut encoded));
            } else {
                let found: Vec<_> = children.into_par_iter().filter_map(child).collect();
                found.into_iter().for_each(|found| add(found, &mut cells, &mut encoded));
            }
        }
        let ranks = first_rank(level, row);
        let mut write = |cells: &Row| {
            let mut bytes = Vec::new();
            cells.encode((ranks, level > 0), &mut bytes);
            encoded.push(Encoded { level, row, shift: cells.shift, cells: bytes });
        };
        let mut wider: Option<Row> = None;
        for width in (finest..=self.top).step_by(STEP.into()) {
            let from = wider.as_ref().unwrap_or(&cells);
            if width == from.shift {
                write(from);
            } else {
                let next = from.coarsened(width);
                write(&next);
                wider = Some(next);
            }
        }
        Some((cells, encoded))
    }

    /// Calls and waits of one rank.
    fn fill(&self, rank: usize, cells: &mut Row) {
        let of_rank = &self.ranks[rank];
        for item in &of_rank.calls {
            if item.start_ns >= self.begin_ns {
                cells.count(item.start_ns, item.calls.into());
            } else if item.end_ns <= self.begin_ns {
                continue;
            }
            cells.add_span(&FunctionSpan {
                start_ns: item.start_ns.max(self.begin_ns),
                end_ns: item.end_ns,
                function: self.places[item.function as usize].into(),
                has_time: !item.is_nested(),
                longest: longest(rank, item),
            });
        }
        for &(start_ns, end_ns) in &of_rank.waits {
            if end_ns > self.begin_ns || start_ns >= self.begin_ns {
                let start_ns = start_ns.max(self.begin_ns);
                cells.add_span(&FunctionSpan { start_ns, end_ns, function: 0, has_time: true, longest: Longest::NONE });
            }
        }
    }

    /// Puts the rows of a level together.
    fn level(&self, level: usize, encoded: &[Encoded], at: u64, bytes: &mut Vec<u8>) -> Level {
        let rows = self.counts[level].len();
        let of_level = || encoded.iter().filter(|e| e.level == level);
        let mut finest = vec![NOTHING; rows];
        of_level().for_each(|e| finest[e.row] = finest[e.row].min(e.shift));
        let mut found = Level { finest: at + bytes.len() as u64, sections: Vec::new() };
        bytes.extend(&finest);
        let mut by_shift: Vec<Vec<&Encoded>> = Vec::new();
        by_shift.resize_with(usize::from(shape::WIDEST) + 1, Vec::new);
        of_level().for_each(|e| by_shift[usize::from(e.shift)].push(e));
        for (shift, rows_of) in by_shift.iter_mut().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            rows_of.sort_unstable_by_key(|e| e.row);
            let table = at + bytes.len() as u64;
            let (mut offset, mut next) = (0u32, rows_of.iter().peekable());
            for row in 0..rows {
                bytes.extend(offset.to_le_bytes());
                if let Some(e) = next.next_if(|e| e.row == row) {
                    offset += e.cells.len() as u32;
                }
            }
            bytes.extend(offset.to_le_bytes());
            let cells = at + bytes.len() as u64;
            rows_of.iter().for_each(|e| bytes.extend(&e.cells));
            found.sections.push(Section { shift: shift as u8, table, cells, bytes: offset.into() });
        }
        found
    }

    /// What began before the block, by rank.
    fn reaching(&self, at: u64, bytes: &mut Vec<u8>) -> Reaching {
        let begin = bytes.len();
        let mut found = Reaching { at: at + begin as u64, from_ns: u64::MAX, ..Reaching::default() };
        let mut last_rank = 0;
        for (rank, of_rank) in self.ranks.iter().enumerate() {
            if of_rank.first_ns >= self.begin_ns && of_rank.waits.iter().all(|w| w.0 >= self.begin_ns) {
                continue;
            }
            let calls = of_rank.calls.iter().filter(|c| c.start_ns < self.begin_ns).map(|call| Reached {
                rank: rank as u32,
                start_ns: call.start_ns,
                end_ns: call.end_ns.min(self.begin_ns),
                function: self.places[call.function as usize].into(),
                calls: call.calls,
                is_nested: call.is_nested(),
                longest: longest(rank, call),
            });
            let waits = of_rank.waits.iter().filter(|w| w.0 < self.begin_ns).map(|&(start_ns, end_ns)| Reached {
                rank: rank as u32,
                start_ns,
                end_ns: end_ns.min(self.begin_ns),
                function: 0,
                calls: 0,
                is_nested: false,
                longest: Longest::NONE,
            });
            for reached in calls.chain(waits) {
                reached.put(last_rank, self.begin_ns, bytes);
                last_rank = reached.rank;
                found.count += 1;
                found.from_ns = found.from_ns.min(reached.start_ns);
                found.until_ns = found.until_ns.max(reached.end_ns.max(reached.start_ns + 1));
            }
        }
        found.bytes = (bytes.len() - begin) as u64;
        found
    }
}

/// The first rank of a row.
pub(crate) fn first_rank(level: usize, row: usize) -> u32 {
    (row as u64).checked_shl(FACTOR_BITS * level as u32).map_or(u32::MAX, |r| r.min(u32::MAX.into()) as u32)
}

fn longest(rank: usize, item: &Item) -> Longest {
    Longest { ns: item.end_ns.saturating_sub(item.start_ns), rank: rank as u32, row: item.row }
}

/// The part of a call or wait that lies before the block it ended in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub rank: u32,
    pub start_ns: u64,
    pub end_ns: u64,
    /// Place among the functions of the block.
    pub function: usize,
    pub calls: u32,
    pub is_nested: bool,
    pub longest: Longest,
}

impl Reached {
    fn put(&self, last_rank: u32, begin_ns: u64, out: &mut Vec<u8>) {
        put(out, (self.rank - last_rank).into());
        put(out, begin_ns - self.start_ns);
        put(out, begin_ns - self.end_ns.max(self.start_ns));
        put(out, (self.function as u64) << 1 | u64::from(self.is_nested));
        if self.function > 0 {
            put(out, self.calls.into());
            put(out, self.longest.ns);
            put_signed(out, self.longest.row as i64);
        }
    }

    /// The next one; `None` where bytes make no sense.
    pub fn get(reader: &mut Reader<'_>, last_rank: u32, begin_ns: u64) -> Option<Reached> {
        let rank = last_rank.checked_add(u32::try_from(reader.get()?).ok()?)?;
        let start_ns = begin_ns.checked_sub(reader.get()?)?;
        let end_ns = begin_ns.checked_sub(reader.get()?)?;
        let kind = reader.get()?;
        let (function, is_nested) = (usize::try_from(kind >> 1).ok()?, kind & 1 != 0);
        let mut reached = Reached { rank, start_ns, end_ns, function, calls: 0, is_nested, longest: Longest::NONE };
        if function > 0 {
            reached.calls = u32::try_from(reader.get()?).ok()?;
            reached.longest = Longest { ns: reader.get()?, rank, row: reader.get_signed()? as u64 };
        }
        (end_ns >= start_ns).then_some(reached)
    }
}
