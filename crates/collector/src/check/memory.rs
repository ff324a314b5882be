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

/// What is wrong with a piece of memory.
#[derive(Debug, PartialEq, Eq)]
pub enum Amiss {
    /// Only so many bytes from its beginning can be accessed; whether the rest is there, but read-only.
    Unmapped(u64, bool),
    /// The block of heap that it lies in ends after so many bytes.
    Short(u64),
}

impl Memory {
    /// Whether all of `[address, address + bytes)` can be read, or written.
    pub fn amiss(&mut self, address: u64, bytes: u64, write: bool) -> Option<Amiss> {
        if let Some(here) = self.mappings.get(self.last)
            && here.start <= address
            && address.checked_add(bytes).is_some_and(|end| end <= here.end)
            && (if write { here.writable } else { here.readable })
        {
            return if here.heap { self.block(address, bytes) } else { None };
        }
        self.look(address, bytes, write)
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
    fn look(&mut self, address: u64, bytes: u64, write: bool) -> Option<Amiss> {
        for again in [false, true] {
            if again {
                self.learn();
            }
            match self.reach(address, bytes, write) {
                Ok(heap) => return if heap { self.block(address, bytes) } else { None },
                Err((reach, exists)) if again && !self.mappings.is_empty() && !self.foreign => {
                    return Some(Amiss::Unmapped(reach, exists));
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
            self.mappings.push(Mapping { start, end, readable, writable, heap: name == "[heap]", device });
        }
    }

    /// The heap that `malloc` of the C library keeps below the program break is a row of blocks, each with its length
    /// in front. They are walked from the first one; anything unexpected ends that without an answer.
    fn block(&mut self, address: u64, bytes: u64) -> Option<Amiss> {
        /// Longer rows are not walked: they cost too much for each call.
        const MOST: usize = 100_000;
        if self.blocks.is_empty() {
            self.blocks.resize(BLOCKS, Block::default());
        }
        let place = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        let known = self.blocks[place];
        // SAFETY: it lay in the heap; whether it still does is asked first.
        if known.address == address
            && self.mappings.get(self.last).is_some_and(|m| (m.start..m.end).contains(&(known.at + 8)))
            && unsafe { ((known.at + 8) as *const u64).read_volatile() } == known.word
            && bytes <= known.room
        {
            return None;
        }
        let heap = *self.mappings.get(self.last).filter(|m| m.heap)?;
        if !is_glibc() {
            return None;
        }
        let mut at = heap.start;
        for _ in 0..MOST {
            if at + 16 > heap.end {
                return None;
            }
            // SAFETY: inside of a mapping that is readable.
            let word = unsafe { ((at + 8) as *const u64).read_volatile() };
            let size = word & !7;
            // Blocks of 16 bytes and their multiples, of the main arena, not mapped.
            if size < 32 || size % 16 != 0 || word & 6 != 0 || at + size > heap.end {
                return None;
            }
            let next = at + size;
            // A block in use reaches to the length of the one after it.
            let room = next + 8;
            if (at + 16..room).contains(&address) {
                let end = address + bytes;
                self.blocks[place] = Block { address, at, word, room: room - address };
                let is_last = next + 16 > heap.end;
                if end <= room || is_last {
                    return None;
                }
                // SAFETY: as above: the block after this one says whether this one is in use.
                let used = unsafe { ((next + 8) as *const u64).read_volatile() } & 1 != 0;
                return used.then_some(Amiss::Short(room - address));
            }
            at = next;
        }
        None
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
        assert_eq!(memory.amiss(at, 64, true), None);
        assert_eq!(memory.amiss(at, 64, false), None);
        // Constants can be read only.
        let text = "constant".as_ptr() as u64;
        assert_eq!(memory.amiss(text, 8, false), None);
        assert_eq!(memory.amiss(text, 8, true), Some(Amiss::Unmapped(0, true)));
        assert_eq!(memory.amiss(16, 8, false), Some(Amiss::Unmapped(0, false)));
        assert!(matches!(memory.amiss(at, 1 << 60, false), Some(Amiss::Unmapped(n, _)) if n >= 64));
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
            assert_eq!(memory.amiss(at as u64, 8192, true), None);
            libc::mprotect(at.add(4096), 4096, read);
            memory.learn();
            assert_eq!(memory.amiss(at as u64, 8192, true), Some(Amiss::Unmapped(4096, true)));
            libc::munmap(at, 8192);
        }
    }
}
