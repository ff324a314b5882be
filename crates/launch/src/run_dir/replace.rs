//! Replaces a run by a new one; exactly one of several competing processes does it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Published, RANKS, RunDir, join, publish};
use crate::manifest::{self, Manifest};
use crate::{Diagnosis, spool};

const PATIENCE: Duration = Duration::from_secs(20);

/// A directory as a lock: `mkdir` is exclusive on every file system, also over a network.
struct Lock(PathBuf);

impl Lock {
    fn take(run_dir: &Path) -> Result<Self, Diagnosis> {
        let name = run_dir.file_name().unwrap_or_default().to_string_lossy();
        let path = run_dir.with_file_name(format!(".{name}.replacing"));
        let start = Instant::now();
        loop {
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    if start.elapsed() > PATIENCE {
                        return Err(Diagnosis::LockStuck { lock: path });
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(source) => {
                    return Err(Diagnosis::Unwritable { path: run_dir.into(), source });
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Removes the old run and creates the new one, unless another rank of the job was faster.
pub(super) fn replace(path: &Path, manifest: &Manifest, ours: &dyn Fn(&Manifest) -> bool) -> Result<RunDir, Diagnosis> {
    let lock = Lock::take(path)?;
    let found = Manifest::read(path);
    let old_id = found.as_ref().map(|found| found.run_id.clone()).unwrap_or_default();
    let old = match found {
        Ok(found) if ours(&found) => return join(path, found),
        Err(_) if !path.exists() || super::is_unused(path) => None,
        // Damaged or of another version, but with the layout of a run: it may be replaced.
        _ if path.join(manifest::FILE).is_file() && path.join(RANKS).is_dir() => Some(retire(path, &manifest.run_id)?),
        _ => return Err(Diagnosis::NotARun { path: path.into() }),
    };
    let made = publish(path, manifest);
    drop(lock);
    if let Some(old) = old {
        spool::discard(&old, &old_id);
        // Remaining files do no harm: they have another name by now.
        let _ = fs::remove_dir_all(old);
    }
    match made? {
        Published::Mine(run) => Ok(run),
        Published::Theirs => match Manifest::read(path) {
            Ok(found) if ours(&found) => join(path, found),
            _ => Err(Diagnosis::RunExists { path: path.into() }),
        },
    }
}

/// Renames the old run in one step.
fn retire(path: &Path, new_id: &str) -> Result<PathBuf, Diagnosis> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = path.with_file_name(format!(".{name}.removed.{new_id}"));
    // A symbolic link to a run: the link is replaced, its target remains.
    if path.is_symlink() {
        let gone = fs::remove_file(path);
        return match gone {
            Ok(()) => Ok(aside),
            Err(source) => Err(Diagnosis::Unwritable { path: path.into(), source }),
        };
    }
    match fs::rename(path, &aside) {
        Ok(()) => Ok(aside),
        Err(source) => Err(Diagnosis::Unwritable { path: path.into(), source }),
    }
}
