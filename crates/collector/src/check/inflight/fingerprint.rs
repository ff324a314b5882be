//! The earlier contents of a buffer: a copy if it is small, checksums if it is large.

use xxhash_rust::xxh3::xxh3_64;

use super::layout::Layout;

/// Most bytes that are copied, and the number of bytes of each checksum.
const BLOCK: usize = 4096;
/// Most bytes that are copied where it matters which bytes change.
const MOST_COPIED: u64 = 1 << 20;

/// The earlier contents of a buffer.
pub enum Print {
    /// A copy of all bytes.
    Copy(Box<[u8]>),
    /// Checksums of blocks: of every `n`th block.
    Sums { every: u64, sums: Box<[u64]> },
}

/// What has changed since.
#[derive(Debug, PartialEq, Eq)]
pub struct Changed {
    /// Changed bytes; with checksums, the bytes of the blocks in which something has changed.
    pub bytes: u64,
    /// Offset of the first changed byte in the payload.
    pub first: u64,
    /// Every changed byte is known.
    pub exact: bool,
}

/// Passes the payload to the callback in blocks, all complete except the last, until the callback returns false. `pick` selects
/// blocks; the others are not read.
///
/// # Safety
/// The bytes of the layout from `address` on can be read.
unsafe fn blocks(layout: &Layout, address: u64, pick: impl Fn(u64) -> bool, mut show: impl FnMut(u64, &[u8]) -> bool) {
    let mut room = [0u8; BLOCK];
    let (mut filled, mut number) = (0, 0u64);
    layout.each(|at, len| {
        let mut from = address.wrapping_add_signed(at) as *const u8;
        let mut left = len as usize;
        while left > 0 {
            if filled == 0 && left >= BLOCK {
                // SAFETY: a part of this run.
                if pick(number) && !show(number, unsafe { std::slice::from_raw_parts(from, BLOCK) }) {
                    return false;
                }
                number += 1;
                from = from.wrapping_add(BLOCK);
                left -= BLOCK;
                continue;
            }
            let part = left.min(BLOCK - filled);
            if pick(number) {
                // SAFETY: as above; the room has as much.
                unsafe { std::ptr::copy_nonoverlapping(from, room.as_mut_ptr().add(filled), part) };
            }
            filled += part;
            from = from.wrapping_add(part);
            left -= part;
            if filled == BLOCK {
                filled = 0;
                if pick(number) && !show(number, &room) {
                    return false;
                }
                number += 1;
            }
        }
        true
    });
    if filled > 0 && pick(number) {
        show(number, &room[..filled]);
    }
}

/// Selects every `n`th block, so that at most `most` bytes are read.
fn stride(payload: u64, most: u64) -> u64 {
    payload.div_ceil(most.max(BLOCK as u64)).max(1)
}

/// Selects the first block, the last one, and every `n`th.
fn picks(every: u64, payload: u64) -> impl Fn(u64) -> bool {
    let last = (payload - 1) / BLOCK as u64;
    move |number| every == 1 || number.is_multiple_of(every) || number == last
}

impl Print {
    /// Reads at most `most` bytes of a buffer. `exactly`: it matters which bytes change.
    ///
    /// # Safety
    /// The bytes of the layout from `address` on can be read.
    pub unsafe fn of(layout: &Layout, address: u64, most: u64, exactly: bool) -> Print {
        // SAFETY: the caller's promise.
        unsafe {
            let copied = if exactly { MOST_COPIED.min(most) } else { 0 };
            if layout.payload <= copied.max(BLOCK as u64) {
                let mut copy = Vec::with_capacity(layout.payload as usize);
                gather(layout, address, &mut copy);
                return Print::Copy(copy.into_boxed_slice());
            }
            let every = stride(layout.payload, most);
            let blocks_read = layout.payload.div_ceil(BLOCK as u64).div_ceil(every) + 1;
            let mut sums = Vec::with_capacity(blocks_read as usize);
            blocks(layout, address, picks(every, layout.payload), |_, bytes| {
                sums.push(xxh3_64(bytes));
                true
            });
            Print::Sums { every, sums: sums.into_boxed_slice() }
        }
    }

    /// Memory that it uses, bytes.
    pub fn room(&self) -> u64 {
        match self {
            Print::Copy(copy) => copy.len() as u64,
            Print::Sums { sums, .. } => 8 * sums.len() as u64,
        }
    }

