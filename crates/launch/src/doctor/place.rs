//! Where this process runs: its batch job, its launcher, and the available launchers.

use std::path::PathBuf;

use serde::Serialize;

use crate::job::{self, BatchJob, Env, Launched};
use crate::launcher::STYLES;
use crate::program;

/// The job that this process is part of, and what could start one.
#[derive(Debug, Clone, Serialize)]
pub struct Surroundings {
    /// Batch jobs that contain this process, the innermost first.
    pub batch_jobs: Vec<BatchJob>,
    /// The launcher that started this process, if any.
    pub launched: Option<Launched>,
    /// Launchers in `PATH` that belong to a batch system, not to an MPI.
    pub starters: Vec<Starter>,
}

/// A launcher of a batch system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Starter {
    /// The argument for `--launcher`.
    pub command: String,
    /// Its executable.
    pub path: PathBuf,
}

impl Surroundings {
    /// Examines the variables of `env`, and searches `PATH`.
    pub fn examine(env: Env) -> Self {
        Self { batch_jobs: job::batch_jobs(env), launched: job::launched(env), starters: starters() }
    }
}

fn starters() -> Vec<Starter> {
    // The first style is that of the MPIs' launchers, which are listed separately with their versions.
    let styles = STYLES.iter().skip(1);
    let names = styles.flat_map(|style| style.names.iter().map(move |name| (style, *name)));
    let found = names.filter_map(|(style, name)| {
        let path = program::resolve(name).ok()?;
        let command = std::iter::once(name).chain(style.subcommands.first().copied()).collect::<Vec<_>>().join(" ");
        Some(Starter { command, path })
    });
    found.collect()
}
