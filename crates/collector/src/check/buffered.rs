//! Buffers for buffered sends (MPI-5.0 §3.6): which are attached, whether they still exist, whether another operation uses them,
//! whether messages fit into them, and which calls wait until they are empty.

use mpiscope_abi::{Family, id};
use mpiscope_trace::check::event::Body;
use mpiscope_trace::check::rule;

use super::lent_buffers::{self, Lent};
use super::tracked::WordMap;
use super::transfer::{CommPosition, Side};
use super::{CallContext, Checker};

/// The buffer of `MPI_Bsend`.
#[derive(Default, Clone, Copy)]
enum Attached {
    #[default]
    None,
    Piece(Piece),
    Unknown,
}

/// An attached buffer in memory of the program.
#[derive(Clone, Copy)]
struct Piece {
    memory: Lent,
    /// The argument as the program passed it.
    bytes: i64,
    /// Call site of the attach.
    site: u32,
    /// A finding reports that its memory is gone.
    is_reported: bool,
}

/// The attached buffers.
#[derive(Default)]
pub struct BsendBuffers {
    process: Attached,
    /// Buffers of single communicators.
    of_comms: WordMap<u32, Attached>,
    /// Number of sessions with a buffer: the session of a communicator is unknown.
    sessions: u32,
}

impl BsendBuffers {
    /// Whether any memory of the program is attached.
    pub fn has_some(&self) -> bool {
        matches!(self.process, Attached::Piece(_)) || !self.of_comms.is_empty()
    }

    /// Whether a communicator has its own buffer.
    pub fn has_own(&self, comm: u32) -> bool {
        self.of_comms.contains_key(&comm)
    }

    /// A communicator was freed, and its buffer with it.
    pub fn freed(&mut self, comm: u32) {
        self.of_comms.remove(&comm);
    }

    /// The buffer for `MPI_Bsend`: the communicator's own, that of its session, that of the process (MPI-5.0 §3.6).
    fn buffer_of(&self, comm: u32) -> Attached {
        match self.of_comms.get(&comm) {
            Some(&own) => own,
            None if self.sessions > 0 => Attached::Unknown,
            None => self.process,
        }
    }
}

/// `MPI_BSEND_OVERHEAD`.
fn overhead(s: &CallContext<'_>) -> i64 {
    match s.view.process.mpi.constants.family {
        Family::Mpich => 96,
        Family::OpenMpi => 128,
        Family::Standard => 512,
    }
}

/// Before a call that attaches a buffer: none may be attached.
pub fn attaching(s: &mut CallContext<'_>, place: &CommPosition) {
    let is_attached = match s.view.plan.base {
        id::Buffer_attach => matches!(s.checker.bsend.process, Attached::Piece(_)),
        _ => place.id != 0 && s.checker.bsend.has_own(place.id),
    };
    if is_attached {
        s.find(rule::BSEND_BUFFER, None, [0; 3], "A buffer is attached while another one is attached");
    }
}

/// Before `MPI_Bsend`, `MPI_Ibsend` and the like: a buffer must be attached, and large enough.
pub fn sending(s: &mut CallContext<'_>, side: Option<&Side>) {
    let Some(side) = side else { return };
    check_room(s);
    let info = s.checker.types.get(side.datatype as usize).copied().unwrap_or_default();
    let bytes = side.count.saturating_mul(info.size) as i64;
    let overhead = overhead(s);
    match s.checker.bsend.buffer_of(s.head_comm) {
        Attached::Unknown => {}
        Attached::None => {
            let text =
                format!("The message needs {} bytes of an attached buffer, but none is attached", bytes + overhead);
            s.find(rule::BSEND_BUFFER, None, [bytes + overhead, 0, 0], &text);
        }
        Attached::Piece(Piece { bytes: have, .. }) if bytes + overhead > have => {
            let text =
                format!("The message needs {} bytes of the attached buffer, which has {have} bytes", bytes + overhead);
            s.find(rule::BSEND_BUFFER, None, [bytes + overhead, have, 0], &text);
        }
        Attached::Piece(_) => {}
    }
}

/// Before a call that waits until all messages of a buffer are delivered, or starts to wait: which messages it waits for, if
/// known. [`super::sessions`] handles buffers of sessions.
pub fn emptying(s: &mut CallContext<'_>, place: &CommPosition) -> Option<Body> {
    check_room(s);
    let is_own = matches!(s.view.plan.base, id::Comm_detach_buffer | id::Comm_flush_buffer | id::Comm_iflush_buffer);
    let buffer = match s.view.plan.base {
        _ if is_own => s.checker.bsend.of_comms.get(&place.id).copied().unwrap_or_default(),
        // Some messages may be in a session's buffer.
        _ if s.checker.bsend.sessions > 0 => return None,
        _ => s.checker.bsend.process,
    };
    let detaches = matches!(s.view.plan.base, id::Buffer_detach | id::Comm_detach_buffer);
    if detaches && matches!(buffer, Attached::None) && (!is_own || place.id != 0) {
        s.find(rule::BSEND_DETACH, None, [0; 3], "");
    }
    (!is_own || place.id != 0).then_some(Body::Flush { op: 0 })
}

