//! How fast one core copies memory: what collective operations are compared with.
//!
//! Measured after the program has ended, by one `exec` of each host: before, it would delay the start; meanwhile it
//! would take the memory from the program. What is copied has to be larger than the last-level cache, as messages
//! that nobody has looked at for a while are; where that cache is larger than can be filled in the time, it is as much
//! as can be filled, and the number of bytes is told.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// For making memory there is. Pages that the kernel clears take longer than copies.
const FILL: Duration = Duration::from_millis(22);
/// For all of it: what the end of a job may take longer.
const LIMIT: Duration = Duration::from_millis(42);
/// What is timed at once: some hundred µs, so that one that lost its core does not count.
const SLICE_BYTES: usize = 4 << 20;
/// Both sides together: more than last-level caches of most machines, less than a rank of any job leaves.
const MOST_BYTES: usize = 192 << 20;
/// Fewer are no measurement.
const LEAST_SLICES: usize = 4;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySpeed {
    /// Bytes that arrive in a second: the best of the slices.
    pub bytes_per_s: u64,
    /// Both sides together.
    pub block_bytes: u64,
}

/// Measures it, in at most 50 ms; or why it could not be measured.
pub fn measure() -> Result<CopySpeed, &'static str> {
    let free_bytes = free_bytes().ok_or("/proc/meminfo does not say how much memory is free")?;
    if free_bytes / 8 < LEAST_SLICES * 2 * SLICE_BYTES {
        return Err("too little memory was free after the program");
    }
    // Memory that is there and was not filled in time: others had the core.
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
    // Twice round at most: it is the machine that is measured, not its best moment.
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

/// What the kernel says is left: other ranks may still be at work.
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
