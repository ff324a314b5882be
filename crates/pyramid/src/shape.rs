//! How a block is divided: levels of ranks, widths of bins.

/// Ranks of a row at a level: 8 to the power of it.
pub(crate) const FACTOR_BITS: u32 = 3;
/// Widths of bins go in steps of this many bits.
pub(crate) const STEP: u8 = 2;
/// No bins are wider than 2 to the power of this, ns.
pub(crate) const WIDEST: u8 = 62;

/// Numbers that a row may have, bins by functions: 32 MB.
const MOST_OF_ROW: u64 = 1 << 22;

/// Levels of the preview for this number of ranks; the last has one row for all.
pub(crate) fn levels(ranks: u32) -> usize {
    (0..).find(|&level| rows(ranks, level) <= 1).unwrap_or(0) + 1
}

/// Rows of a level.
pub(crate) fn rows(ranks: u32, level: usize) -> usize {
    let bits = FACTOR_BITS * level as u32;
    (u64::from(ranks)).div_ceil(1u64.checked_shl(bits).unwrap_or(1 << 63)) as usize
}

/// Calls that a cell of the finest bins is to have, about. Rows of single ranks and of 8 are what is looked at most, and
/// need most room; rows of more ranks are as fine as what they are made of.
fn calls_of_cell(level: usize) -> u64 {
    match level {
        0 => 64,
        1 => 256,
        _ => 8u64.saturating_mul(1u64.checked_shl(FACTOR_BITS * level as u32).unwrap_or(1 << 60)),
    }
}

/// The bins of a stretch with which it has at most two.
pub(crate) fn top(begin_ns: u64, end_ns: u64) -> u8 {
    let last = end_ns.saturating_sub(1).max(begin_ns);
    (0..WIDEST).step_by(STEP.into()).find(|&shift| (last >> shift) - (begin_ns >> shift) <= 1).unwrap_or(WIDEST)
}

/// The finest bins of a row with so many calls in so much time.
pub(crate) fn finest(level: usize, calls: u64, time_ns: u64, top: u8) -> u8 {
    if calls == 0 {
        return top;
    }
    let wanted_ns = time_ns as f64 * calls_of_cell(level) as f64 / calls as f64;
    let steps = (wanted_ns.max(1.0).log2() / f64::from(STEP)).round();
    (steps as u8).saturating_mul(STEP).min(top)
}

/// The narrowest bins with which a row that has so many functions fits into memory.
pub(crate) fn least(time_ns: u64, functions: usize) -> u8 {
    let fits = |&shift: &u8| (time_ns >> shift).saturating_mul(functions as u64) <= MOST_OF_ROW;
    (0..WIDEST).step_by(STEP.into()).find(fits).unwrap_or(WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        assert_eq!((levels(0), levels(1), levels(8), levels(9), levels(10_000)), (1, 1, 2, 3, 6));
        assert_eq!((rows(10_000, 0), rows(10_000, 1), rows(10_000, 5)), (10_000, 1250, 1));
        assert_eq!((top(0, 0), top(5, 6), top(0, 1 << 20), top(3, (1 << 20) + 1)), (0, 0, 20, 20));
        assert_eq!(finest(0, 0, 1 << 20, 20), 20);
        // 1024 calls in 2^20 ns: 16 cells of 2^16 ns.
        assert_eq!(finest(0, 1024, 1 << 20, 20), 16);
        assert_eq!(finest(0, 1 << 40, 1 << 20, 20), 0);
        assert_eq!(top(0, u64::MAX), 62);
    }
}
