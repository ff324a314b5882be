//! Which ranks should be on the same node.

use std::collections::BTreeMap;

use mpiscope_place::{Sent, Ties, blocks, crossing, grown, improve};
use mpiscope_store::Dimensions;
use mpiscope_units::{bytes, percent, time};

use super::graph::{Edge, Graph};
use super::registry::{Context, StructureRules};
use super::thresholds::share;
use crate::explanation::structure::Iterations;
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

/// Bytes between ranks.
fn ties(graph: &Graph) -> Ties {
    let of_rank = |(from, edges): (usize, &Vec<Edge>)| {
        let sent = |e: &Edge| Sent { from: from as u32, to: e.to, messages: e.messages, bytes: e.bytes, time_ns: 0 };
        edges.iter().map(sent).collect::<Vec<_>>()
    };
    let sent: Vec<Sent> = graph.edges.iter().enumerate().flat_map(of_rank).collect();
    mpiscope_place::ties(&sent, graph.edges.len(), mpiscope_place::By::Bytes)
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
    candidates.extend(explanation.grid.iter().flat_map(|g| blocks(&g.dims, &room, nodes.len())));
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
