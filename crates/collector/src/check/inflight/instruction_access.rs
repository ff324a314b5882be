//! Instructions that access a buffer in flight: which one, which bytes, reading or writing.
//!
//! A detector (a signal handler, an instrumented access of any thread) calls [`may_be`], which is a few loads, and then
//! [`touched`]. Neither allocates, locks, makes system calls or calls MPI. The owner of the flights, under the lock of the
//! checker, calls [`watch`] when a flight begins and [`unwatch`] when it ends, which returns the accesses.
//!
//! *Constraints.* Which bytes belong to a flight is decided at the access: a record has few slots, and instructions that
//! access the gaps of a datatype must not fill them. So the layout is read by other threads, and must not be
//! freed while they do: a slot counts its readers. A reader counts itself, then checks whether the slot is in use; the owner marks
//! it unused, then waits for the readers (both sequentially consistent, so at least one sees the other). Readers stay for
//! nanoseconds, or as long as the system does not run their thread.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::layout::Layout;
use crate::stack;

/// Most flights that are watched at once.
const PLACES: usize = 512;
/// Most instructions that are kept of a flight.
const MOST: usize = 8;
/// Words of the stack that are kept, to find the callers of the function with the access.
pub const STACK_WORDS: usize = 64;
/// Counters of pages, a power of two; pages further apart share them.
const PAGES: usize = 1 << 16;
const PAGE_BITS: u32 = 12;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Kind {
    /// It reads.
    Read = 1,
    /// It writes.
    Write = 2,
    /// Reads or writes.
    Either = 3,
}

/// An instruction, with the known part of its stack.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// Like a return address: at least one past its first byte, and not past its end.
    pub pc: u64,
    /// Stack and frame pointer at the instruction; 0 if unknown.
    pub sp: u64,
    /// See `sp`.
    pub fp: u64,
    /// The words from `sp` upwards.
    pub stack: &'a [u64],
}

/// The recorded accesses of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The instruction as a return address, and those of its callers.
    pub frames: Vec<u64>,
    /// Whether it reads or writes.
    pub kind: Kind,
    /// First address, and one past the last.
    pub bytes: (u64, u64),
    /// Number of accesses.
    pub count: u64,
    /// Only the access to a word is known: the instruction may also have accessed memory beside it.
    pub is_word: bool,
}

/// One instruction that is being recorded. Its words are written by the thread that changed `key` from [`FREE`] to [`TAKEN`].
struct Entry {
    key: AtomicU64,
    low: AtomicU64,
    high: AtomicU64,
    count: AtomicU64,
    rest: UnsafeCell<Rest>,
}

struct Rest {
    sp: u64,
    fp: u64,
    words: usize,
    stack: [u64; STACK_WORDS],
}

const FREE: u64 = 0;
const TAKEN: u64 = u64::MAX;
/// Larger than any address of a program.
const KIND_BIT: u32 = 62;

/// A watched flight. `end` is 0 if the slot is free.
struct WatchedFlight {
    begin: AtomicU64,
    end: AtomicU64,
    base: AtomicU64,
    layout: AtomicPtr<Layout>,
    sends: AtomicBool,
    readers: AtomicU32,
    entries: [Entry; MOST],
}

// SAFETY: cells are written by who has claimed them, and read when nobody can any more; see the module's text.
unsafe impl Sync for WatchedFlight {}

static WATCHED: [WatchedFlight; PLACES] = [const {
    WatchedFlight {
        begin: AtomicU64::new(0),
        end: AtomicU64::new(0),
        base: AtomicU64::new(0),
        layout: AtomicPtr::new(std::ptr::null_mut()),
        sends: AtomicBool::new(false),
        readers: AtomicU32::new(0),
        entries: [const {
            Entry {
                key: AtomicU64::new(FREE),
                low: AtomicU64::new(0),
                high: AtomicU64::new(0),
                count: AtomicU64::new(0),
                rest: UnsafeCell::new(Rest { sp: 0, fp: 0, words: 0, stack: [0; STACK_WORDS] }),
            }
        }; MOST],
    }
}; PLACES];

/// Accesses are recorded.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Slots in use, and one past the last slot that was ever used.
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static REACH: AtomicUsize = AtomicUsize::new(0);
/// Number of watched flights on each page.
static ON_PAGE: [AtomicU16; PAGES] = [const { AtomicU16::new(0) }; PAGES];

/// Bounds of all watched memory, or wider: the first test of an instrumented access.
#[repr(C)]
pub struct Bounds {
    /// First address.
    pub low: AtomicU64,
    /// One past the last.
    pub high: AtomicU64,
}

static BOUNDS: Bounds = Bounds { low: AtomicU64::new(u64::MAX), high: AtomicU64::new(0) };
static BOUNDS_AT: AtomicPtr<Bounds> = AtomicPtr::new((&raw const BOUNDS).cast_mut());

