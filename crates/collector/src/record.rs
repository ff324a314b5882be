//! Before and after every call.
//!
//! `enter` decides: pass through (recording off, the MPI's own nested call, filtered) or record. A
//! recorded call is decoded at entry, because the library overwrites requests and freed handles, and
//! finished in [`exit`]: outcome, shape, statistics, record; [`long`] handles what the short paths do not.

pub mod exit;
mod long;

pub use long::flush_polls;

use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_abi::function_unchecked;
use mpiscope_abi::spec::ABSENT;
use mpiscope_trace::check::event::Frame;
use mpiscope_trace::layout::{InFlight, MAX_NESTING, MAX_REQUESTS, gate};

use crate::call_plan::{CallPlan, Entry};
use crate::generated::SYMBOLS;
use crate::intern::mix;
use crate::process::{self, Process, action};
use crate::symbol::{STATES, Symbol};
use crate::thread::{Call, Thread};
use crate::trampoline::{Args, Entered};
use crate::{chained_tools, check, clock, decode, lifecycle, queues, tls};

/// The control for benchmarks: the same trampolines with hooks that only find the real routine.
#[cfg(feature = "nop")]
pub unsafe extern "C" fn enter(index: u32, _args: Args) -> Entered {
    let real = STATES[index as usize].real.load(Ordering::Relaxed);
    Entered { real: if real == 0 { process::find_real(index as usize) } else { real }, token: 0 }
}

/// Called by the trampoline before the real routine.
///
/// The hot functions of this module and of [`exit`] call nothing: what is out of the ordinary they leave to
/// another function as their last act. So the compiler keeps everything in registers that nobody has to save,
/// which is worth a dozen stores and loads a call.
#[cfg(not(feature = "nop"))]
pub unsafe extern "C" fn enter(index: u32, args: Args) -> Entered {
    // SAFETY: stubs know their own numbers.
    let state = unsafe { STATES.get_unchecked(index as usize) };
    let plan = state.plan.load(Ordering::Acquire);
    let thread = tls::get();
    if thread.is_null() | plan.is_null() {
        return unsafe { enter_first(index, args) };
    }
    // SAFETY: this thread's own state; plans are never freed.
    let (thread, plan) = unsafe { (&mut *thread, &*plan) };
    if plan.entry == Entry::Unusual || is_unusual(thread, args) {
        return unsafe { enter_unusual(index, args) };
    }
    match plan.entry {
        Entry::Requests => return unsafe { enter_requests(index, args) },
        Entry::Light => return unsafe { enter_light(index, args) },
        Entry::Wrapped => return unsafe { enter_wrapped(index, args) },
        _ => {}
    }
    // SAFETY: checked above.
    unsafe {
        let (call, flight) = begin(thread, plan, args);
        let seed = seed(thread, args.caller(), plan);
        call.raw = plan.raw_c(args, seed, thread.in_place, &thread.keys, &mut flight.words);
        let now = clock::counter(thread.shift.into());
        Entered { real: state.real.load(Ordering::Relaxed), token: announce(call, flight, args, now) }
    }
}

/// Whether this is anything but a call of the program at the top level, with nothing special asked for.
#[inline(always)]
fn is_unusual(thread: &Thread, args: Args) -> bool {
    let core = args.caller().wrapping_sub(thread.core[0]) < thread.core[1];
    core | (thread.depth != 0) | thread.paused | (process::gate_of(thread.control) != 0)
}

/// The place of a call at the top level.
#[inline(always)]
unsafe fn begin<'a>(thread: &mut Thread, plan: &'static CallPlan, args: Args) -> (&'a mut Call, &'a mut InFlight) {
    thread.depth = 1;
    // SAFETY: the thread's own state and its mapped header, which stay for good.
    let call = &raw mut thread.calls[0];
    unsafe { begin_at(&mut *call, plan, args) }
}

#[inline(always)]
unsafe fn begin_at<'a>(call: &'a mut Call, plan: &'static CallPlan, args: Args) -> (&'a mut Call, &'a mut InFlight) {
    call.plan = plan;
    call.stack_pointer = args.stack_pointer();
    args.set_stack_words(plan.stack_words);
    let flight = call.flight;
    (call, unsafe { &mut *flight })
}

