//! The real functions, defined after this library.

/// The next function of a name, with its type.
macro_rules! real {
    ($name:ident: fn($($argument:ty),*) $(-> $result:ty)?) => {{
        static ADDRESS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        type Function = unsafe extern "C" fn($($argument),*) $(-> $result)?;
        crate::real::find::<Function>(&ADDRESS, concat!(stringify!($name), "\0"))
    }};
}
pub(crate) use real;

use std::sync::atomic::{AtomicUsize, Ordering};

/// A function of the type `F`, searched for once.
///
/// In a process without the real function, a wrapper is only called by mistake and cannot continue.
pub fn find<F: Copy>(known: &AtomicUsize, name: &str) -> F {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    let address = match known.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: the macro ends the name with a zero.
            let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr().cast()) } as usize;
            if found == 0 {
                // SAFETY: ends the process, as the loader would have done without this library.
                unsafe { libc::abort() };
            }
            known.store(found, Ordering::Relaxed);
            found
        }
        found => found,
    };
    // SAFETY: the function of this name has the type that the caller says, which is a pointer.
    unsafe { std::mem::transmute_copy(&address) }
}
