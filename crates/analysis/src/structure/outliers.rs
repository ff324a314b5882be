//! Single events that took much longer than comparable ones, and noise.
//!
//! A computation is compared with those between the same two calls on the same rank, a call with those of the same
//! function at the same site on the same rank. Ranks that are slow all the time do not appear here: that is imbalance.

use std::collections::BTreeMap;

use mpiscope_units::{percent, time};

use super::registry::{Context, StructureRules};
use super::robust::{Running, median_and_mad};
use super::sequence::{Needle, Sequence};
use super::thresholds::{ranks_named, share, share_of};
use crate::explanation::{Confidence, Explanation, Finding, Proof, Relations, Remedy, Rule, Spread, Value, WhyLate};

const OUTLIER: Rule = Rule {
    id: "outlier",
    what: "A single computation or call that took much longer than comparable ones on the same rank.",
    formula: "Comparable: computations between the same two calls; calls of the same function, site and communicator. \
              Much longer: by more than 8 median deviations and more than twice the median, both estimated while reading \
              (frugal streaming, Ma et al. 2013). Cost: the excess, and the excess of calls of other ranks that overlap it \
              by more than half.",
    threshold: "0.2 % of the rank time, including waits of other ranks, and 4 ms longer; 5 % if no rank waits for it, or if \
                it is a call that no computation and no wait explains. Events that recur in more than 3 + 1/200 of all cases \
                are not outliers, nor is one of more than 5 events that each cost at least half as much. At most 5 \
                events are reported, at most 2 of them such calls.",
    doubt: "Calls that were long for another reason at the same time are counted as affected. Check the proof.",
    saving: "The run in which this computation or call takes as long as comparable ones on the rank.",
    relations: Relations { why_late: Some(WhyLate::Moment), ..Relations::LATE },
};

const WARM_UP: Rule = Rule {
    id: "warm_up",
    what: "Iterations at the beginning that took longer than the others, or that the program separates from them.",
    formula: "Sum over the leading iterations of length − median length, times ranks. Leading: longer than the \
              median by 6 median absolute deviations and a quarter; or followed by a collective operation that the \
              program calls once. Computing before the first call of the loop counts if a collective operation comes \
              before it (a barrier, if no iteration is separated), and if it is longer than usual by 6 iterations and 20 ms, \
              equally on all ranks. Differences between ranks in reaching the first iteration do not count beyond their \
              usual differences.",
    threshold: "5 % of the rank time (10 % if the program separates these iterations), 10 ms on the median rank, and twice \
                the excess that one in 20 later iterations has.",
    doubt: "The first iterations may have more work to do. Compare their calls with those of a later iteration.",
    saving: "The run in which the first iterations take as long as the others, including their calls.",
    relations: Relations { why_late: Some(WhyLate::Moment), ..Relations::LATE },
};

const NOISE: Rule = Rule {
    id: "noise",
    what: "Many small delays of computations that otherwise take the same time.",
    formula: "For computations between the same two calls whose median deviation is below a tenth of the median: sum \
              of the excess over the median where it is more than 8 deviations (Petrini, Kerbyson, Pakin, SC 2003: noise \
              is the time added to a fixed work quantum).",
    threshold: "1 % of the rank time and 1 ms; 32 delays.",
    doubt: "Work that does vary from time to time looks the same. To check, run with fewer ranks than cores: noise decreases.",
    saving: "Not stated: no change is known that could be replayed.",
    relations: Relations { needs_lost_cores: true, ..Relations::LATE },
};

/// The rules of this file.
pub(super) const RULES: StructureRules = StructureRules { rules: &[OUTLIER, WARM_UP, NOISE], find };

fn find(context: &Context<'_>, explanation: &mut Explanation) {
    single(context, explanation);
    warm_up(context, explanation);
    noise(context, explanation);
}

