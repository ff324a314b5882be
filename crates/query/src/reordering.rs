//! Communicators for which the MPI may have reordered ranks, and what that did.

use mpiscope_place::{Cost, Sent, cost};
use mpiscope_run::Run;
use serde::Serialize;

use crate::placement::Layout;

/// Functions with an argument `reorder`.
const MAY_REORDER: [&str; 4] =
    ["MPI_Cart_create", "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"];

/// A communicator of all ranks that the MPI was free to reorder, if the program allowed it. (The argument itself is not in the run.)
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reordering {
    /// Which: `MPI_Cart_create 4x4`.
    pub communicator: String,
    /// Ranks whose number in it is not their number in `MPI_COMM_WORLD`.
    pub moved_ranks: u64,
    /// Bytes of messages, and to neighbours of a topology, between nodes in the run.
    pub between_nodes_bytes: u64,
    /// The same if the MPI had kept the order.
    pub kept_between_nodes_bytes: u64,
}

/// All of them; those of the same group once. Ranks must be those of the run on its nodes.
pub fn reorderings(run: &Run, layout: &Layout) -> Vec<Reordering> {
    let Some(now) = &layout.now else { return Vec::new() };
    let mut found: Vec<Reordering> = Vec::new();
    let comms = run.ranks.first().into_iter().flat_map(|rank| rank.defs.comms.values());
    for comm in comms.filter(|comm| comm.remote_size == 0 && comm.created_by != 0) {
        let created_by = mpiscope_abi::name(comm.created_by);
        let members = comm
            .group
            .iter()
            .flat_map(|of| (0..i64::from(of.count)).map(|at| i64::from(of.start) + i64::from(of.stride) * at));
        let group: Vec<u32> = members.take(now.len() + 1).filter_map(|rank| u32::try_from(rank).ok()).collect();
        if !MAY_REORDER.contains(&created_by) || group.len() != now.len() {
            continue;
        }
        let Some((moved_ranks, kept)) = kept(&group, now, &layout.messages) else { continue };
        let dims: Vec<String> = comm.dims.iter().map(|(extent, ..)| extent.to_string()).collect();
        let one = Reordering {
            communicator: format!("{created_by} {}", dims.join("x")).trim_end().to_owned(),
            moved_ranks,
            between_nodes_bytes: cost(&layout.messages, now, None).bytes,
            kept_between_nodes_bytes: kept.bytes,
        };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// How many ranks have another number, and what messages would cost if each process had the place in the communicator that it has in
/// `MPI_COMM_WORLD`. `None` if this is no order of all ranks.
fn kept(group: &[u32], now: &[u32], sent: &[Sent]) -> Option<(u64, Cost)> {
    let mut place_of = vec![None; group.len()];
    for (place, &rank) in (0..).zip(group) {
        let slot: &mut Option<u32> = place_of.get_mut(rank as usize)?;
        if slot.replace(place).is_some() {
            return None;
        }
    }
    let place = |rank: u32| place_of.get(rank as usize).copied().flatten();
    let as_places = |one: &Sent| Some(Sent { from: place(one.from)?, to: place(one.to)?, ..*one });
    let in_places: Vec<Sent> = sent.iter().filter_map(as_places).collect();
    let moved = (0..).zip(group).filter(|(place, rank)| place != *rank).count();
    Some((moved as u64, cost(&in_places, now, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_new_order_did_is_measured_against_the_old_one() {
        // Places 0 and 1 of the communicator exchange, as do 2 and 3. The MPI gave place 1 to rank 2, which is on the node of rank 0.
        let sent = [(0, 2), (2, 0), (1, 3)].map(|(from, to)| Sent { from, to, messages: 1, bytes: 10, time_ns: 0 });
        let nodes = [0, 1, 0, 1];
        let (moved, without) = kept(&[0, 2, 1, 3], &nodes, &sent).unwrap();
        assert_eq!((moved, without.bytes, cost(&sent, &nodes, None).bytes), (2, 30, 0));
        assert_eq!(kept(&[0, 1, 2, 3], &nodes, &sent).unwrap(), (0, cost(&sent, &nodes, None)));
        assert_eq!(kept(&[0, 0, 1, 2], &nodes, &sent), None);
    }
}
