//! What part a function plays in communication, for those who match and explain calls.
//!
//! Names say it: families of the interface are spelled regularly (`I…` does not block, `…_init` is
//! persistent), so one list of base names covers all of them.

use crate::spec::{Flow, attribute};

/// What a call does, as seen by the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing that another process could notice.
    Local,
    /// Sends a message.
    Send(Mode),
    /// Takes a message.
    Receive,
    /// Both at once (`Sendrecv`, `Sendrecv_replace`).
    SendReceive,
    /// Waits for a message or asks for one, without taking it (`Probe`, `Iprobe`).
    Probe,
    /// The same, and reserves it (`Mprobe`, `Improbe`).
    MatchedProbe,
    /// Takes a message that was reserved (`Mrecv`, `Imrecv`).
    MatchedReceive,
    /// Takes part in a collective operation over a communicator.
    Collective(Pattern),
    /// Completes requests.
    Complete,
    /// Starts persistent requests.
    Start,
    /// Puts, gets, accumulates.
    Access,
    /// Synchronises a window.
    Epoch(Epoch),
    /// Reads or writes a file alone.
    File,
    /// Readies or asks for partitions of a message.
    Partition,
    /// `MPI_Init`, `MPI_Init_thread`, `MPI_Session_init`.
    Init,
    /// `MPI_Finalize`, `MPI_Session_finalize`.
    Finalize,
    /// Meets processes of another world (`Comm_spawn`, `Comm_accept`, `Comm_connect`, `Comm_join`).
    Meet,
}

/// How a send is done (MPI-5.0 §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The MPI decides whether it waits for the receiver.
    Standard,
    /// Never waits for the receiver.
    Buffered,
    /// Waits until the receiver has begun to receive.
    Synchronous,
    /// The receive is posted already.
    Ready,
}

/// Who waits for whom in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// Everybody for everybody, no data.
    Barrier,
    /// Everybody for everybody.
    NxN,
    /// Everybody for the root.
    OneToN,
    /// The root for everybody.
    NToOne,
    /// Each rank for those before it.
    Scan,
    /// Each rank for its neighbours.
    Neighbors,
    /// Makes or frees a communicator, window or file; most libraries synchronise.
    Object,
    /// Reads or writes a file together.
    File,
    /// `Win_fence`.
    Fence,
}

/// Synchronisation of a window, fences aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epoch {
    /// `Win_post`: exposes the process's own window to others.
    Post,
    /// `Win_start`: begins access; may wait for `Post`.
    Start,
    /// `Win_complete`: ends access; may wait for `Post`.
    Complete,
    /// `Win_wait`: waits for `Complete` of the others.
    Wait,
    /// `Win_test`.
    Test,
    /// `Win_lock`, `Win_lock_all`.
    Lock,
    /// `Win_unlock`, `Win_unlock_all`.
    Unlock,
    /// `Win_flush` and its like, `Win_sync`.
    Flush,
}

/// Name without `MPI_`, `_c`, `_init` and the `I` of what does not block.
fn base(id: u32) -> &'static str {
    let name = crate::name(id);
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    let name = if id & crate::LARGE != 0 { name.strip_suffix("_c").unwrap_or(name) } else { name };
    let name = name.strip_suffix("_init").filter(|_| is(id, attribute::PERSISTENT)).unwrap_or(name);
    match name.strip_prefix('I') {
        // All others that begin with I (Init, Info_…, Intercomm_…) name things.
        Some(rest) if makes_request(id) || matches!(name, "Iprobe" | "Improbe") => rest,
        _ => name,
    }
}

fn is(id: u32, attribute: u16) -> bool {
    crate::function(id).is_some_and(|f| f.is(attribute))
}

/// Whether the call makes a request: what it begins ends in another call.
pub fn makes_request(id: u32) -> bool {
    crate::function(id).is_some_and(|f| crate::steps(f).iter().any(|s| s.kind == crate::spec::kind::NEW_REQUEST))
}

/// Whether the call only makes a persistent or partitioned request, to be started later.
pub fn is_persistent(id: u32) -> bool {
    is(id, attribute::PERSISTENT)
}

/// Whether function `id` makes or frees a communicator or window.
pub fn makes_object(id: u32) -> bool {
    role(id) == Role::Collective(Pattern::Object) && !crate::name(id).starts_with("MPI_File_")
}

