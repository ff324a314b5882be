//! Converts processor time of ranks and hosts to the axis of the run.

use mpiscope_run::{HostLoad, ProcessCores, Run};
use mpiscope_store::{CpuSample, Dimensions, HostCores, HostSample, RankCores};
use rayon::prelude::*;

use crate::clocks::RankClock;

/// Samples of all ranks, some 60 MB, and of one rank.
const MOST_OF_ALL: usize = 1 << 20;
const MOST: usize = 2048;
const LEAST: usize = 64;

/// Adds the contents of `RUN/cores/`, if it exists.
pub(crate) fn add(run: &Run, clocks: &[RankClock], found: &mut Dimensions) {
    let families = run.ranks.iter().map(|rank| mpiscope_run::family_name(rank.header.family));
    found.mpi_family = families.into_iter().find(|family| !family.is_empty()).unwrap_or("");
    let device = run.ranks.iter().find_map(|rank| rank.defs.info("mpi_device"));
    found.mpi_device = device.unwrap_or_default().to_owned();
    let most = (MOST_OF_ALL / run.ranks.len().max(1)).clamp(LEAST, MOST);
    let origin_ns = found.origin_ns;
    let since = |clock: &RankClock, ns: u64| clock.of_monotonic(ns).saturating_sub(origin_ns);
    let ranks = run.ranks.par_iter().zip(clocks);
    let read: Vec<Option<RankCores>> = ranks
        .map(|(rank, clock)| {
            let known = ProcessCores::read(&run.path, rank, most)?;
            let sample = |p: &mpiscope_run::CpuPoint| CpuSample {
                at_ns: since(clock, p.at_ns),
                run_ns: p.all_ns[0],
                wait_ns: p.all_ns[1],
                main_run_ns: p.main_ns[0],
                main_wait_ns: p.main_ns[1],
                threads: p.threads,
                cpu: p.cpu,
            };
            // Before the origin all moments are one.
            let in_run = known.points.iter().map(sample).filter(|s| s.at_ns > 0);
            // `wait4` has counted all threads, to the end.
            let exit = rank.exit.as_ref();
            let at_end = exit.and_then(|exit| exit.voluntary_switches.zip(exit.involuntary_switches));
            let switches = at_end.map(|(a, b)| [a, b]).or(known.switches);
            Some(RankCores {
                samples: in_run.collect(),
                cpus: known.cpus,
                voluntary_switches: switches.map(|s| s[0]),
                involuntary_switches: switches.map(|s| s[1]),
                gives_way: known.gives_way,
            })
        })
        .collect();
    for (row, cores) in found.ranks.iter_mut().zip(read) {
        row.cores = cores.unwrap_or_default();
    }
    let mut seen = Vec::new();
    for (rank, clock) in run.ranks.iter().zip(clocks) {
        let name = rank.exit.as_ref().map_or(rank.host(), |exit| exit.host.as_str());
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let Some(load) = HostLoad::read(&run.path, name) else { continue };
        let sample = |s: mpiscope_run::HostStretch| HostSample {
            from_ns: since(clock, s.from_ns),
            until_ns: since(clock, s.until_ns),
            busy_ns: s.busy_ns,
            stolen_ns: s.stolen_ns,
            throttled: s.throttled,
            throttled_ns: s.throttled_ns,
            mhz: s.mhz,
        };
        found.hosts.push(HostCores {
            host: rank.host().to_owned(),
            cpus: load.cpus,
            quota_cores: load.quota_cores,
            has_frequency: load.has_frequency,
            samples: load.stretches.into_iter().map(sample).filter(|s| s.from_ns > 0).collect(),
        });
    }
}
