//! Orders of the ranks of a job. An order lists ranks of the job: the first takes the first place of the grid, and so on.

use mpiscope_mpi::Rank;
use mpiscope_run::PeerClass;

/// How ranks are placed one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A part of the machine is filled before the next one.
    BySlot,
    /// One rank on each part in turn.
    ByNode,
    /// The same, there and back: the last part of a round is the first of the next one.
    Folded,
    /// From the end of [`Order::BySlot`] to its begin.
    Reversed,
    /// What the user has chosen.
    Custom,
    /// That of the launcher.
    Launched,
}

impl Order {
    /// All, in the order in which equal ones are named.
    pub const ALL: [Order; 6] =
        [Order::BySlot, Order::ByNode, Order::Folded, Order::Reversed, Order::Custom, Order::Launched];

    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            Order::BySlot => "by-slot",
            Order::ByNode => "by-node",
            Order::Folded => "folded",
            Order::Reversed => "reversed",
            Order::Custom => "custom",
            Order::Launched => "launched",
        }
    }
}

/// Ranks divided into parts that are farther from each other than ranks of one part are: hosts; on one host packages, NUMA nodes or caches.
/// `None` if all are at the same distance. `class`: how close two ranks are.
pub fn parts(ranks: &[Rank], class: &dyn Fn(Rank, Rank) -> PeerClass) -> Option<Vec<Vec<Rank>>> {
    let others = |at: usize| ranks[at + 1..].iter().map(move |&other| class(ranks[at], other));
    let farthest = (0..ranks.len()).flat_map(others).max()?;
    let mut found: Vec<Vec<Rank>> = Vec::new();
    for &rank in ranks {
        match found.iter_mut().find(|part| class(part[0], rank) < farthest) {
            Some(part) => part.push(rank),
            None => found.push(vec![rank]),
        }
    }
    (1 < found.len() && found.len() < ranks.len()).then_some(found)
}

/// The ranks of a part, so that those of each of its own parts follow each other.
fn filled(ranks: &[Rank], class: &dyn Fn(Rank, Rank) -> PeerClass) -> Vec<Rank> {
    match parts(ranks, class) {
        None => ranks.to_vec(),
        Some(parts) => parts.iter().flat_map(|part| filled(part, class)).collect(),
    }
}

/// One rank of each part in turn; a part that has no more is left out. Every other round goes back if `is_folded`.
fn dealt(parts: &[Vec<Rank>], is_folded: bool) -> Vec<Rank> {
    let rounds = parts.iter().map(Vec::len).max().unwrap_or(0);
    let round = |number: usize| {
        let mut ranks: Vec<Rank> = parts.iter().filter_map(|part| part.get(number).copied()).collect();
        if is_folded && number % 2 == 1 {
            ranks.reverse();
        }
        ranks
    };
    (0..rounds).flat_map(round).collect()
}

/// Each order with the ranks in it, and the other orders that are the same.
pub struct Ordered {
    pub order: Order,
    pub ranks: Vec<Rank>,
    pub same: Vec<Order>,
}

/// The different orders of the ranks of a job that has these parts.
pub fn orders(parts: &[Vec<Rank>], class: &dyn Fn(Rank, Rank) -> PeerClass, custom: Option<&[Rank]>) -> Vec<Ordered> {
    let parts: Vec<Vec<Rank>> = parts.iter().map(|part| filled(part, class)).collect();
    let by_slot = parts.concat();
    let size = by_slot.len() as Rank;
    let ranks_in = |order: Order| match order {
        Order::BySlot => Some(by_slot.clone()),
        Order::ByNode => Some(dealt(&parts, false)),
        Order::Folded => Some(dealt(&parts, true)),
        Order::Reversed => Some(by_slot.iter().rev().copied().collect()),
        Order::Custom => custom.map(<[Rank]>::to_vec),
        Order::Launched => Some((0..size).collect()),
    };
    let mut found: Vec<Ordered> = Vec::new();
    for order in Order::ALL {
        let Some(ranks) = ranks_in(order) else { continue };
        match found.iter_mut().find(|known| known.ranks == ranks) {
            Some(known) => known.same.push(order),
            None => found.push(Ordered { order, ranks, same: Vec::new() }),
        }
    }
    found
}

