//! Communicators, datatypes, operations, windows and files: recorded when they are created, so that no call on the hot path has to
//! query the MPI.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use mpiscope_abi::spec::kind;
use mpiscope_abi::{Family, id, predefined};
use mpiscope_trace::defs::{self, Comm, Definition, Layout, Run, TypeMap};
use mpiscope_trace::shape::flag;

use crate::call_plan::CallPlan;
use crate::check;
use crate::constructors;
use crate::decode;
use crate::groups::{self, Groups};
use crate::mpi::{self, call};
use crate::process::Process;
use crate::thread::Call;
use crate::trampoline::Args;

/// Most ids of a class; later objects get id 0.
const LIMIT: usize = 1 << 16;
/// Most datatypes whose layouts are distinguished; later ones share ids by maker, size and extent.
const MOST_LAYOUTS: u32 = 1 << 12;

/// What decoding needs of a communicator.
pub struct CommInfo {
    /// This process's rank.
    pub rank: i32,
    /// Size of the local group.
    pub size: i32,
    /// Size of the remote group, 0 for intracommunicators.
    pub remote_size: i32,
    /// Neighbours in a topology.
    pub indegree: u32,
    /// See `indegree`.
    pub outdegree: u32,
    group: Vec<Run>,
    remote: Vec<Run>,
    handle: usize,
    /// Some of its processes are of another world.
    spans: bool,
}

static COMMS: [AtomicPtr<CommInfo>; LIMIT] = [const { AtomicPtr::new(std::ptr::null_mut()) }; LIMIT];
static TYPE_SIZES: [AtomicU64; LIMIT] = [const { AtomicU64::new(0) }; LIMIT];
static TYPE_EXTENTS: [AtomicI64; LIMIT] = [const { AtomicI64::new(0) }; LIMIT];
static WINDOW_COMMS: [AtomicU32; 4096] = [const { AtomicU32::new(0) }; 4096];

/// What only creation and destruction look at, under the process lock.
#[derive(Default)]
pub struct Objects {
    comms: u32,
    types: u32,
    ops: u32,
    windows: u32,
    files: u32,
    /// How many communicators had these members.
    ordinals: HashMap<u64, u32>,
    /// Datatypes made again and again with the same layout share an id.
    layouts: HashMap<(u32, u64, i64, Layout), u32>,
    /// In a checked process those with the same elements do: extent, lower bound and [`words_of`] their map.
    maps: HashMap<(i64, i64, Vec<i64>), u32>,
    /// `MPI_COMM_WORLD`'s group, or the process set `mpi://WORLD`'s.
    world_group: Option<usize>,
    pub(crate) groups: Groups,
}

/// A communicator by id.
#[inline(always)]
pub fn comm(id: u32) -> Option<&'static CommInfo> {
    let pointer = COMMS.get(id as usize)?.load(Ordering::Acquire);
    // SAFETY: never freed.
    unsafe { pointer.as_ref() }
}

/// Size of a datatype by id, bytes.
#[inline(always)]
pub fn type_size(id: u32) -> u64 {
    TYPE_SIZES.get(id as usize).map_or(0, |s| s.load(Ordering::Relaxed))
}

/// Extent of a datatype by id, bytes.
pub fn type_extent(id: u32) -> i64 {
    TYPE_EXTENTS.get(id as usize).map_or(0, |e| e.load(Ordering::Relaxed))
}

/// The communicator a window was made on.
pub fn window_comm(id: u32) -> u32 {
    WINDOW_COMMS.get(id as usize).map_or(0, |c| c.load(Ordering::Relaxed))
}

impl CommInfo {
    /// Rank in `MPI_COMM_WORLD` of the process that `rank` names in a call.
    pub fn world_rank(&self, rank: i32) -> Option<i32> {
        defs::world_rank(if self.remote_size > 0 { &self.remote } else { &self.group }, rank)
    }
}

/// The id of a communicator handle.
#[inline(always)]
pub fn comm_id(process: &'static Process, handle: u64) -> u32 {
    match process.comms.id(handle) {
        0 => resolve(process, handle, "Comm", &process.comms),
        id => id,
    }
}

