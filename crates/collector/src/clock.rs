//! The recording clock: the time-stamp counter if it is reliable, otherwise `CLOCK_MONOTONIC`.

use std::sync::atomic::{AtomicU32, Ordering};

use mpiscope_trace::layout::{Anchor, clock};

/// Instead of a shift applied to the counter: use `CLOCK_MONOTONIC`.
pub const NO_TSC: u32 = 64;
/// Shift applied to the counter, or [`NO_TSC`]. Each thread has a copy beside its other hot data.
static SHIFT: AtomicU32 = AtomicU32::new(NO_TSC);

/// `clock_gettime` in nanoseconds.
pub fn gettime(id: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes `now`.
    unsafe { libc::clock_gettime(id, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Ticks now.
#[inline(always)]
pub fn now() -> u64 {
    let shift = shift();
    if shift == NO_TSC { slow() } else { counter(shift) }
}

/// How far the counter is shifted; [`NO_TSC`]: ticks are not those of the counter.
pub fn shift() -> u32 {
    SHIFT.load(Ordering::Relaxed)
}

/// Ticks now, where ticks are those of the counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn counter(shift: u32) -> u64 {
    // SAFETY: every x86-64 has it. Not serialised on purpose: a fence costs as much again, and
    // the calls on both sides bound the reordering to a few cycles.
    unsafe { core::arch::x86_64::_rdtsc() >> (shift & 63) }
}

/// The short ways that read a counter are not taken where there is none.
#[cfg(target_arch = "aarch64")]
pub fn counter(_shift: u32) -> u64 {
    slow()
}

#[cold]
#[inline(never)]
fn slow() -> u64 {
    gettime(libc::CLOCK_MONOTONIC)
}

/// Ticks from reading to reading within which clocks count as read at one moment: a system call and more.
const CLOSE: u64 = 2_000;
/// How often they are read at most.
const READINGS: usize = 16;

/// Three clocks at one moment. A process that loses its core between two readings would tie moments together that are
/// milliseconds apart, and all of its times would be wrong by as much: then they are read again.
pub fn anchor() -> Anchor {
    let mut best = (u64::MAX, Anchor::default());
    for _ in 0..READINGS {
        let before = now();
        let monotonic_ns = gettime(libc::CLOCK_MONOTONIC);
        let apart = now().saturating_sub(before);
        if apart < best.0 {
            let realtime_ns = gettime(libc::CLOCK_REALTIME);
            best = (apart, Anchor { ticks: before + apart / 2, monotonic_ns, realtime_ns });
        }
        if best.0 <= CLOSE {
            break;
        }
    }
    best.1
}

/// Chooses the clock; returns `Header::clock` and `Header::tick_shift`.
///
/// The counter is taken when the processor promises a constant rate (CPUID 8000_0007h EDX bit 8)
/// and the kernel itself trusts it. Behind kvm-clock the kernel cannot say; the promise decides.
#[cfg(target_arch = "x86_64")]
pub fn choose() -> (u32, u32) {
    let invariant = core::arch::x86_64::__cpuid(0x8000_0000).eax >= 0x8000_0007
        && core::arch::x86_64::__cpuid(0x8000_0007).edx & (1 << 8) != 0;
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource").unwrap_or_default();
    if invariant && matches!(source.trim(), "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page" | "") {
        // Above 2 GHz half the rate is still at least one tick a nanosecond and saves a bit of every
        // gap and duration. The rate is not known yet, so it is measured against 50 µs.
        let (t0, n0) = (raw(), gettime(libc::CLOCK_MONOTONIC));
        let mut n1 = n0;
        while n1 < n0 + 50_000 {
            n1 = gettime(libc::CLOCK_MONOTONIC);
        }
        let ghz = (raw() - t0) as f64 / (n1 - n0) as f64;
        let shift = if ghz >= 4.0 { 2 } else { u32::from(ghz >= 2.0) };
        SHIFT.store(shift, Ordering::Relaxed);
        (clock::TSC, shift)
    } else {
        SHIFT.store(NO_TSC, Ordering::Relaxed);
        (clock::MONOTONIC, 0)
    }
}

#[cfg(target_arch = "x86_64")]
fn raw() -> u64 {
    // SAFETY: as in `now`.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Always `CLOCK_MONOTONIC`: the generic timer (`cntvct_el0`) ticks at 25 to 100 MHz on most machines in use, tens
/// of nanoseconds a tick, and the kernel reads that very counter for its clock.
#[cfg(target_arch = "aarch64")]
pub fn choose() -> (u32, u32) {
    (clock::MONOTONIC, 0)
}
