//! The processor's watchpoints on words of buffers in flight: four, of up to eight bytes, for each thread.
//!
//! For buffers that have no whole page: small ones, those on stacks, the ends of large ones. The kernel records each access to the
//! word, with registers and the beginning of the stack, in a ring that is read when the flight ends. No signal, no handler:
//! the program is not affected. Accesses of the kernel itself in a system call are not seen.
//!
//! All threads that exist when a word is chosen watch the same four words.

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::check::lifetimes;
use crate::file;

use super::instruction_access::{self, Instruction, Kind, Touch};

/// Words that are watched at once: what processors have.
const WORDS: usize = 4;
/// Words of the stack that are kept with each touch. Fortran's `print` needs 2,176 bytes from the load of a double to its caller.
const SAMPLE_WORDS: usize = 288;
/// Pages of a ring, a power of two, behind that of its head: they count as locked memory, of which users have half a megabyte for
/// each processor. There is room for six touches.
const RING_PAGES: usize = 4;

/// `struct perf_event_attr`, as far as it is used.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
    bp_len: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clockid: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    sample_max_stack: u16,
    reserved: u16,
}

const TYPE_BREAKPOINT: u32 = 5;
const BP_WRITE: u32 = 2;
const BP_READ_WRITE: u32 = 3;
const SAMPLE_IP: u64 = 1;
const SAMPLE_REGS_USER: u64 = 1 << 12;
const SAMPLE_STACK_USER: u64 = 1 << 13;
const FLAG_DISABLED: u64 = 1;
const FLAG_EXCLUDE_KERNEL: u64 = 1 << 5;
const FLAG_EXCLUDE_HV: u64 = 1 << 6;
const OPEN_CLOEXEC: u64 = 1 << 3;
const IOC_DISABLE: u64 = 0x2401;
const IOC_MODIFY_ATTRIBUTES: u64 = 1 << 30 | (size_of::<usize>() as u64) << 16 | 0x240b;
const RECORD_SAMPLE: u32 = 9;

/// Frame pointer, stack pointer and program counter, in the order of their bits.
#[cfg(target_arch = "x86_64")]
const REGISTERS: u64 = 1 << 6 | 1 << 7 | 1 << 8;
#[cfg(target_arch = "aarch64")]
const REGISTERS: u64 = 1 << 29 | 1 << 31 | 1 << 32;
/// From the program counter of a sample to a return address: x86-64 says what comes next, AArch64 the instruction itself.
#[cfg(target_arch = "x86_64")]
const TO_RETURN: u64 = 0;
#[cfg(target_arch = "aarch64")]
const TO_RETURN: u64 = 4;

/// One watchpoint of a thread.
struct Event {
    fd: ManuallyDrop<OwnedFd>,
    ring: *mut u8,
}

// SAFETY: the ring is written by the kernel alone, and read under the lock of the checker.
unsafe impl Send for Event {}

impl Event {
    fn attributes(address: u64, bytes: u64, reads: bool) -> Attributes {
        Attributes {
            kind: TYPE_BREAKPOINT,
            size: size_of::<Attributes>() as u32,
            sample_period: 1,
            sample_type: SAMPLE_IP | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
            flags: FLAG_EXCLUDE_KERNEL | FLAG_EXCLUDE_HV,
            wakeup_events: 1,
            bp_type: if reads { BP_READ_WRITE } else { BP_WRITE },
            bp_addr: address,
            bp_len: bytes,
            sample_regs_user: REGISTERS,
            sample_stack_user: (SAMPLE_WORDS * 8) as u32,
            ..Attributes::default()
        }
    }

    fn ring_bytes() -> usize {
        (1 + RING_PAGES) * super::page_guard::page() as usize
    }

