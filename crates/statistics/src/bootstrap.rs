//! Intervals of numbers that are computed from many sets of samples.

use crate::CONFIDENCE;
use crate::median::{quantile, sorted};

/// Draws as many samples as there are, with repetition.
pub fn resampled(samples: &[f64], random: &mut fastrand::Rng) -> Vec<f64> {
    (0..samples.len()).map(|_| samples[random.usize(..samples.len())]).collect()
}

/// The percentile interval of each number that `compute` returns from resampled data. A number that is `None` or not finite
/// in a repetition is left out of that repetition; one without any has no interval.
pub fn bootstrap(
    repetitions: usize,
    seed: u64,
    mut compute: impl FnMut(&mut fastrand::Rng) -> Vec<Option<f64>>,
) -> Vec<Option<(f64, f64)>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut found: Vec<Vec<f64>> = Vec::new();
    for _ in 0..repetitions {
        for (at, value) in compute(&mut random).into_iter().enumerate() {
            if found.len() <= at {
                found.resize(at + 1, Vec::new());
            }
            found[at].extend(value.filter(|value| value.is_finite()));
        }
    }
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let interval = |values: &Vec<f64>| {
        let values = sorted(values);
        (!values.is_empty()).then(|| (quantile(&values, tail), quantile(&values, 1.0 - tail)))
    };
    found.iter().map(interval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::median::median;

    #[test]
    fn an_interval_of_a_median_is_like_that_by_ranks() {
        let mut random = fastrand::Rng::with_seed(2);
        let samples: Vec<f64> = (0..200).map(|_| random.f64()).collect();
        let found =
            bootstrap(500, 4, |random| vec![Some(median(&sorted(&resampled(&samples, random)))), None, Some(f64::NAN)]);
        let (low, high) = found[0].unwrap();
        let by_rank = crate::median_interval(&sorted(&samples)).unwrap();
        assert!((low - by_rank.0).abs() < 0.04 && (high - by_rank.1).abs() < 0.04, "{low} {high} {by_rank:?}");
        assert_eq!(&found[1..], [None, None]);
    }
}
