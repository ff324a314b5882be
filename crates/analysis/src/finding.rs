//! Findings: what a report tells its reader.

use std::collections::BTreeMap;

use mpiscope_model::Outcome;
use serde::Serialize;

use crate::causes::Remedy;
use crate::explain::Scope;
use crate::span::Spread;
use crate::wait::WaitKind;

/// Share of the cost from which on the proof says in which iterations it lies.
const SHOWN: f64 = 0.5;

/// A number or a text of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A count, or ns, or bytes: the key's ending says.
    Int(u64),
    /// A ratio or a rate.
    Float(f64),
    /// Anything else.
    Text(String),
    /// Several of them.
    List(Vec<Value>),
}

/// How sure a conclusion is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Follows from an estimate.
    Low,
    /// Follows from measured times with an assumption that the rule names.
    Medium,
    /// Follows from the rows alone.
    #[default]
    High,
}

/// A stretch of one rank's time that shows the finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i32,
    /// Beginning, ns since the origin of the run.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
    /// Row of the call that shows it best, if it is one call.
    pub row: Option<u64>,
}

/// A conclusion with its evidence, its cost and a next step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Finding {
    /// Id of the rule: stable.
    pub id: &'static str,
    /// One line.
    pub title: String,
    /// One paragraph: what, where, who.
    pub text: String,
    /// What to try.
    pub advice: String,
    /// Rank time that passes in it, ns. It need not become free: a wait may move to the next call.
    pub cost_ns: u64,
    /// The same as a share of the rank time of the run.
    pub share: f64,
    /// Rank time that the run takes less without it, ns: the recorded run, replayed without the cause. `None` where the
    /// replay knows no such change.
    pub savable_ns: Option<u64>,
    /// Whether that is what could be saved at most: waits like this one cannot be taken out without changing what ranks
    /// compute when, and the replay only leaves them out.
    pub is_bound: bool,
    /// Other changes than the one advised first.
    pub alternatives: Vec<Alternative>,
    /// Id of the finding that it is a symptom of.
    pub caused_by: Option<&'static str>,
    /// How sure.
    pub confidence: Confidence,
    /// Ranks that pay, in `MPI_COMM_WORLD`.
    pub ranks: Vec<i32>,
    /// Ranks that cause it.
    pub cause_ranks: Vec<i32>,
    /// Call sites, those that cost most first.
    pub sites: Vec<String>,
    /// Regions of the program.
    pub regions: Vec<String>,
    /// Iterations of the main loop (numbers from 0) in which most of the cost lies: first and last of each stretch; one
    /// stretch from the first to the last of all for all. Nothing where there is no loop, most of the cost is outside of
    /// it, or the rule does not say when its cost arises.
    pub iterations: Option<Vec<(u64, u64)>>,
    /// Numbers behind it; units are in the keys.
    pub evidence: BTreeMap<&'static str, Value>,
    /// Where to look: a few stretches, the most costly first, at most 16.
    pub proof: Vec<Proof>,
    /// Kinds of waits that it sums up, if it is about waits.
    #[serde(skip)]
    pub(crate) waits: Vec<WaitKind>,
    /// How the run would be without it.
    #[serde(skip)]
    pub(crate) remedy: Option<Remedy>,
    /// The run with that.
    #[serde(skip)]
    pub(crate) replayed: Option<Outcome>,
}

/// Another change of the program, and what it saves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// What to try.
    pub advice: String,
    /// Rank time that the run takes less with it, ns.
    pub savable_ns: u64,
    /// How the run would be.
    #[serde(skip)]
    pub(crate) remedy: Remedy,
}

impl Finding {
    /// Whether the replay shows that there is nothing in it: other ranks would be late in the same way.
    pub(crate) fn is_refuted(&self, scope: &Scope) -> bool {
        self.id == "load_imbalance" && self.savable_ns.is_some_and(|ns| ns < scope.threshold_ns())
    }

    /// Whether it is about one moment of the run.
    pub(crate) fn is_about_a_moment(&self) -> bool {
        matches!(self.id, "outlier" | "warm_up")
    }

    /// Whether the stretches of its proof are most of what it costs.
    pub(crate) fn is_shown_by_proof(&self) -> bool {
        let shown_ns: u64 = self.proof.iter().map(|p| p.end_ns.saturating_sub(p.start_ns)).sum();
        shown_ns > 0 && shown_ns as f64 >= SHOWN * self.cost_ns as f64
    }

    /// When the stretches of its proof are.
    pub(crate) fn spread(&self, scope: &Scope) -> Spread {
        let mut spread = Spread::new(scope);
        self.proof.iter().for_each(|p| spread.add(p.start_ns, p.end_ns));
        spread
    }
}
