//! The contents of a finished run, and why it may be empty.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mpiscope_records::ExitRecord;

use crate::manifest::Manifest;
use crate::options::Trace;
use crate::run_dir::{RANKS, SPOOLS};
use crate::spool::Gathered;

/// The number of files of a run, and facts about it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The program's name.
    pub program: String,
    /// Rank files, in any state.
    pub rank_files: usize,
    /// Processes with an exit record.
    pub ended: usize,
    /// Processes with any file.
    pub processes: usize,
    /// Whether `exec` started anywhere, according to the spools.
    pub has_started: bool,
    /// Whether `--ranks` was given.
    pub has_rank_filter: bool,
    /// Whether events were recorded, or only the summary.
    pub trace: Trace,
}

/// Examines a run directory.
pub fn read(run_dir: &Path) -> Outcome {
    let mut found = Outcome::default();
    if let Ok(manifest) = Manifest::read(run_dir) {
        found.program = manifest.program.first().cloned().unwrap_or_default();
        found.has_rank_filter = manifest.options.ranks.is_some();
        found.trace = manifest.options.trace;
    }
    found.has_started = run_dir.join(SPOOLS).exists();
    let mut processes = BTreeSet::new();
    for entry in fs::read_dir(run_dir.join(RANKS)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with('.') {
            found.rank_files += usize::from(name.ends_with(".rank"));
            found.ended += usize::from(name.ends_with(ExitRecord::SUFFIX));
            processes.extend(name.strip_suffix(ExitRecord::SUFFIX).or(name.strip_suffix(".rank")).map(str::to_owned));
        }
    }
    found.processes = processes.len();
    found
}

impl Outcome {
    /// Why there is no rank file; `None` if there is one.
    pub fn why_nothing(&self, gathered: &Gathered) -> Option<String> {
        if self.rank_files > 0 {
            return None;
        }
        Some(if !gathered.kept.is_empty() {
            "the rank files could not be moved into the run (see above)".into()
        } else if !gathered.alive.is_empty() {
            "the processes that have called MPI are still running".into()
        } else if !gathered.elsewhere.is_empty() {
            let hosts: Vec<&str> = gathered.elsewhere.iter().map(|place| place.host.as_str()).collect();
            format!("the rank files are still on other hosts: {}", hosts.join(", "))
        } else if self.ended == 0 && self.has_started {
            "the launcher killed all processes before they called MPI_Init".into()
        } else if self.ended == 0 {
            "the launcher started no process of the program, or the nodes do not share the run's \
             directory; see the launcher's message above"
                .into()
        } else if self.has_rank_filter {
            "none of the ranks given by --ranks called MPI".into()
        } else {
            let program = &self.program;
            format!(
                "{program} ended without calling MPI_Init, or removes LD_PRELOAD from the environment of the \
                 processes it starts"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;
    use crate::options::Options;
    use crate::spool::SpoolDir;

    #[test]
    fn the_reason_follows_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = manifest::of_new_run(vec!["a.out".into()], Options::default(), "k".into());
        fs::write(dir.path().join("run.json"), manifest.to_text()).unwrap();
        let ranks = dir.path().join(RANKS);
        fs::create_dir(&ranks).unwrap();
        let none = Gathered::default();
        let why = || read(dir.path()).why_nothing(&none);
        assert!(why().unwrap().starts_with("the launcher started no process"));
        fs::write(ranks.join("h.1.exit.json"), "{}").unwrap();
        assert!(why().unwrap().starts_with("a.out ended without calling MPI_Init"));
        let elsewhere = Gathered {
            elsewhere: vec![SpoolDir { host: "n2".into(), dir: "/dev/shm/x".into() }],
            ..Gathered::default()
        };
        assert!(read(dir.path()).why_nothing(&elsewhere).unwrap().ends_with("still on other hosts: n2"));
        fs::write(ranks.join("h.1.rank"), "").unwrap();
        fs::write(ranks.join(".h.2.rank.part.1"), "").unwrap();
        assert_eq!(why(), None);
        assert_eq!(read(dir.path()).rank_files, 1);
    }
}
