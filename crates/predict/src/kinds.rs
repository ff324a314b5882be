//! Kinds of collective operations, and how long those of a kind took.

use std::sync::Arc;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_model::simulation::{Data, Kind, Network, Shape};
use mpiscope_store::{CallInfo, Collective, CommId, Dimensions, Member, RankId};
use rustc_hash::FxHashMap;

use crate::operation::Operation;
use crate::others::lets_pass;
use crate::samples::Samples;
use crate::stays::{Explanation, Stays};

/// All kinds of a run, in the order in which they come.
#[derive(Default)]
pub struct Kinds {
    kinds: Vec<Kind>,
    numbers: FxHashMap<Kind, u32>,
    given: usize,
    members: FxHashMap<CommId, Members>,
    /// By kind: time from when all that it needs has come until it is over, ns.
    own: Vec<Samples>,
    /// By kind in which all wait for all: from when the last member has come until the first one leaves, ns.
    least: Vec<Samples>,
    /// By kind: some of its operations.
    stays: Vec<Stays>,
}

/// Kinds of operations are explained up to so many steps of members in all.
const MOST_EFFORT: u64 = 1 << 13;

/// Members of a communicator: by place, and the place of each.
#[derive(Clone)]
struct Members {
    ranks: Arc<[u32]>,
    places: Arc<FxHashMap<u32, u32>>,
}

impl Members {
    fn new(ranks: impl Iterator<Item = u32>) -> Members {
        let ranks: Arc<[u32]> = ranks.collect();
        let places = (0..).zip(ranks.iter()).map(|(at, &rank)| (rank, at)).collect();
        Members { ranks, places: Arc::new(places) }
    }

    fn place(&self, rank: RankId) -> Option<u32> {
        self.places.get(&rank.0).copied()
    }
}

impl Kinds {
    /// A kind by its number.
    pub fn kind(&self, number: u32) -> &Kind {
        &self.kinds[number as usize]
    }

    /// All kinds.
    pub fn all(&self) -> &[Kind] {
        &self.kinds
    }

    /// Kinds that have come since the last time.
    pub fn take_new(&mut self) -> Vec<Kind> {
        let new = self.kinds[self.given..].to_vec();
        self.given = self.kinds.len();
        new
    }

    /// The number of an operation's kind, and the places of its members; `None` for operations without a model.
    pub fn number(
        &mut self,
        dimensions: &Dimensions,
        facts: &[Vec<CallInfo>],
        collective: &Collective,
        members: &[Member],
    ) -> Option<(u32, Vec<u32>)> {
        let first = members.first()?;
        let role = facts.get(first.rank.index()?)?.get(first.end.facts as usize)?.role;
        let Role::Collective(pattern) = role else { return None };
        let shape = match pattern {
            Pattern::Object | Pattern::Fence if lets_pass(members) => return None,
            Pattern::Barrier | Pattern::NxN | Pattern::Object | Pattern::Fence => Shape::AllToAll,
            Pattern::OneToN => Shape::FromRoot,
            Pattern::NToOne => Shape::ToRoot,
            Pattern::Scan => Shape::Chain,
            // Which ranks are neighbours is not known here, nor what a file system takes each time.
            Pattern::Neighbors | Pattern::File => return None,
        };
        let of_comm = self.members_of(dimensions, collective.comm, members);
        let root = if collective.root.is_some() { of_comm.place(collective.root)? } else { 0 };
        let places: Option<Vec<u32>> = members.iter().map(|m| of_comm.place(m.rank)).collect();
        let data = data_of(collective.function, pattern);
        let kind = Kind {
            shape,
            data,
            function: collective.function,
            bytes: rounded(block(data, members)),
            members: of_comm.ranks,
            root,
            present: members.len() as u32,
        };
        let next = self.kinds.len() as u32;
        let number = *self.numbers.entry(kind.clone()).or_insert(next);
        if number == next {
            self.kinds.push(kind);
            self.own.push(Samples::default());
            self.least.push(Samples::default());
            self.stays.push(Stays::default());
        }
        Some((number, places?))
    }

