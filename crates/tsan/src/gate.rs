//! Assembly of the entries: check whether the address may be in flight, and continue.
//!
//! The entries are in assembly to get the return address, which is the place in the program, and the stack and frame
//! pointers, from which its callers are found.

/// An entry `name(address, …)` of `bytes` bytes: reports the access, then continues with `then`, which has the same
/// arguments, or returns.
#[cfg(target_arch = "x86_64")]
macro_rules! gate {
    ($name:ident, $bytes:expr, $how:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "cmp rdi, [rip + {hooks} + {high}]",
                "jae 2f",
                "lea rax, [rdi + {bytes}]",
                "cmp rax, [rip + {hooks} + {low}]",
                "ja 3f",
                "2:",
                "ret",
                "3:",
                "mov rcx, [rsp]",
                "lea r8, [rsp + 8]",
                "mov r9, rbp",
                "mov esi, {bytes}",
                "mov edx, {how}",
                "jmp {touched}",
                hooks = sym $crate::HOOKS,
                low = const $crate::LOW,
                high = const $crate::HIGH,
                bytes = const $bytes,
                how = const $how,
                touched = sym $crate::touched,
            )
        }
    };
    // The place is the second argument.
    ($name:ident, $bytes:expr, $how:expr, pc) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov rcx, rsi",
                "xor r8d, r8d",
                "xor r9d, r9d",
                "mov esi, {bytes}",
                "mov edx, {how}",
                "jmp {range}",
                bytes = const $bytes,
                how = const $how,
                range = sym $crate::touched_range,
            )
        }
    };
    // `then` has arguments in all registers.
    ($name:ident, $bytes:expr, $how:expr, then $then:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "cmp rdi, [rip + {hooks} + {high}]",
                "jae 2f",
                "lea rax, [rdi + {bytes}]",
                "cmp rax, [rip + {hooks} + {low}]",
                "ja 3f",
                "2:",
                "jmp {then}",
                "3:",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "sub rsp, 8",
                "mov rcx, [rsp + 56]",
                "lea r8, [rsp + 64]",
                "mov r9, rbp",
                "mov esi, {bytes}",
                "mov edx, {how}",
                "call {touched}",
                "add rsp, 8",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp {then}",
                hooks = sym $crate::HOOKS,
                low = const $crate::LOW,
                high = const $crate::HIGH,
                bytes = const $bytes,
                how = const $how,
                touched = sym $crate::touched,
                then = sym $then,
            )
        }
    };
}

