//! What reading a clock costs, and how fine it is.

use std::hint::black_box;
use std::time::Instant;

/// Readings in a batch: long enough that timing it costs nothing.
pub const READS: u64 = 2000;
/// Differences that are looked at for the resolution.
const DIFFERENCES: usize = 20_000;

/// Mean time of one reading in each of `batches` batches, ns.
pub fn costs_ns<T>(mut read: impl FnMut() -> T, batches: usize) -> Vec<f64> {
    let batch = |_| {
        let start = Instant::now();
        for _ in 0..READS {
            black_box(read());
        }
        start.elapsed().as_nanos() as f64 / READS as f64
    };
    (0..batches).map(batch).collect()
}

/// The smallest step between readings that follow each other, in the unit of the readings. `None` if the clock does not advance
/// while it is looked at.
///
/// A clock that is finer than a reading takes has the step of its readings: then the resolution is at most this.
pub fn resolution(mut read: impl FnMut() -> f64) -> Option<f64> {
    let mut last = read();
    let mut smallest = f64::INFINITY;
    for _ in 0..DIFFERENCES {
        let now = read();
        if now > last {
            smallest = smallest.min(now - last);
        }
        last = now;
    }
    smallest.is_finite().then_some(smallest)
}

/// `CLOCK_MONOTONIC`, ns: what mpiscope and most programs read.
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_of_known_steps() {
        let mut ticks = 0u64;
        // Every third reading is one step of 250 later.
        let coarse = || {
            ticks += 1;
            (ticks / 3 * 250) as f64
        };
        assert_eq!(resolution(coarse), Some(250.0));
        assert_eq!(resolution(|| 7.0), None);
    }

    #[test]
    fn reading_costs_time() {
        let costs = costs_ns(monotonic_ns, 5);
        assert_eq!(costs.len(), 5);
        // A vDSO takes 20 ns; a clock that only the hypervisor has takes a µs.
        assert!(costs.iter().all(|&ns| (0.5..1e6).contains(&ns)), "{costs:?}");
        let start = monotonic_ns();
        assert!(monotonic_ns() >= start);
        assert!(resolution(|| monotonic_ns() as f64).is_some_and(|ns| ns >= 1.0));
    }
}
