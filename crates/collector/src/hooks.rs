//! The C interface of annotations, and how it is connected to programs that were built without this library.
//!
//! `mpiscope.h` needs no library at link time. Each object that includes it has a table of function pointers, all null, and an
//! ELF note with its address ([`crate::elf::Object::hooks`]). When this library is loaded, and whenever it lists the loaded
//! objects again, it fills those tables. Without it they remain null, and the inline functions of the header do nothing.
//!
//! Rejected: weak references (resolved to null at link time in programs that are not position
//! independent), `dlsym` (needs `-ldl` before glibc 2.34; the Fortran and Python modules use it anyway).

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

use mpiscope_trace::annotation::{VALUE_F64, VALUE_I64, VALUE_TEXT, from_f64, source};

use crate::annotate::{self, Name};
use crate::elf::Object;
use crate::process;
use crate::sections;

/// The register of an integer argument of a C function, by its number.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    (0) => {
        "rdi"
    };
    (1) => {
        "rsi"
    };
    (2) => {
        "rdx"
    };
    (3) => {
        "rcx"
    };
}

/// The exported functions: each passes its return address on, which is where the program says so, as the argument
/// of that number.
macro_rules! exported {
    ($($(#[$doc:meta])* $name:literal, $nth:tt => $body:path;)*) => {
        $(const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = $name)]
            $(#[$doc])*
            unsafe extern "C" fn exported() {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!(
                    concat!("mov ", register!($nth), ", [rsp]"),
                    "jmp {body}",
                    body = sym $body,
                );
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!(
                    concat!("mov x", $nth, ", x30"),
                    "b {body}",
                    body = sym $body,
                );
            }
        };)*
    };
}

extern "C" fn begin(name: *const c_char, caller: usize) {
    // SAFETY: the caller's promise: a C string or null.
    if let Some(name) = unsafe { Name::of(name) } {
        annotate::begin(source::MPISCOPE, name, caller);
    }
}

extern "C" fn begin_n(name: *const u8, length: usize, caller: usize) {
    annotate::begin(source::MPISCOPE, sized(name, length), caller);
}

extern "C" fn end(name: *const c_char) {
    // SAFETY: as above.
    annotate::end(unsafe { Name::of(name) });
}

extern "C" fn end_n(name: *const u8, length: usize) {
    annotate::end((length != 0).then(|| sized(name, length)));
}

extern "C" fn mark(name: *const c_char, caller: usize) {
    // SAFETY: as above.
    if let Some(name) = unsafe { Name::of(name) } {
        annotate::mark(source::MPISCOPE, name, caller);
    }
}

extern "C" fn mark_n(name: *const u8, length: usize, caller: usize) {
    annotate::mark(source::MPISCOPE, sized(name, length), caller);
}

extern "C" fn value_int(name: *const c_char, unit: *const c_char, value: i64, caller: usize) {
    // SAFETY: as above.
    if let Some(name) = unsafe { Name::of(name) } {
        annotate::value(VALUE_I64, source::MPISCOPE, name, unit_of(unit), value, caller);
    }
}

extern "C" fn value_double(name: *const c_char, unit: *const c_char, value: f64, caller: usize) {
    // SAFETY: as above.
    if let Some(name) = unsafe { Name::of(name) } {
        annotate::value(VALUE_F64, source::MPISCOPE, name, unit_of(unit), from_f64(value), caller);
    }
}

extern "C" fn value_string(name: *const c_char, value: *const c_char, caller: usize) {
    // SAFETY: as above.
    if let (Some(name), Some(value)) = unsafe { (Name::of(name), Name::of(value)) } {
        annotate::value(VALUE_TEXT, source::MPISCOPE, name, Name(b""), annotate::text(value), caller);
    }
}

fn unit_of<'a>(unit: *const c_char) -> Name<'a> {
    // SAFETY: a C string or null.
    unsafe { Name::of(unit) }.unwrap_or(Name(b""))
}

/// A Fortran string: blanks at its end are no part of it.
fn sized<'a>(name: *const u8, length: usize) -> Name<'a> {
    if name.is_null() {
        return Name(b"");
    }
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(name, length) };
    let end = bytes.iter().rposition(|&b| b != b' ' && b != 0).map_or(0, |at| at + 1);
    Name(&bytes[..end])
}

extern "C" fn start() {
    if process::start().is_some() {
        process::set_paused(false);
    }
}

