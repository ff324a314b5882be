//! Rows of a rank that are kept, found by their number.

use super::rows::Row;

/// Rows without gaps, the oldest dropped, in memory that is used again. A row is at its number modulo the room, a power of two:
/// a row is looked up a dozen times while the run is replayed, and a mask is cheaper than the wrapping of a `VecDeque`.
#[derive(Default)]
pub(super) struct Ring {
    /// Number of the first row that is kept.
    first: u64,
    len: usize,
    slots: Vec<Row>,
}

impl Ring {
    /// Number of the first row that is kept.
    pub fn first(&self) -> u64 {
        self.first
    }

    #[inline(always)]
    fn slot(&self, row: u64) -> Option<usize> {
        // Numbers before the first one are large ones.
        (row.wrapping_sub(self.first) < self.len as u64).then(|| row as usize & self.slots.len().wrapping_sub(1))
    }

    #[inline(always)]
    pub fn get(&self, row: u64) -> Option<&Row> {
        self.slots.get(self.slot(row)?)
    }

    /// What is at the place of a row, which may be another row: to be prefetched.
    #[inline(always)]
    pub fn peek(&self, row: u64) -> Option<&Row> {
        self.slots.get(row as usize & self.slots.len().wrapping_sub(1))
    }

    #[inline(always)]
    pub fn get_mut(&mut self, row: u64) -> Option<&mut Row> {
        let slot = self.slot(row)?;
        self.slots.get_mut(slot)
    }

    /// The next row.
    #[inline(always)]
    pub fn push(&mut self, row: Row) {
        if self.len == self.slots.len() {
            // Not given the row: that would put it into memory for each push, in pieces that are then slow to read as a whole.
            self.grow();
        }
        let slot = (self.first as usize).wrapping_add(self.len) & (self.slots.len() - 1);
        self.slots[slot] = row;
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![Row::default(); (self.slots.len() * 2).max(4)];
        let mask = slots.len() - 1;
        for row in self.first..self.first + self.len as u64 {
            slots[row as usize & mask] = self.slots[row as usize & (self.slots.len() - 1)];
        }
        self.slots = slots;
    }

    /// Those of the rows from `from` to before `until` that are kept.
    pub fn between(&self, from: u64, until: u64) -> impl DoubleEndedIterator<Item = &Row> {
        let end = until.min(self.first + self.len as u64);
        (from.max(self.first).min(end)..end).filter_map(|row| self.get(row))
    }

    /// Drops the rows before `row`.
    pub fn drop_before(&mut self, row: u64) {
        let count = row.saturating_sub(self.first).min(self.len as u64);
        self.first += count;
        self.len -= count as usize;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;
    use crate::efficiency::rows::{NONE, UNKNOWN};

    fn row(number: u64) -> Row {
        Row {
            start_ns: number,
            end_ns: number,
            ideal_ns: UNKNOWN,
            useful_ns: 0,
            link: NONE,
            facts: 0,
            entry: 0,
            is_aside: false,
            is_open: false,
        }
    }

    proptest! {
        #[test]
        fn is_a_queue_with_numbers(steps in prop::collection::vec((0u64..40, any::<bool>()), 0..200)) {
            let (mut ring, mut control, mut first, mut next) = (Ring::default(), VecDeque::new(), 0, 0);
            for (count, is_pushed) in steps {
                for _ in 0..count {
                    if is_pushed {
                        ring.push(row(next));
                        control.push_back(next);
                        next += 1;
                    } else if control.pop_front().is_some() {
                        first += 1;
                    }
                }
                ring.drop_before(first);
                prop_assert_eq!(ring.first(), first);
                for number in first.saturating_sub(3)..next + 3 {
                    let found = ring.get(number).map(|r| r.start_ns);
                    prop_assert_eq!(found, (first..next).contains(&number).then_some(number));
                    prop_assert_eq!(ring.get_mut(number).map(|r| r.end_ns), found);
                }
                let (from, until) = (first.saturating_sub(2) + count / 4, next + 2 - count / 8);
                let found: Vec<u64> = ring.between(from, until).map(|r| r.start_ns).collect();
                let wanted: Vec<u64> = control.iter().copied().filter(|n| (from..until).contains(n)).collect();
                prop_assert_eq!(&found, &wanted);
                prop_assert!(ring.between(from, until).rev().map(|r| r.start_ns).eq(wanted.into_iter().rev()));
            }
        }
    }
}
