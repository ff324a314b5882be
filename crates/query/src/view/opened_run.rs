//! An open run with its store.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use mpiscope_analysis::Explanation;
use mpiscope_pyramid::{Layer, Pyramid, RankGroup, Window};
use mpiscope_run::topology::Topology;
use mpiscope_store::{CallColumns, CallInfo, Dimensions, RankId, Store, StoreError, Wanted, WindowReader};

use super::cell_cache::CellCache;
use super::filter::ByFacts;
use super::path::OnPath;
use super::run_context::RunContext;
use super::{Cancel, Filter, Order, ViewError};

/// Size of the cache of decoded row groups, bytes.
const CACHE_BYTES: usize = 288 << 20;
/// If the process uses more memory than this, pages of the preview are released.
const MOST_RESIDENT: usize = 768 << 20;
/// A smaller preview is not the cause of high memory use.
const SMALL_PREVIEW: usize = 128 << 20;

/// A run with its store and its preview.
pub struct OpenedRun {
    pub(crate) rows: WindowReader,
    pub(crate) preview: Pyramid,
    pub(crate) ground: RunContext,
    pub(crate) kept: CellCache,
    /// Computed on first use.
    pub(crate) path: OnceLock<Vec<OnPath>>,
    until_ns: u64,
}

impl OpenedRun {
    pub(crate) fn open(
        store: Store,
        preview: Pyramid,
        network: Option<Arc<Topology>>,
    ) -> Result<OpenedRun, StoreError> {
        let rows = WindowReader::open(&store, CACHE_BYTES)?;
        let until_ns = rows.last_ns();
        let (dimensions, facts) = store.into_tables();
        Ok(OpenedRun {
            rows,
            preview,
            ground: RunContext::new(dimensions, Arc::new(facts), network),
            kept: CellCache::default(),
            path: OnceLock::new(),
            until_ns,
        })
    }

    /// After an answer: releases a large preview, which would stay in memory because all of it was read.
    pub fn ease(&self) {
        if resident_bytes().is_some_and(|bytes| bytes > MOST_RESIDENT) {
            self.preview.forget(SMALL_PREVIEW);
        }
    }

    pub(crate) fn explained(&self, explanation: &Explanation) {
        self.ground.explained(explanation);
    }

    /// The meaning of ids.
    pub fn dimensions(&self) -> &Dimensions {
        &self.ground.dimensions
    }

    /// Call infos of each rank.
    pub fn call_info(&self) -> &[Vec<CallInfo>] {
        &self.ground.facts
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.dimensions().ranks.len()
    }

    /// Return of the last call, ns since the origin.
    pub fn until_ns(&self) -> u64 {
        self.until_ns
    }

    /// Start of the first available call of each rank.
    pub(crate) fn first_ns(&self) -> Result<Vec<u64>, StoreError> {
        let mut first: Vec<u64> = self.dimensions().ranks.iter().map(|r| r.rows_from_ns).collect();
        for (rank, start_ns) in self.rows.first_calls()? {
            if let Some(place) = first.get_mut(rank.0 as usize) {
                *place = start_ns;
            }
        }
        Ok(first)
    }

    /// Index of the host of a rank.
    pub fn host_of(&self, rank: u32) -> Option<usize> {
        self.ground.host_of.get(rank as usize).copied()
    }

    /// Names of hosts, in the order of their first rank.
    pub fn hosts(&self) -> &[String] {
        &self.ground.hosts
    }

    /// Time of an iteration.
    pub fn iteration_ns(&self, iteration: usize) -> Option<Range<u64>> {
        self.ground.iteration_ns(iteration)
    }

    /// Parses an order.
    ///
    /// # Errors
    ///
    /// If the text is invalid, the run has no such item, or the order needs the explanation, which does not exist yet.
    pub fn order(&self, text: &str) -> Result<Arc<Order>, ViewError> {
        self.ground.order(text, |region| self.region_ns(region))
    }

    /// Time of each rank in a region, including nested regions.
    fn region_ns(&self, region: u32) -> Result<Vec<u64>, ViewError> {
        if region as usize >= self.dimensions().regions.len() {
            return Err(ViewError::NotThere(format!("the run has no region {region}")));
        }
        let rows: Vec<RankGroup> = (0..self.ranks() as u32).map(|rank| RankGroup::from(rank..rank + 1)).collect();
        // One bin with the whole run.
        let bin_shift = (u64::BITS - self.until_ns.leading_zeros()).min(62) as u8;
        let window = Window { bin_shift, first_bin: 0, columns: 1, rows: &rows, layer: Layer::Regions };
        let cells = self.preview.cells(&window, &|| false)?;
        let of_rank = |rank: usize| {
            let entries = cells.offset[rank] as usize..cells.offset[rank + 1] as usize;
            entries.filter(|&at| u32::from(cells.function[at]) == region).map(|at| cells.time_ns[at]).sum::<u64>()
        };
        Ok((0..self.ranks()).map(of_rank).collect())
    }

