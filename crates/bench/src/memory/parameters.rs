//! Rates and latencies of the levels of the memory, from the times by working set.

use std::collections::BTreeMap;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{Summary, summary};

use super::cores::of_series;
use super::levels::{Level, MEMORY, levels};
use super::{CHASE, EXPERIMENT, HUGE, PAGES};
use crate::journal::Measured;
use crate::processors::measured_at_once;

/// Times of one scope, by series and working set.
type Times<'a> = BTreeMap<(&'a str, u64), Summary>;

/// The loops of which every level has a parameter; the others only of memory.
pub(super) const EVERYWHERE: [&str; 3] = ["read", "copy", "triad"];
const ONLY_MEMORY: [&str; 2] = ["scale", "add"];

/// A number with its interval.
type Range = (f64, Option<(f64, f64)>);

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let caches = caches(measured);
    let sizes_of_caches: Vec<(u32, u64)> = caches.iter().map(|&(level, bytes, _)| (level, bytes)).collect();
    let sharing: Vec<u64> = caches.iter().map(|&(.., sharing)| sharing).collect();
    let (at_once, of_all) = measured_at_once(measured);
    let mut found = Vec::new();
    for scope in measured.scopes() {
        let times: Times = measured.times_of(scope).map(|(series, x, times)| ((series, x), summary(times))).collect();
        let (suffix, sharing, ranks, who) = match scope {
            Scope::All => ("_all", sharing.as_slice(), at_once, of_all.as_str()),
            _ => ("", [].as_slice(), 1.0, "one rank"),
        };
        let mut put = |id: String, unit: &str, (value, interval): Range, bytes: u64, text: String| {
            found.push(Parameter {
                experiment: EXPERIMENT.id.to_owned(),
                id,
                from_bytes: Some(bytes),
                to_bytes: Some(bytes),
                text,
                ..measured.parameter(scope, unit, value, interval)
            });
        };
        let of_loops = levels(&sizes_of_caches, sharing, &sizes(&times, "read"));
        let memory_bytes = of_loops.iter().find(|level| level.name == MEMORY).map(|level| level.bytes);
        for Level { name, bytes } in of_loops {
            let is_memory = name == MEMORY;
            for kernel in EVERYWHERE.iter().chain(ONLY_MEMORY.iter().filter(|_| is_memory)) {
                let text = format!("{kernel} of a working set in {name}, {who}");
                if let Some(time) = times.get(&(*kernel, bytes)) {
                    put(format!("{kernel}_{name}{suffix}"), "B/s", rate(bytes, ranks, time), bytes, text.clone());
                }
                if let Some(time) = times.get(&(format!("{kernel}{HUGE}").as_str(), bytes)).filter(|_| is_memory) {
                    let id = format!("{kernel}_{name}_huge{suffix}");
                    put(id, "B/s", rate(bytes, ranks, time), bytes, format!("{text}, huge pages"));
                }
            }
        }
        let few = times.iter().filter_map(|(&(series, bytes), time)| Some((of_series(series)?, bytes, time)));
        for ((kernel, cores), bytes, time) in few.filter(|&(_, bytes, _)| Some(bytes) == memory_bytes) {
            let text = format!("{kernel} of a working set in {MEMORY}, {cores} ranks of a host, each on its processor");
            put(format!("{kernel}_{MEMORY}_{cores}"), "B/s", rate(bytes, cores as f64, time), bytes, text);
        }
        for Level { name, bytes } in levels(&sizes_of_caches, sharing, &sizes(&times, CHASE)) {
            let text = format!("time of a load from {name} that depends on the one before");
            if let Some(time) = times.get(&(CHASE, bytes)) {
                put(format!("latency_{name}"), "ns", (time.median, time.interval), bytes, text.clone());
            }
            if let Some(time) = times.get(&(format!("{CHASE}{HUGE}").as_str(), bytes)).filter(|_| name == MEMORY) {
                let id = format!("latency_{name}_huge");
                put(id, "ns", (time.median, time.interval), bytes, format!("{text}, huge pages"));
            }
        }
        if let Some(walk) = page_walk(&times) {
            let text = "what a miss in the TLB adds to a load: 4 KiB pages against huge ones, the same lines";
            put("page_walk".into(), "ns", walk.cost, walk.largest, text.into());
            let text = "largest working set of 4 KiB pages in which it adds less than half of that";
            put("tlb_reach".into(), "B", (walk.reach as f64, None), walk.largest, text.into());
        }
    }
    found
}

/// Working sets of a series, the smallest first.
fn sizes(times: &Times, series: &str) -> Vec<u64> {
    times.keys().filter(|(of, _)| *of == series).map(|&(_, bytes)| bytes).collect()
}

/// Level, size and number of sharing ranks of each cache.
fn caches(measured: &Measured) -> Vec<(u32, u64, u64)> {
    let fact = |level: u32, what: &str| measured.fact(Scope::All, &format!("L{level}_{what}"));
    (1..=4).filter_map(|level| Some((level, fact(level, "bytes")? as u64, fact(level, "sharing")? as u64))).collect()
}

fn rate(bytes: u64, ranks: f64, time: &Summary) -> Range {
    let rate = |ns: f64| ranks * bytes as f64 / ns.max(1e-3) * 1e9;
    (rate(time.median), time.interval.map(|(low, high)| (rate(high), rate(low))))
}

