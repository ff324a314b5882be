//! From rows of the recorded run to a program: what each rank does, call by call.
//!
//! A message or operation may be in a later batch than its calls, so the program lags behind ([`Behind`]). What becomes
//! known even later cannot take part; it is counted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mpiscope_abi::role::{Mode as SendMode, Role};
use mpiscope_analysis::waits::{Eager, PollPlaces, held_above_bytes};
use mpiscope_model::simulation::{Calls, Id, Mode, Part, Section, Shape, Step, Waiting};
use mpiscope_store::{BEHIND, Batch, Behind, CallInfo, Dimensions, End, Member, Message, RankId, flags};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::fit::Ports;
use crate::gaps::Gaps;
use crate::kinds::{Kinds, waited_ns};
use crate::others::{Dependence, Others, without_costs};
use crate::sharing::{Traffic, traffic_of};
use crate::usual::Usual;

/// A loop of polls leads to a call that completes something at most so many rows later.
const NEAR: usize = 4;

/// A call whose parts are being collected.
struct Row {
    start_ns: u64,
    end_ns: u64,
    facts: u32,
    parts: SmallVec<[Part; 2]>,
    /// When the last of what it needs came, ns, and whether that came from another host.
    needed_ns: u64,
    needs_far: bool,
    /// Whether one that it awaits shared the network with others, or waited for others.
    was_hindered: bool,
    /// The longest wait that is known of it.
    wait: (u64, Option<Waiting>),
    /// See [`Step::late_ns`].
    late_ns: u64,
    /// See [`Step::sent_ns`].
    sent_ns: u64,
    /// Takes no time of the rank: of another thread, inside another call, outside of what was recorded of all ranks.
    is_aside: bool,
    is_poll: bool,
}

#[derive(Default)]
struct OfRank {
    rows: VecDeque<Row>,
    /// Number of the first row that is kept.
    first: u64,
    last_end_ns: u64,
    /// By facts, and by whether what they need comes from another host.
    usual: [Vec<Usual>; 2],
}

impl OfRank {
    fn row(&mut self, number: u64) -> Option<&mut Row> {
        let at = number.checked_sub(self.first)?;
        self.rows.get_mut(at as usize).filter(|row| !row.is_aside)
    }

    /// Whether one of the next calls completes something.
    fn leads_to_completion(&self) -> bool {
        let completes = |part: &Part| matches!(part, Part::AwaitReceived(_) | Part::AwaitSent(_) | Part::Leave { .. });
        let mut near = self.rows.iter().filter(|row| !row.is_aside).take(NEAR);
        near.any(|row| row.parts.iter().any(completes))
    }

    /// By how much a call took longer than usual after what it needs had come, ns. One whose messages others hindered took longer for
    /// that reason, which the model knows.
    fn excess_ns(&mut self, row: &Row) -> u64 {
        if row.was_hindered {
            return 0;
        }
        let at = row.facts as usize;
        let usual = &mut self.usual[usize::from(row.needs_far)];
        if at >= usual.len() {
            usual.resize(at + 1, Usual::default());
        }
        usual[at].excess_ns(row.needed_ns, (row.start_ns, row.end_ns))
    }
}

/// What the recorded run was, as far as a program tells, and what is missing in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// When each rank begins and ends, ns since the origin.
    pub starts_ns: Vec<u64>,
    /// See above.
    pub ends_ns: Vec<u64>,
    /// Time of all ranks in waits, ns, by [`Waiting::ALL`].
    pub waits_ns: [u64; Waiting::ALL.len()],
    /// Calls.
    pub calls: u64,
    /// Time in calls, ns: of all; of those that are replayed as they were, since nothing is known of what they need.
    pub inside_ns: u64,
    /// See above.
    pub as_recorded_ns: u64,
    /// The part of the time in calls by which they took longer than usual, ns, by rank: replayed as recorded.
    pub interrupted_ns: Vec<u64>,
    /// The part of what is replayed as it was in which a rank may have waited for others, by rank.
    pub maybe_waits_ns: Vec<u64>,
    /// Computing of each rank, ns.
    pub computing_ns: Vec<u64>,
    /// The same before each call, as the mean of all ranks.
    pub gaps: Arc<Gaps>,
    /// How much later each rank came than half of the others to operations in which all wait for all, ns.
    pub late_ns: Vec<u64>,
    /// Time in calls by function, ns.
    pub by_function_ns: BTreeMap<u32, u64>,
    /// Messages and operations that became known too late.
    pub late: u64,
    /// Messages with one end only.
    pub lone: u64,
    /// Calls of other threads than the first one of a rank.
    pub of_threads: u64,
}

