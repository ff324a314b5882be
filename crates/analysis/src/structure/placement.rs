//! Which ranks should be on the same node.

use std::collections::BTreeMap;

use mpiscope_store::Dimensions;
use mpiscope_units::{bytes, percent, time};

use super::graph::Graph;
use super::registry::{Context, StructureRules};
use super::thresholds::share;
use crate::explanation::structure::{Grid, Iterations};
use crate::explanation::{Confidence, Explanation, Finding, Relations, Rule, Value};

const PLACEMENT: Rule = Rule {
    id: "placement",
    what: "Ranks that exchange much data are on different nodes.",
    formula: "Bytes of messages between nodes with the current placement, and with the best of: swapping pairs (Kernighan and \
              Lin 1970), growing groups from the heaviest edges, blocks of the process grid. Cost: time of messages \
              between nodes after both sides were ready, times the share of bytes that would be saved.",
    threshold: "A tenth of the bytes between nodes, 1 % of the rank time and 1 ms.",
    doubt: "Neither bytes of collective operations nor the network topology are taken into account.",
    saving: "Not stated: the replay does not model the network.",
    relations: Relations::IN_CALLS,
};

/// The rules of this file.
pub(super) const RULES: StructureRules = StructureRules { rules: &[PLACEMENT], find };

/// Share of the bytes between nodes that another placement must save.
pub(crate) const LEAST_SAVED: f64 = 0.10;
/// Rounds of exchanging ranks; each is a pass over all.
const ROUNDS: usize = 8;

/// Bytes between two ranks, both directions.
type Ties = Vec<Vec<(u32, u64)>>;

fn ties(graph: &Graph) -> Ties {
    let mut ties: Ties = vec![Vec::new(); graph.edges.len()];
    for (from, edges) in graph.edges.iter().enumerate() {
        for e in edges.iter().filter(|e| e.to as usize != from && (e.to as usize) < graph.edges.len()) {
            ties[from].push((e.to, e.bytes));
            ties[e.to as usize].push((from as u32, e.bytes));
        }
    }
    for list in &mut ties {
        list.sort_unstable();
        list.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
    }
    ties
}

/// Bytes that cross from node to node.
fn crossing(ties: &Ties, nodes: &[u32]) -> u64 {
    let of = |(a, list): (usize, &Vec<(u32, u64)>)| {
        list.iter().filter(|t| nodes[a] != nodes[t.0 as usize]).map(|t| t.1).sum::<u64>()
    };
    ties.iter().enumerate().map(of).sum::<u64>() / 2
}

/// Node of each rank, and the number of ranks on each node.
fn present(dimensions: &Dimensions) -> (Vec<u32>, Vec<usize>) {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut room = Vec::new();
    let nodes = dimensions.ranks.iter().map(|r| {
        let next = numbers.len() as u32;
        let node = *numbers.entry(&r.host).or_insert(next);
        if node as usize == room.len() {
            room.push(0);
        }
        room[node as usize] += 1;
        node
    });
    (nodes.collect(), room)
}

/// Fills one node after the other: begins where ties to what is placed are strongest, adds who is tied most.
fn grown(ties: &Ties, room: &[usize]) -> Vec<u32> {
    let mut nodes = vec![u32::MAX; ties.len()];
    for (node, &room) in room.iter().enumerate() {
        let mut pull: BTreeMap<u32, u64> = BTreeMap::new();
        // Those that can be reached: the most pulled first, then the one with the fewest ties left outside.
        for _ in 0..room {
            let outside = |r: u32| ties[r as usize].iter().filter(|t| nodes[t.0 as usize] == u32::MAX).count();
            let best =
                pull.iter().max_by_key(|&(&r, &bytes)| (bytes, std::cmp::Reverse((outside(r), r)))).map(|p| *p.0);
            let free = || {
                let free = (0..ties.len() as u32).filter(|&r| nodes[r as usize] == u32::MAX);
                free.min_by_key(|&r| (outside(r), r))
            };
            let Some(next) = best.or_else(free) else { break };
            pull.remove(&next);
            nodes[next as usize] = node as u32;
            for &(other, bytes) in &ties[next as usize] {
                if nodes[other as usize] == u32::MAX {
                    *pull.entry(other).or_default() += bytes;
                }
            }
        }
    }
    nodes
}

/// Exchanges pairs of ranks as long as that saves bytes (Kernighan and Lin, 1970, with tied ranks' nodes as the only
/// candidates).
fn improve(ties: &Ties, nodes: &mut [u32]) {
    let to_node = |nodes: &[u32], rank: usize, node: u32| -> i64 {
        ties[rank].iter().filter(|t| nodes[t.0 as usize] == node).map(|t| t.1 as i64).sum()
    };
    let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    nodes.iter().enumerate().for_each(|(r, &n)| members.entry(n).or_default().push(r));
    for _ in 0..ROUNDS {
        let mut is_better = false;
        for a in 0..ties.len() {
            let mine = nodes[a];
            let mut targets: Vec<u32> = ties[a].iter().map(|t| nodes[t.0 as usize]).filter(|&n| n != mine).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut best: Option<(i64, usize, u32)> = None;
            for target in targets {
                let gain_a = to_node(nodes, a, target) - to_node(nodes, a, mine);
                if gain_a <= 0 {
                    continue;
                }
                for &b in members[&target].iter().take(256) {
                    let between = ties[a].binary_search_by_key(&(b as u32), |t| t.0).map_or(0, |i| ties[a][i].1 as i64);
                    let gain = gain_a + to_node(nodes, b, mine) - to_node(nodes, b, target) - 2 * between;
                    if gain > 0 && best.is_none_or(|(g, ..)| gain > g) {
                        best = Some((gain, b, target));
                    }
                }
            }
            if let Some((_, b, target)) = best {
                (nodes[a], nodes[b]) = (target, mine);
                for (rank, from, to) in [(a, mine, target), (b, target, mine)] {
                    if let Some(list) = members.get_mut(&from) {
                        list.retain(|&r| r != rank);
                    }
                    members.entry(to).or_default().push(rank);
                }
                is_better = true;
            }
        }
        if !is_better {
            break;
        }
    }
}

