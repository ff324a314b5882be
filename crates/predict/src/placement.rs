//! Ranks on other hosts.

use std::sync::Arc;

use mpiscope_model::simulation::{Curve, Link, Network, Routes};

use crate::apply::{ApplyError, Run};
use crate::change::Change;
use crate::fit::between_hosts;
use crate::operation::Operation;

/// An order of ranks on nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// As it is written: `by-slot`, `best`, the name of a file.
    pub name: String,
    /// What this name means.
    pub order: Order,
    /// Where the ranks of this run are then, or why they cannot be there; `None` until it was looked up.
    pub places: Option<Result<Arc<Places>, String>>,
}

/// What the name of a [`Placement`] means.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// An order that every run has.
    Named,
    /// A file with this text.
    Text(String),
    /// The node of each rank.
    Given(Vec<u32>),
}

/// Where ranks are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// The node of each rank.
    pub nodes: Vec<u32>,
    /// How many nodes there are.
    pub count: u32,
    /// Their names.
    pub names: Arc<[String]>,
    /// The links between them, where they are known.
    pub routes: Arc<Routes>,
    /// How messages between them differ by distance, if that is known.
    pub distances: Arc<Distances>,
}

/// What messages between nodes cost by how far these are apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distances {
    /// By class of pairs.
    pub far: Vec<Far>,
    /// The class of each pair of nodes: row times nodes plus column. Empty: all pairs take as long.
    pub class_of: Vec<u16>,
}

/// What messages cost between nodes that are equally far apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Far {
    /// What was measured at this distance or the nearest one; `None`: nothing, and costs are those of messages between hosts that are known.
    pub measured: Option<Link>,
    /// How much longer messages take than that says, ns: on more hops; negative: on fewer.
    pub later_ns: f64,
}

impl Far {
    fn link(&self, known: &Link) -> Link {
        match &self.measured {
            // What the MPI does with a send is not measured.
            Some(measured) => {
                let link = Link { held_above_bytes: known.held_above_bytes, ..between_hosts(measured.clone()) };
                delayed(&link, self.later_ns)
            }
            None => delayed(known, self.later_ns),
        }
    }
}

/// Costs of a link on which each message is under way for so much longer, ns.
fn delayed(link: &Link, ns: f64) -> Link {
    let later = |curve: &Curve, trips: f64, least: &dyn Fn(u64) -> f64| {
        let point = |&(bytes, at): &(u64, f64)| (bytes, (at + trips * ns).max(least(bytes)));
        Curve::new(curve.points().iter().map(point).collect())
    };
    // Whatever the distance, a message takes what its ends spend on it.
    let least = |bytes: u64| link.send.at(bytes).max(link.receive.at(bytes));
    Link {
        transit: later(&link.transit, 1.0, &least),
        // When both have come, the receiver's answer and the data are still to travel.
        rendezvous: later(&link.rendezvous, 2.0, &least),
        ..link.clone()
    }
}

/// The links of a network with another one between hosts, and the same differences between pairs of hosts.
pub(crate) fn with_far(links: &mut [Link], far: &Link) {
    let Some(before) = links.get(FAR).map(|link| link.transit.at(0)) else { return };
    for link in &mut links[FAR..] {
        *link = delayed(far, link.transit.at(0) - before);
    }
}

/// Place of the link between hosts among those of a network; after it are those of pairs on other distances.
const FAR: usize = 1;

impl Placement {
    /// By its name.
    pub fn named(name: &str) -> Placement {
        Placement { name: name.to_owned(), order: Order::Named, places: None }
    }

    /// With the node of each rank.
    pub fn given(name: &str, nodes: Vec<u32>) -> Placement {
        Placement { name: name.to_owned(), order: Order::Given(nodes), places: None }
    }
}

impl Places {
    /// Puts the ranks of a network there.
    pub fn put(&self, network: &mut Network) {
        network.port_of.clone_from(&self.nodes);
        network.ports = self.count;
        let count = self.count as usize;
        network.links.truncate(FAR + 1);
        let is_far = |at: usize| at / count != at % count;
        let class = |at: usize| self.distances.class_of.get(at).map_or(0, |class| 1 + class);
        network.link_of = (0..count * count).map(|at| if is_far(at) { FAR as u16 + class(at) } else { 0 }).collect();
        if let (false, Some(known)) = (self.distances.class_of.is_empty(), network.links.get(FAR).cloned()) {
            network.links.extend(self.distances.far.iter().map(|far| far.link(&known)));
        }
        network.routes = self.routes.clone();
    }
}

