//! Races between threads and MPI, by the race detector of the compiler that the program was compiled with (`-fsanitize=thread`).
//!
//! The detector sees threads and their synchronisation. It does not see that an operation reads or writes its buffer until it is
//! complete. mpiscope models that: the operation is a fibre, another thread of control, which is ordered after the call that
//! starts it and accesses the buffer at once. The thread that completes the operation is ordered after the fibre. So each access
//! that is neither before the start nor after the completion is a race, whenever it happens, and the detector reports it.
//!
//! * Accesses of the MPI library and of this library during a call are ignored, and their locks create no order: which thread is
//!   first there is chance.
//! * Messages create an order. Where several threads may call MPI, a call that may receive comes after all
//!   earlier calls that may send. (One process cannot determine the exact order.)
//! * The detector reports while it holds its own locks. Its report is stored without allocation or locks, and reported by the next
//!   checked call of the process, which can see whether the operation is still pending.
//!
//! ([decision](docs/decisions/0034-thread-races.md))

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use mpiscope_abi::role::Role;
use mpiscope_trace::check::rule;
use mpiscope_trace::python;

use super::instruction_access::{self, Kind, Touch};
use super::layout::Layout;
use super::{Flights, Id};
use crate::check::CallContext;
use crate::check::tracked::WordMap;
use crate::check::view::CheckPlan;
use crate::process::{Process, complain};

/// Functions of the detector.
struct Detector {
    current: unsafe extern "C" fn() -> *mut c_void,
    create: unsafe extern "C" fn(u32) -> *mut c_void,
    switch: unsafe extern "C" fn(*mut c_void, u32),
    acquire: unsafe extern "C" fn(*const c_void),
    release: unsafe extern "C" fn(*const c_void),
    read: unsafe extern "C" fn(u64, c_ulong, u64),
    write: unsafe extern "C" fn(u64, c_ulong, u64),
    enter: unsafe extern "C" fn(u64),
    leave: unsafe extern "C" fn(),
    ignore: unsafe extern "C" fn(),
    heed: unsafe extern "C" fn(),
    ignore_order: unsafe extern "C" fn(*const c_char, c_int),
    heed_order: unsafe extern "C" fn(*const c_char, c_int),
    report: unsafe extern "C" fn(
        *mut c_void,
        *mut *const c_char,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut *mut c_void,
        c_ulong,
    ) -> c_int,
    access: unsafe extern "C" fn(
        *mut c_void,
        c_ulong,
        *mut c_int,
        *mut u64,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut u64,
        c_ulong,
    ) -> c_int,
    /// Its address range, unless it is part of the executable.
    own: (u64, u64),
    /// Address ranges of instrumented code.
    code: Vec<(u64, u64)>,
    /// The program has an OpenMP library that the detector does not support.
    is_unsure: bool,
}

static DETECTOR: OnceLock<Option<Detector>> = OnceLock::new();

/// Makes no order between the two fibres.
const UNORDERED: u32 = 1;

/// Most fibres of a process: the detector supports 255 threads at once, or a few thousand, depending on its version.
const MOST_FIBRES: usize = 128;
/// Completed operations that are remembered; a power of two.
const REMEMBERED: usize = 4096;

fn detector() -> Option<&'static Detector> {
    DETECTOR.get()?.as_ref()
}

/// Whether races are detected.
pub fn is_on() -> bool {
    detector().is_some()
}

/// Finds the detector, if races are to be detected.
pub fn connect(process: &Process) {
    if !process.config.thread_races {
        return;
    }
    let found = DETECTOR.get_or_init(|| find(process));
    match found {
        Some(_) => instruction_access::want(),
        None => complain(
            "--thread-races has no effect: the compiler's runtime does not export its functions to other libraries",
        ),
    }
}

