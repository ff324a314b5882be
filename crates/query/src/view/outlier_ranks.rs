//! Ranks that differ from all others: zoomed out, where a row stands for many ranks, their share in it is invisible.
//!
//! The measure is the time outside MPI, bin by bin: a late rank computes while the others wait for it. In each bin
//! the median over the ranks is the normal behaviour, and the median distance from it the normal variation.

use std::ops::Range;

use mpiscope_pyramid::{Layer, Ready};
use serde::Serialize;

use super::cells::{self, CellsWish, WAITING};
use super::{Cancel, Care, Filter, OpenedRun, Order, ViewError};

/// Approximate number of bins of a window.
const COLUMNS: usize = 128;
/// Further from the median than this many median distances: random differences are smaller.
const DISTANCES: f32 = 9.0;
/// Of a bin. Smaller differences are invisible.
const LEAST_OF_BIN: f32 = 0.1;
/// Of the window. Smaller differences need not be visible when zoomed out.
const LEAST_OF_WINDOW: f64 = 0.004;
/// With fewer ranks, the median does not represent normal behaviour.
const LEAST_RANKS: usize = 8;
/// Ranks whose difference is nearly the largest belong to the result: this share of it.
const ALIKE: f64 = 0.5;

/// A rank that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Apart {
    /// Its index in the run.
    pub rank: u32,
    /// Its position in the order.
    pub position: usize,
    /// For this long, in the window.
    pub apart_ns: u64,
    /// Whether it computes while the others are in MPI; else the reverse.
    pub is_computing: bool,
}

/// The parameters.
#[derive(Clone, Debug)]
pub struct ApartWish {
    /// In ns since the origin of the run.
    pub window_ns: Range<u64>,
    /// Positions in the order.
    pub rows: Range<usize>,
    /// If more ranks than this differ, none of them is exceptional: the result is empty.
    pub most: usize,
}

/// Ranks that differ from the others in the window, the largest difference first.
///
/// # Errors
///
/// If the preview cannot be read, or the request is cancelled.
pub fn apart(scene: &OpenedRun, order: &Order, wish: &ApartWish, cancel: &Cancel) -> Result<Vec<Apart>, ViewError> {
    let Range { start, end } = wish.window_ns;
    // Rank by rank, also those that share a row of the order.
    let (positions, ranks): (Vec<usize>, Vec<u32>) = order.rows_of(wish.rows.clone()).unzip();
    let is_natural = order.is_natural && ranks.len() == order.ranks.len();
    let order = &Order::from_ranks(ranks, is_natural);
    let asked = CellsWish {
        from_ns: start,
        until_ns: end,
        columns: COLUMNS,
        row_from: 0,
        row_until: order.rows(),
        rows: usize::MAX,
        filter: Filter::default(),
        layer: Layer::Calls,
        care: Care::Exact,
    };
    let grid = asked.grid(order.rows());
    if grid.rows < LEAST_RANKS {
        return Ok(Vec::new());
    }
    let take = |_: usize, row: &Ready<'_>| -> Vec<f32> {
        let in_mpi = |bin: usize| {
            let mut time_ns = 0;
            row.each_entry(bin, |function, ns| time_ns += if function == WAITING { 0 } else { ns });
            time_ns as f32 / grid.bin_ns as f32
        };
        (0..row.bins()).map(in_mpi).collect()
    };
    let rows = cells::each_row(scene, order, &asked, cancel, take)?;
    let far = furthest(&rows, wish.most);
    let of_row = |(row, bins): (usize, f64)| {
        Some(Apart {
            rank: *order.ranks.get(row)?,
            position: *positions.get(row)?,
            apart_ns: (bins.abs() * grid.bin_ns as f64) as u64,
            is_computing: bins < 0.0,
        })
    };
    Ok(far.into_iter().filter_map(of_row).collect())
}

/// Rows that are far from the others, and by how much: bins in which they are in MPI and the others are not, or the reverse
/// (negative). `rows`: by bin, the share of its time in MPI.
fn furthest(rows: &[Vec<f32>], most: usize) -> Vec<(usize, f64)> {
    let bins = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut far = vec![0.0_f64; rows.len()];
    let mut of_bin: Vec<f32> = Vec::with_capacity(rows.len());
    for bin in 0..bins {
        let share = |row: &Vec<f32>| row.get(bin).copied().unwrap_or(0.0);
        of_bin.clear();
        of_bin.extend(rows.iter().map(share));
        let middle = median(&mut of_bin);
        of_bin.iter_mut().for_each(|share| *share = (*share - middle).abs());
        let least = (DISTANCES * median(&mut of_bin)).max(LEAST_OF_BIN);
        for (row, far) in rows.iter().zip(&mut far) {
            let distance = share(row) - middle;
            if distance.abs() > least {
                *far += f64::from(distance);
            }
        }
    }
    let mut found: Vec<(usize, f64)> = far.into_iter().enumerate().filter(|(_, far)| far.abs() > 0.0).collect();
    found.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let largest = found.first().map_or(0.0, |first| first.1.abs());
    if largest < LEAST_OF_WINDOW * bins as f64 {
        return Vec::new();
    }
    found.retain(|(_, far)| far.abs() >= ALIKE * largest);
    if found.len() > most {
        found.clear();
    }
    found
}

/// The middle value; reorders the values.
fn median(values: &mut [f32]) -> f32 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 100 bins, half of each in MPI, a little more or less.
    fn rows(count: usize) -> Vec<Vec<f32>> {
        let share = |row: usize, bin: usize| 0.5 + ((row * 7919 + bin * 104_729) % 100) as f32 / 1000.0;
        (0..count).map(|row| (0..100).map(|bin| share(row, bin)).collect()).collect()
    }

    #[test]
    fn one_of_ten_thousand_is_found_and_ranks_that_differ_by_chance_are_not() {
        let mut all = rows(10_000);
        assert_eq!(furthest(&all, 8), []);
        all[4711].iter_mut().for_each(|share| *share = 0.1);
        let found = furthest(&all, 8);
        assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), [4711]);
        assert!(found[0].1 < -40.0, "it computes: {found:?}");
    }

    #[test]
    fn late_once_is_enough() {
        let mut all = rows(64);
        all[3][50] = 0.0;
        assert_eq!(furthest(&all, 8).iter().map(|f| f.0).collect::<Vec<_>>(), [3]);
        // A tenth of the largest difference is not reported.
        all[9][50] = 0.35;
        assert_eq!(furthest(&all, 8).len(), 1);
    }

    #[test]
    fn where_many_do_otherwise_none_does() {
        let mut all = rows(100);
        all[..20].iter_mut().flatten().for_each(|share| *share = 0.0);
        assert_eq!(furthest(&all, 8), []);
        assert_eq!(furthest(&all, 20).len(), 20);
    }
}
