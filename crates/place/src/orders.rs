//! Orders with names.

use crate::mapping::{closer, exchange_ranks, hop_bytes};
use crate::partition::{Ties, blocks, crossing, grown, improve};
use crate::partitioner::by_metis;

/// Ids of all orders that a run may have.
pub const IDS: [&str; 10] =
    ["recorded", "by-slot", "by-node", "folded", "by-package", "columns", "blocks", "hilbert", "best", "mapped"];

/// The id for a name; older versions of mpiscope wrote `by_slot`.
fn id_of(name: &str) -> String {
    name.replace('_', "-")
}

/// Whether an order has this name.
pub fn is_named(name: &str) -> bool {
    IDS.contains(&id_of(name).as_str())
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Stable id: `by-slot`.
    pub id: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The node of each rank.
    pub nodes: Vec<u32>,
}

/// Orders from which the exchange of all pairs of ranks begins.
const MOST_REFINED: usize = 4;

/// Hops between two nodes.
pub type Hops<'a> = &'a dyn Fn(u32, u32) -> u32;

/// Nodes on which ranks can be.
#[derive(Clone, Copy)]
pub struct Nodes<'a> {
    /// Ranks for which each has room.
    pub room: &'a [usize],
    /// Packages of each; 1 where that is not known.
    pub packages: u32,
    /// Hops between two of them.
    pub hops: Option<Hops<'a>>,
}

/// Orders of ranks on nodes: the usual ones of launchers, those of the process grid, and the best that was found; with distances
/// between nodes, also the one whose bytes travel the fewest hops. `now` is the order of the run.
pub fn orders(ties: &Ties, now: &[u32], nodes: Nodes<'_>, dims: &[u32]) -> Vec<Named> {
    let Nodes { room, packages, hops } = nodes;
    let ranks = ties.len();
    let order = |id, what, nodes| Named { id, what, nodes };
    let mut found = vec![
        order("by-slot", "node after node", in_sequence(0..ranks, room, ranks)),
        order("by-node", "one on each in turn", by_node(room, ranks)),
        order("folded", "there and back", in_rounds(room, ranks, 1, |round| round % 2 == 1)),
    ];
    if packages > 1 {
        let each = packages as usize;
        found.push(order("by-package", "one on each package", in_rounds(room, ranks, each, |_| false)));
    }
    let is_grid = dims.len() > 1 && dims.iter().map(|&d| d as usize).product::<usize>() == ranks;
    if is_grid {
        found.push(order("columns", "columns of the grid", in_sequence(columns(dims), room, ranks)));
        let best = blocks(dims, room, ranks).into_iter().min_by_key(|nodes| crossing(ties, nodes));
        found.extend(best.map(|nodes| order("blocks", "blocks of the grid", nodes)));
        if let Some(curve) = hilbert(dims) {
            found.push(order("hilbert", "Hilbert curve", in_sequence(curve, room, ranks)));
        }
    }
    let mut candidates = vec![now.to_vec()];
    candidates.extend(found.iter().map(|order| order.nodes.clone()));
    candidates.push(grown(ties, room));
    candidates.extend(by_metis(ties, &filled(room, ranks)));
    candidates.retain(|nodes| fits(nodes, room));
    candidates.iter_mut().for_each(|nodes| improve(ties, nodes));
    keep_best(&mut candidates, |nodes| crossing(ties, nodes));
    candidates.iter_mut().for_each(|nodes| exchange_ranks(ties, nodes, &|a, b| u32::from(a != b)));
    let mapped = hops.and_then(|hops| {
        // Also from orders that were not improved: few bytes between nodes and few hops are different aims.
        let mut starts = candidates.clone();
        starts.extend(found.iter().map(|order| order.nodes.clone()).filter(|nodes| fits(nodes, room)));
        keep_best(&mut starts, |nodes| hop_bytes(ties, nodes, hops));
        starts.iter_mut().for_each(|nodes| closer(ties, nodes, hops));
        starts.into_iter().min_by_key(|nodes| hop_bytes(ties, nodes, hops))
    });
    candidates.extend(mapped.clone());
    // Of equal ones, that of the run, or one that launchers know by a name.
    let known = std::iter::once(now.to_vec()).chain(found.iter().map(|order| order.nodes.clone()));
    let known = known.filter(|nodes| nodes.len() == ranks && fits(nodes, room));
    let best = known.chain(candidates).min_by_key(|nodes| crossing(ties, nodes));
    found.extend(best.map(|nodes| order("best", "best found", nodes)));
    found.extend(mapped.map(|nodes| order("mapped", "fewest hops", nodes)));
    found
}

