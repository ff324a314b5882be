//! Whether memory can be used: what is mapped, and where a block of the heap ends.

/// A mapping of the process.
#[derive(Clone, Copy, Debug)]
struct Mapping {
    start: u64,
    end: u64,
    readable: bool,
    writable: bool,
    heap: bool,
    /// Of a device: looking at it may have effects.
    device: bool,
}

/// The mappings, as they were when a question could not be answered.
#[derive(Default)]
pub struct Memory {
    mappings: Vec<Mapping>,
    /// Where the last answer came from.
    last: usize,
    /// There is memory whose addresses are not the processor's.
    foreign: bool,
    /// Blocks of heap that were found before: walking to one takes long.
    blocks: Vec<Block>,
    /// Where walks over the heap came past.
    marks: Marks,
    /// A block was looked up.
    walked: bool,
}

/// A block of heap, with the word in front of it when it was found.
#[derive(Clone, Copy, Default)]
struct Block {
    address: u64,
    at: u64,
    word: u64,
    room: u64,
}

/// Blocks that are remembered.
const BLOCKS: usize = 256;

/// A block of the heap for each stretch of it that was walked over, so that the next walk need not begin at the first block: an
/// interpreter has some hundred thousand of them, and passes other addresses in each call.
///
/// A block may be gone: joined with the one before it, whose owner writes what it likes. If the word in front of it is the same, a walk
/// from it nearly always meets the row again; that memory is too short is believed only to a walk from the first block.
#[derive(Default)]
struct Marks {
    /// Where the heap begins.
    start: u64,
    /// By stretch: the first block that begins in it, 0 if that is not known, and the word in front of it.
    of: Vec<(u64, u64)>,
    /// A block at which walks end, since what follows is none of glibc's.
    end: (u64, u64),
}

/// Bytes of a stretch, as a power of two: some hundred blocks are walked over in half a microsecond.
const STRETCH: u32 = 14;
/// Most stretches: what lies behind 256 MiB of heap is walked to from there.
const STRETCHES: usize = 1 << 14;

/// What is wrong with a piece of memory.
#[derive(Debug, PartialEq, Eq)]
pub enum Inaccessible {
    /// Only so many bytes from its beginning can be accessed; whether the rest is there, but read-only.
    Unmapped(u64, bool),
    /// The block of heap that it lies in ends after so many bytes.
    Short(u64),
}

impl Memory {
    /// Whether all of `[address, address + bytes)` can be read, or written.
    pub fn inaccessible(&mut self, address: u64, bytes: u64, write: bool) -> Option<Inaccessible> {
        if let Some(here) = self.mappings.get(self.last)
            && here.start <= address
            && address.checked_add(bytes).is_some_and(|end| end <= here.end)
            && (if write { here.writable } else { here.readable })
        {
            return if here.heap { self.block(address, bytes) } else { None };
        }
        self.find_mapping(address, bytes, write)
    }

    /// The same, of memory that may have been freed since it was last checked.
    pub fn inaccessible_now(&mut self, address: u64, bytes: u64, write: bool) -> Option<Inaccessible> {
        self.learn();
        self.inaccessible(address, bytes, write).or_else(|| self.mapped_block(address, bytes))
    }

    /// Large blocks of `malloc` have mappings of their own, with their length in front. The kernel joins mappings that lie side by
    /// side, so their ends say nothing. The mappings were just learned.
    fn mapped_block(&self, address: u64, bytes: u64) -> Option<Inaccessible> {
        let begin = address.checked_sub(16).filter(|begin| begin.is_multiple_of(4096))?;
        let here = self.mappings.iter().find(|m| m.start <= begin && address < m.end && m.readable && !m.device)?;
        // SAFETY: aligned, in a mapping that is readable.
        let before = unsafe { (begin as *const u64).read_volatile() };
        let word = word_at(begin);
        let size = word & !7;
        let is_one = before == 0 && word & 7 == 2 && size > 0 && size.is_multiple_of(4096) && size <= here.end - begin;
        let room = size.checked_sub(16)?;
        (is_one && bytes > room && is_glibc()).then_some(Inaccessible::Short(room))
    }

