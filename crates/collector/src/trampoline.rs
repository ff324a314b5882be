//! The path from a stub to the real routine and back, in assembly.
//!
//! Arguments are not interpreted here: the six argument registers are saved, `enter` decides
//! whether the call is recorded, the words that the caller put on the stack are copied as often
//! as the table says, and the real routine is called with everything in place. The frame has
//! ordinary unwind information, so C++ exceptions, `longjmp` and debuggers pass through it.
//!
//! Frame, seen as 64-bit words from `args`:
//!
//! ```text
//! args[-4] xmm0 as returned        args[0..6] rdi rsi rdx rcx r8 r9
//! args[-3] rax as returned; before args[6]    caller's rbp
//!          the call: stack words   args[7]    return address
//! args[-2] token from `enter`      args[8..]  arguments on the stack
//! ```
//!
//! `MPI_Pcontrol` is variadic: floating-point arguments after its level would be lost. No MPI reads
//! any.

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
        let skip = if index >= 6 { 2 } else { 0 };
        unsafe { *self.0.add(index as usize + skip) }
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
        if index >= 6 && index != u8::MAX { index + 2 } else { index }
    }
    /// Return address of the call.
    #[inline(always)]
    pub fn caller(self) -> usize {
        // SAFETY: part of the frame.
        unsafe { *self.0.add(7) as usize }
    }
    /// Value of the stack pointer in the caller, just after the call returns.
    #[inline(always)]
    pub fn stack_pointer(self) -> usize {
        self.0 as usize + 8 * 8
    }
    /// The caller's frame pointer register.
    #[inline(always)]
    pub fn frame_pointer(self) -> usize {
        // SAFETY: part of the frame.
        unsafe { *self.0.add(6) as usize }
    }
    /// Tells the trampoline how many words to copy: an even number, which keeps the stack aligned.
    #[inline(always)]
    pub fn set_stack_words(self, words: u8) {
        // SAFETY: part of the frame.
        unsafe { *self.0.sub(3) = words.into() };
    }
}

/// Jumped to by every stub with its number in r11d.
#[unsafe(naked)]
pub unsafe extern "C" fn trampoline() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, 80",
        "mov [rbp - 48], rdi",
        "mov [rbp - 40], rsi",
        "mov [rbp - 32], rdx",
        "mov [rbp - 24], rcx",
        "mov [rbp - 16], r8",
        "mov [rbp - 8], r9",
        "mov edi, r11d",
        "lea rsi, [rbp - 48]",
        "call {enter}",
        "mov r11, rax",
        "mov [rbp - 64], rdx",
        "mov rdi, [rbp - 48]",
        "test rdx, rdx",
        "jz 3f",
        "mov rcx, [rbp - 72]",
        "test rcx, rcx",
        "jz 2f",
        "1:",
        "push qword ptr [rbp + rcx*8 + 8]",
        "push qword ptr [rbp + rcx*8]",
        "sub rcx, 2",
        "jnz 1b",
        "2:",
        "mov rsi, [rbp - 40]",
        "mov rdx, [rbp - 32]",
        "mov rcx, [rbp - 24]",
        "mov r8, [rbp - 16]",
        "mov r9, [rbp - 8]",
        "call r11",
        "mov [rbp - 72], rax",
        "movsd [rbp - 80], xmm0",
        "mov rdi, [rbp - 64]",
        "lea rsi, [rbp - 48]",
        "mov rdx, rax",
        "call {exit}",
        "mov rax, [rbp - 72]",
        "movsd xmm0, [rbp - 80]",
        "leave",
        ".cfi_remember_state",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_restore_state",
        "3:",
        "mov rsi, [rbp - 40]",
        "mov rdx, [rbp - 32]",
        "mov rcx, [rbp - 24]",
        "mov r8, [rbp - 16]",
        "mov r9, [rbp - 8]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "jmp r11",
        ".cfi_endproc",
        enter = sym record::enter,
        exit = sym record::exit::exit,
    )
}
