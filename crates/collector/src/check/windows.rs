//! Epochs of windows, as far as one process sees them, and the events of windows.

use std::collections::BTreeSet;

use mpiscope_abi::role::{Epoch, Role};
use mpiscope_abi::{Family, id};
use mpiscope_trace::check::event::{Body, Data, MOST_CONTENT, access, assertion, epoch, flag, memory, touch};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::inflight::Armed;
use super::inflight::instruction_access::{Kind, Touch};
use super::info_assertions;
use super::lent_buffers::{self, Lent};
use super::transfer::Side;
use super::view::Slot;
use super::window_diff::{Piece, WindowSnapshot};
use crate::config::Guard;
use crate::{elf, objects};

/// A window.
#[derive(Default)]
pub struct Window {
    /// Memory is attached later: displacements are addresses.
    pub dynamic: bool,
    /// It was made by `MPI_Win_allocate_shared`.
    shares: bool,
    /// The program's own memory (`MPI_Win_create`, `MPI_Win_attach`), and where it was given.
    lent: Vec<(Lent, u32)>,
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
    /// Memory that this process can touch and others may access.
    parts: Vec<Part>,
    /// Something without bytes, or more than is kept, was attached.
    has_empty: bool,
    /// Its memory, as others may access it.
    shown: WindowSnapshot,
    /// Words of it that are watched meanwhile.
    armed: Armed,
    /// Where it has changed before: offsets.
    changed: Vec<u64>,
    /// The program asserts that it is never locked.
    no_locks: bool,
    /// Further assertions, as in [`epoch::PROMISED`].
    promised: u64,
    /// The program's own stores since `MPI_Win_wait` are all in [`Window::shown`].
    is_waited: bool,
}

/// Memory of a window that the program can touch by itself.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Whose it is, in the window's communicator.
    target: i32,
    address: u64,
    bytes: u64,
    /// What offsets are counted from: nothing where memory was attached.
    from: u64,
}

/// Words of a window that are watched: one of four watchpoints distinguishes writes from reads.
const MOST_WORDS: usize = 3;
/// Bytes of one. Larger ones have more of what nobody meant.
const WORD: u64 = 4;
/// Parts of one window: attached pieces, neighbours' shared memory.
const MOST_PARTS: usize = 64;

impl Window {
    /// An epoch of another kind begins: that of fences has ended.
    fn leave_fence(&mut self) -> bool {
        self.fenced = false;
        self.pending
    }

    /// Its part is exposed by a fence or `MPI_Win_post`.
    fn is_active(&self) -> bool {
        self.fenced || self.posted
    }

