//! Reading calls for an answer: all of them, or a sample where that would take too long.

use std::ops::Range;

use mpiscope_store::{CallColumns, Facts, Message, RowGroups};
use serde::Serialize;

use super::scene::{Selection, asking};
use super::{Cancel, Filter, Scene, ViewError};

/// Rows that are gone through without asking whether that is worth it: some tenths of a second.
const FEW_ROWS: u64 = 3 << 20;
/// Rows of a sample.
const SAMPLE_ROWS: u64 = 3 << 19;
/// The same of messages, which are five times as large.
const FEW_MESSAGES: u64 = 1 << 20;
const SAMPLE_MESSAGES: u64 = 1 << 19;

/// How good an answer has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Care {
    /// All calls are looked at, however long that takes.
    #[default]
    Exact,
    /// An answer within some tenths of a second: of tables, or of a sample.
    Quick,
}

/// What an answer was made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Basis {
    /// Every call.
    Calls,
    /// Tables of the preview: counts are exact, values are those of bins.
    Bins {
        /// The window that they are of, which may be a little larger than the one asked for.
        from_ns: u64,
        until_ns: u64,
        /// Width of bins of time.
        bin_ns: u64,
        /// Width of bins of durations and sizes, as a share of the value.
        share: f64,
    },
    /// Some stretches of some ranks.
    Sample {
        /// Of all calls that would have to be looked at.
        share: f64,
    },
}

impl Scene {
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

    /// Whether the calls of a filter are looked at one by one at once.
    pub(crate) fn is_few(&self, filter: &Filter) -> bool {
        self.rows.call_groups(&self.wanted(filter), &filter.zone()).rows() <= FEW_ROWS
    }

    /// Whether the messages of a filter are.
    pub(crate) fn are_few_messages(&self, filter: &Filter) -> bool {
        self.rows.message_groups(&self.wanted(filter)).rows() <= FEW_MESSAGES
    }

    /// Folds the calls that `filter` wants.
    pub(crate) fn fold<A: Send>(
        &self,
        filter: &Filter,
        care: Care,
        cancel: &Cancel,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Facts, &CallColumns, usize) + Sync + Send,
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

    /// The same of all of them, rank by rank: `take` gets some calls of one rank, and has to ask which of them are wanted.
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

    /// Folds messages that are under way in the window; `take` has to look whether it wants one.
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
