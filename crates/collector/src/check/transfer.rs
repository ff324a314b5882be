//! What a call reads and writes on this process: buffer, count and datatype of its two sides.

use mpiscope_abi::role::{Mode, Role};
use mpiscope_abi::spec::{attribute, param_flag};
use mpiscope_abi::{Flow, Param, id};
use mpiscope_trace::check::event::{Data, Part};

use super::types::TypeInfo;
use super::view::{Buffer, Slot, View};
use crate::objects::{self, CommInfo};

/// One side of a transfer.
#[derive(Clone, Default)]
pub struct Side {
    /// The buffer argument.
    pub param: Option<&'static Param>,
    /// Address of the buffer.
    pub buffer: Buffer,
    /// Number of elements; with a count for each process, their sum.
    pub count: u64,
    /// How many blocks of `count` elements the buffer has.
    pub times: u64,
    /// Id of the datatype.
    pub datatype: u32,
    /// Counts and datatypes for each process, if the call has arrays of them.
    pub counts: Vec<u64>,
    /// See `counts`.
    pub datatypes: Vec<u32>,
    /// Pieces of the buffer for each process, in bytes from its address.
    pub pieces: Vec<(i64, i64)>,
    /// The call writes into the buffer.
    pub writes: bool,
    /// The bytes from the lowest to the highest one, relative to the address.
    pub span: (i64, i64),
    /// Its pieces have no gaps.
    pub dense: bool,
    /// Each of its pieces is in a single array.
    pub of_arrays: bool,
}

impl Side {
    /// As data of an event.
    pub fn data(&self) -> Data {
        Data { address: self.buffer.address, count: self.count, datatype: self.datatype }
    }
    /// As data of a collective event.
    pub fn part(&self) -> Part {
        Part::new(self.data(), self.counts.clone(), self.datatypes.clone())
    }
}

/// The position of a call in its communicator.
pub struct CommPosition {
    /// Id of the communicator; 0 if unknown.
    pub id: u32,
    /// The communicator's properties, if known.
    pub info: Option<&'static CommInfo>,
    /// The root argument.
    pub root: Option<i64>,
    /// This process is the root.
    pub at_root: bool,
}

impl CommPosition {
    /// The position of a call; `other` is the communicator of its window or file.
    pub fn from_view(view: &View<'_>, other: u32) -> CommPosition {
        let own = view.param(Slot::Comm).and_then(|p| view.handle(p));
        let id = own.map_or(other, |handle| view.process.comms.id(handle));
        let info = objects::comm(id);
        let root = view.number(Slot::Root);
        let at_root = match (info, root) {
            (Some(comm), Some(root)) if comm.remote_size > 0 => root == i64::from(view.process.mpi.constants.root),
            (Some(comm), Some(root)) => root == i64::from(comm.rank),
            _ => false,
        };
        CommPosition { id, info, root, at_root }
    }

    /// In an intercommunicator, a process that transfers nothing.
    pub fn is_idle(&self, view: &View<'_>) -> bool {
        self.info.is_some_and(|c| c.remote_size > 0) && self.root == Some(view.process.mpi.constants.proc_null.into())
    }

    /// Number of pieces of a side: one for each process or neighbour.
    pub fn pieces(&self, view: &View<'_>, receives: bool) -> Option<usize> {
        let comm = self.info?;
        let n = if view.plan.facts.is(attribute::NEIGHBOR) {
            if receives { comm.indegree } else { comm.outdegree }
        } else if comm.remote_size > 0 && view.plan.facts.flow != Flow::ReduceScatter {
            comm.remote_size as u32
        } else {
            comm.size as u32
        };
        Some(n as usize)
    }
}

/// Whether `MPI_IN_PLACE` replaces the send side or the receive side, so that its counts and datatypes are ignored.
pub fn replaced(view: &View<'_>, slot: Slot) -> bool {
    use Flow as F;
    let flow = view.plan.facts.flow;
    let buffer = |slot| view.param(slot).is_some_and(|p| view.buffer(p).in_place);
    match slot {
        Slot::Buffer => {
            matches!(
                flow,
                F::Gather | F::GatherV | F::Allgather | F::AllgatherV | F::Alltoall | F::AlltoallV | F::AlltoallW
            ) && buffer(Slot::Buffer)
        }
        Slot::ReceiveBuffer => matches!(flow, F::Scatter | F::ScatterV) && buffer(Slot::ReceiveBuffer),
        _ => false,
    }
}

