//! What an operation will do with its buffers, and the flights of a request.

use std::sync::Arc;

use super::Id;
use super::layout::Layout;
use super::shadow::Block;

/// A buffer of an operation that is about to start.
#[derive(Debug)]
pub struct Planned {
    pub(super) base: u64,
    /// One layout for each partition; else one.
    pub(super) layouts: Vec<Arc<Layout>>,
    pub(super) writes: bool,
    pub(super) message: bool,
    /// An array of counts, displacements or datatypes.
    pub(super) is_list: bool,
    /// Its bytes can be read, and only the program writes them (in a window: any origin as well).
    pub(super) readable: bool,
    /// The buffer of an RMA access, inside a window.
    pub(super) exposed: bool,
    /// The MPI may write the same values again, as a broadcast does at its root.
    pub(super) rewritten: bool,
    pub(super) shadow: u64,
    pub(super) block: Option<Block>,
}

/// The pending flights of a request.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// What each start of a persistent request begins.
    pub(super) planned: Option<Arc<Vec<Planned>>>,
    /// Flights; those of partitions in order.
    pub(super) active: Vec<Id>,
    /// Some received data land in shadow buffers.
    pub(super) redirected: bool,
}

impl Buffers {
    /// Takes its flights, which have ended.
    pub fn take_active(&mut self) -> Vec<Id> {
        std::mem::take(&mut self.active)
    }

    /// Whether received data land in shadow buffers.
    pub fn is_redirected(&self) -> bool {
        self.redirected && !self.active.is_empty()
    }
}
