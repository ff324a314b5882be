//! Regions of the program: bands above the calls of each rank, nested ones below each other.

use std::collections::HashMap;

use mpiscope_query::view::{Cells, Order, RunInfo};
use mpiscope_store::RankSpan;

/// Rows of this height have room for regions.
const FROM_PX: usize = 16;
const SHARE: f64 = 0.34;
const MOST_PX: usize = 36;
/// Below this share of a bin a region is not drawn: most of the bin is outside it.
const LEAST_SHARE: u16 = 65535 / 4;
/// Deeper nesting cannot be distinguished.
const DEEPEST: usize = 8;

/// A region of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    pub row: usize,
    pub region: u32,
    pub depth: usize,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// Pixels of a row that are kept for regions.
pub fn room(row_px: usize) -> usize {
    if row_px < FROM_PX { 0 } else { ((row_px as f64 * SHARE) as usize).min(MOST_PX) }
}

/// The nesting depth of a region.
fn depth(info: &RunInfo, region: u32) -> usize {
    let parent = |at: &u32| info.regions.get(*at as usize).and_then(|region| region.parent);
    std::iter::successors(Some(region), parent).take(DEEPEST).count() - 1
}

/// From individual regions.
pub fn of_spans(spans: &[RankSpan], info: &RunInfo, row_of: &HashMap<u32, usize>) -> Vec<Band> {
    let band = |found: &RankSpan| {
        let region = found.span.region.0;
        Some(Band {
            row: *row_of.get(&found.rank.0)?,
            region,
            depth: depth(info, region),
            start_ns: found.span.start_ns,
            end_ns: found.span.end_ns,
        })
    };
    spans.iter().filter_map(band).collect()
}

/// Zoomed out: in each bin and depth the region that takes most of it; neighbouring bins of the same one form one band.
pub fn of_cells(cells: &Cells, info: &RunInfo, order: &Order) -> Vec<Band> {
    let grid = &cells.grid;
    let mut bands: Vec<Band> = Vec::new();
    for row in 0..grid.rows.min(order.ranks.len()) {
        let mut open: [Option<usize>; DEEPEST] = [None; DEEPEST];
        for column in 0..grid.columns {
            let mut best: [Option<(u16, u32)>; DEEPEST] = [None; DEEPEST];
            for (region, share) in cells.rows[row].entries(column) {
                let region = u32::from(region);
                let of_depth = &mut best[depth(info, region)];
                if share >= LEAST_SHARE && of_depth.is_none_or(|(most, _)| share > most) {
                    *of_depth = Some((share, region));
                }
            }
            let start_ns = grid.from_ns + column as u64 * grid.bin_ns;
            let end_ns = start_ns + grid.bin_ns;
            for (depth, best) in best.iter().enumerate() {
                let region = best.map(|(_, region)| region);
                open[depth] = match (open[depth], region) {
                    (Some(at), Some(region)) if bands[at].region == region => {
                        bands[at].end_ns = end_ns;
                        Some(at)
                    }
                    (_, Some(region)) => {
                        bands.push(Band { row, region, depth, start_ns, end_ns });
                        Some(bands.len() - 1)
                    }
                    (_, None) => None,
                };
            }
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_rows_have_no_room() {
        assert_eq!((room(1), room(15), room(16), room(30), room(400)), (0, 0, 5, 10, 36));
    }
}
