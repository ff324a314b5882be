//! Switches with nodes and links: any irregular network.

use std::collections::VecDeque;
use std::sync::OnceLock;

/// Switches as a graph. All are reachable from each other.
#[derive(Debug)]
pub struct Switches {
    names: Vec<String>,
    links: Vec<Vec<usize>>,
    /// Switch of each node.
    at: Vec<usize>,
    /// Links from one switch to all others, computed on first use: most runs use few switches.
    distances: Vec<OnceLock<Vec<u32>>>,
}

/// Not reached.
const FAR: u32 = u32::MAX;

impl Switches {
    /// From names, links (in both directions) and the switch of each node. The error is a switch that cannot be reached from the
    /// first one.
    pub fn new(names: Vec<String>, links: &[(usize, usize)], at: Vec<usize>) -> Result<Switches, usize> {
        let mut neighbours = vec![Vec::new(); names.len()];
        for &(a, b) in links {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        let distances = names.iter().map(|_| OnceLock::new()).collect();
        let made = Switches { names, links: neighbours, at, distances };
        let apart = if made.names.is_empty() { None } else { made.from(0).iter().position(|&d| d == FAR) };
        apart.map_or(Ok(made), Err)
    }

    /// Nodes.
    pub fn nodes(&self) -> u64 {
        self.at.len() as u64
    }

    /// `5 switches`.
    pub fn describe(&self) -> String {
        let s = if self.names.len() == 1 { "" } else { "es" };
        format!("{} switch{s}", self.names.len())
    }

    /// Name of a node's switch.
    pub fn name_of(&self, node: u64) -> &str {
        &self.names[self.at[node as usize]]
    }

    /// Number of switches on the path.
    pub fn hops(&self, a: u64, b: u64) -> u32 {
        if a == b {
            return 0;
        }
        self.from(self.at[a as usize])[self.at[b as usize]].saturating_add(1)
    }

    /// Name of a switch.
    pub fn name(&self, switch: usize) -> &str {
        &self.names[switch]
    }

    /// The switches on a shortest path, with both ends.
    pub fn path(&self, a: u64, b: u64) -> Vec<usize> {
        let (mut here, end) = (self.at[a as usize], self.at[b as usize]);
        let left = self.from(end);
        let mut path = vec![here];
        while let Some(next) = self.links[here].iter().copied().filter(|&next| left[next] < left[here]).min() {
            path.push(next);
            here = next;
        }
        path
    }

    /// Links from one switch to every other.
    fn from(&self, start: usize) -> &[u32] {
        self.distances[start].get_or_init(|| {
            let mut found = vec![FAR; self.names.len()];
            found[start] = 0;
            let mut next = VecDeque::from([start]);
            while let Some(here) = next.pop_front() {
                for &there in &self.links[here] {
                    if found[there] == FAR {
                        found[there] = found[here] + 1;
                        next.push_back(there);
                    }
                }
            }
            found
        })
    }
}
