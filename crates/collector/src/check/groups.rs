//! Processes of the group that a call names.

use mpiscope_abi::spec::class;

use super::Scene;
use super::view::Slot;
use crate::objects::{self, CommInfo};

/// Ranks in the world of the processes of the call's group, each through `rank_of`; `None` when not all are known.
pub fn ranks(s: &Scene<'_>, rank_of: impl Fn(i32) -> Option<i32>) -> Option<Vec<u64>> {
    let handle = s.view.param(Slot::Group).and_then(|p| s.view.handle(p))?;
    // The empty group has no processes that could be asked for.
    if s.view.nulls.is_predefined(handle) {
        return Some(Vec::new());
    }
    // Asking about a handle that is none ends some programs.
    let alive = s.checker.objects.get(class::GROUP, handle).is_some_and(|t| t.live > 0);
    let world = if alive { objects::world_ranks(s.view.process, handle as usize) } else { None }?;
    world.into_iter().map(|rank| rank_of(rank).and_then(|rank| u64::try_from(rank).ok())).collect()
}

/// The rank in a communicator of a process of the world.
pub fn rank_in(comm: &CommInfo, world: i32) -> Option<i32> {
    (0..comm.size).find(|&rank| comm.world_rank(rank) == Some(world))
}
