//! Checks of one process: it reports its own errors, and what each call is about to do, before the call does it.
//!
//! Active when `MPISCOPE_CHECK` is set. Calls of the program then take the long path (`record`), where [`before`] checks the
//! arguments and writes events, and [`after`] tracks requests and objects and writes the result of the call. Rules are
//! numbers ([`mpiscope_trace::check::rule`]); the reader has their texts.
//!
//! Unknown objects (created out of sight, by another tool, or before checks began) are not checked. A panic here is a defect
//! of mpiscope: checks end, the program continues.

mod arg_cache;
mod arguments;
mod buffered;
mod call_context;
mod checker;
mod completion;
mod darray;
mod declared;
mod error_codes;
mod event_writer;
mod events;
mod files;
mod groups;
mod handles;
mod inflight;
mod info_assertions;
mod lent_buffers;
mod lifetimes;
mod lock;
mod memory;
mod names;
#[cfg(target_arch = "x86_64")]
mod next_accesses;
mod pending_call;
mod replaced_arguments;
mod requests;
mod sessions;
mod statuses;
mod steps;
mod tracked;
mod transfer;
mod types;
mod view;
mod windows;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use mpiscope_abi::role::Role;
use mpiscope_abi::{Family, ID_LIMIT, id, predefined};
use mpiscope_trace::defs::TypeMap;
use mpiscope_trace::layout::ThreadHeader;

use crate::process::Process;
use crate::record::Caller;
use crate::thread::Call;
use crate::trampoline::Args;
use crate::{call_plan, mpi, objects};
use arg_cache::{Known, Worked};
use call_context::CallContext;
use checker::Checker;
use event_writer::EventWriter;
use handles::Families;
use lock::{Guard, Lock};
use pending_call::PendingCall;
use steps::Seen;
use tracked::WordMap;
use transfer::CommPosition;
use view::{CheckPlan, Slot, View};

static CHECKER: OnceLock<Lock<Checker>> = OnceLock::new();
static FAMILIES: OnceLock<Families> = OnceLock::new();
/// An internal error has occurred: nothing is checked any more.
static BROKEN: AtomicBool = AtomicBool::new(false);
/// Plans by function and language.
static PLANS: [AtomicPtr<CheckPlan>; 2 * ID_LIMIT as usize] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; 2 * ID_LIMIT as usize];

/// Before the first call is checked.
pub fn begin(process: &Process) {
    if process.config.check_bytes > 0 {
        inflight::instrumented::connect(process);
        inflight::races::connect(process);
    }
}

fn lock() -> Guard<'static, Checker> {
    CHECKER.get_or_init(|| Lock::new(Checker::default())).lock()
}

fn plan_of(from: &call_plan::CallPlan) -> &'static CheckPlan {
    let slot = &PLANS[from.function as usize * 2 + usize::from(from.fortran)];
    let known = slot.load(Ordering::Acquire);
    // Bindings with and without descriptors share a function.
    if !known.is_null() {
        // SAFETY: plans are never freed.
        let known = unsafe { &*known };
        if known.descriptors == from.symbol.descriptors {
            return known;
        }
    }
    let made = Box::leak(Box::new(CheckPlan::from_call_plan(from)));
    slot.store(made, Ordering::Release);
    made
}

/// The handle of a predefined object in this process.
fn predefined_handle(process: &Process, p: &predefined::Predefined) -> u64 {
    match process.mpi.constants.family {
        Family::Mpich => p.mpich.into(),
        Family::Standard => p.standard.into(),
        Family::OpenMpi if p.open_mpi.is_empty() => 0,
        Family::OpenMpi => mpi::open_mpi_handle(&process.program, &process.mpi.library, p.open_mpi) as u64,
    }
}

/// The state of one thread.
pub struct Local {
    writer: EventWriter,
    /// Call sites by the key of their stack.
    sites: WordMap<u64, u32>,
    thread: u32,
    open: PendingCall,
    known: Known,
    passed: declared::Passed,
    /// Depth of calls inside the outermost one.
    inner: Vec<inflight::unjudged::Inner>,
    /// A call is being checked: calls made now are made by the check itself.
    busy: bool,
    /// The compiler's race detector ignores this thread.
    unheeded: bool,
}

