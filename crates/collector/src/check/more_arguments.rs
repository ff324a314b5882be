//! Values of single functions that the standard limits.

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_abi::spec::{attribute, class};
use mpiscope_abi::{Family, Param, id};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::arguments::group_size;
use super::handles::Strange;
use super::transfer::CommPosition;
use super::view::Slot;
use crate::mpi::call;
use crate::objects;

/// Most elements of a list that are looked at.
const MOST: i64 = 1 << 16;

/// An argument that is an integer.
pub fn number(s: &CallContext<'_>, name: &str) -> Option<i64> {
    s.view.plan.named(name).map(|p| s.view.int(p))
}

fn list(s: &CallContext<'_>, name: &str, n: i64) -> Option<Vec<i64>> {
    let param = s.view.plan.named(name)?;
    (0..n.clamp(0, MOST) as usize).map(|i| s.view.element(param, i)).collect()
}

/// All of them.
pub fn check(s: &mut CallContext<'_>, place: &CommPosition) {
    let plan = s.view.plan;
    topology_of(s, place);
    let inter = place.info.is_some_and(|c| c.remote_size > 0);
    let comm = s.view.param(Slot::Comm);
    let wrong_comm = match plan.base {
        id::Comm_remote_size | id::Comm_remote_group | id::Intercomm_merge if place.info.is_some() && !inter => {
            Some("not an intercommunicator")
        }
        _ if inter && matches!(plan.role, Role::Collective(Pattern::Scan)) => {
            Some("an intercommunicator is not allowed here")
        }
        id::Cart_create | id::Graph_create | id::Dist_graph_create | id::Dist_graph_create_adjacent if inter => {
            Some("an intercommunicator is not allowed here")
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
                s.find(rule::VALUE, s.view.plan.named("color"), [colour, 0, 0], "at least 0, or MPI_UNDEFINED");
            }
        }
        id::Type_create_subarray => subarray(s),
        id::Intercomm_create => remote_leader(s, place),
        id::Intercomm_create_from_groups => super::groups::check_sides(s),
        id::Comm_join => socket(s),
        id::Cart_coords | id::Cart_get => room_for_dimensions(s, place),
        id::Group_range_incl | id::Group_range_excl => ranges_of_group(s),
        id::Group_translate_ranks => translated(s),
        id::Type_create_darray => darray(s),
        id::Type_get_contents => contents(s),
        id::Pack | id::Unpack | id::Pack_external | id::Unpack_external => packed(s),
        id::Info_delete | id::Info_get_nthkey => info_key(s),
        id::Info_set => info_lengths(s),
        id::Graph_neighbors => room_for_neighbours(s, place),
        id::Win_shared_query => shared_rank(s),
        id::Win_detach => super::windows::detaches(s),
        _ => {}
    }
}

/// What an operation over neighbours and questions about a topology need.
fn topology_of(s: &mut CallContext<'_>, place: &CommPosition) {
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

/// A rank of the window's group, or `MPI_PROC_NULL` for the first one with memory (MPI-5.0 §12.2.3).
fn shared_rank(s: &mut CallContext<'_>) {
    let window = s.window();
    let Some(size) = objects::comm(objects::window_comm(window)).map(|comm| i64::from(comm.size)) else { return };
    let nobody = i64::from(s.view.process.mpi.constants.proc_null);
    if let Some(rank) = number(s, "rank").filter(|&rank| rank != nobody && !(0..size).contains(&rank)) {
        s.find(rule::RANK, s.view.plan.named("rank"), [rank, size, 0], "");
    }
}

/// A rank of the other communicator, which only the local leader has to name.
fn remote_leader(s: &mut CallContext<'_>, place: &CommPosition) {
    let leads = place.info.is_some_and(|comm| Some(i64::from(comm.rank)) == number(s, "local_leader"));
    let peer = s.view.plan.named("peer_comm").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.comms.id(h));
    let (Some(peer), Some(leader)) = (objects::comm(peer).filter(|_| leads), number(s, "remote_leader")) else {
        return;
    };
    let size = if peer.remote_size > 0 { peer.remote_size } else { peer.size };
    if !(0..i64::from(size)).contains(&leader) {
        s.find(rule::RANK, s.view.plan.named("remote_leader"), [leader, size.into(), 0], "");
    }
}

