//! Deadlocks and hangs: ranks in calls that had not returned when the recording ended.
//!
//! The wait-for graph follows from what was recorded: a receive needs the send that its sender has not made, a collective
//! operation the ranks that have not entered it ([`needs`]). A rank whose needs no rank can meet is stuck ([`graph`]); a ring of
//! such ranks is a deadlock. Where a rank could still act, the finding names which ranks wait for which, and for how long.

mod graph;
mod needs;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeMap;

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, Dimensions, RankId, SiteId, flags};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, Input};
pub use crate::explanation::stuck::{Awaited, Stuck, StuckRank};
use crate::explanation::{Confidence, Explanation, Finding, Proof, Relations, Rule, Subject, Value};
use graph::State;
use needs::{Kind, Waiter};

/// Rules of this part.
pub const RULES: &[Rule] = &[DEADLOCK, STUCK];

const DEADLOCK: Rule = Rule {
    id: "deadlock",
    what: "Ranks wait for each other in calls that can never return.",
    formula: "Σ (end of the recording − entry) over ranks in calls that had not returned and that only ranks in such calls \
              could complete. A receive needs a send that was not made; a collective operation needs the ranks that have not \
              entered it; standard sends count after 1 s. MPI-5.0 §3.5, §6.14.",
    threshold: "none: it follows from the calls, however long they took",
    doubt: "A message may come from a process or thread that was not recorded. `mpiscope check` proves a deadlock while the \
            program runs, and also finds deadlocks that only the MPI's buffering avoids.",
    saving: "Not stated: the program does not end.",
    relations: Relations { subject: Subject::Stop, ..Relations::NONE },
};

const STUCK: Rule = Rule {
    id: "stuck",
    what: "Ranks have waited for a long time in calls that had not returned when the recording ended.",
    formula: "Σ (end of the recording − entry) over these ranks. The finding names the ranks that they wait for, directly or \
              through other ranks, and that do not wait themselves.",
    threshold: "1 s, and a tenth of the time since MPI_Init, on one of the ranks",
    doubt: "The other ranks may only compute for a long time: record longer, or look again with `mpiscope ctl RUN snapshot`.",
    saving: "Not stated: the program did not end.",
    relations: Relations { subject: Subject::Stop, ..Relations::NONE },
};

/// A rank counts as hanging if it has waited for at least this long, …
const LEAST_NS: u64 = 1_000_000_000;
/// … and for this share of its time.
const LEAST_SHARE: f64 = 0.1;
/// At most this many ranks are listed.
const ROWS: usize = 64;

/// What a rank did last.
#[derive(Clone, Copy, Default)]
struct Last {
    end_ns: u64,
    facts: u32,
    calls: u32,
    is_poll: bool,
}

/// See the module.
#[derive(Default)]
pub(crate) struct StuckAnalysis {
    last: Vec<Option<Last>>,
    /// Ranks with calls of several threads.
    has_threads: Vec<bool>,
    waiters: FxHashMap<u32, Waiter>,
    /// Time of open calls on first threads: rank, facts, ns.
    open: Vec<(RankId, u32, u64)>,
}

impl Analysis for StuckAnalysis {
    fn add_batch(&mut self, input: &Input<'_>) {
        let ranks = input.dimensions.ranks.len();
        self.last.resize(ranks, None);
        self.has_threads.resize(ranks, false);
        for (at, batch) in input.batch.ranks.iter().enumerate().take(ranks) {
            self.has_threads[at] = self.has_threads[at] || batch.calls.iter().any(|call| call.thread != 0);
            let last = batch.calls.iter().rev().find(|c| c.thread == 0 && c.flags & flags::OPEN == 0);
            if let Some(call) = last {
                let facts = input.facts.get(at).and_then(|f| f.get(call.facts as usize));
                let is_poll = facts.is_some_and(CallInfo::is_poll);
                self.last[at] = Some(Last { end_ns: call.end_ns, facts: call.facts, calls: call.calls, is_poll });
            }
        }
        if input.batch.is_last {
            self.waiters = needs::waiters(input);
            let outermost = input.batch.open.iter().filter(|open| open.thread == 0 && !open.is_nested);
            let waits = |rank: RankId| self.waiters.get(&rank.0).is_some_and(|w| !w.unmet.is_empty());
            self.open = outermost
                .filter(|open| waits(open.rank))
                .map(|open| (open.rank, open.facts, open.end_ns.saturating_sub(open.start_ns)))
                .collect();
        }
    }

    fn conclude(self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation) {
        explanation.open_waits = self.open.clone();
        if self.waiters.values().all(|waiter| waiter.unmet.is_empty()) {
            return;
        }
        let seen = Seen { analysis: &self, dimensions, facts };
        if let Some(found) = seen.stuck() {
            explanation.findings.push(seen.finding(&found, explanation.scope.run_rank_time_ns));
            explanation.stuck = Some(found);
        }
    }
}

/// What was found, with what it refers to.
struct Seen<'a> {
    analysis: &'a StuckAnalysis,
    dimensions: &'a Dimensions,
    facts: &'a [Vec<CallInfo>],
}