/// The id of a datatype handle.
#[inline(always)]
pub fn type_id(process: &'static Process, handle: u64) -> u32 {
    match process.types.id(handle) {
        0 => resolve(process, handle, "Type", &process.types),
        id => id,
    }
}

/// The id of an operation handle.
#[inline(always)]
pub fn op_id(process: &'static Process, handle: u64) -> u32 {
    match process.ops.id(handle) {
        0 => resolve(process, handle, "Op", &process.ops),
        id => id,
    }
}

/// A Fortran handle seen for the first time: the id of the C handle it stands for.
#[cold]
#[inline(never)]
fn resolve(process: &'static Process, handle: u64, class: &str, table: &crate::handles::Handles) -> u32 {
    if handle >> 62 != 1 || process.int_handles {
        return 0;
    }
    let c = mpi::from_fortran(class, handle as u32 as i32) as u64;
    let id = table.id(c);
    if id != 0 {
        let _guard = process.lock();
        table.set(handle, id);
    }
    id
}

/// Ids of predefined datatypes are the first ones; the last of them.
static PREDEFINED_TYPES: AtomicU32 = AtomicU32::new(0);

fn is_predefined_type(id: u32) -> bool {
    (1..=PREDEFINED_TYPES.load(Ordering::Relaxed)).contains(&id)
}

/// After `MPI_Init` (or with the first session): what is there from the beginning.
pub fn register_predefined(process: &'static Process) {
    let c = &process.mpi.constants;
    let library = &process.mpi.library;
    let handle = |p: &predefined::Predefined| match c.family {
        Family::Mpich => p.mpich as usize,
        Family::Standard => p.standard as usize,
        Family::OpenMpi if p.open_mpi.is_empty() => 0,
        Family::OpenMpi => mpi::open_mpi_handle(&process.program, library, p.open_mpi),
    };
    for p in &predefined::DATATYPES {
        let h = handle(p);
        if h != 0 && h != c.datatype_null && process.types.id(h as u64) == 0 {
            let size = if c.family == Family::Mpich && p.mpich >> 24 == 0x4c {
                u64::from(p.mpich >> 8 & 0xff)
            } else {
                p.size
            };
            let extent = constructors::predefined_extent(p.name, size);
            let mut objects = process.lock();
            objects.types += 1;
            let id = objects.types;
            process.file.define(&Definition::Datatype {
                id,
                size,
                extent,
                combiner: -1,
                created_by: 0,
                name: p.name.into(),
            });
            TYPE_SIZES[id as usize].store(size, Ordering::Relaxed);
            TYPE_EXTENTS[id as usize].store(extent, Ordering::Relaxed);
            process.types.set(h as u64, id);
        }
    }
    let last = process.lock().types;
    // Later sessions find types of the program.
    _ = PREDEFINED_TYPES.compare_exchange(0, last, Ordering::Relaxed, Ordering::Relaxed);
    for p in &predefined::OPS {
        let h = handle(p);
        if h != 0 {
            let mut objects = process.lock();
            objects.ops += 1;
            process.ops.set(h as u64, objects.ops);
            process.file.define(&Definition::Op { id: objects.ops, name: p.name.into() });
        }
    }
}

/// `MPI_COMM_WORLD` and `MPI_COMM_SELF` get the ids 1 and 2.
pub fn register_world(process: &'static Process) {
    let c = &process.mpi.constants;
    let mut group = 0;
    if call::Comm_group(c.comm_world, &mut group) {
        process.lock().world_group = Some(narrow(process, group));
    }
    new_comm(process, c.comm_world, 0, 0, None);
    new_comm(process, c.comm_self, 0, 0, None);
    for (handle, name) in [(c.comm_world, "MPI_COMM_WORLD"), (c.comm_self, "MPI_COMM_SELF")] {
        let id = process.comms.id(handle as u64);
        let _guard = process.lock();
        process.file.define(&Definition::CommName { id, name: name.into() });
    }
}

