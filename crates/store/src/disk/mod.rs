//! Rows on disk: a folder of Parquet tables that Polars, pandas, DuckDB, Spark and Dask read as they are.
//!
//! `docs/store.md` describes the tables, `docs/decisions/0016-store.md` says why they are laid out this way.

use std::io;
use std::path::PathBuf;

mod columns;
mod file;
mod folder;
mod group;
mod read;
mod tables;
#[cfg(test)]
mod tests;
mod window;
mod write;

pub use folder::{FORMAT, Manifest, TableSize};
pub use read::{Batches, Store, Wanted};
pub use window::{
    CallColumns, Cancel, CollectiveRow, Found, Kept, OperationMember, RankSpan, RowGroups, WaitSpan, WindowReader, Zone,
};
pub use write::{About, Writer};

/// Why a store cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing can be made there.
    #[error("cannot make {0}: {1}; give another place: --store DIR")]
    Place(PathBuf, io::Error),
    /// Another process is at it.
    #[error("{0} is being built by another mpiscope; wait for it, or give another place: --store DIR")]
    Busy(PathBuf),
    /// A file could not be written.
    #[error("cannot write {0}: {1}; is there room? another place: --store DIR")]
    Write(PathBuf, String),
    /// A file could not be read.
    #[error("cannot read {0}: {1}; build the store again: mpiscope store RUN --force")]
    Read(PathBuf, String),
    /// There is none.
    #[error("{0} is not a store (it has no store.json); build one: mpiscope store RUN")]
    Missing(PathBuf),
    /// The finished part of an interrupted store has other stretches than the run is read in now.
    #[error(
        "what an interrupted mpiscope has finished of the store does not fit this one; begin anew: mpiscope store RUN --force"
    )]
    Differs,
    /// Whoever asked does not want to know any more.
    #[error("interrupted")]
    Cancelled,
    /// Made by a newer mpiscope.
    #[error("{0}: format {1}, this mpiscope reads up to {FORMAT}: use a newer one, or build the store again")]
    Newer(PathBuf, u32),
}
