//! Variable-length integers whose length stands in the low bits of the first byte.
//!
//! `n` bytes hold 7·n bits for n ≤ 8: the value shifted left by n with the n lowest bits
//! `10…0`. Nine bytes (first byte 0) hold a full `u64`. Against LEB128 the size is the same,
//! but neither side loops: one count of leading or trailing zeros and one unaligned access,
//! about 1 ns where LEB128's data-dependent branch costs 1 to 5.

/// Longest encoding.
pub const MAX: usize = 9;

/// Largest value that [`write_short`] takes.
pub const SHORT: u64 = (1 << 56) - 1;

/// Writes `value` ≤ [`SHORT`] at `at`; returns the bytes used, at most eight.
///
/// # Safety
/// `at` must be valid for writes of eight bytes; bytes beyond the result may be overwritten.
#[inline(always)]
pub unsafe fn write_short(at: *mut u8, value: u64) -> usize {
    debug_assert!(value <= SHORT);
    let (word, n) = encode_short(value);
    // SAFETY: the caller guarantees eight writable bytes.
    unsafe { at.cast::<u64>().write_unaligned(word.to_le()) };
    n
}

/// The encoding of `value` ≤ [`SHORT`] as a little-endian word, and how many of its bytes count.
#[inline(always)]
pub fn encode_short(value: u64) -> (u64, usize) {
    // ⌈bits / 7⌉ for 1 ≤ bits ≤ 56, without a division and without a table, which would be one more cache line.
    let bits = 64 - (value | 1).leading_zeros();
    let n = (9 * bits + 64) >> 6;
    // The lowest set bit says the length: 1 << (n - 1) below the value.
    (((value << 1) | 1) << ((n - 1) & 63), n as usize)
}

/// Writes any value at `at`; returns the bytes used.
///
/// # Safety
/// As [`write_short`], for [`MAX`] bytes.
#[inline(always)]
pub unsafe fn write(at: *mut u8, value: u64) -> usize {
    if value <= SHORT {
        // SAFETY: the caller's promise.
        unsafe { write_short(at, value) }
    } else {
        // SAFETY: as above.
        unsafe {
            at.write(0);
            at.add(1).cast::<u64>().write_unaligned(value.to_le());
        }
        9
    }
}

/// How many bytes the value takes that begins with this one.
#[inline(always)]
pub const fn length(first: u8) -> usize {
    first.trailing_zeros() as usize + 1
}

/// Reads one value; `None` when `bytes` ends too early. Returns the value and its length.
#[inline(always)]
pub fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    // With nine bytes at hand, as nearly always, the length needs no loop and no copy of its own.
    let Some(&[a, b, c, d, e, f, g, h, i]) = bytes.first_chunk::<MAX>() else { return read_at_end(bytes) };
    if a == 0 {
        return Some((u64::from_le_bytes([b, c, d, e, f, g, h, i]), MAX));
    }
    let n = a.trailing_zeros() + 1;
    // The lowest n bytes, without the n bits that say so.
    let word = u64::from_le_bytes([a, b, c, d, e, f, g, h]) << (64 - 8 * n);
    Some((word >> (64 - 7 * n), n as usize))
}

/// The same for fewer than [`MAX`] bytes.
#[cold]
fn read_at_end(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let n = first.trailing_zeros() as usize + 1;
    let mut raw = [0u8; 8];
    raw.get_mut(..n)?.copy_from_slice(bytes.get(..n)?);
    Some((u64::from_le_bytes(raw) >> n, n))
}

/// Signed to unsigned, small magnitudes staying small.
#[inline(always)]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
#[inline(always)]
pub const fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(value: u64) -> usize {
        let mut buffer = [0u8; 16];
        let n = unsafe { write(buffer.as_mut_ptr(), value) };
        assert_eq!(read(&buffer[..n]), Some((value, n)));
        assert_eq!(read(&buffer[..n - 1]), None);
        n
    }

    #[test]
    fn lengths_at_the_limits() {
        assert_eq!(round(0), 1);
        for n in 1..=8 {
            assert_eq!(round((1 << (7 * n)) - 1), n, "largest of {n} bytes");
            if n < 8 {
                assert_eq!(round(1 << (7 * n)), n + 1);
            }
        }
        assert_eq!(round(1 << 56), 9);
        assert_eq!(round(u64::MAX), 9);
    }

    proptest! {
        #[test]
        fn any_value(value: u64, shift in 0u32..64) { round(value >> shift); }
        #[test]
        fn any_signed(value: i64) { prop_assert_eq!(unzigzag(zigzag(value)), value); }
        #[test]
        fn any_bytes(bytes: Vec<u8>) { let _ = read(&bytes); }
    }
}