/// At most this many findings about single events.
const MOST_INCIDENTS: usize = 5;
/// At most this many of them about calls that were slow without a late rank.
const MOST_CALLS: usize = 2;
/// Share of the rank time that one event must cost, waits of others included.
pub(crate) const LEAST_INCIDENT: f64 = 0.002;
/// Share of the rank time that a warm-up must cost.
const LEAST_WARM_UP: f64 = 0.05;
/// The least cost per rank: first messages to each partner, page faults and waking cores cost a few ms in every run.
const LEAST_WARM_UP_NS: u64 = 10_000_000;
/// The same where the program separates it: then its author is aware of it, and measures without it.
const LEAST_APART: f64 = 0.10;
/// It must exceed the occasional excess of later iterations by this factor.
const OVER_NOISE: u64 = 2;
/// Share of the rank time that an event must cost if no rank waits for it, or if no computation explains it.
const LEAST_ALONE: f64 = 0.05;
/// A process that loses its core to another one often gets it back after this time.
const TIME_SLICE_NS: u64 = 4_000_000;
/// At most this many events of the run may cost at least half as much as an outlier.
const MOST_LIKE_IT: usize = 5;

#[derive(Clone, Copy)]
struct Seen {
    rank: usize,
    needle: Needle,
}

/// An event and the calls that it delayed.
struct Incident {
    /// A computation; otherwise a call.
    is_computation: bool,
    worst: Seen,
    calls: Vec<Seen>,
    /// Time that other ranks lost.
    others_ns: u64,
}

impl Incident {
    fn cost_ns(&self) -> u64 {
        self.worst.needle.excess_ns + self.others_ns
    }
}

impl Context<'_> {
    fn world_rank(&self, rank: usize) -> i32 {
        self.dimensions.ranks[rank].world_rank
    }

    /// Where a letter of a rank is called.
    fn call(&self, rank: usize, letter: u16) -> Option<String> {
        let meaning = self.tables.ranks[rank].meanings.get(usize::from(letter))?;
        Some(self.tables.call(meaning.place, self.dimensions))
    }

    /// Whether the iteration at this moment belongs to the warm-up.
    fn is_warm_up(&self, rank: usize, ns: u64) -> bool {
        let Some(l) = self.main else { return false };
        let Some(t) = l.turns_of(rank) else { return false };
        let Some(warm_up) = l.found.warm_up else { return false };
        t.starts.get(warm_up.count as usize).is_some_and(|&settled| ns < settled)
    }

    /// Computations that stand out, without those that recur.
    fn gaps(&self) -> Vec<Seen> {
        self.needles(
            |s| &s.long_gaps,
            |s, n| {
                let steps = &s.letters[usize::from(n.after)].steps;
                steps.iter().find(|step| step.from == n.before).is_some_and(|step| is_rare(step.flagged, step.count))
            },
        )
    }

    fn calls(&self) -> Vec<Seen> {
        self.needles(
            |s| &s.long_calls,
            |s, n| {
                let letter = &s.letters[usize::from(n.after)];
                is_rare(letter.flagged, letter.count)
            },
        )
    }

    fn needles(
        &self,
        of: impl Fn(&Sequence) -> &Vec<Needle>,
        is_single: impl Fn(&Sequence, &Needle) -> bool,
    ) -> Vec<Seen> {
        let mut found = Vec::new();
        for (rank, sequence) in self.sequences.iter().enumerate() {
            let kept = of(sequence).iter().filter(|n| is_single(sequence, n) && !self.is_warm_up(rank, n.start_ns));
            found.extend(kept.map(|&needle| Seen { rank, needle }));
        }
        found
    }

    /// Single events, the most expensive first.
    fn incidents(&self) -> Vec<Incident> {
        let mut gaps = self.gaps();
        gaps.sort_by_key(|g| std::cmp::Reverse(g.needle.excess_ns));
        let mut calls = self.calls();
        calls.sort_by_key(|c| c.needle.start_ns);
        let mut incidents = Vec::new();
        for gap in gaps {
            // A rank that waited was still in a call when the computation ended, or soon after.
            let (begin, end) = (gap.needle.start_ns, gap.needle.end_ns);
            let overlap = |c: &Seen| c.needle.end_ns.min(end).saturating_sub(c.needle.start_ns.max(begin));
            let waited = |c: &Seen| c.rank != gap.rank && overlap(c) * 2 > c.needle.excess_ns;
            let (mine, rest): (Vec<Seen>, Vec<Seen>) = calls.into_iter().partition(waited);
            calls = rest;
            let others_ns = mine.iter().map(|c| overlap(c).min(c.needle.excess_ns)).sum();
            incidents.push(Incident { is_computation: true, worst: gap, calls: mine, others_ns });
        }
        // Calls that no computation explains: those that overlap are one event.
        let mut open: Vec<Seen> = Vec::new();
        let mut until = 0;
        let mut close = |open: &mut Vec<Seen>| {
            if let Some(&worst) = open.iter().max_by_key(|c| c.needle.excess_ns) {
                let sum: u64 = open.iter().map(|c| c.needle.excess_ns).sum();
                let others_ns = sum - worst.needle.excess_ns;
                incidents.push(Incident { is_computation: false, worst, calls: std::mem::take(open), others_ns });
            }
        };
        for call in calls.into_iter().filter(|c| c.needle.waited_ns * 2 < c.needle.excess_ns) {
            if call.needle.start_ns >= until {
                close(&mut open);
                until = call.needle.end_ns;
            }
            until = until.max(call.needle.end_ns);
            open.push(call);
        }
        close(&mut open);
        incidents.sort_by_key(|i| std::cmp::Reverse(i.cost_ns()));
        incidents
    }
}

