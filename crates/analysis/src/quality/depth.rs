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

/// The most bytes that were in a queue at once. Like a depth, it is a lower bound if many entries are added in a short time.
#[derive(Default)]
pub(crate) struct Volume {
    /// Entries of the current stretch of the run: from when until when, and bytes.
    entries: Vec<(u64, u64, u64)>,
    most: u64,
}

impl Volume {
    /// An entry was in the queue from one moment to another.
    #[inline]
    pub fn push(&mut self, from_ns: u64, until_ns: u64, bytes: u64) {
        if until_ns > from_ns {
            self.entries.push((from_ns, until_ns, bytes));
        }
    }

    /// The most so far.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// At the end of a stretch of the run: evaluates and discards the entries.
    pub fn evaluate(&mut self) {
        let all = self.entries.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.2));
        // So few are never more.
        if all > self.most {
            let most = if self.entries.len() <= SORTED { self.sorted() } else { self.at_moments() };
            self.most = self.most.max(most);
        }
        self.entries.clear();
    }

    fn sorted(&self) -> u64 {
        let both = |&(from_ns, until_ns, bytes): &(u64, u64, u64)| [(until_ns, false, bytes), (from_ns, true, bytes)];
        let mut changes: Vec<(u64, bool, u64)> = self.entries.iter().flat_map(both).collect();
        // At the same moment what leaves goes before what comes.
        changes.sort_unstable();
        largest(changes.iter().map(|&(_, comes, bytes)| (if comes { bytes } else { 0 }, if comes { 0 } else { bytes })))
    }

    fn at_moments(&self) -> u64 {
        let first = self.entries.iter().map(|entry| entry.0).min().unwrap_or(0);
        let last = self.entries.iter().map(|entry| entry.1).max().unwrap_or(0);
        let step = ((last - first) / (MOMENTS as u64 - 1)).max(1);
        let moment = |ns: u64| ((ns - first).div_ceil(step) as usize).min(MOMENTS);
        let mut changes = vec![(0u64, 0u64); MOMENTS + 1];
        for &(from_ns, until_ns, bytes) in &self.entries {
            // An entry between two moments is at none.
            if moment(from_ns) < moment(until_ns) {
                let (from, until) = (moment(from_ns), moment(until_ns));
                changes[from].0 = changes[from].0.saturating_add(bytes);
                changes[until].1 = changes[until].1.saturating_add(bytes);
            }
        }
        largest(changes.into_iter())
    }
}

/// The largest of sums, from what comes and what leaves at each moment; it leaves first.
fn largest(changes: impl Iterator<Item = (u64, u64)>) -> u64 {
    let sums = changes.scan(0u64, |sum, (comes, leaves)| {
        *sum = sum.saturating_sub(leaves).saturating_add(comes);
        Some(*sum)
    });
    sums.max().unwrap_or(0)
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

    #[test]
    fn bytes_at_once() {
        let mut volume = Volume::default();
        for (from_ns, until_ns, bytes) in [(0, 10, 100), (5, 15, 10), (10, 20, 50), (30, 30, 1000)] {
            volume.push(from_ns, until_ns, bytes);
        }
        volume.evaluate();
        assert_eq!(volume.most(), 110);
        volume.push(100, 200, 60);
        volume.push(100, 200, 60);
        volume.evaluate();
        assert_eq!(volume.most(), 120);
    }

    proptest! {
        /// With entries of one byte, it is the depth; many at a time may be fewer, and are never more.
        #[test]
        fn bytes_are_depths_of_entries(entries in prop::collection::vec((0u64..1000, 1u64..100), 1..6000)) {
            let (mut depth, mut volume) = (Depth::default(), Volume::default());
            for (from_ns, length_ns) in &entries {
                depth.push(*from_ns, from_ns + length_ns);
                volume.push(*from_ns, from_ns + length_ns, 1);
            }
            depth.evaluate();
            volume.evaluate();
            prop_assert!(volume.most() <= entries.len() as u64);
            if entries.len() <= SORTED {
                prop_assert_eq!(depth.most(), volume.most());
            }
        }
    }
}
