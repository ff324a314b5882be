//! Converts moments from sources other than rank files to the axis of the run.

use std::collections::BTreeMap;

use mpiscope_run::{Clocks, Run};

use crate::clocks::{RankClock, clocks};

/// The clocks of the ranks of `MPI_COMM_WORLD`.
pub struct Moments {
    clocks: BTreeMap<u32, RankClock>,
    origin_ns: u64,
}

impl Moments {
    /// Those of a run.
    pub fn from_run(run: &Run) -> Moments {
        let (hosts, _) = Clocks::read(run);
        let (all, origin_ns) = clocks(run, &hosts);
        let ranks = run.ranks.iter().zip(all).filter(|(rank, _)| rank.world == 0);
        let clocks = ranks.filter_map(|(rank, clock)| Some((u32::try_from(rank.rank()).ok()?, clock))).collect();
        Moments { clocks, origin_ns }
    }

    /// Ns since the origin, from `CLOCK_MONOTONIC` of a rank's host; `None` when the rank is not known.
    pub fn of_monotonic(&self, rank: u32, ns: u64) -> Option<u64> {
        Some(self.clocks.get(&rank)?.of_monotonic(ns).saturating_sub(self.origin_ns))
    }
}