/// [`enter`] for calls that name requests: Wait, Waitall, Test, Start, ….
#[cfg(not(feature = "nop"))]
#[inline(never)]
unsafe extern "C" fn enter_requests(index: u32, args: Args) -> Entered {
    // SAFETY: as in `enter`, which has checked all this.
    unsafe {
        let state = STATES.get_unchecked(index as usize);
        let (thread, plan) = (&mut *tls::get(), &*state.plan.load(Ordering::Relaxed));
        if !decode::requests_known(thread.process, &mut thread.calls[0], &plan.request_step, args) {
            return enter_unusual(index, args);
        }
        let (call, flight) = begin(thread, plan, args);
        let seed = seed(thread, args.caller(), plan);
        let seed = with_requests(call, flight, args, seed, &thread.lists);
        call.raw = plan.raw_c(args, seed, thread.in_place, &thread.keys, &mut flight.words);
        let now = clock::counter(thread.shift.into());
        Entered { real: state.real.load(Ordering::Relaxed), token: announce(call, flight, args, now) }
    }
}

/// [`enter`] for calls that only ask for the time. They are not announced as calls in flight, and nothing
/// can be called inside them. The token says so by being odd.
#[cfg(not(feature = "nop"))]
#[inline(never)]
unsafe extern "C" fn enter_light(index: u32, args: Args) -> Entered {
    // SAFETY: as in `enter`, which has checked all this.
    unsafe {
        let state = STATES.get_unchecked(index as usize);
        let plan = &*state.plan.load(Ordering::Relaxed);
        let thread = &mut *tls::get();
        args.set_stack_words(0);
        let raw = seed(thread, args.caller(), plan);
        let call = &mut thread.calls[0];
        call.plan = plan;
        call.raw = raw;
        call.start = clock::counter(thread.shift.into());
        Entered { real: state.real.load(Ordering::Relaxed), token: call as *const Call as usize | LIGHT }
    }
}

/// [`enter`] for calls that programs wrap in functions of their own. Such a function says nothing as a call site: its
/// caller joins it.
#[cfg(not(feature = "nop"))]
#[inline(never)]
unsafe extern "C" fn enter_wrapped(index: u32, args: Args) -> Entered {
    // SAFETY: as in `enter`, which has checked all this.
    unsafe {
        let state = STATES.get_unchecked(index as usize);
        let (thread, plan) = (&mut *tls::get(), &*state.plan.load(Ordering::Relaxed));
        let fingerprint = thread.callers.fingerprint(args);
        let (call, flight) = begin(thread, plan, args);
        let seed = mix(seed(thread, args.caller(), plan), fingerprint);
        call.raw = plan.raw_c(args, seed, thread.in_place, &thread.keys, &mut flight.words);
        let now = clock::counter(thread.shift.into());
        Entered { real: state.real.load(Ordering::Relaxed), token: announce(call, flight, args, now) }
    }
}

/// Marks the token of a call by [`enter_light`].
const LIGHT: usize = 1;

/// The number of requests that a call names joins the raw key, and where the same ones come again and again,
/// they themselves.
#[inline(always)]
fn with_requests(call: &Call, flight: &mut InFlight, args: Args, seed: u64, lists: &[u8; 256]) -> u64 {
    flight.requests = call.listed;
    flight.request = if call.named_count == 0 { 0 } else { call.named[0] };
    let seed = seed.wrapping_add(u64::from(call.listed) << 32);
    if !(2..=MAX_REQUESTS as u32).contains(&call.named_count) || lists[list_place(args)] >= LISTS {
        return seed;
    }
    call.named().iter().fold(seed, |h, &r| mix(h, r.into()))
}

/// Lists of requests from one call site before they are spelled out in the records.
const LISTS: u8 = 64;

/// Where a call site counts its lists.
#[inline(always)]
fn list_place(args: Args) -> usize {
    (args.caller().wrapping_mul(0x9e37_79b9) >> 24) & 255
}

/// Where raw keys begin: call site, function, region, epoch.
#[inline(always)]
fn seed(thread: &Thread, caller: usize, plan: &CallPlan) -> u64 {
    // SAFETY: mapped for good. Another thread may free an object now; a call of this thread that used its
    // handle would be an error of the program.
    let epoch = unsafe { AtomicU64::from_ptr(&raw mut (*thread.control).epoch) }.load(Ordering::Relaxed);
    let region = u64::from(thread.region).wrapping_mul(REGION_KEY);
    (caller as u64 ^ plan.flight << 48).wrapping_add(epoch).wrapping_add(region)
}

/// As those of [`crate::call_plan::KEYS`].
const REGION_KEY: u64 = 0x9b97_f4a7_c15f_39cb;

/// What a reader sees if the process never comes back from here.
#[inline(always)]
fn announce(call: &Call, flight: &mut InFlight, args: Args, now: u64) -> usize {
    flight.caller = args.caller() as u64;
    // Function and language in one store.
    // SAFETY: two adjacent fields, aligned as the structure is.
    unsafe { (&raw mut flight.function).cast::<u64>().write(call.plan.flight) };
    flight.start = now;
    call as *const Call as usize
}

