//! Annotations of the program: regions with the MPI inside them, markers and values.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_trace::annotation::{self, MARKER, REGION, VALUE_F64, VALUE_I64, source};
use mpiscope_trace::layout::MAX_REGIONS;
use mpiscope_trace::reader::{ThreadView, TickClock};
use serde::Serialize;

use crate::call_stats::Cell;
use crate::defs::Defs;
use crate::run::Rank;
use crate::tables::Spread;
use crate::tally::Measure;

/// One region, a path in the tree of regions, over all ranks.
#[derive(Clone, Debug, Serialize)]
pub struct RegionRow {
    /// Names from the outermost region to this one, joined by ` / `. Calls outside of all regions are in a row `(outside)`.
    pub region: String,
    /// Its own name.
    pub name: String,
    /// Number of enclosing regions.
    pub depth: u64,
    /// Source of the annotation: `mpiscope`, `nvtx`, `kokkos`, `caliper`, `pcontrol`.
    pub source: &'static str,
    /// Number of passes, over all ranks and threads.
    pub count: u64,
    /// Their durations, ns.
    pub time_ns: u64,
    /// Shortest, ns.
    pub min_ns: u64,
    /// Longest, ns.
    pub max_ns: u64,
    /// Duration on each rank that was in it, ns.
    pub time_ns_by_rank: Spread,
    /// MPI inside it, including nested regions.
    pub mpi: Measure,
    /// Time in that MPI on each rank that was in it, ns.
    pub mpi_ns_by_rank: Spread,
    /// Ranks that were in it.
    pub ranks: u64,
    /// Threads that were in it when their recording ended.
    pub open: u64,
    /// MPI functions inside it, by time, including nested regions.
    pub by_call: Vec<RegionCall>,
}

/// One function in one region.
#[derive(Clone, Debug, Serialize)]
pub struct RegionCall {
    /// C name.
    pub call: String,
    /// Sums over ranks.
    #[serde(flatten)]
    pub sum: Measure,
}

/// Markers or values of one name.
#[derive(Clone, Debug, Serialize)]
pub struct LabelRow {
    /// Its name.
    pub name: String,
    /// Its unit; empty for markers and texts.
    pub unit: String,
    /// `marker`, `integer`, `double` or `text`.
    pub kind: &'static str,
    /// Number of occurrences, over all ranks.
    pub count: u64,
    /// Ranks that had it.
    pub ranks: u64,
}

/// Statistics of one rank in one region, without nested regions.
#[derive(Clone, Debug, Default)]
pub struct RegionTally {
    /// Number of passes.
    pub runs: Measure,
    /// MPI by function.
    pub calls: BTreeMap<u32, Measure>,
    /// Threads that are still in it.
    pub open: u64,
}

/// Regions, markers and values of one rank, by local id.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// By region; 0 is outside of all.
    pub regions: BTreeMap<u32, RegionTally>,
    /// By function and label.
    pub labels: BTreeMap<(u32, u32), u64>,
}

impl Regions {
    /// Adds the statistics of one thread.
    pub fn add_thread(&mut self, thread: &ThreadView, cells: &[Cell], clock: &TickClock) {
        for cell in cells {
            let region = self.regions.entry(cell.region).or_default();
            region.calls.entry(cell.function).or_default().add_cell(cell);
        }
        for open in &thread.open_regions {
            self.regions.entry(open.region).or_default().open += 1;
        }
        for shape in thread.shapes.iter().filter(|s| annotation::is_annotation(s.function) && s.calls > 0) {
            if shape.function != REGION {
                let count = self.labels.entry((shape.function, shape.op)).or_default();
                *count = count.saturating_add(shape.calls);
                continue;
            }
            self.regions.entry(shape.region).or_default().runs.add(&Measure {
                calls: shape.calls,
                time_ns: clock.duration_ns(shape.ticks),
                min_call_ns: clock.duration_ns(if shape.min_ticks == u64::MAX { 0 } else { shape.min_ticks }),
                max_call_ns: clock.duration_ns(shape.max_ticks),
                ..Measure::default()
            });
        }
    }
}

/// Names from the outermost region to `id`, and the source.
fn path(defs: &Defs, id: u32) -> (Vec<&str>, u32) {
    let mut names = Vec::new();
    let mut at = id;
    // In a damaged file, regions may form a cycle.
    while at != 0 && names.len() <= MAX_REGIONS {
        let Some(region) = defs.regions.get(&at) else {
            names.push("(unknown)");
            break;
        };
        names.push(&region.name);
        at = region.parent;
    }
    names.reverse();
    (names, defs.regions.get(&id).map_or(u32::MAX, |r| r.source))
}

/// A region as text: its names from the outermost on.
pub fn name(defs: &Defs, id: u32) -> String {
    path(defs, id).0.join(SEPARATOR)
}

/// Separator of the names of a path.
const SEPARATOR: &str = " / ";

#[derive(Default)]
struct RegionSum<'a> {
    source: u32,
    runs: Measure,
    calls: BTreeMap<u32, Measure>,
    by_rank: BTreeMap<i32, (u64, u64)>,
    ranks: BTreeSet<i32>,
    open: u64,
    names: Vec<&'a str>,
}