/// A session's world: the process set `mpi://WORLD`. Returns this process's rank and the size.
pub fn register_session(process: &'static Process, session: usize) -> Option<(i32, i32)> {
    let mut group = 0;
    if !call::Group_from_session_pset(session, c"mpi://WORLD".as_ptr().cast(), &mut group) {
        return None;
    }
    let group = narrow(process, group);
    let (mut rank, mut size) = (-1, 0);
    let known = call::Group_rank(group, &mut rank) && call::Group_size(group, &mut size);
    let mut objects = process.lock();
    if objects.world_group.is_none() {
        objects.world_group = Some(group);
    }
    known.then_some((rank, size))
}

/// A handle written by the MPI into a zeroed word: MPICH writes only half of it.
fn narrow(process: &Process, word: usize) -> usize {
    if process.int_handles { word as u32 as usize } else { word }
}

/// Ranks of a group's members in the world, −1 for those outside of it.
pub fn world_ranks(process: &'static Process, group: usize) -> Option<Vec<i32>> {
    let mut size = 0;
    let world = process.lock().world_group?;
    if !call::Group_size(group, &mut size) {
        return None;
    }
    let ranks: Vec<i32> = (0..size).collect();
    let mut out = vec![-1; size.max(0) as usize];
    if size > 0 && !call::Group_translate_ranks(group, size, ranks.as_ptr(), world, out.as_mut_ptr()) {
        return None;
    }
    for rank in &mut out {
        *rank = (*rank).max(-1);
    }
    Some(out)
}

/// Members of a group as [`Comm`] has them. Where the communicator that it comes from has processes of other worlds, these are
/// named by their places there: who they are, whoever reads finds out from all processes together.
fn members(process: &'static Process, group: usize, parent: u32) -> Vec<i32> {
    let mut ranks = world_ranks(process, group).unwrap_or_default();
    let of = comm(parent).filter(|of| of.spans && process.config.check && process.comms.id(of.handle as u64) == parent);
    let Some(of) = of.filter(|_| ranks.contains(&-1)) else { return ranks };
    let mut peers = 0;
    let found = match of.remote_size > 0 {
        true => call::Comm_remote_group(of.handle, &mut peers),
        false => call::Comm_group(of.handle, &mut peers),
    };
    if !found {
        return ranks;
    }
    peers = narrow(process, peers);
    let (own, mut places) = ((0..ranks.len() as i32).collect::<Vec<i32>>(), vec![-1; ranks.len()]);
    if call::Group_translate_ranks(group, ranks.len() as i32, own.as_ptr(), peers, places.as_mut_ptr()) {
        for (rank, place) in ranks.iter_mut().zip(places).filter(|(rank, place)| **rank == -1 && *place >= 0) {
            *rank = defs::elsewhere(place as u32);
        }
    }
    call::Group_free(&mut peers);
    ranks
}

/// The same of a communicator that has its parent's members.
fn as_parent(group: &[Run]) -> Vec<Run> {
    let ranks = group.iter().copied().flat_map(Run::ranks).enumerate();
    let named = ranks.map(|(place, rank)| if rank < 0 { defs::elsewhere(place as u32) } else { rank });
    defs::runs(&named.collect::<Vec<i32>>())
}

