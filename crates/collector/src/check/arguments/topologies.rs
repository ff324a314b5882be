//! Functions of process topologies.

use mpiscope_abi::id;
use mpiscope_abi::spec::attribute;
use mpiscope_trace::check::rule;

use super::{list, number};
use crate::check::CallContext;
use crate::check::transfer::CommPosition;
use crate::check::view::Slot;
use crate::mpi::call;

/// What an operation over neighbours and questions about a topology need.
pub fn topology_of(s: &mut CallContext<'_>, place: &CommPosition) {
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
            "it has no Cartesian topology",
            "it has no graph topology",
            "it has no distributed graph topology",
            "it has no topology",
        ];
        s.find(rule::COMM, s.view.param(Slot::Comm), [0; 3], text[wanted]);
    }
}

pub fn cart(s: &mut CallContext<'_>, place: &CommPosition) {
    let n = number(s, "ndims").unwrap_or(0);
    if n < 0 {
        return s.find(rule::VALUE, s.view.plan.named("ndims"), [n, 0, 0], "at least 0");
    }
    let (Some(dims), Some(comm)) = (list(s, "dims", n.min(64)), place.info) else { return };
    if let Some(&bad) = dims.iter().find(|&&d| d <= 0) {
        return s.find(rule::VALUE, s.view.plan.named("dims"), [bad, 0, 0], "at least 1");
    }
    let product = dims.iter().fold(1i64, |all, &d| all.saturating_mul(d));
    if product > i64::from(comm.size) {
        let text = format!("at most {} processes in the grid", comm.size);
        s.find(rule::VALUE, s.view.plan.named("dims"), [product, comm.size.into(), 0], &text);
    }
}

pub fn graph(s: &mut CallContext<'_>, place: &CommPosition) {
    let (Some(n), Some(comm)) = (number(s, "nnodes"), place.info) else { return };
    if n < 0 || n > i64::from(comm.size) {
        return s.find(
            rule::VALUE,
            s.view.plan.named("nnodes"),
            [n, comm.size.into(), 0],
            "0 to the size of the communicator",
        );
    }
    let Some(index) = list(s, "index", n) else { return };
    let mut before = 0;
    for &at in &index {
        if at < before {
            return s.find(rule::VALUE, s.view.plan.named("index"), [at, 0, 0], "numbers that do not decrease");
        }
        before = at;
    }
    let Some(edges) = list(s, "edges", before) else { return };
    if let Some(&bad) = edges.iter().find(|&&e| e < 0 || e >= n) {
        s.find(rule::VALUE, s.view.plan.named("edges"), [bad, n, 0], "0 to the number of nodes minus 1");
    }
}

pub fn dist_graph(s: &mut CallContext<'_>) {
    let weights = |s: &CallContext<'_>, name: &str, n: i64| {
        let param = s.view.plan.named(name)?;
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
fn dimensions(s: &CallContext<'_>) -> Option<i32> {
    let handle = s.view.param(Slot::Comm).and_then(|p| s.view.handle(p))?;
    let (mut kind, mut n) = (0, 0);
    let cart = s.view.process.mpi.constants.topologies[0];
    (call::Topo_test(handle as usize, &mut kind) && kind == cart && call::Cartdim_get(handle as usize, &mut n))
        .then_some(n)
}

pub fn shift(s: &mut CallContext<'_>, place: &CommPosition) {
    let Some(direction) = number(s, "direction").filter(|_| place.info.is_some()) else { return };
    let Some(n) = dimensions(s) else { return };
    if !(0..i64::from(n)).contains(&direction) {
        s.find(
            rule::VALUE,
            s.view.plan.named("direction"),
            [direction, n.into(), 0],
            "a dimension of the grid, from 0",
        );
    }
}

pub fn coordinates(s: &mut CallContext<'_>, place: &CommPosition) {
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
            return s.find(rule::VALUE, s.view.plan.named("coords"), [c, lists[0][d].into(), 0], &text);
        }
    }
}

pub fn dims(s: &mut CallContext<'_>) {
    let (Some(nodes), Some(n)) = (number(s, "nnodes"), number(s, "ndims")) else { return };
    if nodes <= 0 {
        return s.find(rule::VALUE, s.view.plan.named("nnodes"), [nodes, 0, 0], "at least 1");
    }
    let Some(dims) = list(s, "dims", n) else { return };
    if let Some(&bad) = dims.iter().find(|&&d| d < 0) {
        return s.find(rule::VALUE, s.view.plan.named("dims"), [bad, 0, 0], "at least 0");
    }
    let fixed = dims.iter().filter(|&&d| d > 0).fold(1i64, |all, &d| all.saturating_mul(d));
    let free = dims.contains(&0);
    if (free && nodes % fixed != 0) || (!free && !dims.is_empty() && fixed != nodes) {
        let text = format!("dimensions whose product divides {nodes}");
        s.find(rule::VALUE, s.view.plan.named("dims"), [fixed, nodes, 0], &text);
    }
}

/// Arrays that are to hold a number for each dimension.
pub fn room_for_dimensions(s: &mut CallContext<'_>, place: &CommPosition) {
    let Some(room) = number(s, "maxdims").filter(|_| place.info.is_some()) else { return };
    let Some(n) = dimensions(s) else { return };
    if room < i64::from(n) {
        let text = format!("room for all {n} dimensions");
        s.find(rule::VALUE, s.view.plan.named("maxdims"), [room, n.into(), 0], &text);
    }
}

/// An array that is to hold all neighbours of a rank.
pub fn room_for_neighbours(s: &mut CallContext<'_>, place: &CommPosition) {
    let (Some(room), Some(rank)) = (number(s, "maxneighbors"), number(s, "rank")) else { return };
    let Some(comm) = place.info.filter(|comm| (0..i64::from(comm.size)).contains(&rank)) else { return };
    let Some(handle) = s.view.param(Slot::Comm).and_then(|p| s.view.handle(p)) else { return };
    let (mut kind, mut count) = (0, 0);
    let graph = s.view.process.mpi.constants.topologies[1];
    let nodes = || {
        let (mut nodes, mut edges) = (0, 0);
        call::Graphdims_get(handle as usize, &mut nodes, &mut edges).then_some(nodes)
    };
    if call::Topo_test(handle as usize, &mut kind)
        && kind == graph
        && nodes().is_some_and(|nodes| rank < i64::from(nodes).min(comm.size.into()))
        && call::Graph_neighbors_count(handle as usize, rank as i32, &mut count)
        && room < i64::from(count)
    {
        let text = format!("room for all {count} neighbours");
        s.find(rule::VALUE, s.view.plan.named("maxneighbors"), [room, count.into(), 0], &text);
    }
}
