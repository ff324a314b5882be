//! Epochs of windows: synchronising calls, their events, and whether they are correct.

use std::collections::BTreeSet;

use mpiscope_abi::id;
use mpiscope_abi::role::Epoch;
use mpiscope_abi::spec::class;
use mpiscope_trace::check::event::{Body, assertion, epoch, flag};
use mpiscope_trace::check::rule;

use super::assertions::{asserted, locks};
use super::memory::given_back;
use super::stores::stored;
use super::target;
use crate::check::CallContext;
use crate::check::view::Slot;
use crate::objects;

/// The open epochs of a window in this process.
#[derive(Default)]
pub struct Epochs {
    fenced: bool,
    /// Accesses since the last fence.
    pending: bool,
    started: bool,
    /// The targets of `MPI_Win_start`; `None` if they are unknown.
    group: Option<Vec<i64>>,
    posted: bool,
    locked_all: bool,
    locked: BTreeSet<i64>,
    /// The process has exclusive use of its own part.
    is_own_locked: bool,
    /// Call site of the start of the last epoch, or of the window's creation.
    site: u32,
}

impl Epochs {
    /// For a window that is created at a call site.
    pub fn new(site: u32) -> Epochs {
        Epochs { site, ..Epochs::default() }
    }

    /// An epoch of another kind begins, so the fence epoch has ended.
    fn leave_fence(&mut self) -> bool {
        self.fenced = false;
        self.pending
    }

    /// The process's part is exposed by a fence or `MPI_Win_post`.
    pub fn is_active(&self) -> bool {
        self.fenced || self.posted
    }

    /// The process's part is neither exposed nor locked by itself: others access it only under locks.
    pub fn is_passive(&self) -> bool {
        !self.is_active() && !self.is_own_locked
    }

    /// An epoch that has not ended.
    pub fn open(&self) -> Option<&'static str> {
        match () {
            () if self.locked_all => Some("MPI_Win_lock_all without MPI_Win_unlock_all"),
            () if !self.locked.is_empty() => Some("MPI_Win_lock without MPI_Win_unlock"),
            () if self.started => Some("MPI_Win_start without MPI_Win_complete"),
            () if self.posted => Some("MPI_Win_post without MPI_Win_wait"),
            () if self.pending => Some("accesses after the last MPI_Win_fence"),
            () => None,
        }
    }

    /// An access to a target; returns the text of an error.
    pub fn accessed(&mut self, target: i64, makes_request: bool) -> Option<String> {
        let in_group = self.started && self.group.as_ref().is_none_or(|group| group.contains(&target));
        let locked = self.locked_all || self.locked.contains(&target);
        self.pending |= self.fenced && !locked && !in_group;
        match () {
            () if locked => None,
            () if (in_group || self.fenced) && makes_request => {
                Some(format!("rank {target} with a request-based call, which requires a lock"))
            }
            () if in_group || self.fenced => None,
            () if self.started => Some(format!("rank {target}, which is not in the group of MPI_Win_start")),
            () => Some(format!("rank {target}")),
        }
    }
}

/// A synchronising call: its events, and whether it is correct.
pub fn synchronise(s: &mut CallContext<'_>, kind: Option<Epoch>) {
    let base = s.view.plan.base;
    let id = s.window();
    let assertion = asserted(s.view.process.mpi.constants.family, s.view.number(Slot::Assert).unwrap_or(0));
    let one = target(s);
    let exclusive = locks(s.view.process.mpi.constants.family)[1];
    let lock_type = s.view.plan.named("lock_type");
    let is_exclusive = lock_type.is_some_and(|p| s.view.int(p) == exclusive);
    let group = if base == id::Win_start { members(s) } else { Vec::new() };
    if id != 0 {
        given_back(s, id, None);
        state(s, id, base, one, is_exclusive, assertion, &group);
        let says_no_store = base == id::Win_post && assertion & assertion::NO_STORE != 0;
        let is_known = says_no_store && s.checker.windows.get(&id).is_some_and(|w| w.stores.are_all_known());
        if matches!(base, id::Win_fence | id::Win_wait) || is_known {
            stored(s, id);
        }
    }
    let (what, targets) = match (kind, base) {
        (None, _) => (epoch::FENCE, Vec::new()),
        (Some(Epoch::Start), _) => (epoch::START, group),
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
        s.open.windows.end = Some(Body::Epoch { window: id, what, assertion: 0, targets });
        return;
    }
    let waits = !matches!(what, epoch::POST | epoch::SYNC);
    s.open.blocking = waits;
    s.emit(if waits { flag::BLOCKING } else { 0 }, Body::Epoch { window: id, what, assertion, targets });
}

/// The processes in the call's group, as ranks in the window's communicator.
fn members(s: &mut CallContext<'_>) -> Vec<i32> {
    let window = s.window();
    let comm = objects::comm(objects::window_comm(window));
    let handle = s.view.param(Slot::Group).and_then(|p| s.view.handle(p));
    let (Some(comm), Some(handle)) = (comm, handle) else {
        s.cut = true;
        return Vec::new();
    };
    // Some MPI libraries end the program when called with an invalid handle.
    let alive = s.checker.objects.get(class::GROUP, handle).is_some_and(|t| t.live > 0);
    let world = if alive { objects::world_ranks(s.view.process, handle as usize) } else { None };
    let Some(world) = world else {
        s.cut = true;
        return Vec::new();
    };
    let rank_of = |world: i32| (0..comm.size).find(|&rank| comm.world_rank(rank) == Some(world)).unwrap_or(-1);
    world.into_iter().map(rank_of).collect()
}

