//! Where the ranks of a run are, where else they can be, and what that needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use mpiscope_machine::Profile;
use mpiscope_model::simulation::{Kind, Link, Routes};
use mpiscope_place::{By, Hops, Named, Nodes, Sent, named, orders, ties, together};
use mpiscope_predict::{Change, Distances, Far, Known, Order, Placement, Places, unknown_costs};
use mpiscope_run::topology::{self, Topology};
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_units::counted;

use crate::prediction::links_by_hops;
use crate::traffic::Traffic;
use crate::transfers::{Transfers, transfers_of};

/// On what a run is predicted: by default on its own machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target<'a> {
    /// Costs of communication.
    pub profile: Option<&'a Profile>,
    /// So many nodes, with room for so many ranks on each.
    pub nodes: Option<[u32; 2]>,
    /// The network between nodes.
    pub topology: Option<&'a Topology>,
}

/// Why ranks cannot be placed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LayoutError {
    /// There is nothing to choose.
    #[error("all ranks of the run were on one node; name other nodes: --nodes 2x{}", half(.0))]
    OneNode(usize),
    /// More ranks than room.
    #[error("{}", no_room(.ranks, .nodes))]
    NoRoom {
        /// Of the run.
        ranks: usize,
        /// Nodes, and room on each.
        nodes: [u32; 2],
    },
    /// A network without some of the nodes.
    #[error("the topology ({described}) does not have all of the {}", all_nodes(.nodes))]
    Topology {
        /// What it is.
        described: String,
        /// How many are needed.
        nodes: usize,
    },
    /// Processes that were spawned.
    #[error("the run has {0} worlds (processes that were spawned): their ranks cannot be placed")]
    Worlds(usize),
}

fn half(ranks: &usize) -> usize {
    ranks.div_ceil(2)
}

fn no_room(ranks: &usize, [nodes, room]: &[u32; 2]) -> String {
    let (all, ranks) = (u64::from(*nodes) * u64::from(*room), counted(*ranks as u64, "rank(s)"));
    format!("the run has {ranks}, but {nodes}x{room} has room for {all}; use more nodes")
}

fn all_nodes(nodes: &usize) -> String {
    counted(*nodes as u64, "node(s)")
}

/// Ranks of a run, and the nodes on which they can be.
#[derive(Debug)]
pub struct Layout {
    ranks: usize,
    /// Names of the nodes.
    pub names: Vec<String>,
    /// Ranks for which each has room.
    pub room: Vec<usize>,
    /// The node of each rank in the run; `None` on other nodes.
    pub now: Option<Vec<u32>>,
    /// What ranks send to each other, in messages and to neighbours of a topology. Rows of the summary are ranks in order.
    pub messages: Vec<Sent>,
    /// The same and what other collective operations move.
    pub sent: Vec<Sent>,
    /// Bytes of these operations.
    pub collective_bytes: u64,
    /// Their calls that are not counted.
    pub calls_left_out: u64,
    /// What makes ranks belong together.
    pub by: By,
    /// Extents of a Cartesian communicator with all ranks.
    pub dims: Vec<u32>,
    /// Packages of each host of the run, if all have as many; 1 where that is not known.
    pub packages: u32,
    /// The number of each node in the topology.
    numbers: Vec<u64>,
    /// Whether costs of messages between nodes are those of a machine profile.
    is_measured_elsewhere: bool,
    /// Costs that it has by hops, ascending.
    measured: Vec<(u32, Link)>,
}

impl Layout {
    /// On the nodes of the run, or on others.
    ///
    /// # Errors
    ///
    /// If there is one node only, or too little room.
    pub fn new(summary: &Summary, target: Target<'_>) -> Result<Layout, LayoutError> {
        let (ranks, messages) = (summary.ranks.len(), sent(summary));
        let mut found = Layout {
            ranks,
            names: Vec::new(),
            room: Vec::new(),
            now: None,
            sent: messages.clone(),
            messages,
            collective_bytes: 0,
            calls_left_out: 0,
            by: By::default(),
            dims: cartesian(summary),
            packages: packages(summary),
            numbers: Vec::new(),
            is_measured_elsewhere: target.profile.is_some(),
            measured: target.profile.map_or_else(Vec::new, links_by_hops),
        };
        if let Some(nodes @ [count, room]) = target.nodes {
            if (count as usize).saturating_mul(room as usize) < ranks {
                return Err(LayoutError::NoRoom { ranks, nodes });
            }
            found.names = (0..count).map(|node| format!("node{node}")).collect();
            found.room = vec![room as usize; count as usize];
        } else {
            let mut now = Vec::new();
            for row in &summary.ranks {
                let at = found.names.iter().position(|name| *name == row.host).unwrap_or_else(|| {
                    found.names.push(row.host.clone());
                    found.room.push(0);
                    found.names.len() - 1
                });
                found.room[at] += 1;
                now.push(at as u32);
            }
            if found.names.len() < 2 {
                return Err(LayoutError::OneNode(ranks));
            }
            found.now = Some(now);
        }
        if let Some(topology) = target.topology {
            found.numbers = found.node_numbers(topology)?;
        }
        Ok(found)
    }