/// `MPI_Comm_join` needs a connected stream socket (MPI-5.0 §11.10.3).
fn socket(s: &mut CallContext<'_>) {
    let Some(param) = s.view.plan.named("fd") else { return };
    let number = s.view.int(param);
    let ask = |option: i32| {
        let (mut answer, mut length) = (0i32, size_of::<i32>() as libc::socklen_t);
        let at = (&raw mut answer).cast();
        // SAFETY: an integer is written.
        let found = unsafe { libc::getsockopt(number as i32, libc::SOL_SOCKET, option, at, &raw mut length) };
        (found == 0).then_some(answer)
    };
    let is_connected = || {
        let (mut name, mut length) = ([0u8; 128], 128);
        // SAFETY: as many bytes as are said.
        unsafe { libc::getpeername(number as i32, name.as_mut_ptr().cast(), &raw mut length) == 0 }
    };
    let why = match ask(libc::SO_TYPE) {
        None => "a socket",
        Some(libc::SOCK_STREAM) if is_connected() => return,
        Some(libc::SOCK_STREAM) => "a connected socket",
        Some(_) => "a stream socket",
    };
    s.find(rule::VALUE, Some(param), [number, 0, 0], why);
}

fn cart(s: &mut CallContext<'_>, place: &CommPosition) {
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

fn graph(s: &mut CallContext<'_>, place: &CommPosition) {
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

fn dist_graph(s: &mut CallContext<'_>) {
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

fn shift(s: &mut CallContext<'_>, place: &CommPosition) {
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

fn coordinates(s: &mut CallContext<'_>, place: &CommPosition) {
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

fn dims(s: &mut CallContext<'_>) {
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

/// `MPI_ORDER_C` or `MPI_ORDER_FORTRAN`.
fn order(s: &mut CallContext<'_>) {
    let Some(order) = number(s, "order") else { return };
    if !super::types::orders(s.view.process.mpi.constants.family).contains(&order) {
        s.find(rule::VALUE, s.view.plan.named("order"), [order, 0, 0], "MPI_ORDER_C or MPI_ORDER_FORTRAN");
    }
}

fn subarray(s: &mut CallContext<'_>) {
    order(s);
    let Some(n) = number(s, "ndims") else { return };
    if n <= 0 {
        return s.find(rule::VALUE, s.view.plan.named("ndims"), [n, 0, 0], "at least 1");
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
            return s.find(rule::VALUE, s.view.plan.named(name), [value, sizes[i], i as i64], &text);
        }
    }
}

/// Ranks of `MPI_Group_incl` and its like: in the group, and each once.
pub fn members_of_group(s: &mut CallContext<'_>, param: &'static Param) {
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

/// Arrays that are to hold a number for each dimension.
fn room_for_dimensions(s: &mut CallContext<'_>, place: &CommPosition) {
    let Some(room) = number(s, "maxdims").filter(|_| place.info.is_some()) else { return };
    let Some(n) = dimensions(s) else { return };
    if room < i64::from(n) {
        let text = format!("room for all {n} dimensions");
        s.find(rule::VALUE, s.view.plan.named("maxdims"), [room, n.into(), 0], &text);
    }
}

/// An array that is to hold all neighbours of a rank.
fn room_for_neighbours(s: &mut CallContext<'_>, place: &CommPosition) {
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

/// First rank, last rank and stride of each range: no stride of 0, all of them in the group, and each once (MPI-5.0 §7.3.2).
fn ranges_of_group(s: &mut CallContext<'_>) {
    let Some(handle) = s.view.param(Slot::Group).and_then(|p| s.view.handle(p)) else { return };
    let (Some(size), Some(n)) = (group_size(s, handle), number(s, "n")) else { return };
    let Some(numbers) = list(s, "ranges", n.saturating_mul(3)) else { return };
    let param = s.view.plan.named("ranges");
    let mut seen = std::collections::HashSet::new();
    for range in numbers.chunks_exact(3) {
        let (first, last, stride) = (range[0], range[1], range[2]);
        if stride == 0 {
            return s.find(rule::VALUE, param, [0; 3], "a stride other than 0");
        }
        // No other ones are named if the stride leads away from the last one.
        let steps = if (last - first).signum() == -stride.signum() { -1 } else { (last - first) / stride };
        for step in 0..=steps.min(MOST) {
            let rank = first + step * stride;
            if !(0..i64::from(size)).contains(&rank) {
                return s.find(rule::RANK, param, [rank, size.into(), 0], "");
            }
            if !seen.insert(rank) {
                return s.find(rule::VALUE, param, [rank, 0, 0], "each rank once");
            }
        }
    }
}

/// Ranks to be translated: those of the first group, or `MPI_PROC_NULL`.
fn translated(s: &mut CallContext<'_>) {
    let group = s.view.plan.named("group1").and_then(|p| s.view.handle(p));
    let (Some(size), Some(n)) = (group.and_then(|handle| group_size(s, handle)), number(s, "n")) else { return };
    let nobody = i64::from(s.view.process.mpi.constants.proc_null);
    let Some(ranks) = list(s, "ranks1", n) else { return };
    if let Some(&bad) = ranks.iter().find(|&&rank| rank != nobody && !(0..i64::from(size)).contains(&rank)) {
        s.find(rule::RANK, s.view.plan.named("ranks1"), [bad, size.into(), 0], "");
    }
}

/// An array that is distributed over a grid of processes (MPI-5.0 §5.1.4).
fn darray(s: &mut CallContext<'_>) {
    order(s);
    let (Some(size), Some(rank), Some(n)) = (number(s, "size"), number(s, "rank"), number(s, "ndims")) else { return };
    if !(0..size).contains(&rank) {
        return s.find(rule::RANK, s.view.plan.named("rank"), [rank, size, 0], "of the process grid");
    }
    let (Some(array), Some(grid)) = (list(s, "array_of_gsizes", n), list(s, "array_of_psizes", n)) else { return };
    if let Some(&bad) = array.iter().find(|&&extent| extent < 1) {
        return s.find(rule::VALUE, s.view.plan.named("array_of_gsizes"), [bad, 0, 0], "at least 1");
    }
    if let Some(&bad) = grid.iter().find(|&&extent| extent < 1) {
        return s.find(rule::VALUE, s.view.plan.named("array_of_psizes"), [bad, 0, 0], "at least 1");
    }
    let product = grid.iter().fold(1i64, |all, &extent| all.saturating_mul(extent));
    if product != size {
        let text = format!("a grid of {size} processes, the value of the argument size");
        s.find(rule::VALUE, s.view.plan.named("array_of_psizes"), [product, size, 0], &text);
    }
}

/// What a datatype was made from: it has to be a derived one, and there has to be room for all of it (MPI-5.0 §5.1.13).
fn contents(s: &mut CallContext<'_>) {
    let param = s.view.plan.named("datatype");
    let Some(handle) = param.and_then(|p| s.view.handle(p)) else { return };
    let Some(known) = s.checker.objects.get(class::TYPE, handle).copied().filter(|t| t.live > 0) else { return };
    if known.predefined {
        return s.find(rule::TYPE, param, [0; 3], "a predefined datatype has no contents");
    }
    let mut needed = [0i32; 3];
    let [integers, addresses, types] = &mut needed;
    let mut combiner = 0;
    // What has counts of its own has another envelope.
    if number(s, "max_large_counts").is_some()
        || !call::Type_get_envelope(handle as usize, integers, addresses, types, &mut combiner)
    {
        return;
    }
    for (name, needed) in ["max_integers", "max_addresses", "max_datatypes"].into_iter().zip(needed) {
        if let Some(room) = number(s, name).filter(|&room| room < i64::from(needed)) {
            let text = format!("room for all {needed}");
            return s.find(rule::VALUE, s.view.plan.named(name), [room, needed.into(), 0], &text);
        }
    }
}

/// Packing and unpacking: from the position on there has to be room, or data. The representation that this MPI uses by itself
/// is the one in memory, without anything added.
fn packed(s: &mut CallContext<'_>) {
    let base = s.view.plan.base;
    let packs = matches!(base, id::Pack | id::Pack_external);
    let (count, size) = if packs { ("incount", "outsize") } else { ("outcount", "insize") };
    let (Some(count), Some(room), Some(at)) = (number(s, count), number(s, size), number(s, "position")) else {
        return;
    };
    let Some(handle) = s.view.plan.named("datatype").and_then(|p| s.view.handle(p)) else { return };
    let bytes = match base {
        id::Pack | id::Unpack => {
            let id = s.view.process.types.id(handle) as usize;
            s.checker.types.get(id).map(|t| t.size as i64).filter(|&bytes| bytes > 0)
        }
        // Numbers have another size there.
        _ if s.view.plan.fortran => None,
        _ => s.view.plan.named("datarep").and_then(|p| s.view.word(p)).and_then(|name| {
            let mut bytes = 0isize;
            call::Pack_external_size(name as *const u8, 1, handle as usize, &mut bytes).then_some(bytes as i64)
        }),
    };
    let Some(bytes) = bytes.map(|each| each.saturating_mul(count)).filter(|&bytes| bytes > 0) else { return };
    if at < 0 {
        return s.find(rule::VALUE, s.view.plan.named("position"), [at, 0, 0], "at least 0");
    }
    if at.saturating_add(bytes) > room {
        let text = format!("the buffer has {room} bytes, and the position is {at}");
        s.find(rule::BUFFER_SHORT, s.view.plan.named(size), [bytes, (room - at).max(0), 0], &text);
    }
}

/// A key that has to be there, by its name or number (MPI-5.0 §10).
fn info_key(s: &mut CallContext<'_>) {
    let Some(handle) = s.view.plan.named("info").and_then(|p| s.view.handle(p)) else { return };
    if s.checker.objects.get(class::INFO, handle).is_none_or(|t| t.live == 0) {
        return;
    }
    if s.view.plan.base == id::Info_get_nthkey {
        let mut keys = 0;
        let Some(n) = number(s, "n").filter(|_| call::Info_get_nkeys(handle as usize, &mut keys)) else { return };
        if !(0..i64::from(keys)).contains(&n) {
            s.find(rule::VALUE, s.view.plan.named("n"), [n, keys.into(), 0], "0 to the number of keys minus 1");
        }
        return;
    }
    let Some(key) = s.view.plan.named("key").and_then(|p| s.view.word(p)).filter(|&w| w != 0 && !s.view.plan.fortran)
    else {
        return;
    };
    let (mut length, mut found) = (0, 0);
    if call::Info_get_valuelen(handle as usize, key as *const u8, &mut length, &mut found) && found == 0 {
        s.find(rule::VALUE, s.view.plan.named("key"), [0; 3], "an existing key");
    }
}

/// A key and a value that are no longer than the MPI allows (`MPI_MAX_INFO_KEY`, `MPI_MAX_INFO_VAL`), and a key at all.
fn info_lengths(s: &mut CallContext<'_>) {
    let most = match s.view.process.mpi.constants.family {
        Family::Mpich => [255, 1024],
        Family::OpenMpi => [36, 256],
        Family::Standard => [256, 1024],
    };
    for (name, most) in ["key", "value"].into_iter().zip(most) {
        let param = s.view.plan.named(name);
        let Some(text) = param.filter(|_| !s.view.plan.fortran).and_then(|p| super::names::text(&s.view, p)) else {
            return;
        };
        let length = text.len() as i64;
        if length > most {
            return s.find(rule::VALUE, param, [length, most, 0], &format!("at most {most} characters"));
        }
        if length == 0 && name == "key" {
            return s.find(rule::VALUE, param, [0; 3], "a key of at least one character");
        }
    }
}

/// An error handler: it must exist, and be created for the kind of objects that it is set for. A handler that MPI returned may be predefined.
pub fn error_handler(s: &mut CallContext<'_>, param: &'static Param) {
    let base = s.view.plan.base;
    let Some(handle) = s.view.handle(param).filter(|_| !s.view.plan.converts) else { return };
    if handle == s.view.nulls.null(class::ERRHANDLER) {
        return s.find(rule::ERRHANDLER, Some(param), [0; 3], "MPI_ERRHANDLER_NULL");
    }
    let Some(known) = s.checker.objects.get(class::ERRHANDLER, handle).copied() else {
        return impossible(s, rule::ERRHANDLER, param, handle);
    };
    let maker = mpiscope_abi::name(known.function.into());
    let Some(kind) = maker.strip_suffix("_create_errhandler") else { return };
    if known.live == 0 {
        let rule = if super::lifetimes::frees(base) { rule::FREED } else { rule::ERRHANDLER };
        return s.find_from(rule, Some(param), [0; 3], "already freed", known.site);
    }
    let sets = mpiscope_abi::name(base).strip_suffix("_set_errhandler");
    if sets.is_some_and(|sets| sets != kind) {
        s.find_from(rule::ERRHANDLER, Some(param), [0; 3], &format!("created by {maker}"), known.site);
    }
}

/// A session, also after the last one, when nothing else is looked at.
pub fn session(s: &mut CallContext<'_>) {
    let is_session = |p: &&Param| p.class == class::SESSION && p.is(mpiscope_abi::spec::param_flag::IN);
    let Some(param) = s.view.plan.params.iter().find(is_session) else { return };
    if s.view.plan.converts || mpiscope_abi::spec::param_flag::ARRAY & param.flags != 0 {
        return;
    }
    let Some(handle) = s.view.handle(param) else { return };
    if handle == s.view.nulls.null(class::SESSION) {
        return s.find(rule::SESSION, Some(param), [0; 3], "null handle");
    }
    let known = s.checker.objects.get(class::SESSION, handle).copied();
    match known {
        Some(gone) if gone.live == 0 => {
            s.find_from(rule::SESSION, Some(param), [0; 3], "already finalised", gone.site);
        }
        Some(_) => {}
        None => impossible(s, rule::SESSION, param, handle),
    }
}

/// Reports an unknown handle that cannot be valid.
pub fn impossible(s: &mut CallContext<'_>, rule: u16, param: &'static Param, handle: u64) {
    if let Strange::Impossible(why) = s.view.nulls.judge(param.class, handle) {
        s.find(rule, Some(param), [0; 3], why);
    }
}

/// A key of attributes: of the same kind of objects, not freed before a value is stored, and not one of the MPI's own where
/// something is changed (MPI-5.0 §7.7). That a freed one is asked for, or its attributes are deleted, is right: they stay.
pub fn attribute_key(s: &mut CallContext<'_>, param: &'static Param) {
    let Some(handle) = s.view.handle(param) else { return };
    let base = s.view.plan.base;
    let name = mpiscope_abi::name(base);
    let frees = super::lifetimes::frees(base);
    if handle == s.view.nulls.null(class::KEYVAL) {
        return s.find(rule::KEYVAL, Some(param), [0; 3], "MPI_KEYVAL_INVALID");
    }
    let changes = frees
        || matches!(base, id::Attr_put | id::Attr_delete)
        || name.ends_with("_set_attr")
        || name.ends_with("_delete_attr");
    let Some(known) = s.checker.objects.get(class::KEYVAL, handle).copied() else {
        if changes && s.view.nulls.is_own_attribute(handle) {
            s.find(rule::KEYVAL, Some(param), [0; 3], "it is predefined, and only MPI sets it");
        }
        return;
    };
    let kind = |name: &str| match name.strip_prefix("MPI_") {
        Some(name) if name.starts_with("Type_") => "datatypes",
        Some(name) if name.starts_with("Win_") => "windows",
        _ => "communicators",
    };
    let maker = mpiscope_abi::name(known.function.into());
    if kind(maker) != kind(name) {
        s.find_from(rule::KEYVAL, Some(param), [0; 3], &format!("it belongs to {}", kind(maker)), known.site);
    } else if known.live == 0 && (frees || base == id::Attr_put || name.ends_with("_set_attr")) {
        s.find_from(rule::KEYVAL, Some(param), [0; 3], "already freed", known.site);
    }
}
