//! The ring of words through which a thread's events reach their reader.
//!
//! One writer, the thread; one reader, outside the process. The writer commits with one aligned store of [`RingHeader::written`],
//! so that an event is complete or absent, however the process ends. Nothing is overwritten before it has been read: a writer
//! that finds no room waits while its reader shows signs of life ([`RingHeader::reader_seen_ns`]); without a reader it counts the
//! events that it cannot write.
//!
//! The file may come from anywhere: a reader trusts no number in it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::event::Event;
use super::words;

/// Size of [`RingHeader`] in the file; the words follow.
pub const HEADER_BYTES: usize = 4096;
/// Default size of a ring, words: 1 MiB, about 8,000 calls.
pub const DEFAULT_WORDS: u64 = 1 << 17;
/// Most words of a ring.
pub const MAX_RING_WORDS: u64 = 1 << 24;

/// State that writer and reader share; each has its own cache line.
#[repr(C, align(64))]
#[derive(Default)]
pub struct RingHeader {
    /// Words of the ring, a power of two.
    pub words: AtomicU64,
    /// Words written since the beginning; set by the writer.
    pub written: AtomicU64,
    /// Events that were dropped because there was no room; set by the writer.
    pub lost: AtomicU64,
    /// Unsuccessful polls since the last event, if that was a [`super::event::Body::Poll`]; set by the writer.
    pub polls: AtomicU64,
    /// Return of the latest of them, ticks; set by the writer.
    pub polled_at: AtomicU64,
    /// Unused.
    pub reserved: [AtomicU64; 3],
    /// Words read; set by the reader.
    pub read: AtomicU64,
    /// Last sign of life of the reader, ns of `CLOCK_MONOTONIC`; 0 if there was no reader.
    pub reader_seen_ns: AtomicU64,
}

const _: () = assert!(size_of::<RingHeader>() <= HEADER_BYTES);
const _: () = assert!(std::mem::offset_of!(RingHeader, read) == 64);

/// The writer's end.
pub struct Writer {
    header: *const RingHeader,
    words: *const AtomicU64,
    mask: u64,
    /// What the reader had read when the writer last checked: most events need no other check.
    read: u64,
    written: u64,
}

impl Writer {
    /// A ring in fresh, zeroed memory.
    ///
    /// # Safety
    /// `at` is page-aligned memory of [`HEADER_BYTES`] and `words` words that is never freed, and only one [`Reader`] writes to
    /// it as well; `words` is a power of two.
    pub unsafe fn create(at: *mut u8, words: u64) -> Writer {
        debug_assert!(words.is_power_of_two() && words >= 2 * words::MAX_WORDS as u64);
        let header = at.cast::<RingHeader>().cast_const();
        // SAFETY: the caller's promise.
        unsafe {
            (*header).words.store(words, Ordering::Release);
            Writer { header, words: at.add(HEADER_BYTES).cast(), mask: words - 1, read: 0, written: 0 }
        }
    }

    /// The shared state.
    pub fn header(&self) -> &RingHeader {
        // SAFETY: mapped for good.
        unsafe { &*self.header }
    }

    /// Writes one event; `false` if there is no room for it now.
    #[inline]
    pub fn push(&mut self, event: &[u64]) -> bool {
        self.push_parts([event, &[]])
    }

    /// The same for an event in two pieces.
    #[inline]
    pub fn push_parts(&mut self, event: [&[u64]; 2]) -> bool {
        let n = (event[0].len() + event[1].len()) as u64;
        if self.written + n - self.read > self.mask + 1 {
            // No number of the reader's is trusted further than it makes sense.
            let read = self.header().read.load(Ordering::Acquire);
            if read > self.written || self.written + n - read > self.mask + 1 {
                return false;
            }
            self.read = read;
        }
        // Word by word: most events are shorter than what a call to copy memory costs.
        let mut at = self.written;
        for part in event {
            for &word in part {
                // SAFETY: a word of the ring, and the reader has read what stood there.
                unsafe { &*self.words.add((at & self.mask) as usize) }.store(word, Ordering::Relaxed);
                at += 1;
            }
        }
        self.written = at;
        let header = self.header();
        header.polls.store(0, Ordering::Relaxed);
        header.written.store(self.written, Ordering::Release);
        true
    }

