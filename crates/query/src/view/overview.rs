//! The facts of a run for the page: before any event is read, and after.

use std::collections::BTreeMap;

use mpiscope_analysis::Explanation;
use mpiscope_run::{Predicted, RankHead, RunHeader, Summary};
use mpiscope_store::{CallInfo, Dimensions, StoreError};
use serde::Serialize;

use super::OpenedRun;
use super::class::Class;
use super::grouping::{GridInfo, NetworkInfo};

/// A run in short. Names as in `docs/viewer/protocol.md`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunInfo {
    /// Version of this answer.
    pub schema: &'static str,
    /// Name of the run's directory.
    pub name: String,
    /// The whole window: all calls lie inside.
    pub from_ns: u64,
    /// See `from_ns`.
    pub until_ns: u64,
    /// Calls of all processes, including those whose rows are lost.
    pub calls: u64,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Name and version of the MPI; `None` if no process initialized it.
    pub mpi: Option<String>,
    /// The processes.
    pub ranks: Ranks,
    /// Their names, in the order of their first rank.
    pub hosts: Vec<String>,
    /// Functions that occur, in the order of their time.
    pub functions: Vec<FunctionInfo>,
    /// All classes, in the order of the page.
    pub classes: Vec<ClassInfo>,
    /// By id.
    pub communicators: Vec<CommInfo>,
    /// By id.
    pub sites: Vec<SiteInfo>,
    /// By id.
    pub regions: Vec<RegionInfo>,
    /// `None` if no main loop was found.
    pub iterations: Option<Iterations>,
    /// The process grid that the explanation found, if it has rows and columns.
    pub grid: Option<GridInfo>,
    /// The network that the user has described.
    pub network: Option<NetworkInfo>,
    /// Of a predicted run: from which run, under which changes, and how far it can be trusted.
    pub predicted: Option<String>,
    /// What restricts the results, one sentence each.
    pub caveats: Vec<String>,
    /// A sentence about the part that cannot be read.
    pub unreadable: Option<String>,
    /// Return addresses recorded per call; 1: only the caller.
    pub stack_depth: u32,
    /// Whether the program is still running: then this is the state when the run was opened.
    pub is_writing: bool,
}

/// Processes, column by column: the index is the rank in pictures.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ranks {
    /// Number of processes.
    pub count: usize,
    /// Rank in `MPI_COMM_WORLD` of each.
    pub world_rank: Vec<i32>,
    /// Index into `hosts`.
    pub host: Vec<usize>,
    /// Threads with calls of each.
    pub threads: Vec<u64>,
    /// Start of the first available call.
    pub first_ns: Vec<u64>,
    /// Start of the interval whose calls all have a row.
    pub rows_from_ns: Vec<u64>,
    /// End of the interval whose calls all have a row.
    pub rows_until_ns: Vec<u64>,
    /// Calls of each without a row.
    pub calls_lost: Vec<u64>,
    /// Those of them that cannot be read.
    pub calls_unreadable: Vec<u64>,
}

/// A function and all of its calls, including those whose rows are lost.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionInfo {
    /// The function's id.
    pub id: u32,
    /// Such as `MPI_Send`.
    pub name: String,
    /// Id of its class, see [`Class`].
    pub class: &'static str,
    /// Number of calls.
    pub calls: u64,
    /// From entry to return.
    pub time_ns: u64,
    /// The same without nested MPI calls (callbacks).
    pub exclusive_ns: u64,
    /// Payload, sent and received together.
    pub bytes: u64,
}

/// A class of functions.
#[derive(Clone, Debug, Serialize)]
pub struct ClassInfo {
    /// As in `class` of functions.
    pub id: &'static str,
    /// The class's title.
    pub name: &'static str,
}

/// A communicator.
#[derive(Clone, Debug, Serialize)]
pub struct CommInfo {
    /// As in the columns of calls.
    pub id: usize,
    /// As the program or the MPI named it.
    pub name: String,
    /// Number of members.
    pub size: usize,
}

/// A call site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteInfo {
    /// As in the columns of calls.
    pub id: usize,
    /// The innermost frame, for people.
    pub text: String,
}

/// A region of the program.
#[derive(Clone, Debug, Serialize)]
pub struct RegionInfo {
    /// As in the columns of calls.
    pub id: usize,
    /// The name without those of its parents.
    pub name: String,
    /// Id of the region around it; `None` for an outermost one.
    pub parent: Option<u32>,
}

