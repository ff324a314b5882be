//! The rank file: what the collector writes and everything else reads.
//!
//! # Design constraints
//!
//! * A rank file is readable at every instant. The writer is a program that may be killed
//!   between any two instructions, so nothing depends on a closing step: data first, then
//!   one aligned store that commits it.
//! * The writer runs inside somebody else's process on the path of every MPI call. Encoding
//!   is branch-poor, allocates nothing and touches two or three cache lines.
//! * The reader gets its bytes from strangers. Every offset and length is checked against the
//!   file; memory used is bounded by the file's size; there is no `unsafe` in the readers.
//! * Loss is data: what was overwritten, dropped or never seen is counted in the file.
//!
//! The layout is described in `docs/rank-file.md`; [`layout`] is that page as types.

pub mod annotation;
pub mod check;
pub mod control;
pub mod defs;
pub mod layout;
pub mod python;
pub mod reader;
pub mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod varint;
pub mod writer;

pub use reader::{Event, RankFile, ReadError, ThreadView};
pub use shape::Shape;
