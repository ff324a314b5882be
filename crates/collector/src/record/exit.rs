//! After a call: the short paths, for calls with known words and the usual outcome.
//!
//! All of them leave other cases to [`exit_long`], as their last step and before they have counted anything: see
//! [`enter`](super::enter) for the reason.

use mpiscope_abi::spec::ABSENT;
use mpiscope_trace::layout::ThreadHeader;
use mpiscope_trace::shape::{Shape, flag};
use mpiscope_trace::writer::Head;

use super::long::{exit_long, poll_again};
use super::{FOLLOWED, LIGHT, STATUS_IGNORED, UNSUCCESSFUL};
use crate::call_plan::Way;
use crate::intern::count;
use crate::requests::{are_statuses_read, known, posted};
use crate::thread::{Call, NO_REQUEST, Thread};
use crate::trampoline::Args;
use crate::{clock, decode, tls};

/// Called by the trampoline after the real routine.
pub unsafe extern "C" fn exit(token: usize, args: Args, returned: u64) {
    if token & LIGHT != 0 {
        return unsafe { exit_light(token, args, returned) };
    }
    let thread = tls::get();
    if thread.is_null() {
        return; // the child of a fork inside the call
    }
    // SAFETY: the thread's own state.
    let shift = unsafe { (*thread).shift }.into();
    if shift == clock::NO_TSC {
        return unsafe { exit_other_clock(token, args, returned) };
    }
    let end = clock::counter(shift);
    // SAFETY: the thread's own state; the token is one of its calls.
    unsafe {
        let (thread, call) = finished(thread, token);
        let plan = call.plan;
        let mut key = call.raw;
        if (plan.returns_code & (returned as i32 != 0)) | (key <= FOLLOWED) {
            return exit_long(thread, call, args, returned, end);
        }
        match plan.way {
            Way::Quiet => {}
            Way::Status if args.at(plan.status) == thread.status_ignore => key ^= STATUS_IGNORED,
            Way::Request => return exit_request(thread, call, args, returned, end),
            Way::Poll => return exit_poll(thread, call, args, returned, end),
            Way::Wait => return exit_wait(thread, call, args, returned, end),
            _ => return exit_long(thread, call, args, returned, end),
        }
        // SAFETY: the mapped header of this thread.
        let Some((head, start, duration)) = known_words(thread, key, (*call.flight).start, end) else {
            return exit_long(thread, call, args, returned, end);
        };
        count(thread.shapes, head.shape(), duration);
        thread.ring.append(&head, start, duration);
    }
}

/// After a call that only asked for the time.
#[inline(never)]
unsafe extern "C" fn exit_light(token: usize, args: Args, returned: u64) {
    let thread = tls::get();
    if thread.is_null() {
        return;
    }
    // SAFETY: the thread's own state; the token is its first call.
    unsafe {
        let end = clock::counter((*thread).shift.into());
        let (thread, call) = (&mut *thread, &mut *((token & !LIGHT) as *mut Call));
        let is_again = asks_again(thread, call);
        thread.asked = (call.raw, end);
        if is_again {
            return exit_again(thread, call, args, returned, end);
        }
        let Some((head, start, duration)) = known_words(thread, call.raw, call.start, end) else {
            (*call.flight).start = call.start;
            return exit_long(thread, call, args, returned, end);
        };
        count(thread.shapes, head.shape(), duration);
        thread.ring.append(&head, start, duration);
    }
}

/// A program that asks for the time again after so many ticks computes meanwhile.
const SOON: u64 = 1 << 16;

/// Whether the last call asked for the time as well, at the same place and at once.
#[inline(always)]
unsafe fn asks_again(thread: &Thread, call: &Call) -> bool {
    let (key, end) = thread.asked;
    // SAFETY: the mapped header of this thread.
    let last = if thread.polling { unsafe { (*thread.header).poll_end } } else { thread.ring.last_end() };
    (key == call.raw) & (key > FOLLOWED) & (last == end) & (call.start.wrapping_sub(end) < SOON)
}

/// After a call that asked for the time again. A loop that waits for a time would fill the ring, so its calls become one record.
#[inline(never)]
unsafe extern "C" fn exit_again(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let key = call.raw ^ UNSUCCESSFUL;
        let cached = thread.cache.slot(key);
        if cached.key == key {
            let shape = cached.head.shape();
            count(thread.shapes, shape, end - call.start);
            return poll_again(thread, shape, call.start, end);
        }
        (call.raw, call.is_again, (*call.flight).start) = (key, true, call.start);
        exit_long(thread, call, args, returned, end);
        call.is_again = false;
    }
}

/// Where ticks are not those of the counter.
#[cold]
#[inline(never)]
unsafe extern "C" fn exit_other_clock(token: usize, args: Args, returned: u64) {
    let end = clock::now();
    let thread = tls::get();
    if !thread.is_null() {
        // SAFETY: as in `exit`.
        unsafe {
            let (thread, call) = finished(thread, token);
            exit_long(thread, call, args, returned, end);
        }
    }
}

/// The call is no longer in flight.
#[inline(always)]
unsafe fn finished<'a>(thread: *mut Thread, token: usize) -> (&'a mut Thread, &'a mut Call) {
    // SAFETY: the caller's promise; the mapped header of this thread.
    unsafe {
        let thread = &mut *thread;
        let call = &mut *(token as *mut Call);
        thread.depth = call.index;
        (*call.flight).function = 0;
        (thread, call)
    }
}

