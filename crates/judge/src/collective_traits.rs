//! Properties of functions that the comparison of collective calls needs.

use std::sync::OnceLock;

use mpiscope_abi::role::{self, Pattern, Role};
use mpiscope_abi::{ID_LIMIT, LARGE};

/// How an operation is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Blocking,
    NonBlocking,
    Persistent,
}

/// How the amounts of data of a collective operation have to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// No data.
    Nothing,
    /// All that is given and taken is the same.
    Uniform,
    /// The same, and there is a root; what only the root's side means.
    Gather,
    Scatter,
    Bcast,
    Reduce,
    /// A count for each process at the root.
    Gatherv,
    Scatterv,
    /// A count for each process, the same list everywhere.
    Allgatherv,
    ReduceScatter,
    /// A count for each pair of processes.
    Alltoallv,
    /// The processes of a group, which all of them have to name.
    Group,
    /// Neighbours, which have to list each other.
    Edges,
    /// A count for each pair of neighbours.
    NeighborAlltoallv,
    NeighborAllgatherv,
}

/// With which other operations of its communicator an operation is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    Comm,
    File,
    Window,
    Init,
    Started,
    /// The processes of a group take part, which they name.
    Among,
    /// The participants are unknown.
    None,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// Id of the blocking variant with small counts.
    pub base: u16,
    pub variant: Variant,
    pub pattern: Pattern,
    pub shape: Shape,
    pub order: Order,
    /// `MPI_IN_PLACE` on all processes or none.
    pub in_place_together: bool,
}

/// Functions by id, each worked out when it is met first: that reads names, and a program uses few of them.
pub(crate) struct Kinds;

impl Kinds {
    pub fn new() -> Kinds {
        Kinds
    }

    pub fn shape_of(function: u16) -> Shape {
        Kinds.of_function(function).shape
    }

    pub fn of_function(&self, function: u16) -> &Kind {
        static ALL: [OnceLock<Kind>; ID_LIMIT as usize] = [const { OnceLock::new() }; ID_LIMIT as usize];
        let id = u32::from(function) % ID_LIMIT;
        ALL[id as usize].get_or_init(|| kind(id))
    }
}

fn kind(id: u32) -> Kind {
    let small = id & !LARGE;
    let name = mpiscope_abi::name(small);
    let is_persistent = role::is_persistent(small);
    let variant = match (is_persistent, role::makes_request(small)) {
        (true, _) => Variant::Persistent,
        (_, true) => Variant::NonBlocking,
        _ => Variant::Blocking,
    };
    let pattern = match role::role(small) {
        Role::Collective(pattern) => pattern,
        _ => Pattern::Object,
    };
    let stem = name.strip_prefix("MPI_").unwrap_or(name);
    let stem = stem.strip_suffix("_init").filter(|_| is_persistent).unwrap_or(stem);
    let stem = match stem.strip_prefix('I') {
        Some(rest) if variant == Variant::NonBlocking => {
            let mut letters = rest.chars();
            letters.next().map_or(String::new(), |c| c.to_ascii_uppercase().to_string() + letters.as_str())
        }
        _ => stem.replace("_iread", "_read").replace("_iwrite", "_write"),
    };
    let base = base_of(&stem).unwrap_or(small) as u16;
    let shape = match stem.as_str() {
        "Bcast" => Shape::Bcast,
        "Reduce" => Shape::Reduce,
        "Gather" => Shape::Gather,
        "Scatter" => Shape::Scatter,
        "Gatherv" => Shape::Gatherv,
        "Scatterv" => Shape::Scatterv,
        "Allgatherv" => Shape::Allgatherv,
        "Reduce_scatter" => Shape::ReduceScatter,
        "Alltoallv" | "Alltoallw" => Shape::Alltoallv,
        "Neighbor_alltoallv" | "Neighbor_alltoallw" => Shape::NeighborAlltoallv,
        "Neighbor_allgatherv" => Shape::NeighborAllgatherv,
        "Comm_create" => Shape::Group,
        "Dist_graph_create_adjacent" => Shape::Edges,
        "Allreduce"
        | "Allgather"
        | "Alltoall"
        | "Scan"
        | "Exscan"
        | "Reduce_scatter_block"
        | "Neighbor_allgather"
        | "Neighbor_alltoall" => Shape::Uniform,
        _ => Shape::Nothing,
    };
    let order = match () {
        _ if matches!(
            stem.as_str(),
            "Comm_create_group" | "Comm_create_from_group" | "Intercomm_create_from_groups"
        ) =>
        {
            Order::Among
        }
        _ if stem == "Comm_join" => Order::None,
        _ if is_persistent => Order::Init,
        _ if stem.starts_with("File_") && stem != "File_open" => Order::File,
        _ if stem.starts_with("Win_f") => Order::Window,
        _ => Order::Comm,
    };
    let in_place_together = matches!(
        stem.as_str(),
        "Allreduce" | "Allgather" | "Allgatherv" | "Alltoall" | "Alltoallv" | "Alltoallw" | "Reduce_scatter"
    ) || stem == "Reduce_scatter_block";
    Kind { base, variant, pattern, shape, order, in_place_together }
}

/// Names as in the standard, whatever the spelling of the variant was.
fn base_of(stem: &str) -> Option<u32> {
    mpiscope_abi::by_name(&format!("MPI_{stem}")).or_else(|| {
        let lower = stem.to_ascii_lowercase();
        mpiscope_abi::ids().find(|&id| mpiscope_abi::name(id).to_ascii_lowercase() == format!("mpi_{lower}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_abi::{by_name, name};

    #[test]
    fn variants_have_one_base() {
        for (function, base, variant) in [
            ("MPI_Allreduce", "MPI_Allreduce", Variant::Blocking),
            ("MPI_Iallreduce_c", "MPI_Allreduce", Variant::NonBlocking),
            ("MPI_Allreduce_init", "MPI_Allreduce", Variant::Persistent),
            ("MPI_Ineighbor_alltoallw", "MPI_Neighbor_alltoallw", Variant::NonBlocking),
            ("MPI_Comm_idup", "MPI_Comm_idup", Variant::NonBlocking),
            ("MPI_Comm_dup", "MPI_Comm_dup", Variant::Blocking),
            ("MPI_File_iread_all", "MPI_File_read_all", Variant::NonBlocking),
            ("MPI_Intercomm_merge", "MPI_Intercomm_merge", Variant::Blocking),
        ] {
            let found = kind(by_name(function).unwrap());
            assert_eq!((name(found.base.into()), found.variant), (base, variant), "{function}");
        }
        assert_eq!(kind(by_name("MPI_Iscatterv_c").unwrap()).shape, Shape::Scatterv);
        assert_eq!(kind(by_name("MPI_Win_fence").unwrap()).order, Order::Window);
    }
}