impl Recorded {
    /// From the first beginning to the last end, ns.
    pub fn time_ns(&self) -> u64 {
        let end = self.ends_ns.iter().max().copied().unwrap_or(0);
        end - self.starts_ns.iter().min().copied().unwrap_or(0).min(end)
    }
}

/// See the module.
pub struct Translator {
    ranks: Vec<OfRank>,
    behind: Behind,
    eager: Eager,
    /// Larger eager sends to a rank of the same port wait until it is inside MPI; see [`held_above_bytes`].
    held_above_bytes: Option<u64>,
    ports: Ports,
    /// See [`Translator::traffic`].
    traffic: Vec<Traffic>,
    polls: PollPlaces,
    others: Others,
    gaps: Gaps,
    /// See [`Recorded::by_function_ns`].
    by_function_ns: FxHashMap<u32, u64>,
    next: Id,
    /// Kinds of collective operations.
    pub kinds: Kinds,
    /// What is known of the run so far.
    pub recorded: Recorded,
}

impl Translator {
    /// For a run with these ranks.
    pub fn new(dimensions: &Dimensions) -> Translator {
        let starts_ns: Vec<u64> = dimensions.ranks.iter().map(|row| row.rows_from_ns).collect();
        let rank = |&last_end_ns: &u64| OfRank { last_end_ns, ..OfRank::default() };
        Translator {
            ranks: starts_ns.iter().map(rank).collect(),
            behind: Behind::default(),
            eager: Eager::default(),
            held_above_bytes: held_above_bytes(dimensions),
            ports: Ports::of_hosts(dimensions),
            traffic: Vec::new(),
            polls: PollPlaces::default(),
            others: Others::default(),
            gaps: Gaps::new(starts_ns.len()),
            by_function_ns: FxHashMap::default(),
            next: 0,
            kinds: Kinds::default(),
            recorded: Recorded {
                ends_ns: starts_ns.clone(),
                computing_ns: vec![0; starts_ns.len()],
                maybe_waits_ns: vec![0; starts_ns.len()],
                interrupted_ns: vec![0; starts_ns.len()],
                late_ns: vec![0; starts_ns.len()],
                starts_ns,
                ..Recorded::default()
            },
        }
    }

    /// What else was on the network with each message of the last batch; empty for a run on one host.
    pub fn traffic(&self) -> &[Traffic] {
        &self.traffic
    }

