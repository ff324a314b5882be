//! The exit record of a process that `exec` started.

use mpiscope_records::ExitRecord;

use crate::job;
use crate::supervise::Ended;

/// How a process on this host ended.
pub fn of_process(host: &str, ended: &Ended) -> ExitRecord {
    ExitRecord {
        host: host.to_owned(),
        pid: ended.pid,
        launched_rank: job::launched(&job::own_env).map(|launched| launched.rank),
        exit_code: ended.how.exit_code(),
        signal: ended.how.signal(),
        wall_ns: ended.end.monotonic_ns.saturating_sub(ended.start.monotonic_ns),
        user_ns: ended.user_ns,
        system_ns: ended.system_ns,
        max_rss_bytes: ended.max_rss_bytes,
        voluntary_switches: Some(ended.voluntary_switches),
        involuntary_switches: Some(ended.involuntary_switches),
        start_unix_ns: ended.start.realtime_ns,
        end_unix_ns: ended.end.realtime_ns,
        clock: ended.end,
    }
}