    /// Of each node: that of its host, or in order.
    fn node_numbers(&self, topology: &Topology) -> Result<Vec<u64>, LayoutError> {
        let found = match self.now {
            Some(_) => topology.nodes_of(&self.names.iter().map(String::as_str).collect::<Vec<_>>()).ok(),
            None => {
                Some((0..self.names.len() as u64).collect()).filter(|_| self.names.len() as u64 <= topology.nodes())
            }
        };
        found.ok_or_else(|| LayoutError::Topology { described: topology.describe(), nodes: self.names.len() })
    }

    /// Also counts what collective operations move.
    pub fn add(&mut self, transfers: &Transfers) {
        self.messages = together([&self.messages[..], &transfers.neighbors]);
        self.sent = together([&self.messages[..], &transfers.collectives]);
        self.collective_bytes = transfers.collectives.iter().map(|one| one.bytes).sum();
        self.calls_left_out = transfers.calls_left_out;
    }

    /// Only counts this traffic.
    pub fn put_traffic(&mut self, traffic: Traffic) {
        self.messages = traffic.messages;
        self.add(&traffic.transfers);
    }

    /// All orders, that of the run first.
    pub fn orders(&self, topology: Option<&Topology>) -> Vec<Named> {
        let ranks = self.ranks();
        let start = self.now.clone().unwrap_or_else(|| vec![0; ranks]);
        let hops = topology.map(|topology| move |a, b| self.hops(topology, a, b));
        let hops = hops.as_ref().map(|hops| hops as Hops<'_>);
        let nodes = Nodes { room: &self.room, packages: self.packages, hops };
        let mut all = orders(&ties(&self.sent, ranks, self.by), &start, nodes, &self.dims);
        if let Some(nodes) = &self.now {
            all.insert(0, Named { id: "recorded", what: "as in the run", nodes: nodes.clone() });
        }
        all
    }

    /// Gives each node another place in the topology.
    pub fn put_nodes(&mut self, numbers: Vec<u64>) {
        self.numbers = numbers;
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Hops between two nodes.
    pub fn hops(&self, topology: &Topology, a: u32, b: u32) -> u32 {
        topology.hops(self.numbers[a as usize], self.numbers[b as usize])
    }

    /// Links between two nodes.
    pub fn route(&self, topology: &Topology, a: u32, b: u32) -> Vec<topology::Link> {
        topology.route(self.numbers[a as usize], self.numbers[b as usize])
    }

    /// Where a node is in the topology.
    pub fn place(&self, topology: &Topology, node: u32) -> String {
        topology.place(self.numbers[node as usize])
    }

    /// Ranks on these nodes.
    fn places(&self, topology: Option<&Topology>, nodes: Vec<u32>) -> Places {
        let routes = Arc::new(self.routes(topology, &nodes));
        let distances = Arc::new(topology.map_or_else(Distances::default, |topology| self.distances(topology)));
        Places { count: self.names.len() as u32, names: self.names.clone().into(), routes, distances, nodes }
    }

    /// What messages between nodes cost by hops: as measured at the nearest number of hops, and beyond that by the topology's latency of a hop.
    fn distances(&self, topology: &Topology) -> Distances {
        let count = self.names.len();
        let hop_ns = topology.hop_latency_ns();
        if (hop_ns <= 0.0 && self.measured.is_empty()) || count > MOST_WITH_HOPS {
            return Distances::default();
        }
        let known = self.known_hops(topology);
        let far = |hops: u32| {
            // Of two that are as near, the one with fewer hops.
            let (at, measured) = match self.measured.iter().min_by_key(|(at, _)| at.abs_diff(hops)) {
                Some((at, link)) => (f64::from(*at), Some(link.clone())),
                None => (known, None),
            };
            Far { measured, later_ns: (f64::from(hops) - at) * hop_ns }
        };
        let mut classes: BTreeMap<u32, u16> = BTreeMap::new();
        let mut distances = Distances::default();
        for at in 0..count * count {
            let (a, b) = ((at / count) as u32, (at % count) as u32);
            let hops = if a == b { 0 } else { self.hops(topology, a, b) };
            let class = *classes.entry(hops).or_insert_with(|| {
                distances.far.push(far(hops));
                (distances.far.len() - 1) as u16
            });
            distances.class_of.push(class);
        }
        distances
    }

    /// Hops of the messages between nodes whose costs are known: in the run, their mean. Of others it is taken that they were neighbours.
    fn known_hops(&self, topology: &Topology) -> f64 {
        let (mut messages, mut hops) = (0.0, 0.0);
        for one in self.messages.iter().filter(|_| !self.is_measured_elsewhere) {
            let place = |rank: u32| self.now.as_ref()?.get(rank as usize).copied();
            let (Some(a), Some(b)) = (place(one.from), place(one.to)) else { continue };
            if a != b {
                messages += one.messages as f64;
                hops += one.messages as f64 * f64::from(self.hops(topology, a, b));
            }
        }
        if messages > 0.0 { hops / messages } else { 1.0 }
    }

    /// The links that messages of ranks pass which are on these nodes.
    fn routes(&self, topology: Option<&Topology>, nodes: &[u32]) -> Routes {
        let mut routes = Routes::default();
        let Some(topology) = topology else { return routes };
        let mut numbers: HashMap<topology::Link, u32> = HashMap::new();
        for one in &self.messages {
            let (Some(&a), Some(&b)) = (nodes.get(one.from as usize), nodes.get(one.to as usize)) else { continue };
            if a == b || routes.between.contains_key(&(a, b)) {
                continue;
            }
            let number = |link| {
                let next = numbers.len() as u32;
                *numbers.entry(link).or_insert(next)
            };
            routes.between.insert((a, b), self.route(topology, a, b).into_iter().map(number).collect());
        }
        routes.links = numbers.len() as u32;
        routes
    }
}

/// Nodes up to which the distance of each pair is taken into account: there are 2^24 pairs.
const MOST_WITH_HOPS: usize = 1 << 12;

/// Messages between ranks.
fn sent(summary: &Summary) -> Vec<Sent> {
    let place: BTreeMap<i32, u32> = summary.ranks.iter().enumerate().map(|(at, row)| (row.rank, at as u32)).collect();
    let one = |row: &mpiscope_run::PeerRow| {
        let (from, to) = (*place.get(&row.rank)?, *place.get(&row.peer)?);
        Some(Sent { from, to, messages: row.messages_sent, bytes: row.bytes_sent, time_ns: row.time_ns })
    };
    summary.peers.iter().filter(|row| row.messages_sent > 0 || row.time_ns > 0).filter_map(one).collect()
}

/// Extents of a Cartesian communicator with all ranks.
fn cartesian(summary: &Summary) -> Vec<u32> {
    let all = summary.ranks.len();
    let of = |dims: &Vec<(u32, bool)>| dims.iter().map(|(extent, _)| *extent).collect::<Vec<u32>>();
    let mut found = summary.comms.iter().map(|comm| of(&comm.facts.dims));
    found.find(|dims| dims.len() > 1 && dims.iter().map(|&d| d as usize).product::<usize>() == all).unwrap_or_default()
}

/// Packages of each host.
fn packages(summary: &Summary) -> u32 {
    let mut all = summary.hosts.iter().map(|host| host.packages);
    let first = all.next().unwrap_or(1);
    if all.all(|other| other == first) { u32::try_from(first).unwrap_or(1).max(1) } else { 1 }
}

/// What of the costs of a run's messages and operations is known.
pub(crate) struct Costs<'a> {
    /// Of messages.
    pub known: Known,
    /// Collective operations of the run.
    pub kinds: &'a [Kind],
    /// The host of each rank in the run.
    pub hosts: &'a [u32],
}

impl Costs<'_> {
    /// Pairs of ranks that messages of collective operations need: on the same node, if no two ranks of the run were, and on different nodes. Their sizes are
    /// those of no message of the run, and not compared with them.
    fn of_operations(&self, nodes: &[u32]) -> impl Iterator<Item = (u32, u32, u64)> {
        let is_alone = self.hosts.iter().collect::<BTreeSet<_>>().len() == self.hosts.len();
        let pairs = |kind: &Kind| {
            let node = |rank: &u32| nodes.get(*rank as usize).copied();
            let mut members = kind.members.to_vec();
            members.sort_by_key(node);
            let pairs = members.windows(2).map(|pair| (pair[0], pair[1], 0));
            pairs.filter(|(a, b, _)| is_alone || node(a) != node(b)).collect::<Vec<_>>()
        };
        self.kinds.iter().flat_map(pairs).collect::<BTreeSet<_>>().into_iter()
    }
}

