//! NVTX ranges and marks. A program with NVTX inside loads the library that `NVTX_INJECTION64_PATH` names and asks
//! it to fill tables of function pointers. Source: NVTX 3, `nvtxDetail/nvtxTypes.h` and `nvToolsExt.h`.
//!
//! Domains are not kept apart: a pop ends the innermost range. Wide strings are taken as far as they are ASCII.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use mpiscope_trace::annotation::source::NVTX;

use crate::annotate::{self, Name};
use crate::clock;

/// `nvtxEventAttributes_t`, version 2.
#[repr(C)]
struct Attributes {
    version: u16,
    size: u16,
    category: u32,
    color_kind: i32,
    color: u32,
    payload_kind: i32,
    reserved: i32,
    payload: u64,
    message_kind: i32,
    message: *const c_void,
}

const ASCII: i32 = 1;
const WIDE: i32 = 2;
const REGISTERED: i32 = 3;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct Callbacks {
    bytes: usize,
    table: Option<extern "C" fn(c_int, *mut *mut *mut usize, *mut c_uint) -> c_int>,
}

/// The text of a wide string.
///
/// # Safety
/// `text` is null or ends with a zero.
unsafe fn narrow(text: *const i32) -> Vec<u8> {
    let mut found = Vec::new();
    let mut at = text;
    unsafe {
        while !at.is_null() && *at != 0 && found.len() < 1024 {
            found.push(u8::try_from(*at).unwrap_or(b'?'));
            at = at.add(1);
        }
    }
    found
}