impl Local {
    /// For a new thread; `None` if there is no room for its ring.
    pub fn new(process: &Process, thread: usize, header: *mut ThreadHeader) -> Option<*mut Local> {
        let writer = EventWriter::new(process, thread, header)?;
        let local = Local {
            writer,
            sites: WordMap::default(),
            thread: thread as u32,
            open: PendingCall::default(),
            known: Known::default(),
            passed: declared::Passed::default(),
            inner: Vec::new(),
            busy: false,
            unheeded: false,
        };
        Some(Box::into_raw(Box::new(local)))
    }
}

/// Before a call of the program. `key` identifies its stack.
///
/// # Safety
/// The caller's arguments are those of `call`, which belongs to the thread.
pub unsafe fn before(local: *mut Local, process: &'static Process, call: &Call, key: u64, mut caller: Caller<'_>) {
    let args = caller.args;
    // SAFETY: the thread's own.
    let local = unsafe { &mut *local };
    local.open.clear();
    let plan = plan_of(call.plan);
    if BROKEN.load(Ordering::Relaxed) {
        return follow(local, process, plan, 0, args);
    }
    let waits = plan.base == id::Buffer_flush;
    if matches!(plan.role, Role::Local) && plan.params.is_empty() && plan.any_time && !waits {
        return; // MPI_Wtime and its like
    }
    let site = *local.sites.entry(key).or_insert_with(|| caller.site());
    if !plan.any_time {
        inflight::poll(process, plan.base == id::Finalize);
    }
    // Not twice where a jump has left a call.
    local.unheeded = local.unheeded || inflight::races::enter();
    local.busy = true;
    let done = catch_unwind(AssertUnwindSafe(|| {
        let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
        let mut checker = lock();
        let Local { writer, open, thread, known, passed, .. } = local;
        open.plan = Some(plan);
        open.site = site;
        let view = View { process, plan, args, nulls: families };
        let mut s =
            CallContext { view, checker: &mut checker, writer, open, site, head_comm: 0, thread: *thread, cut: false };
        for step in &steps::ENTRY {
            (step.run)(&mut s);
        }
        if !s.checker.life.is_open() {
            return;
        }
        (s.open.window, s.open.file) = (s.window(), s.file());
        let key = if plan.can_be_known { arg_cache::key(&s.view, site) } else { 0 };
        let generation = s.checker.objects.generation();
        let before = if plan.can_be_known { known.get(key, generation) } else { None };
        let mut new = None;
        let worked = match before {
            Some(worked) => worked,
            None => {
                let place = CommPosition::from_view(&s.view, comm_of(&s));
                let (gives, gets) = transfer::transfer_sides(&s.view, &place, &s.checker.types);
                &*new.insert(Worked { place, gives, gets, events: Vec::new() })
            }
        };
        let mut seen = Seen { worked, is_known: before.is_some(), caller: &mut caller, passed };
        for step in &steps::BEFORE {
            (step.run)(&mut s, &mut seen);
        }
        if let Some(new) = new.filter(|_| plan.can_be_known && !s.open.wrong) {
            let events = s.open.operation.take_cached();
            known.add(key, generation, Worked { events, ..new });
        }
    }));
    local.busy = false;
    if done.is_err() {
        give_up();
    }
}

/// The communicator of the call's window or file.
fn comm_of(s: &CallContext<'_>) -> u32 {
    match (s.open.window, s.open.file) {
        (0, 0) => 0,
        (0, file) => s.checker.files.get(file).map_or(0, |f| f.comm),
        (window, _) => objects::window_comm(window),
    }
}

/// Restores the program's arguments as soon as the call has returned.
///
/// # Safety
/// As [`before`].
pub unsafe fn restore(local: *mut Local, args: Args) {
    // SAFETY: the thread's own; an argument of this call.
    unsafe { (*local).open.replaced.restore(args) };
}

