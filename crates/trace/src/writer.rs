//! Encoding of records and the order of stores that keeps a ring readable at every instant.
//!
//! A [`Ring`] works on memory that its owner has mapped; where that memory comes from, and what
//! to do when there is no more of it, is the owner's business ([`ChunkSource`]).
//!
//! Commit protocol: a record's bytes are written behind `ChunkHeader::used`, then `used` is
//! stored. A chunk that is taken again is first emptied (`sequence = 0`), then set up, then
//! gets its new sequence number. x86-64 and the release stores keep that order for a reader that
//! looks at the file after the process died at any instruction.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::layout::{CHUNK, ChunkHeader, REQUEST_BYTES, SMALL_RECORD, ThreadHeader};
use crate::varint::{self, zigzag};

/// Gives a ring its next chunk.
pub trait ChunkSource {
    /// The chunk to write next, or `None` when there is none (then records are dropped).
    fn next_chunk(&mut self) -> Option<*mut u8>;
    /// Whether records are wanted at all (not for a summary only).
    fn wanted(&self) -> bool {
        true
    }
    /// `CLOCK_MONOTONIC` now, ns.
    fn monotonic_ns(&mut self) -> u64;
}

/// What is variable about a record besides its shape.
#[derive(Clone, Copy)]
pub struct Extra<'a> {
    /// Values of the shape's inline mask, in order.
    pub inline: &'a [u64],
    /// With `flag::REQUEST`.
    pub request: u32,
    /// With `flag::REQUESTS`.
    pub requests: &'a [Completed],
    /// With `flag::OFFSET`.
    pub offset: i64,
    /// With `flag::NEW_OBJECT`.
    pub new_object: u32,
}

impl Extra<'_> {
    /// Nothing besides the shape.
    pub const NONE: Extra<'static> = Extra { inline: &[], request: 0, requests: &[], offset: 0, new_object: 0 };
}

/// A request in a list, with its status where it says more than what was posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// Request id.
    pub request: u32,
    /// Whether source, tag and bytes follow.
    pub has_status: bool,
    /// Actual source.
    pub source: i32,
    /// Actual tag.
    pub tag: i32,
    /// Actual bytes.
    pub bytes: u64,
}

/// How a record begins: the encoded number of its shape, made once.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Head {
    word: u64,
    shape: u32,
    length: u32,
}

impl Head {
    /// For a shape.
    pub fn of(shape: u32) -> Head {
        let (word, length) = varint::encode_short((u64::from(shape) + 1) << 1);
        Head { word, shape, length: length as u32 }
    }
    /// The shape.
    #[inline(always)]
    pub fn shape(&self) -> u32 {
        self.shape
    }
}

/// The single writer of a thread's ring.
#[repr(C)]
pub struct Ring {
    chunk: *mut u8,
    used: usize,
    last_end: u64,
    records: u32,
    thread: *mut ThreadHeader,
}

impl Ring {
    /// An empty ring; the first record asks for a chunk.
    pub const fn new(thread: *mut ThreadHeader) -> Ring {
        Ring { thread, chunk: std::ptr::null_mut(), used: CHUNK, records: 0, last_end: 0 }
    }

    /// Appends a record that has nothing besides its shape. `start` and `duration` are ticks.
    ///
    /// # Safety
    /// The thread header and every chunk that `source` returns must be valid for writes and
    /// not be written by anybody else.
    #[inline(always)]
    pub unsafe fn push(&mut self, source: &mut impl ChunkSource, head: &Head, start: u64, duration: u64) {
        if self.used + SMALL_RECORD > CHUNK && !unsafe { self.switch(source, start) } {
            return;
        }
        unsafe {
            let begin = self.chunk.add(self.used);
            let end = self.head(begin, head, start, duration);
            self.commit(begin, end, start + duration);
        }
    }

    /// Appends a record of a shape with `flag::REQUEST` and nothing else.
    ///
    /// # Safety
    /// As [`Ring::push`].
    #[inline(always)]
    pub unsafe fn push_request(
        &mut self,
        source: &mut impl ChunkSource,
        head: &Head,
        start: u64,
        duration: u64,
        request: u32,
    ) {
        if self.used + SMALL_RECORD > CHUNK && !unsafe { self.switch(source, start) } {
            return;
        }
        unsafe {
            let begin = self.chunk.add(self.used);
            let end = self.head(begin, head, start, duration);
            let end = end.add(varint::write_short(end, request.into()));
            self.commit(begin, end, start + duration);
        }
    }

    /// Appends a record of a shape with `flag::REQUESTS` and nothing else, whose statuses say nothing new.
    ///
    /// # Safety
    /// As [`Ring::push`].
    #[inline(always)]
    pub unsafe fn push_ids(
        &mut self,
        source: &mut impl ChunkSource,
        head: &Head,
        start: u64,
        duration: u64,
        (count, ids): (usize, impl Iterator<Item = u32>),
    ) {
        if self.used + SMALL_RECORD + count * REQUEST_BYTES > CHUNK && !unsafe { self.switch(source, start) } {
            return;
        }
        unsafe {
            let begin = self.chunk.add(self.used);
            let mut at = self.head(begin, head, start, duration);
            at = at.add(varint::write_short(at, count as u64));
            let mut before = 0;
            for id in ids.take(count) {
                at = at.add(varint::write_short(at, zigzag(i64::from(id) - before) << 1));
                before = i64::from(id);
            }
            self.commit(begin, at, start + duration);
        }
    }

