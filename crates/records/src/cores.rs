//! `RUN/cores/`: processor time of ranks and hosts, sampled by `exec` while the ranks run. Files are lines of JSON, appended:
//!
//! ```text
//! <host>.<pid>.rank.jsonl   {"format":1,"host":"n1","pid":7,…}          head
//!                           {"cpus":"0-1"}                              processors it may use, from here on
//!                           [at_us,run_us,wait_us,main_run_us,main_wait_us,voluntary,involuntary,threads,cpu]
//! <host>.host.jsonl         {"format":1,"host":"n1","cpus":[0,1],…}     head, of each `exec` that has sampled the host
//!                           {"at_us":…,"busy":[…],"idle":[…],"stolen":[…],…}
//! ```
//!
//! Times are `CLOCK_MONOTONIC` of the host. The numbers of a rank are sums since its start, those of a host (clock ticks of
//! each processor) since the previous line.
//!
//! The samples themselves ([`RankCores`], [`HostCores`]) have ns. Their moments are on the clock of whoever has them: `run` reads
//! them on that of the host, `ingest` converts them to the axis of the run.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// Directory in the run.
pub const FOLDER: &str = "cores";
/// Version of the files that is written, and the latest that is read.
pub const FORMAT: u32 = 1;

/// Name of the file of a process, in [`FOLDER`].
pub fn rank_file(host: &str, pid: u32) -> String {
    format!("{host}.{pid}.rank.jsonl")
}

/// Name of the file of a host, in [`FOLDER`].
pub fn host_file(host: &str) -> String {
    format!("{host}.host.jsonl")
}

/// A line about a process: the head, or what changes later. It is an object; samples are arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RankNote {
    /// [`FORMAT`], in the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    /// Its host, in the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its process id, in the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Whether `--yield` is active, in the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gives_way: Option<bool>,
    /// Processors it may use from here on, such as `0-3,8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
}

/// A sample of a process, as it is in its file: sums since the start of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankLine {
    /// The moment, µs.
    pub at_us: u64,
    /// All threads on a processor, µs.
    pub run_us: u64,
    /// All threads ready to run without one, µs.
    pub wait_us: u64,
    /// The first thread on a processor, µs.
    pub main_run_us: u64,
    /// The first thread ready to run without one, µs.
    pub main_wait_us: u64,
    /// Voluntary and involuntary context switches of the first thread.
    pub switches: Option<[u64; 2]>,
    /// Threads.
    pub threads: u64,
    /// Last processor of the first thread.
    pub cpu: Option<u32>,
}

impl RankLine {
    /// The line, without its end.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(80);
        let sums = [self.at_us, self.run_us, self.wait_us, self.main_run_us, self.main_wait_us];
        let [voluntary, involuntary] = self.switches.map_or([None; 2], |both| both.map(Some));
        let rest = [voluntary, involuntary, Some(self.threads), self.cpu.map(u64::from)];
        for (at, value) in sums.into_iter().map(Some).chain(rest).enumerate() {
            text.push(if at == 0 { '[' } else { ',' });
            let _ = match value {
                Some(value) => write!(text, "{value}"),
                None => write!(text, "null"),
            };
        }
        text.push(']');
        text
    }

    /// Reads a line; `None` if it is something else.
    pub fn parse(line: &str) -> Option<RankLine> {
        let row: [Option<u64>; 9] = serde_json::from_str(line).ok()?;
        let sum = |at: usize| row[at].unwrap_or(0);
        Some(RankLine {
            at_us: sum(0),
            run_us: sum(1),
            wait_us: sum(2),
            main_run_us: sum(3),
            main_wait_us: sum(4),
            switches: row[5].zip(row[6]).map(|(voluntary, involuntary)| [voluntary, involuntary]),
            threads: sum(7),
            cpu: row[8].and_then(|cpu| cpu.try_into().ok()),
        })
    }
}

/// The head of a host's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostHead {
    /// [`FORMAT`].
    pub format: Option<u32>,
    /// Its name.
    pub host: String,
    /// Its processors, in the order of the lists of [`HostLine`].
    pub cpus: Vec<u32>,
    /// Clock ticks per second.
    pub ticks_per_s: u64,
    /// Cores that control groups allow.
    pub quota_cores: Option<f64>,
    /// Source of frequencies; null if there is none.
    pub frequency: Option<String>,
}

