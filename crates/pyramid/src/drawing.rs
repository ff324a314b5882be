//! Cells of stretches that somebody has at hand: the same that the file would say, in bins as narrow as wanted.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::ready::Ready;
use crate::row::{FunctionSpan, Longest, Row};

/// Most functions that a row has room for at first.
const FUNCTIONS: usize = 8;

/// A call, or a stretch of waiting inside of one.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// When it began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// Function id, or [`crate::WAITING`].
    pub function: u16,
    /// Calls that it counts for, where it begins.
    pub calls: u32,
    /// Whether its time counts: not that of a call inside another.
    pub has_time: bool,
    /// Rank and number in it; none for what is no call.
    pub call: Option<(u32, u64)>,
}

/// Rows of cells that several threads draw into. Rows that nothing is drawn into take no memory.
pub struct Drawing {
    shift: u8,
    first_bin: u64,
    bins: usize,
    functions: usize,
    rows: Vec<Mutex<Option<Drawn>>>,
}

/// Draws into one row, which nobody else does meanwhile.
pub struct Pen<'a>(MutexGuard<'a, Option<Drawn>>);

/// A row with the functions that occur in it, in the order in which they came.
struct Drawn {
    row: Row,
    functions: Vec<u16>,
}

impl Drawing {
    /// Of `rows` rows with `bins` bins of `2^shift` ns from number `first_bin` on. There will be about `functions` different
    /// functions: room that nobody needs takes time to be cleared.
    pub fn new(shift: u8, first_bin: u64, bins: usize, rows: usize, functions: usize) -> Drawing {
        let rows = (0..rows).map(|_| Mutex::new(None)).collect();
        Drawing { shift, first_bin, bins, functions: functions.clamp(1, FUNCTIONS), rows }
    }

    /// To draw into a row, if there is such a one.
    pub fn pen(&self, row: usize) -> Option<Pen<'_>> {
        let mut row = self.rows.get(row)?.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Row::new(self.shift, self.first_bin, self.bins, self.functions);
        row.get_or_insert_with(|| Drawn { row: new(), functions: Vec::new() });
        Some(Pen(row))
    }

    /// What `take` makes of each row, with its number. `order` has functions in the order in which cells list them
    /// ([`crate::Pyramid::functions`]); others follow by id.
    pub fn finish<T: Send>(self, order: &[u16], take: impl Fn(usize, &Ready<'_>) -> T + Sync) -> Vec<T> {
        let known = order.iter().max().map_or(0, |&most| usize::from(most) + 1);
        let mut positions = vec![usize::MAX; known];
        order.iter().enumerate().for_each(|(position, &id)| positions[usize::from(id)] = position);
        let position = |id: u16| positions.get(usize::from(id)).copied().unwrap_or(usize::MAX);
        let nothing = Row::new(self.shift, self.first_bin, self.bins, 0);
        let of_row = |(at, row): (usize, Mutex<Option<Drawn>>)| {
            let drawn = row.into_inner().unwrap_or_else(PoisonError::into_inner);
            let (row, functions) = drawn.as_ref().map_or((&nothing, &[][..]), |d| (&d.row, &d.functions));
            take(at, &Ready::drawn(row, functions, position))
        };
        self.rows.into_par_iter().enumerate().map(of_row).collect()
    }
}

impl Pen<'_> {
    /// Draws what of a bar lies inside.
    #[inline]
    pub fn put(&mut self, bar: &Bar) {
        if let Some(drawn) = &mut *self.0 {
            drawn.put(bar);
        }
    }
}

impl Drawn {
    #[inline]
    fn put(&mut self, bar: &Bar) {
        let function = self.place(bar.function);
        let longest = bar.call.map_or(Longest::NONE, |(rank, row)| Longest {
            ns: bar.end_ns.saturating_sub(bar.start_ns),
            rank,
            row,
        });
        if bar.calls > 0 {
            self.row.count(bar.start_ns, bar.calls.into());
        }
        let Bar { start_ns, end_ns, has_time, .. } = *bar;
        self.row.add_span(&FunctionSpan { start_ns, end_ns, function, has_time, longest });
    }

    fn place(&mut self, function: u16) -> usize {
        if let Some(at) = self.functions.iter().position(|&known| known == function) {
            return at;
        }
        if self.functions.len() == self.row.functions() {
            let mut wider = Row::new(self.row.shift, self.row.first, self.row.bins, 2 * self.functions.len());
            wider.add(&self.row);
            self.row = wider;
        }
        self.functions.push(function);
        self.functions.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cells;

    #[test]
    fn bars_become_cells() {
        let drawing = Drawing::new(3, 2, 4, 3, 2);
        let put = |row: usize, bar: &Bar| drawing.pen(row).unwrap().put(bar);
        let bar = |start_ns, end_ns, function, call| Bar { start_ns, end_ns, function, calls: 1, has_time: true, call };
        // Twelve functions, the last first: more than there is room for at the beginning.
        (1..=12).rev().for_each(|function| put(2, &bar(20, 36, function, Some((7, function.into())))));
        put(0, &Bar { has_time: false, ..bar(0, 17, 5, Some((1, 3))) });
        assert!(drawing.pen(9).is_none());
        let cells = Cells::join(drawing.finish(&[], |_, row| row.columns()), 4);
        assert_eq!(cells.offset, [0, 1, 1, 1, 1, 1, 1, 1, 1, 13, 25, 37, 37]);
        assert_eq!((cells.function[0], cells.time_ns[0], cells.longest_ns[0], cells.longest_row[0]), (5, 0, 17, 3));
        assert_eq!((cells.calls[0], cells.calls[8], cells.calls[9]), (0, 12, 0));
        assert_eq!(cells.function[1..13], (1..=12).collect::<Vec<u16>>());
        assert_eq!((cells.time_ns[1], cells.time_ns[13], cells.time_ns[25]), (4, 8, 4));
        // Of equally long ones the first.
        assert_eq!((cells.longest_rank[9], cells.longest_row[9], cells.longest_rank[4]), (7, 1, u32::MAX));
    }
}