    /// Appends a record with what `flags` (of its shape) and `extra` say.
    ///
    /// # Safety
    /// As [`Ring::push`].
    #[inline(always)]
    pub unsafe fn push_with(
        &mut self,
        source: &mut impl ChunkSource,
        head: &Head,
        start: u64,
        duration: u64,
        flags: u32,
        extra: &Extra<'_>,
    ) {
        use crate::shape::flag;
        const RARE: u32 = flag::INLINE | flag::REQUESTS | flag::OFFSET | flag::NEW_OBJECT | flag::POLL;
        let room = SMALL_RECORD + extra.requests.len() * REQUEST_BYTES;
        if self.used + room > CHUNK && !unsafe { self.switch(source, start) } {
            return;
        }
        unsafe {
            let begin = self.chunk.add(self.used);
            let mut at = self.head(begin, head, start, duration);
            if flags & RARE != 0 {
                at = Self::rare(at, flags, extra);
            }
            if flags & flag::REQUEST != 0 {
                at = at.add(varint::write(at, extra.request.into()));
            }
            self.commit(begin, at, start + duration);
        }
    }

    /// Shape, gap since the end of the record before, duration.
    #[inline(always)]
    unsafe fn head(&self, at: *mut u8, head: &Head, start: u64, duration: u64) -> *mut u8 {
        let gap = start.wrapping_sub(self.last_end);
        unsafe {
            // A huge gap is a negative one as well: see `unusual_head`.
            if (gap | duration) > varint::SHORT {
                return Self::unusual_head(at, head.shape, gap, duration);
            }
            at.cast::<u64>().write_unaligned(head.word.to_le());
            let at = at.add(head.length as usize);
            let at = at.add(varint::write_short(at, gap));
            at.add(varint::write_short(at, duration))
        }
    }

    /// A call made by a callback inside another call ends before the outer one, whose record
    /// follows: its start then lies before the end of the previous record.
    #[cold]
    #[inline(never)]
    unsafe fn unusual_head(at: *mut u8, shape: u32, gap: u64, duration: u64) -> *mut u8 {
        let negative = gap >> 63;
        let gap = if negative == 0 { gap } else { gap.wrapping_neg() };
        unsafe {
            let at = at.add(varint::write_short(at, ((shape as u64 + 1) << 1) | negative));
            let at = at.add(varint::write(at, gap));
            at.add(varint::write(at, duration))
        }
    }

    #[inline(always)]
    unsafe fn commit(&mut self, begin: *mut u8, end: *mut u8, last_end: u64) {
        self.used += end as usize - begin as usize;
        self.records += 1;
        self.last_end = last_end;
        let header = self.chunk.cast::<ChunkHeader>();
        // SAFETY: the chunk is mapped, aligned, and this thread is its only writer.
        unsafe {
            // `used` and `records` in one store.
            let both = self.used as u64 | u64::from(self.records) << 32;
            AtomicU64::from_ptr((&raw mut (*header).used).cast::<u64>()).store(both, Ordering::Release);
        }
    }

    /// The fields most records do not have.
    unsafe fn rare(mut at: *mut u8, flags: u32, extra: &Extra<'_>) -> *mut u8 {
        use crate::shape::flag;
        unsafe {
            if flags & (flag::INLINE | flag::POLL) != 0 {
                for &value in extra.inline {
                    at = at.add(varint::write(at, value));
                }
            }
            if flags & flag::OFFSET != 0 {
                at = at.add(varint::write(at, zigzag(extra.offset)));
            }
            if flags & flag::NEW_OBJECT != 0 {
                at = at.add(varint::write(at, extra.new_object.into()));
            }
            if flags & flag::REQUESTS != 0 {
                at = at.add(varint::write(at, extra.requests.len() as u64));
                let mut before = 0i64;
                for r in extra.requests {
                    let delta = zigzag(r.request as i64 - before);
                    before = r.request as i64;
                    at = at.add(varint::write(at, (delta << 1) | r.has_status as u64));
                    if r.has_status {
                        at = at.add(varint::write(at, zigzag(r.source.into())));
                        at = at.add(varint::write(at, zigzag(r.tag.into())));
                        at = at.add(varint::write(at, r.bytes));
                    }
                }
            }
        }
        at
    }

    #[cold]
    #[inline(never)]
    unsafe fn switch(&mut self, source: &mut impl ChunkSource, start: u64) -> bool {
        if !source.wanted() {
            return false;
        }
        let thread = self.thread;
        let Some(chunk) = source.next_chunk() else {
            unsafe { (*thread).records_dropped += 1 };
            return false;
        };
        let header = chunk.cast::<ChunkHeader>();
        unsafe {
            let sequence = AtomicU64::from_ptr(&raw mut (*header).sequence);
            if sequence.load(Ordering::Relaxed) != 0 {
                (*thread).records_overwritten += u64::from((*header).records);
            }
            sequence.store(0, Ordering::Release);
            (*header).used = size_of::<ChunkHeader>() as u32;
            (*header).records = 0;
            (*header).start = start;
            (*header).monotonic_ns = source.monotonic_ns();
            (*thread).chunks_begun += 1;
            sequence.store((*thread).chunks_begun, Ordering::Release);
        }
        self.chunk = chunk;
        self.used = size_of::<ChunkHeader>();
        self.records = 0;
        self.last_end = start;
        true
    }
}
