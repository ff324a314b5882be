//! On AArch64 compilers keep a chain of frame records, two words each: the caller's x29 and the return address.

use mpiscope_trace::check::event::Frame;

use super::recent::FRAME_POINTER;
use crate::trampoline::Args;

/// Knows nothing: the chain says all.
pub struct Walker;

impl Walker {
    /// The only one.
    pub fn new() -> Walker {
        Walker
    }

    /// Visits `depth` return addresses at most, innermost first; `end` is one past the last byte of the stack. Says on which
    /// words (address, value) its way depends, besides its beginning.
    pub fn walk(
        &mut self,
        args: Args,
        depth: usize,
        end: usize,
        mut visit: impl FnMut(u64),
        mut depends: impl FnMut(usize, usize),
    ) {
        visit(args.caller() as u64);
        let (mut below, mut record) = (args.stack_pointer(), args.frame_pointer());
        depends(FRAME_POINTER, record);
        for _ in 1..depth {
            // Records lie ever higher; x29 may also hold anything else.
            if record < below || record & 7 != 0 || record.checked_add(16).is_none_or(|after| after > end) {
                return;
            }
            // SAFETY: within this thread's stack, above the current frame.
            let [next, pc] = unsafe { *(record as *const [usize; 2]) };
            depends(record, next);
            depends(record + 8, pc);
            if pc == 0 {
                return;
            }
            visit(pc as u64);
            (below, record) = (record + 16, next);
        }
    }

    /// The frame that contains an address: the chain does not show where a frame ends.
    pub fn frame_of(&mut self, _args: Args, _depth: usize, _end: usize, _address: u64) -> Option<Frame> {
        None
    }
}

/// Return address, stack and frame pointer of the caller of a frame in the copy of a stack. Functions that have not kept
/// their own record yet are not seen.
pub fn caller(_pc: u64, sp: u64, fp: u64, word: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64, u64)> {
    if fp < sp {
        return None;
    }
    let (next, pc) = (word(fp)?, word(fp + 8).filter(|&pc| pc != 0)?);
    Some((pc, fp + 16, next))
}
