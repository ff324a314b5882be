//! What a call that has not returned needs: messages that never came, and contributions to collective operations.

use mpiscope_abi::role::{Mode, Pattern, Role};
use mpiscope_store::{CallInfo, Collective, CommId, Dimensions, End, Lone, LoneReason, RankId, UnfinishedCall, flags};
use mpiscope_units::ranks_text;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Need, State};
use crate::analysis::Input;

/// A send that the MPI may buffer, and a call that may or may not wait depending on the MPI, count as waiting after this time.
pub(super) const PATIENCE_NS: u64 = 1_000_000_000;
/// Every MPI buffers a message of up to this many bytes, unless it is configured not to.
const EAGER_BYTES: u64 = 4096;
/// At most this many ranks of one need are kept. Leaving out some may miss a deadlock, but never reports a wrong one.
const MOST: usize = 256;
/// Ranks of which any one is enough: either all of them are kept or none.
const MOST_OF_ANY: usize = 4096;

/// Why a rank waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Receive,
    Send,
    Collective,
    /// The ranks are in different operations of the same communicator.
    Mismatch,
    Finalize,
}

/// Something that an open call waits for.
#[derive(Clone, Debug)]
pub(super) struct Unmet {
    pub need: Need,
    pub kind: Kind,
    /// What follows the name of the function: `from 1 (tag 7)`.
    pub text: String,
    /// Whether the standard implies it, and everything about it is known.
    pub is_sure: bool,
}

/// A rank in an open call.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    pub open: UnfinishedCall,
    pub unmet: Vec<Unmet>,
    /// One of the needs is enough.
    pub is_any: bool,
    /// Its message is in flight, or the other side was posted: the MPI decides the rest.
    pub in_transit: Vec<RankId>,
    /// One of its needs is unknown.
    pub is_vague: bool,
}

impl Waiter {
    fn new(open: UnfinishedCall, facts: &CallInfo) -> Waiter {
        let name = mpiscope_abi::name(facts.function);
        let is_any = matches!(name, "MPI_Waitany" | "MPI_Waitsome");
        // Where one of several requests is enough, it might be an unknown one.
        let is_vague = is_any && !open.knows_requests;
        Waiter { open, unmet: Vec::new(), is_any, in_transit: Vec::new(), is_vague }
    }

    /// Whether this side of a message or operation is what the call waits for.
    fn awaits(&self, end: &End) -> bool {
        let is_marked = end.done_start_ns == self.open.start_ns && end.done_facts == self.open.facts;
        !end.is_done() && (end.row == self.open.row || is_marked && end.done_start_ns > 0)
    }

    /// How long it has been open.
    pub fn ns(&self) -> u64 {
        self.open.end_ns.saturating_sub(self.open.start_ns)
    }

    /// As a node of the graph.
    pub fn state(&self, facts: &CallInfo) -> State {
        if facts.role == Role::Finalize {
            return State::Gone;
        }
        // If one of several is enough and complete, the call can return.
        let counts = |u: &&Unmet| u.is_sure || self.ns() >= PATIENCE_NS;
        let needs: Vec<Need> = self.unmet.iter().filter(counts).map(|u| u.need.clone()).collect();
        let all_count = needs.len() == self.unmet.len() && self.in_transit.is_empty() && !self.is_vague;
        if needs.is_empty() || self.is_any && !all_count {
            return State::Free;
        }
        State::Waits { needs, is_any: self.is_any }
    }
}

/// Ranks in open calls with what they wait for, by rank; of each the innermost call of its first thread.
pub(super) fn waiters(input: &Input<'_>) -> FxHashMap<u32, Waiter> {
    let mut found: FxHashMap<u32, Waiter> = FxHashMap::default();
    for open in input.batch.open.iter().filter(|open| open.thread == 0) {
        if let Some(facts) = facts_of(input, open.rank, open.facts) {
            found.entry(open.rank.0).or_insert_with(|| Waiter::new(*open, facts));
        }
    }
    if found.is_empty() {
        return found;
    }
    for message in &input.batch.messages {
        for (rank, peer, end) in
            [(message.sender, message.receiver, &message.send), (message.receiver, message.sender, &message.receive)]
        {
            if let Some(waiter) = found.get_mut(&rank.0).filter(|w| w.awaits(end)) {
                waiter.in_transit.push(peer);
            }
        }
    }
    let sends: Vec<&Lone> = input.batch.lone.iter().filter(|lone| lone.is_send).collect();
    for lone in &input.batch.lone {
        if let Some(waiter) = found.get_mut(&lone.rank.0).filter(|w| w.awaits(&lone.end)) {
            one_side(input, lone, &sends, waiter);
        }
    }
    for collective in &input.batch.collectives {
        operation(input, collective, &mut found);
    }
    let coming = not_finalizing(input);
    for waiter in found.values_mut() {
        others(input, &sends, &coming, waiter);
    }
    found
}

