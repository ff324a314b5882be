//! What every call of every thread reads, in one cache line: between two MPI calls the program has used the
//! caches for itself, and each further line is one to be fetched again.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// See the module's text. Written rarely, each field by one module.
#[repr(C, align(64))]
pub struct Hot {
    /// See [`crate::process::gate`].
    pub gate: AtomicU8,
    /// See [`crate::clock`].
    pub clock_shift: AtomicU32,
    /// See [`crate::plan::next_epoch`].
    pub epoch: AtomicU64,
}

/// The only one.
pub static HOT: Hot =
    Hot { gate: AtomicU8::new(0), clock_shift: AtomicU32::new(crate::clock::NO_TSC), epoch: AtomicU64::new(1) };
