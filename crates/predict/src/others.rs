//! Calls that wait for calls of other ranks, and are neither messages nor operations of all: epochs of one-sided communication, probes, sends for which
//! there is no room, neighbourhood operations, operations on files.
//!
//! Of all but the last two, only the waits that the recorded run had are known. A rank that never waited there does not wait in the replay either, even
//! if a change makes the other one later.

use mpiscope_abi::role::{Mode, Pattern, Role};
use mpiscope_analysis::waits::{Backlogs, Waits, awaited_destination, member_at};
use mpiscope_analysis::{Input, Wait, WaitKind};
use mpiscope_model::simulation::Waiting;
use mpiscope_store::{Batch, CallInfo, Collective, Dimensions, Member, Message, RankId};

/// A call that waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependence {
    /// Rank and row of the call that waits.
    pub waiting: (RankId, u64),
    /// Of the call that it waits for: when it begins, or soon after.
    pub reached: (RankId, u64),
    /// Until when it waits, ns.
    pub until_ns: u64,
    /// Why.
    pub kind: Waiting,
}

/// Finds them.
#[derive(Default)]
pub(crate) struct Others {
    waits: Option<Waits>,
    backlogs: Backlogs,
}

impl Others {
    /// In the next batch: all but those of neighbourhood operations.
    pub fn next(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>], batch: &Batch) -> Vec<Dependence> {
        let mut found = self.of_epochs_and_probes(dimensions, facts, batch);
        let role = |rank: RankId, of: u32| rank.index().and_then(|at| facts.get(at)?.get(of as usize)).map(|f| f.role);
        let may_wait = |m: &&Message| role(m.sender, m.send.facts) == Some(Role::Send(Mode::Standard));
        for message in batch.messages.iter().filter(may_wait) {
            let wait = self.backlogs.late_receiver(message);
            found.extend(wait.and_then(|wait| dependence(&wait, Waiting::LateReceiver)));
        }
        found
    }

    fn of_epochs_and_probes(
        &mut self,
        dimensions: &Dimensions,
        facts: &[Vec<CallInfo>],
        batch: &Batch,
    ) -> Vec<Dependence> {
        let is_such =
            |info: &CallInfo| matches!(info.role, Role::Epoch(_) | Role::Access | Role::Probe | Role::MatchedProbe);
        if self.waits.is_none() && !facts.iter().flatten().any(is_such) {
            return Vec::new();
        }
        let waits = self.waits.get_or_insert_with(Waits::default);
        let found = waits.detect(&Input::without_waits(dimensions, facts, batch));
        let role = |rank: RankId, of: u32| rank.index().and_then(|at| facts.get(at)?.get(of as usize)).map(|f| f.role);
        let dependences = found.iter().filter_map(|wait| {
            let kind = match (wait.kind, role(wait.rank, wait.facts)?) {
                (WaitKind::LatePost | WaitKind::EarlyWait | WaitKind::LateComplete | WaitKind::LockContention, _) => {
                    Waiting::Epoch
                }
                (WaitKind::RmaWaitForProgress, _) => Waiting::Target,
                (WaitKind::LateSender, Role::Probe | Role::MatchedProbe) => Waiting::LateSender,
                _ => return None,
            };
            dependence(wait, kind)
        });
        let dependences = dependences.collect();
        waits.give_back(found);
        dependences
    }
}

fn dependence(wait: &Wait, kind: Waiting) -> Option<Dependence> {
    let cause = wait.cause?;
    let (waiting, reached) = ((wait.rank, wait.row), (cause.rank, cause.row));
    Some(Dependence { waiting, reached, until_ns: wait.end_ns, kind })
}

/// Most members of an operation that may each be the last one in the replay; of larger ones it is the one that was.
const MOST_PAIRED: usize = 64;
/// Clocks of two ranks may differ by this much, ns.
const CLOCK_NS: u64 = 1_000;

/// Whether a member left an operation before the last one came: it does not make all wait for all.
pub(crate) fn lets_pass(members: &[Member]) -> bool {
    let first_end_ns = members.iter().map(|m| m.end.done_end_ns).min().unwrap_or(0);
    let last_start_ns = members.iter().map(|m| m.end.start_ns).max().unwrap_or(0);
    first_end_ns + CLOCK_NS < last_start_ns
}

/// Those of an operation whose costs the model does not know: neighbourhood operations, and operations on files, which take as long as they took
/// after the last member has come.
pub(crate) fn without_costs(
    dimensions: &Dimensions,
    facts: &[Vec<CallInfo>],
    collective: &Collective,
    members: &[Member],
) -> Vec<Dependence> {
    let role = |m: &Member| m.rank.index().and_then(|at| facts.get(at)?.get(m.end.facts as usize)).map(|f| f.role);
    match members.first().and_then(role) {
        Some(Role::Collective(Pattern::Neighbors)) => of_neighbors(dimensions, collective, members),
        Some(Role::Collective(_)) if !lets_pass(members) => of_all(members),
        _ => Vec::new(),
    }
}

fn needs(member: &Member, other: &Member) -> Dependence {
    Dependence {
        waiting: (member.rank, member.end.done_row),
        reached: (other.rank, other.end.row),
        until_ns: other.end.start_ns,
        kind: Waiting::AllMembers,
    }
}

/// Each member needs all others.
fn of_all(members: &[Member]) -> Vec<Dependence> {
    let last = members.iter().max_by_key(|m| m.end.start_ns);
    let needed: Vec<&Member> =
        if members.len() <= MOST_PAIRED { members.iter().collect() } else { last.into_iter().collect() };
    let mut found = Vec::new();
    for member in members {
        let others = needed.iter().filter(|other| other.rank != member.rank);
        found.extend(others.map(|other| needs(member, other)));
    }
    found
}

/// Each member needs the neighbours that send to it, and one for which it waited.
fn of_neighbors(dimensions: &Dimensions, collective: &Collective, members: &[Member]) -> Vec<Dependence> {
    let Some(comm) = collective.comm.index().and_then(|at| dimensions.comms.get(at)) else { return Vec::new() };
    let member_of = |place: usize| member_at(comm, members, place);
    let mut found = Vec::new();
    for place in 0..comm.members.len() {
        let Some(member) = member_of(place) else { continue };
        let mut needed: Vec<&Member> = Vec::new();
        comm.for_each_source(place, |neighbor| needed.extend(member_of(neighbor)));
        let last = needed.iter().copied().max_by_key(|other| other.end.start_ns);
        needed.extend(awaited_destination(comm, place, (member, last), member_of));
        found.extend(needed.into_iter().map(|other| needs(member, other)));
    }
    found
}
