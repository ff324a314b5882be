//! Wait states: from messages and collective operations to [`Wait`]s.
//!
//! One file for each pattern; each is a pure function of rows with its formula. Here they are applied:
//!
//! * The wait of a non-blocking operation is in the call that completes it, never in the call that starts it. A `Test`
//!   does not wait; a loop that only polls does ([`polls`]).
//! * A call that completes several messages has one wait: until the last partner that it needs ([`candidate`],
//!   [`pending`]).
//! * A rank waits for the *start* of the other side's call. The rest of the call is transfer, or completion.

mod backlog;
mod barrier;
mod broadcast;
mod candidate;
mod collective;
mod eager;
mod fence;
mod findings;
mod late_receiver;
mod late_sender;
mod lock_contention;
mod neighbors;
mod nxn;
mod passive;
mod pending;
pub mod places;
mod polls;
mod probes;
pub mod profile;
mod progress;
mod pscw;
mod reduce;
mod rma;
mod rules;
mod scan;
mod settings;
mod target_progress;
#[cfg(test)]
pub(crate) mod tests;
mod wrong_order;

use mpiscope_abi::role::{Mode, Pattern, Role};
use mpiscope_store::{CallInfo, Collective, Dimensions, End, Member, Message, RankBatch, RankId, flags};

pub use backlog::Backlogs;
pub use barrier::{barrier_completion, wait_at_barrier};
pub use broadcast::late_broadcast;
pub use candidate::Candidate;
pub use collective::Meeting;
pub use eager::Eager;
pub use fence::wait_at_fence;
pub use late_receiver::late_receiver;
pub use late_sender::late_sender;
pub use lock_contention::{Holder, lock_contention};
pub use neighbors::{awaited_destination, member_at, wait_at_neighbors};
pub use nxn::{nxn_completion, wait_at_nxn};
pub use polls::PollPlaces;
pub(crate) use polls::RECORDING_NS;
pub use polls::{Polls, late_sender_of_polls};
pub use probes::{Probe, late_sender_of_probe};
pub use progress::{member_waits_for_progress, receiver_waits_for_progress, sender_waits_for_progress};
pub use pscw::{Access, Exposure, early_wait, late_complete, late_posts};
pub use reduce::early_reduce;
pub use rma::At;
pub use rules::RULES;
pub use scan::early_scan;
pub use settings::held_above_bytes;
pub use target_progress::{Outside, rma_wait_for_progress};
pub(crate) use wrong_order::only_receives;
pub use wrong_order::wrong_order;

use crate::analysis::Input;
use crate::explanation::{Cause, Explanation, Scope, Wait, WaitKind};
use pending::Pending;
use places::Places;
use profile::Profile;

/// Bits that classify calls, by facts.
mod class {
    /// Tests without waiting.
    pub const ASKS: u8 = 1;
    /// Returns when the first of several is complete.
    pub const ANY: u8 = 2;
    /// May complete several requests.
    pub const SEVERAL: u8 = 4;
    /// A send that never waits for the receiver.
    pub const NEVER_BLOCKS: u8 = 8;
    /// A send that always waits for the receiver.
    pub const ALWAYS_BLOCKS: u8 = 16;
    /// An all-to-all operation with counts for each rank, in which a rank may need nothing from others.
    pub const COUNTS: u8 = 32;
    /// Marks a part of a partitioned send as ready.
    pub const READIES: u8 = 64;
    /// A run of polls that found nothing.
    pub const POLLS: u8 = 128;
}

/// At most this many calls are searched for the last part of a partitioned send.
const MOST_PARTS: usize = 4096;

/// Finds waits.
#[derive(Default)]
pub struct Waits {
    classes: Vec<Vec<u8>>,
    places: Places,
    pending: Pending,
    eager: Eager,
    backlogs: backlog::Backlogs,
    profile: Profile,
    rma: rma::Rma,
    probes: probes::Probes,
    polls: polls::AllPolls,
    /// By rank: what was found in this batch.
    found: Vec<Vec<Wait>>,
    has_unknown_neighbors: bool,
    /// Messages of the batch, by index, whose send cannot end before the receive is posted.
    blocking: Vec<u32>,
    /// A list that is reused.
    spare: Vec<Wait>,
    /// By rank: returns of the calls of the previous batch.
    before: Vec<Returns>,
}

