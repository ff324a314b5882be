//! The run once more, on an ideal network: ranks side by side, each row when everything it depends on is there.
//!
//! A message costs nothing there: a receive ends when its send has begun, an operation of all when all have begun it.
//! What remains is computing and waiting. Source: Dimemas (Girona, Labarta & Badia, EuroPVM/MPI 2000) with zero
//! latency and infinite bandwidth.
//!
//! A message may stand in a later batch than its calls, so processing is [`BEHIND`] rows behind. Rows that still depend
//! on something unknown after as many more are processed without it.

use std::collections::VecDeque;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_model::{Limits, Need, On, Tape};
use mpiscope_store::{BEHIND, Behind, CallInfo, Collective, Dimensions, Member, RankId, flags};

use super::ring::Ring;
use super::rows::{Link, NONE, OfRank, Row, UNKNOWN};
use crate::analysis::Input;
use crate::explanation::{Wait, WaitKind};
use crate::slab::{prefetch, put, put_in_turn};
use crate::waits::{Meeting, PollPlaces};

/// Members of an operation are not told to wait for each other for less: data take as long.
const LONG_NS: u64 = 20_000;

/// Rows are fetched so many before they are looked at, their links when the rows are there, and what the first link
/// leads to when that is there: what is processed now was put in long ago and is in no cache.
const ROWS_AHEAD: u64 = 24;
const LINKS_AHEAD: usize = 16;
const WAITS_AHEAD: u64 = 8;

/// Sees rows in order: after everything they depend on.
pub(super) trait Watch {
    /// A rank has computed for `gap_ns` and enters a row.
    fn enter(&mut self, rank: usize, row: &Row, gap_ns: u64);
    /// A rank returns from a row: the time that was spent in it, and that on the ideal network.
    fn exit(&mut self, rank: usize, facts: u32, inside_ns: u64, ideal_ns: u64);
    /// A row had to wait.
    fn waited(&mut self, wait: &Wait, ranks: &[OfRank]);
}

/// An operation that not all have come to.
#[derive(Default)]
struct Gathering {
    left: u32,
    meets: u32,
    ideal_ns: u64,
    waiting: Vec<u32>,
    /// On the tape.
    number: u32,
    /// When the last of those who have come came.
    at_ns: u64,
}

/// See the module.
#[derive(Default)]
pub(super) struct Replay {
    pub ranks: Vec<OfRank>,
    links: Vec<(Link, u32)>,
    free_links: VecDeque<u32>,
    gatherings: Vec<Gathering>,
    free_gatherings: Vec<u32>,
    waits: Vec<Wait>,
    free_waits: VecDeque<u32>,
    origin_ns: u64,
    behind: Behind,
    /// What a replay under a change needs of the run.
    pub tape: Tape,
    /// Whether there are calls of other threads than the first of a rank.
    pub has_threads: bool,
    polls: PollPlaces,
    /// Lists to be used again.
    needs: Vec<Need>,
    waits_to_reuse: Vec<u32>,
}

impl Replay {
    pub fn new(dimensions: &Dimensions, origin_ns: u64) -> Replay {
        let ranks =
            dimensions.ranks.iter().map(|r| OfRank::new(r.rows_from_ns, origin_ns, dimensions.ranks.len())).collect();
        let starts_ns = dimensions.ranks.iter().map(|r| r.rows_from_ns).collect();
        Replay { ranks, origin_ns, tape: Tape::new(starts_ns, Limits::default()), ..Replay::default() }
    }

    /// Takes the next batch, and processes what is before the end of the one before.
    pub fn replay_batch(&mut self, input: &Input<'_>, watch: &mut impl Watch) {
        self.add_rows(input);
        let messages = &input.batch.messages;
        for (at, message) in messages.iter().enumerate().filter(|(_, m)| m.receive.is_done()) {
            let soon = messages.get(at + LINKS_AHEAD);
            prefetch(soon.and_then(|m| self.ranks.get(m.receiver.0 as usize)?.rows.peek(m.receive.done_row)));
            let link = Link::After(message.sender, message.send.row, WaitKind::LateSender);
            self.link(message.receiver, message.receive.done_row, link);
        }
        for message in input.blocking.iter().filter_map(|&at| messages.get(at as usize)) {
            if message.send.done_end_ns >= message.receive.start_ns {
                let link = Link::Needs(message.receiver, message.receive.row, WaitKind::LateReceiver);
                self.link(message.sender, message.send.done_row, link);
            }
        }
        for collective in &input.batch.collectives {
            self.add_collective(input, collective);
        }
        for wait in input.waits {
            self.add_wait(wait, input.facts);
        }
        let last = input.batch.is_last;
        self.behind.push(input.batch);
        let horizon = if last { u64::MAX } else { self.behind.moment(BEHIND, 1) };
        let force = if last { u64::MAX } else { self.behind.moment(2 * BEHIND, 2) };
        self.advance(horizon, force, watch);
    }

