//! A cache of walked stacks.
//!
//! A walk has to load each word of the stack before it knows the address of the next. A walk from the same place with the same
//! words has the same result, and words can be compared in parallel: loops call from the same stack repeatedly.

use crate::trampoline::Args;

/// Walks that are remembered, a power of two.
const PLACES: usize = 64;
/// Words of one of them. Longer ones are not remembered.
const MOST: usize = 16;
/// As an address: the frame pointer's register.
pub const FRAME_POINTER: usize = 0;

/// A value of the stack, or of the frame pointer's register, that decides about the way of a walk.
#[derive(Clone, Copy, Default)]
struct Word {
    at: usize,
    value: usize,
}

#[derive(Clone, Copy, Default)]
struct Walk {
    caller: usize,
    stack_pointer: usize,
    fingerprint: u64,
    /// Those of `words` that count.
    length: usize,
    words: [Word; MOST],
}

/// Walks of one thread.
pub struct Recent(Box<[Walk]>);

impl Recent {
    /// None yet.
    pub fn new() -> Recent {
        Recent(vec![Walk::default(); PLACES].into_boxed_slice())
    }

    fn place(args: Args) -> usize {
        let key = args.caller() as u64 ^ (args.stack_pointer() as u64).rotate_left(32);
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize & (PLACES - 1)
    }

    /// The fingerprint of the stack as it is, if that was walked last from here.
    #[inline(always)]
    pub fn find(&self, args: Args) -> Option<u64> {
        let walk = &self.0[Self::place(args)];
        if walk.caller != args.caller() || walk.stack_pointer != args.stack_pointer() {
            return None;
        }
        let is_same = |word: &Word| {
            word.value
                == match word.at {
                    FRAME_POINTER => args.frame_pointer(),
                    // SAFETY: a walk from the same stack pointer has read it, in this thread's stack and above its frame.
                    at => unsafe { (at as *const usize).read_unaligned() },
                }
        };
        walk.words.iter().take(walk.length).all(is_same).then_some(walk.fingerprint)
    }

    /// A walk to be remembered.
    #[inline]
    pub fn add(&mut self, args: Args, way: &Way, fingerprint: u64) {
        if way.length > MOST {
            return;
        }
        self.0[Self::place(args)] = Walk {
            caller: args.caller(),
            stack_pointer: args.stack_pointer(),
            fingerprint,
            length: way.length,
            words: way.words,
        };
    }
}

/// What a walk depends on, besides its beginning.
#[derive(Default)]
pub struct Way {
    words: [Word; MOST],
    length: usize,
}

impl Way {
    /// One more word.
    #[inline]
    pub fn depends_on(&mut self, at: usize, value: usize) {
        if let Some(word) = self.words.get_mut(self.length) {
            *word = Word { at, value };
        }
        self.length += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trampoline::REGISTERS;

    /// A frame as the trampoline leaves it, with some words of the caller's stack beyond it.
    struct Frame([u64; REGISTERS as usize + 2 + 4]);

    impl Frame {
        fn new(caller: u64, frame_pointer: u64) -> Box<Frame> {
            let mut frame = Box::new(Frame([0; REGISTERS as usize + 6]));
            frame.0[REGISTERS as usize..][..2].copy_from_slice(&[frame_pointer, caller]);
            frame
        }
        fn args(&mut self) -> Args {
            Args::of_frame(self.0.as_mut_ptr())
        }
        fn stack(&mut self, index: usize) -> &mut u64 {
            &mut self.0[REGISTERS as usize + 2 + index]
        }
    }

    #[test]
    fn the_same_words_are_the_same_walk() {
        let mut frame = Frame::new(77, 5);
        let (mut recent, mut way) = (Recent::new(), Way::default());
        *frame.stack(1) = 9;
        way.depends_on(std::ptr::from_mut(frame.stack(1)) as usize, 9);
        assert_eq!(recent.find(frame.args()), None);
        recent.add(frame.args(), &way, 123);
        assert_eq!(recent.find(frame.args()), Some(123));
        // What the walk has not looked at does not count.
        *frame.stack(0) = 1;
        frame.0[REGISTERS as usize] = 6;
        assert_eq!(recent.find(frame.args()), Some(123));
        *frame.stack(1) = 10;
        assert_eq!(recent.find(frame.args()), None);
        *frame.stack(1) = 9;
        way.depends_on(FRAME_POINTER, 6);
        recent.add(frame.args(), &way, 124);
        assert_eq!(recent.find(frame.args()), Some(124));
        frame.0[REGISTERS as usize] = 5;
        assert_eq!(recent.find(frame.args()), None);
        // Another caller.
        frame.0[REGISTERS as usize..][..2].copy_from_slice(&[6, 78]);
        assert_eq!(recent.find(frame.args()), None);
    }

    #[test]
    fn long_walks_are_not_remembered() {
        let mut frame = Frame::new(77, 5);
        let (mut recent, mut way) = (Recent::new(), Way::default());
        for _ in 0..=MOST {
            way.depends_on(FRAME_POINTER, 5);
        }
        recent.add(frame.args(), &way, 1);
        assert_eq!(recent.find(frame.args()), None);
    }
}
