//! The explanation of a run: all analyses, one pass.

use std::collections::BTreeSet;

use mpiscope_model::Tape;
use mpiscope_store::{Batch, CallInfo, Dimensions, RankId, RankRow};
use mpiscope_units::{count, time};
use rayon::prelude::*;
use serde::Serialize;

use crate::causes::{self, Reproduction};
use crate::clocks::ClockErrors;
use crate::completions::{CompletionRow, Completions};
use crate::deadlock::{Stuck, StuckAnalysis};
use crate::efficiency::{CriticalPath, DelayRow, Efficiency, EfficiencyAnalysis, Timelines};
use crate::finding::Finding;
use crate::machine;
use crate::matching::{Matcher, Matching};
use crate::quality::{Machine, Quality};
use crate::rule::Subject;
use crate::span::{self, Spread};
use crate::structure::{self, Structure};
use crate::time::{PlaceTime, TimeSplit, TimeSplitter};
use crate::unreadable::{UnreadableRow, unreadable, unreadable_text};
use crate::wait::{Wait, WaitRow};
use crate::waits::Waits;

/// What an analysis sees.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// What ids stand for.
    pub dimensions: &'a Dimensions,
    /// Facts of each rank.
    pub facts: &'a [Vec<CallInfo>],
    /// The next stretch.
    pub batch: &'a Batch,
    /// Waits whose message or collective operation is in this batch, by rank and end.
    pub waits: &'a [Wait],
    /// Messages of this batch, by index, whose send cannot end before the receive is posted.
    pub blocking: &'a [u32],
}

impl<'a> Input<'a> {
    /// Before waits are known.
    pub fn without_waits(dimensions: &'a Dimensions, facts: &'a [Vec<CallInfo>], batch: &'a Batch) -> Input<'a> {
        Input { dimensions, facts, batch, waits: &[], blocking: &[] }
    }
}

/// What shares refer to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scope {
    /// Earliest return from `MPI_Init`, ns since the origin; where rings were overwritten, the moment from which the
    /// rows of all ranks are there.
    pub start_ns: u64,
    /// Latest entry of `MPI_Finalize`, or the last moment known, or, where rings were full, the moment up to which
    /// the rows of all ranks are there.
    pub end_ns: u64,
    /// From the return of `MPI_Init` to the entry of `MPI_Finalize`, summed over ranks: what of it lies between
    /// `start_ns` and `end_ns`.
    pub rank_time_ns: u64,
    /// The same of the whole run: more where rings were overwritten.
    pub run_rank_time_ns: u64,
    /// Ranks.
    pub ranks: u64,
    /// Calls with rows, and calls whose rows are lost.
    pub calls: u64,
    /// See `calls`.
    pub calls_lost: u64,
    /// What cannot be read because rank files are damaged; it is outside of `start_ns` to `end_ns`.
    pub unreadable: Vec<UnreadableRow>,
}

impl Scope {
    /// Cost below which a rule reports nothing, unless it has its own threshold: below 1 % of the rank time a change is lost in
    /// the noise of a run, and a gain below 1 ms is not worth a change.
    pub fn threshold_ns(&self) -> u64 {
        (self.rank_time_ns / 100).max(1_000_000)
    }

    /// The caveat if rows are missing.
    fn cut(&self) -> Option<String> {
        let (from, until) = (time(self.start_ns), time(self.end_ns));
        if let Some(text) = unreadable_text(&self.unreadable) {
            return Some(format!("{text}. The analysis covers only the run from {from} to {until}."));
        }
        (self.calls_lost > 0).then(|| {
            format!(
                "Events of {} calls were overwritten or did not fit into the buffer: the analysis covers only the run from {from} to \
                 {until}. Record with a larger --buffer, or with --on-full grow.",
                count(self.calls_lost)
            )
        })
    }
}

/// A run that failed within this time after `MPI_Init` did nothing that could be tuned.
const AT_ONCE_NS: u64 = 100_000_000;

/// One of the analyses.
pub trait Analysis: Send {
    /// Takes the next stretch.
    fn take(&mut self, input: &Input<'_>);
    /// Writes its results into the explanation.
    fn finish(self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation);
}

/// A run that failed almost at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Failed {
    /// From `MPI_Init` to the end, ns.
    pub after_ns: u64,
    /// Ranks that failed.
    pub ranks: u64,
    /// How the first of them ended.
    pub how: String,
}

