//! Findings from sums of waits.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use mpiscope_store::{CallInfo, Dimensions, RankId};
use mpiscope_units::{percent, ranks_text, time};

use super::places::Places;
use super::profile::{Key, Profile, WaitSum};
use super::rules::{rule, texts};
use super::settings;
use crate::explanation::{Confidence, Finding, Proof, Remedy, Scope, Value, WaitKind, capital, share_of};

/// At most this many ranks and places are named.
const NAMED: usize = 8;
/// A rank that causes this much of a kind's waits is named in the title, …
const DOMINANT: f64 = 0.5;
/// … unless the next one causes this part of what it causes.
const ALIKE: f64 = 0.5;
/// Share of the rank time from which completion is reported: with more ranks than cores, some of it is always there.
const LEAST_COMPLETION: f64 = 0.03;

/// Whether this is time after the last rank has entered, which also includes the transfer and the wake-up of ranks.
fn is_completion(kind: WaitKind) -> bool {
    matches!(kind, WaitKind::BarrierCompletion | WaitKind::NxnCompletion)
}

/// One finding for each kind that costs enough.
pub(super) fn findings(
    profile: &Profile,
    places: &Places,
    dimensions: &Dimensions,
    facts: &[Vec<CallInfo>],
    scope: &Scope,
) -> Vec<Finding> {
    let by_kind = |kind: WaitKind| {
        let sums: Vec<(&Key, &WaitSum)> = profile.waited().filter(|(k, _)| k.kind == kind).collect();
        let cost_ns: u64 = sums.iter().map(|(_, s)| s.ns).sum();
        let least_ns = if is_completion(kind) { share_of(scope, LEAST_COMPLETION) } else { scope.threshold_ns() };
        let enough = cost_ns > 0 && cost_ns >= least_ns;
        enough.then(|| {
            let mut found = finding(kind, cost_ns, &sums, profile, places, dimensions, scope);
            if kind == WaitKind::LateReceiver {
                settings::advise(&mut found, facts, dimensions);
            }
            found
        })
    };
    WaitKind::ALL.into_iter().filter_map(by_kind).collect()
}

/// Sums by a part of the key, the largest first.
fn by<T: Ord + Hash + Clone>(sums: &[(&Key, &WaitSum)], part: impl Fn(&Key) -> Option<T>) -> Vec<(T, u64)> {
    let mut found: HashMap<T, u64> = HashMap::new();
    for (key, sum) in sums {
        if let Some(part) = part(key) {
            *found.entry(part).or_default() += sum.ns;
        }
    }
    let mut list: Vec<(T, u64)> = found.into_iter().collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    list
}

fn names<T: Clone>(list: &[(T, u64)]) -> Vec<T> {
    list.iter().take(NAMED).map(|(name, _)| name.clone()).collect()
}

/// The ranks that account for at least 80 % of the cost, the most expensive first.
fn most(list: &[(RankId, u64)], dimensions: &Dimensions) -> Vec<i32> {
    let total: u64 = list.iter().map(|(_, ns)| ns).sum();
    let mut sum = 0;
    let until = |(_, ns): &&(RankId, u64)| {
        let more = sum * 5 < total * 4;
        sum += ns;
        more
    };
    list.iter().take_while(until).map(|(rank, _)| dimensions.rank(*rank)).collect()
}

