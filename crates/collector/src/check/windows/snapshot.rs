//! What a process itself changes in the memory of its window while others may access it.
//!
//! Stores are invisible. So the memory is copied when an epoch begins in which others may access it, and compared before
//! the call that ends it: what differs was stored by this process, or written by others. The judge decides which, from
//! the writes of the others. Only small windows are copied, as that costs a copy for each epoch.

use mpiscope_trace::check::event::MOST_CONTENT;

/// Larger windows are not kept.
const MOST_BYTES: u64 = 64 << 10;
/// Most ranges of changed bytes that are reported.
const MOST_PIECES: usize = 64;

/// The memory of a window.
#[derive(Default)]
pub struct WindowSnapshot {
    address: u64,
    bytes: usize,
    before: Vec<u8>,
    now: Vec<u8>,
    is_kept: bool,
}

/// Offset and length.
pub type Piece = (u64, u64);

impl WindowSnapshot {
    /// Of memory that is the window's for all its life.
    pub fn snapshot(address: u64, bytes: u64) -> WindowSnapshot {
        let bytes = if address != 0 && bytes <= MOST_BYTES { bytes as usize } else { 0 };
        WindowSnapshot { address, bytes, ..WindowSnapshot::default() }
    }

    /// There is something to compare.
    pub fn is_small(&self) -> bool {
        self.bytes > 0
    }

    /// The same as [`WindowSnapshot::changed`], and kept again as it is now.
    pub fn changed_since(&mut self) -> (Vec<Piece>, Vec<u8>) {
        let was_kept = self.is_kept;
        let found = self.changed();
        match &found {
            (pieces, _) if was_kept && !pieces.is_empty() => {
                // What was compared, not what is there by now.
                std::mem::swap(&mut self.before, &mut self.now);
                self.is_kept = true;
            }
            _ => self.keep(),
        }
        found
    }

    /// From now on others may access it.
    pub fn keep(&mut self) {
        self.is_kept = copy(self.address, self.bytes, &mut self.before);
    }

    /// The copy is no longer valid.
    pub fn forget(&mut self) {
        self.is_kept = false;
    }

    /// The stretches that have changed, and the first of their bytes as they are now.
    pub fn changed(&mut self) -> (Vec<Piece>, Vec<u8>) {
        let (mut pieces, mut content): (Vec<Piece>, Vec<u8>) = (Vec::new(), Vec::new());
        if !std::mem::take(&mut self.is_kept) || !copy(self.address, self.bytes, &mut self.now) {
            return (pieces, content);
        }
        if self.before == self.now {
            return (pieces, content);
        }
        for (at, (&before, &now)) in self.before.iter().zip(&self.now).enumerate() {
            if now == before {
                continue;
            }
            let is_full = pieces.len() == MOST_PIECES;
            match pieces.last_mut().filter(|(start, length)| start + length == at as u64) {
                Some((_, length)) => *length += 1,
                None if is_full => break,
                None => pieces.push((at as u64, 1)),
            }
            if content.len() < MOST_CONTENT {
                content.push(now);
            }
        }
        (pieces, content)
    }
}

/// A copy of memory that others write, and that a wrong program may have given back: the kernel copies what is there.
fn copy(address: u64, bytes: usize, to: &mut Vec<u8>) -> bool {
    if bytes == 0 {
        return false;
    }
    to.resize(bytes, 0);
    let here = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: bytes };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes };
    // SAFETY: as long as said; what cannot be read is an error.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &raw const here, 1, &raw const there, 1, 0) };
    copied == bytes as isize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed() {
        let mut memory = vec![7u8; 300];
        let mut shown = WindowSnapshot::snapshot(memory.as_ptr() as u64, 300);
        assert!(shown.changed().0.is_empty());
        shown.keep();
        assert_eq!(shown.changed(), (Vec::new(), Vec::new()));
        shown.keep();
        memory[3] = 1;
        memory[4] = 2;
        memory[299] = 9;
        assert_eq!(shown.changed(), (vec![(3, 2), (299, 1)], vec![1, 2, 9]));
        // Again and again.
        shown.keep();
        memory[7] = 5;
        assert_eq!(shown.changed_since(), (vec![(7, 1)], vec![5]));
        assert!(shown.changed_since().0.is_empty());
        memory[7] = 6;
        assert_eq!(shown.changed_since(), (vec![(7, 1)], vec![6]));
        shown.forget();
        // Only once, and not when it was forgotten.
        assert!(shown.changed().0.is_empty());
        shown.keep();
        memory[0] = 1;
        shown.forget();
        assert!(shown.changed().0.is_empty());
        assert!(WindowSnapshot::snapshot(memory.as_ptr() as u64, MOST_BYTES + 1).bytes == 0);
        // Memory that is not there.
        let mut nowhere = WindowSnapshot::snapshot(4096, 100);
        nowhere.keep();
        assert!(!nowhere.is_kept);
    }

    #[test]
    fn many_pieces_are_cut() {
        let mut memory = vec![0u8; 1000];
        let mut shown = WindowSnapshot::snapshot(memory.as_ptr() as u64, 1000);
        shown.keep();
        memory.iter_mut().step_by(2).for_each(|byte| *byte = 1);
        let (pieces, content) = shown.changed();
        assert_eq!((pieces.len(), content.len()), (MOST_PIECES, MOST_CONTENT));
    }
}
