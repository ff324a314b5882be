//! The word that every call reads: whether it is recorded, and on which way. It lies in the rank file, so that others can change
//! it, and in static memory while there is none.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};

use mpiscope_trace::layout::{self, Control, MAX_PLACES, REACHED_BEHIND_CONTROL, gate, place};

use super::Process;
use crate::places;

/// Stands for that of a rank file while there is none, and in the child of a fork, which shares its parent's.
static NO_FILE: Shared = Shared(UnsafeCell::new(NoFile {
    control: Control { gate: 0, unused: 0, epoch: 1 },
    reached: [place::NOT_REACHED; MAX_PLACES],
}));

static CONTROL: AtomicPtr<Control> = AtomicPtr::new(NO_FILE.0.get().cast());

/// What code has a pointer to, as far apart as in [`layout::Header`].
#[repr(C)]
struct NoFile {
    control: Control,
    reached: [u8; MAX_PLACES],
}

const _: () = assert!(std::mem::offset_of!(NoFile, reached) == REACHED_BEHIND_CONTROL);

/// Written by atomic operations only.
struct Shared(UnsafeCell<NoFile>);

// SAFETY: see above.
unsafe impl Sync for Shared {}

/// What every call of every thread reads; hot functions have a pointer to it.
pub fn control() -> *mut Control {
    CONTROL.load(Ordering::Acquire)
}

/// Address of the variable that holds what [`control`] gives, for code that is generated.
pub fn control_slot() -> usize {
    CONTROL.as_ptr() as usize
}

/// What stands in the way of recording; 0: nothing. See [`mpiscope_trace::layout::gate`].
pub fn gate() -> u32 {
    gate_of(control())
}

/// The same, of a thread's own pointer.
#[inline(always)]
pub fn gate_of(control: *mut Control) -> u32 {
    gate_word(control).load(Ordering::Relaxed)
}

#[inline(always)]
fn gate_word<'a>(control: *mut Control) -> &'a AtomicU32 {
    // SAFETY: mapped or static, for good.
    unsafe { AtomicU32::from_ptr(&raw mut (*control).gate) }
}

/// Pauses or resumes recording.
pub fn set_paused(paused: bool) {
    if paused {
        gate_word(control()).fetch_or(gate::PAUSED, Ordering::Relaxed);
    } else {
        gate_word(control()).fetch_and(!gate::PAUSED, Ordering::Relaxed);
    }
}

/// Whether a place was reached, as it is noted behind a control word.
fn reached<'a>(control: *mut Control, number: usize) -> &'a AtomicU8 {
    debug_assert!(number < MAX_PLACES);
    // SAFETY: mapped or static, for good; the array stands behind every control word.
    unsafe { AtomicU8::from_ptr(control.cast::<u8>().add(REACHED_BEHIND_CONTROL + number)) }
}

/// Of a place that could not be patched everywhere, before there is a rank file.
pub fn not_known_whether_reached(number: usize) {
    if number < MAX_PLACES {
        reached(control(), number).store(place::UNKNOWN, Ordering::Relaxed);
    }
}

/// Takes over into the rank file which places were reached before there was one. A thread that was in a stub meanwhile may note
/// it too late: this is done again when MPI is initialised.
pub fn take_over_reached() {
    let (before, now) = (NO_FILE.0.get().cast(), control());
    for (number, _) in places::there().into_iter().filter(|(number, _)| *number < MAX_PLACES) {
        match reached(before, number).load(Ordering::Relaxed) {
            place::REACHED => reached(now, number).store(place::REACHED, Ordering::Relaxed),
            noted => {
                // Whoever comes there now knows better.
                let unless = place::NOT_REACHED;
                let _ = reached(now, number).compare_exchange(unless, noted, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }
}

/// Continues with the control word of the rank file.
pub fn take_over(word: *mut Control) {
    // Whether recording is paused was said when the library was loaded, and places may have changed it since.
    gate_word(word).fetch_or(gate(), Ordering::Relaxed);
    CONTROL.store(word, Ordering::Release);
    take_over_reached();
}

/// In the child of a fork: the mappings are shared with the parent, whose ring and control this is.
pub fn leave_to_parent() {
    CONTROL.store(NO_FILE.0.get().cast(), Ordering::Release);
    set_off();
}

/// Calls take the long way from now on.
pub fn take_long_way() {
    gate_word(control()).fetch_or(gate::LONG_WAY, Ordering::Relaxed);
}

/// Nothing is recorded from now on.
pub fn set_off() {
    gate_word(control()).fetch_or(gate::OFF, Ordering::Relaxed);
}

/// Call sites cannot be lines of Python here: calls take the short way, if nothing else keeps them from it.
pub fn no_python(process: &Process) {
    // SAFETY: the mapped header.
    let clock_kind = unsafe { (*process.file.header).clock };
    if !process.config.check && process.config.stack <= 1 && clock_kind == layout::clock::TSC {
        gate_word(control()).fetch_and(!gate::LONG_WAY, Ordering::Relaxed);
    }
}

/// Ends recording.
pub fn switch_off(reason: u32) {
    set_off();
    if let Some(process) = Process::get() {
        // SAFETY: the mapped header.
        unsafe { (*process.file.header).off_reason = reason };
    }
}

/// Why recording ended (`Header::off_reason`).
pub mod reason {
    /// This rank is not in `--ranks`.
    pub const RANK_NOT_WANTED: u32 = 1;
}
