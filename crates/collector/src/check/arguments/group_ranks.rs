//! Ranks that are picked from a group.

use mpiscope_abi::Param;
use mpiscope_abi::spec::class;
use mpiscope_trace::check::rule;

use super::{MOST, list, number};
use crate::check::CallContext;
use crate::check::view::Slot;
use crate::mpi::call;

/// Size of a group that is alive.
pub fn group_size(s: &CallContext<'_>, handle: u64) -> Option<i32> {
    let mut size = 0;
    let alive = s.checker.objects.get(class::GROUP, handle).is_some_and(|t| t.live > 0);
    (alive && call::Group_size(handle as usize, &mut size)).then_some(size)
}

/// Ranks of `MPI_Group_incl` and its like: in the group, and each once.
pub fn members_of_group(s: &mut CallContext<'_>, param: &'static Param) {
    let Some(handle) = s.view.param(Slot::Group).and_then(|p| s.view.handle(p)) else { return };
    let (Some(size), Some(n)) = (group_size(s, handle), number(s, "n")) else { return };
    let Some(ranks) = list(s, "ranks", n) else { return };
    let mut seen = std::collections::HashSet::new();
    for &rank in &ranks {
        if !(0..i64::from(size)).contains(&rank) {
            return s.find(rule::RANK, Some(param), [rank, size.into(), 0], "");
        }
        if !seen.insert(rank) {
            return s.find(rule::VALUE, Some(param), [rank, 0, 0], "each rank once");
        }
    }
}

/// First rank, last rank and stride of each range: no stride of 0, all of them in the group, and each once (MPI-5.0 §7.3.2).
pub fn ranges_of_group(s: &mut CallContext<'_>) {
    let Some(handle) = s.view.param(Slot::Group).and_then(|p| s.view.handle(p)) else { return };
    let (Some(size), Some(n)) = (group_size(s, handle), number(s, "n")) else { return };
    let Some(numbers) = list(s, "ranges", n.saturating_mul(3)) else { return };
    let param = s.view.plan.named("ranges");
    let mut seen = std::collections::HashSet::new();
    for range in numbers.chunks_exact(3) {
        let (first, last, stride) = (range[0], range[1], range[2]);
        if stride == 0 {
            return s.find(rule::VALUE, param, [0; 3], "a stride other than 0");
        }
        // No other ones are named if the stride leads away from the last one.
        let steps = if (last - first).signum() == -stride.signum() { -1 } else { (last - first) / stride };
        for step in 0..=steps.min(MOST) {
            let rank = first + step * stride;
            if !(0..i64::from(size)).contains(&rank) {
                return s.find(rule::RANK, param, [rank, size.into(), 0], "");
            }
            if !seen.insert(rank) {
                return s.find(rule::VALUE, param, [rank, 0, 0], "each rank once");
            }
        }
    }
}

/// Ranks to be translated: those of the first group, or `MPI_PROC_NULL`.
pub fn translated(s: &mut CallContext<'_>) {
    let group = s.view.plan.named("group1").and_then(|p| s.view.handle(p));
    let (Some(size), Some(n)) = (group.and_then(|handle| group_size(s, handle)), number(s, "n")) else { return };
    let proc_null = i64::from(s.view.process.mpi.constants.proc_null);
    let Some(ranks) = list(s, "ranks1", n) else { return };
    if let Some(&bad) = ranks.iter().find(|&&rank| rank != proc_null && !(0..i64::from(size)).contains(&rank)) {
        s.find(rule::RANK, s.view.plan.named("ranks1"), [bad, size.into(), 0], "");
    }
}