/// The sides of a call that are significant on this process: send side and receive side.
pub fn transfer_sides(view: &View<'_>, place: &CommPosition, types: &[TypeInfo]) -> (Option<Side>, Option<Side>) {
    use Flow as F;
    let plan = view.plan;
    let flow = plan.facts.flow;
    let nothing = view.process.mpi.constants.proc_null;
    let peer = |slot| view.number(slot).map(|n| n as i32);
    let maker = Maker { view, place, types };
    if place.is_idle(view) {
        return (None, None);
    }
    let rooted = place.root.is_some();
    let inter = place.info.is_some_and(|c| c.remote_size > 0);
    let p = place.pieces(view, false).unwrap_or(0) as u64;
    let q = place.pieces(view, true).unwrap_or(0) as u64;
    let own = |times| maker.plain(Slot::Buffer, Slot::Count, Slot::Type, times, false);
    let got = |times| maker.plain(Slot::ReceiveBuffer, Slot::ReceiveCount, Slot::ReceiveType, times, true);
    // One count and datatype for both buffers.
    let shared = |times| maker.plain(Slot::ReceiveBuffer, Slot::Count, Slot::Type, times, true);
    match flow {
        F::None => (None, None),
        _ if matches!(plan.role, Role::Access) => {
            let reads = matches!(plan.base, id::Get | id::Rget);
            let mut origin = own(1);
            if matches!(plan.base, id::Fetch_and_op | id::Compare_and_swap) {
                origin = maker.single(Slot::Buffer, false);
                return (origin, maker.single(Slot::ReceiveBuffer, true));
            }
            if reads {
                if let Some(side) = &mut origin {
                    side.writes = true;
                }
                return (None, origin);
            }
            (origin, got(1))
        }
        F::Send | F::PartitionedSend => {
            (if peer(Slot::Peer) == Some(nothing) { None } else { own(maker.partitions()) }, None)
        }
        F::Receive | F::PartitionedReceive => {
            let mut side = if peer(Slot::Peer) == Some(nothing) { None } else { own(maker.partitions()) };
            if let Some(side) = &mut side {
                side.writes = true;
            }
            (None, side)
        }
        F::SendReceive => (
            if peer(Slot::Peer) == Some(nothing) { None } else { own(1) },
            if peer(Slot::Source) == Some(nothing) { None } else { got(1) },
        ),
        F::Exchange => {
            let side = own(1);
            let mut other = side.clone();
            if let Some(other) = &mut other {
                other.writes = true;
            }
            (side.filter(|_| peer(Slot::Peer) != Some(nothing)), other.filter(|_| peer(Slot::Source) != Some(nothing)))
        }
        F::Broadcast => {
            let mut side = own(1);
            if place.at_root {
                return (side, None);
            }
            if let Some(side) = &mut side {
                side.writes = true;
            }
            (None, side)
        }
        F::Gather | F::GatherV => {
            let gives = (!inter || !place.at_root).then(|| own(1)).flatten();
            let gets = place.at_root.then(|| if flow == F::Gather { got(q) } else { maker.list(true) }).flatten();
            (gives, gets)
        }
        F::Scatter | F::ScatterV => {
            let gives = place.at_root.then(|| if flow == F::Scatter { own(p) } else { maker.list(false) }).flatten();
            let gets = (!inter || !place.at_root).then(|| got(1)).flatten();
            (gives, gets)
        }
        F::Reduce => {
            let gives = (!inter || !place.at_root).then(|| own(1)).flatten();
            (gives, place.at_root.then(|| shared(1)).flatten())
        }
        F::Allreduce => (own(1), shared(1)),
        F::ReduceScatter => {
            let rank = place.info.map_or(0, |c| c.rank.max(0) as usize);
            let counts: Vec<u64> = view
                .param(Slot::ReceiveCount)
                .map(|param| (0..q as usize).filter_map(|i| view.element(param, i)).map(|n| n.max(0) as u64).collect())
                .unwrap_or_default();
            let mine = counts.get(rank).copied().unwrap_or(0);
            let total = counts.iter().sum();
            let mut gives = maker.counted(Slot::Buffer, total, Slot::Type, 1, false);
            if let Some(side) = &mut gives {
                side.counts = counts;
            }
            (gives, maker.counted(Slot::ReceiveBuffer, mine, Slot::Type, 1, true))
        }
        F::ReduceScatterBlock => {
            let count = view.number(Slot::ReceiveCount).unwrap_or(0).max(0) as u64;
            let n = place.info.map_or(0, |c| c.size.max(0) as u64);
            (
                maker.counted(Slot::Buffer, count, Slot::Type, n, false),
                maker.counted(Slot::ReceiveBuffer, count, Slot::Type, 1, true),
            )
        }
        F::Allgather => {
            // A neighbour gets what all of them get.
            (own(1), got(q))
        }
        F::AllgatherV => (own(1), maker.list(true)),
        F::Alltoall => (own(p), got(q)),
        F::AlltoallV | F::AlltoallW => (maker.list(false), maker.list(true)),
    }
    .without_replaced(view, rooted)
}

/// The compare buffer of `MPI_Compare_and_swap`.
pub fn compared(view: &View<'_>, place: &CommPosition, types: &[TypeInfo]) -> Option<Side> {
    let param = view.plan.named("compare_addr")?;
    Some(Maker { view, place, types }.elements(param, 1, Slot::Type, 1, false))
}

