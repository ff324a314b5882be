//! Call stacks (`--stack DEPTH`): DEPTH return addresses instead of one.
//!
//! Nothing is read outside the thread's own stack.

mod recent;
#[cfg_attr(target_arch = "x86_64", path = "x86_64/walk.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64/walk.rs")]
mod walk;

use mpiscope_trace::check::event::Frame;

use crate::intern::mix;
use crate::trampoline::Args;
use recent::{Recent, Way};
use walk::Walker;
#[cfg(target_arch = "x86_64")]
pub use walk::saved;

/// Walks the stacks of one thread.
pub struct Unwinder {
    walker: Walker,
    recent: Recent,
    depth: usize,
    /// One past the last byte of the thread's stack.
    end: usize,
}

impl Unwinder {
    /// For the calling thread, `depth` frames at most.
    pub fn new(depth: u32) -> Unwinder {
        Unwinder { walker: Walker::new(), recent: Recent::new(), depth: depth.max(1) as usize, end: stack_end() }
    }

    /// A fingerprint of the stack beyond the first return address.
    #[inline]
    pub fn fingerprint(&mut self, args: Args) -> u64 {
        match self.recent.find(args) {
            Some(fingerprint) => fingerprint,
            None => self.walk(args),
        }
    }

    #[inline(never)]
    fn walk(&mut self, args: Args) -> u64 {
        let (mut hash, mut way) = (3, Way::default());
        let depends = |at, value| way.depends_on(at, value);
        self.walker.walk(args, self.depth, self.end, |pc| hash = mix(hash, pc), depends);
        self.recent.add(args, &way, hash);
        hash
    }

    /// The return addresses, innermost first.
    #[cold]
    pub fn frames(&mut self, args: Args) -> Vec<u64> {
        let mut frames = Vec::with_capacity(self.depth);
        self.walker.walk(args, self.depth, self.end, |pc| frames.push(pc), |_, _| ());
        frames
    }

    /// The frame that an address lies in; none for those that are not on the thread's stack, and where unwind tables do not say.
    #[cold]
    pub fn frame_of(&mut self, args: Args, address: u64) -> Option<Frame> {
        if self.has(args, address) { self.walker.frame_of(args, FRAMES, self.end, address) } else { None }
    }

    /// Whether an address lies on the stack of the thread, in the caller's frame or above it.
    pub fn has(&self, args: Args, address: u64) -> bool {
        (args.stack_pointer() as u64..self.end as u64).contains(&address)
    }
}

/// Innermost frames in which an address is looked for.
const FRAMES: usize = 16;

/// Return addresses of a stack of which `words` are kept, those from `sp` on: `pc` first, at most `depth` of them.
#[cold]
pub fn of_copy(pc: u64, sp: u64, fp: u64, words: &[u64], depth: usize) -> Vec<u64> {
    let mut frames = vec![pc];
    let word = |at: u64| {
        let offset = at.checked_sub(sp).filter(|_| at & 7 == sp & 7)?;
        words.get(usize::try_from(offset / 8).ok()?).copied()
    };
    let (mut sp, mut fp, mut pc) = (sp, fp, pc);
    while frames.len() < depth {
        let Some(next) = walk::caller(pc, sp, fp, word) else { break };
        (pc, sp, fp) = next;
        frames.push(pc);
    }
    frames
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