    /// Takes the next batch; gives what is complete.
    pub fn add_batch(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>], batch: &Batch) -> Section {
        self.add_rows(dimensions, facts, batch);
        self.traffic = traffic_of(&self.ports, &batch.messages);
        for (at, message) in batch.messages.iter().enumerate() {
            self.add_message(facts, message, self.traffic.get(at).copied().unwrap_or_default());
        }
        for collective in &batch.collectives {
            self.add_collective(dimensions, facts, batch, collective);
        }
        let dependences = self.others.next(dimensions, facts, batch);
        self.add_dependences(&dependences);
        self.recorded.lone += batch.lone.len() as u64;
        self.behind.push(batch);
        let horizon_ns = if batch.is_last { u64::MAX } else { self.behind.moment(BEHIND, 1) };
        let mut section = Section {
            ranks: vec![Calls::default(); self.ranks.len()],
            kinds: self.kinds.take_new(),
            is_last: batch.is_last,
        };
        for (rank, calls) in section.ranks.iter_mut().enumerate() {
            self.give(rank, horizon_ns, facts, calls);
            if batch.is_last {
                let until_ns = dimensions.ranks.get(rank).map_or(0, |row| row.rows_until_ns);
                let of = &mut self.ranks[rank];
                let gap_ns = until_ns.saturating_sub(of.last_end_ns);
                of.last_end_ns += gap_ns;
                self.recorded.computing_ns[rank] += gap_ns;
                self.gaps.add(rank, u32::MAX, None, gap_ns);
                calls.push(Step { row: u64::MAX, facts: u32::MAX, gap_ns, ..Step::default() }, []);
                self.recorded.ends_ns[rank] = of.last_end_ns;
            }
        }
        if batch.is_last {
            self.recorded.gaps = Arc::new(std::mem::take(&mut self.gaps));
            self.recorded.by_function_ns = std::mem::take(&mut self.by_function_ns).into_iter().collect();
        }
        section
    }

    fn add_rows(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>], batch: &Batch) {
        for (rank, of_batch) in batch.ranks.iter().enumerate() {
            let (Some(of), Some(dimension)) = (self.ranks.get_mut(rank), dimensions.ranks.get(rank)) else { continue };
            if of.rows.is_empty() {
                of.first = of_batch.first_row;
            }
            for call in &of_batch.calls {
                let info = facts.get(rank).and_then(|of| of.get(call.facts as usize));
                let is_poll = info.is_some_and(|f| f.flags & flags::POLL != 0);
                let is_rare = info.is_some_and(|f| self.polls.is_computing(rank, call, f));
                let is_outside = call.start_ns >= dimension.rows_until_ns || call.end_ns <= dimension.rows_from_ns;
                let is_frame = info.is_none_or(|f| matches!(f.role, Role::Init | Role::Finalize));
                let is_nested = call.flags & (flags::NESTED | flags::OPEN) != 0;
                self.recorded.of_threads += u64::from(call.thread != 0);
                of.rows.push_back(Row {
                    start_ns: call.start_ns,
                    end_ns: call.end_ns,
                    facts: call.facts,
                    parts: SmallVec::new(),
                    needed_ns: 0,
                    needs_far: false,
                    was_hindered: false,
                    wait: (0, None),
                    late_ns: 0,
                    sent_ns: 0,
                    is_aside: call.thread != 0 || is_rare || is_outside || is_frame || is_nested,
                    is_poll,
                });
            }
        }
    }

    fn row(&mut self, rank: RankId, row: u64) -> Option<&mut Row> {
        self.ranks.get_mut(rank.index()?)?.row(row)
    }

    fn has_row(&mut self, rank: RankId, row: u64) -> bool {
        self.row(rank, row).is_some()
    }

    fn part(&mut self, rank: RankId, row: u64, part: Part) {
        if let Some(row) = self.row(rank, row) {
            row.parts.push(part);
        }
    }

    /// A call needs what another rank did at a moment, unless that was after its end.
    fn needs(&mut self, rank: RankId, row: u64, (other, moment_ns): (RankId, u64)) {
        let is_far = self.ports.link(rank, other) != 0;
        if let Some(row) = self.row(rank, row).filter(|row| moment_ns < row.end_ns && row.needed_ns < moment_ns) {
            (row.needed_ns, row.needs_far) = (moment_ns, is_far);
        }
    }

    fn wait(&mut self, rank: RankId, end: &End, (from_ns, until_ns): (u64, u64), kind: Waiting) {
        if let Some(row) = self.row(rank, end.done_row) {
            let ns = until_ns.min(end.done_end_ns).saturating_sub(from_ns);
            if ns > row.wait.0 {
                row.wait = (ns, Some(kind));
            }
        }
    }

    fn add_message(&mut self, facts: &[Vec<CallInfo>], message: &Message, traffic: Traffic) {
        let Message { sender, receiver, send, receive, bytes, .. } = message;
        let is_known = receive.is_done() && sender.is_some() && receiver.is_some();
        if !is_known || !self.has_row(*sender, send.row) || !self.has_row(*receiver, receive.row) {
            self.recorded.late += 1;
            return;
        }
        if !self.has_row(*receiver, receive.done_row) {
            self.recorded.late += 1;
            return;
        }
        let id = self.next;
        self.next += 1;
        let role = sender.index().and_then(|rank| facts.get(rank)?.get(send.facts as usize)).map(|f| f.role);
        let mode = match role {
            Some(Role::Send(SendMode::Buffered | SendMode::Ready)) => Mode::Buffered,
            Some(Role::Send(SendMode::Synchronous)) => Mode::Synchronous,
            _ => Mode::Standard,
        };
        self.part(*sender, send.row, Part::Send { id, to: receiver.0, bytes: *bytes, mode });
        self.part(*receiver, receive.row, Part::Receive { id, from: sender.0, bytes: *bytes });
        self.part(*receiver, receive.done_row, Part::AwaitReceived(id));
        if let Some(row) = self.row(*receiver, receive.done_row) {
            row.sent_ns = row.sent_ns.max(send.start_ns);
            row.was_hindered |= traffic.was_hindered();
        }
        if send.is_done() {
            self.part(*sender, send.done_row, Part::AwaitSent(id));
        }
        self.wait(*receiver, receive, (receive.done_start_ns, send.start_ns), Waiting::LateSender);
        if send.is_done() {
            self.eager.learn(*bytes, send.done_end_ns, receive.start_ns);
        }
        let is_eager = mode == Mode::Buffered || (mode == Mode::Standard && self.eager.takes(*bytes));
        // By rendezvous, and where the MPI holds eager sends, each end needs the other one inside MPI.
        self.needs(*receiver, receive.done_row, (*sender, send.start_ns));
        if send.is_done() {
            self.needs(*sender, send.done_row, (*receiver, receive.start_ns.max(receive.done_start_ns)));
            if !is_eager {
                self.needs(*receiver, receive.done_row, (*sender, send.done_start_ns));
            }
        }
        // A send that was over before its receive was posted did not wait for it.
        let is_near = self.ports.link(*sender, *receiver) == 0;
        let is_held = mode == Mode::Standard && is_near && self.held_above_bytes.is_some_and(|most| *bytes > most);
        if send.is_done() && send.done_end_ns >= receive.start_ns && (!is_eager || is_held) {
            self.wait(*sender, send, (send.done_start_ns, receive.start_ns), Waiting::LateReceiver);
        }
    }

    fn add_collective(
        &mut self,
        dimensions: &Dimensions,
        facts: &[Vec<CallInfo>],
        batch: &Batch,
        collective: &mpiscope_store::Collective,
    ) {
        let members = batch.members.get(collective.members.clone()).unwrap_or_default();
        let is_there = members.iter().all(|m| self.has_row(m.rank, m.end.row) && self.has_row(m.rank, m.end.done_row));
        let Some((number, places)) = self.kinds.number(dimensions, facts, collective, members) else {
            return self.add_dependences(&without_costs(dimensions, facts, collective, members));
        };
        if !is_there {
            self.recorded.late += 1;
            return;
        }
        let id = self.next;
        self.next += 1;
        for (member, &place) in members.iter().zip(&places) {
            self.part(member.rank, member.end.row, Part::Enter { id, kind: number, member: place });
            self.part(member.rank, member.end.done_row, Part::Leave { id, member: place });
        }
        self.need_members(members);
        let kind = self.kinds.kind(number).clone();
        for (member, until_ns) in members.iter().zip(waited_ns(&kind, members, collective.root)) {
            let until_ns = until_ns.max(progress_until_ns(member, members));
            if let Some(until_ns) = until_ns {
                self.wait(member.rank, &member.end, (member.end.done_start_ns, until_ns), Waiting::of(kind.shape));
            }
        }
        if kind.shape == Shape::AllToAll {
            self.add_late(members);
        }
        self.kinds.learn((number, &places), members, collective.root);
    }

    /// Calls that wait for calls of other ranks.
    fn add_dependences(&mut self, dependences: &[Dependence]) {
        for &Dependence { waiting, reached, until_ns, kind } in dependences {
            if !self.has_row(waiting.0, waiting.1) || !self.has_row(reached.0, reached.1) {
                self.recorded.late += 1;
                continue;
            }
            let id = self.next;
            self.next += 1;
            self.part(reached.0, reached.1, Part::Reach(id));
            self.part(waiting.0, waiting.1, Part::AwaitReached { id, kind });
            let Some(row) = self.row(waiting.0, waiting.1) else { continue };
            let until_ns = until_ns.min(row.end_ns);
            let ns = until_ns.saturating_sub(row.start_ns);
            row.needed_ns = row.needed_ns.max(until_ns);
            if ns > row.wait.0 {
                row.wait = (ns, Some(kind));
            }
        }
    }

    /// Whom a member needs depends on the algorithm: at most all others that came before it left.
    fn need_members(&mut self, members: &[Member]) {
        let mut entries: Vec<(u64, RankId)> = members.iter().map(|m| (m.end.start_ns, m.rank)).collect();
        entries.sort_unstable();
        for member in members {
            let before = entries.partition_point(|&(ns, _)| ns < member.end.done_end_ns);
            if let Some(&(last_ns, last)) = entries[..before].iter().rev().find(|(_, rank)| *rank != member.rank) {
                self.needs(member.rank, member.end.done_row, (last, last_ns));
            }
        }
    }

    /// Members that came later to an operation of all than half of the others.
    fn add_late(&mut self, members: &[Member]) {
        let mut starts_ns: Vec<u64> = members.iter().map(|m| m.end.start_ns).collect();
        let Some(middle) = starts_ns.len().checked_sub(1).map(|last| last / 2) else { return };
        // The one in the middle of those that remain without a later one.
        let (_, &mut middle_ns, _) = starts_ns.select_nth_unstable(middle);
        for member in members.iter().filter(|m| m.end.row == m.end.done_row) {
            let late_ns = member.end.start_ns.saturating_sub(middle_ns);
            if let Some(row) = self.row(member.rank, member.end.row).filter(|_| late_ns > 0) {
                row.late_ns = late_ns;
            }
        }
    }

    /// Calls of a rank that returned before the horizon.
    fn give(&mut self, rank: usize, horizon_ns: u64, facts: &[Vec<CallInfo>], calls: &mut Calls) {
        let of = &mut self.ranks[rank];
        // About so many: rows come nearly in order of their ends.
        calls.steps.reserve(of.rows.partition_point(|row| row.end_ns < horizon_ns));
        while of.rows.front().is_some_and(|row| row.end_ns < horizon_ns || horizon_ns == u64::MAX) {
            let Some(mut row) = of.rows.pop_front() else { return };
            let number = of.first;
            of.first += 1;
            if row.is_aside {
                continue;
            }
            let gap_ns = row.start_ns.saturating_sub(of.last_end_ns);
            let inside_ns = row.end_ns.saturating_sub(row.start_ns.max(of.last_end_ns));
            of.last_end_ns = of.last_end_ns.max(row.end_ns);
            self.recorded.calls += 1;
            self.recorded.computing_ns[rank] += gap_ns;
            let info = facts.get(rank).and_then(|of| of.get(row.facts as usize));
            if let Some(info) = info {
                self.gaps.add(rank, row.facts, Some((info.function, info.site)), gap_ns);
                let ranks = self.recorded.starts_ns.len();
                let is_of_all = |part: &Part| match part {
                    Part::Enter { kind, .. } => self.kinds.kind(*kind).present as usize == ranks,
                    _ => false,
                };
                if row.parts.iter().any(is_of_all) {
                    self.gaps.meet(rank);
                }
                *self.by_function_ns.entry(info.function).or_default() += inside_ns;
            }
            self.recorded.inside_ns += inside_ns;
            // What polls wait for is what the call that they lead to takes.
            // Of calls that have no costs in the model, all but the waits that are known is as it was.
            let has_costs = row.parts.iter().any(|part| !matches!(part, Part::Reach(_) | Part::AwaitReached { .. }));
            let rest_ns = row.end_ns.saturating_sub(row.needed_ns.max(row.start_ns)).min(inside_ns);
            let is_waiting_poll = row.is_poll && row.parts.is_empty() && of.leads_to_completion();
            let own_ns = if has_costs || is_waiting_poll { 0 } else { rest_ns };
            let excess_ns = if has_costs { of.excess_ns(&row) } else { 0 };
            self.recorded.interrupted_ns[rank] += excess_ns;
            self.recorded.as_recorded_ns += own_ns;
            if info.is_some_and(|info| info.role != Role::Local) {
                self.recorded.maybe_waits_ns[rank] += own_ns;
            }
            if let (ns, Some(kind)) = row.wait {
                self.recorded.waits_ns[kind as usize] += ns;
            }
            row.parts.sort_by_key(place_in_call);
            self.recorded.late_ns[rank] += row.late_ns;
            let step = Step {
                row: number,
                facts: row.facts,
                gap_ns,
                own_ns: own_ns + excess_ns,
                late_ns: row.late_ns,
                sent_ns: row.sent_ns,
                ..Step::default()
            };
            calls.push(step, row.parts.iter().copied());
        }
    }
}

/// Where a part is in its call: what begins something comes before what awaits something.
pub(crate) fn place_in_call(part: &Part) -> u8 {
    match part {
        Part::Reach(_) | Part::Receive { .. } => 0,
        Part::Send { .. } => 1,
        Part::Inside { .. } => 2,
        Part::Enter { .. } => 3,
        Part::AwaitReceived(_) | Part::AwaitSent(_) | Part::AwaitReached { .. } | Part::Leave { .. } => 4,
    }
}

/// An operation that does not block also waits until members that compute enter MPI again; if it is complete soon after that.
fn progress_until_ns(member: &Member, members: &[Member]) -> Option<u64> {
    let End { row, done_row, done_start_ns, done_end_ns, .. } = member.end;
    if !member.end.is_done() || done_row == row {
        return None;
    }
    let back_ns = members.iter().map(|other| other.end.done_start_ns).filter(|&ns| ns <= done_end_ns).max()?;
    let is_soon = done_end_ns - back_ns <= back_ns.saturating_sub(done_start_ns) / 4;
    is_soon.then_some(back_ns)
}