    /// A watchpoint that does nothing yet.
    fn new(thread: i32) -> Option<Event> {
        // A word of ours; the event is disabled.
        static NOTHING: AtomicU64 = AtomicU64::new(0);
        let mut attributes = Event::attributes(&raw const NOTHING as u64, 8, false);
        attributes.flags |= FLAG_DISABLED;
        // SAFETY: the call reads the structure; the descriptor is ours; a mapping of it.
        unsafe {
            let (any_cpu, no_group) = (-1, -1);
            let fd = libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                thread,
                any_cpu,
                no_group,
                OPEN_CLOEXEC,
            );
            if fd < 0 {
                return None;
            }
            let fd = OwnedFd::from_raw_fd(file::out_of_the_way(fd as i32));
            let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
            let ring = libc::mmap(std::ptr::null_mut(), Event::ring_bytes(), rights, flags, fd.as_raw_fd(), 0);
            (ring != libc::MAP_FAILED).then_some(Event { fd: ManuallyDrop::new(fd), ring: ring.cast() })
        }
    }

    fn set(&self, address: u64, bytes: u64, reads: bool) -> bool {
        let attributes = Event::attributes(address, bytes, reads);
        self.skip();
        // SAFETY: the call reads the structure.
        unsafe { libc::ioctl(self.fd.as_raw_fd(), IOC_MODIFY_ATTRIBUTES as _, &raw const attributes) == 0 }
    }

    fn disable(&self) {
        // SAFETY: no memory is passed.
        unsafe { libc::ioctl(self.fd.as_raw_fd(), IOC_DISABLE as _, 0) };
    }

    /// A word of the ring's first page, by its offset.
    fn head(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: within the mapping, aligned; the kernel writes it in one piece.
        unsafe { &*self.ring.add(offset).cast() }
    }

    /// Shows what was noted, and forgets it.
    fn read(&self, mut show: impl FnMut(&Instruction<'_>)) {
        let (head, tail) = (self.head(HEAD).load(Ordering::Acquire), self.head(TAIL).load(Ordering::Relaxed));
        let room = RING_PAGES * super::page_guard::page() as usize;
        // SAFETY: the data of the ring, of which nothing up to `head` is written before the tail moves.
        let data = unsafe { std::slice::from_raw_parts(self.ring.add(super::page_guard::page() as usize), room) };
        let word = |at: u64| {
            let at = at as usize % room;
            u64::from_ne_bytes(data[at..at + 8].try_into().unwrap_or_default())
        };
        let mut at = tail;
        while at < head {
            // Kind, miscellaneous, length: records are whole words.
            let first = word(at);
            let length = first >> 48;
            if length < 8 {
                break;
            }
            if first as u32 == RECORD_SAMPLE {
                sample(|i| word(at + 8 * i), length / 8, &mut show);
            }
            at += length;
        }
        self.head(TAIL).store(head, Ordering::Release);
    }

    fn skip(&self) {
        let head = self.head(HEAD).load(Ordering::Acquire);
        self.head(TAIL).store(head, Ordering::Release);
    }
}

/// Of `struct perf_event_mmap_page`.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

/// A record: header, address of the instruction, kind and values of registers, length and words of the stack, how many are right.
fn sample(word: impl Fn(u64) -> u64, words: u64, show: &mut impl FnMut(&Instruction<'_>)) {
    let mut at = 2;
    let (mut pc, mut fp, mut sp) = (word(1), 0, 0);
    if word(at) != 0 && words > at + 3 {
        (fp, sp, pc) = (word(at + 1), word(at + 2), word(at + 3));
        at += 3;
    }
    at += 1;
    let mut stack = [0u64; SAMPLE_WORDS];
    let mut known = 0;
    let there = if at < words { word(at) / 8 } else { 0 };
    if there > 0 && at + there + 1 < words {
        known = (word(at + 1 + there) / 8).min(there).min(SAMPLE_WORDS as u64);
        (0..known).for_each(|i| stack[i as usize] = word(at + 1 + i));
    }
    show(&Instruction { pc: pc + TO_RETURN, sp, fp, stack: &stack[..known as usize] });
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: our own mapping, of which nothing is kept.
        unsafe { libc::munmap(self.ring.cast(), Event::ring_bytes()) };
        // A program that closes all descriptors may have something else there by now.
        let kind = std::fs::read_link(format!("/proc/self/fd/{}", self.fd.as_raw_fd()));
        if kind.is_ok_and(|kind| kind.as_os_str() == "anon_inode:[perf_event]") {
            // SAFETY: not used any more.
            unsafe { ManuallyDrop::drop(&mut self.fd) };
        }
    }
}

/// A word that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    /// Which flight, by its place among those that are watched.
    flight: u64,
    address: u64,
    bytes: u64,
    /// Reads are noted, too.
    reads: bool,
}