/// Returns of consecutive calls.
#[derive(Default)]
struct Returns {
    first_row: u64,
    ends_ns: Vec<u64>,
}

impl Returns {
    fn keep(&mut self, batch: &RankBatch) {
        if !batch.calls.is_empty() {
            self.first_row = batch.first_row;
            self.ends_ns.clear();
            self.ends_ns.extend(batch.calls.iter().map(|c| c.end_ns));
        }
    }

    fn end_of(&self, row: u64) -> Option<u64> {
        self.ends_ns.get(row.checked_sub(self.first_row)? as usize).copied()
    }
}

impl Waits {
    /// Before the first batch.
    pub fn new(scope: &Scope) -> Waits {
        Waits { profile: Profile::new(scope), ..Waits::default() }
    }

    /// Waits whose message or collective operation is in this batch, by rank and end.
    pub fn detect(&mut self, input: &Input<'_>) -> Vec<Wait> {
        if self.classes.len() < input.facts.len() {
            self.classes = input.facts.iter().map(|rank| rank.iter().map(class_of).collect()).collect();
            self.places = Places::new(input.facts);
            self.rma = rma::Rma::new(input.facts, &input.dimensions.groups);
            self.probes = probes::Probes::new(input.facts);
            self.polls = polls::AllPolls::new(input.facts);
            self.pending.set_ranks(input.facts.len());
            self.found.resize_with(input.facts.len(), Vec::new);
            self.before.resize_with(input.facts.len(), Returns::default);
        }
        self.pending.begin(&input.batch.ranks);
        self.probes.begin(&input.batch.ranks, input.facts);
        self.polls.begin(&input.batch.ranks, input.facts);
        self.blocking.clear();
        for (at, message) in input.batch.messages.iter().enumerate() {
            if self.message(message, &input.batch.ranks) {
                self.blocking.push(at as u32);
            }
        }
        for collective in &input.batch.collectives {
            self.collective(input, collective);
        }
        let found = &mut self.found;
        self.rma.detect(input, |wait| {
            if let Some(found) = found.get_mut(wait.rank.0 as usize) {
                found.push(wait);
            }
        });
        if input.batch.is_last {
            for candidate in self.pending.drain() {
                self.emit_several(candidate);
            }
        }
        self.found.iter_mut().for_each(|waits| waits.sort_unstable_by_key(|w| (w.end_ns, w.start_ns, w.row)));
        // If rows of other ranks are missing, only some of the waits would be found.
        if input.dimensions.is_cut() {
            for (waits, row) in self.found.iter_mut().zip(&input.dimensions.ranks) {
                waits.retain(|w| w.start_ns >= row.rows_from_ns && w.end_ns <= row.rows_until_ns);
            }
        }
        for message in
            input.batch.messages.iter().filter(|m| m.send.start_ns < m.receive.start_ns && m.receive.is_done())
        {
            let at = message.receiver.0 as usize;
            let rows = input.batch.ranks.get(at).zip(input.facts.get(at));
            if let Some((waits, (rows, facts))) = self.found.get_mut(at).zip(rows) {
                wrong_order::mark(waits, message, rows, facts);
            }
        }
        self.before.iter_mut().zip(&input.batch.ranks).for_each(|(before, batch)| before.keep(batch));
        let mut waits = std::mem::take(&mut self.spare);
        waits.reserve(self.found.iter().map(Vec::len).sum());
        self.found.iter_mut().for_each(|found| waits.append(found));
        waits.iter().for_each(|wait| self.profile.add(wait, &self.places));
        waits
    }

    /// Messages of the last batch, by index, whose send cannot end before the receive is posted, as far as is known.
    pub fn blocking(&self) -> &[u32] {
        &self.blocking
    }

