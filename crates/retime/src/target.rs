//! The file that is written: regions of threads at places that are fixed beforehand, with holes, and in them rings that the
//! collector's own writer fills.

use std::cell::UnsafeCell;
use std::fs::OpenOptions;
use std::io;
use std::mem::{offset_of, size_of};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use mpiscope_trace::layout::{
    Anchor, CHUNK, ChunkHeader, DEFS_END, Extent, Header, InFlight, MAX_NESTING, MAX_REGIONS, OpenRegion, PAGE,
    ThreadHeader, clock,
};
use mpiscope_trace::shape::Shape;
use mpiscope_trace::writer::{ChunkSource, Extra, Head, Ring};

/// One chunk, aligned as its head has to be. (Made of heads, it would have padding that is not set.)
#[repr(C, align(64))]
struct Chunk([u64; CHUNK / 8]);

/// Places of the numbers of the head.
const START: usize = offset_of!(ChunkHeader, start) / 8;
const MONOTONIC_NS: usize = offset_of!(ChunkHeader, monotonic_ns) / 8;

/// The ring of one thread of the file.
pub(crate) struct OutThread {
    ring: Ring,
    /// Where the ring counts.
    counts: Box<UnsafeCell<ThreadHeader>>,
    chunks: Chunks,
    /// Where its page is.
    pub region: u64,
    shapes_offset: u64,
    pub shapes_capacity: usize,
}

/// Takes the place of mapped memory: one chunk at a time, which is written to the file before the next one.
struct Chunks {
    path: PathBuf,
    memory: Option<Box<Chunk>>,
    /// Where the first chunk is, and how many were begun.
    first: u64,
    begun: u64,
    failed: Option<io::Error>,
}

impl Chunks {
    fn flush(&mut self) {
        let (Some(chunk), Some(at)) = (&mut self.memory, self.begun.checked_sub(1)) else { return };
        // The clock's two readings of the same moment.
        chunk.0[MONOTONIC_NS] = chunk.0[START];
        // SAFETY: an array of integers.
        let bytes = unsafe { std::slice::from_raw_parts(chunk.0.as_ptr().cast::<u8>(), CHUNK) };
        let written = write_at(&self.path, bytes, self.first + at * CHUNK as u64);
        self.failed = self.failed.take().or(written.err());
        chunk.0.fill(0);
    }
}

impl ChunkSource for Chunks {
    fn next_chunk(&mut self) -> Option<*mut u8> {
        self.flush();
        if self.failed.is_some() {
            return None;
        }
        self.begun += 1;
        let chunk = self.memory.get_or_insert_with(|| Box::new(Chunk([0; CHUNK / 8])));
        Some(chunk.0.as_mut_ptr().cast())
    }
    fn monotonic_ns(&mut self) -> u64 {
        0
    }
}

fn write_at(path: &Path, bytes: &[u8], at: u64) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all_at(bytes, at)
}

/// Bytes that a thread's ring may take at most if its records took this many: times may take more bytes than before, and calls
/// that become non-blocking more records. Nothing is stored where nothing is written.
fn room_of(ring_bytes: u64) -> u64 {
    (32 * ring_bytes / (CHUNK as u64 / 2) + 4) * CHUNK as u64
}

/// Places of the threads of a file with these rings and numbers of shapes.
pub(crate) fn layout(path: &Path, threads: impl Iterator<Item = (u64, usize)>) -> Vec<OutThread> {
    let mut offset = DEFS_END;
    let thread = |(ring_bytes, shapes): (u64, usize)| {
        let region = offset;
        // Calls that carry several messages have shapes for each number of bytes.
        let shapes_capacity = 3 * shapes + (1 << 14);
        let shapes_offset = region + PAGE as u64;
        let first = (shapes_offset + (shapes_capacity * size_of::<Shape>()) as u64).next_multiple_of(PAGE as u64);
        offset = first + room_of(ring_bytes);
        // SAFETY: integers, for which zero is a value.
        let counts: Box<UnsafeCell<ThreadHeader>> = Box::new(UnsafeCell::new(unsafe { std::mem::zeroed() }));
        OutThread {
            ring: Ring::new(counts.get()),
            counts,
            chunks: Chunks { path: path.to_owned(), memory: None, first, begun: 0, failed: None },
            region,
            shapes_offset,
            shapes_capacity,
        }
    };
    threads.map(thread).collect()
}

// SAFETY: the pointers lead to `counts` and to the chunk in `chunks`, which it owns.
unsafe impl Send for OutThread {}

impl OutThread {
    /// Writes a record.
    pub fn push(&mut self, (shape, flags): (u32, u32), start_ns: u64, end_ns: u64, extra: &Extra<'_>) {
        let duration_ns = end_ns.saturating_sub(start_ns);
        // SAFETY: counts and chunk are owned by `self` and borrowed for this call.
        unsafe { self.ring.push(&mut self.chunks, &Head::of(shape, flags), start_ns, duration_ns, extra) };
    }