fn is_rare(flagged: u32, count: u32) -> bool {
    flagged <= 3 + count / 200
}

/// Findings `outlier`.
fn single(scene: &Context<'_>, explanation: &mut Explanation) {
    let (least, least_alone) = (share_of(scene.scope, LEAST_INCIDENT), share_of(scene.scope, LEAST_ALONE));
    let incidents = scene.incidents();
    // Events that recur anywhere are noise.
    let is_alone = |i: &Incident| incidents.iter().filter(|o| o.cost_ns() * 2 >= i.cost_ns()).count() <= MOST_LIKE_IT;
    let is_worthy = |i: &&Incident| {
        let least = if i.is_computation && i.others_ns > 0 { least } else { least_alone };
        i.cost_ns() >= least && i.worst.needle.excess_ns >= TIME_SLICE_NS && is_alone(i)
    };
    let mut calls = 0;
    let mut is_among_first = |i: &&Incident| {
        calls += usize::from(!i.is_computation);
        i.is_computation || calls <= MOST_CALLS
    };
    let worthy = incidents.iter().filter(is_worthy).filter(|i| is_among_first(i));
    for incident in worthy.take(MOST_INCIDENTS) {
        explanation.findings.push(finding(scene, incident));
    }
}

fn finding(scene: &Context<'_>, incident: &Incident) -> Finding {
    let Seen { rank, needle } = incident.worst;
    let length_ns = needle.end_ns.saturating_sub(needle.start_ns);
    let usual_ns = length_ns.saturating_sub(needle.excess_ns);
    let name = scene.world_rank(rank);
    let iteration = scene.main.and_then(|l| l.number(rank, needle.start_ns));
    let at = iteration.map_or(String::new(), |n| format!(" in iteration {n}"));
    let when = time(needle.start_ns.saturating_sub(scene.scope.start_ns));
    let before = scene.call(rank, needle.before).unwrap_or_else(|| "the beginning".to_owned());
    let after = scene.call(rank, needle.after).unwrap_or_default();
    let mut waiting: Vec<i32> =
        incident.calls.iter().filter(|c| c.rank != rank).map(|c| scene.world_rank(c.rank)).collect();
    waiting.sort_unstable();
    waiting.dedup();
    let others = match (waiting.is_empty(), incident.is_computation) {
        (true, _) => String::new(),
        (false, true) => format!(" Meanwhile {} waited, {} in total.", ranks_named(&waiting), time(incident.others_ns)),
        (false, false) => {
            format!(
                " At the same time, calls of {} took longer, {} in total.",
                ranks_named(&waiting),
                time(incident.others_ns)
            )
        }
    };
    let (title, text, advice) = if incident.is_computation {
        (
            format!("One computation of rank {name}{at} took {} instead of {}", time(length_ns), time(usual_ns)),
            format!(
                "Between {before} and {after}, {when} after the start, rank {name} spent {}{at}; usually it takes {} \
                 there.{others}",
                time(length_ns),
                time(usual_ns)
            ),
            format!(
                "Check what rank {name} does there at that time: reading or writing a file, allocating memory, \
                 rebuilding a table? If the program does nothing special, the process was interrupted: check the other load \
                 on host {}.",
                scene.dimensions.ranks[rank].host
            ),
        )
    } else {
        (
            format!("One call of rank {name}{at} took {} instead of {}", time(length_ns), time(usual_ns)),
            format!(
                "{after}, {when} after the start, took {} on rank {name}{at}; usually it takes {}. No rank computed longer \
                 at that time.{others}",
                time(length_ns),
                time(usual_ns)
            ),
            "No rank was late, so the time was spent in the MPI, the network or the operating system. Repeat the run; if it \
             happens again at the same place, check what the MPI does there for the first time (opening a connection, \
             registering a buffer)."
                .to_owned(),
        )
    };
    let mut evidence = BTreeMap::from([
        ("length_ns", Value::Int(length_ns)),
        ("usual_ns", Value::Int(usual_ns)),
        ("excess_ns", Value::Int(needle.excess_ns)),
        ("others_waited_ns", Value::Int(incident.others_ns)),
        ("others_waited_ranks", Value::Int(waiting.len() as u64)),
        ("before", Value::Text(before)),
        ("after", Value::Text(after)),
    ]);
    if let Some(n) = iteration {
        evidence.insert("iteration", Value::Int(n));
    }
    let proof = |s: &Seen, is_call: bool| Proof {
        rank: scene.world_rank(s.rank),
        start_ns: s.needle.start_ns,
        end_ns: s.needle.end_ns,
        row: is_call.then_some(s.needle.row),
    };
    let mut proofs = vec![proof(&incident.worst, !incident.is_computation)];
    let same = |c: &&Seen| c.rank != rank || c.needle.row != needle.row;
    let mut calls: Vec<&Seen> = incident.calls.iter().filter(same).collect();
    calls.sort_by_key(|c| std::cmp::Reverse(c.needle.excess_ns));
    proofs.extend(calls.iter().take(15).map(|c| proof(c, true)));
    let cost_ns = incident.cost_ns();
    let site = scene.tables.ranks[rank].meanings.get(usize::from(needle.after));
    Finding {
        title,
        text,
        advice,
        cost_ns,
        share: share(cost_ns, scene.scope),
        confidence: if incident.is_computation { Confidence::High } else { Confidence::Medium },
        ranks: if waiting.is_empty() { vec![name] } else { waiting },
        cause_ranks: if incident.is_computation { vec![name] } else { Vec::new() },
        sites: site.map(|m| scene.tables.text(m.place, scene.dimensions)).into_iter().collect(),
        regions: Vec::new(),
        iterations: iteration.map(|n| vec![(n, n)]),
        evidence,
        proof: proofs,
        remedy: Some(Remedy::shorter(
            [(rank, needle.start_ns, needle.end_ns, usual_ns as f64 / length_ns.max(1) as f64)].into_iter(),
            scene.sequences.len(),
        )),
        ..Finding::of(&OUTLIER)
    }
}