fn find(process: &Process) -> Option<Detector> {
    let of = |name: &str| process.program.iter().find_map(|object| Some((object, object.defines(name)?)));
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the function of this name has the type of its field by the detector's interface.
            unsafe { std::mem::transmute_copy(&of($name)?.1) }
        };
    }
    let (library, _) = of("__tsan_acquire")?;
    let is_apart = !library.path.is_empty();
    let range = |o: &crate::elf::Object| (o.range.0 as u64, o.range.1 as u64);
    let code = process.program.iter().enumerate().filter(|(at, o)| *at == 0 || o.instrumented).map(|(_, o)| range(o));
    let has =
        |part: &str| process.program.iter().any(|o| o.path.rsplit('/').next().is_some_and(|n| n.starts_with(part)));
    let is_ordered = |library: &str, by: &str| !has(library) || has(by);
    Some(Detector {
        current: function!("__tsan_get_current_fiber"),
        create: function!("__tsan_create_fiber"),
        switch: function!("__tsan_switch_to_fiber"),
        acquire: function!("__tsan_acquire"),
        release: function!("__tsan_release"),
        read: function!("__tsan_read_range_pc"),
        write: function!("__tsan_write_range_pc"),
        enter: function!("__tsan_func_entry"),
        leave: function!("__tsan_func_exit"),
        ignore: function!("__tsan_ignore_thread_begin"),
        heed: function!("__tsan_ignore_thread_end"),
        ignore_order: function!("AnnotateIgnoreSyncBegin"),
        heed_order: function!("AnnotateIgnoreSyncEnd"),
        report: function!("__tsan_get_report_data"),
        access: function!("__tsan_get_report_mop"),
        own: if is_apart { range(library) } else { (0, 0) },
        code: code.collect(),
        is_unsure: !is_ordered("libgomp.", "libmpiscope_openmp.")
            || !is_ordered("libomp.", "libarcher.")
            || !is_ordered("libiomp", "libarcher."),
    })
}

/// A fibre in use by an operation.
#[derive(Debug)]
pub struct Fibre {
    number: u32,
    /// Number of the operation.
    operation: u64,
}

/// An operation that used a fibre, or a blocking call.
#[derive(Clone, Copy, Default)]
struct Operation {
    number: u64,
    begin: u64,
    end: u64,
    base: u64,
    /// Return address of its call.
    caller: u64,
    site: u32,
    function: u16,
    flight: Option<Id>,
}

/// All fibres.
#[derive(Default)]
pub struct Races {
    fibres: Vec<(u64, Box<u8>)>,
    free: WordMap<u32, Vec<u32>>,
    owners: Vec<u32>,
    operations: u64,
    recent: Vec<Operation>,
    /// Return addresses of a call site, innermost first.
    frames: WordMap<u32, Vec<u64>>,
    /// Operations without a fibre.
    pub left_alone: u64,
    reported: std::collections::HashSet<(u64, u64)>,
}

/// Released by calls that may send, acquired by calls that may receive.
static MESSAGES: u8 = 0;

/// Before a call is checked: accesses by this library are not the program's.
pub fn enter() -> bool {
    let Some(detector) = detector() else { return false };
    // SAFETY: of the detector.
    unsafe { (detector.ignore)() };
    true
}

/// After that.
pub fn leave() {
    if let Some(detector) = detector() {
        // SAFETY: as above; `enter` has been called.
        unsafe { (detector.heed)() };
    }
}

/// Whether locks inside the call create no order. Not in calls that start threads, which are ordered after their creator.
fn is_opaque(plan: &CheckPlan) -> bool {
    use mpiscope_abi::id;
    !matches!(plan.base, id::Init | id::Init_thread | id::Session_init | id::Finalize | id::Session_finalize)
}

/// The call enters the MPI.
pub fn hand_over(s: &mut CallContext<'_>) {
    let Some(detector) = detector() else { return };
    if is_multiple(s) && may_send(s.view.plan) {
        // SAFETY: of the detector.
        unsafe { (detector.release)((&raw const MESSAGES).cast()) };
    }
    // Not twice where a jump has left a call.
    if is_opaque(s.view.plan) && !std::mem::replace(&mut s.open.buffers.is_opaque, true) {
        // SAFETY: as above.
        unsafe { (detector.ignore_order)(c"".as_ptr(), 0) };
    }
}

/// The call has returned from the MPI.
pub fn take_back() {
    if let Some(detector) = detector() {
        // SAFETY: as above; `hand_over` has begun it.
        unsafe { (detector.heed_order)(c"".as_ptr(), 0) };
    }
}

/// It is now known what the call has received.
pub fn received(s: &CallContext<'_>) {
    if let Some(detector) = detector().filter(|_| is_multiple(s) && may_receive(s.view.plan)) {
        // SAFETY: of the detector.
        unsafe { (detector.acquire)((&raw const MESSAGES).cast()) };
    }
}

/// At lower thread levels, the program has ordered its calls itself.
fn is_multiple(s: &CallContext<'_>) -> bool {
    !(0..3).contains(&s.checker.life.level())
}

fn may_send(plan: &CheckPlan) -> bool {
    plan.transfers || matches!(plan.role, Role::Start | Role::Partition | Role::Epoch(_) | Role::Collective(_))
}

