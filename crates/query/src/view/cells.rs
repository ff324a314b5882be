//! The timeline from afar: what a block of ranks does in a bin of time.
//!
//! From the preview where that is fine enough; else, of windows with not too many calls, from the calls themselves.

use mpiscope_store::{CallColumns, Facts, WaitRow, flags};

use mpiscope_pyramid::{Layer, Pyramid, RankGroup, Window};

use super::scene::asking;
use super::{Cancel, Care, Filter, Order, Scene, ViewError};

/// Stands for waiting, which lies inside of calls.
pub const WAITING: u16 = mpiscope_pyramid::WAITING;

/// Up to so many calls of a window are read at once: as quick as the preview.
const FEW: u64 = 200_000;
/// Up to so many are read where the preview is too coarse: half a second.
const MANY: u64 = 4_000_000;

/// What is asked.
#[derive(Clone, Debug)]
pub struct CellsWish {
    pub from_ns: u64,
    pub until_ns: u64,
    /// At least half as many bins, if the window has so many ns.
    pub columns: usize,
    /// Positions in the order.
    pub row_from: usize,
    pub row_until: usize,
    /// At most so many rows.
    pub rows: usize,
    /// Which calls of the window and the rows.
    pub filter: Filter,
    /// Regions in place of calls: entries are their ids, and `longest_row` says when the longest one began.
    pub layer: Layer,
}

/// How a window is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// A power of two.
    pub bin_ns: u64,
    /// Beginning of the first bin, a multiple of `bin_ns`.
    pub from_ns: u64,
    pub columns: usize,
    /// First position, a multiple of `rows_per_block`.
    pub row_from: usize,
    /// A power of two.
    pub rows_per_block: usize,
    pub rows: usize,
}

/// Cells row by row, each with entries by function.
#[derive(Clone, Debug)]
pub struct Cells {
    pub grid: Grid,
    /// Whether bins are as fine as was asked.
    pub is_exact: bool,
    /// Where the entries of each cell begin, and one more.
    pub offset: Vec<u32>,
    pub function: Vec<u16>,
    /// Of the time of the cell; 65535 is all of it.
    pub share: Vec<u16>,
    /// Calls that begin in each cell.
    pub calls: Vec<u32>,
    /// The longest call that touches each cell; rank −1 where there is none.
    pub longest_ns: Vec<f32>,
    pub longest_rank: Vec<i32>,
    pub longest_row: Vec<u64>,
}

impl CellsWish {
    /// How the window is divided.
    pub fn grid(&self, positions: usize) -> Grid {
        let span = self.until_ns.saturating_sub(self.from_ns).max(1);
        let finest = span / (self.columns as u64 / 2).max(1);
        let bin_ns = 1_u64 << finest.max(1).ilog2();
        let from_ns = self.from_ns / bin_ns * bin_ns;
        let columns = self.until_ns.max(self.from_ns + 1).saturating_sub(from_ns).div_ceil(bin_ns) as usize;
        let row_until = self.row_until.min(positions).max(self.row_from.min(positions));
        let mut rows_per_block = 1;
        let rows = |block: usize| row_until.div_ceil(block) - self.row_from.min(positions) / block;
        while rows(rows_per_block) > self.rows.max(1) {
            rows_per_block *= 2;
        }
        Grid {
            bin_ns,
            from_ns,
            columns,
            row_from: self.row_from.min(positions) / rows_per_block * rows_per_block,
            rows_per_block,
            rows: rows(rows_per_block),
        }
    }
}

/// A function's part in a cell.
#[derive(Clone, Copy, Debug)]
struct Entry {
    cell: u32,
    function: u16,
    time_ns: u64,
    calls: u32,
    longest_ns: u64,
    longest: (u32, u64),
}

impl Entry {
    fn join(&mut self, other: &Entry) {
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.calls = self.calls.saturating_add(other.calls);
        // Of equally long ones the first, whichever thread has found it.
        let longer = |e: &Entry| (e.longest_ns, std::cmp::Reverse(e.longest));
        if longer(other) > longer(self) {
            (self.longest_ns, self.longest) = (other.longest_ns, other.longest);
        }
    }
}

/// Entries; now and then those of the same cell and function are put together.
#[derive(Default)]
struct Pile {
    entries: Vec<Entry>,
    tidy: usize,
}

