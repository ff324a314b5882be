//! One rank's blocks, and samples of the rate of loops.

use std::time::{Duration, Instant};

use super::block::{Block, Pages};
use super::kernels::{Arrays, Kernel};

/// Blocks for both sizes of pages, as large as there is memory.
pub struct Blocks {
    small: Block,
    /// `None` if the kernel gives no huge pages for at least half of it.
    huge: Option<Block>,
    /// From this working set on, no cache holds anything of it that is used again.
    uncached: usize,
}

impl Blocks {
    /// `sizes`: working sets, the smallest first. The blocks are for the largest for which there is memory; `None` if there is
    /// none for any. `uncached`: a working set of which no cache holds anything that is used again.
    pub fn new(sizes: &[usize], uncached: usize) -> Option<Blocks> {
        let both = |&bytes: &usize| Some((Block::new(bytes, Pages::Small)?, Block::new(bytes, Pages::Huge)?));
        let (small, huge) = sizes.iter().rev().find_map(both)?;
        let huge = Some(huge).filter(|huge| huge.huge_bytes() >= huge.bytes() / 2);
        Some(Blocks { small, huge, uncached })
    }

    /// The largest working set.
    pub fn bytes(&self) -> usize {
        self.small.bytes()
    }

    pub fn has(&self, pages: Pages) -> bool {
        pages == Pages::Small || self.huge.is_some()
    }

    fn block(&mut self, pages: Pages) -> &mut Block {
        match (pages, &mut self.huge) {
            (Pages::Huge, Some(huge)) => huge,
            _ => &mut self.small,
        }
    }

    /// Runs a kernel once over a working set, and returns the index of the first wrong element.
    pub fn verify(&mut self, kernel: Kernel, pages: Pages, bytes: usize) -> Option<usize> {
        let mut arrays = Arrays::new(kernel, self.block(pages).floats(bytes));
        arrays.run(1);
        arrays.first_wrong()
    }

    /// The time of so many passes. What a cache can hold is filled before, which brings it there.
    pub fn time(&mut self, kernel: Kernel, pages: Pages, bytes: usize, passes: u64) -> Duration {
        let is_cached = bytes < self.uncached;
        let floats = self.block(pages).floats(bytes);
        let mut arrays = if is_cached { Arrays::new(kernel, floats) } else { Arrays::as_it_is(kernel, floats) };
        let start = Instant::now();
        arrays.run(passes);
        start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::KERNELS;
    use super::*;

    #[test]
    fn samples_of_every_kernel() {
        let mut blocks = Blocks::new(&[1 << 16, 1 << 20], 1 << 20).unwrap();
        assert_eq!(blocks.bytes(), 1 << 20);
        for kernel in KERNELS {
            for pages in [Pages::Small, Pages::Huge] {
                assert_eq!(blocks.verify(kernel, pages, 1 << 16), None);
                let time_ns = blocks.time(kernel, pages, 1 << 16, 100).as_nanos();
                // Between 10 TB/s and 10 MB/s.
                assert!((600..600_000_000).contains(&time_ns), "{kernel:?} {time_ns}");
            }
        }
        assert!(blocks.has(Pages::Small));
    }

    #[test]
    fn the_largest_working_set_that_there_is_memory_for() {
        assert_eq!(Blocks::new(&[1 << 16, 1 << 50], 0).unwrap().bytes(), 1 << 16);
        assert!(Blocks::new(&[1 << 50], 0).is_none() && Blocks::new(&[], 0).is_none());
    }
}
