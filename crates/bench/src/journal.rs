//! The journal: what the ranks have measured so far, one JSON object in each line.
//!
//! Rank 0 appends to it while the experiments run; [`crate::make_profile`] reads it. A line that was cut off by the end of the job is
//! left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use mpiscope_machine::{Host, MpiFacts, Pair, Parameter, RankPlace, Sample, Scope, Settings, Staircase};
use serde::{Deserialize, Serialize};

use crate::error::BenchError;

/// Its file in the directory of the profile.
pub const JOURNAL: &str = "journal.jsonl";

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    Begin {
        mpiscope: String,
        started_s: u64,
        mpi: MpiFacts,
        settings: Settings,
        hosts: Vec<Host>,
        ranks: Vec<RankPlace>,
        pairs: Vec<Pair>,
    },
    /// The mean of a batch of operations.
    Sample {
        experiment: String,
        series: String,
        scope: Scope,
        /// The place on the axis, such as bytes of a message.
        x: u64,
        /// Bytes that an operation moves, as a multiple of `x`.
        moved: f64,
        at_ns: u64,
        operations: u64,
        /// Of all ranks, that of the slowest.
        time_ns: f64,
        /// Of all ranks: the time of the fastest and of the median rank.
        ranks_ns: Option<(f64, f64)>,
        /// A job can have no more of this place: its precision is not judged.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_only: bool,
    },
    /// A number that is not a time.
    Fact { experiment: String, id: String, scope: Scope, value: f64 },
    /// The sends of one exchange.
    Staircase { staircase: Staircase },
    /// How far an experiment is; never written.
    Progress { experiment: String, scope: Scope, done: u64, all: u64 },
    /// The lines after it are of a further job, which follows the main one.
    Launch,
    /// What a reader has to consider, such as an experiment that was left out.
    Problem { text: String },
    /// Control variables of the MPI.
    ControlVariables { values: BTreeMap<String, i64> },
    /// What a host did while its ranks measured.
    Load { host: String, others_cores: f64, stolen_share: f64, throttled_s: f64, slowdown: f64 },
    /// An error that ended the job.
    Failed { text: String },
    /// The last line.
    End { ended_s: u64 },
}

/// Appends lines.
pub struct Journal(File);

impl Journal {
    pub fn create(directory: &Path) -> Result<Journal, BenchError> {
        let path = directory.join(JOURNAL);
        let failed = |error: std::io::Error| BenchError::Write { path: path.clone(), why: error.to_string() };
        std::fs::create_dir_all(directory).map_err(failed)?;
        File::create(&path).map(Journal).map_err(failed)
    }

    /// The journal of a job that has ended, for lines after its own.
    pub fn append(directory: &Path) -> Result<Journal, BenchError> {
        let path = directory.join(JOURNAL);
        let opened = File::options().append(true).open(&path);
        opened.map(Journal).map_err(|error| BenchError::Write { path, why: error.to_string() })
    }

    pub fn write(&mut self, lines: &[Line]) -> Result<(), BenchError> {
        let mut text = Vec::new();
        for line in lines.iter().filter(|line| !matches!(line, Line::Progress { .. })) {
            // Lines have no maps with keys other than texts, which is all that can fail.
            if serde_json::to_writer(&mut text, line).is_ok() {
                text.push(b'\n');
            }
        }
        self.0.write_all(&text).map_err(|error| BenchError::Write { path: JOURNAL.into(), why: error.to_string() })
    }
}

/// Reads a journal. What is not a line of this version is left out.
pub fn read(directory: &Path) -> Result<Vec<Line>, BenchError> {
    let path = directory.join(JOURNAL);
    let file = File::open(&path).map_err(|error| BenchError::Read { path: path.clone(), why: error.to_string() })?;
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    Ok(lines.filter_map(|line| serde_json::from_slice(&line).ok()).collect())
}

/// What one experiment has measured, for its parameters.
#[derive(Default)]
pub struct Measured {
    pub pairs: Vec<Pair>,
    /// Those of which the machine was not quiet.
    pub disturbed: BTreeSet<Scope>,
    /// Times without warm-up.
    pub times: BTreeMap<Key, Vec<f64>>,
    /// Of those that further jobs have measured: the times of each job.
    pub jobs: BTreeMap<Key, Vec<Vec<f64>>>,
    /// Bytes that an operation moves, as a multiple of `x`, by series.
    pub moved: BTreeMap<String, f64>,
    pub facts: BTreeMap<(Scope, String), f64>,
    /// Of those that further jobs have found: the number of each job.
    pub job_facts: BTreeMap<(Scope, String), Vec<f64>>,
}

impl Measured {
    /// Series, places and times of one scope.
    pub fn times_of(&self, scope: Scope) -> impl Iterator<Item = (&str, u64, &[f64])> {
        let of_scope = self.times.iter().filter(move |((of, ..), times)| *of == scope && !times.is_empty());
        of_scope.map(|((_, series, x), times)| (series.as_str(), *x, times.as_slice()))
    }

    /// The times of a series at a place, if there are any.
    pub fn times_at(&self, scope: Scope, series: &str, x: u64) -> Option<&[f64]> {
        let times = self.times.get(&(scope, series.to_owned(), x))?;
        (!times.is_empty()).then_some(times.as_slice())
    }

    pub fn fact(&self, scope: Scope, id: &str) -> Option<f64> {
        self.facts.get(&(scope, id.to_owned())).copied()
    }

    /// What each further job has found; without any, the main job's own number if it has one.
    pub fn facts_of_jobs(&self, scope: Scope, id: &str) -> Vec<f64> {
        let of_jobs = self.job_facts.get(&(scope, id.to_owned())).cloned();
        of_jobs.unwrap_or_else(|| self.fact(scope, id).into_iter().collect())
    }

    /// Every scope about which something is known.
    pub fn scopes(&self) -> BTreeSet<Scope> {
        self.times.keys().map(|(scope, ..)| *scope).chain(self.facts.keys().map(|(scope, _)| *scope)).collect()
    }

    /// A parameter of a scope, without the names.
    pub fn parameter(&self, scope: Scope, unit: &str, value: f64, interval: Option<(f64, f64)>) -> Parameter {
        Parameter {
            scope,
            unit: unit.to_owned(),
            value,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            disturbed: self.disturbed.contains(&scope),
            ..Parameter::default()
        }
    }
}

/// A place of a curve: whose, series, x.
pub type Key = (Scope, String, u64);

/// Samples in the order in which they were measured, each with the number of its job, which is 0 for the main one.
pub type Batches = BTreeMap<Key, Vec<(u32, Sample)>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_was_cut_off_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let sample = |x| Line::Sample {
            experiment: "pingpong".into(),
            series: "ping-pong".into(),
            scope: Scope::Pair(0),
            x,
            moved: 1.0,
            at_ns: 5,
            operations: 3,
            time_ns: 1.25,
            ranks_ns: Some((1.0, 1.125)),
            is_only: x == 2,
        };
        let progress = Line::Progress { experiment: "pingpong".into(), scope: Scope::All, done: 1, all: 2 };
        Journal::create(dir.path()).unwrap().write(&[sample(1), progress, sample(2)]).unwrap();
        assert_eq!(read(dir.path()).unwrap(), [sample(1), sample(2)]);
        let path = dir.path().join(JOURNAL);
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        assert_eq!(read(dir.path()).unwrap(), [sample(1)]);
        std::fs::write(&path, b"\xff\xfe\n{}\n").unwrap();
        assert_eq!(read(dir.path()).unwrap(), []);
        assert!(read(&dir.path().join("none")).is_err());
    }
}
