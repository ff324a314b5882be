//! Why a question has no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says to whoever works on a question that nobody wants the answer any more.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The answer is not wanted any more.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    /// Whether that was said.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
    /// Nobody wants it any more.
    #[error("interrupted")]
    Cancelled,
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] mpiscope_store::StoreError),
}
