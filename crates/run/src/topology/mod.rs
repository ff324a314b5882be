//! The network between nodes, as described by a file, and the distance of two nodes.
//!
//! # Design constraints
//!
//! * Pure: text in, distances out. The messages of a run are in [`table`].
//! * A hop count means the same in every kind of network: 0 is the same node, 1 a neighbour. In a torus a hop is a link
//!   between two nodes; in trees and switched networks it is a switch on the path: nodes at the same switch are neighbours.
//!   (Counting links there, no two nodes would be neighbours.)
//! * Distances are shortest paths. Actual routing and contention are unknown; [`Topology::route`] assumes static routes.
//! * Errors in a file are reported with the line. Memory is proportional to the file: a shape allocates nothing.
//!
//! The format of the file is in `docs/topology.md`.

mod file;
mod lists;
mod nodes;
mod routes;
mod switches;
pub mod table;
mod torus;
mod tree;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

pub use routes::Link;

use nodes::NodeMap;
use switches::Switches;
use torus::Torus;
use tree::Tree;

/// Maximum number of nodes of a network, and maximum number that a file can list one by one.
const MOST_NODES: u64 = 1 << 31;
const MOST_LISTED: usize = 1 << 20;

/// A network and the placement of ranks on it.
#[derive(Debug)]
pub struct Topology {
    network: Network,
    map: NodeMap,
    hop_latency_ns: f64,
}

#[derive(Debug)]
enum Network {
    Torus(Torus),
    Tree(Tree),
    Switches(Switches),
}

impl Network {
    fn nodes(&self) -> u64 {
        match self {
            Network::Torus(torus) => torus.nodes(),
            Network::Tree(tree) => tree.nodes(),
            Network::Switches(switches) => switches.nodes(),
        }
    }
}

/// An error in a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyError {
    /// Line from 1, if known.
    pub line: Option<usize>,
    /// One sentence.
    pub text: String,
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for TopologyError {}

impl Topology {
    /// Reads a description (TOML).
    ///
    /// # Errors
    ///
    /// If the text is not TOML or describes no network.
    pub fn parse(text: &str) -> Result<Topology, TopologyError> {
        file::parse(text)
    }

    /// Reads a file. The error contains its name and, if known, the line.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or as [`Topology::parse`].
    pub fn read(file: &Path) -> Result<Topology, String> {
        let name = file.display();
        let text = std::fs::read_to_string(file).map_err(|why| format!("cannot read {name}: {why}"))?;
        Topology::parse(&text).map_err(|error| match error.line {
            Some(line) => format!("{name}:{line}: {}", error.text),
            None => format!("{name}: {}", error.text),
        })
    }

    /// A torus with these extents, all of whose dimensions are rings; the first counts fastest. Node numbers place nothing on it.
    pub fn torus(shape: &[u32]) -> Topology {
        let (wrap, order) = (vec![true; shape.len()], (0..shape.len()).collect());
        Topology {
            network: Network::Torus(Torus { shape: shape.to_vec(), wrap, order }),
            map: NodeMap::RanksPerNode(1),
            hop_latency_ns: 0.0,
        }
    }

    /// Of a tree: its leaf switches, and nodes at each.
    pub fn leaves(&self) -> Option<(u64, u64)> {
        match &self.network {
            Network::Tree(tree) => Some((tree.leaf(tree.nodes()), u64::from(tree.arity[0]))),
            _ => None,
        }
    }

    /// A few words: `torus 4x4x2`, `tree of 16, 8`, `5 switches`.
    pub fn describe(&self) -> String {
        match &self.network {
            Network::Torus(torus) => torus.describe(),
            Network::Tree(tree) => tree.describe(),
            Network::Switches(switches) => switches.describe(),
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u64 {
        self.network.nodes()
    }

    /// Whether ranks are placed by their numbers, whatever hosts they ran on.
    pub fn is_by_rank(&self) -> bool {
        !matches!(self.map, NodeMap::Hosts(_))
    }

    /// The node of a rank; `None` if the file does not place it.
    pub fn node(&self, rank: i32, host: &str) -> Option<u64> {
        self.map.node(rank, host).filter(|&node| node < self.nodes())
    }

    /// The node of each host, given in the order of their first ranks: the one with its name, or, where the file places ranks by number, one after the
    /// other.
    ///
    /// # Errors
    ///
    /// The hosts that have none.
    pub fn nodes_of<'a>(&self, hosts: &[&'a str]) -> Result<Vec<u64>, Vec<&'a str>> {
        let of = |at: usize| match self.is_by_rank() {
            true => Some(at as u64).filter(|&node| node < self.nodes()),
            false => self.node(0, hosts[at]),
        };
        let found: Vec<Option<u64>> = (0..hosts.len()).map(of).collect();
        let lost: Vec<&str> =
            hosts.iter().zip(&found).filter(|(_, node)| node.is_none()).map(|(host, _)| *host).collect();
        if lost.is_empty() { Ok(found.into_iter().flatten().collect()) } else { Err(lost) }
    }

    /// What each hop adds to the latency of a message, ns; 0 if the file does not say that.
    pub fn hop_latency_ns(&self) -> f64 {
        self.hop_latency_ns
    }

    /// Hops between two nodes, both below [`Topology::nodes`].
    pub fn hops(&self, a: u64, b: u64) -> u32 {
        match &self.network {
            Network::Torus(torus) => torus.hops(a, b),
            Network::Tree(tree) => tree.hops(a, b),
            Network::Switches(switches) => switches.hops(a, b),
        }
    }

    /// Whether each node has one switch that it is at.
    pub fn has_switches(&self) -> bool {
        !matches!(self.network, Network::Torus(_))
    }

    /// Where a node is, for people: its coordinates, its leaf switch.
    pub fn place(&self, node: u64) -> String {
        match &self.network {
            Network::Torus(torus) => {
                let at: Vec<String> = torus.coordinates(node).iter().map(u32::to_string).collect();
                format!("({})", at.join(","))
            }
            Network::Tree(tree) => format!("leaf switch {}", tree.leaf(node)),
            Network::Switches(switches) => switches.name_of(node).to_owned(),
        }
    }
}