/// Everything that is not a plain, recorded call from C at the top level.
#[inline(never)]
unsafe extern "C" fn enter_unusual(index: u32, args: Args) -> Entered {
    // SAFETY: this thread's own state; plans are never freed; `enter` has seen both.
    let state = unsafe { STATES.get_unchecked(index as usize) };
    let (thread, plan) = unsafe { (&mut *tls::get(), &*state.plan.load(Ordering::Acquire)) };
    let real = state.real.load(Ordering::Relaxed);
    let pass = Entered { real, token: 0 };
    let caller = args.caller();
    if let Some(python) = &thread.process.python {
        python.prepare(thread.process);
    }
    let gate = process::gate();
    let record = plan.actions & action::RECORD != 0 && gate & !gate::LONG_WAY == 0 && !thread.paused;
    // The core library calling its own exported names is no call of the program.
    if caller.wrapping_sub(thread.core[0]) < thread.core[1]
        || (thread.depth > 0 && !unsafe { nested_call_counts(thread, args) })
        || (!record && !follow(thread.process, plan.actions, gate, caller, !thread.check.is_null()))
    {
        return pass;
    }
    // nested_call_counts keeps the depth below MAX_NESTING.
    if gate & gate::LONG_WAY != 0 && record && thread.depth == 0 {
        queues::sample_if_due(thread.process);
    }
    let depth = thread.depth;
    // SAFETY: the mapped header of this thread; arguments of this very call.
    unsafe {
        let call = &raw mut thread.calls[depth];
        let (call, flight) = begin_at(&mut *call, plan, args);
        let mut seed = seed(thread, caller, plan);
        let mut stack = caller as u64;
        // What a reader sees as the caller: a line of Python, or the address.
        let mut line = 0;
        if gate & gate::LONG_WAY != 0 {
            if let Some(unwinder) = &mut thread.unwinder {
                let fingerprint = unwinder.fingerprint(args);
                seed = mix(seed, fingerprint);
                stack = mix(stack, fingerprint);
            }
            if let Some(lines) = &mut thread.python {
                lines.visit(thread.process, thread.process.config.stack.max(1), |frame| {
                    line = if line == 0 { frame } else { line };
                    seed = mix(seed, frame);
                    stack = mix(stack, frame);
                });
            }
        }
        if plan.entry == Entry::Wrapped && thread.unwinder.is_none() {
            seed = mix(seed, thread.callers.fingerprint(args));
        }
        call.stack = if gate & gate::LONG_WAY != 0 { stack } else { 0 };
        if plan.takes_message != ABSENT {
            let message = args.at(plan.takes_message);
            call.message_comm = decode::message_comm(thread.process, message, plan.fortran);
            seed = mix(seed, call.message_comm.into());
        }
        if plan.requests {
            decode::requests_at_entry(thread.process, call, &plan.request_step, args, plan.fortran);
            seed = with_requests(call, flight, args, seed, &thread.lists);
        }
        call.raw = if plan.fortran {
            plan.raw_fortran(args, seed, thread.process.mpi, &mut flight.words)
        } else {
            plan.raw_c(args, seed, thread.in_place, &thread.keys, &mut flight.words)
        };
        if plan.eager {
            eager(thread.process, call, args);
        }
        if !record {
            call.raw = FOLLOWED;
        }
        thread.depth = depth + 1;
        if !thread.check.is_null() {
            checked(thread, call, args, stack, depth == 0);
        }
        let token = announce(call, flight, args, clock::now());
        if line != 0 {
            (*call.flight).caller = line;
        }
        Entered { real, token }
    }
}

/// A call of a checked process.
#[cold]
#[inline(never)]
unsafe fn checked(thread: &mut Thread, call: &Call, args: Args, stack: u64, top: bool) {
    let (local, process) = (thread.check, thread.process);
    // SAFETY: this thread's own state and this call's own arguments.
    unsafe {
        if top {
            check::before(local, process, call, stack, Caller { thread, args });
        } else {
            check::nested_before(local, process, call, args, call.index);
        }
    }
}

/// Who makes a checked call: asked for what is not known yet.
pub struct Caller<'a> {
    thread: &'a mut Thread,
    pub args: Args,
}

impl Caller<'_> {
    /// The call site.
    pub fn site(&mut self) -> u32 {
        long::site(self.thread, self.args)
    }

    /// Whether an address lies on the stack, not below the frame of who calls.
    pub fn has_on_stack(&self, address: u64) -> bool {
        self.thread.callers.has(self.args, address)
    }

    /// The frame that an address lies in.
    pub fn frame_of(&mut self, address: u64) -> Option<Frame> {
        self.thread.callers.frame_of(self.args, address)
    }
}

