//! The rank file of one process as the checker reads it: definitions and rings, while the process runs and afterwards.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};
use mpiscope_trace::RankFile;
use mpiscope_trace::check::Event;
use mpiscope_trace::check::ring::{HEADER_BYTES, Reader, RingHeader};
use mpiscope_trace::defs::{self, Definition};
use mpiscope_trace::layout::{DEFS_END, Header, InFlight, MAGIC, MAX_THREADS, PAGE, ThreadHeader};

pub use super::hosts::State;

/// The ring of a thread. It remains mapped until this process ends.
struct Ring {
    reader: Reader<'static>,
    /// The kernel's thread id.
    tid: u32,
    /// Whether nothing more can be read from it.
    broken: bool,
}

/// The name of a process, from the name of its file, also while the file is being moved. `None` for incomplete copies.
pub fn name_of(file: &str) -> Option<&str> {
    if let Some(name) = file.strip_suffix(".rank") {
        return Some(name).filter(|name| !name.starts_with('.'));
    }
    let (name, taker) = file.strip_prefix('.')?.rsplit_once(".rank.by.")?;
    taker.bytes().all(|b| b.is_ascii_digit()).then_some(name)
}

/// One process.
pub struct Rank {
    file: File,
    head: MmapRaw,
    defs_read: u64,
    rings: Vec<Option<Ring>>,
    room: Vec<u64>,
}

impl Rank {
    /// `None` if it is not a rank file yet.
    pub fn open(path: &Path) -> Option<Rank> {
        // Writing to the rings frees their room.
        let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
        if file.metadata().ok()?.len() < DEFS_END {
            return None;
        }
        let head = MmapOptions::new().len(DEFS_END as usize).map_raw(&file).ok()?;
        let rank = Rank { file, head, defs_read: 0, rings: Vec::new(), room: Vec::new() };
        // SAFETY: mapped; plain numbers.
        (unsafe { (*rank.header()).magic } == MAGIC).then_some(rank)
    }

    /// Bytes of definitions that were read.
    pub fn definitions_read(&self) -> u64 {
        self.defs_read
    }

    /// All definitions so far.
    pub fn all_definitions(&mut self) -> Vec<Definition> {
        let read = std::mem::take(&mut self.defs_read);
        let all = self.definitions();
        self.defs_read = read;
        all
    }

    /// The outermost call of its first thread that had not returned when the process ended.
    pub fn in_flight(&self) -> Option<InFlight> {
        let file = RankFile::parse(self.file.try_clone().ok()?).ok()?;
        let of_first = file.threads.first()?.in_flight.first().copied();
        of_first.filter(|call| mpiscope_abi::function(call.function).is_some())
    }

    fn header(&self) -> *mut Header {
        self.head.as_mut_ptr().cast()
    }

    /// The contents of the header.
    pub fn state(&self) -> State {
        let h = self.header();
        // SAFETY: mapped; plain numbers that another process writes, all of which are checked.
        unsafe {
            let anchors = (&raw const (*h).anchors).read_volatile();
            let point = |i: usize| (anchors[i].ticks, anchors[i].monotonic_ns);
            State {
                rank: (&raw const (*h).world_rank).read_volatile(),
                size: (&raw const (*h).world_size).read_volatile(),
                thread_level: (&raw const (*h).thread_level).read_volatile(),
                state: AtomicU32::from_ptr(&raw mut (*h).state).load(Ordering::Acquire),
                pid: (&raw const (*h).pid).read_volatile(),
                clock: (&raw const (*h).clock).read_volatile(),
                points: [point(0), point(1)],
            }
        }
    }

    /// Definitions added since the last call.
    pub fn definitions(&mut self) -> Vec<Definition> {
        let bytes = self.definition_bytes();
        if bytes.is_empty() { Vec::new() } else { defs::decode(&bytes).0 }
    }