    /// Returns the list of the last batch for reuse.
    pub fn give_back(&mut self, mut waits: Vec<Wait>) {
        waits.clear();
        self.spare = waits;
    }

    /// Writes the results into the explanation. `refuted` are kinds of wrong order for which a different order would not have
    /// helped: these become late senders.
    pub fn conclude(
        self,
        dimensions: &Dimensions,
        facts: &[Vec<CallInfo>],
        refuted: &[WaitKind],
        explanation: &mut Explanation,
    ) {
        let mut profile = self.profile;
        profile.rename(refuted, WaitKind::LateSender);
        explanation.waits = profile.rows(dimensions, &self.places);
        let found = findings::findings(&profile, &self.places, dimensions, facts, &explanation.scope);
        explanation.findings.extend(found);
        explanation.costs.extend(profile.spreads());
        if self.rma.has_unknown_group {
            explanation.caveats.push(
                "Groups of some MPI_Win_post and MPI_Win_start are not in the recording: whom these epochs concern follows \
                 from what is accessed in them, waits for other ranks are not attributed, and where a rank opens its window \
                 to different ranks by turns, waits may be taken for those of another epoch."
                    .into(),
            );
        }
        if self.has_unknown_neighbors {
            explanation.caveats.push(
                "Neighbours in some topologies are not recorded: waits in neighbourhood operations on them are not \
                 attributed."
                    .into(),
            );
        }
    }

    fn class(&self, rank: RankId, facts: u32) -> u8 {
        self.classes.get(rank.0 as usize).and_then(|c| c.get(facts as usize)).copied().unwrap_or(class::ASKS)
    }

    /// Finds the waits of a message; whether its send needs the receive.
    fn message(&mut self, message: &Message, rows: &[RankBatch]) -> bool {
        let found = &mut self.found;
        self.probes.answered(message, |wait| found[wait.rank.0 as usize].push(wait));
        if let Some(wait) = self.polls.probed(message).and_then(|polls| late_sender_of_polls(&polls, message)) {
            self.emit(wait);
        }
        let ready;
        let message = if message.flags & flags::PARTITIONED != 0 {
            ready = self.when_ready(message, rows);
            &ready
        } else {
            message
        };
        let whole;
        let (message, [receive_until_ns, send_until_ns]) = match self.with_polls(message) {
            Some((message, until_ns)) => {
                whole = message;
                (&whole, until_ns)
            }
            None => (message, [u64::MAX; 2]),
        };
        let Message { send, receive, .. } = message;
        let mode = self.class(message.sender, send.facts);
        let is_standard = mode & (class::NEVER_BLOCKS | class::ALWAYS_BLOCKS) == 0;
        if is_standard && send.is_done() {
            self.eager.learn(message.bytes, send.done_end_ns, receive.start_ns);
        }
        let is_eager = is_standard && self.eager.takes(message.bytes);
        if receive.is_done() {
            let class = self.class(message.receiver, receive.done_facts);
            if class & class::ASKS == 0 || receive_until_ns != u64::MAX {
                let needs_sender = mode & class::NEVER_BLOCKS == 0 && !is_eager;
                let then = if needs_sender {
                    receiver_waits_for_progress(message, self.outside_since(rows, message.sender, send))
                } else {
                    None
                };
                let mut candidate = Candidate { first: late_sender(message), then };
                candidate.cut(receive_until_ns);
                self.add(message.receiver, receive, class, &candidate);
            }
        }
        if send.is_done() {
            let class = self.class(message.sender, send.done_facts);
            if class & class::ASKS == 0 || send_until_ns != u64::MAX {
                let mut candidate = Candidate::default();
                if mode & class::NEVER_BLOCKS == 0 {
                    let first = late_receiver(message);
                    candidate.first = match is_eager {
                        true => {
                            let kept = first.filter(|w| is_kept(message, w));
                            kept.or_else(|| self.backlogs.late_receiver(message))
                        }
                        false => first,
                    };
                    if !is_eager && mode & class::ALWAYS_BLOCKS == 0 {
                        candidate.then =
                            sender_waits_for_progress(message, self.outside_since(rows, message.receiver, receive));
                    }
                }
                candidate.cut(send_until_ns);
                self.add(message.sender, send, class, &candidate);
            }
        }
        // An eager message whose sender did wait for long needs the receive as well: buffers were full, or the MPI needed
        // the receiver in a call.
        let kept = || late_receiver(message).is_some_and(|w| is_kept(message, &w));
        send.is_done() && mode & class::NEVER_BLOCKS == 0 && (!is_eager || kept())
    }

