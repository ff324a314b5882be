//! The end of the interpreter.
//!
//! When Python finalizes, it frees the states of other threads, which may be about to call MPI (daemon threads). A thread sets
//! its own byte while it reads its frames. `atexit` calls [`over`] before anything is freed: it forbids new readers and waits
//! for current ones. A reader only needs two plain stores: `membarrier` moves the cost to the other side.

use std::ffi::{c_int, c_long};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use mpiscope_trace::layout::MAX_THREADS;

use super::api::{Api, Held, Method, Pointer};

/// A cache line, so that threads do not share one.
#[repr(align(64))]
struct Line(AtomicBool);

static READING: [Line; MAX_THREADS] = [const { Line(AtomicBool::new(false)) }; MAX_THREADS];
static OVER: AtomicBool = AtomicBool::new(false);
/// `None`, for [`over`] to return.
static NONE: std::sync::atomic::AtomicPtr<std::ffi::c_void> = std::sync::atomic::AtomicPtr::new(null_mut());
static TAKE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// A thread reads its frames while this lives.
pub struct Reading(usize);

impl Reading {
    /// `None` when the interpreter ends.
    #[inline(always)]
    pub fn begin(thread: usize) -> Option<Reading> {
        READING[thread % MAX_THREADS].0.store(true, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let reading = Reading(thread);
        (!OVER.load(Ordering::Relaxed)).then_some(reading)
    }
}

impl Drop for Reading {
    #[inline(always)]
    fn drop(&mut self) {
        READING[self.0 % MAX_THREADS].0.store(false, Ordering::Release);
    }
}

const PRIVATE_EXPEDITED: c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;

fn membarrier(command: c_int) -> bool {
    // SAFETY: touches no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, c_long::from(command), 0 as c_long) == 0 }
}

/// Longest wait for a thread that the system does not run: it holds nothing that could keep it.
const LIMIT: Duration = Duration::from_secs(2);

extern "C" fn over(_: Pointer, _: Pointer) -> Pointer {
    OVER.store(true, Ordering::SeqCst);
    membarrier(PRIVATE_EXPEDITED);
    let end = Instant::now() + LIMIT;
    while READING.iter().any(|r| r.0.load(Ordering::Acquire)) && Instant::now() < end {
        std::thread::yield_now();
    }
    let none = NONE.load(Ordering::Relaxed);
    // SAFETY: `Py_IncRef`, stored below; the GIL is held.
    unsafe {
        let take: unsafe extern "C" fn(Pointer) = std::mem::transmute(TAKE.load(Ordering::Relaxed));
        take(none);
    }
    none
}

const NO_ARGUMENTS: c_int = 4;
static METHOD: Method =
    Method { name: c"mpiscope_python_ends".as_ptr(), function: over, flags: NO_ARGUMENTS, doc: std::ptr::null() };

/// Registers a callback for the end of Python. The GIL is held.
pub fn watch(api: &Api) -> Result<(), String> {
    if !membarrier(REGISTER_PRIVATE_EXPEDITED) {
        return Err("this kernel has no membarrier".into());
    }
    NONE.store(api.none, Ordering::Relaxed);
    TAKE.store(api.take as usize, Ordering::Relaxed);
    // SAFETY: public functions, with the GIL held.
    let asked = unsafe {
        Held::new(api, (api.import)(c"atexit".as_ptr())).and_then(|module| {
            let register = Held::new(api, (api.attribute)(module.1, c"register".as_ptr()))?;
            let function = Held::new(api, (api.new_function)(&METHOD, null_mut(), null_mut()))?;
            let arguments = Held::new(api, (api.new_tuple)(1))?;
            (api.take)(function.1);
            (api.set_in_tuple)(arguments.1, 0, function.1);
            Held::new(api, (api.call)(register.1, arguments.1)).map(drop)
        })
    };
    asked.ok_or_else(|| "cannot register with Python's atexit".into())
}
