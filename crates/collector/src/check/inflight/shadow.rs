//! Memory in which received data land until the receive is complete.
//!
//! It is never returned to the system: an MPI library may have registered it with a network adaptor.

use super::layout::Layout;

/// Sizes of blocks smaller than a page, and how much memory is divided into them at once.
const SLAB: u64 = 1 << 16;
const SMALLEST: u64 = 64;
/// From this size on, large pages are requested.
const HUGE: u64 = 4 << 20;
/// Number of block sizes: powers of two from [`SMALLEST`] on.
const CLASSES: usize = 40;

/// A block.
#[derive(Debug)]
pub struct Block {
    at: u64,
    class: u8,
}

/// All shadow memory.
#[derive(Default)]
pub struct Pool {
    free: Vec<Vec<u64>>,
    mapped: u64,
}

impl Pool {
    /// A block for `span`, an offset from `address` and another one, while all blocks together have at most `most` bytes. Also
    /// returns the address in the shadow that corresponds to `address`, with the same alignment.
    pub fn allocate(&mut self, address: u64, span: (i64, i64), most: u64) -> Option<(Block, u64)> {
        const LINE: u64 = 64;
        let first = address.wrapping_add_signed(span.0);
        let bytes =
            (span.1.checked_sub(span.0)? as u64).checked_add(LINE)?.max(SMALLEST).checked_next_power_of_two()?;
        let class = bytes.trailing_zeros() as usize - SMALLEST.trailing_zeros() as usize;
        if class >= CLASSES {
            return None;
        }
        if self.free.is_empty() {
            self.free.resize_with(CLASSES, Vec::new);
        }
        if self.free[class].is_empty() {
            self.map(class, bytes, most)?;
        }
        let at = self.free[class].pop()?;
        let base = (at + (first % LINE)).wrapping_add_signed(span.0.wrapping_neg());
        Some((Block { at, class: class as u8 }, base))
    }

    #[cold]
    fn map(&mut self, class: usize, bytes: u64, most: u64) -> Option<()> {
        let room = bytes.max(SLAB);
        if self.mapped.saturating_add(room) > most {
            return None;
        }
        let (rights, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
        // SAFETY: a fresh mapping.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), room as usize, rights, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return None;
        }
        if room >= HUGE {
            // SAFETY: advice about our own mapping.
            unsafe { libc::madvise(at, room as usize, libc::MADV_HUGEPAGE) };
        }
        self.mapped += room;
        self.free[class].extend((0..room / bytes).map(|i| at as u64 + i * bytes));
        Some(())
    }

    /// Returns a block that nothing writes any more.
    pub fn give_back(&mut self, block: Block) {
        self.free[usize::from(block.class)].push(block.at);
    }
}

/// Copies the first `most` bytes of a layout's payload from one address to another.
///
/// # Safety
/// The bytes of the layout are readable at the one address and writable at the other.
pub unsafe fn copy(layout: &Layout, from: u64, to: u64, most: u64) {
    let mut left = most;
    layout.each(|at, len| {
        let part = len.min(left);
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(
                from.wrapping_add_signed(at) as *const u8,
                to.wrapping_add_signed(at) as *mut u8,
                part as usize,
            );
        }
        left -= part;
        left > 0
    });
}

#[cfg(test)]
mod tests {
    use super::super::layout::{tests::any, tests::bytes_of};
    use super::super::test_random::Random;
    use super::*;

    #[test]
    fn merged_bytes_are_those_of_the_map() {
        let mut random = Random::new(9);
        for _ in 0..500 {
            let layout = any(&mut random);
            let mine: Vec<u8> = vec![1; 2000];
            let shadow: Vec<u8> = vec![2; 2000];
            let most = random.below(layout.payload + 2);
            let places = bytes_of(&layout);
            let mut wanted = mine.clone();
            for &p in places.iter().take(most as usize) {
                wanted[(1000 + p) as usize] = 2;
            }
            // SAFETY: all layouts of the test lie around the middle.
            unsafe { copy(&layout, shadow.as_ptr() as u64 + 1000, mine.as_ptr() as u64 + 1000, most) };
            assert_eq!(mine, wanted);
        }
    }

    #[test]
    fn blocks() {
        let mut pool = Pool::default();
        let mut held = Vec::new();
        for (address, span) in
            [(0x1007u64, (0, 100)), (0x2000, (-40, 4)), (0, (0x7000_0010, 0x7000_2000)), (8, (-8, 0))]
        {
            let (block, base) = pool.allocate(address, span, 1 << 20).unwrap();
            let first = base.wrapping_add_signed(span.0);
            assert_eq!(first % 64, address.wrapping_add_signed(span.0) % 64);
            let end = base.wrapping_add_signed(span.1);
            assert!(first >= block.at && end <= block.at + (SMALLEST << block.class), "{span:?}");
            // SAFETY: it is ours.
            unsafe { (first as *mut u8).write_bytes(1, (end - first) as usize) };
            held.push(block);
        }
        let at = held[0].at;
        pool.give_back(held.swap_remove(0));
        assert_eq!(pool.allocate(0x1007, (0, 100), 0).unwrap().0.at, at);
        assert!(pool.allocate(0, (0, 1 << 21), 1 << 20).is_none());
        assert!(pool.allocate(0, (i64::MIN, i64::MAX), u64::MAX).is_none());
    }
}