impl Pile {
    fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
        if self.entries.len() >= (2 * self.tidy).max(1 << 16) {
            self.tidy();
        }
    }

    fn tidy(&mut self) {
        self.entries.sort_unstable_by_key(|e| (e.cell, e.function));
        self.entries.dedup_by(|next, kept| {
            let is_same = (next.cell, next.function) == (kept.cell, kept.function);
            if is_same {
                kept.join(next);
            }
            is_same
        });
        self.tidy = self.entries.len();
    }

    fn join(mut self, mut other: Pile) -> Pile {
        self.entries.append(&mut other.entries);
        self.tidy();
        self
    }
}

/// Row of each rank, −1 for those that are not shown.
fn rows_of(grid: &Grid, order: &Order, ranks: usize) -> Vec<i32> {
    let mut rows = vec![-1; ranks];
    let end = grid.row_from + grid.rows * grid.rows_per_block;
    for (position, &rank) in order.ranks.iter().enumerate().take(end).skip(grid.row_from) {
        if let Some(row) = rows.get_mut(rank as usize) {
            *row = ((position - grid.row_from) / grid.rows_per_block) as i32;
        }
    }
    rows
}

impl Grid {
    /// The same window in bins of `2^shift` ns, if those are wider.
    fn widened(self, shift: u8) -> Grid {
        let bin_ns = (1_u64 << shift).max(self.bin_ns);
        let until_ns = self.from_ns + self.columns as u64 * self.bin_ns;
        let from_ns = self.from_ns / bin_ns * bin_ns;
        Grid { bin_ns, from_ns, columns: (until_ns - from_ns).div_ceil(bin_ns) as usize, ..self }
    }

    /// As the preview is asked.
    fn window<'a>(&self, rows: &'a [RankGroup], layer: Layer) -> Window<'a> {
        let bin_shift = self.bin_ns.ilog2() as u8;
        Window { bin_shift, first_bin: self.from_ns >> bin_shift, columns: self.columns as u32, rows, layer }
    }

    /// Bins that a stretch touches, and how long it is in each.
    fn each_bin(&self, start_ns: u64, end_ns: u64, mut visit: impl FnMut(usize, u64)) {
        let until_ns = self.from_ns + self.columns as u64 * self.bin_ns;
        if end_ns < self.from_ns || start_ns >= until_ns {
            return;
        }
        let first = start_ns.saturating_sub(self.from_ns) / self.bin_ns;
        // What ends where a bin begins is not in it, unless it has no length at all.
        let last = end_ns.max(start_ns + 1).saturating_sub(self.from_ns + 1) / self.bin_ns;
        for bin in first..=last.min(self.columns as u64 - 1) {
            let begin = self.from_ns + bin * self.bin_ns;
            let inside = end_ns.min(begin + self.bin_ns).saturating_sub(start_ns.max(begin));
            visit(bin as usize, inside);
        }
    }
}

/// Cells of a window.
pub fn cells(scene: &Scene, order: &Order, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
    if wish.layer == Layer::Regions {
        return of_preview(&scene.preview, order, wish, cancel);
    }
    if wish.filter.is_narrow() || wish.filter.ranks.is_some() || wish.filter.from_ns.is_some() {
        return of_calls(scene, order, wish, cancel);
    }
    let grid = wish.grid(order.ranks.len());
    let until_ns = grid.from_ns + grid.columns as u64 * grid.bin_ns;
    let calls = scene.preview.calls_in(grid.from_ns..until_ns, &shown(&grid, order))?;
    if calls > FEW {
        let found = of_preview(&scene.preview, order, wish, cancel)?;
        if found.is_exact || calls > MANY {
            return Ok(found);
        }
    }
    of_calls(scene, order, wish, cancel)
}

/// All ranks that are shown.
fn shown(grid: &Grid, order: &Order) -> RankGroup {
    group(order, grid.row_from, grid.row_from + grid.rows * grid.rows_per_block)
}

/// Ranks between two positions.
fn group(order: &Order, from: usize, until: usize) -> RankGroup {
    let until = until.min(order.ranks.len());
    if order.is_natural { RankGroup::from(from as u32..until as u32) } else { RankGroup::of(&order.ranks[from..until]) }
}

