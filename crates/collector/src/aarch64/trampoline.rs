//! As `trampoline.rs` beside it, for AArch64: eight argument registers, the return address in x30.
//!
//! Frame, seen as 64-bit words from `args`:
//!
//! ```text
//! args[-4] d0 as returned          args[0..8] x0 to x7
//! args[-3] x0 as returned; before  args[8]    caller's x29
//!          the call: stack words   args[9]    return address
//! args[-2] token from `enter`      args[10..] arguments on the stack
//! args[-1] x8
//! ```

use crate::record;

/// What `enter` tells the trampoline.
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
    /// Argument `index`, as a word.
    ///
    /// # Safety
    /// The call has at least `index + 1` arguments, or more words above them on the stack.
    #[inline(always)]
    pub unsafe fn get(self, index: u8) -> u64 {
        unsafe { self.at(Self::place(index)) }
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
        if index >= 8 && index != u8::MAX { index + 2 } else { index }
    }
    /// Return address of the call.
    #[inline(always)]
    pub fn caller(self) -> usize {
        // SAFETY: part of the frame.
        unsafe { *self.0.add(9) as usize }
    }
    /// Value of the stack pointer in the caller.
    #[inline(always)]
    pub fn stack_pointer(self) -> usize {
        self.0 as usize + 10 * 8
    }
    /// The caller's frame pointer register.
    #[inline(always)]
    pub fn frame_pointer(self) -> usize {
        // SAFETY: part of the frame.
        unsafe { *self.0.add(8) as usize }
    }
    /// Tells the trampoline how many words to copy: an even number, which keeps the stack aligned. The
    /// table counts for six registers; two words too many are the caller's own, and only copied.
    #[inline(always)]
    pub fn set_stack_words(self, words: u8) {
        // SAFETY: part of the frame.
        unsafe { *self.0.sub(3) = words.into() };
    }
}

/// Jumped to by every stub with its number in w17.
#[unsafe(naked)]
pub unsafe extern "C" fn trampoline() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa x29, 16",
        "sub sp, sp, #96",
        "stp x0, x1, [x29, #-64]",
        "stp x2, x3, [x29, #-48]",
        "stp x4, x5, [x29, #-32]",
        "stp x6, x7, [x29, #-16]",
        "str x8, [x29, #-72]",
        "mov w0, w17",
        "sub x1, x29, #64",
        "bl {enter}",
        "mov x16, x0",
        "str x1, [x29, #-80]",
        "cbz x1, 3f",
        "ldr x9, [x29, #-88]",
        "cbz x9, 2f",
        "1:",
        "add x10, x29, x9, lsl #3",
        "ldp x11, x12, [x10]",
        "stp x11, x12, [sp, #-16]!",
        "subs x9, x9, #2",
        "b.ne 1b",
        "2:",
        "ldp x0, x1, [x29, #-64]",
        "ldp x2, x3, [x29, #-48]",
        "ldp x4, x5, [x29, #-32]",
        "ldp x6, x7, [x29, #-16]",
        "ldr x8, [x29, #-72]",
        "blr x16",
        "str x0, [x29, #-88]",
        "str d0, [x29, #-96]",
        "mov x2, x0",
        "ldr x0, [x29, #-80]",
        "sub x1, x29, #64",
        "bl {exit}",
        "ldr x0, [x29, #-88]",
        "ldr d0, [x29, #-96]",
        "mov sp, x29",
        ".cfi_remember_state",
        "ldp x29, x30, [sp], #16",
        ".cfi_restore x29",
        ".cfi_restore x30",
        ".cfi_def_cfa sp, 0",
        "ret",
        ".cfi_restore_state",
        "3:",
        "ldp x0, x1, [x29, #-64]",
        "ldp x2, x3, [x29, #-48]",
        "ldp x4, x5, [x29, #-32]",
        "ldp x6, x7, [x29, #-16]",
        "ldr x8, [x29, #-72]",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_restore x29",
        ".cfi_restore x30",
        ".cfi_def_cfa sp, 0",
        "br x16",
        ".cfi_endproc",
        enter = sym record::enter,
        exit = sym record::exit::exit,
    )
}
