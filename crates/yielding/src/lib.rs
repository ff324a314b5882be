//! `libmpiscope_yield.so`, preloaded by `mpiscope run --yield`: makes a polling MPI yield the core after an unsuccessful poll.
//!
//! With more ranks than cores, a polling rank keeps the core from the rank it waits for, until the kernel preempts it some
//! milliseconds later. MPICH over UCX has no option for that (`MPIR_CVAR_POLLS_BEFORE_YIELD` has no effect there); Open MPI has a
//! variable. So UCX's progress function is wrapped: it returns how much it has done; if that is nothing, `sched_yield` lets another
//! process run.
//!
//! # Design constraints
//!
//! * Nothing runs before the MPI calls the function, and then only that call and `sched_yield`: no memory, no lock, no output.
//! * The real function is the one that would have been called. It may not be in the global scope (mpi4py opens its MPI with
//!   `RTLD_LOCAL`), so it is searched for in every loaded object.
//! * If it cannot be found, the wrapper returns that nothing has progressed, which is always a valid result.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

type Progress = unsafe extern "C" fn(*mut c_void) -> c_uint;

const NAME: &CStr = c"ucp_worker_progress";
/// The real function; 0 before the search.
static REAL: AtomicUsize = AtomicUsize::new(0);

/// Replaces UCX's function of this name.
///
/// # Safety
///
/// As for the real one: `worker` is UCX's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ucp_worker_progress(worker: *mut c_void) -> c_uint {
    let mut real = REAL.load(Ordering::Relaxed);
    if real == 0 {
        real = find();
        // Threads that get here at the same time find the same function.
        REAL.store(real, Ordering::Relaxed);
    }
    let done = match real {
        0 => 0,
        // SAFETY: the address of the function of this name in another object, called as the program calls it.
        _ => unsafe { std::mem::transmute::<usize, Progress>(real)(worker) },
    };
    if done == 0 {
        // SAFETY: no memory is touched.
        unsafe { libc::sched_yield() };
    }
    done
}

/// The loader's entry for each object, as in `link.h`.
#[repr(C)]
struct LinkMap {
    _address: usize,
    name: *const c_char,
    _dynamic: *mut c_void,
    next: *mut LinkMap,
}

/// The next definition after this one, or that of any loaded object.
#[cold]
fn find() -> usize {
    // SAFETY: a name that ends in zero.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr()) } as usize;
    if next != 0 {
        return next;
    }
    let mut at: *mut LinkMap = std::ptr::null_mut();
    // SAFETY: the handle of the program is valid at all times; the loader writes a pointer.
    unsafe {
        let program = libc::dlopen(std::ptr::null(), libc::RTLD_LAZY);
        if program.is_null() || libc::dlinfo(program, libc::RTLD_DI_LINKMAP, (&raw mut at).cast()) != 0 {
            return 0;
        }
    }
    while !at.is_null() {
        // SAFETY: the loader's list; the objects of the calling MPI remain loaded.
        let (name, next) = unsafe { ((*at).name, (*at).next) };
        if let Some(found) = in_object(name) {
            return found;
        }
        at = next;
    }
    0
}

/// The function in one loaded object or its dependencies. (The program itself has no name: its scope starts with this library.)
fn in_object(name: *const c_char) -> Option<usize> {
    // SAFETY: null, or a text of the loader's that ends in zero.
    if name.is_null() || unsafe { *name } == 0 {
        return None;
    }
    let own = ucp_worker_progress as *const () as usize;
    // SAFETY: opens only objects that are already loaded, and decrements the reference count again.
    let address = unsafe {
        let handle = libc::dlopen(name, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return None;
        }
        let address = libc::dlsym(handle, NAME.as_ptr()) as usize;
        libc::dlclose(handle);
        address
    };
    (address != 0 && address != own).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_real_one_nothing_progresses() {
        // SAFETY: nobody looks at the worker.
        assert_eq!(unsafe { ucp_worker_progress(std::ptr::null_mut()) }, 0);
    }
}
