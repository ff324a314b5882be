//! Calls, column by column.

use crate::rows::{Call, CallInfo, Detail};

/// Calls as columns of the same length, but for `detail`.
#[derive(Clone, Debug, Default)]
pub struct CallColumns {
    /// Whose.
    pub rank: Vec<u32>,
    /// Thread in the rank.
    pub thread: Vec<u16>,
    /// Number in the rank.
    pub row: Vec<u64>,
    /// Entry.
    pub start_ns: Vec<u64>,
    /// Return.
    pub end_ns: Vec<u64>,
    /// Index into the rank's [`CallInfo`]. It may lie outside where a file is damaged.
    pub call_info: Vec<u32>,
    /// Calls in the row: more than one only for polls.
    pub calls: Vec<u32>,
    /// Bits that differ from call to call: `NESTED`.
    pub flags: Vec<u16>,
    /// Index into [`CallColumns::details`] plus one, 0 for a call of which [`CallInfo`] say all. Empty if that holds for all.
    detail: Vec<u32>,
    /// Arguments of calls of which [`CallInfo`] do not say all.
    pub details: Vec<Detail>,
}

/// What was kept of the calls of a window.
#[derive(Clone, Debug, Default)]
pub struct WindowCalls {
    /// In order of rank and row.
    pub rows: CallColumns,
    /// Calls that were wanted: more than there are `rows` where the limit cut the shorter ones off.
    pub total: u64,
}

impl CallColumns {
    /// How many.
    pub fn len(&self) -> usize {
        self.rank.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rank.is_empty()
    }

    /// One of them as a row; `detail` points into [`CallColumns::details`].
    pub fn call(&self, at: usize) -> Call {
        Call {
            start_ns: self.start_ns[at],
            end_ns: self.end_ns[at],
            facts: self.call_info[at],
            detail: self.detail.get(at).copied().unwrap_or(0),
            calls: self.calls[at],
            thread: self.thread[at],
            flags: self.flags[at],
        }
    }

    /// Its arguments where [`CallInfo`] do not say all.
    pub fn detail(&self, at: usize) -> Option<&Detail> {
        self.details.get((*self.detail.get(at)? as usize).checked_sub(1)?)
    }

    /// What a call that is there has for arguments, of which [`CallInfo`] do not say all.
    pub(super) fn spell(&mut self, at: usize, detail: Detail) {
        self.details.push(detail);
        self.detail.resize(self.len(), 0);
        self.detail[at] = self.details.len() as u32;
    }

    /// What it has in common with other calls, from the tables of all ranks.
    pub fn call_info_of<'a>(&self, at: usize, call_info: &'a [Vec<CallInfo>]) -> Option<&'a CallInfo> {
        call_info.get(self.rank[at] as usize)?.get(self.call_info[at] as usize)
    }

    /// How long it took.
    pub fn duration_ns(&self, at: usize) -> u64 {
        self.end_ns[at].saturating_sub(self.start_ns[at])
    }

    /// Adds a call of `other`.
    pub fn push(&mut self, other: &CallColumns, at: usize) {
        self.rank.push(other.rank[at]);
        self.thread.push(other.thread[at]);
        self.row.push(other.row[at]);
        self.start_ns.push(other.start_ns[at]);
        self.end_ns.push(other.end_ns[at]);
        self.call_info.push(other.call_info[at]);
        self.calls.push(other.calls[at]);
        self.flags.push(other.flags[at]);
        match other.detail(at) {
            Some(detail) => self.spell(self.len() - 1, *detail),
            None if self.detail.is_empty() => {}
            None => self.detail.push(0),
        }
    }

    /// These of them, in this order.
    pub fn select(&self, places: &[usize]) -> CallColumns {
        let mut selected = CallColumns::default();
        places.iter().for_each(|&at| selected.push(self, at));
        selected
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        self.len() * super::calls::BYTES_OF_CALL
            + self.detail.len() * size_of::<u32>()
            + self.details.len() * size_of::<Detail>()
    }

    /// Places in order of rank and row.
    fn order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.len()).collect();
        places.sort_unstable_by_key(|&at| (self.rank[at], self.row[at]));
        places
    }
}

/// Calls that may become [`WindowCalls`]: never more than twice the limit.
pub(super) struct Longest {
    rows: CallColumns,
    limit: usize,
    total: u64,
}

impl Longest {
    pub fn new(limit: usize) -> Longest {
        Longest { rows: CallColumns::default(), limit, total: 0 }
    }

    pub fn push_row(&mut self, from: &CallColumns, at: usize) {
        self.total += 1;
        if self.limit > 0 {
            self.rows.push(from, at);
        }
        if self.rows.len() > self.limit.saturating_mul(2) {
            self.cut();
        }
    }

    pub fn join(mut self, other: Longest) -> Longest {
        self.total += other.total;
        (0..other.rows.len()).for_each(|at| self.rows.push(&other.rows, at));
        if self.rows.len() > self.limit.saturating_mul(2) {
            self.cut();
        }
        self
    }

    /// Only the longest stay.
    fn cut(&mut self) {
        if self.rows.len() <= self.limit {
            return;
        }
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        if self.limit > 0 {
            let rows = &self.rows;
            places.select_nth_unstable_by_key(self.limit - 1, |&at| {
                (std::cmp::Reverse(rows.duration_ns(at)), rows.rank[at], rows.row[at])
            });
        }
        places.truncate(self.limit);
        self.rows = self.rows.select(&places);
    }

    pub fn into_calls(mut self) -> WindowCalls {
        self.cut();
        WindowCalls { rows: self.rows.select(&self.rows.order()), total: self.total }
    }
}
