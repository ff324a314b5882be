//! Size bins: powers of two, 32 of them.

/// Number of bins.
pub const BINS: usize = 32;

/// Bin 0 holds 0 bytes, bin k the sizes 2^(k−1) … 2^k−1, the last one everything above as well.
pub fn bin_of(bytes: u64) -> u8 {
    (u64::BITS - bytes.leading_zeros()).min(BINS as u32 - 1) as u8
}

/// Smallest and largest size of a bin, bytes.
pub fn bin_range(bin: u8) -> (u64, u64) {
    match bin {
        0 => (0, 0),
        b if usize::from(b) >= BINS - 1 => (1 << (BINS - 2), u64::MAX),
        b => (1 << (b - 1), (1 << b) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_in_its_bin() {
        for bytes in [0, 1, 2, 3, 4, 1023, 1024, (1 << 30) - 1, 1 << 30, u64::MAX] {
            let (low, high) = bin_range(bin_of(bytes));
            assert!((low..=high).contains(&bytes), "{bytes}");
        }
        assert_eq!((bin_of(0), bin_of(1), bin_of(1024), bin_of(1 << 20)), (0, 1, 11, 21));
        assert_eq!(bin_of(u64::MAX), 31);
    }
}
