//! Buffers of messages, and what is in them.

use crate::error::BenchError;

/// Slots of a buffer begin at a cache line.
pub const ALIGN: usize = 64;

/// Distance of two slots for messages of this size.
pub fn stride(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGN).max(ALIGN)
}

pub fn buffer(bytes: usize) -> Result<Vec<u8>, BenchError> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|_| BenchError::Memory { bytes })?;
    buffer.resize(bytes, 0);
    // Pages exist before anything is timed.
    buffer.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    Ok(buffer)
}

/// The byte at a place: neighbours, pages and kinds differ.
pub fn pattern(seed: u32, at: usize) -> u8 {
    ((at as u32).wrapping_add(seed << 8).wrapping_mul(0x9e37_79b1) >> 23) as u8
}
