//! Memory that the program gives MPI for longer than one call, and that it may have freed too early.

use super::CallContext;
use super::inflight::{is_mapped, main_stack_end};
use super::memory::Memory;

/// A stack that is higher is another one, of a coroutine.
const MOST_STACK: u64 = 1 << 30;

/// A piece of memory.
#[derive(Clone, Copy, Debug)]
pub struct Lent {
    /// 0 where it is not known.
    pub address: u64,
    pub bytes: u64,
    /// A variable on the stack of the first thread.
    on_stack: bool,
}

impl Lent {
    /// Memory that a call of the program lends. Its block of heap is found again only if it was found once.
    pub fn of(s: &mut CallContext<'_>, address: u64, bytes: u64) -> Lent {
        if address != 0 {
            s.checker.memory.inaccessible(address, bytes, false);
        }
        Lent { address, bytes, on_stack: (height(s)..main_stack_end()).contains(&address) }
    }

    /// One past its last byte.
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.bytes)
    }

    /// What happened to it, if that can be seen; `height` is that of the stack in the current call.
    pub fn gone(&self, memory: &mut Memory, height: u64) -> Option<&'static str> {
        if self.address == 0 {
            return None;
        }
        // Only where the first thread's stack is, its height says what is left of it.
        let is_there = height < main_stack_end() && main_stack_end() - height < MOST_STACK;
        match () {
            () if self.on_stack => {
                (is_there && self.address < height).then_some("it was a local variable of a function that has returned")
            }
            () if !is_mapped(self.address, self.end()) => Some("it is no longer mapped"),
            () => memory.is_freed(self.address).then_some("it is freed"),
        }
    }
}

/// Where the stack of the caller ends.
pub fn height(s: &CallContext<'_>) -> u64 {
    s.view.args.stack_pointer() as u64
}
