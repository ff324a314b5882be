//! `RUN/cores/`: processor time of ranks and hosts, sampled by `exec`. Empty for runs without samples.
//!
//! Files are lines of JSON, appended during the run: the last line may be incomplete, and invalid lines are skipped.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use crate::cpus::CpuSet;
use crate::run::Rank;

/// Latest version of the files that this crate reads.
const FORMAT: u32 = 1;
/// A file grows with the logarithm of the time: a larger one was not written by `exec`.
const MOST_BYTES: u64 = 64 << 20;
/// Limit of processors of a host.
const MOST_CPUS: usize = 1 << 16;

/// Sums since the start of a process, at a moment of `CLOCK_MONOTONIC` of its host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuPoint {
    /// The moment, ns.
    pub at_ns: u64,
    /// Time of all threads on a processor, and of all threads ready to run without one, ns.
    pub all_ns: [u64; 2],
    /// The first thread, likewise.
    pub main_ns: [u64; 2],
    /// Threads.
    pub threads: u64,
    /// Last processor of the first thread.
    pub cpu: Option<u32>,
}

/// The samples of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessCores {
    /// In order of time.
    pub points: Vec<CpuPoint>,
    /// Processors it may use: first and last of each range.
    pub cpus: Vec<(u32, u32)>,
    /// Voluntary and involuntary context switches of the first thread.
    pub switches: Option<[u64; 2]>,
    /// Whether `--yield` was active.
    pub gives_way: bool,
}

/// The load of a host between two moments of its `CLOCK_MONOTONIC`; lists in the order of [`HostLoad::cpus`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostStretch {
    /// First moment, ns.
    pub from_ns: u64,
    /// Last moment, ns.
    pub until_ns: u64,
    /// Busy time, ns.
    pub busy_ns: Vec<u64>,
    /// Time ready to run while the hypervisor ran something else, ns.
    pub stolen_ns: Vec<u64>,
    /// How often control groups throttled processes.
    pub throttled: u64,
    /// For how long, ns.
    pub throttled_ns: u64,
    /// Frequencies; empty if unknown.
    pub mhz: Vec<u32>,
}

