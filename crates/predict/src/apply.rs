//! A program and its network with changes.

mod aggregate;
mod arrival;
mod balanced;
mod conversation;
mod early;
mod join_operations;
mod merge_waits;
mod on_time;
mod regroup;
mod reorder;
mod rewrite;
mod split_waits;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use mpiscope_abi::LARGE;
use mpiscope_abi::role::{self, Mode, Pattern, Role};
use mpiscope_model::simulation::{Algorithm, Calls, Hierarchy, Kind, Link, Network, Part, Section, Shape, Step};
use mpiscope_store::{CallInfo, Dimensions, RegionId, SiteId, flags};
use rustc_hash::{FxHashMap, FxHashSet};

use self::aggregate::Aggregate;
use self::arrival::Arrival;
use self::balanced::Balanced;
use self::conversation::Conversation;
use self::early::Early;
use self::join_operations::JoinOperations;
use self::merge_waits::MergeWaits;
use self::on_time::OnTime;
use self::regroup::{Regroup, Regrouped};
use self::reorder::Reorder;
use self::rewrite::{Rewrite, rewritten};
use self::split_waits::SplitWaits;
use crate::change::{Change, Place};
use crate::fit::between_hosts;
use crate::gaps::Balance;
use crate::placement;
use crate::translate::Recorded;

/// What is known of the run.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The meaning of ids.
    pub dimensions: &'a Dimensions,
    /// Facts of each rank.
    pub facts: &'a [Vec<CallInfo>],
    /// Kinds of collective operations.
    pub kinds: &'a [Kind],
    /// Its sums.
    pub recorded: &'a Recorded,
}

/// A change that this run does not allow.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ApplyError {
    /// It names nothing.
    #[error("{change}: the run has no {what}{known}")]
    Nothing {
        /// The change.
        change: String,
        /// What it does not have.
        what: String,
        /// What it has, if that helps.
        known: String,
    },
    /// It cannot be done there.
    #[error("{change}: {why}")]
    Impossible {
        /// The change.
        change: String,
        /// The reason.
        why: String,
    },
}

impl ApplyError {
    /// The change, and why there is no answer.
    pub fn parts(&self) -> (&str, String) {
        match self {
            ApplyError::Nothing { change, what, known } => (change, format!("the run has no {what}{known}")),
            ApplyError::Impossible { change, why } => (change, why.clone()),
        }
    }
}

/// Where messages become eager that were not before: a network in which they cost less.
fn with_cheaper_eager(network: &Network, before: &Network) -> Option<Network> {
    let links = || network.links.iter().zip(&before.links);
    let is_raised = links().any(|(link, before)| link.eager_bytes > before.eager_bytes);
    let cheaper = links().map(|(link, before)| link.with_cheaper_eager(before.eager_bytes)).collect();
    is_raised.then(|| Network { links: cheaper, ..network.clone() })
}

/// Where messages share the ports of hosts: a network in which those that a host sends and those that it receives share them, too. Over TCP, what a receiver
/// answers to a long message queues behind the data that its rank sends, and the run does not show whether messages that were one after the
/// other will do that when they are at once.
fn with_shared_directions(network: &Network) -> Option<Network> {
    network.shares_ports().then(|| Network { shares_directions: true, ..network.clone() })
}

/// Where other algorithms are asked for: networks in which the MPI took one of those that the recorded run does not exclude. What an operation
/// costs was learnt from that one, so that the asked one costs something else.
fn with_other_algorithms(network: &Network) -> Vec<Network> {
    let asked = |at: usize| network.algorithms.get(at).is_some_and(Option::is_some);
    let most = network.possible.iter().enumerate().filter(|(at, _)| asked(*at)).map(|(_, of)| of.len()).max();
    let other = |nth: usize| {
        let mut other = network.clone();
        for (at, possible) in network.possible.iter().enumerate().filter(|(at, _)| asked(*at)) {
            if let (Some(factor), Some(&(_, learnt))) = (other.factors.get_mut(at), possible.get(nth)) {
                *factor = learnt;
            }
        }
        other
    };
    (0..most.unwrap_or(0)).map(other).collect()
}