/// Cells of a window, as far as the preview has them: in wider bins where it has no narrower ones.
pub fn of_preview(preview: &Pyramid, order: &Order, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
    let grid = wish.grid(order.ranks.len());
    let row = |row: usize| {
        let from = grid.row_from + row * grid.rows_per_block;
        group(order, from, from + grid.rows_per_block)
    };
    let rows: Vec<RankGroup> = (0..grid.rows).map(row).collect();
    let asked = grid;
    let grid = grid.widened(preview.useful_shift(&asked.window(&rows, wish.layer)));
    let found = preview.cells(&grid.window(&rows, wish.layer), &asking(cancel))?;
    let size = grid.rows * grid.columns;
    let mut cells = Cells {
        grid,
        is_exact: found.is_exact && grid == asked,
        offset: vec![0],
        function: Vec::with_capacity(found.function.len()),
        share: Vec::with_capacity(found.function.len()),
        calls: found.calls.iter().map(|&calls| calls.min(u64::from(u32::MAX)) as u32).collect(),
        longest_ns: found.longest_ns.iter().map(|&ns| ns as f32).collect(),
        longest_rank: found.longest_rank.iter().map(|&rank| rank as i32).collect(),
        longest_row: found.longest_row.iter().map(|&row| if row == u64::MAX { 0 } else { row }).collect(),
    };
    for cell in 0..size {
        for at in found.offset[cell] as usize..found.offset[cell + 1] as usize {
            let function = found.function[at];
            let is_wanted = |f: &Vec<u32>| f.binary_search(&u32::from(function)).is_ok();
            let wanted = wish.filter.functions.as_ref().filter(|_| wish.layer == Layer::Calls);
            if wanted.is_none_or(is_wanted) {
                cells.function.push(function);
                cells.share.push(share(&grid, cell, order.ranks.len(), found.time_ns[at]));
            }
        }
        cells.offset.push(cells.function.len() as u32);
    }
    Ok(cells)
}

/// Share of a cell's time, never 0.
fn share(grid: &Grid, cell: usize, positions: usize, time_ns: u64) -> u16 {
    let whole = grid.bin_ns.saturating_mul(ranks_in(grid, cell / grid.columns, positions));
    (u128::from(time_ns) * 65535 / u128::from(whole)).clamp(1, 65535) as u16
}

/// Cells of a window, from the calls themselves.
pub(crate) fn of_calls(scene: &Scene, order: &Order, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
    let grid = wish.grid(order.ranks.len());
    let rows = rows_of(&grid, order, scene.ranks());
    let until_ns = grid.from_ns + grid.columns as u64 * grid.bin_ns;
    let shown = (order.ranks.len() < scene.ranks() || grid.rows * grid.rows_per_block < order.ranks.len())
        .then(|| (0..rows.len()).filter(|&rank| rows[rank] >= 0).map(|rank| rank as u32).collect::<Vec<_>>());
    let ranks = match (shown, &wish.filter.ranks) {
        (Some(shown), Some(wanted)) => {
            Some(shown.into_iter().filter(|rank| wanted.binary_search(rank).is_ok()).collect())
        }
        (shown, wanted) => shown.or_else(|| wanted.clone()),
    };
    let filter = Filter {
        from_ns: Some(wish.filter.from_ns.unwrap_or(0).max(grid.from_ns)),
        until_ns: Some(wish.filter.until_ns.unwrap_or(u64::MAX).min(until_ns)),
        ranks,
        ..wish.filter.clone()
    };
    let cell = |rank: u32, bin: usize| {
        let row = rows.get(rank as usize).copied().filter(|&row| row >= 0)?;
        Some((row as usize * grid.columns + bin) as u32)
    };
    let take = |pile: &mut Pile, facts: &Facts, calls: &CallColumns, at: usize| {
        let (start_ns, end_ns) = (calls.start_ns[at], calls.end_ns[at]);
        // The time of a call inside of another is in that one's.
        let counts_time = calls.flags[at] & flags::NESTED == 0;
        grid.each_bin(start_ns, end_ns, |bin, inside| {
            let Some(cell) = cell(calls.rank[at], bin) else { return };
            let begins = start_ns >= grid.from_ns + bin as u64 * grid.bin_ns;
            pile.push(Entry {
                cell,
                function: facts.function as u16,
                time_ns: if counts_time { inside } else { 0 },
                calls: if begins { calls.calls[at] } else { 0 },
                longest_ns: end_ns.saturating_sub(start_ns),
                longest: (calls.rank[at], calls.row[at]),
            });
        });
    };
    let (pile, _) = scene.fold(&filter, Care::Exact, cancel, Pile::default, take, Pile::join)?;
    if filter.is_narrow() {
        // Waits do not say which arguments their calls had.
        return Ok(of_entries(grid, order.ranks.len(), Pile::default().join(pile).entries));
    }
    let wait = |pile: &mut Pile, wait: &WaitRow| {
        let function = scene.facts().get(wait.rank.0 as usize).and_then(|of_rank| of_rank.get(wait.facts as usize));
        let is_wanted = |f: &Facts| filter.functions.as_ref().is_none_or(|w| w.binary_search(&f.function).is_ok());
        if !function.is_some_and(is_wanted) {
            return;
        }
        grid.each_bin(wait.start_ns, wait.end_ns, |bin, time_ns| {
            let Some(cell) = cell(wait.rank.0, bin) else { return };
            let longest = (u32::MAX, u64::MAX);
            pile.push(Entry { cell, function: WAITING, time_ns, calls: 0, longest_ns: 0, longest });
        });
    };
    let waits = scene.rows.fold_waits(&scene.wanted(&filter), &asking(cancel), Pile::default, wait, Pile::join)?;
    Ok(of_entries(grid, order.ranks.len(), pile.join(waits).entries))
}

