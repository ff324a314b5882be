//! The explanation of a run, as data.
//!
//! Analyses write into an [`Explanation`], reports and the viewer read it. Modules in here use no analysis and not the driver
//! (`tests/layers.rs`): who needs a number of an explanation need not read how it is computed.

pub mod attainable;
pub mod efficiency;
mod finding;
pub mod machine;
pub mod pop;
pub mod quality;
mod remedy;
mod rule;
mod scope;
mod span;
pub mod structure;
pub mod stuck;
pub mod timeline;
mod totals;
mod unreadable;
mod wait;

use std::collections::BTreeSet;

use mpiscope_model::Tape;
use mpiscope_store::RankId;
use serde::Serialize;

pub(crate) use finding::capital;
pub use finding::{Alternative, Confidence, Finding, Gain, Proof, Value};
pub(crate) use remedy::{Balance, Remedy, Share, Speed};
pub use rule::{Relations, Rule, Subject, WhyLate, WithoutCore};
pub use scope::Scope;
pub(crate) use scope::{share, share_of};
pub(crate) use span::{Spread, named, stretches};
pub use totals::{CompletionRow, Matching, PlaceTime, TimeSplit};
pub use unreadable::{UnreadableRow, unreadable, unreadable_text};
pub use wait::{Cause, Wait, WaitKind, WaitRow};

/// A run that failed almost at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Failed {
    /// From `MPI_Init` to the end, ns.
    pub after_ns: u64,
    /// Ranks that failed.
    pub ranks: u64,
    /// Those of them that ended like `how`.
    pub alike: u64,
    /// How the first of them ended that the launcher did not end.
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
    pub speed: Vec<quality::SpeedRow>,
    /// Collective operations: waiting and moving.
    pub collectives: Vec<quality::CollectiveRow>,
    /// Non-blocking operations.
    pub overlap: Vec<quality::OverlapRow>,
    /// Messages that arrived before their receive was posted.
    pub unexpected: Vec<quality::UnexpectedRow>,
    /// Queues of each rank.
    pub queues: Vec<quality::QueueRow>,
    /// Which ranks cause the waits, the most expensive first.
    pub delays: Vec<efficiency::DelayRow>,
    /// How well time was used.
    pub efficiency: Option<efficiency::Efficiency>,
    /// The chain of computations and transfers that determined the length of the run.
    pub critical_path: Option<efficiency::CriticalPath>,
    /// How well the replay, from which savings come, reproduces the run.
    pub replay: Option<efficiency::Reproduction>,
    /// The run for further replays while the explanation is being made.
    #[serde(skip)]
    pub(crate) tape: Option<Tape>,
    /// How far each rank had got at each moment.
    #[serde(skip)]
    pub timelines: timeline::Timelines,
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
    pub stuck: Option<stuck::Stuck>,
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
    /// What the machine could have done in the same time; `None` without a machine profile.
    pub attainable: Option<attainable::Attainable>,
    /// What could not be determined, and why.
    pub caveats: Vec<String>,
}

impl Explanation {
    /// Keeps only what concerns the wanted ranks: those that wait and those that others wait for.
    pub fn keep_ranks(&mut self, wanted: impl Fn(i32) -> bool) {
        self.waits.retain(|w| wanted(w.rank) || w.cause_rank.is_some_and(&wanted));
        let concerns = |f: &Finding| f.ranks.is_empty() || f.ranks.iter().chain(&f.cause_ranks).any(|&r| wanted(r));
        self.findings.retain(concerns);
    }

    /// The place among the phases of the one to which calls of a rank with these facts belong.
    pub fn phase_of(&self, rank: usize, facts: usize) -> Option<usize> {
        self.in_phases.ranks.get(rank)?.get(facts)?.as_ref().map(|of| of.inside)
    }
}