struct Thread {
    id: i32,
    events: [Event; WORDS],
}

/// All watchpoints of the process.
#[derive(Default)]
pub struct Watches {
    words: [Option<Word>; WORDS],
    threads: Vec<Thread>,
    /// Number of links of the directory of threads at the last check, from which the number of threads follows.
    links: u64,
    /// Numbers of flights.
    last: u64,
    /// The system has none for us, for this reason.
    refused: Option<std::io::Error>,
    /// What was noted of flights whose words were given to others.
    kept: Vec<(u64, Touch)>,
}

/// The words of a flight.
#[derive(Debug)]
pub struct Watching(u64);

impl Watches {
    /// Watches these pieces (address and bytes) of a flight, the most important first, as far as there is room, in so many
    /// threads at most. `None` when nothing could be watched.
    pub fn watch(&mut self, pieces: &[(u64, u64)], reads: bool, most_threads: usize) -> Option<Watching> {
        if self.refused.is_some() || pieces.is_empty() || !self.threads(most_threads) {
            return None;
        }
        self.last += 1;
        let flight = self.last;
        let mut any = false;
        for (number, &(address, bytes)) in pieces.iter().enumerate() {
            let free = self.words.iter().position(Option::is_none);
            // The first piece of one is worth more than another one of somebody else.
            let Some(at) = free.or_else(|| if number == 0 { self.spare() } else { None }) else { break };
            self.set(at, Some(Word { flight, address, bytes, reads }));
            any = true;
        }
        // What is touched is read or written: writes alone are told from the others by a word of their own.
        if any
            && reads
            && let Some(at) = self.words.iter().position(Option::is_none)
        {
            let (address, bytes) = pieces[0];
            self.set(at, Some(Word { flight, address, bytes, reads: false }));
        }
        any.then_some(Watching(flight))
    }

    /// Gives the processor's watchpoints back, if nothing is watched.
    pub fn rest(&mut self) {
        if self.words.iter().all(Option::is_none) && self.kept.is_empty() {
            self.threads.clear();
        }
    }

    /// Why the system allows none.
    pub fn are_refused(&self) -> Option<&std::io::Error> {
        self.refused.as_ref()
    }

    /// A word of a flight that has more than one: the latest.
    fn spare(&self) -> Option<usize> {
        (0..WORDS).rev().find(|&at| {
            let flight = self.words[at].map(|w| w.flight);
            self.words[..at].iter().flatten().any(|w| Some(w.flight) == flight)
        })
    }

    /// A flight has ended: the accesses to its words.
    pub fn unwatch(&mut self, watching: &Watching) -> Vec<Touch> {
        let mine = |w: &Word| w.flight == watching.0;
        // Where writes had a word of their own, what is not among them has read.
        let sure = self.words.iter().flatten().find(|w| mine(w) && !w.reads).map(|w| w.address);
        for at in 0..WORDS {
            if self.words[at].as_ref().is_some_and(mine) {
                self.set(at, None);
            }
        }
        let (own, others) = std::mem::take(&mut self.kept).into_iter().partition(|k| k.0 == watching.0);
        self.kept = others;
        resolve(own, sure)
    }

    /// Who has touched its words until now; they stay on the watch.
    pub fn noted(&mut self, watching: &Watching) -> Vec<Touch> {
        let sure = self.words.iter().flatten().find(|w| w.flight == watching.0 && !w.reads).map(|w| w.address);
        for (at, word) in self.words.iter().enumerate() {
            let Some(word) = word.filter(|w| w.flight == watching.0) else { continue };
            for thread in &self.threads {
                keep(&mut self.kept, &word, &thread.events[at]);
            }
        }
        let (own, others) = std::mem::take(&mut self.kept).into_iter().partition(|k| k.0 == watching.0);
        self.kept = others;
        by_word(own, sure)
    }

    /// Gives a place to a word, or to none; what was noted of the one before is kept.
    fn set(&mut self, at: usize, word: Option<Word>) {
        if let Some(before) = self.words[at].take() {
            for thread in &self.threads {
                thread.events[at].disable();
                keep(&mut self.kept, &before, &thread.events[at]);
            }
        }
        let Some(word) = word else { return };
        for thread in &self.threads {
            thread.events[at].set(word.address, word.bytes, word.reads);
        }
        self.words[at] = Some(word);
    }

