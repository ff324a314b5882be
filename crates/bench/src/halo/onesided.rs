//! An exchange through windows: puts, gets, and loads from shared memory.
//!
//! A synchronisation has to do what a message does: the data are complete before they are moved, and have arrived before they are used. Fences
//! and post, start, complete, wait do both. Under locks the owner of the memory does not notice an access, so neighbours send each other messages without data, before
//! and after it.

use mpiscope_mpi::{Comm, Group, Memory, Mpi, MpiError, Rank, Requests, Rma, Tag};

use super::exchange::{Slots, Step};
use super::method::{Method, Sync, Transfer};
use crate::buffers::stride;

/// Messages without data.
const TAG: Tag = 7390;
/// Memory of a rank in a window: of 16 ranks, all windows together fit into a shared memory of 64 MiB, which containers have.
pub const MOST_ROOM: usize = 1536 << 10;

/// Memory of a window for messages in so many steps.
pub fn room(steps: usize, bytes: usize) -> usize {
    steps * stride(bytes)
}

/// The windows of all ranks, as far as methods need them.
pub struct Windows<'a> {
    allocated: Option<Rma<'a>>,
    shared: Option<Rma<'a>>,
}

impl<'a> Windows<'a> {
    /// Collective. `methods` are the same on all ranks.
    pub fn new(mpi: &'a Mpi, methods: &[Method], room: usize) -> Result<Windows<'a>, MpiError> {
        let make = |memory| mpi.rma(mpi.world(), memory, room);
        let is_one_sided = methods.iter().any(|method| matches!(method, Method::OneSided(..)));
        let is_shared = methods.contains(&Method::SharedLoad);
        Ok(Windows {
            allocated: is_one_sided.then(|| make(Memory::Allocate)).transpose()?,
            shared: is_shared.then(|| make(Memory::Shared)).transpose()?,
        })
    }

    /// Collective.
    pub fn free(self) -> Result<(), MpiError> {
        self.allocated.into_iter().chain(self.shared).try_for_each(Rma::free)
    }

    /// What a method uses of them.
    pub fn access(&self, method: Method) -> Option<(Access, &Rma<'a>)> {
        match method {
            Method::OneSided(transfer, sync) => Some((Access::Transfer(transfer, sync), self.allocated.as_ref()?)),
            Method::SharedLoad => Some((Access::Load, self.shared.as_ref()?)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Transfer(Transfer, Sync),
    /// Loads from shared memory, under `MPI_Win_lock_all`.
    Load,
}

/// The window's part of an exchange. Its memory has what neighbours put, or what they get.
pub struct OneSided<'a> {
    access: Access,
    window: &'a Rma<'a>,
    /// Distinct neighbours. Those to which a rank sends are those from which it receives.
    neighbours: Vec<Rank>,
    group: Option<Group>,
    /// For each step, where the memory of the neighbour begins that sends.
    memory: Vec<*const u8>,
}

impl<'a> OneSided<'a> {
    pub fn new((access, window): (Access, &'a Rma<'a>), steps: &[Step]) -> Result<OneSided<'a>, MpiError> {
        let mut neighbours: Vec<Rank> = steps.iter().flat_map(|step| [step.to, step.from]).flatten().collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let is_pscw = matches!(access, Access::Transfer(_, Sync::Pscw));
        let group = is_pscw.then(|| window.group(&neighbours)).transpose()?;
        let memory_of = |step: &Step| step.from.map_or(Ok(std::ptr::null()), |from| window.memory_of(from));
        let memory = if access == Access::Load {
            steps.iter().map(memory_of).collect::<Result<Vec<_>, MpiError>>()?
        } else {
            Vec::new()
        };
        Ok(OneSided { access, window, neighbours, group, memory })
    }

    pub fn free(self) -> Result<(), MpiError> {
        self.group.map_or(Ok(()), |group| self.window.free_group(group))
    }

    /// Whether what is received is in the window, and not what is sent.
    pub fn has_received(&self) -> bool {
        matches!(self.access, Access::Transfer(Transfer::Put, _))
    }

    pub fn window(&self) -> &Rma<'a> {
        self.window
    }

    fn is_locked(&self) -> bool {
        matches!(self.access, Access::Load | Access::Transfer(_, Sync::Flush))
    }

    /// Before exchanges.
    pub fn begin(&self) -> Result<(), MpiError> {
        if self.is_locked() { self.window.lock_all() } else { Ok(()) }
    }

    /// After them.
    pub fn end(&self) -> Result<(), MpiError> {
        if self.is_locked() { self.window.unlock_all() } else { Ok(()) }
    }

    /// One exchange.
    pub fn exchange(&self, mpi: &Mpi, comm: Comm, steps: &[Step], slots: &mut Slots) -> Result<(), MpiError> {
        let window = self.window;
        match self.access {
            Access::Transfer(transfer, Sync::Fence) => {
                window.fence(false)?;
                self.all(transfer, steps, slots)?;
                window.fence(true)
            }
            Access::Transfer(transfer, Sync::Pscw) => {
                let Some(group) = &self.group else { return Ok(()) };
                window.post_start(group, group)?;
                self.all(transfer, steps, slots)?;
                window.complete_wait()
            }
            Access::Transfer(transfer, Sync::Lock) => {
                self.notify(mpi, comm, slots.requests)?;
                for (at, step) in steps.iter().enumerate() {
                    let Some(target) = target(transfer, step) else { continue };
                    window.lock(target)?;
                    self.one(transfer, target, at, slots)?;
                    window.unlock(target)?;
                }
                self.notify(mpi, comm, slots.requests)
            }
            Access::Transfer(transfer, Sync::Flush) => {
                window.sync()?;
                self.notify(mpi, comm, slots.requests)?;
                self.all(transfer, steps, slots)?;
                window.flush_all()?;
                self.notify(mpi, comm, slots.requests)?;
                window.sync()
            }
            Access::Load => {
                window.sync()?;
                self.notify(mpi, comm, slots.requests)?;
                window.sync()?;
                for (at, (step, memory)) in steps.iter().zip(&self.memory).enumerate() {
                    if step.from.is_some() {
                        let slot = slots.range(at);
                        // SAFETY: the memory of all ranks has room for the slots of all steps, and its owner does not change it before
                        // the next notification.
                        unsafe {
                            let (from, into) = (memory.add(slot.start), slots.into[slot.start..].as_mut_ptr());
                            std::ptr::copy_nonoverlapping(from, into, slot.len());
                        }
                    }
                }
                self.notify(mpi, comm, slots.requests)
            }
        }
    }

    /// Starts all transfers.
    fn all(&self, transfer: Transfer, steps: &[Step], slots: &mut Slots) -> Result<(), MpiError> {
        for (at, step) in steps.iter().enumerate() {
            if let Some(target) = target(transfer, step) {
                self.one(transfer, target, at, slots)?;
            }
        }
        Ok(())
    }

    fn one(&self, transfer: Transfer, target: Rank, at: usize, slots: &mut Slots) -> Result<(), MpiError> {
        let (slot, place) = (slots.range(at), (target, slots.range(at).start));
        // SAFETY: nothing else accesses the slot before the synchronisation.
        unsafe {
            match transfer {
                Transfer::Put => self.window.put(slots.out[slot.clone()].as_ptr(), slot.len(), place),
                Transfer::Get => self.window.get(slots.into[slot.clone()].as_mut_ptr(), slot.len(), place),
            }
        }
    }

    /// Returns when all neighbours have called it.
    fn notify(&self, mpi: &Mpi, comm: Comm, requests: &mut Requests) -> Result<(), MpiError> {
        let mut nothing = [0u8; 1];
        for &from in &self.neighbours {
            // SAFETY: messages without data.
            unsafe { comm.irecv(nothing.as_mut_ptr(), 0, from, TAG, requests) }?;
        }
        for &to in &self.neighbours {
            // SAFETY: as above.
            unsafe { comm.isend(nothing.as_ptr(), 0, to, TAG, requests) }?;
        }
        mpi.waitall(requests)
    }
}

/// Whose memory a step accesses.
fn target(transfer: Transfer, step: &Step) -> Option<Rank> {
    match transfer {
        Transfer::Put => step.to,
        Transfer::Get => step.from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::halo::exchange::steps;
    use crate::halo::grid::{Grid, STENCILS};

    #[test]
    fn a_rank_sends_to_those_from_which_it_receives() {
        for ranks in [2, 3, 4, 6, 8, 12, 16] {
            for (stencil, is_periodic) in STENCILS.into_iter().flat_map(|s| [(s, true), (s, false)]) {
                let grid = Grid::of(ranks, stencil.dimensions(), is_periodic);
                for rank in 0..ranks {
                    let steps = steps(&grid, stencil, rank);
                    let set = |of: fn(&Step) -> Option<Rank>| {
                        steps.iter().filter_map(of).collect::<std::collections::BTreeSet<Rank>>()
                    };
                    assert_eq!(set(|step| step.to), set(|step| step.from), "{grid:?} {stencil:?} {rank}");
                }
            }
        }
    }
}