    /// Whether all of it is plain memory, which can be read at any time, and written if asked for.
    pub fn is_ordinary(&mut self, address: u64, bytes: u64, write: bool) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let fits = |m: &Mapping| m.readable && (m.writable || !write) && !m.device;
        if self.mappings.get(self.last).is_some_and(|m| m.start <= address && end <= m.end && fits(m)) {
            return true;
        }
        for again in [false, true] {
            if again {
                self.learn();
            }
            let mut at = address;
            let first = self.mappings.partition_point(|m| m.end <= address);
            for (number, m) in self.mappings.iter().enumerate().skip(first) {
                if at >= end || m.start > at || !fits(m) {
                    break;
                }
                self.last = number;
                at = m.end;
            }
            if at >= end {
                return true;
            }
            // Asking again and again about memory of devices would not help.
            if self.foreign || self.mappings.get(first).is_some_and(|m| m.start <= address && m.device) {
                return false;
            }
        }
        false
    }

    #[cold]
    fn find_mapping(&mut self, address: u64, bytes: u64, write: bool) -> Option<Inaccessible> {
        for again in [false, true] {
            if again {
                self.learn();
            }
            match self.reach(address, bytes, write) {
                Ok(heap) => return if heap { self.block(address, bytes) } else { None },
                Err((reach, exists)) if again && !self.mappings.is_empty() && !self.foreign => {
                    return Some(Inaccessible::Unmapped(reach, exists));
                }
                Err(_) => {}
            }
        }
        None
    }

    /// How far memory goes on; `Ok` when far enough, and whether it is all in the heap.
    fn reach(&mut self, address: u64, bytes: u64, write: bool) -> Result<bool, (u64, bool)> {
        let end = address.saturating_add(bytes);
        let mut at = address;
        let first = self.mappings.partition_point(|m| m.end <= address);
        let mut heap = true;
        for (number, m) in self.mappings.iter().enumerate().skip(first) {
            if at >= end {
                break;
            }
            if m.start > at {
                return Err((at - address, false));
            }
            if !(if write { m.writable } else { m.readable }) {
                return Err((at - address, m.readable));
            }
            heap &= m.heap;
            self.last = number;
            at = m.end;
        }
        if at >= end { Ok(heap) } else { Err((at - address, false)) }
    }

    fn learn(&mut self) {
        let Ok(text) = std::fs::read_to_string("/proc/self/maps") else { return };
        self.mappings.clear();
        self.last = 0;
        for line in text.lines() {
            let mut fields = line.split_ascii_whitespace();
            let (Some(range), Some(rights)) = (fields.next(), fields.next()) else { continue };
            let Some((start, end)) = range.split_once('-') else { continue };
            let (Ok(start), Ok(end)) = (u64::from_str_radix(start, 16), u64::from_str_radix(end, 16)) else { continue };
            let name = fields.nth(3).unwrap_or("");
            // Memory of accelerators has addresses that are not mapped for the processor.
            self.foreign |= ["libcuda.so", "libamdhip64.so", "libze_loader.so", "/dev/nvidia", "/dev/kfd"]
                .iter()
                .any(|sign| name.contains(sign));
            let rights = rights.as_bytes();
            let (readable, writable) = (rights[0] == b'r', rights.get(1) == Some(&b'w'));
            let device = name.starts_with("/dev/") && !name.starts_with("/dev/shm/") && !name.starts_with("/dev/zero");
            self.add(Mapping { start, end, readable, writable, heap: name == "[heap]", device });
        }
    }

    /// The next mapping. The heap is one row of blocks, also where the kernel has it in several (UCX keeps parts of it from
    /// children by `madvise`).
    fn add(&mut self, new: Mapping) {
        match self.mappings.last_mut() {
            Some(last)
                if last.heap
                    && new.heap
                    && last.end == new.start
                    && (last.readable, last.writable) == (new.readable, new.writable) =>
            {
                last.end = new.end;
            }
            _ => self.mappings.push(new),
        }
    }

    /// The heap that `malloc` of the C library keeps below the program break is a row of blocks, each with its length
    /// in front. They are walked from the first one; anything unexpected ends that without an answer.
    fn block(&mut self, address: u64, bytes: u64) -> Option<Inaccessible> {
        if self.blocks.is_empty() {
            self.blocks.resize(BLOCKS, Block::default());
        }
        let place = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        let known = self.blocks[place];
        // It lay in the heap; whether it still does is asked first.
        if known.address == address
            && self.mappings.get(self.last).is_some_and(|m| (m.start..m.end).contains(&(known.at + 8)))
            && word_at(known.at) == known.word
            && bytes <= known.room
        {
            return None;
        }
        let heap = *self.mappings.get(self.last).filter(|m| m.heap)?;
        if !is_glibc() {
            return None;
        }
        if self.marks.start != heap.start {
            self.marks = Marks { start: heap.start, ..Marks::default() };
        }
        if self.marks.end.0 != 0 && self.marks.end.0 < address && word_at(self.marks.end.0) == self.marks.end.1 {
            return None;
        }
        let from = self.marks.before(address);
        let mut walked = self.walk(heap, from, address, bytes);
        if from != heap.start && matches!(walked, Walked::Short(_) | Walked::Lost(_)) {
            self.marks.of.clear();
            walked = self.walk(heap, heap.start, address, bytes);
        }
        match walked {
            Walked::Fits(block) => {
                self.blocks[place] = block;
                self.walked = true;
            }
            Walked::Lost(at) => self.marks.end = (at, word_at(at)),
            Walked::Short(room) => return Some(Inaccessible::Short(room)),
            Walked::Nowhere => {}
        }
        None
    }

    /// Whether a block was looked up since this was last asked: it is new, or has changed.
    pub fn has_walked(&mut self) -> bool {
        std::mem::take(&mut self.walked)
    }

    /// Whether the heap block that contains an address is freed. The address is mapped.
    ///
    /// Asked of a block that was found before. What `malloc` keeps for the next one of its size looks as if it were in
    /// use; but there it writes into the block itself.
    pub fn is_freed(&mut self, address: u64) -> bool {
        if !self.mappings.get(self.last).is_some_and(|m| (m.start..m.end).contains(&address))
            && self.reach(address, 1, false).is_err()
        {
            return false;
        }
        let Some(heap) = self.mappings.get(self.last).copied().filter(|m| m.heap && is_glibc()) else { return false };
        // It may have grown or shrunk since it was looked up.
        // SAFETY: only asks.
        let end = unsafe { libc::sbrk(0) } as u64;
        let heap = if end > heap.start { Mapping { end, ..heap } } else { heap };
        if address >= heap.end {
            return false;
        }
        let place = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        let known = self.blocks.get(place).copied().unwrap_or_default();
        if known.address != address || !(heap.start..address).contains(&known.at) {
            return false;
        }
        // The lowest bit is about the block before it.
        if word_at(known.at) | 1 == known.word | 1 && !is_free(known.at, heap) {
            return false;
        }
        // Only a walk from the first block is believed, and what a thread is just about to change is not there twice.
        let mut walk = || match self.walk(heap, heap.start, address, 1) {
            Walked::Fits(block) if is_free(block.at, heap) => Some((block.at, block.word)),
            _ => None,
        };
        walk().is_some_and(|first| walk() == Some(first))
    }

    /// From a block of the heap to the one that an address lies in.
    fn walk(&mut self, heap: Mapping, from: u64, address: u64, bytes: u64) -> Walked {
        /// Longer walks cost too much for a call. The next one begins where this one has ended.
        const MOST: usize = 100_000;
        let (mut at, mut marked) = (from, usize::MAX);
        for _ in 0..MOST {
            if at + 16 > heap.end {
                return Walked::Nowhere;
            }
            let word = word_at(at);
            let size = word & !7;
            // Blocks of 16 bytes and their multiples, of the main arena, not mapped.
            if size < 32 || !size.is_multiple_of(16) || word & 6 != 0 || at + size > heap.end {
                return Walked::Lost(at);
            }
            let stretch = ((at - heap.start) >> STRETCH) as usize;
            if stretch != marked {
                marked = stretch;
                self.marks.set(stretch, at, word);
            }
            let next = at + size;
            // The length of a block is nobody's memory: whatever ran into it from behind would damage the heap.
            if (at + 8..at + 16).contains(&address) {
                return Walked::Short(0);
            }
            // A block in use reaches to the length of the one after it.
            let room = next + 8;
            if (at + 16..room).contains(&address) {
                let is_last = next + 16 > heap.end;
                if address + bytes <= room || is_last {
                    return Walked::Fits(Block { address, at, word, room: room - address });
                }
                // The block after this one says whether this one is in use.
                return if word_at(next) & 1 != 0 { Walked::Short(room - address) } else { Walked::Nowhere };
            }
            at = next;
        }
        Walked::Nowhere
    }
}

