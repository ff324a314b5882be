//! A few of many numbers, and the largest of many stretches.

use mpiscope_store::{Dimensions, RankId};

use crate::explanation::Proof;

/// Samples kept: quantiles of 128 are off by a few hundredths, which is less than runs differ.
const KEPT: usize = 128;

/// Pairs (size, duration) taken evenly from a stream of unknown length, always the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reservoir {
    seen: u64,
    /// Of so many pairs (a power of two) one is kept.
    stride_bits: u32,
    kept: Vec<(u64, u64)>,
}

impl Reservoir {
    /// Takes the next pair.
    #[inline]
    pub fn push(&mut self, bytes: u64, ns: u64) {
        self.seen += 1;
        // Scattered, so that what repeats with a period of two is not seen one-sidedly.
        let scattered = self.seen.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.stride_bits == 0 || scattered >> (64 - self.stride_bits) == 0 {
            self.keep(bytes, ns);
        }
    }

    fn keep(&mut self, bytes: u64, ns: u64) {
        if self.kept.len() == KEPT {
            let mut at = 0;
            self.kept.retain(|_| {
                at += 1;
                at % 2 == 0
            });
            self.stride_bits += 1;
        }
        self.kept.push((bytes, ns));
    }

    /// Adds what another one has kept. Where one of two streams was much longer, it counts for less than its length.
    pub fn merge(&mut self, other: Reservoir) {
        for (bytes, ns) in other.kept {
            self.keep(bytes, ns);
        }
        self.seen += other.seen;
    }

    /// Pairs that came by.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Pairs that stand for them.
    pub fn kept(&self) -> &[(u64, u64)] {
        &self.kept
    }

    /// The duration below which `share` of them lie; 0 of none.
    pub fn quantile_ns(&self, share: f64) -> u64 {
        let mut ns: Vec<u64> = self.kept.iter().map(|&(_, ns)| ns).collect();
        quantile(&mut ns, share)
    }
}

/// The number below which `share` of `numbers` lie; 0 of none.
pub(crate) fn quantile(numbers: &mut [u64], share: f64) -> u64 {
    if numbers.is_empty() {
        return 0;
    }
    let at = ((numbers.len() - 1) as f64 * share) as usize;
    *numbers.select_nth_unstable(at).1
}

/// Class of a size: 0 for nothing, else the number of its binary digits.
#[inline]
pub(crate) fn size_class(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

/// Number of classes.
pub(crate) const SIZE_CLASSES: usize = 65;

/// A stretch of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CostlySpan {
    /// What it costs: those with most stay.
    pub cost_ns: u64,
    pub rank: RankId,
    pub start_ns: u64,
    pub end_ns: u64,
    pub row: Option<u64>,
}

/// The costliest stretches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Top {
    kept: Vec<CostlySpan>,
    /// Cost of the cheapest that is kept, when there is no more room.
    bar_ns: u64,
}

impl Top {
    const KEPT: usize = 16;

    /// Takes a stretch if it is among the costliest so far.
    #[inline]
    pub fn push(&mut self, stretch: CostlySpan) {
        if stretch.cost_ns > self.bar_ns {
            self.keep(stretch);
        }
    }

    fn keep(&mut self, stretch: CostlySpan) {
        let at = self.kept.partition_point(|s| s.cost_ns >= stretch.cost_ns);
        self.kept.insert(at, stretch);
        self.kept.truncate(Top::KEPT);
        if self.kept.len() == Top::KEPT {
            self.bar_ns = self.kept[Top::KEPT - 1].cost_ns;
        }
    }

    /// Takes those of another.
    pub fn merge(&mut self, other: &Top) {
        other.kept.iter().for_each(|s| self.push(*s));
    }

    /// As proofs.
    pub fn proofs(&self, dimensions: &Dimensions) -> Vec<Proof> {
        let proof = |s: &CostlySpan| Proof {
            rank: dimensions.rank(s.rank),
            start_ns: s.start_ns,
            end_ns: s.end_ns,
            row: s.row,
        };
        self.kept.iter().map(proof).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes() {
        assert_eq!([0, 1, 2, 3, 4, 1023, 1024, u64::MAX].map(size_class), [0, 1, 2, 2, 3, 10, 11, 64]);
    }

    proptest! {
        #[test]
        fn a_reservoir_is_bounded_and_fair(n in 1u64..20_000) {
            let mut r = Reservoir::default();
            (0..n).for_each(|i| r.push(8, i));
            prop_assert!(r.kept().len() <= KEPT && r.seen() == n);
            prop_assert!(r.kept().len() >= (KEPT / 4).min(n as usize));
            let off = (r.quantile_ns(0.5) as f64 - n as f64 / 2.0).abs();
            prop_assert!(off <= 0.2 * n as f64 + 1.0, "{} of {}", r.quantile_ns(0.5), n);
        }

        #[test]
        fn the_costliest_stay(costs in proptest::collection::vec(1u64..1000, 0..200)) {
            let mut top = Top::default();
            for &cost_ns in &costs {
                top.push(CostlySpan { cost_ns, rank: RankId(0), start_ns: 0, end_ns: 0, row: None });
            }
            let mut wanted = costs.clone();
            wanted.sort_unstable_by_key(|&c| std::cmp::Reverse(c));
            wanted.truncate(16);
            prop_assert_eq!(top.kept.iter().map(|s| s.cost_ns).collect::<Vec<_>>(), wanted);
        }
    }
}
