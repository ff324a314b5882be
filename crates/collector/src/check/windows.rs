//! Epochs of windows, as one process can know them, and the events of windows.

use std::collections::BTreeSet;

use mpiscope_abi::role::{Epoch, Role};
use mpiscope_abi::{Family, id};
use mpiscope_trace::check::event::{Body, Data, MOST_CONTENT, access, assertion, epoch, flag, memory};
use mpiscope_trace::check::rule;

use super::Scene;
use super::flight::Armed;
use super::flight::touch::Kind;
use super::shown::{Piece, Shown};
use super::sides::Side;
use super::view::Slot;
use crate::{elf, objects};

/// A window.
#[derive(Default)]
pub struct Window {
    /// Memory is attached later: displacements are addresses.
    pub dynamic: bool,
    /// Which of the windows of its communicator it is.
    pub ordinal: i64,
    fenced: bool,
    /// Accesses since the last fence.
    pending: bool,
    started: bool,
    /// The targets of `MPI_Win_start`; none when they are not known.
    group: Option<Vec<i64>>,
    posted: bool,
    locked_all: bool,
    locked: BTreeSet<i64>,
    /// The process has its own part for itself.
    is_own_locked: bool,
    site: u32,
    /// Where its memory begins, 0 unknown.
    address: u64,
    /// Its memory, as others may access it.
    shown: Shown,
    /// Words of it that are watched meanwhile.
    armed: Armed,
    /// Where it has changed before: offsets.
    changed: Vec<u64>,
}

/// Words of a window that are watched: one of four watchpoints tells writes from reads.
const MOST_WORDS: usize = 3;
/// Bytes of one. Larger ones have more of what nobody meant.
const WORD: u64 = 4;

impl Window {
    /// An epoch of another kind begins: that of fences is over.
    fn leave_fence(&mut self) -> bool {
        self.fenced = false;
        self.pending
    }

    /// Others may access the process's part under locks, and it has not locked it itself against them.
    fn is_passive(&self) -> bool {
        !self.dynamic && !self.fenced && !self.posted && !self.is_own_locked
    }
}

/// The values of `MPI_LOCK_SHARED` and `MPI_LOCK_EXCLUSIVE`.
pub fn locks(family: Family) -> [i64; 2] {
    match family {
        Family::Mpich => [235, 234],
        Family::OpenMpi => [2, 1],
        Family::Standard => [302, 301],
    }
}

/// The program's assertion, as events say it.
fn asserted(family: Family, value: i64) -> u64 {
    use assertion::{NO_CHECK, NO_PRECEDE, NO_PUT, NO_STORE, NO_SUCCEED};
    let bits = match family {
        Family::Mpich => [(1024, NO_CHECK), (2048, NO_STORE), (4096, NO_PUT), (8192, NO_PRECEDE), (16384, NO_SUCCEED)],
        Family::OpenMpi => [(1, NO_CHECK), (2, NO_PRECEDE), (4, NO_PUT), (8, NO_STORE), (16, NO_SUCCEED)],
        Family::Standard => {
            [(1024, NO_CHECK), (2048, NO_PRECEDE), (4096, NO_PUT), (8192, NO_STORE), (16384, NO_SUCCEED)]
        }
    };
    bits.iter().filter(|(theirs, _)| value & theirs != 0).fold(0, |all, (_, ours)| all | ours)
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
    let dynamic = plan.base == id::Win_create_dynamic;
    let shared = plan.base == id::Win_allocate_shared;
    let bytes = number("size").max(0) as u64;
    let address = base(s);
    let ordinal = s.checker.ordinal(s.head_comm, 0);
    let window = Window {
        dynamic,
        ordinal,
        site: s.site,
        address,
        // Others write shared memory without MPI.
        shown: if dynamic || shared { Shown::default() } else { Shown::of(address, bytes) },
        ..Window::default()
    };
    s.checker.windows.insert(id, window);
    if !dynamic && address != 0 && bytes > 0 {
        let what = if shared { memory::SHARED } else { memory::WHOLE };
        s.say(0, Body::Memory { window: id, what, address, bytes });
    }
}

