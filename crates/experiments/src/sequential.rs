//! A sequential test of the median, which may be looked at after every pair of runs.
//!
//! For each value δ, a player bets on the sign of dᵢ − δ, starting with 1 and staking the share λ each time: the capital is
//! Π (1 + λ sᵢ). If the median is at most δ, no bet is favourable, so the capital is a non-negative supermartingale, and reaches 1/α
//! at any time with a probability of at most α (Ville 1939; Ramdas, Grünwald, Vovk, Shafer: *Game-theoretic statistics and safe
//! anytime-valid inference*, Statistical Science 38, 2023). All δ against which this happens are excluded; the rest is a confidence
//! sequence: valid at every time at once, hence also at the time at which somebody stops because of it.
//!
//! Only signs are used, so that the distribution does not matter. The price: with an error of 0.04, six pairs are needed even if
//! all of them agree.

/// Stakes; the capital is the mean over them. The large one wins early if all pairs agree, the small one survives pairs that do not.
const STAKES: [f64; 2] = [0.5, 0.9];

/// What is known of a median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// It is at least this, except with the error rate; `None` while nothing is known.
    pub low: Option<f64>,
    /// It is at most this, except with the error rate.
    pub high: Option<f64>,
}

/// Bounds of the median of the distribution of `values`, in the order in which they were measured; each bound for itself has the
/// error rate `alpha`, whatever the number of values at which one looks.
pub fn bounds(values: &[f64], alpha: f64) -> Bounds {
    let negated: Vec<f64> = values.iter().map(|value| -value).collect();
    let found = Bounds { low: low(values, alpha), high: low(&negated, alpha).map(|value| -value) };
    match found {
        // Early values exclude what later ones demand: there is no such median, so nothing is claimed.
        Bounds { low: Some(low), high: Some(high) } if low > high => Bounds { low: None, high: None },
        _ => found,
    }
}

/// The largest value below which the median is not.
fn low(values: &[f64], alpha: f64) -> Option<f64> {
    let mut tried = mpiscope_statistics::sorted(values);
    tried.reverse();
    tried.into_iter().find(|&bound| largest_capital(values, bound) >= 1.0 / alpha)
}

/// The largest capital of who bets that the median is not below `bound`.
fn largest_capital(values: &[f64], bound: f64) -> f64 {
    let mut capital = [1.0; STAKES.len()];
    let mut largest: f64 = 1.0;
    for value in values {
        for (capital, stake) in capital.iter_mut().zip(STAKES) {
            *capital *= if *value >= bound { 1.0 + stake } else { 1.0 - stake };
        }
        largest = largest.max(capital.iter().sum::<f64>() / STAKES.len() as f64);
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_pairs_that_agree_are_enough_and_five_are_not() {
        let found = bounds(&[0.3, 0.2, 0.4, 0.25, 0.35, 0.3], 0.04);
        assert_eq!(found.low, Some(0.2));
        assert_eq!(found.high, Some(0.4));
        assert_eq!(bounds(&[0.3; 5], 0.04), Bounds { low: None, high: None });
        assert_eq!(bounds(&[], 0.05), Bounds { low: None, high: None });
    }

    #[test]
    fn one_slow_run_costs_pairs_and_not_the_result() {
        let mut values = vec![0.3, 0.2, -5.0, 0.25, 0.35, 0.3, 0.28];
        assert!(bounds(&values, 0.04).low.is_some_and(|low| low < 0.0));
        values.extend([0.3, 0.31, 0.29]);
        assert_eq!(bounds(&values, 0.04).low, Some(0.2));
    }

    /// Looking after every pair, up to 60 of them: the error is still at most the stated one.
    #[test]
    fn looking_again_and_again_does_not_raise_the_error() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut wrong, all) = (0, 4000);
        for _ in 0..all {
            // A distribution with a long tail whose median is 0.
            let values: Vec<f64> = (0..60).map(|_| (random.f64() - 0.5).powi(5) * 100.0).collect();
            // The bound is found by the largest capital up to now, so that the last look contains all looks.
            wrong += i32::from(bounds(&values, 0.05).low.is_some_and(|low| low > 0.0));
        }
        let share = f64::from(wrong) / f64::from(all);
        assert!(share <= 0.05, "{share}");
        assert!(share > 0.005, "the test is not needlessly blunt: {share}");
    }

    proptest::proptest! {
        #[test]
        fn bounds_do_not_cross_and_only_narrow(values in proptest::collection::vec(-1.0..1.0f64, 0..40)) {
            let found = bounds(&values, 0.05);
            if let (Some(low), Some(high)) = (found.low, found.high) {
                proptest::prop_assert!(low <= high);
            }
            if let Some(earlier) = low(&values[..values.len() / 2], 0.05) {
                proptest::prop_assert!(low(&values, 0.05).is_some_and(|now| now >= earlier));
            }
        }
    }
}
