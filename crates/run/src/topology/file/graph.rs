//! `[[switch]]`.

use std::collections::HashMap;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Lines, listed, without_line};
use crate::topology::nodes::NodeMap;
use crate::topology::switches::Switches;
use crate::topology::{MOST_LISTED, Network, TopologyError, lists};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchPart {
    name: Spanned<String>,
    hosts: Option<Vec<Spanned<String>>>,
    nodes: Option<Spanned<Value>>,
    #[serde(default)]
    links: Vec<Spanned<String>>,
}

/// The switches, and the map of their hosts unless nodes are given by number.
pub fn switches(lines: &Lines, parts: &[Spanned<SwitchPart>]) -> Result<(Network, Option<NodeMap>), TopologyError> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (number, part) in parts.iter().enumerate() {
        let name = &part.get_ref().name;
        if numbers.insert(name.get_ref(), number).is_some() {
            return Err(lines.wrong(name, format!("there are two switches '{}'", name.get_ref())));
        }
    }
    let mut links = Vec::new();
    let mut hosts = Vec::new();
    let mut at = Vec::new();
    let mut numbered: HashMap<u64, usize> = HashMap::new();
    for (number, part) in parts.iter().enumerate() {
        let SwitchPart { name, hosts: own, nodes, links: to } = part.get_ref();
        for link in to {
            let other = numbers.get(link.get_ref().as_str());
            let other = other.ok_or_else(|| lines.wrong(link, format!("unknown switch '{}'", link.get_ref())))?;
            links.push((number, *other));
        }
        for host in own.iter().flatten() {
            let names = lists::hosts(host.get_ref()).map_err(|text| lines.wrong(host, text))?;
            at.resize(at.len() + names.len(), number);
            hosts.extend(names);
            if hosts.len() > MOST_LISTED {
                return Err(lines.wrong(host, format!("more than {MOST_LISTED} hosts")));
            }
        }
        if let Some(nodes) = nodes {
            for node in listed(nodes.get_ref()).map_err(|text| lines.wrong(nodes, text))? {
                if numbered.insert(node, number).is_some() {
                    return Err(lines.wrong(nodes, format!("node {node} is already at another switch")));
                }
            }
            if own.is_some() || !hosts.is_empty() {
                return Err(lines.wrong(name, "switches have either hosts or nodes (by number), not both"));
            }
        }
        if !numbered.is_empty() && !hosts.is_empty() {
            return Err(lines.wrong(name, "switches have either hosts or nodes (by number), not both"));
        }
    }
    let by_host = numbered.is_empty();
    if !by_host {
        // Numbers from 0 without gaps.
        for node in 0..numbered.len() as u64 {
            let Some(&switch) = numbered.get(&node) else {
                return Err(without_line(&format!(
                    "{} nodes are at switches, but not node {node}: node numbers must start at 0 and have no gaps",
                    numbered.len()
                )));
            };
            at.push(switch);
        }
    } else if hosts.is_empty() {
        return Err(without_line("no switch has hosts (or nodes, by number)"));
    }
    let names = parts.iter().map(|part| part.get_ref().name.get_ref().clone()).collect();
    let made = Switches::new(names, &links, at).map_err(|apart| {
        let (first, name) = (&parts[0].get_ref().name, &parts[apart].get_ref().name);
        lines.wrong(name, format!("there is no path from switch '{}' to '{}'", first.get_ref(), name.get_ref()))
    })?;
    let map = if by_host {
        let text = |host: String| without_line(&format!("host '{host}' is at two switches"));
        Some(NodeMap::of_hosts(hosts).map_err(text)?)
    } else {
        None
    };
    Ok((Network::Switches(made), map))
}
