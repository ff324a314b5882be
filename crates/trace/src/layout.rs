//! Fixed structures of the rank file, version 1. All little-endian.
//!
//! ```text
//! 0          Header (4 KiB)
//! 4 KiB      definitions: append-only log, see `defs`
//! 4 MiB      thread region 0: ThreadHeader (4 KiB) | shapes | ring chunks
//! …          thread region n, ring extents of `--on-full grow`
//! ```

/// First eight bytes of every rank file.
pub const MAGIC: [u8; 8] = *b"MPISCOPE";
/// Version this crate writes. Readers accept every version up to it.
pub const VERSION: u32 = 1;
/// Size of [`Header`] and [`ThreadHeader`].
pub const PAGE: usize = 4096;
/// Where thread regions begin; the definitions log ends here.
pub const DEFS_END: u64 = 4 << 20;
/// Ring chunk: the unit of overwriting and of space reservation. 64 KiB holds some 9,000
/// calls, so a full ring of 16 MiB loses at most 0.4 % of itself at its old end.
pub const CHUNK: usize = 64 << 10;
/// Most threads with a region of their own in one file.
pub const MAX_THREADS: usize = 256;
/// Most pieces a ring can be made of (one, unless `--on-full grow`).
pub const MAX_EXTENTS: usize = 96;
/// Most calls of one thread that can be in flight inside each other (callbacks that call MPI).
pub const MAX_NESTING: usize = 8;
/// Most regions of one thread that can be open inside each other; deeper ones are counted, not followed.
pub const MAX_REGIONS: usize = 64;
/// Room for a record without requests: three fields, ten inline values, offset, object, request,
/// nine bytes each, and the eight bytes a varint may write beyond its end.
pub const SMALL_RECORD: usize = 160;
/// Room for each request in a list, status included.
pub const REQUEST_BYTES: usize = 32;
/// Request ids in one record; of longer lists the first ones are in records ahead of it, see [`crate::shape::flag::AHEAD`].
pub const MAX_REQUESTS: usize = 384;
/// Request ids of one call; longer lists are cut and the rest counted.
pub const MAX_LISTED: usize = 1 << 20;

/// Most places of `--on` and `--off` of which it is noted whether they were reached; of further ones it is not known.
pub const MAX_PLACES: usize = 1024;

/// Life of the process as far as MPI is concerned.
pub mod state {
    /// Recording began, `MPI_Init` has not returned.
    pub const STARTED: u32 = 0;
    /// `MPI_Init` (or a session) succeeded.
    pub const INITIALISED: u32 = 1;
    /// `MPI_Finalize` was entered.
    pub const FINALIZING: u32 = 2;
    /// `MPI_Finalize` returned.
    pub const FINALIZED: u32 = 3;
    /// `MPI_Abort` was called by this process.
    pub const ABORTED: u32 = 4;
}

/// `Header::clock`.
pub mod clock {
    /// Time stamp counter, converted by the anchors.
    pub const TSC: u32 = 1;
    /// `CLOCK_MONOTONIC` in nanoseconds.
    pub const MONOTONIC: u32 = 2;
}

/// One moment read on three clocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Anchor {
    /// Recording clock, in ticks (already shifted by `tick_shift`).
    pub ticks: u64,
    /// `CLOCK_MONOTONIC`, ns.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME`, ns since the epoch.
    pub realtime_ns: u64,
}

