//! The run directory: created once, joined by every rank of its job, never overwritten without `--force`.
//!
//! ```text
//! RUN/run.json                       appears complete, by link(2); the process that links it has created the run
//! RUN/ranks/<host>.<pid>.rank        rank files
//! RUN/ranks/<host>.<pid>.exit.json   how a process that exec started ended
//! RUN/nodes/<host>.json              hardware of a host, see `node`
//! RUN/spools.txt                     directories with live buffers, see `spool`
//! RUN/cores/…                        processor time of ranks and hosts, see `cores`
//! RUN/clocks/<host>.jsonl            offset of a host's clock, see `clocks`
//! ```
//!
//! Two ranks that both find an old run to replace (`--force`) use a lock beside it, and the winner checks again once it holds
//! the lock: without the second check a slow rank would remove the run that a fast rank has just created.

mod replace;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mpiscope_records::ExitRecord;

use crate::job::{JobKey, Until};
use crate::manifest::{self, Manifest};
use crate::options::Options;
use crate::{Diagnosis, clock, host, spool};

/// Directory of the rank files, in the run.
pub const RANKS: &str = "ranks";
/// The list of directories with live buffers, in the run.
pub const SPOOLS: &str = "spools.txt";
/// What a launcher wrote to standard error in a job that failed: beginning and end, in the run.
pub const STDERR: &str = "stderr.txt";

/// An existing run directory of this job.
#[derive(Debug, Clone)]
pub struct RunDir {
    /// Absolute.
    pub path: PathBuf,
    /// As in `run.json`.
    pub run_id: String,
    /// Whether this process created it; the others joined.
    pub is_mine: bool,
}

impl RunDir {
    /// The directory of the rank files.
    pub fn ranks(&self) -> PathBuf {
        self.path.join(RANKS)
    }
}

/// `a.out.mpiscope` for `/x/a.out`; for a Python program, the name of its script.
pub fn default_name(program: &[String]) -> PathBuf {
    let first = program.first().map_or("program", |word| word.as_str());
    let mut named = first;
    if crate::mpi::is_python(Path::new(first)) {
        let words = program.iter().skip(1);
        named = words.map(String::as_str).find(|word| !word.starts_with('-') && word.ends_with(".py")).unwrap_or(first);
    }
    let name = Path::new(named).file_name().unwrap_or(OsStr::new("program"));
    PathBuf::from(format!("{}.mpiscope", name.to_string_lossy()))
}

/// The path with all components except the last resolved; the parent has to exist.
///
/// # Errors
///
/// If the path has no last component, or the parent is missing.
pub fn absolute(path: &Path) -> Result<PathBuf, Diagnosis> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name() else {
        return Err(Diagnosis::NotARun { path: path.into() });
    };
    match fs::canonicalize(parent) {
        Ok(real) if real.is_dir() => Ok(real.join(name)),
        _ => Err(Diagnosis::ParentMissing { parent: parent.into() }),
    }
}

/// Creates a new run; `force` replaces an existing one.
///
/// # Errors
///
/// If the path is taken (without `force` also by an older run), or the directory cannot be written.
pub fn create(path: &Path, manifest: &Manifest, force: bool) -> Result<RunDir, Diagnosis> {
    let path = absolute(path)?;
    if fs::symlink_metadata(&path).is_ok() {
        match Manifest::read(&path) {
            Err(_) if is_unused(&path) => {}
            _ if !force => return Err(Diagnosis::RunExists { path }),
            _ => return replace::replace(&path, manifest, &|_| false),
        }
    }
    match publish(&path, manifest)? {
        Published::Mine(run) => Ok(run),
        Published::Theirs => Err(Diagnosis::RunExists { path }),
    }
}

/// Creates a run or joins that of the same job: called by every rank under another launcher.
///
/// # Errors
///
/// If the path is taken by the run of another job and `force` is not set, or the directory cannot be written.
pub fn create_or_join(path: &Path, manifest: &Manifest, key: &JobKey, force: bool) -> Result<RunDir, Diagnosis> {
    let path = absolute(path)?;
    let ours = |found: &Manifest| is_same_job(&path, found, key);
    if !path.exists() || is_unused(&path) {
        match publish(&path, manifest)? {
            Published::Mine(run) => return Ok(run),
            Published::Theirs => {}
        }
    }
    match read_settled(&path) {
        Some(found) if ours(&found) => join(&path, found),
        Some(_) if force => replace::replace(&path, manifest, &ours),
        Some(_) => Err(Diagnosis::RunExists { path }),
        // Also if another rank has just removed the old run.
        None if force => replace::replace(&path, manifest, &ours),
        None => Err(Diagnosis::RunExists { path }),
    }
}

