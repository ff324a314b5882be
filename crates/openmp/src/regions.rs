//! Parallel regions, and worksharing constructs that end with a barrier.

use std::ffi::{c_long, c_uint, c_void};

use crate::detector::{acquire, release};
use crate::real::real;
use crate::team::{self, Body};

/// A function that starts a region: its code and data, then arguments that are passed on.
macro_rules! regions {
    ($($name:ident($($word:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        /// Of GCC's OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(body: Body, data: *mut c_void, $($word: $type),*) $(-> $result)? {
            let real = real!($name: fn(Body, *mut c_void, $($type),*) $(-> $result)?);
            // SAFETY: the caller's words.
            team::run(body, data, |body, data| unsafe { real(body, data, $($word),*) })
        }
    )*};
}

regions! {
    GOMP_parallel(threads: c_uint, flags: c_uint);
    GOMP_parallel_reductions(threads: c_uint, flags: c_uint) -> c_uint;
    GOMP_parallel_sections(threads: c_uint, count: c_uint, flags: c_uint);
    GOMP_parallel_loop_static(threads: c_uint, a: c_long, b: c_long, c: c_long, chunk: c_long, flags: c_uint);
    GOMP_parallel_loop_dynamic(threads: c_uint, a: c_long, b: c_long, c: c_long, chunk: c_long, flags: c_uint);
    GOMP_parallel_loop_guided(threads: c_uint, a: c_long, b: c_long, c: c_long, chunk: c_long, flags: c_uint);
    GOMP_parallel_loop_nonmonotonic_dynamic(threads: c_uint, a: c_long, b: c_long, c: c_long, chunk: c_long, flags: c_uint);
    GOMP_parallel_loop_nonmonotonic_guided(threads: c_uint, a: c_long, b: c_long, c: c_long, chunk: c_long, flags: c_uint);
    GOMP_parallel_loop_runtime(threads: c_uint, a: c_long, b: c_long, c: c_long, flags: c_uint);
    GOMP_parallel_loop_nonmonotonic_runtime(threads: c_uint, a: c_long, b: c_long, c: c_long, flags: c_uint);
    GOMP_parallel_loop_maybe_nonmonotonic_runtime(threads: c_uint, a: c_long, b: c_long, c: c_long, flags: c_uint);
    GOMP_teams_reg(teams: c_uint, limit: c_uint, flags: c_uint);
}

/// A function in which the threads of a region wait for each other.
macro_rules! barriers {
    ($($name:ident() $(-> $result:ty)?;)*) => {$(
        /// Of GCC's OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() $(-> $result)? {
            let real = real!($name: fn() $(-> $result)?);
            // SAFETY: called as the program calls it.
            team::barrier(|| unsafe { real() })
        }
    )*};
}

barriers! {
    GOMP_barrier();
    GOMP_barrier_cancel() -> bool;
    GOMP_loop_end();
    GOMP_loop_end_cancel() -> bool;
    GOMP_sections_end();
    GOMP_sections_end_cancel() -> bool;
}

/// The thread of a `single` continues with its part; the others wait for what it copies.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_single_copy_start() -> *mut c_void {
    // SAFETY: called as the program calls it.
    let data = unsafe { real!(GOMP_single_copy_start: fn() -> *mut c_void)() };
    if !data.is_null() {
        acquire(team::copied());
    }
    data
}

/// The end of that part.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_single_copy_end(data: *mut c_void) {
    release(team::copied());
    // SAFETY: the caller's pointer.
    team::barrier(|| unsafe { real!(GOMP_single_copy_end: fn(*mut c_void))(data) });
}