/// Opens and closes epochs as the call does, and reports errors.
fn state(s: &mut CallContext<'_>, id: u32, base: u32, one: i64, is_exclusive: bool, assertion: u64, group: &[i32]) {
    use rule::{EPOCH_NESTED as NESTED, EPOCH_UNMATCHED as UNMATCHED};
    // Calls for all targets name none.
    let names_one = s.view.plan.number(Slot::Peer).is_some();
    let is_proc_null = names_one && one == i64::from(s.view.process.mpi.constants.proc_null);
    let (site, is_known) = (s.site, !s.cut);
    let is_own = objects::comm(objects::window_comm(id)).is_some_and(|comm| i64::from(comm.rank) == one);
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let e = &mut w.epochs;
    let wrong = match base {
        id::Win_fence => {
            let open = e.started || e.posted || e.locked_all || !e.locked.is_empty();
            let pending = std::mem::take(&mut e.pending);
            e.fenced = assertion & assertion::NO_SUCCEED == 0;
            e.site = site;
            match () {
                () if open => Some((NESTED, "MPI_Win_fence while another epoch is open")),
                () if pending && assertion & assertion::NO_PRECEDE != 0 => Some((
                    rule::ASSERTION,
                    "MPI_MODE_NOPRECEDE, but this process accessed the window after the last fence",
                )),
                () => None,
            }
        }
        id::Win_start => {
            let open = e.leave_fence() || e.locked_all || !e.locked.is_empty();
            e.group = is_known.then(|| group.iter().map(|&rank| rank.into()).collect());
            e.site = site;
            (std::mem::replace(&mut e.started, true) || open)
                .then_some((NESTED, "MPI_Win_start while an epoch is open"))
        }
        id::Win_complete => {
            (!std::mem::replace(&mut e.started, false)).then_some((UNMATCHED, "MPI_Win_complete without MPI_Win_start"))
        }
        id::Win_post => {
            let open = e.leave_fence();
            e.site = site;
            (std::mem::replace(&mut e.posted, true) || open)
                .then_some((NESTED, "MPI_Win_post while the window is exposed"))
        }
        id::Win_wait => {
            (!std::mem::replace(&mut e.posted, false)).then_some((UNMATCHED, "MPI_Win_wait without MPI_Win_post"))
        }
        id::Win_test if !e.posted => Some((UNMATCHED, "MPI_Win_test without MPI_Win_post")),
        _ if is_proc_null => None,
        id::Win_lock => {
            let wrong = e.leave_fence() || e.locked_all || e.started || !e.locked.insert(one);
            e.site = site;
            if is_own && is_exclusive {
                e.is_own_locked = true;
                w.stores.forget();
            }
            wrong.then_some((NESTED, "MPI_Win_lock while another epoch or a lock of this target is open"))
        }
        id::Win_unlock => {
            e.is_own_locked &= !is_own;
            (!e.locked.remove(&one)).then_some((UNMATCHED, "MPI_Win_unlock without MPI_Win_lock of this target"))
        }
        id::Win_lock_all => {
            let open = e.leave_fence() || !e.locked.is_empty() || e.started;
            e.site = site;
            (std::mem::replace(&mut e.locked_all, true) || open)
                .then_some((NESTED, "MPI_Win_lock_all while an epoch is open"))
        }
        id::Win_unlock_all => (!std::mem::replace(&mut e.locked_all, false))
            .then_some((UNMATCHED, "MPI_Win_unlock_all without MPI_Win_lock_all")),
        id::Win_flush | id::Win_flush_local if !e.locked_all && !e.locked.contains(&one) => {
            Some((UNMATCHED, "a flush of a target that is not locked"))
        }
        // Of shared memory this is a barrier of the processor, which may be wanted anywhere.
        id::Win_sync if !e.locked_all && e.locked.is_empty() && !w.extent.is_shared() => {
            Some((rule::SYNC, "no access epoch of MPI_Win_lock or MPI_Win_lock_all is open"))
        }
        id::Win_flush_all | id::Win_flush_local_all if !e.locked_all && e.locked.is_empty() => {
            Some((UNMATCHED, "a flush without a lock"))
        }
        _ => None,
    };
    let is_promised = w.asserted.is_never_locked() && matches!(base, id::Win_lock | id::Win_lock_all);
    let broken = is_promised.then_some((rule::ASSERTION, "the window's info has no_locks, but the window is locked"));
    if let Some((rule, text)) = wrong.or(broken) {
        s.find(rule, s.view.param(Slot::Window), [0; 3], text);
    }
}

/// `MPI_Win_test` has reported that the epoch is complete.
pub fn tested(s: &mut CallContext<'_>) {
    let id = s.window();
    if let Some(w) = s.checker.windows.get_mut(&id) {
        w.epochs.posted = false;
        let armed = std::mem::take(&mut w.armed);
        s.checker.flights.unwatch(armed);
        // What of a change was another process's is not known any more.
        w.stores.forget();
    }
    if let Some(body) = s.open.windows.end.take() {
        s.emit(0, body);
    }
}

/// The program ends.
pub fn left(s: &mut CallContext<'_>) {
    let open: Vec<(&'static str, u32)> =
        s.checker.windows.values().filter_map(|w| Some((w.epochs.open()?, w.epochs.site))).collect();
    for (text, site) in open {
        s.find_from(rule::EPOCH_OPEN, None, [0; 3], text, site);
    }
}