/// Ranks that have not entered `MPI_Finalize`, with their world.
fn not_finalizing(input: &Input<'_>) -> Vec<(u32, u32)> {
    let is_finalize =
        |open: &&UnfinishedCall| facts_of(input, open.rank, open.facts).is_some_and(|f| f.role == Role::Finalize);
    let there: FxHashSet<u32> = input.batch.open.iter().filter(is_finalize).map(|open| open.rank.0).collect();
    let rows = (0u32..).zip(&input.dimensions.ranks);
    let coming = rows.filter(|(at, row)| !row.is_finalized && !there.contains(at));
    coming.map(|(at, row)| (at, row.world)).collect()
}

fn facts_of<'a>(input: &Input<'a>, rank: RankId, facts: u32) -> Option<&'a CallInfo> {
    input.facts.get(rank.0 as usize)?.get(facts as usize)
}

/// A send or receive whose other side never came.
fn one_side(input: &Input<'_>, lone: &Lone, sends: &[&Lone], waiter: &mut Waiter) {
    if lone.reason == LoneReason::PeerUnknown {
        waiter.is_vague = true;
        return;
    }
    let is_sure = lone.reason == LoneReason::NeverHappened;
    let tag = tag_text(lone.tag);
    if lone.is_send {
        let mode = match facts_of(input, lone.rank, lone.end.facts).map(|f| f.role) {
            Some(Role::Send(mode)) => mode,
            _ => Mode::Standard,
        };
        let is_kept = lone.end.row != waiter.open.row && mode == Mode::Standard && lone.bytes <= EAGER_BYTES;
        if is_kept || matches!(mode, Mode::Buffered | Mode::Ready) {
            return;
        }
        let own = if lone.end.row == waiter.open.row { "to" } else { "for its send to" };
        let text = format!("{own} {}{tag}", rank_text(input.dimensions, lone.peer));
        let need = Need { who: vec![lone.peer.0], all: true };
        waiter.unmet.push(Unmet { need, kind: Kind::Send, text, is_sure: is_sure && mode == Mode::Synchronous });
        return;
    }
    let need = if lone.peer.is_some() {
        Need { who: vec![lone.peer.0], all: true }
    } else {
        if sends.iter().any(|s| s.peer == lone.rank && s.comm == lone.comm && (lone.tag.is_none() || lone.tag == s.tag))
        {
            waiter.in_transit.push(RankId::NONE);
            return;
        }
        let Some(who) = members(input.dimensions, lone.comm, lone.rank) else {
            waiter.is_vague = true;
            return;
        };
        Need { who, all: false }
    };
    let from = if need.all { rank_text(input.dimensions, lone.peer) } else { "any rank".into() };
    let own = if lone.end.row == waiter.open.row { "from" } else { "for a message from" };
    let text = format!("{own} {from}{tag}");
    waiter.unmet.push(Unmet { need, kind: Kind::Receive, text, is_sure });
}

/// An operation that not all ranks have entered, or in which some have called a different one.
fn operation(input: &Input<'_>, collective: &Collective, found: &mut FxHashMap<u32, Waiter>) {
    let members = input.batch.members.get(collective.members.clone()).unwrap_or_default();
    if members.iter().all(|m| m.end.is_done()) {
        return;
    }
    let function = |m: &mpiscope_store::Member| facts_of(input, m.rank, m.end.facts).map_or(0, |f| f.function);
    let comm = collective.comm.index().and_then(|i| input.dimensions.comms.get(i));
    let all = comm.map_or(&[][..], |c| &c.members);
    let is_here = |rank: &RankId| members.binary_search_by_key(rank, |m| m.rank).is_ok();
    let missing: Vec<RankId> = all.iter().copied().filter(|rank| rank.is_some() && !is_here(rank)).collect();
    let is_sure = all.iter().all(|rank| rank.is_some());
    for member in members {
        let Some(waiter) = found.get_mut(&member.rank.0).filter(|w| w.awaits(&member.end)) else { continue };
        let Some(facts) = facts_of(input, member.rank, member.end.facts) else { continue };
        let Role::Collective(pattern) = facts.role else { continue };
        let others: Vec<RankId> = members.iter().filter(|m| function(m) != facts.function).map(|m| m.rank).collect();
        if !others.is_empty() {
            let numbers: Vec<i32> = others.iter().map(|&r| input.dimensions.rank(r)).collect();
            let verb = if numbers.len() == 1 { "is" } else { "are" };
            let text = format!("({} {verb} in a different operation)", ranks_text(&numbers));
            let who = others.iter().map(|r| r.0).take(MOST).collect();
            waiter.unmet.push(Unmet { need: Need { who, all: true }, kind: Kind::Mismatch, text, is_sure });
            continue;
        }
        let root = collective.root;
        let before = |rank: &RankId| {
            let place = |wanted: RankId| all.iter().position(|&r| r == wanted);
            place(*rank) < place(member.rank)
        };
        // Whether it follows from the standard, and who is needed.
        let (follows, who): (bool, Vec<RankId>) = match pattern {
            Pattern::Barrier | Pattern::NxN => (true, missing.clone()),
            Pattern::OneToN if member.rank != root => (true, only(&missing, root)),
            Pattern::NToOne if member.rank == root => (true, missing.clone()),
            Pattern::NToOne => (false, only(&missing, root)),
            Pattern::Scan => (true, missing.iter().copied().filter(before).collect()),
            Pattern::Neighbors => (false, Vec::new()),
            Pattern::OneToN | Pattern::Object | Pattern::File | Pattern::Fence => (false, missing.clone()),
        };
        if who.is_empty() {
            waiter.in_transit.push(RankId::NONE);
            continue;
        }
        let numbers: Vec<i32> = who.iter().map(|&r| input.dimensions.rank(r)).collect();
        let verb = if numbers.len() == 1 { "has" } else { "have" };
        let text = format!("({} {verb} not entered it)", ranks_text(&numbers));
        let need = Need { who: who.iter().map(|r| r.0).take(MOST).collect(), all: true };
        waiter.unmet.push(Unmet { need, kind: Kind::Collective, text, is_sure: is_sure && follows });
    }
}