/// Ranks on each node, if they fill one after the other; nodes without ranks are left out.
fn filled(room: &[usize], ranks: usize) -> Vec<usize> {
    let mut left = ranks;
    let sizes = room.iter().map(|&room| {
        let size = room.min(left);
        left -= size;
        size
    });
    let mut sizes: Vec<usize> = sizes.collect();
    sizes.truncate(sizes.iter().rposition(|&size| size > 0).map_or(0, |last| last + 1));
    sizes
}

/// Keeps the few best candidates, in their order where they are equal.
fn keep_best(candidates: &mut Vec<Vec<u32>>, cost: impl Fn(&Vec<u32>) -> u64) {
    candidates.sort_by_cached_key(cost);
    candidates.dedup();
    candidates.truncate(MOST_REFINED);
}

/// The order with this name.
pub fn named<'a>(orders: &'a [Named], name: &str) -> Option<&'a Named> {
    let id = id_of(name);
    orders.iter().find(|order| order.id == id)
}

/// Whether no node has more ranks than room.
fn fits(nodes: &[u32], room: &[usize]) -> bool {
    let mut left = room.to_vec();
    nodes.iter().all(|&node| match left.get_mut(node as usize) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    })
}

/// Ranks in this sequence fill node after node.
fn in_sequence(sequence: impl IntoIterator<Item = usize>, room: &[usize], ranks: usize) -> Vec<u32> {
    let mut slots = room.iter().enumerate().flat_map(|(node, &room)| std::iter::repeat_n(node as u32, room));
    let mut nodes = vec![0; ranks];
    for rank in sequence {
        if let (Some(node), Some(slot)) = (slots.next(), nodes.get_mut(rank)) {
            *slot = node;
        }
    }
    nodes
}

/// One on each node in turn.
pub(crate) fn by_node(room: &[usize], ranks: usize) -> Vec<u32> {
    in_rounds(room, ranks, 1, |_| false)
}

/// As many ranks as `each` says on each node that still has room, in rounds; some of them backwards.
fn in_rounds(room: &[usize], ranks: usize, each: usize, is_back: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut nodes = Vec::with_capacity(ranks);
    for round in 0..room.iter().max().copied().unwrap_or(0).div_ceil(each) {
        let of = |node: usize| std::iter::repeat_n(node as u32, room[node].saturating_sub(round * each).min(each));
        match is_back(round) {
            false => nodes.extend((0..room.len()).flat_map(of)),
            true => nodes.extend((0..room.len()).rev().flat_map(of)),
        }
    }
    nodes.truncate(ranks);
    nodes
}

/// Ranks of a row-major grid, the first axis fastest.
fn columns(dims: &[u32]) -> Vec<usize> {
    let extents: Vec<usize> = dims.iter().map(|&d| d as usize).collect();
    let all: usize = extents.iter().product();
    let place = |number: usize| {
        let (mut left, mut rank) = (number, 0);
        let mut strides = vec![1; extents.len()];
        (0..extents.len().saturating_sub(1))
            .rev()
            .for_each(|axis| strides[axis] = strides[axis + 1] * extents[axis + 1]);
        for (axis, &extent) in extents.iter().enumerate() {
            rank += left % extent * strides[axis];
            left /= extent;
        }
        rank
    };
    (0..all).map(place).collect()
}

/// Ranks of a square grid with a power of two on each side, along a Hilbert curve (Hilbert 1891).
fn hilbert(dims: &[u32]) -> Option<Vec<usize>> {
    let &[height, width] = dims else { return None };
    if height != width || !width.is_power_of_two() {
        return None;
    }
    let side = width as usize;
    let point = |number: usize| {
        let (mut x, mut y, mut left, mut size) = (0usize, 0usize, number, 1usize);
        while size < side {
            let (right, up) = ((left / 2) & 1, (left ^ (left / 2)) & 1);
            if up == 0 {
                if right == 1 {
                    (x, y) = (size - 1 - x, size - 1 - y);
                }
                (x, y) = (y, x);
            }
            (x, y) = (x + size * right, y + size * up);
            left /= 4;
            size *= 2;
        }
        y * side + x
    };
    Some((0..side * side).map(point).collect())
}