    fn add_rows(&mut self, input: &Input<'_>) {
        let batches = input.batch.ranks.iter().zip(input.facts);
        for (rank, ((of, (batch, facts)), row)) in
            self.ranks.iter_mut().zip(batches).zip(&input.dimensions.ranks).enumerate()
        {
            for call in &batch.calls {
                let facts_row = facts.get(call.facts as usize);
                let polls = &mut self.polls;
                let outside =
                    |f: &CallInfo| polls.is_computing(rank, call, f) || matches!(f.role, Role::Init | Role::Finalize);
                self.has_threads |= call.thread != 0;
                let is_over = call.start_ns >= row.rows_until_ns || call.end_ns <= row.rows_from_ns;
                of.rows.push(Row {
                    start_ns: call.start_ns,
                    end_ns: call.end_ns,
                    ideal_ns: UNKNOWN,
                    useful_ns: 0,
                    link: NONE,
                    facts: call.facts,
                    entry: 0,
                    is_open: call.flags & flags::OPEN != 0,
                    is_aside: call.thread != 0 || is_over || facts_row.is_none_or(outside),
                });
            }
            of.spans.extend(&batch.regions);
        }
    }

    #[inline]
    fn link(&mut self, rank: RankId, row: u64, link: Link) -> bool {
        let Some(of) = self.ranks.get_mut(rank.0 as usize).filter(|of| row >= of.cursor) else { return false };
        let Some(row) = of.rows.get_mut(row) else { return false };
        row.link = put_in_turn(&mut self.links, &mut self.free_links, (link, row.link));
        true
    }

    fn add_wait(&mut self, wait: &Wait, facts: &[Vec<CallInfo>]) {
        let Some(cause) = wait.cause else { return };
        use WaitKind::{EarlyWait, LateComplete, LatePost, LateReceiver, LockContention};
        let of = |rank: RankId, of: u32| facts.get(rank.0 as usize)?.get(of as usize);
        // The message or operation itself ends a later call than a probe or a loop of polls, and a message begins with an
        // earlier one than its last part.
        let is_before = |f: &CallInfo| matches!(f.role, Role::Probe | Role::MatchedProbe) || f.flags & flags::POLL != 0;
        let is_apart = of(wait.rank, wait.facts).is_some_and(is_before)
            || of(cause.rank, cause.facts).is_some_and(|f| f.role == Role::Partition);
        let is_needed = matches!(wait.kind, LateReceiver | LatePost | EarlyWait | LateComplete | LockContention);
        if is_needed || is_apart && (WaitKind::OF_MESSAGES.contains(&wait.kind) || wait.kind.is_of_collectives()) {
            self.link(wait.rank, wait.row, Link::After(cause.rank, cause.row, wait.kind));
        }
        // On an ideal network messages and accesses need no progress.
        if matches!(wait.kind, WaitKind::WaitForProgress | WaitKind::RmaWaitForProgress) {
            self.link(wait.rank, wait.row, Link::Needs(cause.rank, cause.row, wait.kind));
        }
        let index = put_in_turn(&mut self.waits, &mut self.free_waits, *wait);
        if !self.link(wait.rank, wait.row, Link::Waited(index)) {
            self.free_waits.push_back(index);
        }
    }

