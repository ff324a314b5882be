//! From runs of different sizes to how their program scales.

use std::collections::BTreeMap;

use mpiscope_machine::Profile;
use mpiscope_model::simulation::Curve;
use mpiscope_run::{FrameRow, RankRow, Resolver, Run, Summary};
use mpiscope_scaling::{Exchange, Sent, SiteSums, Sums};

use crate::prediction::links;
use crate::{QueryError, Watch, explain};

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
    if let Some(row) = ranks.iter().find(|row| !row.fate.is_whole()) {
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
        computing_before: None,
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

/// What the run exchanges along the axes of its grid: that of a Cartesian communicator, or else the one that its messages show. The latter needs events. `None` without a grid.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn grid_exchange(run: &Run, resolver: &Resolver, watch: &mut Watch<'_>) -> Result<Option<Exchange>, QueryError> {
    let summary = run.summary(|_| true, resolver);
    let sent = || {
        summary.peers.iter().map(|row| Sent {
            from: row.rank,
            to: row.peer,
            messages: row.messages_sent,
            bytes: row.bytes_sent,
        })
    };
    let is_of_all = |size: i32| u64::try_from(size) == Ok(summary.overview.world_size);
    let cartesian = summary.comms.iter().filter(|comm| !comm.facts.dims.is_empty() && is_of_all(comm.facts.size));
    for comm in cartesian {
        let (dims, periodic): (Vec<u32>, Vec<bool>) = comm.facts.dims.iter().copied().unzip();
        let place = |row: &RankRow| {
            let of_comm = row.coordinates.iter().find(|(label, _)| *label == comm.facts.label)?;
            Some((row.rank, of_comm.1.clone()))
        };
        let places = summary.ranks.iter().filter_map(place).collect();
        if let Some(found) = Exchange::new(&dims, &periodic, "cartesian communicator", &places, sent()) {
            return Ok(Some(found));
        }
    }
    let (explanation, _) = explain(run, resolver, None, watch)?;
    let Some(grid) = explanation.grid else { return Ok(None) };
    let places: BTreeMap<i32, Vec<u32>> = grid
        .places
        .iter()
        .enumerate()
        .filter_map(|(place, &rank)| Some((summary.ranks.get(rank as usize)?.rank, coordinates(place, &grid.dims))))
        .collect();
    Ok(Exchange::new(&grid.dims, &grid.periodic, grid.source, &places, sent()))
}

/// The place with this number; numbers grow fastest along the last axis.
fn coordinates(place: usize, dims: &[u32]) -> Vec<u32> {
    let mut rest = place;
    let mut found: Vec<u32> = Vec::with_capacity(dims.len());
    for &extent in dims.iter().rev() {
        let extent = (extent as usize).max(1);
        found.push((rest % extent) as u32);
        rest /= extent;
    }
    found.reverse();
    found
}

/// Times of messages by size in a machine profile: between hosts, or else within one. The second value says which.
pub fn message_times(profile: &Profile) -> Option<(Curve, &'static str)> {
    match links(profile) {
        [_, Some(far)] => Some((far.transit, "between hosts")),
        [Some(near), None] => Some((near.transit, "within a host")),
        [None, None] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::coordinates;

    #[test]
    fn places_are_row_major() {
        assert_eq!(coordinates(5, &[2, 3]), [1, 2]);
        assert_eq!(coordinates(0, &[2, 3]), [0, 0]);
        assert_eq!(coordinates(7, &[2, 2, 2]), [1, 1, 1]);
        assert_eq!(coordinates(3, &[]), Vec::<u32>::new());
    }
}