/// An entry with a name of the C library and up to four arguments: calls `look(first, second, third, …)` if one of the first
/// two may be in flight, then `NEXT[index]`.
#[cfg(target_arch = "x86_64")]
macro_rules! library {
    ($name:ident, $index:expr, $look:path) => {
        #[unsafe(naked)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov rax, [rip + {hooks} + {high}]",
                "cmp rdi, rax",
                "jb 3f",
                "cmp rsi, rax",
                "jb 3f",
                "2:",
                "mov rax, [rip + {next} + 8 * {index}]",
                "test rax, rax",
                "jz 4f",
                "jmp rax",
                "3:",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "sub rsp, 8",
                "mov rcx, [rsp + 40]",
                "lea r8, [rsp + 48]",
                "mov r9, rbp",
                "call {look}",
                "add rsp, 8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp 2b",
                "4:",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "sub rsp, 8",
                "mov edi, {index}",
                "call {find}",
                "add rsp, 8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp rax",
                hooks = sym $crate::HOOKS,
                high = const $crate::HIGH,
                next = sym $crate::memory::NEXT,
                index = const $index,
                look = sym $look,
                find = sym $crate::memory::find,
            )
        }
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! gate {
    ($name:ident, $bytes:expr, $how:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "adrp x9, {hooks}",
                "add x9, x9, :lo12:{hooks}",
                "ldr x10, [x9, {high}]",
                "cmp x0, x10",
                "b.hs 2f",
                "ldr x10, [x9, {low}]",
                "add x11, x0, {bytes}",
                "cmp x11, x10",
                "b.hi 3f",
                "2:",
                "ret",
                "3:",
                "mov x3, x30",
                "mov x4, sp",
                "mov x5, x29",
                "mov x1, {bytes}",
                "mov w2, {how}",
                "b {touched}",
                hooks = sym $crate::HOOKS,
                low = const $crate::LOW,
                high = const $crate::HIGH,
                bytes = const $bytes,
                how = const $how,
                touched = sym $crate::touched,
            )
        }
    };
    ($name:ident, $bytes:expr, $how:expr, pc) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov x3, x1",
                "mov x4, xzr",
                "mov x5, xzr",
                "mov x1, {bytes}",
                "mov w2, {how}",
                "b {range}",
                bytes = const $bytes,
                how = const $how,
                range = sym $crate::touched_range,
            )
        }
    };
    ($name:ident, $bytes:expr, $how:expr, then $then:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "adrp x9, {hooks}",
                "add x9, x9, :lo12:{hooks}",
                "ldr x10, [x9, {high}]",
                "cmp x0, x10",
                "b.hs 2f",
                "ldr x10, [x9, {low}]",
                "add x11, x0, {bytes}",
                "cmp x11, x10",
                "b.hi 3f",
                "2:",
                "b {then}",
                "3:",
                "stp x0, x1, [sp, -80]!",
                "stp x2, x3, [sp, 16]",
                "stp x4, x5, [sp, 32]",
                "stp x6, x7, [sp, 48]",
                "str x30, [sp, 64]",
                "mov x3, x30",
                "add x4, sp, 80",
                "mov x5, x29",
                "mov x1, {bytes}",
                "mov w2, {how}",
                "bl {touched}",
                "ldr x30, [sp, 64]",
                "ldp x6, x7, [sp, 48]",
                "ldp x4, x5, [sp, 32]",
                "ldp x2, x3, [sp, 16]",
                "ldp x0, x1, [sp], 80",
                "b {then}",
                hooks = sym $crate::HOOKS,
                low = const $crate::LOW,
                high = const $crate::HIGH,
                bytes = const $bytes,
                how = const $how,
                touched = sym $crate::touched,
                then = sym $then,
            )
        }
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! library {
    ($name:ident, $index:expr, $look:path) => {
        #[unsafe(naked)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "adrp x9, {hooks}",
                "add x9, x9, :lo12:{hooks}",
                "ldr x9, [x9, {high}]",
                "cmp x0, x9",
                "b.lo 3f",
                "cmp x1, x9",
                "b.lo 3f",
                "2:",
                "adrp x9, {next}",
                "add x9, x9, :lo12:{next}",
                "ldr x9, [x9, 8 * {index}]",
                "cbz x9, 4f",
                "br x9",
                "3:",
                "stp x0, x1, [sp, -48]!",
                "stp x2, x3, [sp, 16]",
                "str x30, [sp, 32]",
                "mov x3, x30",
                "add x4, sp, 48",
                "mov x5, x29",
                "bl {look}",
                "ldr x30, [sp, 32]",
                "ldp x2, x3, [sp, 16]",
                "ldp x0, x1, [sp], 48",
                "b 2b",
                "4:",
                "stp x0, x1, [sp, -48]!",
                "stp x2, x3, [sp, 16]",
                "str x30, [sp, 32]",
                "mov w0, {index}",
                "bl {find}",
                "mov x9, x0",
                "ldr x30, [sp, 32]",
                "ldp x2, x3, [sp, 16]",
                "ldp x0, x1, [sp], 48",
                "br x9",
                hooks = sym $crate::HOOKS,
                high = const $crate::HIGH,
                next = sym $crate::memory::NEXT,
                index = const $index,
                look = sym $look,
                find = sym $crate::memory::find,
            )
        }
    };
}

pub(crate) use {gate, library};
