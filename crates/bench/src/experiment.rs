//! The list of experiments.

use mpiscope_launch::options::nearest;
use mpiscope_machine::{Curve, Parameter};

use crate::error::BenchError;
use crate::journal::Measured;
use crate::pingpong;
use crate::session::Session;

/// One experiment.
pub struct Experiment {
    /// Stable name.
    pub id: &'static str,
    /// What it does, in one line.
    pub what: &'static str,
    /// What it measures.
    pub measures: &'static str,
    /// The parameters that come out.
    pub parameters: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    pub fewest_ranks: i32,
    /// Runs it on this rank.
    pub run: fn(&mut Session) -> Result<(), BenchError>,
    /// Parameters from what was measured.
    pub parameters_of: fn(&Measured) -> Vec<Parameter>,
    /// For the names of series: how many times its size an operation moves.
    pub moved: fn(&str) -> f64,
    /// Whether a curve is shown in the report, or only used.
    pub shown: fn(&Curve) -> bool,
}

/// All experiments.
pub static EXPERIMENTS: &[Experiment] = &[pingpong::EXPERIMENT];

/// The experiments with these names, each once; all if there are no names.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, BenchError> {
    if names.is_empty() {
        return Ok(EXPERIMENTS.iter().collect());
    }
    let mut found: Vec<&'static Experiment> = Vec::new();
    for name in names {
        let experiment = EXPERIMENTS.iter().find(|experiment| experiment.id == name).ok_or_else(|| {
            // Words after `bench` that are no experiments.
            let known = EXPERIMENTS.iter().map(|experiment| experiment.id).chain(["list", "report", "compare"]);
            BenchError::Unknown { given: name.clone(), nearest: nearest(name, known) }
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
        assert_eq!(names(&[]).unwrap().len(), EXPERIMENTS.len());
        assert_eq!(names(&["pingpnog"]).unwrap_err(), "unknown experiment 'pingpnog'; the nearest name is 'pingpong'");
        assert_eq!(names(&["reprot"]).unwrap_err(), "unknown experiment 'reprot'; the nearest name is 'report'");
        assert_eq!(names(&["x"]).unwrap_err(), "unknown experiment 'x'");
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
