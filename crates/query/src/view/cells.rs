//! The zoomed-out timeline: the activity of a block of ranks in a bin of time.
//!
//! From the preview where it is fine enough; else, for windows with few enough calls, from the calls themselves.

use std::ops::Range;
use std::sync::Arc;

use mpiscope_store::{CallColumns, CallInfo, WaitSpan, flags};

use mpiscope_pyramid::{Bar, Drawing, Layer, Pyramid, RankGroup, Ready, Window};

use super::opened_run::{Selection, asking};
use super::{Cancel, Care, Filter, OpenedRun, Order, ViewError};

/// Pseudo-id for waiting, which lies inside calls.
pub const WAITING: u16 = mpiscope_pyramid::WAITING;

/// Up to this many calls of a window are read at once: as quick as the preview.
pub(super) const FEW: u64 = 200_000;
/// Up to this many are read where the preview is too coarse: half a second.
pub(super) const MANY: u64 = 4_000_000;
/// Most cells of an answer; beyond that, bins are wider.
const MOST_CELLS: usize = 1 << 21;

/// The parameters.
#[derive(Clone, Debug)]
pub struct CellsWish {
    /// Start of the window, ns since the origin of the run.
    pub from_ns: u64,
    /// End of the window.
    pub until_ns: u64,
    /// At least half as many bins, if the window is at least this many ns long.
    pub columns: usize,
    /// Positions in the order.
    pub row_from: usize,
    /// See `row_from`.
    pub row_until: usize,
    /// Most rows.
    pub rows: usize,
    /// The requested calls of the window and the rows.
    pub filter: Filter,
    /// Regions instead of calls: entries are their ids, and `longest_row` is the start of the longest one.
    pub layer: Layer,
    /// Quick: from the preview, even where it is too coarse.
    pub care: Care,
}

/// The division of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// A power of two.
    pub bin_ns: u64,
    /// Start of the first bin, a multiple of `bin_ns`.
    pub from_ns: u64,
    /// Number of bins.
    pub columns: usize,
    /// First position, a multiple of `rows_per_block`.
    pub row_from: usize,
    /// A power of two.
    pub rows_per_block: usize,
    /// Number of blocks.
    pub rows: usize,
}

/// Cells row by row.
#[derive(Clone, Debug)]
pub struct Cells {
    /// What the cells cover.
    pub grid: Grid,
    /// Whether bins are as fine as requested.
    pub is_exact: bool,
    /// Whether the same request would get finer ones if it were not quick.
    pub has_finer: bool,
    /// Block by block.
    pub rows: Arc<Vec<CellRow>>,
}

/// Cells of one row, each with entries by function.
#[derive(Clone, Debug, Default)]
pub struct CellRow {
    /// Where the entries of each cell end.
    pub ends: Vec<u32>,
    /// Function of each entry, or [`WAITING`].
    pub function: Vec<u16>,
    /// Share of the time of the cell; 65535 is all of it.
    pub share: Vec<u16>,
    /// Calls that start in each cell.
    pub calls: Vec<u32>,
    /// The longest call that touches each cell; rank −1 where there is none.
    pub longest_ns: Vec<f32>,
    /// The rank of that call.
    pub longest_rank: Vec<i32>,
    /// The number of that call in its rank; of a region its start, ns.
    pub longest_row: Vec<u64>,
}

impl CellsWish {
    /// The division of the window.
    pub fn grid(&self, positions: usize) -> Grid {
        let span = self.until_ns.saturating_sub(self.from_ns).max(1);
        let finest = span / (self.columns as u64 / 2).max(1);
        let mut bin_ns = 1_u64 << finest.max(1).ilog2();
        let row_until = self.row_until.min(positions).max(self.row_from.min(positions));
        let mut rows_per_block = 1;
        let rows = |block: usize| row_until.div_ceil(block) - self.row_from.min(positions) / block;
        while rows(rows_per_block) > self.rows.max(1) {
            rows_per_block *= 2;
        }
        let rows = rows(rows_per_block);
        let from_ns = |bin_ns: u64| self.from_ns / bin_ns * bin_ns;
        let until_ns = self.until_ns.max(self.from_ns + 1);
        let columns = |bin_ns: u64| until_ns.saturating_sub(from_ns(bin_ns)).div_ceil(bin_ns) as usize;
        while rows.saturating_mul(columns(bin_ns)) > MOST_CELLS && columns(bin_ns) > 1 && bin_ns < 1 << 62 {
            bin_ns *= 2;
        }
        Grid {
            bin_ns,
            from_ns: from_ns(bin_ns),
            columns: columns(bin_ns),
            row_from: self.row_from.min(positions) / rows_per_block * rows_per_block,
            rows_per_block,
            rows,
        }
    }
}

