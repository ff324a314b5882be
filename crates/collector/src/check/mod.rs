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
mod comm_events;
mod completion;
mod darray;
mod declared;
mod error_codes;
mod event_writer;
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
mod requests;
mod sessions;
mod statuses;
mod tracked;
mod transfer;
mod types;
mod view;
mod windows;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use mpiscope_abi::role::Role;
use mpiscope_abi::{Family, ID_LIMIT, Param, predefined};
use mpiscope_trace::check::event::{Body, Head, flag};
use mpiscope_trace::check::words::Again;
use mpiscope_trace::defs::TypeMap;
use mpiscope_trace::layout::ThreadHeader;

use crate::call_plan;
use crate::decode;
use crate::mpi;
use crate::objects;
use crate::process::Process;
use crate::record::Caller;
use crate::thread::Call;
use crate::trampoline::Args;
use arg_cache::{Known, Worked};
use buffered::Attached;
use completion::Named;
use event_writer::EventWriter;
use handles::Families;
use lifetimes::Life;
use lock::{Guard, Lock};
use memory::Memory;
use requests::Requests;
use tracked::{Objects, WordMap};
use transfer::CommPosition;
use types::TypeInfo;
use view::{CheckPlan, Slot, View};

/// What all threads of the process share, under a lock.
#[derive(Default)]
pub struct Checker {
    objects: Objects,
    requests: Requests,
    memory: Memory,
    /// By id.
    types: Vec<TypeInfo>,
    /// Names of predefined operations by id.
    ops: Vec<&'static str>,
    life: Life,
    windows: WordMap<u32, windows::Window>,
    files: WordMap<u32, files::File>,
    /// Windows (0), files (1) and persistent operations (2) by communicator.
    ordinals: WordMap<(u32, u8), i64>,
    tag_ub: i64,
    attached: Attached,
    /// The same for single communicators.
    attached_to: WordMap<u32, Attached>,
    /// Sessions that have one: which of them a communicator comes from is not known.
    session_buffers: u32,
    sessions: sessions::Sessions,
    /// The program has its own error handlers.
    has_handlers: bool,
    /// It has registered data representations.
    has_representations: bool,
    /// Reserved messages by handle: number and communicator.
    messages: WordMap<u64, (u64, u32)>,
    /// Those that were received: the MPI may give out the same handle again.
    received: std::collections::HashSet<u64>,
    last_message: u64,
    /// Threads in a blocking collective operation, by communicator; and where they are.
    meeting: WordMap<u32, Meeting>,
    flights: inflight::Flights,
    /// Assertions about communicators, see [`info_assertions`].
    promises: WordMap<u32, u8>,
    statuses: statuses::Statuses,
    errors: error_codes::Errors,
}

/// A thread in a blocking collective operation.
#[derive(Clone, Copy)]
struct Meeting {
    thread: u32,
    function: u32,
    site: u32,
}

static CHECKER: OnceLock<Lock<Checker>> = OnceLock::new();
static FAMILIES: OnceLock<Families> = OnceLock::new();
/// An internal error: nothing is checked any more.
static BROKEN: AtomicBool = AtomicBool::new(false);
/// Plans by function and language.
static PLANS: [AtomicPtr<CheckPlan>; 2 * ID_LIMIT as usize] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; 2 * ID_LIMIT as usize];

/// Before the first call is looked at.
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

/// What one thread has for itself.
pub struct Local {
    voice: EventWriter,
    /// Call sites by the key of their stack.
    sites: WordMap<u64, u32>,
    thread: u32,
    open: PendingCall,
    known: Known,
    passed: declared::Passed,
    /// Replaces statuses that the program ignores.
    statuses: Vec<u64>,
    /// Calls inside of the one at the top level.
    inner: Vec<inflight::unjudged::Inner>,
    /// A call is being looked at: what is called now is called by the looking.
    busy: bool,
    /// The compiler's race detector does not heed this thread.
    unheeded: bool,
}

