//! Distances of a run's messages on a network.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Topology;
use crate::diagnostic::Diagnostic;
use crate::run::{Rank, Run};
use crate::summary::Summary;
use crate::tables::PeerRow;

/// A run on a network.
#[derive(Clone, Debug, Serialize)]
pub struct Hops {
    /// The network, in a few words.
    pub network: String,
    /// Its nodes.
    pub nodes: u64,
    /// Nodes with a reported rank.
    pub nodes_used: u64,
    /// Whether ranks were placed by number, whatever hosts they ran on.
    pub by_rank: bool,
    /// All ranks.
    pub total: Distances,
    /// Each rank.
    pub ranks: Vec<RankHops>,
    /// Pairs and messages by hops, ascending, without pairs of a rank with itself.
    pub by_hops: Vec<HopRow>,
}

/// One rank on the network.
#[derive(Clone, Debug, Serialize)]
pub struct RankHops {
    /// World rank.
    pub rank: i32,
    /// Number of its node; `None` if the description does not contain it.
    pub node: Option<u64>,
    /// Position of the node: coordinates, or its switch.
    pub place: String,
    /// Distances of its messages.
    #[serde(flatten)]
    pub distances: Distances,
}

/// Pairs of ranks at the same distance.
#[derive(Clone, Debug, Serialize)]
pub struct HopRow {
    /// Number of links between the two nodes.
    pub hops: u32,
    /// Messages between them.
    #[serde(flatten)]
    pub sent: Traffic,
}

/// Partners and the messages sent to them. A partner is a rank to which messages were sent or from which they were received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Number of partners; over several ranks, of ordered pairs.
    pub partners: u64,
    /// Number of messages.
    pub messages: u64,
    /// Their payload, bytes.
    pub bytes: u64,
}

/// Distances of messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Distances {
    /// From a rank to itself.
    pub itself: Traffic,
    /// To another rank on the same node: 0 hops.
    pub same_node: Traffic,
    /// 1 hop.
    pub neighbour: Traffic,
    /// 2 hops and more.
    pub farther: Traffic,
    /// To or from a rank whose node is unknown: not counted at any distance.
    pub unknown: Traffic,
    /// Largest number of hops to a partner.
    pub hops_max: Option<u32>,
    /// Mean over partners other than the rank itself; those on the same node count 0.
    pub hops_mean: Option<f64>,
    /// Mean over messages sent to them.
    pub hops_mean_by_messages: Option<f64>,
    /// Mean over bytes sent to them.
    pub hops_mean_by_bytes: Option<f64>,
}

