//! Ranks that do otherwise than all others: from afar, where a row stands for many ranks, their share in it is not to be seen.
//!
//! What counts is the time outside of MPI, bin by bin: a rank that comes late computes while the others wait for it. Of each bin
//! the median over the ranks is what ranks do, and the median distance from it how much they differ anyway.

use std::ops::Range;

use mpiscope_pyramid::{Layer, Ready};
use serde::Serialize;

use super::cells::{self, CellsWish, WAITING};
use super::{Cancel, Care, Filter, Order, Scene, ViewError};

/// Bins that a window is divided into, about.
const COLUMNS: usize = 128;
/// Further from the median than so many median distances: ranks that differ by chance are nearer.
const DISTANCES: f32 = 9.0;
/// Of a bin. Less is nothing that a person sees.
const LEAST_OF_BIN: f32 = 0.1;
/// Of the window. Less is nothing that a person has to see from afar.
const LEAST_OF_WINDOW: f64 = 0.004;
/// Fewer ranks have no median that says what ranks do.
const LEAST_RANKS: usize = 8;
/// Ranks that are nearly as far apart as the furthest belong to it: this share of its time.
const ALIKE: f64 = 0.5;

/// A rank that does otherwise than the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Apart {
    pub rank: u32,
    /// Its place in the order.
    pub position: usize,
    /// How long, in the window.
    pub apart_ns: u64,
    /// Whether it computes while the others are in MPI; else it is the other way round.
    pub is_computing: bool,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct ApartWish {
    pub window_ns: Range<u64>,
    /// Positions in the order.
    pub rows: Range<usize>,
    /// Where more ranks than this do otherwise, none of them does so by itself: then there are none.
    pub most: usize,
}

/// Ranks that do otherwise than the others in the window, the furthest first.
pub fn apart(scene: &Scene, order: &Order, wish: &ApartWish, cancel: &Cancel) -> Result<Vec<Apart>, ViewError> {
    let Range { start, end } = wish.window_ns;
    // Rank by rank, also those that share a row of the order.
    let (positions, ranks): (Vec<usize>, Vec<u32>) = order.rows_of(wish.rows.clone()).unzip();
    let is_natural = order.is_natural && ranks.len() == order.ranks.len();
    let order = &Order::of(ranks, is_natural);
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

/// Rows that are far from the others, and how far: bins in which they are in MPI and the others are not, or the other way round
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

/// The middle one; their order changes.
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
        // A tenth of that beside it is not worth a word.
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
