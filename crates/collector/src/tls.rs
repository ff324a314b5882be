//! One thread-local pointer, reached through initial-exec TLS.
//!
//! `thread_local!` in a shared library goes through `__tls_get_addr`, 7 ns a call. A preloaded
//! library is mapped at start-up, so its TLS block is in the static area and an offset from the
//! thread pointer does: two loads.

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
        #[cfg(target_arch = "x86_64")]
        asm!(
            "mov {p}, qword ptr [rip + mpiscope_thread@GOTTPOFF]",
            "mov {p}, qword ptr fs:[{p}]",
            p = out(reg) pointer,
            options(nostack, preserves_flags, readonly),
        );
        #[cfg(target_arch = "aarch64")]
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
        #[cfg(target_arch = "x86_64")]
        asm!(
            "mov {t}, qword ptr [rip + mpiscope_thread@GOTTPOFF]",
            "mov qword ptr fs:[{t}], {p}",
            t = out(reg) _,
            p = in(reg) pointer,
            options(nostack, preserves_flags),
        );
        #[cfg(target_arch = "aarch64")]
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