/// The memory of the window that a call has made: its argument, or what the MPI has stored there.
fn base(s: &Scene<'_>) -> u64 {
    let named = |name: &str| s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == name);
    if let Some(param) = named("base") {
        let buffer = s.view.buffer(param);
        return if buffer.special && !s.view.plan.descriptors { 0 } else { buffer.address };
    }
    let Some(place) = named("baseptr").and_then(|p| s.view.word(p)).filter(|&w| w != 0) else { return 0 };
    // SAFETY: the MPI has just written it, an address in all languages.
    unsafe { (place as *const u64).read_unaligned() }
}

/// `MPI_Win_attach` and `MPI_Win_detach` have succeeded.
pub fn attached(s: &mut Scene<'_>, is_attached: bool) {
    let window = s.window();
    let named = |name: &str| s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == name);
    let Some(buffer) = named("base").map(|p| s.view.buffer(p)) else { return };
    let bytes = if is_attached { named("size").map_or(0, |p| s.view.int(p)).max(0) as u64 } else { 0 };
    let what = if is_attached { memory::ATTACHED } else { memory::DETACHED };
    s.say(0, Body::Memory { window, what, address: buffer.address, bytes });
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
    let assertion = asserted(s.view.process.mpi.constants.family, s.view.number(Slot::Assert).unwrap_or(0));
    let one = target(s);
    let exclusive = locks(s.view.process.mpi.constants.family)[1];
    let lock_type = s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == "lock_type");
    let is_exclusive = lock_type.is_some_and(|p| s.view.int(p) == exclusive);
    let group = if base == id::Win_start { members(s) } else { Vec::new() };
    if id != 0 {
        state(s, id, base, one, is_exclusive, assertion, &group);
        if matches!(base, id::Win_fence | id::Win_wait) {
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
        s.open.later = Some(Body::Epoch { window: id, what, assertion: 0, targets });
        return;
    }
    let waits = !matches!(what, epoch::POST | epoch::SYNC);
    s.open.blocking = waits;
    s.say(if waits { flag::BLOCKING } else { 0 }, Body::Epoch { window: id, what, assertion, targets });
}

/// What this process has changed in its memory while others could access it.
fn stored(s: &mut Scene<'_>, id: u32) {
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let (pieces, content) = w.shown.changed();
    let (armed, (base, _)) = (std::mem::take(&mut w.armed), w.shown.memory());
    if !pieces.is_empty() {
        w.changed = pieces.iter().map(|piece| piece.0).collect();
        s.say(0, Body::Stored { window: id, pieces, content });
    }
    for touch in s.checker.flights.unwatch(armed) {
        // Other objects serve the MPI as well.
        let is_program = |pc: u64| elf::containing(pc.saturating_sub(1) as usize).is_some_and(|o| o.path.is_empty());
        if touch.kind == Kind::Write || !touch.frames.first().is_some_and(|&pc| is_program(pc)) {
            continue;
        }
        let process = s.view.process;
        let site = process.site(&touch.frames);
        if site != 0 {
            let (at, bytes) = (touch.bytes.0 - base, touch.bytes.1 - touch.bytes.0);
            s.say(0, Body::Loaded { window: id, at, bytes, site });
        }
    }
}

/// The words of a window that are worth watching: where it changed before, and its first and last ones.
fn words(base: u64, bytes: u64, changed: &[u64]) -> Vec<(u64, u64)> {
    let last = (base + bytes).saturating_sub(WORD) / WORD * WORD;
    let all = changed.iter().map(|&offset| base + offset).chain([base, base + WORD, last]);
    let mut words = Vec::new();
    for at in all.map(|at| at / WORD * WORD).filter(|&at| at >= base && at + WORD <= base + bytes) {
        if !words.contains(&(at, WORD)) && words.len() < MOST_WORDS {
            words.push((at, WORD));
        }
    }
    words
}

/// A fence or `MPI_Win_post` has returned: others may access the window's memory.
pub fn exposed(s: &mut Scene<'_>) {
    let id = s.window();
    let guard = s.view.process.config.guard;
    let begun = (s.site, s.view.plan.function as u16);
    if let Some(w) = s.checker.windows.get_mut(&id)
        && (w.fenced || w.posted)
    {
        w.shown.keep();
        let (base, bytes) = w.shown.memory();
        if bytes >= WORD {
            let armed = s.checker.flights.watch(guard, &words(base, bytes, &w.changed), begun);
            let before = std::mem::replace(&mut w.armed, armed);
            s.checker.flights.unwatch(before);
        }
    }
}

