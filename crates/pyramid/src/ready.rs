//! A row that is ready, before anybody has put it into columns of their own.

use crate::query::Cells;
use crate::row::{Cell, Longest, Row};

/// A row of an answer. It stands in memory that the next row uses again: whoever asks takes out of it what they want.
pub struct Ready<'a> {
    row: &'a Row,
    /// Function id by place.
    ids: &'a [u16],
    /// Places in the order in which they are answered, if not their own.
    places: Option<Vec<usize>>,
    is_exact: bool,
}

/// A call that is the longest of those that touch a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestCall {
    /// How long it took.
    pub ns: u64,
    /// Its rank.
    pub rank: u32,
    /// Its number in the rank.
    pub row: u64,
}

impl<'a> Ready<'a> {
    pub(crate) fn new(row: &'a Row, ids: &'a [u16], is_exact: bool) -> Ready<'a> {
        Ready { row, ids, places: None, is_exact }
    }

    /// The row of a drawing, whose functions came in any order: answered in that of the preview, `position` by id, waiting first.
    /// So a cell does not change when it is drawn more finely.
    pub(crate) fn drawn(row: &'a Row, ids: &'a [u16], position: impl Fn(u16) -> usize) -> Ready<'a> {
        let key = |id: u16| (id != crate::WAITING, position(id), id);
        let places = (!ids.is_sorted_by_key(|&id| key(id))).then(|| {
            let mut places: Vec<usize> = (0..ids.len()).collect();
            places.sort_unstable_by_key(|&place| key(ids[place]));
            places
        });
        Ready { row, ids, places, is_exact: true }
    }

    /// How many cells it has.
    pub fn bins(&self) -> usize {
        self.row.bins
    }

    /// Whether no bin of the preview was wider than those asked for.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Entries of all cells together.
    pub fn count_entries(&self) -> usize {
        self.row.count_entries()
    }

    /// Functions of a cell, always in the same order, and the time in each, ns.
    #[inline]
    pub fn each_entry(&self, bin: usize, mut take: impl FnMut(u16, u64)) {
        let id = |place: usize| self.ids.get(place).copied().unwrap_or_default();
        match &self.places {
            None => self.row.entries(bin).for_each(|(place, time_ns)| take(id(place), time_ns)),
            Some(places) => {
                for &place in places {
                    if let Some(time_ns) = self.row.entry(bin, place) {
                        take(id(place), time_ns);
                    }
                }
            }
        }
    }

    /// Calls that begin in a cell.
    #[inline]
    pub fn calls(&self, bin: usize) -> u64 {
        self.row.cell(bin).calls
    }

    /// The longest call that touches a cell.
    #[inline]
    pub fn longest(&self, bin: usize) -> Option<LongestCall> {
        let Longest { ns, rank, row } = self.row.cell(bin).longest;
        (rank != u32::MAX).then_some(LongestCall { ns, rank, row })
    }

    /// As columns: entries of cell `i` end at `offset[i]`.
    pub(crate) fn columns(&self) -> Cells {
        let mut cells = Cells { is_exact: self.is_exact, ..Cells::default() };
        cells.reserve(self.count_entries(), self.bins());
        for bin in 0..self.bins() {
            self.each_entry(bin, |function, time_ns| {
                cells.function.push(function);
                cells.time_ns.push(time_ns);
            });
            cells.offset.push(cells.function.len() as u32);
            let Cell { calls, longest } = self.row.cell(bin);
            cells.calls.push(calls);
            cells.longest_ns.push(longest.ns);
            cells.longest_rank.push(longest.rank);
            cells.longest_row.push(longest.row);
        }
        cells
    }
}