    /// Compares with the present contents.
    ///
    /// # Safety
    /// The bytes of the layout from `address` on can be read.
    pub unsafe fn changed(&self, layout: &Layout, address: u64) -> Option<Changed> {
        let (mut bytes, mut first) = (0, None);
        match self {
            Print::Copy(copy) => {
                let mut at = 0usize;
                layout.each(|offset, len| {
                    let then = &copy[at..at + len as usize];
                    // SAFETY: the caller's promise.
                    let now = unsafe {
                        std::slice::from_raw_parts(address.wrapping_add_signed(offset) as *const u8, len as usize)
                    };
                    if then != now {
                        for (i, _) in then.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b) {
                            first.get_or_insert((at + i) as u64);
                            bytes += 1;
                        }
                    }
                    at += len as usize;
                    true
                });
                Some(Changed { bytes, first: first?, exact: true })
            }
            Print::Sums { every, sums } => {
                let mut at = 0;
                // SAFETY: the caller's promise.
                unsafe {
                    blocks(layout, address, picks(*every, layout.payload), |number, now| {
                        if sums.get(at) != Some(&xxh3_64(now)) {
                            first.get_or_insert(number * BLOCK as u64);
                            bytes += now.len() as u64;
                        }
                        at += 1;
                        true
                    });
                }
                Some(Changed { bytes, first: first?, exact: false })
            }
        }
    }
}

/// Appends the bytes of a layout.
unsafe fn gather(layout: &Layout, address: u64, to: &mut Vec<u8>) {
    layout.each(|at, len| {
        let from = address.wrapping_add_signed(at) as *const u8;
        // SAFETY: the caller's promise.
        to.extend_from_slice(unsafe { std::slice::from_raw_parts(from, len as usize) });
        true
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::layout::{Bytes, Piece, tests::any, tests::bytes_of};
    use super::super::test_random::Random;
    use super::*;

    #[test]
    fn every_changed_byte_of_few() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let layout = any(&mut random);
            let mut memory: Vec<u8> = (0..2000).map(|_| random.next() as u8).collect();
            let address = memory.as_ptr() as u64 + 1000;
            // SAFETY: all layouts of the test lie around the middle.
            let print = unsafe { Print::of(&layout, address, u64::MAX, false) };
            assert_eq!(unsafe { print.changed(&layout, address) }, None);
            let at = random.below(2000) as usize;
            memory[at] ^= 1;
            let places = bytes_of(&layout);
            let first = places.iter().position(|&p| p + 1000 == at as i64);
            let changed = unsafe { print.changed(&layout, address) };
            assert_eq!(changed.as_ref().map(|c| c.first), first.map(|f| f as u64));
            assert!(changed.is_none_or(|c| c.exact && c.bytes >= 1));
        }
    }

    #[test]
    fn blocks_of_many() {
        for (count, extent, len) in [(100_000, 1, 1u64), (3000, 24, 16), (9, 5000, 4096), (1, 70_000, 70_000)] {
            let piece = Piece { base: 8, count, extent, bytes: Arc::new(Bytes::dense(len)) };
            let layout = Layout::from_pieces(vec![piece]).unwrap();
            let mut memory = vec![7u8; 120_000];
            let address = memory.as_ptr() as u64;
            // SAFETY: the layouts end before the memory does.
            let print = unsafe { Print::of(&layout, address, u64::MAX, false) };
            let copy = unsafe { Print::of(&layout, address, u64::MAX, true) };
            assert_eq!(unsafe { print.changed(&layout, address) }, None);
            let k = layout.payload - 3;
            memory[layout.offset_of(k) as usize] = 8;
            let changed = unsafe { print.changed(&layout, address) }.unwrap();
            assert_eq!((changed.first, changed.exact), (k / 4096 * 4096, false));
            let changed = unsafe { copy.changed(&layout, address) }.unwrap();
            assert_eq!(changed, Changed { bytes: 1, first: k, exact: true });
        }
    }

    #[test]
    fn samples_of_very_many() {
        let piece = Piece { base: 0, count: 1 << 20, extent: 1, bytes: Arc::new(Bytes::dense(1)) };
        let layout = Layout::from_pieces(vec![piece]).unwrap();
        let mut memory = vec![1u8; 1 << 20];
        let address = memory.as_ptr() as u64;
        // SAFETY: as large as the layout.
        let print = unsafe { Print::of(&layout, address, 1 << 18, true) };
        assert!(matches!(&print, Print::Sums { every: 4, sums } if sums.len() == 65));
        memory[5000] = 2;
        assert_eq!(unsafe { print.changed(&layout, address) }, None);
        memory[(1 << 20) - 1] = 2;
        assert!(unsafe { print.changed(&layout, address) }.is_some());
    }
}