/// After a call that attaches or detaches a buffer.
pub fn changed(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let what = match plan.named("buffer") {
        None => Attached::None,
        Some(buffer) => {
            let (bytes, buffer) = (plan.named("size").map_or(0, |p| s.view.int(p)), s.view.buffer(buffer));
            let at = buffer.address;
            // MPI_BUFFER_AUTOMATIC is no address: 2 in the standard ABI, -2 in MPICH's own.
            match at.wrapping_add(4096) < 8192 || may_be_automatic(s, at) {
                true => Attached::Unknown,
                false => {
                    let address = if buffer.special || bytes <= 0 { 0 } else { at };
                    let memory = Lent::of(s, address, bytes.max(0) as u64);
                    Attached::Piece(Piece { memory, bytes, site: s.site, is_reported: false })
                }
            }
        }
    };
    let (comm, buffers) = (s.head_comm, &mut s.checker.bsend);
    let what = match plan.base {
        id::Comm_attach_buffer | id::Comm_detach_buffer if comm == 0 => return,
        id::Comm_attach_buffer => {
            buffers.of_comms.insert(comm, what);
            what
        }
        id::Comm_detach_buffer => {
            buffers.of_comms.remove(&comm);
            what
        }
        _ => {
            match plan.base {
                id::Session_attach_buffer => buffers.sessions += 1,
                id::Session_detach_buffer => buffers.sessions = buffers.sessions.saturating_sub(1),
                _ => buffers.process = what,
            }
            buffers.buffer_of(0)
        }
    };
    let bytes = match what {
        Attached::None => 0,
        Attached::Piece(piece) => piece.bytes.max(0) as u64,
        Attached::Unknown => u64::MAX,
    };
    if matches!(plan.base, id::Session_attach_buffer | id::Session_detach_buffer) {
        super::sessions::attached(s, plan.base == id::Session_attach_buffer);
    }
    let overhead = overhead(s) as u64;
    s.emit(0, Body::Attached { bytes, overhead });
}

/// Whether a buffer may be Fortran's `MPI_BUFFER_AUTOMATIC`, a variable whose name differs between MPIs.
fn may_be_automatic(s: &CallContext<'_>, address: u64) -> bool {
    let knows = || s.view.process.mpi.library.defines("MPI_Buffer_flush").is_some();
    s.view.plan.fortran && knows() && is_static(address)
}

/// Whether a variable is in the executable or one of its libraries.
fn is_static(address: u64) -> bool {
    // SAFETY: plain data, which is written.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: only asks.
    unsafe { libc::dladdr(address as *const libc::c_void, &mut info) != 0 }
}

/// Whether attached memory still belongs to the program, as far as this can be detected.
pub fn check_room(s: &mut CallContext<'_>) {
    let height = lent_buffers::height(s);
    let Checker { bsend, memory, .. } = &mut *s.checker;
    let mut gone = None;
    for one in std::iter::once(&mut bsend.process).chain(bsend.of_comms.values_mut()) {
        let Attached::Piece(piece) = one else { continue };
        let Some(why) = piece.memory.gone(memory, height).filter(|_| !piece.is_reported) else { continue };
        piece.is_reported = true;
        gone = Some((*piece, why));
    }
    if let Some((piece, why)) = gone {
        s.find_from(rule::BSEND_GONE, None, [piece.bytes, 0, 0], why, piece.site);
    }
}

/// Whether a buffer of the call overlaps attached memory.
pub fn apart(s: &mut CallContext<'_>, side: Option<&Side>) {
    let Some(side) = side.filter(|side| side.dense && !side.buffer.special && !side.buffer.in_place) else { return };
    let at = |offset: i64| side.buffer.address.wrapping_add_signed(offset);
    let (from, to) = (at(side.span.0), at(side.span.1));
    let pieces = std::iter::once(&s.checker.bsend.process).chain(s.checker.bsend.of_comms.values());
    let shared = pieces.filter_map(|one| match one {
        Attached::Piece(piece) if piece.memory.address != 0 && !piece.is_reported => {
            let bytes = to.min(piece.memory.end()).saturating_sub(from.max(piece.memory.address));
            (bytes > 0).then_some((bytes as i64, piece.site))
        }
        _ => None,
    });
    if let Some((bytes, site)) = shared.max() {
        s.find_from(rule::BSEND_IN_USE, side.param, [bytes, 0, 0], "", site);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_variables_lie() {
        static VARIABLE: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(7);
        let (heap, stack) = (Box::new(7u64), 7u64);
        assert!(is_static(&raw const VARIABLE as u64));
        assert!(!is_static(&raw const *heap as u64) && !is_static(&raw const stack as u64));
    }
}
