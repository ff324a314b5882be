//! The questions that can be asked of a run: one vocabulary for whoever asks them.
//!
//! What is known of a run without its events ([`mpiscope_run::Summary`]) comes from the run itself.

mod batches;
mod checks;
mod explanation;
mod metrics;
mod preview;
mod report;
mod stored;
pub mod view;

use std::ops::ControlFlow;
use std::path::PathBuf;

pub use checks::{CheckCall, CheckFinding, CheckLine, Checks};
pub use explanation::explain;
pub use metrics::{Assertion, Metrics, Verdict, metrics};
pub use preview::{preview, preview_if_there};
pub use report::Report;
pub use stored::{Stored, store, store_place, store_with};

/// What long work says and asks: how much of how much is done, and whether to go on.
pub type Watch<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

/// A question that was not answered.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// Whoever watched did not want to go on.
    #[error("interrupted; {}", if *is_kept { "the finished part is kept, and the next attempt resumes from there" } else { "no files are left behind" })]
    Interrupted {
        /// Whether something was finished that the next one need not do again.
        is_kept: bool,
    },
    /// Something else is where the store would go.
    #[error("{0} exists and is not a store; give another place: --store DIR")]
    NotAStore(PathBuf),
    /// The run cannot be read.
    #[error(transparent)]
    Ingest(#[from] mpiscope_ingest::IngestError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] mpiscope_store::StoreError),
    /// The preview cannot be read or written.
    #[error(transparent)]
    Preview(#[from] mpiscope_pyramid::PyramidError),
}

/// Tells the watcher.
fn go_on(watch: &mut Watch<'_>, (done, all): (u64, u64)) -> Result<(), QueryError> {
    match watch(done, all) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(QueryError::Interrupted { is_kept: false }),
    }
}
