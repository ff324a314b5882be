//! The path from a stub to the real routine and back, in assembly.
//!
//! Arguments are not interpreted here: the six argument registers are saved, `enter` decides
//! whether the call is recorded, the words that the caller put on the stack are copied as often
//! as the table says, and the real routine is called with everything in place. The frame has
//! ordinary unwind information, so C++ exceptions, `longjmp` and debuggers pass through it.
//!
//! Frame, seen as 64-bit words from `args`, with `R` argument registers ([`REGISTERS`]):
//!
//! ```text
//! args[-4] floating-point result   args[0..R] argument registers
//! args[-3] result; before the      args[R]    caller's frame pointer
//!          call: stack words       args[R+1]  return address
//! args[-2] token from `enter`      args[R+2..] arguments on the stack
//! ```
//!
//! `MPI_Pcontrol` is variadic: floating-point arguments after its level would be lost. No MPI reads
//! any.

#[cfg_attr(target_arch = "x86_64", path = "x86_64/trampoline.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64/trampoline.rs")]
mod assembly;

pub use assembly::{REGISTERS, trampoline};

/// What `enter` returns to the trampoline.
#[repr(C)]
pub struct Entered {
    /// Routine to call.
    pub real: usize,
    /// Given to `exit`; 0: jump to `real` and forget about it.
    pub token: usize,
}

/// Saved arguments of a call, see the module's text.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Args(*mut u64);

impl Args {
    /// Of a frame made by hand: registers, frame pointer, return address, the caller's stack.
    #[cfg(test)]
    pub fn of_frame(frame: *mut u64) -> Args {
        Args(frame)
    }

    /// Argument `index`, as a word.
    ///
    /// # Safety
    /// The call has at least `index + 1` arguments, or more words above them on the stack.
    #[inline(always)]
    pub unsafe fn get(self, index: u8) -> u64 {
        let skip = if index >= REGISTERS { 2 } else { 0 };
        unsafe { *self.0.add(index as usize + skip) }
    }
    /// Gives the real routine another word for argument `index`: those on the stack belong to who is called.
    ///
    /// # Safety
    /// As [`Args::get`].
    pub unsafe fn set(self, index: u8, word: u64) {
        let skip = if index >= REGISTERS { 2 } else { 0 };
        unsafe { *self.0.add(index as usize + skip) = word }
    }
    /// The word at a place from [`Args::place`].
    ///
    /// # Safety
    /// As [`Args::get`].
    #[inline(always)]
    pub unsafe fn at(self, place: u8) -> u64 {
        unsafe { *self.0.add(place as usize) }
    }
    /// Where argument `index` is, for [`Args::at`].
    pub const fn place(index: u8) -> u8 {
        if index >= REGISTERS && index != u8::MAX { index + 2 } else { index }
    }
    /// Return address of the call.
    #[inline(always)]
    pub fn caller(self) -> usize {
        // SAFETY: part of the frame.
        unsafe { *self.0.add(REGISTERS as usize + 1) as usize }
    }
    /// Value of the stack pointer in the caller, just after the call returns.
    #[inline(always)]
    pub fn stack_pointer(self) -> usize {
        self.0 as usize + (REGISTERS as usize + 2) * 8
    }
    /// The caller's frame pointer register.
    #[inline(always)]
    pub fn frame_pointer(self) -> usize {
        // SAFETY: part of the frame.
        unsafe { *self.0.add(REGISTERS as usize) as usize }
    }
    /// Tells the trampoline how many words to copy: an even number, which keeps the stack aligned. The
    /// table counts for six registers; where there are more, words too many are the caller's own, and only copied.
    #[inline(always)]
    pub fn set_stack_words(self, words: u8) {
        // SAFETY: part of the frame.
        unsafe { *self.0.sub(3) = words.into() };
    }
}