/// Why a run took the time that it took.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Explanation {
    /// Version of this structure.
    pub format: u32,
    /// What shares refer to.
    pub scope: Scope,
    /// Where the time of the ranks went.
    pub time: TimeSplit,
    /// Where time in MPI other than waiting is spent, the most expensive first.
    pub places: Vec<PlaceTime>,
    /// What was matched.
    pub matching: Matching,
    /// Waits by kind, rank, cause and place, the most expensive first.
    pub waits: Vec<WaitRow>,
    /// Completion calls by the bytes that they received.
    pub completions: Vec<CompletionRow>,
    /// How long messages take, by size and path.
    pub speed: Vec<crate::quality::SpeedRow>,
    /// Collective operations: waiting and moving.
    pub collectives: Vec<crate::quality::CollectiveRow>,
    /// Non-blocking operations.
    pub overlap: Vec<crate::quality::OverlapRow>,
    /// Messages that arrived before their receive was posted.
    pub unexpected: Vec<crate::quality::UnexpectedRow>,
    /// Queues of each rank.
    pub queues: Vec<crate::quality::QueueRow>,
    /// Which ranks cause the waits, the most expensive first.
    pub delays: Vec<DelayRow>,
    /// How well time was used.
    pub efficiency: Option<Efficiency>,
    /// The chain of computations and transfers that determined the length of the run.
    pub critical_path: Option<CriticalPath>,
    /// How well the replay, from which savings come, reproduces the run.
    pub replay: Option<Reproduction>,
    /// The run for further replays while the explanation is being made.
    #[serde(skip)]
    pub(crate) tape: Option<Tape>,
    /// How far each rank had got at each moment.
    #[serde(skip)]
    pub timelines: Timelines,
    /// Sites that are called in nearly every iteration.
    #[serde(skip)]
    pub(crate) sites_in_loop: BTreeSet<String>,
    /// When the cost of findings arises, by id, for rules that know it.
    #[serde(skip)]
    pub(crate) costs: Vec<(&'static str, Spread)>,
    /// Time of calls that have not returned and wait for other ranks: rank, facts, ns.
    #[serde(skip)]
    pub(crate) open_waits: Vec<(RankId, u32, u64)>,
    /// Ranks in calls that have not returned, if they wait for each other or have waited for a long time.
    pub stuck: Option<Stuck>,
    /// Set where the run failed too soon to judge its speed.
    pub failed: Option<Failed>,
    /// Conclusions: causes by what they save, each followed by its symptoms.
    pub findings: Vec<Finding>,
    /// The main loop, if there is one.
    pub iterations: Option<structure::Iterations>,
    /// Parts of an iteration, in order.
    pub phases: Vec<structure::Phase>,
    /// Calls and ranks of the phases.
    #[serde(skip)]
    pub(crate) in_phases: structure::InPhases,
    /// How processes are arranged.
    pub grid: Option<structure::Grid>,
    /// Communication pattern: `halo`, `sweep`, `pipeline`, `butterfly`, `transpose`, `ring`, `tree`, `alltoall`,
    /// `master_worker`, `pairs` or `irregular`.
    pub pattern: Option<&'static str>,
    /// More about it; `None` for patterns of collective operations.
    pub pattern_details: Option<structure::PatternDetails>,
    /// Who waits for whom, where and how often.
    pub synchronisation: Vec<structure::Synchronisation>,
    /// What the machine gave to the ranks; `None` without samples.
    pub machine: Option<machine::Machine>,
    /// What could not be determined, and why.
    pub caveats: Vec<String>,
}

impl Explanation {
    /// Adds to findings the iterations in which their cost arises, where that is known.
    fn name_iterations(&mut self) {
        let Some(main) = &self.iterations else { return };
        for finding in &mut self.findings {
            if finding.iterations.is_none() {
                let spread = self.costs.iter().find(|(id, _)| *id == finding.id);
                finding.iterations = match spread {
                    Some((_, spread)) => spread.iterations(main),
                    None if finding.is_shown_by_proof() => finding.spread(&self.scope).iterations(main),
                    // Its cost arises whenever the program reaches this place.
                    None if finding.sites.iter().any(|site| self.sites_in_loop.contains(site)) => Some(main.all()),
                    None => None,
                };
            }
            let runs = finding.iterations.as_deref().unwrap_or_default();
            // Their own text already names the iteration.
            if !finding.relations.is_about_a_moment()
                && let Some(named) = span::named(runs, main.count)
            {
                finding.text += &format!(" This happens in {named}.");
            }
        }
    }

