//! Clocks of this machine, and the choice of the collector's clock.

use mpiscope_records::ClockReading;

/// Nanoseconds of `CLOCK_REALTIME` since 1970.
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is writable; both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The time-stamp counter, where the processor has one.
pub fn tsc() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor has the instruction.
        Some(unsafe { core::arch::x86_64::_rdtsc() })
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Whether cpuid reports that the counter runs at a constant rate in every state of the processor.
pub fn tsc_is_invariant() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The kernel's current clock source.
pub fn kernel_clocksource() -> Option<String> {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// Whether an invariant counter is also synchronized between processors. The kernel measures that, and uses another source
/// if it is not.
pub fn tsc_is_used(invariant: bool, clocksource: Option<&str>) -> bool {
    let trusted = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "hyperv_clocksource"];
    invariant && clocksource.is_some_and(|source| trusted.contains(&source))
}

/// All clocks at this moment, to relate a rank file's clock to the others.
pub fn reading() -> ClockReading {
    ClockReading { tsc: tsc(), monotonic_ns: monotonic_ns(), realtime_ns: realtime_ns() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_used_only_where_the_kernel_trusts_it() {
        assert!(tsc_is_used(true, Some("tsc")));
        assert!(tsc_is_used(true, Some("kvm-clock")));
        assert!(!tsc_is_used(true, Some("hpet")));
        assert!(!tsc_is_used(false, Some("tsc")));
        assert!(!tsc_is_used(true, None));
    }

    #[test]
    fn clocks_advance() {
        let (a, b) = (reading(), reading());
        assert!(b.monotonic_ns >= a.monotonic_ns);
        assert!(a.realtime_ns > 1_500_000_000_000_000_000);
    }
}
