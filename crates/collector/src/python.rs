//! Call sites of Python programs: the line of Python, not the address in an extension module.
//!
//! mpi4py releases the GIL around nearly every MPI call. Calling the interpreter for the line would require taking the GIL again:
//! 120 ns if it is free, milliseconds if another thread computes, and a deadlock if that thread waits for a lock that this one
//! holds. But the frames of a thread in a C function do not change, and the objects they refer to stay alive; so this thread may
//! read its own frames as plain memory, without the GIL and without a reference. Their layout depends on the release: see
//! `layout`, and `check` for why it is reliable. Each thread caches the line of an instruction; new ones are resolved with
//! functions that only read.
//!
//! Processes without Python never get here: their gate does not set [`mpiscope_trace::layout::gate::LONG_WAY`] for it.

mod api;
mod check;
mod ending;
mod layout;

use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU8, Ordering};

use mpiscope_trace::defs::Definition;
use mpiscope_trace::python::frame;

use crate::elf::{self, Object};
use crate::process::{self, Process};
use api::{Api, Pointer};
use ending::Reading;
use layout::{Direct, Frame, Layout};

/// The interpreter of the process.
pub struct Python {
    api: Api,
    /// Where its code is.
    range: (usize, usize),
    /// Nothing until it has been checked.
    layout: OnceLock<Layout>,
    state: AtomicU8,
}

const UNCHECKED: u8 = 0;
const CHECKING: u8 = 1;
const GOOD: u8 = 2;
const BAD: u8 = 3;

/// What a thread remembers of lines: by key, the frame as sites have it.
pub struct Lines {
    known: Box<[(u64, u64)]>,
    thread: usize,
}

/// Entries; direct-mapped.
const ENTRIES: usize = 1024;
/// Longest name kept.
const LONGEST: isize = 2048;

impl Python {
    /// The interpreter among the mapped objects.
    pub fn find(objects: &[Object]) -> Option<Python> {
        let object = objects.iter().find(|o| o.defines("PyGILState_GetThisThreadState").is_some())?;
        let api = Api::of(object)?;
        Some(Python { api, range: object.range, layout: OnceLock::new(), state: AtomicU8::new(UNCHECKED) })
    }

    /// Makes sure that the layout has been checked, if it can be now: in a thread that holds the GIL.
    #[inline(always)]
    pub fn prepare(&self, process: &Process) {
        if self.state.load(Ordering::Acquire) == UNCHECKED {
            self.check(process);
        }
    }

    #[cold]
    #[inline(never)]
    fn check(&self, process: &Process) {
        // SAFETY: both may be called by any thread.
        let state = unsafe {
            let state = (self.api.state)();
            if state.is_null() || (self.api.current_state)() != state {
                return;
            }
            state
        };
        // Python code may run meanwhile (garbage collection) and call MPI.
        if self.state.compare_exchange(UNCHECKED, CHECKING, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return;
        }
        let mut error: [Pointer; 3] = [std::ptr::null_mut(); 3];
        let [kind, value, trace] = &mut error;
        // SAFETY: the GIL is held, so public functions may be called; an exception on its way is put aside.
        unsafe { (self.api.error_away)(kind, value, trace) };
        let checked = check::layout(&self.api, state).and_then(|layout| {
            ending::watch(&self.api)?;
            Ok(layout)
        });
        // SAFETY: as above.
        unsafe { (self.api.error_back)(error[0], error[1], error[2]) };
        let state_text = match checked {
            Ok(layout) => {
                let _ = self.layout.set(layout);
                self.state.store(GOOD, Ordering::Release);
                "on".to_owned()
            }
            Err(why) => {
                self.state.store(BAD, Ordering::Release);
                process::no_python(process);
                if process.config.python_wanted {
                    process::complain(&format!("--python-sites: {why}; call sites are in extension modules instead"));
                }
                format!("off: {why}")
            }
        };
        let _guard = process.lock();
        process.file.define(&Definition::Info { key: "python_sites".into(), value: state_text });
    }

    /// A text of the interpreter. Reads only, which needs no GIL as long as the text lives.
    fn text(&self, object: usize) -> String {
        let object = object as Pointer;
        // SAFETY: a text object that a frame of this thread keeps alive.
        let length = unsafe { (self.api.text_length)(object) }.min(LONGEST);
        (0..length).map(|i| char::from_u32(unsafe { (self.api.text_at)(object, i) }).unwrap_or('\u{fffd}')).collect()
    }

    /// The stack of a call: C frames as far as they are not the interpreter's, without the glue of mpi4py, and
    /// then those of Python.
    pub fn join(&self, mut frames: Vec<u64>, python: &[u64]) -> Vec<u64> {
        if python.is_empty() {
            return frames;
        }
        let within = |pc: u64| (self.range.0 as u64..self.range.1 as u64).contains(&pc);
        let end = frames.iter().position(|&pc| within(pc)).unwrap_or(frames.len());
        frames.truncate(end);
        frames.retain(|&pc| !elf::containing(pc as usize).is_some_and(|object| is_glue(&object)));
        frames.extend(python);
        frames
    }
}

/// Whether all that an object does is to hand calls of Python on to MPI: mpi4py's module.
fn is_glue(object: &Object) -> bool {
    object.defines("PyInit_MPI").is_some()
}

impl Lines {
    /// Nothing known yet; `thread` counts the threads of the process.
    pub fn new(thread: usize) -> Lines {
        Lines { known: vec![(0, 0); ENTRIES].into_boxed_slice(), thread }
    }

    /// Visits `depth` frames of Python at most, innermost first, as sites have them.
    #[inline(never)]
    pub fn visit(&mut self, process: &'static Process, depth: u32, mut visit: impl FnMut(u64)) {
        let Some(python) = &process.python else { return };
        if python.state.load(Ordering::Acquire) != GOOD {
            return;
        }
        let (Some(layout), Some(_reading)) = (python.layout.get(), Reading::begin(self.thread)) else { return };
        // SAFETY: may be called by any thread at any time before the interpreter has ended.
        let state = unsafe { (python.api.state)() };
        if state.is_null() {
            return;
        }
        let mut left = depth;
        layout.frames(&Direct, python.api.code_type, state as usize, |frame| {
            let key = layout.key(&frame);
            let slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize & (ENTRIES - 1);
            if self.known[slot].0 != key {
                self.known[slot] = (key, learn(process, python, layout, &frame));
            }
            let line = self.known[slot].1;
            if line != MACHINERY {
                visit(line);
                left -= 1;
            }
            left > 0
        });
    }
}

/// Stands for a line of the import machinery: whoever imports is the caller, as in Python's own tracebacks.
const MACHINERY: u64 = 0;

/// A line seen for the first time by this thread.
#[cold]
#[inline(never)]
fn learn(process: &'static Process, python: &Python, layout: &Layout, at: &Frame) -> u64 {
    let text = |offset: usize| layout.member(&Direct, at, offset).map(|o| python.text(o)).unwrap_or_default();
    let (file, function) = (text(layout.members().file), text(layout.members().qualified));
    if file.starts_with("<frozen importlib") {
        return MACHINERY;
    }
    // SAFETY: a frame of this thread.
    let line = unsafe { layout.line(&python.api, at) };
    let mut sites = process.sites.lock().unwrap_or_else(PoisonError::into_inner);
    frame(sites.python_code(file, function, process), line)
}
