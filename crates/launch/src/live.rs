//! Rank files of processes that still run on this host, and copies of a run as it is now.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::manifest;
use crate::run_dir::RANKS;
use crate::spool::{self, Gathered};
use crate::{Diagnosis, host, run_dir};

/// Files of processes that still run: in the spool, or in the run itself.
pub fn files(run: &Path, gathered: &Gathered) -> Vec<PathBuf> {
    let here = host::name();
    let in_run = fs::read_dir(run.join(RANKS)).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files = gathered.alive.clone();
    files.extend(in_run.filter(|path| is_alive(path, &here)));
    files.sort();
    files
}

/// Whether the process that `<host>.<pid>.rank` is named after runs here.
fn is_alive(path: &Path, here: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let pid = name.strip_suffix(".rank").and_then(|name| name.strip_prefix(here)?.strip_prefix('.'));
    let pid = pid.and_then(|rest| rest.split('.').next()?.parse::<i32>().ok());
    // A process whose end was written down has given its number back.
    let pid = pid.filter(|pid| !path.with_file_name(format!("{here}.{pid}.exit.json")).exists());
    // SAFETY: signal 0 is no signal; it only asks.
    pid.is_some_and(|pid| pid > 0 && unsafe { libc::kill(pid, 0) } == 0)
}

/// Copies a run as it is now to the new directory `to`: what has ended, and `alive` files as far as they are written.
pub fn snapshot(run: &Path, to: &Path, alive: &[PathBuf]) -> Result<(), Diagnosis> {
    let to = run_dir::absolute(to)?;
    let failed = |source: io::Error| Diagnosis::Unwritable { path: to.clone(), source };
    fs::create_dir(&to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Diagnosis::RunExists { path: to.clone() },
        _ => failed(error),
    })?;
    fs::create_dir(to.join(RANKS)).map_err(failed)?;
    fs::copy(run.join(manifest::FILE), to.join(manifest::FILE)).map_err(failed)?;
    for entry in fs::read_dir(run.join(RANKS)).into_iter().flatten().flatten() {
        if !alive.contains(&entry.path()) {
            spool::copy_new(&entry.path(), &to.join(RANKS).join(entry.file_name())).map_err(failed)?;
        }
    }
    for file in alive {
        let name = file.file_name().unwrap_or_default();
        spool::copy_new(file, &to.join(RANKS).join(name)).map_err(failed)?;
    }
    Ok(())
}