/// Data with gaps move at the speed at which cores pack and unpack them: as non-blocking ones in both directions at once, they take as long as one
/// after the other. In the recorded run their calls blocked, and nothing else was packed meanwhile.
fn pack(packing: &mut Vec<FxHashSet<u32>>, selected: &[Vec<bool>], run: Run<'_>) {
    packing.resize(run.facts.len(), FxHashSet::default());
    for (rank, (selected, facts)) in selected.iter().zip(run.facts).enumerate() {
        let datatypes = run.dimensions.datatypes.get(rank);
        let has_gaps =
            |info: &CallInfo| datatypes.and_then(|of| of.get(&info.datatype)).is_some_and(|of| of.has_gaps());
        let with_gaps = (0..).zip(facts).zip(selected).filter(|((_, info), selected)| **selected && has_gaps(info));
        packing[rank].extend(with_gaps.map(|((number, _), _)| number));
    }
}

/// Computing between the calls of one exchange lasts at most this long, ns: buffers are packed, nothing else.
pub(crate) const SLIGHT_NS: u64 = 20_000;

/// A scenario, ready for the sections of a program.
pub struct Applied {
    /// The network.
    pub network: Arc<Network>,
    /// Others that are as likely: costs that were not measured are lower, messages in both directions hinder each other, or the MPI
    /// took another algorithm.
    pub variants: Vec<Arc<Network>>,
    /// Equal work in place of what ranks computed.
    balance: Option<Balanced>,
    /// Computing before a call, times this; by rank and facts. Empty: unchanged.
    speed: Vec<Vec<f32>>,
    without: Vec<Vec<bool>>,
    apart: Vec<Vec<bool>>,
    /// Exchanges that are not over: by rank.
    groups: Vec<Vec<(Step, Vec<Part>)>>,
    /// Whether one of them has other calls than one that becomes non-blocking.
    is_exchange: bool,
    /// By rank: its messages since it last computed.
    conversations: Vec<Conversation>,
    /// Whether an exchange was part of a conversation, whose calls stay as they are.
    is_conversation: bool,
    /// Calls whose messages are received in the order of sending.
    arrival: Vec<Vec<bool>>,
    /// Changes of calls, one after the other.
    rewrites: Vec<Box<dyn Rewrite>>,
}

impl Applied {
    /// Prepares changes.
    ///
    /// # Errors
    ///
    /// If the run has nothing that a change names, or it cannot be done there.
    pub fn new(changes: &[Change], network: &Network, run: Run<'_>) -> Result<Applied, ApplyError> {
        let before = network;
        let mut network = before.clone();
        let mut applied = Applied {
            network: Arc::new(Network::default()),
            variants: Vec::new(),
            balance: None,
            speed: Vec::new(),
            without: Vec::new(),
            apart: Vec::new(),
            groups: Vec::new(),
            is_exchange: false,
            conversations: Vec::new(),
            is_conversation: false,
            arrival: Vec::new(),
            rewrites: Vec::new(),
        };
        // Where ranks are decides which links there are, whose costs the other changes change.
        let places = |change: &&Change| matches!(change, Change::Placement(_));
        for change in changes.iter().filter(places).chain(changes.iter().filter(|change| !places(change))) {
            applied.add(change, &mut network, run)?;
        }
        if !applied.apart.is_empty() {
            applied.groups.resize_with(run.facts.len(), Vec::new);
            applied.conversations.resize_with(run.facts.len(), Conversation::default);
        }
        if !applied.arrival.is_empty() {
            let selected = std::mem::take(&mut applied.arrival);
            applied.rewrites.push(Box::new(Arrival::new(selected)));
        }
        let moves_messages = !applied.apart.is_empty() || !applied.rewrites.is_empty();
        let shared = moves_messages.then(|| with_shared_directions(&network)).flatten();
        let variants =
            with_cheaper_eager(&network, before).into_iter().chain(shared).chain(with_other_algorithms(&network));
        applied.variants = variants.map(Arc::new).collect();
        applied.network = Arc::new(network);
        Ok(applied)
    }

