//! What findings would save, and which are symptoms of others.

use std::cmp::Reverse;

use mpiscope_model::{Outcome, Tape, replay};
use mpiscope_store::{CallInfo, Dimensions};
use rayon::prelude::*;

use super::applied::Applied;
use super::delayers::Behind;
use crate::explanation::{Finding, Remedy, Scope, WaitKind, WhyLate};

/// A finding's ranks must cause this share of a kind's waits for the waits to be its symptom.
const MOST: f64 = 0.5;

/// The facts about a run besides its findings.
pub(crate) struct Run<'a> {
    pub tape: &'a Tape,
    /// The replay of it without a change.
    pub recorded: &'a Outcome,
    pub behind: &'a Behind,
    pub dimensions: &'a Dimensions,
    pub facts: &'a [Vec<CallInfo>],
    pub scope: &'a Scope,
}

/// Fills in what findings would save and by which finding they are caused.
pub(crate) fn judge(findings: &mut Vec<Finding>, run: &Run<'_>) {
    let with = |remedy: &Remedy| replayed(remedy, run.tape, run.facts);
    let is_whole = run.tape.share_of_calls() >= 1.0;
    findings.par_iter_mut().for_each(|finding| {
        // The replayed intervals need not contain the moment.
        let can_be_replayed = is_whole || !finding.relations.is_about_a_moment();
        finding.replayed = finding.remedy.as_ref().filter(|_| can_be_replayed).map(with);
        if let Some(replayed) = &mut finding.replayed
            && let Some(other) = finding.other_remedy.as_ref().map(with)
            && other.saved_share() > replayed.saved_share()
        {
            (finding.remedy, *replayed) = (finding.other_remedy.take(), other);
        }
        finding.savable_ns = finding.replayed.as_ref().map(|outcome| of_rank_time(outcome, run.scope));
        finding.is_bound &= finding.savable_ns.is_some();
        for way in &mut finding.alternatives {
            way.savable_ns = of_rank_time(&with(&way.remedy), run.scope);
        }
    });
    findings.retain(|f| !f.is_refuted(run.scope));
    name_causes(findings, run);
}

/// Rank time that a remedy saves, ns.
pub(crate) fn saved_ns(remedy: &Remedy, tape: &Tape, facts: &[Vec<CallInfo>], scope: &Scope) -> u64 {
    of_rank_time(&replayed(remedy, tape, facts), scope)
}

fn of_rank_time(outcome: &Outcome, scope: &Scope) -> u64 {
    (outcome.saved_share().max(0.0) * scope.rank_time_ns as f64) as u64
}

/// The run with a remedy.
fn replayed(remedy: &Remedy, tape: &Tape, facts: &[Vec<CallInfo>]) -> Outcome {
    let inside = match remedy.inside_ns {
        0 => 1.0,
        ns => {
            // The tape may have only parts of the run.
            let own_ns = tape.own_ns(|rank, facts| remedy.concerns(rank, facts)) as f64;
            let part = ns as f64 * tape.share_of_calls();
            (1.0 - part / own_ns.max(1.0)).clamp(0.0, 1.0)
        }
    };
    replay(tape, &Applied { remedy, facts, inside })
}

/// Findings about waits are symptoms where most of the waits are caused by ranks that another finding, which saves something,
/// is about, or disappear in the replay without that finding.
fn name_causes(findings: &mut [Finding], run: &Run<'_>) {
    let is_worth_it = |f: &&Finding| f.savable_ns.is_none_or(|ns| ns >= run.scope.threshold_ns());
    let mut causes: Vec<Cause> = findings.iter().filter(is_worth_it).filter_map(Cause::of).collect();
    causes.sort_by_key(|c| (Reverse(c.worth_ns()), c.finding.id));
    for finding in findings.iter_mut().filter(|f| f.caused_by.is_none()) {
        finding.caused_by = causes.iter().find(|cause| cause.explains(finding, run)).map(|cause| cause.finding.id);
    }
}

