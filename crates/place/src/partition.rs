//! Orders in which few bytes cross from node to node.

use std::collections::BTreeMap;

/// Bytes between a rank and others, both directions together: by rank, in order of the other rank.
pub type Ties = Vec<Vec<(u32, u64)>>;

/// Rounds of exchanging ranks; each is a pass over all.
const ROUNDS: usize = 8;

/// Bytes that cross from node to node.
pub fn crossing(ties: &Ties, nodes: &[u32]) -> u64 {
    let of = |(a, list): (usize, &Vec<(u32, u64)>)| {
        list.iter().filter(|t| nodes[a] != nodes[t.0 as usize]).map(|t| t.1).sum::<u64>()
    };
    ties.iter().enumerate().map(of).sum::<u64>() / 2
}

/// Fills one node after the other: begins where ties to what is placed are strongest, adds who is tied most.
pub fn grown(ties: &Ties, room: &[usize]) -> Vec<u32> {
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
pub fn improve(ties: &Ties, nodes: &mut [u32]) {
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

/// Moves ranks from nodes with too many to nodes with room, those first that lose least by it.
pub fn balanced(ties: &Ties, nodes: &mut [u32], room: &[usize]) {
    let mut counts = vec![0usize; room.len()];
    nodes.iter().for_each(|&node| counts[node as usize] += 1);
    let to_node = |nodes: &[u32], rank: usize, node: usize| -> i64 {
        ties[rank].iter().filter(|t| nodes[t.0 as usize] as usize == node).map(|t| t.1 as i64).sum()
    };
    while let Some(full) = (0..room.len()).find(|&node| counts[node] > room[node]) {
        let free: Vec<usize> = (0..room.len()).filter(|&node| counts[node] < room[node]).collect();
        let ranks = (0..nodes.len()).filter(|&rank| nodes[rank] as usize == full);
        let moves = ranks.flat_map(|rank| free.iter().map(move |&node| (rank, node)));
        let gain = |&(rank, node): &(usize, usize)| to_node(nodes, rank, node) - to_node(nodes, rank, full);
        let Some((rank, node)) = moves.max_by_key(gain) else { return };
        nodes[rank] = node as u32;
        counts[full] -= 1;
        counts[node] += 1;
    }
}

/// Blocks of a grid that fill nodes of equal size.
pub fn blocks(dims: &[u32], room: &[usize], ranks: usize) -> Vec<Vec<u32>> {
    let Some(&size) = room.first() else { return Vec::new() };
    let extents: Vec<usize> = dims.iter().map(|&d| d as usize).collect();
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
