//! As `clock.rs` beside it, for AArch64: always `CLOCK_MONOTONIC`.
//!
//! The generic timer (`cntvct_el0`) ticks at 25 to 100 MHz on most machines in use, tens of nanoseconds a
//! tick, and the kernel reads that very counter for its clock.

use mpiscope_trace::layout::{Anchor, clock};

/// Instead of a shift applied to the counter: use `CLOCK_MONOTONIC`.
pub const NO_TSC: u32 = 64;

/// `clock_gettime` in nanoseconds.
pub fn gettime(id: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes `now`.
    unsafe { libc::clock_gettime(id, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Ticks now.
pub fn now() -> u64 {
    gettime(libc::CLOCK_MONOTONIC)
}

/// See `clock.rs`: ticks are never those of a counter.
pub fn shift() -> u32 {
    NO_TSC
}

/// Ticks now; the short ways that read a counter are not taken where there is none.
pub fn counter(_shift: u32) -> u64 {
    now()
}

/// Three clocks at one moment.
pub fn anchor() -> Anchor {
    Anchor { ticks: now(), monotonic_ns: gettime(libc::CLOCK_MONOTONIC), realtime_ns: gettime(libc::CLOCK_REALTIME) }
}

/// Chooses the clock; returns `Header::clock` and `Header::tick_shift`.
pub fn choose() -> (u32, u32) {
    (clock::MONOTONIC, 0)
}