/// A call by which the process has learned something of the others has returned. What it has stored before is told for windows that
/// others may access at any time, under locks, and what it stores from now on is another matter.
pub fn learned(s: &mut Scene<'_>, code: i32) {
    if s.checker.windows.is_empty() || code != 0 {
        return;
    }
    let has_met = s.open.blocking
        && matches!(
            s.view.plan.role,
            Role::Receive | Role::SendReceive | Role::MatchedReceive | Role::Collective(_) | Role::Complete
        );
    if !has_met && !s.open.completes {
        return;
    }
    let mut kept: Vec<(u32, Vec<Piece>, Vec<u8>)> = Vec::new();
    for (&id, w) in s.checker.windows.iter_mut() {
        if w.is_passive() && w.shown.is_small() {
            let (pieces, content) = w.shown.changed_since();
            kept.push((id, pieces, content));
        }
    }
    kept.sort_unstable_by_key(|(id, ..)| *id);
    for (window, pieces, content) in kept {
        if !pieces.is_empty() {
            s.say(0, Body::Stored { window, pieces, content });
        }
        s.say(0, Body::Epoch { window, what: epoch::KEPT, assertion: 0, targets: Vec::new() });
    }
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

fn state(s: &mut Scene<'_>, id: u32, base: u32, one: i64, is_exclusive: bool, assertion: u64, group: &[i32]) {
    use rule::{EPOCH_NESTED as NESTED, EPOCH_UNMATCHED as UNMATCHED};
    // Calls for all targets name none.
    let names_one = s.view.plan.number(Slot::Peer).is_some();
    let nobody = names_one && one == i64::from(s.view.process.mpi.constants.proc_null);
    let (site, is_known) = (s.site, !s.cut);
    let is_own = objects::comm(objects::window_comm(id)).is_some_and(|comm| i64::from(comm.rank) == one);
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let wrong = match base {
        id::Win_fence => {
            let open = w.started || w.posted || w.locked_all || !w.locked.is_empty();
            let pending = std::mem::take(&mut w.pending);
            w.fenced = assertion & assertion::NO_SUCCEED == 0;
            w.site = site;
            match () {
                () if open => Some((NESTED, "a fence while another epoch is open")),
                () if pending && assertion & assertion::NO_PRECEDE != 0 => {
                    Some((rule::ASSERTION, "MPI_MODE_NOPRECEDE, and the window was accessed since the last fence"))
                }
                () => None,
            }
        }
        id::Win_start => {
            let open = w.leave_fence() || w.locked_all || !w.locked.is_empty();
            w.group = is_known.then(|| group.iter().map(|&rank| rank.into()).collect());
            w.site = site;
            (std::mem::replace(&mut w.started, true) || open)
                .then_some((NESTED, "MPI_Win_start while an epoch is open"))
        }
        id::Win_complete => {
            (!std::mem::replace(&mut w.started, false)).then_some((UNMATCHED, "MPI_Win_complete without MPI_Win_start"))
        }
        id::Win_post => {
            let open = w.leave_fence();
            w.site = site;
            (std::mem::replace(&mut w.posted, true) || open)
                .then_some((NESTED, "MPI_Win_post while the window is exposed"))
        }
        id::Win_wait => {
            (!std::mem::replace(&mut w.posted, false)).then_some((UNMATCHED, "MPI_Win_wait without MPI_Win_post"))
        }
        id::Win_test if !w.posted => Some((UNMATCHED, "MPI_Win_test without MPI_Win_post")),
        _ if nobody => None,
        id::Win_lock => {
            let wrong = w.leave_fence() || w.locked_all || w.started || !w.locked.insert(one);
            w.site = site;
            if is_own && is_exclusive {
                w.is_own_locked = true;
                w.shown.forget();
            }
            wrong.then_some((NESTED, "MPI_Win_lock while an epoch of this target is open"))
        }
        id::Win_unlock => {
            w.is_own_locked &= !is_own;
            (!w.locked.remove(&one)).then_some((UNMATCHED, "MPI_Win_unlock without MPI_Win_lock of this target"))
        }
        id::Win_lock_all => {
            let open = w.leave_fence() || !w.locked.is_empty() || w.started;
            w.site = site;
            (std::mem::replace(&mut w.locked_all, true) || open)
                .then_some((NESTED, "MPI_Win_lock_all while an epoch is open"))
        }
        id::Win_unlock_all => (!std::mem::replace(&mut w.locked_all, false))
            .then_some((UNMATCHED, "MPI_Win_unlock_all without MPI_Win_lock_all")),
        id::Win_flush | id::Win_flush_local if !w.locked_all && !w.locked.contains(&one) => {
            Some((UNMATCHED, "a flush of a target that is not locked"))
        }
        id::Win_flush_all | id::Win_flush_local_all if !w.locked_all && w.locked.is_empty() => {
            Some((UNMATCHED, "a flush without a lock"))
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
        let armed = std::mem::take(&mut w.armed);
        s.checker.flights.unwatch(armed);
        // What of a change was another process's is not known any more.
        w.shown.forget();
    }
}

fn open_epoch(w: &Window) -> Option<&'static str> {
    match w {
        w if w.locked_all => Some("MPI_Win_lock_all without MPI_Win_unlock_all"),
        w if !w.locked.is_empty() => Some("MPI_Win_lock without MPI_Win_unlock"),
        w if w.started => Some("MPI_Win_start without MPI_Win_complete"),
        w if w.posted => Some("MPI_Win_post without MPI_Win_wait"),
        w if w.pending => Some("accesses after the last MPI_Win_fence"),
        _ => None,
    }
}

/// A window is freed.
pub fn freeing(s: &mut Scene<'_>) {
    let id = s.window();
    if let Some(text) = s.checker.windows.get(&id).and_then(open_epoch) {
        s.find(rule::EPOCH_OPEN, s.view.param(Slot::Window), [0; 3], text);
    }
    let Some(w) = s.checker.windows.remove(&id) else { return };
    s.checker.flights.unwatch(w.armed);
    if w.address != 0 {
        s.say(flag::MORE, Body::Memory { window: id, what: memory::DETACHED, address: w.address, bytes: 0 });
    }
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
pub fn access(s: &mut Scene<'_>, gives: Option<&Side>, gets: Option<&Side>, op: u64) -> Body {
    let base = s.view.plan.base;
    let window = s.window();
    let to = target(s);
    let nobody = to == i64::from(s.view.process.mpi.constants.proc_null);
    if let Some(w) = s.checker.windows.get_mut(&window).filter(|_| !nobody) {
        let in_group = w.started && w.group.as_ref().is_none_or(|group| group.contains(&to));
        let locked = w.locked_all || w.locked.contains(&to);
        let text = match () {
            () if locked => None,
            () if (in_group || w.fenced) && s.view.plan.makes_request => {
                Some(format!("rank {to} by a request, which needs a lock"))
            }
            () if in_group || w.fenced => None,
            () if w.started => Some(format!("rank {to}, which is not in the group of MPI_Win_start")),
            () => Some(format!("rank {to}")),
        };
        w.pending |= w.fenced && !locked && !in_group;
        if let Some(text) = text {
            s.find(rule::NO_EPOCH, s.view.param(Slot::Window), [0; 3], &text);
        }
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
    let content = if what == access::PUT && !s.open.wrong { content(gives) } else { Vec::new() };
    Body::Access { window, what, op, target: to as i32, reduction, origin, result, at_target, content }
}

/// The first bytes of what lies in one piece.
fn content(side: Option<&Side>) -> Vec<u8> {
    let Some(side) = side.filter(|s| s.dense && !s.buffer.special && s.span.1 > s.span.0 && s.buffer.address >= 4096)
    else {
        return Vec::new();
    };
    let bytes = usize::try_from(side.span.1 - side.span.0).unwrap_or(0).min(MOST_CONTENT);
    let first = side.buffer.address.wrapping_add_signed(side.span.0) as *const u8;
    // SAFETY: the call reads the same bytes; volatile, as another thread may write them.
    (0..bytes).map(|at| unsafe { first.add(at).read_volatile() }).collect()
}
