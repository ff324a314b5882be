//! An order, as launchers read it.

use std::collections::HashMap;

/// A file for a launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The launcher.
    pub launcher: &'static str,
    /// Name of the file.
    pub name: &'static str,
    /// Its contents.
    pub text: String,
    /// How to use it.
    pub how: &'static str,
}

/// The name of a node.
pub(crate) fn name(node: u32, names: &[String]) -> String {
    names.get(node as usize).cloned().unwrap_or_else(|| format!("node{node}"))
}

/// The files of an order on nodes with these names. `packages` are those of each node on which its ranks are in turn; 1: they fill its cores.
pub fn files(nodes: &[u32], names: &[String], packages: u32) -> Vec<File> {
    let name = |node: u32| name(node, names);
    let lines = |line: &dyn Fn(usize, u32) -> String| {
        nodes.iter().enumerate().map(|(rank, &node)| line(rank, node) + "\n").collect::<String>()
    };
    // The place of each rank among those on its node.
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    let mut next = |node: u32| {
        let size = sizes.entry(node).or_default();
        *size += 1;
        *size - 1
    };
    let places: Vec<usize> = nodes.iter().map(|&node| next(node)).collect();
    let slot = |rank: usize| match (packages as usize, places[rank]) {
        (0 | 1, place) => place.to_string(),
        // A package, and the number of a core in it.
        (packages, place) => format!("{}:{}", place % packages, place / packages),
    };
    let in_slots = {
        let mut ranks: Vec<usize> = (0..nodes.len()).collect();
        ranks.sort_by_key(|&rank| nodes[rank]);
        ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(",") + "\n"
    };
    let hosts = lines(&|_, node| name(node));
    vec![
        File {
            launcher: "Open MPI",
            name: "rankfile",
            text: lines(&|rank, node| format!("rank {rank}={} slot={}", name(node), slot(rank))),
            how: "mpirun --rankfile rankfile (Open MPI 5: mpirun --host NODE:RANKS,... --map-by rankfile:file=rankfile); binds each rank to a core",
        },
        File {
            launcher: "Open MPI, without binding",
            name: "hosts",
            text: hosts.clone(),
            how: "mpirun --mca rmaps seq --hostfile hosts (Open MPI 5: mpirun --map-by seq --hostfile hosts)",
        },
        File {
            launcher: "Slurm",
            name: "hosts",
            text: hosts.clone(),
            how: "SLURM_HOSTFILE=hosts srun --distribution=arbitrary",
        },
        File {
            launcher: "MPICH and Intel MPI (Hydra)",
            name: "machines",
            text: lines(&|_, node| format!("{}:1", name(node))),
            how: "mpiexec -machinefile machines",
        },
        File {
            launcher: "Cray MPICH",
            name: "MPICH_RANK_ORDER",
            text: in_slots,
            how: "MPICH_RANK_REORDER_METHOD=3, in the directory of the file",
        },
        File { launcher: "Fujitsu MPI (PJM)", name: "hosts", text: hosts, how: "pjsub --mpi rank-map-hostfile=hosts" },
    ]
}

/// The rank that each process of the run must have for an order, if processes stay where they are: for `MPI_Comm_split` in the program. `None`
/// if the order needs another number of processes on some node.
pub fn new_ranks(now: &[u32], order: &[u32]) -> Option<Vec<u32>> {
    if now.len() != order.len() {
        return None;
    }
    let mut free: Vec<Vec<u32>> = Vec::new();
    for (rank, &node) in order.iter().enumerate().rev() {
        let node = node as usize;
        if free.len() <= node {
            free.resize_with(node + 1, Vec::new);
        }
        free[node].push(rank as u32);
    }
    now.iter().map(|&node| free.get_mut(node as usize)?.pop()).collect()
}
