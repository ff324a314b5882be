//! From ticks to nanoseconds.

/// Linear conversion from ticks to nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TickClock {
    ticks0: u64,
    ns0: u64,
    /// Nanoseconds in a tick.
    pub ns_per_tick: f64,
    /// The same as `multiplier` / 2^`shift`. With its highest bit set it is exact to 2⁻⁶³ of the result, and one
    /// multiplication of integers takes less than a third of the time of conversions and a rounding.
    multiplier: u64,
    shift: u32,
    /// Ticks are nanoseconds.
    is_ns: bool,
}

impl TickClock {
    /// Through the earliest and the latest of `points` (ticks, ns). Without two distinct
    /// points a tick counts as a nanosecond.
    pub fn fit(kind: u32, points: &[(u64, u64)]) -> TickClock {
        let first = points.iter().min().copied().unwrap_or((0, 0));
        let last = points.iter().max().copied().unwrap_or((0, 0));
        let (mut ticks, mut ns) = (last.0.saturating_sub(first.0), last.1.saturating_sub(first.1));
        if kind == crate::layout::clock::MONOTONIC || ticks == 0 || ns == 0 {
            (ticks, ns) = (1, 1);
        }
        TickClock::rising(first, ticks, ns)
    }
    /// Through two points (ticks, ns), the second after the first.
    pub fn through(first: (u64, u64), last: (u64, u64)) -> TickClock {
        TickClock::rising(first, last.0.saturating_sub(first.0).max(1), last.1.saturating_sub(first.1).max(1))
    }
    fn rising(first: (u64, u64), ticks: u64, ns: u64) -> TickClock {
        let (multiplier, shift) = fraction(ns, ticks);
        let is_ns = (multiplier, shift) == (1 << 63, 63);
        TickClock { ticks0: first.0, ns0: first.1, ns_per_tick: ns as f64 / ticks as f64, multiplier, shift, is_ns }
    }
    /// As fast as this one, through a point of its own.
    #[must_use]
    pub fn moved(&self, ticks: u64, ns: u64) -> TickClock {
        TickClock { ticks0: ticks, ns0: ns, ..*self }
    }
    /// The tick of a moment, as near as there is one.
    pub fn ticks(&self, ns: u64) -> u64 {
        let after = (i128::from(ns) - i128::from(self.ns0)) as f64 / self.ns_per_tick;
        (i128::from(self.ticks0) + after.round() as i128).clamp(0, u64::MAX.into()) as u64
    }
    /// A moment.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        let delta = ticks.wrapping_sub(self.ticks0) as i64;
        let ns = self.duration_ns(delta.unsigned_abs());
        if delta < 0 { self.ns0.saturating_sub(ns) } else { self.ns0.saturating_add(ns) }
    }
    /// A duration.
    #[inline]
    pub fn duration_ns(&self, ticks: u64) -> u64 {
        // Twice for every record, so the two common clocks need no shift of 128 bits: ticks that are nanoseconds …
        if self.is_ns {
            return ticks;
        }
        // … and counters faster than 1 GHz.
        let product = u128::from(ticks) * u128::from(self.multiplier);
        if self.shift > 64 {
            let high = (product >> 64) as u64;
            return high.saturating_add(1 << (self.shift - 65)) >> (self.shift - 64);
        }
        let ns = product.saturating_add((1 << self.shift) >> 1) >> self.shift;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

/// `ns` / `ticks`, both at least 1, as multiplier / 2^shift: the multiplier has its highest bit set, shift < 127.
fn fraction(ns: u64, ticks: u64) -> (u64, u32) {
    let (ns, ticks) = (u128::from(ns), u128::from(ticks));
    // Shifted until the quotient has 64 bits; below 2^127, since the quotient of what is left would have more.
    let mut shift = ns.leading_zeros().min(126);
    while (ns << shift) / ticks > u64::MAX.into() {
        shift -= 1;
    }
    (((ns << shift) / ticks) as u64, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by its definition.
    fn exact(clock: &TickClock, ticks: u64) -> u64 {
        let product = u128::from(ticks) * u128::from(clock.multiplier);
        let ns = product.saturating_add((1 << clock.shift) >> 1) >> clock.shift;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    proptest! {
        #[test]
        fn every_clock_is_a_rounded_quotient(elapsed in (1..u64::MAX, 1..u64::MAX), few in 1..50u64, ticks: u64, bits in 0..64) {
            let ticks = ticks >> bits;
            for (elapsed_ticks, elapsed_ns) in [elapsed, (1, 1), (few, 1), (1, few), (3, 1), (1000, 999)] {
                let clock = TickClock::through((0, 0), (elapsed_ticks, elapsed_ns));
                prop_assert_eq!(clock.duration_ns(ticks), exact(&clock, ticks));
            }
        }
    }
}
