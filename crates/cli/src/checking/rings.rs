//! The rank file of one process as its checker reads it: definitions and rings, while the process runs and after it.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};
use mpiscope_trace::check::Event;
use mpiscope_trace::check::ring::{HEADER_BYTES, Reader, RingHeader};
use mpiscope_trace::defs::{self, Definition};
use mpiscope_trace::layout::{DEFS_END, Header, MAGIC, MAX_THREADS, PAGE, ThreadHeader};
use mpiscope_trace::reader::TickClock;

/// A thread's ring. The mapping stays as long as the process that reads it.
struct Ring {
    reader: Reader<'static>,
    /// Kernel's number of the thread.
    tid: u32,
    /// Nothing more can be read from it.
    broken: bool,
}

/// One process.
pub struct Rank {
    file: File,
    head: MmapRaw,
    defs_read: u64,
    rings: Vec<Option<Ring>>,
    room: Vec<u64>,
}

/// What the header says now.
#[derive(Clone, Copy)]
pub struct State {
    pub rank: i32,
    pub size: i32,
    pub thread_level: i32,
    pub state: u32,
    pub pid: u32,
    /// Clock kind and two moments: (ticks, ns).
    pub clock: u32,
    pub points: [(u64, u64); 2],
}

impl Rank {
    /// `None` when it is no rank file yet.
    pub fn open(path: &Path) -> Option<Rank> {
        // Room in the rings is given back by writing to them.
        let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
        if file.metadata().ok()?.len() < DEFS_END {
            return None;
        }
        let head = MmapOptions::new().len(DEFS_END as usize).map_raw(&file).ok()?;
        let rank = Rank { file, head, defs_read: 0, rings: Vec::new(), room: Vec::new() };
        // SAFETY: mapped; plain numbers.
        (unsafe { (*rank.header()).magic } == MAGIC).then_some(rank)
    }

    fn header(&self) -> *mut Header {
        self.head.as_mut_ptr().cast()
    }

    /// What the header says.
    pub fn state(&self) -> State {
        let h = self.header();
        // SAFETY: mapped; plain numbers that another process writes, none of which is believed.
        unsafe {
            let anchors = (&raw const (*h).anchors).read_volatile();
            let point = |i: usize| (anchors[i].ticks, anchors[i].monotonic_ns);
            State {
                rank: (&raw const (*h).world_rank).read_volatile(),
                size: (&raw const (*h).world_size).read_volatile(),
                thread_level: (&raw const (*h).thread_level).read_volatile(),
                state: AtomicU32::from_ptr(&raw mut (*h).state).load(Ordering::Acquire),
                pid: (&raw const (*h).pid).read_volatile(),
                clock: (&raw const (*h).clock).read_volatile(),
                points: [point(0), point(1)],
            }
        }
    }

    /// A moment of its clock, ns of `CLOCK_MONOTONIC`.
    pub fn moment_ns(&self, ticks: u64) -> u64 {
        let state = self.state();
        let (zero_ticks, zero_ns) = state.points[0];
        let since_ns = (i128::from(ticks) - i128::from(zero_ticks)) as f64
            * TickClock::fit(state.clock, &state.points).ns_per_tick;
        zero_ns.saturating_add_signed(since_ns as i64)
    }

