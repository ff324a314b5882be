//! Reading rank files, also damaged, truncated, growing or hostile ones.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use crate::defs::{self, Definition};
use crate::layout::{
    Anchor, CHUNK, ChunkHeader, Control, DEFS_END, Extent, Header, InFlight, MAGIC, MAX_EXTENTS, MAX_NESTING,
    MAX_PLACES, MAX_REGIONS, MAX_THREADS, OpenRegion, PAGE, ThreadHeader, VERSION, place,
};
use crate::shape::{Shape, flag};
use crate::varint::{self, unzigzag};
use crate::writer::Completed;

mod clock;
mod survey;
mod tape;

pub use clock::TickClock;
pub use survey::{Damage, Keep};
pub use tape::Tape;

/// Why a file cannot be read as a rank file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// Not written by mpiscope.
    #[error("not a rank file (it does not begin with MPISCOPE)")]
    Foreign,
    /// Too short even for its header.
    #[error("truncated: {0} bytes, the header alone has {PAGE}")]
    Truncated(u64),
    /// Written by a newer mpiscope.
    #[error("format version {0}, this mpiscope reads up to {VERSION}: use a newer one")]
    Newer(u32),
}

/// Where bytes come from, so that the decoder can be tried on any bytes.
#[allow(clippy::len_without_is_empty)] // an empty source is one that is too short
pub trait Source {
    /// Length now.
    ///
    /// # Errors
    ///
    /// If the source is not readable.
    fn len(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset`; what lies beyond the end reads as zero.
    ///
    /// # Errors
    ///
    /// If the source is not readable.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl Source for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match FileExt::read_at(self, &mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        buffer[done..].fill(0);
        Ok(())
    }
}

impl Source for &[u8] {
    fn len(&self) -> io::Result<u64> {
        Ok(<[u8]>::len(self) as u64)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(<[u8]>::len(self));
        let n = buffer.len().min(<[u8]>::len(self) - from);
        buffer[..n].copy_from_slice(&self[from..from + n]);
        buffer[n..].fill(0);
        Ok(())
    }
}

/// Reads an integer field of a `repr(C)` structure out of its bytes.
macro_rules! field {
    ($bytes:expr, $at:expr, $type:ty, $name:ident: u64) => {
        u64_at($bytes, $at + std::mem::offset_of!($type, $name))
    };
    ($bytes:expr, $at:expr, $type:ty, $name:ident: u32) => {
        u64_at($bytes, $at + std::mem::offset_of!($type, $name)) as u32
    };
    ($bytes:expr, $at:expr, $type:ty, $name:ident: i32) => {
        u64_at($bytes, $at + std::mem::offset_of!($type, $name)) as u32 as i32
    };
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut raw = [0; 8];
    let end = bytes.len().min(at + 8);
    if let Some(part) = bytes.get(at..end) {
        raw[..part.len()].copy_from_slice(part);
    }
    u64::from_le_bytes(raw)
}

/// An opened rank file: header, definitions and threads in memory, ring chunks read on demand.
pub struct RankFile<S = File> {
    source: S,
    /// Lists of requests that shapes name, spelled out.
    lists: HashMap<u32, Vec<Completed>, BuildHasherDefault<Mix>>,
    /// First page: some kilobytes, shared with whoever keeps it longer.
    pub header: Arc<Header>,
    /// The definitions log.
    pub definitions: Vec<Definition>,
    /// Definitions, thread regions or chunks that made no sense.
    pub damaged: u64,
    /// Threads in order of their first call.
    pub threads: Vec<ThreadView>,
}

/// One thread's part of a file.
pub struct ThreadView {
    /// Kernel thread id.
    pub tid: u32,
    /// Everything this thread did, by shape: complete whatever the ring has lost.
    pub shapes: Vec<Shape>,
    /// Of each shape, what decoding its records takes: the ring can be read without [`ThreadView::shapes`], which are
    /// twelve times as large.
    pub codings: Vec<Coding>,
    /// Calls entered and not returned, outermost first.
    pub in_flight: Vec<InFlight>,
    /// Regions begun and not ended, outermost first.
    pub open_regions: Vec<OpenRegion>,
    /// A run of unsuccessful polls that was not yet written to the ring.
    pub pending_poll: Option<Event>,
    /// Records in chunks that were overwritten.
    pub records_overwritten: u64,
    /// Records that found no room.
    pub records_dropped: u64,
    /// Calls merged into coarser shapes.
    pub calls_coarse: u64,
    /// Request ids cut off long lists.
    pub requests_cut: u64,
    /// Chunks in the order they were written.
    chunks: Vec<ChunkRef>,
    /// Chunks begun since the start, overwritten ones included.
    chunks_begun: u64,
}

/// How a shape's records are written, and the communicator they concern.
#[derive(Clone, Copy, Debug)]
pub struct Coding {
    /// See [`flag`].
    pub flags: u32,
    /// Values that follow in each record, see [`crate::shape::inline`].
    pub inline_mask: u32,
    /// Id of a list of requests, with `flag::REQUEST_LIST`.
    pub request_list: u32,
    /// Communicator id, 0 unknown or none.
    pub comm: u32,
}

impl From<&Shape> for Coding {
    fn from(shape: &Shape) -> Coding {
        let Shape { flags, inline_mask, request_list, comm, .. } = *shape;
        Coding { flags, inline_mask, request_list, comm }
    }
}

/// A piece of a ring.
#[derive(Clone, Copy, Debug)]
pub struct ChunkRef {
    sequence: u64,
    offset: u64,
    start: u64,
    monotonic_ns: u64,
    used: usize,
    /// Records committed.
    records: u32,
}

impl ChunkRef {
    /// Ticks from which its records count: none of them ended before.
    pub fn start_ticks(&self) -> u64 {
        self.start
    }
    /// Bytes that hold records.
    pub fn bytes(&self) -> u64 {
        (self.used - size_of::<ChunkHeader>()) as u64
    }
}

/// One decoded record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Index into [`ThreadView::shapes`].
    pub shape: u32,
    /// Entry, ticks.
    pub start: u64,
    /// Duration, ticks (of the whole run for polls).
    pub duration: u64,
    /// Calls folded into this record; 1 unless it is a run of polls.
    pub calls: u64,
    /// Ticks inside the calls of a run of polls.
    pub busy: u64,
    /// Values of the shape's inline mask.
    pub inline: Vec<u64>,
    /// Request started by the call.
    pub request: Option<u32>,
    /// Requests completed by the call.
    pub requests: Vec<Completed>,
    /// File offset or window displacement.
    pub offset: Option<i64>,
    /// Id of the object the call made.
    pub new_object: Option<u32>,
}

impl RankFile<File> {
    /// Opens `path`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a rank file, or is of a newer mpiscope.
    pub fn open(path: &Path) -> Result<RankFile<File>, ReadError> {
        RankFile::parse(File::open(path)?)
    }
}

impl Header {
    /// The first page alone.
    ///
    /// # Errors
    ///
    /// If the source cannot be read, is not a rank file, or is of a newer mpiscope.
    pub fn read(source: &impl Source) -> Result<Header, ReadError> {
        read_header(source, source.len()?)
    }
}

fn read_header(source: &impl Source, length: u64) -> Result<Header, ReadError> {
    let mut page = vec![0; PAGE];
    source.read_at(0, &mut page)?;
    if page[..8] != MAGIC {
        return Err(ReadError::Foreign);
    }
    if length < PAGE as u64 {
        return Err(ReadError::Truncated(length));
    }
    let header = header(&page);
    if header.version > VERSION || header.version == 0 {
        return Err(ReadError::Newer(header.version));
    }
    Ok(header)
}

impl<S: Source> RankFile<S> {
    /// Reads header, definitions and summaries from `source`.
    ///
    /// # Errors
    ///
    /// If the source cannot be read, is not a rank file, or is of a newer mpiscope. Damage behind the header is counted
    /// instead.
    pub fn parse(source: S) -> Result<RankFile<S>, ReadError> {
        let length = source.len()?;
        let header = read_header(&source, length)?;
        let available = length.min(DEFS_END) - PAGE as u64;
        let mut log = vec![0; header.defs_len.min(available) as usize];
        source.read_at(PAGE as u64, &mut log)?;
        let (definitions, mut damaged) = defs::decode(&log);
        damaged += u64::from(header.defs_len > available);
        let mut threads = Vec::new();
        // Regions do not overlap, so all shape tables together are no longer than the file.
        let mut room = length;
        for &offset in &header.thread_offsets[..(header.threads as usize).min(MAX_THREADS)] {
            match thread(&source, offset, length, &mut room)? {
                Some(view) => threads.push(view),
                None => damaged += 1,
            }
        }
        let lists = request_lists(&definitions);
        for shape in threads.iter_mut().flat_map(|t| &mut t.shapes) {
            if shape.flags & flag::REQUEST_LIST != 0 {
                let length = lists.get(&shape.request_list).map_or(0, |l| l.len() as u64);
                shape.sum_requests = shape.sum_requests.saturating_add(shape.calls.saturating_mul(length));
            }
        }
        Ok(RankFile { source, lists, header: Arc::new(header), definitions, damaged, threads })
    }

    /// Decodes the ring of thread `index`, oldest record first, giving each to `visit`.
    /// Returns the number of chunks that ended in nonsense.
    ///
    /// # Errors
    ///
    /// If the source cannot be read. Damaged chunks are counted instead.
    pub fn events(&self, index: usize, mut visit: impl FnMut(&ThreadView, &Event)) -> Result<u64, ReadError> {
        let mut tape = Tape::default();
        self.play(index, &mut tape, CHUNK, |thread, event| {
            visit(thread, event);
            true
        })?;
        if let Some(thread) = self.threads.get(index)
            && let Some(poll) = &thread.pending_poll
        {
            visit(thread, poll);
        }
        Ok(tape.damaged())
    }

    /// Chunks of the ring of thread `index`, oldest first.
    pub fn chunks(&self, index: usize) -> &[ChunkRef] {
        self.threads.get(index).map_or(&[], |t| &t.chunks)
    }

    /// The requests of a shape with `flag::REQUEST_LIST`, which stand at the end of [`Event::requests`].
    pub fn listed(&self, shape: Coding) -> &[Completed] {
        match shape.flags & flag::REQUEST_LIST {
            0 => &[],
            _ => self.lists.get(&shape.request_list).map_or(&[], Vec::as_slice),
        }
    }

    /// Bytes of the ring of thread `index` that hold records.
    pub fn ring_bytes(&self, index: usize) -> u64 {
        self.threads.get(index).map_or(0, |t| t.chunks.iter().map(ChunkRef::bytes).sum())
    }

    /// Converts ticks of this file to nanoseconds of `CLOCK_MONOTONIC` on its host.
    pub fn clock(&self) -> TickClock {
        let mut points: Vec<(u64, u64)> = self
            .header
            .anchors
            .iter()
            .filter(|a| a.ticks != 0 || a.monotonic_ns != 0)
            .map(|a| (a.ticks, a.monotonic_ns))
            .collect();
        for chunk in self.threads.iter().flat_map(|t| [t.chunks.first(), t.chunks.last()].into_iter().flatten()) {
            points.push((chunk.start, chunk.monotonic_ns));
        }
        TickClock::fit(self.header.clock, &points)
    }
}

fn header(page: &[u8]) -> Header {
    let anchor = |i: usize| {
        let at = std::mem::offset_of!(Header, anchors) + i * size_of::<Anchor>();
        Anchor {
            ticks: field!(page, at, Anchor, ticks: u64),
            monotonic_ns: field!(page, at, Anchor, monotonic_ns: u64),
            realtime_ns: field!(page, at, Anchor, realtime_ns: u64),
        }
    };
    macro_rules! get { ($name:ident: $kind:ident) => { field!(page, 0, Header, $name: $kind) } }
    Header {
        magic: MAGIC,
        version: get!(version: u32),
        header_bytes: get!(header_bytes: u32),
        run_id: get!(run_id: u64),
        pid: get!(pid: u32),
        world_rank: get!(world_rank: i32),
        world_size: get!(world_size: i32),
        state: get!(state: u32),
        clock: get!(clock: u32),
        tick_shift: get!(tick_shift: u32),
        anchors: [anchor(0), anchor(1), anchor(2)],
        family: get!(family: u32),
        thread_level: get!(thread_level: i32),
        abort_code: get!(abort_code: i32),
        off_reason: get!(off_reason: u32),
        init_start: get!(init_start: u64),
        init_end: get!(init_end: u64),
        finalize_start: get!(finalize_start: u64),
        finalize_end: get!(finalize_end: u64),
        user_ns: get!(user_ns: u64),
        system_ns: get!(system_ns: u64),
        max_rss_bytes: get!(max_rss_bytes: u64),
        defs_len: get!(defs_len: u64),
        buffer_bytes: get!(buffer_bytes: u64),
        on_full: get!(on_full: u32),
        trace: get!(trace: u32),
        stack_depth: get!(stack_depth: u32),
        threads: get!(threads: u32),
        defs_lost: get!(defs_lost: u64),
        requests_lost: get!(requests_lost: u64),
        calls_without_thread: get!(calls_without_thread: u64),
        calls_filtered: get!(calls_filtered: u64),
        control: Control {
            gate: field!(page, std::mem::offset_of!(Header, control), Control, gate: u32),
            unused: 0,
            epoch: field!(page, std::mem::offset_of!(Header, control), Control, epoch: u64),
        },
        thread_offsets: std::array::from_fn(|i| u64_at(page, std::mem::offset_of!(Header, thread_offsets) + 8 * i)),
        reached: reached(page, get!(header_bytes: u32) as usize),
    }
}

/// Whether places were reached; not known where the writer's header ended before.
fn reached(page: &[u8], header_bytes: usize) -> [u8; MAX_PLACES] {
    let at = std::mem::offset_of!(Header, reached);
    let noted = page.get(at..at + MAX_PLACES).filter(|_| header_bytes >= at + MAX_PLACES);
    noted.and_then(|noted| noted.try_into().ok()).unwrap_or([place::UNKNOWN; MAX_PLACES])
}

/// `room` is what the shape tables not yet read may still take.
fn thread<S: Source>(source: &S, offset: u64, length: u64, room: &mut u64) -> io::Result<Option<ThreadView>> {
    if offset < DEFS_END || offset.checked_add(PAGE as u64).is_none_or(|end| end > length) {
        return Ok(None);
    }
    let mut page = vec![0; PAGE];
    source.read_at(offset, &mut page)?;
    macro_rules! get { ($name:ident: $kind:ident) => { field!(&page, 0, ThreadHeader, $name: $kind) } }
    let count = u64::from(get!(shapes: u32).min(get!(shapes_capacity: u32)));
    let shapes_offset = get!(shapes_offset: u64);
    let bytes = length.saturating_sub(shapes_offset).min(*room).min(count * size_of::<Shape>() as u64);
    *room -= bytes;
    let shapes = shapes(source, shapes_offset, bytes / size_of::<Shape>() as u64)?;

    let in_flight = (0..MAX_NESTING)
        .map(|i| {
            let at = std::mem::offset_of!(ThreadHeader, in_flight) + i * size_of::<InFlight>();
            let words = at + std::mem::offset_of!(InFlight, words);
            InFlight {
                function: field!(&page, at, InFlight, function: u32),
                requests: field!(&page, at, InFlight, requests: u32),
                start: field!(&page, at, InFlight, start: u64),
                caller: field!(&page, at, InFlight, caller: u64),
                request: field!(&page, at, InFlight, request: u32),
                fortran: field!(&page, at, InFlight, fortran: u32),
                words: std::array::from_fn(|k| u64_at(&page, words + 8 * k)),
            }
        })
        .filter(|call| call.function != 0)
        .collect();
    let open = (get!(open_count: u32) as usize).min(MAX_REGIONS);
    let open_regions = (0..open)
        .map(|i| {
            let at = std::mem::offset_of!(ThreadHeader, open_regions) + i * size_of::<OpenRegion>();
            OpenRegion {
                region: field!(&page, at, OpenRegion, region: u32),
                unused: 0,
                start: field!(&page, at, OpenRegion, start: u64),
            }
        })
        .collect();
    let poll = get!(poll_shape: u32);
    let pending_poll = (poll != 0 && poll as usize <= shapes.len()).then(|| {
        let start = get!(poll_start: u64);
        Event {
            shape: poll - 1,
            start,
            duration: get!(poll_end: u64).saturating_sub(start),
            calls: get!(poll_count: u64),
            busy: get!(poll_busy: u64),
            ..Event::default()
        }
    });
    Ok(Some(ThreadView {
        tid: get!(tid: u32),
        in_flight,
        open_regions,
        pending_poll,
        records_overwritten: get!(records_overwritten: u64),
        records_dropped: get!(records_dropped: u64),
        calls_coarse: get!(calls_coarse: u64),
        requests_cut: get!(requests_cut: u64),
        chunks: chunks(source, &page, length)?,
        chunks_begun: get!(chunks_begun: u64),
        codings: shapes.iter().map(Coding::from).collect(),
        shapes,
    }))
}

/// Reads up to `count` shapes, in pieces and only as far as the file has content: a sparse file of
/// terabytes must not take more memory than the blocks it really has.
fn shapes<S: Source>(source: &S, offset: u64, count: u64) -> io::Result<Vec<Shape>> {
    const PIECE: u64 = 1024;
    let mut found = Vec::new();
    let mut raw = vec![0; PIECE.min(count) as usize * size_of::<Shape>()];
    while (found.len() as u64) < count {
        let n = (count - found.len() as u64).min(PIECE) as usize * size_of::<Shape>();
        source.read_at(offset + found.len() as u64 * size_of::<Shape>() as u64, &mut raw[..n])?;
        if raw[..n].iter().all(|&byte| byte == 0) {
            break;
        }
        found.extend(raw[..n].chunks_exact(size_of::<Shape>()).map(shape));
    }
    Ok(found)
}

fn chunks<S: Source>(source: &S, page: &[u8], length: u64) -> io::Result<Vec<ChunkRef>> {
    let extents = (field!(page, 0, ThreadHeader, extents: u32) as usize).min(MAX_EXTENTS);
    let mut found = Vec::new();
    for i in 0..extents {
        let at = std::mem::offset_of!(ThreadHeader, ring) + i * size_of::<Extent>();
        let offset = field!(page, at, Extent, offset: u64);
        let count = field!(page, at, Extent, chunks: u64).min(length.saturating_sub(offset) / CHUNK as u64);
        for k in 0..count {
            let offset = offset + k * CHUNK as u64;
            let mut head = [0; size_of::<ChunkHeader>()];
            source.read_at(offset, &mut head)?;
            let chunk = ChunkRef {
                sequence: field!(&head, 0, ChunkHeader, sequence: u64),
                offset,
                start: field!(&head, 0, ChunkHeader, start: u64),
                monotonic_ns: field!(&head, 0, ChunkHeader, monotonic_ns: u64),
                used: field!(&head, 0, ChunkHeader, used: u32) as usize,
                records: field!(&head, 0, ChunkHeader, records: u32),
            };
            if chunk.sequence != 0 && (head.len()..=CHUNK).contains(&chunk.used) {
                found.push(chunk);
            } else if k > 0 && head == [0; 64] {
                break; // chunks are taken in order: the rest of this extent was never used
            }
        }
    }
    found.sort_by_key(|c| c.sequence);
    found.dedup_by_key(|c| c.sequence);
    Ok(found)
}

fn shape(raw: &[u8]) -> Shape {
    macro_rules! get { ($name:ident: $kind:ident) => { field!(raw, 0, Shape, $name: $kind) } }
    Shape {
        function: get!(function: u32),
        flags: get!(flags: u32),
        site: get!(site: u32),
        comm: get!(comm: u32),
        datatype: get!(datatype: u32),
        datatype2: get!(datatype2: u32),
        peer: get!(peer: i32),
        peer2: get!(peer2: i32),
        tag: get!(tag: i32),
        tag2: get!(tag2: i32),
        root: get!(root: i32),
        op: get!(op: u32),
        window: get!(window: u32),
        file: get!(file: u32),
        res_source: get!(res_source: i32),
        res_tag: get!(res_tag: i32),
        res_bytes: get!(res_bytes: u64),
        world_peer: get!(world_peer: i32),
        world_peer2: get!(world_peer2: i32),
        count: get!(count: u64),
        count2: get!(count2: u64),
        rc: get!(rc: i32),
        inline_mask: get!(inline_mask: u32),
        bytes_out: get!(bytes_out: u64),
        bytes_in: get!(bytes_in: u64),
        calls: get!(calls: u64),
        ticks: get!(ticks: u64),
        max_ticks: get!(max_ticks: u64),
        min_ticks: get!(min_ticks: u64),
        sum_bytes_out: get!(sum_bytes_out: u64),
        sum_bytes_in: get!(sum_bytes_in: u64),
        sum_requests: get!(sum_requests: u64),
        request_list: get!(request_list: u32),
        region: get!(region: u32),
        messages: get!(messages: u32),
        group: get!(group: u32),
    }
}

fn request_lists(definitions: &[Definition]) -> HashMap<u32, Vec<Completed>, BuildHasherDefault<Mix>> {
    let spelled = |&request: &u32| Completed { request, ..Completed::default() };
    let list = |d: &Definition| match d {
        // No longer than those in records: a few bytes must not stand for millions of requests.
        Definition::RequestList { id, requests } => {
            Some((*id, requests.iter().take(crate::layout::MAX_REQUESTS).map(spelled).collect()))
        }
        _ => None,
    };
    definitions.iter().filter_map(list).collect()
}

/// Mixes ids, which the collector counts upwards. Looked up for every record with a list.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u32(b.into()));
    }
    fn write_u32(&mut self, id: u32) {
        self.0 = (self.0 ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The number 0, which begins no record.
const NOTHING: u8 = 1;

/// Where in a chunk the decoder is.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// Whether what follows `at` is no record, and none is missing.
    fn is_padding(&self, at: usize) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.iter().all(|&byte| byte == NOTHING))
    }
    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        let (value, n) = varint::read(self.bytes.get(self.at..)?)?;
        self.at += n;
        Some(value)
    }
}

/// Passes over the next record, if it is one of the simple ones that most are and is followed by others; false otherwise,
/// with the cursor where it was. [`record`] reads as many bytes.
#[inline(always)]
fn skip(cursor: &mut Cursor<'_>, codings: &[Coding]) -> bool {
    let Some(bytes) = cursor.bytes.get(cursor.at..).and_then(|rest| rest.first_chunk::<{ 4 * varint::MAX }>()) else {
        return false;
    };
    let Some((head, mut n)) = varint::read(bytes) else { return false };
    let index = (head >> 1).wrapping_sub(1);
    let Some(coding) = usize::try_from(index).ok().and_then(|i| codings.get(i)) else { return false };
    n += varint::length(bytes[n]);
    n += varint::length(bytes[n]);
    // A list of requests is the shape's: nothing of it is in the record.
    match coding.flags & flag::FOLLOWS {
        0 => {}
        flag::REQUEST => n += varint::length(bytes[n]),
        _ => return false,
    }
    cursor.at += n;
    true
}

/// Decodes the next record into `event`, which is empty but for the vectors' capacity; `None` for nonsense.
#[inline(always)]
fn record(cursor: &mut Cursor<'_>, codings: &[Coding], last_end: u64, event: &mut Event) -> Option<Coding> {
    // Collectors have left a number 0 behind calls that completed a list of no requests.
    while cursor.bytes.get(cursor.at) == Some(&NOTHING) {
        cursor.at += 1;
    }
    let head = cursor.next()?;
    let index = (head >> 1).checked_sub(1)?;
    let shape = *codings.get(usize::try_from(index).ok()?)?;
    let gap = cursor.next()?;
    event.shape = index as u32;
    event.start = if head & 1 == 0 { last_end.wrapping_add(gap) } else { last_end.wrapping_sub(gap) };
    event.duration = cursor.next()?;
    event.calls = 1;
    event.busy = event.duration;
    event.inline.clear();
    event.requests.clear();
    (event.offset, event.new_object, event.request) = (None, None, None);
    match shape.flags & flag::FOLLOWS {
        0 => {}
        flag::REQUEST => event.request = Some(cursor.next()? as u32),
        _ => more(cursor, shape, event)?,
    }
    Some(shape)
}

/// What most records do not have.
fn more(cursor: &mut Cursor<'_>, shape: Coding, event: &mut Event) -> Option<()> {
    if shape.flags & flag::POLL != 0 {
        event.calls = cursor.next()?;
        event.busy = cursor.next()?;
    }
    // Runs of polls are not spelled out: polls with any arguments join.
    if shape.flags & (flag::INLINE | flag::POLL) == flag::INLINE {
        for _ in 0..crate::shape::inline_values(shape.inline_mask) {
            event.inline.push(cursor.next()?);
        }
    }
    if shape.flags & flag::OFFSET != 0 {
        event.offset = Some(unzigzag(cursor.next()?));
    }
    if shape.flags & flag::NEW_OBJECT != 0 {
        event.new_object = Some(cursor.next()? as u32);
    }
    if shape.flags & flag::REQUESTS != 0 {
        let count = cursor.next()?;
        if count > crate::layout::MAX_REQUESTS as u64 {
            return None;
        }
        let mut before = 0i64;
        for _ in 0..count {
            let word = cursor.next()?;
            before = before.wrapping_add(unzigzag(word >> 1));
            let mut done = Completed { request: before as u32, has_status: word & 1 != 0, ..Completed::default() };
            if done.has_status {
                done.source = unzigzag(cursor.next()?) as i32;
                done.tag = unzigzag(cursor.next()?) as i32;
                done.bytes = cursor.next()?;
            }
            event.requests.push(done);
        }
    }
    if shape.flags & flag::REQUEST != 0 {
        event.request = Some(cursor.next()? as u32);
    }
    Some(())
}
