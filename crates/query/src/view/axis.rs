//! From values to bins.

use serde::Serialize;

/// An axis from `min` to `max`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// Smallest value, in the unit of the field.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Whether bins have equal ratios instead of equal widths.
    pub is_log: bool,
}

/// The requested axis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish {
    /// `None` takes the smallest value that occurs.
    pub min: Option<f64>,
    /// `None` takes the largest value that occurs.
    pub max: Option<f64>,
    /// See [`Axis::is_log`].
    pub is_log: bool,
}

/// Smallest and largest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    min: f64,
    /// Smallest value above 0, where a logarithmic axis starts.
    positive: f64,
    max: f64,
}

impl Wish {
    /// The axis, if it does not depend on the values.
    pub fn complete(&self) -> Option<Axis> {
        Some(Range::NONE.axis(&Wish { min: Some(self.min?), max: Some(self.max?), is_log: self.is_log }))
    }
}

impl Range {
    pub const NONE: Range = Range { min: f64::INFINITY, positive: f64::INFINITY, max: f64::NEG_INFINITY };

    pub fn add(&mut self, value: f64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if value > 0.0 {
            self.positive = self.positive.min(value);
        }
    }

    pub fn join(&mut self, other: Range) {
        self.min = self.min.min(other.min);
        self.positive = self.positive.min(other.positive);
        self.max = self.max.max(other.max);
    }

    /// The largest value, if there is one.
    pub fn largest(&self) -> Option<f64> {
        self.max.is_finite().then_some(self.max)
    }

    /// An axis that contains all values, or the requested one.
    pub fn axis(&self, wish: &Wish) -> Axis {
        let least = if wish.is_log { self.positive } else { self.min };
        let finite = |value: f64, otherwise: f64| if value.is_finite() { value } else { otherwise };
        let mut min = finite(wish.min.unwrap_or(least), 0.0);
        if wish.is_log && min <= 0.0 {
            min = finite(self.positive, 1.0);
        }
        let max = finite(wish.max.unwrap_or(self.max), 1.0);
        Axis { min, max: if max > min { max } else { min + 1.0 }, is_log: wish.is_log }
    }
}

impl Axis {
    /// The value at a share of the axis.
    pub fn at(&self, share: f64) -> f64 {
        if self.is_log {
            (self.min.ln() + share * (self.max.ln() - self.min.ln())).exp()
        } else {
            self.min + share * (self.max - self.min)
        }
    }

    /// The axis with this many bins.
    pub(crate) fn in_bins(self, bins: usize) -> Bins {
        let length = if self.is_log { (self.max / self.min).ln() } else { self.max - self.min };
        Bins { axis: self, bins, length }
    }

    /// The bin of a value, `None` outside the axis.
    pub fn bin(&self, value: f64, bins: usize) -> Option<usize> {
        self.in_bins(bins).bin_of(value)
    }
}

/// An axis in bins, for many values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bins {
    axis: Axis,
    bins: usize,
    /// Of the axis, or of its logarithm.
    length: f64,
}

impl Bins {
    /// The bin of a value, `None` outside the axis.
    pub fn bin_of(&self, value: f64) -> Option<usize> {
        let Axis { min, max, is_log } = self.axis;
        if !(value >= min && value <= max) {
            return None;
        }
        let share = if is_log { (value / min).ln() } else { value - min } / self.length;
        // A value on an edge belongs to the bin that starts there, also where the edge is not exactly representable.
        Some(((share * self.bins as f64 + 1e-9) as usize).min(self.bins - 1))
    }

    /// Bins of the values between two, and the part of them that is on the axis; `None` if none is.
    pub fn between(&self, (least, most): (f64, f64)) -> Option<(std::ops::RangeInclusive<usize>, f64)> {
        let Axis { min, max, is_log } = self.axis;
        if most < min || least > max || (is_log && most <= 0.0) {
            return None;
        }
        let (from, until) = (least.max(min), most.min(max));
        let first = self.bin_of(from)?;
        let last = if until > from { self.bin_of(until)? } else { first };
        let part = if most > least { ((until - from) / (most - least)).clamp(0.0, 1.0) } else { 1.0 };
        Some((first..=last, part))
    }
}

/// Ranges of the same values, joined.
pub(crate) fn join<const N: usize>(mut a: [Range; N], b: [Range; N]) -> [Range; N] {
    a.iter_mut().zip(b).for_each(|(to, from)| to.join(from));
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_bin() {
        let mut range = Range::NONE;
        [0.0, 3.0, 1000.0].into_iter().for_each(|v| range.add(v));
        let linear = range.axis(&Wish::default());
        assert_eq!((linear.bin(0.0, 10), linear.bin(1000.0, 10), linear.bin(1001.0, 10)), (Some(0), Some(9), None));
        let log = range.axis(&Wish { is_log: true, ..Wish::default() });
        assert_eq!((log.bin(0.0, 10), log.bin(3.0, 10), log.bin(1000.0, 10)), (None, Some(0), Some(9)));
        for at in 0..10 {
            let middle = log.at((at as f64 + 0.5) / 10.0);
            assert_eq!(log.bin(middle, 10), Some(at));
        }
        let one = Range { min: 5.0, positive: 5.0, max: 5.0 }.axis(&Wish::default());
        assert_eq!(one.bin(5.0, 4), Some(0));
        let nothing = Range::NONE.axis(&Wish { is_log: true, ..Wish::default() });
        assert!(nothing.min < nothing.max && nothing.min > 0.0);
    }
}