    /// Processes of its host may access it without MPI.
    fn is_shared(&self) -> bool {
        self.shares || self.parts.iter().any(|p| p.target != self.parts[0].target)
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

/// The program's assertion, as in events.
fn asserted(family: Family, value: i64) -> u64 {
    assertions(family).iter().filter(|(theirs, _)| value & theirs != 0).fold(0, |all, (_, ours)| all | ours)
}

/// An MPI library's assertions, and their form in events.
fn assertions(family: Family) -> [(i64, u64); 5] {
    use assertion::{NO_CHECK, NO_PRECEDE, NO_PUT, NO_STORE, NO_SUCCEED};
    match family {
        Family::Mpich => [(1024, NO_CHECK), (2048, NO_STORE), (4096, NO_PUT), (8192, NO_PRECEDE), (16384, NO_SUCCEED)],
        Family::OpenMpi => [(1, NO_CHECK), (2, NO_PRECEDE), (4, NO_PUT), (8, NO_STORE), (16, NO_SUCCEED)],
        Family::Standard => {
            [(1024, NO_CHECK), (2048, NO_PRECEDE), (4096, NO_PUT), (8192, NO_STORE), (16384, NO_SUCCEED)]
        }
    }
}

/// What is wrong with an assertion of a call.
pub fn assertion_amiss(family: Family, base: u32, value: i64) -> Option<&'static str> {
    use assertion::{NO_CHECK, NO_PRECEDE, NO_PUT, NO_STORE, NO_SUCCEED};
    let (allowed, text) = match base {
        id::Win_fence => (
            NO_STORE | NO_PUT | NO_PRECEDE | NO_SUCCEED,
            "0, or MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED",
        ),
        id::Win_post => (NO_CHECK | NO_STORE | NO_PUT, "0, or MPI_MODE_NOCHECK, MPI_MODE_NOSTORE and MPI_MODE_NOPUT"),
        id::Win_start | id::Win_lock | id::Win_lock_all => (NO_CHECK, "0 or MPI_MODE_NOCHECK"),
        _ => return None,
    };
    let all = assertions(family).iter().fold(0, |all, (theirs, _)| all | theirs);
    (asserted(family, value) & !allowed != 0 || value & !all != 0).then_some(text)
}

/// A window was made.
pub fn made(s: &mut CallContext<'_>, handle: u64) {
    let id = s.view.process.windows.id(handle);
    if id == 0 {
        return;
    }
    let plan = s.view.plan;
    let number = |name: &str| plan.named(name).map(|p| s.view.int(p)).unwrap_or(0);
    let dynamic = plan.base == id::Win_create_dynamic;
    let shared = plan.base == id::Win_allocate_shared;
    let bytes = number("size").max(0) as u64;
    let address = base(s);
    let ordinal = s.checker.ordinal(s.head_comm, 0);
    let is_given = plan.base == id::Win_create && address != 0 && bytes > 0;
    let lent = is_given.then(|| (Lent::of(s, address, bytes), s.site)).into_iter().collect();
    let own = Part { target: own_rank(id), address, bytes, from: address };
    let window = Window {
        dynamic,
        shares: shared,
        lent,
        ordinal,
        site: s.site,
        address,
        parts: if dynamic || address == 0 || bytes == 0 { Vec::new() } else { vec![own] },
        // Others write shared memory without MPI.
        shown: if dynamic || shared { WindowSnapshot::default() } else { WindowSnapshot::snapshot(address, bytes) },
        ..Window::default()
    };
    s.checker.windows.insert(id, window);
    if !dynamic && address != 0 && bytes > 0 {
        let what = if shared { memory::SHARED } else { memory::WHOLE };
        s.say(0, Body::Memory { window: id, what, address, bytes });
    }
    arm(s, id);
    informed_of(s, id);
}

/// `MPI_Win_set_info` has succeeded.
pub fn informed(s: &mut CallContext<'_>) {
    let id = s.window();
    informed_of(s, id);
}

/// The window was given an info object.
fn informed_of(s: &mut CallContext<'_>, id: u32) {
    let no_locks = info_assertions::value(s, c"no_locks");
    if let (Some(value), Some(w)) = (no_locks, s.checker.windows.get_mut(&id)) {
        w.no_locks = value == "true";
    }
    // The judge compares accumulates and windows of all processes.
    let keys = [
        (assertion::SAME_OP, c"accumulate_ops", "same_op"),
        (assertion::SAME_SIZE, c"same_size", "true"),
        (assertion::SAME_UNIT, c"same_disp_unit", "true"),
    ];
    let given = keys.map(|(bit, key, yes)| (bit, info_assertions::value(s, key).map(|value| value == yes)));
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    for (bit, is) in given {
        match is {
            Some(true) => w.promised |= bit,
            Some(false) => w.promised &= !bit,
            None => {}
        }
    }
    if given.iter().any(|(_, is)| is.is_some()) {
        let assertion = w.promised;
        s.say(0, Body::Epoch { window: id, what: epoch::PROMISED, assertion, targets: Vec::new() });
    }
}

/// The process's rank in a window's communicator.
fn own_rank(window: u32) -> i32 {
    objects::comm(objects::window_comm(window)).map_or(-1, |comm| comm.rank)
}

/// `MPI_Win_shared_query` has succeeded: the program can touch what it has got the address of.
pub fn queried(s: &mut CallContext<'_>) {
    let id = s.window();
    let plan = s.view.plan;
    let Some(size_at) = plan.named("size").and_then(|p| s.view.word(p)).filter(|&w| w != 0) else { return };
    let (address, target) = (base(s), plan.named("rank").map_or(-1, |p| s.view.int(p)));
    // MPI_PROC_NULL stands for the first who has some. SAFETY: the MPI has just written it, an address-sized integer in all languages.
    let (Ok(target), bytes) = (i32::try_from(target), unsafe { (size_at as *const i64).read_unaligned() }) else {
        return;
    };
    let bytes = u64::try_from(bytes).unwrap_or(0);
    if target < 0 || address == 0 || bytes == 0 || target == own_rank(id) {
        return;
    }
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    if w.parts.len() < MOST_PARTS && !w.parts.iter().any(|p| p.target == target) {
        w.parts.push(Part { target, address, bytes, from: address });
        arm(s, id);
    }
}

/// The memory of the window that a call has made: its argument, or what the MPI has stored there.
fn base(s: &CallContext<'_>) -> u64 {
    let plan = s.view.plan;
    if let Some(param) = plan.named("base") {
        let buffer = s.view.buffer(param);
        return if buffer.special && !s.view.plan.descriptors { 0 } else { buffer.address };
    }
    let Some(place) = plan.named("baseptr").and_then(|p| s.view.word(p)).filter(|&w| w != 0) else { return 0 };
    // SAFETY: the MPI has just written it, an address in all languages.
    unsafe { (place as *const u64).read_unaligned() }
}

/// `MPI_Win_attach` and `MPI_Win_detach` have succeeded.
pub fn attached(s: &mut CallContext<'_>, is_attached: bool) {
    let window = s.window();
    let plan = s.view.plan;
    let Some(buffer) = plan.named("base").map(|p| s.view.buffer(p)) else { return };
    let bytes = if is_attached { plan.named("size").map_or(0, |p| s.view.int(p)).max(0) as u64 } else { 0 };
    let what = if is_attached { memory::ATTACHED } else { memory::DETACHED };
    let lent = (is_attached && bytes > 0).then(|| (Lent::of(s, buffer.address, bytes), s.site));
    if let Some(w) = s.checker.windows.get_mut(&window) {
        w.lent.retain(|(one, _)| is_attached || one.address != buffer.address);
        w.lent.extend(lent.filter(|_| w.lent.len() < MOST_PARTS));
        w.parts.retain(|p| is_attached || p.address != buffer.address);
        if is_attached && bytes > 0 && w.parts.len() < MOST_PARTS {
            w.parts.push(Part { target: own_rank(window), address: buffer.address, bytes, from: 0 });
        } else if is_attached {
            w.has_empty = true;
        }
    }
    s.say(0, Body::Memory { window, what, address: buffer.address, bytes });
    arm(s, window);
}

/// `MPI_Win_detach` is about to be called: it takes what `MPI_Win_attach` was given.
pub fn detaches(s: &mut CallContext<'_>) {
    let window = s.window();
    let param = s.view.plan.named("base");
    let Some(address) = param.map(|p| s.view.buffer(p).address) else { return };
    given_back(s, window, Some(address));
    // Of many parts not all are kept, and those without bytes are not.
    let is_known = |w: &Window| w.dynamic && w.parts.len() < MOST_PARTS && !w.has_empty;
    if s.checker.windows.get(&window).is_some_and(|w| is_known(w) && w.parts.iter().all(|p| p.address != address)) {
        s.find(rule::VALUE, param, [address as i64, 0, 0], "an attached address");
    }
}

/// The target of a call.
fn target(s: &CallContext<'_>) -> i64 {
    // None at all is not MPI_PROC_NULL, which is −1 in some.
    s.view.number(Slot::Peer).unwrap_or(i64::from(i32::MIN))
}

/// The program's own memory of a window, all of it or what begins at an address: it must not have been given back.
fn given_back(s: &mut CallContext<'_>, window: u32, only: Option<u64>) {
    let height = lent_buffers::height(s);
    let super::Checker { windows, memory, .. } = &mut *s.checker;
    // What is attached may be detached at any time: each piece is looked at then.
    let Some(w) = windows.get_mut(&window).filter(|w| only.is_some() || !w.dynamic) else { return };
    // Reported once, so it leaves the list.
    let mut gone = Vec::new();
    w.lent.retain(|&(ref one, site)| {
        let is_asked = only.is_none_or(|address| one.address == address);
        let why = is_asked.then(|| one.gone(memory, height)).flatten();
        gone.extend(why.map(|why| ([one.bytes as i64, 0, one.address as i64], why, site)));
        why.is_none()
    });
    for (values, why, site) in gone {
        s.find_from(
            rule::BUFFER_UNMAPPED,
            s.view.param(Slot::Window),
            values,
            &format!("memory of the window: {why}"),
            site,
        );
    }
}

/// Synchronisation: its events, and whether it is correct.
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
        let is_known = says_no_store && s.checker.windows.get(&id).is_some_and(|w| w.is_waited);
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
        s.open.later = Some(Body::Epoch { window: id, what, assertion: 0, targets });
        return;
    }
    let waits = !matches!(what, epoch::POST | epoch::SYNC);
    s.open.blocking = waits;
    s.say(if waits { flag::BLOCKING } else { 0 }, Body::Epoch { window: id, what, assertion, targets });
}

