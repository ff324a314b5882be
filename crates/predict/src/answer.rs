//! How well the model replays the run as it was, and what it says about changes.

use std::sync::Arc;

use mpiscope_model::simulation::{Network, Outcome, Section, Simulation, Step, Waiting, Watch};
use mpiscope_store::{CallInfo, RankRow};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::apply::{Applied, ApplyError, Run};
use crate::change::Change;

/// Time in the recorded run and in its replay.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What: a kind of waits, a function.
    pub what: String,
    /// In the recorded run, ns.
    pub recorded_ns: u64,
    /// In the replay, ns.
    pub replayed_ns: u64,
}

impl Row {
    /// Difference to what was recorded, as a share of it.
    pub fn error(&self) -> f64 {
        (self.replayed_ns as f64 - self.recorded_ns as f64) / (self.recorded_ns.max(1)) as f64
    }
}

/// The replay of the run as it was: how far it can be trusted.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// From the first beginning to the last end.
    pub time: Row,
    /// Waits by kind.
    pub waits: Vec<Row>,
    /// Time in calls by function, the largest first.
    pub functions: Vec<Row>,
    /// Share of the time in calls that is replayed as it was recorded, since the model has no data about what these calls need.
    pub as_recorded_share: f64,
    /// Share of the time in calls by which they took longer than usual after what they need had come: interruptions, replayed as recorded.
    pub interrupted_share: f64,
    /// Share of the job that is missing in the replay: ranks without a recording, what would have come after the end of a run that was cut
    /// short, lost events, messages of which only one end is recorded. Answers are for the rest, and their intervals are wider for it.
    pub missing_share: f64,
    /// What the run lacks, and what the model leaves out.
    pub notes: Vec<String>,
}

/// What a change gains.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The change, as it is written for `--what-if`.
    pub change: String,
    /// Time of the run with it, ns: the recorded time less the gain.
    pub predicted_ns: u64,
    /// What it saves of the run's time, as a share; negative: it costs.
    pub gain: f64,
    /// The interval of the gain.
    pub low: f64,
    /// See above.
    pub high: f64,
    /// How much work it is.
    pub effort: &'static str,
    /// How to do it.
    pub how: String,
}

/// Times of calls by function.
struct Functions<'a> {
    facts: &'a [Vec<CallInfo>],
    ns: FxHashMap<u32, u64>,
}

impl Watch for Functions<'_> {
    fn step(&mut self, rank: u32, step: &Step, start_ns: u64, end_ns: u64) {
        if let Some(info) = self.facts.get(rank as usize).and_then(|of| of.get(step.facts as usize)) {
            *self.ns.entry(info.function).or_default() += end_ns - start_ns;
        }
    }
}

/// The id of a kind of waits.
fn waiting_name(kind: Waiting) -> &'static str {
    match kind {
        Waiting::LateSender => "late_sender",
        Waiting::LateReceiver => "late_receiver",
        Waiting::AllMembers => "wait_for_all",
        Waiting::LateRoot => "late_root",
        Waiting::EarlyRoot => "early_root",
        Waiting::EarlierMembers => "wait_in_scan",
        Waiting::Epoch => "wait_in_epoch",
        Waiting::Target => "rma_wait_for_progress",
    }
}

/// A simulation of the run under changes.
struct Asked {
    changes: Vec<Change>,
    applied: Applied,
    simulation: Simulation,
    /// With [`Applied::variants`].
    variants: Vec<Simulation>,
}

/// The run as it was, and under changes, each for itself: all of them take the program section by section, so that only one pass over
/// the run is needed, and none of them needs the whole run in memory.
pub struct Model<'a> {
    run: Run<'a>,
    base: (Simulation, Functions<'a>),
    /// How messages hinder each other in it.
    hindrances: Vec<String>,
    asked: Vec<Result<Asked, ApplyError>>,
    /// The part of the job that is not in the run.
    lacking_share: f64,
}

impl<'a> Model<'a> {
    /// Asks what changes gain.
    pub fn new(run: Run<'a>, network: &Network, questions: &[Vec<Change>]) -> Model<'a> {
        let simulation = |network: &Arc<Network>| Simulation::new(network.clone(), &run.recorded.starts_ns);
        let ask = |changes: &Vec<Change>| {
            let applied = Applied::new(changes, network, run)?;
            Ok(Asked {
                changes: changes.clone(),
                simulation: simulation(&applied.network),
                variants: applied.variants.iter().map(simulation).collect(),
                applied,
            })
        };
        Model {
            run,
            base: (simulation(&Arc::new(network.clone())), Functions { facts: run.facts, ns: FxHashMap::default() }),
            hindrances: crate::hindrance::texts(network),
            asked: questions.iter().map(ask).collect(),
            lacking_share: 0.0,
        }
    }

    /// The same for a run that lacks this part of its job: ranks, or the end.
    #[must_use]
    pub fn lacking(self, share: f64) -> Model<'a> {
        Model { lacking_share: share, ..self }
    }

