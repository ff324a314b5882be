//! Shapes of one thread as rows that can be added up without considering their flags.

use std::collections::BTreeMap;

use mpiscope_abi::spec::{Flow, attribute};
use mpiscope_trace::Shape;
use mpiscope_trace::annotation::is_annotation;
use mpiscope_trace::reader::{ThreadView, TickClock};
use mpiscope_trace::shape::flag;

use crate::size_bins::bin_of;

/// A number of calls with the same properties as far as a summary distinguishes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Function id.
    pub function: u32,
    /// Local site id, 0 unknown.
    pub site: u32,
    /// Local communicator id, 0 none.
    pub comm: u32,
    /// Local id of the innermost region, 0 none.
    pub region: u32,
    /// World rank sent to.
    pub to: Option<i32>,
    /// World rank received from.
    pub from: Option<i32>,
    /// World rank in the arguments of a call that moves no data itself (probes, locks).
    pub about: Option<i32>,
    /// Calls.
    pub calls: u64,
    /// Sum of durations, ns.
    pub time_ns: u64,
    /// Shortest, ns.
    pub min_ns: u64,
    /// Longest, ns.
    pub max_ns: u64,
    /// Payload sent.
    pub bytes_sent: u64,
    /// Payload received.
    pub bytes_received: u64,
    /// Size bin of a single call; `None` if it moves no payload or sizes differ.
    pub bin: Option<u8>,
    /// Whether it moves payload at all.
    pub payload: bool,
    /// Requests started and completed.
    pub started: u64,
    /// See `started`.
    pub completed: u64,
    /// Calls that returned an error.
    pub failed: u64,
}

impl Cell {
    /// Payload sent, or received by a call that only receives.
    pub fn bytes(&self) -> u64 {
        if self.bytes_sent > 0 { self.bytes_sent } else { self.bytes_received }
    }
}

/// The data that a shape's calls moved: `calls × bytes` if all are equal, otherwise the sums. Starts of persistent requests have
/// only sums.
fn moved(shape: &Shape) -> (u64, u64) {
    if shape.flags & (flag::COARSE | flag::INLINE | flag::SUMMARY_ONLY) != 0 {
        (shape.sum_bytes_out, shape.sum_bytes_in)
    } else {
        let all = |each: u64, sum: u64| shape.calls.saturating_mul(each).saturating_add(sum);
        (all(shape.bytes_out, shape.sum_bytes_out), all(shape.bytes_in, shape.sum_bytes_in))
    }
}

fn rank(world: i32) -> Option<i32> {
    (world >= 0).then_some(world)
}

/// Whether a call waits for its rank argument although it moves no data; `MPI_Cart_coords` does not.
fn concerns_peer(function: u32) -> bool {
    mpiscope_abi::groups(function).iter().any(|group| ["mpi_probe", "mpi_rma", "mpi_pt2pt"].contains(group))
}

/// One shape with its own statistics.
fn cell(shape: &Shape, clock: &TickClock) -> Cell {
    let function = mpiscope_abi::function(shape.function);
    let flow = function.map_or(Flow::None, |f| f.flow);
    // Making a persistent request moves nothing yet.
    let persistent = function.is_some_and(|f| f.is(attribute::PERSISTENT));
    let (bytes_sent, bytes_received) = if persistent { (0, 0) } else { moved(shape) };
    let mut cell = Cell {
        function: shape.function,
        site: shape.site,
        comm: shape.comm,
        region: shape.region,
        calls: shape.calls,
        time_ns: clock.duration_ns(shape.ticks),
        min_ns: if shape.min_ticks == u64::MAX { 0 } else { clock.duration_ns(shape.min_ticks) },
        max_ns: clock.duration_ns(shape.max_ticks),
        bytes_sent,
        bytes_received,
        payload: flow != Flow::None && !persistent || bytes_sent > 0 || bytes_received > 0,
        failed: if shape.rc != 0 { shape.calls } else { 0 },
        ..Cell::default()
    };
    // `sum_requests` counts the requests in a call's arguments, whatever it does with them.
    match function {
        Some(f) if f.is(attribute::COMPLETES) => cell.completed = shape.sum_requests,
        Some(f) if f.is(attribute::STARTS) => cell.started = shape.sum_requests,
        _ if shape.flags & flag::REQUEST != 0 && !persistent => cell.started = shape.calls,
        _ => {}
    }
    if cell.payload && shape.flags & (flag::COARSE | flag::INLINE) == 0 && shape.calls > 0 {
        // The split contains its bin: `count` is the bin's smallest size.
        let is_split = shape.flags & flag::SUMMARY_ONLY != 0;
        cell.bin = Some(bin_of(if is_split { shape.count } else { cell.bytes() / shape.calls }));
    }
    let (peer, peer2) = (rank(shape.world_peer), rank(shape.world_peer2));
    match flow {
        _ if persistent => {}
        Flow::Send | Flow::PartitionedSend => cell.to = peer,
        Flow::Receive | Flow::PartitionedReceive => cell.from = peer,
        Flow::SendReceive | Flow::Exchange if peer2.is_some() => (cell.to, cell.from) = (peer, peer2),
        Flow::SendReceive | Flow::Exchange => (cell.to, cell.from) = (peer, peer),
        // Start of a persistent request, or a collective with a rank argument: the moved data decides.
        _ if bytes_sent > 0 && peer.is_some() => cell.to = peer,
        _ if bytes_received > 0 && peer.is_some() => cell.from = peer,
        _ if concerns_peer(shape.function) => cell.about = peer,
        _ => {}
    }
    cell
}