    /// A message with an end that a test completed after a loop of tests that waited for it: treated as if the loop were the
    /// call that waits. Also returns the ends of the loops of receiver and sender, if there are any.
    fn with_polls(&mut self, message: &Message) -> Option<(Message, [u64; 2])> {
        if self.polls.is_empty() {
            return None;
        }
        let receiver = self.polls_before(message.receiver, &message.receive);
        let sender = self.polls_before(message.sender, &message.send);
        if receiver.is_none() && sender.is_none() {
            return None;
        }
        let whole = |end: &End, polls: Option<Polls>| polls.map_or(*end, |p| p.as_waiting(end));
        let until_ns = [receiver, sender].map(|polls| polls.map_or(u64::MAX, |p| p.end_ns));
        let (receive, send) = (whole(&message.receive, receiver), whole(&message.send, sender));
        Some((Message { receive, send, ..*message }, until_ns))
    }

    /// A partitioned message starts when its last part is ready, not when the operation is started (MPI-5.0 §4.2.1). Which send a
    /// `Pready` belongs to is unknown: the last one before the completion of the send counts.
    fn when_ready(&self, message: &Message, rows: &[RankBatch]) -> Message {
        let mut ready = *message;
        let send = &mut ready.send;
        let Some(batch) = rows.get(message.sender.0 as usize) else { return ready };
        let index = |row: u64| (row.saturating_sub(batch.first_row) as usize).min(batch.calls.len());
        let (first, last) = (index(send.row + 1), index(send.done_row));
        let inside = (first..last.max(first)).rev();
        let is_ready = |at: &usize| self.class(message.sender, batch.calls[*at].facts) & class::READIES != 0;
        if let Some(at) = inside.take(MOST_PARTS).find(is_ready) {
            let call = &batch.calls[at];
            (send.row, send.facts) = (batch.first_row + at as u64, call.facts);
            (send.start_ns, send.end_ns) = (call.start_ns, call.end_ns);
        }
        ready
    }

    /// When a rank returned from the call before the one that completes `end`; 0 if that call is older than the batch
    /// before this one.
    fn outside_since(&self, rows: &[RankBatch], rank: RankId, end: &End) -> u64 {
        let (at, Some(row)) = (rank.0 as usize, end.done_row.checked_sub(1)) else { return 0 };
        let here = rows.get(at).and_then(|b| b.calls.get(row.checked_sub(b.first_row)? as usize));
        let end_ns = here.map(|call| call.end_ns).or_else(|| self.before.get(at)?.end_of(row));
        end_ns.map_or(0, |ns| ns.min(end.done_start_ns))
    }

    /// A side of a message: the call that completed it, its class, and how long it waited for the other side.
    fn add(&mut self, rank: RankId, end: &End, class: u8, candidate: &Candidate) {
        if end.done_with > 1 {
            let any = class & class::ANY != 0;
            if let Some(whole) = self.pending.add(rank, end.done_row, end.done_with, any, candidate) {
                self.emit_several(whole);
            }
        } else if class & class::SEVERAL != 0 {
            self.emit_several(*candidate);
        } else {
            candidate.waits().for_each(|wait| self.emit(wait));
        }
    }

    fn emit_several(&mut self, candidate: Candidate) {
        for wait in candidate.waits() {
            if let Some(wait) = self.pending.claim(wait) {
                self.emit(wait);
            }
        }
    }

