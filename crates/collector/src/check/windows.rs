//! Epochs of windows, as one process can know them, and the events of windows.

use std::collections::BTreeSet;

use mpiscope_abi::role::Epoch;
use mpiscope_abi::{Family, id};
use mpiscope_trace::check::event::{Body, Data, access, epoch, flag};
use mpiscope_trace::check::rule;

use super::Scene;
use super::sides::{Place, Side};
use super::view::Slot;
use crate::objects;

/// A window.
#[derive(Default)]
pub struct Window {
    /// Memory is attached later: displacements are addresses.
    pub dynamic: bool,
    /// Bytes of this process's part, 0 unknown.
    size: u64,
    unit: i64,
    /// Which of the windows of its communicator it is.
    pub ordinal: i64,
    fenced: bool,
    started: bool,
    posted: bool,
    locked_all: bool,
    locked: BTreeSet<i64>,
    site: u32,
}

/// The values of `MPI_LOCK_SHARED` and `MPI_LOCK_EXCLUSIVE`.
pub fn locks(family: Family) -> [i64; 2] {
    match family {
        Family::Mpich => [235, 234],
        Family::OpenMpi => [2, 1],
        Family::Standard => [302, 301],
    }
}

/// `MPI_MODE_NOPRECEDE` and `MPI_MODE_NOSUCCEED`.
fn no_neighbours(family: Family) -> [i64; 2] {
    match family {
        Family::Mpich => [8192, 16384],
        Family::OpenMpi => [2, 16],
        Family::Standard => [4096, 8192],
    }
}

/// A window was made.
pub fn made(s: &mut Scene<'_>, handle: u64) {
    let id = s.view.process.windows.id(handle);
    if id == 0 {
        return;
    }
    let plan = s.view.plan;
    let number = |name: &str| {
        plan.params.iter().find(|p| mpiscope_abi::param_name(p) == name).map(|p| s.view.int(p)).unwrap_or(0)
    };
    let ordinal = s.checker.ordinal(s.head_comm, 0);
    let window = Window {
        dynamic: plan.base == id::Win_create_dynamic,
        size: number("size").max(0) as u64,
        unit: number("disp_unit"),
        ordinal,
        site: s.site,
        ..Window::default()
    };
    s.checker.windows.insert(id, window);
}

/// The target of a call.
fn target(s: &Scene<'_>) -> i64 {
    // None at all is not MPI_PROC_NULL, which is −1 in some.
    s.view.number(Slot::Peer).unwrap_or(i64::from(i32::MIN))
}

/// Synchronisation: what it says, and whether it fits.
pub fn synchronise(s: &mut Scene<'_>, kind: Option<Epoch>) {
    let base = s.view.plan.base;
    let id = s.window();
    let assertion = s.view.number(Slot::Assert).unwrap_or(0);
    let one = target(s);
    let exclusive = locks(s.view.process.mpi.constants.family)[1];
    let lock_type = s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == "lock_type");
    let is_exclusive = lock_type.is_some_and(|p| s.view.int(p) == exclusive);
    if id != 0 {
        state(s, id, base, one, assertion);
    }
    let (what, targets) = match (kind, base) {
        (None, _) => (epoch::FENCE, Vec::new()),
        (Some(Epoch::Start), _) => (epoch::START, members(s)),
        (Some(Epoch::Post), _) => (epoch::POST, members(s)),
        (Some(Epoch::Complete), _) => (epoch::COMPLETE, Vec::new()),
        (Some(Epoch::Wait | Epoch::Test), _) => (epoch::WAIT, Vec::new()),
        (_, id::Win_lock) if is_exclusive => (epoch::LOCK_EXCLUSIVE, vec![one as i32]),
        (_, id::Win_lock) => (epoch::LOCK_SHARED, vec![one as i32]),
        (_, id::Win_lock_all) => (epoch::LOCK_ALL, Vec::new()),
        (_, id::Win_unlock) => (epoch::UNLOCK, vec![one as i32]),
        (_, id::Win_unlock_all) => (epoch::UNLOCK_ALL, Vec::new()),
        (_, id::Win_flush) => (epoch::FLUSH, vec![one as i32]),
        (_, id::Win_flush_all) => (epoch::FLUSH, Vec::new()),
        (_, id::Win_flush_local) => (epoch::FLUSH_LOCAL, vec![one as i32]),
        (_, id::Win_flush_local_all) => (epoch::FLUSH_LOCAL, Vec::new()),
        _ => (epoch::SYNC, Vec::new()),
    };
    if base == id::Win_test {
        // Told when it has found the epoch complete.
        s.open.later = Some(Body::Epoch { window: id, what, assertion: 0, targets });
        return;
    }
    let waits = !matches!(what, epoch::POST | epoch::SYNC);
    s.open.blocking = waits;
    s.say(
        if waits { flag::BLOCKING } else { 0 },
        Body::Epoch { window: id, what, assertion: assertion as u64, targets },
    );
}

