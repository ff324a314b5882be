//! A run before its rank files are read: its name, the number of rank files, and whether some can be read.

use std::fs;
use std::path::{Path, PathBuf};

use mpiscope_records::Manifest;
use mpiscope_trace::layout::Header;
use mpiscope_trace::reader::ReadError;
use rayon::prelude::*;

use crate::listing::{self, Listing};
use crate::run::{Live, OpenError, Rank, Run, read_manifest};

/// The facts about a run that do not require reading thousands of files.
pub struct RunHeader {
    /// Its directory.
    pub path: PathBuf,
    /// `run.json`; default if it cannot be read.
    pub manifest: Manifest,
    /// Files that are not in the directory yet.
    pub live: Live,
    listing: Listing,
}

impl RunHeader {
    /// Examines the run at `path`. Fails in the same cases as [`Run::open`], except that only the first readable rank file is
    /// read: damage of others is found later.
    ///
    /// # Errors
    ///
    /// As [`Run::open`], with that exception.
    pub fn at(path: &Path, live: Live) -> Result<RunHeader, OpenError> {
        let listing = listing::list(path, &live)?;
        let manifest = read_manifest(path, !listing.ranks.is_empty(), &mut Vec::new())?;
        let is_readable = |file: &PathBuf| {
            let rank = fs::File::open(file).map_err(ReadError::Io).and_then(|source| Rank::read(file, source));
            rank.is_ok_and(|rank| !manifest.is_foreign(rank.header.run_id))
        };
        if !listing.ranks.iter().any(is_readable) {
            // That error contains the reason and counts processes without a rank file.
            Run::open(path, &live)?;
        }
        Ok(RunHeader { path: path.to_owned(), manifest, live, listing })
    }

    /// Number of rank files.
    pub fn files(&self) -> usize {
        self.listing.ranks.len()
    }

    /// Whether some of its processes still run.
    pub fn is_writing(&self) -> bool {
        !self.live.files.is_empty()
    }

    /// The first page of each rank file of the run that has one, in the order of [`Run::ranks`].
    pub fn heads(&self) -> Vec<RankHead> {
        let read = |file: &PathBuf| -> Result<RankHead, ReadError> {
            let header = Header::read(&fs::File::open(file)?)?;
            Ok(RankHead::of(file, &header))
        };
        let read: Vec<Option<RankHead>> = self.listing.ranks.par_iter().map(|file| read(file).ok()).collect();
        let is_own = |head: &RankHead| !self.manifest.is_foreign(head.run_id);
        let mut found: Vec<RankHead> = read.into_iter().flatten().filter(is_own).collect();
        found.sort_by(|a, b| (a.rank < 0, a.rank, &a.path).cmp(&(b.rank < 0, b.rank, &b.path)));
        found
    }
}

/// Facts from the first page of a rank file.
pub struct RankHead {
    /// The file.
    pub path: PathBuf,
    /// Its run, 0 if unknown.
    pub run_id: u64,
    /// Rank in `MPI_COMM_WORLD`, −1 unknown.
    pub rank: i32,
    /// From its first to its last known moment.
    pub wall_ns: u64,
    /// Number of return addresses recorded for each call; 0 and 1: only the caller.
    pub stack_depth: u32,
}

impl RankHead {
    /// The host in the file's name: `HOST.PID.rank`.
    pub fn host(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.rsplitn(3, '.').nth(2).unwrap_or_default()
    }

    fn of(path: &Path, header: &Header) -> RankHead {
        let known = || header.anchors.iter().map(|anchor| anchor.monotonic_ns).filter(|&ns| ns != 0);
        let wall_ns = known().max().unwrap_or(0).saturating_sub(known().min().unwrap_or(0));
        let stack_depth = header.stack_depth;
        RankHead { path: path.to_owned(), run_id: header.run_id, rank: header.world_rank, wall_ns, stack_depth }
    }
}