    /// Counts one more unsuccessful call of the same kind as the last event, a poll.
    #[inline]
    pub fn poll_again(&self, at: u64) {
        let header = self.header();
        header.polled_at.store(at, Ordering::Relaxed);
        header.polls.store(header.polls.load(Ordering::Relaxed) + 1, Ordering::Release);
    }
}

/// The reader's end of a ring in mapped memory: live, or as a process left it.
pub struct Reader<'a> {
    header: &'a RingHeader,
    words: &'a [AtomicU64],
    read: u64,
}

/// Why a ring cannot be read any further.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RingError {
    /// Invalid size.
    #[error("invalid ring size: {0} words")]
    Size(u64),
    /// Its counts contradict each other.
    #[error("{written} words written and {read} read of a ring of {words}")]
    Counts {
        /// [`RingHeader::written`].
        written: u64,
        /// [`RingHeader::read`].
        read: u64,
        /// [`RingHeader::words`].
        words: u64,
    },
    /// There is no valid event at this position.
    #[error("no event at word {0}")]
    Event(u64),
}

impl<'a> Reader<'a> {
    /// Continues where the last reader stopped.
    ///
    /// # Errors
    ///
    /// [`RingError::Size`] if the header's size is impossible or larger than `words`.
    pub fn new(header: &'a RingHeader, words: &'a [AtomicU64]) -> Result<Self, RingError> {
        let size = header.words.load(Ordering::Acquire);
        if !size.is_power_of_two() || size > MAX_RING_WORDS || size > words.len() as u64 {
            return Err(RingError::Size(size));
        }
        Ok(Reader { header, words: &words[..size as usize], read: header.read.load(Ordering::Relaxed) })
    }

