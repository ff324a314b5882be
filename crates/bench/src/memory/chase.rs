//! Loads that depend on each other: the latency of caches, of memory, and of a miss in the TLB.
//!
//! A ring of pointers goes through all places of a working set in a random order, so that no prefetcher predicts the next one.
//! Each place comes again only after all others: a working set that is larger than a cache misses in it at nearly every step.
//! Source: Saavedra and Smith (1995); McVoy and Staelin, *lmbench* (1996), `lat_mem_rd`.

use std::hint::black_box;
use std::marker::PhantomData;

use super::block::{Block, PAGE_BYTES};

/// A line of a cache; a pointer is at its beginning.
pub const LINE_BYTES: usize = 64;

/// Which places a ring has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// Every line.
    Line,
    /// One line of each page of 4 KiB. Its place in the page changes, so that the lines use all sets of a cache.
    Page,
}

impl Stride {
    fn bytes(self) -> usize {
        match self {
            Stride::Line => LINE_BYTES,
            Stride::Page => PAGE_BYTES,
        }
    }

    /// Offset of place `index`.
    fn place(self, index: usize) -> usize {
        match self {
            Stride::Line => index * LINE_BYTES,
            Stride::Page => index * PAGE_BYTES + index % (PAGE_BYTES / LINE_BYTES) * LINE_BYTES,
        }
    }
}

/// A ring in a part of a block.
pub struct Ring<'a> {
    next: *const u8,
    /// The first place.
    base: *const u8,
    stride: Stride,
    places: usize,
    block: PhantomData<&'a mut Block>,
}

impl<'a> Ring<'a> {
    /// Makes rings of these sizes (bytes), one behind the other. `None` if the block is too small for them.
    pub fn several(
        block: &'a mut Block,
        stride: Stride,
        sizes: &[usize],
        random: &mut fastrand::Rng,
    ) -> Option<Vec<Ring<'a>>> {
        let starts = sizes.iter().scan(0usize, |end, &bytes| {
            let start = *end;
            *end = end.checked_add(bytes.checked_next_multiple_of(PAGE_BYTES)?)?;
            Some((start, *end))
        });
        let starts: Vec<(usize, usize)> = starts.collect();
        let fits = starts.len() == sizes.len() && starts.iter().all(|(_, end)| *end <= block.bytes());
        fits.then(|| {
            starts.iter().zip(sizes).map(|((start, _), &bytes)| ring(block, *start, stride, bytes, random)).collect()
        })
    }

    /// Reads all places in ascending order, which brings into the caches what they can hold.
    pub fn touch(&self) {
        for index in 0..self.places {
            // SAFETY: a place of the ring.
            black_box(unsafe { self.base.add(self.stride.place(index)).read() });
        }
    }

    /// Follows so many pointers.
    pub fn walk(&mut self, steps: u64) {
        let mut next = self.next;
        for _ in 0..steps {
            // SAFETY: every pointer of the ring is the address of an aligned place of the block, which is borrowed.
            next = unsafe { next.cast::<*const u8>().read() };
        }
        self.next = black_box(next);
    }
}

fn ring<'a>(block: &mut Block, start: usize, stride: Stride, bytes: usize, random: &mut fastrand::Rng) -> Ring<'a> {
    let places = (bytes / stride.bytes()).max(1);
    let mut order: Vec<u32> = (0..places as u32).collect();
    random.shuffle(&mut order);
    let base = block.start_of(start);
    // SAFETY: `several` has checked that all places are inside of the block.
    let address = |index: u32| unsafe { base.add(stride.place(index as usize)) };
    for (at, &index) in order.iter().enumerate() {
        let next = address(order[(at + 1) % places]).cast_const();
        // SAFETY: as above; places are aligned to a line.
        unsafe { address(index).cast::<*const u8>().write(next) };
    }
    Ring { next: address(0).cast_const(), base: base.cast_const(), stride, places, block: PhantomData }
}

#[cfg(test)]
mod tests {
    use super::super::block::Pages;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_ring_visits_every_place_once() {
        let mut block = Block::new(1 << 20, Pages::Small).unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        for stride in [Stride::Line, Stride::Page] {
            let sizes = [4096, 12_288, 65_536];
            for (ring, bytes) in Ring::several(&mut block, stride, &sizes, &mut random).unwrap().iter_mut().zip(sizes) {
                assert_eq!(ring.places, bytes / stride.bytes());
                let mut seen = BTreeSet::new();
                for _ in 0..ring.places {
                    seen.insert(ring.next as usize);
                    ring.walk(1);
                }
                assert_eq!(seen.len(), ring.places, "{stride:?}");
                let (first, last) = (*seen.first().unwrap(), *seen.last().unwrap());
                assert!(last - first < bytes && first % LINE_BYTES == 0);
                ring.touch();
                let start = ring.next;
                ring.walk(ring.places as u64);
                assert_eq!(ring.next, start, "closed");
            }
        }
    }

    #[test]
    fn rings_need_room() {
        let mut block = Block::new(1 << 20, Pages::Small).unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        let mut made = |sizes: &[usize]| Ring::several(&mut block, Stride::Line, sizes, &mut random).map(|r| r.len());
        assert_eq!(made(&[1 << 19, 1 << 19]), Some(2));
        assert_eq!(made(&[1 << 19, 1 << 19, 64]), None);
        assert_eq!(made(&[usize::MAX]), None);
        assert_eq!(made(&[]), Some(0));
    }

    #[test]
    fn lines_of_pages_are_in_different_sets() {
        let lines: BTreeSet<usize> = (0..64).map(|index| Stride::Page.place(index) % PAGE_BYTES).collect();
        assert_eq!(lines.len(), 64);
    }
}
