//! Rank files made by hand, for tests of everything that reads them (feature `testing`).
//!
//! Records go through the collector's own [`Ring`], so a test file differs from a recorded one
//! only in who filled the structures.

use std::cell::UnsafeCell;
use std::io;

use crate::defs::{self, Definition};
use crate::layout::{
    Anchor, CHUNK, ChunkHeader, DEFS_END, Extent, Header, InFlight, MAGIC, PAGE, ThreadHeader, VERSION, clock, state,
};
use crate::reader::Source;
use crate::shape::{Shape, flag};
use crate::writer::{ChunkSource, Extra, Head, Ring};

/// A rank file under construction. Ticks are nanoseconds and count from `CLOCK_MONOTONIC` zero,
/// unless a test changes `header`.
pub struct Builder {
    /// First page; `defs_len`, `threads` and `thread_offsets` are filled by [`Builder::bytes`].
    pub header: Header,
    /// The definitions log.
    pub definitions: Vec<Definition>,
    /// Threads in order of their first call.
    pub threads: Vec<Thread>,
}

/// One thread of a [`Builder`].
pub struct Thread {
    /// First page of the region; offsets and counts are filled by [`Builder::bytes`].
    pub header: ThreadHeader,
    /// The shape table.
    pub shapes: Vec<Shape>,
    ring: Ring,
    /// Where the ring counts; apart from `header`, which tests change while the ring points here.
    _counts: Box<UnsafeCell<ThreadHeader>>,
    chunks: Chunks,
}

/// Memory for a ring, a vector for each chunk so that it can grow while the ring points into it.
#[derive(Default)]
struct Chunks(Vec<Vec<ChunkHeader>>);

impl ChunkSource for Chunks {
    fn next_chunk(&mut self) -> Option<*mut u8> {
        self.0.push(vec![ChunkHeader::default(); CHUNK / size_of::<ChunkHeader>()]);
        self.0.last_mut().map(|chunk| chunk.as_mut_ptr().cast())
    }
    fn monotonic_ns(&mut self) -> u64 {
        0
    }
}

impl Builder {
    /// A process that initialised MPI as `rank` of `size`, ran for a second and finalized.
    pub fn new(rank: i32, size: i32) -> Builder {
        const SECOND: u64 = 1_000_000_000;
        let anchor = |ns| Anchor { ticks: ns, monotonic_ns: ns, realtime_ns: 1_700_000_000 * SECOND + ns };
        let header = Header {
            magic: MAGIC,
            version: VERSION,
            header_bytes: size_of::<Header>() as u32,
            run_id: 1,
            pid: 1000 + rank.max(0) as u32,
            world_rank: rank,
            world_size: size,
            state: state::FINALIZED,
            clock: clock::MONOTONIC,
            anchors: [anchor(SECOND), anchor(SECOND), anchor(2 * SECOND)],
            family: 1,
            init_start: SECOND,
            init_end: SECOND + 1_000_000,
            finalize_start: 2 * SECOND - 1_000_000,
            finalize_end: 2 * SECOND,
            user_ns: 900_000_000,
            system_ns: 50_000_000,
            max_rss_bytes: 64 << 20,
            buffer_bytes: 16 << 20,
            trace: 1,
            ..zeroed()
        };
        Builder { header, definitions: Vec::new(), threads: vec![Thread::new(1000 + rank.max(0) as u32)] }
    }

    /// Appends a definition.
    pub fn define(&mut self, definition: Definition) -> &mut Builder {
        self.definitions.push(definition);
        self
    }

    /// Appends an [`Definition::Info`].
    pub fn info(&mut self, key: &str, value: &str) -> &mut Builder {
        self.define(Definition::Info { key: key.into(), value: value.into() })
    }

    /// The file's bytes: header, definitions, then each thread's region. At least 4 MiB, almost
    /// all of it zero.
    pub fn bytes(&self) -> Vec<u8> {
        let mut header = self.header;
        let log: Vec<u8> = self.definitions.iter().flat_map(defs::encode).collect();
        header.defs_len = log.len() as u64;
        header.threads = self.threads.len() as u32;
        let mut file = vec![0; DEFS_END as usize];
        file[PAGE..PAGE + log.len()].copy_from_slice(&log);
        for (thread, offset) in self.threads.iter().zip(&mut header.thread_offsets) {
            *offset = file.len() as u64;
            thread.append(&mut file);
        }
        put(&mut file, 0, header);
        file
    }
}