/// Whether these are the ranks of a job of this size, each once.
pub fn is_order(ranks: &[Rank], size: i32) -> bool {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host for every four ranks, a cache for every two; the launcher deals the ranks to `hosts` hosts.
    fn dealt_to(hosts: Rank) -> impl Fn(Rank, Rank) -> PeerClass {
        move |a, b| match (a % hosts == b % hosts, a / hosts / 2 == b / hosts / 2) {
            (false, _) => PeerClass::OtherNode,
            (true, true) => PeerClass::SameL3,
            (true, false) => PeerClass::SameNuma,
        }
    }

    #[test]
    fn parts_are_the_farthest_ones() {
        let class = dealt_to(2);
        let all: Vec<Rank> = (0..8).collect();
        assert_eq!(parts(&all, &class).unwrap(), [[0, 2, 4, 6], [1, 3, 5, 7]]);
        assert_eq!(parts(&[0, 2, 4, 6], &class).unwrap(), [[0, 2], [4, 6]]);
        assert_eq!((parts(&[0, 2], &class), parts(&[0, 1], &class), parts(&[0], &class)), (None, None, None));
        assert_eq!(parts(&all, &|_, _| PeerClass::OtherNode), None, "a rank on each host");
    }

    #[test]
    fn orders_of_two_hosts() {
        let class = dealt_to(2);
        let parts = parts(&(0..6).collect::<Vec<_>>(), &class).unwrap();
        let custom = [5, 4, 3, 2, 1, 0];
        let found = orders(&parts, &class, Some(&custom));
        let found: Vec<(&str, &[Rank], &[Order])> =
            found.iter().map(|of| (of.order.name(), of.ranks.as_slice(), of.same.as_slice())).collect();
        assert_eq!(
            found,
            [
                ("by-slot", &[0, 2, 4, 1, 3, 5][..], &[][..]),
                // As the launcher has dealt them.
                ("by-node", &[0, 1, 2, 3, 4, 5], &[Order::Launched]),
                ("folded", &[0, 1, 3, 2, 4, 5], &[]),
                ("reversed", &[5, 3, 1, 4, 2, 0], &[]),
                ("custom", &[5, 4, 3, 2, 1, 0], &[]),
            ]
        );
    }

    #[test]
    fn inner_parts_stay_together() {
        // Ranks 0 and 3 share a cache, and 1 and 2; 4 and 5 are on another host.
        let place = [(0, 0), (0, 1), (0, 1), (0, 0), (1, 0), (1, 0)];
        let class = |a: Rank, b: Rank| match (place[a as usize], place[b as usize]) {
            (a, b) if a == b => PeerClass::SameL3,
            (a, b) if a.0 == b.0 => PeerClass::SamePackage,
            _ => PeerClass::OtherNode,
        };
        let parts = parts(&(0..6).collect::<Vec<_>>(), &class).unwrap();
        let found = orders(&parts, &class, None);
        assert_eq!(found[0].ranks, [0, 3, 1, 2, 4, 5]);
        // The second host has fewer ranks.
        assert_eq!(found[1].ranks, [0, 4, 3, 5, 1, 2]);
        assert!(found.iter().all(|of| is_order(&of.ranks, 6)));
    }

    #[test]
    fn an_order_has_each_rank_once() {
        assert!(is_order(&[2, 0, 1], 3));
        assert!(
            !is_order(&[0, 1], 3) && !is_order(&[0, 1, 1], 3) && !is_order(&[1, 2, 3], 3) && !is_order(&[-1, 0, 1], 3)
        );
    }
}
