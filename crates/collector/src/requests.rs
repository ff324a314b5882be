//! Request handle → request id.
//!
//! Libraries recycle request handles, so few distinct words stand for all requests of a run; each
//! word gets a small id at its first sight and keeps it. Which operation a completed id was is a
//! matter of order: the latest start with that id. Nothing is ever removed, so there is no work
//! and no lock at completion.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Most distinct handles; further ones get id 0 and are counted.
const CAPACITY: usize = 1 << 16;
/// Twice that, so that probing stays short.
const SLOTS: usize = CAPACITY * 2;

/// What was posted, to say at completion whether the status adds anything.
pub struct Posted {
    handle: AtomicU64,
    id: AtomicU32,
    /// Source posted; [`NOT_A_RECEIVE`] for everything but receives.
    source: AtomicU32,
    tag: AtomicU32,
    bytes: AtomicU64,
    /// Payload of a persistent request, out and in.
    payload: [AtomicU64; 2],
}

/// The entry with number `index` ([`Posted::index`]).
#[inline(always)]
pub fn by_index(index: u32) -> &'static Posted {
    &TABLE[index as usize & (SLOTS - 1)]
}

/// `Posted::source` of what is not a receive.
pub const NOT_A_RECEIVE: i32 = i32::MIN;

static TABLE: [Posted; SLOTS] = [const {
    Posted {
        handle: AtomicU64::new(0),
        id: AtomicU32::new(0),
        source: AtomicU32::new(0),
        tag: AtomicU32::new(0),
        bytes: AtomicU64::new(0),
        payload: [const { AtomicU64::new(0) }; 2],
    }
}; SLOTS];
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Finds or makes the entry of `handle`; `None` when the table is full.
#[inline(always)]
pub fn entry(handle: u64) -> Option<&'static Posted> {
    let mut at = (handle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (SLOTS - 1);
    let key = handle.wrapping_add(1);
    loop {
        let slot = &TABLE[at];
        let here = slot.handle.load(Ordering::Acquire);
        if here == key {
            return Some(slot);
        }
        if here == 0 {
            if NEXT.load(Ordering::Relaxed) as usize > CAPACITY {
                return None;
            }
            if slot.handle.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                slot.id.store(NEXT.fetch_add(1, Ordering::Relaxed), Ordering::Release);
                slot.source.store(NOT_A_RECEIVE as u32, Ordering::Relaxed);
                return Some(slot);
            }
            continue;
        }
        at = (at + 1) & (SLOTS - 1);
    }
}

impl Posted {
    /// Its place in the table.
    #[inline(always)]
    pub fn index(&'static self) -> u32 {
        ((self as *const Posted as usize - TABLE.as_ptr() as usize) / size_of::<Posted>()) as u32
    }
    /// The request's id.
    #[inline(always)]
    pub fn id(&self) -> u32 {
        self.id.load(Ordering::Acquire)
    }
    /// Notes what was posted.
    #[inline(always)]
    pub fn post(&self, source: i32, tag: i32, bytes: u64) {
        self.source.store(source as u32, Ordering::Relaxed);
        self.tag.store(tag as u32, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }
    /// Notes what each start of a persistent request moves.
    pub fn set_payload(&self, out: u64, into: u64) {
        self.payload[0].store(out, Ordering::Relaxed);
        self.payload[1].store(into, Ordering::Relaxed);
    }
    /// What a start moves, out and in.
    pub fn payload(&self) -> (u64, u64) {
        (self.payload[0].load(Ordering::Relaxed), self.payload[1].load(Ordering::Relaxed))
    }
    /// Source, tag and bytes posted; `None` for what is not a receive.
    #[inline(always)]
    pub fn posted(&self) -> Option<(i32, i32, u64)> {
        let source = self.source.load(Ordering::Relaxed) as i32;
        (source != NOT_A_RECEIVE).then(|| {
            (source, self.tag.load(Ordering::Relaxed) as i32, self.bytes.load(Ordering::Relaxed))
        })
    }
}
