//! What costs and shares of an explanation refer to.

use mpiscope_units::{count, time};
use serde::Serialize;

use super::unreadable::{UnreadableRow, unreadable_text};

/// What shares refer to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scope {
    /// Earliest return from `MPI_Init`, ns since the origin; where rings were overwritten, the moment from which the
    /// rows of all ranks are there.
    pub start_ns: u64,
    /// Latest entry of `MPI_Finalize`, or the last moment known, or, where rings were full, the moment up to which
    /// the rows of all ranks are there.
    pub end_ns: u64,
    /// From the return of `MPI_Init` to the entry of `MPI_Finalize`, summed over ranks: what of it lies between
    /// `start_ns` and `end_ns`.
    pub rank_time_ns: u64,
    /// The same of the whole run: more where rings were overwritten.
    pub run_rank_time_ns: u64,
    /// Ranks.
    pub ranks: u64,
    /// Calls with rows, and calls whose rows are lost.
    pub calls: u64,
    /// Their rows; one row may be many calls (of `MPI_Test`, say).
    #[serde(skip)]
    pub rows: u64,
    /// See `calls`.
    pub calls_lost: u64,
    /// What cannot be read because rank files are damaged; it is outside of `start_ns` to `end_ns`.
    pub unreadable: Vec<UnreadableRow>,
}

impl Scope {
    /// Cost below which a rule reports nothing, unless it has its own threshold: below 1 % of the rank time a change is lost in
    /// the noise of a run, and a gain below 1 ms is not worth a change.
    pub fn threshold_ns(&self) -> u64 {
        (self.rank_time_ns / 100).max(1_000_000)
    }

    /// The caveat if rows are missing.
    pub(crate) fn cut(&self) -> Option<String> {
        let (from, until) = (time(self.start_ns), time(self.end_ns));
        if let Some(text) = unreadable_text(&self.unreadable) {
            return Some(format!("{text}. The analysis covers only the run from {from} to {until}."));
        }
        (self.calls_lost > 0).then(|| {
            format!(
                "Events of {} calls were overwritten or did not fit into the buffer: the analysis covers only the run from {from} to \
                 {until}. Record with a larger --buffer, or with --on-full grow.",
                count(self.calls_lost)
            )
        })
    }
}

/// A share of the rank time, at least 1 ms.
pub(crate) fn share_of(scope: &Scope, share: f64) -> u64 {
    ((scope.rank_time_ns as f64 * share) as u64).max(1_000_000)
}

/// Share of the rank time.
pub(crate) fn share(cost_ns: u64, scope: &Scope) -> f64 {
    cost_ns as f64 / scope.rank_time_ns.max(1) as f64
}