/// Row of each rank, −1 for those that are not shown.
fn rows_of(grid: &Grid, order: &Order, ranks: usize) -> Vec<i32> {
    let mut rows = vec![-1; ranks];
    let end = grid.row_from + grid.rows * grid.rows_per_block;
    for (position, rank) in order.rows_of(grid.row_from..end) {
        if let Some(row) = rows.get_mut(rank as usize) {
            *row = ((position - grid.row_from) / grid.rows_per_block) as i32;
        }
    }
    rows
}

impl Grid {
    /// Numbers of its bins.
    pub(super) fn bins(&self) -> Range<u64> {
        let first = self.from_ns / self.bin_ns;
        first..first + self.columns as u64
    }

    /// Numbers of its blocks of ranks.
    pub(super) fn blocks(&self) -> Range<u64> {
        let first = (self.row_from / self.rows_per_block) as u64;
        first..first + self.rows as u64
    }

    /// Some of its rows and columns.
    pub(super) fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Grid {
        Grid {
            from_ns: self.from_ns + columns.start as u64 * self.bin_ns,
            columns: columns.len(),
            row_from: self.row_from + rows.start * self.rows_per_block,
            rows: rows.len(),
            ..*self
        }
    }

    /// When it ends.
    fn until_ns(&self) -> u64 {
        self.from_ns + self.columns as u64 * self.bin_ns
    }

    /// The same window in bins of `2^shift` ns, if those are wider.
    fn widened(self, shift: u8) -> Grid {
        let bin_ns = (1_u64 << shift).max(self.bin_ns);
        let from_ns = self.from_ns / bin_ns * bin_ns;
        Grid { bin_ns, from_ns, columns: (self.until_ns() - from_ns).div_ceil(bin_ns) as usize, ..self }
    }

    /// As a request to the preview.
    fn window<'a>(&self, rows: &'a [RankGroup], layer: Layer) -> Window<'a> {
        let bin_shift = self.bin_ns.ilog2() as u8;
        Window { bin_shift, first_bin: self.from_ns >> bin_shift, columns: self.columns as u32, rows, layer }
    }
}

/// Cells of a window.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn cells(scene: &OpenedRun, order: &Order, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
    if wish.layer == Layer::Regions {
        return of_preview(&scene.preview, order, wish, cancel);
    }
    if wish.filter.is_narrow() || wish.filter.ranks.is_some() || wish.filter.from_ns.is_some() {
        return of_calls(scene, order, wish, cancel);
    }
    let grid = wish.grid(order.rows());
    let missing = scene.kept.most_of(&grid, order, &wish.filter).map_or_else(|| vec![grid], |kept| kept.missing(&grid));
    let mut calls = 0;
    for part in missing {
        calls += scene.preview.calls_in(part.from_ns..part.until_ns(), &shown(&part, order))?;
    }
    // Where the preview is known to be too coarse and calls will be read, it is not drawn first.
    if calls > FEW && !(wish.care == Care::Exact && calls <= MANY && is_coarse(&scene.preview, order, wish)) {
        let found = of_preview(&scene.preview, order, wish, cancel)?;
        if found.is_exact || calls > MANY {
            return Ok(found);
        }
        if wish.care == Care::Quick {
            return Ok(Cells { has_finer: true, ..found });
        }
    }
    of_calls(scene, order, wish, cancel)
}

/// Whether the preview has no bins as narrow as requested, for any rank.
fn is_coarse(preview: &Pyramid, order: &Order, wish: &CellsWish) -> bool {
    let grid = wish.grid(order.rows());
    let window = grid.window(&[], wish.layer);
    let rows = groups(&grid, order);
    preview.useful_shift(&Window { rows: &rows, ..window }) > window.bin_shift
}

/// Ranks of each row.
fn groups(grid: &Grid, order: &Order) -> Vec<RankGroup> {
    let first = |row: usize| grid.row_from + row * grid.rows_per_block;
    (0..grid.rows).map(|row| group(order, first(row), first(row + 1))).collect()
}

