//! Encoding of records and the order of stores that keeps a ring readable at every instant.
//!
//! A [`Ring`] works on memory that its owner has mapped. The owner provides more memory ([`ChunkSource`]).
//!
//! Commit protocol: a record's bytes are written after `ChunkHeader::used`, then `used` is stored. A chunk that is reused is
//! first emptied (`sequence = 0`), then set up, then gets its new sequence number. x86-64 and the release stores keep this order
//! for a reader that opens the file after the process died at any instruction.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::annotation::REQUESTS_AHEAD;
use crate::layout::{CHUNK, ChunkHeader, MAX_REQUESTS, REQUEST_BYTES, SMALL_RECORD, ThreadHeader};
use crate::shape::{Shape, flag};
use crate::varint::{self, zigzag};

/// The shape of records with requests of the call after them.
pub fn ahead() -> Shape {
    Shape { function: REQUESTS_AHEAD, flags: flag::REQUESTS | flag::AHEAD, ..Shape::default() }
}

/// Divides a list into parts for records of their own, [`ahead`] of that of the call, and what its record has room for.
pub fn divided(requests: &[Completed]) -> (impl Iterator<Item = &[Completed]>, &[Completed]) {
    let first = requests.len().saturating_sub(1) / MAX_REQUESTS * MAX_REQUESTS;
    let (parts, rest) = requests.split_at(first);
    (parts.chunks(MAX_REQUESTS), rest)
}

/// Gives a ring its next chunk.
pub trait ChunkSource {
    /// The chunk to write next; `None` if there is none, so that records are dropped.
    fn next_chunk(&mut self) -> Option<*mut u8>;
    /// Whether records are written at all; not if only a summary is recorded.
    fn wanted(&self) -> bool {
        true
    }
    /// `CLOCK_MONOTONIC` now, ns.
    fn monotonic_ns(&mut self) -> u64;
}

/// The fields of a record besides its shape.
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
    /// No fields besides the shape.
    pub const NONE: Extra<'static> = Extra { inline: &[], request: 0, requests: &[], offset: 0, new_object: 0 };
}

/// A request in a list, with its status if that adds anything to what was posted.
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

/// The beginning of a record: the encoded number of its shape, computed once, and the flags of the shape, which alone decide what
/// follows. A reader knows only these flags: a writer that decided by the call would leave bytes that no reader expects.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Head {
    word: u64,
    shape: u32,
    length: u32,
    flags: u32,
}

impl Head {
    /// For a shape with these flags.
    pub fn of(shape: u32, flags: u32) -> Head {
        let (word, length) = varint::encode_short((u64::from(shape) + 1) << 1);
        Head { word, shape, length: length as u32, flags }
    }
    /// Flags of the shape.
    #[inline(always)]
    pub fn flags(&self) -> u32 {
        self.flags
    }
    /// The flags that announce fields of the record.
    #[inline(always)]
    fn follows(&self) -> u32 {
        self.flags & flag::FOLLOWS
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
    /// `ChunkHeader::used`, and the number of records in the upper half: both are stored at once.
    filled: u64,
    last_end: u64,
    thread: *mut ThreadHeader,
}

/// Increment of [`Ring::filled`] for one record.
const RECORD: u64 = 1 << 32;

impl Ring {
    /// An empty ring; the first record requests a chunk.
    pub const fn new(thread: *mut ThreadHeader) -> Ring {
        Ring { thread, chunk: std::ptr::null_mut(), filled: CHUNK as u64, last_end: 0 }
    }

    /// The end of the last record, ticks.
    #[inline(always)]
    pub fn last_end(&self) -> u64 {
        self.last_end
    }

    #[inline(always)]
    fn used(&self) -> usize {
        self.filled as u32 as usize
    }

    /// Whether one of the `append` functions can write a record from `start` that lasted `duration`: there is room, and all
    /// numbers are short. Callers on the hot path check this first, so that the rest calls no function and saves no registers.
    #[inline(always)]
    pub fn is_ready(&self, start: u64, duration: u64) -> bool {
        // A huge gap is a negative one as well: see `unusual_head`.
        let usual = (start.wrapping_sub(self.last_end) | duration) <= varint::SHORT;
        usual & (self.used() + SMALL_RECORD <= CHUNK)
    }

    /// Appends a record without fields besides its shape. `start` and `duration` are ticks.
    ///
    /// # Safety
    /// [`Ring::is_ready`] returned true; the thread header and every chunk that the source has returned are valid for writes, and
    /// nothing else writes to them.
    #[inline(always)]
    pub unsafe fn append(&mut self, head: &Head, start: u64, duration: u64) {
        debug_assert_eq!(head.follows(), 0, "the reader expects more");
        unsafe {
            let begin = self.chunk.add(self.used());
            let end = self.short_head(begin, head, start, duration);
            self.commit(begin, end, start + duration);
        }
    }

    /// Appends a record followed by `N` short numbers: the id of its request, or its number of polls.
    ///
    /// # Safety
    /// As [`Ring::append`]; the numbers are at most [`varint::SHORT`].
    #[inline(always)]
    pub unsafe fn append_numbers<const N: usize>(&mut self, head: &Head, start: u64, duration: u64, numbers: [u64; N]) {
        const { assert!(N == 1 || N == 2, "a request, or a run of polls") };
        debug_assert!(
            if N == 1 { head.follows() == flag::REQUEST } else { head.flags & flag::POLL != 0 },
            "the reader expects something else"
        );
        unsafe {
            let begin = self.chunk.add(self.used());
            let mut at = self.short_head(begin, head, start, duration);
            for number in numbers {
                at = at.add(varint::write_short(at, number));
            }
            self.commit(begin, at, start + duration);
        }
    }

