//! The machine profile: a directory `NAME.machine` with what a machine and its MPI can do
//! ([decision](../../../docs/decisions/0038-machine-profile.md)).
//!
//! `machine.json` ([`Profile`]; schema: `schemas/machine.schema.json`) has every number with unit, interval and origin.
//! `samples/<experiment>.parquet` ([`Sample`]) has every measurement, so that other questions can be answered later.
//!
//! # Design constraints
//!
//! - Readers check everything: a file that is damaged, too large or of a newer format is a clear error.
//! - `machine.json` is written last and replaced as a whole. A directory without it is no profile.

mod profile;
mod samples;
mod scope;

pub use profile::{
    Axis, Curve, CurvePoint, FORMAT, Host, MpiFacts, Pair, Parameter, Profile, RankPlace, SendTimes, Settings,
    Staircase, read, write,
};
pub use samples::{Sample, read_samples, write_samples};
pub use scope::Scope;

use std::path::PathBuf;

/// File name of the profile in its directory.
pub const FILE: &str = "machine.json";
/// Directory of the samples.
pub const SAMPLES: &str = "samples";
/// End of the directory's name.
pub const SUFFIX: &str = "machine";

/// Why a profile cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum MachineError {
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a machine profile: it has no {FILE}", .0.display())]
    NotAProfile(PathBuf),
    #[error("{} is too large for a machine profile ({bytes} bytes)", path.display())]
    TooLarge { path: PathBuf, bytes: u64 },
    #[error("{} has format {format}, but this mpiscope reads only up to {FORMAT}; use a newer mpiscope", path.display())]
    Newer { path: PathBuf, format: u64 },
    #[error("{} is damaged: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    #[error("cannot write {}: {why}", path.display())]
    Write { path: PathBuf, why: String },
}
