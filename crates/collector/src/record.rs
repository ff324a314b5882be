//! Before and after every call.
//!
//! `enter` decides: pass through (recording off, the MPI's own nested call, filtered) or record. A
//! recorded call is decoded at entry, because the library overwrites requests and freed handles, and
//! finished in `exit`: outcome, shape, statistics, record.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_abi::spec::attribute;
use mpiscope_abi::{Function, function_unchecked, id};
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::{InFlight, MAX_NESTING, ThreadHeader, state};
use mpiscope_trace::shape::{NONE, Shape, flag};
use mpiscope_trace::writer::Extra;

use crate::decode::{self, SHAPE_FLAGS, Words};
use crate::generated::SYMBOLS;
use crate::intern::finish;
use crate::process::{self, Process, action};
use crate::symbol::{self, Symbol};
use crate::thread::{Call, Thread};
use crate::trampoline::{Args, Entered};
use crate::{clock, objects, tls};

/// Called by the trampoline before the real routine.
pub unsafe extern "C" fn enter(index: u32, args: Args) -> Entered {
    let real = symbol::real(index as usize);
    let thread = tls::get();
    if thread.is_null() || real == 0 {
        return unsafe { enter_first(index as usize, args) };
    }
    unsafe { enter_known(&mut *thread, index as usize, real, args) }
}

#[inline(always)]
unsafe fn enter_known(thread: &mut Thread, index: usize, real: usize, args: Args) -> Entered {
    let pass = Entered { real, token: 0 };
    let process = thread.process;
    let caller = args.caller();
    // The core library calling its own exported names is no call of the program.
    if caller.wrapping_sub(process.core.0) < process.core.1 - process.core.0 || process::off() {
        return pass;
    }
    if thread.depth > 0 && !unsafe { nested_call_counts(thread, args) } {
        return pass;
    }
    let symbol = &SYMBOLS[index];
    let function_id = u32::from(symbol.function);
    let actions = process.actions[symbol.function as usize & 2047];
    let record = actions & action::RECORD != 0 && !process::paused();
    if !record {
        process.count_filtered();
        if actions & (action::FOLLOW | action::SPECIAL) == 0 {
            return pass;
        }
    }
    let function = function_unchecked(function_id);
    let depth = thread.depth;
    let call = &mut thread.calls[depth];
    call.symbol = index as u32;
    call.function = function_id;
    call.record = record;
    call.stack_pointer = args.stack_pointer();
    let site = if process.config.stack == 0 { caller as u64 } else { 0 };
    call.words.clear(site ^ (function_id as u64) << 48 | u64::from(symbol.fortran));
    unsafe { decode::before(process, call, function, symbol, args) };
    args.set_stack_words(symbol.stack);
    if actions & action::SPECIAL != 0 {
        before_special(process, call.function, symbol, args);
    }
    thread.depth = depth + 1;
    // What a reader sees if the process never comes back from here.
    // SAFETY: the mapped header of this thread; depth is below MAX_NESTING.
    unsafe {
        let w = &call.words;
        let header: *mut ThreadHeader = thread.header;
        let flight = &mut (*header).in_flight[depth];
        flight.comm = w.comm;
        flight.caller = caller as u64;
        flight.peer = if w.peer != NONE { w.peer } else { w.root };
        flight.tag = w.tag;
        flight.count = w.count;
        flight.requests = call.handle_count as u32;
        flight.function = function_id;
        (*header).depth = depth as u32 + 1;
        let token = call as *mut Call as usize;
        call.start = clock::now();
        flight.start = call.start;
        Entered { real, token }
    }
}