/// Whether the same ranks share a node in both.
fn are_as_together(a: &[u32], b: &[u32]) -> bool {
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a)
}

/// Looks up what the placements in questions mean.
pub(crate) fn look_up(
    questions: &mut [Vec<Change>],
    run: &Run,
    target: Target<'_>,
    costs: &Costs<'_>,
) -> Option<Places> {
    let is_placement = |change: &Change| matches!(change, Change::Placement(_));
    let is_asked = questions.iter().flatten().any(is_placement);
    if !is_asked && target.topology.is_none() {
        return None;
    }
    let resolver = Resolver::default();
    let layout = match run.worlds.len() {
        0 | 1 => Layout::new(&run.summary(|_| true, &resolver), target).map_err(|error| error.to_string()),
        worlds => Err(LayoutError::Worlds(worlds).to_string()),
    };
    let layout = layout.and_then(|mut layout| {
        layout.add(&transfers_of(run, &resolver).map_err(|error| error.to_string())?);
        Ok(layout)
    });
    let all =
        layout.as_ref().map_or(Vec::new(), |layout| if is_asked { layout.orders(target.topology) } else { Vec::new() });
    for change in questions.iter_mut().flatten() {
        let Change::Placement(placement) = change else { continue };
        placement.places = Some(match &layout {
            Ok(layout) => places(placement, layout, &all, target, costs).map(Arc::new),
            Err(why) => Err(why.clone()),
        });
    }
    // Where the ranks are in the run, if the topology has these nodes.
    let layout = layout.ok().filter(|_| target.topology.is_some())?;
    let nodes = layout.now.clone()?;
    Some(layout.places(target.topology, nodes))
}