/// A sample of a host, as it is in its file: what was added since the previous line. Lists have an element for each processor;
/// those of the first line are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostLine {
    /// The moment, µs.
    pub at_us: u64,
    /// Busy, clock ticks.
    pub busy: Vec<u64>,
    /// Idle, clock ticks.
    pub idle: Vec<u64>,
    /// Ready to run while the hypervisor ran something else, clock ticks.
    pub stolen: Vec<u64>,
    /// How often control groups throttled processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u64>,
    /// For how long, summed over processors, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_us: Option<u64>,
    /// Frequencies, MHz; 0 if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mhz: Option<Vec<u32>>,
}

/// Sums of a rank since its start, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuSample {
    /// The moment, ns.
    pub at_ns: u64,
    /// All threads on a processor, ns.
    pub run_ns: u64,
    /// All threads ready to run without one, ns.
    pub wait_ns: u64,
    /// The first thread on a processor, ns.
    pub main_run_ns: u64,
    /// The first thread ready to run without one, ns.
    pub main_wait_ns: u64,
    /// Threads.
    pub threads: u64,
    /// Last processor of the first thread, where frequencies are known.
    pub cpu: Option<u32>,
}

/// The samples of one rank; empty for runs without samples (of older versions, or without `exec`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankCores {
    /// In order of time.
    pub samples: Vec<CpuSample>,
    /// Processors it may use: first and last of each range, in order.
    pub cpus: Vec<(u32, u32)>,
    /// Voluntary context switches; of the first thread only if the end of the process was not seen.
    pub voluntary_switches: Option<u64>,
    /// Involuntary context switches, likewise.
    pub involuntary_switches: Option<u64>,
    /// Whether `--yield` was active.
    pub gives_way: bool,
}

impl RankCores {
    /// How many processors it may use.
    pub fn processors(&self) -> u64 {
        self.cpus.iter().map(|&(first, last)| u64::from(last - first) + 1).sum()
    }
}

/// The load of a host between two moments; lists are in the order of [`HostCores::cpus`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostSample {
    /// First moment, ns.
    pub from_ns: u64,
    /// Last moment, ns.
    pub until_ns: u64,
    /// Busy with anything, ns.
    pub busy_ns: Vec<u64>,
    /// Ready to run while the hypervisor ran something else, ns.
    pub stolen_ns: Vec<u64>,
    /// How often control groups throttled processes.
    pub throttled: u64,
    /// For how long, summed over processors, ns.
    pub throttled_ns: u64,
    /// Frequencies; empty if unknown, 0 for a processor whose frequency is unknown.
    pub mhz: Vec<u32>,
}

/// The samples of one host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostCores {
    /// Its name.
    pub host: String,
    /// Its processors.
    pub cpus: Vec<u32>,
    /// Cores that control groups allow.
    pub quota_cores: Option<f64>,
    /// Whether frequencies can be measured.
    pub has_frequency: bool,
    /// In order of time.
    pub samples: Vec<HostSample>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_as_written() {
        let line = RankLine { at_us: 1, run_us: 2, switches: Some([6, 7]), threads: 8, ..RankLine::default() };
        assert_eq!(line.to_text(), "[1,2,0,0,0,6,7,8,null]");
        for line in [line, RankLine { cpu: Some(9), ..line }, RankLine { switches: None, ..line }] {
            assert_eq!(RankLine::parse(&line.to_text()), Some(line));
        }
        assert_eq!(RankLine::parse("[1,2]"), None);
    }

    #[test]
    fn a_head_has_no_processors_and_later_notes_nothing_else() {
        let head = RankNote { format: Some(FORMAT), gives_way: Some(true), ..RankNote::default() };
        assert_eq!(serde_json::to_string(&head).unwrap(), r#"{"format":1,"gives_way":true}"#);
        let later = RankNote { cpus: Some("0-1".into()), ..RankNote::default() };
        assert_eq!(serde_json::to_string(&later).unwrap(), r#"{"cpus":"0-1"}"#);
    }
}