    fn add_collective(&mut self, input: &Input<'_>, collective: &Collective) {
        let Some(meeting) = Meeting::new(collective, &input.batch.members) else { return };
        let Some(first) = meeting.members.first() else { return };
        let facts = input.facts.get(first.rank.0 as usize).and_then(|f| f.get(first.end.facts as usize));
        let Some(Role::Collective(pattern)) = facts.map(|f| f.role) else { return };
        let done = |m: &Member| m.end.is_done();
        match pattern {
            Pattern::Barrier | Pattern::NxN | Pattern::Fence | Pattern::Object | Pattern::File => {
                let kind = match pattern {
                    Pattern::Barrier => WaitKind::WaitAtBarrier,
                    Pattern::Fence => WaitKind::WaitAtFence,
                    _ => WaitKind::WaitAtNxn,
                };
                match meeting.lets_pass() {
                    true => self.follow_inner(meeting.members, kind),
                    false => self.gather(meeting.members, kind, |_| true),
                }
            }
            Pattern::NToOne => {
                self.gather(meeting.members, WaitKind::EarlyReduce, |m| m.rank == collective.root);
                self.follow_inner(meeting.members, WaitKind::EarlyReduce);
            }
            Pattern::OneToN => {
                let Some(root) = meeting.members.iter().find(|m| m.rank == collective.root) else { return };
                for member in meeting.members.iter().filter(|m| m.rank != root.rank && done(m)) {
                    let link = Link::After(root.rank, root.end.row, WaitKind::LateBroadcast);
                    self.link(member.rank, member.end.done_row, link);
                }
                self.follow_inner(meeting.members, WaitKind::LateBroadcast);
            }
            Pattern::Scan => {
                let comm = collective.comm.index().and_then(|i| input.dimensions.comms.get(i));
                let mut last: Option<&Member> = None;
                for rank in comm.iter().flat_map(|c| &c.members) {
                    let Ok(at) = meeting.members.binary_search_by_key(rank, |m| m.rank) else { continue };
                    let member = &meeting.members[at];
                    if let Some(last) = last.filter(|_| done(member)) {
                        let link = Link::After(last.rank, last.end.row, WaitKind::EarlyScan);
                        self.link(member.rank, member.end.done_row, link);
                    }
                    if last.is_none_or(|l| l.end.start_ns < member.end.start_ns) {
                        last = Some(member);
                    }
                }
            }
            // What was waited for is known from the waits.
            Pattern::Neighbors => {
                for wait in input.waits.iter().filter(|w| w.kind == WaitKind::WaitAtNxn) {
                    let is_here = |m: &Member| m.rank == wait.rank && m.end.done_row == wait.row;
                    if let Some(cause) = wait.cause.filter(|_| meeting.members.iter().any(is_here)) {
                        self.link(wait.rank, wait.row, Link::After(cause.rank, cause.row, wait.kind));
                    }
                }
            }
        }
    }

    /// Ranks that pass data on wait for each other inside of an operation, as its algorithm says, which is not recorded. One
    /// that stays in it for long and leaves after another has come is taken to have waited for the last such one.
    fn follow_inner(&mut self, members: &[Member], kind: WaitKind) {
        let is_long = |m: &&Member| m.end.done_row == m.end.row && m.end.end_ns >= m.end.start_ns + LONG_NS;
        if !members.iter().any(|m| is_long(&m)) {
            return;
        }
        let mut order: Vec<&Member> = members.iter().collect();
        order.sort_unstable_by_key(|m| (m.end.start_ns, m.rank));
        for member in members.iter().filter(is_long) {
            let come = order.partition_point(|m| m.end.start_ns < member.end.done_end_ns);
            let others = order[..come].iter().rev().take_while(|m| m.end.start_ns > member.end.start_ns);
            if let Some(last) = others.into_iter().find(|m| m.rank != member.rank) {
                let link = Link::Needs(last.rank, last.end.row, kind);
                self.link(member.rank, member.end.done_row, link);
            }
        }
    }

    /// All of `members` come; those who `need` all of them wait.
    fn gather(&mut self, members: &[Member], kind: WaitKind, needs: impl Fn(&Member) -> bool) {
        let index = put(&mut self.gatherings, &mut self.free_gatherings, Gathering::default());
        let number = self.tape.meeting();
        let (mut left, mut meets, mut known_ns, mut at_ns) = (0, 0, 0, 0);
        for member in members {
            let row = self.ranks.get(member.rank.0 as usize).and_then(|of| of.get(member.end.row));
            match row.filter(|r| r.ideal_ns != UNKNOWN) {
                Some(row) => {
                    (known_ns, at_ns) = (known_ns.max(row.ideal_ns), at_ns.max(row.start_ns));
                    self.tape.arrive(row.entry, number, row.start_ns);
                }
                None => left += u32::from(self.link(member.rank, member.end.row, Link::Arrive(index))),
            }
            if member.end.is_done()
                && needs(member)
                && self.link(member.rank, member.end.done_row, Link::Meet(index, kind))
            {
                meets += 1;
            }
        }
        let gathering = &mut self.gatherings[index as usize];
        (gathering.left, gathering.meets, gathering.ideal_ns) = (left, meets, known_ns);
        (gathering.number, gathering.at_ns) = (number, at_ns);
        gathering.waiting.clear();
        if left == 0 && meets == 0 {
            self.free_gatherings.push(index);
        }
    }