/// Finding `warm_up`.
fn warm_up(scene: &Context<'_>, explanation: &mut Explanation) {
    let Some(l) = scene.main else { return };
    let Some(warm_up) = l.found.warm_up else { return };
    let cost_ns = warm_up.excess_ns.saturating_mul(l.turns.len() as u64);
    // Every run has some warm-up; less than this is not worth a change.
    let each_ns = warm_up.excess_ns / warm_up.count.max(1);
    let least = if warm_up.is_apart { LEAST_APART } else { LEAST_WARM_UP };
    if cost_ns < share_of(scene.scope, least)
        || warm_up.excess_ns < LEAST_WARM_UP_NS
        || each_ns < OVER_NOISE * l.noise_ns
    {
        return;
    }
    let (n, period) = (warm_up.count, time(l.found.period_ns));
    let others = l.found.count - if warm_up.is_apart { 0 } else { n.min(l.found.count) };
    let first = if n == 1 { "The first iteration".to_owned() } else { format!("The first {n} iterations") };
    let ranks_paying = l.turns.iter().map(|t| scene.world_rank(t.rank)).collect();
    let proof = l.turns.iter().take(16).map(|t| Proof {
        rank: scene.world_rank(t.rank),
        start_ns: t.starts[0],
        end_ns: t.starts.get(n as usize).copied().unwrap_or(t.end_ns),
        row: None,
    });
    // Part of it may be before the first call of the first iteration.
    let settled = l.turns.iter().filter_map(|t| {
        let (from_ns, until_ns) = (*t.starts.first()?, *t.starts.get(n as usize)?);
        let (usual_ns, took_ns) = (n.saturating_mul(l.found.period_ns), until_ns.saturating_sub(from_ns));
        let turns_ns = took_ns.saturating_sub(usual_ns).min(warm_up.excess_ns);
        let lead_ns = warm_up.excess_ns - turns_ns;
        let part = |excess_ns: u64, rest_ns: u64| rest_ns as f64 / (excess_ns + rest_ns).max(1) as f64;
        let lead = (t.rank, from_ns.saturating_sub(lead_ns), from_ns, part(lead_ns, l.found.period_ns));
        Some([lead, (t.rank, from_ns, until_ns, part(turns_ns, took_ns - turns_ns))])
    });
    explanation.findings.push(Finding {
        title: format!("{first} took {} longer than the others", time(warm_up.excess_ns)),
        text: format!(
            "{first} took {} longer in total than the same number of the {others} that follow ({period} each, median). Typical \
             reasons are first access to memory, opening of connections, caches, and clock frequencies.",
            time(warm_up.excess_ns),
        ),
        advice: if warm_up.is_apart {
            "The program separates them from the other iterations: exclude them from measurements.".to_owned()
        } else {
            "Exclude them from measurements. If the program runs for only a few iterations, touch the memory and exchange one \
             message with each neighbour before the loop."
                .to_owned()
        },
        cost_ns,
        share: share(cost_ns, scene.scope),
        confidence: Confidence::High,
        ranks: ranks_paying,
        cause_ranks: Vec::new(),
        sites: vec![l.found.marker_site.clone()],
        regions: Vec::new(),
        iterations: (!warm_up.is_apart).then(|| vec![(0, n - 1)]),
        evidence: BTreeMap::from([
            ("iterations", Value::Int(n)),
            ("excess_ns", Value::Int(warm_up.excess_ns)),
            ("period_ns", Value::Int(l.found.period_ns)),
        ]),
        proof: proof.collect(),
        remedy: Some(Remedy::shorter(settled.flatten(), scene.sequences.len())),
        ..Finding::of(&WARM_UP)
    });
}