/// A call inside another one: of a callback of the program (recorded), or of the MPI itself (not)?
#[cold]
unsafe fn nested_call_counts(thread: &mut Thread, args: Args) -> bool {
    // Frames at lower addresses than this one are gone: longjmp or an exception left them.
    while thread.depth > 0 && thread.calls[thread.depth - 1].stack_pointer <= args.stack_pointer() {
        thread.depth -= 1;
    }
    if thread.depth == 0 {
        return true;
    }
    let caller = args.caller();
    thread.depth < MAX_NESTING
        && !thread.process.mpi.parts.iter().any(|p| (p.range.0..p.range.1).contains(&caller))
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
                process.count_without_thread();
                return pass;
            }
        }
    }
    unsafe { enter_known(&mut *thread, index, real, args) }
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
        let depth = (token - thread.calls.as_ptr() as usize) / size_of::<Call>();
        thread.depth = depth;
        (*thread.header).depth = depth as u32;
        (*thread.header).in_flight[depth].function = 0;
        finish_call(thread, call, args, returned, end);
    }
}

#[inline(always)]
unsafe fn finish_call(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    let process = thread.process;
    let symbol = &SYMBOLS[call.symbol as usize];
    let function = function_unchecked(call.function);
    let rc = unsafe { return_code(function, symbol, args, returned) };
    let mut completed = 0;
    if rc == 0 {
        completed = unsafe { decode::after(process, call, function, symbol, args, &mut thread.completed) };
        let actions = process.actions[call.function as usize & 2047];
        if function.is(attribute::FREES) {
            objects::freed(process, call);
        }
        if actions & action::SPECIAL != 0 {
            unsafe { after_special(process, call, symbol, args, returned, end) };
        }
    }
    if !call.record {
        return;
    }
    let w = &mut call.words;
    w.flags &= SHAPE_FLAGS;
    let mut hash = w.hash ^ u64::from(w.flags) << 32;
    if rc != 0 {
        hash = crate::intern::mix(hash, rc as u64 ^ 0x5555);
    }
    if process.config.stack != 0 {
        hash = crate::intern::mix(hash, crate::stack::hash(process, args));
    }
    let fingerprint = finish(hash);
    let duration = end - call.start;
    let mut values = [0u64; 12];
    let mut inline = 0;
    let found = match thread.interner.find(fingerprint) {
        Some(found) => found,
        None => {
            let shape = shape(process, &mut thread.interner, call, function, rc, args);
            match thread.interner.create(fingerprint, &shape, &mut values) {
                Some((found, n)) => {
                    inline = n;
                    if found.flags & flag::INLINE != 0 {
                        thread.interner.summarise(&shape, duration);
                    }
                    found
                }
                None => return,
            }
        }
    };
    thread.interner.count(found.shape, duration);
    if completed != 0 {
        thread.interner.count_requests(found.shape, completed as u64);
    }
    if !thread.trace {
        return;
    }
    if found.flags & flag::POLL != 0 {
        unsafe { fold(thread, found.shape, call.start, end) };
        return;
    }
    unsafe {
        if (*thread.header).poll_shape != 0 {
            flush_polls(thread);
        }
        let w = &call.words;
        let extra = Extra {
            inline: &values[..inline],
            request: w.request,
            requests: &thread.completed[..completed],
            offset: w.offset,
            new_object: w.new_object,
        };
        thread.ring.push(&mut thread.chunks, found.shape, call.start, duration, found.flags, &extra);
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
        thread.ring.push(&mut thread.chunks, shape, (*h).poll_start, (*h).poll_end - (*h).poll_start, flag::POLL, &extra);
    }
}

#[inline(always)]
unsafe fn return_code(function: &Function, symbol: &Symbol, args: Args, returned: u64) -> i32 {
    if function.is(attribute::RETURNS_VALUE) {
        return 0;
    }
    if !symbol.fortran {
        return returned as i32;
    }
    // SAFETY: ierror follows the other arguments; in mpi_f08 it is optional and then null.
    unsafe {
        let ierror = args.get(symbol.arguments) as *const i32;
        if ierror.is_null() { 0 } else { ierror.read() }
    }
}