    /// A run that failed almost at once keeps only the findings about what stopped it.
    fn failed_at_once(&mut self, dimensions: &Dimensions) {
        let span_ns = self.scope.end_ns.saturating_sub(self.scope.start_ns);
        let failed = dimensions.ranks.iter().filter(|row| row.failed.is_some());
        let Some(how) = failed.clone().find_map(|row| row.failed.as_deref()).filter(|_| span_ns < AT_ONCE_NS) else {
            return;
        };
        self.failed = Some(Failed { after_ns: span_ns, ranks: failed.count() as u64, how: how.to_owned() });
        self.findings.retain(|finding| finding.relations.subject == Subject::Stop);
    }

    /// Keeps only what concerns the wanted ranks: those that wait and those that others wait for.
    pub fn keep_ranks(&mut self, wanted: impl Fn(i32) -> bool) {
        self.waits.retain(|w| wanted(w.rank) || w.cause_rank.is_some_and(&wanted));
        let concerns = |f: &Finding| f.ranks.is_empty() || f.ranks.iter().chain(&f.cause_ranks).any(|&r| wanted(r));
        self.findings.retain(concerns);
    }
}

/// Runs all analyses over the batches of a run.
pub struct Explainer {
    scope: Scope,
    waits: Waits,
    /// Analyses that no other analysis uses.
    analyses: Vec<Box<dyn Analysis>>,
    structure: Structure,
    efficiency: EfficiencyAnalysis,
}

impl Explainer {
    /// Before the first batch.
    pub fn new(dimensions: &Dimensions) -> Explainer {
        let recorded = || dimensions.ranks.iter();
        let scope = Scope {
            start_ns: recorded().map(|r| r.rows_from_ns).min().unwrap_or(0),
            end_ns: recorded().map(|r| r.rows_until_ns).max().unwrap_or(0),
            rank_time_ns: recorded().map(RankRow::rows_time_ns).sum(),
            run_rank_time_ns: recorded().map(RankRow::time_ns).sum(),
            ranks: dimensions.ranks.len() as u64,
            calls: 0,
            calls_lost: recorded().map(|r| r.rows_lost).sum(),
            unreadable: unreadable(dimensions),
        };
        let analyses: Vec<Box<dyn Analysis>> = vec![
            // Before time is split.
            Box::new(StuckAnalysis::default()),
            Box::new(TimeSplitter::default()),
            Box::new(Matcher::default()),
            Box::new(ClockErrors::default()),
            Box::new(Completions::default()),
            Box::new(Quality::of(Machine::of(dimensions))),
        ];
        let waits = Waits::new(&scope);
        let (structure, efficiency) = (Structure::new(&scope), EfficiencyAnalysis::new(&scope));
        Explainer { scope, waits, analyses, structure, efficiency }
    }

    /// The next stretch.
    pub fn add_batch(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>], batch: &Batch) {
        let calls = batch.ranks.iter().flat_map(|r| &r.calls).map(|c| u64::from(c.calls));
        self.scope.calls = self.scope.calls.saturating_add(calls.sum());
        let waits = self.waits.detect(&Input::without_waits(dimensions, facts, batch));
        let input = Input { dimensions, facts, batch, waits: &waits, blocking: self.waits.blocking() };
        // In parallel: they do not depend on each other.
        let (structure, efficiency) = (&mut self.structure, &mut self.efficiency);
        let first: [&mut dyn Analysis; 2] = [efficiency, structure];
        let others = self.analyses.iter_mut().map(|analysis| &mut **analysis as &mut dyn Analysis);
        let mut all: Vec<&mut dyn Analysis> = first.into_iter().chain(others).collect();
        all.par_iter_mut().with_max_len(1).for_each(|analysis| analysis.take(&input));
        // It needs the starts of iterations before it discards them.
        self.efficiency.forget(batch.is_last, &self.structure);
        self.waits.give_back(waits);
    }

    /// After the last batch.
    pub fn finish(mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>]) -> Explanation {
        let mut explanation = Explanation { format: 1, scope: self.scope, ..Explanation::default() };
        explanation.caveats.extend(explanation.scope.cut());
        let refuted = self.efficiency.refuted(dimensions, facts);
        self.waits.finish(dimensions, facts, &refuted, &mut explanation);
        for analysis in self.analyses {
            analysis.finish(dimensions, facts, &mut explanation);
        }
        // Iterations first: efficiencies refer to them.
        Box::new(self.structure).finish(dimensions, facts, &mut explanation);
        Box::new(self.efficiency).finish(dimensions, facts, &mut explanation);
        explanation.name_iterations();
        machine::explain(dimensions, facts, &mut explanation);
        explanation.tape = None;
        explanation.failed_at_once(dimensions);
        causes::order(&mut explanation.findings, &explanation.scope);
        explanation
    }
}