/// The watched flights of this process.
fn bounds() -> &'static Bounds {
    // SAFETY: static, here or in the runtime of instrumented programs.
    unsafe { &*BOUNDS_AT.load(Ordering::Relaxed) }
}

/// Sets where the bounds are kept; called before anything is watched.
pub fn keep_bounds_in(place: &'static Bounds) {
    BOUNDS_AT.store((&raw const *place).cast_mut(), Ordering::Relaxed);
}

/// Starts watching: applies to flights that begin from now on.
pub fn want() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Whether accesses are recorded.
#[inline]
pub fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Whether a flight may have some of these bytes. May wrongly return true. For instrumented accesses.
#[inline]
pub fn may_be(address: u64, bytes: u64) -> bool {
    let end = address.saturating_add(bytes);
    let bounds = bounds();
    if end <= bounds.low.load(Ordering::Relaxed) || address >= bounds.high.load(Ordering::Relaxed) || bytes == 0 {
        return false;
    }
    pages(address, end).any(|page| page.load(Ordering::Relaxed) != 0)
}

/// The page counters of a range.
fn pages(begin: u64, end: u64) -> impl Iterator<Item = &'static AtomicU16> {
    let first = begin >> PAGE_BITS;
    let n = (((end - 1) >> PAGE_BITS) - first + 1).min(PAGES as u64);
    (0..n).map(move |i| &ON_PAGE[(first + i) as usize & (PAGES - 1)])
}

/// Records an access with each flight in which it is forbidden; returns whether there is one. May be called from any thread, also
/// in a signal handler.
///
/// Must not be called for code that runs inside a call of MPI, such as user-defined reductions: the MPI may pass any buffer to
/// it.
pub fn touched(at: &Instruction<'_>, address: u64, bytes: u64, kind: Kind) -> bool {
    let end = address.saturating_add(bytes);
    let mut any = false;
    for place in &WATCHED[..REACH.load(Ordering::Acquire).min(PLACES)] {
        if place.end.load(Ordering::Relaxed) <= address || place.begin.load(Ordering::Relaxed) >= end {
            continue;
        }
        place.readers.fetch_add(1, Ordering::SeqCst);
        any |= place.touched(at, address, end, kind);
        place.readers.fetch_sub(1, Ordering::SeqCst);
    }
    any
}

impl WatchedFlight {
    /// The caller is counted as a reader.
    fn touched(&self, at: &Instruction<'_>, address: u64, end: u64, kind: Kind) -> bool {
        let last = self.end.load(Ordering::SeqCst);
        let (low, high) = (address.max(self.begin.load(Ordering::Relaxed)), end.min(last));
        if last == 0 || low >= high || (self.sends.load(Ordering::Relaxed) && kind == Kind::Read) {
            return false;
        }
        let layout = self.layout.load(Ordering::Acquire);
        let base = self.base.load(Ordering::Relaxed);
        // SAFETY: the place is in use, and its owner waits for readers before the layout may go.
        let Some(layout) = (unsafe { layout.as_ref() }) else { return false };
        if !layout.touches(low.wrapping_sub(base) as i64, high.wrapping_sub(base) as i64) {
            return false;
        }
        self.note(at, (low, high), kind);
        true
    }

    fn note(&self, at: &Instruction<'_>, (low, high): (u64, u64), kind: Kind) {
        let key = at.pc & ((1 << KIND_BIT) - 1) | (kind as u64) << KIND_BIT;
        // All bits set is no address of a program.
        let key = if key == TAKEN { key - 1 } else { key };
        for entry in &self.entries {
            let known = entry.key.load(Ordering::Acquire);
            if known == key {
                entry.low.fetch_min(low, Ordering::Relaxed);
                entry.high.fetch_max(high, Ordering::Relaxed);
                entry.count.fetch_add(1, Ordering::Relaxed);
                return;
            }
            // While another thread writes its own, the same instruction may get two entries, which are joined in the end.
            if known != FREE || entry.key.compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                continue;
            }
            entry.low.store(low, Ordering::Relaxed);
            entry.high.store(high, Ordering::Relaxed);
            entry.count.store(1, Ordering::Relaxed);
            // SAFETY: claimed above; nobody reads before the key says so.
            let rest = unsafe { &mut *entry.rest.get() };
            let words = at.stack.len().min(STACK_WORDS);
            rest.stack[..words].copy_from_slice(&at.stack[..words]);
            (rest.sp, rest.fp, rest.words) = (at.sp, at.fp, words);
            entry.key.store(key, Ordering::Release);
            return;
        }
    }

    /// Takes the record; called by the owner when there are no readers.
    fn take(&self) -> Vec<Touch> {
        let mut touches: Vec<Touch> = Vec::new();
        for entry in &self.entries {
            let key = entry.key.swap(FREE, Ordering::AcqRel);
            if key == FREE || key == TAKEN {
                continue;
            }
            let kind = match key >> KIND_BIT {
                1 => Kind::Read,
                2 => Kind::Write,
                _ => Kind::Either,
            };
            let pc = key & ((1 << KIND_BIT) - 1);
            // SAFETY: nobody writes it now.
            let rest = unsafe { &*entry.rest.get() };
            let bytes = (entry.low.load(Ordering::Relaxed), entry.high.load(Ordering::Relaxed));
            let at = Instruction { pc, sp: rest.sp, fp: rest.fp, stack: &rest.stack[..rest.words] };
            let touch =
                Touch { frames: at.frames(), kind, bytes, count: entry.count.load(Ordering::Relaxed), is_word: false };
            add(&mut touches, touch);
        }
        touches
    }
}

