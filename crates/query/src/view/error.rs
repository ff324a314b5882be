//! Why a request has no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Cancels a request from another thread, and reports its progress to it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Working>);

#[derive(Debug, Default)]
struct Working {
    is_cancelled: AtomicBool,
    /// Rows that have to be read, and rows that were read.
    all: AtomicU64,
    read: AtomicU64,
}

impl Cancel {
    /// Cancels the request.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
    /// Whether the request is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed)
    }
    /// Announces this many more rows to read.
    pub(crate) fn will_read(&self, rows: u64) {
        self.0.all.fetch_add(rows, Ordering::Relaxed);
    }
    /// Reports this many more rows as read.
    pub(crate) fn has_read(&self, rows: u64) {
        self.0.read.fetch_add(rows, Ordering::Relaxed);
    }
    /// The share of the announced rows that was read; nothing while none are announced.
    pub fn done(&self) -> Option<f64> {
        let all = self.0.all.load(Ordering::Relaxed);
        (all > 0).then(|| (self.0.read.load(Ordering::Relaxed) as f64 / all as f64).min(1.0))
    }
    /// An error once the request is cancelled.
    ///
    /// # Errors
    ///
    /// [`ViewError::Cancelled`] after [`Cancel::cancel`].
    pub fn check(&self) -> Result<(), ViewError> {
        if self.is_cancelled() { Err(ViewError::Cancelled) } else { Ok(()) }
    }
}

/// A request without answer.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The request itself is invalid.
    #[error("{0}")]
    Wrong(String),
    /// The requested item does not exist.
    #[error("{0}")]
    NotThere(String),
    /// The store is still being built.
    #[error("the store of the run is still being built")]
    NotYet,
    /// The rank files are still being read.
    #[error("the rank files of the run are still being read")]
    NotRead,
    /// The client does not need the answer any more.
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
