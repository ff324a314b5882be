//! Rows on disk: a directory of Parquet tables that Polars, pandas, DuckDB, Spark and Dask can read.
//!
//! `docs/store.md` describes the tables, `docs/decisions/0016-store.md` the reasons for their layout.

use std::io;
use std::path::PathBuf;

mod columns;
mod file;
mod folder;
#[cfg(test)]
mod frozen;
mod group;
mod read;
mod schema;
mod tables;
#[cfg(test)]
mod tests;
mod window;
mod write;

pub use folder::{FORMAT, Manifest, TableSize};
pub use read::{Batches, Store, Wanted};
pub use window::{
    CallColumns, Cancel, CollectiveRow, OperationMember, RankSpan, RowGroups, WaitSpan, WindowCalls, WindowReader,
    WindowRows, Zone,
};
pub use write::{About, Writer};

/// Why a store cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be created.
    #[error("cannot create {0}: {1}; choose another directory: --store DIR")]
    Place(PathBuf, io::Error),
    /// Another process is building it.
    #[error("another mpiscope is building {0}; wait for it, or choose another directory: --store DIR")]
    Busy(PathBuf),
    /// A file could not be written.
    #[error("cannot write {0}: {1}; free some space, or choose another directory: --store DIR")]
    Write(PathBuf, String),
    /// A file could not be read.
    #[error("cannot read {0}: {1}; rebuild the store: mpiscope store RUN --force")]
    Read(PathBuf, String),
    /// There is no store.
    #[error("{0} is not a store (it has no store.json); build one: mpiscope store RUN")]
    Missing(PathBuf),
    /// The finished part of an interrupted store uses other intervals than those in which the run is read now.
    #[error("the store that an interrupted mpiscope began cannot be resumed; rebuild it: mpiscope store RUN --force")]
    Differs,
    /// The caller cancelled.
    #[error("interrupted")]
    Cancelled,
    /// Written by a newer mpiscope.
    #[error("{0}: format {1}, but this mpiscope reads only up to {FORMAT}; use a newer mpiscope, or rebuild the store")]
    Newer(PathBuf, u32),
}