/// A finding that explains why ranks are late, and not only that others wait for them.
struct Cause {
    finding: Finding,
    why: WhyLate,
}

impl Cause {
    fn of(finding: &Finding) -> Option<Cause> {
        finding.relations.why_late.map(|why| Cause { finding: finding.clone(), why })
    }

    fn worth_ns(&self) -> u64 {
        self.finding.savable_ns.unwrap_or(self.finding.cost_ns)
    }

    /// Whether most of the waits of a finding disappear in the replay without this one.
    fn takes_away(&self, symptom: &Finding, run: &Run<'_>) -> bool {
        let of = |outcome: &Outcome| symptom.waits.iter().map(|kind| outcome.waits_ns[*kind as usize]).sum::<u64>();
        let remain_ns = self.finding.replayed.as_ref().map_or(u64::MAX, of);
        let recorded_ns = of(run.recorded);
        recorded_ns > 0 && remain_ns as f64 <= (1.0 - MOST) * recorded_ns as f64
    }

    /// Whether it causes most of the waits of a finding.
    fn explains(&self, symptom: &Finding, run: &Run<'_>) -> bool {
        let cause = &self.finding;
        // That a master is busy all the time adds nothing to the finding that ranks wait for it.
        if symptom.relations.why_late == Some(WhyLate::Computing) {
            return self.why == WhyLate::Master && symptom.cause_ranks == cause.cause_ranks;
        }
        // A chain that starts with a rank that computes longer passes on its delay.
        if symptom.relations.is_about_a_chain() {
            let heads = &symptom.cause_ranks;
            let is_theirs = !heads.is_empty() && heads.iter().all(|rank| cause.cause_ranks.contains(rank));
            return self.why == WhyLate::Computing && is_theirs && self.worth_ns() >= symptom.savable_ns.unwrap_or(0);
        }
        match self.why {
            // Messages that the MPI must search for appear slow because there are many of them.
            WhyLate::Queues => {
                let is_here = symptom.sites.iter().any(|site| cause.sites.contains(site));
                let is_enough = cause.cost_ns as f64 >= MOST * symptom.cost_ns as f64;
                symptom.relations.grows_with_queues && is_here && is_enough
            }
            WhyLate::Chain => {
                let is_link = |kind: &WaitKind| *kind == WaitKind::LateReceiver || WaitKind::OF_MESSAGES.contains(kind);
                match symptom.waits.iter().any(is_link) {
                    true => symptom.sites.first().is_none_or(|site| cause.sites.contains(site)),
                    false => self.takes_away(symptom, run),
                }
            }
            WhyLate::Idle => {
                !symptom.waits.is_empty() && symptom.ranks.iter().all(|rank| cause.cause_ranks.contains(rank))
            }
            WhyLate::Moment => self.takes_away(symptom, run),
            WhyLate::Repeated => {
                // Time after the last rank has come is no need of the replay.
                let is_completion = symptom.waits == [WaitKind::NxnCompletion];
                let is_here = symptom.sites.iter().all(|site| cause.sites.contains(site));
                let is_part = self.worth_ns() >= symptom.savable_ns.unwrap_or(0);
                self.takes_away(symptom, run) || is_completion && is_here && is_part
            }
            WhyLate::Computing | WhyLate::Master | WhyLate::Sending => self.is_behind(symptom, run),
        }
    }

    /// Whether most of the waits of a finding trace back to its ranks.
    fn is_behind(&self, symptom: &Finding, run: &Run<'_>) -> bool {
        let cause = &self.finding;
        let is_theirs = |world: i32| cause.cause_ranks.is_empty() || cause.cause_ranks.contains(&world);
        let (all, caused) = run.behind.share_of(&symptom.waits, |who| is_theirs(run.dimensions.rank(who.rank)));
        all > 0 && caused as f64 >= MOST * all as f64
    }
}