impl Thread {
    /// A thread that has called nothing.
    pub fn new(tid: u32) -> Thread {
        let header = ThreadHeader { tid, ..zeroed() };
        let counts = Box::new(UnsafeCell::new(header));
        let ring = Ring::new(counts.get());
        Thread { header, shapes: Vec::new(), ring, _counts: counts, chunks: Chunks::default() }
    }

    /// Interns `shape` as it is, statistics included; its index.
    pub fn shape(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// Writes a record and counts it in its shape.
    pub fn event(&mut self, shape: u32, start: u64, duration: u64, extra: &Extra<'_>) {
        let interned = &mut self.shapes[shape as usize];
        let flags = interned.flags;
        // A run of polls is one record of many calls.
        let (calls, inside) = match extra.inline {
            &[calls, inside] if flags & flag::POLL != 0 => (calls, inside),
            _ => (1, duration),
        };
        interned.calls += calls;
        interned.ticks += inside;
        interned.max_ticks = interned.max_ticks.max(inside / calls.max(1));
        interned.min_ticks = interned.min_ticks.min(inside / calls.max(1));
        // SAFETY: counts and chunks are owned by `self` and borrowed for this call.
        unsafe { self.ring.push(&mut self.chunks, &Head::of(shape, flags), start, duration, extra) };
    }

    /// Marks a call as entered and not returned.
    pub fn enter(&mut self, call: InFlight) {
        let free = self.header.in_flight.iter_mut().find(|slot| slot.function == 0);
        *free.expect("MAX_NESTING calls are in flight") = call;
    }

    fn append(&self, file: &mut Vec<u8>) {
        let region = file.len();
        let mut header = self.header;
        header.chunks_begun = self.chunks.0.len() as u64;
        header.shapes = self.shapes.len() as u32;
        header.shapes_capacity = header.shapes;
        header.shapes_offset = (region + PAGE) as u64;
        file.resize(region + PAGE + self.shapes.len() * size_of::<Shape>(), 0);
        for (i, shape) in self.shapes.iter().enumerate() {
            put(file, region + PAGE + i * size_of::<Shape>(), *shape);
        }
        file.resize(file.len().next_multiple_of(PAGE), 0);
        if !self.chunks.0.is_empty() {
            header.extents = 1;
            header.ring[0] = Extent { offset: file.len() as u64, chunks: self.chunks.0.len() as u64 };
        }
        for chunk in &self.chunks.0 {
            let begin = file.len();
            file.resize(begin + CHUNK, 0);
            // SAFETY: the whole chunk is initialised memory of CHUNK bytes owned by the vector.
            let bytes = unsafe { std::slice::from_raw_parts(chunk.as_ptr().cast::<u8>(), CHUNK) };
            file[begin..].copy_from_slice(bytes);
        }
        put(file, region, header);
    }
}

/// A page-sized structure of numbers with nothing in it yet.
fn zeroed<T: Copy>() -> T {
    // SAFETY: used for `Header` and `ThreadHeader` alone, integers for which zero is a value.
    unsafe { std::mem::zeroed() }
}

/// Copies a structure without padding in its middle into `file`.
fn put<T: Copy>(file: &mut [u8], at: usize, value: T) {
    let room = &mut file[at..at + size_of::<T>()];
    // SAFETY: `room` has the size of `T` and the write needs no alignment.
    unsafe { room.as_mut_ptr().cast::<T>().write_unaligned(value) };
}

/// Definitions that fit into the folded form.
const FOLDED_DEFS: usize = 8 << 10;

/// A rank file with the empty stretches left out, so that a fuzzer's few kilobytes reach every
/// part of the reader: header, 8 KiB of definitions, then what begins at 4 MiB. Behind the last
/// byte a chunk of zeros counts as present.
#[derive(Clone, Copy)]
pub struct Folded<'a>(pub &'a [u8]);