/// Iterations of the main loop.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Iterations {
    /// Their number; the arrays have the first few thousand.
    pub count: u64,
    /// Start of each, ns since the origin of the run.
    pub from_ns: Vec<u64>,
    /// End of each.
    pub until_ns: Vec<u64>,
    /// All of them, grouped where the arrays do not contain all.
    pub windows: Option<IterationWindows>,
    /// The parts of an iteration, in order of time.
    pub phases: Vec<PhaseInfo>,
}

/// Neighbouring iterations: within a window they are taken as equally long.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IterationWindows {
    /// The first iteration of each, and its start, ascending.
    pub first: Vec<u64>,
    /// See `first`.
    pub from_ns: Vec<u64>,
    /// The end of the last.
    pub until_ns: u64,
}

/// A part of an iteration: its start and end, as shares of it.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseInfo {
    /// Derived from its calls.
    pub name: String,
    /// Start: 0 is that of the iteration.
    pub from: f64,
    /// End: 1 is that of the iteration.
    pub until: f64,
}

/// The name of a run wherever it is shown: a predicted one must not look like a recorded one.
fn shown(name: String, predicted: Option<&Predicted>) -> String {
    if predicted.is_some() { format!("{name} (predicted)") } else { name }
}

pub(crate) const SCHEMA: &str = "mpiscope.view/1";

impl RunInfo {
    /// Facts that need no events.
    pub(crate) fn of_summary(name: String, summary: &Summary, is_writing: bool) -> RunInfo {
        let o = &summary.overview;
        let mut info = RunInfo {
            schema: SCHEMA,
            name: shown(name, o.predicted.as_ref()),
            from_ns: 0,
            until_ns: o.wall_ns.as_ref().map_or(0, |wall| wall.max.value),
            calls: o.calls,
            command: o.program.clone(),
            mpi: (!o.mpi.is_empty()).then(|| first_line(&o.mpi)),
            classes: classes(),
            predicted: o.predicted.as_ref().map(Predicted::text),
            caveats: summary.diagnostics.iter().map(|d| d.text.clone()).collect(),
            is_writing,
            ..RunInfo::default()
        };
        let function = |row: &mpiscope_run::CallRow| FunctionInfo {
            id: row.id,
            name: row.call.clone(),
            class: Class::of_function(row.id).id(),
            calls: row.sum.calls,
            time_ns: row.sum.time_ns,
            exclusive_ns: row.sum.time_ns,
            bytes: row.sum.bytes,
        };
        info.functions = summary.calls.iter().map(function).collect();
        info.functions.sort_by_key(|f| (std::cmp::Reverse(f.time_ns), f.id));
        for rank in &summary.ranks {
            info.ranks.world_rank.push(rank.rank);
            info.ranks.threads.push(rank.threads);
        }
        (info.ranks.host, info.hosts) = super::run_context::hosts(summary.ranks.iter().map(|rank| rank.host.as_str()));
        info.ranks.count = summary.ranks.len();
        info
    }

    /// Facts that are known before any rank file is read.
    pub(crate) fn of_glance(name: String, glance: &RunHeader) -> RunInfo {
        let manifest = &glance.manifest;
        RunInfo {
            schema: SCHEMA,
            name: shown(name, manifest.predicted.as_ref()),
            predicted: manifest.predicted.as_ref().map(Predicted::text),
            command: manifest.program.clone(),
            mpi: manifest.mpi.as_ref().map(|mpi| first_line(&mpi.version)).filter(|text| !text.is_empty()),
            classes: classes(),
            is_writing: glance.is_writing(),
            ..RunInfo::default()
        }
    }

    /// Adds the first pages of its rank files.
    pub(crate) fn add_heads(&mut self, heads: &[RankHead]) {
        self.until_ns = heads.iter().map(|head| head.wall_ns).max().unwrap_or(0);
        self.add_stack_depths(heads.iter().map(|head| head.stack_depth));
        let (host, hosts) = super::run_context::hosts(heads.iter().map(RankHead::host));
        let world_rank = heads.iter().map(|head| head.rank).collect();
        let ranks = Ranks { count: heads.len(), world_rank, host, threads: vec![1; heads.len()], ..Ranks::default() };
        (self.ranks, self.hosts) = (ranks, hosts);
    }

