//! One collective operation in the model, apart from the rest of the run.

use std::sync::Arc;

use mpiscope_model::simulation::{Algorithm, Calls, Kind, Network, Part, Section, Shape, Simulation, Step, Watch};

/// An operation of a kind, on a network that contains only its members.
pub(crate) struct Operation {
    network: Arc<Network>,
    kind: Kind,
}

impl Operation {
    /// By its number and kind, on the network of the run. `None` for those of one member.
    pub fn new(network: &Network, number: u32, kind: &Kind) -> Option<Operation> {
        if kind.members.len() < 2 {
            return None;
        }
        let members = 0..kind.members.len() as u32;
        let port_of = kind.members.iter().map(|&rank| network.port_of.get(rank as usize).copied().unwrap_or(0));
        let network = Network {
            port_of: port_of.collect(),
            ports: network.ports,
            link_of: network.link_of.clone(),
            links: network.links.clone(),
            routes: network.routes.clone(),
            reduce_ns_per_byte: network.reduce_ns_per_byte,
            always_progresses: network.always_progresses,
            taken: vec![Some(network.taken(number, kind))],
            ..Network::default()
        };
        let kind = Kind { members: members.clone().collect(), present: members.end, ..kind.clone() };
        Some(Operation { network: Arc::new(network), kind })
    }

    /// With another algorithm, and this factor for all that it takes.
    pub fn set(&mut self, algorithm: Algorithm, factor: f64) {
        let network = Arc::make_mut(&mut self.network);
        (network.taken, network.factors) = (vec![Some(algorithm)], vec![factor]);
    }

    /// When each member leaves, by place, from when each comes, ns.
    pub fn exits_ns(&self, entries_ns: &[u64]) -> Vec<u64> {
        let mut section = Section { kinds: vec![self.kind.clone()], is_last: true, ..Section::default() };
        section.ranks = (0..)
            .zip(entries_ns)
            .map(|(member, &gap_ns)| {
                let mut calls = Calls::default();
                let parts = [Part::Enter { id: 0, kind: 0, member }, Part::Leave { id: 0, member }];
                calls.push(Step { gap_ns, ..Step::default() }, parts);
                calls
            })
            .collect();
        let mut ends = Ends(vec![0; entries_ns.len()]);
        let mut simulation = Simulation::new(self.network.clone(), &vec![0; entries_ns.len()]);
        simulation.add(&Arc::new(section), &mut ends);
        ends.0
    }

    /// How long it takes if all come at once, ns: measured as in [`crate::kinds::Kinds::learn`].
    pub fn at_once_ns(&self) -> f64 {
        let ends_ns = self.exits_ns(&vec![0; self.kind.members.len()]);
        let root = self.kind.root as usize;
        let mut of: Vec<u64> = match self.kind.shape {
            Shape::AllToAll | Shape::Chain => ends_ns.into_iter().max().into_iter().collect(),
            Shape::FromRoot => {
                ends_ns.into_iter().enumerate().filter(|(at, _)| *at != root).map(|(_, ns)| ns).collect()
            }
            Shape::ToRoot => ends_ns.get(root).copied().into_iter().collect(),
        };
        of.sort_unstable();
        of.get(of.len() / 2).map_or(0.0, |&ns| ns as f64)
    }

    /// How much longer such operations take than this one says, if all come at once and they then take `own_ns`.
    pub fn factor(&self, own_ns: f64) -> f64 {
        (own_ns / self.at_once_ns().max(1.0)).clamp(1e-3, 1e3)
    }
}

struct Ends(Vec<u64>);

impl Watch for Ends {
    fn step(&mut self, rank: u32, _: &Step, _: u64, end_ns: u64) {
        if let Some(end) = self.0.get_mut(rank as usize) {
            *end = end_ns;
        }
    }
}