/// The samples of one host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostLoad {
    /// Its processors.
    pub cpus: Vec<u32>,
    /// Cores that control groups allow.
    pub quota_cores: Option<f64>,
    /// Whether frequencies can be measured.
    pub has_frequency: bool,
    /// In order of time.
    pub stretches: Vec<HostStretch>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Head {
    format: Option<u32>,
    cpus: serde_json::Value,
    gives_way: bool,
    ticks_per_s: u64,
    quota_cores: Option<f64>,
    frequency: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Line {
    at_us: u64,
    busy: Vec<u64>,
    stolen: Vec<u64>,
    throttled: u64,
    throttled_us: u64,
    mhz: Vec<u32>,
}

impl ProcessCores {
    /// Samples of a rank, with at most this many points.
    pub fn read(run: &Path, rank: &Rank, most: usize) -> Option<ProcessCores> {
        // The host name that `exec` uses, which wrote both files.
        let host = rank.exit.as_ref().map_or(rank.host(), |exit| exit.host.as_str());
        let text = text(&run.join(format!("cores/{host}.{}.rank.jsonl", rank.header.pid)))?;
        ProcessCores::parse(&text, most)
    }

    fn parse(text: &str, most: usize) -> Option<ProcessCores> {
        let mut found = ProcessCores::default();
        let (mut stride, mut skipped) = (1, 0);
        let mut last = None;
        for (at, line) in text.lines().enumerate() {
            if line.starts_with('{') {
                let head: Head = serde_json::from_str(line).unwrap_or_default();
                if at == 0 && head.format != Some(FORMAT) {
                    return None;
                }
                found.gives_way |= head.gives_way;
                if let Some(cpus) = head.cpus.as_str() {
                    found.cpus = CpuSet::parse(cpus).stretches().collect();
                }
                continue;
            }
            let Ok(row) = serde_json::from_str::<[Option<u64>; 9]>(line) else { continue };
            let us = |at: usize| row[at].unwrap_or(0).saturating_mul(1000);
            let point = CpuPoint {
                at_ns: us(0),
                all_ns: [us(1), us(2)],
                main_ns: [us(3), us(4)],
                threads: row[7].unwrap_or(0),
                cpu: row[8].and_then(|cpu| cpu.try_into().ok()),
            };
            // The clock stands still or a counter decreases: the samples are not from one process.
            let fits =
                |before: &CpuPoint| before.at_ns < point.at_ns && (0..2).all(|i| before.main_ns[i] <= point.main_ns[i]);
            if !last.as_ref().is_none_or(fits) {
                continue;
            }
            last = Some(point);
            found.switches = row[5].zip(row[6]).map(|(voluntary, involuntary)| [voluntary, involuntary]);
            skipped += 1;
            if skipped < stride {
                continue;
            }
            skipped = 0;
            found.points.push(point);
            if found.points.len() >= most.max(4) {
                let mut at = 0;
                found.points.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                stride *= 2;
            }
        }
        // The values are sums, so the last one includes what was skipped.
        if let Some(last) = last.filter(|last| found.points.last() != Some(last)) {
            found.points.push(last);
        }
        (!found.points.is_empty()).then_some(found)
    }
}

impl HostLoad {
    /// Samples of a host, by the name that `exec` uses.
    pub fn read(run: &Path, host: &str) -> Option<HostLoad> {
        HostLoad::parse(&text(&run.join(format!("cores/{host}.host.jsonl")))?)
    }

    fn parse(text: &str) -> Option<HostLoad> {
        let mut found = HostLoad::default();
        let (mut tick_ns, mut from_ns) = (0, None);
        for line in text.lines() {
            if line.contains("\"format\"") {
                let Ok(head) = serde_json::from_str::<Head>(line) else { continue };
                let cpus: Vec<u32> = serde_json::from_value(head.cpus).unwrap_or_default();
                let fits = found.cpus.is_empty() || found.cpus == cpus;
                if head.format != Some(FORMAT) || cpus.len() > MOST_CPUS || !fits {
                    // Another machine of this name, or a newer version.
                    break;
                }
                tick_ns = 1_000_000_000 / head.ticks_per_s.clamp(1, 1_000_000);
                found.cpus = cpus;
                found.quota_cores = head.quota_cores.filter(|cores| cores.is_finite() && *cores > 0.0);
                found.has_frequency = head.frequency.is_some();
                // Between the last sample of one sampler and the first of the next there is none.
                from_ns = None;
                continue;
            }
            let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
            let until_ns = line.at_us.saturating_mul(1000);
            let count = found.cpus.len();
            if let Some(from_ns) = from_ns.filter(|&from| from < until_ns)
                && line.busy.len() == count
                && line.stolen.len() == count
            {
                let ns = |ticks: Vec<u64>| ticks.into_iter().map(|t| t.saturating_mul(tick_ns)).collect();
                found.stretches.push(HostStretch {
                    from_ns,
                    until_ns,
                    busy_ns: ns(line.busy),
                    stolen_ns: ns(line.stolen),
                    throttled: line.throttled,
                    throttled_ns: line.throttled_us.saturating_mul(1000),
                    mhz: if line.mhz.len() == count { line.mhz } else { Vec::new() },
                });
            }
            if from_ns.is_none_or(|from| from < until_ns) {
                from_ns = Some(until_ns);
            }
        }
        (!found.cpus.is_empty()).then_some(found)
    }
}

fn text(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RANK: &str = r#"{"format":1,"host":"n1","pid":7,"gives_way":true}
{"cpus":"0-1,4"}
[1000,10,5,10,5,1,2,1,null]
[2000,510,400,500,395,3,4,2,1]
[1500,0,0,0,0,0,0,1,null]
[3000,900,1000,800,900,9,8,2,0]
[4000,95"#;

    #[test]
    fn a_rank_is_read_as_far_as_it_was_written() {
        let found = ProcessCores::parse(RANK, 100).unwrap();
        assert_eq!(found.points.len(), 3, "one went back in time, one is half written");
        let last = CpuPoint {
            at_ns: 3_000_000,
            all_ns: [900_000, 1_000_000],
            main_ns: [800_000, 900_000],
            threads: 2,
            cpu: Some(0),
        };
        assert_eq!(found.points[2], last);
        assert_eq!((found.cpus, found.switches, found.gives_way), (vec![(0, 1), (4, 4)], Some([9, 8]), true));
        assert_eq!(ProcessCores::parse(r#"{"format":2}"#, 100), None);
        assert_eq!(ProcessCores::parse("", 100), None);
    }

    #[test]
    fn few_points_say_the_same_in_sum() {
        let mut text = String::from("{\"format\":1}\n");
        (1..=1000u64).for_each(|t| text += &format!("[{},{},{},{},{},0,0,1,null]\n", t * 10, t * 4, t, t * 4, t));
        let found = ProcessCores::parse(&text, 64).unwrap();
        assert!(found.points.len() <= 65, "{}", found.points.len());
        assert_eq!(found.points.last().unwrap().main_ns, [4_000_000, 1_000_000]);
    }

    const HOST: &str = r#"{"format":1,"host":"n1","cpus":[0,1],"ticks_per_s":100,"quota_cores":1.5,"frequency":null}
{"at_us":1000,"busy":[],"idle":[],"stolen":[]}
{"at_us":201000,"busy":[20,10],"idle":[0,10],"stolen":[0,1],"throttled":2,"throttled_us":30000}
{"format":1,"host":"n1","cpus":[0,1],"ticks_per_s":100,"quota_cores":1.5,"frequency":null}
{"at_us":900000,"busy":[],"idle":[],"stolen":[]}
{"at_us":1000000,"busy":[1,2],"idle":[9,8],"stolen":[0,0],"mhz":[2000,1000]}
{"at_us":1100000,"busy":[1],"idle":[9],"stolen":[0]}
"#;

    #[test]
    fn a_host_is_read_in_stretches() {
        let found = HostLoad::parse(HOST).unwrap();
        assert_eq!((found.cpus, found.quota_cores, found.has_frequency), (vec![0, 1], Some(1.5), false));
        let [first, second] = &found.stretches[..] else { panic!("{:?}", found.stretches) };
        assert_eq!((first.from_ns, first.until_ns), (1_000_000, 201_000_000));
        assert_eq!(first.busy_ns, [200_000_000, 100_000_000]);
        assert_eq!((first.stolen_ns[1], first.throttled, first.throttled_ns), (10_000_000, 2, 30_000_000));
        // No sampler ran between the two.
        assert_eq!((second.from_ns, &second.mhz[..]), (900_000_000, &[2000, 1000][..]));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\{\"format\":1,\"cpus\":(\\[0\\]|\"0-9\"),\"ticks_per_s\":[0-9]\\}\n|\\[[0-9,]{0,30}\\]\n|\\{\"at_us\":[0-9]{1,20},\"busy\":\\[[0-9]\\],\"stolen\":\\[1\\]\\}\n|.{0,9}\n){0,12}") {
            let _ = ProcessCores::parse(&text, 8);
            let _ = HostLoad::parse(&text);
        }
    }
}