/// Follows a new communicator. `pending` names the parent of one that is not complete yet
/// (`MPI_Comm_idup`): it may not be asked, but has its parent's members.
fn new_comm(process: &'static Process, handle: usize, created_by: u32, parent: u32, pending: Option<u32>) -> u32 {
    let mut d = Comm { created_by, parent, handle: handle as u64, rank: -1, ..Comm::default() };
    if let Some(source) = pending.and_then(comm) {
        (d.rank, d.size, d.remote_size) = (source.rank, source.size, source.remote_size);
        (d.group, d.remote_group) = match source.spans && process.config.check {
            true => (as_parent(&source.group), as_parent(&source.remote)),
            false => (source.group.clone(), source.remote.clone()),
        };
        (d.indegree, d.outdegree) = (source.indegree, source.outdegree);
    } else {
        call::Comm_rank(handle, &mut d.rank);
        call::Comm_size(handle, &mut d.size);
        let mut group = 0;
        if call::Comm_group(handle, &mut group) {
            group = narrow(process, group);
            d.group = defs::runs(&members(process, group, parent));
            call::Group_free(&mut group);
        }
        let mut inter = 0;
        if call::Comm_test_inter(handle, &mut inter) && inter != 0 && call::Comm_remote_group(handle, &mut group) {
            group = narrow(process, group);
            call::Group_size(group, &mut d.remote_size);
            d.remote_group = defs::runs(&members(process, group, parent));
            call::Group_free(&mut group);
        } else {
            topology(process, handle, &mut d);
        }
    }
    // The same on both sides of an intercommunicator.
    let (a, b) = (hash(&d.group), hash(&d.remote_group));
    d.membership = if d.remote_size > 0 { a ^ b } else { a };
    let mut objects = process.lock();
    let c = &process.mpi.constants;
    d.id = match handle {
        world if world == c.comm_world => 1,
        own if own == c.comm_self => 2,
        // A process that has only sessions does not register these two, and whoever reads knows them by their ids.
        _ => {
            objects.comms = objects.comms.max(2) + 1;
            objects.comms
        }
    };
    if d.id as usize >= LIMIT {
        return 0;
    }
    let ordinal = objects.ordinals.entry(d.membership).or_insert(0);
    d.ordinal = *ordinal;
    *ordinal += 1;
    let info = CommInfo {
        rank: d.rank,
        size: d.size,
        remote_size: d.remote_size,
        indegree: d.indegree,
        outdegree: d.outdegree,
        group: d.group.clone(),
        remote: d.remote_group.clone(),
        handle,
        // Ranks of a run go up or down.
        spans: (d.group.iter().chain(&d.remote_group)).any(|run| run.start < 0 || run.rank(run.count.max(1) - 1) < 0),
    };
    COMMS[d.id as usize].store(Box::into_raw(Box::new(info)), Ordering::Release);
    process.file.define(&Definition::Comm(d.clone()));
    process.comms.set(handle as u64, d.id);
    d.id
}

fn topology(process: &Process, handle: usize, d: &mut Comm) {
    let mut kind = 0;
    if !call::Topo_test(handle, &mut kind) {
        return;
    }
    let [cart, graph, dist] = process.mpi.constants.topologies;
    if kind == cart {
        let mut n = 0;
        if call::Cartdim_get(handle, &mut n) && (1..=64).contains(&n) {
            let mut lists = [[0i32; 64]; 3];
            let [dims, periods, coords] = &mut lists;
            if call::Cart_get(handle, n, dims.as_mut_ptr(), periods.as_mut_ptr(), coords.as_mut_ptr()) {
                d.dims = (0..n as usize).map(|i| (dims[i] as u32, periods[i] != 0, coords[i] as u32)).collect();
            }
        }
        d.topology = 1;
        (d.indegree, d.outdegree) = (2 * n as u32, 2 * n as u32);
    } else if kind == graph {
        let mut n = 0;
        call::Graph_neighbors_count(handle, d.rank, &mut n);
        d.topology = 2;
        (d.indegree, d.outdegree) = (n as u32, n as u32);
        let mut list = vec![0; n.clamp(0, defs::MOST_NEIGHBORS as i32) as usize];
        if n as usize == list.len() && call::Graph_neighbors(handle, d.rank, n, list.as_mut_ptr()) {
            (d.sources, d.destinations) = (defs::runs(&list), defs::runs(&list));
        }
    } else if kind == dist {
        let (mut into, mut out, mut weighted) = (0, 0, 0);
        call::Dist_graph_neighbors_count(handle, &mut into, &mut out, &mut weighted);
        d.topology = 3;
        (d.indegree, d.outdegree) = (into as u32, out as u32);
        let list = |n: i32| vec![0; n.clamp(0, defs::MOST_NEIGHBORS as i32) as usize];
        let (mut from, mut to, mut weights) = (list(into), list(out), [list(into), list(out)]);
        let [in_weights, out_weights] = &mut weights;
        if (into as usize, out as usize) == (from.len(), to.len())
            && call::Dist_graph_neighbors(
                handle,
                into,
                from.as_mut_ptr(),
                in_weights.as_mut_ptr(),
                out,
                to.as_mut_ptr(),
                out_weights.as_mut_ptr(),
            )
        {
            (d.sources, d.destinations) = (defs::runs(&from), defs::runs(&to));
        }
    }
}