    /// The shared state.
    pub fn header(&self) -> &'a RingHeader {
        self.header
    }

    /// The next event; `None` if there is none yet. `room` is a buffer that is reused from call to call. [`Reader::release`]
    /// returns the space to the writer.
    ///
    /// # Errors
    ///
    /// If the counts of the header contradict each other, or the words are no event.
    pub fn next(&mut self, room: &mut Vec<u64>) -> Result<Option<Event>, RingError> {
        let unread = self.unread()?;
        if unread == 0 {
            return Ok(None);
        }
        let first = self.words[self.place()].load(Ordering::Relaxed);
        let n = words::length(first).filter(|&n| n as u64 <= unread).ok_or(RingError::Event(self.read))?;
        self.fetch(n, room);
        let event = words::decode(room).ok_or(RingError::Event(self.read))?;
        self.read += n as u64;
        Ok(Some(event))
    }

    /// Number of words that were written and not yet read.
    fn unread(&self) -> Result<u64, RingError> {
        let (written, size) = (self.header.written.load(Ordering::Acquire), self.words.len() as u64);
        let unread = written.checked_sub(self.read).filter(|&n| n <= size);
        unread.ok_or(RingError::Counts { written, read: self.read, words: size })
    }

    /// Index of the next word in the ring.
    fn place(&self) -> usize {
        self.read as usize & (self.words.len() - 1)
    }

    /// The next words, as many as are contiguous.
    fn fetch(&self, n: usize, room: &mut Vec<u64>) {
        room.clear();
        let begin = self.place();
        let to_end = n.min(self.words.len() - begin);
        for part in [&self.words[begin..begin + to_end], &self.words[..n - to_end]] {
            room.extend(part.iter().map(|word| word.load(Ordering::Relaxed)));
        }
    }

    /// Words that were not read yet, unchanged, at most `most`; empty if there are none. [`Reader::position`] before the call is
    /// the position of the first one.
    ///
    /// # Errors
    ///
    /// If the counts of the header contradict each other.
    pub fn copy(&mut self, most: usize, room: &mut Vec<u64>) -> Result<(), RingError> {
        let n = self.unread()?.min(most as u64);
        self.fetch(n as usize, room);
        self.read += n;
        Ok(())
    }

    /// Words read since the ring's beginning.
    pub fn position(&self) -> u64 {
        self.read
    }

    /// Continues at another word, which must not be overwritten.
    ///
    /// # Errors
    ///
    /// If the word is overwritten or not yet written.
    pub fn seek(&mut self, to: u64) -> Result<(), RingError> {
        let (read, written) = (self.header.read.load(Ordering::Acquire), self.header.written.load(Ordering::Acquire));
        if !(read..=written).contains(&to) {
            return Err(RingError::Counts { written, read: to, words: self.words.len() as u64 });
        }
        self.read = to;
        Ok(())
    }

    /// Allows the writer to overwrite all words before `read`: for a reader that returns space only when another process has what
    /// it read. Invalid positions are ignored.
    pub fn release_until(&self, read: u64) {
        if (self.header.read.load(Ordering::Relaxed)..=self.read).contains(&read) {
            self.header.read.store(read, Ordering::Release);
        }
    }

    /// Shows a sign of life: time of `CLOCK_MONOTONIC`, not 0.
    pub fn show_life(&self, now_ns: u64) {
        self.header.reader_seen_ns.store(now_ns, Ordering::Relaxed);
    }

    /// Allows the writer to overwrite everything that was read. `now_ns` is a sign of life on `CLOCK_MONOTONIC`, not 0.
    pub fn release(&self, now_ns: u64) {
        self.header.reader_seen_ns.store(now_ns, Ordering::Relaxed);
        self.header.read.store(self.read, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::{Body, Head};
    use super::super::words::{MAX_WORDS, Words};
    use super::*;

    const SIZE: usize = 2 * MAX_WORDS;

    /// Memory as a file would be mapped.
    #[repr(C, align(4096))]
    struct Memory {
        header: RingHeader,
        padding: [u8; HEADER_BYTES - size_of::<RingHeader>()],
        words: [AtomicU64; SIZE],
    }

    fn memory() -> Box<Memory> {
        // SAFETY: all of it are numbers, for which zero is a value; the layout is that of the type.
        unsafe { Box::from_raw(std::alloc::alloc_zeroed(std::alloc::Layout::new::<Memory>()).cast()) }
    }

    fn event(op: u64, more: usize) -> Event {
        let ops = (0..more as u64).collect();
        Event { head: Head { at: op, ..Head::default() }, body: Body::Wait { need: op, ops } }
    }

    #[test]
    fn what_is_written_is_read_across_the_end_and_while_it_is_written() {
        let memory = memory();
        let at = std::ptr::from_ref(&*memory).cast_mut().cast::<u8>() as usize;
        const EVENTS: u64 = 50_000;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // SAFETY: the memory outlives the scope and is laid out as a ring.
                let mut writer = unsafe { Writer::create(at as *mut u8, SIZE as u64) };
                let mut words = Words::new();
                for op in 0..EVENTS {
                    let event = event(op, op as usize % 37);
                    while !writer.push(words.encode(&event)) {
                        std::thread::yield_now();
                    }
                }
            });
            let mut room = Vec::new();
            while memory.header.words.load(Ordering::Acquire) == 0 {
                std::thread::yield_now();
            }
            let mut reader = Reader::new(&memory.header, &memory.words).unwrap();
            let mut next = 0;
            while next < EVENTS {
                match reader.next(&mut room).unwrap() {
                    Some(found) => {
                        assert_eq!(found, event(next, next as usize % 37));
                        next += 1;
                    }
                    None => std::thread::yield_now(),
                }
                reader.release(1);
            }
        });
    }

    #[test]
    fn a_full_ring_keeps_what_was_not_read() {
        let memory = memory();
        // SAFETY: as above.
        let mut writer = unsafe { Writer::create(std::ptr::from_ref(&*memory).cast_mut().cast(), SIZE as u64) };
        let mut words = Words::new();
        let mut pushed = 0;
        while writer.push(words.encode(&event(pushed, 100))) {
            pushed += 1;
        }
        let (mut room, mut read) = (Vec::new(), 0);
        let mut reader = Reader::new(&memory.header, &memory.words).unwrap();
        while let Some(found) = reader.next(&mut room).unwrap() {
            assert_eq!(found.head.at, read);
            read += 1;
        }
        assert_eq!(pushed, read);
        assert!(!writer.push(words.encode(&event(0, 100))), "not released yet");
        reader.release(1);
        assert!(writer.push(words.encode(&event(0, 100))));
    }

    #[test]
    fn room_is_given_back_when_somebody_else_has_the_words() {
        let memory = memory();
        // SAFETY: as above.
        let mut writer = unsafe { Writer::create(std::ptr::from_ref(&*memory).cast_mut().cast(), SIZE as u64) };
        let mut words = Words::new();
        let mut pushed = 0;
        while writer.push(words.encode(&event(pushed, 100))) {
            pushed += 1;
        }
        let mut reader = Reader::new(&memory.header, &memory.words).unwrap();
        let (mut room, mut all) = (Vec::new(), Vec::new());
        while {
            reader.copy(77, &mut room).unwrap();
            !room.is_empty()
        } {
            assert!(room.len() <= 77);
            all.append(&mut room);
        }
        assert_eq!(all.len() as u64, reader.position());
        let length = words::length(all[0]).unwrap();
        assert_eq!(words::decode(&all[..length]), Some(event(0, 100)));
        reader.show_life(1);
        assert!(!writer.push(words.encode(&event(0, 100))), "nobody has them yet");
        for nonsense in [reader.position() + 1, u64::MAX] {
            reader.release_until(nonsense);
            assert!(!writer.push(words.encode(&event(0, 100))));
        }
        reader.release_until(2 * length as u64);
        assert!(writer.push(words.encode(&event(0, 100))));
        // Another reader goes on where the words are that nobody has.
        let mut other = Reader::new(&memory.header, &memory.words).unwrap();
        assert_eq!(other.position(), 2 * length as u64);
        assert_eq!(other.next(&mut room).unwrap(), Some(event(2, 100)));
        assert!(other.seek(length as u64).is_err() && other.seek(u64::MAX).is_err());
        other.seek(3 * length as u64).unwrap();
        assert_eq!(other.next(&mut room).unwrap(), Some(event(3, 100)));
    }

    #[test]
    fn nonsense_is_an_error() {
        let memory = memory();
        let ring = |words: u64, written: u64, read: u64| {
            memory.header.words.store(words, Ordering::Relaxed);
            memory.header.written.store(written, Ordering::Relaxed);
            memory.header.read.store(read, Ordering::Relaxed);
            Reader::new(&memory.header, &memory.words).and_then(|mut reader| reader.next(&mut Vec::new()))
        };
        assert_eq!(ring(3, 0, 0), Err(RingError::Size(3)));
        assert_eq!(ring(1 << 40, 0, 0), Err(RingError::Size(1 << 40)));
        let size = SIZE as u64;
        assert_eq!(ring(size, 1, 2), Err(RingError::Counts { written: 1, read: 2, words: size }));
        assert_eq!(ring(size, size + 5, 2), Err(RingError::Counts { written: size + 5, read: 2, words: size }));
        assert_eq!(ring(size, 5, 2), Err(RingError::Event(2)));
        assert_eq!(ring(size, u64::MAX, u64::MAX - 1), Err(RingError::Event(u64::MAX - 1)));
        assert_eq!(ring(size, 2, 2), Ok(None));
    }
}
