//! The small files of a run directory that one part of mpiscope writes and another reads: `run.json`, exit records, and samples
//! of processor time.
//!
//! # Design constraints
//!
//! * Each record is declared once. `launch` writes it and `run` reads it, so that a field cannot have two types.
//! * Reading is lenient: a missing field gets its default, an unknown one is ignored, and what a host may not have (a time-stamp
//!   counter, counts of context switches) is optional. Runs of all earlier versions stay readable; `tests/old` has some.
//! * Rank files are in `trace`.

pub mod cores;
mod exit_record;
pub mod manifest;

pub use cores::{CpuSample, HostCores, HostSample, RankCores};
pub use exit_record::{ClockReading, ExitRecord};
pub use manifest::{ConfigNote, Manifest, ManifestError, MpiNote, Predicted};

/// Reads a JSON object into a structure. (The derived reader would also accept an array.)
fn object<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    let value: serde_json::Value = serde_json::from_slice(text)?;
    if !value.is_object() {
        return Err(serde::de::Error::custom("not a JSON object"));
    }
    serde_json::from_value(value)
}
