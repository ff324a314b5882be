//! Runs of unsuccessful polls.

use mpiscope_store::{Dimensions, RankId};
use mpiscope_units::{count, time};

use super::draft::{Draft, at_site};
use super::kinds::{Kind, Kinds};
use super::registry::{CallSeen, Context, QualityRule};
use super::sample::{CostlySpan, Top};
use crate::explanation::{Confidence, Explanation, Relations, Remedy, Rule};

pub(super) const POLLING: Rule = Rule {
    id: "polling",
    what: "A loop polls (MPI_Test, MPI_Iprobe, …) until it succeeds, and does nothing else meanwhile.",
    formula: "cost = time in unsuccessful calls (from the summary, which is complete even if events are lost). Tightness = this \
              time / time from the first to the last call of each run of polls.",
    threshold: "≥ 1 % of rank time and ≥ 1 ms for one call site; tightness ≥ 0.2: below this, most of the time is work between \
                the calls, and occasional polls are what makes progress.",
    doubt: "A blocking call would wait just as long if there is nothing else to do: the gain is then a free core, not time. If \
            other work could be done meanwhile, the gain is the cost.",
    saving: "Nothing: without the polls, the rank waits just as long for what it needs.",
    relations: Relations::IN_CALLS,
};

#[derive(Clone, Default)]
struct PollSum {
    runs: u64,
    calls: u64,
    span_ns: u64,
    top: Top,
}

/// Collects runs of polls.
pub(crate) struct Polling {
    sums: Vec<PollSum>,
}

impl QualityRule for Polling {
    const RULES: &'static [Rule] = &[POLLING];

    fn new(kinds: &Kinds, _dimensions: &Dimensions) -> Polling {
        Polling { sums: vec![PollSum::default(); kinds.groups.len()] }
    }

    /// A run of polls.
    #[inline]
    fn call(&mut self, seen: &CallSeen<'_>) {
        let CallSeen { rank, row, call, info, .. } = *seen;
        if info.kind != Kind::Poll {
            return;
        }
        let Some(sum) = self.sums.get_mut(info.group as usize) else { return };
        let (start_ns, end_ns) = (call.start_ns, call.end_ns);
        let cost_ns = end_ns.saturating_sub(start_ns);
        sum.runs += 1;
        sum.calls += u64::from(call.calls);
        sum.span_ns += cost_ns;
        sum.top.push(CostlySpan { cost_ns, rank: RankId(rank as u32), start_ns, end_ns, row: Some(row) });
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, facts, .. } = *context;
        // Totals of the summary, by group and rank; and the part of the time that is analysed.
        let mut busy = vec![vec![0u64; 0]; kinds.groups.len()];
        let (mut calls, mut inside) = (vec![0u64; kinds.groups.len()], vec![0u64; kinds.groups.len()]);
        for (rank, facts) in facts.iter().enumerate() {
            for (f, info) in facts.iter().zip(kinds.of_rank(rank)) {
                if info.kind == Kind::Poll {
                    let group = info.group as usize;
                    busy[group].resize(kinds.ranks(), 0);
                    busy[group][rank] += dimensions.ranks[rank].part_with_rows(f.time_ns);
                    inside[group] += f.time_ns;
                    calls[group] += f.calls;
                }
            }
        }
        for (group, sum) in self.sums.iter().enumerate() {
            let (cost_ns, inside_ns) = (busy[group].iter().sum::<u64>(), inside[group]);
            let all = calls[group].max(sum.calls);
            // The part of the time for which there are rows.
            let seen_ns = inside_ns as f64 * if all > 0 { sum.calls as f64 / all as f64 } else { 0.0 };
            let tightness = if sum.span_ns > 0 { (seen_ns / sum.span_ns as f64).min(1.0) } else { 1.0 };
            if cost_ns < out.scope.threshold_ns() || tightness < 0.2 {
                continue;
            }
            let group = group as u32;
            let function = kinds.function_name(group);
            let site = kinds.site(group, dimensions);
            let per_s = if sum.span_ns > 0 { sum.calls as f64 * 1e9 / sum.span_ns as f64 } else { 0.0 };
            let block = if function.contains("probe") { "MPI_Probe or MPI_Mprobe" } else { "MPI_Wait, or MPI_Waitany" };
            let draft = Draft::new(&POLLING, Confidence::Medium, &out.scope, cost_ns).describe(
                format!("{function}{} polls {} times without success", at_site(site.as_deref()), count(all)),
                format!(
                    "{} unsuccessful calls took {}. They come in runs ({} recorded), at {} calls per second: nothing else is \
                     done meanwhile.",
                    count(all),
                    time(inside_ns),
                    count(sum.runs),
                    count(per_s as u64)
                ),
                format!(
                    "Block instead ({block}), or do work between two polls. The findings about waits show what the rank waits for."
                ),
            );
            let finding = draft
                .at([group], kinds, dimensions)
                // A rank that polls needs something: without the polls it waits for that just as long.
                .without(|_| Some(Remedy::default()))
                .paid_by(&busy[group as usize], dimensions)
                .int("calls", all)
                .int("inside_ns", inside_ns)
                .int("runs", sum.runs)
                .int("runs_span_ns", sum.span_ns)
                .float("calls_per_s", per_s)
                .float("tightness", tightness)
                .proven_by(&sum.top, dimensions);
            out.findings.push(finding.done());
        }
    }
}