fn hash(group: &[Run]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for rank in group.iter().copied().flat_map(Run::ranks) {
        // Processes of other worlds are alike.
        h = (h ^ rank.max(-1) as u32 as u64).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
    h
}

fn new_type(process: &'static Process, handle: usize, plan: &CallPlan, parent: u32, args: Args) -> u32 {
    let created_by = plan.function;
    let (mut size, mut small) = (0i64, 0i32);
    if !call::Type_size_x(handle, &mut size) {
        call::Type_size(handle, &mut small);
        size = small.into();
    }
    let (mut lower_bound, mut extent, mut true_lower_bound, mut true_extent) = (0, 0, 0, 0);
    call::Type_get_extent(handle, &mut lower_bound, &mut extent);
    // An answer for every datatype, committed or not, as those before (MPI-5.0 §5.1.8).
    call::Type_get_true_extent(handle, &mut true_lower_bound, &mut true_extent);
    let size = size.max(0) as u64;
    let mut layout = Layout {
        lower_bound: lower_bound as i64,
        true_lower_bound: true_lower_bound as i64,
        true_extent: true_extent as i64,
        // SAFETY: arguments of the call that made the datatype.
        ..unsafe { constructors::layout(plan, parent, args) }
    };
    // SAFETY: as above.
    let map = process.config.check.then(|| unsafe { check::type_map(process, plan, args) });
    let mut objects = process.lock();
    if objects.types >= MOST_LAYOUTS {
        layout = Layout::default();
    }
    let key = (created_by, size, extent as i64, layout);
    let mapped = map.as_ref().map(|map| {
        let mut words = words_of(map);
        if map.cut {
            // What is not known is like nothing else.
            words.push(objects.types.into());
        }
        (extent as i64, true_lower_bound as i64, words)
    });
    let known = match &mapped {
        Some(mapped) => objects.maps.get(mapped).copied(),
        None => objects.layouts.get(&key).copied(),
    };
    let id = known.unwrap_or_else(|| {
        objects.types += 1;
        let id = objects.types;
        match mapped {
            Some(mapped) => drop(objects.maps.insert(mapped, id)),
            None => drop(objects.layouts.insert(key, id)),
        }
        process.file.define(&Definition::Datatype {
            id,
            size,
            extent: extent as i64,
            // Follows from the function that made it. Asking (MPI_Type_get_envelope) is an error, and
            // so perhaps the program's end, for types made by large-count constructors.
            combiner: -1,
            created_by,
            name: String::new(),
        });
        if layout != Layout::default() {
            process.file.define(&Definition::Layout { id, layout });
        }
        if let Some(map) = map {
            process.file.define(&Definition::TypeMap { id, map });
        }
        id
    });
    if (id as usize) < LIMIT {
        TYPE_SIZES[id as usize].store(size, Ordering::Relaxed);
        TYPE_EXTENTS[id as usize].store(extent as i64, Ordering::Relaxed);
        process.types.set(handle as u64, id);
    }
    id
}

/// A type map as a key.
fn words_of(map: &TypeMap) -> Vec<i64> {
    let head = [map.repeat as i64, map.stride_bytes, map.cut.into()];
    let blocks = map.blocks.iter().flat_map(|b| [b.displacement_bytes, b.count as i64, b.datatype.into()]);
    head.into_iter().chain(blocks).collect()
}

/// An object that a successful call has made. `word` is the argument that received the handle.
#[cold]
#[inline(never)]
pub unsafe fn made(process: &'static Process, call: &mut Call, step: u8, word: u64, args: Args, fortran: bool) {
    if word == 0 {
        return;
    }
    if step == kind::NEW_GROUP {
        // SAFETY: the library has just written a handle there.
        return groups::forget(process, unsafe { decode::stored_handle(process, word, 0, fortran) });
    }
    let int = process.int_handles;
    // SAFETY: the library has just written a handle there.
    let raw = unsafe { if fortran || int { u64::from(*(word as *const u32)) } else { *(word as *const u64) } };
    let class = match step {
        kind::NEW_COMM => "Comm",
        kind::NEW_TYPE => "Type",
        kind::NEW_WINDOW => "Win",
        kind::NEW_FILE => "File",
        _ => "Op",
    };
    let handle = if fortran { mpi::from_fortran(class, raw as u32 as i32) } else { raw as usize };
    let w = &mut call.words;
    let c = &process.mpi.constants;
    let made = match step {
        kind::NEW_COMM => {
            if handle == c.comm_null || handle == 0 {
                return;
            }
            let known = process.comms.id(handle as u64);
            // MPI_Comm_get_parent and the like return what is known.
            if known != 0 && call.plan.function == id::Comm_get_parent {
                known
            } else {
                let pending = matches!(call.plan.function, id::Comm_idup | id::Comm_idup_with_info);
                new_comm(process, handle, call.plan.function, w.comm, pending.then_some(w.comm))
            }
        }
        kind::NEW_TYPE => {
            if handle == c.datatype_null || handle == 0 {
                return;
            }
            // MPI_File_get_view, MPI_Type_match_size and the like give out predefined ones.
            match process.types.id(handle as u64) {
                known if is_predefined_type(known) => known,
                _ => new_type(process, handle, call.plan, w.datatype, args),
            }
        }
        kind::NEW_OP => {
            let mut objects = process.lock();
            objects.ops += 1;
            process.ops.set(handle as u64, objects.ops);
            process.file.define(&Definition::Op { id: objects.ops, name: format!("user {}", objects.ops) });
            objects.ops
        }
        kind::NEW_WINDOW => {
            let mut objects = process.lock();
            objects.windows += 1;
            let id = objects.windows;
            // SAFETY: arguments of the call that made the window.
            let (size, disp_unit) = unsafe { constructors::window(call.plan, args) };
            process.windows.set(handle as u64, id);
            if let Some(slot) = WINDOW_COMMS.get(id as usize) {
                slot.store(w.comm, Ordering::Relaxed);
            }
            process.file.define(&Definition::Window {
                id,
                comm: w.comm,
                created_by: call.plan.function,
                size,
                disp_unit,
            });
            id
        }
        kind::NEW_FILE => {
            let mut objects = process.lock();
            objects.files += 1;
            process.files.set(handle as u64, objects.files);
            process.file.define(&Definition::File { id: objects.files, comm: w.comm, amode: 0, name: String::new() });
            objects.files
        }
        _ => return,
    };
    if fortran && !int {
        let alias = decode::fortran_handle(false, raw as u32);
        let _guard = process.lock();
        match step {
            kind::NEW_COMM => process.comms.set(alias, made),
            kind::NEW_TYPE => process.types.set(alias, made),
            kind::NEW_WINDOW => process.windows.set(alias, made),
            kind::NEW_FILE => process.files.set(alias, made),
            _ => process.ops.set(alias, made),
        }
    }
    w.new_object = made;
    w.flags |= flag::NEW_OBJECT;
}

/// Forgets the handle that a successful call has freed.
#[cold]
#[inline(never)]
pub fn freed(process: &'static Process, call: &Call) {
    let handle = call.words.freed;
    if handle == 0 {
        return;
    }
    if call.plan.function == id::Group_free {
        return groups::forget(process, handle);
    }
    crate::call_plan::next_epoch();
    let _guard = process.lock();
    match call.plan.function {
        id::Comm_free | id::Comm_disconnect => process.comms.set(handle, 0),
        id::Type_free => process.types.set(handle, 0),
        id::Win_free => process.windows.set(handle, 0),
        id::File_close => process.files.set(handle, 0),
        id::Op_free => process.ops.set(handle, 0),
        _ => {}
    }
}
