//! Findings: the results of an analysis that a report shows.

use std::collections::BTreeMap;

use mpiscope_model::Outcome;
use serde::Serialize;

use super::remedy::Remedy;
use super::rule::{Relations, Rule};
use super::scope::Scope;
use super::span::Spread;
use super::wait::WaitKind;

/// If the proof covers this share of the cost, it shows in which iterations the cost arises.
const SHOWN: f64 = 0.5;

/// `text` as the start of a sentence.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A number or a text of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A count, or ns, or bytes: the suffix of the key shows which.
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

/// An interval on one rank that shows the finding.
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
    /// Rank time that it takes, ns. Not all of it can be saved: a wait may move to the next call.
    pub cost_ns: u64,
    /// The same as a share of the rank time of the run.
    pub share: f64,
    /// Rank time that the run would take less without it, ns: the recorded run, replayed without the cause. `None` where the
    /// replay cannot make this change.
    pub savable_ns: Option<u64>,
    /// Whether this is an upper bound: such waits cannot be removed without changing what ranks compute when, and the replay
    /// simply leaves them out.
    pub is_bound: bool,
    /// What the best change for it gains, by a model of the run's communication; `None` unless the model was used and can make such
    /// a change.
    pub gain: Option<Gain>,
    /// Changes other than the one advised first.
    pub alternatives: Vec<Alternative>,
    /// Id of the finding whose symptom it is.
    pub caused_by: Option<&'static str>,
    /// How sure.
    pub confidence: Confidence,
    /// Ranks that lose time by it, in `MPI_COMM_WORLD`.
    pub ranks: Vec<i32>,
    /// Ranks that cause it.
    pub cause_ranks: Vec<i32>,
    /// Call sites, the most expensive first.
    pub sites: Vec<String>,
    /// Regions of the program.
    pub regions: Vec<String>,
    /// Iterations of the main loop (numbered from 0) in which most of the cost arises: first and last of each range; one range
    /// if it is all of them. `None` where there is no loop, most of the cost is outside it, or the rule does not determine when
    /// its cost arises.
    pub iterations: Option<Vec<(u64, u64)>>,
    /// Its numbers; the keys contain the units.
    pub evidence: BTreeMap<&'static str, Value>,
    /// Where to look: a few intervals, the most expensive first, at most 16.
    pub proof: Vec<Proof>,
    /// How it relates to other findings: as its rule does.
    #[serde(skip)]
    pub(crate) relations: Relations,
    /// The kinds of waits that it sums, if it is about waits.
    #[serde(skip)]
    pub(crate) waits: Vec<WaitKind>,
    /// How the run would be without it.
    #[serde(skip)]
    pub(crate) remedy: Option<Remedy>,
    /// Another description of the same run: the one that saves more is taken.
    #[serde(skip)]
    pub(crate) other_remedy: Option<Remedy>,
    /// The run with that.
    #[serde(skip)]
    pub(crate) replayed: Option<Outcome>,
}

/// What a change of the run gains by a model, as a share of the run's time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// The change, as `mpiscope predict --what-if` takes it.
    pub change: String,
    /// How to make it.
    pub how: String,
    /// What it gains; negative: it costs.
    pub gain: f64,
    /// The interval of the gain.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Another change of the program, and what it saves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// What to try.
    pub advice: String,
    /// Rank time that the run would take less with it, ns.
    pub savable_ns: u64,
    /// How the run would be.
    #[serde(skip)]
    pub(crate) remedy: Remedy,
}

impl Finding {
    /// A finding of this rule, without texts and numbers.
    pub(crate) fn of(rule: &Rule) -> Finding {
        Finding { id: rule.id, relations: rule.relations, ..Finding::default() }
    }

    /// Rank time that a change saves, ns, as far as that is known: by the model if it was used, otherwise by the replay.
    pub fn worth_ns(&self, scope: &Scope) -> Option<u64> {
        match &self.gain {
            // An interval with 0 is no gain.
            Some(gain) if gain.low <= 0.0 => Some(0),
            Some(gain) => Some((gain.gain * scope.rank_time_ns as f64) as u64),
            None => self.savable_ns,
        }
    }

    /// Whether the replay shows that it would save nothing, because other ranks would be late in the same way.
    pub(crate) fn is_refuted(&self, scope: &Scope) -> bool {
        self.relations.needs_saving && self.savable_ns.is_some_and(|ns| ns < scope.threshold_ns())
    }

    /// Whether the intervals of its proof cover most of its cost.
    pub(crate) fn is_shown_by_proof(&self) -> bool {
        let shown_ns: u64 = self.proof.iter().map(|p| p.end_ns.saturating_sub(p.start_ns)).sum();
        shown_ns > 0 && shown_ns as f64 >= SHOWN * self.cost_ns as f64
    }

    /// When the intervals of its proof are.
    pub(crate) fn spread(&self, scope: &Scope) -> Spread {
        let mut spread = Spread::new(scope);
        self.proof.iter().for_each(|p| spread.add(p.start_ns, p.end_ns));
        spread
    }
}
