//! Calls in hot loops whose result never changes.

use mpiscope_store::{CallInfo, Dimensions, flags};
use mpiscope_units::{count, time};
use rustc_hash::FxHashMap;

use super::draft::{Draft, at_site};
use super::kinds::{Kind, Kinds};
use super::registry::{CallSeen, Context, QualityRule};
use crate::explanation::{Confidence, Explanation, Relations, Rule, Value};
use crate::waits::RECORDING_NS;

pub(super) const NEEDLESS: Rule = Rule {
    id: "needless_calls",
    what: "A hot loop queries constant values from MPI (rank, size, size of a datatype), or the time.",
    formula: "cost = time in calls of such functions at call sites with at least 1000 of them on a rank, from the summary, \
              which is complete even if events are lost. A loop that reads the time until a time has come does not count.",
    threshold: "All call sites together: ≥ 1 % of rank time and ≥ 1 ms. Fewer than 1000 calls on a rank are not a hot loop.",
    doubt: "A call of a few ns appears longer by the two clock reads around it, some 10 to 20 ns.",
    saving: "The run in which these calls take less time by the cost: an upper bound, because a call of a few ns appears \
             longer by the two clock reads around it.",
    relations: Relations::IN_CALLS,
};

/// A call site needs this many calls on one rank.
const HOT: u64 = 1000;

/// Functions that only return what the caller could have stored.
const ASKING: [&str; 34] = [
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_remote_size",
    "MPI_Comm_group",
    "MPI_Comm_test_inter",
    "MPI_Comm_get_attr",
    "MPI_Comm_get_name",
    "MPI_Comm_compare",
    "MPI_Group_rank",
    "MPI_Group_size",
    "MPI_Group_translate_ranks",
    "MPI_Wtime",
    "MPI_Wtick",
    "MPI_Initialized",
    "MPI_Finalized",
    "MPI_Is_thread_main",
    "MPI_Query_thread",
    "MPI_Get_processor_name",
    "MPI_Get_version",
    "MPI_Get_library_version",
    "MPI_Type_size",
    "MPI_Type_size_x",
    "MPI_Type_get_extent",
    "MPI_Type_get_true_extent",
    "MPI_Type_get_envelope",
    "MPI_Pack_size",
    "MPI_Topo_test",
    "MPI_Cart_get",
    "MPI_Cart_rank",
    "MPI_Cart_coords",
    "MPI_Cart_shift",
    "MPI_Cartdim_get",
    "MPI_Graph_neighbors_count",
    "MPI_Win_get_attr",
];

struct NeedlessSum {
    group: u32,
    calls: u64,
    time_ns: u64,
    most_on_a_rank: u64,
    by_rank: Vec<u64>,
}

/// Whether a function only queries; the `_c` variants and Fortran's are the same function here.
fn only_asks(function: u32) -> bool {
    let name = mpiscope_abi::name(function);
    ASKING.contains(&name.strip_suffix("_c").unwrap_or(name))
}

/// Uses the totals of call sites, from the summaries.
#[derive(Default)]
pub(super) struct Needless {
    /// By rank and facts: how long loops take that read the clock again and again, ns.
    loops_ns: FxHashMap<(usize, u32), u64>,
}

impl Needless {
    /// Whether calls wait for a time: such a loop does nothing else, and what it waits for is not saved.
    fn waits_for_a_time(&self, rank: usize, facts: u32, info: &CallInfo) -> bool {
        let reading_ns = info.time_ns + RECORDING_NS * info.calls;
        let is_loop = info.flags & flags::POLL != 0;
        is_loop && self.loops_ns.get(&(rank, facts)).is_none_or(|&loops_ns| 2 * reading_ns >= loops_ns)
    }
}

impl QualityRule for Needless {
    const RULES: &'static [Rule] = &[NEEDLESS];

    fn new(_kinds: &Kinds, _dimensions: &Dimensions) -> Needless {
        Needless::default()
    }

