//! Answers: cells of any bins and any groups of ranks.

use std::ops::Range;

use mpiscope_store::Cancel;
use rayon::prelude::*;

use crate::PyramidError;
use crate::block::Reached;
use crate::format::Block;
use crate::read::Pyramid;
use crate::ready::Ready;
use crate::row::{Cell, FunctionSpan, Row};
use crate::shape::{self, FACTOR_BITS};

/// Ranks that make one row of an answer: stretches of their numbers. Those that begin and end at multiples of 8, 64, …
/// are answered quickest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankGroup(pub Vec<Range<u32>>);

impl From<Range<u32>> for RankGroup {
    fn from(ranks: Range<u32>) -> RankGroup {
        RankGroup(vec![ranks])
    }
}

impl RankGroup {
    /// Of ranks one by one, in any order, each once.
    pub fn from_ranks(ranks: &[u32]) -> RankGroup {
        let mut ranks = ranks.to_vec();
        ranks.sort_unstable();
        ranks.dedup();
        let mut found: Vec<Range<u32>> = Vec::new();
        for rank in ranks {
            match found.last_mut().filter(|last| last.end == rank) {
                Some(last) => last.end += 1,
                None => found.push(rank..rank.saturating_add(1)),
            }
        }
        RankGroup(found)
    }

    /// Rows of the preview of which it is made: level and number.
    fn pieces(&self, ranks: u32) -> Vec<(usize, usize)> {
        let highest = shape::levels(ranks) - 1;
        let mut pieces = Vec::new();
        for range in &self.0 {
            let mut at = u64::from(range.start);
            // Behind the last rank there is nothing, so a row may go on there.
            let end = if range.end >= ranks { 1 << 40 } else { u64::from(range.end) };
            while at < u64::from(ranks.min(range.end)) {
                let fits = |&level: &usize| {
                    let length = 1u64 << (FACTOR_BITS * level as u32);
                    at % length == 0 && at + length <= end
                };
                let level = (0..=highest).rev().find(fits).unwrap_or(0);
                pieces.push((level, (at >> (FACTOR_BITS * level as u32)) as usize));
                at += 1 << (FACTOR_BITS * level as u32);
            }
        }
        pieces
    }
}

/// Of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// Calls; entries are functions.
    #[default]
    Calls,
    /// Regions of the program; entries are their ids, and rows of longest ones when they began, ns.
    Regions,
}

/// What is asked: bins of `2^bin_shift` ns, counted from the origin of the run.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// Width of a bin, as a power of two. At most 62.
    pub bin_shift: u8,
    /// Number of the first one.
    pub first_bin: u64,
    /// How many.
    pub columns: u32,
    /// Ranks of each row.
    pub rows: &'a [RankGroup],
    /// Of calls or of regions.
    pub layer: Layer,
}

/// Cells row by row. Entry `offset[i]..offset[i + 1]` are those of cell `i`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Where the entries of each cell begin; one more at the end.
    pub offset: Vec<u32>,
    /// Entries: function id, or [`crate::WAITING`] (which lies inside of others).
    pub function: Vec<u16>,
    /// Entries: time in it, ns of all ranks of the row together.
    pub time_ns: Vec<u64>,
    /// Calls that begin in the cell.
    pub calls: Vec<u64>,
    /// How long the longest call took that touches the cell, 0 without one.
    pub longest_ns: Vec<u64>,
    /// Its rank, `u32::MAX` without one.
    pub longest_rank: Vec<u32>,
    /// Its number in the rank.
    pub longest_row: Vec<u64>,
    /// Whether no bin of the preview was wider than those asked for: such a one is spread evenly.
    pub is_exact: bool,
}

/// What was asked, in ns, and what of the preview it takes.
struct QueryWindow<'a> {
    window: Window<'a>,
    from_ns: u64,
    until_ns: u64,
    blocks: &'a [Block],
}

impl Pyramid {
    /// The narrowest bins that show more of a window than wider ones do, if not narrower than those asked for: below them,
    /// cells would only be spread. Answers with such bins are smaller and come sooner.
    pub fn useful_shift(&self, window: &Window<'_>) -> u8 {
        let asked = window.bin_shift.min(shape::WIDEST);
        let from_ns = window.first_bin.saturating_mul(1 << asked);
        let until_ns = window.first_bin.saturating_add(window.columns.into()).saturating_mul(1 << asked);
        let mut useful = None;
        let pieces: Vec<_> = window.rows.iter().flat_map(|group| group.pieces(self.ranks())).collect();
        for block in self.blocks_in(window.layer, from_ns, until_ns) {
            for &(level, row) in &pieces {
                useful = self.finest(block, level, row).into_iter().chain(useful).min();
            }
            if useful.is_some_and(|useful| useful <= asked) {
                return asked;
            }
        }
        useful.unwrap_or(asked).clamp(asked, shape::WIDEST)
    }

