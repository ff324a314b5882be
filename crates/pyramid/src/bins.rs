//! Bins of durations and sizes: eight in each octave, so that a value is known to an eighth.

use std::ops::RangeInclusive;

/// An octave has so many bins, as a power of two.
const BITS: u32 = 3;

/// How many there are.
pub const COUNT: usize = 496;

/// The bin of a value. Values below 8 have one each.
#[inline]
pub fn bin(value: u64) -> usize {
    if value < 1 << BITS {
        return value as usize;
    }
    let octave = value.ilog2() - BITS;
    ((octave as usize) << BITS) + (value >> octave) as usize
}

/// The values of a bin.
pub fn values(bin: usize) -> RangeInclusive<u64> {
    if bin < 2 << BITS {
        return bin as u64..=bin as u64;
    }
    let octave = (bin >> BITS) - 1;
    let first = ((bin & ((1 << BITS) - 1)) as u64 | 1 << BITS) << octave.min(60);
    first..=first + ((1 << octave.min(60)) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_one_bin() {
        let mut next = 0;
        for at in 0..COUNT {
            let values = values(at);
            assert_eq!(*values.start(), next, "{at}");
            assert_eq!((bin(*values.start()), bin(*values.end())), (at, at));
            assert!((values.end() - values.start()) as f64 <= *values.start() as f64 / 8.0);
            next = values.end().wrapping_add(1);
        }
        assert_eq!((next, bin(u64::MAX)), (0, COUNT - 1));
    }
}
