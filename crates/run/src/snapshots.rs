//! Statistics between two moments of the program: `mpiscope_clear` and `mpiscope_snapshot`.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_abi::spec::attribute;
use mpiscope_trace::defs::{Section, SectionRow};
use serde::Serialize;

use crate::defs::Defs;
use crate::regions::RegionCall;
use crate::run::Rank;
use crate::tables::Spread;
use crate::tally::Measure;

/// The calls until a snapshot, since the last clear before it.
#[derive(Clone, Debug, Serialize)]
pub struct SnapshotRow {
    /// Its region; empty for everything.
    pub region: String,
    /// 1 for the first snapshot of this region, and so on.
    pub number: u64,
    /// Ranks that took it.
    pub ranks: u64,
    /// When, after the first MPI call of each rank, ns.
    pub after_ns_by_rank: Spread,
    /// Sums over ranks. The shortest and longest call of a section are unknown: 0.
    pub mpi: Measure,
    /// Time in MPI on each rank, ns.
    pub mpi_ns_by_rank: Spread,
    /// Functions, by time.
    pub by_call: Vec<RegionCall>,
}

#[derive(Default)]
struct SnapshotSum {
    after: Vec<(i32, u64)>,
    time: Vec<(i32, u64)>,
    calls: BTreeMap<u32, Measure>,
    order: (u64, usize),
}

/// By function.
type Sums = BTreeMap<u32, SectionRow>;

/// A row for each snapshot, in the order in which they were taken.
pub fn snapshots(ranks: &[&Rank]) -> Vec<SnapshotRow> {
    let mut found: BTreeMap<(String, u64), SnapshotSum> = BTreeMap::new();
    for rank in ranks {
        let first_ns = rank.header.anchors[0].monotonic_ns;
        // The sums at the last clear of a region; without a name, of everything.
        let mut cleared: BTreeMap<&str, &Section> = BTreeMap::new();
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        for (at, section) in rank.defs.sections.iter().enumerate() {
            let name = section.name.as_str();
            if section.clear {
                if name.is_empty() {
                    cleared.clear();
                }
                cleared.insert(name, section);
                continue;
            }
            let number = numbers.entry(name).or_default();
            *number += 1;
            let begin = cleared.get(name).or_else(|| cleared.get("")).map(|s| sums(&rank.defs, s, name));
            let sum = found.entry((name.to_owned(), *number)).or_default();
            let after = rank.clock.ns(section.at).saturating_sub(first_ns);
            sum.order = sum.order.max((after, at));
            sum.after.push((rank.rank(), after));
            let mut time = 0u64;
            for (function, now) in sums(&rank.defs, section, name) {
                let before = begin.as_ref().and_then(|b| b.get(&function)).copied().unwrap_or_default();
                let measure = difference(rank, function, &now, &before);
                time = time.saturating_add(measure.time_ns);
                if measure.calls > 0 {
                    sum.calls.entry(function).or_default().add(&measure);
                }
            }
            sum.time.push((rank.rank(), time));
        }
    }
    let mut rows: Vec<((u64, usize), SnapshotRow)> =
        found.into_iter().map(|((region, number), sum)| (sum.order, row(region, number, sum))).collect();
    rows.sort_by_key(|(order, _)| *order);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Sums by function in a region called `name`, or in total.
fn sums(defs: &Defs, section: &Section, name: &str) -> Sums {
    let mut inside: BTreeMap<u32, bool> = BTreeMap::new();
    let mut sums = Sums::new();
    for row in &section.rows {
        let is_inside = name.is_empty() || *inside.entry(row.region).or_insert_with(|| lies_in(defs, row.region, name));
        if is_inside {
            let sum = sums.entry(row.function).or_default();
            sum.calls = sum.calls.saturating_add(row.calls);
            sum.ticks = sum.ticks.saturating_add(row.ticks);
            sum.bytes_out = sum.bytes_out.saturating_add(row.bytes_out);
            sum.bytes_in = sum.bytes_in.saturating_add(row.bytes_in);
        }
    }
    sums
}

/// Whether a region or one around it has a name.
fn lies_in(defs: &Defs, mut region: u32, name: &str) -> bool {
    // In a damaged file, regions may form a cycle.
    let mut seen = BTreeSet::new();
    while let Some(known) = defs.regions.get(&region).filter(|_| seen.insert(region)) {
        if known.name == name {
            return true;
        }
        region = known.parent;
    }
    false
}

fn difference(rank: &Rank, function: u32, now: &SectionRow, before: &SectionRow) -> Measure {
    // Creating a persistent request moves no data.
    let persistent = mpiscope_abi::function(function).is_some_and(|f| f.is(attribute::PERSISTENT));
    let moved = |now: u64, before: u64| if persistent { 0 } else { now.saturating_sub(before) };
    let (bytes_sent, bytes_received) = (moved(now.bytes_out, before.bytes_out), moved(now.bytes_in, before.bytes_in));
    Measure {
        calls: now.calls.saturating_sub(before.calls),
        time_ns: rank.clock.duration_ns(now.ticks.saturating_sub(before.ticks)),
        bytes: if bytes_sent > 0 { bytes_sent } else { bytes_received },
        bytes_sent,
        bytes_received,
        ..Measure::default()
    }
}

fn row(region: String, number: u64, sum: SnapshotSum) -> SnapshotRow {
    let mut mpi = Measure::default();
    sum.calls.values().for_each(|measure| mpi.add(measure));
    let mut by_call: Vec<RegionCall> =
        sum.calls.into_iter().map(|(id, sum)| RegionCall { call: mpiscope_abi::name(id).to_owned(), sum }).collect();
    by_call.sort_by(|a, b| (b.sum.time_ns, &a.call).cmp(&(a.sum.time_ns, &b.call)));
    SnapshotRow {
        region,
        number,
        ranks: sum.time.len() as u64,
        after_ns_by_rank: Spread::from_values(sum.after).unwrap_or_default(),
        mpi,
        mpi_ns_by_rank: Spread::from_values(sum.time).unwrap_or_default(),
        by_call,
    }
}
