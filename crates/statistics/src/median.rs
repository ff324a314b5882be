//! The median, its interval by ranks, and quantiles.

use crate::CONFIDENCE;

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number itself, such as a median.
    pub value: f64,
    /// Lower end of its interval, in the unit of the value.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

impl Estimate {
    /// Half the interval as a share of the value.
    pub fn relative_error(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.value.abs() }
    }
}

/// One set of samples in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Half of the samples are smaller.
    pub median: f64,
    /// Interval of the median; `None` if there are too few samples for one.
    pub interval: Option<(f64, f64)>,
    /// The smallest sample.
    pub min: f64,
    /// The 5 % quantile.
    pub p05: f64,
    /// The 95 % quantile.
    pub p95: f64,
    /// The largest sample.
    pub max: f64,
}

/// The values in ascending order.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The median of sorted values; 0 if there are none.
pub fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5)
}

/// A quantile of sorted values, interpolated between neighbours (Hyndman and Fan's type 7); 0 if there are none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = share.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let high = (low + 1).min(last);
    sorted[low] + (sorted[high] - sorted[low]) * part
}

/// The interval that contains the true median with [`CONFIDENCE`], from the ranks of sorted values: the number of samples
/// below the true median has a binomial distribution, whatever the distribution of the samples. `None` below 6 samples, of
/// which even the smallest and the largest do not reach this confidence.
pub fn median_interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let n = sorted.len();
    let tail = (1.0 - CONFIDENCE) / 2.0;
    // ln of C(n, k) / 2ⁿ, for k = 0, 1, …: the power itself would be 0 above 1,074 samples.
    let mut ln_term = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    let mut rank = 0;
    for k in 0..n {
        below += ln_term.exp();
        if below > tail {
            break;
        }
        rank = k + 1;
        ln_term += ((n - k) as f64 / (k + 1) as f64).ln();
    }
    (rank > 0).then(|| (sorted[rank - 1], sorted[n - rank]))
}

/// Everything about one set of samples, in any order.
pub fn summary(values: &[f64]) -> Summary {
    let sorted = sorted(values);
    Summary {
        median: median(&sorted),
        interval: median_interval(&sorted),
        min: quantile(&sorted, 0.0),
        p05: quantile(&sorted, 0.05),
        p95: quantile(&sorted, 0.95),
        max: quantile(&sorted, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_of_the_interval() {
        let numbers = |n: usize| (1..=n).map(|i| i as f64).collect::<Vec<_>>();
        // Tables of the sign test: ranks 1 and 6 of 6, 2 and 9 of 10, 6 and 15 of 20, 40 and 61 of 100.
        for (n, interval) in [
            (5, None),
            (6, Some((1.0, 6.0))),
            (10, Some((2.0, 9.0))),
            (20, Some((6.0, 15.0))),
            (100, Some((40.0, 61.0))),
        ] {
            assert_eq!(median_interval(&numbers(n)), interval, "{n}");
        }
        let (low, high) = median_interval(&numbers(5000)).unwrap();
        assert!((low - 2431.0).abs() < 2.0 && (high - 2570.0).abs() < 2.0, "{low} {high}");
    }

    #[test]
    fn the_interval_contains_the_median_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(7);
        // A skewed distribution with a floor, whose median is 1 + ln 2.
        let truth = 1.0 + std::f64::consts::LN_2;
        let hits = (0..2000)
            .filter(|_| {
                let samples: Vec<f64> = (0..25).map(|_| 1.0 - (1.0 - random.f64()).ln()).collect();
                let (low, high) = median_interval(&sorted(&samples)).unwrap();
                low <= truth && truth <= high
            })
            .count();
        assert!((1880..=1980).contains(&hits), "{hits}");
    }

    proptest! {
        #[test]
        fn the_median_is_inside_its_interval(values in proptest::collection::vec(-1e9f64..1e9, 0..200)) {
            let all = summary(&values);
            prop_assert!(all.min <= all.p05 && all.p05 <= all.median && all.median <= all.p95 && all.p95 <= all.max);
            if let Some((low, high)) = all.interval {
                prop_assert!(low <= all.median && all.median <= high);
                prop_assert!(values.len() >= 6);
            }
        }
    }
}