extern "C" fn stop() {
    if process::start().is_some() {
        process::set_paused(true);
    }
}

extern "C" fn thread_start() {
    annotate::set_thread_paused(false);
}

extern "C" fn thread_stop() {
    annotate::set_thread_paused(true);
}

extern "C" fn snapshot(name: *const c_char) {
    // SAFETY: a C string or null.
    sections::snapshot(unsafe { Name::of(name) }, false);
}

extern "C" fn snapshot_n(name: *const u8, length: usize) {
    sections::snapshot((length != 0).then(|| sized(name, length)), false);
}

extern "C" fn clear(name: *const c_char) {
    // SAFETY: a C string or null.
    sections::snapshot(unsafe { Name::of(name) }, true);
}

extern "C" fn clear_n(name: *const u8, length: usize) {
    sections::snapshot((length != 0).then(|| sized(name, length)), true);
}

extern "C" fn is_recording() -> c_int {
    annotate::recording().into()
}

exported! {
    /// `void mpiscope_begin(const char *name)`
    "mpiscope_begin", 1 => begin;
    /// `void mpiscope_begin_n(const char *name, size_t length)`
    "mpiscope_begin_n", 2 => begin_n;
    /// `void mpiscope_end(const char *name)`
    "mpiscope_end", 1 => end;
    /// `void mpiscope_end_n(const char *name, size_t length)`
    "mpiscope_end_n", 2 => end_n;
    /// `void mpiscope_mark(const char *name)`
    "mpiscope_mark", 1 => mark;
    /// `void mpiscope_mark_n(const char *name, size_t length)`
    "mpiscope_mark_n", 2 => mark_n;
    /// `void mpiscope_value_int(const char *name, const char *unit, long long value)`
    "mpiscope_value_int", 3 => value_int;
    /// `void mpiscope_value_double(const char *name, const char *unit, double value)`
    "mpiscope_value_double", 2 => value_double;
    /// `void mpiscope_value_string(const char *name, const char *value)`
    "mpiscope_value_string", 2 => value_string;
    /// `void mpiscope_start(void)`
    "mpiscope_start", 0 => start;
    /// `void mpiscope_stop(void)`
    "mpiscope_stop", 0 => stop;
    /// `void mpiscope_thread_start(void)`
    "mpiscope_thread_start", 0 => thread_start;
    /// `void mpiscope_thread_stop(void)`
    "mpiscope_thread_stop", 0 => thread_stop;
    /// `int mpiscope_is_recording(void)`
    "mpiscope_is_recording", 0 => is_recording;
    /// `void mpiscope_snapshot(const char *region)`
    "mpiscope_snapshot", 1 => snapshot;
    /// `void mpiscope_snapshot_n(const char *region, size_t length)`
    "mpiscope_snapshot_n", 2 => snapshot_n;
    /// `void mpiscope_clear(const char *region)`
    "mpiscope_clear", 1 => clear;
    /// `void mpiscope_clear_n(const char *region, size_t length)`
    "mpiscope_clear_n", 2 => clear_n;
}

/// The table of `mpiscope.h`, version 1.
#[repr(C)]
struct Table {
    version: u32,
    /// Bytes of the table as the program was built.
    bytes: u32,
    functions: [AtomicUsize; FUNCTIONS.len()],
}

/// In the order of the header.
const FUNCTIONS: [&str; 13] = [
    "mpiscope_begin",
    "mpiscope_end",
    "mpiscope_mark",
    "mpiscope_value_int",
    "mpiscope_value_double",
    "mpiscope_value_string",
    "mpiscope_start",
    "mpiscope_stop",
    "mpiscope_thread_start",
    "mpiscope_thread_stop",
    "mpiscope_is_recording",
    "mpiscope_snapshot",
    "mpiscope_clear",
];

/// Fills the tables of all objects.
pub fn fill(objects: &[Object], own: &Object) {
    for object in objects {
        let Some(table) = object.hooks else { continue };
        // SAFETY: the note of this object says so, and its bytes were checked to lie within it.
        let table = unsafe { &*(table as *const Table) };
        if table.version != 1 {
            continue;
        }
        let known = (table.bytes as usize).saturating_sub(8) / 8;
        for (slot, name) in table.functions.iter().zip(FUNCTIONS).take(known) {
            if let Some(address) = own.defines(name) {
                slot.store(address, Ordering::Release);
            }
        }
    }
}