/// What this process has changed in its memory while others could access it.
fn stored(s: &mut CallContext<'_>, id: u32) {
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let (pieces, content) = w.shown.changed();
    w.is_waited = false;
    let armed = std::mem::take(&mut w.armed);
    if !pieces.is_empty() {
        w.changed = pieces.iter().map(|piece| piece.0).collect();
        s.say(0, Body::Stored { window: id, pieces, content });
    }
    s.checker.flights.unwatch(armed);
}

/// A call begins: what the program itself has touched since the last one comes before it.
pub fn touched(s: &mut CallContext<'_>) {
    let mut noted: Vec<(u32, bool, Vec<Part>, Vec<Touch>)> = Vec::new();
    for (&id, w) in s.checker.windows.iter().filter(|(_, w)| !w.armed.is_nothing()) {
        let touches = s.checker.flights.noted(&w.armed);
        if !touches.is_empty() {
            noted.push((id, w.is_active(), w.parts.clone(), touches));
        }
    }
    noted.sort_unstable_by_key(|n| n.0);
    for (window, is_active, parts, touches) in noted {
        for seen in touches {
            let begin = seen.bytes.0;
            let part = parts.iter().find(|p| (p.address..p.address + p.bytes).contains(&begin));
            // Other objects serve the MPI as well.
            let is_program =
                |pc: u64| elf::containing(pc.saturating_sub(1) as usize).is_some_and(|o| o.path.is_empty());
            let Some(part) = part.filter(|_| seen.frames.first().is_some_and(|&pc| is_program(pc))) else { continue };
            let site = s.view.process.site(&seen.frames);
            if site == 0 {
                continue;
            }
            let how = match known_kind(&seen) {
                Kind::Read => touch::LOADS,
                Kind::Write => touch::STORES,
                Kind::Either => touch::LOADS | touch::STORES,
            } | if is_active { touch::ACTIVE } else { 0 };
            let (at, bytes) = (begin - part.from, seen.bytes.1 - begin);
            s.say(0, Body::Loaded { window, target: part.target, how, at, bytes, site });
        }
    }
}

