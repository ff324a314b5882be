//! Where moments of a recorded run are in the copy.

/// Moments that are kept one by one; older ones are thinned out.
const RECENT: usize = 1 << 12;

/// A line through moments of which both times are known, straight between them. It never decreases.
///
/// All recent moments are kept; of older ones fewer, the older the fewer. Only a long region asks for an old moment, and its
/// length does not depend on the thousandth part of it.
#[derive(Clone, Debug)]
pub struct TimeMap {
    /// Recorded, and in the copy, ns. Both ascending; never empty.
    points: Vec<(u64, u64)>,
}

impl TimeMap {
    /// One known moment: all others are as far from it as they were.
    pub fn new(recorded_ns: u64, copy_ns: u64) -> TimeMap {
        TimeMap { points: vec![(recorded_ns, copy_ns)] }
    }

    /// The last recorded moment that is known.
    pub fn until_ns(&self) -> u64 {
        self.last().0
    }

    fn last(&self) -> (u64, u64) {
        self.points.last().copied().unwrap_or_default()
    }

    /// Adds a moment; one before the last is taken to be the last.
    pub fn add(&mut self, recorded_ns: u64, copy_ns: u64) {
        let last = self.last();
        let next = (recorded_ns.max(last.0), copy_ns.max(last.1));
        if next == last {
            return;
        }
        if self.points.len() == 2 * RECENT {
            // Every second of the older half.
            let mut at = 0;
            self.points.retain(|_| {
                at += 1;
                at > RECENT || at % 2 == 1
            });
        }
        self.points.push(next);
    }

    /// Where a recorded moment is in the copy, ns.
    pub fn at(&self, recorded_ns: u64) -> u64 {
        let after = self.points.partition_point(|point| point.0 <= recorded_ns);
        let Some(&(from, from_copy)) = after.checked_sub(1).and_then(|at| self.points.get(at)) else {
            let (first, first_copy) = self.points.first().copied().unwrap_or_default();
            return first_copy.saturating_sub(first - recorded_ns);
        };
        match self.points.get(after) {
            None => from_copy.saturating_add(recorded_ns - from),
            Some(&(until, until_copy)) => {
                let part =
                    u128::from(until_copy - from_copy) * u128::from(recorded_ns - from) / u128::from(until - from);
                from_copy + part as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_between_calls_keep_their_place() {
        let mut map = TimeMap::new(1000, 1000);
        map.add(2000, 1500);
        map.add(2000, 1700);
        map.add(3000, 3700);
        assert_eq!(
            [0, 1000, 1500, 1999, 2000, 2500, 3000, 3100].map(|at| map.at(at)),
            [0, 1000, 1250, 1499, 1700, 2700, 3700, 3800]
        );
        assert_eq!(map.until_ns(), 3000);
    }

    proptest! {
        #[test]
        fn it_never_decreases(steps in prop::collection::vec((0u64..1000, 0u64..1000), 1..20_000), asked in prop::collection::vec(0u64..10_000_000, 50)) {
            let mut map = TimeMap::new(10, 20);
            let (mut recorded, mut copy) = (10, 20);
            for (more, more_copy) in steps {
                (recorded, copy) = (recorded + more, copy + more_copy);
                map.add(recorded, copy);
            }
            prop_assert!(map.points.len() <= 2 * RECENT);
            prop_assert_eq!(map.at(recorded), copy);
            let mut asked = asked;
            asked.sort_unstable();
            let found: Vec<u64> = asked.iter().map(|&at| map.at(at)).collect();
            prop_assert!(found.is_sorted());
        }
    }
}