/// How the record of a call begins, its start and its duration, when its words are those of once before and
/// the ring is ready.
#[inline(always)]
fn known_words(thread: &mut Thread, key: u64, start: u64, end: u64) -> Option<(Head, u64, u64)> {
    let duration = end.wrapping_sub(start);
    let cached = thread.cache.slot(key);
    let known = (cached.key == key) & !thread.polling & thread.ring.is_ready(start, duration);
    known.then_some((cached.head, start, duration))
}

/// `Way::Request`: Isend, Irecv and their like.
#[inline(never)]
unsafe extern "C" fn exit_request(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let plan = call.plan;
        let word = args.at(plan.new_request);
        let request = if word == 0 { 0 } else { known(decode::stored_handle(thread.process, word, 0, false)) };
        let Some((head, start, duration)) = known_words(thread, call.raw, (*call.flight).start, end) else {
            return exit_long(thread, call, args, returned, end);
        };
        if request == 0 {
            return exit_long(thread, call, args, returned, end);
        }
        count(thread.shapes, head.shape(), duration);
        if plan.source != ABSENT && (args.at(plan.source) as i32) < 0 {
            let (source, tag, bytes) = thread.interner.posted(head.shape());
            posted(request).post(source, tag, bytes);
            posted(request).post_from_any(thread.interner.comm(head.shape()));
        } else if !are_statuses_read() {
            posted(request).forget();
        } else if plan.posts {
            let (source, tag, bytes) = thread.interner.posted(head.shape());
            posted(request).post(source, tag, bytes);
        } else {
            posted(request).post_no_receive();
        }
        thread.ring.append_numbers(&head, start, duration, [request.into()]);
    }
}

/// `Way::Poll`: Iprobe and its like, when there is nothing.
#[inline(never)]
unsafe extern "C" fn exit_poll(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let flag = args.at(call.plan.flag) as *const i32;
        let key = call.raw ^ UNSUCCESSFUL;
        let cached = thread.cache.slot(key);
        if cached.key != key || flag.is_null() || *flag != 0 {
            return exit_long(thread, call, args, returned, end);
        }
        let start = (*call.flight).start;
        let shape = cached.head.shape();
        let header = &mut *thread.header;
        if header.poll_shape != shape + 1 {
            if header.poll_shape != 0 {
                let pending = header.poll_end - header.poll_start;
                if !thread.ring.is_ready(header.poll_start, pending) {
                    return exit_long(thread, call, args, returned, end);
                }
                let numbers = [header.poll_count, header.poll_busy];
                let head = pending_polls(thread.shapes, header);
                thread.ring.append_numbers(&head, header.poll_start, pending, numbers);
            }
            begin_polls(header, shape, start);
            thread.polling = true;
        }
        count(thread.shapes, shape, end - start);
        fold(header, start, end);
    }
}

/// A run of unsuccessful polls begins. It stands in the file, so nothing is lost when the process dies.
#[inline(always)]
pub fn begin_polls(header: &mut ThreadHeader, shape: u32, start: u64) {
    header.poll_start = start;
    header.poll_count = 0;
    header.poll_busy = 0;
    header.poll_shape = shape + 1;
}

/// How the record of the pending run begins.
#[inline(always)]
pub fn pending_polls(shapes: *const Shape, header: &ThreadHeader) -> Head {
    let shape = header.poll_shape - 1;
    // SAFETY: the number of a shape of this thread.
    Head::of(shape, unsafe { (*shapes.add(shape as usize)).flags })
}

/// One more poll of the run.
#[inline(always)]
pub fn fold(header: &mut ThreadHeader, start: u64, end: u64) {
    header.poll_count += 1;
    header.poll_busy += end - start;
    header.poll_end = end;
}

/// `Way::Wait`: Wait, Waitall, Test, Testall that have completed, without statuses.
#[inline(never)]
unsafe extern "C" fn exit_wait(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let plan = call.plan;
        if plan.flag != ABSENT && *(args.at(plan.flag) as *const i32) == 0 {
            return exit_poll(thread, call, args, returned, end);
        }
        let silent = plan.status == ABSENT || args.at(plan.status) == thread.status_ignore;
        if !silent | !call.is_short() {
            return exit_long(thread, call, args, returned, end);
        }
        // Nothing is spelled out where the shape names a list, nor where there was no request at all.
        if thread.cache.slot(call.raw).head.flags() & flag::REQUESTS != 0 {
            return exit_wait_spelling(thread, call, args, returned, end);
        }
        let Some((head, start, duration)) = known_words(thread, call.raw, (*call.flight).start, end) else {
            return exit_long(thread, call, args, returned, end);
        };
        count(thread.shapes, head.shape(), duration);
        thread.ring.append(&head, start, duration);
    }
}

/// [`exit_wait`] where the record spells out the requests.
#[inline(never)]
unsafe extern "C" fn exit_wait_spelling(thread: &mut Thread, call: &mut Call, args: Args, returned: u64, end: u64) {
    unsafe {
        let Some((head, start, duration)) = known_words(thread, call.raw, (*call.flight).start, end) else {
            return exit_long(thread, call, args, returned, end);
        };
        count(thread.shapes, head.shape(), duration);
        push_ids(thread, call, &head, start, duration);
    }
}

/// A record that spells out the requests of the call.
#[inline(always)]
pub unsafe fn push_ids(thread: &mut Thread, call: &Call, head: &Head, start: u64, duration: u64) {
    let ids = call.named().iter().copied().filter(|&r| r != NO_REQUEST);
    let number = ids.clone().count();
    thread.interner.count_requests(head.shape(), number as u64);
    unsafe { thread.ring.push_ids(&mut thread.chunks, head, start, duration, (number, ids)) };
}
