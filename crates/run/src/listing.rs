//! The files of a run.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mpiscope_records::{ExitRecord, manifest};

use crate::run::{Live, OpenError};

/// The contents of `ranks/`.
pub(crate) struct Listing {
    pub ranks: Vec<PathBuf>,
    pub exits: Vec<PathBuf>,
}

impl Listing {
    /// Adds files of processes that were alive when listed. The file of one that has ended since was moved into the run: it
    /// counts once, wherever it is now.
    fn add_live(&mut self, run: &Path, files: &[PathBuf]) {
        let known: HashSet<OsString> =
            self.ranks.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect();
        for file in files {
            let Some(name) = file.file_name().filter(|&name| !known.contains(name)) else { continue };
            let moved = run.join("ranks").join(name);
            self.ranks.push(if file.exists() || !moved.exists() { file.clone() } else { moved });
        }
    }
}

/// The files of the run at `path`, with those of running processes.
pub(crate) fn list(path: &Path, live: &Live) -> Result<Listing, OpenError> {
    let meta = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(OpenError::Missing(path.into())),
        Err(e) => return Err(OpenError::Io(path.into(), e)),
        Ok(meta) => meta,
    };
    if !meta.is_dir() {
        let parent = path.parent().and_then(Path::parent).filter(|run| run.join(manifest::FILE).is_file());
        return Err(match parent {
            Some(run) => OpenError::RankFile(path.into(), run.into()),
            None => OpenError::NotARun(path.into()),
        });
    }
    let folder = path.join("ranks");
    let mut listing = Listing { ranks: Vec::new(), exits: Vec::new() };
    match fs::read_dir(&folder) {
        Ok(entries) => {
            for file in entries.flatten().map(|entry| entry.path()) {
                let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                if name.starts_with('.') {
                    continue; // being written
                }
                if name.ends_with(".rank") {
                    listing.ranks.push(file);
                } else if name.ends_with(ExitRecord::SUFFIX) {
                    listing.exits.push(file);
                }
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(OpenError::Io(folder, e)),
    }
    // All in one directory; comparing paths by components would take ten times as long.
    listing.ranks.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    listing.exits.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    listing.add_live(path, &live.files);
    Ok(listing)
}