fn places(
    placement: &Placement,
    layout: &Layout,
    all: &[Named],
    target: Target<'_>,
    costs: &Costs<'_>,
) -> Result<Places, String> {
    let nodes = match &placement.order {
        Order::Given(nodes) => nodes.clone(),
        Order::Text(text) => mpiscope_place::read(text, &layout.names)?,
        Order::Named => named(all, &placement.name).map(|order| order.nodes.clone()).ok_or_else(|| {
            let ids: Vec<&str> = all.iter().map(|order| order.id).collect();
            format!("neither an order ({}) nor a file", ids.join(", "))
        })?,
    };
    let (has, needs) = (nodes.len(), layout.ranks());
    if has != needs {
        return Err(format!("it lists {}, but the run has {needs}", counted(has as u64, "rank(s)")));
    }
    let messages = layout.messages.iter().filter(|one| one.messages > 0);
    let pairs = messages.map(|one| (one.from, one.to, one.bytes / one.messages));
    if let Some(why) = unknown_costs(&nodes, pairs.chain(costs.of_operations(&nodes)), costs.known) {
        // As long as the same ranks share hosts, all costs as they were.
        if !are_as_together(&nodes, costs.hosts) {
            return Err(why);
        }
    }
    Ok(layout.places(target.topology, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    use mpiscope_model::simulation::{Data, Shape};

    /// A barrier of ranks 0 to 3.
    fn barrier() -> Kind {
        let members = (0..4).collect();
        Kind { shape: Shape::AllToAll, data: Data::Nothing, function: 0, members, root: 0, bytes: 0, present: 4 }
    }

    #[test]
    fn operations_need_costs_between_hosts_where_their_members_are_on_several() {
        let kinds = [barrier()];
        let pairs = |hosts: &[u32], nodes: &[u32]| {
            let costs = Costs { known: [None, None], kinds: &kinds, hosts };
            costs.of_operations(nodes).map(|(a, b, _)| (a, b)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&[0; 4], &[0; 4]), []);
        assert_eq!(pairs(&[0; 4], &[0, 1, 0, 1]), [(2, 1)]);
        assert_eq!(pairs(&[0, 1, 2, 3], &[0, 1, 0, 1]), [(0, 2), (1, 3), (2, 1)]);
        let why = |known| unknown_costs(&[0, 1, 0, 1], [(2, 1, 0)].into_iter(), known).unwrap_or_default();
        assert!(why([Some(8), None]).starts_with("the run has no messages between hosts"));
        assert_eq!(why([None, Some(8)]), "");
    }

    #[test]
    fn nodes_with_other_numbers_hold_the_same_ranks() {
        assert!(are_as_together(&[0, 0, 1], &[3, 3, 0]));
        assert!(!are_as_together(&[0, 0, 1], &[0, 1, 1]));
        assert!(!are_as_together(&[0, 1, 2], &[0, 1, 1]));
        assert!(!are_as_together(&[0, 0], &[0, 0, 0]));
    }
}
