//! Lifetimes: of MPI in the process, of its threads, and of the objects that the program creates and frees.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use mpiscope_abi::role::Role;
use mpiscope_abi::spec::class;
use mpiscope_abi::{Family, id, predefined};
use mpiscope_trace::check::event::{Body, flag};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::tracked::{Tracked, WordMap};
use super::types;
use super::view::{Slot, makes_object};
use crate::mpi::call;
use crate::process::Process;

/// The state of MPI in the process.
#[derive(Default)]
pub struct Life {
    /// `MPI_Init` has succeeded.
    world: bool,
    /// `MPI_Finalize` was called.
    finalized: bool,
    /// Number of open sessions.
    sessions: u32,
    /// MPI was initialised once, by either way.
    begun: bool,
    /// Thread level; −1 if unknown.
    level: i32,
    /// The thread that initialised MPI.
    main: u64,
    /// The requested thread level; 3 if unknown.
    asked: i32,
    /// A finding reports the use of a higher level than requested.
    is_level_reported: bool,
    /// The largest tag.
    tag_ub: i64,
    own: OwnThreads,
    /// Findings report leaks.
    are_leaks_reported: bool,
    /// Callbacks at the end may free what is left.
    late: bool,
}

/// Threads in a blocking collective operation, by communicator.
#[derive(Default)]
pub struct Meetings(WordMap<u32, Meeting>);

/// A thread in a blocking collective operation.
#[derive(Clone, Copy)]
struct Meeting {
    thread: u32,
    function: u32,
    site: u32,
}

/// To detect concurrent calls: the number of threads in a call, and one of them (0 for none).
static INSIDE: AtomicU32 = AtomicU32::new(0);
static WHO: AtomicI32 = AtomicI32::new(0);

/// Functions that free an object.
pub fn frees(base: u32) -> bool {
    matches!(
        base,
        id::Comm_free
            | id::Comm_disconnect
            | id::Group_free
            | id::Type_free
            | id::Op_free
            | id::Win_free
            | id::File_close
            | id::Info_free
            | id::Errhandler_free
            | id::Session_finalize
            | id::Comm_free_keyval
            | id::Type_free_keyval
            | id::Win_free_keyval
            | id::Keyval_free
    )
}

/// Functions whose handle the program must not, or need not, free.
fn lends(base: u32) -> bool {
    matches!(
        base,
        id::Comm_get_parent
            | id::Type_create_f90_integer
            | id::Type_create_f90_real
            | id::Type_create_f90_complex
            | id::Type_match_size
            | id::Type_get_value_index
            | id::Comm_get_errhandler
            | id::Win_get_errhandler
            | id::File_get_errhandler
            | id::Session_get_errhandler
            | id::Errhandler_get
            | id::File_get_view
            | id::Get_hw_resource_info
    )
}

impl Life {
    /// MPI is initialised.
    pub fn is_open(&self) -> bool {
        self.has_world() || self.sessions > 0
    }

    /// Thread level; −1 if unknown.
    pub fn level(&self) -> i32 {
        self.level
    }

    /// The largest tag.
    pub fn tag_ub(&self) -> i64 {
        self.tag_ub
    }

    /// A file was opened: from then on, threads of the C library that read and write for the MPI may be mistaken for threads of
    /// the program.
    pub fn has_file(&mut self) {
        self.own.is_over = true;
    }

    /// `MPI_COMM_WORLD` exists.
    pub fn has_world(&self) -> bool {
        self.world && !self.finalized
    }
}

