//! The cells that were drawn from calls last, for the next window: after a pan or a scroll most of them are the same.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::cells::{CellRow, Grid};
use super::{Filter, Order, ViewError};

/// The last result.
#[derive(Default)]
pub(crate) struct CellCache(Mutex<Option<Arc<Drawn>>>);

/// Rows of calls, and their parameters.
pub(crate) struct Drawn {
    grid: Grid,
    order: Order,
    filter: Filter,
    rows: Arc<Vec<CellRow>>,
}

/// The available part of a grid, and the part to draw.
struct Split {
    /// Available rows, as numbers of the new grid.
    rows: Range<usize>,
    /// Available columns, as numbers of the new grid.
    columns: Range<usize>,
}

impl CellCache {
    /// The last result, if it covers most of the request.
    pub fn most_of(&self, grid: &Grid, order: &Order, filter: &Filter) -> Option<Arc<Drawn>> {
        let drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let has_most = |split: Split| 2 * split.rows.len() * split.columns.len() >= grid.rows * grid.columns;
        (drawn.split(grid).is_some_and(has_most) && drawn.order.has_rows_of(order) && drawn.filter == *filter)
            .then_some(drawn)
    }

    pub fn put(&self, grid: Grid, order: &Order, filter: &Filter, rows: Arc<Vec<CellRow>>) {
        let drawn = Drawn { grid, order: order.clone(), filter: filter.clone(), rows };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(drawn));
    }
}

impl Drawn {
    /// `None` where the cells differ, or none are common.
    fn split(&self, grid: &Grid) -> Option<Split> {
        if (grid.bin_ns, grid.rows_per_block) != (self.grid.bin_ns, self.grid.rows_per_block) {
            return None;
        }
        let split =
            Split { rows: common(grid.blocks(), self.grid.blocks())?, columns: common(grid.bins(), self.grid.bins())? };
        Some(split)
    }

    /// Parts of a grid to draw.
    pub fn missing(&self, grid: &Grid) -> Vec<Grid> {
        let Some(Split { rows, columns }) = self.split(grid) else { return vec![*grid] };
        let parts = [
            grid.part(0..rows.start, 0..grid.columns),
            grid.part(rows.end..grid.rows, 0..grid.columns),
            grid.part(rows.clone(), 0..columns.start),
            grid.part(rows, columns.end..grid.columns),
        ];
        parts.into_iter().filter(|part| part.rows > 0 && part.columns > 0).collect()
    }

    /// Rows of a grid: the available ones, and the rest from `draw`.
    pub fn completed(
        &self,
        grid: &Grid,
        mut draw: impl FnMut(&Grid) -> Result<Vec<CellRow>, ViewError>,
    ) -> Result<Vec<CellRow>, ViewError> {
        let mut pieces = Vec::new();
        for part in self.missing(grid) {
            pieces.push((part, Arc::new(draw(&part)?)));
        }
        pieces.push((self.grid, Arc::clone(&self.rows)));
        pieces.sort_by_key(|(part, _)| part.from_ns);
        let row = |at: usize| {
            let block = grid.blocks().start + at as u64;
            let mut row = CellRow::default();
            for (part, rows) in &pieces {
                let Some(of_part) = part.blocks().contains(&block).then(|| (block - part.blocks().start) as usize)
                else {
                    continue;
                };
                if let Some(columns) = common(part.bins(), grid.bins()) {
                    row.append(&rows[of_part], columns);
                }
            }
            row
        };
        Ok((0..grid.rows).into_par_iter().map(row).collect())
    }
}

/// The common range, counted from the start of the first.
fn common(of: Range<u64>, other: Range<u64>) -> Option<Range<usize>> {
    let (start, end) = (of.start.max(other.start), of.end.min(other.end));
    (start < end).then(|| (start - of.start) as usize..(end - of.start) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_is_missing() {
        let grid = Grid { bin_ns: 8, from_ns: 80, columns: 10, row_from: 4, rows_per_block: 2, rows: 6 };
        let kept = CellCache::default();
        let order = Order::from_ranks(vec![0, 1, 2], true);
        let rows = Arc::new(vec![CellRow::default(); 6]);
        kept.put(grid, &order, &Filter::default(), rows);
        let most_of = |grid: &Grid| kept.most_of(grid, &order, &Filter::default());
        let drawn = most_of(&grid).unwrap();
        assert!(drawn.missing(&grid).is_empty());
        // Later, and ranks above.
        let moved = Grid { from_ns: 104, row_from: 2, ..grid };
        let missing = most_of(&moved).unwrap().missing(&moved);
        let above = Grid { rows: 1, ..moved };
        let right = Grid { from_ns: 160, columns: 3, row_from: 4, rows: 5, ..grid };
        assert_eq!(missing, [above, right]);
        // Too far, other bins, other blocks, another order, another filter.
        assert!(most_of(&Grid { from_ns: 128, ..grid }).is_none());
        assert!(most_of(&Grid { from_ns: 800, ..grid }).is_none());
        assert!(most_of(&Grid { bin_ns: 16, ..grid }).is_none());
        assert!(most_of(&Grid { rows_per_block: 1, ..grid }).is_none());
        let other = Order::from_ranks(vec![0, 2, 1], true);
        assert!(kept.most_of(&grid, &other, &Filter::default()).is_none());
        assert!(kept.most_of(&grid, &order, &Filter { tag: Some(1), ..Filter::default() }).is_none());
    }
}
