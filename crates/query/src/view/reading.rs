//! Reading calls for an answer: all of them, or a sample where that would take too long.

use std::ops::Range;

use mpiscope_store::{CallColumns, CallInfo, Message, RowGroups};
use serde::Serialize;

use super::opened_run::{Selection, asking};
use super::{Cancel, Filter, OpenedRun, ViewError};

/// Rows that are always read, without checking the effort: some tenths of a second.
const FEW_ROWS: u64 = 3 << 20;
/// Rows of a sample.
const SAMPLE_ROWS: u64 = 3 << 19;
/// The same for messages, which are five times as large.
const FEW_MESSAGES: u64 = 1 << 20;
const SAMPLE_MESSAGES: u64 = 1 << 19;

/// The required quality of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Care {
    /// All calls are read, however long that takes.
    #[default]
    Exact,
    /// An answer within some tenths of a second: from tables, or from a sample.
    Quick,
}

/// The basis of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Basis {
    /// Every call.
    Calls,
    /// Tables of the preview: counts are exact, values are those of bins.
    Bins {
        /// Their window, which may be slightly larger than the requested one.
        from_ns: u64,
        /// See `from_ns`.
        until_ns: u64,
        /// Width of bins of time.
        bin_ns: u64,
        /// Width of bins of durations and sizes, as a share of the value.
        share: f64,
    },
    /// Some intervals of some ranks.
    Sample {
        /// Share of all calls that would have to be read.
        share: f64,
    },
}

impl OpenedRun {
    /// Row groups for calls of a filter.
    fn call_groups(&self, filter: &Filter, care: Care) -> (RowGroups, Basis) {
        let groups = self.rows.call_groups(&self.wanted(filter), &filter.zone());
        match care {
            Care::Quick if groups.rows() > FEW_ROWS => {
                let (some, share) = groups.sample(SAMPLE_ROWS);
                (some, Basis::Sample { share })
            }
            _ => (groups, Basis::Calls),
        }
    }

    /// Whether the calls of a filter are always read individually.
    pub(crate) fn is_few(&self, filter: &Filter) -> bool {
        self.rows.call_groups(&self.wanted(filter), &filter.zone()).rows() <= FEW_ROWS
    }

    /// The same for the messages of a filter.
    pub(crate) fn are_few_messages(&self, filter: &Filter) -> bool {
        self.rows.message_groups(&self.wanted(filter)).rows() <= FEW_MESSAGES
    }

    /// Folds the calls that match `filter`.
    pub(crate) fn fold<A: Send>(
        &self,
        filter: &Filter,
        care: Care,
        cancel: &Cancel,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &CallInfo, &CallColumns, usize) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<(A, Basis), ViewError> {
        let (groups, basis) = self.call_groups(filter, care);
        cancel.will_read(groups.rows());
        let selection = self.selection(filter);
        let take = |all: &mut A, calls: &CallColumns, at: usize| {
            if let Some(facts) = selection.wanted(calls, at) {
                take(all, facts, calls, at);
            }
        };
        let read = |rows: u64| cancel.has_read(rows);
        let wanted = self.wanted(filter);
        let found = self.rows.fold_calls_of(&groups, &wanted, &asking(cancel), &read, begin, take, join)?;
        Ok((found, basis))
    }

    /// The same rank by rank: `take` gets some calls of one rank, and has to check which of them match.
    pub(crate) fn fold_runs<A: Send>(
        &self,
        filter: &Filter,
        cancel: &Cancel,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Selection<'_>, &CallColumns, Range<usize>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, ViewError> {
        let (groups, _) = self.call_groups(filter, Care::Exact);
        cancel.will_read(groups.rows());
        let selection = self.selection(filter);
        let take = |all: &mut A, calls: &CallColumns, run: Range<usize>| take(all, &selection, calls, run);
        let read = |rows: u64| cancel.has_read(rows);
        Ok(self.rows.fold_runs_of(&groups, &self.wanted(filter), &asking(cancel), &read, begin, take, join)?)
    }

    /// Folds messages that are in flight in the window; `take` has to check each message.
    pub(crate) fn fold_messages<A: Send>(
        &self,
        filter: &Filter,
        care: Care,
        cancel: &Cancel,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Message) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<(A, Basis), ViewError> {
        let mut groups = self.rows.message_groups(&self.wanted(filter));
        let mut basis = Basis::Calls;
        if care == Care::Quick && groups.rows() > FEW_MESSAGES {
            let (some, share) = groups.sample(SAMPLE_MESSAGES);
            (groups, basis) = (some, Basis::Sample { share });
        }
        cancel.will_read(groups.rows());
        let read = |rows: u64| cancel.has_read(rows);
        let found = self.rows.fold_messages_of(&groups, &asking(cancel), &read, begin, take, join)?;
        Ok((found, basis))
    }
}