    fn emit(&mut self, wait: Wait) {
        let is_polling = self.class(wait.rank, wait.facts) & class::POLLS != 0;
        if wait.start_ns < wait.end_ns
            && let Some(found) = self.found.get_mut(wait.rank.0 as usize)
        {
            match is_polling {
                true => found.extend(self.polls.pieces(&wait)),
                false => found.push(wait),
            }
        }
    }

    fn collective(&mut self, input: &Input<'_>, collective: &Collective) {
        let Some(mut meeting) = Meeting::new(collective, &input.batch.members) else { return };
        let members = self.members_with_polls(meeting.members);
        meeting.members = members.as_deref().unwrap_or(meeting.members);
        let Some(first) = meeting.members.first() else { return };
        let facts = input.facts.get(first.rank.0 as usize).and_then(|f| f.get(first.end.facts as usize));
        let Some(Role::Collective(pattern)) = facts.map(|f| f.role) else { return };
        let root = meeting.members.iter().find(|m| m.rank == collective.root);
        let comm = collective.comm.index().and_then(|i| input.dimensions.comms.get(i));
        let counts = self.class(first.rank, first.end.facts) & class::COUNTS != 0;
        let all = |waits: &mut Waits, wait: fn(&Meeting<'_>, &Member) -> Option<Wait>| {
            for found in meeting.members.iter().filter_map(|m| wait(&meeting, m)) {
                waits.met(found);
            }
        };
        match pattern {
            Pattern::Barrier => {
                all(self, wait_at_barrier);
                self.members_without_progress(&meeting, &input.batch.ranks);
                all(self, barrier_completion);
            }
            Pattern::NxN if counts && meeting.lets_pass() => {}
            Pattern::NxN => {
                all(self, wait_at_nxn);
                self.members_without_progress(&meeting, &input.batch.ranks);
                all(self, nxn_completion);
            }
            Pattern::Object | Pattern::File if !meeting.lets_pass() => all(self, wait_at_nxn),
            Pattern::Fence if !meeting.lets_pass() => all(self, wait_at_fence),
            Pattern::Object | Pattern::File | Pattern::Fence => {}
            Pattern::OneToN => {
                let Some(root) = root else { return };
                for member in meeting.members {
                    late_broadcast(&meeting, root, member).into_iter().for_each(|w| self.met(w));
                }
            }
            Pattern::NToOne => {
                let wait = root.and_then(|root| early_reduce(&meeting, root));
                wait.into_iter().for_each(|w| self.met(w));
            }
            Pattern::Scan => {
                if let Some(comm) = comm {
                    early_scan(&meeting, comm, |w| self.met(w));
                }
            }
            Pattern::Neighbors => {
                let are_known = comm.is_some_and(|comm| wait_at_neighbors(&meeting, comm, |w| self.met(w)));
                self.has_unknown_neighbors |= !are_known;
            }
        }
    }

    /// Waits for members of an operation that has begun, until they enter MPI again.
    fn members_without_progress(&mut self, meeting: &Meeting<'_>, rows: &[RankBatch]) {
        if meeting.last.end.done_row == meeting.last.end.row {
            return;
        }
        for member in meeting.members {
            let there = |other: &&Member| other.end.is_done() && other.end.done_start_ns <= member.end.done_end_ns;
            let Some(other) = meeting.members.iter().filter(there).max_by_key(|other| other.end.done_start_ns) else {
                continue;
            };
            let since_ns = self.outside_since(rows, other.rank, &other.end);
            if let Some(wait) = member_waits_for_progress(meeting, member, other, since_ns) {
                self.met(wait);
            }
        }
    }

    /// The same members, where a test completed the operation for some of them after a loop of tests that waited for
    /// it: treated as if the loop were the call that waits.
    fn members_with_polls(&mut self, members: &[Member]) -> Option<Vec<Member>> {
        let mut whole = None;
        if self.polls.is_empty() {
            return whole;
        }
        for (at, member) in members.iter().enumerate() {
            if let Some(polls) = self.polls_before(member.rank, &member.end) {
                let end = &mut whole.get_or_insert_with(|| members.to_vec())[at].end;
                *end = End { done_end_ns: polls.end_ns, ..polls.as_waiting(end) };
            }
        }
        whole
    }