/// First page of the file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`VERSION`].
    pub version: u32,
    /// Size of this structure as the writer knew it.
    pub header_bytes: u32,
    /// Random id of the run, as in run.json.
    pub run_id: u64,
    /// Process id.
    pub pid: u32,
    /// Rank in `MPI_COMM_WORLD`, −1 before it is known.
    pub world_rank: i32,
    /// Size of `MPI_COMM_WORLD`, 0 before it is known.
    pub world_size: i32,
    /// See [`state`].
    pub state: u32,
    /// See [`clock`].
    pub clock: u32,
    /// Ticks are the raw counter shifted right by this, so that one is at most 1 ns.
    pub tick_shift: u32,
    /// At creation, after `MPI_Init`, and the latest.
    pub anchors: [Anchor; 3],
    /// ABI family: 1 MPICH, 2 Open MPI, 3 standard ABI.
    pub family: u32,
    /// `MPI_THREAD_*` provided, 0…3, or −1.
    pub thread_level: i32,
    /// Error code given to `MPI_Abort`.
    pub abort_code: i32,
    /// Why recording switched itself off; 0 while it is on.
    pub off_reason: u32,
    /// Entry and return of `MPI_Init`, in ticks; 0 when not seen.
    pub init_start: u64,
    /// See `init_start`.
    pub init_end: u64,
    /// Entry and return of `MPI_Finalize`.
    pub finalize_start: u64,
    /// See `finalize_start`.
    pub finalize_end: u64,
    /// CPU time of the process when `MPI_Finalize` began.
    pub user_ns: u64,
    /// See `user_ns`.
    pub system_ns: u64,
    /// Peak resident set at that time.
    pub max_rss_bytes: u64,
    /// Committed length of the definitions log, from offset [`PAGE`].
    pub defs_len: u64,
    /// Ring size asked for, per process.
    pub buffer_bytes: u64,
    /// 0 wrap, 1 grow, 2 stop.
    pub on_full: u32,
    /// 1 when events are recorded, 0 for summary only.
    pub trace: u32,
    /// Return addresses kept for a site; 0 and 1: the caller only.
    pub stack_depth: u32,
    /// Threads with a region.
    pub threads: u32,
    /// Definitions that did not fit.
    pub defs_lost: u64,
    /// Requests that got no id because the table was full.
    pub requests_lost: u64,
    /// Calls of threads that got no region, and calls whose shape found no room.
    pub calls_without_thread: u64,
    /// Calls made while recording was paused or excluded by `--probes`.
    pub calls_filtered: u64,
    /// File offsets of the thread regions.
    pub thread_offsets: [u64; MAX_THREADS],
    /// What every call of every thread reads.
    pub control: Control,
    /// Whether places of `--on` and `--off` were reached, see [`place`]; written by the program's own patched code. Facts
    /// `place.N` say what they are called. Begins a cache line.
    pub reached: [u8; MAX_PLACES],
}

impl Header {
    /// Whether this process has reached its place `number`; `None` when that is not known.
    pub fn was_reached(&self, number: usize) -> Option<bool> {
        match *self.reached.get(number)? {
            place::NOT_REACHED => Some(false),
            place::REACHED => Some(true),
            _ => None,
        }
    }
}

/// What stands in [`Header::reached`].
pub mod place {
    /// Nobody has come there.
    pub const NOT_REACHED: u8 = 0;
    /// A thread was there.
    pub const REACHED: u8 = 1;
    /// Not known: some of the code that the place stands for could not be patched. Readers take other numbers for it.
    pub const UNKNOWN: u8 = 2;
    /// Key of the fact with which such a place is named: `place.0` is `on function:solve`.
    pub const FACT: &str = "place.";
}

/// From [`Header::control`] to [`Header::reached`]: code that is patched in has a pointer to the former.
pub const REACHED_BEHIND_CONTROL: usize = std::mem::offset_of!(Header, reached) - std::mem::offset_of!(Header, control);

/// The one place in a rank file that others than its writer may change, while the program runs. A cache line
/// of its own.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Control {
    /// What stands in the way of recording, see [`gate`]. Changed by atomic operations only.
    pub gate: u32,
    /// Unused.
    pub unused: u32,
    /// Changes whenever an MPI object is freed, whose handle may come back with another meaning.
    pub epoch: u64,
}

/// Bits of [`Control::gate`].
pub mod gate {
    /// Recording ended or never began; every call passes through.
    pub const OFF: u32 = 1;
    /// Paused by the program (`MPI_Pcontrol`, `mpiscope_stop`) or from the start (`--start paused`).
    pub const PAUSED: u32 = 2;
    /// Calls are recorded, but not by the shortest way (`--stack`, another clock than the counter).
    pub const LONG_WAY: u32 = 4;
    /// Paused from outside (`mpiscope ctl`).
    pub const PAUSED_OUTSIDE: u32 = 8;
}