/// The processes of the call's group, as ranks in the window's communicator.
fn members(s: &mut Scene<'_>) -> Vec<i32> {
    let window = s.window();
    let comm = objects::comm(objects::window_comm(window));
    let handle = s.view.param(Slot::Group).and_then(|p| s.view.handle(p));
    let (Some(comm), Some(handle)) = (comm, handle) else {
        s.cut = true;
        return Vec::new();
    };
    // Asking about a handle that is none ends some programs.
    let alive = s.checker.objects.get(mpiscope_abi::spec::class::GROUP, handle).is_some_and(|t| t.live > 0);
    let world = if alive { objects::world_ranks(s.view.process, handle as usize) } else { None };
    let Some(world) = world else {
        s.cut = true;
        return Vec::new();
    };
    let rank_of = |world: i32| (0..comm.size).find(|&rank| comm.world_rank(rank) == Some(world)).unwrap_or(-1);
    world.into_iter().map(rank_of).collect()
}

fn state(s: &mut Scene<'_>, id: u32, base: u32, one: i64, assertion: i64) {
    let [_, no_succeed] = no_neighbours(s.view.process.mpi.constants.family);
    let nobody = one == i64::from(s.view.process.mpi.constants.proc_null);
    let site = s.site;
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let wrong = match base {
        id::Win_fence => {
            let open = w.started || w.posted || w.locked_all || !w.locked.is_empty();
            w.fenced = assertion & no_succeed == 0;
            w.site = site;
            open.then_some((rule::EPOCH_NESTED, "a fence while another epoch is open"))
        }
        id::Win_start => {
            let wrong = std::mem::replace(&mut w.started, true) || w.locked_all || !w.locked.is_empty();
            wrong.then_some((rule::EPOCH_NESTED, "MPI_Win_start while an epoch is open"))
        }
        id::Win_complete => (!std::mem::replace(&mut w.started, false))
            .then_some((rule::EPOCH_UNMATCHED, "MPI_Win_complete without MPI_Win_start")),
        id::Win_post => std::mem::replace(&mut w.posted, true)
            .then_some((rule::EPOCH_NESTED, "MPI_Win_post while the window is exposed")),
        id::Win_wait => (!std::mem::replace(&mut w.posted, false))
            .then_some((rule::EPOCH_UNMATCHED, "MPI_Win_wait without MPI_Win_post")),
        id::Win_test if !w.posted => Some((rule::EPOCH_UNMATCHED, "MPI_Win_test without MPI_Win_post")),
        _ if nobody => None,
        id::Win_lock => {
            let wrong = w.locked_all || w.started || !w.locked.insert(one);
            wrong.then_some((rule::EPOCH_NESTED, "MPI_Win_lock while an epoch of this target is open"))
        }
        id::Win_unlock => (!w.locked.remove(&one))
            .then_some((rule::EPOCH_UNMATCHED, "MPI_Win_unlock without MPI_Win_lock of this target")),
        id::Win_lock_all => {
            let wrong = std::mem::replace(&mut w.locked_all, true) || !w.locked.is_empty() || w.started;
            wrong.then_some((rule::EPOCH_NESTED, "MPI_Win_lock_all while an epoch is open"))
        }
        id::Win_unlock_all => (!std::mem::replace(&mut w.locked_all, false))
            .then_some((rule::EPOCH_UNMATCHED, "MPI_Win_unlock_all without MPI_Win_lock_all")),
        id::Win_flush | id::Win_flush_local if !w.locked_all && !w.locked.contains(&one) => {
            Some((rule::EPOCH_UNMATCHED, "a flush of a target that is not locked"))
        }
        id::Win_flush_all | id::Win_flush_local_all if !w.locked_all && w.locked.is_empty() => {
            Some((rule::EPOCH_UNMATCHED, "a flush without a lock"))
        }
        _ => None,
    };
    if let Some((rule, text)) = wrong {
        s.find(rule, s.view.param(Slot::Window), [0; 3], text);
    }
}

