//! What the recorded run shows, for finding candidates.

use std::path::Path;

use mpiscope_launch::launcher::Launcher;
use mpiscope_launch::mpi::Library;
use mpiscope_launch::{host, library};
use mpiscope_run::{Resolver, Run};
use mpiscope_tune::Facts;

use super::super::report::live;
use crate::variables;

/// Reads the run, and what is set.
pub fn gather(run: &Path, mpi: Option<&Library>, launcher: &Launcher, ranks: Option<u32>) -> anyhow::Result<Facts> {
    let run = Run::open(run, &live(run))?;
    let summary = run.summary(|_| true, &Resolver::default());
    let overview = &summary.overview;
    let input = variables::gather(mpi, Some(launcher));
    let world = overview.world_size.max(overview.ranks).max(ranks.unwrap_or(0).into());
    let of_mean = |spread: &Option<mpiscope_run::Spread>| spread.as_ref().map_or(0, |spread| spread.mean);
    let (user_ns, system_ns) = (of_mean(&overview.user_ns), of_mean(&overview.system_ns));
    let all_ns = overview.rank_time_ns.max(1) as f64;
    let is_send = |call: &str| call.to_ascii_lowercase().contains("send") && !call.contains("Sendrecv_init");
    let sizes = summary.sizes.iter().filter(|row| is_send(&row.call));
    let cores = host::physical_cores().max(1) as u64;
    Ok(Facts {
        target: input.target,
        settings: input.settings,
        launcher: launcher.words.clone(),
        ranks: world,
        ranks_per_host: overview.hosts.values().copied().max().unwrap_or(world),
        cores,
        hosts: overview.hosts.len() as u64,
        system_share: mpiscope_units::share(system_ns, user_ns + system_ns),
        max_rss_bytes: overview.max_rss_bytes.as_ref().map_or(0, |spread| spread.max.value),
        calls: summary.calls.iter().map(|row| (row.call.clone(), row.sum.time_ns as f64 / all_ns)).collect(),
        messages: sizes.filter_map(|row| Some((row.to_bytes?, row.sum.calls))).filter(|of| of.0 > 0).collect(),
        reported: summary
            .protocol
            .iter()
            .filter_map(|row| Some((row.key.strip_prefix("cvar.")?.to_owned(), row.value.clone())))
            .collect(),
        yield_library: library::find(None)
            .ok()
            .and_then(|collector| library::yielding(&collector))
            .map(|path| path.to_string_lossy().into_owned()),
    })
}