impl Traffic {
    fn add(&mut self, other: &Traffic) {
        self.partners = self.partners.saturating_add(other.partners);
        self.messages = self.messages.saturating_add(other.messages);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// [`Distances`] while they are summed. Hops times bytes do not fit into 64 bits.
#[derive(Default)]
struct Sums {
    distances: Distances,
    known: Traffic,
    hops: u128,
    by_messages: u128,
    by_bytes: u128,
}

impl Sums {
    fn add(&mut self, row: &PeerRow) {
        let one = Traffic { partners: 1, messages: row.messages_sent, bytes: row.bytes_sent };
        let d = &mut self.distances;
        let class = match row.hops {
            _ if row.peer == row.rank => return d.itself.add(&one),
            None => return d.unknown.add(&one),
            Some(0) => &mut d.same_node,
            Some(1) => &mut d.neighbour,
            Some(_) => &mut d.farther,
        };
        class.add(&one);
        let hops = row.hops.unwrap_or(0);
        d.hops_max = d.hops_max.max(Some(hops));
        self.known.add(&one);
        self.hops += u128::from(hops);
        self.by_messages += u128::from(hops) * u128::from(one.messages);
        self.by_bytes += u128::from(hops) * u128::from(one.bytes);
    }

    fn done(self) -> Distances {
        let mean = |sum: u128, count: u64| (count > 0).then(|| sum as f64 / count as f64);
        Distances {
            hops_mean: mean(self.hops, self.known.partners),
            hops_mean_by_messages: mean(self.by_messages, self.known.messages),
            hops_mean_by_bytes: mean(self.by_bytes, self.known.bytes),
            ..self.distances
        }
    }
}

impl Run {
    /// Adds hops to a summary of this run. An error if no rank is on the network.
    ///
    /// # Errors
    ///
    /// A message for people, if no rank is on the network.
    pub fn locate(&self, summary: &mut Summary, topology: &Topology) -> Result<(), String> {
        let hosts: BTreeMap<i32, &str> = self.ranks.iter().map(|r| (r.rank(), r.host())).collect();
        let node = |rank: i32| topology.node(rank, hosts.get(&rank).copied().unwrap_or(""));
        let lost: Vec<&Rank> = self.ranks.iter().filter(|r| node(r.rank()).is_none()).collect();
        if lost.len() == self.ranks.len() {
            return Err(nowhere(&lost, topology));
        }
        summary.diagnostics.extend(unplaced(&lost, topology));
        let mut total = Sums::default();
        let mut ranks: BTreeMap<i32, Sums> = summary.ranks.iter().map(|r| (r.rank, Sums::default())).collect();
        let mut by_hops: BTreeMap<u32, Traffic> = BTreeMap::new();
        for row in &mut summary.peers {
            row.hops = node(row.rank).zip(node(row.peer)).map(|(a, b)| topology.hops(a, b));
            if row.messages_sent.max(row.messages_received) == 0 {
                continue; // probed or locked, nothing moved
            }
            total.add(row);
            ranks.entry(row.rank).or_default().add(row);
            if let Some(hops) = row.hops.filter(|_| row.rank != row.peer) {
                let one = Traffic { partners: 1, messages: row.messages_sent, bytes: row.bytes_sent };
                by_hops.entry(hops).or_default().add(&one);
            }
        }
        let used: BTreeSet<u64> = summary.ranks.iter().filter_map(|r| node(r.rank)).collect();
        let rank_row = |(rank, sums): (i32, Sums)| {
            let node = node(rank);
            let place = node.map(|node| topology.place(node)).unwrap_or_default();
            RankHops { rank, node, place, distances: sums.done() }
        };
        summary.topology = Some(Hops {
            network: topology.describe(),
            nodes: topology.nodes(),
            nodes_used: used.len() as u64,
            by_rank: topology.is_by_rank(),
            total: total.done(),
            ranks: ranks.into_iter().map(rank_row).collect(),
            by_hops: by_hops.into_iter().map(|(hops, sent)| HopRow { hops, sent }).collect(),
        });
        Ok(())
    }
}

/// Names of hosts, the first ones if there are many.
fn names(ranks: &[&Rank]) -> String {
    let names: BTreeSet<&str> =
        ranks.iter().map(|r| if r.host().is_empty() { "(unknown)" } else { r.host() }).collect();
    let more = if names.len() > 4 { format!(" and {} more", names.len() - 4) } else { String::new() };
    names.into_iter().take(4).collect::<Vec<_>>().join(", ") + &more
}

fn nowhere(lost: &[&Rank], topology: &Topology) -> String {
    if topology.is_by_rank() {
        return format!("none of the run's ranks is on any of its {} node(s)", topology.nodes());
    }
    format!(
        "it contains none of the run's hosts ({}); to place ranks by number, use ranks_per_node in [nodes]",
        names(lost)
    )
}

fn unplaced(lost: &[&Rank], topology: &Topology) -> Option<Diagnostic> {
    if lost.is_empty() {
        return None;
    }
    let count = lost.len();
    let text = match topology.is_by_rank() {
        true => format!("the topology does not place rank {} ({count} rank(s)): their hops are unknown", first(lost)),
        false => format!("the topology does not contain {} ({count} rank(s)): their hops are unknown", names(lost)),
    };
    Some(Diagnostic::note("topology-unknown", text))
}

fn first(ranks: &[&Rank]) -> String {
    let more = if ranks.len() > 4 { ", ..." } else { "" };
    ranks.iter().take(4).map(|r| r.rank().to_string()).collect::<Vec<_>>().join(", ") + more
}
