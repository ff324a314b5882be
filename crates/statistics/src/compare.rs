//! Whether two sets of samples differ.

use crate::median::{median, sorted};

/// The result of comparing samples `b` with samples `a`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Median of `b` divided by that of `a`.
    pub ratio: f64,
    /// Probability that a sample of `b` is larger than one of `a`, ties counted half (Vargha and Delaney's A): 0.5 means no
    /// effect.
    pub larger: f64,
    /// Probability of such a difference between samples of one distribution (Mann–Whitney, two-sided).
    pub p: f64,
}

/// Up to this product of the numbers of samples the distribution is counted instead of approximated.
const EXACT: usize = 400;

/// Compares two sets; `None` if one is empty.
pub fn compare(a: &[f64], b: &[f64]) -> Option<Comparison> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (a, b) = (sorted(a), sorted(b));
    let (n, m) = (a.len(), b.len());
    // Pairs in which b is larger, ties half.
    let mut wins = 0.0;
    let (mut below, mut upto) = (0, 0);
    for value in &b {
        while below < n && a[below] < *value {
            below += 1;
        }
        upto = upto.max(below);
        while upto < n && a[upto] <= *value {
            upto += 1;
        }
        wins += below as f64 + (upto - below) as f64 / 2.0;
    }
    let mut all: Vec<f64> = a.iter().chain(&b).copied().collect();
    all.sort_unstable_by(f64::total_cmp);
    let ties: Vec<f64> = all.chunk_by(|x, y| x == y).filter(|g| g.len() > 1).map(|g| g.len() as f64).collect();
    let pairs = (n * m) as f64;
    let p = if ties.is_empty() && n * m <= EXACT {
        exact(n, m, wins.min(pairs - wins) as usize)
    } else {
        let total = (n + m) as f64;
        let tied: f64 = ties.iter().map(|t| t * t * t - t).sum();
        let variance = pairs / 12.0 * ((total + 1.0) - tied / (total * (total - 1.0)).max(1.0));
        let z = ((wins - pairs / 2.0).abs() - 0.5).max(0.0);
        if variance > 0.0 { two_sided(z / variance.sqrt()) } else { 1.0 }
    };
    let base = median(&a);
    let ratio = if base == 0.0 { f64::NAN } else { median(&b) / base };
    Some(Comparison { ratio, larger: wins / pairs, p })
}

/// Two-sided probability that U is at most `u`, by counting the orders of `n` and `m` samples.
fn exact(n: usize, m: usize, u: usize) -> f64 {
    // counts[i][k]: ways to place i of the first set among the samples so far with k inversions.
    let most = n * m;
    let mut counts = vec![vec![0.0f64; most + 1]; n + 1];
    counts[0][0] = 1.0;
    for placed in 1..=n + m {
        for i in (1..=n.min(placed)).rev() {
            // The largest of `placed` samples is of the first set: it exceeds all `placed − i` of the second.
            let others = placed - i;
            if others > m {
                continue;
            }
            let (lower, upper) = counts.split_at_mut(i);
            let from = &lower[i - 1];
            for k in (others..=most).rev() {
                upper[0][k] += from[k - others];
            }
        }
    }
    let total: f64 = counts[n].iter().sum();
    let tail: f64 = counts[n][..=u].iter().sum();
    (2.0 * tail / total).min(1.0)
}

/// Probability that a standard normal variable is at least `z` away from 0.
pub(crate) fn two_sided(z: f64) -> f64 {
    libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Probabilities of several tests, adjusted so that of those below a limit at most that share is wrong (Benjamini and
/// Hochberg).
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by(|&a, &b| p[b].total_cmp(&p[a]));
    let mut found = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (from_top, &at) in order.iter().enumerate() {
        let rank = p.len() - from_top;
        least = least.min(p[at] * p.len() as f64 / rank as f64);
        found[at] = least;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_sets_are_counted() {
        // Tables of the test: of 3 and 3 samples, U = 0 has 1/20 on each side; of 5 and 5, U = 2 has 4/252.
        assert!((exact(3, 3, 0) - 0.1).abs() < 1e-12);
        assert!((exact(5, 5, 2) - 8.0 / 252.0).abs() < 1e-12);
        assert_eq!(exact(4, 4, 8), 1.0);
        let apart = compare(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        assert!((apart.p - 0.1).abs() < 1e-12 && apart.larger == 1.0 && apart.ratio == 2.5);
    }

    #[test]
    fn large_sets() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut draw = |add: f64| (0..60).map(|_| add + random.f64()).collect::<Vec<_>>();
        let (a, shifted) = (draw(1.0), draw(1.3));
        let found = compare(&a, &shifted).unwrap();
        assert!(found.p < 1e-4 && found.larger > 0.7 && found.ratio > 1.1, "{found:?}");
        let alarms = (0..500).filter(|_| compare(&draw(0.0), &draw(0.0)).unwrap().p < 0.05).count();
        assert!((10..=42).contains(&alarms), "{alarms}");
        assert_eq!(compare(&[1.0; 30], &[1.0; 30]).unwrap().p, 1.0);
        assert_eq!(compare(&[], &[1.0]), None);
    }

    #[test]
    fn many_tests_are_adjusted() {
        let found = adjusted(&[0.01, 0.04, 0.03, 0.5]);
        for (got, wanted) in found.iter().zip([0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5]) {
            assert!((got - wanted).abs() < 1e-12, "{found:?}");
        }
        assert!(adjusted(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn order_does_not_matter(a in proptest::collection::vec(1f64..9.0, 1..30), b in proptest::collection::vec(1f64..9.0, 1..30)) {
            let (one, other) = (compare(&a, &b).unwrap(), compare(&b, &a).unwrap());
            prop_assert!((one.p - other.p).abs() < 1e-9);
            prop_assert!((one.larger + other.larger - 1.0).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&one.p));
        }
    }
}
