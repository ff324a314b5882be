//! Ranks that do not begin an operation at the same moment, but spread over a given time.

use std::time::Duration;

/// What the spreads of a batch may take together.
const BATCH_NS: i64 = 100_000_000;

/// When each rank begins: the begins of all ranks are evenly spread over a time, in an order that is another one for each operation, so that no rank is
/// always the last. All ranks draw the same orders.
pub struct Skew {
    ns: i64,
    rank: usize,
    /// The ranks in the order in which they begin.
    order: Vec<usize>,
    random: fastrand::Rng,
}

impl Skew {
    pub fn new(spread: Duration, rank: i32, size: i32, seed: u64) -> Skew {
        let ns = i64::try_from(spread.as_nanos()).unwrap_or(i64::MAX);
        let random = fastrand::Rng::with_seed(seed);
        Skew { ns, rank: rank.max(0) as usize, order: (0..size.max(0) as usize).collect(), random }
    }

    /// Time from the first rank's begin to the last one's.
    pub fn ns(&self) -> i64 {
        self.ns
    }

    /// Most operations of a batch: with a long spread, each of them takes as long.
    pub fn most_operations(&self) -> u64 {
        BATCH_NS.checked_div(self.ns).map_or(u64::MAX, |most| most.max(1) as u64)
    }

    /// How long after the first rank this one begins the next operation. Every rank calls it once for each operation.
    pub fn next_ns(&mut self) -> i64 {
        let last = self.order.len().saturating_sub(1) as i64;
        if self.ns == 0 || last == 0 {
            return 0;
        }
        self.random.shuffle(&mut self.order);
        let place = self.order.iter().position(|&rank| rank == self.rank).unwrap_or(0);
        self.ns * place as i64 / last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_are_spread_over_the_time() {
        let mut all: Vec<Skew> = (0..4).map(|rank| Skew::new(Duration::from_micros(30), rank, 4, 7)).collect();
        let mut firsts = std::collections::BTreeSet::new();
        for _ in 0..50 {
            let begins: Vec<i64> = all.iter_mut().map(Skew::next_ns).collect();
            firsts.insert(begins.iter().position(|&begin| begin == 0).unwrap());
            let mut sorted = begins;
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 10_000, 20_000, 30_000]);
        }
        assert_eq!(firsts.len(), 4, "each rank is the first at some time");
    }

    #[test]
    fn without_a_spread_all_begin_at_once() {
        assert_eq!(Skew::new(Duration::ZERO, 1, 4, 7).next_ns(), 0);
        assert_eq!(Skew::new(Duration::from_micros(30), 0, 1, 7).next_ns(), 0);
    }

    #[test]
    fn batches_with_a_long_spread_have_few_operations() {
        let most = |us| Skew::new(Duration::from_micros(us), 0, 2, 7).most_operations();
        assert_eq!([most(0), most(100), most(20_000), most(1_000_000)], [u64::MAX, 1000, 5, 1]);
    }
}
