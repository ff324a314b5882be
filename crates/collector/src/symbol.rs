//! Exported symbols: one stub for each name that a program may call.

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::call_plan::CallPlan;
use crate::generated::{NAMES, SYMBOLS};

/// What is known of a symbol at build time. No pointers: a process that never calls MPI pays no
/// relocation for the 4,000 of them.
#[repr(C)]
pub struct Symbol {
    /// Offset of the NUL-terminated name in the generated blob.
    pub name_at: u32,
    /// Function id.
    pub function: u16,
    /// Arguments, in Fortran without `ierror` and lengths of strings.
    pub arguments: u8,
    /// Words of arguments on the caller's stack.
    pub stack: u8,
    /// Arguments are passed by reference.
    pub fortran: bool,
    /// Choice buffers are passed as C descriptors.
    pub descriptors: bool,
    /// Exported under another name until the MPI is known to have it.
    pub hidden: bool,
}

impl Symbol {
    /// The name programs use.
    pub fn name(&self) -> &'static str {
        let rest = &NAMES[self.name_at as usize..];
        &rest[..rest.find('\0').unwrap_or(0)]
    }
    /// Address of the NUL-terminated name.
    pub fn name_address(&self) -> usize {
        NAMES.as_ptr() as usize + self.name_at as usize
    }
}

/// What is found out about a symbol at its first call.
pub struct State {
    /// The real routine; 0 until then.
    pub real: AtomicUsize,
    /// The plan of its function; null until recording has begun.
    pub plan: AtomicPtr<CallPlan>,
}

/// By symbol number.
pub static STATES: [State; SYMBOLS.len()] =
    [const { State { real: AtomicUsize::new(0), plan: AtomicPtr::new(std::ptr::null_mut()) } }; SYMBOLS.len()];

/// The real routine of symbol `index` if it has been looked up.
pub fn real(index: usize) -> usize {
    STATES[index].real.load(Ordering::Relaxed)
}

/// Makes the stubs. A stub leaves every argument register, the stack and the return address as
/// the caller made them and tells the trampoline its number in r11 (x86-64) or w17 (AArch64), which the ABI
/// leaves free between a call and its target.
macro_rules! stubs {
    ($($stub:ident $index:literal $name:literal)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(export_name = $name)]
            unsafe extern "C" fn $stub() {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!(
                    "mov r11d, {index}",
                    "jmp {trampoline}",
                    index = const $index,
                    trampoline = sym crate::trampoline::trampoline,
                );
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!(
                    "mov w17, {index}",
                    "b {trampoline}",
                    index = const $index,
                    trampoline = sym crate::trampoline::trampoline,
                )
            }
        )*
    };
}
pub(crate) use stubs;
