//! Ranks that compute longer than others, and how long the others wait for them.

use std::collections::BTreeMap;

use mpiscope_store::{Dimensions, RankId, RegionId};
use mpiscope_units::{percent, ranks_text, time};
use rustc_hash::FxHashMap;

use super::CallTimes;
use super::delays::Cost;
use super::load::{Load, missing};
use crate::explanation::efficiency::Delayer;
use crate::explanation::structure::Iterations;
use crate::explanation::timeline::Timeline;
use crate::explanation::{
    Confidence, Finding, Relations, Remedy, Rule, Scope, Share, Value, WhyLate, capital, share_of,
};
use crate::waits::places::Places;

pub(super) const IMBALANCE: Rule = Rule {
    id: "load_imbalance",
    what: "Some ranks compute longer between synchronisations, and the others wait for them.",
    formula: "min(Σ_r (max computing − computing_r), waits that these ranks cause directly or through other ranks). Ranks closer \
              to the maximum than to the mean are named. Computing is compared by iteration, in up to 64 intervals of the \
              main loop; without a loop that all ranks share, in 16 intervals of time. If the same sum over intervals, or over single \
              iterations, is more than twice as large, the imbalance moves from rank to rank. Where three quarters of the differences are in \
              some consecutive iterations, or in one of so many iterations regularly, only these are analysed. Computing before and after the \
              main loop is compared apart, without places that are in each iteration. Based on Böhme et al., ICPP 2010 (delay costs).",
    threshold: "3 % of the rank time of the run, and 1 ms, also without the fifth of the intervals that differ most; the \
                same ranks compute longest in three quarters of the intervals. If only some iterations are affected: at least \
                four in a row, or at least five times, and at most half of the run. If the imbalance moves from rank to rank: 8 %, and in the usual \
                interval the longest computation is a quarter above the mean",
    doubt: "Computing is everything outside of MPI, including I/O and waiting for a core. With more processes than cores, the \
            operating system causes such differences.",
    saving: "The run in which ranks compute the mean: at each place if all ranks compute there; otherwise in total, or in \
             each stretch, or at each place if that saves more, if the imbalance moves, grows or lasts only for some iterations.",
    relations: Relations { why_late: Some(WhyLate::Computing), needs_saving: true, ..Relations::LATE },
};

/// At most this many intervals of iterations, …
const MOST_BINS: u64 = 64;
/// … and if each iteration is one, at most this many of all ranks.
const MOST_TURNS: u64 = 1 << 21;
/// One interval of this many, the worst, is left out to see what is usual.
const WORST: usize = 5;
/// Share of the rank time from which an imbalance is reported. No program and no machine is balanced better than this.
const LEAST: f64 = 0.03;
/// The same for an imbalance that moves from rank to rank: disturbance by the machine looks like this.
const LEAST_MOVING: f64 = 0.08;
/// By how much the longest computation must exceed the mean in the usual interval, if the imbalance moves from rank to rank.
const LEAST_AHEAD: f64 = 0.25;
/// Share of the stretches in which the same ranks must compute longer than the others.
const SAME: f64 = 0.75;
/// Share of the computing that must be before calls that all ranks make, so that each place can be balanced.
const SHARED: f64 = 0.9;
/// An imbalance is lasting if chance explains no more than a tenth of it.
const STEADY: f64 = 0.9;
/// At most this many ranks and places are named.
const NAMED: usize = 8;

