//! The queries of a run: one vocabulary for all callers.
//!
//! Facts that need no events ([`mpiscope_run::Summary`]) come from the run itself.

mod batches;
mod checks;
mod collective_calls;
mod computing;
mod explanation;
mod gains;
mod incomplete;
mod iterations;
mod machine_profile;
mod metrics;
mod placement;
mod predicted_run;
mod prediction;
mod preview;
mod reordering;
mod report;
mod scaling;
mod stored;
mod traffic;
mod transfers;
pub mod view;

use std::ops::ControlFlow;
use std::path::PathBuf;

pub use checks::{CheckCall, CheckFinding, CheckLine, Checks};
pub use collective_calls::{CollectiveCalls, collective_calls};
pub use computing::computing_before;
pub use explanation::explain;
pub use gains::{Gains, add_gains};
pub use incomplete::{Incomplete, ended, has_calls, nothing_recorded, why_no_events};
pub use iterations::{IterationMark, iteration_mark};
pub use machine_profile::{MachineProfile, machine_profile};
pub use metrics::{Assertion, Metrics, Verdict, metrics};
pub use placement::{Layout, LayoutError, Target};
pub use predicted_run::{PredictedRunError, write_predicted};
pub use prediction::{Basis, Prediction, predict, read_machines};
pub use preview::{preview, preview_if_there};
pub use reordering::{Reordering, reorderings};
pub use report::Report;
pub use scaling::{ScalingRunError, grid_exchange, message_times, scaling_sums};
pub use stored::{Stored, store, store_place, store_with};
pub use traffic::{Traffic, traffic};
pub use transfers::{Transfers, transfers_of};

/// Progress of long work: done, all; the result decides whether to continue.
pub type Watch<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

/// A query without answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The watcher stopped the work.
    #[error("interrupted; {}", if *is_kept { "the finished part is kept, and the next attempt resumes from there" } else { "no files are left behind" })]
    Interrupted {
        /// Whether a part is finished that the next attempt can reuse.
        is_kept: bool,
    },
    /// The place of the store is taken by something else.
    #[error("{0} exists and is not a store; give another place: --store DIR")]
    NotAStore(PathBuf),
    /// The run cannot be read.
    #[error(transparent)]
    Ingest(#[from] mpiscope_ingest::IngestError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] mpiscope_store::StoreError),
    /// A predicted run cannot be written.
    #[error(transparent)]
    Predicted(#[from] PredictedRunError),
    /// The preview cannot be read or written.
    #[error(transparent)]
    Preview(#[from] mpiscope_pyramid::PyramidError),
}

/// Reports the progress to the watcher.
fn go_on(watch: &mut Watch<'_>, (done, all): (u64, u64)) -> Result<(), QueryError> {
    match watch(done, all) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(QueryError::Interrupted { is_kept: false }),
    }
}
