//! `RUN/clocks/<host>.jsonl`: a line for the leader of a host, then a line for each round. Each line is appended with one
//! write, so that the file is always readable and survives its writer.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use serde::Serialize;

use super::{CLOCKS, FORMAT};
use crate::clock::{monotonic_ns, realtime_ns};

#[derive(Serialize)]
struct Head<'a> {
    format: u32,
    host: &'a str,
    /// Distinguishes machines with the same name.
    boot_id: &'a str,
    clock: &'static str,
    reference: &'a str,
    /// The same moment on both clocks of this host.
    monotonic_ns: u64,
    realtime_ns: u64,
}

/// When a round was measured: at the start, in between, or at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum When {
    Start,
    During,
    End,
}

/// The best exchange of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Round {
    pub(crate) when: When,
    /// Midpoint of the exchange.
    pub(crate) at_ns: u64,
    /// Offset to add to this host's clock to get the reference's clock.
    pub(crate) offset_ns: i64,
    pub(crate) rtt_ns: u64,
    /// Number of exchanges in the round.
    pub(crate) exchanges: u32,
}

#[derive(Serialize)]
struct Failed<'a> {
    at_ns: u64,
    failed: &'a str,
}

/// The open file. Lines that cannot be written are dropped.
pub(crate) struct Log(File);

impl Log {
    pub(crate) fn open(run: &Path, host: &str, reference: &str) -> io::Result<Self> {
        let path = run.join(CLOCKS).join(format!("{host}.jsonl"));
        let mut log = Self(OpenOptions::new().append(true).create(true).open(path)?);
        let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let head = Head {
            format: FORMAT,
            host,
            boot_id: boot_id.trim(),
            clock: "CLOCK_MONOTONIC",
            reference,
            monotonic_ns: monotonic_ns(),
            realtime_ns: realtime_ns(),
        };
        log.line(&head);
        Ok(log)
    }

    pub(crate) fn round(&mut self, round: &Round) {
        self.line(round);
    }

    pub(crate) fn failed(&mut self, why: &str) {
        self.line(&Failed { at_ns: monotonic_ns(), failed: why });
    }

    fn line(&mut self, line: &impl Serialize) {
        if let Ok(mut text) = serde_json::to_string(line) {
            text.push('\n');
            let _ = self.0.write_all(text.as_bytes());
        }
    }
}

/// Creates the directory.
pub(crate) fn make(run: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o777).create(run.join(CLOCKS))
}
