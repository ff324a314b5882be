//! As `tls.rs` beside it, for AArch64.

use std::arch::{asm, global_asm};

use crate::thread::Thread;

global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".globl mpiscope_thread",
    ".hidden mpiscope_thread",
    ".type mpiscope_thread, @object",
    ".size mpiscope_thread, 8",
    ".p2align 3",
    "mpiscope_thread:",
    ".zero 8",
    ".text",
);

/// The current thread's state; null before its first recorded call.
#[inline(always)]
pub fn get() -> *mut Thread {
    let pointer: *mut Thread;
    // SAFETY: reads this thread's own eight bytes.
    unsafe {
        asm!(
            "mrs {t}, tpidr_el0",
            "adrp {p}, :gottprel:mpiscope_thread",
            "ldr {p}, [{p}, :gottprel_lo12:mpiscope_thread]",
            "ldr {p}, [{t}, {p}]",
            t = out(reg) _,
            p = out(reg) pointer,
            options(nostack, preserves_flags, readonly),
        );
    }
    pointer
}

/// Sets the current thread's state.
pub fn set(pointer: *mut Thread) {
    // SAFETY: writes this thread's own eight bytes.
    unsafe {
        asm!(
            "mrs {t}, tpidr_el0",
            "adrp {o}, :gottprel:mpiscope_thread",
            "ldr {o}, [{o}, :gottprel_lo12:mpiscope_thread]",
            "str {p}, [{t}, {o}]",
            t = out(reg) _,
            o = out(reg) _,
            p = in(reg) pointer,
            options(nostack, preserves_flags),
        );
    }
}
