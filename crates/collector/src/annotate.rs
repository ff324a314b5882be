//! Annotations of the program: regions, markers and values.
//!
//! All sources (`hooks`, NVTX, Kokkos, Caliper) call [`begin`], [`end`], [`mark`] and [`value`]. Names are usually string
//! literals that are used repeatedly, so a thread looks a name up by address first, and compares the characters, since the same
//! buffer may contain another name now. Unknown names go to the process, which assigns ids and defines them in the file.

use std::collections::HashMap;
use std::sync::PoisonError;

use mpiscope_trace::annotation::{MARKER, REGION};
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::{MAX_REGIONS, OpenRegion, gate};
use mpiscope_trace::shape::{Shape, flag};
use mpiscope_trace::writer::{Extra, Head};

use crate::intern::{count, mix};
use crate::process::{self, Process};
use crate::thread::Thread;
use crate::{clock, tls};

/// Most nodes of the tree of regions, and most labels, of a process.
const MOST: usize = 1 << 14;
/// Longest name kept.
const LONGEST: usize = 1024;

/// A name as the program gives it: bytes without an end.
#[derive(Clone, Copy)]
pub struct Name<'a>(pub &'a [u8]);

impl<'a> Name<'a> {
    /// Of a C string; null is no name.
    ///
    /// # Safety
    /// `text` is null or ends with a NUL.
    pub unsafe fn of(text: *const std::ffi::c_char) -> Option<Name<'a>> {
        (!text.is_null()).then(|| Name(unsafe { std::slice::from_raw_parts(text.cast(), libc::strlen(text)) }))
    }

    /// As text, cut where it is too long.
    pub fn text(self) -> String {
        String::from_utf8_lossy(&self.0[..self.0.len().min(LONGEST)]).into_owned()
    }
}

/// What distinguishes an annotation besides its name and unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    /// As in [`mpiscope_trace::annotation`].
    function: u32,
    /// As in [`mpiscope_trace::annotation::source`].
    source: u32,
    /// The region it is in.
    region: u32,
}

/// What a thread knows of an annotation.
struct Known {
    kind: Kind,
    name: Vec<u8>,
    unit: Vec<u8>,
    /// Of the region or label; 0 when there were too many.
    id: u32,
    head: Head,
}

/// A thread's annotations.
#[derive(Default)]
pub struct Annotations {
    /// By address of the name and kind. Entries point into `known`, which keeps them for good.
    cache: Vec<Option<(usize, *mut Known)>>,
    known: HashMap<(Kind, Vec<u8>, Vec<u8>), Box<Known>>,
    open: Vec<*mut Known>,
    /// Regions begun beyond what can be followed.
    beyond: u32,
}

const CACHE: usize = 256;

impl Annotations {
    /// Whether no region is open beyond those in the header.
    pub fn is_complete(&self) -> bool {
        self.beyond == 0
    }

    #[inline(always)]
    fn place(name: Name<'_>, kind: Kind) -> usize {
        let key = mix(mix(name.0.as_ptr() as u64, kind.region.into()), u64::from(kind.function ^ kind.source));
        (key >> 32) as usize % CACHE
    }

    #[inline(always)]
    fn cached(&self, name: Name<'_>, unit: Name<'_>, kind: Kind) -> Option<*mut Known> {
        let (address, known) = (*self.cache.get(Self::place(name, kind))?)?;
        // SAFETY: never freed.
        let k = unsafe { &*known };
        let same = address == name.0.as_ptr() as usize && k.kind == kind && k.name == name.0 && k.unit == unit.0;
        same.then_some(known)
    }
}

/// What the process has given ids to.
#[derive(Default)]
pub struct Names {
    ids: HashMap<(Kind, Vec<u8>, Vec<u8>), u32>,
    regions: u32,
    labels: u32,
}

impl Names {
    fn id(&mut self, kind: Kind, name: Name<'_>, unit: Name<'_>, process: &Process) -> u32 {
        // A label is the same in all regions.
        let region = if kind.function == REGION { kind.region } else { 0 };
        let function = if kind.function == REGION { REGION } else { MARKER };
        let key = (Kind { function, region, ..kind }, name.0.to_vec(), unit.0.to_vec());
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        if self.ids.len() >= MOST {
            return 0;
        }
        let next = if function == REGION { &mut self.regions } else { &mut self.labels };
        *next += 1;
        let id = *next;
        self.ids.insert(key, id);
        let _guard = process.lock();
        process.file.define(&match function {
            REGION => Definition::Region { id, parent: region, source: kind.source, name: name.text() },
            _ => Definition::Label { id, name: name.text(), unit: unit.text() },
        });
        id
    }
}

