//! The placement of ranks on the nodes of the network.

use std::collections::HashMap;

/// From a rank and its host to the number of its node.
#[derive(Debug)]
pub enum NodeMap {
    /// By the host on which a rank ran.
    Hosts(HashMap<String, u64>),
    /// By rank: this many on each node, node by node.
    RanksPerNode(u64),
    /// By rank, one by one.
    Ranks(HashMap<i32, u64>),
}

/// One side may have the short host name and the other the full one.
fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}

impl NodeMap {
    /// From hosts in order of node number. The error is a duplicate name.
    pub fn of_hosts(hosts: Vec<String>) -> Result<NodeMap, String> {
        let mut map = HashMap::new();
        for (node, host) in hosts.iter().enumerate() {
            if map.insert(host.clone(), node as u64).is_some() {
                return Err(host.clone());
            }
        }
        for (node, host) in hosts.iter().enumerate() {
            map.entry(short(host).to_owned()).or_insert(node as u64);
        }
        Ok(NodeMap::Hosts(map))
    }

    /// The node of a rank.
    pub fn node(&self, rank: i32, host: &str) -> Option<u64> {
        match self {
            NodeMap::Hosts(map) => map.get(host).or_else(|| map.get(short(host))).copied(),
            NodeMap::RanksPerNode(count) => Some(u64::try_from(rank).ok()? / count),
            NodeMap::Ranks(map) => map.get(&rank).copied(),
        }
    }
}