/// Whether it has read or written: where no watchpoint shows it, its machine code does.
#[cfg(target_arch = "x86_64")]
fn known_kind(seen: &Touch) -> Kind {
    let from_code = || seen.frames.first().and_then(|&pc| super::next_accesses::kind(pc)).unwrap_or(Kind::Either);
    if seen.kind == Kind::Either { from_code() } else { seen.kind }
}

/// The code of other processors is not read.
#[cfg(not(target_arch = "x86_64"))]
fn known_kind(seen: &Touch) -> Kind {
    seen.kind
}

/// The words of a window that are worth watching: what the code that comes next touches, where it changed before, and the first
/// and last ones.
fn words(parts: &[Part], changed: &[u64], ahead: &[u64]) -> Vec<(u64, u64)> {
    let own = parts.first().map_or(0, |p| p.address);
    let ends = |p: &Part| [p.address, p.address + WORD, (p.address + p.bytes).saturating_sub(WORD)];
    let changed = changed.iter().map(|&offset| own + offset);
    let firsts = parts.iter().map(|p| p.address);
    let all = ahead.iter().copied().chain(changed).chain(firsts).chain(parts.iter().flat_map(ends));
    let mut words = Vec::new();
    for at in all.map(|at| at / WORD * WORD) {
        let is_inside = parts.iter().any(|p| at >= p.address && at + WORD <= p.address + p.bytes);
        if is_inside && !words.contains(&(at, WORD)) && words.len() < MOST_WORDS {
            words.push((at, WORD));
        }
    }
    words
}

