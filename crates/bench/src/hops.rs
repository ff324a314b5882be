//! How far the hosts of a job are apart in a network that a file describes.

use std::collections::HashMap;
use std::path::Path;

use mpiscope_run::topology::Topology;

use crate::error::BenchError;

/// Most names of hosts in a message.
const MOST_NAMES: usize = 4;

/// The network, and the node of each rank.
#[derive(Debug)]
pub struct Hops {
    topology: Topology,
    nodes: Vec<u64>,
}

impl Hops {
    /// Reads the network of ranks on these hosts.
    ///
    /// # Errors
    ///
    /// If the file describes no network, or not one with all hosts of the ranks.
    pub fn read(file: &Path, hosts: &[String]) -> Result<Hops, BenchError> {
        Hops::new(Topology::read(file).map_err(BenchError::Topology)?, hosts)
            .map_err(|why| BenchError::Topology(format!("{}: {why}", file.display())))
    }

    /// Hosts are nodes as for predictions: each is the node with its name, or, where ranks are placed by number, they are nodes in the order of their
    /// first ranks.
    pub fn new(topology: Topology, hosts: &[String]) -> Result<Hops, BenchError> {
        let failed = |why: String| Err(BenchError::Topology(why));
        let of_ranks = hosts;
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut hosts: Vec<&str> = Vec::new();
        for host in of_ranks {
            numbers.entry(host).or_insert_with(|| {
                hosts.push(host);
                hosts.len() - 1
            });
        }
        let network = topology.describe();
        let of_hosts = match topology.nodes_of(&hosts) {
            Ok(found) => found,
            Err(_) if topology.is_by_rank() => {
                let nodes = mpiscope_units::counted(topology.nodes(), "node(s)");
                return failed(format!("the network ({network}) has {nodes}, but the job is on {} hosts", hosts.len()));
            }
            Err(lost) => return failed(format!("the network ({network}) does not have {}", names(&lost))),
        };
        let mut taken: HashMap<u64, &str> = HashMap::new();
        for (host, node) in hosts.iter().zip(&of_hosts) {
            if let Some(other) = taken.insert(*node, host) {
                return failed(format!("{other} and {host} are the same node of the network ({network})"));
            }
        }
        let nodes = of_ranks.iter().map(|host| of_hosts[numbers[host.as_str()]]).collect();
        Ok(Hops { topology, nodes })
    }

    /// Of two ranks, by their places in the list.
    pub fn between(&self, a: usize, b: usize) -> u32 {
        self.topology.hops(self.nodes[a], self.nodes[b])
    }

    /// Whether all ranks are on one node.
    pub fn is_one_node(&self) -> bool {
        self.nodes.windows(2).all(|two| two[0] == two[1])
    }

    /// The network in a few words.
    pub fn describe(&self) -> String {
        self.topology.describe()
    }
}

/// Names of hosts, the first ones.
fn names(hosts: &[&str]) -> String {
    let more = hosts.len().saturating_sub(MOST_NAMES);
    let end =
        if more > 0 { format!(" and {}", mpiscope_units::counted(more as u64, "more host(s)")) } else { String::new() };
    hosts[..hosts.len() - more].join(", ") + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(hosts: &[&str]) -> Vec<String> {
        hosts.iter().map(|&host| host.into()).collect()
    }

    fn hops(network: &str, hosts: &[&str]) -> Result<Hops, String> {
        Hops::new(Topology::parse(network).unwrap(), &owned(hosts)).map_err(|error| error.to_string())
    }

    const BY_NUMBER: &str = "[tree]\narity = [2, 2]\n[nodes]\nranks_per_node = 8";

    #[test]
    fn hosts_are_nodes_by_name_or_in_order() {
        let by_name = "[torus]\nshape = [4]\n[nodes]\nhosts = [\"n[0-3]\"]";
        let found = hops(by_name, &["n0", "n2", "n2", "n3.cluster"]).unwrap();
        assert_eq!([(0, 1), (1, 2), (0, 3)].map(|(a, b)| found.between(a, b)), [2, 0, 1]);
        // However many ranks are on each: hosts are nodes in the order of their first ranks.
        let found = hops(BY_NUMBER, &["x", "y", "x", "z"]).unwrap();
        assert_eq!([(0, 1), (0, 2), (0, 3)].map(|(a, b)| found.between(a, b)), [1, 0, 3]);
        assert!(!found.is_one_node() && hops(BY_NUMBER, &["x", "x"]).unwrap().is_one_node());
    }

    #[test]
    fn a_network_without_the_hosts_is_a_clear_error() {
        let by_name = "[torus]\nshape = [4]\n[nodes]\nhosts = [\"n[0-3]\"]";
        let why = |network: &str, hosts: &[&str]| hops(network, hosts).unwrap_err();
        assert_eq!(why(by_name, &["n0", "m1", "m2"]), "the network (torus 4) does not have m1, m2");
        let many = ["n0", "a", "b", "c", "d", "e"];
        assert!(why(by_name, &many).ends_with("does not have a, b, c, d and 1 more host"), "{}", why(by_name, &many));
        assert_eq!(
            why(BY_NUMBER, &["a", "b", "c", "d", "e"]),
            "the network (tree of 2 levels, 2 nodes a leaf switch) has 4 nodes, but the job is on 5 hosts"
        );
        assert_eq!(why(by_name, &["n1", "n1.x"]), "n1 and n1.x are the same node of the network (torus 4)");
        let error = Hops::read(Path::new("/none.toml"), &owned(&["a"])).unwrap_err().to_string();
        assert!(error.starts_with("cannot read /none.toml: "), "{error}");
    }
}
