//! As `stack.rs` beside it, for AArch64: frames are found by the chain of frame records that compilers
//! keep there, two words each: the caller's x29 and the return address.
//!
//! Nothing is read outside the thread's own stack.

use crate::intern::mix;
use crate::trampoline::Args;

/// Walks the stacks of one thread.
pub struct Unwinder {
    depth: usize,
    /// One past the last byte of the thread's stack.
    end: usize,
}

impl Unwinder {
    /// For the calling thread, `depth` frames at most.
    pub fn new(depth: u32) -> Unwinder {
        Unwinder { depth: depth.max(1) as usize, end: stack_end() }
    }

    /// A fingerprint of the stack beyond the first return address.
    pub fn fingerprint(&mut self, args: Args) -> u64 {
        let mut hash = 3;
        self.walk(args, |pc| hash = mix(hash, pc));
        hash
    }

    /// The return addresses, innermost first.
    #[cold]
    pub fn frames(&mut self, args: Args) -> Vec<u64> {
        let mut frames = Vec::with_capacity(self.depth);
        self.walk(args, |pc| frames.push(pc));
        frames
    }

    fn walk(&self, args: Args, mut visit: impl FnMut(u64)) {
        visit(args.caller() as u64);
        let (mut below, mut record) = (args.stack_pointer(), args.frame_pointer());
        for _ in 1..self.depth {
            // Records lie ever higher; x29 may also hold anything else.
            if record < below || record & 7 != 0 || record.checked_add(16).is_none_or(|end| end > self.end) {
                return;
            }
            // SAFETY: within this thread's stack, above the current frame.
            let [next, pc] = unsafe { *(record as *const [usize; 2]) };
            if pc == 0 {
                return;
            }
            visit(pc as u64);
            (below, record) = (record + 16, next);
        }
    }
}

/// One past the last byte of the calling thread's stack; 0, and so no walks, when it is unknown.
fn stack_end() -> usize {
    // SAFETY: the attributes are initialised by the first call and destroyed after use.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 0;
        }
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        let known = libc::pthread_attr_getstack(&attributes, &mut start, &mut size) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        if known { start as usize + size } else { 0 }
    }
}
