//! Where a process's live buffer is, and how it is moved into the run.
//!
//! A buffer in `/dev/shm` causes no disk traffic while the program runs, and survives the program. `exec` moves it into the
//! run when its child has ended; [`gather`] moves the rest (if the node crashed, or `exec` itself was killed).
//!
//! # Ownership
//!
//! The `exec` processes of a node share one spool directory and may end in any order.
//!
//! ```text
//! <host>.<pid>.rank             owned by the process <pid> while it is alive
//! .<host>.<pid>.rank.by.<own>   claimed: owned by the process <own> while it is alive
//! .lease.<host>.<own>           exec <own> has started a program that may still create a file; a link to the run
//! ```
//!
//! A claim is a `rename`, so exactly one of several processes gets it. A claim or a lease whose owner has died is free again.
//! The directory is removed by `rmdir`, which fails while anything is left, so it cannot be removed too early: a lease keeps
//! the directory for a program that has not called MPI_Init yet.

mod collect;
mod copy;
mod ledger;
pub mod part;
#[cfg(test)]
mod tests;

use std::ffi::CString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use crate::run_dir::{RANKS, RunDir};

pub use collect::{Gathered, LeftFile, discard, gather, gather_ended, left_over, runs_left_over, take_over, writer};
pub use copy::copy_sparse as copy_new;
pub use ledger::SpoolDir;

/// Where buffers are, unless it is too small or not in memory.
pub const SHARED_MEMORY: &str = "/dev/shm";
const TMPFS_MAGIC: u64 = 0x0102_1994;

/// A directory for live buffers, kept by a lease until [`Spool::close`].
#[derive(Debug)]
pub struct Spool {
    /// This process's directory for buffers.
    pub dir: PathBuf,
    lease: Option<PathBuf>,
}

/// Free and total bytes of a file system, and whether it is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// What this user may still fill.
    pub free_bytes: u64,
    /// Size of the file system.
    pub total_bytes: u64,
    /// Whether its magic number is tmpfs's.
    pub is_memory: bool,
}

/// The free space of the file system of a path.
///
/// # Errors
///
/// If the path does not exist.
pub fn room(path: &Path) -> io::Result<Room> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: a statfs of zeros is valid; the name ends in zero.
    let mut info: libc::statfs = unsafe { std::mem::zeroed() };
    if unsafe { libc::statfs(name.as_ptr(), &mut info) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let block = info.f_bsize as u64;
    Ok(Room {
        free_bytes: info.f_bavail as u64 * block,
        total_bytes: info.f_blocks as u64 * block,
        is_memory: info.f_type as u64 == TMPFS_MAGIC,
    })
}

/// Chooses and creates the directory for this process's buffers.
///
/// `given` is `--spool`; without it, shared memory if it has room for twice `needed_bytes` (the ring and other data of the
/// node), otherwise the run's directory, which always works.
///
/// # Errors
///
/// If the directory of `given` cannot be created or belongs to another user; the default always has an alternative.
pub fn open(run: &RunDir, host: &str, given: Option<&Path>, needed_bytes: u64) -> io::Result<Spool> {
    let name = directory_name(&run.run_id);
    if let Some(parent) = given {
        return make(run, host, &std::path::absolute(parent)?.join(name));
    }
    let shared = Path::new(SHARED_MEMORY);
    let fits = room(shared).is_ok_and(|room| room.is_memory && room.free_bytes / 2 >= needed_bytes);
    if fits && let Ok(spool) = make(run, host, &shared.join(name)) {
        return Ok(spool);
    }
    Ok(Spool::in_run(run))
}

/// Where [`open`] creates the directory of a run, if possible.
pub fn expected(run_id: &str, given: Option<&Path>) -> PathBuf {
    let parent = given.map_or_else(|| SHARED_MEMORY.into(), |dir| std::path::absolute(dir).unwrap_or(dir.into()));
    parent.join(directory_name(run_id))
}

/// The name contains the user, for `ls`, and the run, so that it is unique.
fn directory_name(run_id: &str) -> String {
    // SAFETY: no arguments, cannot fail.
    format!("mpiscope-{}-{run_id}", unsafe { libc::getuid() })
}

fn make(run: &RunDir, host: &str, dir: &Path) -> io::Result<Spool> {
    let lease = dir.join(format!(".lease.{host}.{}", std::process::id()));
    // Another `exec` may remove the empty directory between the two steps.
    for _ in 0..100 {
        match DirBuilder::new().mode(0o700).create(dir) {
            Ok(()) => ledger::made(&run.path, host, dir)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_owner(dir)?,
            Err(error) => return Err(error),
        }
        match take_lease(&lease, &run.path) {
            Ok(()) => {
                return Ok(Spool { dir: dir.into(), lease: Some(lease) });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let _ = fs::remove_file(&lease);
                if fs::remove_dir(dir).is_ok() {
                    ledger::gone(&run.path, host, dir);
                }
                return Err(error);
            }
        }
    }
    Err(io::Error::other("other processes keep removing the spool directory"))
}

/// A symbolic link, as it takes no page of memory; the last pages are for rank files.
fn take_lease(lease: &Path, run: &Path) -> io::Result<()> {
    // Left by a killed process with the same id.
    let _ = fs::remove_file(lease);
    symlink(run, lease).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Err(error),
        // No links on this file system: the lease then has no owner.
        _ => fs::File::create(lease).map(drop),
    })
}

/// A directory with a predictable name may have been created by another user for an attack.
fn check_owner(dir: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(dir)?;
    // SAFETY: no arguments, cannot fail.
    let uid = unsafe { libc::getuid() };
    if meta.is_dir() && meta.uid() == uid && meta.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "the spool directory belongs to another user"))
}

impl Spool {
    /// The run's directory, where nothing has to be moved.
    pub fn in_run(run: &RunDir) -> Self {
        Self { dir: run.ranks(), lease: None }
    }

    /// Whether buffers are in the run itself and stay there.
    pub fn is_in_run(&self) -> bool {
        self.lease.is_none()
    }

    /// Ends the lease and moves the files of ended processes into the run.
    pub fn close(self, run: &RunDir, host: &str) -> Gathered {
        let Some(lease) = &self.lease else {
            return Gathered::default();
        };
        let _ = fs::remove_file(lease);
        take_over(&self.dir, &run.path.join(RANKS), host)
    }
}
