//! Converts processor time of ranks and hosts to the axis of the run.

use mpiscope_run::Run;
use mpiscope_store::{Dimensions, RankCores};
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
            let mut found = mpiscope_run::rank_cores(&run.path, rank, most)?;
            found.samples.iter_mut().for_each(|sample| sample.at_ns = since(clock, sample.at_ns));
            // Before the origin all moments are one.
            found.samples.retain(|sample| sample.at_ns > 0);
            // `wait4` has counted all threads, to the end.
            let exit = rank.exit.as_ref();
            if let Some(both) = exit.and_then(|exit| exit.voluntary_switches.zip(exit.involuntary_switches)) {
                (found.voluntary_switches, found.involuntary_switches) = (Some(both.0), Some(both.1));
            }
            Some(found)
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
        let Some(mut host) = mpiscope_run::host_cores(&run.path, name) else { continue };
        rank.host().clone_into(&mut host.host);
        for sample in &mut host.samples {
            (sample.from_ns, sample.until_ns) = (since(clock, sample.from_ns), since(clock, sample.until_ns));
        }
        host.samples.retain(|sample| sample.from_ns > 0);
        found.hosts.push(host);
    }
}
