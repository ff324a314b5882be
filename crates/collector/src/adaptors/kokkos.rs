//! Kokkos Tools: the functions that Kokkos searches for in the libraries in `KOKKOS_TOOLS_LIBS`
//! (`KOKKOS_PROFILE_LIBRARY` before Kokkos 3.7). Source: Kokkos' `impl/Kokkos_Profiling_C_Interface.h`.
//!
//! Kernels end by the number that was returned at their begin. They are properly nested in a thread, so the order is sufficient
//! and the number is not needed.

use std::ffi::{c_char, c_void};

use mpiscope_trace::annotation::source::KOKKOS;

use crate::annotate::{self, Name};

/// Passed by value, hence on the stack.
#[repr(C)]
struct SpaceHandle {
    name: [c_char; 64],
}

fn begin(name: *const c_char) {
    // SAFETY: Kokkos gives a C string or null.
    let name = unsafe { Name::of(name) }.filter(|n| !n.0.is_empty()).unwrap_or(Name(b"(unnamed)"));
    annotate::begin(KOKKOS, name, 0);
}

/// Begin and end of one kind of kernel.
macro_rules! kernels {
    ($($begin:ident $end:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $begin(name: *const c_char, _device: u32, id: *mut u64) {
            begin(name);
            if !id.is_null() {
                // SAFETY: Kokkos wants a number to end it by.
                unsafe { *id = 0 };
            }
        }
        #[unsafe(no_mangle)]
        extern "C" fn $end(_id: u64) {
            annotate::end(None);
        }
    )*};
}

kernels! {
    kokkosp_begin_parallel_for kokkosp_end_parallel_for
    kokkosp_begin_parallel_reduce kokkosp_end_parallel_reduce
    kokkosp_begin_parallel_scan kokkosp_end_parallel_scan
    kokkosp_begin_fence kokkosp_end_fence
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_init_library(_sequence: i32, _version: u64, _devices: u32, _info: *mut c_void) {}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_finalize_library() {}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_push_profile_region(name: *const c_char) {
    begin(name);
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_pop_profile_region() {
    annotate::end(None);
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_begin_deep_copy(
    _to: SpaceHandle,
    _to_name: *const c_char,
    _to_address: *const c_void,
    _from: SpaceHandle,
    _from_name: *const c_char,
    _from_address: *const c_void,
    _bytes: u64,
) {
    annotate::begin(KOKKOS, Name(b"deep_copy"), 0);
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_end_deep_copy() {
    annotate::end(None);
}

#[unsafe(no_mangle)]
extern "C" fn kokkosp_profile_event(name: *const c_char) {
    // SAFETY: as above.
    if let Some(name) = unsafe { Name::of(name) } {
        annotate::mark(KOKKOS, name, 0);
    }
}
