//! Collective operations in three stages: within each host, between one rank of each host (its leader), and within each host again.
//!
//! Sources: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation Performance" (IPDPS
//! 2000); Luo et al., "HAN: a Hierarchical AutotuNed Collective Communication Framework" (CLUSTER 2020).

use super::algorithms::Meeting;
use super::network::Network;
use super::program::{Data, Kind};

/// The members of a kind of operations by hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy {
    /// Places of the members on each host: its leader first.
    hosts: Vec<Vec<usize>>,
    /// By place: the member from which it gets the data of a broadcast, and those to which it passes them on, in this order.
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// The operation of the leaders.
    leaders: Kind,
}

impl Hierarchy {
    /// Of a kind of operations, where that is possible: its members are on several hosts, of which one has several of them, and each
    /// member takes part with the same data.
    pub fn new(kind: &Kind, network: &Network) -> Option<Hierarchy> {
        if !matches!(kind.data, Data::Nothing | Data::Broadcast | Data::Reduce | Data::Allreduce) {
            return None;
        }
        let root = kind.root as usize;
        let mut hosts: Vec<(u32, Vec<usize>)> = Vec::new();
        let mut numbers = rustc_hash::FxHashMap::default();
        // The root leads its host.
        let places = std::iter::once(root).chain((0..kind.members.len()).filter(|&at| at != root));
        for at in places {
            let port = network.port_of.get(*kind.members.get(at)? as usize).copied().unwrap_or(0);
            let number = *numbers.entry(port).or_insert(hosts.len());
            match hosts.get_mut(number) {
                Some((_, members)) => members.push(at),
                None => hosts.push((port, vec![at])),
            }
        }
        let hosts: Vec<Vec<usize>> = hosts.into_iter().map(|(_, members)| members).collect();
        if hosts.len() < 2 || hosts.iter().all(|members| members.len() < 2) {
            return None;
        }
        let mut parents = vec![None; kind.members.len()];
        let mut children = vec![Vec::new(); kind.members.len()];
        let at_leaders: Vec<usize> = hosts.iter().map(|members| members[0]).collect();
        // Leaders first: the data go to other hosts before they go to ranks of the same one.
        for group in std::iter::once(&at_leaders).chain(&hosts) {
            for (at, &member) in group.iter().enumerate() {
                for child in tree(at, group.len()) {
                    children[member].push(group[child]);
                    parents[group[child]] = Some(member);
                }
            }
        }
        let leaders = Kind {
            members: at_leaders.iter().map(|&at| kind.members[at]).collect(),
            root: 0,
            present: at_leaders.len() as u32,
            ..kind.clone()
        };
        Some(Hierarchy { hosts, parents, children, leaders })
    }

    /// The member from which a member gets the data of a broadcast, or to which it gives those of a reduction.
    pub(super) fn parent(&self, member: usize) -> Option<usize> {
        self.parents.get(member).copied().flatten()
    }

    /// The members whose parent this is, in the order in which it sends to them.
    pub(super) fn children(&self, member: usize) -> &[usize] {
        self.children.get(member).map_or(&[], Vec::as_slice)
    }

    /// Time from when the parent has the data of a broadcast until a member has them; of a reduction, the other way round.
    pub(super) fn parent_cost(&self, meeting: &Meeting<'_>, member: usize, parent: usize) -> f64 {
        let bytes = meeting.kind.bytes;
        let before = self.children(parent).iter().take_while(|&&child| child != member);
        let busy: f64 = before.map(|&child| meeting.spacing(parent, child, bytes)).sum();
        meeting.cost(parent, member, bytes) + busy + meeting.reduce(bytes)
    }

    /// When each member leaves, of an operation in which all wait for all.
    pub(super) fn all_to_all(&self, meeting: &Meeting<'_>, entries_ns: &[u64]) -> Vec<u64> {
        let bytes = meeting.kind.bytes;
        let mut now: Vec<f64> = entries_ns.iter().map(|&ns| ns as f64).collect();
        for members in &self.hosts {
            for (at, &member) in members.iter().enumerate().skip(1).rev() {
                let parent = members[at & (at - 1)];
                let there = now[member] + meeting.cost(member, parent, bytes);
                now[parent] = now[parent].max(there) + meeting.reduce(bytes);
            }
        }
        let of_leaders: Vec<u64> = self.hosts.iter().map(|members| now[members[0]] as u64).collect();
        let of_leaders = meeting.of_members(&self.leaders).all_to_all(&of_leaders);
        for (members, ns) in self.hosts.iter().zip(of_leaders) {
            now[members[0]] = ns as f64;
            for (at, &parent) in members.iter().enumerate() {
                let mut from = now[parent];
                for child in tree(at, members.len()).map(|child| members[child]) {
                    now[child] = from + meeting.cost(parent, child, bytes);
                    from += meeting.spacing(parent, child, bytes);
                }
            }
        }
        now.into_iter().map(|ns| ns as u64).collect()
    }
}

/// Children of a member in a binomial tree of so many, those with the largest subtrees first.
fn tree(at: usize, size: usize) -> impl Iterator<Item = usize> {
    let most = if at == 0 { usize::BITS } else { at.trailing_zeros() };
    let steps = (0..most).take_while(move |k| at + (1usize << k) < size).count();
    (0..steps).rev().map(move |k| at + (1 << k))
}