/// Adds an access, joined with others of the same instruction.
pub fn add(touches: &mut Vec<Touch>, touch: Touch) {
    let same = |t: &&mut Touch| t.kind == touch.kind && t.frames.first() == touch.frames.first();
    if let Some(known) = touches.iter_mut().find(same) {
        known.bytes = (known.bytes.0.min(touch.bytes.0), known.bytes.1.max(touch.bytes.1));
        known.count += touch.count;
        known.is_word &= touch.is_word;
        return;
    }
    touches.push(touch);
}

/// Most callers that are found in the kept part of a stack: those in a run-time library, and some of the program's.
const DEPTH: usize = 10;

impl Instruction<'_> {
    /// The instruction and its callers, as return addresses.
    pub fn frames(&self) -> Vec<u64> {
        stack::of_copy(self.pc, self.sp, self.fp, self.stack, DEPTH)
    }
}

/// Handle of a watched flight.
#[derive(Debug)]
pub struct Watched(u16);

/// Starts watching a flight; `None` if all slots are in use. Called by one thread at a time.
pub fn watch(base: u64, layout: &Arc<Layout>, sends: bool) -> Option<Watched> {
    let (begin, end) = (base.wrapping_add_signed(layout.span.0), base.wrapping_add_signed(layout.span.1));
    if begin >= end {
        return None;
    }
    let free = |p: &WatchedFlight| p.end.load(Ordering::Relaxed) == 0 && p.readers.load(Ordering::SeqCst) == 0;
    let number = WATCHED.iter().position(free)?;
    let place = &WATCHED[number];
    drop(place.take());
    place.base.store(base, Ordering::Relaxed);
    place.begin.store(begin, Ordering::Relaxed);
    place.sends.store(sends, Ordering::Relaxed);
    place.layout.store(Arc::as_ptr(layout).cast_mut(), Ordering::Release);
    for page in pages(begin, end) {
        page.fetch_add(1, Ordering::Relaxed);
    }
    REACH.fetch_max(number + 1, Ordering::AcqRel);
    place.end.store(end, Ordering::SeqCst);
    IN_USE.fetch_add(1, Ordering::Relaxed);
    bounds().low.fetch_min(begin, Ordering::Relaxed);
    bounds().high.fetch_max(end, Ordering::Relaxed);
    Some(Watched(number as u16))
}

/// How long the owner waits for a reader.
const PATIENCE: u32 = 1 << 20;

/// The flight has ended: returns its recorded accesses. `layout` is the one passed to [`watch`].
pub fn unwatch(watched: &Watched, layout: &Arc<Layout>) -> Vec<Touch> {
    let place = &WATCHED[usize::from(watched.0)];
    let (begin, end) = (place.begin.load(Ordering::Relaxed), place.end.load(Ordering::Relaxed));
    place.end.store(0, Ordering::SeqCst);
    for page in pages(begin, end) {
        page.fetch_sub(1, Ordering::Relaxed);
    }
    if IN_USE.fetch_sub(1, Ordering::Relaxed) == 1 {
        bounds().low.store(u64::MAX, Ordering::Relaxed);
        bounds().high.store(0, Ordering::Relaxed);
    }
    for _ in 0..PATIENCE {
        if place.readers.load(Ordering::SeqCst) == 0 {
            return place.take();
        }
        std::thread::yield_now();
    }
    // A thread was ended in the middle: the layout stays, and the place is not used again.
    std::mem::forget(Arc::clone(layout));
    Vec::new()
}

