//! Processes of the group that is an argument of a call.

use mpiscope_abi::Param;
use mpiscope_abi::spec::class;
use mpiscope_trace::check::rule;

use super::CallContext;
use super::view::Slot;
use crate::mpi::call;
use crate::objects::{self, CommInfo};

/// Ranks in the world of the processes of the call's group, each through `rank_of`; `None` when not all are known.
pub fn ranks(s: &CallContext<'_>, rank_of: impl Fn(i32) -> Option<i32>) -> Option<Vec<u64>> {
    ranks_of(s, s.view.param(Slot::Group)?, rank_of)
}

/// The same of a group that a parameter names.
pub fn ranks_of(s: &CallContext<'_>, param: &Param, rank_of: impl Fn(i32) -> Option<i32>) -> Option<Vec<u64>> {
    let handle = s.view.handle(param)?;
    // The empty group has no processes that could be asked for.
    if s.view.nulls.is_predefined(handle) {
        return Some(Vec::new());
    }
    // Some MPI libraries end the program when called with an invalid handle.
    let alive = s.checker.objects.get(class::GROUP, handle).is_some_and(|t| t.live > 0);
    let world = if alive { objects::world_ranks(s.view.process, handle as usize) } else { None }?;
    world.into_iter().map(|rank| rank_of(rank).and_then(|rank| u64::try_from(rank).ok())).collect()
}

/// A process's data of an intercommunicator that is created from groups.
pub struct Sides {
    /// Ranks in the world of its own group.
    pub own: Vec<u64>,
    /// Those of the other group, where it leads its own one.
    pub other: Option<Vec<u64>>,
}

/// Of `MPI_Intercomm_create_from_groups`; `None` when not all are known.
pub fn sides(s: &CallContext<'_>) -> Option<Sides> {
    let own = ranks(s, Some)?;
    let handle = s.view.param(Slot::Group).and_then(|p| s.view.handle(p))?;
    let mut rank = -1;
    let leader = s.view.plan.named("local_leader").map(|p| s.view.int(p))?;
    // It is a group, as its ranks are known.
    let leads = !own.is_empty() && call::Group_rank(handle as usize, &mut rank) && i64::from(rank) == leader;
    let other = s.view.plan.named("remote_group").filter(|_| leads);
    Some(Sides { own, other: other.and_then(|param| ranks_of(s, param, Some)) })
}

/// Leaders must be in their groups, and no process in both.
pub fn check_sides(s: &mut CallContext<'_>) {
    let Some(sides) = sides(s) else { return };
    let groups = [("local_leader", Some(&sides.own)), ("remote_leader", sides.other.as_ref())];
    for (name, group) in groups {
        let (Some(group), Some(param)) = (group, s.view.plan.named(name)) else { continue };
        let (rank, size) = (s.view.int(param), group.len() as i64);
        if !(0..size).contains(&rank) {
            s.find(rule::RANK, Some(param), [rank, size, 0], name);
        }
    }
    if let Some(both) = sides.other.iter().flatten().find(|rank| sides.own.contains(rank)) {
        let text = format!("rank {both} of MPI_COMM_WORLD is in both groups");
        s.find(rule::GROUP, s.view.plan.named("remote_group"), [0; 3], &text);
    }
}

/// The rank in a communicator of a process of the world.
pub fn rank_in(comm: &CommInfo, world: i32) -> Option<i32> {
    (0..comm.size).find(|&rank| comm.world_rank(rank) == Some(world))
}
