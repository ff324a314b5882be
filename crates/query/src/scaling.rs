//! From runs of different sizes to how their program scales.

use mpiscope_run::{Fate, FrameRow, RankRow, Resolver, Run, Summary};
use mpiscope_scaling::{SiteSums, Sums};

/// A run that cannot be used, or what must be known of one that can.
#[derive(Debug, thiserror::Error)]
pub enum ScalingRunError {
    /// No rank has a readable file.
    #[error("{0}: no rank file can be read; see mpiscope report {0}")]
    NoRanks(String),
    /// Its time is not that of the whole program.
    #[error("{run}: rank {rank} did not end normally ({how}): the time of this run is not that of the whole program")]
    NotEnded {
        /// The run.
        run: String,
        /// A rank.
        rank: i32,
        /// What became of it.
        how: String,
    },
}

/// What is used of a run, and what weakens it: sums only, so runs without events do as well. `name` is how messages name the run.
///
/// # Errors
///
/// If nothing can be read, or the run was cut short.
pub fn scaling_sums(
    run: &Run,
    resolver: &Resolver,
    name: &str,
    size: Option<f64>,
) -> Result<(Sums, Vec<String>), ScalingRunError> {
    let summary = run.summary(|_| true, resolver);
    let ranks = &summary.ranks;
    if ranks.is_empty() {
        return Err(ScalingRunError::NoRanks(name.to_owned()));
    }
    // A failure after MPI_Finalize leaves the times as they are.
    let has_ended = |row: &&RankRow| {
        matches!(row.fate, Fate::Finalized | Fate::FinalizedThenFailed { .. } | Fate::Killed { finalized: true, .. })
    };
    if let Some(row) = ranks.iter().find(|row| !has_ended(row)) {
        return Err(ScalingRunError::NotEnded { run: name.to_owned(), rank: row.rank, how: row.fate.text() });
    }
    let count = ranks.len() as f64;
    let computing: Vec<f64> = ranks.iter().map(computing_ns).collect();
    let site = |row: &mpiscope_run::SiteRow| SiteSums {
        call: row.call.clone(),
        place: row.frames.iter().map(FrameRow::text).collect::<Vec<_>>().join(" < "),
        calls: row.sum.calls as f64 / count,
        bytes: row.sum.bytes as f64 / count,
        time_ns: row.sum.time_ns as f64 / count,
    };
    // Starting and ending MPI are not part of the time of a run.
    let is_inside = |row: &&mpiscope_run::SiteRow| summary.overview.share(&row.call, row.sum.time_ns).is_some();
    let sums = Sums {
        run: name.to_owned(),
        ranks: summary.overview.world_size,
        size,
        time_ns: ranks.iter().map(|row| row.inside_ns as f64).sum::<f64>() / count,
        computing_ns: computing.iter().sum::<f64>() / count,
        busiest_ns: computing.iter().copied().fold(0.0, f64::max),
        sites: summary.sites.iter().filter(is_inside).map(site).collect(),
    };
    Ok((sums, weak_points(&summary, name)))
}

/// Time outside of MPI of the thread that is in MPI longest, ns.
fn computing_ns(row: &RankRow) -> f64 {
    let inside = row.inside_ns as f64;
    row.mpi_share.map_or_else(|| inside - row.mpi_ns as f64, |share| inside * (1.0 - share)).max(0.0)
}

/// What must be known of a run before its times are compared with those of others.
fn weak_points(summary: &Summary, name: &str) -> Vec<String> {
    let overview = &summary.overview;
    let mut found = Vec::new();
    if overview.ranks < overview.world_size {
        found.push(format!(
            "{name}: {} of {} ranks are in the run; its means are those of these ranks",
            overview.ranks, overview.world_size
        ));
    }
    for host in summary.hosts.iter().filter(|host| host.cores > 0 && host.ranks > host.cores) {
        found.push(format!(
            "{name}: {} ranks share {} cores of {}; ranks that compute all the time take longer there than with a core each",
            host.ranks, host.cores, host.host
        ));
    }
    for problem in summary.diagnostics.iter().filter(|problem| problem.damage) {
        let file = problem.file.as_deref().unwrap_or("a file");
        found.push(format!("{name}: {file}: {}", problem.text));
    }
    found
}
