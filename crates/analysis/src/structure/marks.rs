//! Beginnings of iterations, evenly thinned: few enough to keep, however many iterations a loop has.

/// Beginnings that are kept of each loop and rank.
pub(crate) const MOST: usize = 1000;

/// Pushes one of at most `most` values, for which the list takes no more memory than they need: there is one for each call
/// site of each rank.
#[inline]
pub(crate) fn push_up_to<T>(list: &mut Vec<T>, value: T, most: usize) {
    if list.len() == list.capacity() {
        let twice = (list.len() * 2).clamp(4, most.max(4));
        list.reserve_exact(twice.saturating_sub(list.len()).max(1));
    }
    list.push(value);
}

/// The beginning of every so many-th iteration.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    every: u64,
    ns: Vec<u64>,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks { every: 1, ns: Vec::new() }
    }
}

impl Marks {
    /// Iteration `turn` has begun; they come in order from 0. At most `most` are kept.
    #[inline]
    pub fn push(&mut self, turn: u64, at_ns: u64, most: usize) {
        if turn != self.every * self.ns.len() as u64 {
            return;
        }
        let most = most.clamp(2, MOST) & !1;
        push_up_to(&mut self.ns, at_ns, most);
        if self.ns.len() >= most {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let mut at = 0;
        self.ns.retain(|_| {
            at += 1;
            at % 2 == 1
        });
        self.every *= 2;
    }

    /// The same of iterations that begin where the one before ends, which is what is marked; the first at `first_ns`, the
    /// last mark at `last_ns`.
    pub fn ends_as_beginnings(&self, first_ns: u64, turns: u64, last_ns: u64) -> Marks {
        let at = |nth: usize| match nth {
            0 => first_ns,
            nth => self.at(nth as u64 * self.every - 1, turns, last_ns).max(first_ns),
        };
        Marks { every: self.every, ns: (0..self.ns.len()).map(at).collect() }
    }

    /// One in so many iterations is kept: a power of two.
    pub fn every(&self) -> u64 {
        self.every
    }

    /// Beginning of an iteration; between two that are kept, on a straight line. `end_ns` is the end of iteration `turns` − 1, the
    /// last.
    pub fn at(&self, turn: u64, turns: u64, end_ns: u64) -> u64 {
        let (before, part) = ((turn / self.every) as usize, turn % self.every);
        let Some(last) = self.ns.len().checked_sub(1) else { return end_ns };
        let from_ns = self.ns[before.min(last)];
        if part == 0 && before <= last {
            return from_ns;
        }
        let (first, until, until_ns) = match self.ns.get(before + 1) {
            Some(&next_ns) => (before as u64 * self.every, (before as u64 + 1) * self.every, next_ns),
            None => (before.min(last) as u64 * self.every, turns, end_ns),
        };
        let share = turn.saturating_sub(first) as f64 / until.saturating_sub(first).max(1) as f64;
        from_ns + (until_ns.saturating_sub(from_ns) as f64 * share.min(1.0)) as u64
    }

    /// Those that are kept and lie in a stretch of time.
    pub fn between(&self, from_ns: u64, until_ns: u64) -> &[u64] {
        let first = self.ns.partition_point(|&ns| ns < from_ns);
        let last = self.ns.partition_point(|&ns| ns < until_ns);
        self.ns.get(first..last).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_so_many_turns() {
        let mut marks = Marks::default();
        (0..100u64).for_each(|turn| marks.push(turn, 5 + turn * 10, 8));
        assert!(marks.ns.len() < 8 && marks.every() == 16, "{marks:?}");
        assert_eq!([0, 16, 20, 96, 98].map(|t| marks.at(t, 100, 1005)), [5, 165, 205, 965, 985]);
        assert_eq!(marks.between(160, 330), [165, 325]);
        assert_eq!(marks.between(330, 160), [0u64; 0]);
    }
}
