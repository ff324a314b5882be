//! Messages of one step of a collective operation that pass the same port of a host.

use super::network::Network;

/// How many messages leave and enter each port.
pub(super) struct Crowd<'a> {
    network: &'a Network,
    leave: Vec<u64>,
    enter: Vec<u64>,
}

impl<'a> Crowd<'a> {
    /// Of a step in which these ranks send to each other; `None` if messages do not share ports.
    pub fn of_pairs(network: &'a Network, pairs: impl Iterator<Item = (u32, u32)>) -> Option<Crowd<'a>> {
        let mut crowd = Crowd::empty(network)?;
        for (from, to) in pairs.map(|(from, to)| (network.port(from), network.port(to))).filter(|(from, to)| from != to)
        {
            crowd.leave[from as usize] += 1;
            crowd.enter[to as usize] += 1;
        }
        Some(crowd)
    }

    /// Of a step in which each of these ranks sends to each other one.
    pub fn of_all(network: &'a Network, members: &[u32]) -> Option<Crowd<'a>> {
        let mut crowd = Crowd::empty(network)?;
        members.iter().for_each(|&rank| crowd.leave[network.port(rank) as usize] += 1);
        let all = members.len() as u64;
        crowd.leave.iter_mut().for_each(|here| *here *= all - *here);
        crowd.enter.clone_from(&crowd.leave);
        Some(crowd)
    }

    fn empty(network: &'a Network) -> Option<Crowd<'a>> {
        let none = || vec![0; network.ports as usize];
        network.shares_ports().then(|| Crowd { network, leave: none(), enter: none() })
    }

    /// How much longer a message of these bytes takes, for the others at its ports, ns.
    pub fn more_ns(&self, from: u32, to: u32, bytes: u64) -> f64 {
        let ports = (self.network.port(from), self.network.port(to));
        if ports.0 == ports.1 {
            return 0.0;
        }
        let others = self.leave[ports.0 as usize].max(self.enter[ports.1 as usize]).saturating_sub(1);
        others as f64 * self.network.link(from, to).port_ns(bytes)
    }
}
