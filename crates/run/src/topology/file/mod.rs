//! The description as TOML. Numbers and lists have short forms, so values are read by hand, with their lines.

mod graph;
mod places;
mod regular;

use serde::Deserialize;
use toml::{Spanned, Value};

use self::graph::{SwitchPart, switches};
use self::places::{NodesPart, nodes};
use self::regular::{TorusPart, TreePart, torus, tree};
use super::{MOST_LISTED, Network, Topology, TopologyError, lists};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    hop_latency_ns: Option<Spanned<f64>>,
    torus: Option<Spanned<TorusPart>>,
    tree: Option<Spanned<TreePart>>,
    switch: Option<Vec<Spanned<SwitchPart>>>,
    nodes: Option<Spanned<NodesPart>>,
}

/// Converts offsets in the text to lines.
struct Lines<'a>(&'a str);

impl Lines<'_> {
    fn line(&self, at: usize) -> usize {
        1 + self.0.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count()
    }

    fn wrong<T>(&self, at: &Spanned<T>, text: impl Into<String>) -> TopologyError {
        TopologyError { line: Some(self.line(at.span().start)), text: text.into() }
    }
}

fn without_line(text: &str) -> TopologyError {
    TopologyError { line: None, text: text.into() }
}

/// Reads a description.
pub fn parse(text: &str) -> Result<Topology, TopologyError> {
    let lines = Lines(text);
    let file: File = toml::from_str(text).map_err(|error| TopologyError {
        line: error.span().map(|span| lines.line(span.start)),
        // Of messages with several lines, the first contains the error, the others its place.
        text: error.message().lines().collect::<Vec<_>>().join(", "),
    })?;
    let (network, by_switch) = match (&file.torus, &file.tree, &file.switch) {
        (Some(part), None, None) => (Network::Torus(torus(&lines, part.get_ref())?), None),
        (None, Some(part), None) => (Network::Tree(tree(&lines, part.get_ref())?), None),
        (None, None, Some(parts)) if !parts.is_empty() => switches(&lines, parts)?,
        (None, None, _) => return Err(without_line("no network: write one of [torus], [tree] and [[switch]]")),
        _ => return Err(without_line("more than one network: write one of [torus], [tree] and [[switch]]")),
    };
    let map = match (by_switch, &file.nodes) {
        (Some(map), None) => map,
        (Some(_), Some(part)) => return Err(lines.wrong(part, "the switches already have hosts: leave out [nodes]")),
        (None, Some(part)) => nodes(&lines, part, network.nodes())?,
        (None, None) => {
            return Err(without_line(
                "[nodes] is missing: write it with hosts = [\"n[0-3]\"], ranks_per_node = 4 or ranks = [[0, 1], [2, 3]]",
            ));
        }
    };
    let hop_latency_ns = match &file.hop_latency_ns {
        None => 0.0,
        Some(ns) if (0.0..=MOST_HOP_LATENCY_NS).contains(ns.get_ref()) => *ns.get_ref(),
        Some(ns) => {
            let text = format!("hop_latency_ns is {}: it is between 0 and {MOST_HOP_LATENCY_NS}", ns.get_ref());
            return Err(lines.wrong(ns, text));
        }
    };
    Ok(Topology { network, map, hop_latency_ns })
}

/// A second: no network is as slow.
const MOST_HOP_LATENCY_NS: f64 = 1e9;

/// `3`, `"0-3,8"` or a list of these.
fn listed(value: &Value) -> Result<Vec<u64>, String> {
    match value {
        Value::Integer(number) => Ok(vec![u64::try_from(*number).map_err(|_| format!("{number} is negative"))?]),
        Value::String(text) => lists::numbers(text),
        Value::Array(items) => {
            let mut all = Vec::new();
            for item in items {
                all.extend(listed(item)?);
                if all.len() > MOST_LISTED {
                    return Err(format!("more than {MOST_LISTED} numbers"));
                }
            }
            Ok(all)
        }
        other => Err(format!("{other} is not a list of numbers")),
    }
}