/// What the program's code touches after this call, of a window.
#[cfg(target_arch = "x86_64")]
fn ahead(s: &CallContext<'_>, parts: &[Part]) -> Vec<u64> {
    let memory: Vec<(u64, u64)> = parts.iter().take(MOST_WORDS).map(|p| (p.address, p.address + p.bytes)).collect();
    super::next_accesses::touches(&s.view, &memory).iter().map(|touch| touch.address).collect()
}

/// What comes next is not read on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn ahead(_: &CallContext<'_>, _: &[Part]) -> Vec<u64> {
    Vec::new()
}

/// Others may access the window's memory from now on: some words of it are on the watch, as those of buffers are.
fn arm(s: &mut CallContext<'_>, id: u32) {
    let guard = s.view.process.config.guard;
    let begun = (s.site, s.view.plan.function as u16);
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let before = std::mem::take(&mut w.armed);
    s.checker.flights.unwatch(before);
    if guard == Guard::Off || !s.checker.flights.is_due(begun) {
        return;
    }
    let Some(w) = s.checker.windows.get(&id) else { return };
    let (parts, changed) = (w.parts.clone(), w.changed.clone());
    let words = words(&parts, &changed, &ahead(s, &parts));
    let armed = s.checker.flights.watch(&words);
    if let Some(w) = s.checker.windows.get_mut(&id) {
        w.armed = armed;
    }
}

/// A fence or `MPI_Win_post` has returned: others may access the window's memory.
pub fn exposed(s: &mut CallContext<'_>) {
    let id = s.window();
    let Some(w) = s.checker.windows.get_mut(&id).filter(|w| w.is_active()) else { return };
    w.shown.keep();
    w.is_waited = false;
    arm(s, id);
}

/// `MPI_Win_wait` has returned: what the process stores from now on it may not, if it promises that for the next epoch.
pub fn waited(s: &mut CallContext<'_>) {
    let id = s.window();
    if let Some(w) = s.checker.windows.get_mut(&id) {
        w.shown.keep();
        w.is_waited = true;
    }
}

/// A call by which the process has learned something of the others has returned. What it has stored before is told for windows that
/// others may access at any time, under locks, and what it stores from now on is another matter.
pub fn learned(s: &mut CallContext<'_>, code: i32) {
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
            w.is_waited &= pieces.is_empty();
            kept.push((id, pieces, content));
        }
    }
    kept.sort_unstable_by_key(|(id, ..)| *id);
    let mut passive: Vec<u32> =
        s.checker.windows.iter().filter(|(_, w)| !w.is_active() && !w.parts.is_empty()).map(|(&id, _)| id).collect();
    passive.sort_unstable();
    for id in passive {
        arm(s, id);
    }
    for (window, pieces, content) in kept {
        if !pieces.is_empty() {
            s.say(0, Body::Stored { window, pieces, content });
        }
        s.say(0, Body::Epoch { window, what: epoch::KEPT, assertion: 0, targets: Vec::new() });
    }
}

