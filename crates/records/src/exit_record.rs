//! `RUN/ranks/<host>.<pid>.exit.json`: how a process that `exec` started ended.

use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::object;

/// How a process ended. From `wait4`, so it also exists for a process that was killed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ExitRecord {
    /// Host name.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// The rank that its launcher assigned, also for a process that never calls `MPI_Init`.
    pub launched_rank: Option<u32>,
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
    /// Peak resident set, bytes.
    pub max_rss_bytes: u64,
    /// Voluntary context switches of its threads; missing in older runs.
    pub voluntary_switches: Option<u64>,
    /// Involuntary context switches of its threads; missing in older runs.
    pub involuntary_switches: Option<u64>,
    /// Start, ns since the epoch.
    pub start_unix_ns: u64,
    /// End, ns since the epoch.
    pub end_unix_ns: u64,
    /// All clocks at the end, to relate the rank file's clock to them.
    pub clock: ClockReading,
}

/// The clocks of a host, read at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ClockReading {
    /// Time-stamp counter, unshifted; `None` where the processor has none.
    pub tsc: Option<u64>,
    /// `CLOCK_MONOTONIC`, ns.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME`, ns since the epoch.
    pub realtime_ns: u64,
}

impl ExitRecord {
    /// End of the names of these files.
    pub const SUFFIX: &str = ".exit.json";

    /// Name of the record of a process.
    pub fn file_name(host: &str, pid: u32) -> String {
        format!("{host}.{pid}{}", Self::SUFFIX)
    }

    /// Writes the record to the directory of the rank files, completely or not at all.
    ///
    /// # Errors
    ///
    /// If the file cannot be created, written or renamed.
    pub fn write(&self, ranks: &Path) -> io::Result<()> {
        let name = Self::file_name(&self.host, self.pid);
        let part = ranks.join(format!(".{name}.part"));
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        let written = fs::write(&part, text).and_then(|()| fs::rename(&part, ranks.join(&name)));
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
        written
    }

    /// Reads a record.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a JSON object, or a field has another type.
    pub fn read(file: &Path) -> io::Result<Self> {
        Ok(object(&fs::read(file)?)?)
    }

    /// The end on `CLOCK_MONOTONIC`, ns; `None` if the record has no clocks.
    pub fn end_monotonic_ns(&self) -> Option<u64> {
        let ClockReading { monotonic_ns, realtime_ns, .. } = self.clock;
        let known = monotonic_ns != 0 && realtime_ns != 0 && self.end_unix_ns != 0;
        known.then(|| monotonic_ns.saturating_add(self.end_unix_ns).saturating_sub(realtime_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A processor without a time-stamp counter writes `"tsc":null`.
    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        for tsc in [Some(5), None] {
            let clock = ClockReading { tsc, monotonic_ns: 30, realtime_ns: 1000 };
            let written = ExitRecord {
                host: "n1".into(),
                pid: 7,
                signal: Some(9),
                voluntary_switches: Some(0),
                end_unix_ns: 1002,
                clock,
                ..ExitRecord::default()
            };
            written.write(dir.path()).unwrap();
            let read = ExitRecord::read(&dir.path().join("n1.7.exit.json")).unwrap();
            assert_eq!(read, written);
            assert_eq!(read.end_monotonic_ns(), Some(32));
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no part is left");
    }

    #[test]
    fn an_array_is_no_record() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("n1.7.exit.json");
        fs::write(&file, "[]").unwrap();
        assert!(ExitRecord::read(&file).unwrap_err().to_string().contains("not a JSON object"));
        fs::write(&file, "{}").unwrap();
        assert_eq!(ExitRecord::read(&file).unwrap(), ExitRecord::default());
    }
}