trait Sides {
    fn without_replaced(self, view: &View<'_>, rooted: bool) -> Self;
}

impl Sides for (Option<Side>, Option<Side>) {
    /// With `MPI_IN_PLACE`, the data are in the other buffer.
    fn without_replaced(self, view: &View<'_>, _rooted: bool) -> Self {
        // Most calls have nothing of the kind.
        if !replaced(view, Slot::Buffer) && !replaced(view, Slot::ReceiveBuffer) {
            return self;
        }
        let (gives, gets) = self;
        (gives.filter(|_| !replaced(view, Slot::Buffer)), gets.filter(|_| !replaced(view, Slot::ReceiveBuffer)))
    }
}

struct Maker<'a> {
    view: &'a View<'a>,
    place: &'a CommPosition,
    types: &'a [TypeInfo],
}

impl Maker<'_> {
    fn partitions(&self) -> u64 {
        self.view.number(Slot::Partitions).map_or(1, |n| n.max(0) as u64)
    }

    fn info(&self, datatype: u32) -> TypeInfo {
        self.types.get(datatype as usize).copied().unwrap_or_default()
    }

    fn datatype(&self, slot: Slot) -> u32 {
        let handle = self.view.param(slot).and_then(|p| self.view.handle(p));
        handle.map_or(0, |handle| self.view.process.types.id(handle))
    }

    fn plain(&self, buffer: Slot, count: Slot, datatype: Slot, times: u64, writes: bool) -> Option<Side> {
        let count = self.view.number(count)?.max(0) as u64;
        self.counted(buffer, count, datatype, times, writes)
    }

    /// A side of exactly one element of the call's datatype.
    fn single(&self, buffer: Slot, writes: bool) -> Option<Side> {
        self.counted(buffer, 1, Slot::Type, 1, writes)
    }

    fn counted(&self, buffer: Slot, count: u64, datatype: Slot, times: u64, writes: bool) -> Option<Side> {
        Some(self.elements(self.view.param(buffer)?, count, datatype, times, writes))
    }

    fn elements(&self, param: &'static Param, count: u64, datatype: Slot, times: u64, writes: bool) -> Side {
        let datatype = self.datatype(datatype);
        let info = self.info(datatype);
        let span = info.span(count.saturating_mul(times));
        Side {
            param: Some(param),
            buffer: self.view.buffer(param),
            count,
            times,
            datatype,
            writes,
            span,
            dense: info.is_dense(),
            of_arrays: info.is_in_one_piece(),
            ..Side::default()
        }
    }

    /// A side with a count for each process.
    fn list(&self, receives: bool) -> Option<Side> {
        let view = self.view;
        let (buffer, count, datatype, displacements) = if receives {
            (Slot::ReceiveBuffer, Slot::ReceiveCount, Slot::ReceiveType, Slot::ReceiveDisplacements)
        } else {
            (Slot::Buffer, Slot::Count, Slot::Type, Slot::Displacements)
        };
        let (buffer, count, types) = (view.param(buffer)?, view.param(count)?, view.param(datatype)?);
        let displacements = view.param(displacements)?;
        let n = self.place.pieces(view, receives)?;
        let mut side = Side {
            param: Some(buffer),
            buffer: view.buffer(buffer),
            times: 1,
            writes: receives,
            dense: true,
            of_arrays: true,
            ..Side::default()
        };
        let each = types.is(param_flag::ARRAY);
        let all = if each { 0 } else { self.datatype(datatype) };
        side.datatype = all;
        let array = view.word(types).unwrap_or(0);
        for i in 0..n {
            let count = view.element(count, i)?.max(0) as u64;
            let place = view.element(displacements, i)?;
            let datatype = if each { view.process.types.id(view.stored(types, array, i)?) } else { all };
            let info = self.info(datatype);
            let begin = if each { place } else { place.saturating_mul(info.extent) };
            let (low, high) = info.span(count);
            if high > low {
                let piece = (begin.saturating_add(low), begin.saturating_add(high));
                side.span = match side.pieces.is_empty() {
                    true => piece,
                    false => (side.span.0.min(piece.0), side.span.1.max(piece.1)),
                };
                side.pieces.push(piece);
            }
            side.dense &= count == 0 || info.is_dense();
            side.of_arrays &= count == 0 || info.is_in_one_piece();
            side.count = side.count.saturating_add(count);
            side.counts.push(count);
            if each {
                side.datatypes.push(datatype);
            }
        }
        Some(side)
    }
}

/// The send mode, as in events.
pub fn mode(mode: Mode) -> u64 {
    use mpiscope_trace::check::event::mode as m;
    match mode {
        Mode::Standard => m::STANDARD,
        Mode::Buffered => m::BUFFERED,
        Mode::Synchronous => m::SYNCHRONOUS,
        Mode::Ready => m::READY,
    }
}
