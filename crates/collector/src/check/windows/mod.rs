//! Windows: their memory, epochs and accesses, as far as one process sees them.
//!
//! [`Window`] is what is known of one. Each file has one topic, and the fields that only it changes:
//! [`memory`] which memory, [`epochs`] what is open, [`accesses`] operations on other processes' memory, [`stores`] what the
//! program itself has changed ([`snapshot`]), [`touches`] who touches it while others may, [`assertions`] what the program asserts.

mod accesses;
mod assertions;
mod epochs;
mod memory;
mod snapshot;
mod stores;
mod touches;

pub use accesses::access;
pub use assertions::{informed, invalid_assertion, locks};
pub use epochs::{left, synchronise, tested};
pub use memory::{attached, detaches, freeing, made, queried};
pub use stores::{exposed, learned, waited};
pub use touches::touched;

use mpiscope_trace::check::event::Body;

use super::CallContext;
use super::inflight::Armed;
use super::view::Slot;
use crate::objects;
use assertions::Asserted;
use epochs::Epochs;
use memory::Extent;
use stores::Stores;

/// A window: each field belongs to the file that defines its type.
#[derive(Default)]
pub struct Window {
    /// Which of the windows of its communicator it is.
    ordinal: i64,
    epochs: Epochs,
    extent: Extent,
    stores: Stores,
    asserted: Asserted,
    /// Words of it that are watched while others may access it.
    armed: Armed,
}

/// What a pending call of a window needs when it returns.
#[derive(Default)]
pub struct Pending {
    /// The end of the epoch, if `MPI_Win_test` finds it complete.
    end: Option<Body>,
    /// Which of the windows of its communicator `MPI_Win_free` frees.
    freed_ordinal: i64,
}

impl Pending {
    /// For the next call.
    #[inline]
    pub fn clear(&mut self) {
        (self.end, self.freed_ordinal) = (None, 0);
    }

    /// See the field.
    pub fn freed_ordinal(&self) -> i64 {
        self.freed_ordinal
    }
}

impl Window {
    /// Memory is attached later: displacements are addresses.
    pub fn is_dynamic(&self) -> bool {
        self.extent.is_dynamic()
    }

    /// Others may access the process's part under locks, and it has not locked it itself against them.
    fn is_passive(&self) -> bool {
        !self.is_dynamic() && self.epochs.is_passive()
    }
}

/// The process's rank in a window's communicator.
pub fn own_rank(window: u32) -> i32 {
    objects::comm(objects::window_comm(window)).map_or(-1, |comm| comm.rank)
}

/// The target of a call.
pub fn target(s: &CallContext<'_>) -> i64 {
    // None at all is not MPI_PROC_NULL, which is −1 in some.
    s.view.number(Slot::Peer).unwrap_or(i64::from(i32::MIN))
}