    /// Bytes of new complete definitions.
    pub fn definition_bytes(&mut self) -> Vec<u8> {
        // SAFETY: mapped.
        let length = unsafe { AtomicU64::from_ptr(&raw mut (*self.header()).defs_len) }.load(Ordering::Acquire);
        let length = length.min(DEFS_END - PAGE as u64);
        if length <= self.defs_read {
            return Vec::new();
        }
        let n = (length - self.defs_read) as usize;
        let mut bytes = vec![0; n];
        // SAFETY: in the mapping; what was committed does not change.
        unsafe {
            let at = self.head.as_ptr().add(PAGE + self.defs_read as usize);
            std::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), n);
        }
        self.defs_read = length;
        bytes
    }

    /// Maps the rings of new threads.
    fn find_rings(&mut self) {
        let h = self.header();
        // SAFETY: mapped.
        let threads = unsafe { AtomicU32::from_ptr(&raw mut (*h).threads) }.load(Ordering::Acquire);
        let threads = (threads as usize).min(MAX_THREADS);
        for index in 0..threads {
            if self.rings.len() <= index {
                self.rings.resize_with(index + 1, || None);
            }
            if self.rings[index].is_none() {
                // SAFETY: mapped; checked below.
                let at = unsafe { (&raw const (*h).thread_offsets[index]).read_volatile() };
                self.rings[index] = self.ring(at);
            }
        }
    }

    fn ring(&self, thread: u64) -> Option<Ring> {
        let length = self.file.metadata().ok()?.len();
        let map = |offset: u64, bytes: u64| -> Option<*mut u8> {
            let fits = offset.is_multiple_of(PAGE as u64) && offset.checked_add(bytes).is_some_and(|end| end <= length);
            let map =
                fits.then(|| MmapOptions::new().offset(offset).len(bytes as usize).map_raw(&self.file).ok())??;
            let at = map.as_mut_ptr();
            // As long as this process.
            std::mem::forget(map);
            Some(at)
        };
        if thread == 0 || !thread.is_multiple_of(PAGE as u64) || thread + PAGE as u64 > length {
            return None;
        }
        let header = MmapOptions::new().offset(thread).len(PAGE).map_raw(&self.file).ok()?;
        // SAFETY: a mapped page.
        let (at, tid) = unsafe {
            let header = header.as_mut_ptr().cast::<ThreadHeader>();
            let at = AtomicU64::from_ptr(&raw mut (*header).check_offset).load(Ordering::Acquire);
            (at, (&raw const (*header).tid).read_volatile())
        };
        if at == 0 {
            return None;
        }
        let header = map(at, HEADER_BYTES as u64)?.cast::<RingHeader>();
        // SAFETY: mapped for good; all of it are atomic numbers.
        let header: &'static RingHeader = unsafe { &*header };
        let words = header.words.load(Ordering::Acquire).min(mpiscope_trace::check::ring::MAX_RING_WORDS);
        let body = map(at + HEADER_BYTES as u64, words * 8)?.cast::<AtomicU64>();
        // SAFETY: as many words were mapped for good.
        let words: &'static [AtomicU64] = unsafe { std::slice::from_raw_parts(body, words as usize) };
        Some(Ring { reader: Reader::new(header, words).ok()?, tid, broken: false })
    }

    /// Available events, at most `most` from each ring, in the order of time.
    pub fn read(&mut self, now_ns: u64, most: usize, events: &mut Vec<Event>) {
        self.find_rings();
        for ring in self.rings.iter_mut().flatten().filter(|ring| !ring.broken) {
            let before = events.len();
            while events.len() - before < most {
                match ring.reader.next(&mut self.room) {
                    Ok(Some(event)) => events.push(event),
                    Ok(None) => break,
                    Err(_) => {
                        ring.broken = true;
                        break;
                    }
                }
            }
            ring.reader.release(now_ns);
        }
        // One ring is in order.
        if self.rings.len() > 1 {
            events.sort_by_key(|event| event.head.at);
        }
    }

    /// Unread words, ring by ring: thread, start, words. [`Rank::release`] frees their room.
    pub fn copy(&mut self, most: usize, mut take: impl FnMut(u8, u64, &[u64])) {
        self.find_rings();
        let rings = self.rings.iter_mut().enumerate().filter_map(|(index, ring)| Some((index, ring.as_mut()?)));
        for (index, ring) in rings.filter(|(_, ring)| !ring.broken) {
            let from = ring.reader.position();
            match ring.reader.copy(most, &mut self.room) {
                Ok(()) if self.room.is_empty() => {}
                Ok(()) => take(index.min(255) as u8, from, &self.room),
                Err(_) => ring.broken = true,
            }
        }
    }

    /// Marks the words of a thread before this index as received.
    pub fn release(&self, thread: u8, read: u64) {
        if let Some(Some(ring)) = self.rings.get(usize::from(thread)) {
            ring.reader.release_until(read);
        }
    }

    /// Shows processes that wait for room that a reader is alive, so that they keep waiting.
    pub fn show_life(&self, now_ns: u64) {
        self.rings.iter().flatten().for_each(|ring| ring.reader.show_life(now_ns));
    }

    /// Starts again from what was not received: all definitions, and words that were not released.
    pub fn rewind(&mut self) {
        self.defs_read = 0;
        for ring in self.rings.iter_mut().flatten() {
            let released = ring.reader.header().read.load(Ordering::Relaxed);
            ring.broken |= ring.reader.seek(released).is_err();
        }
    }

    /// Continues reading at given positions: words of each thread, and bytes of definitions.
    pub fn go_on(&mut self, words: impl Fn(u8) -> u64, definitions: u64) {
        self.find_rings();
        self.defs_read = definitions;
        for (index, ring) in self.rings.iter_mut().enumerate() {
            let Some(ring) = ring else { continue };
            ring.broken |= ring.reader.seek(words(index.min(255) as u8)).is_err();
        }
    }

    /// Unsuccessful polls since each ring's last event: thread, number, time of the latest.
    pub fn polls(&self) -> impl Iterator<Item = (u8, u64, u64)> + '_ {
        self.rings.iter().enumerate().filter_map(|(index, ring)| {
            let header = ring.as_ref()?.reader.header();
            let polls = header.polls.load(Ordering::Acquire);
            (polls > 0).then(|| (index.min(255) as u8, polls, header.polled_at.load(Ordering::Relaxed)))
        })
    }

    /// Kernel ids of the threads that have called MPI.
    pub fn tids(&self) -> Vec<u32> {
        self.rings.iter().flatten().map(|ring| ring.tid).collect()
    }

    /// The kernel's id of a thread.
    pub fn tid(&self, thread: u8) -> Option<u32> {
        self.rings.get(usize::from(thread))?.as_ref().map(|ring| ring.tid)
    }

    /// Events that were lost because a buffer was full.
    pub fn lost(&self) -> u64 {
        self.rings.iter().flatten().map(|ring| ring.reader.header().lost.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn names_of_whole_files() {
        assert_eq!(name_of("n1.x.7.rank"), Some("n1.x.7"));
        assert_eq!(name_of(".n1.7.rank.by.9"), Some("n1.7"));
        for file in
            [".n1.7.rank.part.9", ".n1.7.rank", "n1.7.exit.json", ".lease.n1.9", "n1.7.rank.by.9", ".n1.7.rank.by.x"]
        {
            assert_eq!(name_of(file), None, "{file}");
        }
    }
}
