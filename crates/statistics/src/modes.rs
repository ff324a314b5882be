//! Whether samples fall into two groups.

use crate::median::{median, quantile, sorted};

/// Two groups of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Median of the group with the smaller samples.
    pub low: f64,
    /// Median of the group with the larger samples.
    pub high: f64,
    /// Share of samples in the slower group.
    pub high_share: f64,
}

/// Smallest number of samples to look at.
const FEWEST: usize = 12;
/// Smallest share of a group: fewer samples are outliers.
const SMALLEST_GROUP: f64 = 0.15;
/// Distance of the groups in units of their width. Halves of a uniform distribution are 1 apart, those of a normal one 1.2.
const SEPARATION: f64 = 3.0;
/// Smallest distance as a share of the lower group's median: what matters to a user.
const DISTANCE: f64 = 0.05;

/// The two groups, if samples have a second mode: divided so that the squared distances from the means of both groups are
/// smallest, each must have enough samples, and the gap must be wide in relation to the groups.
pub fn second_mode(samples: &[f64]) -> Option<Modes> {
    let values = sorted(samples);
    let n = values.len();
    if n < FEWEST {
        return None;
    }
    let sum = |part: &[f64]| part.iter().sum::<f64>();
    let least = ((n as f64 * SMALLEST_GROUP).ceil() as usize).max(3);
    // Largest variance between groups (Otsu), with prefix sums.
    let all = sum(&values);
    let (mut before, mut best) = (sum(&values[..least - 1]), (f64::NEG_INFINITY, 0));
    for cut in least..=n - least {
        before += values[cut - 1];
        let (a, b) = (before / cut as f64, (all - before) / (n - cut) as f64);
        let between = cut as f64 * (n - cut) as f64 * (a - b) * (a - b);
        if between > best.0 {
            best = (between, cut);
        }
    }
    let (low, high) = values.split_at(best.1);
    let width = |part: &[f64]| quantile(part, 0.9) - quantile(part, 0.1);
    let (low_median, high_median) = (median(low), median(high));
    let distance = high_median - low_median;
    let is_apart = distance > SEPARATION * width(low).max(width(high)).max(f64::MIN_POSITIVE);
    (is_apart && distance > DISTANCE * low_median.abs()).then(|| Modes {
        low: low_median,
        high: high_median,
        high_share: high.len() as f64 / n as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(random: &mut fastrand::Rng, centre: f64, n: usize) -> Vec<f64> {
        (0..n).map(|_| centre + random.f64() + random.f64() + random.f64()).collect()
    }

    #[test]
    fn two_groups_are_found() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut samples = around(&mut random, 100.0, 40);
        samples.extend(around(&mut random, 130.0, 15));
        let found = second_mode(&samples).unwrap();
        assert!((found.low - 101.5).abs() < 0.6 && (found.high - 131.5).abs() < 0.8, "{found:?}");
        assert!((found.high_share - 15.0 / 55.0).abs() < 1e-9);
    }

    #[test]
    fn one_group_and_outliers_are_not_two() {
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..300 {
            let mut samples = around(&mut random, 100.0, 30);
            assert_eq!(second_mode(&samples), None);
            samples[3] = 500.0;
            assert_eq!(second_mode(&samples), None, "an outlier");
            // A tail.
            let tail: Vec<f64> = (0..30).map(|_| 1.0 - random.f64().max(1e-9).ln()).collect();
            assert!(second_mode(&tail).is_none_or(|m| m.high_share < 0.35), "{tail:?}");
        }
        assert_eq!(second_mode(&[3.0; 50]), None);
    }
}
