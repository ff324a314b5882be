//! What an operation is going to do with its buffers, and the flights of a request.

use std::sync::Arc;

use super::Id;
use super::layout::Layout;
use super::shadow::Block;

/// A buffer of an operation that is to be started.
#[derive(Debug)]
pub struct Planned {
    pub(super) base: u64,
    /// One for each partition, else one.
    pub(super) layouts: Vec<Arc<Layout>>,
    pub(super) writes: bool,
    pub(super) message: bool,
    /// An array of counts, displacements or datatypes.
    pub(super) is_list: bool,
    /// Its bytes can be read, and only the program writes them, or whoever writes them into a window.
    pub(super) readable: bool,
    /// It is the buffer of an access, and lies in a window.
    pub(super) exposed: bool,
    /// The MPI may write what is there already: a broadcast does so at its root.
    pub(super) rewritten: bool,
    pub(super) shadow: u64,
    pub(super) block: Option<Block>,
}

/// The pending flights of a request.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// Of a persistent one: what each start begins.
    pub(super) planned: Option<Arc<Vec<Planned>>>,
    /// Flights, those of partitions in their order.
    pub(super) active: Vec<Id>,
    /// Some of what it receives lands in shadows.
    pub(super) redirected: bool,
}

impl Buffers {
    /// Its flights, which have ended.
    pub fn take_active(&mut self) -> Vec<Id> {
        std::mem::take(&mut self.active)
    }

    /// Whether what it receives lands in shadows.
    pub fn is_redirected(&self) -> bool {
        self.redirected && !self.active.is_empty()
    }
}