/// Ranks in a block: the last one may have fewer.
fn ranks_in(grid: &Grid, row: usize, positions: usize) -> u64 {
    let first = grid.row_from + row * grid.rows_per_block;
    positions.saturating_sub(first).clamp(1, grid.rows_per_block) as u64
}

fn of_entries(grid: Grid, positions: usize, entries: Vec<Entry>) -> Cells {
    let size = grid.rows * grid.columns;
    let mut cells = Cells {
        grid,
        is_exact: true,
        offset: Vec::with_capacity(size + 1),
        function: Vec::with_capacity(entries.len()),
        share: Vec::with_capacity(entries.len()),
        calls: vec![0; size],
        longest_ns: vec![0.0; size],
        longest_rank: vec![-1; size],
        longest_row: vec![0; size],
    };
    let mut longest = vec![0_u64; size];
    cells.offset.push(0);
    for entry in entries {
        let at = entry.cell as usize;
        while cells.offset.len() <= at {
            cells.offset.push(cells.function.len() as u32);
        }
        cells.function.push(entry.function);
        cells.share.push(share(&grid, at, positions, entry.time_ns));
        cells.calls[at] = cells.calls[at].saturating_add(entry.calls);
        if entry.function != WAITING && (cells.longest_rank[at] < 0 || entry.longest_ns > longest[at]) {
            longest[at] = entry.longest_ns;
            cells.longest_ns[at] = entry.longest_ns as f32;
            cells.longest_rank[at] = entry.longest.0 as i32;
            cells.longest_row[at] = entry.longest.1;
        }
    }
    cells.offset.resize(size + 1, cells.function.len() as u32);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(from_ns: u64, until_ns: u64, columns: usize, rows: std::ops::Range<usize>, most: usize) -> CellsWish {
        CellsWish {
            from_ns,
            until_ns,
            columns,
            row_from: rows.start,
            row_until: rows.end,
            rows: most,
            filter: Filter::default(),
            layer: Layer::Calls,
        }
    }

    #[test]
    fn grids() {
        let grid = wish(1000, 2000, 10, 0..16, 16).grid(16);
        assert_eq!((grid.bin_ns, grid.from_ns, grid.columns), (128, 896, 9));
        assert_eq!((grid.rows_per_block, grid.rows), (1, 16));
        let grid = wish(0, 10, 4096, 3..10_000, 512).grid(10_000);
        assert_eq!((grid.bin_ns, grid.columns, grid.rows_per_block, grid.row_from, grid.rows), (1, 10, 32, 0, 313));
        let grid = wish(5, 5, 100, 0..0, 10).grid(0);
        assert_eq!((grid.bin_ns, grid.columns, grid.rows), (1, 1, 0));
    }

    #[test]
    fn wider_bins_have_the_whole_window() {
        let grid = Grid { bin_ns: 8, from_ns: 24, columns: 5, row_from: 0, rows_per_block: 1, rows: 1 };
        let wide = grid.widened(5);
        assert_eq!((wide.bin_ns, wide.from_ns, wide.columns), (32, 0, 2));
        assert_eq!(grid.widened(2), grid);
    }

    #[test]
    fn time_is_divided_without_loss() {
        let grid = Grid { bin_ns: 8, from_ns: 16, columns: 4, row_from: 0, rows_per_block: 1, rows: 1 };
        let bins = |start, end| {
            let mut found = Vec::new();
            grid.each_bin(start, end, |bin, ns| found.push((bin, ns)));
            found
        };
        assert_eq!(bins(20, 36), [(0, 4), (1, 8), (2, 4)]);
        assert_eq!(bins(0, 100), [(0, 8), (1, 8), (2, 8), (3, 8)]);
        assert_eq!(bins(24, 24), [(1, 0)]);
        assert_eq!(bins(20, 24), [(0, 4)]);
        assert_eq!(bins(48, 50), []);
        assert_eq!(bins(3, 10), []);
    }
}
