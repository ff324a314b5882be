//! Reads `RUN/cores/`: processor time of ranks and hosts, sampled by `exec` while the ranks ran. Nothing for runs without samples.
//!
//! The last line of a file may be incomplete, and invalid lines are skipped.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mpiscope_records::cores::{self, FORMAT, HostHead, HostLine, RankLine, RankNote};
use mpiscope_records::{CpuSample, HostCores, HostSample, RankCores};

use crate::cpus::CpuSet;
use crate::run::Rank;

/// A file grows with the logarithm of the time: a larger one was not written by `exec`.
const MOST_BYTES: u64 = 64 << 20;
/// Limit of processors of a host.
const MOST_CPUS: usize = 1 << 16;

/// Samples of a rank on the `CLOCK_MONOTONIC` of its host, with at most this many points.
pub fn rank_cores(run: &Path, rank: &Rank, most: usize) -> Option<RankCores> {
    // The host name that `exec` uses, which wrote both files.
    let host = rank.exit.as_ref().map_or(rank.host(), |exit| exit.host.as_str());
    let text = text(run, &cores::rank_file(host, rank.header.pid))?;
    parse_rank(&text, most)
}

fn parse_rank(text: &str, most: usize) -> Option<RankCores> {
    let mut found = RankCores::default();
    let (mut stride, mut skipped) = (1, 0);
    let mut last = None;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('{') {
            let note: RankNote = serde_json::from_str(line).unwrap_or_default();
            if at == 0 && note.format != Some(FORMAT) {
                return None;
            }
            found.gives_way |= note.gives_way.unwrap_or(false);
            if let Some(cpus) = note.cpus {
                found.cpus = CpuSet::parse(&cpus).stretches().collect();
            }
            continue;
        }
        let Some(line) = RankLine::parse(line) else { continue };
        let ns = |us: u64| us.saturating_mul(1000);
        let sample = CpuSample {
            at_ns: ns(line.at_us),
            run_ns: ns(line.run_us),
            wait_ns: ns(line.wait_us),
            main_run_ns: ns(line.main_run_us),
            main_wait_ns: ns(line.main_wait_us),
            threads: line.threads,
            cpu: line.cpu,
        };
        // The clock stands still or a counter decreases: the samples are not from one process.
        let fits = |before: &CpuSample| {
            before.at_ns < sample.at_ns
                && before.main_run_ns <= sample.main_run_ns
                && before.main_wait_ns <= sample.main_wait_ns
        };
        if !last.as_ref().is_none_or(fits) {
            continue;
        }
        last = Some(sample);
        found.voluntary_switches = line.switches.map(|both| both[0]);
        found.involuntary_switches = line.switches.map(|both| both[1]);
        skipped += 1;
        if skipped < stride {
            continue;
        }
        skipped = 0;
        found.samples.push(sample);
        if found.samples.len() >= most.max(4) {
            let mut at = 0;
            found.samples.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            stride *= 2;
        }
    }
    // The values are sums, so the last one includes what was skipped.
    if let Some(last) = last.filter(|last| found.samples.last() != Some(last)) {
        found.samples.push(last);
    }
    (!found.samples.is_empty()).then_some(found)
}

/// Samples of a host on its `CLOCK_MONOTONIC`, by the name that `exec` uses.
pub fn host_cores(run: &Path, host: &str) -> Option<HostCores> {
    parse_host(host, &text(run, &cores::host_file(host))?)
}

