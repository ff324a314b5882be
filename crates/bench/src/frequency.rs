//! Whether the frequency of processors changed while the ranks measured.
//!
//! The kernel's own number is missing in most virtual machines, and is one of many moments. So each rank times the same work before and after the
//! experiments: multiplications each of which needs the result of the one before. They take a number of cycles that does not depend on the memory,
//! nor on what the other hardware thread of the core does.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Multiplications of a quantum: some 20 µs, which is short against a time slice.
const QUANTUM: u32 = 16 << 10;
/// Time in which a processor reaches the frequency that it keeps under load.
const WHILE: Duration = Duration::from_millis(10);

/// The shortest time of a quantum, ns: that of one which nothing interrupted.
pub fn quantum_ns() -> f64 {
    let begun = Instant::now();
    let mut shortest = Duration::MAX;
    while begun.elapsed() < WHILE {
        let start = Instant::now();
        let mut word: u64 = black_box(3);
        for _ in 0..QUANTUM {
            // Not linear, so that a compiler cannot make fewer of them.
            word = word.wrapping_mul(word | 5).wrapping_add(7);
        }
        black_box(word);
        shortest = shortest.min(start.elapsed());
    }
    shortest.as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_multiplication_is_made() {
        // A few cycles for each, at less than 10 GHz.
        let ns = quantum_ns();
        assert!(ns > f64::from(QUANTUM) * 0.3, "{ns}");
    }
}