fn may_receive(plan: &CheckPlan) -> bool {
    !matches!(plan.role, Role::Send(_) | Role::Start | Role::Access | Role::Local) && !plan.makes_request
}

impl Races {
    /// A fibre for an operation that a thread starts. Each thread has its own fibres: one of another thread would carry that
    /// thread's order.
    fn take(&mut self, detector: &Detector, thread: u32) -> Option<u32> {
        if let Some(number) = self.free.get_mut(&thread).and_then(Vec::pop) {
            return Some(number);
        }
        if self.fibres.len() == MOST_FIBRES {
            return None;
        }
        // SAFETY: of the detector; it stays until the process ends.
        let fibre = unsafe { (detector.create)(0) };
        self.fibres.push((fibre as u64, Box::new(0)));
        self.owners.push(thread);
        Some(self.fibres.len() as u32 - 1)
    }

    fn remember(&mut self, operation: Operation) -> u64 {
        self.operations += 1;
        let operation = Operation { number: self.operations, ..operation };
        match self.recent.len() < REMEMBERED {
            true => self.recent.push(operation),
            false => self.recent[(self.operations as usize - 1) % REMEMBERED] = operation,
        }
        self.operations
    }

    /// The last operation of a call whose buffer contained this byte.
    fn operation(&self, caller: u64, address: u64) -> Option<Operation> {
        let has = |o: &&Operation| o.caller == caller && (o.begin..o.end).contains(&address);
        self.recent.iter().filter(has).max_by_key(|o| o.number).copied()
    }

    fn frames(&mut self, process: &Process, site: u32) -> &[u64] {
        self.frames.entry(site).or_insert_with(|| {
            let frames = process.frames(site);
            frames.into_iter().filter(|&frame| python::parts(frame).is_none()).collect()
        })
    }
}

/// Reports an access to all bytes of a buffer to the detector.
fn access(detector: &Detector, (base, layout): (u64, &Layout), writes: bool, pc: u64) {
    let report = if writes { detector.write } else { detector.read };
    layout.each(|at, bytes| {
        // SAFETY: the detector looks at its own memory of these bytes.
        unsafe { report(base.wrapping_add_signed(at), bytes, pc) };
        true
    });
}

/// An operation begins to use its buffer.
pub fn begin(s: &mut CallContext<'_>, buffer: (u64, &Layout), writes: bool, function: u16) -> Option<Fibre> {
    let detector = detector()?;
    let (process, site, thread) = (s.view.process, s.site, s.thread);
    let races = &mut s.checker.flights.races;
    let Some(number) = races.take(detector, thread) else {
        races.left_alone += 1;
        return None;
    };
    let (fibre, place) =
        (races.fibres[number as usize].0, (&raw const *races.fibres[number as usize].1).cast::<c_void>());
    let frames = races.frames(process, site);
    let caller = frames.first().copied().unwrap_or_default();
    let pc = stub(process, function);
    // SAFETY: of the detector. This thread is in the fibre only here, where nothing else runs.
    unsafe {
        let here = (detector.current)();
        (detector.switch)(fibre as *mut c_void, 0);
        frames.iter().rev().for_each(|&frame| (detector.enter)(frame));
        access(detector, buffer, writes, pc);
        frames.iter().for_each(|_| (detector.leave)());
        (detector.release)(place);
        (detector.switch)(here, UNORDERED);
    }
    let (begin, end) = super::ends(buffer.0, buffer.1);
    let operation =
        races.remember(Operation { begin, end, base: buffer.0, caller, site, function, ..Operation::default() });
    Some(Fibre { number, operation })
}

/// The flight of an operation, if it has one.
pub fn is_flight(flights: &mut Flights, id: Id, fibre: u64) {
    let at = (fibre as usize).wrapping_sub(1) % REMEMBERED;
    if let Some(operation) = flights.races.recent.get_mut(at).filter(|o| o.number == fibre) {
        operation.flight = Some(id);
    }
}

impl Fibre {
    /// Number of its operation.
    pub fn operation(&self) -> u64 {
        self.operation
    }
}

/// An operation is complete: what this thread does from now on is ordered after it.
pub fn over(races: &mut Races, fibre: &Fibre) {
    let Some(detector) = detector() else { return };
    let place = &raw const *races.fibres[fibre.number as usize].1;
    // SAFETY: of the detector.
    unsafe { (detector.acquire)(place.cast()) };
    let owner = races.owners[fibre.number as usize];
    races.free.entry(owner).or_default().push(fibre.number);
}

