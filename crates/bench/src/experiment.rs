//! The list of experiments.

use mpiscope_launch::options::nearest;
use mpiscope_machine::Parameter;

use crate::choice::split;
use crate::error::BenchError;
use crate::journal::Measured;
use crate::session::Session;
use crate::{
    arithmetic, bcast, collectives, contention, datatypes, fanout, halo, memory, noise, overlap, pingpong, placement,
    queue, rma, start, steps, threads,
};

/// One experiment.
pub struct Experiment {
    /// Stable name, as typed after `mpiscope bench`.
    pub id: &'static str,
    /// What it does, in one line.
    pub what: &'static str,
    /// What it measures: the quantities, in one line.
    pub measures: &'static str,
    /// The parameters that it computes from them.
    pub parameters: &'static str,
    /// The paper or benchmark from which the method comes.
    pub source: &'static str,
    /// Smallest number of ranks with which it can run.
    pub fewest_ranks: i32,
    /// Its share of the time budget, relative to the weights of the other experiments.
    pub weight: u32,
    /// Whether it is made without being named.
    pub is_standard: bool,
    /// Runs it on this rank.
    pub run: fn(&mut Session) -> Result<(), BenchError>,
    /// Computes the parameters from what was measured.
    pub parameters_of: fn(&Measured) -> Vec<Parameter>,
    /// For the name of a series: what its places are.
    pub axis: fn(&str) -> AxisOf,
    /// How the report prints it.
    pub table: Table,
}

/// What the places of a curve are: a name and a unit, `B` or what is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisOf {
    /// What is varied, such as `message size`.
    pub name: &'static str,
    /// `B`, or what is counted, such as `messages`.
    pub unit: &'static str,
}

/// Bytes of a message.
pub const MESSAGE_SIZE: AxisOf = AxisOf { name: "message size", unit: "B" };

/// The table of an experiment in the report.
pub struct Table {
    /// What its numbers are: times or rates.
    pub numbers: Numbers,
    /// How its rows are made.
    pub rows: Rows,
    /// For a series and a place: whether it is shown, or only used.
    pub shown: fn(&str, u64) -> bool,
}

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Times of one operation.
    Times,
    /// Bytes per second.
    Rates,
    /// Floating-point operations per second; the time is that of so many.
    Operations(u64),
    /// Times below this place, rates from it on.
    RatesFrom(u64),
}

/// What the rows of a table are.
#[derive(Clone, Copy)]
pub enum Rows {
    /// A row for each place, and a column for each series, with this head.
    Places(fn(&str) -> &'static str),
    /// A row for each series and place: the parts of the series' name under these heads, the place, and the number of the slowest, median
    /// and fastest rank.
    Series(&'static [&'static str]),
}

impl Numbers {
    /// Whether a place has a rate in bytes per second.
    pub fn is_rate(self, x: u64) -> bool {
        match self {
            Numbers::Times | Numbers::Operations(_) => false,
            Numbers::Rates => true,
            Numbers::RatesFrom(first) => x >= first,
        }
    }
}

/// All experiments, in the order in which they run.
pub static EXPERIMENTS: &[Experiment] = &[
    pingpong::EXPERIMENT,
    queue::EXPERIMENT,
    overlap::EXPERIMENT,
    halo::EXPERIMENT,
    fanout::EXPERIMENT,
    steps::EXPERIMENT,
    placement::EXPERIMENT,
    collectives::EXPERIMENT,
    bcast::EXPERIMENT,
    datatypes::EXPERIMENT,
    rma::EXPERIMENT,
    threads::EXPERIMENT,
    contention::EXPERIMENT,
    memory::EXPERIMENT,
    arithmetic::EXPERIMENT,
    noise::EXPERIMENT,
    start::EXPERIMENT,
];

