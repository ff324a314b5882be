//! A rank that polls until a message arrives waits for it; one that polls the clock computes.

use std::collections::VecDeque;
use std::sync::OnceLock;

use mpiscope_abi::role::Role;
use mpiscope_store::{Call, CallInfo, End, Message, RankBatch, RankId, SiteId, flags};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::late_sender::in_call;
use crate::explanation::Wait;

/// At most this time from one poll to the next is a wait; a rank that takes longer computes, and polls from time to time.
const SPIN_NS: u64 = 20_000;
/// Polls must take this share of a run of polls for the rank to do nothing else: a program that polls once for each of
/// many small pieces of work does not wait.
const TIGHT: f64 = 0.8;
/// Time of recording a call, outside of it.
pub const RECORDING_NS: u64 = 40;
/// A run of polls leads to a receive at most this many rows later: after the successful poll, and calls that query how
/// large the message is.
const NEAR: u64 = 4;

/// Average time of an unsuccessful poll.
fn inside_ns(facts: &CallInfo) -> u64 {
    facts.time_ns / facts.calls.max(1)
}

/// Whether the polls of this run follow each other closely. An MPI may sleep in an unsuccessful poll, so the time
/// that such a call takes is added.
fn is_spinning(run: &Call, facts: &CallInfo) -> bool {
    let calls = u64::from(run.calls.max(1));
    run.end_ns.saturating_sub(run.start_ns) <= (SPIN_NS + inside_ns(facts)).saturating_mul(calls)
}

/// Whether a rank does nothing but poll in this run of polls.
fn is_tight(run: &Call, facts: &CallInfo) -> bool {
    let polls_ns = (inside_ns(facts) + RECORDING_NS).saturating_mul(u64::from(run.calls.max(1)));
    polls_ns as f64 >= TIGHT * run.end_ns.saturating_sub(run.start_ns) as f64
}

/// Runs of polls of a rank with the same facts.
#[derive(Clone, Copy, Debug, Default)]
struct PollRuns {
    runs: u64,
    tight: u64,
}

impl PollRuns {
    /// Whether the rank waits in this next run: the polls are tight in half of them so far and more. In some it may lose its
    /// core. A poll alone does not tell what the rank does between polls: the others at this place do.
    fn is_waiting(&mut self, run: &Call, facts: &CallInfo) -> bool {
        if run.calls > 1 {
            self.runs += 1;
            self.tight += u64::from(is_tight(run, facts));
        }
        self.tight * 2 >= self.runs && is_spinning(run, facts)
    }
}

/// Whether ranks wait or compute where they poll. Everything that asks this sees the rows in order, and gets the same answer.
#[derive(Clone, Debug, Default)]
pub struct PollPlaces {
    /// By rank and facts.
    runs: FxHashMap<(usize, u32), PollRuns>,
    /// Function and site of the last call, by rank.
    last: Vec<(u32, SiteId)>,
}

/// Whether a call reads the clock. What a program does until a time has come is computing: in benchmarks it stands for that.
fn reads_clock(facts: &CallInfo) -> bool {
    static CLOCK: OnceLock<Option<u32>> = OnceLock::new();
    let is_clock = || Some(facts.function) == *CLOCK.get_or_init(|| mpiscope_abi::by_name("MPI_Wtime"));
    facts.role == Role::Local && (facts.flags & flags::POLL != 0 || is_clock())
}

impl PollPlaces {
    /// Whether the next row of a rank is computing: a run of polls between which the rank computes, or the clock that it has just read at
    /// the same place, without another call since.
    #[inline]
    pub fn is_computing(&mut self, rank: usize, call: &Call, facts: &CallInfo) -> bool {
        if rank >= self.last.len() {
            self.last.resize(rank + 1, (u32::MAX, SiteId(0)));
        }
        let place = (facts.function, facts.site);
        let is_again = std::mem::replace(&mut self.last[rank], place) == place;
        (is_again || call.calls > 1) && reads_clock(facts)
            || facts.flags & flags::POLL != 0 && self.is_computing_between(rank, call, facts)
    }

    /// Apart, so that a row without polls costs one test.
    #[inline(never)]
    fn is_computing_between(&mut self, rank: usize, run: &Call, facts: &CallInfo) -> bool {
        !self.runs.entry((rank, run.facts)).or_default().is_waiting(run, facts)
    }

    /// Time of the next row inside its calls. Where the rank computes between its polls, only the polls count.
    #[inline]
    pub fn time_inside_ns(&mut self, rank: usize, call: &Call, facts: &CallInfo) -> u64 {
        let ns = call.end_ns.saturating_sub(call.start_ns);
        match self.is_computing(rank, call, facts) {
            true if reads_clock(facts) => 0,
            true if call.calls > 1 => ns.min(inside_ns(facts).saturating_mul(u64::from(call.calls))),
            _ => ns,
        }
    }
}

/// The same, with what they poll for.
#[derive(Clone, Copy, Default)]
struct Poller {
    is_probe: bool,
    runs: PollRuns,
}

/// A run of polls that found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polls {
    /// Row.
    pub row: u64,
    /// Facts.
    pub facts: u32,
    /// Beginning of the first.
    pub start_ns: u64,
    /// End of the last.
    pub end_ns: u64,
    /// Whether they probe for a message, and do not test requests.
    pub is_probe: bool,
    /// First row of the runs that follow each other with no other call between them: the rank waits from the beginning of the
    /// first to the end of the last, whichever of them succeeds next.
    first_row: u64,
    /// The row that took what they had waited for; none yet.
    taken_by: Option<u64>,
}

impl Polls {
    /// The end of a message that a test has completed, as if these polls had been the call that waited for it.
    pub fn as_waiting(&self, end: &End) -> End {
        End { done_row: self.row, done_facts: self.facts, done_start_ns: self.start_ns, ..*end }
    }
}

