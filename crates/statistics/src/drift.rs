//! Whether samples become slower or faster over time.

use crate::compare::two_sided;
use crate::median::{median, sorted};

/// A trend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Change from the first to the last sample, as a share of the median.
    pub share: f64,
    /// Probability of such a trend without a drift (Mann–Kendall).
    pub p: f64,
}

/// More samples are thinned out: the test is quadratic.
const MOST: usize = 400;

/// The trend of samples in the order in which they were measured; `None` for fewer than 8 samples.
pub fn drift(samples: &[f64]) -> Option<Drift> {
    let step = samples.len().div_ceil(MOST).max(1);
    let values: Vec<f64> = samples.iter().step_by(step).copied().collect();
    let n = values.len();
    if n < 8 {
        return None;
    }
    let (mut sum, mut slopes) = (0i64, Vec::with_capacity(n * (n - 1) / 2));
    for j in 1..n {
        for i in 0..j {
            sum += i64::from(values[j] > values[i]) - i64::from(values[j] < values[i]);
            slopes.push((values[j] - values[i]) / (j - i) as f64);
        }
    }
    let count = n as f64;
    let variance = count * (count - 1.0) * (2.0 * count + 5.0) / 18.0;
    let z = (sum.abs() as f64 - 1.0).max(0.0) / variance.sqrt();
    let middle = median(&sorted(&values));
    // Theil and Sen's slope.
    let slope = median(&sorted(&slopes));
    let share = if middle == 0.0 { 0.0 } else { slope * (count - 1.0) / middle };
    Some(Drift { share, p: two_sided(z) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_found_and_noise_is_not() {
        let mut random = fastrand::Rng::with_seed(3);
        let rising: Vec<f64> = (0..60).map(|i| 100.0 + i as f64 / 6.0 + 3.0 * random.f64()).collect();
        let found = drift(&rising).unwrap();
        assert!(found.p < 1e-6 && (found.share - 0.094).abs() < 0.02, "{found:?}");
        let false_alarms =
            (0..400).filter(|_| drift(&(0..40).map(|_| random.f64()).collect::<Vec<_>>()).unwrap().p < 0.05).count();
        assert!((8..=34).contains(&false_alarms), "{false_alarms}");
        assert_eq!(drift(&[1.0; 7]), None);
        assert_eq!(drift(&[1.0; 1000]).unwrap(), Drift { share: 0.0, p: 1.0 });
    }
}