    /// Has watchpoints in all threads; whether there are any.
    fn threads(&mut self, most: usize) -> bool {
        let mut about = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: a name, and room for the answer.
        #[allow(clippy::unnecessary_cast)] // 32 bits on AArch64
        let links = unsafe {
            match libc::stat(c"/proc/self/task".as_ptr(), about.as_mut_ptr()) {
                0 => about.assume_init().st_nlink as u64,
                _ => 0,
            }
        };
        if links != self.links || self.threads.is_empty() {
            self.links = links;
            self.learn(most);
        }
        !self.threads.is_empty()
    }

    #[cold]
    fn learn(&mut self, most: usize) {
        let Some(now) = lifetimes::threads() else { return };
        let now: Vec<i32> = now.into_iter().map(|id| id as i32).collect();
        for gone in self.threads.extract_if(.., |t| !now.contains(&t.id)) {
            for (event, word) in gone.events.iter().zip(&self.words) {
                if let Some(word) = word {
                    keep(&mut self.kept, word, event);
                }
            }
        }
        for id in now.into_iter().take(most) {
            if self.threads.iter().any(|t| t.id == id) {
                continue;
            }
            let mut events = Vec::with_capacity(WORDS);
            events.extend((0..WORDS).map_while(|_| Event::new(id)));
            let why = std::io::Error::last_os_error();
            match <[Event; WORDS]>::try_from(events) {
                Ok(events) => {
                    for (event, word) in events.iter().zip(self.words) {
                        if let Some(word) = word {
                            event.set(word.address, word.bytes, word.reads);
                        }
                    }
                    self.threads.push(Thread { id, events });
                }
                // It has ended since it was listed; the others have not.
                Err(_) if why.raw_os_error() == Some(libc::ESRCH) => {}
                // The first one says whether there are any for us at all.
                Err(_) => {
                    if self.threads.is_empty() {
                        self.refused = Some(why);
                    }
                    return;
                }
            }
        }
    }
}

/// Keeps what an event has noted of a word.
fn keep(kept: &mut Vec<(u64, Touch)>, word: &Word, event: &Event) {
    event.read(|instruction| {
        let kind = if word.reads { Kind::Either } else { Kind::Write };
        let bytes = (word.address, word.address + word.bytes);
        kept.push((word.flight, Touch { frames: instruction.frames(), kind, bytes, count: 1, is_word: true }));
    });
}

/// Joins what was noted of a flight. Instructions at `sure` that have not written there have read.
fn resolve(noted: Vec<(u64, Touch)>, sure: Option<u64>) -> Vec<Touch> {
    let mut touches = Vec::new();
    let writers: Vec<u64> = noted.iter().filter(|k| k.1.kind == Kind::Write).map(|k| k.1.frames[0]).collect();
    for (_, mut touch) in noted {
        if touch.kind == Kind::Either {
            if writers.contains(&touch.frames[0]) {
                // Noted twice.
                continue;
            }
            if sure == Some(touch.bytes.0) {
                touch.kind = Kind::Read;
            }
        }
        instruction_access::add(&mut touches, touch);
    }
    touches
}

