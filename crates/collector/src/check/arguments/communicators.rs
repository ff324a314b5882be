//! Functions that make a communicator, or take only some kinds of them, and ranks of a window.

use mpiscope_abi::id;
use mpiscope_abi::role::{Pattern, Role};
use mpiscope_trace::check::rule;

use super::number;
use crate::check::CallContext;
use crate::check::transfer::CommPosition;
use crate::check::view::Slot;
use crate::objects;

/// Whether the call takes a communicator of this kind: an intracommunicator or an intercommunicator.
pub fn is_right_kind(s: &mut CallContext<'_>, place: &CommPosition) -> bool {
    let plan = s.view.plan;
    let inter = place.info.is_some_and(|c| c.remote_size > 0);
    let comm = s.view.param(Slot::Comm);
    let wrong_comm = match plan.base {
        id::Comm_remote_size | id::Comm_remote_group | id::Intercomm_merge if place.info.is_some() && !inter => {
            Some("not an intercommunicator")
        }
        _ if inter && matches!(plan.role, Role::Collective(Pattern::Scan)) => {
            Some("an intercommunicator is not allowed here")
        }
        id::Cart_create | id::Graph_create | id::Dist_graph_create | id::Dist_graph_create_adjacent if inter => {
            Some("an intercommunicator is not allowed here")
        }
        _ => None,
    };
    if let Some(text) = wrong_comm {
        s.find(rule::COMM, comm, [0; 3], text);
    }
    wrong_comm.is_none()
}

/// The colour of `MPI_Comm_split`.
pub fn colour(s: &mut CallContext<'_>) {
    let colour = number(s, "color").unwrap_or(0);
    if colour < 0 && colour != i64::from(s.view.process.mpi.constants.undefined) {
        s.find(rule::VALUE, s.view.plan.named("color"), [colour, 0, 0], "at least 0, or MPI_UNDEFINED");
    }
}

/// A rank of the other communicator, which only the local leader has to name.
pub fn remote_leader(s: &mut CallContext<'_>, place: &CommPosition) {
    let leads = place.info.is_some_and(|comm| Some(i64::from(comm.rank)) == number(s, "local_leader"));
    let peer = s.view.plan.named("peer_comm").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.comms.id(h));
    let (Some(peer), Some(leader)) = (objects::comm(peer).filter(|_| leads), number(s, "remote_leader")) else {
        return;
    };
    let size = if peer.remote_size > 0 { peer.remote_size } else { peer.size };
    if !(0..i64::from(size)).contains(&leader) {
        s.find(rule::RANK, s.view.plan.named("remote_leader"), [leader, size.into(), 0], "");
    }
}

/// `MPI_Comm_join` needs a connected stream socket (MPI-5.0 §11.10.3).
pub fn socket(s: &mut CallContext<'_>) {
    let Some(param) = s.view.plan.named("fd") else { return };
    let number = s.view.int(param);
    let ask = |option: i32| {
        let (mut answer, mut length) = (0i32, size_of::<i32>() as libc::socklen_t);
        let at = (&raw mut answer).cast();
        // SAFETY: an integer is written.
        let found = unsafe { libc::getsockopt(number as i32, libc::SOL_SOCKET, option, at, &raw mut length) };
        (found == 0).then_some(answer)
    };
    let is_connected = || {
        let (mut name, mut length) = ([0u8; 128], 128);
        // SAFETY: `name` has room for `length` bytes.
        unsafe { libc::getpeername(number as i32, name.as_mut_ptr().cast(), &raw mut length) == 0 }
    };
    let why = match ask(libc::SO_TYPE) {
        None => "a socket",
        Some(libc::SOCK_STREAM) if is_connected() => return,
        Some(libc::SOCK_STREAM) => "a connected socket",
        Some(_) => "a stream socket",
    };
    s.find(rule::VALUE, Some(param), [number, 0, 0], why);
}

/// A rank of the window's group, or `MPI_PROC_NULL` for the first one with memory (MPI-5.0 §12.2.3).
pub fn shared_rank(s: &mut CallContext<'_>) {
    let window = s.window();
    let Some(size) = objects::comm(objects::window_comm(window)).map(|comm| i64::from(comm.size)) else { return };
    let proc_null = i64::from(s.view.process.mpi.constants.proc_null);
    if let Some(rank) = number(s, "rank").filter(|&rank| rank != proc_null && !(0..size).contains(&rank)) {
        s.find(rule::RANK, s.view.plan.named("rank"), [rank, size, 0], "");
    }
}
