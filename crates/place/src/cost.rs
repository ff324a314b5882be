//! What an order costs.

use std::collections::BTreeMap;

use crate::partition::Ties;

/// What a rank sends to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// Messages.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
    /// Time of both in calls for them, ns, as far as it is known.
    pub time_ns: u64,
}

/// What makes ranks belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Messages between them.
    Messages,
    /// Their bytes.
    #[default]
    Bytes,
    /// Time in calls for them.
    Time,
}

impl By {
    fn of(self, sent: &Sent) -> u64 {
        match self {
            By::Messages => sent.messages,
            By::Bytes => sent.bytes,
            By::Time => sent.time_ns,
        }
    }
}

/// The sums of all lists by pairs of ranks.
pub fn together<'a>(lists: impl IntoIterator<Item = &'a [Sent]>) -> Vec<Sent> {
    let mut sums: BTreeMap<(u32, u32), Sent> = BTreeMap::new();
    for one in lists.into_iter().flatten() {
        let sum = sums.entry((one.from, one.to)).or_insert(Sent { messages: 0, bytes: 0, time_ns: 0, ..*one });
        sum.messages = sum.messages.saturating_add(one.messages);
        sum.bytes = sum.bytes.saturating_add(one.bytes);
        sum.time_ns = sum.time_ns.saturating_add(one.time_ns);
    }
    sums.into_values().collect()
}

/// The cost of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes from node to node.
    pub bytes: u64,
    /// Messages from node to node.
    pub messages: u64,
    /// Time in calls for them, ns.
    pub time_ns: u64,
    /// Bytes times the hops that they travel, if distances of nodes are known.
    pub hop_bytes: Option<u64>,
    /// Most bytes that leave or enter one node.
    pub busiest_bytes: u64,
}

/// The cost of an order; `hops` are those between two nodes.
pub fn cost(sent: &[Sent], nodes: &[u32], hops: Option<&dyn Fn(u32, u32) -> u32>) -> Cost {
    let count = nodes.iter().max().map_or(0, |most| *most as usize + 1);
    let (mut out, mut into) = (vec![0u64; count], vec![0u64; count]);
    let mut cost = Cost { hop_bytes: hops.map(|_| 0), ..Cost::default() };
    for one in sent {
        let node = |rank: u32| nodes.get(rank as usize).copied();
        let (Some(a), Some(b)) = (node(one.from), node(one.to)) else { continue };
        if a == b {
            continue;
        }
        cost.bytes = cost.bytes.saturating_add(one.bytes);
        cost.messages = cost.messages.saturating_add(one.messages);
        cost.time_ns = cost.time_ns.saturating_add(one.time_ns);
        if let (Some(sum), Some(hops)) = (&mut cost.hop_bytes, hops) {
            *sum = sum.saturating_add(one.bytes.saturating_mul(u64::from(hops(a, b))));
        }
        out[a as usize] = out[a as usize].saturating_add(one.bytes);
        into[b as usize] = into[b as usize].saturating_add(one.bytes);
    }
    cost.busiest_bytes = out.into_iter().chain(into).max().unwrap_or(0);
    cost
}

/// Bytes between the packages of nodes, if the ranks of each node fill its packages one after the other, and if they are on them in turn.
pub fn between_packages(sent: &[Sent], nodes: &[u32], packages: u32) -> [u64; 2] {
    let packages = packages.max(1) as usize;
    let count = nodes.iter().max().map_or(0, |most| *most as usize + 1);
    let mut sizes = vec![0usize; count];
    // The place of each rank among those on its node.
    let slots: Vec<usize> = nodes
        .iter()
        .map(|&node| {
            sizes[node as usize] += 1;
            sizes[node as usize] - 1
        })
        .collect();
    let filled = |rank: usize| slots[rank] / sizes[nodes[rank] as usize].div_ceil(packages);
    let in_turn = |rank: usize| slots[rank] % packages;
    let bytes = |package: &dyn Fn(usize) -> usize| {
        let pairs = sent.iter().map(|one| (one.from as usize, one.to as usize, one.bytes));
        let inside = pairs.filter(|&(a, b, _)| nodes.get(a).is_some() && nodes.get(a) == nodes.get(b));
        inside.filter(|&(a, b, _)| package(a) != package(b)).map(|(_, _, bytes)| bytes).sum()
    };
    [bytes(&filled), bytes(&in_turn)]
}

/// Bytes that pass each link of the network, where a message takes the links that `route` gives for two nodes.
pub fn loads<L: Ord + Copy>(sent: &[Sent], nodes: &[u32], route: impl Fn(u32, u32) -> Vec<L>) -> BTreeMap<L, u64> {
    let mut between = BTreeMap::<(u32, u32), u64>::new();
    for one in sent {
        let node = |rank: u32| nodes.get(rank as usize).copied();
        if let (Some(a), Some(b)) = (node(one.from), node(one.to))
            && a != b
        {
            *between.entry((a, b)).or_default() += one.bytes;
        }
    }
    let mut loads = BTreeMap::new();
    for ((a, b), bytes) in between {
        for link in route(a, b) {
            *loads.entry(link).or_default() += bytes;
        }
    }
    loads
}

/// Both directions together, for partitions of so many ranks.
pub fn ties(sent: &[Sent], ranks: usize, by: By) -> Ties {
    let mut ties: Ties = vec![Vec::new(); ranks];
    for one in sent.iter().filter(|one| one.from != one.to) {
        let weight = by.of(one);
        let (from, to) = (one.from as usize, one.to as usize);
        if from < ranks && to < ranks {
            ties[from].push((one.to, weight));
            ties[to].push((one.from, weight));
        }
    }
    for list in &mut ties {
        list.sort_unstable();
        list.dedup_by(|b, a| {
            let is_same = a.0 == b.0;
            a.1 += if is_same { b.1 } else { 0 };
            is_same
        });
    }
    ties
}
