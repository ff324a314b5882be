//! The rows of each table, and how they are computed from the ranks' tallies.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::comms::{CommFacts, CommKey, CommNames};
use crate::exit_status::{Fate, InFlightCall};
use crate::hosts::{CpuPlace, Hosts, PeerClass};
use crate::run::Rank;
use crate::sites::{FrameRow, SiteTable};
use crate::size_bins::bin_range;
use crate::tally::{Measure, Tally};

/// A value and the rank it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Extreme<T = u64> {
    /// The value.
    pub value: T,
    /// World rank, −1 if unknown.
    pub rank: i32,
}

/// Smallest, mean and largest over ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread<T = u64> {
    /// Smallest; of equal ones the lowest rank.
    pub min: Extreme<T>,
    /// Mean, rounded down for integers.
    pub mean: T,
    /// Largest; of equal ones the lowest rank.
    pub max: Extreme<T>,
}

impl<T: Copy + PartialOrd> Spread<T> {
    fn extremes(values: &[(i32, T)]) -> Option<(Extreme<T>, Extreme<T>)> {
        let &(rank, value) = values.first()?;
        let first = Extreme { value, rank };
        let fold = |(min, max): (Extreme<T>, Extreme<T>), &(rank, value): &(i32, T)| {
            let one = Extreme { value, rank };
            (if value < min.value { one } else { min }, if value > max.value { one } else { max })
        };
        Some(values.iter().fold((first, first), fold))
    }
}

impl Spread<u64> {
    /// Over (rank, value); `None` without values.
    pub fn from_values(values: impl IntoIterator<Item = (i32, u64)>) -> Option<Spread> {
        let values: Vec<_> = values.into_iter().collect();
        let (min, max) = Self::extremes(&values)?;
        let sum: u128 = values.iter().map(|&(_, v)| u128::from(v)).sum();
        Some(Spread { min, mean: (sum / values.len() as u128) as u64, max })
    }
}

impl Spread<f64> {
    /// Over (rank, value); `None` without values.
    pub fn of_shares(values: impl IntoIterator<Item = (i32, f64)>) -> Option<Spread<f64>> {
        let values: Vec<_> = values.into_iter().collect();
        let (min, max) = Self::extremes(&values)?;
        Some(Spread { min, mean: values.iter().map(|&(_, v)| v).sum::<f64>() / values.len() as f64, max })
    }
}

/// One function.
#[derive(Clone, Debug, Serialize)]
pub struct CallRow {
    /// C name.
    pub call: String,
    /// Function id.
    pub id: u32,
    /// Probe groups, the best description first.
    pub groups: Vec<&'static str>,
    /// Sums over ranks.
    #[serde(flatten)]
    pub sum: Measure,
    /// Ranks that called it.
    pub ranks: u64,
    /// Calls of each rank.
    pub calls_by_rank: Spread,
    /// Time of each rank, ns.
    pub time_ns_by_rank: Spread,
    /// Payload of each rank.
    pub bytes_by_rank: Spread,
}

/// One size bin of one function.
#[derive(Clone, Debug, Serialize)]
pub struct SizeRow {
    /// C name.
    pub call: String,
    /// 0…31; `None` for calls whose individual sizes are unknown.
    pub bin: Option<u8>,
    /// Smallest size in the bin.
    pub from_bytes: Option<u64>,
    /// Largest size in the bin.
    pub to_bytes: Option<u64>,
    /// Sums over ranks.
    #[serde(flatten)]
    pub sum: Measure,
}

/// What one rank exchanged with another.
#[derive(Clone, Debug, Serialize)]
pub struct PeerRow {
    /// World rank.
    pub rank: i32,
    /// World rank of the peer.
    pub peer: i32,
    /// Whether both run on one host; `None` if a host is unknown.
    pub same_node: Option<bool>,
    /// How close their cores are.
    pub class: PeerClass,
    /// Hops between their nodes; `None` without a topology, or if it does not contain a node.
    pub hops: Option<u32>,
    /// Messages sent to the peer (one-sided ones included).
    pub messages_sent: u64,
    /// Their payload.
    pub bytes_sent: u64,
    /// Receives from the peer, by argument or status.
    pub messages_received: u64,
    /// Their payload.
    pub bytes_received: u64,
    /// Time of `rank` in calls with the peer as an argument, ns.
    pub time_ns: u64,
}

/// One function at one call site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteRow {
    /// C name.
    pub call: String,
    /// The function that called MPI, then its callers as far as recorded.
    pub frames: Vec<FrameRow>,
    /// Sums over ranks.
    #[serde(flatten)]
    pub sum: Measure,
    /// Ranks that called from there.
    pub ranks: u64,
    /// Time of each of those ranks, ns.
    pub time_ns_by_rank: Spread,
}