/// What a walk has come to.
enum Walked {
    /// The block that has it all.
    Fits(Block),
    /// The block that it lies in ends after so many bytes.
    Short(u64),
    /// Unknown.
    Nowhere,
    /// A place that is no block's.
    Lost(u64),
}

/// Whether a block is free: the header of the next one shows it; after the last one, from which new ones are cut, the heap ends.
fn is_free(block: u64, heap: Mapping) -> bool {
    let next = block.saturating_add(word_at(block) & !7);
    next.saturating_add(16) > heap.end || word_at(next) & 1 == 0
}

/// The word with the length of a block, in front of what is its owner's.
fn word_at(block: u64) -> u64 {
    // SAFETY: whoever calls has seen that it lies in a mapping that is readable.
    unsafe { ((block + 8) as *const u64).read_volatile() }
}

impl Marks {
    fn set(&mut self, stretch: usize, at: u64, word: u64) {
        if stretch >= STRETCHES {
            return;
        }
        if self.of.len() <= stretch {
            self.of.resize(stretch + 1, (0, 0));
        }
        self.of[stretch] = (at, word);
    }

    /// The nearest block before an address from which a walk can begin.
    fn before(&mut self, address: u64) -> u64 {
        let stretch = ((address - self.start) >> STRETCH) as usize;
        let known = self.of.len().min(stretch + 1);
        for mark in self.of[..known].iter_mut().rev() {
            let (at, word) = *mark;
            if at == 0 || at + 16 > address {
                continue;
            }
            // Its neighbour may have been freed since: that is the lowest bit.
            if word_at(at) | 1 == word | 1 {
                return at;
            }
            *mark = (0, 0);
        }
        self.start
    }
}