impl Seen<'_> {
    fn facts(&self, rank: u32, facts: u32) -> Option<&CallInfo> {
        self.facts.get(rank as usize)?.get(facts as usize)
    }

    fn states(&self) -> Vec<State> {
        let mut states = vec![State::Free; self.dimensions.ranks.len()];
        for (at, (state, row)) in (0u32..).zip(states.iter_mut().zip(&self.dimensions.ranks)) {
            if let Some(waiter) = self.analysis.waiters.get(&at) {
                *state = self.facts(at, waiter.open.facts).map_or(State::Free, |facts| waiter.state(facts));
            } else if row.is_finalized {
                *state = State::Gone;
            }
        }
        states
    }

    fn stuck(&self) -> Option<Stuck> {
        let states = self.states();
        let is_stuck = graph::stuck(&states);
        if let Some(ring) = graph::cycle(&states, &is_stuck) {
            return Some(self.deadlock(&ring, &is_stuck));
        }
        self.waiting(&is_stuck)
    }

    /// Whether all is known of a rank that a proof goes through.
    fn is_sure(&self, rank: u32) -> bool {
        let waiter = self.analysis.waiters.get(&rank);
        let has_threads = self.analysis.has_threads.get(rank as usize).copied().unwrap_or(false);
        !has_threads && waiter.is_some_and(|w| w.unmet.iter().any(|u| u.is_sure) && !(w.is_any && w.is_vague))
    }

    fn deadlock(&self, ring: &[u32], is_stuck: &[bool]) -> Stuck {
        let others = (0u32..).zip(is_stuck).filter(|&(at, &stuck)| stuck && !ring.contains(&at));
        let others: Vec<u32> = others.map(|(at, _)| at).filter(|at| self.waits(*at)).collect();
        let ranks: Vec<StuckRank> = ring
            .iter()
            .map(|&at| StuckRank { in_ring: true, ..self.row(at) })
            .chain(others.iter().map(|&at| self.row(at)))
            .collect();
        let kinds: Vec<Kind> = ring.iter().filter_map(|at| self.kind(*at)).collect();
        let mut found = Stuck {
            kind: DEADLOCK.id,
            is_certain: ring.iter().all(|&at| self.is_sure(at)),
            text: texts::ring(&ranks),
            advice: texts::advice(&kinds),
            waiting: ranks.len() as u64,
            awaited: Vec::new(),
            ranks,
        };
        found.ranks.truncate(ROWS);
        found
    }

    /// Some rank could still act, or has left MPI: which ranks wait for which.
    fn waiting(&self, is_stuck: &[bool]) -> Option<Stuck> {
        let mut all: Vec<u32> = self.analysis.waiters.keys().copied().filter(|&at| self.waits(at)).collect();
        all.sort_unstable();
        let is_long = |at: &u32| {
            let ns = self.analysis.waiters.get(at).map_or(0, Waiter::ns);
            let time_ns = self.dimensions.ranks.get(*at as usize).map_or(0, |row| row.time_ns());
            ns >= LEAST_NS && ns as f64 >= LEAST_SHARE * time_ns as f64
        };
        if !all.iter().any(is_long) {
            return None;
        }
        // The ranks that the others wait for in the end.
        let mut awaited: BTreeMap<u32, u64> = BTreeMap::new();
        for at in &all {
            for who in self.analysis.waiters[at].unmet.iter().flat_map(|u| &u.need.who) {
                if !self.waits(*who) {
                    *awaited.entry(*who).or_default() += 1;
                }
            }
        }
        let mut awaited: Vec<(u32, u64)> = awaited.into_iter().collect();
        awaited.sort_by_key(|&(at, count)| (std::cmp::Reverse(count), at));
        let awaited: Vec<Awaited> = awaited.iter().take(ROWS).map(|&(at, _)| self.awaited(at)).collect();
        // The longest waits first.
        all.sort_by_key(|&at| std::cmp::Reverse(self.analysis.waiters[&at].ns()));
        let gone = |at: &u32| is_stuck.get(*at as usize) == Some(&true);
        let is_certain = all.iter().any(|at| gone(at) && self.is_sure(*at));
        let ranks: Vec<StuckRank> = all.iter().map(|&at| self.row(at)).collect();
        let kinds: Vec<Kind> = all.iter().filter_map(|at| self.kind(*at)).collect();
        let mut found = Stuck {
            kind: STUCK.id,
            is_certain,
            text: texts::chain(&ranks, &awaited),
            advice: texts::advice_for(&kinds, is_certain),
            waiting: ranks.len() as u64,
            awaited,
            ranks,
        };
        found.ranks.truncate(ROWS);
        Some(found)
    }

    fn waits(&self, at: u32) -> bool {
        let Some(waiter) = self.analysis.waiters.get(&at) else { return false };
        let is_finalize = self.facts(at, waiter.open.facts).is_some_and(|f| f.role == Role::Finalize);
        !waiter.unmet.is_empty() && !is_finalize
    }

    fn kind(&self, at: u32) -> Option<Kind> {
        self.analysis.waiters.get(&at)?.unmet.first().map(|unmet| unmet.kind)
    }

    fn row(&self, at: u32) -> StuckRank {
        let Some(waiter) = self.analysis.waiters.get(&at) else { return StuckRank::default() };
        let facts = self.facts(at, waiter.open.facts);
        let site = facts.map_or(SiteId(0), |f| f.site);
        let mut waits_for: Vec<i32> = Vec::new();
        for who in waiter.unmet.iter().flat_map(|u| &u.need.who).take(ROWS) {
            let rank = self.dimensions.rank(RankId(*who));
            if !waits_for.contains(&rank) {
                waits_for.push(rank);
            }
        }
        let joint = if waiter.is_any { " or " } else { " and " };
        let mut what: Vec<&str> = waiter.unmet.iter().take(3).map(|u| u.text.as_str()).collect();
        let more = if waiter.unmet.len() > 3 { format!("{} more", waiter.unmet.len() - 3) } else { String::new() };
        if !more.is_empty() {
            what.push(&more);
        }
        StuckRank {
            rank: self.dimensions.rank(RankId(at)),
            function: facts.map_or("", |f| mpiscope_abi::name(f.function)),
            what: what.join(joint),
            site: Some(self.dimensions.site(site).to_owned()).filter(|s| !s.is_empty()),
            since_ns: waiter.open.start_ns,
            open_ns: waiter.ns(),
            waits_for,
            in_ring: false,
        }
    }

    /// What a rank that others wait for does.
    fn awaited(&self, at: u32) -> Awaited {
        let rank = self.dimensions.rank(RankId(at));
        let Some(row) = self.dimensions.ranks.get(at as usize) else { return Awaited::default() };
        if let Some(waiter) = self.analysis.waiters.get(&at) {
            let function = self.facts(at, waiter.open.facts).map_or("", |f| mpiscope_abi::name(f.function));
            return Awaited { rank, what: format!("is in {function}"), ns: waiter.ns() };
        }
        if row.is_finalized {
            return Awaited { rank, what: "has left MPI_Finalize".into(), ns: 0 };
        }
        let ended = row.failed.as_ref().map_or_else(String::new, |how| format!(", then {how}"));
        let Some(last) = self.analysis.last.get(at as usize).copied().flatten() else {
            return Awaited { rank, what: format!("has made no MPI call since MPI_Init{ended}"), ns: row.time_ns() };
        };
        let facts = self.facts(at, last.facts);
        let function = facts.map_or("", |f| mpiscope_abi::name(f.function));
        let site = self.dimensions.site(facts.map_or(SiteId(0), |f| f.site));
        let site = if site.is_empty() { String::new() } else { format!(" at {site}") };
        let what = match last.is_poll {
            true => format!("polls with {function}{site}, {} times without success{ended}", last.calls),
            false => format!("has been outside MPI since {function}{site}{ended}"),
        };
        Awaited { rank, what, ns: row.rows_until_ns.saturating_sub(last.end_ns) }
    }

    fn finding(&self, found: &Stuck, rank_time_ns: u64) -> Finding {
        let waiters = || self.analysis.waiters.iter().filter(|(at, _)| self.waits(**at));
        let cost_ns: u64 = waiters().map(|(_, w)| w.ns()).sum();
        let proof = |r: &StuckRank| Proof {
            rank: r.rank,
            start_ns: r.since_ns,
            end_ns: r.since_ns + r.open_ns,
            row: self
                .analysis
                .waiters
                .values()
                .find(|w| self.dimensions.rank(w.open.rank) == r.rank)
                .map(|w| w.open.row),
        };
        let mut sites: Vec<String> = found.ranks.iter().filter_map(|r| r.site.clone()).collect();
        let mut seen = std::collections::BTreeSet::new();
        sites.retain(|site| seen.insert(site.clone()));
        let rule = if found.ranks.iter().any(|r| r.in_ring) { &DEADLOCK } else { &STUCK };
        Finding {
            title: texts::title(found),
            text: texts::text(found),
            advice: found.advice.clone(),
            cost_ns,
            share: cost_ns as f64 / rank_time_ns.max(1) as f64,
            confidence: if found.is_certain { Confidence::High } else { Confidence::Medium },
            ranks: found.ranks.iter().map(|r| r.rank).collect(),
            cause_ranks: match found.awaited.is_empty() {
                true => found.ranks.iter().filter(|r| r.in_ring).map(|r| r.rank).collect(),
                false => found.awaited.iter().map(|a| a.rank).collect(),
            },
            sites,
            regions: Vec::new(),
            iterations: None,
            evidence: BTreeMap::from([
                ("waiting_ranks", Value::Int(found.waiting)),
                ("longest_ns", Value::Int(found.ranks.iter().map(|r| r.open_ns).max().unwrap_or(0))),
            ]),
            proof: found.ranks.iter().take(16).map(proof).collect(),
            ..Finding::of(rule)
        }
    }
}
