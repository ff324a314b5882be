//! What stands in [`super::event::Body::Collective`]'s `agreed`: the arguments on which the processes of a collective call
//! have to agree, beside root, operation, counts and datatypes.
//!
//! Windows and files are named by their ordinal: how many were made before on their communicator, which is the same
//! number on all processes. Texts are hashes. `MPI_Win_fence` is an epoch ([`super::event::Body::Epoch`]); of its assertion
//! `MPI_MODE_NOPRECEDE` and `MPI_MODE_NOSUCCEED` have to agree.
//!
//! Of a persistent operation stands its ordinal among those of its communicator, for which their initialisations count: starts may
//! come in any order, and belong together by it (MPI-5.0 §6.13).
//!
//! Groups, leaders and neighbours need not be the same everywhere, and stand as counts of the event's parts
//! ([`super::event::Part::counts`]), without data:
//!
//! | function | counts |
//! |---|---|
//! | `MPI_Comm_create` | receive: ranks of the group in the communicator |
//! | `MPI_Comm_create_group` | the same, and send: the tag; only the group's processes call it |
//! | `MPI_Comm_create_from_group` | receive: ranks in the world, send: a hash of the text |
//! | `MPI_Intercomm_create_from_groups` | receive: ranks of the local group in the world, send: a hash of the text and, at the leader, the remote leader's rank in the world |
//! | `MPI_Intercomm_create` | receive, at the leader: the process's id of the other communicator, remote leader, tag |
//! | `MPI_Dist_graph_create_adjacent` | receive: sources, send: destinations |

/// The names of the values, in their order, by the function's name without `_c`. The last one is that of all
/// further ones as well.
pub fn names(function: &str) -> &'static [&'static str] {
    match function {
        "MPI_Cart_create" => &["ndims", "reorder", "dims and periods"],
        "MPI_Graph_create" => &["nnodes", "reorder", "index and edges"],
        "MPI_Dist_graph_create" | "MPI_Dist_graph_create_adjacent" => &["reorder"],
        "MPI_Intercomm_create" | "MPI_Intercomm_create_from_groups" => &["local_leader"],
        // Within each of the two groups; between them it may differ.
        "MPI_Intercomm_merge" => &["high"],
        "MPI_Win_fence" => &["assert"],
        "MPI_Win_free" => &["win"],
        "MPI_File_open" => &["amode", "filename"],
        "MPI_File_set_view" => &["fh", "etype", "datarep"],
        "MPI_File_set_size" | "MPI_File_preallocate" => &["fh", "size"],
        "MPI_File_set_atomicity" => &["fh", "flag"],
        "MPI_File_seek_shared" => &["fh", "offset", "whence"],
        name if name.starts_with("MPI_File_") => &["fh"],
        _ => &[],
    }
}
