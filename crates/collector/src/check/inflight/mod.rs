//! Buffers in flight: what pending operations read and write, whether two of them use the same bytes, and whether the program
//! changes any of them too early.
//!
//! Each operation has a [`Flight`] for each of its buffers, from its start to its completion, whichever call completes it.
//! Sent data have a [`fingerprint::Print`] that is compared at the end. Received data land in a shadow of the buffer and are
//! merged at the end, so that any change in the buffer itself was made by the program.
//!
//! No MPI call is made to find out whether a request is complete: it follows from the calls of the program. Where such a call is not
//! checked (in a callback, after an internal error) shadows are merged nevertheless ([`unjudged`]).

mod arming;
mod begin;
mod buffer_location;
mod call_buffers;
mod epochs;
mod fingerprint;
mod flights;
mod freed_requests;
pub mod instruction_access;
pub mod instrumented;
mod interval_table;
mod landing;
mod layout;
mod page_guard;
mod planned;
pub mod races;
mod region;
mod shadow;
mod split_operations;
mod starts;
#[cfg(test)]
mod test_random;
pub mod unjudged;
mod watchpoints;

use std::sync::Arc;

use mpiscope_abi::id;
use mpiscope_abi::role::{Pattern, Role};

use super::CallContext;
use super::transfer::{CommPosition, Side};
use super::view::{Half, Slot};
use crate::process::Process;
pub use arming::Armed;
use begin::begin;
pub use buffer_location::{has_no_gaps, is_mapped};
use call_buffers::{compared, ignored, is_there, lists, meets, plan};
pub use call_buffers::{ignores_origin, new_type, written_twice};
pub use epochs::ahead;
use epochs::{Ends, accessed, ended, ends_of};
use flights::{Flight, ends};
pub use flights::{Flights, any};
pub use freed_requests::{poll, restore as restore_freed};
pub use landing::{End, complete, is_combined, look_ahead};
use landing::{drop_all, land, release, settle};
use layout::Layout;
pub use planned::Buffers;
use planned::Planned;
pub use region::main_stack_end;
use split_operations::{halves, split};
pub use starts::peeked;
use starts::{ready, start};

/// Number of a flight: its slot, and how often the slot was used before.
pub type Id = u64;

/// Memory for shadows and fingerprints, relative to the bytes of one operation.
const SHADOWS: u64 = 4;

/// Most layouts and comparisons that are remembered.
const MOST_REMEMBERED: usize = 4096;

/// Most partitions that are checked one by one.
const MOST_PARTITIONS: u64 = 4096;

/// A shadow may be this many times as large as the received data, …
const WIDEST: u64 = 64;

/// … or have this many bytes.
const WIDE: u64 = 1 << 16;

/// The buffers of a pending call.
#[derive(Default)]
pub struct Pending {
    /// Its new flights, for the request that it creates.
    buffers: Buffers,
    /// Flights that a start begins.
    begun: Vec<Id>,
    /// Accesses that it completes.
    ends: Option<Ends>,
    /// Replacement of a Fortran array's descriptor.
    descriptor: Vec<u64>,
    freeing: freed_requests::Freeing,
    /// The compiler's race detector ignores locks of the MPI in this call.
    is_opaque: bool,
}

impl Pending {
    /// Prepares for the next call. The race detector's exception ends with [`Pending::take_is_opaque`], also after a jump.
    #[inline]
    pub fn clear(&mut self) {
        (self.buffers, self.ends) = (Buffers::default(), None);
        self.begun.clear();
        self.descriptor.clear();
        self.freeing.clear();
    }

    /// Takes its new flights.
    pub fn take_buffers(&mut self) -> Buffers {
        std::mem::take(&mut self.buffers)
    }

    /// Whether the race detector ignores locks of the MPI in this call; resets it.
    pub fn take_is_opaque(&mut self) -> bool {
        std::mem::take(&mut self.is_opaque)
    }
}

