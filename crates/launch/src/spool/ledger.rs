//! `RUN/spools.txt`: the places of this run's buffers, and which of them have been emptied.
//!
//! ```text
//! <host> <directory>      created there
//! - <host> <directory>    removed after all files were moved
//! ```
//!
//! Each line is appended with one write, so that lines of several hosts do not mix. A place that was created more often than
//! removed may still contain files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::run_dir::SPOOLS;

/// A directory with buffers, and its host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpoolDir {
    /// The host's name as in the names of its files.
    pub host: String,
    /// On that host.
    pub dir: PathBuf,
}

/// Records where buffers are, so that they can be found if no process there survives to move them.
pub(super) fn made(run: &Path, host: &str, dir: &Path) -> io::Result<()> {
    append(run, &format!("{host} {}\n", dir.display()))
}

/// Records that a directory was removed. If that fails, the directory is checked once more in vain.
pub(super) fn gone(run: &Path, host: &str, dir: &Path) {
    let _ = append(run, &format!("- {host} {}\n", dir.display()));
}

fn append(run: &Path, line: &str) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(run.join(SPOOLS))?.write_all(line.as_bytes())
}

/// Every place of a run, and whether it may still contain files.
pub(super) fn read(run: &Path) -> BTreeMap<SpoolDir, bool> {
    let text = fs::read(run.join(SPOOLS)).unwrap_or_default();
    let mut times: BTreeMap<SpoolDir, i64> = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        let (line, change) = line.strip_prefix(b"- ").map_or((line, 1), |rest| (rest, -1));
        let Some(space) = line.iter().position(|byte| *byte == b' ') else { continue };
        let host = String::from_utf8_lossy(&line[..space]).into_owned();
        let dir = PathBuf::from(OsStr::from_bytes(&line[space + 1..]));
        if dir.is_absolute() {
            *times.entry(SpoolDir { host, dir }).or_default() += change;
        }
    }
    times.into_iter().map(|(place, times)| (place, times > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_holds_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path();
        assert!(read(run).is_empty());
        for (host, path) in [("n1", "/s/a b"), ("n2", "/s/a b"), ("n1", "/s/a b")] {
            made(run, host, Path::new(path)).unwrap();
        }
        gone(run, "n1", Path::new("/s/a b"));
        gone(run, "n2", Path::new("/s/a b"));
        let open: Vec<_> = read(run).into_iter().map(|(place, open)| (place.host, open)).collect();
        assert_eq!(open, [("n1".to_owned(), true), ("n2".to_owned(), false)]);
        fs::write(run.join(SPOOLS), b"n1 relative\nnonsense\n- \n\xff /x\n").unwrap();
        assert_eq!(read(run).len(), 1);
    }
}