/// What pages cost.
struct PageWalk {
    cost: Range,
    largest: u64,
    reach: u64,
}

fn page_walk(times: &Times) -> Option<PageWalk> {
    let huge = format!("{PAGES}{HUGE}");
    let both = |bytes: u64| Some((times.get(&(PAGES, bytes))?, times.get(&(huge.as_str(), bytes))?));
    let sizes = sizes(times, PAGES);
    let added = |bytes: u64| both(bytes).map(|(small, huge)| small.median - huge.median);
    let largest = *sizes.last()?;
    let (small, huge) = both(largest)?;
    let cost = added(largest)?;
    // The medians are independent: the ends of their intervals contain the difference with more than 95 %.
    let interval = small.interval.zip(huge.interval).map(|(small, huge)| (small.0 - huge.1, small.1 - huge.0));
    let reach =
        sizes.iter().copied().take_while(|&bytes| added(bytes).is_some_and(|added| added < cost / 2.0)).last()?;
    (cost > 0.0 && reach < largest).then_some(PageWalk { cost: (cost, interval), largest, reach })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of which one rank reads 100 GB/s from L1, 50 from L2, 20 from L3 and 10 from memory, and loads take 1, 4, 15 and
    /// 100 ns; page walks add 30 ns above 8 MiB.
    fn machine() -> Measured {
        let mut measured = Measured::default();
        let caches = [(1, 32 << 10, 1), (2, 512 << 10, 1), (3, 32 << 20, 2)];
        crate::processors::put(&mut measured, 2.0, 16.0);
        for (level, bytes, sharing) in caches {
            measured.facts.insert((Scope::All, format!("L{level}_bytes")), f64::from(bytes));
            measured.facts.insert((Scope::All, format!("L{level}_sharing")), f64::from(sharing));
        }
        let level = |bytes: u64| caches.iter().position(|&(_, size, _)| bytes < size as u64).unwrap_or(3);
        let mut put = |scope: Scope, series: &str, bytes: u64, ns: f64| {
            let times = (0..20).map(|at| ns * (1.0 + 0.001 * f64::from(at - 10))).collect();
            measured.times.insert((scope, series.to_owned(), bytes), times);
        };
        for bytes in super::super::levels::sizes(Some(32 << 20), usize::MAX).into_iter().map(|bytes| bytes as u64) {
            let ns = bytes as f64 / [100.0, 50.0, 20.0, 10.0][level(bytes)];
            for kernel in ["read", "copy", "scale", "add", "triad"] {
                put(Scope::Rank(0), kernel, bytes, ns);
                put(Scope::Rank(0), &format!("{kernel}-huge"), bytes, ns / 1.25);
                put(Scope::All, kernel, bytes, ns * if level(bytes) == 3 { 2.0 } else { 1.0 });
            }
            if bytes == 192 << 20 {
                put(Scope::All, "triad-4-cores", bytes, bytes as f64 / 3.0);
            }
            put(Scope::Rank(0), "chase", bytes, [1.0, 4.0, 15.0, 100.0][level(bytes)]);
            put(Scope::Rank(0), "pages-huge", bytes, 5.0);
            put(Scope::Rank(0), "pages", bytes, if bytes > 8 << 20 { 35.0 } else { 5.5 });
        }
        measured
    }

    #[test]
    fn the_levels_that_were_put_in_come_out() {
        let found = parameters(&machine());
        for (id, scope, value) in [
            ("read_L1", Scope::Rank(0), 100e9),
            ("triad_L2", Scope::Rank(0), 50e9),
            ("copy_L3", Scope::Rank(0), 20e9),
            ("add_memory", Scope::Rank(0), 10e9),
            ("scale_memory_huge", Scope::Rank(0), 12.5e9),
            ("read_L3_all", Scope::All, 40e9),
            ("triad_memory_all", Scope::All, 10e9),
            ("triad_memory_4", Scope::All, 12e9),
            ("latency_L1", Scope::Rank(0), 1.0),
            ("latency_memory", Scope::Rank(0), 100.0),
            ("page_walk", Scope::Rank(0), 30.0),
            ("tlb_reach", Scope::Rank(0), (6u64 << 20) as f64),
        ] {
            let of_id: Vec<&Parameter> = found.iter().filter(|p| p.id == id).collect();
            let [p] = of_id[..] else { panic!("{id}: {of_id:?}") };
            assert_eq!(p.scope, scope);
            assert!((p.value / value - 1.0).abs() < 0.01, "{p:?}");
            assert!(p.low.is_none_or(|low| low < p.value) && p.high.is_none_or(|high| p.value < high), "{p:?}");
        }
        assert!(found.iter().all(|p| p.id != "add_L1" && p.id != "read_L1_huge"));
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let mut measured = machine();
        // Neither huge pages, nor memory for more than the caches.
        measured.times.retain(|(_, series, bytes), _| !series.ends_with(HUGE) && *bytes < 32 << 20);
        let ids: Vec<String> = parameters(&measured).into_iter().map(|p| p.id).collect();
        assert!(ids.contains(&"read_L3".to_owned()), "{ids:?}");
        assert!(ids.iter().all(|id| !id.contains("memory") && !id.contains("huge") && id != "page_walk"), "{ids:?}");
        measured.times.clear();
        assert!(parameters(&measured).is_empty());
    }
}