/// Evenly distributed computing at each place: the computing of each rank before a call becomes the mean. `None` if ranks do most
/// of their computing before calls that not all of them make.
fn balanced_by_place(calls: &[Vec<CallTimes>], places: &Places) -> Option<Vec<Vec<Share>>> {
    let ranks = calls.len();
    // By place and rank: time, and how often.
    let mut computed: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
    for (rank, times) in calls.iter().enumerate() {
        for (facts, times) in times.iter().enumerate().filter(|(_, t)| t.before_ns > 0) {
            let place = places.id_of(rank, facts as u32)?;
            let of = &mut computed.entry(place).or_insert_with(|| vec![(0, 0); ranks])[rank];
            *of = (of.0 + times.before_ns, of.1 + times.computations);
        }
    }
    let sum_ns = |of: &[(u64, u64)]| of.iter().map(|of| of.0).sum::<u64>();
    let all_ns: u64 = computed.values().map(|of| sum_ns(of)).sum();
    computed.retain(|_, of| of.iter().all(|of| of.0 > 0));
    let shared_ns: u64 = computed.values().map(|of| sum_ns(of)).sum();
    if (shared_ns as f64) < SHARED * all_ns as f64 {
        return None;
    }
    let share = |rank: usize, facts: usize| {
        let Some(of) = places.id_of(rank, facts as u32).and_then(|place| computed.get(&place)) else {
            return Share::Part(1.0);
        };
        let (mean_ns, (own_ns, times)) = (sum_ns(of) / ranks as u64, of[rank]);
        match mean_ns > own_ns {
            true => Share::More((mean_ns - own_ns) / times.max(1)),
            false => Share::Part(mean_ns as f64 / own_ns as f64),
        }
    };
    Some(calls.iter().enumerate().map(|(r, times)| (0..times.len()).map(|f| share(r, f)).collect()).collect())
}

/// The ranks that compute longer, if they are always the same.
#[derive(Debug, PartialEq)]
pub(super) struct Imbalance {
    /// Ranks that compute longest: nearer to the maximum than to the mean.
    pub heavy: Vec<usize>,
    /// Σ (maximum − own) over ranks: the time for which all would wait for the slowest one.
    pub lasting_ns: u64,
    /// The same in each stretch of the run, summed.
    pub momentary_ns: u64,
}

/// The time for which all would wait for the slowest one, without the worst stretch: a rank that lost its core once is not an
/// imbalance. `None` if too few stretches differ to decide.
fn usual_ns(load: &Load, is_lasting: bool) -> Option<u64> {
    let bins = load.bins();
    let mut order: Vec<usize> = (0..bins).collect();
    order.sort_by_key(|&bin| load.missing_in(bin));
    let kept = &order[..bins - bins.div_ceil(WORST)];
    if kept.is_empty() || load.missing_in(order[bins / 2]) == 0 {
        return None;
    }
    let sum = match is_lasting {
        true => missing(&load.slices.iter().map(|s| kept.iter().map(|&bin| s[bin]).sum()).collect::<Vec<_>>()),
        false => kept.iter().map(|&bin| load.missing_in(bin)).sum(),
    };
    Some(load.of_all((u128::from(sum) * bins as u128 / kept.len() as u128) as u64))
}

/// Whether the same ranks compute longest in most of the stretches that differ.
fn is_steady(load: &Load, heavy: &[usize]) -> bool {
    let (mut ahead, mut all) = (0usize, 0usize);
    for bin in 0..load.bins() {
        let sum = |is_heavy: bool| {
            let ranks = (0..load.slices.len()).filter(|r| heavy.contains(r) == is_heavy);
            let loads: Vec<u64> = ranks.map(|r| load.slices[r][bin]).collect();
            loads.iter().sum::<u64>() as f64 / loads.len().max(1) as f64
        };
        let (of_heavy, of_others) = (sum(true), sum(false));
        if of_heavy + of_others > 0.0 {
            all += 1;
            ahead += usize::from(of_heavy > of_others);
        }
    }
    ahead as f64 >= SAME * all as f64
}

/// By how much the longest computation exceeds the mean in the usual interval, as a part of the mean.
fn usually_ahead(load: &Load) -> f64 {
    let mut ahead: Vec<f64> = (0..load.bins())
        .map(|bin| {
            let loads = load.slices.iter().map(|s| s[bin]);
            let mean = loads.clone().sum::<u64>() as f64 / load.slices.len().max(1) as f64;
            if mean > 0.0 { loads.max().unwrap_or(0) as f64 / mean - 1.0 } else { 0.0 }
        })
        .collect();
    ahead.sort_by(f64::total_cmp);
    ahead.get(ahead.len() / 2).copied().unwrap_or(0.0)
}

