//! From rows of one rank to small numbers.

use rustc_hash::FxHashMap;

/// Rows of the present batch have their own slot, which takes no hashing; the few older ones are in a map. No row is used
/// before the batch that has it.
#[derive(Default)]
pub(crate) struct RowMap {
    first_row: u64,
    /// By row: its number plus one.
    slots: Vec<u32>,
    in_slots: usize,
    older: FxHashMap<u64, u32>,
}

impl RowMap {
    fn slot(&self, row: u64) -> Option<usize> {
        let at = usize::try_from(row.checked_sub(self.first_row)?).ok()?;
        (at < self.slots.len()).then_some(at)
    }

    /// The number of a row.
    #[inline]
    pub fn get(&self, row: u64) -> Option<u32> {
        match self.slot(row) {
            Some(at) => self.slots[at].checked_sub(1),
            None => self.older.get(&row).copied(),
        }
    }

    /// Gives a number to a row that has none.
    #[inline]
    pub fn insert(&mut self, row: u64, number: u32) {
        match self.slot(row) {
            Some(at) => {
                self.slots[at] = number + 1;
                self.in_slots += 1;
            }
            None => {
                self.older.insert(row, number);
            }
        }
    }

    /// Takes the number of a row that has one.
    #[inline]
    pub fn remove(&mut self, row: u64) {
        match self.slot(row) {
            Some(at) => {
                self.slots[at] = 0;
                self.in_slots -= 1;
            }
            None => {
                self.older.remove(&row);
            }
        }
    }

    /// The next batch has these rows.
    pub fn begin(&mut self, first_row: u64, rows: usize) {
        if self.in_slots > 0 {
            let numbers = (self.first_row..).zip(&self.slots);
            self.older.extend(numbers.filter_map(|(row, &number)| Some((row, number.checked_sub(1)?))));
            self.in_slots = 0;
        }
        self.slots.clear();
        self.slots.resize(rows, 0);
        self.first_row = first_row;
    }

    /// Takes out everything, in order of rows.
    pub fn drain(&mut self) -> Vec<(u64, u32)> {
        self.begin(0, 0);
        let mut all: Vec<(u64, u32)> = self.older.drain().collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn is_a_map(batches in prop::collection::vec((0usize..9, prop::collection::vec((0u64..40, any::<bool>()), 0..30)), 0..12)) {
            let (mut tried, mut control, mut first_row) = (RowMap::default(), BTreeMap::new(), 0);
            for (rows, steps) in batches {
                tried.begin(first_row, rows);
                for (row, is_taken) in steps.into_iter().filter(|(row, _)| *row < first_row + rows as u64) {
                    prop_assert_eq!(tried.get(row), control.get(&row).copied());
                    if is_taken && control.remove(&row).is_some() {
                        tried.remove(row);
                    } else if !is_taken && !control.contains_key(&row) {
                        tried.insert(row, row as u32 * 3);
                        control.insert(row, row as u32 * 3);
                    }
                }
                first_row += rows as u64;
            }
            prop_assert_eq!(tried.drain(), control.into_iter().collect::<Vec<_>>());
            prop_assert!(tried.drain().is_empty());
        }
    }
}
