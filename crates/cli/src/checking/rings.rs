//! The rank file of one process as its checker reads it: definitions and rings, while the process runs and after it.

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

/// A thread's ring. The mapping stays as long as the process that reads it.
struct Ring {
    reader: Reader<'static>,
    /// Kernel's number of the thread.
    tid: u32,
    /// Nothing more can be read from it.
    broken: bool,
}

/// The name of a process, which its file has as long as it is whole: under its own name, and while somebody moves it. Not
/// the copies that are being made.
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
    /// `None` when it is no rank file yet.
    pub fn open(path: &Path) -> Option<Rank> {
        // Room in the rings is given back by writing to them.
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

    /// All definitions that are there.
    pub fn all_definitions(&mut self) -> Vec<Definition> {
        let read = std::mem::take(&mut self.defs_read);
        let all = self.definitions();
        self.defs_read = read;
        all
    }

    /// The outermost call of its first thread that has not returned, after its end.
    pub fn in_flight(&self) -> Option<InFlight> {
        let file = RankFile::parse(self.file.try_clone().ok()?).ok()?;
        let of_first = file.threads.first()?.in_flight.first().copied();
        of_first.filter(|call| mpiscope_abi::function(call.function).is_some())
    }

    fn header(&self) -> *mut Header {
        self.head.as_mut_ptr().cast()
    }

    /// What the header says.
    pub fn state(&self) -> State {
        let h = self.header();
        // SAFETY: mapped; plain numbers that another process writes, none of which is believed.
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

    /// Definitions that are new since the last call.
    pub fn definitions(&mut self) -> Vec<Definition> {
        let bytes = self.definition_bytes();
        if bytes.is_empty() { Vec::new() } else { defs::decode(&bytes).0 }
    }

    /// Their bytes, whole definitions.
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

    /// Maps the rings of threads that are new.
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

    /// Events that are there now, at most `most` of each ring, in the order of their moments.
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

    /// Words that were not read yet, of one ring after the other: thread, where they begin, words. Room for them is given
    /// back by [`Rank::release`].
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

    /// Somebody has the words of a thread before this one.
    pub fn release(&self, thread: u8, read: u64) {
        if let Some(Some(ring)) = self.rings.get(usize::from(thread)) {
            ring.reader.release_until(read);
        }
    }

    /// Whoever waits for room may wait on.
    pub fn show_life(&self, now_ns: u64) {
        self.rings.iter().flatten().for_each(|ring| ring.reader.show_life(now_ns));
    }

    /// Reads again what nobody has: all definitions, words that were not released.
    pub fn rewind(&mut self) {
        self.defs_read = 0;
        for ring in self.rings.iter_mut().flatten() {
            let released = ring.reader.header().read.load(Ordering::Relaxed);
            ring.broken |= ring.reader.seek(released).is_err();
        }
    }

    /// Reads on where somebody else has come to: words of each thread, and bytes of definitions.
    pub fn go_on(&mut self, words: impl Fn(u8) -> u64, definitions: u64) {
        self.find_rings();
        self.defs_read = definitions;
        for (index, ring) in self.rings.iter_mut().enumerate() {
            let Some(ring) = ring else { continue };
            ring.broken |= ring.reader.seek(words(index.min(255) as u8)).is_err();
        }
    }

    /// Calls in vain since each ring's last event: thread, how many, when the latest was.
    pub fn polls(&self) -> impl Iterator<Item = (u8, u64, u64)> + '_ {
        self.rings.iter().enumerate().filter_map(|(index, ring)| {
            let header = ring.as_ref()?.reader.header();
            let polls = header.polls.load(Ordering::Acquire);
            (polls > 0).then(|| (index.min(255) as u8, polls, header.polled_at.load(Ordering::Relaxed)))
        })
    }

    /// Threads that have called MPI, as the kernel numbers them.
    pub fn tids(&self) -> Vec<u32> {
        self.rings.iter().flatten().map(|ring| ring.tid).collect()
    }

    /// The kernel's number of a thread.
    pub fn tid(&self, thread: u8) -> Option<u32> {
        self.rings.get(usize::from(thread))?.as_ref().map(|ring| ring.tid)
    }

    /// Events that found no room.
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
