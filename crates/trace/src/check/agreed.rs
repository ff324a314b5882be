//! What stands in [`super::event::Body::Collective`]'s `agreed`: the arguments on which the processes of a collective call
//! have to agree, beside root, operation, counts and datatypes.
//!
//! Windows and files are named by their ordinal: how many were made before on their communicator, which is the same
//! number on all processes. Texts are hashes. `MPI_Win_fence` is an epoch ([`super::event::Body::Epoch`]); of its assertion
//! `MPI_MODE_NOPRECEDE` and `MPI_MODE_NOSUCCEED` have to agree.
//! `MPI_Comm_create_group` and its like, which only some processes of a communicator call, are not told.

/// The names of the values, in their order, by the function's name without `_c`. The last one is that of all
/// further ones as well.
pub fn names(function: &str) -> &'static [&'static str] {
    match function {
        "MPI_Cart_create" => &["ndims", "reorder", "dims and periods"],
        "MPI_Graph_create" => &["nnodes", "reorder", "index and edges"],
        "MPI_Dist_graph_create" | "MPI_Dist_graph_create_adjacent" => &["reorder"],
        "MPI_Intercomm_create" => &["local_leader", "tag"],
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