    /// Definitions that are new since the last call.
    pub fn definitions(&mut self) -> Vec<Definition> {
        // SAFETY: mapped.
        let length = unsafe { AtomicU64::from_ptr(&raw mut (*self.header()).defs_len) }.load(Ordering::Acquire);
        let length = length.min(DEFS_END - PAGE as u64);
        if length <= self.defs_read {
            return Vec::new();
        }
        let n = (length - self.defs_read) as usize;
        let mut bytes = vec![0; n];
        // SAFETY: in the mapping; what was committed does not change.
        unsafe {
            let at = self.head.as_ptr().add(PAGE + self.defs_read as usize);
            std::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), n);
        }
        self.defs_read = length;
        defs::decode(&bytes).0
    }

    /// Maps the rings of threads that are new.
    fn find_rings(&mut self) {
        let h = self.header();
        // SAFETY: mapped.
        let threads = unsafe { AtomicU32::from_ptr(&raw mut (*h).threads) }.load(Ordering::Acquire);
        let threads = (threads as usize).min(MAX_THREADS);
        for index in 0..threads {
            if self.rings.len() <= index {
                self.rings.resize_with(index + 1, || None);
            }
            if self.rings[index].is_none() {
                // SAFETY: mapped; checked below.
                let at = unsafe { (&raw const (*h).thread_offsets[index]).read_volatile() };
                self.rings[index] = self.ring(at);
            }
        }
    }

    fn ring(&self, thread: u64) -> Option<Ring> {
        let length = self.file.metadata().ok()?.len();
        let map = |offset: u64, bytes: u64| -> Option<*mut u8> {
            let fits = offset.is_multiple_of(PAGE as u64) && offset.checked_add(bytes).is_some_and(|end| end <= length);
            let map =
                fits.then(|| MmapOptions::new().offset(offset).len(bytes as usize).map_raw(&self.file).ok())??;
            let at = map.as_mut_ptr();
            // As long as this process.
            std::mem::forget(map);
            Some(at)
        };
        if thread == 0 || !thread.is_multiple_of(PAGE as u64) || thread + PAGE as u64 > length {
            return None;
        }
        let header = MmapOptions::new().offset(thread).len(PAGE).map_raw(&self.file).ok()?;
        // SAFETY: a mapped page.
        let (at, tid) = unsafe {
            let header = header.as_mut_ptr().cast::<ThreadHeader>();
            let at = AtomicU64::from_ptr(&raw mut (*header).check_offset).load(Ordering::Acquire);
            (at, (&raw const (*header).tid).read_volatile())
        };
        if at == 0 {
            return None;
        }
        let header = map(at, HEADER_BYTES as u64)?.cast::<RingHeader>();
        // SAFETY: mapped for good; all of it are atomic numbers.
        let header: &'static RingHeader = unsafe { &*header };
        let words = header.words.load(Ordering::Acquire).min(mpiscope_trace::check::ring::MAX_RING_WORDS);
        let body = map(at + HEADER_BYTES as u64, words * 8)?.cast::<AtomicU64>();
        // SAFETY: as many words were mapped for good.
        let words: &'static [AtomicU64] = unsafe { std::slice::from_raw_parts(body, words as usize) };
        Some(Ring { reader: Reader::new(header, words).ok()?, tid, broken: false })
    }

    /// Events that are there now, at most `most`, in the order of their moments; whether there are more.
    pub fn read(&mut self, now_ns: u64, most: usize, events: &mut Vec<Event>) -> bool {
        self.find_rings();
        let mut more = false;
        for ring in self.rings.iter_mut().flatten().filter(|ring| !ring.broken) {
            let before = events.len();
            loop {
                match ring.reader.next(&mut self.room) {
                    Ok(Some(event)) => events.push(event),
                    Ok(None) => break,
                    Err(_) => {
                        ring.broken = true;
                        break;
                    }
                }
                if events.len() - before >= most {
                    more = true;
                    break;
                }
            }
            ring.reader.release(now_ns);
        }
        events.sort_by_key(|event| event.head.at);
        more
    }

    /// Calls in vain since each ring's last event: thread, how many, when the latest was.
    pub fn polls(&self) -> impl Iterator<Item = (u8, u64, u64)> + '_ {
        self.rings.iter().enumerate().filter_map(|(index, ring)| {
            let header = ring.as_ref()?.reader.header();
            let polls = header.polls.load(Ordering::Acquire);
            (polls > 0).then(|| (index.min(255) as u8, polls, header.polled_at.load(Ordering::Relaxed)))
        })
    }

    /// Threads that have called MPI, as the kernel numbers them.
    pub fn tids(&self) -> Vec<u32> {
        self.rings.iter().flatten().map(|ring| ring.tid).collect()
    }

    /// Events that found no room.
    pub fn lost(&self) -> u64 {
        self.rings.iter().flatten().map(|ring| ring.reader.header().lost.load(Ordering::Relaxed)).sum()
    }
}