/// `lasting = Σ_r (max − useful_r)` over the run; `momentary` is the same in each interval, summed. Where the second is much
/// larger than the first, the busiest rank changes.
pub(super) fn imbalance(load: &Load) -> Imbalance {
    let totals = load.totals();
    let max = totals.iter().copied().max().unwrap_or(0);
    let mean = totals.iter().sum::<u64>() / totals.len().max(1) as u64;
    let limit = mean + (max - mean) / 2;
    let heavy = (0..totals.len()).filter(|&r| totals[r] > limit).collect();
    Imbalance {
        heavy,
        lasting_ns: load.of_all(missing(&totals)),
        momentary_ns: load.of_all((0..load.bins()).map(|slice| load.missing_in(slice)).sum()),
    }
}

/// What the finding is derived from.
pub(super) struct Facts<'a> {
    /// Computing in stretches of time, for runs without iterations of all ranks.
    pub load: &'a Load,
    pub main: Option<&'a Iterations>,
    pub lines: &'a [&'a Timeline],
    pub calls: &'a [Vec<CallTimes>],
    pub delays: &'a [(Delayer, Cost)],
    pub places: &'a Places,
    pub dimensions: &'a Dimensions,
    pub scope: &'a Scope,
}

/// The findings `load_imbalance`: of the main loop, and of what comes before and after it; of the whole run if all ranks have no loop.
pub(super) fn findings(facts: &Facts) -> Vec<Finding> {
    let outside = facts.main.and_then(|main| Load::outside(main, facts.lines, facts.scope));
    let [before, after] = match &outside {
        Some([before, after]) => {
            [(before, Stretches::Before), (after, Stretches::After)].map(|(load, when)| of_load(load, when, facts))
        }
        None => [None, None],
    };
    [of_iterations(facts), before, after].into_iter().flatten().collect()
}

fn of_iterations(facts: &Facts) -> Option<Finding> {
    let by_turn = |most_bins| Load::by_turn(facts.main?, facts.lines, most_bins);
    let by_stretch = by_turn(MOST_BINS);
    let load = by_stretch.as_ref().unwrap_or(facts.load);
    // Ranks that are late in turn, each in one iteration, compute equally long in several iterations.
    let by_iteration = || {
        // To look at each iteration takes time, and tells nothing where ranks hardly wait.
        let delay_ns: u64 = facts.delays.iter().map(|(_, cost)| cost.total_ns).sum();
        let is_enough = delay_ns >= share_of(facts.scope, LEAST);
        is_enough.then(|| by_turn(MOST_TURNS / facts.lines.len().max(1) as u64))?
    };
    let by_iteration = by_iteration();
    let recurring = || {
        let (load, every) = by_iteration.as_ref()?.recurring()?;
        of_load(&load, Stretches::Recurring(every), facts)
    };
    recurring()
        .or_else(|| of_load(load, Stretches::All, facts))
        .or_else(|| of_load(&load.passing()?, Stretches::Passing, facts))
        .or_else(|| of_load(by_iteration.as_ref()?, Stretches::Single, facts))
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretches {
    /// The whole run.
    All,
    /// Some iterations in a row; the others are balanced.
    Passing,
    /// One of so many iterations; the others are balanced.
    Recurring(usize),
    /// Iterations, one by one; in total, the ranks are balanced.
    Single,
    /// Before the main loop.
    Before,
    /// After it.
    After,
}

impl Stretches {
    /// Whether these are only a part of the run.
    fn is_part(self) -> bool {
        !matches!(self, Stretches::All | Stretches::Single)
    }

    /// Whether these are outside of the main loop.
    fn is_outside(self) -> bool {
        matches!(self, Stretches::Before | Stretches::After)
    }

    /// When ranks differ, as the end of a sentence.
    fn when(self) -> String {
        match self {
            Stretches::All | Stretches::Single => String::new(),
            Stretches::Passing => " in some iterations".into(),
            Stretches::Recurring(2) => " in every second iteration".into(),
            Stretches::Recurring(every) => format!(" in one of {every} iterations"),
            Stretches::Before => " before the main loop".into(),
            Stretches::After => " after the main loop".into(),
        }
    }

    /// How to let all ranks do what some do in them.
    fn advice(self) -> &'static str {
        match self {
            Stretches::All | Stretches::Single => {
                "Give these ranks less work: check how the domain is decomposed, and what they compute at the place named above. \
                 If they do the same work but take longer, compare their hosts and cores (mpiscope report RUN --full)."
            }
            Stretches::Passing | Stretches::Recurring(_) => {
                "Find out what these ranks do only in these iterations (output, checkpoints, remeshing): distribute that work over \
                 all ranks, or move it to a place where no rank waits for it."
            }
            Stretches::Before => {
                "Find out what these ranks do before the main loop (input, decomposition, setting up): distribute that work over all ranks."
            }
            Stretches::After => {
                "Find out what these ranks do after the main loop (evaluation, output): distribute that work over all ranks."
            }
        }
    }
}

