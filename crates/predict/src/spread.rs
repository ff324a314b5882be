//! Some of many things, evenly spread over the run.

/// At most `MOST` of the things that come one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Spread<T, const MOST: usize> {
    kept: Vec<T>,
    every: u64,
    seen: u64,
}

impl<T, const MOST: usize> Default for Spread<T, MOST> {
    fn default() -> Self {
        Spread { kept: Vec::new(), every: 1, seen: 0 }
    }
}

impl<T, const MOST: usize> Spread<T, MOST> {
    /// The next one comes; it is made only if it is kept.
    pub fn push(&mut self, make: impl FnOnce() -> Option<T>) {
        if self.seen.is_multiple_of(self.every) {
            if self.kept.len() == MOST {
                let mut at = 0;
                self.kept.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.every *= 2;
            }
            if self.seen.is_multiple_of(self.every) {
                self.kept.extend(make());
            }
        }
        self.seen += 1;
    }

    /// Those that are kept, in order.
    pub fn kept(&self) -> &[T] {
        &self.kept
    }

    /// How many came.
    pub fn seen(&self) -> u64 {
        self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_evenly_spread() {
        let mut spread = Spread::<u64, 8>::default();
        (0..100).for_each(|at| spread.push(|| Some(at)));
        assert_eq!(spread.kept(), [0, 16, 32, 48, 64, 80, 96]);
        assert_eq!(spread.seen(), 100);
    }
}
