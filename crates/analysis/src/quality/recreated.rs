//! Communicators and windows that are created in a loop, each after the one before it was freed.

use mpiscope_abi::role::makes_object;
use mpiscope_store::{Collective, Dimensions, Member};
use mpiscope_units::{count, time};
use rustc_hash::FxHashMap;

use super::draft::{Draft, at_site};
use super::kinds::{Info, Kinds, NONE};
use super::registry::{CallSeen, Context, QualityRule};
use super::sample::{CostlySpan, Top};
use crate::explanation::{Confidence, Explanation, Relations, Rule};

pub(super) const RECREATED: Rule = Rule {
    id: "recreated_objects",
    what: "Communicators or windows are created again and again, each after the one before it was freed.",
    formula: "A call creates an object again if its rank has freed one of the same kind since it last created one. cost = time in calls that \
              create, and in calls that free, such objects, without waiting for the last rank, × the share of creations that are repeated.",
    threshold: "A call site creates an object again at least 10 times on a rank, and all such calls together cost ≥ 1 % of rank time and ≥ 1 ms.",
    doubt: "Objects whose ranks or memory change have to be created again.",
    saving: "The run in which these calls take less time by the cost.",
    relations: Relations::IN_CALLS,
};

/// A call site creates objects in a loop if it does so again as often as this, on one rank.
const LEAST_TIMES: u64 = 10;

/// What is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Communicator,
    Window,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Communicator, Kind::Window];

    fn many(self) -> &'static str {
        match self {
            Kind::Communicator => "Communicators",
            Kind::Window => "Windows",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Kind::Communicator => {
                "Create the communicator once, before the loop, and free it after the loop. Only if its ranks change does it have to be created \
                 again."
            }
            Kind::Window => {
                "Create the window once, before the loop, and free it after the loop. For memory that changes, attach it to a dynamic \
                 window (MPI_Win_create_dynamic, MPI_Win_attach)."
            }
        }
    }
}

/// What a function does with objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Create(Kind),
    Free(Kind),
}

/// What this function does; files are opened again because others need them.
fn act(function: u32) -> Option<Act> {
    let name = mpiscope_abi::name(function);
    match name {
        "MPI_Comm_free" | "MPI_Comm_disconnect" => Some(Act::Free(Kind::Communicator)),
        "MPI_Win_free" => Some(Act::Free(Kind::Window)),
        _ if !makes_object(function) => None,
        _ if name.starts_with("MPI_Win_") => Some(Act::Create(Kind::Window)),
        _ => Some(Act::Create(Kind::Communicator)),
    }
}

/// Calls of a group.
#[derive(Default)]
struct GroupSum {
    calls: u64,
    /// By rank.
    again: Vec<u64>,
    own_ns: Vec<u64>,
    top: Top,
}

/// Collects creations.
pub(crate) struct Recreated {
    /// By index of the function.
    acts: Vec<Option<Act>>,
    /// By rank and kind: whether the last call freed one.
    was_freed: Vec<[bool; Kind::ALL.len()]>,
    sums: FxHashMap<u32, GroupSum>,
}

impl Recreated {
    #[inline]
    fn act_of(&self, info: &Info) -> Option<Act> {
        self.acts.get(usize::from(info.function)).copied().flatten()
    }

    fn sum(&mut self, group: u32) -> &mut GroupSum {
        let ranks = self.was_freed.len();
        let new = || GroupSum { again: vec![0; ranks], own_ns: vec![0; ranks], ..GroupSum::default() };
        self.sums.entry(group).or_insert_with(new)
    }

    #[cold]
    fn add(&mut self, act: Act, seen: &CallSeen<'_>) {
        let (Act::Create(kind) | Act::Free(kind)) = act;
        let Some(was_freed) = self.was_freed.get_mut(seen.rank).map(|of| &mut of[kind as usize]) else { return };
        let is_again = std::mem::replace(was_freed, act == Act::Free(kind)) && act == Act::Create(kind);
        let rank = seen.rank;
        let sum = self.sum(seen.info.group);
        sum.calls += 1;
        sum.again[rank] += u64::from(is_again);
        sum.own_ns[rank] += seen.call.end_ns.saturating_sub(seen.call.start_ns);
    }
}

impl QualityRule for Recreated {
    const RULES: &'static [Rule] = &[RECREATED];

    fn new(kinds: &Kinds, _dimensions: &Dimensions) -> Recreated {
        Recreated {
            acts: kinds.functions.iter().map(|&function| act(function)).collect(),
            was_freed: vec![<[bool; Kind::ALL.len()]>::default(); kinds.ranks()],
            sums: FxHashMap::default(),
        }
    }

    #[inline]
    fn call(&mut self, seen: &CallSeen<'_>) {
        if let Some(act) = self.act_of(seen.info) {
            self.add(act, seen);
        }
    }