/// The same, each word by itself.
fn by_word(noted: Vec<(u64, Touch)>, sure: Option<u64>) -> Vec<Touch> {
    let mut touches: Vec<Touch> = Vec::new();
    let writers: Vec<u64> = noted.iter().filter(|k| k.1.kind == Kind::Write).map(|k| k.1.frames[0]).collect();
    for (_, mut touch) in noted {
        if touch.kind == Kind::Either && writers.contains(&touch.frames[0]) {
            touch.kind = Kind::Write;
        } else if touch.kind == Kind::Either && sure == Some(touch.bytes.0) {
            touch.kind = Kind::Read;
        }
        let same = |t: &Touch| (t.frames[0], t.bytes, t.kind) == (touch.frames[0], touch.bytes, touch.kind);
        if !touches.iter().any(same) {
            touches.push(touch);
        }
    }
    touches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_by_itself() {
        let touch = |pc, kind, at| (1, Touch { frames: vec![pc], kind, bytes: (at, at + 4), count: 1, is_word: true });
        let noted = vec![
            touch(1, Kind::Either, 64),
            touch(1, Kind::Either, 68),
            touch(2, Kind::Either, 64),
            touch(2, Kind::Write, 64),
            touch(2, Kind::Either, 68),
            touch(1, Kind::Either, 64),
        ];
        let short: Vec<_> = by_word(noted, Some(64)).iter().map(|t| (t.frames[0], t.kind, t.bytes.0)).collect();
        assert_eq!(short, [(1, Kind::Read, 64), (1, Kind::Either, 68), (2, Kind::Write, 64), (2, Kind::Write, 68)]);
    }

    #[test]
    fn who_has_read_and_who_written() {
        let touch = |pc, kind, at| (1, Touch { frames: vec![pc], kind, bytes: (at, at + 8), count: 1, is_word: true });
        let noted = || {
            vec![
                touch(1, Kind::Either, 64),
                touch(2, Kind::Either, 64),
                touch(2, Kind::Write, 64),
                touch(3, Kind::Either, 72),
                touch(1, Kind::Either, 64),
            ]
        };
        let short = |t: Vec<Touch>| t.iter().map(|t| (t.frames[0], t.kind, t.count)).collect::<Vec<_>>();
        assert_eq!(short(resolve(noted(), Some(64))), [(1, Kind::Read, 2), (2, Kind::Write, 1), (3, Kind::Either, 1)]);
        assert_eq!(short(resolve(noted(), None)), [(1, Kind::Either, 2), (2, Kind::Write, 1), (3, Kind::Either, 1)]);
    }

    #[inline(never)]
    fn store(at: &AtomicU64) {
        at.store(at.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    #[test]
    fn words_of_this_process() {
        static WORDS_HERE: [AtomicU64; 6] = [const { AtomicU64::new(0) }; 6];
        let at = |i: usize| &raw const WORDS_HERE[i] as u64;
        let mut watches = Watches::default();
        let Some(first) = watches.watch(&[(at(0), 8), (at(1), 8)], true, 64) else {
            eprintln!("no watchpoints here: {:?}", std::io::Error::last_os_error());
            return;
        };
        // Three words are in use: two, and the first one for writes.
        let second = watches.watch(&[(at(2), 8)], false, 64).unwrap();
        let third = watches.watch(&[(at(3), 8)], false, 64).unwrap();
        store(&WORDS_HERE[0]);
        std::thread::scope(|s| drop(s.spawn(|| store(&WORDS_HERE[5]))));
        store(&WORDS_HERE[2]);
        store(&WORDS_HERE[3]);
        let touches = watches.unwatch(&second);
        assert_eq!(touches.len(), 1);
        assert_eq!((touches[0].kind, touches[0].bytes), (Kind::Write, (at(2), at(2) + 8)));
        let function = store as fn(&AtomicU64) as usize as u64;
        assert!((function..function + 64).contains(&touches[0].frames[0]), "{touches:?}");
        assert_eq!(watches.unwatch(&third).len(), 1);
        let touches = watches.unwatch(&first);
        assert!(touches.iter().any(|t| t.kind == Kind::Write || t.kind == Kind::Either), "{touches:?}");
        store(&WORDS_HERE[0]);
        assert_eq!(watches.words, [None; WORDS]);
        let descriptors: Vec<i32> = watches.threads.iter().flat_map(|t| &t.events).map(|e| e.fd.as_raw_fd()).collect();
        let is_open = |fd: &&i32| std::fs::exists(format!("/proc/self/fd/{fd}")).unwrap_or(false);
        assert!(descriptors.len() >= WORDS && descriptors.iter().all(|fd| *fd >= file::HIGH));
        // The program has its own file where one was.
        let taken = descriptors[1];
        // SAFETY: a descriptor of the test, otherwise unused.
        assert_eq!(unsafe { libc::dup2(2, taken) }, taken);
        watches.rest();
        assert!(watches.threads.is_empty());
        assert_eq!(descriptors.iter().filter(is_open).collect::<Vec<_>>(), [&taken]);
        // SAFETY: as above.
        unsafe { libc::close(taken) };
        assert!(watches.watch(&[(at(4), 8)], false, 1).is_some() && watches.threads.len() == 1);
    }
}
