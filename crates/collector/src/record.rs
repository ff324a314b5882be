//! Before and after every call.
//!
//! `enter` decides: pass through (recording off, the MPI's own nested call, filtered) or record. A
//! recorded call is decoded at entry, because the library overwrites requests and freed handles, and
//! finished in `exit`: outcome, shape, statistics, record.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use mpiscope_abi::spec::{ABSENT, attribute};
use mpiscope_abi::{Function, function_unchecked};
use mpiscope_trace::layout::{InFlight, MAX_NESTING};
use mpiscope_trace::shape::{NONE, Shape, flag};
use mpiscope_trace::writer::{Extra, Head};

use crate::decode::{self, SHAPE_FLAGS, Words};
use crate::generated::SYMBOLS;
use crate::intern::{count, finish, mix};
use crate::plan::{Plan, Way, after};
use crate::process::{self, Process, action};
use crate::requests::{are_statuses_read, posted};
use crate::symbol::{STATES, Symbol};
use crate::thread::{Cached, Call, NO_REQUEST, Thread};
use crate::trampoline::{Args, Entered};
use crate::{clock, objects, special, tls};

/// The control for benchmarks: the same trampolines with hooks that only find the real routine.
#[cfg(feature = "nop")]
pub unsafe extern "C" fn enter(index: u32, _args: Args) -> Entered {
    let real = STATES[index as usize].real.load(Ordering::Relaxed);
    Entered { real: if real == 0 { process::find_real(index as usize) } else { real }, token: 0 }
}

/// Called by the trampoline before the real routine.
#[cfg(not(feature = "nop"))]
pub unsafe extern "C" fn enter(index: u32, args: Args) -> Entered {
    // SAFETY: stubs know their own numbers.
    let state = unsafe { STATES.get_unchecked(index as usize) };
    let real = state.real.load(Ordering::Relaxed);
    let plan = state.plan.load(Ordering::Acquire);
    let thread = tls::get();
    if thread.is_null() || plan.is_null() {
        return unsafe { enter_first(index as usize, args) };
    }
    // SAFETY: this thread's own state; plans are never freed.
    let (thread, plan) = unsafe { (&mut *thread, &*plan) };
    let caller = args.caller();
    let core = caller.wrapping_sub(thread.core[0]) < thread.core[1];
    if !plan.plain | core | (thread.depth != 0) | (process::gate() != 0) {
        return unsafe { enter_unusual(thread, index as usize, plan, real, args) };
    }
    let call = &mut thread.calls[0];
    call.symbol = index as usize;
    call.plan = plan;
    call.stack_pointer = args.stack_pointer();
    args.set_stack_words(plan.stack_words);
    thread.depth = 1;
    // SAFETY: the mapped header of this thread.
    unsafe {
        let flight = &mut *call.flight;
        let mut seed = seed(caller, plan);
        if plan.requests {
            seed = requests(thread.process, call, flight, args, seed, &thread.lists);
        }
        call.raw = plan.raw_c(args, seed, thread.in_place, &thread.keys, &mut flight.words);
        Entered { real, token: announce(call, flight, caller) }
    }
}

