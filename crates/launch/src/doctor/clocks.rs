//! Resolution and cost of the clocks, measured.

use serde::Serialize;

use crate::clock;

const READS: u32 = 20_000;
const ROUNDS: usize = 7;

/// The clocks of this machine.
#[derive(Debug, Clone, Serialize)]
pub struct Clocks {
    /// Whether cpuid reports an invariant time-stamp counter.
    pub tsc_is_invariant: bool,
    /// The clock behind `clock_gettime`, as `/sys` names it; `None` if it cannot be read.
    pub kernel_clocksource: Option<String>,
    /// `tsc` or `monotonic`: the clock that the collector will use.
    pub used: &'static str,
    /// `None` if this processor has no readable time-stamp counter.
    pub tsc: Option<Cost>,
    /// Its rate; `None` as for `tsc`.
    pub tsc_ticks_per_us: Option<f64>,
    /// `clock_gettime(CLOCK_MONOTONIC)`.
    pub monotonic: Cost,
}

/// The cost of reading a clock, and its smallest step.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Cost {
    /// Of one read: the minimum of several rounds, as interruptions only add time.
    pub cost_ns: f64,
    /// The smallest difference of two reads that differ; 0 if none did.
    pub resolution_ns: f64,
}

impl Clocks {
    /// Reads each clock some hundred thousand times, which takes some tens of milliseconds.
    pub fn measure() -> Self {
        let tsc_is_invariant = clock::tsc_is_invariant();
        let kernel_clocksource = clock::kernel_clocksource();
        let tsc_used = clock::tsc_is_used(tsc_is_invariant, kernel_clocksource.as_deref());
        let rate = ticks_per_ns();
        let tsc = rate.filter(|rate| *rate > 0.0).map(|rate| {
            let ticks = || clock::tsc().unwrap_or(0);
            Cost { cost_ns: cost_ns(ticks), resolution_ns: smallest_step(ticks) as f64 / rate }
        });
        Self {
            tsc_is_invariant,
            kernel_clocksource,
            used: if tsc_used { "tsc" } else { "monotonic" },
            tsc,
            tsc_ticks_per_us: rate.map(|rate| rate * 1000.0),
            monotonic: Cost {
                cost_ns: cost_ns(clock::monotonic_ns),
                resolution_ns: smallest_step(clock::monotonic_ns) as f64,
            },
        }
    }
}

/// The minimum over some rounds: interruptions only add time.
fn cost_ns(read: impl Fn() -> u64) -> f64 {
    let round = || {
        let start = clock::monotonic_ns();
        for _ in 0..READS {
            std::hint::black_box(read());
        }
        (clock::monotonic_ns() - start) as f64 / f64::from(READS)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn smallest_step(read: impl Fn() -> u64) -> u64 {
    let mut smallest = u64::MAX;
    let mut last = read();
    for _ in 0..READS {
        let now = read();
        if now > last {
            smallest = smallest.min(now - last);
        }
        last = now;
    }
    if smallest == u64::MAX { 0 } else { smallest }
}

fn ticks_per_ns() -> Option<f64> {
    let (ticks, start) = (clock::tsc()?, clock::monotonic_ns());
    while clock::monotonic_ns() - start < 10_000_000 {
        std::hint::spin_loop();
    }
    let (more, end) = (clock::tsc()?, clock::monotonic_ns());
    Some(more.wrapping_sub(ticks) as f64 / (end - start) as f64)
}
