//! What each host provided, and who used it.

use std::collections::BTreeMap;

use mpiscope_store::{CpuSample, Dimensions, HostCores, RankCores, RankRow};

use crate::explanation::machine::{HostUse, RankUse};

/// A set of processors, as stretches.
type Set = Vec<(u32, u32)>;

fn is_within(inner: &Set, outer: &Set) -> bool {
    inner.iter().all(|&(first, last)| outer.iter().any(|&(from, to)| from <= first && last <= to))
}

fn has(set: &Set, cpu: u32) -> bool {
    set.iter().any(|&(first, last)| (first..=last).contains(&cpu))
}

/// All hosts with ranks of which there are samples.
pub(super) fn measure(dimensions: &Dimensions, ranks: &[RankUse]) -> Vec<HostUse> {
    let mut by_host: BTreeMap<&str, Vec<&RankUse>> = BTreeMap::new();
    for rank in ranks {
        by_host.entry(&rank.host).or_default().push(rank);
    }
    by_host.into_iter().map(|(host, ranks)| one(dimensions, host, &ranks)).collect()
}

fn one(dimensions: &Dimensions, name: &str, ranks: &[&RankUse]) -> HostUse {
    let rows: Vec<&RankRow> =
        dimensions.ranks.iter().filter(|r| r.host == name && !r.cores.samples.is_empty()).collect();
    let sampled: f64 = ranks.iter().map(|r| r.sampled_ns as f64).sum();
    let mean_ns = sampled / ranks.len().max(1) as f64;
    let sum = |of: fn(&RankUse) -> u64| ranks.iter().map(|r| of(r) as f64).sum::<f64>();
    let sets: Vec<&Set> = rows.iter().map(|r| &r.cores.cpus).collect();
    let (tightest_ranks, tightest_cores) = tightest(&sets);
    let mut found = HostUse {
        host: name.to_owned(),
        ranks: ranks.len() as u64,
        cores_allowed: union(&sets),
        tightest_ranks,
        tightest_cores,
        wanted_cores: (sum(|r| r.cpu_ns) + sum(|r| r.run_queue_ns)) / mean_ns.max(1.0),
        obtained_cores: sum(|r| r.cpu_ns) / mean_ns.max(1.0),
        run_queue_share: sum(|r| r.main_run_queue_ns) / sampled.max(1.0),
        sampled_ns: mean_ns as u64,
        gives_way: rows.iter().any(|r| r.cores.gives_way),
        ..HostUse::default()
    };
    if let Some(host) = dimensions.hosts.iter().find(|host| host.host == name) {
        add_load(&mut found, host, &rows, &sets);
    }
    found
}

/// The processors that at least one rank may use.
fn union(sets: &[&Set]) -> u64 {
    let mut all: Set = sets.iter().flat_map(|set| set.iter().copied()).collect();
    all.sort_unstable();
    let (mut count, mut next) = (0, 0u64);
    for (first, last) in all {
        let from = u64::from(first).max(next);
        count += (u64::from(last) + 1).saturating_sub(from);
        next = next.max(u64::from(last) + 1);
    }
    count
}

/// The set of processors with the most ranks for each: ranks that may use nothing else, and its size.
fn tightest(sets: &[&Set]) -> (u64, u64) {
    let mut different: Vec<&Set> = sets.to_vec();
    different.sort_unstable();
    different.dedup();
    // Ranks bound one to one are many sets; which of them is looked at first does not matter then.
    let load = |set: &&Set| {
        let ranks = sets.iter().filter(|other| is_within(other, set)).count() as u64;
        (ranks, union(&[*set]).max(1))
    };
    let candidates = different.iter().filter(|set| !set.is_empty()).take(256).map(load);
    let all = (sets.len() as u64, union(sets).max(1));
    candidates.chain([all]).max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)).then(a.0.cmp(&b.0))).unwrap_or(all)
}

