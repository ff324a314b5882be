//! The depth of a queue, from the times at which entries are added and removed.

/// Up to this many entries in a stretch of the run, their order is computed; above it, they are counted at moments.
const SORTED: usize = 4096;
/// Number of moments in a stretch of the run.
const MOMENTS: usize = 4096;

/// The largest depth of one queue of one rank. If many entries are added in a short time, it is the largest depth at moments
/// close to each other: a lower bound.
#[derive(Default)]
pub(crate) struct Depth {
    /// Entries of the current stretch: from, until.
    entries: Vec<(u64, u64)>,
    most: u64,
}

impl Depth {
    /// An entry was in the queue from one moment to another.
    #[inline]
    pub fn push(&mut self, from_ns: u64, until_ns: u64) {
        if until_ns > from_ns {
            self.entries.push((from_ns, until_ns));
        }
    }

    /// The largest depth so far.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// At the end of a stretch of the run: evaluates and discards the entries.
    pub fn evaluate(&mut self) {
        let most = if self.entries.len() <= SORTED { self.sorted() } else { self.at_moments() };
        self.most = self.most.max(most);
        self.entries.clear();
    }

    fn sorted(&self) -> u64 {
        // At the same moment what leaves goes before what comes.
        let ends = |&(from, until): &(u64, u64)| [(from, 1i64), (until, -1)];
        let mut changes: Vec<(u64, i64)> = self.entries.iter().flat_map(ends).collect();
        changes.sort_unstable();
        deepest(changes.iter().map(|c| c.1))
    }

    fn at_moments(&self) -> u64 {
        let first = self.entries.iter().map(|e| e.0).min().unwrap_or(0);
        let last = self.entries.iter().map(|e| e.1).max().unwrap_or(0);
        let step = ((last - first) / (MOMENTS as u64 - 1)).max(1);
        let mut changes = vec![0i64; MOMENTS + 2];
        // The first moment that is not before `ns`.
        let moment = |ns: u64| ((ns - first).div_ceil(step) as usize).min(MOMENTS);
        for &(from, until) in &self.entries {
            changes[moment(from)] += 1;
            changes[moment(until)] -= 1;
        }
        deepest(changes.into_iter())
    }
}

fn deepest(changes: impl Iterator<Item = i64>) -> u64 {
    let sums = changes.scan(0i64, |depth, change| {
        *depth += change;
        Some(*depth)
    });
    sums.max().unwrap_or(0).max(0) as u64
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
            let d = Depth { entries: entries.iter().map(|&(a, n)| (a, a + n)).collect(), most: 0 };
            let (exact, seen) = (d.sorted(), d.at_moments());
            prop_assert!(seen <= exact && seen * 2 >= exact, "{seen} {exact}");
        }
    }
}