/// The complete description of a call, made once for each combination.
#[cold]
#[inline(never)]
fn shape(
    process: &'static Process,
    interner: &mut crate::intern::Interner,
    call: &Call,
    function: &Function,
    rc: i32,
    args: Args,
) -> Shape {
    let w: &Words = &call.words;
    let symbol = &SYMBOLS[call.symbol as usize];
    let frames = crate::stack::frames(process, args);
    let key = frames.iter().fold(7, |h, &f| crate::intern::mix(h, f));
    let site = interner.site(key, || {
        process.sites.lock().unwrap_or_else(PoisonError::into_inner).id(&frames, process)
    });
    let (bytes_out, bytes_in) = decode::bytes(process, function, w);
    let world = |rank: i32| {
        if rank < 0 { NONE } else { objects::comm(w.comm).and_then(|c| c.world_rank(rank)).unwrap_or(NONE) }
    };
    let has_result = w.flags & flag::HAS_RESULT != 0;
    Shape {
        function: call.function,
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

#[cold]
fn before_special(process: &'static Process, function: u32, symbol: &Symbol, args: Args) {
    match function {
        id::Finalize => process::finalizing(process),
        id::Abort => {
            // SAFETY: MPI_Abort(comm, errorcode); Fortran passes the address.
            let code = unsafe {
                let word = args.get(1);
                if symbol.fortran { *(word as *const i32) } else { word as i32 }
            };
            let header = process.file.header;
            // SAFETY: the mapped header.
            unsafe {
                (*header).abort_code = code;
                (*header).state = state::ABORTED;
                (*header).anchors[2] = clock::anchor();
            }
        }
        _ => {}
    }
}

#[cold]
unsafe fn after_special(process: &'static Process, call: &mut Call, symbol: &Symbol, args: Args, _returned: u64, end: u64) {
    let word = |i: u8| unsafe { args.get(i) };
    match call.function {
        id::Init | id::Init_thread => process::initialised(process, None, call.start, end),
        id::Session_init => {
            // SAFETY: the third argument received the session.
            let raw = unsafe { if process.int_handles || symbol.fortran { u64::from(*(word(2) as *const u32)) } else { *(word(2) as *const u64) } };
            let session = if symbol.fortran { crate::mpi::from_fortran("Session", raw as i32) } else { raw as usize };
            process::initialised(process, Some(session), call.start, end);
        }
        id::Finalize => {
            let header = process.file.header;
            // SAFETY: the mapped header.
            unsafe {
                (*header).finalize_end = end;
                (*header).anchors[2] = clock::anchor();
                AtomicU64::from_ptr(&raw mut (*header).anchors[2].ticks).fetch_add(0, Ordering::Release);
                (*header).state = state::FINALIZED;
            }
        }
        id::Pcontrol => {
            let level = if symbol.fortran { unsafe { *(word(0) as *const i32) } } else { word(0) as i32 };
            process::set_paused(level == 0);
        }
        id::Comm_set_name => {
            let id = call.words.comm;
            let name = unsafe { text(word(1), if symbol.fortran { Some(word(3)) } else { None }) };
            let _guard = process.lock();
            process.file.define(&Definition::CommName { id, name });
        }
        id::File_open => {
            let amode = if symbol.fortran { unsafe { *(word(2) as *const i32) } } else { word(2) as i32 };
            // Fortran: comm, filename, amode, info, fh, ierror, length of filename
            let name = unsafe { text(word(1), if symbol.fortran { Some(word(6)) } else { None }) };
            let _guard = process.lock();
            process.file.define(&Definition::File { id: call.words.new_object, comm: call.words.comm, amode, name });
        }
        _ => {}
    }
}

/// A string argument: NUL-terminated in C, with a length and trailing blanks in Fortran.
unsafe fn text(address: u64, length: Option<u64>) -> String {
    if address == 0 {
        return String::new();
    }
    // SAFETY: the library has read the same string.
    let bytes = unsafe {
        match length {
            Some(n) => std::slice::from_raw_parts(address as *const u8, (n as usize).min(4096)),
            None => std::ffi::CStr::from_ptr(address as *const std::ffi::c_char).to_bytes(),
        }
    };
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

const _: () = assert!(size_of::<InFlight>() * MAX_NESTING <= 1024);
