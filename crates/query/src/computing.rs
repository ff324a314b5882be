//! Computing before the calls of each call site, from the events of a run.

use std::collections::BTreeMap;

use mpiscope_abi::role::Role;
use mpiscope_analysis::waits::PollPlaces;
use mpiscope_ingest::Ingest;
use mpiscope_run::{Resolver, Run};
use mpiscope_scaling::SiteSums;
use mpiscope_store::{Batch, CallInfo, Dimensions, SiteId, flags};

use crate::batches::each_batch;
use crate::{QueryError, Watch};

/// What a rank computes from the last call to `MPI_Finalize` has no call site.
const AT_THE_END: &str = "MPI_Finalize";

/// Sums over all ranks: calls and the time before them, ns, by function and call site.
#[derive(Default)]
struct Gaps {
    /// When the last call of each rank ended.
    last_end_ns: Vec<u64>,
    sums: BTreeMap<(u32, SiteId), (u64, u64)>,
    polls: PollPlaces,
}

impl Gaps {
    fn add_batch(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>], batch: &Batch) {
        for (rank, of_batch) in batch.ranks.iter().enumerate() {
            let (Some(last), Some(row)) = (self.last_end_ns.get_mut(rank), dimensions.ranks.get(rank)) else {
                continue;
            };
            for call in &of_batch.calls {
                let Some(info) = facts.get(rank).and_then(|of| of.get(call.facts as usize)) else { continue };
                let is_nested = call.flags & flags::NESTED != 0;
                let is_frame = matches!(info.role, Role::Init | Role::Finalize);
                let is_rare = self.polls.is_computing(rank, call, info);
                if call.thread != 0 || is_nested || is_frame || is_rare || call.start_ns >= row.finalize_start_ns {
                    continue;
                }
                let (calls, ns) = self.sums.entry((info.function, info.site)).or_default();
                *calls += 1;
                *ns += call.start_ns.saturating_sub(*last);
                *last = call.end_ns.max(*last);
            }
        }
    }

    /// Means over ranks.
    fn finish(self, dimensions: &Dimensions) -> Vec<SiteSums> {
        let count = self.last_end_ns.len().max(1) as f64;
        let mean = |(calls, ns): (u64, u64)| (calls as f64 / count, ns as f64 / count);
        let place = |site: SiteId| {
            let row = site.index().and_then(|at| dimensions.sites.get(at));
            row.map_or_else(
                String::new,
                |row| if row.frames.is_empty() { row.text.clone() } else { row.frames.join(" < ") },
            )
        };
        let mut found: BTreeMap<(String, String), (f64, f64)> = BTreeMap::new();
        for ((function, site), sums) in self.sums {
            let of = found.entry((mpiscope_abi::name(function).to_owned(), place(site))).or_default();
            let (calls, ns) = mean(sums);
            (of.0, of.1) = (of.0 + calls, of.1 + ns);
        }
        let ends = dimensions.ranks.iter().zip(&self.last_end_ns);
        let rest = ends.map(|(row, &last)| row.finalize_start_ns.saturating_sub(last)).sum::<u64>();
        found.insert((AT_THE_END.to_owned(), String::new()), (1.0, rest as f64 / count));
        let row = |((call, place), (calls, time_ns))| SiteSums { call, place, calls, bytes: 0.0, time_ns };
        found.into_iter().map(row).collect()
    }
}

/// What a rank computes before the calls of each call site, mean over ranks; `None` if events of the run are missing. Only the first thread of each rank counts.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn computing_before(
    run: &Run,
    resolver: &Resolver,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<SiteSums>>, QueryError> {
    let mut ingest = Ingest::new(run, resolver)?;
    if ingest.dimensions().is_cut() {
        return Ok(None);
    }
    let mut gaps =
        Gaps { last_end_ns: ingest.dimensions().ranks.iter().map(|row| row.init_end_ns).collect(), ..Gaps::default() };
    each_batch(&mut ingest, watch, |tables, batch| {
        gaps.add_batch(&tables.dimensions, &tables.facts, batch);
        Ok(())
    })?;
    let is_complete = !gaps.sums.is_empty() && !ingest.dimensions().is_cut();
    Ok(is_complete.then(|| gaps.finish(ingest.dimensions())))
}

#[cfg(test)]
mod tests {
    use mpiscope_ingest::testing::ingested;

    use super::*;

    #[test]
    fn computing_belongs_to_the_call_after_it() {
        let mut text = String::new();
        for step in 0..50 {
            let begin = step * 210;
            text += &format!("0 {} {} Barrier site=2\n", begin + 10, begin + 20);
            for rank in 0..2 {
                text += &format!("{rank} {} {} Allreduce bytes=8 site=3\n", begin + 100 * (rank + 1), begin + 210);
            }
        }
        let run = ingested(&text);
        let mut gaps =
            Gaps { last_end_ns: run.dimensions.ranks.iter().map(|row| row.init_end_ns).collect(), ..Gaps::default() };
        run.batches.iter().for_each(|batch| gaps.add_batch(&run.dimensions, &run.facts, batch));
        let found = gaps.finish(&run.dimensions);
        let of = |call: &str| found.iter().find(|row| row.call == call).unwrap_or_else(|| panic!("{call}: {found:?}"));
        // Before the barrier 10, before the sum 80 of rank 0 and 200 of rank 1.
        let (barrier, sum) = (of("MPI_Barrier"), of("MPI_Allreduce"));
        assert_eq!((barrier.calls, sum.calls), (25.0, 50.0));
        assert!((sum.time_ns / barrier.time_ns - (80.0 + 200.0) / 10.0).abs() < 0.1, "{found:?}");
        assert_ne!(sum.place, barrier.place);
        // Nothing is left out.
        let all: f64 = found.iter().map(|row| row.time_ns).sum();
        let inside: u64 = run.dimensions.ranks.iter().map(|row| row.time_ns()).sum();
        let in_calls: u64 = run
            .batches
            .iter()
            .flat_map(|batch| batch.ranks.iter().flat_map(|rank| &rank.calls))
            .map(|call| call.end_ns - call.start_ns)
            .sum();
        assert!((all * 2.0 / (inside - in_calls) as f64 - 1.0).abs() < 1e-6, "{all} {inside} {in_calls}");
    }
}
