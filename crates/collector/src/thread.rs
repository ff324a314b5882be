//! What one thread owns: its region of the file, its ring, its table of shapes, its calls in flight.

use std::sync::atomic::{AtomicU32, Ordering};

use mpiscope_trace::layout::{CHUNK, Extent, MAX_EXTENTS, MAX_NESTING, MAX_REQUESTS, MAX_THREADS, PAGE, ThreadHeader};
use mpiscope_trace::shape::Shape;
use mpiscope_trace::writer::{ChunkSource, Completed, Ring};

use crate::config::OnFull;
use crate::decode::Words;
use crate::intern::{Interner, SHAPES};
use crate::process::Process;
use crate::{clock, tls};

/// A call between entry and return.
pub struct Call {
    /// Index of the exported symbol.
    pub symbol: u32,
    /// Function id.
    pub function: u32,
    /// Entry, ticks.
    pub start: u64,
    /// Stack pointer of the caller: a frame below a live one was abandoned (`longjmp`, exception).
    pub stack_pointer: usize,
    /// Whether to write a record, or only to follow objects.
    pub record: bool,
    /// Arguments.
    pub words: Words,
    /// Request handles at entry; the library overwrites them.
    pub handles: [u64; MAX_REQUESTS],
    /// How many of them.
    pub handle_count: usize,
}

/// See the module's text.
pub struct Thread {
    /// The process.
    pub process: &'static Process,
    /// First page of the region.
    pub header: *mut ThreadHeader,
    /// Calls in flight.
    pub depth: usize,
    /// Their state.
    pub calls: [Call; MAX_NESTING],
    /// Shapes of this thread.
    pub interner: Interner,
    /// The ring.
    pub ring: Ring,
    /// Where the ring gets chunks.
    pub chunks: Chunks,
    /// Whether events are written at all.
    pub trace: bool,
    /// Requests completed by the current call.
    pub completed: [Completed; MAX_REQUESTS],
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

static THREADS: AtomicU32 = AtomicU32::new(0);

impl Thread {
    /// Makes the region and the state of the calling thread; `None` when there is no room.
    #[cold]
    pub fn create(process: &'static Process) -> Option<*mut Thread> {
        let index = THREADS.fetch_add(1, Ordering::Relaxed) as usize;
        if index >= MAX_THREADS {
            return None;
        }
        let ring_bytes = if index == 0 { process.config.buffer } else { (process.config.buffer / LATER_RING_DIVISOR).max(4 * CHUNK as u64) };
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
            (&raw mut (*thread).header).write(header);
            (&raw mut (*thread).trace).write(process.config.trace);
            (&raw mut (*thread).interner).write(Interner::new(header, shapes, region.offset + PAGE as u64));
            (&raw mut (*thread).ring).write(Ring::new(header));
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
        tls::set(thread);
        Some(thread)
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
