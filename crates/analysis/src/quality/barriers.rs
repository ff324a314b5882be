//! Barriers that another synchronising operation makes redundant.

use mpiscope_abi::role::{Pattern, Role, role};
use mpiscope_store::{Collective, Dimensions, Member};
use mpiscope_units::{count, time};
use rustc_hash::FxHashMap;

use super::draft::{Draft, at_site};
use super::kinds::{Kinds, NONE, synchronises};
use super::registry::{Context, QualityRule};
use super::sample::{CostlySpan, Top};
use crate::explanation::{Confidence, Explanation, Relations, Remedy, Rule, WaitKind};

pub(super) const REDUNDANT: Rule = Rule {
    id: "redundant_barrier",
    what: "A barrier comes directly before or after an operation in which all ranks wait for each other anyway.",
    formula: "On every rank the two calls follow each other with no call between them, and on at least half of the ranks less \
              than 20 µs pass between them. cost = Σ (return of the rank − last entry), the completion. Waiting for the last rank \
              is not counted: it would move to the other operation. Completion is defined as in Scalasca's patterns.",
    threshold: "At least 90 % of the barriers of a call site are redundant, and the time in them, including waiting, \
                is ≥ 1 % of rank time and ≥ 1 ms. The cost may be less than this.",
    doubt: "A barrier may order something other than messages (files, shared memory, output, a timer). MPI guarantees only for \
            the barrier that it synchronises; an operation in which every rank needs data of every rank does so as well.",
    saving: "The run without these barriers and their own time.",
    relations: Relations { explains_time_in_calls: true, ..Relations::LATE },
};

/// Between two calls that follow each other directly: longer is work, shorter a few lines of code.
const GAP_NS: u64 = 20_000;

/// The last synchronising operation of a communicator.
struct Last {
    index: u64,
    barrier: Option<(u32, u64, bool)>,
    /// By member: row and return.
    ends: Vec<(u64, u64)>,
}

#[derive(Default)]
struct BarrierSum {
    count: u64,
    time_ns: u64,
    redundant: u64,
    /// The cost of the redundant ones.
    completion_ns: u64,
    /// Of them, those with the other operation before.
    after: u64,
    by_rank: Vec<u64>,
    top: Top,
}

/// Collects barriers.
#[derive(Default)]
pub(crate) struct Barriers {
    last: FxHashMap<u32, Last>,
    sums: FxHashMap<u32, BarrierSum>,
}

impl QualityRule for Barriers {
    const RULES: &'static [Rule] = &[REDUNDANT];

    fn new(_kinds: &Kinds, _dimensions: &Dimensions) -> Barriers {
        Barriers::default()
    }

    fn collective(&mut self, operation: &Collective, members: &[Member], kinds: &Kinds) {
        let is_barrier = role(operation.function) == Role::Collective(Pattern::Barrier);
        let blocking = members.iter().all(|m| m.end.done_row == m.end.row);
        if operation.missing > 0 || !blocking || !synchronises(operation.function) {
            self.last.remove(&operation.comm.0);
            return;
        }
        let before = self.last.get(&operation.comm.0).filter(|l| {
            let next = |((row, end_ns), m): (&(u64, u64), &Member)| {
                (m.end.row == row + 1).then(|| m.end.start_ns.saturating_sub(*end_ns) <= GAP_NS)
            };
            if l.index + 1 != operation.index || l.ends.len() != members.len() {
                return false;
            }
            let close: Option<Vec<bool>> = l.ends.iter().zip(members).map(next).collect();
            close.is_some_and(|c| 2 * c.iter().filter(|&&is_close| is_close).count() >= c.len())
        });
        if let Some((group, completion_ns, false)) = before.and_then(|l| l.barrier) {
            let sum = self.sums.entry(group).or_default();
            sum.redundant += 1;
            sum.completion_ns += completion_ns;
        }
        let after_other = before.is_some_and(|l| l.barrier.is_none());
        let mut barrier = None;
        if is_barrier {
            barrier = self.barrier(members, kinds, after_other).map(|(g, ns)| (g, ns, after_other));
        }
        let last =
            self.last.entry(operation.comm.0).or_insert_with(|| Last { index: 0, barrier: None, ends: Vec::new() });
        (last.index, last.barrier) = (operation.index, barrier);
        last.ends.clear();
        last.ends.extend(members.iter().map(|m| (m.end.row, m.end.end_ns)));
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, .. } = *context;
        for (group, sum) in self.sums.into_iter().filter(|(group, _)| *group != NONE) {
            if sum.redundant * 10 < sum.count * 9 || sum.time_ns < out.scope.threshold_ns() {
                continue;
            }
            let site = kinds.site(group, dimensions);
            let neighbour = if 2 * sum.after > sum.redundant { "right after" } else { "right before" };
            let draft = Draft::new(&REDUNDANT, Confidence::Medium, &out.scope, sum.completion_ns).describe(
                format!("The barrier{} comes {neighbour} an operation that synchronises", at_site(site.as_deref())),
                format!(
                    "{} of {} barriers there come directly before or after a barrier or an all-to-all operation on the same \
                     communicator. Ranks spent {} in them, of which {} after the last rank had entered; the rest is waiting \
                     that would move to the other operation.",
                    count(sum.redundant),
                    count(sum.count),
                    time(sum.time_ns),
                    time(sum.completion_ns)
                ),
                "Remove the barrier, unless it orders something other than messages (a file, shared memory, a timer)."
                    .into(),
            );
            let finding = draft
                .at([group], kinds, dimensions)
                .without(|quicker| Some(Remedy { without: vec![WaitKind::WaitAtBarrier], ..quicker }))
                .paid_by(&sum.by_rank, dimensions)
                .int("barriers", sum.count)
                .int("redundant", sum.redundant)
                .int("inside_ns", sum.time_ns)
                .int("completion_ns", sum.completion_ns)
                .proven_by(&sum.top, dimensions);
            out.findings.push(finding.done());
        }
    }
}

impl Barriers {
    /// Counts a barrier: its group and the time of its completion.
    fn barrier(&mut self, members: &[Member], kinds: &Kinds, is_redundant: bool) -> Option<(u32, u64)> {
        let first = members.first()?;
        let group = kinds.info(first.rank, first.end.facts).group;
        let last_ns = members.iter().map(|m| m.end.start_ns).max()?;
        let sum = self.sums.entry(group).or_default();
        sum.by_rank.resize(kinds.ranks(), 0);
        let mut completion_ns = 0;
        for m in members {
            let (start_ns, end_ns) = (m.end.start_ns, m.end.end_ns);
            completion_ns += end_ns.saturating_sub(last_ns);
            let cost_ns = end_ns.saturating_sub(start_ns);
            sum.time_ns += cost_ns;
            if let Some(ns) = sum.by_rank.get_mut(m.rank.0 as usize) {
                *ns += cost_ns;
            }
            sum.top.push(CostlySpan { cost_ns, rank: m.rank, start_ns, end_ns, row: Some(m.end.row) });
        }
        sum.count += 1;
        if is_redundant {
            sum.redundant += 1;
            sum.after += 1;
            sum.completion_ns += completion_ns;
        }
        Some((group, completion_ns))
    }
}
