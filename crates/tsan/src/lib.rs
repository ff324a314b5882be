//! The runtime for programs compiled with `-fsanitize=thread` under `mpiscope check`.
//!
//! Such a program calls a function of the compiler's runtime (`libtsan.so.2`) before each load and store. A preloaded library
//! of that name is used instead, and the compiler's runtime is not loaded. This one only reports accesses to memory that an
//! MPI operation has in flight to the collector, with the address of the instruction
//! (`docs/decisions/0027-instrumented-programs.md`).
//!
//! # Design constraints
//!
//! * It runs at every load and store of the program: two comparisons, no memory of its own, no thread-local storage, no lock.
//! * Atomic operations are also calls, and have to be performed here. In code of GCC, `memcpy` and similar functions are not
//!   calls of the runtime: they are wrapped under their own names.
//! * The whole interface is defined, though most of it does nothing: a missing name would end the program. If a program needs
//!   a function that is not defined, the library is not used (`crates/launch/src/instrumented.rs`).
//! * It may be called before it is relocated, by an object that is relocated earlier.

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
compile_error!("the entries of the runtime are written for x86-64 and AArch64 Linux");

mod access;
mod atomic;
mod gate;
mod memory;
mod silent;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Data shared with the collector, which defines the same in `crates/collector/src/check/inflight/instrumented.rs`.
#[repr(C)]
pub struct Hooks {
    /// Version of this structure.
    version: u64,
    /// Start of the memory in flight, and one past its end. The end is 0 if nothing is in flight.
    low: AtomicU64,
    high: AtomicU64,
    /// [`Touch`], once the collector has set it.
    touch: AtomicUsize,
}

/// Address, bytes, [`WRITE`] and [`LIBRARY`]; return address in the accessing code, its stack and frame pointer (0: unknown).
type Touch = unsafe extern "C" fn(u64, u64, u32, u64, u64, u64);

/// A write access.
const WRITE: u32 = 1;
/// An access by a function of the C library: it is unknown whether its caller is the program's code.
const LIBRARY: u32 = 2;

/// Offsets for the entries' assembly.
const LOW: usize = 8;
const HIGH: usize = 16;

static HOOKS: Hooks =
    Hooks { version: 1, low: AtomicU64::new(u64::MAX), high: AtomicU64::new(0), touch: AtomicUsize::new(0) };

/// Called by the collector. The structure itself is not exported, as the entries have to access it without a table.
#[unsafe(no_mangle)]
pub extern "C" fn mpiscope_tsan_hooks() -> *const Hooks {
    &raw const HOOKS
}

/// Never called: its name in the file provides room for another soname, for programs of compilers whose runtime has another
/// name.
#[unsafe(no_mangle)]
pub extern "C" fn mpiscope_tsan_room_for_the_name_by_which_programs_need_it() {}

/// Called for an access between the first and the last byte in flight.
unsafe extern "C" fn touched(address: u64, bytes: u64, how: u32, caller: u64, sp: u64, fp: u64) {
    let touch = HOOKS.touch.load(Ordering::Acquire);
    if touch != 0 {
        // SAFETY: the collector has put it there.
        let touch: Touch = unsafe { std::mem::transmute(touch) };
        unsafe { touch(address, bytes, how, caller, sp, fp) };
    }
}

/// Whether a range overlaps the first to the last byte in flight.
fn meets(address: u64, bytes: u64) -> bool {
    let (low, high) = (HOOKS.low.load(Ordering::Relaxed), HOOKS.high.load(Ordering::Relaxed));
    bytes > 0 && address < high && address.saturating_add(bytes) > low
}

/// The same for a range of any length.
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
