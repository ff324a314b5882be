//! The zoomed-out timeline at several zooms: each level has bins a quarter as wide, in chunks, until there is no room left.

use mpiscope_query::view::{Cancel, Care, CellRow, Cells, CellsWish, Filter, Layer, RunInfo, ViewError, ViewSession};
use serde_json::json;

use super::pack::{Pack, deflated};
use crate::frame::Frame;

/// Bins of a chunk.
const COLUMNS: u64 = 2048;
/// Rows of a level; of runs with more ranks they are blocks.
const ROWS: usize = 128;
/// One more level of a run with many ranks: low rows, wide bins.
pub(super) const TALL_ROWS: usize = 1024;
const TALL_COLUMNS: u64 = 256;
/// For runs with more calls the levels come from the preview only: reading calls for each of them takes too long.
const READ_MOST: u64 = 2_000_000;
/// Narrower bins show nothing.
const FINEST: u32 = 6;
const CHUNKS_MOST: u64 = 256;

/// Puts as many levels into the pack as fit in `bytes`; returns the width of the narrowest bins in ns.
pub(super) fn put(
    viewing: &ViewSession,
    info: &RunInfo,
    bytes: usize,
    pack: &mut Pack,
    cancel: &Cancel,
) -> Result<u64, ViewError> {
    let span = info.until_ns + 1;
    // The widest bins: one chunk has all of them.
    let mut shift = bits_for(span, COLUMNS);
    let mut left = bytes;
    let mut finest = 1 << shift;
    let cells = |wish: CellsWish| match info.calls > READ_MOST {
        true => viewing.cells_of_preview(&wish, cancel),
        false => viewing.cells("", |_, _| wish, cancel),
    };
    for level in 0.. {
        let bin_ns = 1_u64 << shift;
        let chunks = span.div_ceil(COLUMNS * bin_ns);
        let mut frames = Vec::new();
        let mut used = 0;
        // Whether some of its bins are really this narrow.
        let mut is_finer = level == 0;
        for chunk in 0..chunks {
            let cells = cells(wish(chunk * COLUMNS * bin_ns, bin_ns, COLUMNS, ROWS))?;
            is_finer |= cells.is_exact;
            let frame = frame(cells, span, level == 0);
            used += deflated(&frame).len();
            if used > left && level > 0 {
                break;
            }
            frames.push(frame);
        }
        if (used > left && level > 0) || !is_finer {
            break;
        }
        left = left.saturating_sub(used);
        finest = bin_ns;
        for (chunk, frame) in frames.into_iter().enumerate() {
            pack.put(&format!("cells/{level}/{chunk}"), frame);
        }
        let is_fine = shift < FINEST + 2 || chunks * 4 > CHUNKS_MOST;
        // Cells in which no call starts or ends.
        let is_enough =
            chunks * COLUMNS * info.ranks.count.min(ROWS) as u64 > info.calls.saturating_mul(8).max(1 << 16);
        if is_fine || is_enough {
            break;
        }
        shift -= 2;
    }
    if info.ranks.count > ROWS {
        let bin_ns = 1 << bits_for(span, TALL_COLUMNS);
        let cells = cells(wish(0, bin_ns, TALL_COLUMNS, TALL_ROWS))?;
        pack.put("cells/tall/0", frame(cells, span, false));
    }
    Ok(finest)
}

/// The power of two at which `columns` bins hold `span`.
fn bits_for(span: u64, columns: u64) -> u32 {
    span.div_ceil(columns).max(1).next_power_of_two().ilog2()
}

fn wish(from_ns: u64, bin_ns: u64, bins: u64, rows: usize) -> CellsWish {
    let until_ns = from_ns + bins * bin_ns;
    CellsWish {
        from_ns,
        until_ns,
        columns: 2 * bins as usize,
        row_from: 0,
        row_until: usize::MAX,
        rows,
        filter: Filter::default(),
        layer: Layer::Calls,
        care: Care::Exact,
    }
}

/// Cells in the form of the pack: without data that compress badly and are not visible.
fn frame(cells: Cells, span: u64, has_longest: bool) -> Vec<u8> {
    let grid = cells.grid;
    let head = json!({
        "bin_ns": grid.bin_ns, "from_ns": grid.from_ns, "columns_count": grid.columns, "row_from": grid.row_from,
        "rows_per_block": grid.rows_per_block, "rows": grid.rows, "is_exact": cells.is_exact, "until_ns": span,
    });
    let rows = &cells.rows;
    let entries = |row: &CellRow| {
        let mut before = 0;
        let count = |end: u32| (end - std::mem::replace(&mut before, end)).min(u16::MAX.into()) as u16;
        row.ends.iter().copied().map(count).collect::<Vec<u16>>()
    };
    let (all, count) = (cells.count(), cells.count_entries());
    let share = |share: u16| (u32::from(share) * 255).div_ceil(65535) as u8;
    let frame = Frame::new("level", head)
        .column_of("entries", all, rows.iter().flat_map(entries))
        .column_in("function", count, rows.iter().map(|row| &row.function[..]))
        .column_of("share", count, rows.iter().flat_map(|row| &row.share).map(|&s| share(s)))
        .column_in("calls", all, rows.iter().map(|row| &row.calls[..]));
    match has_longest {
        true => frame.column_in("longest_ns", all, rows.iter().map(|row| &row.longest_ns[..])).into_bytes(),
        false => frame.into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_bins_hold_the_run() {
        for span in [1, 2047, 2048, 2049, 1 << 40, (1 << 40) + 1] {
            let bin = 1_u64 << bits_for(span, COLUMNS);
            assert!(bin * COLUMNS >= span && (bin == 1 || bin * COLUMNS < 2 * span), "{span}");
            assert_eq!(wish(0, bin, COLUMNS, 8).grid(8).bin_ns, bin);
        }
    }
}
