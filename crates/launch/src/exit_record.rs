//! `RUN/ranks/<host>.<pid>.exit.json`: how a process that `exec` started ended.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::clock::Moment;
use crate::job;
use crate::supervise::Ended;

/// From `wait4`, so it also exists for a process that was killed.
#[derive(Debug, Clone, Serialize)]
pub struct ExitRecord {
    pub host: String,
    pub pid: u32,
    /// The rank assigned by its launcher, for processes that never call MPI_Init.
    pub launched_rank: Option<u32>,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub wall_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub max_rss_bytes: u64,
    /// Voluntary and involuntary context switches of its threads.
    pub voluntary_switches: u64,
    /// See `voluntary_switches`.
    pub involuntary_switches: u64,
    pub start_unix_ns: u64,
    pub end_unix_ns: u64,
    /// All clocks at the end, to relate the rank file's clock to them.
    pub clock: Moment,
}

impl ExitRecord {
    pub fn new(host: &str, ended: &Ended) -> Self {
        Self {
            host: host.to_owned(),
            pid: ended.pid,
            launched_rank: job::launched(&job::own_env).map(|launched| launched.rank),
            exit_code: ended.how.exit_code(),
            signal: ended.how.signal(),
            wall_ns: ended.end.monotonic_ns.saturating_sub(ended.start.monotonic_ns),
            user_ns: ended.user_ns,
            system_ns: ended.system_ns,
            max_rss_bytes: ended.max_rss_bytes,
            voluntary_switches: ended.voluntary_switches,
            involuntary_switches: ended.involuntary_switches,
            start_unix_ns: ended.start.realtime_ns,
            end_unix_ns: ended.end.realtime_ns,
            clock: ended.end,
        }
    }

    /// Writes the record to the rank files, completely or not at all.
    pub fn write(&self, ranks: &Path) -> io::Result<()> {
        let name = format!("{}.{}.exit.json", self.host, self.pid);
        let part = ranks.join(format!(".{name}.part"));
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, ranks.join(&name)));
        if written.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        written
    }
}

/// The rank in a process's exit record.
pub fn launched_rank(file: &Path) -> Option<u32> {
    let text = std::fs::read(file).ok()?;
    let record: serde_json::Value = serde_json::from_slice(&text).ok()?;
    record.get("launched_rank")?.as_u64()?.try_into().ok()
}
