//! `[nodes]`: the host of each node, or the ranks on it.

use std::collections::HashMap;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Lines, listed};
use crate::topology::nodes::NodeMap;
use crate::topology::{MOST_LISTED, TopologyError, lists};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodesPart {
    hosts: Option<Vec<Spanned<String>>>,
    ranks_per_node: Option<Spanned<u64>>,
    ranks: Option<Vec<Spanned<Value>>>,
}

/// The map of a network of `size` nodes.
pub fn nodes(lines: &Lines, part: &Spanned<NodesPart>, size: u64) -> Result<NodeMap, TopologyError> {
    let NodesPart { hosts, ranks_per_node, ranks } = part.get_ref();
    match (hosts, ranks_per_node, ranks) {
        (Some(list), None, None) => {
            let mut names = Vec::new();
            for host in list {
                names.extend(lists::hosts(host.get_ref()).map_err(|text| lines.wrong(host, text))?);
                if names.len() > MOST_LISTED || names.len() as u64 > size {
                    return Err(lines.wrong(host, format!("more hosts than nodes: the network has {size}")));
                }
            }
            let text = |host: String| lines.wrong(part, format!("host '{host}' is listed twice"));
            NodeMap::of_hosts(names).map_err(text)
        }
        (None, Some(count), None) if *count.get_ref() > 0 => Ok(NodeMap::RanksPerNode(*count.get_ref())),
        (None, Some(count), None) => Err(lines.wrong(count, "ranks_per_node must be at least 1")),
        (None, None, Some(list)) => {
            let mut map = HashMap::new();
            for (node, item) in list.iter().enumerate() {
                if node as u64 >= size {
                    return Err(lines.wrong(item, format!("more lists of ranks than nodes: the network has {size}")));
                }
                for rank in listed(item.get_ref()).map_err(|text| lines.wrong(item, text))? {
                    let rank = i32::try_from(rank).map_err(|_| lines.wrong(item, format!("invalid rank {rank}")))?;
                    if map.insert(rank, node as u64).is_some() {
                        return Err(lines.wrong(item, format!("rank {rank} is already on another node")));
                    }
                    if map.len() > MOST_LISTED {
                        return Err(lines.wrong(item, format!("more than {MOST_LISTED} ranks")));
                    }
                }
            }
            Ok(NodeMap::Ranks(map))
        }
        _ => Err(lines.wrong(part, "[nodes] must have exactly one of hosts, ranks_per_node and ranks")),
    }
}
