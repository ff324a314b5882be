//! Orders in which bytes travel few hops.

use crate::partition::Ties;

/// Rounds of exchanges; each is a pass over all nodes, or all ranks.
const ROUNDS: usize = 8;
/// Ranks, and nodes, up to which all pairs are tried; more take minutes.
const MOST_RANKS: usize = 512;
const MOST_NODES: usize = 1024;

/// Bytes times hops.
pub fn hop_bytes(ties: &Ties, nodes: &[u32], hops: &dyn Fn(u32, u32) -> u32) -> u64 {
    let of = |(a, list): (usize, &Vec<(u32, u64)>)| {
        list.iter().map(|&(b, bytes)| bytes.saturating_mul(hops(nodes[a], nodes[b as usize]).into())).sum::<u64>()
    };
    ties.iter().enumerate().map(of).sum::<u64>() / 2
}

/// Exchanges what is on two nodes of equal size, and then pairs of ranks, as long as that saves bytes times hops.
pub fn closer(ties: &Ties, nodes: &mut [u32], hops: &dyn Fn(u32, u32) -> u32) {
    exchange_nodes(ties, nodes, hops);
    exchange_ranks(ties, nodes, hops);
}

fn exchange_nodes(ties: &Ties, nodes: &mut [u32], hops: &dyn Fn(u32, u32) -> u32) {
    let count = nodes.iter().max().map_or(0, |most| *most as usize + 1);
    if count > MOST_NODES {
        return;
    }
    // Bytes between groups of ranks; a group stays together, `at` is its node.
    let mut between = vec![std::collections::BTreeMap::<u32, i64>::new(); count];
    let mut sizes = vec![0usize; count];
    for (rank, list) in ties.iter().enumerate() {
        sizes[nodes[rank] as usize] += 1;
        for &(other, bytes) in list.iter().filter(|(other, _)| nodes[*other as usize] != nodes[rank]) {
            *between[nodes[rank] as usize].entry(nodes[other as usize]).or_default() += bytes as i64;
        }
    }
    let mut at: Vec<u32> = (0..count as u32).collect();
    for _ in 0..ROUNDS {
        let mut is_better = false;
        for a in 0..count {
            for b in a + 1..count {
                if sizes[a] != sizes[b] {
                    continue;
                }
                let cost = |at: &[u32], group: usize, other: usize| -> i64 {
                    let of = between[group].iter().filter(|(to, _)| **to as usize != other);
                    of.map(|(to, bytes)| bytes * i64::from(hops(at[group], at[*to as usize]))).sum()
                };
                let before = cost(&at, a, b) + cost(&at, b, a);
                at.swap(a, b);
                if cost(&at, a, b) + cost(&at, b, a) < before {
                    is_better = true;
                } else {
                    at.swap(a, b);
                }
            }
        }
        if !is_better {
            break;
        }
    }
    nodes.iter_mut().for_each(|node| *node = at[*node as usize]);
}

/// Exchanges pairs of ranks as long as that saves bytes times hops.
pub fn exchange_ranks(ties: &Ties, nodes: &mut [u32], hops: &dyn Fn(u32, u32) -> u32) {
    if nodes.len() > MOST_RANKS {
        return;
    }
    let cost = |nodes: &[u32], rank: usize, other: usize| -> i64 {
        let of = ties[rank].iter().filter(|(to, _)| *to as usize != other);
        of.map(|&(to, bytes)| bytes as i64 * i64::from(hops(nodes[rank], nodes[to as usize]))).sum()
    };
    for _ in 0..ROUNDS {
        let mut is_better = false;
        for a in 0..nodes.len() {
            for b in a + 1..nodes.len() {
                if nodes[a] == nodes[b] {
                    continue;
                }
                let before = cost(nodes, a, b) + cost(nodes, b, a);
                nodes.swap(a, b);
                if cost(nodes, a, b) + cost(nodes, b, a) < before {
                    is_better = true;
                } else {
                    nodes.swap(a, b);
                }
            }
        }
        if !is_better {
            break;
        }
    }
}