/// What is known of the costs of messages: bytes of the largest one within a node and between nodes whose costs were recorded or measured; `None`: of
/// no message.
pub type Known = [Option<u64>; 2];

/// A message this many times as long as the longest one with known costs is no longer like it.
const ALIKE: u64 = 4;
/// Bytes up to which all messages are alike: what they take is latency.
const SHORT_BYTES: u64 = 4096;

/// Why an order cannot be predicted: it moves messages to where no costs are known. `pairs` are sender, receiver and the mean bytes of their messages.
pub fn unknown_costs(nodes: &[u32], pairs: impl Iterator<Item = (u32, u32, u64)>, known: Known) -> Option<String> {
    let mut most: [Option<u64>; 2] = [None, None];
    for (from, to, bytes) in pairs.filter(|(from, to, _)| from != to) {
        let is_far = nodes.get(from as usize) != nodes.get(to as usize);
        let slot = &mut most[usize::from(is_far)];
        *slot = (*slot).max(Some(bytes));
    }
    let wanted = [(1, "between hosts"), (0, "within a host")];
    wanted.into_iter().find_map(|(class, place)| {
        let (needed, known) = (most[class]?, known[class]);
        let remedy = "use a machine profile that has them: --machine PROFILE (mpiscope bench pingpong)";
        match known {
            None => Some(format!("the run has no messages {place}, so their costs are unknown; {remedy}")),
            Some(known) if needed > known.max(SHORT_BYTES).saturating_mul(ALIKE) => {
                let [known, needed] = [known, needed].map(mpiscope_units::bytes);
                Some(format!(
                    "messages of {needed} would be {place}, but the run has costs there only up to {known}; {remedy}"
                ))
            }
            Some(_) => None,
        }
    })
}

/// Makes the change.
pub(crate) fn apply(
    change: &Change,
    placement: &Placement,
    network: &mut Network,
    run: Run<'_>,
) -> Result<(), ApplyError> {
    let impossible = |why: &str| ApplyError::Impossible { change: change.to_string(), why: why.to_owned() };
    let places = match &placement.places {
        Some(Ok(places)) if places.nodes.len() == network.port_of.len() => places,
        Some(Ok(places)) => {
            let (has, needs) = (places.nodes.len(), network.port_of.len());
            return Err(impossible(&format!("the order has {has} ranks, the run {needs}")));
        }
        Some(Err(why)) => return Err(impossible(why)),
        None => return Err(impossible("nodes of ranks are not known here")),
    };
    let before = network.clone();
    places.put(network);
    let after = network.clone();
    // The least time of an operation is that of its members where they were. Closer together they need less.
    let known = (0..).zip(network.least_ns.iter_mut().zip(run.kinds)).filter(|(_, (least_ns, _))| **least_ns > 0.0);
    for (number, (least_ns, kind)) in known {
        let at_once_ns = |network: &Network| Operation::new(network, number, kind).map(|of| of.at_once_ns());
        if let (Some(before_ns), Some(after_ns)) = (at_once_ns(&before), at_once_ns(&after)) {
            *least_ns *= (after_ns / before_ns.max(1.0)).min(1.0);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_known_costs_are_named() {
        let pairs = || [(0, 1, 100_000), (1, 0, 8)].into_iter();
        let why = |nodes: &[u32], known| unknown_costs(nodes, pairs(), known).unwrap_or_default();
        assert_eq!(why(&[0, 0], [Some(100_000), None]), "");
        assert!(why(&[0, 1], [Some(100_000), None]).starts_with("the run has no messages between hosts"));
        assert!(why(&[0, 0], [None, Some(1 << 20)]).starts_with("the run has no messages within a host"));
        assert!(why(&[0, 1], [None, Some(8)]).starts_with("messages of 97.7 KiB would be between hosts"));
        assert_eq!(why(&[0, 1], [None, Some(30_000)]), "");
    }
}