    fn add(&mut self, change: &Change, network: &mut Network, run: Run<'_>) -> Result<(), ApplyError> {
        let mut scale = |latency: f64, per_byte: f64, overhead: f64| {
            network.links.iter_mut().for_each(|link| *link = link.scaled(latency, per_byte, overhead));
        };
        let impossible = |why: &str| ApplyError::Impossible { change: change.to_string(), why: why.to_owned() };
        match change {
            Change::Latency(factor) => scale(*factor, 1.0, 1.0),
            Change::Bandwidth(factor) => scale(1.0, 1.0 / factor, 1.0),
            Change::Overhead(factor) => scale(1.0, 1.0, *factor),
            Change::Eager(bytes) => {
                network.links.iter_mut().for_each(|link| *link = link.with_eager_limit(*bytes));
            }
            Change::Machine(machine) => {
                let [near, far] = machine.links.clone();
                if near.is_none() && far.is_none() {
                    return Err(impossible(
                        "the profile has no times of messages; measure them: mpiscope bench pingpong",
                    ));
                }
                // What the MPI does with a send is not part of a profile.
                let of = |link: Link, slot: &Link| Link { held_above_bytes: slot.held_above_bytes, ..link };
                if let (Some(near), Some(slot)) = (near, network.links.first_mut()) {
                    *slot = of(near, slot);
                }
                if let (Some(far), Some(slot)) = (far.map(between_hosts), network.links.get(1)) {
                    let far = of(far, slot);
                    placement::with_far(&mut network.links, &far);
                }
            }
            Change::NoContention => {
                network.links.iter_mut().for_each(|link| (link.port_ns_per_byte, link.port_ns_per_message) = (0.0, 0.0))
            }
            Change::Placement(placement) => placement::apply(change, placement, network, run)?,
            Change::Progress => network.always_progresses = true,
            Change::Algorithm(function, algorithm) => set_algorithm(change, (*function, *algorithm), network, run)?,
            Change::Balance if !run.recorded.gaps.is_full() => {
                self.balance = Some(Balanced::everywhere(Balance::new(run.recorded.gaps.clone())))
            }
            // Too many calls to compare each: the sums of the ranks.
            Change::Balance => {
                let own_ns = &run.recorded.computing_ns;
                let mean_ns = own_ns.iter().sum::<u64>() as f64 / own_ns.len().max(1) as f64;
                let speed = |ns: u64| if ns == 0 { 1.0 } else { (mean_ns / ns as f64) as f32 };
                self.speed_up(run, |rank, _| speed(own_ns.get(rank).copied().unwrap_or(0)));
            }
            Change::Balanced(place) => self.balance_at(change, place, run)?,
            Change::Faster(place, factor) => self.compute_longer(&selected(change, place, run)?, 1.0 / factor, run),
            Change::Slower(place, factor) => self.compute_longer(&selected(change, place, run)?, *factor, run),
            Change::Without(place) => {
                let selected = left_out(change, place, run)?;
                if let Some(why) = of_selected(&selected, run).find_map(needed) {
                    return Err(impossible(&format!(
                        "{why}; only collective operations and local calls can be left out"
                    )));
                }
                merge(&mut self.without, selected);
            }
            Change::Once(place) => {
                let mut selected = selected(change, place, run)?;
                if !of_selected(&selected, run).any(makes_object) {
                    return Err(impossible(
                        "only calls that create or free communicators and windows can be made once",
                    ));
                }
                only(&mut selected, run, makes_object);
                if !keep_repeated(&mut selected, run) {
                    return Err(impossible("it is made once already: no rank makes one of these calls twice"));
                }
                // The few that remain take next to nothing of a loop.
                merge(&mut self.without, selected);
            }
            Change::NonBlocking(place) => {
                let mut selected = selected(change, place, run)?;
                let blocks = |info: &CallInfo| {
                    matches!(info.role, Role::Receive | Role::Send(Mode::Standard | Mode::Synchronous))
                        && info.flags & (flags::NON_BLOCKING | flags::PERSISTENT) == 0
                };
                if !of_selected(&selected, run).any(blocks) {
                    let first = of_selected(&selected, run).next();
                    let name = first.map_or("", |info| mpiscope_abi::name(info.function));
                    let why = match first.map(|info| info.role) {
                        Some(Role::SendReceive) => "sends and receives at the same time already",
                        Some(Role::Collective(_)) => "is a collective operation",
                        _ => "is not a blocking send or receive",
                    };
                    return Err(impossible(&format!(
                        "{name} {why}; only MPI_Send, MPI_Ssend and MPI_Recv can become non-blocking"
                    )));
                }
                only(&mut selected, run, blocks);
                pack(&mut network.packing, &selected, run);
                merge(&mut self.apart, selected);
            }
            Change::Aggregated(place) => {
                let selected = selected(change, place, run)?;
                let [has_messages, has_operations] =
                    [sends, CallInfo::is_blocking_collective].map(|is| of_selected(&selected, run).any(is));
                if has_operations {
                    let mut operations = selected.clone();
                    only(&mut operations, run, CallInfo::is_blocking_collective);
                    self.rewrites.push(Box::new(JoinOperations::new(operations)));
                }
                if has_messages {
                    self.rewrites.push(Box::new(Aggregate::new(selected)));
                } else if !has_operations {
                    return Err(impossible(
                        "these calls send no messages, and are not blocking collective operations with data",
                    ));
                }
            }
            Change::Reordered(place) => {
                let selected = selected(change, place, run)?;
                if !of_selected(&selected, run).any(sends) {
                    return Err(impossible("these calls send no messages"));
                }
                self.rewrites.push(Box::new(Reorder::new(selected)));
            }
            Change::Arrival(place) => {
                let selected = selected(change, place, run)?;
                if !of_selected(&selected, run).any(awaits_messages) {
                    return Err(impossible(
                        "these calls do not wait for messages; MPI_Recv, MPI_Wait and their like do",
                    ));
                }
                // One receive in a row is enough to sort all of them.
                merge(&mut self.arrival, selected);
            }
            Change::Early(place) => {
                let mut selected = selected(change, place, run)?;
                if !of_selected(&selected, run).any(receives) {
                    return Err(impossible("these calls are no blocking receives; only MPI_Recv can come earlier"));
                }
                only(&mut selected, run, receives);
                self.rewrites.push(Box::new(Early::new(selected)));
            }
            Change::Merged(place) | Change::Split(place) => {
                let mut selected = selected(change, place, run)?;
                let waits = |info: &CallInfo| info.role == Role::Complete && info.flags & flags::ASKS == 0;
                if !of_selected(&selected, run).any(waits) {
                    return Err(impossible(
                        "these calls do not wait for requests; only MPI_Wait and its like can be merged or split",
                    ));
                }
                only(&mut selected, run, waits);
                self.rewrites.push(match change {
                    Change::Split(_) => Box::new(SplitWaits::new(selected)),
                    _ => Box::new(MergeWaits::new(selected)),
                });
            }
            Change::Neighbourhood(place) | Change::Phased(place) => {
                let selected = selected(change, place, run)?;
                let takes_part = |info: &CallInfo| sends(info) || info.role == Role::Receive;
                if !of_selected(&selected, run).any(takes_part) {
                    return Err(impossible("these calls neither send nor receive messages"));
                }
                let to = if matches!(change, Change::Phased(_)) { Regrouped::InPhases } else { Regrouped::AtOnce };
                self.rewrites.push(Box::new(Regroup::new(to, selected)));
            }
            Change::OnTime(number) => {
                selected(change, &Place::Rank(*number), run)?;
                let rank = run.dimensions.ranks.iter().position(|row| row.world_rank == *number).unwrap_or(0);
                if run.recorded.late_ns.get(rank).is_none_or(|ns| *ns == 0) {
                    return Err(impossible(
                        "it never comes later than half of the others to an operation in which all wait for all",
                    ));
                }
                let is_for_all = run.kinds.iter().map(|kind| kind.shape == Shape::AllToAll).collect();
                self.rewrites.push(Box::new(OnTime::new(rank, is_for_all)));
            }
        }
        Ok(())
    }

