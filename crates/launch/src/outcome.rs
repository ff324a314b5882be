//! What a finished run holds, and why it may hold nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::manifest::Manifest;
use crate::options::Trace;
use crate::run_dir::{RANKS, SPOOLS};
use crate::spool::Gathered;

/// Files of a run, counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The program's name.
    pub program: String,
    pub rank_files: usize,
    /// Processes that `exec` saw ending.
    pub ended: usize,
    /// Processes of which there is anything.
    pub processes: usize,
    /// Whether `exec` has started anywhere, as far as a spool tells.
    pub has_started: bool,
    /// Whether only some ranks were asked for.
    pub has_rank_filter: bool,
    pub trace: Trace,
}

/// Looks into a run directory.
pub fn look(run_dir: &Path) -> Outcome {
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
            found.ended += usize::from(name.ends_with(".exit.json"));
            processes.extend(name.strip_suffix(".exit.json").or(name.strip_suffix(".rank")).map(str::to_owned));
        }
    }
    found.processes = processes.len();
    found
}

impl Outcome {
    /// Why no rank file is there; none when there is one.
    pub fn why_nothing(&self, gathered: &Gathered) -> Option<String> {
        if self.rank_files > 0 {
            return None;
        }
        Some(if !gathered.kept.is_empty() {
            "the rank files could not be moved into the run (see above)".into()
        } else if !gathered.alive.is_empty() {
            "the processes that have called MPI still run".into()
        } else if !gathered.elsewhere.is_empty() {
            let hosts: Vec<&str> = gathered.elsewhere.iter().map(|place| place.host.as_str()).collect();
            format!("the rank files lie on other hosts still: {}", hosts.join(", "))
        } else if self.ended == 0 && self.has_started {
            "the launcher killed every process before it had called MPI_Init".into()
        } else if self.ended == 0 {
            "the launcher started no process of the program, or its nodes do not share the run \
             directory; the launcher's own message is above"
                .into()
        } else if self.has_rank_filter {
            "none of the ranks given by --ranks called MPI".into()
        } else {
            let program = &self.program;
            format!(
                "{program} ended without a call of MPI_Init, or something it starts clears \
                 LD_PRELOAD"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::spool::Place;

    #[test]
    fn the_reason_follows_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = Manifest::new(vec!["a.out".into()], Options::default(), "k".into());
        fs::write(dir.path().join("run.json"), manifest.to_text()).unwrap();
        let ranks = dir.path().join(RANKS);
        fs::create_dir(&ranks).unwrap();
        let none = Gathered::default();
        let why = || look(dir.path()).why_nothing(&none);
        assert!(why().unwrap().starts_with("the launcher started no process"));
        fs::write(ranks.join("h.1.exit.json"), "{}").unwrap();
        assert!(why().unwrap().starts_with("a.out ended without a call of MPI_Init"));
        let elsewhere =
            Gathered { elsewhere: vec![Place { host: "n2".into(), dir: "/dev/shm/x".into() }], ..Gathered::default() };
        assert!(look(dir.path()).why_nothing(&elsewhere).unwrap().ends_with("other hosts still: n2"));
        fs::write(ranks.join("h.1.rank"), "").unwrap();
        fs::write(ranks.join(".h.2.rank.part.1"), "").unwrap();
        assert_eq!(why(), None);
        assert_eq!(look(dir.path()).rank_files, 1);
    }
}