/// The call at the top level that has begun.
#[derive(Default)]
pub struct PendingCall {
    plan: Option<&'static CheckPlan>,
    site: u32,
    comm: u32,
    /// Something is wrong with its arguments.
    wrong: bool,
    /// A `Return` follows.
    blocking: bool,
    /// It reports an operation, now or with each start.
    tells: bool,
    /// Events of its operation, for each start.
    told: Vec<(Body, u16)>,
    /// Its event, for the next call with these arguments.
    again: Vec<Again>,
    /// An event that its outcome decides about.
    later: Option<Body>,
    ops: [u64; 2],
    /// It may get a message of any source or tag.
    wild: bool,
    probe: Option<(Option<i32>, Option<i32>)>,
    named: Vec<Named>,
    /// Room for numbers of operations, used again.
    ops_room: Vec<u64>,
    /// Some of these are not known.
    strangers: bool,
    /// Requests that this call starts: handle and where it is kept.
    started: Vec<(u64, u64)>,
    /// It has completed operations of requests.
    completes: bool,
    /// What a test polls.
    asked: Option<(u64, Vec<u64>)>,
    /// Handle of what is freed.
    freed: Option<u64>,
    file: u32,
    ordinal: i64,
    /// Status of ours in place of one that is ignored.
    own_status: Option<u64>,
    /// Arguments that were replaced, and what they were.
    replaced: Vec<(u8, u64)>,
    /// Its new flights, for the request that it makes.
    buffers: inflight::Buffers,
    /// Flights that a start begins.
    begun: Vec<inflight::Id>,
    /// Partitions that it marks.
    ready: Vec<(u64, u64)>,
    /// Accesses that it completes.
    ends: Option<inflight::Ends>,
    freed_window: u32,
    /// In place of a Fortran array's descriptor.
    descriptor: Vec<u64>,
    /// In place of a request that is to be freed, and where the program keeps that.
    stand_in: Option<Box<u64>>,
    freed_at: u64,
    /// Where a call that packs or unpacks begins.
    position: i64,
    /// The compiler's race detector heeds no lock of the MPI.
    is_opaque: bool,
}

impl PendingCall {
    /// For the next call, with the memory that it has. Field by field, as this is done for each call.
    fn clear(&mut self) {
        let PendingCall {
            plan,
            site,
            comm,
            wrong,
            blocking,
            tells,
            told,
            again,
            later,
            ops,
            wild,
            probe,
            named,
            ops_room,
            strangers,
            started,
            completes,
            asked,
            freed,
            file,
            ordinal,
            own_status,
            replaced,
            buffers,
            begun,
            ready,
            ends,
            freed_window,
            descriptor,
            stand_in,
            freed_at,
            position,
            is_opaque: _,
        } = self;
        (*plan, *site, *comm, *file, *ordinal) = (None, 0, 0, 0, 0);
        (*wrong, *blocking, *tells, *wild, *strangers, *completes) = (false, false, false, false, false, false);
        (*later, *probe, *asked, *freed, *own_status) = (None, None, None, None, None);
        (*buffers, *ends, *stand_in) = (inflight::Buffers::default(), None, None);
        (*freed_window, *freed_at, *position) = (0, 0, 0);
        *ops = [0; 2];
        told.clear();
        again.clear();
        named.clear();
        ops_room.clear();
        started.clear();
        replaced.clear();
        begun.clear();
        ready.clear();
        descriptor.clear();
    }
}

impl Local {
    /// Of a new thread; `None` when its ring finds no room.
    pub fn new(process: &Process, thread: usize, header: *mut ThreadHeader) -> Option<*mut Local> {
        let voice = EventWriter::new(process, thread, header)?;
        let local = Local {
            voice,
            sites: WordMap::default(),
            thread: thread as u32,
            open: PendingCall::default(),
            known: Known::default(),
            passed: declared::Passed::default(),
            statuses: Vec::new(),
            inner: Vec::new(),
            busy: false,
            unheeded: false,
        };
        Some(Box::into_raw(Box::new(local)))
    }
}

/// One call and all that is known while it is looked at.
pub struct CallContext<'a> {
    view: View<'a>,
    checker: &'a mut Checker,
    voice: &'a mut EventWriter,
    open: &'a mut PendingCall,
    site: u32,
    head_comm: u32,
    thread: u32,
    /// A list of the next event is not complete.
    cut: bool,
}