/// The experiments that this number of ranks can make, and why the others are left out. With names, each of them has to be possible; without,
/// at least one.
///
/// # Errors
///
/// [`BenchError::Unknown`] for an unknown name; [`BenchError::TooFewRanks`] if a named experiment, or every experiment, needs more ranks.
pub fn possible(names: &[String], ranks: i32) -> Result<(Vec<&'static Experiment>, Vec<String>), BenchError> {
    let (found, too_few): (Vec<_>, Vec<_>) =
        chosen(names)?.into_iter().partition(|experiment| ranks >= experiment.fewest_ranks);
    let refused = |experiment: &Experiment| BenchError::TooFewRanks {
        experiment: experiment.id,
        needed: experiment.fewest_ranks,
        ranks,
    };
    match too_few.first() {
        Some(experiment) if !names.is_empty() || found.is_empty() => Err(refused(experiment)),
        _ => Ok((
            found,
            too_few.into_iter().map(|experiment| format!("{}: it was left out", refused(experiment))).collect(),
        )),
    }
}

/// Whether one of them needs an MPI that several threads may call at once.
pub fn need_threads(experiments: &[&Experiment]) -> bool {
    experiments.iter().any(|experiment| experiment.id == threads::EXPERIMENT.id)
}

/// Those that are made without names.
fn standard() -> impl Iterator<Item = &'static Experiment> {
    EXPERIMENTS.iter().filter(|experiment| experiment.is_standard)
}

/// The experiments that these words name, as a whole or in part, each once; the standard set if there are no names.
///
/// # Errors
///
/// [`BenchError::Unknown`] for the first unknown name.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, BenchError> {
    if names.is_empty() {
        return Ok(standard().collect());
    }
    let mut found: Vec<&'static Experiment> = Vec::new();
    for word in names {
        let name = split(word).0;
        let experiment = EXPERIMENTS.iter().find(|experiment| experiment.id == name).ok_or_else(|| {
            // Words after `bench` that are no experiments.
            let known = EXPERIMENTS.iter().map(|experiment| experiment.id).chain(["list", "report", "compare"]);
            BenchError::Unknown { given: name.to_owned(), nearest: nearest(name, known) }
        })?;
        if !found.iter().any(|known| known.id == experiment.id) {
            found.push(experiment);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        let names = |words: &[&str]| {
            chosen(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
                .map(|found| found.iter().map(|e| e.id).collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        assert_eq!(names(&["pingpong", "pingpong"]).unwrap(), ["pingpong"]);
        assert_eq!(names(&["pingpong/a", "pingpong/b/c"]).unwrap(), ["pingpong"]);
        assert_eq!(names(&[]).unwrap().len(), standard().count());
        assert_eq!(names(&["pingpnog"]).unwrap_err(), "unknown experiment 'pingpnog'; the nearest name is 'pingpong'");
        assert_eq!(names(&["reprot"]).unwrap_err(), "unknown experiment 'reprot'; the nearest name is 'report'");
        assert_eq!(names(&["x"]).unwrap_err(), "unknown experiment 'x'");
    }

    #[test]
    fn what_is_not_possible_is_left_out_or_refused() {
        let named = |words: &[&str], ranks| {
            possible(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), ranks)
                .map(|(found, left_out)| (found.len(), left_out.len()))
                .map_err(|error| error.to_string())
        };
        let few = "pingpong needs at least 2 ranks, but this job has 1";
        assert_eq!(named(&["pingpong"], 1).unwrap_err(), few);
        assert_eq!(named(&["pingpong"], 2).unwrap(), (1, 0));
        let all = standard().count();
        assert_eq!(named(&[], 1000).unwrap(), (all, 0));
        match standard().filter(|experiment| experiment.fewest_ranks <= 1).count() {
            0 => assert_eq!(named(&[], 1).unwrap_err(), few),
            some => assert_eq!(named(&[], 1).unwrap(), (some, all - some)),
        }
    }

    #[test]
    fn every_experiment_is_described() {
        for experiment in EXPERIMENTS {
            for text in [experiment.what, experiment.measures, experiment.parameters, experiment.source] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{}: {text}", experiment.id);
            }
        }
    }
}