/// Does `then` with the message of an event.
fn with_message(attributes: *const Attributes, then: impl FnOnce(Name<'_>)) {
    // SAFETY: NVTX's interface: null or a structure, whose message is of the kind it says.
    unsafe {
        let Some(a) = attributes.as_ref() else { return then(Name(b"(unnamed)")) };
        match a.message_kind {
            // What was registered is our own copy.
            ASCII | REGISTERED => then(Name::of(a.message.cast()).unwrap_or(Name(b"(unnamed)"))),
            WIDE => then(Name(&narrow(a.message.cast()))),
            _ => then(Name(b"(unnamed)")),
        }
    }
}

fn push(name: Name<'_>) -> c_int {
    annotate::begin(NVTX, name, 0);
    0
}

fn mark(name: Name<'_>) {
    annotate::mark(NVTX, name, 0);
}

extern "C" fn mark_ex(attributes: *const Attributes) {
    with_message(attributes, mark);
}
extern "C" fn mark_a(text: *const c_char) {
    // SAFETY: a C string or null.
    if let Some(name) = unsafe { Name::of(text) } {
        mark(name);
    }
}
extern "C" fn mark_w(text: *const i32) {
    // SAFETY: a wide string or null.
    mark(Name(&unsafe { narrow(text) }));
}
extern "C" fn push_ex(attributes: *const Attributes) -> c_int {
    with_message(attributes, |name| {
        push(name);
    });
    0
}
extern "C" fn push_a(text: *const c_char) -> c_int {
    // SAFETY: a C string or null.
    push(unsafe { Name::of(text) }.unwrap_or(Name(b"(unnamed)")))
}
extern "C" fn push_w(text: *const i32) -> c_int {
    // SAFETY: a wide string or null.
    push(Name(&unsafe { narrow(text) }))
}
extern "C" fn pop() -> c_int {
    annotate::end(None);
    0
}

/// Ranges that end by number, perhaps in another thread: name and start.
type Started = HashMap<u64, (Vec<u8>, u64)>;
static STARTED: Mutex<Option<Started>> = Mutex::new(None);
static NEXT: AtomicU64 = AtomicU64::new(1);
/// Most of them at a time.
const MOST_STARTED: usize = 1 << 16;

fn start(name: Name<'_>) -> u64 {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let started = started.get_or_insert_default();
    if started.len() < MOST_STARTED {
        started.insert(id, (name.0.to_vec(), clock::now()));
    }
    id
}
extern "C" fn start_ex(attributes: *const Attributes) -> u64 {
    let mut id = 0;
    with_message(attributes, |name| id = start(name));
    id
}
extern "C" fn start_a(text: *const c_char) -> u64 {
    // SAFETY: a C string or null.
    start(unsafe { Name::of(text) }.unwrap_or(Name(b"(unnamed)")))
}
extern "C" fn start_w(text: *const i32) -> u64 {
    // SAFETY: a wide string or null.
    start(Name(&unsafe { narrow(text) }))
}
extern "C" fn end(id: u64) {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let found = started.as_mut().and_then(|s| s.remove(&id));
    drop(started);
    if let Some((name, start)) = found {
        annotate::interval(NVTX, Name(&name), start, 0);
    }
}

// With a domain in front, which is the address of its name.
extern "C" fn domain_mark(_: *const c_void, a: *const Attributes) {
    mark_ex(a);
}
extern "C" fn domain_start(_: *const c_void, a: *const Attributes) -> u64 {
    start_ex(a)
}
extern "C" fn domain_end(_: *const c_void, id: u64) {
    end(id);
}
extern "C" fn domain_push(_: *const c_void, a: *const Attributes) -> c_int {
    push_ex(a)
}
extern "C" fn domain_pop(_: *const c_void) -> c_int {
    pop()
}
extern "C" fn register(_: *const c_void, text: *const c_char) -> *const c_char {
    // SAFETY: a C string or null. Handles are good for the life of the process, so the copy stays.
    let copy = unsafe { Name::of(text) }.map(|name| name.0.to_vec()).unwrap_or_default();
    CString::new(copy).unwrap_or_default().into_raw()
}
extern "C" fn register_w(_: *const c_void, text: *const i32) -> *const c_char {
    // SAFETY: a wide string or null.
    CString::new(unsafe { narrow(text) }).unwrap_or_default().into_raw()
}
extern "C" fn domain_create(text: *const c_char) -> *const c_char {
    register(std::ptr::null(), text)
}
extern "C" fn domain_create_w(text: *const i32) -> *const c_char {
    register_w(std::ptr::null(), text)
}

const CORE: c_int = 1;
const CORE2: c_int = 5;

/// NVTX calls this once, in the library it has loaded. 1: we are in.
#[unsafe(no_mangle)]
extern "C" fn InitializeInjectionNvtx2(export_table: Option<extern "C" fn(u32) -> *const c_void>) -> c_int {
    let Some(export_table) = export_table else { return 0 };
    const CALLBACKS: u32 = 1;
    // SAFETY: NVTX's interface.
    let Some(callbacks) = (unsafe { export_table(CALLBACKS).cast::<Callbacks>().as_ref() }) else { return 0 };
    let (true, Some(table)) = (callbacks.bytes >= size_of::<Callbacks>(), callbacks.table) else { return 0 };
    let fill = |module: c_int, functions: &[(usize, usize)]| {
        let (mut slots, mut count) = (std::ptr::null_mut(), 0);
        if table(module, &mut slots, &mut count) == 0 || slots.is_null() {
            return;
        }
        for &(id, function) in functions.iter().filter(|f| f.0 < count as usize) {
            // SAFETY: `count` pointers to slots, some of them null.
            unsafe {
                if let Some(slot) = (*slots.add(id)).as_mut() {
                    *slot = function;
                }
            }
        }
    };
    fill(
        CORE,
        &[
            (1, mark_ex as *const () as usize),
            (2, mark_a as *const () as usize),
            (3, mark_w as *const () as usize),
            (4, start_ex as *const () as usize),
            (5, start_a as *const () as usize),
            (6, start_w as *const () as usize),
            (7, end as *const () as usize),
            (8, push_ex as *const () as usize),
            (9, push_a as *const () as usize),
            (10, push_w as *const () as usize),
            (11, pop as *const () as usize),
        ],
    );
    fill(
        CORE2,
        &[
            (1, domain_mark as *const () as usize),
            (2, domain_start as *const () as usize),
            (3, domain_end as *const () as usize),
            (4, domain_push as *const () as usize),
            (5, domain_pop as *const () as usize),
            (10, register as *const () as usize),
            (11, register_w as *const () as usize),
            (12, domain_create as *const () as usize),
            (13, domain_create_w as *const () as usize),
        ],
    );
    1
}
