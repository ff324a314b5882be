//! An order as options of launchers, where these have it.

use crate::files::name;
use crate::orders::by_node;

/// What a launcher's command line says in place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The launcher.
    pub launcher: &'static str,
    /// The command, up to the program.
    pub text: String,
}

/// Hosts that a line lists; more belong into a file.
const MOST_HOSTS: usize = 16;

/// The lines of an order on nodes with these names. (Hydra's `-map-by` is about cores within a host, not about hosts.)
pub fn lines(nodes: &[u32], names: &[String]) -> Vec<Line> {
    let ranks = nodes.len();
    let mut sizes = vec![0usize; nodes.iter().max().map_or(0, |most| *most as usize + 1)];
    nodes.iter().for_each(|&node| sizes[node as usize] += 1);
    let used: Vec<u32> = (0..).zip(&sizes).filter(|(_, size)| **size > 0).map(|(node, _)| node).collect();
    let room: Vec<usize> = used.iter().map(|&node| sizes[node as usize]).collect();
    // Launchers fill nodes in different ways where these have different numbers of ranks.
    let is_even = room.iter().all(|size| *size == room[0]);
    let is_by_slot = nodes.is_sorted();
    let in_turn: Vec<u32> = by_node(&room, ranks).into_iter().map(|at| used[at as usize]).collect();
    let is_by_node = is_even && nodes == in_turn;
    let mut found = Vec::new();
    let named = |sizes: &dyn Fn(usize) -> String| {
        let hosts = used.iter().enumerate().map(|(at, &node)| name(node, names) + &sizes(at));
        hosts.collect::<Vec<_>>().join(",")
    };
    if (is_by_slot || is_by_node) && used.len() <= MOST_HOSTS {
        let hosts = named(&|at| format!(":{}", room[at]));
        let policy = if is_by_slot { "slot" } else { "node" };
        let text = format!("mpirun -n {ranks} --host {hosts} --map-by {policy} --rank-by {policy}");
        found.push(Line { launcher: "Open MPI", text });
    }
    const HYDRA: &str = "MPICH and Intel MPI (Hydra)";
    if is_even && (is_by_slot || is_by_node) && used.len() <= MOST_HOSTS {
        let hosts = named(&|_| String::new());
        let each = if is_by_slot { room.first().copied().unwrap_or(1) } else { 1 };
        found.push(Line { launcher: HYDRA, text: format!("mpiexec -n {ranks} -hosts {hosts} -ppn {each}") });
    } else {
        // Hosts may be listed more than once; Intel MPI adds up what it finds of each.
        let blocks: Vec<&[u32]> = nodes.chunk_by(|a, b| a == b).collect();
        if blocks.len() <= MOST_HOSTS {
            let hosts = blocks.iter().map(|block| format!("{}:{}", name(block[0], names), block.len()));
            let hosts = hosts.collect::<Vec<_>>().join(",");
            let launcher = if is_by_slot { HYDRA } else { "MPICH" };
            found.push(Line { launcher, text: format!("mpiexec -n {ranks} -hosts {hosts}") });
        }
    }
    found
}