/// A row for each region: children after their parent, the longest first. Empty without regions.
pub fn regions(ranks: &[&Rank]) -> Vec<RegionRow> {
    let mut sums: BTreeMap<Vec<&str>, RegionSum<'_>> = BTreeMap::new();
    if ranks.iter().all(|r| r.defs.regions.is_empty()) {
        return Vec::new();
    }
    for rank in ranks {
        for (&id, tally) in &rank.tally.regions.regions {
            let (names, source) = path(&rank.defs, id);
            for depth in 1..=names.len() {
                let sum = sums.entry(names[..depth].to_vec()).or_default();
                sum.names = names[..depth].to_vec();
                add(sum, rank.rank(), tally, depth == names.len(), source);
            }
            if names.is_empty() {
                let outside = sums.entry(vec![OUTSIDE]).or_default();
                outside.names = vec![OUTSIDE];
                add(outside, rank.rank(), tally, true, u32::MAX);
            }
        }
    }
    sums.retain(|_, s| s.runs.calls > 0 || s.open > 0 || !s.calls.is_empty());
    let mut rows = Vec::with_capacity(sums.len());
    descend(&sums, &[], &mut rows);
    rows
}

/// Name of the row for calls outside of all regions.
const OUTSIDE: &str = "(outside)";

fn add(sum: &mut RegionSum<'_>, rank: i32, tally: &RegionTally, itself: bool, source: u32) {
    let by_rank = sum.by_rank.entry(rank).or_default();
    for (&function, measure) in &tally.calls {
        sum.calls.entry(function).or_default().add(measure);
        by_rank.1 = by_rank.1.saturating_add(measure.time_ns);
    }
    sum.ranks.insert(rank);
    if itself {
        sum.source = source;
        sum.runs.add(&tally.runs);
        sum.open += tally.open;
        by_rank.0 = by_rank.0.saturating_add(tally.runs.time_ns);
    }
}

fn descend(sums: &BTreeMap<Vec<&str>, RegionSum<'_>>, parent: &[&str], rows: &mut Vec<RegionRow>) {
    let inside = sums.range(parent.to_vec()..).take_while(|(path, _)| path.starts_with(parent));
    let mut children: Vec<&RegionSum<'_>> =
        inside.filter(|(path, _)| path.len() == parent.len() + 1).map(|(_, sum)| sum).collect();
    children.sort_by_key(|s| (s.names[parent.len()] == OUTSIDE, std::cmp::Reverse(s.runs.time_ns), s.names.clone()));
    for sum in children {
        rows.push(row(sum));
        descend(sums, &sum.names, rows);
    }
}

fn row(sum: &RegionSum<'_>) -> RegionRow {
    let spread =
        |value: fn(&(u64, u64)) -> u64| Spread::from_values(sum.by_rank.iter().map(|(&rank, v)| (rank, value(v))));
    let mut mpi = Measure::default();
    sum.calls.values().for_each(|measure| mpi.add(measure));
    let mut by_call: Vec<RegionCall> = sum
        .calls
        .iter()
        .map(|(&id, sum)| RegionCall { call: mpiscope_abi::name(id).to_owned(), sum: sum.clone() })
        .collect();
    by_call.sort_by(|a, b| (b.sum.time_ns, &a.call).cmp(&(a.sum.time_ns, &b.call)));
    RegionRow {
        region: sum.names.join(SEPARATOR),
        name: sum.names.last().copied().unwrap_or_default().to_owned(),
        depth: sum.names.len().saturating_sub(1) as u64,
        source: if sum.names == [OUTSIDE] { "" } else { source::name(sum.source) },
        count: sum.runs.calls,
        time_ns: sum.runs.time_ns,
        min_ns: sum.runs.min_call_ns,
        max_ns: sum.runs.max_call_ns,
        time_ns_by_rank: spread(|v| v.0).unwrap_or_default(),
        mpi,
        mpi_ns_by_rank: spread(|v| v.1).unwrap_or_default(),
        ranks: sum.ranks.len() as u64,
        open: sum.open,
        by_call,
    }
}

/// A row for each marker and value, by name.
pub fn labels(ranks: &[&Rank]) -> Vec<LabelRow> {
    let mut sums: BTreeMap<(&str, &str, u32), (u64, BTreeSet<i32>)> = BTreeMap::new();
    for rank in ranks {
        for (&(function, label), &count) in &rank.tally.regions.labels {
            let (name, unit) =
                rank.defs.labels.get(&label).map_or(("(unknown)", ""), |(name, unit)| (name.as_str(), unit.as_str()));
            let sum = sums.entry((name, unit, function)).or_default();
            sum.0 = sum.0.saturating_add(count);
            sum.1.insert(rank.rank());
        }
    }
    let kind = |function| match function {
        MARKER => "marker",
        VALUE_I64 => "integer",
        VALUE_F64 => "double",
        _ => "text",
    };
    sums.into_iter()
        .map(|((name, unit, function), (count, ranks))| LabelRow {
            name: name.to_owned(),
            unit: unit.to_owned(),
            kind: kind(function),
            count,
            ranks: ranks.len() as u64,
        })
        .collect()
}
