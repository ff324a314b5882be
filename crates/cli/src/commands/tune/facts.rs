//! What the recorded run shows, for finding candidates.

use std::path::Path;

use anyhow::Context;
use mpiscope_launch::launcher::Launcher;
use mpiscope_launch::mpi::Library;
use mpiscope_launch::{host, library};
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_tune::{Facts, RankOrder, Target, accesses_files, hint_files, shares};

use super::super::place;
use super::super::report::live;
use crate::variables;

/// Files of hints, in the directory of the search.
pub const HINTS: &str = "hints";
/// Files with an order of the ranks, in the directory of the search.
pub const ORDER: &str = "order";

/// Reads the run, and what is set.
pub fn gather(
    directory: &Path,
    run: &Path,
    mpi: Option<&Library>,
    launcher: &Launcher,
    ranks: Option<u32>,
) -> anyhow::Result<Facts> {
    let run = Run::open(run, &live(run))?;
    let summary = run.summary(|_| true, &Resolver::default());
    let overview = &summary.overview;
    let input = variables::gather(mpi, Some(launcher));
    let world = overview.world_size.max(overview.ranks).max(ranks.unwrap_or(0).into());
    let of_mean = |spread: &Option<mpiscope_run::Spread>| spread.as_ref().map_or(0, |spread| spread.mean);
    let (user_ns, system_ns) = (of_mean(&overview.user_ns), of_mean(&overview.system_ns));
    let is_send = |call: &str| call.to_ascii_lowercase().contains("send") && !call.contains("Sendrecv_init");
    let sizes = summary.sizes.iter().filter(|row| is_send(&row.call));
    let cores = host::physical_cores().max(1) as u64;
    // A script's MPI was found without its library; the processes know theirs.
    let device = run.ranks.iter().find_map(|rank| rank.defs.info("mpi_device"));
    let target = input.target.filter(|of| of.device.is_some()).or_else(|| Target::of_text(&overview.mpi, device));
    Ok(Facts {
        target,
        settings: input.settings,
        launcher: launcher.words.clone(),
        ranks: world,
        ranks_per_host: overview.hosts.values().copied().max().unwrap_or(world),
        cores,
        hosts: overview.hosts.len() as u64,
        system_share: mpiscope_units::share(system_ns, user_ns + system_ns),
        max_rss_bytes: overview.max_rss_bytes.as_ref().map_or(0, |spread| spread.max.value),
        calls: shares(summary.calls.iter().map(|row| (row.call.as_str(), row.sum.time_ns)), overview.rank_time_ns),
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
        hints_directory: absolute(directory, HINTS),
        interfaces: interfaces(),
        rank_order: rank_order(directory, &summary),
    })
}

/// A place in the directory of the search, as other processes find it.
fn absolute(directory: &Path, name: &str) -> Option<String> {
    Some(directory.canonicalize().ok()?.join(name).to_string_lossy().into_owned())
}

/// Interfaces of this host that are up, without the loopback.
fn interfaces() -> Vec<String> {
    let all = std::fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let is_up = |path: &Path| std::fs::read_to_string(path.join("operstate")).is_ok_and(|state| state.trim() == "up");
    let mut names: Vec<String> = all
        .filter(|entry| is_up(&entry.path()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name != "lo");
    names.sort();
    names
}

/// The order that sends least between hosts; its files are written.
fn rank_order(directory: &Path, summary: &Summary) -> Option<RankOrder> {
    let best = place::best_order(summary)?;
    let folder = directory.join(ORDER);
    place::write(&folder, &best.files).ok()?;
    let file = |name: &str| Some(Path::new(&absolute(directory, ORDER)?).join(name).to_string_lossy().into_owned());
    Some(RankOrder {
        what: best.what.to_owned(),
        saved: best.saved,
        hosts_file: file("hosts")?,
        machines_file: file("machines")?,
    })
}

/// Writes the files of hints, if access to files matters.
pub fn write_hints(directory: &Path, facts: &Facts) -> anyhow::Result<()> {
    if !accesses_files(facts) {
        return Ok(());
    }
    let folder = directory.join(HINTS);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, text) in hint_files() {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
