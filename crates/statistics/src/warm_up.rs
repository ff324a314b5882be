//! Samples at the beginning that are slower than all that follow.

use crate::median::{quantile, sorted};

/// Samples from which a later part can be judged.
const FEWEST: usize = 8;

/// The number of samples at the start that belong to the warm-up: those before the first one that is not slower than the
/// slowest twentieth of the second half. At most half of the samples, which are in the order in which they were measured.
///
/// A rule by variance (MSER) was rejected: one interrupted sample in the first half would make it drop all before it.
pub fn warm_up(samples: &[f64]) -> usize {
    if samples.len() < FEWEST {
        return 0;
    }
    let half = samples.len() / 2;
    let limit = quantile(&sorted(&samples[half..]), 0.95);
    samples[..half].iter().take_while(|&&sample| sample > limit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_samples_at_the_start_are_found() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut samples: Vec<f64> = (0..40).map(|_| 100.0 + random.f64()).collect();
        for (at, slow) in [300.0, 180.0, 120.0].into_iter().enumerate() {
            samples[at] = slow;
        }
        assert_eq!(warm_up(&samples), 3);
        samples[10] = 900.0;
        assert_eq!(warm_up(&samples), 3, "a slow sample later is no warm-up");
    }

    #[test]
    fn nothing_is_dropped_without_reason() {
        assert_eq!(warm_up(&[5.0; 30]), 0);
        assert_eq!(warm_up(&[9.0, 1.0, 1.0]), 0);
        let falling: Vec<f64> = (0..30).map(|i| 100.0 - i as f64).collect();
        assert_eq!(warm_up(&falling), 15, "at most half");
    }
}
