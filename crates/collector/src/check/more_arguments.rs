//! Values of single functions that the standard limits.

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_abi::spec::attribute;
use mpiscope_abi::{Param, id};
use mpiscope_trace::check::rule;

use super::Scene;
use super::arguments::group_size;
use super::sides::Place;
use super::view::Slot;
use crate::mpi::call;
use crate::objects;

/// Most elements of a list that are looked at.
const MOST: i64 = 1 << 16;

fn by_name(s: &Scene<'_>, name: &str) -> Option<&'static Param> {
    s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == name)
}

fn number(s: &Scene<'_>, name: &str) -> Option<i64> {
    by_name(s, name).map(|p| s.view.int(p))
}

fn list(s: &Scene<'_>, name: &str, n: i64) -> Option<Vec<i64>> {
    let param = by_name(s, name)?;
    (0..n.clamp(0, MOST) as usize).map(|i| s.view.element(param, i)).collect()
}

/// All of them.
pub fn check(s: &mut Scene<'_>, place: &Place) {
    let plan = s.view.plan;
    topology_of(s, place);
    let inter = place.info.is_some_and(|c| c.remote_size > 0);
    let comm = s.view.param(Slot::Comm);
    let wrong_comm = match plan.base {
        id::Comm_remote_size | id::Comm_remote_group | id::Intercomm_merge if place.info.is_some() && !inter => {
            Some("not an intercommunicator")
        }
        _ if inter && matches!(plan.role, Role::Collective(Pattern::Scan)) => Some("an intercommunicator"),
        id::Cart_create | id::Graph_create | id::Dist_graph_create | id::Dist_graph_create_adjacent if inter => {
            Some("an intercommunicator")
        }
        _ => None,
    };
    if let Some(text) = wrong_comm {
        s.find(rule::COMM, comm, [0; 3], text);
        return;
    }
    match plan.base {
        id::Cart_create => cart(s, place),
        id::Graph_create => graph(s, place),
        id::Dist_graph_create | id::Dist_graph_create_adjacent => dist_graph(s),
        id::Cart_shift => shift(s, place),
        id::Cart_rank => coordinates(s, place),
        id::Dims_create => dims(s),
        id::Comm_split => {
            let colour = number(s, "color").unwrap_or(0);
            if colour < 0 && colour != i64::from(s.view.process.mpi.constants.undefined) {
                s.find(rule::VALUE, by_name(s, "color"), [colour, 0, 0], "at least 0, or MPI_UNDEFINED");
            }
        }
        id::Type_create_subarray => subarray(s),
        id::Intercomm_create => remote_leader(s, place),
        id::Group_range_incl | id::Group_range_excl => {}
        _ => {}
    }
}

/// What an operation over neighbours and questions about a topology need.
fn topology_of(s: &mut Scene<'_>, place: &Place) {
    let plan = s.view.plan;
    let wanted = match plan.base {
        id::Cart_coords | id::Cart_rank | id::Cart_shift | id::Cart_sub | id::Cart_get | id::Cartdim_get => 0,
        id::Graph_get | id::Graphdims_get | id::Graph_neighbors | id::Graph_neighbors_count => 1,
        id::Dist_graph_neighbors | id::Dist_graph_neighbors_count => 2,
        _ if plan.facts.is(attribute::NEIGHBOR) => 3,
        _ => return,
    };
    let Some(info) = place.info else { return };
    // Neighbours prove one.
    if wanted == 3 && (info.indegree > 0 || info.outdegree > 0) {
        return;
    }
    let Some(handle) = s.view.param(Slot::Comm).and_then(|p| s.view.handle(p)) else { return };
    let mut kind = 0;
    if !call::Topo_test(handle as usize, &mut kind) {
        return;
    }
    let kinds = s.view.process.mpi.constants.topologies;
    let right = if wanted == 3 { kinds.contains(&kind) } else { kind == kinds[wanted] };
    if !right {
        let text = [
            "without a Cartesian topology",
            "without a graph topology",
            "without a distributed graph",
            "without a topology",
        ];
        s.find(rule::COMM, s.view.param(Slot::Comm), [0; 3], text[wanted]);
    }
}