impl Folded<'_> {
    /// Leaves out the empty stretches of a file made by [`Builder::bytes`], its last zeros too.
    pub fn fold(file: &[u8]) -> Vec<u8> {
        let mut folded = file[..PAGE + FOLDED_DEFS].to_vec();
        folded.extend_from_slice(&file[DEFS_END as usize..]);
        let used = folded.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        folded.truncate(used);
        folded
    }
    /// Writes the file that it stands for, with holes.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn unfold(&self, path: &std::path::Path) -> io::Result<()> {
        let front = self.0.len().min(PAGE + FOLDED_DEFS);
        let file = std::fs::File::create(path)?;
        std::os::unix::fs::FileExt::write_all_at(&file, &self.0[..front], 0)?;
        std::os::unix::fs::FileExt::write_all_at(&file, &self.0[front..], DEFS_END)?;
        file.set_len(Source::len(self)?)
    }
    /// Index of the byte of the file at `offset`.
    fn index(&self, offset: u64) -> Option<usize> {
        let front = (PAGE + FOLDED_DEFS) as u64;
        match offset {
            o if o < front => Some(o as usize),
            o if o < DEFS_END => None,
            o => usize::try_from(o - DEFS_END + front).ok(),
        }
    }
}

impl Source for Folded<'_> {
    fn len(&self) -> io::Result<u64> {
        let front = PAGE + FOLDED_DEFS;
        Ok(match self.0.len() {
            n if n < PAGE => n as u64,
            n if n <= front => DEFS_END,
            n => DEFS_END + (n - front + CHUNK) as u64,
        })
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        for (i, byte) in buffer.iter_mut().enumerate() {
            let at = offset.checked_add(i as u64).and_then(|o| self.index(o));
            *byte = at.and_then(|at| self.0.get(at)).copied().unwrap_or(0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::flag;
    use crate::{Event, RankFile};
    use proptest::prelude::*;

    fn sample() -> Builder {
        let mut file = Builder::new(1, 4);
        file.info("host", "node1");
        let thread = &mut file.threads[0];
        let send = thread.shape(Shape { function: 350, world_peer: 2, bytes_out: 64, ..Shape::default() });
        let isend = thread.shape(Shape { function: 200, flags: flag::REQUEST, ..Shape::default() });
        for i in 0..20_000 {
            thread.event(send, 1000 + 100 * i, 40, &Extra::NONE);
        }
        thread.event(isend, 3_000_000, 7, &Extra { request: 5, ..Extra::NONE });
        file
    }

    #[test]
    fn what_is_built_is_read() {
        let bytes = sample().bytes();
        let file = RankFile::parse(bytes.as_slice()).unwrap();
        assert_eq!((file.header.world_rank, file.damaged), (1, 0));
        assert_eq!(file.threads[0].shapes[0].calls, 20_000);
        let mut events: Vec<Event> = Vec::new();
        assert_eq!(file.events(0, |_, event| events.push(event.clone())).unwrap(), 0);
        assert_eq!(events.len(), 20_001);
        assert_eq!((events[19_999].start, events[19_999].duration), (2_000_900, 40));
        assert_eq!(events[20_000].request, Some(5));
    }

    #[test]
    fn folding_changes_nothing() {
        let bytes = sample().bytes();
        let folded = Folded::fold(&bytes);
        let (a, b) = (RankFile::parse(bytes.as_slice()).unwrap(), RankFile::parse(Folded(&folded)).unwrap());
        assert_eq!(a.definitions, b.definitions);
        let (mut in_a, mut in_b) = (0, 0);
        assert_eq!(a.events(0, |_, _| in_a += 1).unwrap(), b.events(0, |_, _| in_b += 1).unwrap());
        assert_eq!((in_a, in_b), (20_001, 20_001));
    }

    fn read_everything(bytes: &[u8]) {
        if let Ok(file) = RankFile::parse(bytes) {
            let clock = file.clock();
            for thread in 0..file.threads.len() {
                let _ = file.events(thread, |_, event| {
                    clock.ns(event.start);
                });
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let mut named = MAGIC.to_vec();
            named.extend_from_slice(&bytes);
            read_everything(&bytes);
            read_everything(&named);
        }
        #[test]
        fn no_damage_panics(hits in proptest::collection::vec((0usize..32 << 10, any::<u8>()), 1..40), cut: u16) {
            let mut folded = Folded::fold(&sample().bytes());
            for (at, byte) in hits {
                if let Some(place) = folded.get_mut(at) { *place = byte; }
            }
            folded.truncate(folded.len().saturating_sub(cut.into()));
            if let Ok(file) = RankFile::parse(Folded(&folded)) {
                let clock = file.clock();
                for thread in 0..file.threads.len() {
                    let _ = file.events(thread, |_, event| { clock.ns(event.start); clock.duration_ns(event.duration); });
                }
            }
        }
    }
}