    /// After the last section: what the changes of calls have done, as far as that is worth a few words.
    ///
    /// # Errors
    ///
    /// Why one of them has done nothing.
    pub fn summary(&self) -> Result<Vec<String>, String> {
        if !self.apart.is_empty() && !self.is_exchange {
            return Err(if self.is_conversation { ANSWERS } else { ALONE }.to_owned());
        }
        let all: Result<Vec<String>, String> = self.rewrites.iter().map(|rewrite| rewrite.summary()).collect();
        Ok(all?.into_iter().filter(|text| !text.is_empty()).collect())
    }

    /// Equal work at a place. What one rank has more than the mean, the others take over, each the same share of what it computes.
    fn balance_at(&mut self, change: &Change, place: &Place, run: Run<'_>) -> Result<(), ApplyError> {
        let mut places = selected(change, place, run)?;
        if run.recorded.gaps.is_full() {
            let why =
                "the run has too many calls to compare each; ask for balance=perfect, or record a part of the run";
            return Err(ApplyError::Impossible { change: change.to_string(), why: why.to_owned() });
        }
        // What a rank computes after its last call is at no place but the rank.
        let is_all = matches!(place, Place::Rank(_));
        places.iter_mut().for_each(|of| of.push(is_all && of.iter().any(|is| *is)));
        if is_all {
            let own_ns = &run.recorded.computing_ns;
            let all_ns = own_ns.iter().sum::<u64>() as f64;
            let of_rank = |rank: usize| places[rank].iter().any(|is| *is);
            let rank_ns: f64 = (0..own_ns.len()).filter(|&rank| of_rank(rank)).map(|rank| own_ns[rank] as f64).sum();
            let more_ns = rank_ns - all_ns / own_ns.len().max(1) as f64;
            let share = if all_ns > rank_ns { 1.0 + more_ns / (all_ns - rank_ns) } else { 1.0 };
            self.speed_up(run, |rank, _| if of_rank(rank) { 1.0 } else { share as f32 });
        }
        match &mut self.balance {
            Some(balance) => balance.also_at(places),
            None => self.balance = Some(Balanced::at(Balance::new(run.recorded.gaps.clone()), places)),
        }
        Ok(())
    }