fn finding(
    kind: WaitKind,
    cost_ns: u64,
    sums: &[(&Key, &WaitSum)],
    profile: &Profile,
    places: &Places,
    dimensions: &Dimensions,
    scope: &Scope,
) -> Finding {
    let waiters = by(sums, |k| Some(k.rank));
    let caused: Vec<(&Key, &WaitSum)> = profile.caused().filter(|(k, _)| k.kind == kind).collect();
    let causes = by(&caused, |k| Some(k.cause));
    let functions = by(sums, |k| Some(places.get(k.place).function()));
    let sites = by(sums, |k| places.get(k.place).site(dimensions));
    let regions = by(sums, |k| places.get(k.place).region(dimensions));
    let late = |k: &Key| (k.late_place != u32::MAX).then(|| places.get(k.late_place));
    let late_sites = by(&caused, |k| late(k).and_then(|p| p.site(dimensions)));
    let late_functions = by(&caused, |k| late(k).map(|p| p.function()));
    let count: u64 = sums.iter().map(|(_, s)| s.count).sum();
    let share = if scope.rank_time_ns == 0 { 0.0 } else { cost_ns as f64 / scope.rank_time_ns as f64 };
    let texts = texts(kind);
    let function = functions.first().map_or("MPI", |(name, _)| name);
    let others = if functions.len() > 1 { format!("{function} and others") } else { function.to_owned() };
    let cost = format!("{} ({} of the rank time)", time(cost_ns), percent(share));
    // The next rank, if it causes about as much as the first.
    let is_alike = |(_, ns): &&(RankId, u64)| *ns as f64 >= ALIKE * causes[0].1 as f64;
    let second = causes.get(1).filter(is_alike);
    let dominant = causes.first().filter(|(_, ns)| second.is_none() && *ns as f64 >= DOMINANT * cost_ns as f64);
    let title = match dominant {
        Some((rank, _)) => format!("Rank {} {}: {cost} of waiting in {others}", dimensions.rank(*rank), texts.one),
        None => format!("{}: {cost} in {others}", texts.many),
    };
    let who = most(&waiters, dimensions);
    let verb = if who.len() == 1 { "waits" } else { "wait" };
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let mut text = format!("{} {verb} {times} in {others}", capital(&ranks_text(&who)));
    if let Some((site, _)) = sites.first() {
        text += &format!(", mostly at {site}");
    }
    if let Some((region, _)) = regions.first() {
        text += &format!(", in region {region}");
    }
    text += &format!(": {} in total, {} on average.", time(cost_ns), time(cost_ns / count.max(1)));
    let part = |(rank, ns): &(RankId, u64)| (percent(*ns as f64 / cost_ns.max(1) as f64), dimensions.rank(*rank));
    if let Some((share, rank)) = causes.first().map(part) {
        text += &format!(" {share} of this is caused by rank {rank}");
        if let Some((share, rank)) = second.map(part) {
            text += &format!(", {share} by rank {rank}");
        }
        if let Some((function, _)) = late_functions.first() {
            let enter = if second.is_some() { "enter" } else { "enters" };
            text += &format!(", which {enter} {function} late");
        }
        if let Some((site, _)) = late_sites.first() {
            text += &format!(" at {site}");
        }
        text += ".";
    }
    let rank_list = |list: &[(RankId, u64)]| {
        let value = |(rank, ns): &(RankId, u64)| {
            Value::List(vec![Value::Int(dimensions.rank(*rank).max(0) as u64), Value::Int(*ns)])
        };
        Value::List(list.iter().take(NAMED).map(value).collect())
    };
    let longest = profile.longest(kind);
    let mut evidence = BTreeMap::from([
        ("wait_ns", Value::Int(cost_ns)),
        ("waits", Value::Int(count)),
        ("longest_wait_ns", Value::Int(longest.first().map_or(0, |w| w.ns()))),
        ("wait_by_rank_ns", rank_list(&waiters)),
    ]);
    if !causes.is_empty() {
        evidence.insert("wait_by_cause_rank_ns", rank_list(&causes));
    }
    let texts_of = |list: &[(String, u64)]| Value::List(names(list).into_iter().map(Value::Text).collect());
    if !late_sites.is_empty() {
        evidence.insert("late_sites", texts_of(&late_sites));
    }
    let functions: Vec<(String, u64)> = functions.iter().map(|(f, ns)| ((*f).to_owned(), *ns)).collect();
    evidence.insert("functions", texts_of(&functions));
    Finding {
        title,
        text,
        advice: texts.advice.to_owned(),
        cost_ns,
        share,
        confidence: confidence(kind),
        ranks: who,
        cause_ranks: most(&causes, dimensions),
        sites: names(&sites),
        regions: names(&regions),
        iterations: None,
        evidence,
        proof: longest
            .iter()
            .map(|w| Proof { rank: dimensions.rank(w.rank), start_ns: w.start_ns, end_ns: w.end_ns, row: Some(w.row) })
            .collect(),
        is_bound: is_bound(kind),
        waits: profile.recorded_as(kind),
        remedy: Some(remedy(kind, cost_ns, sums, profile, places)),
        ..Finding::of(rule(kind))
    }
}

/// Whether the wait cannot simply be removed, because the program needs the data. A barrier can be removed, a receive posted
/// earlier, progress made, an order changed.
fn is_bound(kind: WaitKind) -> bool {
    use WaitKind::*;
    let can_go = matches!(
        kind,
        LateReceiver
            | WaitAtBarrier
            | WaitForProgress
            | RmaWaitForProgress
            | WrongOrderDifferentSource
            | WrongOrderSameSource
    );
    !is_completion(kind) && !can_go
}

/// The run without waits of a kind. Time after the last rank has entered belongs to the calls themselves.
fn remedy(kind: WaitKind, cost_ns: u64, sums: &[(&Key, &WaitSum)], profile: &Profile, places: &Places) -> Remedy {
    use WaitKind::{WrongOrderDifferentSource, WrongOrderSameSource};
    if is_completion(kind) {
        let there: HashSet<u32> = sums.iter().map(|(k, _)| k.place).collect();
        return Remedy::quicker(places.calls(|_, place| there.contains(&place)), cost_ns);
    }
    match kind {
        WrongOrderSameSource | WrongOrderDifferentSource => Remedy::reordered(kind),
        _ => Remedy::without(profile.recorded_as(kind)),
    }
}

fn confidence(kind: WaitKind) -> Confidence {
    use WaitKind::*;
    match kind {
        LateReceiver | LatePost | EarlyWait | LateComplete | LockContention => Confidence::Medium,
        WaitForProgress | RmaWaitForProgress => Confidence::Medium,
        WrongOrderSameSource | WrongOrderDifferentSource => Confidence::Medium,
        _ => Confidence::High,
    }
}
