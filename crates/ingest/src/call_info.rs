//! Converts shapes to facts: local ids become ids of the run.

use mpiscope_abi::constants::{self, Constants};
use mpiscope_abi::role::{Role, is_persistent, makes_request, role};
use mpiscope_abi::spec::attribute;
use mpiscope_run::Rank;
use mpiscope_store::{CallInfo, CommId, Detail, GroupId, RankId, RegionId, SiteId, flags};
use mpiscope_trace::reader::ThreadView;
use mpiscope_trace::shape::{NONE, Shape, flag, inline};
use mpiscope_trace::varint::unzigzag;
use mpiscope_trace::{Event, defs};

use crate::comms::Comms;
use crate::dimensions::Local;

/// The meaning of a rank's ids and numbers.
pub(crate) struct Meaning<'a> {
    pub at: usize,
    pub rank: &'a Rank,
    pub comms: &'a Comms,
    pub local: &'a Local,
}

/// Constants of the family that a rank's file names.
pub(crate) fn constants(rank: &Rank) -> &'static Constants {
    match rank.header.family {
        2 => &constants::OPEN_MPI,
        3 => &constants::STANDARD,
        _ => &constants::MPICH,
    }
}

impl Meaning<'_> {
    /// What calls have in common, for all shapes of a thread.
    pub fn of_thread(&self, thread: &ThreadView) -> Vec<CallInfo> {
        thread.shapes.iter().map(|shape| self.info_of_shape(shape)).collect()
    }

    /// What calls with this shape have in common.
    pub fn info_of_shape(&self, shape: &Shape) -> CallInfo {
        let function = mpiscope_abi::function(shape.function);
        let role = if function.is_some() { role(shape.function) } else { Role::Local };
        let mut bits = 0;
        for (bit, is_set) in [
            (flags::NON_BLOCKING, makes_request(shape.function) && !is_persistent(shape.function)),
            (flags::MAKES_PERSISTENT, is_persistent(shape.function)),
            (flags::POLL, shape.flags & flag::POLL != 0),
            (flags::ASKS, function.is_some_and(|f| f.is(attribute::POLLS))),
            (flags::FAILED, shape.rc != 0),
            (flags::SPELLED, shape.flags & flag::INLINE != 0),
            (flags::IN_PLACE, shape.flags & flag::IN_PLACE != 0),
            (flags::PARTITIONED, mpiscope_abi::groups(shape.function).contains(&"mpi_partitioned")),
        ] {
            bits |= if is_set { bit } else { 0 };
        }
        let c = constants(self.rank);
        let source = if role == Role::SendReceive { shape.peer2 } else { shape.peer };
        if takes(role) && source == c.any_source {
            bits |= flags::ANY_SOURCE;
        }
        let tag = if role == Role::SendReceive { shape.tag2 } else { shape.tag };
        if takes(role) && tag == c.any_tag {
            bits |= flags::ANY_TAG;
        }
        CallInfo {
            function: shape.function,
            role,
            flags: bits,
            comm: self.comm_of(shape),
            peer: self.comms.process(self.at, shape.world_peer),
            peer2: self.comms.process(self.at, shape.world_peer2),
            tag: if role != Role::SendReceive && shape.res_tag != NONE { shape.res_tag } else { shape.tag },
            tag2: if role == Role::SendReceive && shape.res_tag != NONE { shape.res_tag } else { shape.tag2 },
            root: if shape.root == NONE { RankId::NONE } else { self.member(shape.comm, shape.root) },
            bytes_sent: shape.bytes_out,
            bytes_received: shape.bytes_in,
            count: shape.count,
            datatype: shape.datatype,
            op: shape.op,
            window: shape.window,
            file: shape.file,
            group: self.local.groups.get(&shape.group).copied().unwrap_or(GroupId::NONE),
            site: self.local.sites.get(&shape.site).copied().unwrap_or(SiteId(0)),
            region: self.local.regions.get(&shape.region).copied().unwrap_or(RegionId::NONE),
            // A split of what other shapes count already.
            calls: if shape.flags & flag::SUMMARY_ONLY != 0 { 0 } else { shape.calls },
            time_ns: if shape.flags & flag::SUMMARY_ONLY != 0 { 0 } else { self.rank.clock.duration_ns(shape.ticks) },
        }
    }

    /// A call's communicator; that of its window or file when it has none itself.
    fn comm_of(&self, shape: &Shape) -> CommId {
        let of_file = || self.rank.defs.files.get(&shape.file).map(|f| f.comm);
        let of_window = || self.rank.defs.windows.get(&shape.window).map(|w| w.comm);
        let id = if shape.comm != 0 { Some(shape.comm) } else { of_window().or_else(of_file) };
        id.map_or(CommId::NONE, |id| self.comms.number(self.at, id))
    }

    /// The process with rank `member` in the group that a call names ranks of.
    fn member(&self, comm: u32, member: i32) -> RankId {
        let Some(comm) = self.rank.defs.comms.get(&comm) else { return RankId::NONE };
        // MPI_ROOT: this process itself. The other members of its group say MPI_PROC_NULL.
        if comm.remote_size > 0 && member == constants(self.rank).root {
            return RankId(self.at as u32);
        }
        let group = if comm.remote_size > 0 { &comm.remote_group } else { &comm.group };
        defs::world_rank(group, member).map_or(RankId::NONE, |world| self.comms.process(self.at, world))
    }

    /// The peer of a call, from its shape.
    pub fn envelope(&self, shape: &Shape) -> Envelope {
        let has_result = shape.flags & flag::HAS_RESULT != 0;
        self.named(shape, Named::of(shape), has_result.then_some((shape.res_source, shape.res_tag)))
    }

    /// The peer of a call whose arguments are in the record, and these arguments.
    pub fn inlined(&self, shape: &Shape, facts: &CallInfo, event: &Event) -> (Envelope, Detail) {
        let mut values = event.inline.iter().copied();
        let mut next = |bit: u32| if shape.inline_mask & bit != 0 { values.next() } else { None };
        let signed = |value: Option<u64>| value.map_or(NONE, |v| unzigzag(v) as i32);
        let count = next(inline::COUNT).unwrap_or(0);
        next(inline::COUNT2);
        let named = Named {
            peer: signed(next(inline::PEER)),
            peer2: signed(next(inline::PEER2)),
            tag: signed(next(inline::TAG)),
            tag2: signed(next(inline::TAG2)),
        };
        let result = (shape.inline_mask & inline::RESULT != 0).then(|| {
            // Relative to what was posted.
            let (source, tag) = if named.peer2 != NONE { (named.peer2, named.tag2) } else { (named.peer, named.tag) };
            let mut from = |posted: i32| {
                let base = if posted == NONE { 0 } else { posted };
                base.wrapping_add(values.next().map_or(0, unzigzag) as i32)
            };
            let result = (from(source), from(tag));
            values.next();
            result
        });
        let bytes = (values.next().unwrap_or(0), values.next().unwrap_or(0));
        let envelope = self.named(shape, named, result);
        let both = facts.role == Role::SendReceive;
        let tag_from = envelope.tag_from.unwrap_or(named.tag);
        let detail = Detail {
            peer: if takes(facts.role) && !both { envelope.from.rank() } else { envelope.to.rank() },
            peer2: if both { envelope.from.rank() } else { RankId::NONE },
            tag: if takes(facts.role) && !both { tag_from } else { named.tag },
            tag2: if both { tag_from } else { NONE },
            bytes_sent: bytes.0,
            bytes_received: bytes.1,
            count,
            offset: event.offset.unwrap_or(0),
        };
        (envelope, detail)
    }

    fn named(&self, shape: &Shape, named: Named, result: Option<(i32, i32)>) -> Envelope {
        let both = named.peer2 != NONE;
        let (source, tag) = if both { (named.peer2, named.tag2) } else { (named.peer, named.tag) };
        let (source, tag) = match result {
            // The status of a receive from MPI_PROC_NULL says nothing.
            Some((actual, actual_tag)) if actual != NONE && source != constants(self.rank).proc_null => {
                (actual, actual_tag)
            }
            _ => (source, tag),
        };
        let any_tag = tag == NONE || tag == constants(self.rank).any_tag;
        Envelope {
            to: self.peer(shape.comm, named.peer),
            from: self.peer(shape.comm, source),
            tag_to: named.tag,
            tag_from: (!any_tag).then_some(tag),
            source: result.map_or(NONE, |(actual, _)| actual),
        }
    }

    /// Whom a rank in a call stands for.
    pub fn peer(&self, comm: u32, rank: i32) -> Peer {
        let c = constants(self.rank);
        if rank == NONE || rank == c.any_source {
            return Peer::Any;
        }
        if rank == c.proc_null {
            return Peer::Nobody;
        }
        match self.member(comm, rank) {
            RankId::NONE => Peer::Stranger,
            rank => Peer::Rank(rank),
        }
    }
}