/// After the call.
///
/// # Safety
/// As [`before`].
pub unsafe fn after(local: *mut Local, process: &'static Process, args: Args, code: i32) {
    // SAFETY: the thread's own.
    let local = unsafe { &mut *local };
    if BROKEN.load(Ordering::Relaxed) {
        return followed(local, process, 0, args, code);
    }
    let Some(plan) = local.open.plan.take() else { return };
    if local.open.buffers.take_is_opaque() {
        inflight::races::take_back();
    }
    local.busy = true;
    let done = catch_unwind(AssertUnwindSafe(|| {
        let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
        let mut checker = lock();
        let Local { writer, open, thread, .. } = local;
        let view = View { process, plan, args, nulls: families };
        let (site, head_comm) = (open.site, open.comm);
        let mut s =
            CallContext { view, checker: &mut checker, writer, open, site, head_comm, thread: *thread, cut: false };
        for step in &steps::RETURN {
            (step.run)(&mut s, code);
        }
        if s.checker.life.is_open() || plan.base == id::Finalize {
            for step in &steps::RESULT {
                (step.run)(&mut s, code);
            }
        }
    }));
    local.busy = false;
    if !plan.any_time && plan.base != id::Finalize {
        inflight::poll(process, false);
    }
    if std::mem::take(&mut local.unheeded) {
        inflight::races::leave();
    }
    if done.is_err() {
        give_up();
    }
}

/// Before a call for which only the end of buffers matters.
fn follow(local: &mut Local, process: &'static Process, plan: &'static CheckPlan, depth: usize, args: Args) {
    if !local.busy && inflight::any() {
        local.busy = true;
        let done = catch_unwind(AssertUnwindSafe(|| inflight::unjudged::before(local, process, plan, depth, args)));
        local.busy = false;
        if done.is_err() {
            give_up();
        }
    }
}

/// After such a call.
fn followed(local: &mut Local, process: &'static Process, depth: usize, args: Args, code: i32) {
    if !local.busy && !local.inner.is_empty() {
        local.busy = true;
        let done = catch_unwind(AssertUnwindSafe(|| inflight::unjudged::after(local, process, depth, args, code)));
        local.busy = false;
        if done.is_err() {
            give_up();
        }
    }
}

/// After a call inside another one.
///
/// # Safety
/// As [`before`].
pub unsafe fn nested_after(local: *mut Local, process: &'static Process, depth: usize, args: Args, code: i32) {
    // SAFETY: the thread's own.
    followed(unsafe { &mut *local }, process, depth, args, code);
}

/// Before a call inside another one (a callback): only objects and buffers are tracked.
///
/// # Safety
/// As [`before`].
pub unsafe fn nested_before(
    local: *mut Local,
    process: &'static Process,
    call: &Call,
    args: Args,
    depth: usize,
) -> Option<u64> {
    let plan = plan_of(call.plan);
    // SAFETY: the thread's own; nobody else looks at this field while the looking calls the MPI.
    if unsafe { (*local).busy } {
        return None;
    }
    // SAFETY: as above, and no call is being looked at.
    follow(unsafe { &mut *local }, process, plan, depth, args);
    if BROKEN.load(Ordering::Relaxed) {
        return None;
    }
    let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
    let view = View { process, plan, args, nulls: families };
    if plan.base == id::Request_free {
        let param = view.param(Slot::Request)?;
        let kept_at = view.word(param)?;
        let handle = view.stored(param, kept_at, 0)?;
        lock().requests.removed(handle, kept_at);
        return None;
    }
    if !lifetimes::frees(plan.base) {
        return None;
    }
    let param = plan.params.iter().find(|p| (1..=12).contains(&p.class))?;
    let handle = view.handle(param)?;
    lock().objects.freed(param.class, handle);
    Some(handle)
}

/// The elements of a datatype that was just created.
///
/// # Safety
/// `args` are the arguments of the successful constructor of `plan`.
pub unsafe fn type_map(process: &'static Process, plan: &call_plan::CallPlan, args: Args) -> TypeMap {
    let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
    let view = View { process, plan: plan_of(plan), args, nulls: families };
    catch_unwind(AssertUnwindSafe(|| types::map(&view))).unwrap_or_else(|_| {
        give_up();
        TypeMap { repeat: 1, cut: true, ..TypeMap::default() }
    })
}

#[cold]
fn give_up() {
    BROKEN.store(true, Ordering::Relaxed);
    crate::process::complain("an internal error of mpiscope ended the checks of this process; the program continues");
}
