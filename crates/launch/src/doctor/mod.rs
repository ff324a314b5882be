//! What a machine, an MPI and a program support, as facts with an assessment each.
//!
//! The facts are data; [`Report::checks`] derives the text from them, so that text and JSON cannot differ. Schema:
//! `schemas/doctor.schema.json`.

mod checks;
mod clocks;
mod machine;
mod mpis;
mod place;
mod subject;

use serde::Serialize;

pub use checks::{Check, Mark};
pub use clocks::{Clocks, Cost};
pub use machine::{Limits, Machine, SharedMemory};
pub use mpis::installed_libraries;
pub use place::{Starter, Surroundings};
pub use subject::{Interposer, Subject};

use crate::job;
use crate::launcher::{self, Candidate};
use crate::library;
use crate::mpi::Library;
use std::path::PathBuf;

/// The results of `mpiscope doctor`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Version of the JSON's schema.
    pub format: u32,
    /// The version of this mpiscope.
    pub mpiscope_version: String,
    /// The collector; `None` if it is missing.
    pub collector: Option<PathBuf>,
    /// Processors and kernel.
    pub machine: Machine,
    /// Cost and resolution of the clocks.
    pub clocks: Clocks,
    /// `None` if `/dev/shm` is missing.
    pub shared_memory: Option<SharedMemory>,
    /// Limits of the kernel.
    pub limits: Limits,
    /// MPI libraries installed where the loader, `PATH` or an active Python finds them.
    pub libraries: Vec<Library>,
    /// Launchers of known implementations in `PATH`.
    pub launchers: Vec<Candidate>,
    /// Batch jobs and launchers around this process.
    pub surroundings: Surroundings,
    /// The given program.
    pub program: Option<Subject>,
    /// The assessments.
    pub checks: Vec<Check>,
}

/// Examines the machine, and a program if one is given. `known` are the functions in the collector's table; if it is empty,
/// newer functions of the MPI are not searched for.
pub fn examine(program: Option<&str>, known: &[&str]) -> Report {
    let launchers = launcher::installed();
    let mut report = Report {
        format: 1,
        mpiscope_version: env!("CARGO_PKG_VERSION").to_owned(),
        collector: library::find(None).ok(),
        machine: Machine::examine(),
        clocks: Clocks::measure(),
        shared_memory: SharedMemory::examine(),
        limits: Limits::examine(),
        libraries: installed_libraries(&launchers),
        launchers,
        surroundings: Surroundings::examine(&job::own_env),
        program: program.map(|given| Subject::examine(given, known)),
        checks: Vec::new(),
    };
    report.checks = checks::all(&report);
    report
}

impl Report {
    /// The worst mark.
    pub fn worst(&self) -> Mark {
        self.checks.iter().map(|check| check.mark).max().unwrap_or(Mark::Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_line_and_json() {
        let report = examine(Some("ls"), &[]);
        let names: Vec<&str> = report.checks.iter().map(|check| check.id).collect();
        for name in ["collector", "mpi", "launcher", "batch", "clock", "shared-memory", "limits", "program"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        for check in &report.checks {
            assert!(!check.text.contains('\n'), "{}", check.text);
        }
        assert_eq!(report.worst(), Mark::Fail, "ls has no MPI");
        let json = serde_json::to_value(&report).unwrap();
        assert!(json["program"]["problem"].as_str().unwrap().contains("loads no MPI library"));
        assert!(json["clocks"]["monotonic"]["cost_ns"].as_f64().unwrap() > 0.0);
    }
}
