//! `run.json` and `*.exit.json`, written by other parts of mpiscope. Reading is lenient: a missing field gets its default, an
//! unknown one is ignored.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `RUN/run.json`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of this file.
    pub format: u32,
    /// Random id of the run.
    pub run_id: String,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Where it was started.
    pub host: String,
    /// When, ns since the epoch.
    pub start_unix_ns: u64,
    /// Version that recorded it.
    pub mpiscope_version: String,
    /// The launcher's command line, when mpiscope started it.
    pub launcher: Option<serde_json::Value>,
    /// The program's MPI as known before the start.
    pub mpi: Option<MpiNote>,
    /// Options of the recording.
    pub options: serde_json::Value,
}

impl Manifest {
    /// Latest version of the file that this crate reads.
    pub const FORMAT: u32 = 1;

    /// Whether a rank file with this id belongs to another run. Files without an id belong to any.
    pub fn is_foreign(&self, run_id: u64) -> bool {
        let own = u64::from_str_radix(&self.run_id, 16).unwrap_or(0);
        own != 0 && run_id != 0 && own != run_id
    }
}

/// The program's MPI as known before the start.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct MpiNote {
    /// Family, as written by the launcher part.
    pub family: String,
    /// With the implementation's name.
    pub version: String,
    /// The library's path.
    pub library: PathBuf,
}

/// `RUN/ranks/<host>.<pid>.exit.json`: how a process ended.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ExitRecord {
    /// Host name.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// Exit status, unless a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// From start to end, ns.
    pub wall_ns: u64,
    /// CPU time in user mode, ns.
    pub user_ns: u64,
    /// CPU time in the kernel, ns.
    pub system_ns: u64,
    /// Peak resident set.
    pub max_rss_bytes: u64,
    /// Voluntary context switches of its threads.
    pub voluntary_switches: Option<u64>,
    /// Involuntary context switches of its threads.
    pub involuntary_switches: Option<u64>,
    /// Start, ns since the epoch.
    pub start_unix_ns: u64,
    /// End, ns since the epoch.
    pub end_unix_ns: u64,
    /// All clocks read at one moment near the end.
    pub clock: Moment,
}

/// One moment on three clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Moment {
    /// Time stamp counter, unshifted.
    pub tsc: u64,
    /// `CLOCK_MONOTONIC`, ns.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME`, ns since the epoch.
    pub realtime_ns: u64,
}

impl ExitRecord {
    /// The end on `CLOCK_MONOTONIC`, ns; `None` when the record carries no clocks.
    pub fn end_monotonic_ns(&self) -> Option<u64> {
        let Moment { monotonic_ns, realtime_ns, .. } = self.clock;
        let known = monotonic_ns != 0 && realtime_ns != 0 && self.end_unix_ns != 0;
        known.then(|| monotonic_ns.saturating_add(self.end_unix_ns).saturating_sub(realtime_ns))
    }
}