/// The same for these intervals.
fn of_load(load: &Load, stretches: Stretches, facts: &Facts) -> Option<Finding> {
    let Facts { calls, delays, places, dimensions, scope, .. } = *facts;
    let found = imbalance(load);
    let is_lasting = found.lasting_ns * 2 >= found.momentary_ns;
    if is_lasting && stretches == Stretches::Single || !is_lasting && stretches.is_part() {
        return None;
    }
    let is_steady_all_along = found.lasting_ns as f64 >= STEADY * found.momentary_ns as f64;
    let is_alike = is_lasting && !stretches.is_part() && !(is_steady_all_along && load.is_growing());
    let mut balance = load.balanced(is_alike)?;
    let is_heavy = |d: &Delayer| !is_lasting || found.heavy.contains(&(d.rank.0 as usize));
    let is_here = |d: &Delayer| !stretches.is_outside() || !is_in_each_iteration(d, facts);
    let delayers: Vec<&(Delayer, Cost)> = delays.iter().filter(|(d, _)| is_heavy(d) && is_here(d)).collect();
    let delay_ns: u64 = delayers.iter().map(|(_, c)| c.total_ns).sum();
    let direct_ns: u64 = delayers.iter().map(|(_, c)| c.direct_ns).sum();
    let excess_ns = if is_lasting { found.lasting_ns } else { found.momentary_ns };
    let cost_ns = excess_ns.min(delay_ns);
    let usual_ns = usual_ns(load, is_lasting).unwrap_or(cost_ns);
    let least = if is_lasting { LEAST } else { LEAST_MOVING };
    let is_real = if is_lasting { is_steady(load, &found.heavy) } else { usually_ahead(load) >= LEAST_AHEAD };
    if !is_real || cost_ns.min(usual_ns) < share_of(scope, least) {
        return None;
    }
    // Where computing is balanced by stretch, what one rank does between calls in which the others wait is not: balanced by place, it may be.
    let mut by_place = if is_lasting { balanced_by_place(calls, places) } else { None };
    if is_alike {
        balance.by_facts = by_place.take();
    }
    let totals = load.totals();
    let mean = totals.iter().sum::<u64>() as f64 / totals.len().max(1) as f64;
    let max = totals.iter().copied().max().unwrap_or(0);
    let name = |rank: usize| dimensions.rank(RankId(rank as u32));
    let mut heavy = found.heavy.clone();
    heavy.sort_by_key(|&r| (std::cmp::Reverse(totals[r]), r));
    let causes: Vec<i32> = match is_lasting {
        true => heavy.iter().map(|&r| name(r)).collect(),
        false => {
            let mut ranks: Vec<i32> = delayers.iter().map(|(d, _)| dimensions.rank(d.rank)).collect();
            let mut seen = std::collections::BTreeSet::new();
            ranks.retain(|r| seen.insert(*r));
            ranks
        }
    };
    let share = cost_ns as f64 / scope.rank_time_ns.max(1) as f64;
    let cost = format!("{} ({} of the rank time)", time(cost_ns), percent(share));
    let ratio = max as f64 / mean.max(1.0);
    let title = match is_lasting {
        true => {
            let verb = if causes.len() == 1 { "computes" } else { "compute" };
            let others = if causes.len() == 1 { "it" } else { "them" };
            let who = capital(&ranks_text(&causes));
            let when = stretches.when();
            format!("{who} {verb} {ratio:.2} times as long as the mean{when}: the others wait {cost} for {others}")
        }
        false if stretches == Stretches::Single => {
            format!("Ranks take turns to compute longest: the others wait {cost} for them")
        }
        false => format!("The rank that computes longest changes over time: ranks wait {cost} for it"),
    };
    let region = |d: &Delayer| Some(dimensions.region(RegionId(d.region))).filter(|r| !r.is_empty());
    let mut regions: Vec<String> = Vec::new();
    let mut sites: Vec<String> = Vec::new();
    for (delayer, _) in &delayers {
        let place = places.get(delayer.place);
        for (list, text) in [(&mut regions, region(delayer)), (&mut sites, place.site(dimensions))] {
            if let Some(text) = text.filter(|t| !list.contains(t) && list.len() < NAMED) {
                list.push(text);
            }
        }
    }
    let mut text = match is_lasting {
        true => format!(
            "{} busiest rank computes for {}, against a mean of {}. {}",
            match stretches {
                Stretches::Passing | Stretches::Recurring(_) => "In these iterations, the",
                Stretches::Before | Stretches::After => "There, the",
                Stretches::All | Stretches::Single => "The",
            },
            time(max),
            time(mean as u64),
            behind(delay_ns, direct_ns, causes.len() == 1),
        ),
        false if stretches == Stretches::Single => format!(
            "Over the whole run, all ranks compute for about the same time, but in the usual iteration one computes {:.2} times as long \
             as the mean. This causes {} of waiting.",
            1.0 + usually_ahead(load),
            time(delay_ns)
        ),
        false => format!(
            "Over the whole run, all ranks compute for about the same time, but in each of {} intervals of it some compute longer. \
             This causes {} of waiting.",
            load.bins(),
            time(delay_ns)
        ),
    };
    if let Some((delayer, ns)) = delayers.first().map(|(d, c)| (d, c.total_ns)) {
        let place = places.get(delayer.place);
        let part = if 2 * ns > delay_ns { "Most" } else { "The largest part" };
        text += &format!(" {part} of this ({}) is caused by the computation before {}", time(ns), place.function());
        if let Some(site) = place.site(dimensions) {
            text += &format!(" at {site}");
        }
        if let Some(region) = region(delayer) {
            text += &format!(", in region {region}");
        }
        text += &format!(" on rank {}.", dimensions.rank(delayer.rank));
    }
    let list = |of: &mut dyn Iterator<Item = (usize, u64)>| {
        let value = |(rank, ns): (usize, u64)| Value::List(vec![Value::Int(name(rank).max(0) as u64), Value::Int(ns)]);
        Value::List(of.take(NAMED).map(value).collect())
    };
    let mut by_load: Vec<usize> = (0..totals.len()).collect();
    by_load.sort_by_key(|&r| (std::cmp::Reverse(totals[r]), r));
    let evidence = BTreeMap::from([
        ("computing_max_ns", Value::Int(max)),
        ("computing_mean_ns", Value::Int(mean as u64)),
        ("computing_by_rank_ns", list(&mut by_load.iter().map(|&r| (r, totals[r])))),
        ("excess_ns", Value::Int(excess_ns)),
        ("delay_ns", Value::Int(delay_ns)),
        ("direct_delay_ns", Value::Int(direct_ns)),
        ("is_moving", Value::Int(u64::from(!is_lasting))),
    ]);
    let light = (0..totals.len()).filter(|r| !found.heavy.contains(r) || !is_lasting);
    let advice = match is_lasting {
        true => stretches.advice(),
        false => {
            "Distribute the work evenly within each iteration: look for work that ranks do in turn, or that depends on the data. If there is none, \
             other processes may disturb the ranks: run again with one process fewer on each host, and compare (mpiscope diff)."
        }
    };
    Some(Finding {
        title,
        text,
        advice: advice.into(),
        cost_ns,
        share,
        // What happens once may be an accident.
        confidence: if is_lasting && !stretches.is_outside() { Confidence::High } else { Confidence::Medium },
        ranks: light.map(name).collect(),
        cause_ranks: causes,
        sites,
        regions,
        iterations: load.iterations(),
        evidence,
        remedy: Some(Remedy { balance: Some(balance), ..Remedy::default() }),
        other_remedy: by_place.map(Remedy::balanced_by_facts),
        ..Finding::of(&IMBALANCE)
    })
}

