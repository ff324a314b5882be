//! The preview of a run: what its calls do, at every zoom.
//!
//! # Design constraints
//!
//! * Made in one pass over the batches of a run, in memory that does not grow with the run, at less than 100 ns a call.
//! * A *block* is a stretch of time with so many calls. In it, ranks are rows: each by itself, and 8, 64, 512… together.
//!   A row has *cells*, bins of 2ˢ ns counted from the origin of the run. The finest bins are chosen for each row and
//!   block by the number of calls; then come coarser ones, each four times as wide, up to the whole block.
//! * A cell says, of each function that was inside it, the time in it to the ns; how many calls began in it, and which
//!   of those that touch it is the longest. Sums of cells are exact, so any coarser bins and any groups of ranks are.
//! * A block is written once. The part of a call that lies before the block in which it returned is kept as it is, and
//!   added when somebody asks.
//! * Beside the cells, sparse tables are made in the same pass: of calls by kind, duration and time or rank ([`Tallied`]),
//!   of messages by blocks of ranks and time ([`Sent`]). None is keyed by pairs of ranks where these are many.
//! * Regions of the program have cells as calls have.
//! * Bytes of a file are not trusted: every offset and number is checked.
//!
//! `docs/decisions/0019-preview.md` says why, and what else there was.

pub mod bins;
mod block;
mod build;
mod drawing;
mod flow;
mod format;
mod kinds;
mod query;
mod read;
mod ready;
mod row;
mod shape;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod varint;

use std::io;
use std::path::PathBuf;

pub use build::{Builder, Live};
pub use drawing::{Bar, Drawing, Pen};
pub use flow::Sent;
pub use format::FORMAT;
pub use kinds::{ANY, Kind, KindFields};
pub use query::{Cells, Layer, RankGroup, Window};
pub use read::Pyramid;
pub use ready::{LongestCall, Ready};
pub use tables::{Cover, Flows, Tallied, What};
pub use tally::{Entry, Sums};

/// Stands for waiting where function ids stand.
pub const WAITING: u16 = u16::MAX;

/// Why a preview cannot be made or asked.
#[derive(Debug, thiserror::Error)]
pub enum PyramidError {
    /// The file could not be written.
    #[error("cannot write {0}: {1}; is there room? another place: --store DIR")]
    Write(PathBuf, io::Error),
    /// The file could not be read.
    #[error("cannot read {0}: {1}; build the store again: mpiscope store RUN --force")]
    Read(PathBuf, io::Error),
    /// It is not what it should be.
    #[error("{0} is damaged or not a preview; build the store again: mpiscope store RUN --force")]
    Damaged(PathBuf),
    /// Made by an older mpiscope. (Whoever has the store makes it anew.)
    #[error("{0}: format {1}, this mpiscope makes {FORMAT}: open the run again, and it is made anew of the store")]
    Older(PathBuf, u32),
    /// Made by a newer mpiscope.
    #[error("{0}: format {1}, this mpiscope reads up to {FORMAT}: use a newer one, or build the store again")]
    Newer(PathBuf, u32),
    /// Whoever asked does not want to know any more.
    #[error("interrupted")]
    Cancelled,
}
