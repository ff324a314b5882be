//! What changed between two sets of runs.
//!
//! Each number of a run is compared separately. With one run on a side, its noise is unknown, and the
//! judgement is `Unknown`. With several runs, the difference of medians gets an interval: 95 % of what resampling the runs of
//! each side gives (percentile bootstrap; Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, ch. 13), from a
//! fixed sequence, so that the same runs give the same result.

use serde::Serialize;

/// Resamples of each comparison.
const RESAMPLES: usize = 2000;

/// How a number differs between the runs before and those after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Which number.
    pub name: String,
    /// Median of the runs before; `None` if none of them has it.
    pub before: Option<f64>,
    /// Median of the runs after.
    pub after: Option<f64>,
    /// After minus before; a missing number counts as 0.
    pub difference: f64,
    /// The difference as a share of `before`; `None` if that is 0.
    pub relative: Option<f64>,
    /// The 95 % confidence interval of the difference; `None` with a single run on a side.
    pub interval: Option<(f64, f64)>,
    /// Whether noise explains it.
    pub judgement: Judgement,
}

/// Whether a difference is more than noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The interval does not contain 0, and the distance of the medians exceeds the range of either side: two runs that
    /// are apart from two others are not rare (one chance in three).
    Changed,
    /// A single run on a side: its noise is unknown.
    Unknown,
    /// Noise explains it.
    Noise,
    /// Equal.
    Same,
}

/// Compares one number. `None` stands for a run that does not have it.
pub fn compare(name: &str, before: &[Option<f64>], after: &[Option<f64>]) -> Change {
    let values = |side: &[Option<f64>]| -> Vec<f64> { side.iter().map(|v| v.unwrap_or(0.0)).collect() };
    let (a, b) = (values(before), values(after));
    let known = |side: &[Option<f64>], values: &[f64]| side.iter().any(Option::is_some).then(|| median(values));
    let (low, high) = (median(&a), median(&b));
    let difference = high - low;
    let interval = (a.len() > 1 && b.len() > 1).then(|| interval(&a, &b));
    let judgement = match interval {
        _ if a.iter().chain(&b).all(|v| *v == low) => Judgement::Same,
        None => Judgement::Unknown,
        Some((from, to)) if (from > 0.0 || to < 0.0) && difference.abs() > spread(&a).max(spread(&b)) => {
            Judgement::Changed
        }
        Some(_) => Judgement::Noise,
    };
    Change {
        name: name.to_owned(),
        before: known(before, &a),
        after: known(after, &b),
        difference,
        relative: (low != 0.0).then(|| difference / low.abs()),
        interval,
        judgement,
    }
}

/// From the smallest to the largest.
fn spread(values: &[f64]) -> f64 {
    let (low, high) = extremes(values);
    high - low
}

fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// With fewer than four runs on a side, resampling has too few values: the interval is then everything
/// between the extremes.
fn interval(a: &[f64], b: &[f64]) -> (f64, f64) {
    if a.len() < 4 || b.len() < 4 {
        let ((a_low, a_high), (b_low, b_high)) = (extremes(a), extremes(b));
        return (b_low - a_high, b_high - a_low);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |n: usize| {
        // xorshift64* (Vigna 2016); its high bits are random enough.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        ((state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % n
    };
    let mut resample = |v: &[f64]| median(&(0..v.len()).map(|_| v[next(v.len())]).collect::<Vec<_>>());
    let mut found: Vec<f64> = (0..RESAMPLES).map(|_| -resample(a) + resample(b)).collect();
    found.sort_by(f64::total_cmp);
    (found[RESAMPLES / 40], found[RESAMPLES - 1 - RESAMPLES / 40])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(before: &[f64], after: &[f64]) -> Change {
        let some = |v: &[f64]| v.iter().map(|&x| Some(x)).collect::<Vec<_>>();
        compare("x", &some(before), &some(after))
    }

    #[test]
    fn clear_and_unclear_cases() {
        let change = of(&[10.0, 11.0, 10.5, 10.2], &[20.0, 21.0, 20.1, 20.7]);
        assert_eq!(change.judgement, Judgement::Changed);
        assert!((change.difference - 10.05).abs() < 0.01, "{change:?}");
        assert_eq!(of(&[10.0, 30.0, 20.0, 15.0], &[12.0, 28.0, 21.0, 16.0]).judgement, Judgement::Noise);
        assert_eq!(of(&[10.0], &[20.0]).judgement, Judgement::Unknown);
        assert_eq!(of(&[10.0, 11.0], &[12.0, 13.0]).judgement, Judgement::Changed);
        assert_eq!(of(&[10.0, 12.5], &[12.0, 13.0]).judgement, Judgement::Noise);
        assert_eq!(of(&[3.0], &[3.0]).judgement, Judgement::Same);
    }

    #[test]
    fn what_is_not_there() {
        let change = compare("finding.late_sender.share", &[None], &[Some(0.1)]);
        assert_eq!((change.before, change.after, change.relative), (None, Some(0.1), None));
    }

    proptest! {
        #[test]
        fn turning_it_round_changes_the_sign(a in proptest::collection::vec(0.0..1e9, 1..3), b in proptest::collection::vec(0.0..1e9, 1..3)) {
            let (there, back) = (of(&a, &b), of(&b, &a));
            prop_assert_eq!(there.difference, -back.difference);
            prop_assert_eq!(there.judgement, back.judgement);
        }
        #[test]
        fn the_interval_holds_the_difference_of_few(a in proptest::collection::vec(0.0..1e9, 2..4), b in proptest::collection::vec(0.0..1e9, 2..4)) {
            let change = of(&a, &b);
            let (from, to) = change.interval.unwrap();
            prop_assert!(from <= change.difference && change.difference <= to);
        }
    }
}