/// The last step before the call enters the MPI.
pub fn before(s: &mut CallContext<'_>, place: &CommPosition, gives: Option<&Side>, gets: Option<&Side>) {
    if !s.view.process.config.check_buffers {
        return;
    }
    freed_requests::written_since(s);
    let role = s.view.plan.role;
    if matches!(role, Role::Epoch(_) | Role::Collective(Pattern::Fence)) || s.view.plan.base == id::Win_free {
        s.open.buffers.ends = ends_of(s);
        return;
    }
    let function = s.view.plan.function as u16;
    match role {
        Role::Start => return start(s),
        Role::Partition => return ready(s),
        _ if s.view.plan.base == id::Request_free => return freed_requests::before_free(s),
        _ => {}
    }
    if !s.view.plan.transfers || s.open.wrong || ignored(s) {
        return;
    }
    if s.view.plan.half == Some(Half::Begins) {
        return split(s, gives, gets);
    }
    let known = place.info.is_some() || !matches!(role, Role::Collective(_));
    let lasting = s.view.plan.makes_request || (role == Role::Access && s.window() != 0);
    if !lasting {
        // A blocking call: are others at its buffers?
        if (any() || races::is_on()) && known && s.view.plan.number(Slot::File).is_none() {
            for one in plan(s, gives, gets, false) {
                if !meets(s, one.base, &one.layouts[0], one.writes) {
                    races::blocking(s, (one.base, &one.layouts[0]), one.writes);
                }
            }
        }
        return;
    }
    if !known {
        return;
    }
    let mut planned = plan(s, gives, gets, true);
    planned.extend(lists(s, place));
    planned.extend(compared(s, place));
    let redirected = planned.iter().any(|one| one.shadow != 0);
    if s.view.plan.persistent {
        // SAFETY: what has a shadow is ordinary memory, and its shadow as large.
        redirected_ones(&planned, |layout, base, shadow| unsafe { shadow::copy(layout, base, shadow, u64::MAX) });
        s.open.buffers.buffers = Buffers { planned: Some(Arc::new(planned)), active: Vec::new(), redirected };
        return;
    }
    let active = begin(s, &planned, None, function);
    // Each has one flight.
    for (one, &id) in planned.iter_mut().zip(&active) {
        if let Some(flight) = s.checker.flights.get(id) {
            flight.block = one.block.take();
        }
    }
    if role == Role::Access {
        accessed(s, &active);
    }
    s.open.buffers.buffers = Buffers { planned: None, active, redirected };
}

/// After the call, when its requests and objects have been tracked.
pub fn after(s: &mut CallContext<'_>, code: i32) {
    let plan = s.view.plan;
    let begun = std::mem::take(&mut s.open.buffers.begun);
    if code != 0 {
        drop_all(s, &begun);
        return settle(s, false);
    }
    // The window has them.
    if plan.role == Role::Access && !plan.makes_request {
        s.open.buffers.buffers.active.clear();
    }
    halves(s);
    settle(s, true);
    if let Some(ends) = s.open.buffers.ends.take() {
        let ids = ended(&mut s.checker.flights, ends);
        complete(s, &ids, End::PLAIN);
    }
    if plan.base == id::Finalize {
        let flights = &mut s.checker.flights;
        flights.let_all_be();
        page_guard::uninstall();
        let left_alone = flights.left_alone;
        let mut notes = Vec::new();
        if left_alone > 0 && s.view.process.config.check_bytes > 0 {
            notes.push(format!(
                "the buffers of {left_alone} operations were not checked: their bytes are too far apart, or more than --check-bytes"
            ));
        }
        if flights.races.left_alone > 0 {
            notes
                .push(format!("races with {} operations were not checked: too many at once", flights.races.left_alone));
        }
        notes.extend(flights.arms.note_at_end());
        if !notes.is_empty() {
            crate::process::complain(&notes.join("; "));
        }
    }
    buffer_location::windows(s);
}

/// A request was freed.
pub fn freed(s: &mut CallContext<'_>, buffers: Buffers) {
    drop_all(s, &buffers.active);
    release(s, buffers.planned);
}

/// Redirected buffers: layout, buffer, shadow.
fn redirected_ones(planned: &[Planned], visit: impl Fn(&Layout, u64, u64)) {
    for one in planned.iter().filter(|one| one.writes && one.shadow != 0) {
        one.layouts.iter().for_each(|layout| visit(layout, one.base, one.shadow));
    }
}

/// A persistent request was created. MPICH's `MPI_Gather_init` copies the root's own part at once: it belongs to the program's
/// buffer, from which each start fills the shadow.
/// program's buffer, from which each start fills the shadow.
pub fn initialised(s: &CallContext<'_>) {
    let planned = s.open.buffers.buffers.planned.as_deref().map_or(&[][..], Vec::as_slice);
    // SAFETY: as when it was filled, in the same call.
    redirected_ones(planned, |layout, base, shadow| unsafe { shadow::copy(layout, shadow, base, u64::MAX) });
}

/// Whether it is known where a status of this MPI has its bytes.
pub fn end_of(process: &Process, status: Option<u64>, cancelled: bool) -> End {
    let knows = !matches!(process.mpi.constants.family, mpiscope_abi::Family::Standard);
    // SAFETY: a status that the MPI has filled.
    let received = status.filter(|_| knows).map(|at| unsafe { crate::decode::read_status(process, at) }.2);
    End { received, cancelled }
}
