//! Why a question has no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Says to whoever works on a question that nobody wants the answer any more, and to whoever waits how far it is.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Working>);

#[derive(Debug, Default)]
struct Working {
    is_cancelled: AtomicBool,
    /// Rows that have to be read, and that were.
    all: AtomicU64,
    read: AtomicU64,
}

impl Cancel {
    /// The answer is not wanted any more.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
    /// Whether that was said.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed)
    }
    /// So many more rows will have to be read.
    pub(crate) fn will_read(&self, rows: u64) {
        self.0.all.fetch_add(rows, Ordering::Relaxed);
    }
    /// So many more were read.
    pub(crate) fn has_read(&self, rows: u64) {
        self.0.read.fetch_add(rows, Ordering::Relaxed);
    }
    /// The share of rows that was read, of those that are known to be needed; nothing while none are.
    pub fn done(&self) -> Option<f64> {
        let all = self.0.all.load(Ordering::Relaxed);
        (all > 0).then(|| (self.0.read.load(Ordering::Relaxed) as f64 / all as f64).min(1.0))
    }
    /// An error once that was said.
    pub fn check(&self) -> Result<(), ViewError> {
        if self.is_cancelled() { Err(ViewError::Cancelled) } else { Ok(()) }
    }
}

/// A question without answer.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The question itself is wrong.
    #[error("{0}")]
    Wrong(String),
    /// There is no such thing.
    #[error("{0}")]
    NotThere(String),
    /// The store is still being built.
    #[error("the store of the run is still being built")]
    NotYet,
    /// The rank files are still being read.
    #[error("the rank files of the run are still being read")]
    NotRead,
    /// Nobody wants it any more.
    #[error("interrupted")]
    Cancelled,
    /// The store cannot be read.
    #[error(transparent)]
    Store(mpiscope_store::StoreError),
    /// The preview cannot be read.
    #[error(transparent)]
    Preview(mpiscope_pyramid::PyramidError),
}

impl From<mpiscope_store::StoreError> for ViewError {
    fn from(error: mpiscope_store::StoreError) -> ViewError {
        match error {
            mpiscope_store::StoreError::Cancelled => ViewError::Cancelled,
            other => ViewError::Store(other),
        }
    }
}

impl From<mpiscope_pyramid::PyramidError> for ViewError {
    fn from(error: mpiscope_pyramid::PyramidError) -> ViewError {
        match error {
            mpiscope_pyramid::PyramidError::Cancelled => ViewError::Cancelled,
            other => ViewError::Preview(other),
        }
    }
}
