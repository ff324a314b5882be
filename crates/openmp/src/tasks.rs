//! Tasks: each starts after it was created, and ends before those that wait for it continue.
//!
//! The library copies a task's data and runs it later, in any thread. Our function and data replace both: a header, followed by the
//! program's data.

use std::ffi::{c_int, c_long, c_uint, c_ulonglong, c_void};

use crate::detector::{acquire, release};
use crate::real::real;
use crate::team::{self, Body};

/// The program's function to copy data with constructors: to, from.
type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// The header before the program's data. `taskloop` writes loop bounds into the first two words of a task's data, and reads the
/// third.
#[repr(C)]
#[derive(Clone)]
struct Head {
    bounds: [c_ulonglong; 3],
    is_loop: bool,
    body: Body,
    copy: Option<Copy>,
    from: *mut c_void,
    bytes: usize,
    /// Offset of the program's data.
    offset: usize,
    /// Tasks of the same region that have ended.
    ended: *const c_void,
}

/// Flag of tasks that depend on others with the same data.
const DEPENDS: c_uint = 8;
/// Flag of tasks that end with an event: the library writes to their data.
const DETACHED: c_uint = 1 << 13;

impl Head {
    fn new(body: Body, data: *mut c_void, copy: Option<Copy>, bytes: c_long, align: c_long) -> (Head, usize, usize) {
        let align = (align.max(1) as usize).max(align_of::<Head>());
        let offset = size_of::<Head>().next_multiple_of(align);
        let bytes = bytes.max(0) as usize;
        let ended = team::ended_tasks();
        let head = Head { bounds: [0; 3], is_loop: false, body, copy, from: data, bytes, offset, ended };
        (head, offset + bytes, align)
    }
}

/// Copies a task's data when it is created.
unsafe extern "C" fn copy(to: *mut c_void, from: *mut c_void) {
    // SAFETY: `from` is the head that `GOMP_task` was given, `to` has room for it and the data.
    unsafe {
        let head = &*from.cast::<Head>();
        to.cast::<Head>().write(head.clone());
        let data = to.byte_add(head.offset);
        match head.copy {
            Some(copy) => copy(data, head.from),
            None => std::ptr::copy_nonoverlapping(head.from.cast::<u8>(), data.cast(), head.bytes),
        }
    }
    release(to);
}

/// Runs a task.
unsafe extern "C" fn run(at: *mut c_void) {
    acquire(at);
    // SAFETY: what `copy` has written.
    let (head, data) = unsafe { ((*at.cast::<Head>()).clone(), at.byte_add((*at.cast::<Head>()).offset)) };
    if head.is_loop {
        // SAFETY: the data of such a task begins with the bounds.
        unsafe { data.cast::<[c_ulonglong; 2]>().write([head.bounds[0], head.bounds[1]]) };
    }
    // SAFETY: the program's own.
    unsafe { (head.body)(data) };
    release(head.ended);
}

/// Creates a task.
///
/// # Safety
/// As the real one; older compilers give fewer arguments, and older libraries look at fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_task(
    body: Body,
    data: *mut c_void,
    copies: Option<Copy>,
    bytes: c_long,
    align: c_long,
    condition: bool,
    flags: c_uint,
    depend: *mut *mut c_void,
    priority: c_int,
    detach: *mut c_void,
) {
    type Copies = Option<Copy>;
    let real = real!(GOMP_task: fn(Body, *mut c_void, Copies, c_long, c_long, bool, c_uint, *mut *mut c_void, c_int, *mut c_void));
    if flags & DETACHED != 0 {
        // SAFETY: the caller's arguments.
        return unsafe { real(body, data, copies, bytes, align, condition, flags, depend, priority, detach) };
    }
    let ended = team::ended_tasks();
    let code: Body = if flags & DEPENDS != 0 { run_behind } else { run };
    let (mut head, bytes, align) = Head::new(body, data, copies, bytes, align);
    let (bytes, align) = (bytes as c_long, align as c_long);
    let from = (&raw mut head).cast();
    // SAFETY: our function and data replace the caller's, whose data they copy.
    unsafe { real(code, from, Some(copy), bytes, align, condition, flags, depend, priority, detach) };
    if !condition {
        // It has already run here, and may have waited for others.
        acquire(ended);
    }
}

/// Runs a task that depends on others: only the library knows which, so it counts as after all that have ended.
unsafe extern "C" fn run_behind(at: *mut c_void) {
    // SAFETY: what `copy` has written.
    acquire(unsafe { (*at.cast::<Head>()).ended });
    // SAFETY: as above.
    unsafe { run(at) };
}

/// Functions that create a task for each part of a loop.
macro_rules! loops {
    ($($name:ident: $type:ty;)*) => {$(
        /// Of GCC's OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            body: Body,
            data: *mut c_void,
            copies: Option<Copy>,
            bytes: c_long,
            align: c_long,
            flags: c_uint,
            tasks: std::ffi::c_ulong,
            priority: c_int,
            start: $type,
            end: $type,
            step: $type,
        ) {
            type Copies = Option<Copy>;
            type Word = $type;
            let real = real!($name: fn(Body, *mut c_void, Copies, c_long, c_long, c_uint, std::ffi::c_ulong, c_int, Word, Word, Word));
            let ended = team::ended_tasks();
            let (mut head, whole, align) = Head::new(body, data, copies, bytes, align);
            head.is_loop = true;
            if bytes as usize >= size_of::<[c_ulonglong; 3]>() {
                // SAFETY: the data is that long. Of loops with reductions the third word is looked at.
                head.bounds[2] = unsafe { data.cast::<c_ulonglong>().add(2).read_unaligned() };
            }
            let from = (&raw mut head).cast();
            // SAFETY: our function and data replace the caller's, whose data they copy.
            unsafe {
                real(run, from, Some(copy), whole as c_long, align as c_long, flags, tasks, priority, start, end, step)
            };
            // Without `nogroup` the loop has waited for them.
            acquire(ended);
        }
    )*};
}

loops! {
    GOMP_taskloop: c_long;
    GOMP_taskloop_ull: c_ulonglong;
}

/// Waits for tasks.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_taskwait() {
    // SAFETY: called as the program calls it.
    unsafe { real!(GOMP_taskwait: fn())() };
    acquire(team::ended_tasks());
}

/// Waits for tasks by their data.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_taskwait_depend(depend: *mut *mut c_void) {
    // SAFETY: the caller's list.
    unsafe { real!(GOMP_taskwait_depend: fn(*mut *mut c_void))(depend) };
    acquire(team::ended_tasks());
}

/// Waits for the tasks of a group.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_taskgroup_end() {
    // SAFETY: called as the program calls it.
    unsafe { real!(GOMP_taskgroup_end: fn())() };
    acquire(team::ended_tasks());
}