    /// The cells of a window.
    ///
    /// # Errors
    ///
    /// If the file is damaged, or `cancel` returns true.
    pub fn cells(&self, window: &Window<'_>, cancel: Cancel<'_>) -> Result<Cells, PyramidError> {
        let rows = self.rows(window, cancel, |_, row| row.columns())?;
        Ok(Cells::join(rows, window.columns as usize))
    }

    /// What `take` makes of each row, with its number.
    ///
    /// # Errors
    ///
    /// If the file is damaged, or `cancel` returns true.
    pub fn rows<T: Send>(
        &self,
        window: &Window<'_>,
        cancel: Cancel<'_>,
        take: impl Fn(usize, &Ready<'_>) -> T + Sync,
    ) -> Result<Vec<T>, PyramidError> {
        let shift = window.bin_shift.min(shape::WIDEST);
        // Bins behind the end of time have no number that could be turned into ns.
        let last_bin = (u64::MAX >> shift).saturating_sub(1);
        let columns = u64::from(window.columns);
        let first_bin = window.first_bin.min(last_bin.saturating_sub(columns));
        let from_ns = first_bin << shift;
        let until_ns = (first_bin + columns).min(last_bin) << shift;
        let window = Window { bin_shift: shift, first_bin, ..*window };
        let scene = QueryWindow { window, from_ns, until_ns, blocks: self.blocks_in(window.layer, from_ns, until_ns) };
        let reaching = self.reaching_in(&scene)?;
        self.fetch(&scene);
        let bins = window.columns as usize;
        let ids: Vec<u16> = match window.layer {
            Layer::Calls => self.tail.about.functions.clone(),
            Layer::Regions => {
                let most = self.tail.regions.iter().flat_map(|b| &b.functions).max();
                (0..=most.map_or(0, |&most| usize::from(most))).map(|place| place.saturating_sub(1) as u16).collect()
            }
        };
        let scratch = || Row::new(shift, first_bin, bins, ids.len());
        let one = |cells: &mut Row, (at, group): (usize, &RankGroup)| {
            if cancel() {
                return Err(PyramidError::Cancelled);
            }
            cells.clear();
            let mut is_exact = true;
            for (block, reached) in reaching.get(at).into_iter().flatten() {
                self.add_reached(block, reached, cells);
            }
            let pieces = group.pieces(self.ranks());
            for block in scene.blocks {
                for &(level, row) in &pieces {
                    is_exact &= self.add_row(&scene, block, level, row, cells).ok_or_else(|| self.damaged())?;
                }
            }
            Ok(take(at, &Ready::new(cells, &ids, is_exact)))
        };
        window.rows.par_iter().enumerate().map_init(scratch, one).collect()
    }

    /// How many calls touch a stretch of time, about.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn calls_in(&self, time_ns: Range<u64>, ranks: &RankGroup) -> Result<u64, PyramidError> {
        let pieces = ranks.pieces(self.ranks());
        let mut all = 0.0_f64;
        let mut entries = Vec::new();
        for block in self.blocks_in(Layer::Calls, time_ns.start, time_ns.end) {
            let is_inside = time_ns.start <= block.begin_ns && block.end_ns <= time_ns.end;
            for &(level, row) in &pieces {
                let shift = if is_inside { block.top } else { 0 };
                let (shift, mut decoder) = self.decoder(block, level, row, shift).ok_or_else(|| self.damaged())?;
                while !decoder.is_over() {
                    let cell = decoder.next(&mut entries).ok_or_else(|| self.damaged())?;
                    let part = bin_in(block, cell.bin, shift);
                    let inside = part.end.min(time_ns.end).saturating_sub(part.start.max(time_ns.start));
                    all += cell.cell.calls as f64 * inside as f64 / (part.end - part.start).max(1) as f64;
                }
            }
        }
        Ok(all.ceil() as u64)
    }

