//! Datatypes of received messages by status: `MPI_Get_count` must be called with the datatype of the receive (MPI-5.0 §3.2.5).

use mpiscope_abi::id;
use mpiscope_abi::role::Role;
use mpiscope_trace::check::event::Body;

use super::CallContext;
use super::view::Slot;
use crate::decode;
use crate::process::Process;

/// Most statuses that are remembered, each at a place of a table by its address.
const REMEMBERED: usize = 256;
/// Most queries that are reported; the same query at the same place is reported once.
const MOST_REPORTED: usize = 4096;

/// A status of the program.
#[derive(Clone, Copy, Default)]
struct Note {
    address: u64,
    /// Hash of its words: the program may have overwritten it.
    sum: u64,
    /// Datatype of the receive; 0 if there was none.
    datatype: u32,
    /// Call site of the receive.
    site: u32,
}

/// What is known about statuses.
#[derive(Default)]
pub struct Statuses {
    notes: Vec<Note>,
    reported: std::collections::HashSet<(u32, u32, u32)>,
}

/// A status of mpiscope's that a pending call gets in place of one that the program ignores.
#[derive(Default)]
pub struct OwnStatus {
    address: Option<u64>,
    /// Its memory, reused.
    room: Vec<u64>,
}

impl OwnStatus {
    /// Prepares for the next call.
    #[inline]
    pub fn clear(&mut self) {
        self.address = None;
    }

    /// Its address.
    pub fn address(&self) -> Option<u64> {
        self.address
    }
}

impl Statuses {
    fn place(address: u64) -> usize {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % REMEMBERED
    }

    fn set(&mut self, note: Note) {
        if self.notes.is_empty() {
            self.notes.resize(REMEMBERED, Note::default());
        }
        self.notes[Self::place(note.address)] = note;
    }

    fn get(&self, address: u64, sum: u64) -> Option<Note> {
        let note = self.notes.get(Self::place(address))?;
        (note.address == address && note.sum == sum && note.datatype != 0).then_some(*note)
    }
}

/// # Safety
/// A status of the program's MPI is there.
unsafe fn sum(process: &Process, address: u64) -> u64 {
    let words = process.mpi.constants.status.size / 4;
    (0..words).fold(1, |sum, at| {
        // SAFETY: the caller's promise; statuses are made of integers.
        let word = unsafe { (address as *const u32).add(at).read_unaligned() };
        (sum ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The source of a wildcard receive is known only from its status. If the program passes none, the MPI gets a status of
/// mpiscope's, and the argument is restored when the call returns.
#[inline]
pub fn provide_own(s: &mut CallContext<'_>) {
    let wants = s.open.wild
        && match s.view.plan.role {
            Role::Complete => true,
            Role::Receive | Role::SendReceive => s.open.blocking,
            Role::Probe | Role::MatchedProbe => true,
            _ => false,
        };
    if !wants {
        return;
    }
    let Some(param) = s.view.param(Slot::Status) else { return };
    let index = if s.view.plan.fortran { param.f } else { param.c };
    let Some(word) = s.view.word(param) else { return };
    // An absent one is no argument at all.
    if !decode::status_ignored(s.view.process, word, s.view.plan.fortran) || (s.view.plan.fortran && word == 0) {
        return;
    }
    let words = s.view.process.mpi.constants.status.size.div_ceil(8) * s.open.requests.named().len().max(1);
    let own = &mut s.open.own_status;
    own.room.clear();
    own.room.resize(words, 0);
    let address = own.room.as_ptr() as u64;
    own.address = Some(address);
    // SAFETY: an argument of this call.
    unsafe { s.open.replaced.replace(s.view.args, index, address) };
}

/// A request was completed into a status of the program.
pub fn completed(s: &mut CallContext<'_>, address: u64, datatype: u32, site: u32) {
    if s.open.own_status.address.is_none() {
        // SAFETY: the MPI has just written it.
        let sum = unsafe { sum(s.view.process, address) };
        s.checker.statuses.set(Note { address, sum, datatype, site });
    }
}

/// After a successful call that may have written a status.
pub fn written(s: &mut CallContext<'_>) {
    if s.view.plan.role == Role::Complete || s.open.own_status.address.is_some() {
        return;
    }
    let Some(param) = s.view.param(Slot::Status).filter(|p| p.is(mpiscope_abi::spec::param_flag::OUT)) else { return };
    let Some(address) = s.view.word(param) else { return };
    if !decode::status_ignored(s.view.process, address, s.view.plan.fortran) {
        let (datatype, site) = (datatype(s), s.site);
        completed(s, address, datatype, site);
    }
}

/// Datatype of the call's receive; 0 if it receives nothing.
pub fn datatype(s: &CallContext<'_>) -> u32 {
    let slot = match s.view.plan.role {
        Role::Receive | Role::MatchedReceive => Slot::Type,
        Role::SendReceive if s.view.plan.number(Slot::ReceiveType).is_some() => Slot::ReceiveType,
        // The same for both.
        Role::SendReceive => Slot::Type,
        _ => return 0,
    };
    s.view.param(slot).and_then(|p| s.view.handle(p)).map_or(0, |handle| s.view.process.types.id(handle))
}

/// The status that the call returned to the program, if it is usable.
pub fn received(s: &CallContext<'_>) -> Option<(i32, i32, u64)> {
    let address = match s.open.own_status.address {
        Some(address) => address,
        None => {
            let word = s.view.param(Slot::Status).and_then(|p| s.view.word(p))?;
            if decode::status_ignored(s.view.process, word, s.view.plan.fortran) {
                return None;
            }
            word
        }
    };
    // SAFETY: a status that the MPI has filled.
    Some(unsafe { decode::read_status(s.view.process, address) })
}

/// Before `MPI_Get_count` and the like.
pub fn counting(s: &mut CallContext<'_>) {
    if !matches!(s.view.plan.base, id::Get_count | id::Get_elements | id::Get_elements_x) {
        return;
    }
    let Some(address) = s.view.param(Slot::Status).and_then(|p| s.view.word(p)).filter(|&w| w != 0) else { return };
    let asked = s.view.param(Slot::Type).and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.types.id(h));
    if asked == 0 || s.open.wrong || decode::status_ignored(s.view.process, address, s.view.plan.fortran) {
        return;
    }
    // SAFETY: the call is going to read it.
    let (sum, bytes) = unsafe { (sum(s.view.process, address), decode::read_status(s.view.process, address).2) };
    let Some(note) = s.checker.statuses.get(address, sum).filter(|note| note.datatype != asked) else { return };
    let reported = &mut s.checker.statuses.reported;
    if reported.len() < MOST_REPORTED && reported.insert((s.site, note.datatype, asked)) {
        s.emit(0, Body::Counted { received: note.datatype, asked, bytes, site: note.site });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_there_since_is_not_known() {
        let mut statuses = Statuses::default();
        assert!(statuses.get(64, 1).is_none());
        statuses.set(Note { address: 64, sum: 1, datatype: 7, site: 2 });
        assert_eq!(statuses.get(64, 1).map(|note| note.datatype), Some(7));
        assert!(statuses.get(64, 2).is_none() && statuses.get(80, 1).is_none());
        // A probe has written it.
        statuses.set(Note { address: 64, sum: 1, datatype: 0, site: 2 });
        assert!(statuses.get(64, 1).is_none());
    }
}