#[cfg(test)]
pub mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::super::layout::{Bytes, Piece, tests::any, tests::bytes_of};
    use super::super::test_random::Random;
    use super::*;

    /// Places are those of the process.
    static ALONE: Mutex<()> = Mutex::new(());

    /// For tests that need no other flights.
    pub fn alone() -> MutexGuard<'static, ()> {
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dense(bytes: u64) -> Arc<Layout> {
        let piece = Piece { base: 0, count: bytes, extent: 1, bytes: Arc::new(Bytes::dense(1)) };
        Arc::new(Layout::from_pieces(vec![piece]).unwrap())
    }

    fn at(pc: u64) -> Instruction<'static> {
        Instruction { pc, sp: 0, fp: 0, stack: &[] }
    }

    #[test]
    fn each_instruction_once() {
        let _alone = alone();
        let layout = dense(100);
        let watched = watch(0x10_0000, &layout, false).unwrap();
        assert!(may_be(0x10_0000, 1) && may_be(0x0f_fffc, 8) && !may_be(0x20_0000, 8) && !may_be(0x10_0000, 0));
        for i in 0..100 {
            assert!(touched(&at(0x4000), 0x10_0000 + i, 1, Kind::Read));
        }
        assert!(touched(&at(0x4000), 0x10_0000 + 60, 8, Kind::Write));
        assert!(touched(&at(0x5000), 0x0f_fffc, 8, Kind::Write));
        assert!(!touched(&at(0x6000), 0x10_0064, 8, Kind::Write));
        let touches = unwatch(&watched, &layout);
        let short: Vec<_> = touches.iter().map(|t| (t.frames[0], t.kind, t.bytes, t.count)).collect();
        assert_eq!(
            short,
            [
                (0x4000, Kind::Read, (0x10_0000, 0x10_0064), 100),
                (0x4000, Kind::Write, (0x10_003c, 0x10_0044), 1),
                (0x5000, Kind::Write, (0x10_0000, 0x10_0004), 1),
            ]
        );
        assert!(!may_be(0x10_0000, 8) && !touched(&at(1), 0x10_0000, 8, Kind::Write));
    }

    #[test]
    fn what_is_sent_may_be_read() {
        let _alone = alone();
        let layout = dense(8);
        let watched = watch(0x3000, &layout, true).unwrap();
        assert!(!touched(&at(1), 0x3000, 8, Kind::Read) && touched(&at(2), 0x3000, 8, Kind::Write));
        assert_eq!(unwatch(&watched, &layout).len(), 1);
    }

    #[test]
    fn exactly_the_bytes_of_the_layout() {
        let _alone = alone();
        let mut random = Random::new(21);
        for _ in 0..500 {
            let layout = Arc::new(any(&mut random));
            let bytes: std::collections::BTreeSet<i64> = bytes_of(&layout).into_iter().collect();
            let watched = watch(1 << 30, &layout, false).unwrap();
            for _ in 0..40 {
                let from = random.below(600) as i64 - 300;
                let len = 1 + random.below(9) as i64;
                let wanted = bytes.range(from..from + len).next().is_some();
                let address = (1u64 << 30).wrapping_add_signed(from);
                assert_eq!(touched(&at(7), address, len as u64, Kind::Write), wanted, "{layout:?} {from} {len}");
                assert!(!wanted || may_be(address, len as u64));
            }
            unwatch(&watched, &layout);
        }
    }

    #[test]
    fn threads_that_touch_while_flights_come_and_go() {
        let _alone = alone();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for t in 0..3u64 {
                let stop = &stop;
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        for i in 0..64 {
                            touched(&at(0x9000 + t), 0x70_0000 + 16 * i, 4, Kind::Write);
                        }
                    }
                });
            }
            let (mut seen, mut rounds) = (0u64, 0);
            while seen < 200 && rounds < 200_000 {
                rounds += 1;
                let layout = dense(64);
                let begin = 0x70_0000 + 16 * (rounds % 60);
                let watched = watch(begin, &layout, false).unwrap();
                if rounds % 7 == 0 {
                    std::thread::yield_now();
                }
                let touches = unwatch(&watched, &layout);
                for touch in &touches {
                    assert!((0x9000..0x9003).contains(&touch.frames[0]) && touch.count > 0);
                    assert!(touch.bytes.0 >= begin && touch.bytes.1 <= begin + 64 && touch.bytes.0 < touch.bytes.1);
                }
                seen += touches.len() as u64;
            }
            stop.store(true, Ordering::Relaxed);
            assert!(seen >= 200, "{seen} touches in {rounds} flights");
        });
    }

    #[test]
    fn more_flights_than_places() {
        let _alone = alone();
        let layout = dense(8);
        let all: Vec<_> = (0..PLACES as u64).map(|i| watch(0x1_0000 + 64 * i, &layout, false).unwrap()).collect();
        assert!(watch(0x10, &layout, false).is_none());
        for (i, watched) in all.iter().enumerate() {
            touched(&at(0x77), 0x1_0000 + 64 * i as u64, 1, Kind::Write);
            assert_eq!(unwatch(watched, &layout).len(), 1);
        }
    }
}