    /// Takes the next section of the program.
    pub fn add(&mut self, section: &Arc<Section>) {
        let (base, functions) = &mut self.base;
        let asked = &mut self.asked;
        rayon::join(
            || base.add(section, functions),
            || {
                asked.par_iter_mut().flatten().for_each(|asked| {
                    let changed = asked.applied.section(section);
                    asked.simulation.add(&changed, &mut ());
                    asked.variants.iter_mut().for_each(|variant| variant.add(&changed, &mut ()));
                });
            },
        );
    }

    /// How well the run was replayed, and the answers in the order of the questions.
    pub fn finish(self) -> (Reproduction, Vec<Result<Answer, ApplyError>>) {
        let Model { run, base: (simulation, functions), hindrances, asked, lacking_share } = self;
        let replayed = simulation.finish();
        let mut reproduction = reproduction(run, &replayed, &functions.ns);
        reproduction.missing_share = 1.0 - (1.0 - reproduction.missing_share) * (1.0 - lacking_share);
        reproduction.notes.extend(hindrances);
        let answers = asked.into_iter().map(|asked| answer(asked?, run, &replayed, &reproduction)).collect();
        (reproduction, answers)
    }
}

fn answer(asked: Asked, run: Run<'_>, replayed: &Outcome, reproduction: &Reproduction) -> Result<Answer, ApplyError> {
    let Asked { changes, simulation, variants, applied } = asked;
    let outcome = simulation.finish();
    let change = changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let done = match applied.summary() {
        Ok(done) => done,
        Err(why) => return Err(ApplyError::Impossible { change, why }),
    };
    if outcome.released > replayed.released {
        let is_later = |change: &Change| matches!(change, Change::Aggregated(_) | Change::Reordered(_));
        let is_earlier = |change: &Change| matches!(change, Change::Arrival(_) | Change::Early(_));
        let why = match changes.iter().any(is_later) {
            _ if changes.iter().any(is_earlier) => {
                "some ranks would then wait forever: what they receive is sent after something that waits for them"
            }
            true => "some ranks would then wait forever: what they need is sent after something that waits for them",
            false => "some ranks would then wait forever: a call that they need is left out",
        };
        return Err(ApplyError::Impossible { change, why: why.to_owned() });
    }
    let gain_of = |outcome: &Outcome| 1.0 - outcome.time_ns() as f64 / replayed.time_ns().max(1) as f64;
    let gain = gain_of(&outcome);
    let gains = variants.into_iter().map(|variant| gain_of(&variant.finish()));
    // Which message the computing after a wait needs is not recorded: it may need all of them.
    let is_at_most = changes.iter().any(|change| matches!(change, Change::Split(_)));
    let surely = if is_at_most { gain.min(0.0) } else { gain };
    let (least, greatest) = gains.fold((surely, gain), |(least, greatest), of| (least.min(of), greatest.max(of)));
    // A change may end the waits in calls that are replayed as recorded, or make them longer; and interruptions come at other moments.
    let most = |ns: &[u64]| mpiscope_units::share(ns.iter().max().copied().unwrap_or(0), run.recorded.time_ns());
    let as_recorded = most(&run.recorded.maybe_waits_ns);
    let unsure = match gain == 0.0 {
        true => 0.0,
        false => as_recorded + most(&run.recorded.interrupted_ns) / 2.0,
    };
    let unsure = changes.iter().map(|change| as_recorded * stretch(change)).fold(unsure, f64::max);
    let is_moved = changes.iter().any(|change| matches!(change, Change::Placement(_)));
    let unknown = reproduction.unknown() + if is_moved { MOVED } else { 0.0 };
    let half =
        unsure + reproduction.time.error().abs() + gain.abs() * (reproduction.error_of_waits().min(1.0) + unknown);
    let (effort, how) = crate::advice::of(&changes, run);
    let how = if done.is_empty() { how } else { format!("{how} ({})", done.join("; ")) };
    let predicted_ns = (run.recorded.time_ns() as f64 * (1.0 - gain)) as u64;
    // No run takes less than no time.
    let (low, high) = (least - half, (greatest + half).min(1.0));
    Ok(Answer { change, predicted_ns, gain, low, high, effort, how })
}

/// By how much calls that are replayed as recorded may take longer or shorter, as a part of their time: all of it may be spent in what the
/// change makes faster or slower.
fn stretch(change: &Change) -> f64 {
    match change {
        Change::Latency(times) | Change::Overhead(times) => (times - 1.0).abs(),
        Change::Bandwidth(times) => (1.0 / times.max(1e-3) - 1.0).abs(),
        Change::Machine(_) | Change::Placement(_) => 1.0,
        _ => 0.0,
    }
}

