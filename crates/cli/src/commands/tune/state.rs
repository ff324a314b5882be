//! The directory of a search, and what is needed to resume it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use mpiscope_experiments::Search;
use mpiscope_tune::{Candidate, Family, Untried};
use serde::{Deserialize, Serialize};

use super::predictions::Advice;

/// Version of the state's structure.
pub const FORMAT: u32 = 1;
/// The state of the search.
const STATE: &str = "state.json";
/// The result.
pub const RESULT: &str = "tune.json";

/// Where a run is ended.
#[derive(Serialize, Deserialize)]
pub struct Stop {
    /// Iterations of the main loop that are measured.
    pub iterations: u64,
    /// The function with which an iteration begins.
    pub function: String,
    /// By rank, the number of its call with which the next iteration begins; 0 for ranks without the loop.
    pub calls: Vec<u64>,
}

/// Everything that is needed to resume a search, and to print its result.
#[derive(Serialize, Deserialize)]
pub struct State {
    pub format: u32,
    pub program: Vec<String>,
    /// `None` if the launcher has them from elsewhere.
    pub ranks: Option<u32>,
    /// Its title; `None` if it is unknown.
    pub mpi: Option<String>,
    pub family: Option<Family>,
    /// The launcher's words.
    pub launcher: Vec<String>,
    /// Its option for the number of ranks.
    pub ranks_option: String,
    /// Words without which it would not start here.
    pub extra: Vec<String>,
    /// The MPI library that was named, for programs that do not show theirs.
    pub library: Option<PathBuf>,
    /// The region whose time counts; `None`: the whole job's.
    pub region: Option<String>,
    /// Where a run is ended; `None`: at its end.
    #[serde(default)]
    pub stop: Option<Stop>,
    pub working_directory: PathBuf,
    /// `None`: from the time without changes.
    pub timeout_seconds: Option<f64>,
    pub same_output: bool,
    /// Lines of the program's output and the sum of their hashes.
    pub output: Option<(u64, u64)>,
    pub candidates: Vec<Candidate>,
    pub untried: Vec<Untried>,
    pub advice: Vec<Advice>,
    pub search: Search,
    /// By all commands that worked on it.
    pub used_seconds: f64,
}

impl State {
    pub fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("state as JSON")?;
        replace(&directory.join(STATE), &text)
    }

    pub fn read(directory: &Path) -> anyhow::Result<State> {
        let path = directory.join(STATE);
        let bytes = std::fs::read(&path)
            .with_context(|| format!("{} has no search to resume: {}", directory.display(), path.display()))?;
        let state: State = serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))?;
        if state.format != FORMAT {
            bail!("{}: format {} is not supported, only {FORMAT}", path.display(), state.format);
        }
        if !state.search.fits(state.candidates.len()) {
            bail!("{} is damaged: its search has other candidates", path.display());
        }
        Ok(state)
    }
}

/// Replaces a file as a whole: after a crash, the old or the new one is there.
pub fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The directory of a new search.
pub fn create(path: &Path, force: bool) -> anyhow::Result<PathBuf> {
    if path.exists() {
        let is_search = path.join(STATE).is_file() || path.join(super::record::RUN).is_dir();
        match (is_search, force) {
            (true, true) => {
                std::fs::remove_dir_all(path).with_context(|| format!("cannot replace {}", path.display()))?;
            }
            (true, false) => bail!(
                "{} already exists; continue it with --resume, replace it with --force, or choose another with -o",
                path.display()
            ),
            (false, _) => bail!("{} already exists and is no search of mpiscope tune; use -o DIR", path.display()),
        }
    }
    std::fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    Ok(path.to_owned())
}