/// A rank of the other communicator, which only the local leader has to name.
fn remote_leader(s: &mut Scene<'_>, place: &Place) {
    let leads = place.info.is_some_and(|comm| Some(i64::from(comm.rank)) == number(s, "local_leader"));
    let peer = by_name(s, "peer_comm").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.comms.id(h));
    let (Some(peer), Some(leader)) = (objects::comm(peer).filter(|_| leads), number(s, "remote_leader")) else {
        return;
    };
    let size = if peer.remote_size > 0 { peer.remote_size } else { peer.size };
    if !(0..i64::from(size)).contains(&leader) {
        s.find(rule::RANK, by_name(s, "remote_leader"), [leader, size.into(), 0], "");
    }
}

fn cart(s: &mut Scene<'_>, place: &Place) {
    let n = number(s, "ndims").unwrap_or(0);
    if n < 0 {
        return s.find(rule::VALUE, by_name(s, "ndims"), [n, 0, 0], "at least 0");
    }
    let (Some(dims), Some(comm)) = (list(s, "dims", n.min(64)), place.info) else { return };
    if let Some(&bad) = dims.iter().find(|&&d| d <= 0) {
        return s.find(rule::VALUE, by_name(s, "dims"), [bad, 0, 0], "at least 1");
    }
    let product = dims.iter().fold(1i64, |all, &d| all.saturating_mul(d));
    if product > i64::from(comm.size) {
        let text = format!("at most {} processes in the grid", comm.size);
        s.find(rule::VALUE, by_name(s, "dims"), [product, comm.size.into(), 0], &text);
    }
}

fn graph(s: &mut Scene<'_>, place: &Place) {
    let (Some(n), Some(comm)) = (number(s, "nnodes"), place.info) else { return };
    if n < 0 || n > i64::from(comm.size) {
        return s.find(
            rule::VALUE,
            by_name(s, "nnodes"),
            [n, comm.size.into(), 0],
            "0 to the size of the communicator",
        );
    }
    let Some(index) = list(s, "index", n) else { return };
    let mut before = 0;
    for &at in &index {
        if at < before {
            return s.find(rule::VALUE, by_name(s, "index"), [at, 0, 0], "numbers that do not decrease");
        }
        before = at;
    }
    let Some(edges) = list(s, "edges", before) else { return };
    if let Some(&bad) = edges.iter().find(|&&e| e < 0 || e >= n) {
        s.find(rule::VALUE, by_name(s, "edges"), [bad, n, 0], "0 to the number of nodes minus 1");
    }
}

fn dist_graph(s: &mut Scene<'_>) {
    let weights = |s: &Scene<'_>, name: &str, n: i64| {
        let param = by_name(s, name)?;
        let address = s.view.word(param)?;
        // MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are addresses of no array.
        if s.view.plan.fortran || address < 4096 {
            return None;
        }
        let readable = s.view.process.mpi.library.range;
        if (readable.0..readable.1).contains(&(address as usize)) || n <= 0 {
            return None;
        }
        list(s, name, n)?.into_iter().find(|&w| w < 0).map(|w| (param, w))
    };
    let found = if s.view.plan.base == id::Dist_graph_create_adjacent {
        let (into, out) = (number(s, "indegree").unwrap_or(0), number(s, "outdegree").unwrap_or(0));
        weights(s, "sourceweights", into).or_else(|| weights(s, "destweights", out))
    } else {
        let n = number(s, "n").unwrap_or(0);
        let edges = list(s, "degrees", n).map_or(0, |d| d.iter().sum());
        weights(s, "weights", edges)
    };
    if let Some((param, weight)) = found {
        s.find(rule::VALUE, Some(param), [weight, 0, 0], "a weight of at least 0");
    }
}

/// Dimensions of a Cartesian communicator, asked of the MPI.
fn dimensions(s: &Scene<'_>) -> Option<i32> {
    let handle = s.view.param(Slot::Comm).and_then(|p| s.view.handle(p))?;
    let (mut kind, mut n) = (0, 0);
    let cart = s.view.process.mpi.constants.topologies[0];
    (call::Topo_test(handle as usize, &mut kind) && kind == cart && call::Cartdim_get(handle as usize, &mut n))
        .then_some(n)
}