/// What part of a gain by other places of ranks is unknown: messages there have sizes that the run did not have over that distance, and ranks
/// other cores. Gains that were measured differed by up to this part (docs/predict/placement.md).
const MOVED: f64 = 0.2;

/// Gains that differ by less than this share of the run are alike.
const ALIKE: f64 = 0.01;

/// Puts answers in order: those that gain most first, of gains that are alike the one that takes least effort.
pub fn order(answers: &mut [Answer]) {
    answers.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    for at in 0..answers.len() {
        let least = answers[at].gain - ALIKE;
        let alike = answers[at..].iter().take_while(|answer| answer.gain >= least);
        let easiest = alike.enumerate().min_by_key(|(_, answer)| crate::advice::much(answer.effort));
        if let Some((more, _)) = easiest {
            answers[at..=at + more].rotate_right(1);
        }
    }
}

impl Reproduction {
    /// What is missing as a part of what is there: the gain of the missing part may be between nothing and twice that of the rest.
    fn unknown(&self) -> f64 {
        self.missing_share / (1.0 - self.missing_share).max(0.01)
    }

    /// Error of all waits together, as a share of what was recorded, or of 1 % of the time if they are less: errors of waits that do
    /// not matter say nothing.
    pub fn error_of_waits(&self) -> f64 {
        let all: u64 = self.waits.iter().map(|row| row.recorded_ns).sum();
        let wrong: u64 = self.waits.iter().map(|row| row.recorded_ns.abs_diff(row.replayed_ns)).sum();
        wrong as f64 / all.max(self.time.recorded_ns / 100).max(1) as f64
    }
}

fn reproduction(run: Run<'_>, replayed: &Outcome, functions_ns: &FxHashMap<u32, u64>) -> Reproduction {
    let recorded = run.recorded;
    let waits = Waiting::ALL.into_iter().enumerate().map(|(at, kind)| Row {
        what: waiting_name(kind).to_owned(),
        recorded_ns: recorded.waits_ns[at],
        replayed_ns: replayed.waits_ns[at],
    });
    let functions = recorded.by_function_ns.iter().map(|(function, ns)| Row {
        what: mpiscope_abi::name(*function).to_owned(),
        recorded_ns: *ns,
        replayed_ns: functions_ns.get(function).copied().unwrap_or(0),
    });
    let mut functions: Vec<Row> = functions.collect();
    functions.sort_by_key(|row| std::cmp::Reverse(row.recorded_ns.max(row.replayed_ns)));
    Reproduction {
        time: Row { what: "time".to_owned(), recorded_ns: recorded.time_ns(), replayed_ns: replayed.time_ns() },
        waits: waits.filter(|row| row.recorded_ns.max(row.replayed_ns) > 0).collect(),
        functions,
        as_recorded_share: recorded.as_recorded_ns as f64 / recorded.inside_ns.max(1) as f64,
        interrupted_share: mpiscope_units::share(recorded.interrupted_ns.iter().sum(), recorded.inside_ns.max(1)),
        missing_share: missing_share(run),
        notes: notes(run, replayed),
    }
}

fn missing_share(run: Run<'_>) -> f64 {
    let recorded = run.recorded;
    let apart = mpiscope_units::share(recorded.lone + recorded.late, recorded.calls);
    1.0 - (1.0 - cut_share(run)) * (1.0 - apart.min(1.0))
}

/// Share of the run's rank time whose events are lost.
fn cut_share(run: Run<'_>) -> f64 {
    let sum = |ns: fn(&RankRow) -> u64| run.dimensions.ranks.iter().map(ns).sum::<u64>();
    match run.dimensions.is_cut() {
        true => 1.0 - mpiscope_units::share(sum(RankRow::rows_time_ns), sum(RankRow::time_ns)),
        false => 0.0,
    }
}

fn notes(run: Run<'_>, replayed: &Outcome) -> Vec<String> {
    let recorded = run.recorded;
    let mut notes = Vec::new();
    if run.dimensions.is_cut() {
        let share = mpiscope_units::percent(1.0 - cut_share(run));
        notes.push(format!("Only {share} of the run is replayed: other events are lost"));
    }
    let mut note = |count: u64, text: &str| {
        if count > 0 {
            notes.push(mpiscope_units::counted(count, text));
        }
    };
    note(recorded.lone, "message(s) left out: only one end is recorded");
    note(recorded.late, "message(s) or operation(s) left out: their calls are too far apart");
    note(recorded.of_threads, "call(s) of other threads left out");
    note(replayed.released, "wait(s) without a recorded cause: no time in the replay");
    notes
}
