//! Selects the row groups to read, or a representative sample of them.

use std::ops::RangeInclusive;

use super::index::{Files, Part};

/// What the smallest and largest values of columns must meet; nothing is asked of other columns.
#[derive(Clone, Debug, Default)]
pub struct Zone(Vec<(&'static [&'static str], RangeInclusive<i64>)>);

impl Zone {
    /// One of these columns has a value in this range.
    pub fn with(mut self, columns: &'static [&'static str], values: RangeInclusive<i64>) -> Zone {
        self.0.push((columns, values));
        self
    }

    pub(super) fn meets(&self, part: &Part, group: usize) -> bool {
        self.0.iter().all(|(columns, values)| {
            columns.iter().any(|column| {
                let bounds = part.bounds(group, column);
                bounds.least <= *values.end() && bounds.most >= *values.start()
            })
        })
    }
}

/// Row groups of a table, in order: file and number, and rows.
#[derive(Clone, Debug)]
pub struct RowGroups(pub(super) Vec<((usize, usize), u64)>);

impl RowGroups {
    pub(super) fn from_groups(files: &Files, groups: Vec<(usize, usize)>) -> RowGroups {
        RowGroups(groups.into_iter().map(|key| (key, files.0[key.0].rows(key.1) as u64)).collect())
    }

    /// Rows that have to be gone through.
    pub fn rows(&self) -> u64 {
        self.0.iter().map(|(_, rows)| rows).sum()
    }

    /// Some of them, evenly spread, that have about so many rows, and their share of all rows. The same each time.
    pub fn sample(&self, rows: u64) -> (RowGroups, f64) {
        let all = self.rows();
        if all <= rows || self.0.is_empty() {
            return (self.clone(), 1.0);
        }
        let count = (self.0.len() as u128 * u128::from(rows) / u128::from(all)).max(1) as usize;
        // Neither all of the same ranks nor all of the same time: files take turns, times go on.
        let step = self.0.len() as f64 / count as f64;
        let chosen: Vec<_> = (0..count).map(|at| self.0[((at as f64 + 0.5) * step) as usize]).collect();
        let chosen = RowGroups(chosen);
        let share = chosen.rows() as f64 / all as f64;
        (chosen, share)
    }
}