/// One communicator.
#[derive(Clone, Debug, Serialize)]
pub struct CommRow {
    /// Stable name of it in this run.
    pub id: String,
    /// Facts about it.
    #[serde(flatten)]
    pub facts: CommFacts,
    /// Sums over ranks of calls with it as an argument.
    #[serde(flatten)]
    pub sum: Measure,
    /// Ranks that used it.
    pub ranks: u64,
    /// Calls by function, by time.
    pub by_call: Vec<CommCall>,
}

/// One function on one communicator.
#[derive(Clone, Debug, Serialize)]
pub struct CommCall {
    /// C name.
    pub call: String,
    /// Sums over ranks.
    #[serde(flatten)]
    pub sum: Measure,
}

/// One process.
#[derive(Clone, Debug, Serialize)]
pub struct RankRow {
    /// World rank, −1 if it was not known yet.
    pub rank: i32,
    /// Host name, empty when unknown.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// Threads that called MPI.
    pub threads: u64,
    /// Cores it was allowed to use, such as `0-3,8`.
    pub cpus: Option<String>,
    /// Parts of its host with these cores.
    #[serde(flatten)]
    pub place: CpuPlace,
    /// Position in each Cartesian communicator: its label, coordinates.
    pub coordinates: Vec<(String, Vec<u32>)>,
    /// From start to end of the process, ns, if the end is known.
    pub wall_ns: Option<u64>,
    /// CPU time in user mode, ns.
    pub user_ns: Option<u64>,
    /// CPU time in the kernel, ns.
    pub system_ns: Option<u64>,
    /// Peak resident set.
    pub max_rss_bytes: Option<u64>,
    /// Time between initialization and finalization (or the last known moment), ns.
    pub inside_ns: u64,
    /// Time in MPI in that interval, including calls that did not return, summed over threads, ns.
    pub mpi_ns: u64,
    /// Share of `inside_ns` that the thread with the most MPI time spent in MPI, 0…1. Not the mean over threads, as their
    /// lifetimes are unknown. `None` if the end is unknown.
    pub mpi_share: Option<f64>,
    /// Sums over all calls.
    #[serde(flatten)]
    pub sum: Measure,
    /// Calls that returned an error.
    pub calls_failed: u64,
    /// Requests started.
    pub requests_started: u64,
    /// Requests completed.
    pub requests_completed: u64,
    /// How it ended.
    pub fate: Fate,
    /// Whether its recording was last known to be paused.
    pub paused: bool,
    /// Innermost open region of each thread that has one.
    pub regions: Vec<String>,
    /// Calls that have not returned, outermost first.
    pub in_flight: Vec<InFlightCall>,
}

fn spread_over(ranks: &[&Rank], value: impl Fn(&Tally) -> u64) -> Spread {
    Spread::from_values(ranks.iter().map(|r| (r.rank(), value(&r.tally)))).unwrap_or_default()
}

/// Sorts by time, then by name: a stable order for any input.
fn by_time<T>(rows: &mut [T], key: impl Fn(&T) -> (u64, u64, String)) {
    rows.sort_by_cached_key(|row| {
        let (time, calls, name) = key(row);
        (std::cmp::Reverse(time), std::cmp::Reverse(calls), name)
    });
}

/// A row for each function, by time.
pub fn calls(ranks: &[&Rank]) -> Vec<CallRow> {
    let mut sums: BTreeMap<u32, (Measure, u64)> = BTreeMap::new();
    for (id, measure) in ranks.iter().flat_map(|r| &r.tally.calls) {
        let (sum, ranks) = sums.entry(*id).or_default();
        sum.add(measure);
        *ranks += 1;
    }
    let of = |tally: &Tally, id: u32, value: fn(&Measure) -> u64| tally.calls.get(&id).map_or(0, value);
    let row = |(id, (sum, count)): (u32, (Measure, u64))| CallRow {
        call: mpiscope_abi::name(id).to_owned(),
        id,
        groups: mpiscope_abi::groups(id),
        sum,
        ranks: count,
        calls_by_rank: spread_over(ranks, |t| of(t, id, |m| m.calls)),
        time_ns_by_rank: spread_over(ranks, |t| of(t, id, |m| m.time_ns)),
        bytes_by_rank: spread_over(ranks, |t| of(t, id, |m| m.bytes)),
    };
    let mut rows: Vec<CallRow> = sums.into_iter().map(row).collect();
    by_time(&mut rows, |r| (r.sum.time_ns, r.sum.calls, r.call.clone()));
    rows
}