fn shift(s: &mut Scene<'_>, place: &Place) {
    let Some(direction) = number(s, "direction").filter(|_| place.info.is_some()) else { return };
    let Some(n) = dimensions(s) else { return };
    if !(0..i64::from(n)).contains(&direction) {
        s.find(rule::VALUE, by_name(s, "direction"), [direction, n.into(), 0], "a dimension of the grid, from 0");
    }
}

fn coordinates(s: &mut Scene<'_>, place: &Place) {
    if place.info.is_none() {
        return;
    }
    let Some(n) = dimensions(s).filter(|n| (1..=64).contains(n)) else { return };
    let Some(handle) = s.view.param(Slot::Comm).and_then(|p| s.view.handle(p)) else { return };
    let mut lists = [[0i32; 64]; 3];
    let [dims, periods, coords] = &mut lists;
    if !call::Cart_get(handle as usize, n, dims.as_mut_ptr(), periods.as_mut_ptr(), coords.as_mut_ptr()) {
        return;
    }
    let Some(asked) = list(s, "coords", n.into()) else { return };
    for (d, &c) in asked.iter().enumerate() {
        if lists[1][d] == 0 && !(0..i64::from(lists[0][d])).contains(&c) {
            let text = format!("0 to {} in dimension {d}, which is not periodic", lists[0][d] - 1);
            return s.find(rule::VALUE, by_name(s, "coords"), [c, lists[0][d].into(), 0], &text);
        }
    }
}

fn dims(s: &mut Scene<'_>) {
    let (Some(nodes), Some(n)) = (number(s, "nnodes"), number(s, "ndims")) else { return };
    if nodes <= 0 {
        return s.find(rule::VALUE, by_name(s, "nnodes"), [nodes, 0, 0], "at least 1");
    }
    let Some(dims) = list(s, "dims", n) else { return };
    if let Some(&bad) = dims.iter().find(|&&d| d < 0) {
        return s.find(rule::VALUE, by_name(s, "dims"), [bad, 0, 0], "at least 0");
    }
    let fixed = dims.iter().filter(|&&d| d > 0).fold(1i64, |all, &d| all.saturating_mul(d));
    let free = dims.contains(&0);
    if (free && nodes % fixed != 0) || (!free && !dims.is_empty() && fixed != nodes) {
        let text = format!("numbers whose product divides {nodes}");
        s.find(rule::VALUE, by_name(s, "dims"), [fixed, nodes, 0], &text);
    }
}

fn subarray(s: &mut Scene<'_>) {
    let Some(n) = number(s, "ndims") else { return };
    if n <= 0 {
        return s.find(rule::VALUE, by_name(s, "ndims"), [n, 0, 0], "at least 1");
    }
    let lists = (list(s, "array_of_sizes", n), list(s, "array_of_subsizes", n), list(s, "array_of_starts", n));
    let (Some(sizes), Some(inner), Some(starts)) = lists else { return };
    for i in 0..sizes.len() {
        let bad = if inner[i] < 1 || inner[i] > sizes[i] {
            Some(("array_of_subsizes", inner[i]))
        } else if starts[i] < 0 || starts[i] + inner[i] > sizes[i] {
            Some(("array_of_starts", starts[i]))
        } else {
            None
        };
        if let Some((name, value)) = bad {
            let text = format!("a part of the array, which has {} elements in dimension {i}", sizes[i]);
            return s.find(rule::VALUE, by_name(s, name), [value, sizes[i], i as i64], &text);
        }
    }
}

/// Ranks of `MPI_Group_incl` and its like: in the group, and each once.
pub fn members_of_group(s: &mut Scene<'_>, param: &'static Param) {
    let Some(handle) = s.view.param(Slot::Group).and_then(|p| s.view.handle(p)) else { return };
    let (Some(size), Some(n)) = (group_size(s, handle), number(s, "n")) else { return };
    let Some(ranks) = list(s, "ranks", n) else { return };
    let mut seen = std::collections::HashSet::new();
    for &rank in &ranks {
        if !(0..i64::from(size)).contains(&rank) {
            return s.find(rule::RANK, Some(param), [rank, size.into(), 0], "");
        }
        if !seen.insert(rank) {
            return s.find(rule::VALUE, Some(param), [rank, 0, 0], "each rank once");
        }
    }
}
