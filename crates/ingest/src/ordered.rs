//! A small list sorted by number.

use std::collections::VecDeque;

/// Waiting items by number. Items are added and removed nearly in order, so the position is estimated from the first; other
/// positions need a search. Memory depends on the number of items, not on their numbers.
pub(crate) struct Ordered<T>(VecDeque<(u64, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(VecDeque::new())
    }
}

impl<T> Ordered<T> {
    /// Where `number` stands, or would stand.
    pub fn find(&self, number: u64) -> Result<usize, usize> {
        let (Some((first, _)), Some((last, _))) = (self.0.front(), self.0.back()) else { return Err(0) };
        if *last < number {
            return Err(self.0.len());
        }
        let guess = number.wrapping_sub(*first) as usize;
        if self.0.get(guess).is_some_and(|(n, _)| *n == number) {
            return Ok(guess);
        }
        self.0.binary_search_by_key(&number, |(n, _)| *n)
    }

    /// The item at a position that [`Ordered::find`] returned.
    pub fn at(&mut self, at: usize) -> &mut T {
        &mut self.0[at].1
    }

    /// Inserts an item at the position that [`Ordered::find`] returned for it.
    pub fn insert(&mut self, at: usize, number: u64, thing: T) {
        if at == self.0.len() {
            self.0.push_back((number, thing));
        } else {
            self.0.insert(at, (number, thing));
        }
    }

    /// Takes out what stands there.
    pub fn remove(&mut self, at: usize) -> Option<T> {
        if at == 0 { self.0.pop_front() } else { self.0.remove(at) }.map(|(_, thing)| thing)
    }

    /// Everything, in order.
    pub fn iter(&self) -> impl Iterator<Item = &(u64, T)> {
        self.0.iter()
    }

    /// Takes out everything, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, T)> {
        self.0.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn is_a_map(steps in prop::collection::vec((0u64..40, any::<bool>(), any::<bool>()), 0..300)) {
            let (mut tried, mut control) = (Ordered::default(), BTreeMap::new());
            for (number, far, take) in steps {
                let number = if far { number << 58 } else { number };
                match tried.find(number) {
                    Ok(at) if take => prop_assert_eq!(tried.remove(at), control.remove(&number)),
                    Ok(at) => prop_assert_eq!(*tried.at(at), control[&number]),
                    Err(at) => {
                        prop_assert_eq!(control.insert(number, number + 1), None);
                        tried.insert(at, number, number + 1);
                    }
                }
            }
            prop_assert_eq!(tried.drain().collect::<Vec<_>>(), control.into_iter().collect::<Vec<_>>());
        }
    }
}
