//! NVTX ranges and marks. A program with NVTX loads the library in `NVTX_INJECTION64_PATH` and lets it fill tables of function
//! pointers. Source: NVTX 3, `nvtxDetail/nvtxTypes.h` and `nvToolsExt.h`.
//!
//! A range of a domain other than the default one is named `domain::range`, and a pop ends the innermost range of its domain,
//! with all ranges inside it. In wide strings, characters above U+00FF become `?`.

use std::cell::RefCell;
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

/// The default domain; others are the address of their name.
const DEFAULT: *const c_void = std::ptr::null();

thread_local! {
    /// Ranges that this thread has pushed: domain and name.
    static PUSHED: RefCell<Vec<(usize, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

/// Does `then` with the name that something of a domain has here.
fn in_domain(domain: *const c_void, name: Name<'_>, then: impl FnOnce(Name<'_>)) {
    // SAFETY: null, or what `domain_create` has given out, which stays.
    match unsafe { Name::of(domain.cast()) } {
        None => then(name),
        Some(domain) => then(Name(&[domain.0, b"::", name.0].concat())),
    }
}

fn push(domain: *const c_void, name: Name<'_>) -> c_int {
    let mut depth = 0;
    in_domain(domain, name, |name| {
        annotate::begin(NVTX, name, 0);
        // Gone when the thread ends.
        let _ = PUSHED.try_with(|pushed| {
            let mut pushed = pushed.borrow_mut();
            depth = pushed.iter().filter(|one| one.0 == domain as usize).count() as c_int;
            pushed.push((domain as usize, name.0.to_vec()));
        });
    });
    depth
}

fn mark_in(domain: *const c_void, name: Name<'_>) {
    in_domain(domain, name, |name| annotate::mark(NVTX, name, 0));
}

fn mark(name: Name<'_>) {
    mark_in(DEFAULT, name);
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
    domain_push(DEFAULT, attributes)
}
extern "C" fn push_a(text: *const c_char) -> c_int {
    // SAFETY: a C string or null.
    push(DEFAULT, unsafe { Name::of(text) }.unwrap_or(Name(b"(unnamed)")))
}
extern "C" fn push_w(text: *const i32) -> c_int {
    // SAFETY: a wide string or null.
    push(DEFAULT, Name(&unsafe { narrow(text) }))
}
extern "C" fn pop() -> c_int {
    domain_pop(DEFAULT)
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
extern "C" fn domain_mark(domain: *const c_void, a: *const Attributes) {
    with_message(a, |name| mark_in(domain, name));
}
extern "C" fn domain_start(domain: *const c_void, a: *const Attributes) -> u64 {
    let mut id = 0;
    with_message(a, |name| in_domain(domain, name, |name| id = start(name)));
    id
}
extern "C" fn domain_end(_: *const c_void, id: u64) {
    end(id);
}
extern "C" fn domain_push(domain: *const c_void, a: *const Attributes) -> c_int {
    let mut depth = 0;
    with_message(a, |name| depth = push(domain, name));
    depth
}
extern "C" fn domain_pop(domain: *const c_void) -> c_int {
    let popped = PUSHED.try_with(|pushed| {
        let mut pushed = pushed.borrow_mut();
        let at = pushed.iter().rposition(|one| one.0 == domain as usize)?;
        let name = pushed.drain(at..).next()?.1;
        let depth = pushed.iter().filter(|one| one.0 == domain as usize).count();
        Some((name, depth as c_int))
    });
    match popped {
        Ok(Some((name, depth))) => {
            annotate::end(Some(Name(&name)));
            depth
        }
        // One too many: counted as such.
        _ => {
            annotate::end(Some(Name(b"(nothing was pushed)")));
            -1
        }
    }
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