    /// Takes out the time in which ranks wait for the last one: it would move to the next operation.
    fn collective(&mut self, _operation: &Collective, members: &[Member], kinds: &Kinds) {
        let info = |m: &Member| kinds.info(m.rank, m.end.facts);
        if members.first().and_then(|m| self.act_of(info(m))).is_none() {
            return;
        }
        let last_ns = members.iter().map(|m| m.end.start_ns).max().unwrap_or(0);
        for m in members {
            let (start_ns, end_ns) = (m.end.start_ns, m.end.end_ns);
            let waiting_ns = last_ns.min(end_ns).saturating_sub(start_ns);
            let group = info(m).group;
            if group == NONE {
                continue;
            }
            let sum = self.sum(group);
            if let Some(own_ns) = sum.own_ns.get_mut(m.rank.0 as usize) {
                *own_ns = own_ns.saturating_sub(waiting_ns);
            }
            let cost_ns = end_ns.saturating_sub(start_ns + waiting_ns);
            sum.top.push(CostlySpan { cost_ns, rank: m.rank, start_ns, end_ns, row: Some(m.end.row) });
        }
    }

    fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
        for kind in Kind::ALL {
            self.conclude_kind(kind, context, out);
        }
    }
}

impl Recreated {
    fn conclude_kind(&self, kind: Kind, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, .. } = *context;
        let of = |wanted: Act| {
            let is_such = move |group: u32| {
                kinds.groups.get(group as usize).is_some_and(|group| act(group.function) == Some(wanted))
            };
            self.sums.iter().filter(move |(group, _)| is_such(**group)).map(|(&group, sum)| (group, sum))
        };
        let most = |sum: &GroupSum| sum.again.iter().copied().max().unwrap_or(0);
        let all_ns = |sum: &GroupSum| sum.own_ns.iter().sum::<u64>();
        let mut made: Vec<(u32, &GroupSum)> =
            of(Act::Create(kind)).filter(|(_, sum)| most(sum) >= LEAST_TIMES).collect();
        made.sort_by_key(|&(group, sum)| (std::cmp::Reverse(all_ns(sum)), group));
        let Some(&(first, first_sum)) = made.first() else { return };
        let again = |sum: &GroupSum| sum.again.iter().sum::<u64>();
        // Of all objects of this kind, freed or not, those that are created again are freed as often.
        let freed: Vec<(u32, &GroupSum)> = of(Act::Free(kind)).collect();
        let created: u64 = made.iter().map(|(_, sum)| again(sum)).sum();
        let freed_calls: u64 = freed.iter().map(|(_, sum)| sum.calls).sum();
        let mut costs_ns = vec![0; kinds.ranks()];
        let mut add = |sum: &GroupSum, part: f64| {
            costs_ns.iter_mut().zip(&sum.own_ns).for_each(|(all, &ns)| *all += (ns as f64 * part) as u64);
        };
        made.iter().for_each(|(_, sum)| add(sum, again(sum) as f64 / sum.calls.max(1) as f64));
        freed.iter().for_each(|(_, sum)| add(sum, (created as f64 / freed_calls.max(1) as f64).min(1.0)));
        let cost_ns: u64 = costs_ns.iter().sum();
        if cost_ns < out.scope.threshold_ns() {
            return;
        }
        let function = kinds.function_name(first);
        let site = kinds.site(first, dimensions);
        let each = |sums: &[(u32, &GroupSum)]| {
            let (ns, calls) = sums.iter().fold((0, 0), |(ns, calls), (_, sum)| (ns + all_ns(sum), calls + sum.calls));
            time(ns / calls.max(1))
        };
        let draft = Draft::new(&RECREATED, Confidence::High, &out.scope, cost_ns).describe(
            format!("{} are created and freed in a loop", kind.many()),
            format!(
                "{function}{} is called {} times, each time after the one before was freed. Creating one takes {}, and freeing it {}, without \
                 waiting for other ranks: {} in total.",
                at_site(site.as_deref()),
                count(first_sum.calls),
                each(&made),
                each(&freed),
                time(cost_ns)
            ),
            kind.advice().into(),
        );
        let mut top = Top::default();
        made.iter().for_each(|(_, sum)| top.merge(&sum.top));
        let finding = draft
            .at(made.iter().chain(&freed).map(|&(group, _)| group), kinds, dimensions)
            .paid_by(&costs_ns, dimensions)
            .int("created_again", created)
            .int("inside_ns", cost_ns)
            .proven_by(&top, dimensions);
        out.findings.push(finding.done());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_create_and_free() {
        let of = |name: &str| act(mpiscope_abi::by_name(name).expect("a function"));
        assert_eq!(of("MPI_Comm_split"), Some(Act::Create(Kind::Communicator)));
        assert_eq!(of("MPI_Cart_create"), Some(Act::Create(Kind::Communicator)));
        assert_eq!(of("MPI_Comm_free"), Some(Act::Free(Kind::Communicator)));
        assert_eq!(of("MPI_Win_allocate_c"), Some(Act::Create(Kind::Window)));
        assert_eq!(of("MPI_Win_free"), Some(Act::Free(Kind::Window)));
        for other in ["MPI_File_open", "MPI_File_set_view", "MPI_Barrier", "MPI_Win_fence", "MPI_Comm_rank"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