/// Whether calls of this role name a source.
fn takes(role: Role) -> bool {
    matches!(role, Role::Receive | Role::Probe | Role::MatchedProbe | Role::MatchedReceive | Role::SendReceive)
}

/// Ranks and tags as passed.
#[derive(Clone, Copy)]
struct Named {
    peer: i32,
    peer2: i32,
    tag: i32,
    tag2: i32,
}

impl Named {
    fn of(shape: &Shape) -> Named {
        Named { peer: shape.peer, peer2: shape.peer2, tag: shape.tag, tag2: shape.tag2 }
    }
}

/// The peer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Peer {
    /// A process of the run.
    Rank(RankId),
    /// No specific process: `MPI_ANY_SOURCE`, or no such argument.
    Any,
    /// `MPI_PROC_NULL`.
    Nobody,
    /// A process that is not in the run.
    Stranger,
}

impl Peer {
    /// The process and the tag, if both are known.
    pub fn with_tag(self, tag: Option<i32>) -> Option<(RankId, i32)> {
        match (self, tag) {
            (Peer::Rank(rank), Some(tag)) => Some((rank, tag)),
            _ => None,
        }
    }

    pub fn rank(self) -> RankId {
        if let Peer::Rank(rank) = self { rank } else { RankId::NONE }
    }
}

/// Source and destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Envelope {
    pub to: Peer,
    pub from: Peer,
    pub tag_to: i32,
    /// `None`: any tag.
    pub tag_from: Option<i32>,
    /// Source as a rank of the communicator, as the status said it; `NONE` unknown.
    pub source: i32,
}