impl CallContext<'_> {
    fn head(&self, flags: u16) -> Head {
        let fortran = if self.view.plan.fortran { flag::FORTRAN } else { 0 };
        let wrong = if self.open.wrong { flag::WRONG } else { 0 };
        Head {
            function: self.view.plan.function as u16,
            flags: flags | fortran | wrong,
            site: self.site,
            comm: self.head_comm,
            ..Head::default()
        }
    }

    /// Tells an event of this call.
    #[inline]
    fn say(&mut self, flags: u16, body: Body) {
        self.say_ref(flags, &body);
    }

    /// The same; the event's words.
    fn say_ref(&mut self, flags: u16, body: &Body) -> &[u64] {
        let cut = if std::mem::take(&mut self.cut) { flag::CUT } else { 0 };
        let head = self.head(flags | cut);
        self.voice.write(head, body)
    }

    /// Tells an event of a request that this call starts.
    fn say_as(&mut self, function: u16, comm: u32, flags: u16, body: Body) {
        let head = Head { function, comm, ..self.head(flags) };
        self.voice.write(head, &body);
    }

    /// Writes a poll without success.
    fn ask(&mut self, body: Body, key: u64) {
        let head = self.head(0);
        self.voice.write_and_wait(head, &body, key);
    }

    /// Something is wrong.
    fn find(&mut self, rule: u16, param: Option<&'static Param>, values: [i64; 3], text: &str) {
        self.find_from(rule, param, values, text, 0);
    }

    /// The same, about something that was made or started elsewhere.
    fn find_from(&mut self, rule: u16, param: Option<&'static Param>, values: [i64; 3], text: &str, origin: u32) {
        let argument = param.map_or(u8::MAX, |p| if p.c == u8::MAX { p.f } else { p.c });
        let text = text.to_owned();
        self.say(0, Body::Finding { rule, argument, withheld: false, origin, values, text });
        self.open.wrong = true;
    }

    /// Something is wrong with what an earlier call has made or started, which is where it is shown.
    fn find_made(&mut self, rule: u16, function: u16, site: u32, values: [i64; 3], text: &str) {
        self.find_at(rule, (function, site), values, text, 0);
    }

    /// The same of a call, about something that was made or started elsewhere.
    fn find_at(&mut self, rule: u16, (function, site): (u16, u32), values: [i64; 3], text: &str, origin: u32) {
        let head = Head { function, site, ..self.head(0) };
        let text = text.to_owned();
        let body = Body::Finding { rule, argument: u8::MAX, withheld: false, origin, values, text };
        self.voice.write(head, &body);
    }

    /// The window of the call.
    fn window(&self) -> u32 {
        let handle = self.view.param(Slot::Window).and_then(|p| self.view.handle(p));
        handle.map_or(0, |handle| self.view.process.windows.id(handle))
    }

    /// The file of the call.
    fn file(&self) -> u32 {
        let handle = self.view.param(Slot::File).and_then(|p| self.view.handle(p));
        handle.map_or(0, |handle| self.view.process.files.id(handle))
    }
}

impl Checker {
    /// The number of the next window, file or persistent operation of a communicator.
    fn ordinal(&mut self, comm: u32, kind: u8) -> i64 {
        let next = self.ordinals.entry((comm, kind)).or_insert(0);
        *next += 1;
        *next - 1
    }

    /// Whether memory of the program is attached for buffered sends.
    fn has_attached(&self) -> bool {
        matches!(self.attached, Attached::Piece(_)) || !self.attached_to.is_empty()
    }

    /// The buffer for `MPI_Bsend`: the communicator's own, that of its session, that of the process (MPI-5.0 §3.6).
    fn attached_for(&self, comm: u32) -> Attached {
        match self.attached_to.get(&comm) {
            Some(&own) => own,
            None if self.session_buffers > 0 => Attached::Unknown,
            None => self.attached,
        }
    }