    /// The loop of tests that ended when this end was complete.
    fn polls_before(&mut self, rank: RankId, end: &End) -> Option<Polls> {
        let asks = end.is_done() && self.class(rank, end.done_facts) & class::ASKS != 0;
        asks.then(|| self.polls.tested(rank, end)).flatten()
    }

    /// A wait in a collective operation.
    fn met(&mut self, wait: Wait) {
        let class = self.class(wait.rank, wait.facts);
        if class & class::POLLS != 0 {
            return self.emit(wait);
        }
        if class & class::ASKS != 0 {
            return;
        }
        if class & class::SEVERAL == 0 {
            return self.emit(wait);
        }
        if let Some(wait) = self.pending.add_collective(wait).and_then(|w| self.pending.claim(w)) {
            self.emit(wait);
        }
    }
}

/// See [`class`].
fn class_of(facts: &CallInfo) -> u8 {
    let name = mpiscope_abi::name(facts.function);
    let mut class = 0;
    if facts.flags & (flags::ASKS | flags::POLL) != 0 {
        class |= class::ASKS;
    }
    if facts.flags & flags::POLL != 0 {
        class |= class::POLLS;
    }
    if facts.role == Role::Partition && name.starts_with("MPI_Pready") {
        class |= class::READIES;
    }
    match name {
        "MPI_Waitall" | "MPI_Testall" => class |= class::SEVERAL,
        "MPI_Waitsome" | "MPI_Waitany" | "MPI_Testsome" | "MPI_Testany" => class |= class::SEVERAL | class::ANY,
        _ => {}
    }
    match facts.role {
        Role::Send(Mode::Buffered | Mode::Ready) => class |= class::NEVER_BLOCKS,
        Role::Send(Mode::Synchronous) => class |= class::ALWAYS_BLOCKS,
        _ => {}
    }
    let own = ["lltoallv", "lltoallw", "llgatherv", "educe_scatter"];
    if own.iter().any(|n| name.contains(n)) && !name.contains("educe_scatter_block") {
        class |= class::COUNTS;
    }
    class
}

/// Whether the send of an eager message waited for the receiver: the MPI's buffers were full, or it needed the receiver
/// in a call. This shows if the call waited for nothing else, or ends at that moment. After a short wait, it has to be both.
fn is_kept(message: &Message, wait: &Wait) -> bool {
    let send = &message.send;
    let after_ns = send.done_end_ns.saturating_sub(wait.end_ns);
    let is_alone = send.done_with <= 1;
    match wait.ns() {
        ..SHORT_NS => false,
        SHORT_NS..progress::LEAST_NS => is_alone && after_ns <= wait.ns() / 4,
        ns => is_alone || after_ns <= progress::LEAST_NS.max(ns / 10),
    }
}

/// A send that MPI buffers takes about a microsecond. One that takes several, and ends just after the receive is posted, waited for it.
const SHORT_NS: u64 = 5_000;

/// The sender is the cause: it should have started its send.
fn by_sender(message: &Message, at_ns: u64) -> Cause {
    Cause { rank: message.sender, at_ns, row: message.send.row, facts: message.send.facts }
}

/// The receiver is the cause: it should have posted its receive.
fn by_receiver(message: &Message, at_ns: u64) -> Cause {
    Cause { rank: message.receiver, at_ns, row: message.receive.row, facts: message.receive.facts }
}

/// The sender is the cause: it should have completed its send.
fn by_sender_done(message: &Message) -> Cause {
    let End { done_row: row, done_start_ns: at_ns, done_facts: facts, .. } = message.send;
    Cause { rank: message.sender, at_ns, row, facts }
}

/// The receiver is the cause: it should have completed its receive.
fn by_receiver_done(message: &Message) -> Cause {
    let End { done_row: row, done_start_ns: at_ns, done_facts: facts, .. } = message.receive;
    Cause { rank: message.receiver, at_ns, row, facts }
}