/// Whether the rank comes to this place in at least every second iteration of the main loop.
fn is_in_each_iteration(delayer: &Delayer, facts: &Facts) -> bool {
    let rank = delayer.rank.0 as usize;
    let is_there = |facts_of: usize| facts.places.id_of(rank, facts_of as u32) == Some(delayer.place);
    let calls = facts.calls.get(rank).map_or(&[][..], Vec::as_slice);
    let times: u64 = calls.iter().enumerate().filter(|(at, _)| is_there(*at)).map(|(_, of)| of.computations).sum();
    facts.main.is_some_and(|main| times * 2 >= main.count)
}

/// How long others wait for the busy ranks, and how much of all waiting their computing causes. Neither is part of the other:
/// a busy rank may itself have waited while others waited for it, and ranks that wait for it delay further ranks.
fn behind(delay_ns: u64, direct_ns: u64, is_one: bool) -> String {
    let (delay, direct) = (time(delay_ns), time(direct_ns));
    let (them, their) = if is_one { ("it", "its") } else { ("these ranks", "their") };
    let caused = format!(
        "Other ranks wait {direct} for {them}. {}{} computation causes",
        their[..1].to_uppercase(),
        &their[1..]
    );
    match direct_ns.cmp(&delay_ns) {
        std::cmp::Ordering::Greater => {
            format!("{caused} {delay} of waiting; the rest comes from {their} own waits.")
        }
        std::cmp::Ordering::Less => {
            format!("{caused} {delay} of waiting in total, in part through ranks that waited for {them}.")
        }
        std::cmp::Ordering::Equal => format!("Other ranks wait {direct} for {them}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::efficiency::load::SLICES;
    use crate::efficiency::load::tests::load;

    #[test]
    fn lasting_and_moving() {
        let mut slices = vec![[10; SLICES]; 4];
        slices[2] = [30; SLICES];
        let found = imbalance(&load(slices));
        assert_eq!(found, Imbalance { heavy: vec![2], lasting_ns: 3 * 20 * 16, momentary_ns: 3 * 20 * 16 });
        let mut slices = vec![[10; SLICES]; 4];
        (0..SLICES).for_each(|s| slices[s % 4][s] = 30);
        let found = imbalance(&load(slices));
        assert_eq!((found.lasting_ns, found.momentary_ns), (0, 3 * 20 * 16));
    }

    #[test]
    fn neither_sum_is_part_of_the_other() {
        let text = behind(1_900_000_000, 2_280_000_000, true);
        assert!(
            text.starts_with("Other ranks wait 2.28 s for it. Its computation causes 1.90 s of waiting; the"),
            "{text}"
        );
        let text = behind(2_280_000_000, 1_900_000_000, false);
        assert!(text.contains("through ranks that waited"), "{text}");
        assert_eq!(behind(5, 5, true), "Other ranks wait 5 ns for it.");
    }
}
