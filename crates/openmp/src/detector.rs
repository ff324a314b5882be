//! The functions of the race detector in this process. It may be in the executable (clang) or in a library (GCC).

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

type Order = unsafe extern "C" fn(*const c_void);

struct Detector {
    release: Order,
    acquire: Order,
}

fn detector() -> Option<&'static Detector> {
    static FOUND: OnceLock<Option<Detector>> = OnceLock::new();
    let find = |name: &CStr| {
        // SAFETY: a name that ends in zero.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        // SAFETY: void (*)(void *), by the detector's interface.
        (!address.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Order>(address) })
    };
    let look = || Some(Detector { release: find(c"__tsan_release")?, acquire: find(c"__tsan_acquire")? });
    FOUND.get_or_init(look).as_ref()
}

/// Everything that this thread has done so far is before what others do after [`acquire`] of the same address.
pub fn release(place: *const c_void) {
    if let Some(detector) = detector() {
        // SAFETY: only the address counts; it is one of this process.
        unsafe { (detector.release)(place) };
    }
}

/// See [`release`].
pub fn acquire(place: *const c_void) {
    if let Some(detector) = detector() {
        // SAFETY: as above.
        unsafe { (detector.acquire)(place) };
    }
}