/// Late sender, in a loop of `MPI_Iprobe` or `MPI_Improbe`: the message that is received next was sent after the loop began.
///
/// ```text
/// receiver   [p][p][p][p][p][iprobe][recv]       wait = min(send.start, end of the polls) − beginning of the polls
/// sender                  [send]
/// ```
pub fn late_sender_of_polls(polls: &Polls, message: &Message) -> Option<Wait> {
    in_call(message, polls.row, polls.facts, polls.start_ns, polls.end_ns)
}

/// Runs of polls of one rank, of this stretch and the one before.
#[derive(Default)]
struct OfRank {
    /// By facts, where such a row is a run of polls. Empty for ranks that never poll.
    pollers: Vec<Option<Poller>>,
    runs: VecDeque<Polls>,
    /// First row of this stretch.
    first_row: u64,
}

/// The first of the runs that follow each other, and the end of them.
fn group(runs: &VecDeque<Polls>, at: usize) -> [usize; 2] {
    let first_row = runs[at].first_row;
    [runs.partition_point(|run| run.first_row < first_row), runs.partition_point(|run| run.first_row <= first_row)]
}

impl OfRank {
    /// Adds the next run.
    fn push(&mut self, run: Polls) {
        let follows = self
            .runs
            .back()
            .filter(|before| before.row + 1 == run.row && run.start_ns.saturating_sub(before.end_ns) <= SPIN_NS);
        let first_row = follows.map_or(run.row, |before| before.first_row);
        self.runs.push_back(Polls { first_row, ..run });
    }
}

/// Those of all ranks.
#[derive(Default)]
pub(super) struct AllPolls {
    /// Empty where no rank polls.
    ranks: Vec<OfRank>,
}

impl AllPolls {
    pub fn new(facts: &[Vec<CallInfo>]) -> AllPolls {
        let poller = |f: &CallInfo| {
            let is_probe = matches!(f.role, Role::Probe | Role::MatchedProbe);
            let is_poll = f.flags & flags::POLL != 0 && (is_probe || f.role == Role::Complete);
            is_poll.then(|| Poller { is_probe, ..Poller::default() })
        };
        let of = |rank: &Vec<CallInfo>| {
            let pollers: Vec<Option<Poller>> = rank.iter().map(poller).collect();
            OfRank {
                pollers: if pollers.iter().any(Option::is_some) { pollers } else { Vec::new() },
                ..OfRank::default()
            }
        };
        let ranks: Vec<OfRank> = facts.iter().map(of).collect();
        AllPolls { ranks: if ranks.iter().all(|of| of.pollers.is_empty()) { Vec::new() } else { ranks } }
    }

    /// Whether no rank polls.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// The next stretch.
    pub fn begin(&mut self, batches: &[RankBatch], facts: &[Vec<CallInfo>]) {
        for ((of, batch), facts) in self.ranks.iter_mut().zip(batches).zip(facts) {
            if of.pollers.is_empty() {
                continue;
            }
            let old = of.runs.partition_point(|run| run.row < of.first_row);
            of.runs.drain(..old);
            of.first_row = batch.first_row;
            for (row, call) in (batch.first_row..).zip(&batch.calls) {
                if let Some(Some(poller)) = of.pollers.get_mut(call.facts as usize)
                    && poller.runs.is_waiting(call, &facts[call.facts as usize])
                {
                    let (facts, is_probe) = (call.facts, poller.is_probe);
                    let (start_ns, end_ns) = (call.start_ns, call.end_ns);
                    of.push(Polls { row, facts, start_ns, end_ns, is_probe, first_row: row, taken_by: None });
                }
            }
        }
    }

    /// The run of polls that led to a row. Runs that follow each other lead to one row; what later rows take was there already.
    fn before(&mut self, rank: RankId, row: u64, fits: impl Fn(&Polls) -> bool) -> Option<Polls> {
        let runs = &mut self.ranks.get_mut(rank.0 as usize)?.runs;
        let before = runs.partition_point(|run| run.row < row);
        let mut near = (0..before).rev().take_while(|&at| row - runs[at].row <= NEAR);
        let at = near.find(|&at| fits(&runs[at]))?;
        let [first, end] = group(runs, at);
        if *runs[first].taken_by.get_or_insert(row) != row {
            return None;
        }
        Some(Polls { start_ns: runs[first].start_ns, end_ns: runs[end - 1].end_ns, ..runs[at] })
    }

    /// A wait in a run of polls, in each of the runs that follow each other.
    pub fn pieces(&self, wait: &Wait) -> SmallVec<[Wait; 4]> {
        let Some(of) = self.ranks.get(wait.rank.0 as usize) else { return smallvec![*wait] };
        let at = of.runs.partition_point(|run| run.row < wait.row);
        if of.runs.get(at).is_none_or(|run| run.row != wait.row) {
            return smallvec![*wait];
        }
        let [first, end] = group(&of.runs, at);
        let part = |run: &Polls| Wait {
            row: run.row,
            facts: run.facts,
            start_ns: wait.start_ns.max(run.start_ns),
            end_ns: wait.end_ns.min(run.end_ns),
            ..*wait
        };
        of.runs.range(first..end).map(part).filter(|piece| piece.start_ns < piece.end_ns).collect()
    }

    /// The polls that ended when a test completed this end of a message.
    pub fn tested(&mut self, rank: RankId, end: &End) -> Option<Polls> {
        self.before(rank, end.done_row, |run| !run.is_probe && run.row > end.row)
    }

    /// The polls that ended when a probe saw this message.
    pub fn probed(&mut self, message: &Message) -> Option<Polls> {
        self.before(message.receiver, message.receive.row, |run| run.is_probe)
    }
}
