//! The runtime of programs that were compiled with `-fsanitize=thread`, when `mpiscope check` runs them.
//!
//! Such a program calls a function before each load and store. They are those of the compiler's own runtime, by its name
//! (`libtsan.so.2`): whatever is preloaded under that name is taken for it, and the compiler's is not loaded. This one tells
//! the collector of accesses to memory that an MPI operation has in flight, with the address of the instruction, and does
//! nothing else (`docs/decisions/0027-instrumented-programs.md`).
//!
//! # Design constraints
//!
//! * It is in every load and store of the program: two comparisons, no memory of its own, no thread-local storage, no lock.
//! * Atomic operations are calls as well, and have to be done. `memcpy` and its like are not calls of the runtime in code of
//!   GCC: they are wrapped under their own names.
//! * All of the interface is there, though most of it does nothing: a name that is missing would end the program. What is not
//!   there at all keeps the library out of the program (`crates/launch/src/instrumented.rs`).
//! * It may be called before it is relocated, by whoever is relocated first.

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
compile_error!("the entries of the runtime are written for x86-64 and AArch64 Linux");

mod access;
mod atomic;
mod gate;
mod memory;
mod silent;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What is shared with the collector. It has the same in `crates/collector/src/check/flight/instrumented.rs`.
#[repr(C)]
pub struct Hooks {
    /// Of this structure.
    version: u64,
    /// Where memory in flight begins, and one past its end. Nothing in flight: the end is 0.
    low: AtomicU64,
    high: AtomicU64,
    /// [`Touch`], once somebody wants to know.
    touch: AtomicUsize,
}

/// Address, bytes, [`WRITE`] and [`LIBRARY`]; return address in the code that touches, stack and frame pointer there (0: not known).
type Touch = unsafe extern "C" fn(u64, u64, u32, u64, u64, u64);

/// It is written to.
const WRITE: u32 = 1;
/// By a function of the C library: whether its caller is the program's code is not known.
const LIBRARY: u32 = 2;

/// Offsets for the entries' assembly.
const LOW: usize = 8;
const HIGH: usize = 16;

static HOOKS: Hooks =
    Hooks { version: 1, low: AtomicU64::new(u64::MAX), high: AtomicU64::new(0), touch: AtomicUsize::new(0) };

/// For the collector. The structure itself is not exported: entries have to reach it without a table.
#[unsafe(no_mangle)]
pub extern "C" fn mpiscope_tsan_hooks() -> *const Hooks {
    &raw const HOOKS
}

/// Nobody calls this: its name, in the file, has room for another name of the library, by which programs of other compilers need
/// theirs.
#[unsafe(no_mangle)]
pub extern "C" fn mpiscope_tsan_room_for_the_name_by_which_programs_need_it() {}

/// Somewhere between the first and the last byte in flight something is touched.
unsafe extern "C" fn touched(address: u64, bytes: u64, how: u32, caller: u64, sp: u64, fp: u64) {
    let touch = HOOKS.touch.load(Ordering::Acquire);
    if touch != 0 {
        // SAFETY: the collector has put it there.
        let touch: Touch = unsafe { std::mem::transmute(touch) };
        unsafe { touch(address, bytes, how, caller, sp, fp) };
    }
}

/// Whether some of a stretch lies between the first and the last byte in flight.
fn meets(address: u64, bytes: u64) -> bool {
    let (low, high) = (HOOKS.low.load(Ordering::Relaxed), HOOKS.high.load(Ordering::Relaxed));
    bytes > 0 && address < high && address.saturating_add(bytes) > low
}

/// Of a stretch of any length.
unsafe extern "C" fn touched_range(address: u64, bytes: u64, how: u32, caller: u64, sp: u64, fp: u64) {
    if meets(address, bytes) {
        unsafe { touched(address, bytes, how, caller, sp, fp) };
    }
}

const _: () = {
    assert!(std::mem::offset_of!(Hooks, low) == LOW);
    assert!(std::mem::offset_of!(Hooks, high) == HIGH);
};

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// What was touched: tests have one memory.
    pub static SEEN: Mutex<Vec<(u64, u64, u32)>> = Mutex::new(Vec::new());
    static TURN: Mutex<()> = Mutex::new(());

    unsafe extern "C" fn note(address: u64, bytes: u64, how: u32, caller: u64, sp: u64, _fp: u64) {
        let here = &raw const address as u64;
        assert!(caller != 0 && (sp == 0 || (here..here + (1 << 16)).contains(&sp)), "{caller:x} {sp:x} {here:x}");
        SEEN.lock().unwrap().push((address, bytes, how));
    }

    /// What a test touches of some memory, while that is in flight.
    pub fn watched<T>(low: u64, high: u64, run: impl FnOnce() -> T) -> (T, Vec<(u64, u64, u32)>) {
        let _turn = TURN.lock().unwrap();
        SEEN.lock().unwrap().clear();
        HOOKS.touch.store(note as *const () as usize, Ordering::Release);
        HOOKS.low.store(low, Ordering::Relaxed);
        HOOKS.high.store(high, Ordering::Relaxed);
        let result = run();
        HOOKS.high.store(0, Ordering::Relaxed);
        let seen = std::mem::take(&mut *SEEN.lock().unwrap());
        (result, seen)
    }
}