/// All ranks that are shown.
fn shown(grid: &Grid, order: &Order) -> RankGroup {
    group(order, grid.row_from, grid.row_from + grid.rows * grid.rows_per_block)
}

/// Ranks between two positions.
fn group(order: &Order, from: usize, until: usize) -> RankGroup {
    let until = until.min(order.rows());
    if order.is_natural {
        RankGroup::from(from as u32..until as u32)
    } else {
        RankGroup::from_ranks(order.ranks_in(from..until))
    }
}

/// Cells of a window from the preview: in wider bins where it has no narrower ones.
///
/// # Errors
///
/// If the preview cannot be read, or the request is cancelled.
pub fn of_preview(preview: &Pyramid, order: &Order, wish: &CellsWish, cancel: &Cancel) -> Result<Cells, ViewError> {
    let grid = wish.grid(order.rows());
    let rows = groups(&grid, order);
    let asked = grid;
    let grid = grid.widened(preview.useful_shift(&asked.window(&rows, wish.layer)));
    let wanted = wish.filter.functions.as_deref().filter(|_| wish.layer == Layer::Calls);
    let take =
        |at: usize, row: &Ready<'_>| (row.is_exact(), CellRow::new(row, Share::of_row(&grid, at, order), wanted));
    let rows = preview.rows(&grid.window(&rows, wish.layer), &asking(cancel), take)?;
    let is_exact = rows.iter().all(|(is_exact, _)| *is_exact) && grid == asked;
    Ok(Cells { grid, is_exact, has_finer: false, rows: Arc::new(rows.into_iter().map(|(_, row)| row).collect()) })
}

impl CellRow {
    /// Functions of a cell and their shares.
    pub fn entries(&self, column: usize) -> impl Iterator<Item = (u16, u16)> + '_ {
        let from = column.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let entries = from..self.ends[column] as usize;
        self.function[entries.clone()].iter().copied().zip(self.share[entries].iter().copied())
    }

    /// Adds columns of another row after its own.
    pub(super) fn append(&mut self, other: &CellRow, columns: Range<usize>) {
        let end_of = |column: usize| column.checked_sub(1).map_or(0, |before| other.ends[before]);
        let (first, last) = (end_of(columns.start), end_of(columns.end));
        let before = self.function.len() as u32;
        self.ends.extend(other.ends[columns.clone()].iter().map(|end| end - first + before));
        let entries = first as usize..last as usize;
        self.function.extend_from_slice(&other.function[entries.clone()]);
        self.share.extend_from_slice(&other.share[entries]);
        self.calls.extend_from_slice(&other.calls[columns.clone()]);
        self.longest_ns.extend_from_slice(&other.longest_ns[columns.clone()]);
        self.longest_rank.extend_from_slice(&other.longest_rank[columns.clone()]);
        self.longest_row.extend_from_slice(&other.longest_row[columns]);
    }

    /// `wanted`: functions, if not all.
    fn new(from: &Ready<'_>, whole: Share, wanted: Option<&[u32]>) -> CellRow {
        let (bins, entries) = (from.bins(), from.count_entries());
        let (mut function, mut share) = (vec![0; entries], vec![0; entries]);
        let mut count = 0;
        let is_wanted = |function: u16| wanted.is_none_or(|wanted| wanted.binary_search(&u32::from(function)).is_ok());
        let end = |bin| {
            from.each_entry(bin, |id, time_ns| {
                if is_wanted(id) {
                    (function[count], share[count]) = (id, whole.of(time_ns));
                    count += 1;
                }
            });
            count as u32
        };
        let ends = (0..bins).map(end).collect();
        function.truncate(count);
        share.truncate(count);
        let longest = |bin| from.longest(bin);
        CellRow {
            ends,
            function,
            share,
            calls: (0..bins).map(|bin| from.calls(bin).min(u32::MAX.into()) as u32).collect(),
            longest_ns: (0..bins).map(|bin| longest(bin).map_or(0.0, |l| l.ns as f32)).collect(),
            longest_rank: (0..bins).map(|bin| longest(bin).map_or(-1, |l| l.rank as i32)).collect(),
            longest_row: (0..bins).map(|bin| longest(bin).map_or(0, |l| l.row)).collect(),
        }
    }
}

impl Cells {
    /// Number of cells.
    pub fn count(&self) -> usize {
        self.grid.rows * self.grid.columns
    }

