//! Maps request handles to request ids.
//!
//! Libraries reuse request handles, so few distinct words represent all requests of a run; each word gets a small id at its first
//! use and keeps it. The operation of a completed id is the latest start with that id. Entries are never removed, so completion
//! needs no work and no lock.
//!
//! Two tables: the first, which is small, is indexed by a hash of the handle; the second has the data of requests by id, so that
//! the pages in use depend on the number of requests, not on the hash.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use mpiscope_trace::defs::Message;

/// Most distinct handles; further ones get id 0 and are counted.
const CAPACITY: usize = 1 << 15;
/// Twice that, so that probing stays short.
const SLOTS: usize = CAPACITY * 2;

struct Slot {
    /// Handle + 1; 0 for a free slot.
    key: AtomicU64,
    id: AtomicU32,
}

/// What was posted, to say at completion whether the status adds anything. A cache line each: requests of
/// different threads have neighbouring ids.
#[repr(align(64))]
pub struct Posted {
    /// Source posted; [`NOT_A_RECEIVE`] for everything but receives.
    source: AtomicU32,
    tag: AtomicU32,
    bytes: AtomicU64,
    /// Payload of a persistent request, out and in.
    payload: [AtomicU64; 2],
    /// World ranks a persistent request sends to and receives from.
    peers: [AtomicU32; 2],
    /// Communicator of a receive from any source, and [`NAMED`].
    comm: AtomicU32,
}

/// `Posted::source` of what is not a receive.
const NOT_A_RECEIVE: i32 = i32::MIN;
/// `Posted::source` of what was started before the program read any status.
const UNKNOWN: i32 = i32::MIN + 1;
/// `Posted::source` of a receive of a matched message.
pub const MATCHED: i32 = i32::MIN + 2;
/// Bit of `Posted::comm`: the source of this message has been recorded.
const NAMED: u32 = 1 << 31;

/// Whether the program has ever asked for the statuses of completed requests. Many never do, and for
/// them nothing has to be remembered.
static STATUSES_READ: AtomicBool = AtomicBool::new(false);

/// The program asks for statuses.
#[inline(always)]
pub fn statuses_are_read() {
    if !STATUSES_READ.load(Ordering::Relaxed) {
        STATUSES_READ.store(true, Ordering::Relaxed);
    }
}

/// Whether it ever did.
#[inline(always)]
pub fn are_statuses_read() -> bool {
    STATUSES_READ.load(Ordering::Relaxed)
}

static INDEX: [Slot; SLOTS] = [const { Slot { key: AtomicU64::new(0), id: AtomicU32::new(0) } }; SLOTS];
static POSTED: [Posted; CAPACITY] = [const {
    Posted {
        source: AtomicU32::new(0),
        tag: AtomicU32::new(0),
        bytes: AtomicU64::new(0),
        payload: [const { AtomicU64::new(0) }; 2],
        peers: [const { AtomicU32::new(0) }; 2],
        comm: AtomicU32::new(0),
    }
}; CAPACITY];
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Where the search for a handle begins.
#[inline(always)]
fn first_place(handle: u64) -> usize {
    (handle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize & (SLOTS - 1)
}

/// The id of `handle` if it is known and stands where it is looked for first; else 0.
#[inline(always)]
pub fn known(handle: u64) -> u32 {
    let slot = &INDEX[first_place(handle)];
    let here = slot.key.load(Ordering::Acquire) == handle.wrapping_add(1);
    if here { slot.id.load(Ordering::Acquire) } else { 0 }
}

/// The id of `handle`, made at its first sight; 0 when there are too many.
pub fn id(handle: u64) -> u32 {
    let key = handle.wrapping_add(1);
    let mut at = first_place(handle);
    loop {
        let slot = &INDEX[at];
        let here = slot.key.load(Ordering::Acquire);
        if here == key {
            let id = slot.id.load(Ordering::Acquire);
            if id != 0 {
                return id;
            }
            std::hint::spin_loop(); // another thread is about to store it
        } else if here == 0 {
            match claim(slot, key) {
                Some(id) => return id,
                None if NEXT.load(Ordering::Relaxed) as usize >= CAPACITY => return 0,
                None => {}
            }
        } else {
            at = (at + 1) & (SLOTS - 1);
        }
    }
}

/// Takes a free slot; `None` when another thread was faster or the ids are used up.
#[cold]
fn claim(slot: &Slot, key: u64) -> Option<u32> {
    if NEXT.load(Ordering::Relaxed) as usize >= CAPACITY {
        return None;
    }
    slot.key.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire).ok()?;
    let id = NEXT.fetch_add(1, Ordering::Relaxed).min(CAPACITY as u32 - 1);
    POSTED[id as usize].post_no_receive();
    slot.id.store(id, Ordering::Release);
    Some(id)
}

/// Notes in which communicator a message was matched (`MPI_Mprobe`, `MPI_Improbe`).
pub fn set_message(handle: u64, comm: u32) {
    posted(id(handle | MESSAGE)).post_from_any(comm);
}

