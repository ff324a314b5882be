//! Arguments that the MPI gets in place of the program's own, which are put back when the call returns.

use crate::trampoline::Args;

/// Those of a pending call: index and the program's own word.
#[derive(Default)]
pub struct Replaced(Vec<(u8, u64)>);

impl Replaced {
    /// For the next call.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces an argument.
    ///
    /// # Safety
    /// The call has the argument, and `word` is as valid for it as the program's own until the call returns.
    pub unsafe fn replace(&mut self, args: Args, index: u8, word: u64) {
        // SAFETY: the caller's.
        unsafe {
            self.0.push((index, args.get(index)));
            args.set(index, word);
        }
    }

    /// Puts the program's own back.
    ///
    /// # Safety
    /// The call that had them has returned.
    pub unsafe fn restore(&mut self, args: Args) {
        while let Some((index, word)) = self.0.pop() {
            // SAFETY: an argument of the call.
            unsafe { args.set(index, word) };
        }
    }
}