fn only(missing: &[RankId], root: RankId) -> Vec<RankId> {
    missing.iter().copied().filter(|&rank| rank == root).collect()
}

/// Calls that have neither a message nor an operation in the batch: probes and `MPI_Finalize`.
fn others(input: &Input<'_>, sends: &[&Lone], coming: &[(u32, u32)], waiter: &mut Waiter) {
    let rank = waiter.open.rank;
    let Some(facts) = facts_of(input, rank, waiter.open.facts) else { return };
    match facts.role {
        Role::Probe | Role::MatchedProbe => {
            let any_tag = facts.flags & flags::ANY_TAG != 0;
            let fits = |s: &&&Lone| {
                let from = facts.peer == RankId::NONE || facts.peer == s.rank;
                s.peer == rank && s.comm == facts.comm && from && (any_tag || s.tag == Some(facts.tag))
            };
            if let Some(send) = sends.iter().find(fits) {
                waiter.in_transit.push(send.rank);
                return;
            }
            let is_any = facts.flags & flags::ANY_SOURCE != 0;
            let who = if is_any {
                members(input.dimensions, facts.comm, rank)
            } else {
                facts.peer.index().map(|_| vec![facts.peer.0])
            };
            let Some(who) = who else {
                waiter.is_vague = true;
                return;
            };
            let from = if is_any { "any rank".into() } else { rank_text(input.dimensions, facts.peer) };
            let text = format!("from {from}{}", tag_text((!any_tag).then_some(facts.tag)));
            waiter.unmet.push(Unmet { need: Need { who, all: !is_any }, kind: Kind::Receive, text, is_sure: true });
        }
        Role::Finalize => {
            let world = input.dimensions.ranks.get(rank.0 as usize).map(|r| r.world);
            let ours = coming.iter().filter(|(_, of)| Some(*of) == world);
            let who: Vec<u32> = ours.map(|&(at, _)| at).take(MOST).collect();
            if !who.is_empty() {
                let numbers: Vec<i32> = who.iter().map(|&r| input.dimensions.rank(RankId(r))).collect();
                let verb = if numbers.len() == 1 { "has" } else { "have" };
                let text = format!("({} {verb} not entered it)", ranks_text(&numbers));
                waiter.unmet.push(Unmet { need: Need { who, all: true }, kind: Kind::Finalize, text, is_sure: false });
            }
        }
        _ if waiter.unmet.is_empty() && waiter.in_transit.is_empty() => waiter.is_vague = true,
        _ => {}
    }
}

/// The other ranks of a communicator; `None` if some of them were not recorded.
fn members(dimensions: &Dimensions, comm: CommId, but: RankId) -> Option<Vec<u32>> {
    let row = comm.index().and_then(|i| dimensions.comms.get(i))?;
    let others: Vec<u32> = row.members.iter().filter(|&&m| m != but).map(|m| m.0).collect();
    let is_known = row.members.iter().all(|m| m.is_some()) && others.len() <= MOST_OF_ANY;
    is_known.then_some(others)
}

fn tag_text(tag: Option<i32>) -> String {
    tag.map_or_else(|| " (any tag)".into(), |tag| format!(" (tag {tag})"))
}

fn rank_text(dimensions: &Dimensions, rank: RankId) -> String {
    dimensions.rank(rank).to_string()
}
