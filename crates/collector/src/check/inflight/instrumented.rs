//! Programs compiled with `-fsanitize=thread`: their runtime (`crates/tsan`) reports loads and stores.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::instruction_access::{self, Bounds, Instruction, Kind, STACK_WORDS, Touch};
use crate::process::Process;
use crate::tls;

/// What the runtime gives, of which it has the same.
#[repr(C)]
struct Hooks {
    version: u64,
    bounds: Bounds,
    touch: AtomicUsize,
}

const VERSION: u64 = 1;
/// It is written to.
const WRITE: u32 = 1;
/// By a function of the C library, whoever has called it.
const LIBRARY: u32 = 2;

/// Where code is that was compiled so.
static CODE: OnceLock<Vec<(u64, u64)>> = OnceLock::new();

/// Registers with the runtime, if there is one.
pub fn connect(process: &Process) {
    let Some(address) = process.program.iter().find_map(|object| object.defines("mpiscope_tsan_hooks")) else { return };
    // SAFETY: const Hooks *mpiscope_tsan_hooks(void), of the library that comes with this one.
    let hooks = unsafe {
        let get: unsafe extern "C" fn() -> *const Hooks = std::mem::transmute(address as *const c_void);
        &*get()
    };
    if hooks.version != VERSION {
        return;
    }
    let objects = process.program.iter().filter(|object| object.instrumented);
    CODE.get_or_init(|| objects.map(|object| (object.range.0 as u64, object.range.1 as u64)).collect());
    hooks.touch.store(on_access as *const () as usize, Ordering::Release);
    instruction_access::keep_bounds_in(&hooks.bounds);
    instruction_access::want();
}

/// Whether an instruction that was caught otherwise is the one after a call that has reported it.
pub fn has_reported(noticed: &[Touch], caught: &Touch) -> bool {
    /// Bytes of code between the two, at most.
    const NEAR: u64 = 64;
    let is_code = |pc: u64| CODE.get().is_some_and(|code| code.iter().any(|range| (range.0..range.1).contains(&pc)));
    let pc = caught.frames[0];
    is_code(pc.saturating_sub(1)) && noticed.iter().any(|touch| (touch.frames[0]..touch.frames[0] + NEAR).contains(&pc))
}

/// The program is about to access memory.
unsafe extern "C" fn on_access(address: u64, bytes: u64, how: u32, caller: u64, sp: u64, fp: u64) {
    if !instruction_access::may_be(address, bytes) {
        return;
    }
    let thread = tls::get();
    // In a call of MPI: what it has called back may have been given any buffer.
    // SAFETY: this thread's own.
    if !thread.is_null() && unsafe { (*thread).depth } > 0 {
        return;
    }
    let within = |range: &(u64, u64)| (range.0..range.1).contains(&(caller - 1));
    if how & LIBRARY != 0 && !CODE.get().is_some_and(|code| code.iter().any(within)) {
        return;
    }
    // No further than the page: the end of the stack is unknown.
    let words = if sp == 0 || !sp.is_multiple_of(8) { 0 } else { (PAGE - sp as usize % PAGE) / 8 };
    let stack: &[u64] = match words.min(STACK_WORDS) {
        0 => &[],
        // SAFETY: the stack of this thread.
        words => unsafe { std::slice::from_raw_parts(sp as *const u64, words) },
    };
    let kind = if how & WRITE != 0 { Kind::Write } else { Kind::Read };
    instruction_access::touched(&Instruction { pc: caller, sp, fp, stack }, address, bytes, kind);
}

const PAGE: usize = 4096;