fn parse_host(host: &str, text: &str) -> Option<HostCores> {
    let mut found = HostCores { host: host.to_owned(), ..HostCores::default() };
    let (mut tick_ns, mut from_ns) = (0, None);
    for line in text.lines() {
        if line.contains("\"format\"") {
            let Ok(head) = serde_json::from_str::<HostHead>(line) else { continue };
            let fits = found.cpus.is_empty() || found.cpus == head.cpus;
            if head.format != Some(FORMAT) || head.cpus.len() > MOST_CPUS || !fits {
                // Another machine of this name, or a newer version.
                break;
            }
            tick_ns = 1_000_000_000 / head.ticks_per_s.clamp(1, 1_000_000);
            found.cpus = head.cpus;
            found.quota_cores = head.quota_cores.filter(|cores| cores.is_finite() && *cores > 0.0);
            found.has_frequency = head.frequency.is_some();
            // Between the last sample of one sampler and the first of the next there is none.
            from_ns = None;
            continue;
        }
        let Ok(line) = serde_json::from_str::<HostLine>(line) else { continue };
        let until_ns = line.at_us.saturating_mul(1000);
        let count = found.cpus.len();
        if let Some(from_ns) = from_ns.filter(|&from| from < until_ns)
            && line.busy.len() == count
            && line.stolen.len() == count
        {
            let ns = |ticks: Vec<u64>| ticks.into_iter().map(|t| t.saturating_mul(tick_ns)).collect();
            found.samples.push(HostSample {
                from_ns,
                until_ns,
                busy_ns: ns(line.busy),
                stolen_ns: ns(line.stolen),
                throttled: line.throttled.unwrap_or(0),
                throttled_ns: line.throttled_us.unwrap_or(0).saturating_mul(1000),
                mhz: line.mhz.filter(|mhz| mhz.len() == count).unwrap_or_default(),
            });
        }
        if from_ns.is_none_or(|from| from < until_ns) {
            from_ns = Some(until_ns);
        }
    }
    (!found.cpus.is_empty()).then_some(found)
}

fn text(run: &Path, name: &str) -> Option<String> {
    let file = File::open(run.join(cores::FOLDER).join(name)).ok()?;
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
        let found = parse_rank(RANK, 100).unwrap();
        assert_eq!(found.samples.len(), 3, "one went back in time, one is half written");
        let last = CpuSample {
            at_ns: 3_000_000,
            run_ns: 900_000,
            wait_ns: 1_000_000,
            main_run_ns: 800_000,
            main_wait_ns: 900_000,
            threads: 2,
            cpu: Some(0),
        };
        assert_eq!(found.samples[2], last);
        assert_eq!((found.cpus, found.gives_way), (vec![(0, 1), (4, 4)], true));
        assert_eq!((found.voluntary_switches, found.involuntary_switches), (Some(9), Some(8)));
        assert_eq!(parse_rank(r#"{"format":2}"#, 100), None);
        assert_eq!(parse_rank("", 100), None);
    }

    #[test]
    fn few_points_say_the_same_in_sum() {
        let mut text = String::from("{\"format\":1}\n");
        (1..=1000u64).for_each(|t| text += &format!("[{},{},{},{},{},0,0,1,null]\n", t * 10, t * 4, t, t * 4, t));
        let found = parse_rank(&text, 64).unwrap();
        assert!(found.samples.len() <= 65, "{}", found.samples.len());
        assert_eq!(found.samples.last().map(|s| (s.main_run_ns, s.main_wait_ns)), Some((4_000_000, 1_000_000)));
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
        let found = parse_host("n1", HOST).unwrap();
        assert_eq!((found.cpus, found.quota_cores, found.has_frequency), (vec![0, 1], Some(1.5), false));
        let [first, second] = &found.samples[..] else { panic!("{:?}", found.samples) };
        assert_eq!((first.from_ns, first.until_ns), (1_000_000, 201_000_000));
        assert_eq!(first.busy_ns, [200_000_000, 100_000_000]);
        assert_eq!((first.stolen_ns[1], first.throttled, first.throttled_ns), (10_000_000, 2, 30_000_000));
        // No sampler ran between the two.
        assert_eq!((second.from_ns, &second.mhz[..]), (900_000_000, &[2000, 1000][..]));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\{\"format\":1,\"cpus\":(\\[0\\]|\"0-9\"),\"ticks_per_s\":[0-9]\\}\n|\\[[0-9,]{0,30}\\]\n|\\{\"at_us\":[0-9]{1,20},\"busy\":\\[[0-9]\\],\"stolen\":\\[1\\]\\}\n|.{0,9}\n){0,12}") {
            let _ = parse_rank(&text, 8);
            let _ = parse_host("n1", &text);
        }
    }
}