/// The processes of the call's group, as ranks in the window's communicator.
fn members(s: &mut CallContext<'_>) -> Vec<i32> {
    let window = s.window();
    let comm = objects::comm(objects::window_comm(window));
    let handle = s.view.param(Slot::Group).and_then(|p| s.view.handle(p));
    let (Some(comm), Some(handle)) = (comm, handle) else {
        s.cut = true;
        return Vec::new();
    };
    // Some MPI libraries end the program when called with an invalid handle.
    let alive = s.checker.objects.get(mpiscope_abi::spec::class::GROUP, handle).is_some_and(|t| t.live > 0);
    let world = if alive { objects::world_ranks(s.view.process, handle as usize) } else { None };
    let Some(world) = world else {
        s.cut = true;
        return Vec::new();
    };
    let rank_of = |world: i32| (0..comm.size).find(|&rank| comm.world_rank(rank) == Some(world)).unwrap_or(-1);
    world.into_iter().map(rank_of).collect()
}

fn state(s: &mut CallContext<'_>, id: u32, base: u32, one: i64, is_exclusive: bool, assertion: u64, group: &[i32]) {
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
                () if open => Some((NESTED, "MPI_Win_fence while another epoch is open")),
                () if pending && assertion & assertion::NO_PRECEDE != 0 => Some((
                    rule::ASSERTION,
                    "MPI_MODE_NOPRECEDE, but this process accessed the window after the last fence",
                )),
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
            wrong.then_some((NESTED, "MPI_Win_lock while another epoch or a lock of this target is open"))
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
        // Of shared memory this is a barrier of the processor, which may be wanted anywhere.
        id::Win_sync if !w.locked_all && w.locked.is_empty() && !w.is_shared() => {
            Some((rule::SYNC, "no epoch of MPI_Win_lock or MPI_Win_lock_all is open"))
        }
        id::Win_flush_all | id::Win_flush_local_all if !w.locked_all && w.locked.is_empty() => {
            Some((UNMATCHED, "a flush without a lock"))
        }
        _ => None,
    };
    let is_promised = w.no_locks && matches!(base, id::Win_lock | id::Win_lock_all);
    let broken = is_promised.then_some((rule::ASSERTION, "the window's info has no_locks, but the window is locked"));
    if let Some((rule, text)) = wrong.or(broken) {
        s.find(rule, s.view.param(Slot::Window), [0; 3], text);
    }
}

/// `MPI_Win_test` has found the epoch complete.
pub fn tested(s: &mut CallContext<'_>) {
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
pub fn freeing(s: &mut CallContext<'_>) {
    let id = s.window();
    if let Some(text) = s.checker.windows.get(&id).and_then(open_epoch) {
        s.find(rule::EPOCH_OPEN, s.view.param(Slot::Window), [0; 3], text);
    }
    given_back(s, id, None);
    let Some(w) = s.checker.windows.remove(&id) else { return };
    s.checker.flights.unwatch(w.armed);
    if w.address != 0 {
        s.say(flag::MORE, Body::Memory { window: id, what: memory::DETACHED, address: w.address, bytes: 0 });
    }
}

/// The program ends.
pub fn left(s: &mut CallContext<'_>) {
    let open: Vec<(&'static str, u32)> =
        s.checker.windows.values().filter_map(|w| Some((open_epoch(w)?, w.site))).collect();
    for (text, site) in open {
        s.find_from(rule::EPOCH_OPEN, None, [0; 3], text, site);
    }
}

/// An access to another process's memory; the operations of its request, if it makes one.
pub fn access(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>, op: u64) -> Body {
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
                Some(format!("rank {to} with a request-based call, which requires a lock"))
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