/// Names the requests of a call while their handles are still there. Their number joins the raw key, and
/// where the same ones come again and again, they themselves.
#[inline(never)]
unsafe fn requests(
    process: &'static Process,
    call: &mut Call,
    flight: &mut InFlight,
    args: Args,
    seed: u64,
    lists: &[u8; 256],
) -> u64 {
    unsafe { decode::requests_at_entry(process, call, &call.plan.request_step, args, call.plan.fortran) };
    flight.requests = call.listed;
    flight.request = if call.named_count == 0 { 0 } else { call.named[0] };
    let seed = seed.wrapping_add(u64::from(call.listed) << 32);
    if call.named_count < 2 || lists[list_place(args)] >= LISTS {
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

/// Where raw keys begin.
#[inline(always)]
fn seed(caller: usize, plan: &Plan) -> u64 {
    caller as u64 ^ plan.flight << 48
}

/// What a reader sees if the process never comes back from here; then the clock.
#[inline(always)]
fn announce(call: &Call, flight: &mut InFlight, caller: usize) -> usize {
    flight.caller = caller as u64;
    // Function and language in one store.
    // SAFETY: two adjacent fields, aligned as the structure is.
    unsafe { (&raw mut flight.function).cast::<u64>().write(call.plan.flight) };
    flight.start = clock::now();
    call as *const Call as usize
}

/// Everything that is not a plain, recorded call from C at the top level.
#[inline(never)]
unsafe fn enter_unusual(thread: &mut Thread, index: usize, plan: &'static Plan, real: usize, args: Args) -> Entered {
    let pass = Entered { real, token: 0 };
    let caller = args.caller();
    let gate = process::gate();
    let record = plan.actions & action::RECORD != 0 && gate & !process::gate::LONG_WAY == 0;
    // The core library calling its own exported names is no call of the program.
    if caller.wrapping_sub(thread.core[0]) < thread.core[1]
        || (thread.depth > 0 && !unsafe { nested_call_counts(thread, args) })
        || (!record && !follow(thread.process, plan.actions, gate))
    {
        return pass;
    }
    // nested_call_counts keeps the depth below MAX_NESTING.
    let depth = thread.depth;
    let call = &mut thread.calls[depth];
    call.symbol = index;
    call.plan = plan;
    call.stack_pointer = args.stack_pointer();
    args.set_stack_words(plan.stack_words);
    let mut seed = seed(caller, plan);
    // SAFETY: the mapped header of this thread; arguments of this very call.
    unsafe {
        let flight = &mut *call.flight;
        if gate & process::gate::LONG_WAY != 0
            && let Some(unwinder) = &mut thread.unwinder
        {
            seed = mix(seed, unwinder.fingerprint(args));
        }
        if plan.requests {
            seed = requests(thread.process, call, flight, args, seed, &thread.lists);
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
        Entered { real, token: announce(call, flight, caller) }
    }
}

/// Raw key of a call that was decoded at entry.
const DECODED: u64 = 0;
/// Raw key of a call that is followed but not recorded.
const FOLLOWED: u64 = 1;

/// A call that is not recorded: counted, and followed if later calls depend on it.
#[cold]
fn follow(process: &Process, actions: u8, gate: u8) -> bool {
    if gate & process::gate::OFF != 0 {
        return false;
    }
    process.count_filtered();
    actions & (action::FOLLOW | action::SPECIAL) != 0
}

/// A call that its raw words do not identify: decoded now.
#[inline(never)]
unsafe fn eager(process: &'static Process, call: &mut Call, args: Args) {
    call.raw = DECODED;
    let symbol = &SYMBOLS[call.symbol];
    call.words.clear(seed_of(symbol));
    unsafe { decode::before(process, call, function_unchecked(call.plan.function), symbol, args) };
    if call.plan.actions & action::SPECIAL != 0 {
        special::before(process, call.plan.function, symbol, args);
    }
}

/// Where canonical keys begin; call sites join when the shape is made.
#[inline(always)]
fn seed_of(symbol: &Symbol) -> u64 {
    u64::from(symbol.function) << 1 | u64::from(symbol.fortran)
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
}

/// First call of a process, a thread or a symbol.
#[cold]
#[inline(never)]
unsafe fn enter_first(index: usize, args: Args) -> Entered {
    let process = process::start();
    let real = process::resolve(index);
    if real == 0 {
        process::complain(&format!("nothing in this process defines {}: it returns an error", SYMBOLS[index].name()));
        return Entered { real: missing as extern "C" fn() -> i32 as usize, token: 0 };
    }
    let pass = Entered { real, token: 0 };
    let Some(process) = process else { return pass };
    let mut thread = tls::get();
    if thread.is_null() {
        match Thread::create(process) {
            Some(made) => thread = made,
            None => {
                process.count_without_room();
                return pass;
            }
        }
    }
    let known = STATES[index].plan.load(Ordering::Acquire);
    let plan = if known.is_null() {
        let symbol = &SYMBOLS[index];
        let made = crate::plan::of_symbol(symbol, process.int_handles, process.actions[symbol.function as usize]);
        STATES[index].plan.store((made as *const Plan).cast_mut(), Ordering::Release);
        made
    } else {
        // SAFETY: plans are never freed.
        unsafe { &*known }
    };
    unsafe { enter_unusual(&mut *thread, index, plan, real, args) }
}

/// Stands for a function that no library has.
extern "C" fn missing() -> i32 {
    16 // MPI_ERR_OTHER in most; any non-zero value is an error
}

/// Called by the trampoline after the real routine.
pub unsafe extern "C" fn exit(token: usize, args: Args, returned: u64) {
    let end = clock::now();
    let thread = tls::get();
    if thread.is_null() {
        return; // the child of a fork inside the call
    }
    // SAFETY: the thread's own state; the token is one of its calls.
    unsafe {
        let thread = &mut *thread;
        let call = &mut *(token as *mut Call);
        let plan = call.plan;
        thread.depth = call.index;
        let flight = &mut *call.flight;
        flight.function = 0;
        call.start = flight.start;
        let failed = plan.returns_code & (returned as i32 != 0);
        let mut key = call.raw;
        if !failed & !thread.polling & (key > FOLLOWED) {
            match plan.way {
                Way::Quiet => {}
                Way::Status if args.at(plan.status) == thread.status_ignore => key ^= STATUS_IGNORED,
                Way::Request => return exit_request(thread, call, args, end),
                Way::Poll => return exit_poll(thread, call, args, returned, end),
                Way::Wait => return exit_wait(thread, call, args, returned, end),
                _ => return exit_long(thread, call, args, returned, end),
            }
            let cached = thread.cache.slot(key);
            if cached.key == key {
                let (head, duration) = (cached.head, end - call.start);
                count(thread.shapes, head.shape(), duration);
                thread.ring.push(&mut thread.chunks, &head, call.start, duration);
                return;
            }
        } else if plan.way == Way::Poll && !failed && key > FOLLOWED {
            return exit_poll(thread, call, args, returned, end);
        }
        exit_long(thread, call, args, returned, end);
    }
}

/// What outcomes add to a raw key.
const STATUS_IGNORED: u64 = 0x7f4a_7c15_0000_0000;
/// See [`STATUS_IGNORED`].
const UNSUCCESSFUL: u64 = 0x9e37_79b9_0000_0000;
/// See [`STATUS_IGNORED`]: statuses of completed requests say more than what was posted.
const NEWS: u64 = 0x1656_67b1_0000_0000;

/// `Way::Request`: Isend, Irecv and their like.
#[inline(never)]
unsafe fn exit_request(thread: &mut Thread, call: &mut Call, args: Args, end: u64) {
    unsafe {
        let plan = call.plan;
        let cached = thread.cache.slot(call.raw);
        if cached.key != call.raw {
            return exit_long(thread, call, args, 0, end);
        }
        let (head, duration) = (cached.head, end - call.start);
        count(thread.shapes, head.shape(), duration);
        let word = args.at(plan.new_request);
        let request = if are_statuses_read() {
            let posted = plan.posts.then(|| thread.interner.posted(head.shape()));
            decode::new_request(thread.process, word, false, posted)
        } else {
            let id = decode::new_request_id(thread.process, word, false);
            posted(id).forget();
            id
        };
        thread.ring.push_request(&mut thread.chunks, &head, call.start, duration, request);
    }
}

/// `Way::Poll`: Iprobe and its like, when there is nothing.
#[inline(never)]
unsafe fn exit_poll(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let flag = args.at(call.plan.flag) as *const i32;
        let key = call.raw ^ UNSUCCESSFUL;
        let cached = thread.cache.slot(key);
        if cached.key != key || flag.is_null() || *flag != 0 {
            return exit_long(thread, call, args, returned, end);
        }
        let shape = cached.head.shape();
        count(thread.shapes, shape, end - call.start);
        fold(thread, shape, call.start, end);
    }
}

/// `Way::Wait`: Wait, Waitall, Test, Testall that have completed, without statuses.
#[inline(never)]
unsafe fn exit_wait(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let plan = call.plan;
        let key = call.raw;
        if plan.flag != ABSENT && *(args.at(plan.flag) as *const i32) == 0 {
            return exit_poll(thread, call, args, returned, end);
        }
        let cached = thread.cache.slot(key);
        let silent = plan.status == ABSENT || args.at(plan.status) == thread.status_ignore;
        if cached.key != key || !silent || call.listed != call.named_count {
            return exit_long(thread, call, args, returned, end);
        }
        let (head, flags, duration) = (cached.head, cached.flags, end - call.start);
        count(thread.shapes, head.shape(), duration);
        if flags & flag::REQUEST_LIST != 0 {
            thread.ring.push(&mut thread.chunks, &head, call.start, duration);
        } else {
            push_ids(thread, call, &head, duration);
        }
    }
}

/// A record that spells out the requests of the call.
#[inline(always)]
unsafe fn push_ids(thread: &mut Thread, call: &Call, head: &Head, duration: u64) {
    let ids = call.named().iter().copied().filter(|&r| r != NO_REQUEST);
    let number = ids.clone().count();
    thread.interner.count_requests(head.shape(), number as u64);
    unsafe { thread.ring.push_ids(&mut thread.chunks, head, call.start, duration, (number, ids)) };
}

/// All other cases.
#[inline(never)]
unsafe fn exit_long(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    let plan = call.plan;
    let duration = end - call.start;
    unsafe {
        let rc = return_code(plan, args, returned);
        let mut key = call.raw;
        if key > FOLLOWED && rc == 0 {
            let mut poll = false;
            let mut completed = 0;
            if plan.after & (after::FLAG | after::STATUS) != 0 {
                (key, poll) = outcome(thread.process, plan, args, key);
            }
            if plan.completes && !poll && plan.status != ABSENT {
                let statuses = args.at(plan.status);
                if !decode::status_ignored(thread.process, statuses, plan.fortran) {
                    (key, completed) = statuses_say(thread, call, statuses, key);
                }
            }
            let cached = thread.cache.slot(key);
            if cached.key == key {
                let cached = *cached;
                known(thread, call, args, &cached, poll, completed, duration, end);
                return;
            }
        }
        unknown(thread, call, args, rc, key, duration, end);
    }
}

/// The requests a call has completed, with the statuses that say more than what was posted: these make
/// another kind of record.
#[inline(never)]
unsafe fn statuses_say(thread: &mut Thread, call: &Call, statuses: u64, key: u64) -> (u64, usize) {
    let given = (statuses, true);
    let process = thread.process;
    let n = unsafe { decode::complete(process, call, given, None, None, call.plan.fortran, &mut thread.completed) };
    let news = thread.completed[..n].iter().any(|c| c.has_status);
    (if news { key ^ NEWS } else { key }, n)
}

/// Adds what the call said about its outcome to the raw key; true for a poll that found nothing.
#[inline(always)]
unsafe fn outcome(process: &Process, plan: &Plan, args: Args, mut key: u64) -> (u64, bool) {
    unsafe {
        if plan.after & after::FLAG != 0 {
            let flag = args.at(plan.flag) as *const i32;
            if !flag.is_null() && *flag == 0 {
                return (key ^ UNSUCCESSFUL, true);
            }
        }
        if plan.after & after::STATUS != 0 {
            let status = args.at(plan.status);
            if decode::status_ignored(process, status, plan.fortran) {
                return (key ^ STATUS_IGNORED, false);
            }
            let (source, tag, bytes) = decode::read_status(process, status);
            key = mix(mix(key, u64::from(source as u32) << 32 | u64::from(tag as u32)), bytes);
        }
    }
    (key, false)
}

/// The same words as once before.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // inlined once; a struct would only be taken apart again
unsafe fn known(
    thread: &mut Thread,
    call: &mut Call,
    args: Args,
    cached: &Cached,
    poll: bool,
    completed: usize,
    duration: u64,
    end: u64,
) {
    let plan = call.plan;
    let shape = cached.head.shape();
    unsafe {
        count(thread.shapes, shape, duration);
        if poll {
            fold(thread, shape, call.start, end);
            return;
        }
        if thread.polling {
            flush_polls(thread);
        }
        let simple = plan.after & (after::NEW_REQUEST | after::REQUESTS | after::OFFSET) == 0;
        if simple || cached.flags & flag::REQUEST_LIST != 0 {
            thread.ring.push(&mut thread.chunks, &cached.head, call.start, duration);
        } else if plan.after & (after::REQUESTS | after::OFFSET) == 0 {
            let posted = plan.posts.then(|| thread.interner.posted(shape));
            let request = decode::new_request(thread.process, args.at(plan.new_request), plan.fortran, posted);
            thread.ring.push_request(&mut thread.chunks, &cached.head, call.start, duration, request);
        } else if plan.completes && completed == 0 && call.listed == call.named_count {
            push_ids(thread, call, &cached.head, duration);
        } else {
            known_more(thread, call, args, cached, completed, duration);
        }
    }
}

/// The same for calls whose records list requests with statuses or name offsets.
#[inline(never)]
unsafe fn known_more(
    thread: &mut Thread,
    call: &mut Call,
    args: Args,
    cached: &Cached,
    mut completed: usize,
    duration: u64,
) {
    let plan = call.plan;
    let process = thread.process;
    let mut extra = Extra::NONE;
    unsafe {
        if plan.after & after::NEW_REQUEST != 0 {
            extra.request = decode::new_request(process, args.at(plan.new_request), plan.fortran, None);
        }
        if plan.after & after::REQUESTS != 0 && call.named_count != 0 {
            if completed == 0 {
                completed = if plan.completes {
                    decode::complete(process, call, (0, false), None, None, plan.fortran, &mut thread.completed)
                } else {
                    decode::name_requests(call, &mut thread.completed)
                };
            }
            count_requests(thread, call, cached.head.shape(), completed);
        }
        if plan.after & after::OFFSET != 0 {
            extra.offset = decode::scalar(args, &plan.offset, plan.fortran) as i64;
        }
        write_with(thread, (&cached.head, cached.flags), call, completed, &extra, duration);
    }
}

/// Everything else: decode, find or make the shape, remember it.
#[cold]
#[inline(never)]
unsafe fn unknown(thread: &mut Thread, call: &mut Call, args: Args, rc: i32, key: u64, duration: u64, end: u64) {
    let symbol = &SYMBOLS[call.symbol];
    let function = function_unchecked(call.plan.function);
    let process = thread.process;
    if !call.plan.requests {
        // What an earlier call in this place has left.
        (call.named_count, call.listed) = (0, 0);
    }
    if !call.plan.eager {
        call.words.clear(seed_of(symbol));
        unsafe { decode::before(process, call, function, symbol, args) };
    }
    let mut completed = 0;
    if rc == 0 {
        completed = unsafe { decode::after(process, call, function, symbol, args, &mut thread.completed) };
        if function.is(attribute::FREES) {
            objects::freed(process, call);
        }
        if call.plan.actions & action::SPECIAL != 0 {
            unsafe { special::after(process, call, symbol, args, end) };
        }
    }
    if call.raw == FOLLOWED {
        return;
    }
    let w = &mut call.words;
    w.flags &= SHAPE_FLAGS;
    let frames = match &mut thread.unwinder {
        Some(unwinder) => unwinder.frames(args),
        None => vec![args.caller() as u64],
    };
    let stack = frames.iter().fold(7, |h, &f| mix(h, f));
    let site = thread
        .interner
        .site(stack, || process.sites.lock().unwrap_or_else(PoisonError::into_inner).id(&frames, process));
    let list = request_list(thread, call, args, key, completed);
    let w = &mut call.words;
    if list != 0 {
        w.flags = w.flags & !flag::REQUESTS | flag::REQUEST_LIST;
    }
    let fingerprint =
        finish(mix(mix(w.hash.wrapping_add(list) ^ u64::from(w.flags) << 32, u64::from(site)), rc as u64));
    let mut values = [0u64; 12];
    let mut inline = 0;
    let found = match thread.interner.find(fingerprint) {
        Some(found) => found,
        None => {
            let mut shape = shape(process, call, function, symbol, site, rc);
            if list != 0 {
                shape.request_list = list;
                thread.lists[list_place(args)] += 1;
                if call.plan.starts {
                    (shape.bytes_out, shape.bytes_in) = started(call);
                }
            }
            match thread.interner.create(fingerprint, &shape, &mut values) {
                Some((found, n)) => {
                    inline = n;
                    if found.flags & flag::INLINE != 0 {
                        thread.interner.summarise(&shape, duration);
                    }
                    found
                }
                None => {
                    // No room for another shape, not even a coarse one: the file system is full.
                    process.count_without_room();
                    return;
                }
            }
        }
    };
    if key > FOLLOWED && rc == 0 && found.flags & (flag::INLINE | flag::COARSE) == 0 {
        *thread.cache.slot(key) = Cached { key, head: Head::of(found.shape), flags: found.flags };
    }
    thread.interner.count(found.shape, duration);
    if completed != 0 && found.flags & flag::REQUEST_LIST == 0 {
        count_requests(thread, call, found.shape, completed);
    }
    unsafe {
        if found.flags & flag::POLL != 0 {
            fold(thread, found.shape, call.start, end);
            return;
        }
        if thread.polling {
            flush_polls(thread);
        }
        let w = &call.words;
        let extra = Extra {
            inline: &values[..inline],
            request: w.request,
            requests: &[],
            offset: w.offset,
            new_object: w.new_object,
        };
        write_with(thread, (&Head::of(found.shape), found.flags), call, completed, &extra, duration);
    }
}

/// Requests in the statistics: their number, and what those that the call started move.
#[inline(always)]
fn count_requests(thread: &mut Thread, call: &Call, shape: u32, completed: usize) {
    thread.interner.count_requests(shape, completed as u64);
    if call.plan.starts {
        let (out, into) = started(call);
        thread.interner.count_bytes(shape, out, into);
    }
}

/// What the persistent requests that a call has started move, out and in.
fn started(call: &Call) -> (u64, u64) {
    let payloads = call.named().iter().filter(|&&r| r != NO_REQUEST).map(|&r| posted(r).payload());
    payloads.fold((0, 0), |sum, p| (sum.0 + p.0, sum.1 + p.1))
}

/// The id of the list of requests of this call, 0 when they are better spelled out: a single one, with news
/// from statuses, or from a call site that names ever different ones.
fn request_list(thread: &mut Thread, call: &Call, args: Args, key: u64, completed: usize) -> u64 {
    let done = &thread.completed[..completed];
    let repeats = key > FOLLOWED && completed >= 2 && call.listed == call.named_count;
    if !repeats || thread.lists[list_place(args)] >= LISTS || done.iter().any(|c| c.has_status) {
        return 0;
    }
    let requests = done.iter().map(|c| c.request).collect();
    let sites = &thread.process.sites;
    sites.lock().unwrap_or_else(PoisonError::into_inner).request_list(requests, thread.process).into()
}

/// A record with more than its shape.
#[inline(always)]
unsafe fn write_with(
    thread: &mut Thread,
    (head, flags): (&Head, u32),
    call: &Call,
    completed: usize,
    extra: &Extra<'_>,
    duration: u64,
) {
    unsafe {
        if flags & flag::REQUESTS != 0 && call.listed > call.named_count {
            (*thread.header).requests_cut += u64::from(call.listed - call.named_count);
        }
        let extra = Extra { requests: &thread.completed[..completed], ..*extra };
        thread.ring.push_with(&mut thread.chunks, head, call.start, duration, flags, &extra);
    }
}

/// Folds an unsuccessful poll into the pending run, which stands in the file, so nothing is lost
/// when the process dies.
#[inline(always)]
unsafe fn fold(thread: &mut Thread, shape: u32, start: u64, end: u64) {
    unsafe {
        let h = thread.header;
        if (*h).poll_shape != shape + 1 {
            if (*h).poll_shape != 0 {
                flush_polls(thread);
            }
            (*h).poll_start = start;
            (*h).poll_count = 0;
            (*h).poll_busy = 0;
            (*h).poll_shape = shape + 1;
            thread.polling = true;
        }
        (*h).poll_count += 1;
        (*h).poll_busy += end - start;
        (*h).poll_end = end;
    }
}

#[inline(never)]
unsafe fn flush_polls(thread: &mut Thread) {
    unsafe {
        let h = thread.header;
        let values = [(*h).poll_count, (*h).poll_busy];
        let extra = Extra { inline: &values, ..Extra::NONE };
        let shape = (*h).poll_shape - 1;
        (*h).poll_shape = 0;
        thread.polling = false;
        thread.ring.push_with(
            &mut thread.chunks,
            &Head::of(shape),
            (*h).poll_start,
            (*h).poll_end - (*h).poll_start,
            flag::POLL,
            &extra,
        );
    }
}

#[inline(always)]
unsafe fn return_code(plan: &Plan, args: Args, returned: u64) -> i32 {
    if !plan.fortran {
        return if plan.returns_code { returned as i32 } else { 0 };
    }
    if !plan.returns_code {
        return 0;
    }
    // SAFETY: ierror follows the other arguments; in mpi_f08 it is optional and then null.
    unsafe {
        let ierror = args.at(plan.ierror) as *const i32;
        if ierror.is_null() { 0 } else { ierror.read() }
    }
}

/// The complete description of a call, made once for each combination.
fn shape(process: &'static Process, call: &Call, function: &Function, symbol: &Symbol, site: u32, rc: i32) -> Shape {
    let w: &Words = &call.words;
    let (bytes_out, bytes_in) = decode::bytes(process, function, w);
    let world = |rank: i32| {
        if rank < 0 { NONE } else { objects::comm(w.comm).and_then(|c| c.world_rank(rank)).unwrap_or(NONE) }
    };
    let has_result = w.flags & flag::HAS_RESULT != 0;
    Shape {
        function: call.plan.function,
        flags: w.flags | if symbol.fortran { flag::FORTRAN } else { 0 },
        site,
        comm: w.comm,
        datatype: w.datatype,
        datatype2: w.datatype2,
        peer: w.peer,
        peer2: w.peer2,
        tag: w.tag,
        tag2: w.tag2,
        root: w.root,
        op: w.op,
        window: w.window,
        file: w.file,
        res_source: w.res_source,
        res_tag: w.res_tag,
        res_bytes: w.res_bytes,
        world_peer: world(if has_result && w.peer2 == NONE && w.res_source != NONE { w.res_source } else { w.peer }),
        world_peer2: world(if has_result && w.peer2 != NONE { w.res_source } else { w.peer2 }),
        count: w.count,
        count2: w.count2,
        rc,
        inline_mask: 0,
        bytes_out,
        bytes_in,
        ..Shape::default()
    }
}

const _: () = assert!(size_of::<InFlight>() * MAX_NESTING <= 1024);