    fn compute_longer(&mut self, selected: &[Vec<bool>], times: f64, run: Run<'_>) {
        self.speed_up(run, |rank, facts| if selected[rank][facts] { times as f32 } else { 1.0 });
    }

    fn speed_up(&mut self, run: Run<'_>, factor: impl Fn(usize, usize) -> f32) {
        if self.speed.is_empty() {
            // The last step of a rank has no facts.
            self.speed = run.facts.iter().map(|of| vec![1.0; of.len() + 1]).collect();
        }
        for (rank, of) in self.speed.iter_mut().enumerate() {
            let last = of.len() - 1;
            for (facts, speed) in of.iter_mut().enumerate() {
                *speed *= factor(rank, if facts == last { facts.saturating_sub(1) } else { facts });
            }
        }
    }

    /// Whether calls of a rank with these facts are left out.
    pub fn without(&self, rank: usize) -> &[bool] {
        self.without.get(rank).map_or(&[], Vec::as_slice)
    }

    /// Whether a call of a rank with these facts has become non-blocking, if it has messages.
    pub fn is_apart(&self, rank: usize, facts: u32) -> bool {
        is(&self.apart, rank, facts)
    }

    /// The next section under the changes.
    pub fn section(&mut self, section: &Arc<Section>) -> Arc<Section> {
        let mut section = self.with_other_costs(section);
        for rewrite in &mut self.rewrites {
            section = Arc::new(rewritten(rewrite.as_mut(), &section));
        }
        section
    }

    /// The next section with other computing, without calls, and with exchanges of messages.
    fn with_other_costs(&mut self, section: &Arc<Section>) -> Arc<Section> {
        if self.balance.is_none() && self.speed.is_empty() && self.without.is_empty() && self.apart.is_empty() {
            return section.clone();
        }
        let mut out = Section { kinds: section.kinds.clone(), is_last: section.is_last, ranks: Vec::new() };
        for (rank, calls) in section.ranks.iter().enumerate() {
            let mut changed = Calls::default();
            for step in &calls.steps {
                let mut parts = calls.parts_of(step);
                let mut step = *step;
                if let Some(mean_ns) = self.balance.as_mut().and_then(|of| of.next_ns(rank, &step)) {
                    step.gap_ns = mean_ns;
                }
                if let Some(of) = self.speed.get(rank) {
                    let at = (step.facts as usize).min(of.len() - 1);
                    step.gap_ns = (step.gap_ns as f64 * f64::from(of[at])) as u64;
                }
                if is(&self.without, rank, step.facts) {
                    (parts, step.own_ns) = (&[], 0);
                }
                if self.groups.is_empty() {
                    changed.push(step, parts.iter().copied());
                } else {
                    self.group(rank, step, parts, &mut changed);
                }
            }
            if section.is_last {
                self.end_group(rank, &mut changed);
            }
            out.ranks.push(changed);
        }
        Arc::new(out)
    }

    /// Calls with messages that follow each other closely are one exchange.
    fn group(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls) {
        let has_messages = parts.iter().any(Part::is_of_message);
        let Some(group) = self.groups.get_mut(rank) else { return };
        if !has_messages || (!group.is_empty() && step.gap_ns > SLIGHT_NS) {
            self.end_group(rank, out);
        }
        self.conversations[rank].add(&step, parts);
        match has_messages {
            true => self.groups[rank].push((step, parts.to_vec())),
            false => out.push(step, parts.iter().copied()),
        }
    }