/// The communicator of a matched message, 0 when it is not known.
pub fn message_comm(handle: u64) -> u32 {
    match known(handle | MESSAGE) {
        0 => match id(handle | MESSAGE) {
            0 => 0,
            id => posted(id).comm.load(Ordering::Relaxed),
        },
        id => posted(id).comm.load(Ordering::Relaxed),
    }
}

/// Keeps handles of messages apart from those of requests, which may have the same words.
const MESSAGE: u64 = 1 << 61;

/// What is known of the request with this id.
#[inline(always)]
pub fn posted(id: u32) -> &'static Posted {
    &POSTED[id as usize & (CAPACITY - 1)]
}

impl Posted {
    /// Notes what was posted.
    #[inline(always)]
    pub fn post(&self, source: i32, tag: i32, bytes: u64) {
        self.source.store(source as u32, Ordering::Relaxed);
        self.tag.store(tag as u32, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }
    /// Stores only what is new: most programs post the same again and again.
    #[inline(always)]
    fn set_source(&self, source: i32) {
        if self.source.load(Ordering::Relaxed) != source as u32 {
            self.source.store(source as u32, Ordering::Relaxed);
        }
    }
    /// Notes what is not a receive.
    #[inline(always)]
    pub fn post_no_receive(&self) {
        self.set_source(NOT_A_RECEIVE);
    }
    /// Notes that what was posted is not known.
    #[inline(always)]
    pub fn forget(&self) {
        self.set_source(UNKNOWN);
    }
    /// Notes the communicator of a receive that names no source; [`Posted::post`] has noted the rest.
    #[inline(always)]
    pub fn post_from_any(&self, comm: u32) {
        self.comm.store(comm, Ordering::Relaxed);
    }
    /// The communicator in which the source of this message is a rank, if it was posted without one and nobody has told
    /// it since. Of two that ask, one gets it.
    pub fn unnamed(&self) -> Option<u32> {
        let source = self.source.load(Ordering::Relaxed) as i32;
        let comm = self.comm.load(Ordering::Relaxed);
        if source >= 0 || source == UNKNOWN || source == NOT_A_RECEIVE {
            return None;
        }
        self.comm.store(comm & !NAMED, Ordering::Relaxed);
        (comm & NAMED == 0 && comm != 0).then_some(comm)
    }
    /// The source of this message need not be recorded when it completes.
    pub fn set_named(&self) {
        self.comm.fetch_or(NAMED, Ordering::Relaxed);
    }
    /// Notes what each start of a persistent request moves; true when the id stood for something else before.
    pub fn set_start(&self, message: &Message) -> bool {
        let before = self.start();
        self.payload[0].store(message.bytes_out, Ordering::Relaxed);
        self.payload[1].store(message.bytes_in, Ordering::Relaxed);
        self.peers[0].store(message.to as u32, Ordering::Relaxed);
        self.peers[1].store(message.from as u32, Ordering::Relaxed);
        before != *message
    }
    /// What a start moves.
    pub fn start(&self) -> Message {
        Message {
            to: self.peers[0].load(Ordering::Relaxed) as i32,
            from: self.peers[1].load(Ordering::Relaxed) as i32,
            bytes_out: self.payload[0].load(Ordering::Relaxed),
            bytes_in: self.payload[1].load(Ordering::Relaxed),
        }
    }
    /// Source, tag and bytes posted; `None` for what is not a receive. What is not known equals no status.
    #[inline(always)]
    pub fn receive(&self) -> Option<(i32, i32, u64)> {
        let source = self.source.load(Ordering::Relaxed) as i32;
        (source != NOT_A_RECEIVE)
            .then(|| (source, self.tag.load(Ordering::Relaxed) as i32, self.bytes.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_keep_their_ids() {
        let first: Vec<u32> = (0..1000u64).map(|i| id(0x7f00_0000_0000 + i * 0x180)).collect();
        let again: Vec<u32> = (0..1000u64).map(|i| id(0x7f00_0000_0000 + i * 0x180)).collect();
        assert_eq!(first, again);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 1000);
        assert!(!first.contains(&0));
        let at_once: Vec<u32> = (0..1000u64).map(|i| known(0x7f00_0000_0000 + i * 0x180)).collect();
        assert!(at_once.iter().zip(&first).all(|(&k, &f)| k == f || k == 0));
        assert!(at_once.iter().filter(|&&k| k != 0).count() > 900);
        posted(first[3]).post(1, 2, 3);
        assert_eq!(posted(first[3]).receive(), Some((1, 2, 3)));
        assert_eq!(posted(first[4]).receive(), None);
    }

    #[test]
    fn a_source_is_told_once() {
        let request = posted(id(0x4242_4240));
        request.post(-1, 7, 100);
        request.post_from_any(3);
        assert_eq!(request.unnamed(), Some(3));
        // Asked before it completed, and started again.
        request.set_named();
        assert_eq!((request.unnamed(), request.unnamed()), (None, Some(3)));
        request.post(5, 7, 100);
        assert_eq!(request.unnamed(), None);
        request.forget();
        assert_eq!(request.unnamed(), None);
        request.post_no_receive();
        assert_eq!(request.unnamed(), None);
    }
}