    fn advance(&mut self, horizon: u64, force: u64, watch: &mut impl Watch) {
        let mut runnable: Vec<u32> = (0..self.ranks.len() as u32).collect();
        loop {
            while let Some(rank) = runnable.pop() {
                self.run(rank, horizon, false, &mut runnable, watch);
            }
            // Who stands still though all that could be known is known: clocks out of step, or rows that are lost.
            let stuck = self.ranks.iter().enumerate().filter_map(|(at, of)| {
                let row = of.get(of.cursor)?;
                (row.end_ns < force || force == u64::MAX).then_some((row.end_ns, at))
            });
            let Some((_, rank)) = stuck.min() else { break };
            self.run(rank as u32, horizon, true, &mut runnable, watch);
        }
    }

    /// Processes rows of a rank until one has to wait for another rank; `force` lets the first of them pass.
    fn run(&mut self, rank: u32, horizon: u64, mut force: bool, runnable: &mut Vec<u32>, watch: &mut impl Watch) {
        let at = rank as usize;
        loop {
            let of = &mut self.ranks[at];
            let cursor = of.cursor;
            let Some(&(mut row)) = of.rows.get(cursor) else { return };
            if row.ideal_ns == UNKNOWN {
                let gap_ns = of.enter(&mut row);
                row.entry = match row.is_aside {
                    true => self.tape.aside(rank, row.start_ns),
                    false => self.tape.enter(rank, row.facts, row.start_ns),
                };
                // Not the whole row: a copy that is put together from what was just written is slow to read.
                if let Some(kept) = of.rows.get_mut(cursor) {
                    (kept.ideal_ns, kept.useful_ns, kept.entry) = (row.ideal_ns, row.useful_ns, row.entry);
                }
                self.fetch_ahead(&self.ranks[at].rows, cursor);
                watch.enter(at, &row, gap_ns);
                self.arrive(at, &row, runnable);
                let waiting = &mut self.ranks[at].waiting;
                if !waiting.is_empty() {
                    runnable.extend(waiting.extract_if(.., |&mut (wanted, _)| wanted == cursor).map(|(_, who)| who));
                }
            }
            if row.end_ns >= horizon && horizon != u64::MAX {
                return;
            }
            let Some(after_ns) = self.depends(rank, row.link, force) else { return };
            force = false;
            let of = &mut self.ranks[at];
            let (inside_ns, ideal_ns) = of.exit(&row, after_ns, self.origin_ns);
            of.cursor += 1;
            watch.exit(at, row.facts, inside_ns, ideal_ns);
            if !row.is_aside {
                self.record_exit(rank, &row);
            }
            if row.link != NONE {
                self.leave(&row, watch);
            }
        }
    }

    /// Lets what the rows after `row` will need come into the cache.
    #[inline(always)]
    fn fetch_ahead(&self, rows: &Ring, row: u64) {
        prefetch(rows.peek(row + ROWS_AHEAD));
        let first = |ahead: u64| self.links.get(rows.peek(row + ahead)?.link as usize);
        prefetch(first(LINKS_AHEAD as u64));
        if let Some(&(link, following)) = first(WAITS_AHEAD) {
            prefetch(self.links.get(following as usize));
            if let Link::Waited(wait) = link {
                prefetch(self.waits.get(wait as usize));
            }
        }
    }

    /// What the exit of a row needs, for the tape.
    fn record_exit(&mut self, rank: u32, row: &Row) {
        if row.link == NONE || !self.tape.is_recording() {
            return self.tape.exit(rank, row.facts, row.end_ns, std::iter::empty());
        }
        let mut needs = std::mem::take(&mut self.needs);
        needs.clear();
        let mut next = row.link;
        while let Some(&(link, following)) = self.links.get(next as usize) {
            match link {
                Link::After(other, of_row, kind) => needs.extend(self.entered(other, of_row, kind)),
                Link::Needs(other, of_row, kind) => needs.extend(self.entered(other, of_row, kind)),
                Link::Meet(gathering, kind) => {
                    let Gathering { number, at_ns, .. } = self.gatherings[gathering as usize];
                    needs.push(Need { on: On::Meeting(number), kind: kind as u8, at_ns });
                }
                Link::Arrive(_) | Link::Waited(_) => {}
            }
            next = following;
        }
        if !needs.is_empty() {
            self.name_wrong_order(row.link, &mut needs);
        }
        self.tape.exit(rank, row.facts, row.end_ns, needs.drain(..));
        self.needs = needs;
    }

    /// The entry of another rank's row as something that is needed, if it is known.
    fn entered(&self, other: RankId, row: u64, kind: WaitKind) -> Option<Need> {
        let row = self.ranks.get(other.0 as usize)?.get(row).filter(|r| r.ideal_ns != UNKNOWN)?;
        Some(Need { on: On::Entry(row.entry), kind: kind as u8, at_ns: row.start_ns })
    }