    /// In an exchange, receives that become non-blocking are posted first, and what they and such sends wait for is awaited last, in
    /// a call of its own. Whatever else there is keeps its time.
    fn end_group(&mut self, rank: usize, out: &mut Calls) {
        let Some(group) = self.groups.get_mut(rank).map(std::mem::take) else { return };
        if self.conversations[rank].is_one() {
            self.is_conversation = true;
            group.into_iter().for_each(|(step, parts)| out.push(step, parts));
            return;
        }
        let is_post = |part: &Part| matches!(part, Part::Receive { .. });
        self.is_exchange |= group.len() > 1 && group.iter().any(|(step, _)| is(&self.apart, rank, step.facts));
        let (mut first, mut rest, mut awaits) = (Vec::new(), Vec::new(), Vec::new());
        let (mut now_ns, mut last_row, mut may_move) = (0, 0, true);
        for (mut step, mut parts) in group {
            now_ns += step.gap_ns;
            step.gap_ns = now_ns;
            last_row = step.row;
            if is(&self.apart, rank, step.facts) {
                let is_await = |part: &Part| matches!(part, Part::AwaitReceived(_) | Part::AwaitSent(_));
                awaits.extend(parts.iter().copied().filter(is_await));
                parts.retain(|part| !is_await(part));
                let moves = may_move && parts.iter().any(is_post);
                (if moves { &mut first } else { &mut rest }).push((step, parts));
            } else {
                // Receives match messages in the order in which they are posted.
                may_move &= !parts.iter().any(is_post);
                rest.push((step, parts));
            }
        }
        let begin_ns = first.iter().chain(&rest).map(|(step, _)| step.gap_ns).min().unwrap_or(0);
        first.iter_mut().for_each(|(step, _)| step.gap_ns = begin_ns);
        if !awaits.is_empty() {
            rest.push((Step { row: last_row, facts: WAIT, gap_ns: now_ns, ..Step::default() }, awaits));
        }
        // Moments in the exchange become times since the call before.
        let mut before_ns = 0;
        for (mut step, parts) in first.into_iter().chain(rest) {
            let at_ns = step.gap_ns;
            step.gap_ns = at_ns.saturating_sub(before_ns);
            before_ns = at_ns;
            out.push(step, parts);
        }
    }
}

/// Why calls that become non-blocking gain nothing.
const ALONE: &str = "these calls are exchanges of their own: no other call with messages follows or precedes them within 20 µs, so what they begin \
                     would be awaited at once";

/// Why calls that become non-blocking may not be changed.
const ANSWERS: &str = "these calls answer each other: a rank sends to the same partner and receives from it again and again, without computing between, so what \
                       it sends may depend on what it has just received";

/// The facts of a call that the recorded run does not have: it awaits what has become non-blocking.
pub const WAIT: u32 = u32::MAX - 1;

fn sends(info: &CallInfo) -> bool {
    matches!(info.role, Role::Send(_) | Role::SendReceive | Role::Start)
}

/// Whether a place has collective operations that can be one, and no messages.
pub(crate) fn are_operations(change: &Change, place: &Place, run: Run<'_>) -> bool {
    let is_any = |is: fn(&CallInfo) -> bool| {
        selected(change, place, run).is_ok_and(|selected| of_selected(&selected, run).any(is))
    };
    is_any(CallInfo::is_blocking_collective) && !is_any(sends)
}

/// Whether it is a blocking receive.
pub(crate) fn receives(info: &CallInfo) -> bool {
    info.role == Role::Receive && info.flags & (flags::NON_BLOCKING | flags::PERSISTENT) == 0
}

/// Whether it waits until messages are there.
pub(crate) fn awaits_messages(info: &CallInfo) -> bool {
    receives(info) || (info.role == Role::Complete && info.flags & flags::ASKS == 0)
}

/// Calls at a place that are left out. What moves data there stays, if there is something else: a line may have a barrier and a reduction.
fn left_out(change: &Change, place: &Place, run: Run<'_>) -> Result<Vec<Vec<bool>>, ApplyError> {
    let mut selected = selected(change, place, run)?;
    if of_selected(&selected, run).any(can_be_left_out) {
        only(&mut selected, run, can_be_left_out);
    }
    Ok(selected)
}