fn thread_id() -> i32 {
    // SAFETY: no arguments.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Before a call: MPI must be initialised, and the thread level must allow this thread to call it.
pub fn before(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let base = plan.base;
    let life = &s.checker.life;
    if matches!(base, id::Init | id::Init_thread) {
        if life.world {
            let text = if life.finalized { "after MPI_Finalize" } else { "" };
            s.find(rule::INIT_TWICE, None, [0; 3], text);
            return;
        }
        let levels = s.view.process.mpi.constants.thread_levels;
        let asked = plan.named("required").map_or(i64::from(levels[0]), |required| s.view.int(required));
        s.checker.life.asked = levels.iter().position(|&level| i64::from(level) == asked).map_or(3, |at| at as i32);
        s.checker.life.own = OwnThreads::before_init(s.view.process);
        return;
    }
    if !life.is_open() && !plan.any_time {
        let text = if life.begun { "after MPI_Finalize" } else { "before MPI_Init" };
        s.find(rule::OUTSIDE, None, [0; 3], text);
    }
    super::arguments::session(s);
    let life = &s.checker.life;
    if base == id::Finalize && life.level > 1 && life.is_open() && u64::from(s.thread) != life.main {
        let values = [life.level.into(), life.main as i64, i64::from(s.thread)];
        s.find(rule::THREAD_LEVEL, None, values, "only the thread that called MPI_Init may call MPI_Finalize");
    }
    let life = &s.checker.life;
    if life.level == 0 || life.level == 1 {
        let main = life.main;
        if !plan.any_time && u64::from(s.thread) != main {
            let values = [s.checker.life.level.into(), main as i64, i64::from(s.thread)];
            s.find(rule::THREAD_LEVEL, None, values, "not the thread that called MPI_Init");
        }
    } else if life.level >= 2 && !plan.any_time && u64::from(s.thread) != life.main {
        unasked(s, 2, "not the thread that called MPI_Init");
    }
    if life_is_single(s) && !plan.any_time {
        own_threads(s);
    }
    match base {
        id::Finalize => {
            requests_left(s);
            if !s.checker.life.late {
                leaks(s);
            }
            s.emit(flag::BLOCKING, Body::End);
        }
        id::Session_finalize if s.checker.life.sessions == 1 && (!s.checker.life.world || s.checker.life.finalized) => {
            requests_left(s);
            leaks(s);
            s.emit(flag::BLOCKING, Body::End);
        }
        id::Comm_set_attr | id::Attr_put => {
            let handle = s.view.param(Slot::Comm).and_then(|p| s.view.handle(p));
            // Callbacks of attributes of MPI_COMM_SELF run in MPI_Finalize.
            s.checker.life.late |= handle == Some(s.view.process.mpi.constants.comm_self as u64);
        }
        _ => {}
    }
}

/// A call begins: reports concurrent calls if the thread level forbids them.
pub fn enter(s: &mut CallContext<'_>) {
    if !counts_calls(s) {
        return;
    }
    let me = thread_id();
    if INSIDE.fetch_add(1, Ordering::AcqRel) > 0 {
        let other = WHO.load(Ordering::Acquire);
        if other != me && other != 0 && s.checker.life.level == 3 {
            unasked(s, 3, "two threads call MPI at the same time");
        } else if other != me && other != 0 {
            let values = [2, i64::from(other), i64::from(me)];
            s.find(rule::THREAD_LEVEL, None, values, "at the same time");
        }
    }
    WHO.store(me, Ordering::Release);
}

/// Whether concurrent calls are detected: if the level forbids them, or was not requested.
fn counts_calls(s: &CallContext<'_>) -> bool {
    let life = &s.checker.life;
    (life.level == 2 || (life.level == 3 && life.asked < 3)) && life.has_world() && !s.view.plan.any_time
}

/// The program needs a thread level that the MPI granted without a request.
fn unasked(s: &mut CallContext<'_>, needed: i32, text: &str) {
    let life = &mut s.checker.life;
    if life.asked >= needed || life.level < needed || std::mem::replace(&mut life.is_level_reported, true) {
        return;
    }
    let values = [life.asked, life.level, needed].map(i64::from);
    let at = (s.view.plan.function as u16, s.site);
    s.find_at(rule::THREAD_UNASKED, at, values, text, 0);
}

/// Threads of the program itself, where it requested MPI_THREAD_SINGLE.
#[derive(Default)]
struct OwnThreads {
    /// Threads that are not the program's, or may not be.
    others: Vec<u32>,
    before_init: Vec<u32>,
    looks: u64,
    /// No further search is needed.
    is_over: bool,
    function: u16,
    site: u32,
}

impl OwnThreads {
    /// Threads that exist before MPI is initialised, except the caller, belong to the program, unless its compiler's runtime
    /// creates threads.
    fn before_init(process: &Process) -> OwnThreads {
        let is_instrumented = process.program.iter().any(|object| object.instrumented);
        let before_init = threads().unwrap_or_default();
        let others = if is_instrumented { before_init.clone() } else { vec![thread_id() as u32] };
        OwnThreads { others, before_init, ..OwnThreads::default() }
    }

    /// Threads that `MPI_Init` started belong to the MPI.
    fn after_init(&mut self, function: u16, site: u32) {
        (self.function, self.site) = (function, site);
        let before = std::mem::take(&mut self.before_init);
        self.others.extend(threads().unwrap_or_default().into_iter().filter(|thread| !before.contains(thread)));
    }
}

/// Name of a thread, inherited from its creator until it is renamed: MPI libraries and drivers rename theirs.
fn name_of(thread: u32) -> Option<String> {
    std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).ok()
}