    fn new_message(&mut self) -> u64 {
        self.last_message += 1;
        self.last_message
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
    let waits = plan.base == mpiscope_abi::id::Buffer_flush;
    if matches!(plan.role, Role::Local) && plan.params.is_empty() && plan.any_time && !waits {
        return; // MPI_Wtime and its like
    }
    let site = *local.sites.entry(key).or_insert_with(|| caller.site());
    if !plan.any_time {
        inflight::poll(process, plan.base == mpiscope_abi::id::Finalize);
    }
    // Not twice where a jump has left a call.
    local.unheeded = local.unheeded || inflight::races::enter();
    local.busy = true;
    let done = catch_unwind(AssertUnwindSafe(|| {
        let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
        let mut checker = lock();
        let Local { voice, open, statuses, thread, known, passed, .. } = local;
        open.plan = Some(plan);
        open.site = site;
        let view = View { process, plan, args, nulls: families };
        let mut s =
            CallContext { view, checker: &mut checker, voice, open, site, head_comm: 0, thread: *thread, cut: false };
        inflight::races::emit_races(&mut s);
        lifetimes::before(&mut s);
        lifetimes::enter(&mut s);
        if !s.checker.life.is_open() {
            return;
        }
        s.open.file = s.file();
        let window = s.window();
        let other = match (window, s.open.file) {
            (0, 0) => 0,
            (0, file) => s.checker.files.get(&file).map_or(0, |f| f.comm),
            (window, _) => objects::window_comm(window),
        };
        s.open.ordinal = s.checker.windows.get(&window).map_or(0, |w| w.ordinal);
        let key = if plan.can_be_known { arg_cache::key(&s.view, site) } else { 0 };
        let generation = s.checker.objects.generation();
        let before = if plan.can_be_known { known.get(key, generation) } else { None };
        let mut new = None;
        let worked = match before {
            Some(worked) => worked,
            None => {
                let place = CommPosition::from_view(&s.view, other);
                let (gives, gets) = transfer::transfer_sides(&s.view, &place, &s.checker.types);
                &*new.insert(Worked { place, gives, gets, told: Vec::new() })
            }
        };
        let Worked { place, gives, gets, .. } = worked;
        let (gives, gets) = (gives.as_ref(), gets.as_ref());
        windows::touched(&mut s);
        s.head_comm = place.id;
        s.open.freed = lifetimes::to_be_freed(&s);
        if before.is_some() {
            arguments::check_again(&mut s, gives, gets);
        } else {
            arguments::check(&mut s, place, gives, gets);
            passed.emit(&mut s, &mut caller, [gives, gets]);
        }
        lifetimes::meet(&mut s);
        inflight::ahead(&mut s);
        comm_events::before(&mut s, worked);
        comm_events::overwrites(&mut s);
        s.open.comm = s.head_comm;
        own_status(&mut s, statuses);
        inflight::before(&mut s, place, gives, gets);
        if let Some(new) = new.filter(|_| plan.can_be_known && !s.open.wrong) {
            let told = std::mem::take(&mut s.open.again);
            known.add(key, generation, Worked { told, ..new });
        }
        inflight::races::hand_over(&mut s);
    }));
    local.busy = false;
    if done.is_err() {
        give_up();
    }
}

/// A message of any source is only known by its status. Where the program does not want one, the MPI gets a place of
/// ours, and the argument is put back when it returns.
fn own_status(s: &mut CallContext<'_>, statuses: &mut Vec<u64>) {
    let wants = s.open.wild
        && match s.view.plan.role {
            Role::Complete => true,
            Role::Receive | Role::SendReceive => s.open.blocking,
            Role::Probe | Role::MatchedProbe => true,
            _ => false,
        };
    if !wants {
        return;
    }
    let Some(param) = s.view.param(Slot::Status) else { return };
    let index = if s.view.plan.fortran { param.f } else { param.c };
    let Some(word) = s.view.word(param) else { return };
    // An absent one is no argument at all.
    if !decode::status_ignored(s.view.process, word, s.view.plan.fortran) || (s.view.plan.fortran && word == 0) {
        return;
    }
    let words = s.view.process.mpi.constants.status.size.div_ceil(8) * s.open.named.len().max(1);
    statuses.clear();
    statuses.resize(words, 0);
    s.open.own_status = Some(statuses.as_ptr() as u64);
    s.open.replaced.push((index, word));
    // SAFETY: an argument of this call.
    unsafe { s.view.args.set(index, statuses.as_ptr() as u64) };
}

/// Puts the program's own arguments back, as soon as the call has returned.
///
/// # Safety
/// As [`before`].
pub unsafe fn restore(local: *mut Local, args: Args) {
    // SAFETY: the thread's own; an argument of this call.
    unsafe {
        while let Some((index, word)) = (*local).open.replaced.pop() {
            args.set(index, word);
        }
    }
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
    if std::mem::take(&mut local.open.is_opaque) {
        inflight::races::take_back();
    }
    local.busy = true;
    let done = catch_unwind(AssertUnwindSafe(|| {
        let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
        let mut checker = lock();
        let Local { voice, open, thread, .. } = local;
        let view = View { process, plan, args, nulls: families };
        let (site, head_comm) = (open.site, open.comm);
        let mut s =
            CallContext { view, checker: &mut checker, voice, open, site, head_comm, thread: *thread, cut: false };
        inflight::races::emit_races(&mut s);
        inflight::races::received(&s);
        lifetimes::leave(&mut s);
        if code == 0 {
            let freed = s.open.freed;
            lifetimes::after(&mut s, freed);
        }
        if s.checker.life.is_open() || plan.base == mpiscope_abi::id::Finalize {
            comm_events::after(&mut s, code);
            windows::learned(&mut s, code);
            inflight::after(&mut s, code);
            inflight::restore_freed(&s, code);
        }
    }));
    local.busy = false;
    if !plan.any_time && plan.base != mpiscope_abi::id::Finalize {
        inflight::poll(process, false);
    }
    if std::mem::take(&mut local.unheeded) {
        inflight::races::leave();
    }
    if done.is_err() {
        give_up();
    }
}

/// A call of which only that matters which buffers it brings to their end.
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

/// After it.
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

/// After a call inside of another one.
///
/// # Safety
/// As [`before`].
pub unsafe fn nested_after(local: *mut Local, process: &'static Process, depth: usize, args: Args, code: i32) {
    // SAFETY: the thread's own.
    followed(unsafe { &mut *local }, process, depth, args, code);
}

/// Before a call inside of another one (a callback): only objects and buffers are followed.
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
    if plan.base == mpiscope_abi::id::Request_free {
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

/// The elements of a datatype that was just made.
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
