//! Where a status keeps its number of bytes, and whether its operation was cancelled.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use mpiscope_abi::Family;

use crate::mpi::call;
use crate::process::Process;

/// Where a status keeps its number of bytes.
pub struct StatusBytes {
    /// Offset of the low part; `u32::MAX` when it is not known.
    low: AtomicU32,
    /// Whether high bits are in the 32-bit word after it, shifted by one (MPICH's layout).
    split: AtomicBool,
}

/// Open MPI: source, tag, error, cancelled (4 bytes each), then the bytes.
const OPEN_MPI_BYTES: usize = 16;

impl StatusBytes {
    /// As the family has it.
    pub fn of(family: Family) -> StatusBytes {
        let (low, split) = match family {
            Family::Mpich => (0, true),
            Family::OpenMpi => (OPEN_MPI_BYTES as u32, false),
            // The standard ABI leaves it to the implementation: learnt after MPI_Init.
            Family::Standard => (u32::MAX, false),
        };
        StatusBytes { low: AtomicU32::new(low), split: AtomicBool::new(split) }
    }

    /// Reads it out of a status.
    #[inline(always)]
    pub unsafe fn read(&self, status: *const u8) -> u64 {
        let low = self.low.load(Ordering::Relaxed);
        if low == u32::MAX {
            return 0;
        }
        // SAFETY: inside the status, by the family's layout or by what was learnt.
        unsafe {
            let at = status.add(low as usize);
            if self.split.load(Ordering::Relaxed) {
                let (lo, hi) = (at.cast::<u32>().read_unaligned(), at.add(4).cast::<u32>().read_unaligned());
                u64::from(lo) | u64::from(hi >> 1) << 32
            } else {
                at.cast::<u64>().read_unaligned()
            }
        }
    }

    /// Whether a status says that its operation was cancelled; false where that is not known.
    pub unsafe fn is_cancelled(&self, status: *const u8) -> bool {
        let low = self.low.load(Ordering::Relaxed) as usize;
        // SAFETY: as in `read`. Open MPI has the flag before the bytes.
        unsafe {
            match (low, self.split.load(Ordering::Relaxed)) {
                (_, true) => status.add(low + 4).cast::<u32>().read_unaligned() & 1 != 0,
                (OPEN_MPI_BYTES, false) => status.add(OPEN_MPI_BYTES - 4).cast::<i32>().read_unaligned() != 0,
                _ => false,
            }
        }
    }

    /// Finds the field by setting a status to a known number of bytes.
    pub fn learn(&self, process: &Process) {
        if self.low.load(Ordering::Relaxed) != u32::MAX {
            return;
        }
        const BYTES: i32 = 0x1357_9bdf;
        let mut status = [0u64; 8];
        if !call::Status_set_elements(status.as_mut_ptr().cast(), process.mpi.constants.byte, BYTES) {
            return;
        }
        let words: Vec<u32> = status.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
        // Eight-byte fields are aligned; MPICH's pair of words stands at any.
        if let Some(i) = words[..8].iter().position(|&w| w == BYTES as u32) {
            self.split.store(i % 2 == 1, Ordering::Relaxed);
            self.low.store(4 * i as u32, Ordering::Relaxed);
        }
    }
}
