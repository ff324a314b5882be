//! After a call: all cases that the short paths of [`exit`](super::exit) do not handle.

use std::sync::PoisonError;

use mpiscope_abi::spec::{ABSENT, attribute};
use mpiscope_abi::{Function, function_unchecked};
use mpiscope_trace::defs::Message;
use mpiscope_trace::layout::{MAX_REQUESTS, gate};
use mpiscope_trace::shape::{NONE, Shape, flag};
use mpiscope_trace::writer::{Completed, Extra, Head, ahead, divided};

use super::exit::{begin_polls, fold, pending_polls, push_ids};
use super::{FOLLOWED, LISTS, NEWS, STATUS_IGNORED, UNSUCCESSFUL, list_place, seed_of};
use crate::call_plan::{CallPlan, Entry, after};
use crate::decode::{self, SHAPE_FLAGS, Words};
use crate::intern::{Interner, count, finalize_hash, mix};
use crate::process::{self, Process, action};
use crate::requests::posted;
use crate::symbol::Symbol;
use crate::thread::{Cached, Call, NO_REQUEST, Thread};
use crate::trampoline::Args;
use crate::{check, lifecycle, objects};

/// All other cases.
#[inline(never)]
pub unsafe extern "C" fn exit_long(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    if thread.check.is_null() {
        return unsafe { record(thread, call, args, returned, end) };
    }
    if call.index != 0 {
        let (local, process, depth) = (thread.check, thread.process, call.index);
        // SAFETY: this thread's own state and this call's own arguments.
        unsafe {
            let code = return_code(call.plan, args, returned);
            record(thread, call, args, returned, end);
            check::nested_after(local, process, depth, args, code);
        }
        return;
    }
    let (local, process) = (thread.check, thread.process);
    // SAFETY: this thread's own state and this call's own arguments.
    unsafe {
        let code = return_code(call.plan, args, returned);
        check::restore(local, args);
        record(thread, call, args, returned, end);
        check::after(local, process, args, code);
    }
}

/// The record, by whichever way it takes.
#[inline(always)]
unsafe fn record(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    let plan = call.plan;
    // SAFETY: the mapped header of this thread.
    call.start = unsafe { (*call.flight).start };
    let duration = end - call.start;
    if call.named_count as usize > thread.completed.len() {
        thread.completed.resize(call.named_count as usize, Completed::default());
    }
    unsafe {
        let rc = return_code(plan, args, returned);
        let mut key = call.raw;
        if key > FOLLOWED && rc == 0 {
            let mut poll = call.is_again;
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
                record_cached(thread, call, args, &cached, poll, completed, duration, end);
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
    let n = unsafe { decode::complete(process, call, given, None, None, 0, &mut thread.completed) };
    let news = thread.completed[..n].iter().any(|c| c.has_status);
    (if news { key ^ NEWS } else { key }, n)
}

/// Adds what the call said about its outcome to the raw key; true for a poll that found nothing.
#[inline(always)]
unsafe fn outcome(process: &Process, plan: &CallPlan, args: Args, mut key: u64) -> (u64, bool) {
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
unsafe fn record_cached(
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
            poll_again(thread, shape, call.start, end);
            return;
        }
        if thread.polling {
            flush_polls(thread);
        }
        record_sources(thread, completed);
        if plan.gives_message != ABSENT {
            let comm = thread.interner.comm(shape);
            decode::set_message(thread.process, args.at(plan.gives_message), plan.fortran, comm);
        }
        // The shape decides, not the function: a list of no requests is not spelled out.
        let flags = cached.head.flags();
        if flags & flag::FOLLOWS == 0 {
            write_plain(thread, call, cached, duration, 0);
        } else if flags & flag::FOLLOWS == flag::REQUEST {
            let posted = plan.posts.then(|| {
                let (source, tag, bytes) = thread.interner.posted(shape);
                (plan.source_of(source), tag, bytes, thread.interner.comm(shape))
            });
            let request = decode::new_request(thread.process, args.at(plan.new_request), plan.fortran, posted);
            write_plain(thread, call, cached, duration, request);
        } else if plan.completes && completed == 0 && call.is_short() {
            push_ids(thread, call, &cached.head, call.start, duration);
        } else {
            known_more(thread, call, args, cached, completed, duration);
        }
    }
}

/// A record with nothing but its shape and, where the shape says so, a new request.
#[inline(always)]
unsafe fn write_plain(thread: &mut Thread, call: &Call, cached: &Cached, duration: u64, request: u32) {
    let extra = Extra { request, ..Extra::NONE };
    unsafe { thread.ring.push(&mut thread.chunks, &cached.head, call.start, duration, &extra) };
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
                    decode::complete(process, call, (0, false), None, None, 0, &mut thread.completed)
                } else {
                    decode::name_requests(call, &mut thread.completed)
                };
            }
            if plan.asks {
                record_requested(thread, call, args);
            }
            count_requests(thread, call, cached.head.shape(), completed);
        }
        if plan.after & after::OFFSET != 0 {
            extra.offset = decode::scalar(args, &plan.offset, plan.fortran) as i64;
        }
        write_with(thread, &cached.head, call, completed, &extra, duration);
    }
}