    /// The largest recorded stack depth of the ranks.
    pub(crate) fn add_stack_depths(&mut self, depths: impl Iterator<Item = u32>) {
        self.stack_depth = depths.max().unwrap_or(0).max(1);
    }

    /// Adds the facts of a run with a store. They include all calls, also those whose rows are lost, but no sizes that differ
    /// from call to call.
    pub(crate) fn add_scene(&mut self, scene: &OpenedRun) -> Result<(), StoreError> {
        self.add_dimensions_of(scene)?;
        let mut sums: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
        // Starts of regions and similar records are not calls.
        let is_call = |facts: &&CallInfo| facts.calls > 0 && mpiscope_abi::function(facts.function).is_some();
        for facts in scene.call_info().iter().flatten().filter(is_call) {
            let each_bytes = if facts.bytes_sent > 0 { facts.bytes_sent } else { facts.bytes_received };
            let (calls, time_ns, bytes) = sums.entry(facts.function).or_default();
            *calls = calls.saturating_add(facts.calls);
            *time_ns = time_ns.saturating_add(facts.time_ns);
            *bytes = bytes.saturating_add(facts.calls.saturating_mul(each_bytes));
        }
        let function = |(id, (calls, time_ns, bytes))| FunctionInfo {
            id,
            name: mpiscope_abi::name(id).to_owned(),
            class: Class::of_function(id).id(),
            calls,
            time_ns,
            exclusive_ns: time_ns,
            bytes,
        };
        self.functions = sums.into_iter().map(function).collect();
        self.functions.sort_by_key(|f| (std::cmp::Reverse(f.time_ns), f.id));
        self.calls = self.functions.iter().map(|f| f.calls).sum();
        Ok(())
    }

    /// Adds the store's dimensions.
    pub(crate) fn add_dimensions_of(&mut self, scene: &OpenedRun) -> Result<(), StoreError> {
        self.add_dimensions(scene.dimensions(), scene.first_ns()?, scene.until_ns());
        Ok(())
    }