/// The names of the calls that a change leaves out, and whether the program may need nothing of them.
pub(crate) fn names_left_out(change: &Change, place: &Place, run: Run<'_>) -> Option<(String, bool)> {
    let selected = left_out(change, place, run).ok()?;
    let names = by_time(of_selected(&selected, run), |info| mpiscope_abi::name(info.function));
    Some((few(&names), of_selected(&selected, run).any(can_be_left_out)))
}

/// Why a program cannot do without a call.
fn needed(info: &CallInfo) -> Option<String> {
    let name = mpiscope_abi::name(info.function);
    let why = match info.role {
        Role::Collective(_) | Role::Local => return None,
        Role::Init | Role::Finalize => "is a part of every MPI program",
        Role::File => "reads or writes what the program needs",
        Role::Access | Role::Epoch(_) => "moves data of a window, or opens or ends an epoch for that",
        Role::Meet => "is where the program meets another one",
        Role::Probe | Role::MatchedProbe => "tells the program which message has come",
        _ => "is one end of a message, without which the other one waits forever",
    };
    Some(format!("{name} {why}"))
}

/// Of the selected calls, those that a rank makes again and again at one place. False if there are none.
fn keep_repeated(selected: &mut [Vec<bool>], run: Run<'_>) -> bool {
    let mut is_any = false;
    for (of, facts) in selected.iter_mut().zip(run.facts) {
        let mut calls: FxHashMap<(SiteId, u32), u64> = FxHashMap::default();
        let own = of.iter().zip(facts).filter(|(is, _)| **is);
        own.for_each(|(_, info)| *calls.entry((info.site, info.function)).or_default() += info.calls);
        let is_repeated = |info: &CallInfo| calls.get(&(info.site, info.function)).is_some_and(|calls| *calls > 1);
        for (is, info) in of.iter_mut().zip(facts) {
            *is &= is_repeated(info);
            is_any |= *is;
        }
    }
    is_any
}

/// Whether a program may need nothing of what a call does.
pub(crate) fn can_be_left_out(info: &CallInfo) -> bool {
    matches!(info.role, Role::Collective(Pattern::Barrier) | Role::Local)
}

/// Whether a call makes or frees a communicator or window.
pub(crate) fn makes_object(info: &CallInfo) -> bool {
    role::makes_object(info.function)
}

/// Of the selected calls, those of a kind.
fn only(selected: &mut [Vec<bool>], run: Run<'_>, is_such: impl Fn(&CallInfo) -> bool) {
    for (of, facts) in selected.iter_mut().zip(run.facts) {
        of.iter_mut().zip(facts).for_each(|(is, info)| *is &= is_such(info));
    }
}

fn is(table: &[Vec<bool>], rank: usize, facts: u32) -> bool {
    table.get(rank).and_then(|of| of.get(facts as usize)).copied().unwrap_or(false)
}

fn merge(table: &mut Vec<Vec<bool>>, more: Vec<Vec<bool>>) {
    if table.is_empty() {
        *table = more;
        return;
    }
    for (of, more) in table.iter_mut().zip(more) {
        of.iter_mut().zip(more).for_each(|(is, more)| *is |= more);
    }
}

fn of_selected<'a>(selected: &'a [Vec<bool>], run: Run<'a>) -> impl Iterator<Item = &'a CallInfo> {
    let both = selected.iter().zip(run.facts).flat_map(|(is, facts)| is.iter().zip(facts));
    both.filter(|(is, _)| **is).map(|(_, info)| info)
}