/// The part that function `id` plays.
pub fn role(id: u32) -> Role {
    use Epoch as E;
    use Pattern::{Barrier, Fence, File, NToOne, Neighbors, NxN, Object, OneToN, Scan};
    let name = base(id);
    let collective = |n: &str| match n {
        "barrier" => Some(Barrier),
        "allgather"
        | "allgatherv"
        | "allreduce"
        | "alltoall"
        | "alltoallv"
        | "alltoallw"
        | "reduce_scatter"
        | "reduce_scatter_block" => Some(NxN),
        "bcast" | "scatter" | "scatterv" => Some(OneToN),
        "gather" | "gatherv" | "reduce" => Some(NToOne),
        "scan" | "exscan" => Some(Scan),
        _ if n.starts_with("neighbor_") => Some(Neighbors),
        _ => None,
    };
    // `Isend` has become `send`, `Send` is as it was.
    let lower = name.to_ascii_lowercase();
    if let Some(pattern) = collective(&lower) {
        return Role::Collective(pattern);
    }
    match lower.as_str() {
        "send" | "psend" => return Role::Send(Mode::Standard),
        "bsend" => return Role::Send(Mode::Buffered),
        "ssend" => return Role::Send(Mode::Synchronous),
        "rsend" => return Role::Send(Mode::Ready),
        "recv" | "precv" => return Role::Receive,
        "sendrecv" | "sendrecv_replace" => return Role::SendReceive,
        "probe" => return Role::Probe,
        "mprobe" => return Role::MatchedProbe,
        "mrecv" => return Role::MatchedReceive,
        _ => {}
    }
    match name {
        "Wait" | "Waitall" | "Waitany" | "Waitsome" | "Test" | "Testall" | "Testany" | "Testsome" => Role::Complete,
        "Start" | "Startall" => Role::Start,
        "Pready" | "Pready_list" | "Pready_range" | "Parrived" => Role::Partition,
        "Init" | "Init_thread" | "Session_init" => Role::Init,
        "Finalize" | "Session_finalize" => Role::Finalize,
        "Comm_spawn" | "Comm_spawn_multiple" | "Comm_accept" | "Comm_connect" | "Comm_join" => Role::Meet,
        "Comm_create"
        | "Comm_dup"
        | "Comm_dup_with_info"
        | "Comm_idup"
        | "Comm_idup_with_info"
        | "Comm_split"
        | "Comm_split_type"
        | "Comm_free"
        | "Comm_disconnect"
        | "Intercomm_merge"
        | "Cart_create"
        | "Cart_sub"
        | "Graph_create"
        | "Dist_graph_create"
        | "Dist_graph_create_adjacent"
        | "Win_allocate"
        | "Win_allocate_shared"
        | "Win_create"
        | "Win_create_dynamic"
        | "Win_free"
        | "File_open"
        | "File_close"
        | "File_set_view"
        | "File_set_size"
        | "File_preallocate" => Role::Collective(Object),
        "Win_fence" => Role::Collective(Fence),
        "Win_post" => Role::Epoch(E::Post),
        "Win_start" => Role::Epoch(E::Start),
        "Win_complete" => Role::Epoch(E::Complete),
        "Win_wait" => Role::Epoch(E::Wait),
        "Win_test" => Role::Epoch(E::Test),
        "Win_lock" | "Win_lock_all" => Role::Epoch(E::Lock),
        "Win_unlock" | "Win_unlock_all" => Role::Epoch(E::Unlock),
        "Win_flush" | "Win_flush_all" | "Win_flush_local" | "Win_flush_local_all" | "Win_sync" => Role::Epoch(E::Flush),
        "File_sync" => Role::Collective(File),
        _ if name.starts_with("File_") => {
            let moves = crate::function(id).is_some_and(|f| f.flow != Flow::None);
            let together = name.contains("_all") || name.contains("_ordered");
            match (moves || name.ends_with("_begin") || name.ends_with("_end"), together) {
                (true, true) => Role::Collective(File),
                (true, false) => Role::File,
                _ => Role::Local,
            }
        }
        _ if crate::groups(id).first() == Some(&"mpi_rma")
            && crate::function(id).is_some_and(|f| f.flow != Flow::None) =>
        {
            Role::Access
        }
        _ => Role::Local,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Role {
        role(crate::by_name(name).unwrap_or_else(|| panic!("{name}")))
    }

    #[test]
    fn families_of_names() {
        use Pattern::*;
        for (name, wanted) in [
            ("MPI_Send", Role::Send(Mode::Standard)),
            ("MPI_Isend_c", Role::Send(Mode::Standard)),
            ("MPI_Ssend_init", Role::Send(Mode::Synchronous)),
            ("MPI_Irsend", Role::Send(Mode::Ready)),
            ("MPI_Psend_init", Role::Send(Mode::Standard)),
            ("MPI_Irecv", Role::Receive),
            ("MPI_Precv_init", Role::Receive),
            ("MPI_Isendrecv_replace", Role::SendReceive),
            ("MPI_Improbe", Role::MatchedProbe),
            ("MPI_Imrecv_c", Role::MatchedReceive),
            ("MPI_Iprobe", Role::Probe),
            ("MPI_Ibarrier", Role::Collective(Barrier)),
            ("MPI_Allreduce_init_c", Role::Collective(NxN)),
            ("MPI_Igatherv", Role::Collective(NToOne)),
            ("MPI_Reduce_local", Role::Local),
            ("MPI_Iexscan", Role::Collective(Scan)),
            ("MPI_Ineighbor_alltoallw_c", Role::Collective(Neighbors)),
            ("MPI_Comm_split", Role::Collective(Object)),
            ("MPI_Comm_idup", Role::Collective(Object)),
            ("MPI_Info_create", Role::Local),
            ("MPI_Init", Role::Init),
            ("MPI_Initialized", Role::Local),
            ("MPI_Testsome", Role::Complete),
            ("MPI_Rget_accumulate", Role::Access),
            ("MPI_Win_lock_all", Role::Epoch(Epoch::Lock)),
            ("MPI_Win_fence", Role::Collective(Fence)),
            ("MPI_Win_allocate_shared", Role::Collective(Object)),
            ("MPI_File_write_at_all", Role::Collective(File)),
            ("MPI_File_iread_at", Role::File),
            ("MPI_File_read_all_begin", Role::Collective(File)),
            ("MPI_Comm_rank", Role::Local),
            ("MPI_Intercomm_merge", Role::Collective(Object)),
        ] {
            assert_eq!(of(name), wanted, "{name}");
        }
    }

    #[test]
    fn every_blocking_collective_has_a_role() {
        for id in crate::ids().filter(|&id| crate::groups(id).first() == Some(&"mpi_coll")) {
            assert!(matches!(role(id), Role::Collective(_)), "{}", crate::name(id));
        }
    }
}