/// A stretch of ring chunks in the file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// File offset of the first chunk.
    pub offset: u64,
    /// Number of chunks.
    pub chunks: u64,
}

/// A call that was entered and has not returned. Its first line takes what most calls need.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    /// Function id, 0 when the slot is free.
    pub function: u32,
    /// 1 when called through a Fortran symbol.
    pub fortran: u32,
    /// Entry, ticks.
    pub start: u64,
    /// Return address of the call.
    pub caller: u64,
    /// Requests named by the call.
    pub requests: u32,
    /// Id of the first of them.
    pub request: u32,
    /// The arguments at their places in the C binding, as words: ints in the low half, handles as the
    /// program has them ([`crate::defs::Comm::handle`]). Of a Fortran call only those that
    /// identify it, by value; the others are 0.
    pub words: [u64; 12],
}

/// First page of a thread region.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ThreadHeader {
    /// Kernel thread id.
    pub tid: u32,
    /// Number of extents in use.
    pub extents: u32,
    /// File offset of the shape table.
    pub shapes_offset: u64,
    /// Shapes that fit.
    pub shapes_capacity: u32,
    /// Shapes committed.
    pub shapes: u32,
    /// Chunks begun since the start, overwritten ones included.
    pub chunks_begun: u64,
    /// Records that were in chunks since overwritten.
    pub records_overwritten: u64,
    /// Records not written (`--on-full stop`, no space).
    pub records_dropped: u64,
    /// Calls whose arguments were merged into a coarser shape since the table was full.
    pub calls_coarse: u64,
    /// Request ids cut off long lists.
    pub requests_cut: u64,
    /// Pending run of unsuccessful polls: shape + 1, or 0.
    pub poll_shape: u32,
    /// Unused.
    pub reserved: u32,
    /// Polls in the pending run.
    pub poll_count: u64,
    /// Start of its first, ticks.
    pub poll_start: u64,
    /// End of its last, ticks.
    pub poll_end: u64,
    /// Total duration of its calls, ticks.
    pub poll_busy: u64,
    /// Calls in flight, outermost first.
    pub in_flight: [InFlight; MAX_NESTING],
    /// The ring.
    pub ring: [Extent; MAX_EXTENTS],
    /// Regions begun and not ended.
    pub open_count: u32,
    /// Regions that were ended without having been begun, or in the wrong order.
    pub regions_unmatched: u32,
    /// Regions that were begun deeper than [`MAX_REGIONS`], or that found no place in the tree.
    pub regions_lost: u64,
    /// The first `open_count` of them, outermost first.
    pub open_regions: [OpenRegion; MAX_REGIONS],
    /// Where the ring of a checked thread begins ([`crate::check::ring`]), 0 when it is not checked.
    pub check_offset: u64,
}

/// A region that was begun and has not ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenRegion {
    /// Id.
    pub region: u32,
    /// Unused.
    pub unused: u32,
    /// Begin, ticks.
    pub start: u64,
}

/// Head of a ring chunk.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkHeader {
    /// 1, 2, 3… in order of writing; 0 for a chunk not in use.
    pub sequence: u64,
    /// Ticks from which the first record counts.
    pub start: u64,
    /// The same moment on `CLOCK_MONOTONIC`, ns.
    pub monotonic_ns: u64,
    /// Committed bytes, this header included.
    pub used: u32,
    /// Committed records; stored together with `used`.
    pub records: u32,
}

const _: () = assert!(size_of::<Header>() <= PAGE);
const _: () = assert!(std::mem::offset_of!(Header, reached).is_multiple_of(64));
const _: () = assert!(size_of::<ThreadHeader>() <= PAGE);
const _: () = assert!(size_of::<ChunkHeader>() == 64 && std::mem::offset_of!(ChunkHeader, used) == 24);