/// Whether `malloc` is the C library's: another one has other rows.
fn is_glibc() -> bool {
    static IS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *IS.get_or_init(|| {
        let objects = crate::elf::objects();
        let first = objects.iter().find(|o| o.defines("malloc").is_some());
        cfg!(target_env = "gnu") && first.is_some_and(|o| o.path.contains("libc.so.6"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped() {
        let mut memory = Memory::default();
        let stack = [0u8; 64];
        let at = stack.as_ptr() as u64;
        assert_eq!(memory.inaccessible(at, 64, true), None);
        assert_eq!(memory.inaccessible(at, 64, false), None);
        // Constants can be read only.
        let text = "constant".as_ptr() as u64;
        assert_eq!(memory.inaccessible(text, 8, false), None);
        assert_eq!(memory.inaccessible(text, 8, true), Some(Inaccessible::Unmapped(0, true)));
        assert_eq!(memory.inaccessible(16, 8, false), Some(Inaccessible::Unmapped(0, false)));
        assert!(matches!(memory.inaccessible(at, 1 << 60, false), Some(Inaccessible::Unmapped(n, _)) if n >= 64));
    }

    #[test]
    fn what_was_mapped_later() {
        let mut memory = Memory::default();
        memory.learn();
        // SAFETY: a fresh mapping, given back below.
        unsafe {
            let (read, write) = (libc::PROT_READ, libc::PROT_READ | libc::PROT_WRITE);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let at = libc::mmap(std::ptr::null_mut(), 8192, write, flags, -1, 0);
            assert_eq!(memory.inaccessible(at as u64, 8192, true), None);
            libc::mprotect(at.add(4096), 4096, read);
            memory.learn();
            assert_eq!(memory.inaccessible(at as u64, 8192, true), Some(Inaccessible::Unmapped(4096, true)));
            libc::munmap(at, 8192);
        }
    }
    /// Memory as glibc lays out its heap: blocks of so many bytes, all in use, and what `Memory` knows of it.
    fn heap(sizes: &[u64]) -> (Vec<u64>, Memory) {
        let bytes: u64 = sizes.iter().sum();
        let mut words = vec![0u64; bytes as usize / 8 + 2];
        let mut at = 0;
        for &size in sizes {
            words[at / 8 + 1] = size | 1;
            at += size as usize;
        }
        let start = words.as_ptr() as u64;
        let end = start + bytes;
        let heap = Mapping { start, end, readable: true, writable: true, heap: true, device: false };
        (words, Memory { mappings: vec![heap], ..Memory::default() })
    }

    #[test]
    fn blocks_with_mappings_of_their_own() {
        let mut memory = Memory::default();
        let bytes = 1 << 20;
        // SAFETY: fresh blocks, given back below.
        let blocks = [0; 2].map(|_| unsafe { libc::malloc(bytes) as u64 });
        for at in blocks {
            let room = (bytes as u64 + 16).next_multiple_of(4096) - 16;
            assert_eq!(memory.inaccessible_now(at, room, true), None);
            let why = memory.inaccessible_now(at, room + 1, true);
            assert!(matches!(why, Some(Inaccessible::Short(n) | Inaccessible::Unmapped(n, _)) if n >= room), "{why:?}");
            // What begins elsewhere in it is not looked up.
            assert_eq!(memory.mapped_block(at + 8, room + 1), None);
        }
        // The kernel has put the second one in front of the first one.
        if blocks[1] < blocks[0] {
            assert!(matches!(memory.mapped_block(blocks[1], 2 << 20), Some(Inaccessible::Short(_))));
        }
        // SAFETY: see above.
        blocks.iter().for_each(|&at| unsafe { libc::free(at as *mut libc::c_void) });
    }

    #[test]
    fn blocks_that_were_given_back() {
        let (mut words, mut memory) = heap(&[48, 96, 48, 64]);
        let block = |bytes: u64| words.as_ptr() as u64 + bytes + 16;
        let (first, second, third) = (block(0), block(48), block(144));
        // Two of them may have one place among those that are remembered: the later one keeps it.
        for at in [third, second, first] {
            assert_eq!(memory.inaccessible(at, 40, true), None);
            assert!(!memory.is_freed(at));
        }
        // Free, and a neighbour has to find its beginning from its end.
        words[144 / 8 + 1] &= !1;
        assert!(memory.is_freed(second) && !memory.is_freed(first) && !memory.is_freed(third));
        // Nothing is known of what was never asked for.
        assert!(!memory.is_freed(second + 8));
        // Used again.
        words[144 / 8 + 1] |= 1;
        assert!(!memory.is_freed(second));
        // Joined with the one before it.
        (words[1], words[144 / 8 + 1]) = (144 | 1, 48);
        assert!(memory.is_freed(first) && memory.is_freed(second));
    }

    #[test]
    fn a_heap_in_several_mappings() {
        let (words, whole) = heap(&[48, 96, 48, 64]);
        let Mapping { start, end, .. } = whole.mappings[0];
        let mut memory = Memory::default();
        // In the middle of a block.
        let cuts = [start, start + 80, start + 160, end];
        for part in cuts.windows(2) {
            memory.add(Mapping { start: part[0], end: part[1], ..whole.mappings[0] });
        }
        assert_eq!(memory.inaccessible(start + 144 + 16, 40, true), None);
        assert_eq!(memory.inaccessible(start + 144 + 16, 41, true), Some(Inaccessible::Short(40)));
        memory.add(Mapping { start: end, end: end + 64, writable: false, ..whole.mappings[0] });
        memory.add(Mapping { start: end + 64, end: end + 128, heap: false, writable: false, ..whole.mappings[0] });
        assert_eq!(memory.mappings.len(), 3);
        drop(words);
    }

    #[test]
    fn blocks_of_a_long_heap() {
        assert!(is_glibc());
        let count = 300_000u64;
        let (mut words, mut memory) = heap(&vec![48; count as usize]);
        let start = words.as_ptr() as u64;
        let block = |n: u64| start + 48 * n + 16;
        // Behind what one walk comes to: the next ones go on.
        let ask = |memory: &mut Memory, n: u64, bytes| memory.inaccessible(block(n), bytes, true);
        let far = count - 10;
        for _ in 0..=count / 100_000 {
            assert_eq!(ask(&mut memory, far, 40), None);
        }
        assert_eq!(memory.blocks.iter().filter(|b| b.address == block(far)).count(), 1);
        // Now walks are short.
        let marks = memory.marks.of.len();
        assert!(marks > 800, "{marks}");
        assert!(memory.marks.before(block(far + 5)) > block(far) - (2 << STRETCH));
        // Too short is said of what the whole row says, of the first blocks at least.
        assert_eq!(ask(&mut memory, 5_000, 41), Some(Inaccessible::Short(40)));
        assert_eq!(ask(&mut memory, 5_001, 40), None);
        // Nobody's: the length in front of a block. What lies before that belongs to the block before.
        assert_eq!(memory.inaccessible(block(5_001) - 4, 8, true), Some(Inaccessible::Short(0)));
        assert_eq!(memory.inaccessible(block(5_001) - 16, 8, true), None);
        assert_eq!(memory.inaccessible(block(5_001) - 12, 8, true), Some(Inaccessible::Short(4)));
        // A block becomes part of the one before it, and its word something else: no walk begins there any more.
        let at = memory.marks.of[14].0;
        let word = ((at - start) / 8) as usize + 1;
        (words[word - 6], words[word]) = (96 | 1, 0x1234_5678);
        assert_eq!(memory.inaccessible(at - 48 + 16, 88, true), None);
        assert_eq!(memory.inaccessible(at - 48 + 16, 89, true), Some(Inaccessible::Short(88)));
        assert_eq!(memory.inaccessible(at + 48 + 16, 40, true), None);
        // Behind something that is no block nothing is said, however often it is asked.
        words[48 / 8 * 10 + 1] = 7;
        memory.marks.of.clear();
        for _ in 0..2 {
            assert_eq!(ask(&mut memory, 20, 41), None);
            assert_eq!(memory.marks.end.0, start + 480);
        }
        assert_eq!(ask(&mut memory, 9, 41), Some(Inaccessible::Short(40)));
        words[48 / 8 * 10 + 1] = 48 | 1;
        assert_eq!(ask(&mut memory, 21, 41), Some(Inaccessible::Short(40)));
    }
}