/// A call that returns when it no longer uses its buffer: an access by the thread itself.
pub fn blocking(s: &mut CallContext<'_>, buffer: (u64, &Layout), writes: bool) {
    let Some(detector) = detector() else { return };
    let (process, site, function) = (s.view.process, s.site, s.view.plan.function as u16);
    let races = &mut s.checker.flights.races;
    let caller = races.frames(process, site).first().copied().unwrap_or_default();
    // SAFETY: of the detector; the thread is heeded here and nowhere else in this library.
    unsafe {
        (detector.heed)();
        (detector.enter)(caller);
        access(detector, buffer, writes, stub(process, function));
        (detector.leave)();
        (detector.ignore)();
    }
    let (begin, end) = super::ends(buffer.0, buffer.1);
    races.remember(Operation { begin, end, base: buffer.0, caller, site, function, ..Operation::default() });
}

/// An address in this library's function that the program called: reports of the detector show its name.
fn stub(process: &Process, function: u16) -> u64 {
    static KNOWN: [AtomicU64; mpiscope_abi::ID_LIMIT as usize] =
        [const { AtomicU64::new(0) }; mpiscope_abi::ID_LIMIT as usize];
    let known = &KNOWN[usize::from(function)];
    if known.load(Ordering::Relaxed) == 0 {
        let own = process.program.iter().find(|o| o.range == process.own);
        let named = own.and_then(|own| own.defines(mpiscope_abi::name(function.into())));
        known.store(named.unwrap_or(__tsan_on_report as *const () as usize) as u64 + 1, Ordering::Relaxed);
    }
    known.load(Ordering::Relaxed)
}

/// Most frames that are kept of an access.
const FRAMES: usize = 16;

/// An access in a report.
#[derive(Clone, Copy)]
struct Access {
    address: u64,
    bytes: u64,
    writes: bool,
    frames: [u64; FRAMES],
}

const NO_ACCESS: Access = Access { address: 0, bytes: 0, writes: false, frames: [0; FRAMES] };

/// A report that waits for the next call to pass it on.
struct Noted {
    state: AtomicU32,
    /// The later access, and the earlier one.
    accesses: UnsafeCell<[Access; 2]>,
}

const FREE: u32 = 0;
const TAKEN: u32 = 1;
const FULL: u32 = 2;

// SAFETY: the cell is written by who has taken it, and read when it is full by who has the checker's lock.
unsafe impl Sync for Noted {}

static NOTED: [Noted; 64] =
    [const { Noted { state: AtomicU32::new(FREE), accesses: UnsafeCell::new([NO_ACCESS; 2]) } }; 64];
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// The detector calls this with each report, while it holds its own locks.
///
/// # Safety
/// Called by the detector.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_on_report(report: *mut c_void) {
    let Some(detector) = detector() else { return };
    let mut kind: *const c_char = std::ptr::null();
    let mut numbers = [0 as c_int; 7];
    let mut sleep = [std::ptr::null_mut(); 1];
    let [count, stacks, accesses, places, mutexes, threads, unique] = numbers.each_mut();
    // SAFETY: places of the right types.
    unsafe {
        (detector.report)(
            report,
            &mut kind,
            count,
            stacks,
            accesses,
            places,
            mutexes,
            threads,
            unique,
            sleep.as_mut_ptr(),
            1,
        );
    }
    // SAFETY: a text of the detector's.
    let is_race = !kind.is_null() && unsafe { CStr::from_ptr(kind) }.to_bytes().starts_with(b"data-race");
    if !is_race || numbers[2] < 2 {
        return;
    }
    let take = |noted: &&Noted| noted.state.compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    let Some(noted) = NOTED.iter().find(take) else { return };
    // SAFETY: taken.
    let kept = unsafe { &mut *noted.accesses.get() };
    for (at, one) in kept.iter_mut().enumerate() {
        *one = NO_ACCESS;
        let (mut thread, mut bytes, mut writes, mut atomic) = (0, 0, 0, 0);
        // SAFETY: places of the right types, as many frames as are said.
        unsafe {
            (detector.access)(
                report,
                at as c_ulong,
                &mut thread,
                &mut one.address,
                &mut bytes,
                &mut writes,
                &mut atomic,
                one.frames.as_mut_ptr(),
                FRAMES as c_ulong,
            );
        }
        (one.bytes, one.writes) = (bytes.max(0) as u64, writes != 0);
    }
    noted.state.store(FULL, Ordering::Release);
    WAITING.fetch_add(1, Ordering::Release);
}