/// A row for each function and size bin; functions by name, bins ascending.
pub fn sizes(ranks: &[&Rank]) -> Vec<SizeRow> {
    let mut sums: BTreeMap<(&str, Option<u8>), Measure> = BTreeMap::new();
    for (&(id, bin), measure) in ranks.iter().flat_map(|r| &r.tally.sizes) {
        sums.entry((mpiscope_abi::name(id), bin)).or_default().add(measure);
    }
    let row = |((call, bin), sum): ((&str, Option<u8>), Measure)| {
        let range = bin.map(bin_range);
        SizeRow { call: call.to_owned(), bin, from_bytes: range.map(|r| r.0), to_bytes: range.map(|r| r.1), sum }
    };
    sums.into_iter().map(row).collect()
}

/// A row for each rank and peer.
pub fn peers(ranks: &[&Rank], all: &[Rank], hosts: &Hosts) -> Vec<PeerRow> {
    let places: BTreeMap<i32, (&str, CpuPlace)> = all.iter().map(|r| (r.rank(), (r.host(), hosts.place(r)))).collect();
    let nowhere = ("", CpuPlace::default());
    let mut rows = Vec::new();
    for rank in ranks {
        let own = hosts.place(rank);
        for (&peer, tally) in &rank.tally.peers {
            let (other, place) = places.get(&peer).unwrap_or(&nowhere);
            let known = !rank.host().is_empty() && !other.is_empty();
            let class = || PeerClass::between((rank.host(), &own), (other, place));
            rows.push(PeerRow {
                rank: rank.rank(),
                peer,
                same_node: known.then(|| rank.host() == *other),
                class: if peer == rank.rank() { PeerClass::Itself } else { class() },
                hops: None,
                messages_sent: tally.messages_sent,
                bytes_sent: tally.bytes_sent,
                messages_received: tally.messages_received,
                bytes_received: tally.bytes_received,
                time_ns: tally.time_ns,
            });
        }
    }
    rows
}

/// A row for each function and place, by time.
pub fn sites(ranks: &[&Rank], table: &SiteTable) -> Vec<SiteRow> {
    let mut sums: BTreeMap<(u32, usize), (Measure, BTreeMap<i32, u64>)> = BTreeMap::new();
    for (at, rank) in ranks.iter().enumerate() {
        for (&(function, site), measure) in &rank.tally.sites {
            let (sum, times) = sums.entry((function, table.place(at, site))).or_default();
            sum.add(measure);
            let time: &mut u64 = times.entry(rank.rank()).or_default();
            *time = time.saturating_add(measure.time_ns);
        }
    }
    let row = |((function, place), (sum, times)): ((u32, usize), (Measure, BTreeMap<i32, u64>))| SiteRow {
        call: mpiscope_abi::name(function).to_owned(),
        frames: table.places.get(place).map(|p| p.frames.clone()).unwrap_or_default(),
        sum,
        ranks: times.len() as u64,
        time_ns_by_rank: Spread::from_values(times).unwrap_or_default(),
    };
    let mut rows: Vec<SiteRow> = sums.into_iter().map(row).collect();
    by_time(&mut rows, |r| (r.sum.time_ns, r.sum.calls, format!("{}{:?}", r.call, r.frames)));
    rows
}

/// A row for each communicator in a call's arguments, by time.
pub fn comms(ranks: &[&Rank], names: &CommNames) -> Vec<CommRow> {
    let mut sums: BTreeMap<CommKey, (BTreeMap<u32, Measure>, u64)> = BTreeMap::new();
    for (at, rank) in ranks.iter().enumerate() {
        let mut seen: Vec<CommKey> = Vec::new();
        for (&(comm, function), measure) in &rank.tally.comms {
            let key = names.key(at, comm);
            let (by_call, count) = sums.entry(key).or_default();
            by_call.entry(function).or_default().add(measure);
            if !seen.contains(&key) {
                seen.push(key);
                *count += 1;
            }
        }
    }
    let row = |(key, (functions, ranks)): (CommKey, (BTreeMap<u32, Measure>, u64))| {
        let mut sum = Measure::default();
        functions.values().for_each(|m| sum.add(m));
        let mut by_call: Vec<CommCall> =
            functions.into_iter().map(|(id, sum)| CommCall { call: mpiscope_abi::name(id).to_owned(), sum }).collect();
        by_time(&mut by_call, |c| (c.sum.time_ns, c.sum.calls, c.call.clone()));
        let facts = names.facts.get(&key).cloned();
        let facts = facts.unwrap_or_else(|| CommFacts { label: names.label(key), ..CommFacts::default() });
        CommRow { id: key.id(), facts, sum, ranks, by_call }
    };
    let mut rows: Vec<CommRow> = sums.into_iter().map(row).collect();
    by_time(&mut rows, |r| (r.sum.time_ns, r.sum.calls, r.id.clone()));
    rows
}