/// Finding `noise`.
fn noise(scene: &Context<'_>, explanation: &mut Explanation) {
    let sum = |f: &dyn Fn(&Sequence) -> u64| scene.sequences.iter().map(f).sum::<u64>();
    let cost_ns = sum(&|s| s.noise.excess_ns);
    let count = sum(&|s| s.noise.count);
    if cost_ns < scene.scope.threshold_ns() || count < 32 {
        return;
    }
    let judged_ns = sum(&|s| s.noise.judged_ns);
    let mut hit: Vec<(u64, i32)> = scene
        .sequences
        .iter()
        .enumerate()
        .filter(|(_, s)| s.noise.excess_ns * 100 > s.noise.judged_ns)
        .map(|(rank, s)| (s.noise.excess_ns, scene.world_rank(rank)))
        .collect();
    hit.sort_by_key(|&(ns, rank)| (std::cmp::Reverse(ns), rank));
    let paying: Vec<i32> = hit.iter().map(|h| h.1).collect();
    let worst = scene.sequences.iter().enumerate().max_by_key(|(_, s)| s.noise.excess_ns);
    let period = worst.and_then(|(_, s)| period(&s.noise.moments));
    let lengths: Vec<u64> =
        scene.sequences.iter().map(|s| &s.noise.lengths).filter(|l| l.count() > 0).map(Running::median).collect();
    let length_ns = median_and_mad(&lengths).0;
    let rate = count as f64 / (judged_ns as f64 / 1e9).max(1e-9);
    let regular =
        period.map_or(String::new(), |p| format!(" On the rank with the most delays, one occurs every {}.", time(p)));
    let mut evidence = BTreeMap::from([
        ("delays", Value::Int(count)),
        ("median_ns", Value::Int(length_ns)),
        ("delays_per_s", Value::Float(rate)),
        ("computation_ns", Value::Int(judged_ns)),
        ("share_of_computation", Value::Float(cost_ns as f64 / judged_ns.max(1) as f64)),
    ]);
    if let Some(p) = period {
        evidence.insert("period_ns", Value::Int(p));
    }
    let hosts: std::collections::BTreeSet<&str> = scene.dimensions.ranks.iter().map(|r| r.host.as_str()).collect();
    explanation.findings.push(Finding {
        title: format!("Computations that should take equal time are delayed by {} in total", time(cost_ns)),
        text: format!(
            "{} computations of {} took longer than the same computation on the same rank usually does, by {} \
             each (median): {} of the time of computations that otherwise hardly vary.{regular}",
            mpiscope_units::count(count),
            if paying.is_empty() { "all ranks".to_owned() } else { ranks_named(&paying) },
            time(length_ns),
            percent(mpiscope_units::share(cost_ns, judged_ns)),
        ),
        advice: format!(
            "Leave a core free for the operating system, give each rank its own core, and look for other processes on {}.",
            if hosts.len() == 1 { "the host".to_owned() } else { format!("the {} hosts", hosts.len()) }
        ),
        cost_ns,
        share: share(cost_ns, scene.scope),
        confidence: Confidence::Low,
        ranks: paying,
        cause_ranks: Vec::new(),
        sites: Vec::new(),
        regions: Vec::new(),
        iterations: scene.main.and_then(|l| moments(scene).iterations(&l.found)),
        evidence,
        proof: Vec::new(),
        ..Finding::of(&NOISE)
    });
}

