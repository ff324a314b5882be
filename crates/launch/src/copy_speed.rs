//! The memory copy speed of one core, with which collective operations are compared.
//!
//! One `exec` of each host measures it after the program has ended: earlier it would delay the start or take memory
//! bandwidth from the program. The buffers have to be larger than the last-level cache, as messages are usually not in the
//! cache. If the cache is too large to be filled in time, the buffers are as large as possible, and their size is recorded.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time limit for allocating memory. Clearing pages in the kernel takes longer than copying.
const FILL: Duration = Duration::from_millis(22);
/// Total time limit: the delay at the end of a job.
const LIMIT: Duration = Duration::from_millis(42);
/// Bytes per timed slice: some hundred µs, so that a slice that lost its core can be dropped.
const SLICE_BYTES: usize = 4 << 20;
/// Maximum for both buffers: more than the last-level cache of most machines, less than is usually free after a rank.
const MOST_BYTES: usize = 192 << 20;
/// Minimum for a measurement.
const LEAST_SLICES: usize = 4;

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySpeed {
    /// Bytes copied per second: the best slice.
    pub bytes_per_s: u64,
    /// Size of both buffers.
    pub block_bytes: u64,
}

/// Measures in at most 50 ms, or returns why it could not.
///
/// # Errors
///
/// The reason, if too little memory is free or other processes use the core.
pub fn measure() -> Result<CopySpeed, &'static str> {
    let free_bytes = free_bytes().ok_or("/proc/meminfo does not show the free memory")?;
    if free_bytes / 8 < LEAST_SLICES * 2 * SLICE_BYTES {
        return Err("too little memory was free after the program");
    }
    // Memory was available but not filled in time: other processes used the core.
    measure_in(FILL, LIMIT, MOST_BYTES.min(free_bytes / 8)).ok_or("the host was too busy after the program")
}

fn measure_in(fill: Duration, limit: Duration, most_bytes: usize) -> Option<CopySpeed> {
    let begin = Instant::now();
    let mut slices: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    while (slices.len() + 1) * 2 * SLICE_BYTES <= most_bytes && begin.elapsed() < fill {
        slices.push((filled(1)?, filled(2)?));
    }
    if slices.len() < LEAST_SLICES {
        return None;
    }
    let mut best = Duration::MAX;
    // At most two passes, to measure the machine and not its best moment.
    let rounds = 2 * slices.len();
    for at in 0..rounds {
        if begin.elapsed() > limit {
            break;
        }
        let count = slices.len();
        let (from, to) = &mut slices[at % count];
        let start = Instant::now();
        to.copy_from_slice(black_box(from));
        black_box(to);
        best = best.min(start.elapsed());
    }
    let ns = u64::try_from(best.as_nanos()).ok().filter(|&ns| ns > 0)?;
    let block_bytes = (slices.len() * 2 * SLICE_BYTES) as u64;
    Some(CopySpeed { bytes_per_s: (SLICE_BYTES as u128 * 1_000_000_000 / u128::from(ns)) as u64, block_bytes })
}

fn filled(value: u8) -> Option<Vec<u8>> {
    let mut block = Vec::new();
    block.try_reserve_exact(SLICE_BYTES).ok()?;
    block.resize(SLICE_BYTES, value);
    Some(block)
}

/// Memory that the kernel reports as available: other ranks may still be running.
fn free_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_copies_something() {
        let begin = Instant::now();
        let all = Duration::from_secs(5);
        let found = measure_in(all, all, 16 * SLICE_BYTES).expect("memory");
        assert_eq!(found.block_bytes, 16 * SLICE_BYTES as u64);
        assert!(found.bytes_per_s > 100_000_000, "{found:?} in {:?}", begin.elapsed());
    }

    #[test]
    fn no_memory_and_no_time_are_no_number() {
        assert_eq!(measure_in(FILL, LIMIT, SLICE_BYTES), None);
        assert_eq!(measure_in(Duration::ZERO, Duration::ZERO, MOST_BYTES), None);
    }
}