    /// Only the wait knows whether a late message was taken in the wrong order.
    fn name_wrong_order(&self, first: u32, needs: &mut [Need]) {
        let mut next = first;
        while let Some(&(link, following)) = self.links.get(next as usize) {
            next = following;
            let Link::Waited(wait) = link else { continue };
            let wait = &self.waits[wait as usize];
            let is_wrong = matches!(wait.kind, WaitKind::WrongOrderSameSource | WaitKind::WrongOrderDifferentSource);
            let Some(cause) = wait.cause.filter(|_| is_wrong) else { continue };
            let Some(late) = self.entered(cause.rank, cause.row, wait.kind) else { continue };
            needs.iter_mut().filter(|n| n.on == late.on).for_each(|n| *n = late);
        }
    }

    fn arrive(&mut self, at: usize, row: &Row, runnable: &mut Vec<u32>) {
        let mut next = row.link;
        while let Some(&(link, following)) = self.links.get(next as usize) {
            if let Link::Arrive(index) = link {
                let gathering = &mut self.gatherings[index as usize];
                gathering.ideal_ns = gathering.ideal_ns.max(row.ideal_ns);
                gathering.at_ns = gathering.at_ns.max(row.start_ns);
                self.tape.arrive(row.entry, gathering.number, row.start_ns);
                gathering.left = gathering.left.saturating_sub(1);
                if gathering.left == 0 {
                    runnable.extend(gathering.waiting.drain(..).filter(|&r| r as usize != at));
                    if gathering.meets == 0 {
                        self.free_gatherings.push(index);
                    }
                }
            }
            next = following;
        }
    }

    /// When a row can end on the ideal network; `None` if that is not known yet.
    fn depends(&mut self, rank: u32, first: u32, force: bool) -> Option<u64> {
        let mut after_ns = 0;
        let mut next = first;
        while let Some(&(link, following)) = self.links.get(next as usize) {
            match link {
                Link::After(other, row, _) => {
                    let of = self.ranks.get(other.0 as usize)?;
                    // What is forgotten is long past.
                    let known_ns = if row < of.rows.first() { 0 } else { of.get(row).map_or(UNKNOWN, |r| r.ideal_ns) };
                    if known_ns != UNKNOWN {
                        after_ns = after_ns.max(known_ns);
                    } else if !force {
                        self.ranks[other.0 as usize].waiting.push((row, rank));
                        return None;
                    }
                }
                Link::Needs(other, row, _) => {
                    let of = self.ranks.get(other.0 as usize)?;
                    if !force && of.get(row).is_some_and(|r| r.ideal_ns == UNKNOWN) {
                        self.ranks[other.0 as usize].waiting.push((row, rank));
                        return None;
                    }
                }
                Link::Meet(gathering, _) => {
                    let gathering = &mut self.gatherings[gathering as usize];
                    if gathering.left > 0 && !force {
                        gathering.waiting.push(rank);
                        return None;
                    }
                    after_ns = after_ns.max(gathering.ideal_ns);
                }
                Link::Arrive(_) | Link::Waited(_) => {}
            }
            next = following;
        }
        Some(after_ns)
    }

    /// Reports the waits of a row and gives back its links.
    fn leave(&mut self, row: &Row, watch: &mut impl Watch) {
        let mut waits = std::mem::take(&mut self.waits_to_reuse);
        let mut next = row.link;
        while let Some(&(link, following)) = self.links.get(next as usize) {
            match link {
                Link::Waited(wait) if !row.is_aside => waits.push(wait),
                Link::Meet(gathering, _) => {
                    let of = &mut self.gatherings[gathering as usize];
                    of.meets = of.meets.saturating_sub(1);
                    if of.meets == 0 && of.left == 0 {
                        self.free_gatherings.push(gathering);
                    }
                }
                _ => {}
            }
            self.free_links.push_back(next);
            next = following;
        }
        if waits.len() > 1 {
            waits.sort_by_key(|&w| self.waits[w as usize].end_ns);
        }
        for wait in waits.drain(..) {
            watch.waited(&self.waits[wait as usize], &self.ranks);
            self.free_waits.push_back(wait);
        }
        self.waits_to_reuse = waits;
    }

    /// Up to which row of each rank everything may be forgotten; nothing while that is too little to be worth it.
    pub fn old_rows(&mut self) -> Option<Vec<u64>> {
        let old_ns = self.behind.moment(2 * BEHIND, 2);
        if self.behind.rows_until(old_ns) < BEHIND {
            return None;
        }
        self.behind.forget(old_ns);
        let row_of = |of: &OfRank| of.done_before(|r| r.end_ns < old_ns);
        Some(self.ranks.iter().map(row_of).collect())
    }
}