/// The times of delays; empty if there are so many that only the last of them are kept.
fn moments(scene: &Context<'_>) -> Spread {
    let mut spread = Spread::new(scene.scope);
    for noise in scene.sequences.iter().map(|s| &s.noise) {
        let kept = noise.moments.len() as u64;
        let each_ns = noise.excess_ns / noise.count.max(1);
        if kept < noise.count {
            return Spread::new(scene.scope);
        }
        noise.moments.iter().for_each(|&ns| spread.add(ns.saturating_sub(each_ns), ns));
    }
    spread
}

/// The distance of delays, if nearly all are multiples of one.
fn period(moments: &[u64]) -> Option<u64> {
    let mut sorted = moments.to_vec();
    sorted.sort_unstable();
    let mut apart: Vec<u64> = sorted.windows(2).map(|w| w[1] - w[0]).filter(|&d| d > 0).collect();
    if apart.len() < 16 {
        return None;
    }
    apart.sort_unstable();
    // The shortest distances are the period itself.
    let base = apart[apart.len() / 8];
    let near = |&&d: &&u64| (d + base / 10) % base <= base / 5 && d < base * 32;
    (base > 0 && apart.iter().filter(near).count() * 10 >= apart.len() * 8).then_some(base)
}

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn periods_of_delays() {
        let ticks: Vec<u64> = (0..100u64).filter(|i| i % 7 != 3).map(|i| i * 4_000_000 + i * 37 % 90_000).collect();
        let found = period(&ticks).expect("a period");
        assert!(found.abs_diff(4_000_000) < 200_000, "{found}");
        let random: Vec<u64> = (0..100u64).map(|i| i * 4_000_000 + i * i * 7_919_017 % 3_900_000).collect();
        assert_eq!(period(&random), None);
        assert_eq!(period(&[]), None);
    }
}
