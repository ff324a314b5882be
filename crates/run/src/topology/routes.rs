//! Which links a message passes from node to node, with static routes.
//!
//! * Torus, mesh: dimension by dimension in the order in which node numbers count them, the shorter way round; of two equal ways the one in
//!   which coordinates grow.
//! * Tree: up to the lowest common switch and down again. Each switch has as many links up as nodes below it, as in a fat tree that does not
//!   block, or as many as `uplinks` states. The receiver's number selects one (*D-mod-k*: Zahavi, "Fat-tree routing and node ordering providing
//!   contention free traffic for MPI global collectives", JPDC 2012).
//! * Switches: a shortest path; of several, through the switch that is listed first.
//!
//! A node's own link to its switch, or into the torus, is not part of the route: it is the node's port.

use super::switches::Switches;
use super::torus::Torus;
use super::tree::Tree;
use super::{Network, Topology};

/// One direction of a link of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Link {
    /// Of a torus: from a node to its next one in a dimension.
    Torus {
        /// The node.
        from: u64,
        /// The dimension.
        dimension: u8,
        /// Whether coordinates grow.
        grows: bool,
    },
    /// Of a tree: between a switch and the level above.
    Tree {
        /// Level of the switch, 0 at the leaves.
        level: u8,
        /// Number of the switch in its level.
        switch: u64,
        /// Which of its links to the level above.
        uplink: u64,
        /// Whether up.
        is_up: bool,
    },
    /// Between two switches.
    Switches {
        /// From this one.
        from: usize,
        /// To this one.
        to: usize,
    },
}

impl Topology {
    /// The links that a message passes from node `a` to node `b`, both below [`Topology::nodes`].
    pub fn route(&self, a: u64, b: u64) -> Vec<Link> {
        match &self.network {
            Network::Torus(torus) => of_torus(torus, a, b),
            Network::Tree(tree) => of_tree(tree, a, b),
            Network::Switches(switches) => of_switches(switches, a, b),
        }
    }

    /// Where a link is, for people: `(0,1) to (1,1)`.
    pub fn link_name(&self, link: Link) -> String {
        match (link, &self.network) {
            (Link::Torus { from, dimension, grows }, Network::Torus(torus)) => {
                let next = torus.next(from, dimension.into(), grows);
                format!("{} to {}", self.place(from), self.place(next))
            }
            (Link::Switches { from, to }, Network::Switches(switches)) => {
                format!("{} to {}", switches.name(from), switches.name(to))
            }
            (Link::Tree { level, switch, uplink, is_up }, _) => {
                let which =
                    if level == 0 { "leaf switch".to_owned() } else { format!("switch of level {}", level + 1) };
                format!("{which} {switch}, link {uplink} {}", if is_up { "up" } else { "down" })
            }
            _ => String::new(),
        }
    }
}

fn of_torus(torus: &Torus, a: u64, b: u64) -> Vec<Link> {
    let (from, to) = (torus.coordinates(a), torus.coordinates(b));
    let mut links = Vec::new();
    let mut here = a;
    for &dimension in &torus.order {
        let extent = torus.shape[dimension];
        let up = (to[dimension] + extent - from[dimension]) % extent;
        let down = (extent - up) % extent;
        let grows = match torus.wrap[dimension] {
            true => up <= down,
            false => to[dimension] > from[dimension],
        };
        for _ in 0..if grows { up } else { down } {
            links.push(Link::Torus { from: here, dimension: dimension as u8, grows });
            here = torus.next(here, dimension, grows);
        }
    }
    links
}

fn of_tree(tree: &Tree, a: u64, b: u64) -> Vec<Link> {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let mut at = [a, b];
    let mut below: u64 = 1;
    for (level, &arity) in tree.arity.iter().enumerate() {
        at = at.map(|of| of / u64::from(arity));
        if at[0] == at[1] {
            break;
        }
        below *= u64::from(arity);
        let uplinks = tree.uplinks.get(level).map_or(below, |&of| u64::from(of)).max(1);
        let link = |switch, is_up| Link::Tree { level: level as u8, switch, uplink: b % uplinks, is_up };
        up.push(link(at[0], true));
        down.push(link(at[1], false));
    }
    up.extend(down.into_iter().rev());
    up
}

fn of_switches(switches: &Switches, a: u64, b: u64) -> Vec<Link> {
    switches.path(a, b).windows(2).map(|pair| Link::Switches { from: pair[0], to: pair[1] }).collect()
}
