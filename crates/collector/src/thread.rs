//! The state of one thread: its region of the file, its ring, its table of shapes, its calls that have not returned.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use mpiscope_trace::layout::{
    CHUNK, Control, Extent, InFlight, MAX_EXTENTS, MAX_NESTING, MAX_REQUESTS, MAX_THREADS, PAGE, ThreadHeader,
};
use mpiscope_trace::shape::Shape;
use mpiscope_trace::writer::{ChunkSource, Completed, Head, Ring};

use crate::annotate::Annotations;
use crate::call_plan::{CallPlan, KEYS, WORDS};
use crate::check;
use crate::config::OnFull;
use crate::decode::Words;
use crate::intern::{Interner, SHAPES};
use crate::process::{self, Process};
use crate::python::Lines;
use crate::stack::Unwinder;
use crate::{clock, sections, tls};

/// A call between entry and return. What every call needs comes first, in one line.
#[repr(C, align(64))]
pub struct Call {
    /// Plan of its function.
    pub plan: &'static CallPlan,
    /// What a reader of the file sees of it.
    pub flight: *mut InFlight,
    /// Number of this call among those in flight.
    pub index: usize,
    /// Raw key, when the call is identified by it.
    pub raw: u64,
    /// Stack pointer of the caller: a frame below a live one was abandoned (`longjmp`, exception).
    pub stack_pointer: usize,
    /// Key of its stack where the long way has worked it out, else 0.
    pub stack: u64,
    /// Entry, ticks; set on the long way.
    pub start: u64,
    /// Whether it asks for the time again, at the same place and at once: such calls are counted as polls are.
    pub is_again: bool,
    /// How many requests the call named.
    pub listed: u32,
    /// How many of them have names: all, up to [`mpiscope_trace::layout::MAX_LISTED`].
    pub named_count: u32,
    /// Communicator of the matched message that is received, 0 unknown.
    pub message_comm: u32,
    /// Arguments, once decoded.
    pub words: Words,
    /// Ids of the requests at entry, since the library overwrites their handles; [`NO_REQUEST`] for
    /// null handles, 0 for requests without an id.
    pub named: [u32; MAX_REQUESTS],
    /// All of them, if they are more than `named` has room for.
    pub long: Vec<u32>,
}

impl Call {
    /// Ids of the requests the call named.
    #[inline(always)]
    pub fn named(&self) -> &[u32] {
        match self.named_count as usize {
            count if count > MAX_REQUESTS => &self.long[..count],
            count => &self.named[..count],
        }
    }
    /// Whether one record has room for all requests that the call listed.
    #[inline(always)]
    pub fn is_short(&self) -> bool {
        (self.listed == self.named_count) & (self.listed as usize <= MAX_REQUESTS)
    }
}

const _: () = assert!(std::mem::offset_of!(Thread, ring) == 64, "the hot fields leave their lines");

/// Stands for a null handle in [`Call::named`].
pub const NO_REQUEST: u32 = u32::MAX;

/// See the module's text. The order of the fields is by heat: between two MPI calls the program has used
/// the caches for itself, so each line that a call touches is one to be fetched again.
#[repr(C, align(64))]
pub struct Thread {
    /// Calls in flight.
    pub depth: usize,
    /// Address and length of the MPI's core library.
    pub core: [usize; 2],
    /// `MPI_IN_PLACE` in C.
    pub in_place: u64,
    /// Shapes in the file.
    pub shapes: *mut Shape,
    /// A run of polls is pending in the header.
    pub polling: bool,
    /// The program has paused the recording of this thread.
    pub paused: bool,
    /// See [`clock::shift`].
    pub shift: u8,
    /// Id of the innermost region, 0 none.
    pub region: u32,
    /// `MPI_STATUS_IGNORE` (and `MPI_STATUSES_IGNORE`, the same in all families) in C.
    pub status_ignore: u64,
    /// What all threads share.
    pub control: *mut Control,
    /// The ring.
    pub ring: Ring,
    /// `plan::KEYS`.
    pub keys: [u64; WORDS],
    /// First page of the region.
    pub header: *mut ThreadHeader,
    /// The last call that only asked for the time: its raw key, and its end in ticks.
    pub asked: (u64, u64),
    /// The process.
    pub process: &'static Process,
    /// The calls in flight.
    pub calls: [Call; MAX_NESTING],
    /// Raw key → shape, see `plan`.
    pub cache: Cache,
    /// By caller: how many lists of requests were named there.
    pub lists: [u8; 256],
    /// Where the ring gets chunks.
    pub chunks: Chunks,
    /// Shapes of this thread.
    pub interner: Interner,
    /// Walks stacks, when asked to.
    pub unwinder: Option<Unwinder>,
    /// Finds the caller of a wrapper.
    pub callers: Unwinder,
    /// Lines of Python, in a process that has it.
    pub python: Option<Lines>,
    /// Regions, markers and values.
    pub annotations: Annotations,
    /// Requests completed by the current call.
    pub completed: Vec<Completed>,
    /// State of a checked thread; null when calls are not checked.
    pub check: *mut check::Local,
}