/// Raw key of a call that was decoded at entry.
const DECODED: u64 = 0;
/// Raw key of a call that is followed but not recorded.
const FOLLOWED: u64 = 1;

/// A call that is not recorded: counted, and followed if later calls depend on it.
#[cold]
fn follow(process: &Process, actions: u8, gate: u32, caller: usize, checked: bool) -> bool {
    // A Fortran routine of the MPI calls the C one: that call was counted when it came.
    let within = |range: (usize, usize)| (range.0..range.1).contains(&caller);
    if gate & gate::OFF != 0 || process.mpi.parts.iter().any(|p| within(p.range)) || chained_tools::is_tool(caller) {
        return false;
    }
    process.count_filtered();
    checked || actions & (action::FOLLOW | action::SPECIAL) != 0
}

/// A call that its raw words do not identify: decoded now.
#[inline(never)]
unsafe fn eager(process: &'static Process, call: &mut Call, args: Args) {
    call.raw = DECODED;
    let symbol = call.plan.symbol;
    call.words.clear(seed_of(symbol));
    unsafe { decode::before(process, call, function_unchecked(call.plan.function), symbol, args) };
    if call.plan.actions & action::SPECIAL != 0 {
        lifecycle::before(process, call.plan.function, symbol, args);
    }
}

/// Where canonical keys begin; call sites join when the shape is made. Spread over all bits: the first word that is
/// mixed in is small, and would make one function's number that of another (a Test of one request that of a Testall of 385).
#[inline(always)]
fn seed_of(symbol: &Symbol) -> u64 {
    (u64::from(symbol.function) << 1 | u64::from(symbol.fortran)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A call inside another one: of a callback of the program (recorded), or of the MPI itself (not)?
#[cold]
unsafe fn nested_call_counts(thread: &mut Thread, args: Args) -> bool {
    // Frames at lower addresses than this one are gone: longjmp or an exception left them.
    while thread.depth > 0 && thread.calls[thread.depth - 1].stack_pointer <= args.stack_pointer() {
        thread.depth -= 1;
        let call = &thread.calls[thread.depth];
        let (function, recorded) = (call.plan.function, call.raw != FOLLOWED);
        // SAFETY: the mapped header of this thread.
        unsafe { (*call.flight).function = 0 };
        if recorded {
            thread.interner.abandoned(function);
        }
    }
    if thread.depth == 0 {
        return true;
    }
    let caller = args.caller();
    let within = |range: (usize, usize)| (range.0..range.1).contains(&caller);
    // A Fortran routine that ends in a jump to the C one leaves our own trampoline as its caller.
    thread.depth < MAX_NESTING
        && !within(thread.process.own)
        && !thread.process.mpi.parts.iter().any(|p| within(p.range))
        && !chained_tools::is_tool(caller)
}

/// First call of a process, a thread or a symbol.
#[cold]
#[inline(never)]
unsafe extern "C" fn enter_first(index: u32, args: Args) -> Entered {
    let symbol = &SYMBOLS[index as usize];
    let state = &STATES[index as usize];
    let process = process::start();
    let real = process::resolve(index as usize);
    if real == 0 {
        process::complain(&format!("no library in this process defines {}: the call returns an error", symbol.name()));
        return Entered { real: missing as extern "C" fn() -> i32 as usize, token: 0 };
    }
    let pass = Entered { real, token: 0 };
    let Some(process) = process else { return pass };
    if tls::get().is_null() && Thread::start(process).is_none() {
        process.count_without_room();
        return pass;
    }
    if state.plan.load(Ordering::Acquire).is_null() {
        let made = crate::call_plan::of_symbol(
            symbol,
            process.int_handles,
            process.actions[symbol.function as usize],
            process.config.check,
        );
        state.plan.store((made as *const CallPlan).cast_mut(), Ordering::Release);
    }
    unsafe { enter_unusual(index, args) }
}

/// Stands for a function that no library has.
extern "C" fn missing() -> i32 {
    16 // MPI_ERR_OTHER in most; any non-zero value is an error
}

/// What outcomes add to a raw key.
const STATUS_IGNORED: u64 = 0x7f4a_7c15_0000_0000;
/// See [`STATUS_IGNORED`].
const UNSUCCESSFUL: u64 = 0x9e37_79b9_0000_0000;
/// See [`STATUS_IGNORED`]: statuses of completed requests say more than what was posted.
const NEWS: u64 = 0x1656_67b1_0000_0000;

const _: () = assert!(size_of::<InFlight>() * MAX_NESTING <= 1024);