/// What the samples of the host itself show.
fn add_load(found: &mut HostUse, host: &HostCores, rows: &[&RankRow], sets: &[&Set]) {
    (found.quota_cores, found.host_cores) = (host.quota_cores, Some(host.cpus.len() as u64));
    let from_ns = rows.iter().map(|r| r.rows_from_ns).min().unwrap_or(0);
    let until_ns = rows.iter().map(|r| r.rows_until_ns).max().unwrap_or(0);
    let inside = host.samples.iter().filter(|s| s.from_ns >= from_ns && s.until_ns <= until_ns);
    let is_allowed: Vec<bool> = host.cpus.iter().map(|&cpu| sets.iter().any(|set| has(set, cpu))).collect();
    let allowed =
        |list: &[u64]| list.iter().zip(&is_allowed).filter(|(_, a)| **a).map(|(ns, _)| *ns as f64).sum::<f64>();
    let (mut elapsed, mut other, mut stolen) = (0u64, 0f64, 0f64);
    let (mut throttled, mut throttled_ns) = (0u64, 0u64);
    for sample in inside {
        let own: f64 = rows.iter().map(|r| run_between(&r.cores, sample.from_ns, sample.until_ns)).sum();
        elapsed += sample.until_ns.saturating_sub(sample.from_ns);
        // Not cut off at 0: what one stretch has too little, the next has too much.
        other += allowed(&sample.busy_ns) - own;
        stolen += allowed(&sample.stolen_ns);
        throttled = throttled.saturating_add(sample.throttled);
        throttled_ns = throttled_ns.saturating_add(sample.throttled_ns);
    }
    if elapsed > 0 {
        found.other_cores = Some((other / elapsed as f64).max(0.0));
        found.stolen_cores = Some(stolen / elapsed as f64);
        (found.throttled, found.throttled_ns) = (Some(throttled), Some(throttled_ns));
    }
    if host.has_frequency {
        let known = rows.iter().filter_map(|r| frequency(&r.cores, host));
        let ends = known.fold(None, |ends: Option<[f64; 2]>, mhz| {
            let [low, high] = ends.unwrap_or([mhz, mhz]);
            Some([low.min(mhz), high.max(mhz)])
        });
        found.mhz = ends;
    }
}

/// Processor time of a rank between two moments; between samples it is a straight line.
fn run_between(cores: &RankCores, from_ns: u64, until_ns: u64) -> f64 {
    let at = |ns: u64| -> f64 {
        let next = cores.samples.partition_point(|s| s.at_ns <= ns);
        let before = next.checked_sub(1).map(|at| &cores.samples[at]);
        match (before, cores.samples.get(next)) {
            (Some(a), Some(b)) => {
                let part = (ns - a.at_ns) as f64 / (b.at_ns - a.at_ns).max(1) as f64;
                a.run_ns as f64 + b.run_ns.saturating_sub(a.run_ns) as f64 * part
            }
            (Some(one), None) | (None, Some(one)) => one.run_ns as f64,
            (None, None) => 0.0,
        }
    };
    at(until_ns) - at(from_ns)
}

/// Frequency of the cores on which a rank ran, MHz, weighted with how long.
pub(super) fn frequency(cores: &RankCores, host: &HostCores) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    let mut add = |a: &CpuSample, b: &CpuSample| {
        let at = host.samples.partition_point(|s| s.until_ns < b.at_ns);
        let sample = host.samples.get(at).or(host.samples.last())?;
        let place = host.cpus.iter().position(|&cpu| Some(cpu) == b.cpu)?;
        let mhz = *sample.mhz.get(place).filter(|&&mhz| mhz > 0)?;
        let ran = b.main_run_ns.saturating_sub(a.main_run_ns) as f64;
        (sum, weight) = (sum + f64::from(mhz) * ran, weight + ran);
        Some(())
    };
    for pair in cores.samples.windows(2) {
        add(&pair[0], &pair[1]);
    }
    (weight > 0.0).then(|| sum / weight)
}
