//! Where this process runs: in which batch job, under which launcher, with which launchers at hand.

use std::path::PathBuf;

use serde::Serialize;

use crate::job::{self, BatchJob, Env, Launched};
use crate::launcher::STYLES;
use crate::program;

#[derive(Debug, Clone, Serialize)]
pub struct Surroundings {
    /// Batch jobs this process is part of, the innermost first.
    pub batch_jobs: Vec<BatchJob>,
    /// What started this process, if it was a launcher.
    pub launched: Option<Launched>,
    /// Launchers in `PATH` that belong to a batch system and not to an MPI.
    pub starters: Vec<Starter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Starter {
    /// As `--launcher` takes it.
    pub command: String,
    pub path: PathBuf,
}

impl Surroundings {
    pub fn look(env: Env) -> Self {
        Self { batch_jobs: job::batch_jobs(env), launched: job::launched(env), starters: starters() }
    }
}

fn starters() -> Vec<Starter> {
    // The first style is that of the MPIs' own launchers, which are asked for their version.
    let styles = STYLES.iter().skip(1);
    let names = styles.flat_map(|style| style.names.iter().map(move |name| (style, *name)));
    let found = names.filter_map(|(style, name)| {
        let path = program::resolve(name).ok()?;
        let command = std::iter::once(name).chain(style.subcommands.first().copied()).collect::<Vec<_>>().join(" ");
        Some(Starter { command, path })
    });
    found.collect()
}