    /// Lets the system read what a large window needs in large pieces, rather than page by page as it is come upon.
    fn fetch(&self, scene: &QueryWindow<'_>) {
        let mut levels: Vec<(usize, usize)> = vec![(0, 0); shape::levels(self.ranks())];
        for (level, _) in scene.window.rows.iter().flat_map(|group| group.pieces(self.ranks())) {
            levels[level].0 += 1;
        }
        for (level, wanted) in levels.iter_mut().enumerate() {
            wanted.1 = shape::rows(self.ranks(), level);
        }
        for block in scene.blocks {
            for (at, level) in block.levels.iter().enumerate().filter(|(at, _)| 4 * levels[*at].0 > levels[*at].1) {
                let shift = scene.window.bin_shift.min(block.top);
                // Those of the width that is wanted; rows that are not so fine have wider ones, with few cells.
                let wanted = level.sections.iter().rfind(|s| s.shift <= shift).or(level.sections.first());
                if let Some(section) = wanted {
                    self.will_need(section.table, 4 * levels[at].1 as u64 + section.bytes);
                }
            }
        }
    }

    fn blocks_of(&self, layer: Layer) -> &[Block] {
        match layer {
            Layer::Calls => &self.tail.blocks,
            Layer::Regions => &self.tail.regions,
        }
    }

    fn blocks_in(&self, layer: Layer, from_ns: u64, until_ns: u64) -> &[Block] {
        let blocks = self.blocks_of(layer);
        let first = blocks.partition_point(|b| b.end_ns <= from_ns);
        let end = blocks.partition_point(|b| b.begin_ns < until_ns);
        blocks.get(first..end).unwrap_or_default()
    }

    /// By row of the window: what reaches into it from blocks after it.
    fn reaching_in(&self, scene: &QueryWindow<'_>) -> Result<Vec<Vec<(&Block, Reached)>>, PyramidError> {
        let is_in = |b: &&Block| b.reaching.from_ns < scene.until_ns && b.reaching.until_ns > scene.from_ns;
        let blocks = self.blocks_of(scene.window.layer).iter();
        let blocks: Vec<&Block> = blocks.filter(|b| b.reaching.count > 0).filter(is_in).collect();
        let mut found = Vec::new();
        if blocks.is_empty() {
            return Ok(found);
        }
        found.resize_with(scene.window.rows.len(), Vec::new);
        let mut owners: Vec<(u32, u32)> = Vec::new();
        for (row, group) in scene.window.rows.iter().enumerate() {
            for range in &group.0 {
                owners.extend((range.start..range.end.min(self.ranks())).map(|rank| (rank, row as u32)));
            }
        }
        owners.sort_unstable();
        for block in blocks {
            let is_whole = self.reaching(block, |reached| {
                if reached.start_ns < scene.until_ns && reached.end_ns.max(reached.start_ns + 1) > scene.from_ns {
                    let first = owners.partition_point(|o| o.0 < reached.rank);
                    for &(_, row) in owners[first..].iter().take_while(|o| o.0 == reached.rank) {
                        found[row as usize].push((block, reached));
                    }
                }
            });
            if !is_whole {
                return Err(self.damaged());
            }
        }
        Ok(found)
    }

    fn add_reached(&self, block: &Block, reached: &Reached, to: &mut Row) {
        let Some(&function) = block.functions.get(reached.function) else { return };
        to.count(reached.start_ns, reached.calls.into());
        to.add_span(&FunctionSpan {
            start_ns: reached.start_ns,
            end_ns: reached.end_ns,
            function: function.into(),
            has_time: !reached.is_nested,
            longest: reached.longest,
        });
    }

    /// Adds a row of a block: whether its bins were not too wide. `None` where bytes make no sense.
    fn add_row(&self, scene: &QueryWindow<'_>, block: &Block, level: usize, row: usize, to: &mut Row) -> Option<bool> {
        let (shift, mut decoder) = self.decoder(block, level, row, scene.window.bin_shift)?;
        let mut entries = Vec::new();
        let mut is_exact = true;
        let last = scene.until_ns.saturating_sub(1) >> shift;
        while !decoder.is_over() {
            let found = decoder.next(&mut entries)?;
            if found.bin > last {
                break;
            }
            entries.iter_mut().for_each(|e| e.0 = block.functions.get(e.0).map_or(usize::MAX, |&f| f.into()));
            if entries.iter().any(|e| e.0 == usize::MAX) {
                return None;
            }
            if shift <= to.shift {
                let bin = found.bin >> (to.shift - shift);
                let Some(at) = bin.checked_sub(to.first).filter(|&at| at < to.bins as u64) else { continue };
                for &(function, time_ns) in &entries {
                    to.add_entry(at as usize, function, time_ns);
                }
                to.add_cell(at as usize, found.cell.calls, found.cell.longest);
            } else {
                is_exact &= !spread(&bin_in(block, found.bin, shift), &entries, found.cell, to);
            }
        }
        Some(is_exact)
    }
}

