//! The run with a core for each rank whenever it is ready to run.

use mpiscope_store::{Dimensions, RankId};

use crate::explanation::Remedy;
use crate::explanation::machine::RankUse;

/// These ranks do not wait for a core: their computing and the time of the calls themselves are shorter by the share in which they
/// did. Waiting for a core while waiting for another rank costs nothing, and the replay shows that.
pub(super) fn with_cores(ranks: &[&RankUse], dimensions: &Dimensions) -> Remedy {
    let part = |lost_ns: u64, all_ns: u64| match all_ns {
        0 => 1.0,
        all => 1.0 - (lost_ns as f64 / all as f64).clamp(0.0, 1.0),
    };
    let speed = |at: usize| {
        let world = dimensions.rank(RankId(at as u32));
        let Some(rank) = ranks.iter().find(|r| r.rank == world) else { return (1.0, 1.0) };
        let computing = &rank.computing;
        let in_mpi_ns = rank.sampled_ns.saturating_sub(computing.computing_ns);
        let lost_in_mpi_ns = rank.main_run_queue_ns.saturating_sub(computing.waiting_ns);
        (part(computing.waiting_ns, computing.computing_ns), part(lost_in_mpi_ns, in_mpi_ns))
    };
    Remedy { speed: (0..dimensions.ranks.len()).map(speed).collect(), ..Remedy::default() }
}