    /// Total number of entries.
    pub fn count_entries(&self) -> usize {
        self.rows.iter().map(|row| row.function.len()).sum()
    }

    /// Calls that start in the window.
    pub fn calls(&self) -> u64 {
        self.rows.iter().flat_map(|row| &row.calls).map(|&calls| u64::from(calls)).sum()
    }
}

/// Shares of a time; 65535 is all of it.
#[derive(Clone, Copy)]
struct Share {
    whole_ns: u64,
    /// For a power of two, which the time of a cell nearly always is: a division for each of millions of entries would take
    /// longer than everything else.
    bits: Option<u32>,
}

impl Share {
    fn new(whole_ns: u64) -> Share {
        let whole_ns = whole_ns.max(1);
        Share { whole_ns, bits: whole_ns.is_power_of_two().then(|| whole_ns.trailing_zeros()) }
    }

    /// Of the time of a cell of a row.
    fn of_row(grid: &Grid, row: usize, order: &Order) -> Share {
        let first = grid.row_from + row * grid.rows_per_block;
        let ranks = order.ranks_in(first..first + grid.rows_per_block).len().max(1) as u64;
        Share::new(grid.bin_ns.saturating_mul(ranks))
    }

    /// Never 0.
    #[inline]
    fn of(self, time_ns: u64) -> u16 {
        let time_ns = time_ns.min(self.whole_ns);
        let share = match (time_ns.checked_mul(65535), self.bits) {
            (Some(product), Some(bits)) => product >> bits,
            (Some(product), None) => product / self.whole_ns,
            (None, _) => (u128::from(time_ns) * 65535 / u128::from(self.whole_ns)) as u64,
        };
        share.max(1) as u16
    }
}

/// Cells of a window, from the calls themselves.
pub(crate) fn of_calls(
    scene: &OpenedRun,
    order: &Order,
    wish: &CellsWish,
    cancel: &Cancel,
) -> Result<Cells, ViewError> {
    let grid = wish.grid(order.rows());
    let draw = |part: &Grid| drawn(scene, order, part, &wish.filter, cancel);
    let rows = Arc::new(match scene.kept.most_of(&grid, order, &wish.filter) {
        Some(kept) => kept.completed(&grid, draw)?,
        None => draw(&grid)?,
    });
    scene.kept.put(grid, order, &wish.filter, Arc::clone(&rows));
    Ok(Cells { grid, is_exact: true, has_finer: false, rows })
}

/// Rows of a grid, from the calls themselves.
pub(super) fn drawn(
    scene: &OpenedRun,
    order: &Order,
    grid: &Grid,
    of: &Filter,
    cancel: &Cancel,
) -> Result<Vec<CellRow>, ViewError> {
    let take = |at: usize, row: &Ready<'_>| CellRow::new(row, Share::of_row(grid, at, order), None);
    Ok(drawing(scene, order, grid, of, cancel)?.finish(scene.preview.functions(), take))
}