/// Frames of a call that programs wrap: the wrapper and its caller.
const WRAPPER: u32 = 2;

/// A direct-mapped cache: what the same argument words were last time.
pub struct Cache([Cached; Cache::SIZE]);

/// An entry of it.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Cached {
    /// Raw key; 0 when free.
    pub key: u64,
    /// Start of the shape's records.
    pub head: Head,
}

impl Cache {
    /// 64 KiB, of which the lines in use matter: programs repeat a few hundred different calls.
    const SIZE: usize = 2048;

    /// The place of a key.
    #[inline(always)]
    pub fn slot(&mut self, key: u64) -> &mut Cached {
        // The key is a sum of products: its high bits depend on every word, not evenly.
        &mut self.0[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize & (Cache::SIZE - 1)]
    }
}

/// Hands out ring chunks in order.
pub struct Chunks {
    process: &'static Process,
    header: *mut ThreadHeader,
    extents: Vec<(*mut u8, u64, u64)>,
    extent: usize,
    next: u64,
    /// Chunks with space behind them, in the last extent.
    reserved: u64,
    full: bool,
}

/// Ring of threads beyond the first: most of them make few calls.
const LATER_RING_DIVISOR: u64 = 8;

/// Threads that have a region to themselves even after their end: what each did is seen by itself.
const OF_THEIR_OWN: u32 = 64;

/// Regions made, or tried.
static THREADS: AtomicU32 = AtomicU32::new(0);

impl Thread {
    /// Gives the calling thread a region and a state: new ones, or after [`OF_THEIR_OWN`] threads those of a thread that has
    /// ended; `None` when there is no room.
    #[cold]
    pub fn start(process: &'static Process) -> Option<*mut Thread> {
        let ended = if THREADS.load(Ordering::Relaxed) < OF_THEIR_OWN { None } else { Thread::reuse(process) };
        let thread = ended.or_else(|| Thread::create(process))?;
        tls::set(thread);
        Some(thread)
    }

    fn reuse(process: &'static Process) -> Option<*mut Thread> {
        let thread = ENDED.lock().unwrap_or_else(PoisonError::into_inner).pop()?.0;
        // SAFETY: its thread has ended, and left it to the list.
        unsafe {
            (*(*thread).header).tid = libc::syscall(libc::SYS_gettid) as u32;
            (*thread).paused = false;
            // These know the end of the thread's stack.
            let depth = process.config.stack;
            (*thread).unwinder = (depth > 1).then(|| Unwinder::new(depth));
            (*thread).callers = Unwinder::new(WRAPPER);
        }
        await_end(thread);
        Some(thread)
    }