    /// Time of the selected ranks in the selected window.
    pub(crate) fn rank_time_ns(&self, filter: &Filter) -> u64 {
        let window = filter.window_ns();
        let ranks = (0..self.ranks() as u32).filter(|&rank| filter.wants_rank(rank)).count() as u64;
        window.end.min(self.until_ns).saturating_sub(window.start).saturating_mul(ranks)
    }

    /// The part of the store that a filter needs.
    pub(crate) fn wanted(&self, filter: &Filter) -> Wanted {
        Wanted {
            time_ns: Some(filter.window_ns()),
            ranks: filter.ranks.as_ref().map(|ranks| ranks.iter().map(|&rank| RankId(rank)).collect()),
        }
    }

    /// The calls that a filter selects.
    pub(crate) fn selection<'a>(&'a self, filter: &'a Filter) -> Selection<'a> {
        let of_rank = |(rank, facts): (usize, &Vec<CallInfo>)| match filter.wants_rank(rank as u32) {
            true => facts.iter().map(|f| filter.by_facts(f)).collect(),
            false => Vec::new(),
        };
        Selection {
            filter,
            facts: self.call_info(),
            by_facts: self.call_info().iter().enumerate().map(of_rank).collect(),
        }
    }
}

/// A filter, with its result for each call info.
pub(crate) struct Selection<'a> {
    filter: &'a Filter,
    facts: &'a [Vec<CallInfo>],
    by_facts: Vec<Vec<ByFacts>>,
}

impl Selection<'_> {
    /// Whether the filter matches a call.
    pub fn wants(&self, calls: &CallColumns, at: usize) -> bool {
        self.wanted(calls, at).is_some()
    }

    /// The call info of a matching call; `None` if the filter does not match.
    pub fn wanted(&self, calls: &CallColumns, at: usize) -> Option<&CallInfo> {
        self.of_rank(calls.rank[at])?.wanted(calls, at)
    }

    /// The same for calls of one rank.
    pub fn of_rank(&self, rank: u32) -> Option<OfRank<'_>> {
        let (by_facts, facts) = (self.by_facts.get(rank as usize)?, self.facts.get(rank as usize)?);
        Some(OfRank { filter: self.filter, by_facts, facts })
    }
}

/// [`Selection`] of one rank.
#[derive(Clone, Copy)]
pub(crate) struct OfRank<'a> {
    filter: &'a Filter,
    by_facts: &'a [ByFacts],
    facts: &'a [CallInfo],
}

impl<'a> OfRank<'a> {
    /// The call info of a matching call; `None` if the filter does not match.
    #[inline]
    pub fn wanted(&self, calls: &CallColumns, at: usize) -> Option<&'a CallInfo> {
        let facts = calls.call_info[at] as usize;
        let by_facts = self.by_facts.get(facts)?;
        let is_thread = self.filter.thread.is_none_or(|thread| thread == calls.thread[at]);
        if *by_facts == ByFacts::No || !is_thread || !self.filter.wants_time(calls.start_ns[at], calls.end_ns[at]) {
            return None;
        }
        let is_wanted = match calls.detail(at) {
            None => *by_facts == ByFacts::Yes,
            Some(d) => {
                let bytes = d.bytes_sent.saturating_add(d.bytes_received);
                self.filter.wants_arguments([d.peer, d.peer2], [d.tag, d.tag2], bytes)
            }
        };
        if is_wanted { self.facts.get(facts) } else { None }
    }
}

/// `cancel` as the store expects it.
pub(crate) fn asking(cancel: &Cancel) -> impl Fn() -> bool + Sync + '_ {
    || cancel.is_cancelled()
}

/// Joins two parts of a fold that collects.
pub(super) fn joined<T>(mut a: Vec<T>, mut b: Vec<T>) -> Vec<T> {
    a.append(&mut b);
    a
}

/// Memory use of this process; `None` if the system does not report it.
fn resident_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib: usize =
        text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_known() {
        assert!(super::resident_bytes().is_some_and(|bytes| bytes > 1 << 20 && bytes < 1 << 40));
    }
}
