//! When enough was measured at one size.

use mpiscope_statistics::{Estimate, median, median_interval, sorted, warm_up};

/// Half the 95 % interval of the median, as a share of it, at which measuring ends.
pub const PRECISION: f64 = 0.03;
/// Samples below which an interval may be narrow by chance.
const FEWEST: usize = 12;

/// The samples that count: without the warm-up.
pub fn settled(times: &[f64]) -> &[f64] {
    &times[warm_up(times)..]
}

/// Whether the interval of the median of settled samples is as narrow as wanted.
pub fn is_reached(settled: &[f64]) -> bool {
    if settled.len() < FEWEST {
        return false;
    }
    let sorted = sorted(settled);
    median_interval(&sorted)
        .is_some_and(|(low, high)| Estimate { value: median(&sorted), low, high }.relative_error() <= PRECISION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measuring_ends_at_a_narrow_interval() {
        let mut random = fastrand::Rng::with_seed(9);
        let mut draw = |width: f64, n: usize| (0..n).map(|_| 100.0 + width * random.f64()).collect::<Vec<_>>();
        assert!(is_reached(&draw(2.0, 12)) && !is_reached(&draw(2.0, 11)));
        assert!(!is_reached(&draw(100.0, 12)));
        assert!(is_reached(&draw(100.0, 900)));
    }
}