    #[inline]
    fn call(&mut self, seen: &CallSeen<'_>) {
        if seen.call.calls > 1 && seen.info.kind == Kind::Local {
            *self.loops_ns.entry((seen.rank, seen.call.facts)).or_default() += seen.call.end_ns - seen.call.start_ns;
        }
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, facts, .. } = *context;
        let mut sums: FxHashMap<u32, NeedlessSum> = FxHashMap::default();
        let asks: Vec<bool> = kinds.functions.iter().map(|&f| only_asks(f)).collect();
        for (rank, facts) in facts.iter().enumerate() {
            let mut here: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
            for (number, (f, info)) in (0..).zip(facts.iter().zip(kinds.of_rank(rank))) {
                if asks[usize::from(info.function)] && !self.waits_for_a_time(rank, number, f) {
                    let (calls, ns) = here.entry(info.group).or_default();
                    (*calls, *ns) = (*calls + f.calls, *ns + f.time_ns);
                }
            }
            let row = &dimensions.ranks[rank];
            for (group, (calls, time_ns)) in here {
                let ranks = kinds.ranks();
                let new = || NeedlessSum { group, calls: 0, time_ns: 0, most_on_a_rank: 0, by_rank: vec![0; ranks] };
                let sum = sums.entry(group).or_insert_with(new);
                sum.calls += calls;
                sum.time_ns += time_ns;
                sum.most_on_a_rank = sum.most_on_a_rank.max(calls);
                sum.by_rank[rank] += row.part_with_rows(time_ns);
            }
        }
        let mut sums: Vec<NeedlessSum> = sums.into_values().filter(|s| s.most_on_a_rank >= HOT).collect();
        sums.sort_by_key(|s| (std::cmp::Reverse(s.time_ns), s.group));
        let (inside_ns, cost_ns) =
            sums.iter().fold((0, 0), |(ns, cost), s| (ns + s.time_ns, cost + s.by_rank.iter().sum::<u64>()));
        let calls: u64 = sums.iter().map(|s| s.calls).sum();
        let Some(first) = sums.first().filter(|_| cost_ns >= out.scope.threshold_ns()) else { return };
        let function = kinds.function_name(first.group);
        let place = at_site(kinds.site(first.group, dimensions).as_deref());
        let others = match sums.len() - 1 {
            0 => String::new(),
            1 => " 1 more call site does the same.".to_owned(),
            n => format!(" {n} more call sites do the same."),
        };
        let mut costs = vec![0; kinds.ranks()];
        for sum in &sums {
            costs.iter_mut().zip(&sum.by_rank).for_each(|(all, ns)| *all += ns);
        }
        let advice = if function == "MPI_Wtime" {
            "Take the time outside the loop, or only every few iterations."
        } else {
            "Call it once, before the loop, and keep the result in a variable."
        };
        let text = |s: &NeedlessSum| {
            let site = kinds.site(s.group, dimensions).unwrap_or_default();
            Value::List(vec![
                Value::Text(kinds.function_name(s.group).into()),
                Value::Text(site),
                Value::Int(s.calls),
                Value::Int(s.time_ns),
            ])
        };
        let draft = Draft::new(&NEEDLESS, Confidence::High, &out.scope, cost_ns).describe(
            format!("{function}{place} is called {} times", count(first.calls)),
            format!(
                "{} calls that only return such values take {} in total, {} each.{others}",
                count(calls),
                time(inside_ns),
                time(inside_ns / calls.max(1))
            ),
            advice.into(),
        );
        let finding = draft
            .at(sums.iter().map(|s| s.group), kinds, dimensions)
            // The clock is read twice for each.
            .at_most()
            .paid_by(&costs, dimensions)
            .int("calls", calls)
            .int("inside_ns", inside_ns)
            .float("ns_per_call", inside_ns as f64 / calls.max(1) as f64)
            .list("function_site_calls_ns", sums.iter().take(8).map(text));
        out.findings.push(finding.done());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_exist() {
        for name in super::ASKING {
            assert!(mpiscope_abi::by_name(name).is_some(), "{name}");
        }
    }
}