    fn members_of(&mut self, dimensions: &Dimensions, comm: CommId, present: &[Member]) -> Members {
        let known = comm.index().and_then(|at| dimensions.comms.get(at)).filter(|row| !row.is_inter);
        let of_comm = known.map(|row| {
            let new = || Members::new(row.members.iter().filter(|rank| rank.is_some()).map(|rank| rank.0));
            self.members.entry(comm).or_insert_with(new).clone()
        });
        let are_members = |of: &Members| present.iter().all(|m| of.place(m.rank).is_some());
        of_comm.filter(are_members).unwrap_or_else(|| Members::new(present.iter().map(|m| m.rank.0)))
    }

    /// Learns how long an operation took.
    pub fn learn(&mut self, (number, places): (u32, &[u32]), members: &[Member], root: RankId) {
        let kind = &self.kinds[number as usize];
        if kind.present as usize == kind.members.len() {
            self.stays[number as usize].add(members, places);
        }
        let last_ns = members.iter().map(|m| m.end.start_ns).max().unwrap_or(0);
        let own = &mut self.own[number as usize];
        match kind.shape {
            Shape::AllToAll | Shape::Chain => {
                let over_ns = members.iter().map(|m| m.end.done_end_ns).max().unwrap_or(0);
                let from_ns = last_ns.max(done_from_ns(members));
                own.push(over_ns.saturating_sub(from_ns));
                let first_ns = members.iter().map(|m| m.end.done_end_ns).min().unwrap_or(0);
                self.least[number as usize].push(first_ns.saturating_sub(from_ns));
            }
            Shape::FromRoot => {
                let Some(at_root) = members.iter().find(|m| m.rank == root) else { return };
                for member in members.iter().filter(|m| m.rank != root) {
                    let from_ns = at_root.end.start_ns.max(member.end.done_start_ns);
                    own.push(member.end.done_end_ns.saturating_sub(from_ns));
                }
            }
            Shape::ToRoot => {
                let at_root = members.iter().find(|m| m.rank == root);
                let own_ns = at_root.map(|m| m.end.done_end_ns.saturating_sub(last_ns.max(m.end.done_start_ns)));
                own_ns.into_iter().for_each(|ns| own.push(ns));
            }
        }
    }

    /// Puts into the network which algorithm each kind takes, how much longer it took than that says, and the least time that it took.
    pub fn calibrate(&self, network: &mut Network) {
        let explanations = self.explanations(network);
        network.taken = explanations.iter().map(|of| of.as_ref().map(|of| of.algorithm)).collect();
        network.possible =
            explanations.iter().map(|of| of.as_ref().map_or(Vec::new(), |of| of.others.clone())).collect();
        let factor = |(at, kind): (usize, &Kind)| match &explanations[at] {
            Some(of) => of.factor,
            None => self.factor(network, at as u32, kind).unwrap_or(1.0),
        };
        network.factors = self.kinds.iter().enumerate().map(factor).collect();
        network.least_ns = self.least.iter().map(|samples| samples.typical().unwrap_or(0.0)).collect();
    }

    /// Of the kinds that take most of the time, as many as the effort allows.
    fn explanations(&self, network: &Network) -> Vec<Option<Explanation>> {
        let own_ns = |at: usize| self.own[at].typical().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..self.kinds.len()).filter(|&at| self.stays[at].effort() > 0).collect();
        let time_ns = |at: usize| own_ns(at) * self.own[at].count() as f64;
        order.sort_by(|&a, &b| time_ns(b).total_cmp(&time_ns(a)));
        let mut left = MOST_EFFORT;
        let mut found = vec![None; self.kinds.len()];
        for at in order {
            let Some(rest) = left.checked_sub(self.stays[at].effort()) else { continue };
            left = rest;
            found[at] = self.stays[at].explain(network, (at as u32, &self.kinds[at]), own_ns(at));
        }
        found
    }

    fn factor(&self, network: &Network, number: u32, kind: &Kind) -> Option<f64> {
        let own_ns = self.own[number as usize].typical()?;
        Some(Operation::new(network, number, kind)?.factor(own_ns))
    }
}

