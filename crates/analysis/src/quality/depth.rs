//! The depth of a queue, from the times at which entries are added and removed.

/// Up to this many entries in a stretch of the run, their order is computed; above it, they are counted at moments.
const SORTED: usize = 4096;
/// Number of moments in a stretch of the run.
const MOMENTS: usize = 4096;

/// The largest depth of one queue of one rank. If many entries are added in a short time, it is the largest depth at moments
/// close to each other: a lower bound.
#[derive(Default)]
pub(crate) struct Depth {
    /// When entries of the current stretch came and when they left. Sorted one by one, since most come in order.
    from_ns: Vec<u64>,
    until_ns: Vec<u64>,
    most: u64,
}

impl Depth {
    /// An entry was in the queue from one moment to another.
    #[inline]
    pub fn push(&mut self, from_ns: u64, until_ns: u64) {
        if until_ns > from_ns {
            self.from_ns.push(from_ns);
            self.until_ns.push(until_ns);
        }
    }

    /// The largest depth so far.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// At the end of a stretch of the run: evaluates and discards the entries.
    pub fn evaluate(&mut self) {
        // So few are never deeper.
        if self.from_ns.len() as u64 > self.most {
            let most = if self.from_ns.len() <= SORTED { self.sorted() } else { self.at_moments() };
            self.most = self.most.max(most);
        }
        self.from_ns.clear();
        self.until_ns.clear();
    }

    fn sorted(&mut self) -> u64 {
        self.from_ns.sort_unstable();
        self.until_ns.sort_unstable();
        let (mut gone, mut most) = (0, 0);
        for (before, from_ns) in self.from_ns.iter().enumerate() {
            // At the same moment what leaves goes before what comes.
            gone += self.until_ns[gone..].iter().take_while(|until_ns| *until_ns <= from_ns).count();
            most = most.max(before + 1 - gone);
        }
        most as u64
    }

    fn at_moments(&self) -> u64 {
        let first = self.from_ns.iter().min().copied().unwrap_or(0);
        let last = self.until_ns.iter().max().copied().unwrap_or(0);
        let step = ((last - first) / (MOMENTS as u64 - 1)).max(1);
        let mut changes = vec![0i64; MOMENTS + 2];
        // The first moment that is not before `ns`.
        let moment = |ns: u64| ((ns - first).div_ceil(step) as usize).min(MOMENTS);
        self.from_ns.iter().for_each(|&ns| changes[moment(ns)] += 1);
        self.until_ns.iter().for_each(|&ns| changes[moment(ns)] -= 1);
        let sums = changes.iter().scan(0i64, |depth, change| {
            *depth += change;
            Some(*depth)
        });
        sums.max().unwrap_or(0).max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_leaves_goes_first() {
        let mut d = Depth::default();
        for (from, until) in [(0, 10), (10, 20), (5, 15), (30, 30)] {
            d.push(from, until);
        }
        d.evaluate();
        assert_eq!(d.most(), 2);
        d.push(100, 101);
        d.evaluate();
        assert_eq!(d.most(), 2);
    }

    proptest! {
        #[test]
        fn moments_never_say_more(entries in proptest::collection::vec((0u64..100_000, 1u64..50_000), 1..300)) {
            let mut d = Depth::default();
            entries.iter().for_each(|&(a, n)| d.push(a, a + n));
            let (exact, seen) = (d.sorted(), d.at_moments());
            prop_assert!(seen <= exact && seen * 2 >= exact, "{seen} {exact}");
        }
    }
}