/// Reports what was stored since the last call. If the operation is still pending, the report is one more access to its buffer.
pub fn emit_races(s: &mut CallContext<'_>) {
    if WAITING.load(Ordering::Acquire) == 0 {
        return;
    }
    let Some(detector) = detector() else { return };
    for noted in NOTED.iter().filter(|noted| noted.state.load(Ordering::Acquire) == FULL) {
        // SAFETY: full, and nobody else reads it: this thread has the checker's lock.
        let accesses = unsafe { *noted.accesses.get() };
        noted.state.store(FREE, Ordering::Release);
        WAITING.fetch_sub(1, Ordering::Relaxed);
        report_one(s, detector, &accesses);
    }
}

fn report_one(s: &mut CallContext<'_>, detector: &Detector, accesses: &[Access; 2]) {
    let process = s.view.process;
    let is_ours = |pc: u64| (process.own.0..process.own.1).contains(&(pc as usize));
    let operation = |s: &CallContext<'_>, one: &Access| {
        let is_one = is_ours(one.frames[0]);
        is_one.then(|| s.checker.flights.races.operation(one.frames[1], one.address)).flatten()
    };
    let found = [operation(s, &accesses[0]), operation(s, &accesses[1])];
    let [first, second] = accesses;
    let unsure = if detector.is_unsure { rule::MAY_BE_ORDERED } else { 0 };
    let kind = |one: &Access| if one.writes { rule::WRITES } else { 0 };
    match (found, is_ours(first.frames[0]), is_ours(second.frames[0])) {
        // An operation and the program.
        ([Some(of), None], _, false) | ([None, Some(of)], false, _) => {
            let is_last = found[0].is_none();
            let one = if is_last { first } else { second };
            let Some(frames) = program_frames(detector, one) else { return };
            let bytes = (one.address.max(of.begin), (one.address + one.bytes).min(of.end));
            let flights = &mut s.checker.flights;
            if let Some(flight) = of.flight.filter(|_| is_last).and_then(|id| flights.get(id)) {
                let kind = if one.writes { Kind::Write } else { Kind::Read };
                instruction_access::add(&mut flight.touches, Touch { frames, kind, bytes, count: 1, is_word: false });
                return;
            }
            let site = process.site(&frames);
            if site != 0 && s.checker.flights.races.reported.insert((of.caller, frames[0])) {
                let values = [
                    (bytes.1 - bytes.0) as i64,
                    bytes.0.wrapping_sub(of.base) as i64,
                    i64::from(site) | kind(one) | unsure,
                ];
                let text = if is_last { "accessed later" } else { "accessed earlier" };
                s.find_at(rule::BUFFER_RACE, (of.function, of.site), values, text, 0);
            }
        }
        // Two operations.
        ([Some(last), Some(before)], ..) => {
            if !s.checker.flights.races.reported.insert((last.caller, before.caller)) {
                return;
            }
            let values = [second.bytes.min(first.bytes) as i64, first.address.wrapping_sub(last.base) as i64, unsure];
            let text = format!("the other operation is {}", mpiscope_abi::name(before.function.into()));
            s.find_at(rule::BUFFER_RACE, (last.function, last.site), values, &text, before.site);
        }
        // Two threads of the program.
        (_, false, false) => {
            let (Some(last), Some(before)) = (program_frames(detector, first), program_frames(detector, second)) else {
                return;
            };
            let sites = [process.site(&last), process.site(&before)];
            if sites.iter().all(|&site| site != 0) && s.checker.flights.races.reported.insert((last[0], before[0])) {
                let values = [first.bytes as i64, kind(second), i64::from(sites[0]) | kind(first) | unsure];
                s.find_at(rule::MEMORY_RACE, (0, sites[1]), values, "", 0);
            }
        }
        // Of an operation that is no longer remembered.
        _ => {}
    }
}

/// Return addresses of an access by instrumented code, without frames of the detector; `None` if it was in other code.
fn program_frames(detector: &Detector, one: &Access) -> Option<Vec<u64>> {
    let within = |pc: u64, range: &(u64, u64)| (range.0..range.1).contains(&pc.saturating_sub(1));
    let frames = one.frames.iter().copied().take_while(|&pc| pc != 0).skip_while(|&pc| within(pc, &detector.own));
    let frames: Vec<u64> = frames.take(8).collect();
    let first = *frames.first()?;
    detector.code.iter().any(|range| within(first, range)).then_some(frames)
}