/// Blocks of a grid that fill nodes of equal size.
fn blocks(grid: &Grid, room: &[usize], ranks: usize) -> Vec<Vec<u32>> {
    let size = room[0];
    let extents: Vec<usize> = grid.dims.iter().map(|&d| d as usize).collect();
    if room.iter().any(|&r| r != size) || extents.iter().product::<usize>() != ranks {
        return Vec::new();
    }
    let mut shapes: Vec<Vec<usize>> = vec![Vec::new()];
    for &extent in &extents {
        let divisors: Vec<usize> = (1..=extent).filter(|d| extent.is_multiple_of(*d)).collect();
        shapes = shapes.iter().flat_map(|s| divisors.iter().map(|&d| [&s[..], &[d]].concat())).collect();
    }
    shapes.retain(|s| s.iter().product::<usize>() == size);
    let node_of = |shape: &Vec<usize>, rank: usize| {
        let (mut left, mut node, mut factor) = (rank, 0, 1);
        for axis in (0..extents.len()).rev() {
            node += left % extents[axis] / shape[axis] * factor;
            left /= extents[axis];
            factor *= extents[axis] / shape[axis];
        }
        node as u32
    };
    shapes.iter().map(|shape| (0..ranks).map(|rank| node_of(shape, rank)).collect()).collect()
}

/// Finding `placement`: only when another placement saves bytes between nodes.
fn find(context: &Context<'_>, explanation: &mut Explanation) {
    let (graph, dimensions) = (context.graph, context.dimensions);
    let (nodes, room) = present(dimensions);
    if room.len() < 2 || graph.bytes == 0 {
        return;
    }
    let ties = ties(graph);
    let now = crossing(&ties, &nodes);
    let mut candidates = vec![nodes.clone(), grown(&ties, &room)];
    candidates.extend(explanation.grid.iter().flat_map(|g| blocks(g, &room, nodes.len())));
    for candidate in candidates.iter_mut().take(2) {
        improve(&ties, candidate);
    }
    let Some(best) = candidates.into_iter().min_by_key(|c| crossing(&ties, c)) else { return };
    let then = crossing(&ties, &best);
    if ((now - then.min(now)) as f64) < now as f64 * LEAST_SAVED {
        return;
    }
    let between = graph.edges.iter().enumerate().flat_map(|(a, list)| list.iter().map(move |e| (a, e)));
    let transfer_ns: u64 = between.filter(|(a, e)| nodes[*a] != nodes[e.to as usize]).map(|(_, e)| e.transfer_ns).sum();
    let saved = 1.0 - then as f64 / now as f64;
    let cost_ns = (transfer_ns as f64 * saved) as u64;
    if cost_ns < explanation.scope.threshold_ns() {
        return;
    }
    let mut groups: Vec<Vec<i32>> = vec![Vec::new(); room.len()];
    best.iter().enumerate().for_each(|(rank, &node)| groups[node as usize].push(dimensions.ranks[rank].world_rank));
    let order: Vec<String> = groups.iter().map(|g| super::thresholds::ranks(g)).collect();
    let shown = order.iter().take(8).cloned().collect::<Vec<_>>().join(" | ");
    let list = |group: &Vec<i32>| Value::List(group.iter().map(|&r| Value::Int(r.max(0) as u64)).collect());
    explanation.findings.push(Finding {
        title: format!("A different placement of ranks would save {} of the bytes between nodes", percent(saved)),
        text: format!(
            "Messages between nodes transfer {} in {}. With the same number of ranks on each node, but with the ranks that \
             exchange most on the same node, it would be {}.",
            bytes(now),
            time(transfer_ns),
            bytes(then)
        ),
        advice: format!(
            "Place the ranks of each of these groups on one node: {shown}{}. Use a rank file (Open MPI: mpirun --map-by \
             rankfile:file=…, Slurm: srun --distribution=arbitrary); or, if the program creates a Cartesian communicator, let \
             MPI_Cart_create reorder.",
            if order.len() > 8 { " | …" } else { "" }
        ),
        cost_ns,
        share: share(cost_ns, &explanation.scope),
        confidence: Confidence::Low,
        ranks: Vec::new(),
        cause_ranks: Vec::new(),
        sites: Vec::new(),
        regions: Vec::new(),
        // It does not change during the run.
        iterations: explanation.iterations.as_ref().map(Iterations::all),
        evidence: BTreeMap::from([
            ("nodes", Value::Int(room.len() as u64)),
            ("between_nodes_bytes", Value::Int(now)),
            ("between_nodes_then_bytes", Value::Int(then)),
            ("between_nodes_ns", Value::Int(transfer_ns)),
            ("ranks_by_node", Value::List(groups.iter().map(list).collect())),
        ]),
        proof: Vec::new(),
        ..Finding::of(&PLACEMENT)
    });
}
