//! Which processes exist: rank files of this host while the program runs, those of other hosts at the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::run_dir::RANKS;

use super::super::process::{Process, Source};
use super::super::rings::{Rank, name_of};
use super::CheckDriver;

impl CheckDriver {
    /// New processes of this host.
    pub(super) fn find_processes(&mut self) {
        self.looked_ns = monotonic_ns();
        for folder in self.folders.clone() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let file = entry.file_name().to_string_lossy().into_owned();
                let Some(name) = name_of(&file).filter(|name| is_of(name, &self.host)) else { continue };
                if !self.processes.iter().any(|p| p.name == name) {
                    self.add_process(name, &entry.path());
                }
            }
        }
    }

    /// A rank file that is new, unless it is one of those under another name.
    pub(super) fn add_process(&mut self, name: &str, path: &Path) {
        let Some(rank) = Rank::open(path) else { return };
        let state = rank.state();
        let known = |p: &Process| p.state().is_some_and(|known| known.is_same(&state)) && same_host(&p.name, name);
        if !self.processes.iter().any(known) {
            self.processes.push(Process::new(name.to_owned(), Source::Here(rank)));
        }
    }

    /// Reads files of other hosts after they were moved into the run.
    pub(super) fn read_moved_files(&mut self) {
        let mut late: Vec<String> = Vec::new();
        for entry in fs::read_dir(self.run.join(RANKS)).into_iter().flatten().flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name_of(&file).filter(|name| !is_of(name, &self.host)) else { continue };
            if let Some(process) = self.processes.iter_mut().find(|p| p.name == name) {
                process.go_on_in(&entry.path());
            } else {
                let before = self.processes.len();
                self.add_process(name, &entry.path());
                late.extend((self.processes.len() > before).then(|| name.to_owned()));
            }
        }
        if !late.is_empty() {
            let hosts: BTreeSet<&str> = late.iter().filter_map(|name| host_of(name)).collect();
            let hosts: Vec<&str> = hosts.into_iter().collect();
            let (n, hosts) = (late.len(), hosts.join(", "));
            let processes = if n == 1 { "process" } else { "processes" };
            self.note(format!(
                "events of {n} {processes} on {hosts} did not arrive while the program ran; they were read after its end"
            ));
        }
    }
}

/// Whether a process runs on a host, by its name.
pub(super) fn is_of(name: &str, host: &str) -> bool {
    name.strip_prefix(host).is_some_and(|rest| rest.starts_with('.'))
}

/// `<host>.<pid>`, `<host>.<pid>-2`.
fn host_of(name: &str) -> Option<&str> {
    let name = name.rsplit_once('.')?;
    Some(name.0)
}

fn same_host(one: &str, other: &str) -> bool {
    // A process that became another program has a second number in its name.
    let (one, other) = (host_of(one).unwrap_or(one), host_of(other).unwrap_or(other));
    one.starts_with(other) || other.starts_with(one)
}
