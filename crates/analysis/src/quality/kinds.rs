//! What has to be known of a call at once, by its facts: one look at a dense table instead of a chain of questions.

use mpiscope_abi::role::{Mode, Pattern, Role};
use mpiscope_store::{CallInfo, CommId, Dimensions, RankId, RegionId, SiteId, flags};
use rustc_hash::FxHashMap;

/// What a call does in a row of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Neither sends nor waits.
    Local,
    /// A run of unsuccessful polls.
    Poll,
    /// Sends, blocking or not.
    Send,
    /// Receives and blocks.
    Receive,
    /// Posts a receive.
    Post,
    /// Completes requests.
    Complete,
    /// A blocking collective operation with data for more than neighbours.
    Collective,
    /// Everything else that may depend on others.
    Other,
}

/// [`Info::bits`].
pub(crate) mod bits {
    /// Of the program's own datatype with gaps.
    pub const GAPS: u8 = 1;
    /// A send in standard mode: the MPI chooses the protocol.
    pub const STANDARD: u8 = 1 << 1;
    /// `Sendrecv` and its like.
    pub const BOTH: u8 = 1 << 2;
    /// Ends in another call.
    pub const OPEN: u8 = 1 << 3;
}

/// A call's facts in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    /// Index into [`Kinds::groups`].
    pub group: u32,
    /// Group and peer: index of a state of the rank; `NONE` without a peer.
    pub stream: u32,
    /// Payload.
    pub bytes: u64,
    /// Of a collective operation.
    pub comm: CommId,
    /// Index into [`Kinds::functions`].
    pub function: u16,
    pub kind: Kind,
    pub bits: u8,
}

/// Calls of one function from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Group {
    pub function: u32,
    pub site: SiteId,
    pub region: RegionId,
}

/// The tables of all ranks.
#[derive(Default)]
pub(crate) struct Kinds {
    infos: Vec<Vec<Info>>,
    pub groups: Vec<Group>,
    pub functions: Vec<u32>,
    /// By rank: number of streams.
    pub streams: Vec<u32>,
    /// By rank: number of its host.
    hosts: Vec<u32>,
}

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

static UNKNOWN: Info =
    Info { group: NONE, stream: NONE, bytes: 0, comm: CommId::NONE, function: u16::MAX, kind: Kind::Other, bits: 0 };

impl Kinds {
    /// Reads the facts, once.
    pub fn new(dimensions: &Dimensions, facts: &[Vec<CallInfo>]) -> Kinds {
        let mut kinds = Kinds::default();
        let (mut groups, mut functions, mut hosts) =
            (FxHashMap::default(), FxHashMap::default(), FxHashMap::<&str, u32>::default());
        for rank in &dimensions.ranks {
            let next = hosts.len() as u32;
            kinds.hosts.push(*hosts.entry(&rank.host).or_insert(next));
        }
        for (at, facts) in facts.iter().enumerate() {
            let datatypes = dimensions.datatypes.get(at);
            let mut streams: FxHashMap<(u32, RankId), u32> = FxHashMap::default();
            let mut infos = Vec::with_capacity(facts.len());
            for f in facts {
                let key = Group { function: f.function, site: f.site, region: f.region };
                let group = *groups.entry(key).or_insert_with(|| {
                    kinds.groups.push(key);
                    kinds.groups.len() as u32 - 1
                });
                let function = *functions.entry(f.function).or_insert_with(|| {
                    kinds.functions.push(f.function);
                    (kinds.functions.len() - 1) as u16
                });
                let next = streams.len() as u32;
                let stream = if f.peer.is_some() { *streams.entry((group, f.peer)).or_insert(next) } else { NONE };
                let has_gaps =
                    datatypes.and_then(|table| table.get(&f.datatype)).is_some_and(|datatype| datatype.has_gaps());
                let mut bits = if has_gaps { bits::GAPS } else { 0 };
                if f.role == Role::Send(Mode::Standard) {
                    bits |= bits::STANDARD;
                }
                if f.role == Role::SendReceive {
                    bits |= bits::BOTH;
                }
                if f.flags & flags::NON_BLOCKING != 0 {
                    bits |= bits::OPEN;
                }
                let bytes = f.bytes_sent.max(f.bytes_received);
                infos.push(Info { group, stream, bytes, comm: f.comm, function, kind: kind(f), bits });
            }
            kinds.streams.push(streams.len() as u32);
            kinds.infos.push(infos);
        }
        kinds
    }

    /// Of a rank's facts.
    pub fn of_rank(&self, rank: usize) -> &[Info] {
        self.infos.get(rank).map_or(&[], Vec::as_slice)
    }

    /// Of a call.
    #[inline]
    pub fn info(&self, rank: RankId, facts: u32) -> &Info {
        self.infos.get(rank.0 as usize).and_then(|i| i.get(facts as usize)).unwrap_or(&UNKNOWN)
    }

    /// Whether two ranks share a host.
    #[inline]
    pub fn same_host(&self, a: RankId, b: RankId) -> bool {
        self.hosts.get(a.0 as usize) == self.hosts.get(b.0 as usize)
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.infos.len()
    }

    /// C name of a group's function.
    pub fn function_name(&self, group: u32) -> &'static str {
        self.groups.get(group as usize).map_or("", |g| mpiscope_abi::name(g.function))
    }

    /// Whether a group's calls send.
    pub fn is_send(&self, group: u32) -> bool {
        let function = self.groups.get(group as usize).map(|g| g.function);
        function.is_some_and(|f| matches!(mpiscope_abi::role::role(f), Role::Send(_)))
    }

    /// Where a group's calls stand, if that is known.
    pub fn site(&self, group: u32, dimensions: &Dimensions) -> Option<String> {
        let site = dimensions.site(self.groups.get(group as usize)?.site);
        (!site.is_empty()).then(|| site.to_owned())
    }

    /// The region of a group's calls, if they have one.
    pub fn region(&self, group: u32, dimensions: &Dimensions) -> Option<String> {
        let region = dimensions.region(self.groups.get(group as usize)?.region);
        (!region.is_empty()).then_some(region)
    }
}

fn kind(f: &CallInfo) -> Kind {
    if f.is_poll() {
        return Kind::Poll;
    }
    let open = f.flags & (flags::NON_BLOCKING | flags::MAKES_PERSISTENT) != 0;
    match f.role {
        Role::Send(_) if f.flags & flags::MAKES_PERSISTENT == 0 => Kind::Send,
        Role::Receive if open => Kind::Post,
        Role::Receive => Kind::Receive,
        Role::Complete => Kind::Complete,
        Role::Local => Kind::Local,
        _ if f.is_blocking_collective() => Kind::Collective,
        _ => Kind::Other,
    }
}

/// Whether a collective operation of this function ends nowhere before everybody has begun it.
pub(crate) fn synchronises(function: u32) -> bool {
    matches!(mpiscope_abi::role::role(function), Role::Collective(Pattern::Barrier | Pattern::NxN))
}
