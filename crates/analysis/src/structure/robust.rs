//! Robust statistics: of a stream in constant memory, and of a list.

/// Median and median deviation of a stream, each in one word.
///
/// Every value moves the estimate by a small factor towards itself, so that it settles where half of the values are
/// larger (Ma, Muthukrishnan, Sandler, *Frugal streaming for estimating quantiles*, 2013). Steps become smaller with
/// the number of values and end at 1/64: the estimate then follows slow changes and ignores single values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Running {
    median: f32,
    spread: f32,
    count: u32,
}

/// Values before the estimate means something.
const SETTLED: u32 = 16;

/// Clocks do not resolve less; keeps the factors away from 0.
const FLOOR_NS: f32 = 16.0;

impl Running {
    pub const EMPTY: Running = Running { median: 0.0, spread: 0.0, count: 0 };

    /// Takes a value and says by how much it exceeds what is usual, if it does by far: by more than `times` the
    /// median deviation *and* twice the median.
    #[inline]
    pub fn add(&mut self, value_ns: u64, times: f32) -> f32 {
        // Signed, because the conversion is one instruction then.
        let x = value_ns.min(i64::MAX as u64).cast_signed() as f32;
        if self.count == 0 {
            *self = Running { median: x.max(FLOOR_NS), spread: (x / 8.0).max(FLOOR_NS), count: 1 };
            return 0.0;
        }
        let excess = x - self.median;
        let deviation = excess.abs();
        let is_far = self.count >= SETTLED && excess > times * self.spread && excess > 2.0 * self.median;
        self.count = self.count.saturating_add(1);
        // Both are multiplications, so that up and down cancel; selections, so that nothing has to be predicted.
        let (up, down) = STEPS[(self.count as usize).min(STEPS.len() - 1)];
        self.median = at_least_floor(self.median * if excess > 0.0 { up } else { down });
        let narrower = deviation < self.spread;
        self.spread = at_least_floor(self.spread * if narrower { down } else { up });
        if is_far { excess } else { 0.0 }
    }

    /// Whether values are above 2 µs and vary by less than a tenth.
    #[inline]
    pub fn is_steady(&self) -> bool {
        self.median > 2_000.0 && self.spread * 10.0 < self.median && self.count >= SETTLED
    }

    pub fn median(&self) -> u64 {
        self.median as u64
    }

    pub fn spread(&self) -> u64 {
        self.spread as u64
    }

    pub fn count(&self) -> u32 {
        self.count
    }
}

/// `f32::max` also looks for values that are no numbers, which there are none of here.
#[inline]
fn at_least_floor(ns: f32) -> f32 {
    if ns > FLOOR_NS { ns } else { FLOOR_NS }
}

const STEPS: [(f32, f32); 65] = {
    let mut steps = [(1.5, 1.0 / 1.5); 65];
    let mut at = 2;
    while at < 65 {
        let up = 1.0 + 1.0 / at as f32;
        steps[at] = (up, 1.0 / up);
        at += 1;
    }
    steps
};

/// Median of a list, which is reordered; 0 of an empty one.
pub(crate) fn median(values: &mut [u64]) -> u64 {
    if values.is_empty() {
        return 0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable(middle).1
}

/// Median and median absolute deviation.
pub(crate) fn median_and_mad(values: &[u64]) -> (u64, u64) {
    let mut values = values.to_vec();
    let middle = median(&mut values);
    values.iter_mut().for_each(|v| *v = v.abs_diff(middle));
    (middle, median(&mut values))
}

/// Counts of values by size, 16 classes for each doubling: quantiles within 3 %.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    counts: Vec<u32>,
    total: u64,
}

impl Sizes {
    #[inline]
    pub fn add(&mut self, value: u64) {
        let class = class(value);
        if self.counts.len() <= class {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] = self.counts[class].saturating_add(1);
        self.total += 1;
    }

    pub fn median(&self) -> u64 {
        let mut left = self.total / 2;
        for (class, &count) in self.counts.iter().enumerate() {
            if left < u64::from(count) {
                return middle(class);
            }
            left -= u64::from(count);
        }
        0
    }

    pub fn mad(&self) -> u64 {
        let centre = self.median();
        let mut away = Sizes::default();
        for (class, &count) in self.counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            let at = self::class(middle(class).abs_diff(centre));
            if away.counts.len() <= at {
                away.counts.resize(at + 1, 0);
            }
            away.counts[at] += count;
            away.total += u64::from(count);
        }
        away.median()
    }
}

fn class(value: u64) -> usize {
    if value < 16 {
        return value as usize;
    }
    let doublings = 63 - value.leading_zeros();
    16 * (doublings as usize - 3) + ((value >> (doublings - 4)) as usize & 15)
}

fn middle(class: usize) -> u64 {
    if class < 16 {
        return class as u64;
    }
    let (doublings, part) = (class / 16 + 3, class as u64 % 16);
    ((16 + part) << (doublings - 4)) + (1 << (doublings - 4)) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_settles_and_needles_stand_out() {
        let mut running = Running::default();
        let mut far = 0;
        for i in 0..2000u64 {
            let value = if i == 1500 { 90_000 } else { 10_000 + (i * 7919 % 1000) };
            far += usize::from(running.add(value, 8.0) > 0.0);
        }
        assert_eq!(far, 1);
        assert!(running.median().abs_diff(10_500) < 700, "{}", running.median());
        assert!(running.spread() < 1500, "{}", running.spread());
    }

    #[test]
    fn a_bad_start_is_forgotten() {
        let mut running = Running::default();
        running.add(1_000_000_000, 8.0);
        for _ in 0..3000 {
            running.add(1000, 8.0);
        }
        assert!(running.median() < 1100, "{}", running.median());
    }

    #[test]
    fn classes_cover_all_values() {
        for value in [0, 1, 15, 16, 17, 31, 32, 1000, 123_456_789, u64::MAX / 2] {
            let near = middle(class(value));
            assert!(near.abs_diff(value) as f64 <= value as f64 * 0.033, "{value} {near}");
        }
        let mut sizes = Sizes::default();
        (0..1000).for_each(|v| sizes.add(v));
        assert!(sizes.median().abs_diff(500) < 16, "{}", sizes.median());
        assert!(sizes.mad().abs_diff(250) < 20, "{}", sizes.mad());
        assert_eq!(median_and_mad(&[1, 2, 3, 4, 100]), (3, 1));
        assert_eq!(median_and_mad(&[]), (0, 0));
    }
}
