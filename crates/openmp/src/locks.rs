//! Locks, critical and ordered sections: each holder is ordered after the previous one.

use std::ffi::{c_int, c_long, c_ulonglong, c_void};
use std::ptr::addr_of;

use crate::detector::{acquire, release};
use crate::real::real;
use crate::team;

static CRITICAL: u8 = 0;
static ATOMIC: u8 = 0;

/// A pair of functions around code that one thread at a time executes. The address is that of `$place`.
macro_rules! sections {
    ($($start:ident, $end:ident, $place:expr;)*) => {$(
        /// Of GCC's OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $start() {
            // SAFETY: called as the program calls it.
            unsafe { real!($start: fn())() };
            acquire($place);
        }

        /// Its end.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $end() {
            release($place);
            // SAFETY: called as the program calls it.
            unsafe { real!($end: fn())() };
        }
    )*};
}

sections! {
    GOMP_critical_start, GOMP_critical_end, addr_of!(CRITICAL).cast();
    GOMP_atomic_start, GOMP_atomic_end, addr_of!(ATOMIC).cast();
    GOMP_ordered_start, GOMP_ordered_end, team::ordered();
}

/// Functions that acquire a lock, and those that release it.
macro_rules! locks {
    ($($set:ident, $unset:ident;)*) => {$(
        /// Of an OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(lock: *mut c_void) {
            // SAFETY: the caller's lock.
            unsafe { real!($set: fn(*mut c_void))(lock) };
            acquire(lock);
        }

        /// Its end.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $unset(lock: *mut c_void) {
            release(lock);
            // SAFETY: the caller's lock.
            unsafe { real!($unset: fn(*mut c_void))(lock) };
        }
    )*};
}

locks! {
    GOMP_critical_name_start, GOMP_critical_name_end;
    omp_set_lock, omp_unset_lock;
    omp_set_lock_, omp_unset_lock_;
    omp_set_nest_lock, omp_unset_nest_lock;
    omp_set_nest_lock_, omp_unset_nest_lock_;
}

/// Functions that try to acquire a lock.
macro_rules! tries {
    ($($test:ident;)*) => {$(
        /// Of an OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $test(lock: *mut c_void) -> c_int {
            // SAFETY: the caller's lock.
            let taken = unsafe { real!($test: fn(*mut c_void) -> c_int)(lock) };
            if taken != 0 {
                acquire(lock);
            }
            taken
        }
    )*};
}

tries! {
    omp_test_lock;
    omp_test_lock_;
    omp_test_nest_lock;
    omp_test_nest_lock_;
}

/// The end of an iteration that others wait for.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_doacross_post(counts: *mut c_long) {
    release(team::ordered());
    // SAFETY: the caller's numbers.
    unsafe { real!(GOMP_doacross_post: fn(*mut c_long))(counts) };
}

/// The same.
///
/// # Safety
/// As the real one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_doacross_ull_post(counts: *mut c_ulonglong) {
    release(team::ordered());
    // SAFETY: the caller's numbers.
    unsafe { real!(GOMP_doacross_ull_post: fn(*mut c_ulonglong))(counts) };
}

/// Functions with an argument for each loop of a nest. Six arguments are in registers on all processors; deeper nests do not occur.
macro_rules! waits {
    ($($name:ident: $type:ty;)*) => {$(
        /// Of GCC's OpenMP library.
        ///
        /// # Safety
        /// As the real one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(a: $type, b: $type, c: $type, d: $type, e: $type, f: $type) {
            // SAFETY: the caller's numbers, and as many more as the real one does not look at.
            unsafe { real!($name: fn($type, $type, $type, $type, $type, $type))(a, b, c, d, e, f) };
            acquire(team::ordered());
        }
    )*};
}

waits! {
    GOMP_doacross_wait: c_long;
    GOMP_doacross_ull_wait: c_ulonglong;
}
