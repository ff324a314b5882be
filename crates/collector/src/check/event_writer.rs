//! Writes the events of a thread into its ring, in order.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mpiscope_trace::check::event::{Body, Head};
use mpiscope_trace::check::ring::{DEFAULT_WORDS, HEADER_BYTES, Writer};
use mpiscope_trace::check::words::{Again, Words};
use mpiscope_trace::layout::ThreadHeader;

use crate::clock;
use crate::process::Process;

/// After this time without a read, the ring has no reader.
const ALIVE_NS: u64 = 1_000_000_000;
/// How long a process waits, once, for its first reader.
const FIRST_NS: u64 = 2_000_000_000;
/// Interval between checks of a full ring, growing.
const NAPS_NS: std::ops::Range<u64> = 20_000..1_000_000;

/// The writer of one thread.
pub struct EventWriter {
    writer: Writer,
    words: Words,
    thread: u8,
    /// The polled object, if the last event is an unsuccessful poll; else 0.
    polled: u64,
}

/// No reader appeared in time.
static NOBODY: AtomicBool = AtomicBool::new(false);

impl EventWriter {
    /// Creates the ring of a thread; `None` if there is no room for it.
    pub fn new(process: &Process, thread: usize, header: *mut ThreadHeader) -> Option<EventWriter> {
        let bytes = HEADER_BYTES as u64 + DEFAULT_WORDS * 8;
        let region = process.file.extend(bytes)?;
        if !process.file.reserve(region.offset, bytes) {
            return None;
        }
        // SAFETY: mapped, reserved and fresh; the header is this thread's.
        let writer = unsafe {
            let writer = Writer::create(region.at, DEFAULT_WORDS);
            AtomicU64::from_ptr(&raw mut (*header).check_offset).store(region.offset, Ordering::Release);
            writer
        };
        Some(EventWriter { writer, words: Words::new(), thread: thread.min(255) as u8, polled: 0 })
    }

    /// Writes an event now; returns its words, for [`Again`].
    pub fn write(&mut self, head: Head, body: &Body) -> &[u64] {
        self.polled = 0;
        let head = Head { thread: self.thread, at: clock::now(), ..head };
        let words = self.words.encode_parts(&head, body);
        if !self.writer.push(words) {
            Self::wait(&mut self.writer, words);
        }
        words
    }

    /// Writes the event of an operation that was written before.
    #[inline]
    pub fn write_again(&mut self, head: Head, op: u64, event: &Again) {
        self.polled = 0;
        let (begin, rest) = event.words(&Head { thread: self.thread, at: clock::now(), ..head }, op);
        if !self.writer.push_parts([&begin, rest]) {
            Self::wait(&mut self.writer, &[&begin, rest].concat());
        }
    }

    /// An unsuccessful poll: written the first time, counted until something else happens.
    pub fn write_and_wait(&mut self, head: Head, body: &Body, key: u64) {
        if key == self.polled {
            self.writer.poll_again(clock::now());
            return;
        }
        self.write(head, body);
        self.polled = key;
        self.writer.poll_again(clock::now());
    }

    #[cold]
    fn wait(writer: &mut Writer, words: &[u64]) {
        let now = || clock::gettime(libc::CLOCK_MONOTONIC);
        let begin = now();
        let mut nap = NAPS_NS.start;
        loop {
            let seen = writer.header().reader_seen_ns.load(Ordering::Relaxed);
            let patient = match seen {
                0 => !NOBODY.load(Ordering::Relaxed) && now().saturating_sub(begin) < FIRST_NS,
                seen => now().saturating_sub(seen) < ALIVE_NS,
            };
            if !patient {
                if seen == 0 {
                    NOBODY.store(true, Ordering::Relaxed);
                }
                writer.header().lost.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let time = libc::timespec { tv_sec: 0, tv_nsec: nap as i64 };
            // SAFETY: sleeps; an early end does no harm.
            unsafe { libc::nanosleep(&time, std::ptr::null_mut()) };
            nap = (nap * 2).min(NAPS_NS.end);
            if writer.push(words) {
                return;
            }
        }
    }
}