/// The calling thread, made if need be; `None` where nothing is recorded.
#[inline(always)]
fn thread<'a>() -> Option<&'a mut Thread> {
    let thread = tls::get();
    // SAFETY: this thread's own state.
    if thread.is_null() { first() } else { Some(unsafe { &mut *thread }) }
}

#[cold]
fn first<'a>() -> Option<&'a mut Thread> {
    let process = process::start()?;
    // SAFETY: just made for this thread.
    Thread::start(process).map(|thread| unsafe { &mut *thread })
}

/// Whether a thread records now.
#[inline(always)]
fn is_recording(thread: &Thread) -> bool {
    !thread.paused & (process::gate_of(thread.control) & !gate::LONG_WAY == 0)
}

impl Thread {
    /// What this thread knows of an annotation, made at its first sight.
    #[inline(always)]
    fn annotation(&mut self, kind: Kind, name: Name<'_>, unit: Name<'_>, caller: usize) -> Option<*mut Known> {
        match self.annotations.cached(name, unit, kind) {
            Some(known) => Some(known),
            None => self.new_annotation(kind, name, unit, caller),
        }
    }

    #[cold]
    #[inline(never)]
    fn new_annotation(&mut self, kind: Kind, name: Name<'_>, unit: Name<'_>, caller: usize) -> Option<*mut Known> {
        let key = (kind, name.0.to_vec(), unit.0.to_vec());
        if !self.annotations.known.contains_key(&key) {
            let process = self.process;
            let id = process.names.lock().unwrap_or_else(PoisonError::into_inner).id(kind, name, unit, process);
            let head = self.annotation_shape(kind, id, caller)?;
            let known = Known { kind, name: key.1.clone(), unit: key.2.clone(), id, head };
            self.annotations.known.insert(key.clone(), Box::new(known));
        }
        let known: *mut Known = &mut **self.annotations.known.get_mut(&key)?;
        self.annotations.cache.resize(CACHE, None);
        self.annotations.cache[Annotations::place(name, kind)] = Some((name.0.as_ptr() as usize, known));
        Some(known)
    }

    fn annotation_shape(&mut self, kind: Kind, id: u32, caller: usize) -> Option<Head> {
        let process = self.process;
        let frames = [caller as u64];
        let site = self.interner.site(mix(7, caller as u64), || process.site(&frames));
        let is_region = kind.function == REGION;
        let shape = Shape {
            function: kind.function,
            site,
            region: if is_region { id } else { kind.region },
            op: if is_region { 0 } else { id },
            flags: if is_region || kind.function == MARKER { 0 } else { flag::OFFSET },
            ..Shape::default()
        };
        let found = self.interner.find_or_insert(&shape);
        if found.is_none() {
            process.count_without_room();
        }
        found.map(|f| Head::of(f.shape, f.flags))
    }

    #[inline(always)]
    unsafe fn record_annotation(&mut self, head: &Head, start: u64, duration: u64, offset: Option<i64>) {
        unsafe {
            count(self.shapes, head.shape(), duration);
            if self.polling {
                crate::record::flush_polls(self);
            }
            let extra = Extra { offset: offset.unwrap_or(0), ..Extra::NONE };
            self.ring.push(&mut self.chunks, head, start, duration, &extra);
        }
    }
}

/// A region begins.
pub fn begin(source: u32, name: Name<'_>, caller: usize) {
    let Some(thread) = thread() else { return };
    if process::gate_of(thread.control) & gate::OFF != 0 || !thread.process.config.user {
        return;
    }
    let kind = Kind { function: REGION, source, region: thread.region };
    // SAFETY: the mapped header of this thread.
    let header = unsafe { &mut *thread.header };
    let depth = header.open_count as usize;
    let known = if depth < MAX_REGIONS { thread.annotation(kind, name, Name(b""), caller) } else { None };
    let Some(known) = known.filter(|&k| unsafe { (*k).id } != 0) else {
        thread.annotations.beyond += 1;
        header.regions_lost += 1;
        return;
    };
    // SAFETY: kept for good.
    let region = unsafe { (*known).id };
    thread.annotations.open.truncate(depth);
    thread.annotations.open.push(known);
    header.open_regions[depth] = OpenRegion { region, unused: 0, start: clock::now() };
    header.open_count = depth as u32 + 1;
    thread.region = region;
}