fn life_is_single(s: &CallContext<'_>) -> bool {
    let life = &s.checker.life;
    life.asked == 0 && life.has_world() && !life.own.is_over
}

/// How many calls check for threads; later ones check at growing distances.
const FIRST_LOOKS: u64 = 64;

/// Whether the program has threads of its own.
fn own_threads(s: &mut CallContext<'_>) {
    let is_last = s.view.plan.base == id::Finalize;
    let own = &mut s.checker.life.own;
    own.looks += 1;
    if own.looks > FIRST_LOOKS && !own.looks.is_power_of_two() && !is_last {
        return;
    }
    let Some(name) = name_of(thread_id() as u32) else { return };
    let all = threads().unwrap_or_default();
    let new = all.into_iter().filter(|thread| !own.others.contains(thread));
    let count = new.filter(|&thread| name_of(thread).as_ref() == Some(&name)).count();
    if count > 0 {
        own.is_over = true;
        let (function, site) = (own.function, own.site);
        let text = mpiscope_abi::name(function.into());
        s.find_at(rule::THREAD_SINGLE, (function, site), [count as i64, 0, 0], text, s.site);
    }
}

/// A collective call begins: no other thread may be in one on the same communicator (MPI-5.0 §11.6.2). A call that only starts an
/// operation is over at once, so it is not counted.
pub fn meet(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let file = plan.number(Slot::File).is_some() || plan.number(Slot::Window).is_some();
    if !may_meet(s) || s.head_comm == 0 || file {
        return;
    }
    match s.checker.meetings.0.get(&s.head_comm).copied() {
        Some(other) if other.thread != s.thread => {
            let name = mpiscope_abi::name(other.function);
            s.find_from(rule::COLLECTIVE_CONCURRENT, None, [0; 3], name, other.site);
        }
        Some(_) => {}
        None if plan.makes_request => {}
        None => {
            let meeting = Meeting { thread: s.thread, function: plan.function, site: s.site };
            s.checker.meetings.0.insert(s.head_comm, meeting);
        }
    }
}

/// Whether the call is collective, and the thread level allows several threads in calls, or is unknown.
fn may_meet(s: &CallContext<'_>) -> bool {
    !(0..3).contains(&s.checker.life.level) && matches!(s.view.plan.role, Role::Collective(_))
}

/// The call is over.
pub fn leave(s: &mut CallContext<'_>) {
    if may_meet(s) && s.checker.meetings.0.get(&s.head_comm).is_some_and(|m| m.thread == s.thread) {
        s.checker.meetings.0.remove(&s.head_comm);
    }
    if counts_calls(s) && INSIDE.load(Ordering::Acquire) > 0 {
        INSIDE.fetch_sub(1, Ordering::AcqRel);
    }
}

/// After a successful call: objects that it created or freed, and MPI being initialised or finalised.
pub fn after(s: &mut CallContext<'_>, freed: Option<u64>) {
    let plan = s.view.plan;
    match plan.base {
        id::Init | id::Init_thread => {
            s.checker.life.world = true;
            begin(s);
            s.checker.life.tag_ub = tag_ub(s.view.process);
            // SAFETY: the mapped header, which the recorder has just filled.
            s.checker.life.level = unsafe { (*s.view.process.file.header).thread_level };
            s.checker.life.main = s.thread.into();
            s.checker.life.own.after_init(plan.function as u16, s.site);
        }
        id::Session_init => {
            let life = &mut s.checker.life;
            let is_again = life.begun && life.sessions == 0 && !life.world;
            life.sessions += 1;
            life.are_leaks_reported = false;
            if !life.begun {
                (life.level, life.asked) = (-1, 3);
            }
            begin(s);
            if is_again {
                s.emit(0, Body::Begin { threads: threads().unwrap_or_default() });
            }
        }
        id::Finalize => {
            if s.checker.life.late {
                leaks(s);
            }
            s.checker.life.finalized = true;
        }
        id::Session_finalize => s.checker.life.sessions = s.checker.life.sessions.saturating_sub(1),
        _ => {}
    }
    if frees(plan.base) {
        if let (Some(handle), Some(param)) = (freed, freed_param(s)) {
            s.checker.objects.freed(param.class, handle);
        }
        return;
    }
    if plan.base == id::Type_commit {
        let handle = s.view.plan.params.first().and_then(|p| s.view.handle(p));
        if let Some(known) = handle.and_then(|h| s.checker.objects.get_mut(class::TYPE, h)) {
            known.committed = true;
        }
        return;
    }
    if plan.base == id::Type_get_contents {
        parts(s);
    }
    if plan.makes_objects {
        plan.params.iter().filter(|param| makes_object(param)).for_each(|param| made(s, param));
    }
}