    /// Appends a record of a shape with `flag::REQUESTS` and no other fields, whose statuses add nothing.
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
        debug_assert_eq!(head.follows(), flag::REQUESTS, "the reader expects something else");
        if self.used() + SMALL_RECORD + count * REQUEST_BYTES > CHUNK && !unsafe { self.switch(source, start) } {
            return;
        }
        unsafe {
            let begin = self.chunk.add(self.used());
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

    /// Appends a record with the fields of `extra` that the flags of its shape announce. `start` and `duration` are ticks.
    ///
    /// # Safety
    /// The thread header and every chunk that `source` returns are valid for writes, and nothing else writes to them.
    #[inline(always)]
    pub unsafe fn push(
        &mut self,
        source: &mut impl ChunkSource,
        head: &Head,
        start: u64,
        duration: u64,
        extra: &Extra<'_>,
    ) {
        const RARE: u32 = flag::FOLLOWS & !flag::REQUEST;
        let flags = head.flags;
        let room = SMALL_RECORD + extra.requests.len() * REQUEST_BYTES;
        if self.used() + room > CHUNK && !unsafe { self.switch(source, start) } {
            return;
        }
        unsafe {
            let begin = self.chunk.add(self.used());
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

    /// Shape, gap since the end of the previous record, duration.
    #[inline(always)]
    unsafe fn head(&self, at: *mut u8, head: &Head, start: u64, duration: u64) -> *mut u8 {
        let gap = start.wrapping_sub(self.last_end);
        unsafe {
            if (gap | duration) > varint::SHORT {
                return Self::unusual_head(at, head.shape, gap, duration);
            }
            self.short_head(at, head, start, duration)
        }
    }

    /// The same for records for which [`Ring::is_ready`] is true.
    #[inline(always)]
    unsafe fn short_head(&self, at: *mut u8, head: &Head, start: u64, duration: u64) -> *mut u8 {
        let (gap, gap_length) = varint::encode_short(start.wrapping_sub(self.last_end));
        let (duration, duration_length) = varint::encode_short(duration);
        let (first, second) = (head.length as usize, head.length as usize + gap_length);
        let length = second + duration_length;
        unsafe {
            if length <= 8 {
                let word = head.word | gap << ((8 * first as u32) & 63) | duration << ((8 * second as u32) & 63);
                at.cast::<u64>().write_unaligned(word.to_le());
            } else {
                at.cast::<u64>().write_unaligned(head.word.to_le());
                at.add(first).cast::<u64>().write_unaligned(gap.to_le());
                at.add(second).cast::<u64>().write_unaligned(duration.to_le());
            }
            at.add(length)
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
        self.filled += (end as u64 - begin as u64) + RECORD;
        self.last_end = last_end;
        let header = self.chunk.cast::<ChunkHeader>();
        // SAFETY: the chunk is mapped, aligned, and this thread is its only writer.
        unsafe {
            AtomicU64::from_ptr((&raw mut (*header).used).cast::<u64>()).store(self.filled, Ordering::Release);
        }
    }

    /// The fields that most records lack.
    unsafe fn rare(mut at: *mut u8, flags: u32, extra: &Extra<'_>) -> *mut u8 {
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
        self.filled = size_of::<ChunkHeader>() as u64;
        self.last_end = start;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::ThreadHeader;
    use proptest::prelude::*;

    /// One chunk, again and again.
    #[repr(align(64))]
    struct One([u64; CHUNK / 8]);

    impl ChunkSource for One {
        fn next_chunk(&mut self) -> Option<*mut u8> {
            Some(self.0.as_mut_ptr().cast())
        }
        fn monotonic_ns(&mut self) -> u64 {
            0
        }
    }

    proptest! {
        /// The short ways write what the general one writes.
        #[test]
        fn appended_is_pushed(
            records in prop::collection::vec((0u32..9000, 0u64..1 << 40, 0u32..41, 0u64..1 << 40, 0u32..41, 0u32..3), 1..300)
        ) {
            // SAFETY: plain old data.
            let mut headers: [ThreadHeader; 2] = unsafe { std::mem::zeroed() };
            let [general, short] = &mut headers;
            let (mut general, mut short) = (Ring::new(general), Ring::new(short));
            let mut chunks = [Box::new(One([0; CHUNK / 8])), Box::new(One([0; CHUNK / 8]))];
            let mut now = 1;
            for (shape, gap, less, duration, less_duration, more) in records {
                let (start, duration) = (now + (gap >> less), duration >> less_duration);
                now = start + duration;
                let numbers = [gap, duration];
                let (flags, extra) = match more {
                    0 => (0, Extra::NONE),
                    1 => (flag::REQUEST, Extra { request: shape, ..Extra::NONE }),
                    _ => (flag::POLL, Extra { inline: &numbers, ..Extra::NONE }),
                };
                let head = Head::of(shape, flags);
                let [a, b] = &mut chunks;
                // SAFETY: both chunks and headers live here.
                unsafe {
                    general.push(&mut **a, &head, start, duration, &extra);
                    match more {
                        _ if !short.is_ready(start, duration) => short.push(&mut **b, &head, start, duration, &extra),
                        0 => short.append(&head, start, duration),
                        1 => short.append_numbers(&head, start, duration, [shape.into()]),
                        _ => short.append_numbers(&head, start, duration, numbers),
                    }
                }
            }
            let used = general.used();
            prop_assert_eq!(used, short.used());
            let bytes = |c: &One| c.0.iter().flat_map(|w| w.to_le_bytes()).take(used).collect::<Vec<u8>>();
            prop_assert_eq!(bytes(&chunks[0]), bytes(&chunks[1]));
        }
    }
}