/// The innermost region ends, or, with a name, the innermost one of this name, and those that are open inside it.
pub fn end(name: Option<Name<'_>>) {
    let now = clock::now();
    let thread = tls::get();
    if thread.is_null() {
        return;
    }
    // SAFETY: this thread's own state and its mapped header.
    let (thread, header) = unsafe { (&mut *thread, &mut *(*thread).header) };
    if process::gate_of(thread.control) & gate::OFF != 0 || !thread.process.config.user {
        return;
    }
    if thread.annotations.beyond > 0 {
        thread.annotations.beyond -= 1;
        return;
    }
    let depth = header.open_count as usize;
    let open = &thread.annotations.open[..depth.min(thread.annotations.open.len())];
    // SAFETY: kept for good.
    let is_it = |&known: &*mut Known| name.is_none_or(|name| unsafe { (*known).name == name.0 });
    let Some(found) = open.iter().rposition(is_it) else {
        header.regions_unmatched += 1;
        return;
    };
    header.regions_unmatched += (depth - 1 - found) as u32;
    let recording = is_recording(thread);
    for inner in (found..depth).rev() {
        // SAFETY: kept for good.
        let head = unsafe { (*thread.annotations.open[inner]).head };
        let start = header.open_regions[inner].start;
        header.open_count = inner as u32;
        thread.region = if inner == 0 { 0 } else { header.open_regions[inner - 1].region };
        if recording {
            unsafe { thread.record_annotation(&head, start, now.saturating_sub(start), None) };
        }
    }
}

/// A region that began at `start`, perhaps in another thread, ends now. Calls made in between are not attributed to it, because
/// it need not be nested in other regions.
pub fn interval(source: u32, name: Name<'_>, start: u64, caller: usize) {
    let now = clock::now();
    let Some(thread) = thread() else { return };
    if !is_recording(thread) || !thread.process.config.user {
        return;
    }
    let kind = Kind { function: REGION, source, region: thread.region };
    if let Some(known) = thread.annotation(kind, name, Name(b""), caller) {
        // SAFETY: kept for good; this thread's own ring.
        unsafe { thread.record_annotation(&(*known).head, start, now.saturating_sub(start), None) };
    }
}

/// Something happened.
pub fn mark(source: u32, name: Name<'_>, caller: usize) {
    point(MARKER, source, name, Name(b""), None, caller);
}

/// A value of `function`, one of the `VALUE_*`.
pub fn value(function: u32, source: u32, name: Name<'_>, unit: Name<'_>, value: i64, caller: usize) {
    point(function, source, name, unit, Some(value), caller);
}

/// The id of a text that is a value.
pub fn text(value: Name<'_>) -> i64 {
    let Some(thread) = thread() else { return 0 };
    let kind = Kind { function: MARKER, source: 0, region: 0 };
    let process = thread.process;
    process.names.lock().unwrap_or_else(PoisonError::into_inner).id(kind, value, Name(b""), process).into()
}

#[inline(always)]
fn point(function: u32, source: u32, name: Name<'_>, unit: Name<'_>, value: Option<i64>, caller: usize) {
    let Some(thread) = thread() else { return };
    if !is_recording(thread) || !thread.process.config.user {
        return;
    }
    let now = clock::now();
    let kind = Kind { function, source, region: thread.region };
    match thread.annotation(kind, name, unit, caller) {
        // SAFETY: kept for good; this thread's own ring.
        Some(known) => unsafe { thread.record_annotation(&(*known).head, now, 0, value) },
        // SAFETY: the mapped header of this thread.
        None => unsafe { (*thread.header).regions_lost += 1 },
    }
}

/// Pauses the recording of the calling thread, or goes on.
pub fn set_thread_paused(paused: bool) {
    if let Some(thread) = thread() {
        thread.paused = paused;
    }
}

/// Whether the calling thread records now.
pub fn recording() -> bool {
    thread().is_some_and(|thread| is_recording(thread))
}