/// `MPI_Win_test` has found the epoch complete.
pub fn tested(s: &mut Scene<'_>) {
    let id = s.window();
    if let Some(w) = s.checker.windows.get_mut(&id) {
        w.posted = false;
    }
}

fn open_epoch(w: &Window) -> Option<&'static str> {
    match w {
        w if w.locked_all => Some("MPI_Win_lock_all without MPI_Win_unlock_all"),
        w if !w.locked.is_empty() => Some("MPI_Win_lock without MPI_Win_unlock"),
        w if w.started => Some("MPI_Win_start without MPI_Win_complete"),
        w if w.posted => Some("MPI_Win_post without MPI_Win_wait"),
        _ => None,
    }
}

/// A window is freed.
pub fn freeing(s: &mut Scene<'_>) {
    let id = s.window();
    if let Some(text) = s.checker.windows.get(&id).and_then(open_epoch) {
        s.find(rule::EPOCH_OPEN, s.view.param(Slot::Window), [0; 3], text);
    }
    s.checker.windows.remove(&id);
}

/// The program ends.
pub fn left(s: &mut Scene<'_>) {
    let open: Vec<(&'static str, u32)> =
        s.checker.windows.values().filter_map(|w| Some((open_epoch(w)?, w.site))).collect();
    for (text, site) in open {
        s.find_from(rule::EPOCH_OPEN, None, [0; 3], text, site);
    }
}

/// An access to another process's memory; the operations of its request, if it makes one.
pub fn access(s: &mut Scene<'_>, place: &Place, gives: Option<&Side>, gets: Option<&Side>, op: u64) -> Body {
    let base = s.view.plan.base;
    let window = s.window();
    let to = target(s);
    let nobody = to == i64::from(s.view.process.mpi.constants.proc_null);
    if let Some(w) = s.checker.windows.get(&window)
        && !nobody
        && !(w.fenced || w.started || w.locked_all || w.locked.contains(&to))
    {
        let text = format!("rank {to}");
        s.find(rule::NO_EPOCH, s.view.param(Slot::Window), [0; 3], &text);
    }
    let what = match base {
        id::Put | id::Rput => access::PUT,
        id::Get | id::Rget => access::GET,
        _ => access::ACCUMULATE,
    };
    let handle = |slot| s.view.param(slot).and_then(|p| s.view.handle(p));
    let reduction = handle(Slot::Op).map_or(0, |h| s.view.process.ops.id(h));
    let origin = gives.or(if what == access::GET { gets } else { None }).map(Side::data).unwrap_or_default();
    let result = if what == access::ACCUMULATE { gets.map(Side::data).unwrap_or_default() } else { Data::default() };
    let displacement = s.view.number(Slot::TargetDisplacement).unwrap_or(0);
    let at_target = Data {
        address: displacement as u64,
        count: s.view.number(Slot::TargetCount).unwrap_or(1).max(0) as u64,
        datatype: handle(Slot::TargetType).or_else(|| handle(Slot::Type)).map_or(0, |h| s.view.process.types.id(h)),
    };
    if place.info.is_some_and(|c| i64::from(c.rank) == to) {
        own_range(s, window, &at_target, displacement);
    }
    Body::Access { window, what, op, target: to as i32, reduction, origin, result, at_target }
}

/// This process's own part of the window is the only one whose size it knows.
fn own_range(s: &mut Scene<'_>, window: u32, at_target: &Data, displacement: i64) {
    let Some(w) = s.checker.windows.get(&window).filter(|w| !w.dynamic && w.size > 0 && w.unit > 0) else { return };
    let info = s.checker.types.get(at_target.datatype as usize).copied().unwrap_or_default();
    let span = info.span(at_target.count);
    let begin = displacement.saturating_mul(w.unit);
    let (from, to) = (begin.saturating_add(span.0), begin.saturating_add(span.1));
    let size = w.size as i64;
    if to > from && (from < 0 || to > size) {
        s.find(rule::TARGET_RANGE, s.view.param(Slot::TargetDisplacement), [from, to, size], "its own window");
    }
}