    /// Writes what is left of the ring, the shapes, and the thread's page, which was read from the other file.
    pub fn finish(mut self, mut page: Vec<u8>, shapes: &[Shape], ns: impl Fn(u64) -> u64) -> io::Result<()> {
        self.chunks.flush();
        if let Some(error) = self.chunks.failed.take() {
            return Err(error);
        }
        let mut table = Vec::with_capacity(size_of_val(shapes));
        for shape in shapes {
            // SAFETY: a structure of integers without padding.
            let bytes = unsafe { std::slice::from_raw_parts((&raw const *shape).cast::<u8>(), size_of::<Shape>()) };
            table.extend_from_slice(bytes);
        }
        write_at(&self.chunks.path, &table, self.shapes_offset)?;
        macro_rules! set {
            ($name:ident: $value:expr) => {
                put(&mut page, offset_of!(ThreadHeader, $name), &$value.to_le_bytes())
            };
        }
        set!(extents: u32::from(self.chunks.begun > 0));
        set!(shapes_offset: self.shapes_offset);
        set!(shapes_capacity: (self.shapes_capacity as u32));
        set!(shapes: (shapes.len() as u32));
        set!(chunks_begun: self.chunks.begun);
        set!(records_overwritten: 0_u64);
        set!(records_dropped: self.counts.get_mut().records_dropped);
        set!(poll_shape: 0_u32);
        // What a checked process wrote for its checker is not copied.
        set!(check_offset: 0_u64);
        let ring = offset_of!(ThreadHeader, ring);
        put(&mut page, ring + offset_of!(Extent, offset), &self.chunks.first.to_le_bytes());
        put(&mut page, ring + offset_of!(Extent, chunks), &self.chunks.begun.to_le_bytes());
        let starts =
            |first: usize, each: usize, count: usize, start: usize| (0..count).map(move |i| first + i * each + start);
        let calls = starts(
            offset_of!(ThreadHeader, in_flight),
            size_of::<InFlight>(),
            MAX_NESTING,
            offset_of!(InFlight, start),
        );
        let regions = starts(
            offset_of!(ThreadHeader, open_regions),
            size_of::<OpenRegion>(),
            MAX_REGIONS,
            offset_of!(OpenRegion, start),
        );
        move_all(&mut page, calls.chain(regions), ns);
        write_at(&self.chunks.path, &page, self.region)
    }
}

/// Moments of a page, each where it stands; 0 is none.
fn move_all(page: &mut [u8], places: impl Iterator<Item = usize>, ns: impl Fn(u64) -> u64) {
    for at in places {
        let ticks = u64_at(page, at);
        if ticks != 0 {
            put(page, at, &ns(ticks).to_le_bytes());
        }
    }
}

fn u64_at(page: &[u8], at: usize) -> u64 {
    page.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = page.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Writes the first page, which was read from the other file, and the definitions.
pub(crate) fn write_head(
    path: &Path,
    mut page: Vec<u8>,
    definitions: &[u8],
    run_id: u64,
    threads: &[u64],
    ns: impl Fn(u64) -> u64,
) -> io::Result<()> {
    macro_rules! set {
        ($name:ident: $value:expr) => {
            put(&mut page, offset_of!(Header, $name), &$value.to_le_bytes())
        };
    }
    set!(run_id: run_id);
    set!(clock: clock::MONOTONIC);
    set!(tick_shift: 0_u32);
    set!(threads: (threads.len() as u32));
    set!(defs_len: (definitions.len() as u64));
    // Nothing is known of them.
    set!(user_ns: 0_u64);
    set!(system_ns: 0_u64);
    set!(max_rss_bytes: 0_u64);
    let moments = [
        offset_of!(Header, init_start),
        offset_of!(Header, init_end),
        offset_of!(Header, finalize_start),
        offset_of!(Header, finalize_end),
    ];
    move_all(&mut page, moments.into_iter(), &ns);
    for i in 0..3 {
        let at = offset_of!(Header, anchors) + i * size_of::<Anchor>();
        let [ticks, monotonic, real] =
            [offset_of!(Anchor, ticks), offset_of!(Anchor, monotonic_ns), offset_of!(Anchor, realtime_ns)]
                .map(|of| at + of);
        let Some(copy_ns) = Some(u64_at(&page, ticks)).filter(|&ticks| ticks != 0).map(&ns) else { continue };
        // The time of day goes on as the clock does.
        if i == 0 {
            put(&mut page, monotonic, &copy_ns.to_le_bytes());
        }
        let first = offset_of!(Header, anchors);
        let since_ns = copy_ns.saturating_sub(u64_at(&page, first + offset_of!(Anchor, monotonic_ns)));
        let day_ns = u64_at(&page, first + offset_of!(Anchor, realtime_ns)).saturating_add(since_ns);
        for (place, value) in [(ticks, copy_ns), (monotonic, copy_ns), (real, day_ns)] {
            put(&mut page, place, &value.to_le_bytes());
        }
    }
    for (i, region) in threads.iter().enumerate() {
        put(&mut page, offset_of!(Header, thread_offsets) + 8 * i, &region.to_le_bytes());
    }
    write_at(path, definitions, PAGE as u64)?;
    write_at(path, &page, 0)
}