/// Everything else: decode, find or make the shape, remember it.
#[cold]
#[inline(never)]
unsafe fn unknown(thread: &mut Thread, call: &mut Call, args: Args, rc: i32, key: u64, duration: u64, end: u64) {
    let symbol = call.plan.symbol;
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
        if call.plan.completes {
            record_sources(thread, completed);
        } else if call.plan.asks && !call.words.unsuccessful {
            unsafe { record_requested(thread, call, args) };
        } else if call.plan.gives_message != ABSENT && !call.words.unsuccessful {
            let message = unsafe { args.at(call.plan.gives_message) };
            unsafe { decode::set_message(process, message, call.plan.fortran, call.words.comm) };
        }
        if function.is(attribute::FREES) {
            objects::freed(process, call);
        }
        if call.plan.actions & action::SPECIAL != 0 {
            unsafe { lifecycle::after(process, call, symbol, args, end) };
        }
    }
    if call.raw == FOLLOWED {
        return;
    }
    let w = &mut call.words;
    w.flags &= SHAPE_FLAGS;
    if call.is_again {
        w.flags |= flag::POLL;
    }
    let site = site_of(thread, call, args);
    let list = request_list(thread, call, args, key, completed);
    let messages = if list != 0 && call.plan.starts { started_messages(process, call) } else { 0 };
    let w = &mut call.words;
    if list != 0 {
        w.flags = w.flags & !flag::REQUESTS | flag::REQUEST_LIST;
    }
    let lists = u64::from(list) | u64::from(messages) << 32;
    let site_and_region = u64::from(site) | u64::from(thread.region) << 32;
    let fingerprint =
        finalize_hash(mix(mix(w.hash.wrapping_add(lists) ^ u64::from(w.flags) << 32, site_and_region), rc as u64));
    let mut values = [0u64; 12];
    let mut inline = 0;
    let found = match thread.interner.find(fingerprint) {
        Some(found) => found,
        None => {
            let mut shape = shape(process, call, function, symbol, site, rc);
            shape.region = thread.region;
            if list != 0 {
                shape.request_list = list;
                thread.lists[list_place(args)] += 1;
                if call.plan.starts {
                    (shape.bytes_out, shape.bytes_in) = started(call);
                    shape.messages = messages;
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
        *thread.cache.slot(key) = Cached { key, head: Head::of(found.shape, found.flags) };
    }
    thread.interner.count(found.shape, duration);
    if completed != 0 && found.flags & flag::REQUEST_LIST == 0 {
        count_requests(thread, call, found.shape, completed);
    }
    unsafe {
        if found.flags & flag::POLL != 0 {
            poll_again(thread, found.shape, call.start, end);
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
        write_with(thread, &Head::of(found.shape, found.flags), call, completed, &extra, duration);
    }
}

/// The id of the call site of a call that is over, of whose stack `key` was the key at entry. To walk a stack takes longer than
/// all the rest, and an interpreter's calls have other arguments each time.
fn site_of(thread: &mut Thread, call: &Call, args: Args) -> u32 {
    let key = call.stack;
    if call.plan.entry == Entry::Wrapped && thread.unwinder.is_none() && thread.python.is_none() {
        let (process, frames) = (thread.process, thread.callers.frames(args));
        let stack = frames.iter().fold(7, |h, &f| mix(h, f));
        return thread.interner.site(stack, || process.site(&frames));
    }
    // Calls that came on the short way have no key, nor those that came before all had to go the long one.
    if key == 0 || process::gate() & gate::LONG_WAY == 0 {
        return site(thread, args);
    }
    if let Some(site) = thread.interner.known_site(key) {
        return site;
    }
    let site = site(thread, args);
    thread.interner.site(key, || site)
}

/// The id of the call site.
pub fn site(thread: &mut Thread, args: Args) -> u32 {
    let process = thread.process;
    let frames = match &mut thread.unwinder {
        Some(unwinder) => unwinder.frames(args),
        None => vec![args.caller() as u64],
    };
    let mut python = Vec::new();
    if let Some(lines) = &mut thread.python {
        lines.visit(process, process.config.stack.max(1), |frame| python.push(frame));
    }
    let stack = frames.iter().chain(&python).fold(7, |h, &f| mix(h, f));
    thread.interner.site(stack, || {
        let frames = match &process.python {
            Some(interpreter) => interpreter.join(frames, &python),
            None => frames,
        };
        process.site(&frames)
    })
}

/// Requests in the statistics: their number, and what those that the call started move.
#[inline(always)]
fn count_requests(thread: &mut Thread, call: &Call, shape: u32, completed: usize) {
    thread.interner.count_requests(shape, completed as u64);
    if call.plan.starts {
        let (out, into) = started(call);
        thread.interner.count_bytes(shape, out, into);
        starts(call).for_each(|message| thread.interner.message(&message));
    }
}

/// What the persistent requests that a call has started move.
fn starts(call: &Call) -> impl Iterator<Item = Message> {
    call.named().iter().filter(|&&r| r != NO_REQUEST && r != 0).map(|&r| posted(r).start())
}

/// The sum of it, out and in.
fn started(call: &Call) -> (u64, u64) {
    starts(call).fold((0, 0), |sum, m| (sum.0 + m.bytes_out, sum.1 + m.bytes_in))
}

/// The id of a description of it, for readers: calls that start a known list are not looked at one by one.
fn started_messages(process: &'static Process, call: &Call) -> u32 {
    let messages: Vec<Message> = starts(call).filter(|m| m.to != NONE || m.from != NONE).collect();
    if messages.is_empty() {
        return 0;
    }
    process.sites.lock().unwrap_or_else(PoisonError::into_inner).messages(messages, process)
}

/// Receives from any source have completed: counts whom they were from.
fn record_sources(thread: &mut Thread, completed: usize) {
    let Thread { completed: all, interner, .. } = thread;
    for done in all[..completed].iter().filter(|done| done.has_status) {
        if let Some(comm) = posted(done.request).unnamed() {
            record_source(interner, comm, done.source, done.bytes);
        }
    }
}

/// The same for requests that the program only asks about: what it learns may be all that is ever said.
unsafe fn record_requested(thread: &mut Thread, call: &Call, args: Args) {
    let process = thread.process;
    let plan = call.plan;
    unsafe {
        let statuses = args.at(plan.status);
        if decode::status_ignored(process, statuses, plan.fortran) {
            return;
        }
        for (at, &request) in call.named().iter().enumerate().filter(|(_, r)| **r != NO_REQUEST && **r != 0) {
            let (source, _, bytes) =
                decode::read_status(process, statuses + (process.mpi.constants.status.size * at) as u64);
            if let Some(comm) = posted(request).unnamed() {
                record_source(&mut thread.interner, comm, source, bytes);
            }
            posted(request).set_named();
        }
    }
}

fn record_source(interner: &mut Interner, comm: u32, source: i32, bytes_in: u64) {
    let from = objects::comm(comm).and_then(|c| c.world_rank(source)).filter(|&rank| rank >= 0);
    if let Some(from) = from {
        interner.message(&Message { to: NONE, from, bytes_out: 0, bytes_in });
    }
}

/// The id of the list of requests of this call, 0 when they are better spelled out: a single one, with news
/// from statuses, or from a call site that names ever different ones.
fn request_list(thread: &mut Thread, call: &Call, args: Args, key: u64, completed: usize) -> u32 {
    let done = &thread.completed[..completed];
    let repeats = key > FOLLOWED && completed >= 2 && call.is_short();
    if !repeats || thread.lists[list_place(args)] >= LISTS || done.iter().any(|c| c.has_status) {
        return 0;
    }
    let requests = done.iter().map(|c| c.request).collect();
    let sites = &thread.process.sites;
    sites.lock().unwrap_or_else(PoisonError::into_inner).request_list(requests, thread.process)
}

/// A record with more than its shape.
#[inline(always)]
unsafe fn write_with(
    thread: &mut Thread,
    head: &Head,
    call: &Call,
    completed: usize,
    extra: &Extra<'_>,
    duration: u64,
) {
    unsafe {
        if head.flags() & flag::REQUESTS != 0 && call.listed > call.named_count {
            (*thread.header).requests_cut += u64::from(call.listed - call.named_count);
        }
        let first = match completed > MAX_REQUESTS && head.flags() & flag::REQUESTS != 0 {
            true => write_ahead(thread, call, completed),
            false => 0,
        };
        let extra = Extra { requests: &thread.completed[first..completed], ..*extra };
        thread.ring.push(&mut thread.chunks, head, call.start, duration, &extra);
    }
}

/// Records of their own for requests that one record has no room for. Returns how many are in them.
#[cold]
#[inline(never)]
unsafe fn write_ahead(thread: &mut Thread, call: &Call, completed: usize) -> usize {
    let (parts, rest) = divided(&thread.completed[..completed]);
    match thread.interner.find_or_insert(&ahead()) {
        Some(found) => {
            let head = Head::of(found.shape, found.flags);
            for requests in parts {
                let extra = Extra { requests, ..Extra::NONE };
                unsafe { thread.ring.push(&mut thread.chunks, &head, call.start, 0, &extra) };
            }
        }
        None => unsafe { (*thread.header).requests_cut += (completed - rest.len()) as u64 },
    }
    completed - rest.len()
}

/// Folds an unsuccessful poll into the pending run, or begins one.
pub unsafe fn poll_again(thread: &mut Thread, shape: u32, start: u64, end: u64) {
    unsafe {
        let header = thread.header;
        if (*header).poll_shape != shape + 1 {
            flush_polls(thread);
            begin_polls(&mut *header, shape, start);
            thread.polling = true;
        }
        fold(&mut *header, start, end);
    }
}

/// Ends the pending run, if there is one.
#[inline(never)]
pub unsafe fn flush_polls(thread: &mut Thread) {
    // SAFETY: the mapped header of this thread.
    let header = unsafe { &mut *thread.header };
    if header.poll_shape == 0 {
        return;
    }
    let values = [header.poll_count, header.poll_busy];
    let extra = Extra { inline: &values, ..Extra::NONE };
    let head = pending_polls(thread.shapes, header);
    header.poll_shape = 0;
    thread.polling = false;
    let (start, duration) = (header.poll_start, header.poll_end - header.poll_start);
    unsafe { thread.ring.push(&mut thread.chunks, &head, start, duration, &extra) };
}

#[inline(always)]
unsafe fn return_code(plan: &CallPlan, args: Args, returned: u64) -> i32 {
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
    let both = w.peer2 != NONE;
    // A status of nothing from nobody may say anything.
    let is_proc_null = (if both { w.peer2 } else { w.peer }) == process.mpi.constants.proc_null;
    let has_result = w.flags & flag::HAS_RESULT != 0 && !is_proc_null;
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
        group: w.group,
        res_source: w.res_source,
        res_tag: w.res_tag,
        res_bytes: w.res_bytes,
        world_peer: world(if has_result && !both && w.res_source != NONE { w.res_source } else { w.peer }),
        world_peer2: world(if has_result && both { w.res_source } else { w.peer2 }),
        count: w.count,
        count2: w.count2,
        rc,
        inline_mask: 0,
        bytes_out,
        bytes_in,
        ..Shape::default()
    }
}