    fn add_dimensions(&mut self, dimensions: &Dimensions, first_ns: Vec<u64>, until_ns: u64) {
        let threads = std::mem::take(&mut self.ranks.threads);
        let known = threads.len() == dimensions.ranks.len();
        let mut ranks = Ranks { count: dimensions.ranks.len(), first_ns, ..Ranks::default() };
        (ranks.host, self.hosts) = super::run_context::hosts_of(dimensions);
        for row in &dimensions.ranks {
            ranks.world_rank.push(row.world_rank);
            ranks.rows_from_ns.push(row.rows_from_ns);
            ranks.rows_until_ns.push(row.rows_until_ns);
            ranks.calls_lost.push(row.rows_lost);
            ranks.calls_unreadable.push(row.unreadable.map_or(0, |gap| gap.events));
        }
        self.unreadable = mpiscope_analysis::unreadable_text(&mpiscope_analysis::unreadable(dimensions));
        ranks.threads = if known { threads } else { vec![1; ranks.count] };
        self.ranks = ranks;
        self.until_ns = until_ns;
        let comm = |(id, row): (usize, &mpiscope_store::CommRow)| CommInfo {
            id,
            name: row.label.clone(),
            size: row.members.len(),
        };
        self.communicators = dimensions.comms.iter().enumerate().map(comm).collect();
        let site = |(id, row): (usize, &mpiscope_store::SiteRow)| SiteInfo { id, text: row.text.clone() };
        self.sites = dimensions.sites.iter().enumerate().map(site).collect();
        let region = |(id, row): (usize, &mpiscope_store::RegionRow)| RegionInfo {
            id,
            name: row.name.clone(),
            parent: row.parent,
        };
        self.regions = dimensions.regions.iter().enumerate().map(region).collect();
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

fn classes() -> Vec<ClassInfo> {
    Class::ALL.map(|class| ClassInfo { id: class.id(), name: class.name() }).into()
}

impl Iterations {
    pub(crate) fn from_explanation(explanation: &Explanation) -> Option<Iterations> {
        let main = explanation.iterations.as_ref()?;
        let turns = main.starts_ns.iter().map(Vec::len).max().unwrap_or(0).min(main.count as usize);
        let start = |turn: usize| main.starts_ns.iter().filter_map(|starts| starts.get(turn)).min().copied();
        let mut found = Iterations { count: main.count, ..Iterations::default() };
        for turn in 0..turns {
            let from = start(turn).unwrap_or(0);
            found.from_ns.push(from);
            found.until_ns.push(start(turn + 1).unwrap_or(from.saturating_add(main.period_ns)).max(from));
        }
        let efficiency = explanation.efficiency.as_ref().and_then(|e| e.iterations.as_ref());
        if let Some(windows) = efficiency.map(|e| &e.windows).filter(|_| (turns as u64) < main.count) {
            let mut last_ns = 0;
            let ascending = |&ns: &u64| {
                last_ns = ns.max(last_ns);
                last_ns
            };
            found.windows = Some(IterationWindows {
                first: windows.first.clone(),
                from_ns: windows.start_ns.iter().map(ascending).collect(),
                until_ns: windows.end_ns.iter().max().copied().unwrap_or(0),
            });
        }
        let mut at = 0.0;
        for phase in &explanation.phases {
            let until = (at + phase.share).min(1.0);
            found.phases.push(PhaseInfo { name: phase.name.clone(), from: at, until });
            at = until;
        }
        (!found.from_ns.is_empty()).then_some(found)
    }

    /// Start of an iteration; at `count`, the end of the last one. Exact for those in the arrays.
    fn begin_ns(&self, iteration: u64) -> Option<u64> {
        if let Some(&from) = self.from_ns.get(iteration as usize) {
            return Some(from);
        }
        let Some(windows) = &self.windows else {
            return (iteration == self.from_ns.len() as u64).then(|| self.until_ns.last().copied()).flatten();
        };
        let at = windows.first.partition_point(|&first| first <= iteration).checked_sub(1)?;
        let (first, from) = (windows.first[at], *windows.from_ns.get(at)?);
        let next = windows.first.get(at + 1).copied().unwrap_or(self.count).max(first + 1);
        let until = windows.from_ns.get(at + 1).copied().unwrap_or(windows.until_ns).max(from);
        let part =
            u128::from(until - from) * u128::from((iteration - first).min(next - first)) / u128::from(next - first);
        Some((from + part as u64).max(self.from_ns.last().copied().unwrap_or(0)))
    }

    /// The time of an iteration.
    pub(crate) fn ns(&self, iteration: usize) -> Option<std::ops::Range<u64>> {
        match self.until_ns.get(iteration) {
            Some(&until) => Some(self.from_ns[iteration]..until),
            None if (iteration as u64) < self.count => {
                let from = self.begin_ns(iteration as u64)?;
                Some(from..self.begin_ns(iteration as u64 + 1)?.max(from))
            }
            None => None,
        }
    }

    /// The iteration at a moment.
    pub(crate) fn at(&self, ns: u64) -> Option<usize> {
        let is_kept = self.windows.is_none() || self.until_ns.last().is_some_and(|&until| ns < until);
        let at = if is_kept {
            self.from_ns.partition_point(|&from| from <= ns).checked_sub(1)?
        } else {
            // Starts ascend: binary search.
            let (mut low, mut high) = (self.from_ns.len().saturating_sub(1) as u64, self.count);
            while low + 1 < high {
                let middle = low + (high - low) / 2;
                if self.begin_ns(middle).is_some_and(|begin| begin <= ns) { low = middle } else { high = middle }
            }
            low as usize
        };
        self.ns(at)?.contains(&ns).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_iterations_are_somewhere() {
        let found = Iterations {
            count: 100,
            from_ns: (0..10).map(|i| 1000 + 10 * i).collect(),
            until_ns: (0..10).map(|i| 1010 + 10 * i).collect(),
            windows: Some(IterationWindows { first: vec![0, 32, 64], from_ns: vec![1000, 1320, 1700], until_ns: 2060 }),
            phases: Vec::new(),
        };
        assert_eq!((found.ns(3), found.ns(9), found.ns(10)), (Some(1030..1040), Some(1090..1100), Some(1100..1110)));
        assert_eq!((found.ns(64), found.ns(99), found.ns(100)), (Some(1700..1710), Some(2050..2060), None));
        for iteration in 0..100 {
            let ns = found.ns(iteration).unwrap();
            assert_eq!((found.at(ns.start), found.at(ns.end - 1)), (Some(iteration), Some(iteration)), "{iteration}");
        }
        assert_eq!((found.at(999), found.at(2060)), (None, None));
    }
}