    fn create(process: &'static Process) -> Option<*mut Thread> {
        let index = THREADS.fetch_add(1, Ordering::Relaxed) as usize;
        if index >= MAX_THREADS {
            return None;
        }
        let ring_bytes = if index == 0 {
            process.config.buffer
        } else {
            (process.config.buffer / LATER_RING_DIVISOR).max(4 * CHUNK as u64)
        };
        let chunks = (ring_bytes / CHUNK as u64).max(2);
        let shapes_bytes = (SHAPES * size_of::<Shape>()) as u64;
        let file = &process.file;
        // Chunks first begin on a page: everything before them is whole pages.
        let region = file.extend(PAGE as u64 + shapes_bytes.next_multiple_of(PAGE as u64) + chunks * CHUNK as u64)?;
        if !file.reserve(region.offset, PAGE as u64) {
            return None;
        }
        let ring_at = PAGE as u64 + shapes_bytes.next_multiple_of(PAGE as u64);
        let header = region.at.cast::<ThreadHeader>();
        // SAFETY: mapped and reserved.
        unsafe {
            (*header).tid = libc::syscall(libc::SYS_gettid) as u32;
            (*header).shapes_offset = region.offset + PAGE as u64;
            (*header).shapes_capacity = SHAPES as u32;
            (*header).ring[0] = Extent { offset: region.offset + ring_at, chunks };
            (*header).extents = 1;
        }
        let shapes = unsafe { region.at.add(PAGE) }.cast::<Shape>();
        // SAFETY: every field is either plain old data, for which zero is a value, or set below.
        let thread = unsafe {
            let memory = libc::mmap(
                std::ptr::null_mut(),
                size_of::<Thread>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if memory == libc::MAP_FAILED {
                return None;
            }
            let thread = memory.cast::<Thread>();
            (&raw mut (*thread).process).write(process);
            (&raw mut (*thread).core).write([process.core.0, process.core.1 - process.core.0]);
            (&raw mut (*thread).keys).write(KEYS);
            (&raw mut (*thread).control).write(process::control());
            (&raw mut (*thread).shift).write(clock::shift() as u8);
            (&raw mut (*thread).shapes).write(shapes);
            for index in 0..MAX_NESTING {
                (*thread).calls[index].index = index;
                (&raw mut (*thread).calls[index].long).write(Vec::new());
                (*thread).calls[index].flight = (&raw mut (*header).in_flight[0]).add(index);
            }
            (&raw mut (*thread).status_ignore).write(process.mpi.constants.status_ignore as u64);
            (&raw mut (*thread).in_place).write(process.mpi.constants.in_place as u64);
            (&raw mut (*thread).header).write(header);
            (&raw mut (*thread).completed).write(vec![Completed::default(); MAX_REQUESTS]);
            (&raw mut (*thread).interner).write(Interner::new(header, shapes, region.offset + PAGE as u64));
            let depth = process.config.stack;
            (&raw mut (*thread).unwinder).write((depth > 1).then(|| Unwinder::new(depth)));
            (&raw mut (*thread).callers).write(Unwinder::new(WRAPPER));
            (&raw mut (*thread).python).write(process.python.as_ref().map(|_| Lines::new(index)));
            let checked = if process.config.check { check::Local::new(process, index, header) } else { None };
            (&raw mut (*thread).check).write(checked.unwrap_or(std::ptr::null_mut()));
            (&raw mut (*thread).ring).write(Ring::new(header));
            (&raw mut (*thread).annotations).write(Annotations::default());
            (&raw mut (*thread).chunks).write(Chunks {
                process,
                header,
                extents: vec![(region.at.add(ring_at as usize), region.offset + ring_at, chunks)],
                extent: 0,
                next: 0,
                reserved: 0,
                full: false,
            });
            thread
        };
        process.publish_thread(index, region.offset);
        sections::enlist(index, thread);
        // The first thread has its region to itself, and what checks know of a thread must not be taken for another's.
        if index > 0 && !process.config.check {
            await_end(thread);
        }
        Some(thread)
    }

    /// Whether nothing of its thread is unfinished.
    fn is_complete(&self) -> bool {
        // SAFETY: our header.
        self.depth == 0 && unsafe { (*self.header).open_count } == 0 && self.annotations.is_complete()
    }
}

/// States of threads that have ended, for later ones: a program that starts threads again and again would use up all regions.
static ENDED: Mutex<Vec<Ended>> = Mutex::new(Vec::new());

struct Ended(*mut Thread);

// SAFETY: whoever takes it from the list is its only owner.
unsafe impl Send for Ended {}

/// Has [`ended`] called with `thread` when the calling thread ends.
fn await_end(thread: *mut Thread) {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes the key.
        (unsafe { libc::pthread_key_create(&mut key, Some(ended)) } == 0).then_some(key)
    });
    if let Some(key) = *key {
        // SAFETY: the key was made. Without memory for it, the region is not used again.
        unsafe { libc::pthread_setspecific(key, thread.cast()) };
    }
}