/// The object that a freeing function names.
fn freed_param(s: &CallContext<'_>) -> Option<&'static mpiscope_abi::Param> {
    s.view.plan.params.iter().find(|p| (class::COMM..=class::KEYVAL).contains(&p.class))
}

/// Its handle, while it exists.
pub fn to_be_freed(s: &CallContext<'_>) -> Option<u64> {
    if !frees(s.view.plan.base) {
        return None;
    }
    s.view.handle(freed_param(s)?)
}

fn made(s: &mut CallContext<'_>, param: &'static mpiscope_abi::Param) {
    let plan = s.view.plan;
    let process = s.view.process;
    let Some(handle) = s.view.handle(param) else { return };
    if handle == s.view.nulls.null(param.class) || handle == 0 || s.view.nulls.is_predefined(handle) {
        return;
    }
    let id = match param.class {
        class::COMM => process.comms.id(handle),
        class::TYPE => process.types.id(handle),
        class::OP => process.ops.id(handle),
        class::WINDOW => process.windows.id(handle),
        class::FILE => process.files.id(handle),
        _ => 0,
    };
    let mut new =
        Tracked { id, site: s.site, function: plan.function as u16, borrowed: lends(plan.base), ..Tracked::default() };
    if param.class == class::TYPE {
        // A copy is as committed as what it is made from.
        let old = s.view.param(Slot::Type).and_then(|p| s.view.handle(p));
        let from = old.and_then(|h| s.checker.objects.get(class::TYPE, h));
        new.committed = new.borrowed || (plan.base == id::Type_dup && from.is_none_or(|t| t.committed));
        if id != 0 && s.checker.types.get(id as usize).is_none_or(|t| t.extent == 0 && t.size == 0) {
            if s.checker.types.len() <= id as usize {
                s.checker.types.resize(id as usize + 1, Default::default());
            }
            let map = types::map(&s.view);
            let order = types::order(&map, &s.checker.types);
            let is_of_array = types::is_of_array(s.view.plan.base, &map, &s.checker.types);
            s.checker.types[id as usize] = types::TypeInfo { order, is_of_array, ..types::derived(handle, id) };
        }
        super::inflight::new_type(s, id);
    }
    s.checker.objects.made(param.class, handle, new);
}

/// The parts of a datatype, which the call returns as new handles: each has to be freed, also if the program freed the original
/// before or several are the same handle (MPI-5.0 §5.1.13).
fn parts(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let (Some(array), Some(room)) = (plan.named("array_of_datatypes"), plan.named("max_datatypes")) else { return };
    let (Some(address), Ok(room)) = (s.view.word(array), u64::try_from(s.view.int(room))) else { return };
    let known = plan.named("datatype").and_then(|p| s.view.handle(p)).and_then(types::parts);
    // Where it is not known how many were written, what else lies in the room may be an old handle, of which less is said then.
    let room = known.map_or(room, |parts| room.min(parts));
    if !s.checker.memory.is_ordinary(address, room.saturating_mul(s.view.handle_bytes()), false) {
        return;
    }
    for at in 0..room as usize {
        let Some(handle) = s.view.stored(array, address, at) else { return };
        if handle == 0 || handle == s.view.nulls.null(class::TYPE) || s.view.nulls.is_predefined(handle) {
            continue;
        }
        let id = s.view.process.types.id(handle);
        let function = plan.function as u16;
        let borrowed = known.is_none() || types::is_basic(handle);
        let new = Tracked { id, site: s.site, function, borrowed, committed: true, ..Tracked::default() };
        s.checker.objects.given(class::TYPE, handle, new);
    }
}

/// Objects that exist from the beginning.
fn begin(s: &mut CallContext<'_>) {
    if s.checker.life.begun {
        return;
    }
    s.checker.life.begun = true;
    let process = s.view.process;
    let c = &process.mpi.constants;
    for handle in [c.comm_world, c.comm_self] {
        s.checker.objects.predefined(class::COMM, handle as u64);
    }
    for p in &predefined::DATATYPES {
        let handle = super::predefined_handle(process, p);
        if handle != 0 {
            s.checker.objects.predefined(class::TYPE, handle);
        }
    }
    s.checker.types = types::predefined_types(process);
    for p in &predefined::OPS {
        let handle = super::predefined_handle(process, p);
        let id = process.ops.id(handle) as usize;
        if handle == 0 || id == 0 {
            continue;
        }
        s.checker.objects.predefined(class::OP, handle);
        if s.checker.ops.len() <= id {
            s.checker.ops.resize(id + 1, "");
        }
        s.checker.ops[id] = p.name;
    }
    // Sessions have no MPI_COMM_WORLD, and MPICH ends a program that asks for its attributes.
    s.checker.life.tag_ub = i64::from(i32::MAX);
    s.emit(0, Body::Begin { threads: threads().unwrap_or_default() });
}

/// All threads of the process.
pub fn threads() -> Option<Vec<u32>> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    Some(tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse().ok()).collect())
}