/// Applies `take` to each row of a window, with its number: from the preview, or from the calls where these are few or
/// the preview is too coarse. Nothing is cached.
pub(super) fn each_row<T: Send>(
    scene: &OpenedRun,
    order: &Order,
    wish: &CellsWish,
    cancel: &Cancel,
    take: impl Fn(usize, &Ready<'_>) -> T + Sync,
) -> Result<Vec<T>, ViewError> {
    let grid = wish.grid(order.rows());
    let calls = scene.preview.calls_in(grid.from_ns..grid.until_ns(), &shown(&grid, order))?;
    if calls <= FEW || (calls <= MANY && is_coarse(&scene.preview, order, wish)) {
        return Ok(drawing(scene, order, &grid, &wish.filter, cancel)?.finish(scene.preview.functions(), take));
    }
    Ok(scene.preview.rows(&grid.window(&groups(&grid, order), wish.layer), &asking(cancel), take)?)
}

/// All calls of a grid that match a filter, in its rows.
fn drawing(scene: &OpenedRun, order: &Order, grid: &Grid, of: &Filter, cancel: &Cancel) -> Result<Drawing, ViewError> {
    let rows = rows_of(grid, order, scene.ranks());
    let shown = (order.ranks.len() < scene.ranks() || grid.rows * grid.rows_per_block < order.rows())
        .then(|| (0..rows.len()).filter(|&rank| rows[rank] >= 0).map(|rank| rank as u32).collect::<Vec<_>>());
    let ranks = match (shown, &of.ranks) {
        (Some(shown), Some(wanted)) => {
            Some(shown.into_iter().filter(|rank| wanted.binary_search(rank).is_ok()).collect())
        }
        (shown, wanted) => shown.or_else(|| wanted.clone()),
    };
    let filter = Filter {
        from_ns: Some(of.from_ns.unwrap_or(0).max(grid.from_ns)),
        until_ns: Some(of.until_ns.unwrap_or(u64::MAX).min(grid.until_ns())),
        ranks,
        ..of.clone()
    };
    let row = |rank: u32| rows.get(rank as usize).and_then(|&row| usize::try_from(row).ok());
    let shift = grid.bin_ns.ilog2() as u8;
    let functions = scene.preview.functions().len() + 1;
    let drawing = Drawing::new(shift, grid.from_ns >> shift, grid.columns, grid.rows, functions);
    let take = |(): &mut (), wanted: &Selection<'_>, calls: &CallColumns, run: Range<usize>| {
        let Some(rank) = run.clone().next().map(|at| calls.rank[at]) else { return };
        let (Some(wanted), Some(mut pen)) = (wanted.of_rank(rank), row(rank).and_then(|row| drawing.pen(row))) else {
            return;
        };
        for at in run {
            let Some(facts) = wanted.wanted(calls, at) else { continue };
            pen.put(&Bar {
                start_ns: calls.start_ns[at],
                end_ns: calls.end_ns[at],
                function: facts.function as u16,
                calls: calls.calls[at],
                // The time of a nested call is counted in the outer one.
                has_time: calls.flags[at] & flags::NESTED == 0,
                call: Some((calls.rank[at], calls.row[at])),
            });
        }
    };
    scene.fold_runs(&filter, cancel, || (), take, |(), ()| ())?;
    // Waits do not have the arguments of their calls.
    if !filter.is_narrow() {
        let wait = |(): &mut (), wait: &WaitSpan| {
            let function =
                scene.call_info().get(wait.rank.0 as usize).and_then(|of_rank| of_rank.get(wait.facts as usize));
            let is_wanted =
                |f: &CallInfo| filter.functions.as_ref().is_none_or(|w| w.binary_search(&f.function).is_ok());
            let Some(row) = row(wait.rank.0).filter(|_| function.is_some_and(is_wanted)) else { return };
            let WaitSpan { start_ns, end_ns, .. } = *wait;
            if let Some(mut pen) = drawing.pen(row) {
                pen.put(&Bar { start_ns, end_ns, function: WAITING, calls: 0, has_time: true, call: None });
            }
        };
        scene.rows.fold_wait_spans(&scene.wanted(&filter), &asking(cancel), || (), wait, |(), ()| ())?;
    }
    Ok(drawing)
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
            care: Care::Exact,
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
    fn answers_are_limited() {
        let grid = wish(0, 1 << 40, 4096, 0..100_000, 2048).grid(100_000);
        assert!(grid.rows * grid.columns <= MOST_CELLS && grid.rows > 1024 && grid.columns > 512);
    }

    #[test]
    fn shares_of_long_times() {
        let share = Share::new(1 << 62);
        assert_eq!((share.of(0), share.of(1 << 61), share.of(u64::MAX)), (1, 32767, 65535));
        assert_eq!((Share::new(0).of(5), Share::new(100).of(50)), (65535, 32767));
    }

    proptest::proptest! {
        #[test]
        fn shares_are_rounded_down(whole in 1..u64::MAX, part in 0.0..=1.0f64, shift in 0u32..60, off in 0u64..3) {
            let whole = (whole >> shift).max(1);
            // Also beside the multiples of a share.
            let time = ((whole as f64 * part) as u64).min(whole).saturating_sub(off);
            let exact = (u128::from(time) * 65535 / u128::from(whole)).clamp(1, 65535) as u16;
            proptest::prop_assert_eq!(Share::new(whole).of(time), exact);
            let upto = (u128::from(exact) * u128::from(whole)).div_ceil(65535) as u64;
            let exact = (u128::from(upto) * 65535 / u128::from(whole)).clamp(1, 65535) as u16;
            proptest::prop_assert_eq!(Share::new(whole).of(upto), exact);
        }
    }
}
