//! A test of the mean, for runs that do not agree: some of them are much slower than others, and a setting may end just that.
//!
//! The median of pairs says nothing where a program is slow in half of its runs. The sum of all times does. If the setting saves the
//! share δ and no more, (1 − δ) × the baseline's time and the setting's time of a pair are alike, and could as well be exchanged: the
//! differences have random signs. The sum of the differences is compared with its sums under random signs (Fisher's randomization test;
//! Good: *Permutation, Parametric and Bootstrap Tests of Hypotheses*, 2005). It is made once, after the last pair of an attempt, so that
//! looking at it costs nothing of the sequential test's error rate.

use serde::Serialize;

/// Random signs that are tried.
const FLIPS: u32 = 20_000;
/// Steps of the search for the bound: it is found to 0.1 %.
const STEPS: u32 = 10;

/// What all runs together save.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Total {
    /// Share of the baseline's time.
    pub gain: f64,
    /// It is at least this.
    pub low: f64,
}

/// Of pairs of times: baseline and setting. `None` if nothing is saved, with this error rate.
pub fn total(pairs: &[(f64, f64)], alpha: f64) -> Option<Total> {
    let [baseline, setting] = pairs.iter().fold([0.0, 0.0], |sum, pair| [sum[0] + pair.0, sum[1] + pair.1]);
    let saves = |share: f64| chance(pairs, share) <= alpha;
    if pairs.is_empty() || !saves(0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if saves(middle) { low = middle } else { high = middle }
    }
    Some(Total { gain: 1.0 - setting / baseline, low })
}

/// How probable differences as large as these are, if the setting saves this share and no more.
fn chance(pairs: &[(f64, f64)], share: f64) -> f64 {
    let differences: Vec<f64> = pairs.iter().map(|(baseline, setting)| baseline * (1.0 - share) - setting).collect();
    let seen: f64 = differences.iter().sum();
    // The same signs each time: the answer belongs to the runs alone.
    let mut random = fastrand::Rng::with_seed(1);
    let mut flipped = || {
        let mut signs = random.u64(..);
        let signed = |difference: &f64| {
            let sign = if signs & 1 == 1 { 1.0 } else { -1.0 };
            signs = signs.rotate_right(1);
            sign * difference
        };
        differences.iter().map(signed).sum::<f64>()
    };
    let as_large = (0..FLIPS).filter(|_| flipped() >= seen).count();
    (as_large + 1) as f64 / f64::from(FLIPS + 1)
}

/// Random orders that are tried.
const ORDERS: u32 = 2000;

/// How probable a mean as small as that of `some` is, if it is only chance which of all times are in `some` (the same test for runs
/// that are not pairs).
pub fn chance_of_smaller(some: &[f64], others: &[f64]) -> f64 {
    let seen: f64 = some.iter().sum();
    let mut all = [some, others].concat();
    let mut random = fastrand::Rng::with_seed(1);
    let mut shuffled = || {
        for at in 0..some.len() {
            let other = random.usize(at..all.len());
            all.swap(at, other);
        }
        all[..some.len()].iter().sum::<f64>()
    };
    // Sums of the same times in another order differ in their last digits.
    let as_small = (0..ORDERS).filter(|_| shuffled() <= seen * (1.0 + 1e-9)).count();
    (as_small + 1) as f64 / f64::from(ORDERS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow in half of the runs; the setting ends that.
    fn bimodal(
        pairs: usize,
        random: &mut fastrand::Rng,
        setting: impl Fn(&mut fastrand::Rng) -> f64,
    ) -> Vec<(f64, f64)> {
        let baseline = |random: &mut fastrand::Rng| if random.bool() { 1.2 } else { 0.5 } * (1.0 + 0.05 * random.f64());
        (0..pairs).map(|_| (baseline(random), setting(random))).collect()
    }

    #[test]
    fn the_end_of_slow_runs_is_a_gain() {
        let mut random = fastrand::Rng::with_seed(4);
        let all = 200;
        let found = (0..all).filter(|_| {
            let pairs = bimodal(24, &mut random, |random| 0.5 * (1.0 + 0.05 * random.f64()));
            total(&pairs, 0.005).is_some_and(|found| found.low > 0.1 && (0.25..0.55).contains(&found.gain))
        });
        let found = found.count();
        assert!(found >= 190, "{found} of {all}");
    }

    #[test]
    fn settings_without_an_effect_are_claimed_no_more_often_than_the_error_rate() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut wrong, all, alpha) = (0, 1000, 0.05);
        for _ in 0..all {
            let pairs =
                bimodal(24, &mut random, |random| if random.bool() { 1.2 } else { 0.5 } * (1.0 + 0.05 * random.f64()));
            wrong += u32::from(total(&pairs, alpha).is_some());
        }
        let share = f64::from(wrong) / f64::from(all);
        // Two standard errors of a share of 1,000.
        assert!((0.02..=alpha + 0.014).contains(&share), "{share}");
        assert_eq!(total(&[], 0.05), None);
    }

    #[test]
    fn the_chance_of_a_mean_is_that_of_the_choices() {
        // One choice of 15 has both small ones.
        let chance = chance_of_smaller(&[1.0, 1.1], &[2.0, 2.1, 2.2, 2.3]);
        assert!((chance - 1.0 / 15.0).abs() < 0.02, "{chance}");
        assert!(chance_of_smaller(&[2.0, 2.1], &[1.0, 1.1, 1.2]) > 0.95);
        assert!((chance_of_smaller(&[], &[1.0]) - 1.0).abs() < 1e-9);
    }
}