/// The largest tag.
fn tag_ub(process: &Process) -> i64 {
    let c = &process.mpi.constants;
    let key = match c.family {
        Family::Mpich => 0x6440_0001,
        Family::OpenMpi => 0,
        Family::Standard => 501,
    };
    let (mut value, mut found) = (std::ptr::null_mut::<i32>(), 0);
    let known = call::Comm_get_attr(c.comm_world, key, (&raw mut value).cast(), &mut found);
    if known && found != 0 && !value.is_null() {
        // SAFETY: the attribute is the address of an int (MPI-5.0 §9.1.2).
        let most = unsafe { value.read() };
        if most >= 32767 {
            return most.into();
        }
    }
    i64::from(i32::MAX)
}

fn requests_left(s: &mut CallContext<'_>) {
    for request in s.checker.requests.left() {
        // An inactive persistent request is a leak of nothing that anybody waits for.
        if request.active && !request.cancelled {
            let name = mpiscope_abi::name(request.function.into());
            if request.overwritten != 0 {
                // A copy of the handle may have been kept; but it never was completed.
                s.find_made(rule::REQUEST_OVERWRITTEN, request.function, request.overwritten, [0; 3], name);
                continue;
            }
            s.find_made(rule::REQUEST_LEAK, request.function, request.site, [0; 3], name);
        }
    }
    super::windows::left(s);
}

fn leaks(s: &mut CallContext<'_>) {
    if std::mem::replace(&mut s.checker.life.are_leaks_reported, true) {
        return;
    }
    for request in s.checker.requests.left().iter().filter(|r| r.persistent && !r.active) {
        let name = mpiscope_abi::name(request.function.into());
        s.find_made(rule::PERSISTENT_LEAK, request.function, request.made, [0; 3], name);
    }
    // These may be freed at any time.
    let ends = s.view.plan.base == id::Session_finalize;
    for (class, rule) in [
        (class::COMM, rule::COMM_LEAK),
        (class::GROUP, rule::GROUP_LEAK),
        (class::TYPE, rule::TYPE_LEAK),
        (class::OP, rule::OP_LEAK),
        (class::WINDOW, rule::WINDOW_LEAK),
        (class::FILE, rule::FILE_LEAK),
        (class::INFO, rule::INFO_LEAK),
        (class::ERRHANDLER, rule::ERRHANDLER_LEAK),
        (class::KEYVAL, rule::KEYVAL_LEAK),
    ] {
        if ends && matches!(class, class::INFO | class::ERRHANDLER) {
            continue;
        }
        for left in s.checker.objects.left(class) {
            let name = format!("created by {}", mpiscope_abi::name(left.function.into()));
            s.find_made(rule, left.function, left.site, [left.id.into(), left.live.into(), 0], &name);
        }
    }
}
