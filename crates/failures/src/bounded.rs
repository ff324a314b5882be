//! Sets that stop growing, so that memory does not depend on the log.

use std::collections::BTreeSet;

/// Values of a set, up to a number of them.
#[derive(Clone, Debug)]
pub struct Bounded<T> {
    values: BTreeSet<T>,
    most: usize,
}

impl<T: Ord> Bounded<T> {
    /// An empty set of at most `most` values.
    pub fn new(most: usize) -> Self {
        Self { values: BTreeSet::new(), most }
    }

    /// Adds a value if there is room; whether it is new.
    pub fn insert(&mut self, value: T) -> bool {
        self.values.len() < self.most && self.values.insert(value)
    }

    /// Whether the value adds nothing: it is there, or there is no room.
    pub fn is_known(&self, value: &T) -> bool {
        self.values.len() >= self.most || self.values.contains(value)
    }

    /// The values in order.
    pub fn into_vec(self) -> Vec<T> {
        self.values.into_iter().collect()
    }
}