/// The part of an inline shape that its detailed split does not contain.
#[derive(Default)]
struct Group {
    inline: Cell,
    split: Cell,
    comms: Vec<u32>,
}

fn add(to: &mut Cell, from: &Cell) {
    to.calls = to.calls.saturating_add(from.calls);
    to.time_ns = to.time_ns.saturating_add(from.time_ns);
    to.bytes_sent = to.bytes_sent.saturating_add(from.bytes_sent);
    to.bytes_received = to.bytes_received.saturating_add(from.bytes_received);
    to.completed = to.completed.saturating_add(from.completed);
    to.started = to.started.saturating_add(from.started);
    to.failed = to.failed.saturating_add(from.failed);
    to.max_ns = to.max_ns.max(from.max_ns);
    to.payload |= from.payload;
}

/// Rows that add up to the statistics of a thread.
///
/// Calls whose arguments are in each record share one INLINE shape; SUMMARY_ONLY shapes of the same function and site split
/// them by size and peer. Only the split is counted, and of the INLINE shape what the split lacks (if a table was full).
pub fn cells(thread: &ThreadView, clock: &TickClock) -> Vec<Cell> {
    let mut groups: BTreeMap<(u32, u32, u32), Group> = BTreeMap::new();
    let mut found = Vec::new();
    let mut split = Vec::new();
    for shape in thread.shapes.iter().filter(|s| s.function != 0 && !is_annotation(s.function)) {
        let one = cell(shape, clock);
        let is_split = shape.flags & flag::SUMMARY_ONLY != 0;
        if !is_split && shape.flags & flag::INLINE == 0 {
            found.push(one);
            continue;
        }
        let group = groups.entry((shape.function, shape.site, shape.region)).or_default();
        if shape.comm != 0 && !group.comms.contains(&shape.comm) {
            group.comms.push(shape.comm);
        }
        if is_split {
            add(&mut group.split, &one);
            split.push(one);
        } else {
            if group.inline.calls == 0 {
                (group.inline.function, group.inline.site) = (one.function, one.site);
                group.inline.region = one.region;
                group.inline.min_ns = one.min_ns;
            }
            group.inline.min_ns = group.inline.min_ns.min(one.min_ns);
            add(&mut group.inline, &one);
        }
    }
    for mut one in split {
        if let (0, Some(Group { comms, .. })) = (one.comm, groups.get(&(one.function, one.site, one.region)))
            && let [only] = comms[..]
        {
            one.comm = only;
        }
        found.push(one);
    }
    for Group { inline, split, comms } in groups.into_values() {
        if inline.calls > split.calls {
            found.push(remainder(inline, &split, &comms));
        }
    }
    found.retain(|c| c.calls > 0);
    found
}

fn remainder(inline: Cell, split: &Cell, comms: &[u32]) -> Cell {
    Cell {
        comm: if let [only] = comms { *only } else { 0 },
        calls: inline.calls - split.calls,
        time_ns: inline.time_ns.saturating_sub(split.time_ns),
        bytes_sent: inline.bytes_sent.saturating_sub(split.bytes_sent),
        bytes_received: inline.bytes_received.saturating_sub(split.bytes_received),
        completed: inline.completed.saturating_sub(split.completed),
        started: inline.started.saturating_sub(split.started),
        failed: inline.failed.saturating_sub(split.failed),
        bin: None,
        ..inline
    }
}