/// Calls at a place, by rank and facts.
fn selected(change: &Change, place: &Place, run: Run<'_>) -> Result<Vec<Vec<bool>>, ApplyError> {
    let regions = match place {
        Place::Region(name) => regions_named(name, run),
        _ => FxHashSet::default(),
    };
    let is_here = |rank: usize, info: &CallInfo| match place {
        Place::Rank(number) => run.dimensions.ranks[rank].world_rank == *number,
        Place::Site(text) => run.dimensions.site(info.site).contains(text.as_str()),
        Place::Region(_) => regions.contains(&info.region),
        Place::Function(function) => info.function & !LARGE == function & !LARGE,
    };
    let of_rank = |(rank, facts): (usize, &Vec<CallInfo>)| facts.iter().map(|info| is_here(rank, info)).collect();
    let found: Vec<Vec<bool>> = run.facts.iter().enumerate().map(of_rank).collect();
    if found.iter().flatten().any(|is| *is) {
        return Ok(found);
    }
    let (what, known) = match place {
        Place::Rank(rank) => {
            let last = run.dimensions.ranks.iter().map(|row| row.world_rank).max().unwrap_or(0);
            (format!("rank {rank}"), format!("; its ranks are 0 to {last}"))
        }
        Place::Site(text) => (format!("call site with `{text}`"), listed("its call sites are", &sites(run))),
        Place::Region(name) => {
            let mut paths: Vec<String> = all_regions(run).map(|region| run.dimensions.region(region)).collect();
            paths.sort();
            paths.dedup();
            (format!("region `{name}`"), listed("its regions are", &paths))
        }
        Place::Function(function) => {
            (format!("call of {}", mpiscope_abi::name(*function)), listed("it calls", &functions(run)))
        }
    };
    Err(ApplyError::Nothing { change: change.to_string(), what, known })
}

fn all_regions(run: Run<'_>) -> impl Iterator<Item = RegionId> {
    (0..run.dimensions.regions.len() as u32).map(RegionId)
}

/// The region with this path, or else all with this name wherever they are, with those inside them. Around the names of a path may be spaces: `step / exchange`.
fn regions_named(name: &str, run: Run<'_>) -> FxHashSet<RegionId> {
    let tidy = |path: &str| format!("/{}/", path.split('/').map(str::trim).collect::<Vec<_>>().join("/"));
    let wanted = tidy(name);
    let found = |is_it: &dyn Fn(&str) -> bool| -> FxHashSet<RegionId> {
        all_regions(run).filter(|&region| is_it(&tidy(&run.dimensions.region(region)))).collect()
    };
    let from_the_top = found(&|path| path.starts_with(&wanted));
    if from_the_top.is_empty() { found(&|path| path.contains(&wanted)) } else { from_the_top }
}

/// Names that a text lists at most.
const MOST: usize = 6;

fn listed(begin: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; {begin} {}", few(names)) }
}

fn few(names: &[String]) -> String {
    match names.len().saturating_sub(MOST) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..MOST].join(", ")),
    }
}

/// Call sites, those with most time first.
fn sites(run: Run<'_>) -> Vec<String> {
    by_time(run.facts.iter().flatten(), |info| run.dimensions.site(info.site))
}

fn functions(run: Run<'_>) -> Vec<String> {
    by_time(run.facts.iter().flatten(), |info| mpiscope_abi::name(info.function))
}

/// Names of calls, those with most time first.
fn by_time<'a>(calls: impl Iterator<Item = &'a CallInfo>, name: impl Fn(&'a CallInfo) -> &'a str) -> Vec<String> {
    let mut times = std::collections::BTreeMap::<&str, u64>::new();
    for info in calls {
        *times.entry(name(info)).or_default() += info.time_ns;
    }
    let mut found: Vec<(&str, u64)> = times.into_iter().filter(|(name, _)| !name.is_empty()).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    found.into_iter().map(|(name, _)| name.to_owned()).collect()
}

fn set_algorithm(
    change: &Change,
    (function, algorithm): (u32, Algorithm),
    network: &mut Network,
    run: Run<'_>,
) -> Result<(), ApplyError> {
    network.algorithms.resize(run.kinds.len(), None);
    network.hierarchies.resize(run.kinds.len(), None);
    let (mut is_called, mut is_found) = (false, false);
    for (at, kind) in run.kinds.iter().enumerate().filter(|(_, kind)| kind.function & !LARGE == function & !LARGE) {
        is_called = true;
        if algorithm == Algorithm::Hierarchical {
            network.hierarchies[at] = Hierarchy::new(kind, network);
            if network.hierarchies[at].is_none() {
                continue;
            }
        }
        (network.algorithms[at], is_found) = (Some(algorithm), true);
    }
    if is_found {
        return Ok(());
    }
    if is_called {
        let why = "no such operation has members on several hosts and several members on one of them".to_owned();
        return Err(ApplyError::Impossible { change: change.to_string(), why });
    }
    let what = format!("operation {} of two or more ranks", mpiscope_abi::name(function));
    Err(ApplyError::Nothing { change: change.to_string(), what, known: listed("it calls", &functions(run)) })
}
