//! Memory with small or with huge pages.

use std::fs;
use std::ptr::NonNull;

/// How a block is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Of 4 KiB, also where the system prefers huge ones.
    Small,
    /// Huge ones, if the kernel gives any: see [`Block::huge_bytes`].
    Huge,
}

/// Size of a huge page of x86-64 and of AArch64 with 4 KiB pages.
const HUGE_BYTES: usize = 2 << 20;
/// Size of a small page.
pub const PAGE_BYTES: usize = 4096;

/// Zeroed memory of this process, on a boundary of huge pages.
pub struct Block {
    start: NonNull<u8>,
    bytes: usize,
    /// What was mapped, which begins earlier.
    mapped: NonNull<u8>,
    mapped_bytes: usize,
}

impl Block {
    /// Maps memory and touches all of it, on the NUMA node of this thread. `None` if there is not enough.
    pub fn new(bytes: usize, pages: Pages) -> Option<Block> {
        let bytes = bytes.max(1).checked_next_multiple_of(PAGE_BYTES)?;
        // The end, too, so that the last page can be huge.
        let mapped_bytes = bytes.checked_next_multiple_of(HUGE_BYTES)?.checked_add(HUGE_BYTES)?;
        let advice = match pages {
            Pages::Small => libc::MADV_NOHUGEPAGE,
            Pages::Huge => libc::MADV_HUGEPAGE,
        };
        // SAFETY: a new mapping at an address of the kernel's choice. An advice that fails changes nothing.
        let mapped = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let mapped =
                libc::mmap(std::ptr::null_mut(), mapped_bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if mapped == libc::MAP_FAILED {
                return None;
            }
            libc::madvise(mapped, mapped_bytes, advice);
            NonNull::new(mapped.cast::<u8>())?
        };
        let offset = mapped.align_offset(HUGE_BYTES);
        // SAFETY: the offset is below one huge page, which was mapped in addition.
        let start = unsafe { mapped.add(offset) };
        let block = Block { start, bytes, mapped, mapped_bytes };
        for at in (0..bytes).step_by(PAGE_BYTES) {
            // SAFETY: inside of the block. Volatile, as a write of zero to zeroed memory might be removed.
            unsafe { block.start.add(at).write_volatile(0) };
        }
        Some(block)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first `bytes` bytes.
    pub fn floats(&mut self, bytes: usize) -> &mut [f64] {
        let len = bytes.min(self.bytes) / size_of::<f64>();
        // SAFETY: initialized memory of this block, aligned, borrowed with it; every pattern of bits is a number.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), len) }
    }

    /// The address of a byte of it.
    ///
    /// # Panics
    /// If it is not inside.
    pub fn start_of(&mut self, offset: usize) -> *mut u8 {
        assert!(offset < self.bytes, "offset {offset} is outside the block of {} bytes", self.bytes);
        // SAFETY: inside of the block.
        unsafe { self.start.add(offset) }.as_ptr()
    }

    /// How much of it has huge pages, according to the kernel.
    pub fn huge_bytes(&self) -> usize {
        let start = self.start.as_ptr() as usize;
        fs::read_to_string("/proc/self/smaps").map_or(0, |smaps| huge_bytes_at(&smaps, start)).min(self.bytes)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nothing borrows it any more.
        unsafe { libc::munmap(self.mapped.as_ptr().cast(), self.mapped_bytes) };
    }
}

/// Bytes with huge pages of the mapping that contains an address.
fn huge_bytes_at(smaps: &str, address: usize) -> usize {
    let mut is_inside = false;
    for line in smaps.lines() {
        if let Some((from, to)) = range(line) {
            is_inside = (from..to).contains(&address);
        } else if let Some(text) = line.strip_prefix("AnonHugePages:").filter(|_| is_inside) {
            return text.trim().trim_end_matches(" kB").parse().map_or(0, |kb: usize| kb << 10);
        }
    }
    0
}

/// The addresses at the beginning of a mapping's lines.
fn range(line: &str) -> Option<(usize, usize)> {
    let (from, to) = line.split_whitespace().next()?.split_once('-')?;
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    Some((number(from)?, number(to)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_writable() {
        for pages in [Pages::Small, Pages::Huge] {
            let mut block = Block::new(3 << 20, pages).unwrap();
            assert_eq!(block.start.as_ptr() as usize % HUGE_BYTES, 0);
            let floats = block.floats(usize::MAX);
            assert_eq!(floats.len(), (3 << 20) / 8);
            assert!(floats.iter().all(|&value| value == 0.0));
            floats.fill(1.5);
            assert_eq!(block.floats(64), [1.5; 8]);
            // Whether the kernel gives huge pages depends on the system; that small ones were requested is certain.
            assert!(pages == Pages::Huge || block.huge_bytes() == 0);
        }
    }

    #[test]
    fn no_memory_is_no_block() {
        assert!(Block::new(usize::MAX, Pages::Small).is_none());
        assert!(Block::new(1 << 50, Pages::Small).is_none());
    }

    #[test]
    fn the_mapping_of_an_address_is_found() {
        let smaps = "\
7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n\
Size:               2048 kB\n\
AnonHugePages:         0 kB\n\
VmFlags: rd wr mr mw me ac nh\n\
7f0000200000-7f0000800000 rw-p 00000000 00:00 0 \n\
AnonHugePages:      4096 kB\n";
        assert_eq!(huge_bytes_at(smaps, 0x7f00_0000_0000), 0);
        assert_eq!(huge_bytes_at(smaps, 0x7f00_0040_0000), 4 << 20);
        assert_eq!(huge_bytes_at(smaps, 0x7f00_0080_0000), 0);
        assert_eq!(huge_bytes_at("", 1), 0);
    }
}
