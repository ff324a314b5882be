//! Rank files of processes that still run on this host, and copies of the current state of a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mpiscope_records::ExitRecord;
use mpiscope_records::cores::FOLDER as CORES;

use crate::clocks::{CLOCKS, REFERENCE};
use crate::manifest;
use crate::node::NODES;
use crate::run_dir::RANKS;
use crate::spool::{self, Gathered};
use crate::{Diagnosis, clock, host, run_dir};

/// A running process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Running {
    /// Its rank file: in the spool, or in the run itself.
    pub file: PathBuf,
    /// On this host.
    pub pid: u32,
}

/// The running processes of a run on this host.
pub fn processes(run: &Path, gathered: &Gathered) -> Vec<Running> {
    let here = host::name();
    let in_run = fs::read_dir(run.join(RANKS)).into_iter().flatten().flatten().map(|entry| entry.path());
    // The id of a process with an exit record is free.
    let has_ended = |one: &Running| one.file.with_file_name(ExitRecord::file_name(&here, one.pid)).exists();
    let files = gathered.alive.iter().cloned().chain(in_run);
    let running = files.filter_map(|file| spool::writer(&file, &here).map(|pid| Running { file, pid }));
    let mut running: Vec<Running> = running.filter(|one| !has_ended(one)).collect();
    running.sort();
    running
}

/// Of these, a process and its descendants.
pub fn below(running: Vec<Running>, pid: u32) -> Vec<Running> {
    /// Limit of levels, more than any chain of scripts has.
    const DEPTH: usize = 64;
    let is_below = |one: &Running| {
        let parent = |pid: &u32| host::stat(*pid).map(|stat| stat.parent).filter(|parent| *parent > 1);
        std::iter::successors(Some(one.pid), parent).take(DEPTH).any(|above| above == pid)
    };
    running.into_iter().filter(is_below).collect()
}

/// Copies the files of this host's running processes to an existing copy of the run, made on another host; returns how
/// many.
///
/// # Errors
///
/// If a file cannot be copied.
pub fn add_to_snapshot(run: &Path, to: &Path, running: &[Running]) -> io::Result<usize> {
    let mut copied = 0;
    // Files in the run itself are already in the copy.
    for one in running.iter().filter(|one| !one.file.starts_with(run)) {
        spool::copy_new(&one.file, &to.join(RANKS).join(one.file.file_name().unwrap_or_default()))?;
        copied += 1;
    }
    write_moment(to)?;
    Ok(copied)
}

/// Copies the current state of a run to the new directory `to`: files of ended processes, and those of running processes as
/// far as they are written.
///
/// # Errors
///
/// If `to` exists, its parent does not, or a file cannot be copied.
pub fn snapshot(run: &Path, to: &Path, running: &[Running]) -> Result<(), Diagnosis> {
    let to = run_dir::absolute(to)?;
    let failed = |source: io::Error| Diagnosis::Unwritable { path: to.clone(), source };
    fs::create_dir(&to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Diagnosis::RunExists { path: to.clone() },
        _ => failed(error),
    })?;
    fs::create_dir(to.join(RANKS)).map_err(failed)?;
    fs::copy(run.join(manifest::FILE), to.join(manifest::FILE)).map_err(failed)?;
    for folder in [NODES, CLOCKS, CORES] {
        copy_folder(&run.join(folder), &to.join(folder)).map_err(failed)?;
    }
    let in_run = fs::read_dir(run.join(RANKS)).into_iter().flatten().flatten().map(|entry| entry.path());
    let elsewhere = running.iter().map(|one| one.file.clone()).filter(|file| !file.starts_with(run));
    for file in in_run.chain(elsewhere) {
        let name = file.file_name().unwrap_or_default();
        spool::copy_new(&file, &to.join(RANKS).join(name)).map_err(failed)?;
    }
    write_moment(&to).map_err(failed)
}

/// Directory of a copy with a file for each host: when its processes were known to run.
pub const SNAPSHOT: &str = "snapshot";

/// Directory of a run with a file for each host: when the launcher ended, and with it all remaining processes. MPICH's
/// launcher kills the `exec` processes that would write exit records.
pub const ENDED: &str = "ended";

/// Records when the files of this host were copied: its processes ran until then.
fn write_moment(to: &Path) -> io::Result<()> {
    write_now(&to.join(SNAPSHOT))
}

/// Records that the launcher of a run has just ended on this host.
///
/// # Errors
///
/// If the run is not writable.
pub fn note_end(run: &Path) -> io::Result<()> {
    write_now(&run.join(ENDED))
}

fn write_now(folder: &Path) -> io::Result<()> {
    let here = host::name();
    fs::create_dir_all(folder)?;
    let moment = serde_json::json!({"format": 1, "host": here, "monotonic_ns": clock::monotonic_ns()});
    fs::write(folder.join(format!("{here}.json")), format!("{moment}\n"))
}

/// Copies files that are finished or grow by lines; nothing if the directory does not exist.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') || name == REFERENCE {
            continue;
        }
        fs::create_dir_all(to)?;
        fs::copy(entry.path(), to.join(name))?;
    }
    Ok(())
}