/// A thread ends. If it calls MPI even later, in another destructor, it starts again.
unsafe extern "C" fn ended(thread: *mut c_void) {
    let thread = thread.cast::<Thread>();
    tls::set(std::ptr::null_mut());
    // SAFETY: the state of the calling thread.
    if unsafe { (*thread).is_complete() }
        // Not waited for: in the child of a fork, nothing may ever release the lock.
        && let Ok(mut all) = ENDED.try_lock()
    {
        all.push(Ended(thread));
    }
}

impl ChunkSource for Chunks {
    fn next_chunk(&mut self) -> Option<*mut u8> {
        if self.full {
            return None;
        }
        loop {
            let (at, offset, chunks) = self.extents[self.extent];
            if self.next < chunks {
                let index = self.next;
                let lap = self.extent + 1 < self.extents.len() || index < self.reserved;
                if !lap {
                    if !self.process.file.reserve(offset + index * CHUNK as u64, CHUNK as u64) {
                        return self.no_space(index);
                    }
                    self.reserved = index + 1;
                    populate(unsafe { at.add(index as usize * CHUNK) });
                }
                self.next += 1;
                return Some(unsafe { at.add(index as usize * CHUNK) });
            }
            match self.process.config.on_full {
                OnFull::Stop => {
                    self.full = true;
                    return None;
                }
                OnFull::Wrap => {
                    self.extent = 0;
                    self.next = 0;
                }
                OnFull::Grow => {
                    if self.extents.len() == MAX_EXTENTS || !self.grow() {
                        // The last extent is overwritten rather than the program's life changed.
                        self.next = 0;
                        self.reserved = self.extents[self.extent].2;
                    }
                }
            }
        }
    }

    fn wanted(&self) -> bool {
        self.process.config.trace
    }

    fn monotonic_ns(&mut self) -> u64 {
        clock::gettime(libc::CLOCK_MONOTONIC)
    }
}

impl Chunks {
    /// The file system is full: go round in what there is.
    fn no_space(&mut self, index: u64) -> Option<*mut u8> {
        if index >= 2 {
            self.extents[self.extent].2 = index;
            // SAFETY: our header. Readers see fewer chunks.
            unsafe { (*self.header).ring[self.extent].chunks = index };
            self.next = 1;
            self.extent = if self.process.config.on_full == OnFull::Wrap { 0 } else { self.extent };
            return Some(self.extents[self.extent].0);
        }
        self.full = true;
        None
    }

    fn grow(&mut self) -> bool {
        // Each extent as large as all before it, so that 96 of them are never too few.
        let chunks: u64 = self.extents.iter().map(|e| e.2).sum();
        let Some(region) = self.process.file.extend(chunks * CHUNK as u64) else { return false };
        let index = self.extents.len();
        self.extents.push((region.at, region.offset, chunks));
        // SAFETY: our header; the count is stored after the extent.
        unsafe {
            (*self.header).ring[index] = Extent { offset: region.offset, chunks };
            AtomicU32::from_ptr(&raw mut (*self.header).extents).store(index as u32 + 1, Ordering::Release);
        }
        self.extent = index;
        self.next = 0;
        self.reserved = 0;
        true
    }
}

/// Maps the pages of a chunk in one go: sixteen faults cost twice as much. Older kernels say no, and
/// the faults happen.
fn populate(chunk: *mut u8) {
    const MADV_POPULATE_WRITE: i32 = 23;
    // SAFETY: advice about our own mapping.
    unsafe { libc::madvise(chunk.cast(), CHUNK, MADV_POPULATE_WRITE) };
}