/// Opens the run of `mpiscope run` from one of its ranks, perhaps on another node. If the run's directory is not accessible,
/// a part of it ([`spool::part`]) is used instead.
///
/// # Errors
///
/// If neither the run nor the part can be written.
pub fn enter(path: &Path, run_id: &str, program: &[String], options: &Options) -> Result<Entered, Diagnosis> {
    if is_seen(path, run_id) {
        make_ranks(path)?;
        let run = RunDir { path: path.into(), run_id: run_id.to_owned(), is_mine: false };
        return Ok(Entered { run, is_part: false });
    }
    let dir = spool::part::place(run_id);
    let dir = spool::part::make(run_id).map_err(|source| Diagnosis::Unwritable { path: dir, source })?;
    let mut manifest =
        manifest::of_new_run(program.to_vec(), options.clone(), format!("{}{}", spool::part::PART_OF, path.display()));
    run_id.clone_into(&mut manifest.run_id);
    publish(&dir, &manifest)?;
    let run = RunDir { path: dir, run_id: run_id.to_owned(), is_mine: false };
    Ok(Entered { run, is_part: true })
}

/// A run, and whether it is only this host's part of it.
#[derive(Debug, Clone)]
pub struct Entered {
    /// The directory that this process writes to.
    pub run: RunDir,
    /// Whether it has to be merged into the run after the job.
    pub is_part: bool,
}

/// Whether the run's directory is the one that `mpiscope run` created. A network file system may need a moment.
fn is_seen(path: &Path, run_id: &str) -> bool {
    for pause_ms in [0, 10, 30] {
        std::thread::sleep(Duration::from_millis(pause_ms));
        if Manifest::read(path).is_ok_and(|manifest| manifest.run_id == run_id) {
            return true;
        }
    }
    false
}

fn join(path: &Path, found: Manifest) -> Result<RunDir, Diagnosis> {
    make_ranks(path)?;
    Ok(RunDir { path: path.into(), run_id: found.run_id, is_mine: false })
}

fn is_same_job(path: &Path, found: &Manifest, key: &JobKey) -> bool {
    let age_ns = clock::realtime_ns().saturating_sub(found.start_unix_ns);
    found.job_key == key.text
        && key.valid_for.is_none_or(|limit| Duration::from_nanos(age_ns) <= limit)
        && match key.until {
            Until::Whatever => true,
            Until::FirstEnd => exit_records(path).next().is_none(),
            Until::EndOf(rank) => exit_records(path).all(|file| launched_rank(&file) != Some(rank)),
        }
}

/// The rank in a process's exit record.
fn launched_rank(file: &Path) -> Option<u32> {
    ExitRecord::read(file).ok()?.launched_rank
}

fn exit_records(path: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(path.join(RANKS)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(ExitRecord::SUFFIX))
}

/// Whether a directory contains only what another rank creates while it sets up the run.
fn is_unused(path: &Path) -> bool {
    let Ok(entries) = fs::read_dir(path) else {
        return false;
    };
    entries.flatten().all(|entry| {
        let name = entry.file_name();
        name == RANKS && fs::read_dir(entry.path()).is_ok_and(|mut inner| inner.next().is_none())
            || name.to_str().is_some_and(|name| name.starts_with(".run.json."))
    })
}

/// Reads `run.json`; waits briefly if the file system has no links and another rank is writing it.
fn read_settled(path: &Path) -> Option<Manifest> {
    for _ in 0..50 {
        match Manifest::read(path) {
            Ok(found) => return Some(found),
            Err(error) if error.is_missing() && !is_unused(path) => return None,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    None
}

enum Published {
    Mine(RunDir),
    Theirs,
}

/// Creates the directories, and `run.json` unless it exists.
fn publish(path: &Path, manifest: &Manifest) -> Result<Published, Diagnosis> {
    let unwritable = |source| Diagnosis::Unwritable { path: path.into(), source };
    make_ranks(path)?;
    let name = format!(".run.json.{}.{}", host::name(), std::process::id());
    // Threads of one process (in tests) must not share a name.
    let own = path.join(format!("{name}.{}", manifest.run_id));
    let target = path.join(manifest::FILE);
    write_new(&own, &manifest.to_text()).map_err(unwritable)?;
    let linked = fs::hard_link(&own, &target);
    let _ = fs::remove_file(&own);
    let linked = match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // No links on this file system (some FUSE and FAT): not atomic, but exclusive.
        Err(_) => write_new(&target, &manifest.to_text()),
        Ok(()) => Ok(()),
    };
    match linked {
        Ok(()) => {
            let run_id = manifest.run_id.clone();
            Ok(Published::Mine(RunDir { path: path.into(), run_id, is_mine: true }))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Published::Theirs),
        Err(error) => Err(unwritable(error)),
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}

fn make_ranks(path: &Path) -> Result<(), Diagnosis> {
    let unwritable = |source| Diagnosis::Unwritable { path: path.into(), source };
    DirBuilder::new().recursive(true).mode(0o777).create(path.join(RANKS)).map_err(unwritable)
}