fn done_from_ns(members: &[Member]) -> u64 {
    members.iter().map(|m| m.end.done_start_ns).max().unwrap_or(0)
}

/// The moment until which each member waits for others, in the recorded run.
pub fn waited_ns(kind: &Kind, members: &[Member], root: RankId) -> Vec<Option<u64>> {
    let all = |until_ns: Option<u64>| vec![until_ns; members.len()];
    let last = || members.iter().map(|m| m.end.start_ns).max();
    match kind.shape {
        Shape::AllToAll => all(last()),
        Shape::FromRoot => all(members.iter().find(|m| m.rank == root).map(|m| m.end.start_ns)),
        Shape::ToRoot => {
            let last = last();
            members.iter().map(|m| last.filter(|_| m.rank == root)).collect()
        }
        Shape::Chain => {
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_unstable_by_key(|&at| members[at].rank);
            let (mut found, mut latest) = (all(None), None);
            for at in order {
                found[at] = latest;
                latest = latest.max(Some(members[at].end.start_ns));
            }
            found
        }
    }
}

fn data_of(function: u32, pattern: Pattern) -> Data {
    let name = mpiscope_abi::name(function).to_ascii_lowercase();
    let names = [
        ("reduce_scatter", Data::ReduceScatter),
        ("allreduce", Data::Allreduce),
        ("reduce", Data::Reduce),
        ("allgather", Data::Allgather),
        ("gather", Data::Gather),
        ("alltoall", Data::Alltoall),
        ("scatter", Data::Scatter),
        ("bcast", Data::Broadcast),
        ("scan", Data::Scan),
    ];
    let has_data = matches!(pattern, Pattern::NxN | Pattern::OneToN | Pattern::NToOne | Pattern::Scan);
    let found = names.iter().find(|(part, _)| has_data && name.contains(part));
    found.map_or(Data::Nothing, |(_, data)| *data)
}

/// Whether an MPI has several algorithms for a function: it moves data, or is a barrier.
pub fn has_algorithms(function: u32) -> bool {
    data_of_function(function) != Data::Nothing
        || mpiscope_abi::role::role(function) == Role::Collective(Pattern::Barrier)
}

/// What an operation of a function moves.
pub fn data_of_function(function: u32) -> Data {
    match mpiscope_abi::role::role(function) {
        Role::Collective(pattern) => data_of(function, pattern),
        _ => Data::Nothing,
    }
}

/// Bytes of one rank's block, see [`Kind::bytes`]. With `MPI_IN_PLACE`, a rank states only one side.
fn block(data: Data, members: &[Member]) -> u64 {
    let most = |bytes: fn(&Member) -> u64| members.iter().map(bytes).max().unwrap_or(0);
    let (sent, received) = (most(|m| m.bytes_sent), most(|m| m.bytes_received));
    let ranks = (members.len() as u64).max(1);
    match data {
        Data::Nothing => 0,
        Data::Broadcast | Data::Reduce | Data::Allreduce | Data::Scan => sent.max(received),
        Data::Scatter | Data::ReduceScatter => received,
        Data::Gather => sent,
        Data::Allgather if sent > 0 => sent,
        Data::Allgather => received / ranks,
        Data::Alltoall => sent.max(received) / ranks,
    }
}

/// To 6 %: sizes that differ in every call are not kinds of their own.
fn rounded(bytes: u64) -> u64 {
    let shift = (64 - bytes.leading_zeros()).saturating_sub(4);
    if bytes < 1024 { bytes } else { bytes >> shift << shift }
}