impl Cells {
    /// Rows that were made one by one, each with so many bins.
    pub(crate) fn join(rows: Vec<Cells>, bins: usize) -> Cells {
        let mut all = Cells { offset: vec![0], is_exact: true, ..Cells::default() };
        all.reserve(rows.iter().map(|row| row.function.len()).sum(), rows.len() * bins);
        rows.into_iter().for_each(|row| all.append(row));
        all
    }

    pub(crate) fn reserve(&mut self, entries: usize, cells: usize) {
        self.function.reserve_exact(entries);
        self.time_ns.reserve_exact(entries);
        self.offset.reserve_exact(cells);
        self.longest_rank.reserve_exact(cells);
        for column in [&mut self.calls, &mut self.longest_ns, &mut self.longest_row] {
            column.reserve_exact(cells);
        }
    }

    fn append(&mut self, mut other: Cells) {
        let before = self.function.len() as u32;
        self.offset.extend(other.offset.iter().map(|offset| offset + before));
        self.function.append(&mut other.function);
        self.time_ns.append(&mut other.time_ns);
        self.calls.append(&mut other.calls);
        self.longest_ns.append(&mut other.longest_ns);
        self.longest_rank.append(&mut other.longest_rank);
        self.longest_row.append(&mut other.longest_row);
        self.is_exact &= other.is_exact;
    }
}

/// The part of a bin that a block covers.
fn bin_in(block: &Block, bin: u64, shift: u8) -> Range<u64> {
    let begin = bin.saturating_mul(1 << shift);
    let from = begin.max(block.begin_ns);
    from..begin.saturating_add(1 << shift).min(block.end_ns).max(from)
}

/// Spreads a cell evenly over narrower bins, to the ns: whether any of it lies in the row.
fn spread(part: &Range<u64>, entries: &[(usize, u64)], cell: Cell, to: &mut Row) -> bool {
    let first = (part.start >> to.shift).max(to.first);
    let last = ((part.end.max(part.start + 1) - 1) >> to.shift).min(to.first + (to.bins as u64).saturating_sub(1));
    if to.bins == 0 || first > last {
        return false;
    }
    for &(function, time_ns) in entries {
        let mut shares = Shares::new(time_ns, part, to.shift, first);
        for bin in first..=last {
            to.add_entry((bin - to.first) as usize, function, shares.next(bin));
        }
    }
    let mut shares = Shares::new(cell.calls, part, to.shift, first);
    for bin in first..=last {
        to.add_cell((bin - to.first) as usize, shares.next(bin), cell.longest);
    }
    true
}

/// Something that is spread evenly over a stretch, bin by bin: together not one more or less than there was. What lies
/// before a moment is rounded down; from bin to bin only the remainder is carried, which takes no division.
struct Shares<'a> {
    part: &'a Range<u64>,
    length: u128,
    all: u64,
    shift: u8,
    /// Share of a whole bin, and what is left over.
    whole: (u64, u64),
    /// What lies before the next bin, and what is left over.
    done: (u64, u64),
}

impl<'a> Shares<'a> {
    fn new(all: u64, part: &'a Range<u64>, shift: u8, first_bin: u64) -> Shares<'a> {
        let length = u128::from((part.end - part.start).max(1));
        let mut shares = Shares { part, length, all, shift, whole: (0, 0), done: (0, 0) };
        shares.whole = shares.of(1 << shift);
        shares.done = shares.before(first_bin << shift);
        shares
    }

    fn of(&self, inside_ns: u64) -> (u64, u64) {
        // Almost always 64 bits are enough; those of 128 are divided thirty times as slowly.
        if let (Some(product), Ok(length)) = (self.all.checked_mul(inside_ns), u64::try_from(self.length)) {
            return if length.is_power_of_two() {
                (product >> length.trailing_zeros(), product & (length - 1))
            } else {
                (product / length, product % length)
            };
        }
        let product = u128::from(self.all) * u128::from(inside_ns);
        ((product / self.length) as u64, (product % self.length) as u64)
    }

    fn before(&self, ns: u64) -> (u64, u64) {
        self.of(ns.clamp(self.part.start, self.part.end) - self.part.start)
    }

    #[inline]
    fn next(&mut self, bin: u64) -> u64 {
        let begin = bin << self.shift;
        let end = begin.saturating_add(1 << self.shift);
        if begin < self.part.start || end > self.part.end {
            let next = self.before(end);
            return next.0 - std::mem::replace(&mut self.done, next).0;
        }
        let rest = u128::from(self.done.1) + u128::from(self.whole.1);
        let is_full = rest >= self.length;
        let share = self.whole.0 + u64::from(is_full);
        self.done = (self.done.0 + share, (rest - if is_full { self.length } else { 0 }) as u64);
        share
    }
}
