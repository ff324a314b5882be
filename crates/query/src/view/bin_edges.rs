//! Edges of the bins of a histogram: round numbers, and no more bins than the values can fill.
//!
//! Steps are 1, 2 or 5 times a power of ten; for bytes, powers of two. On a logarithmic axis they are steps of the
//! exponent: whole decades (octaves), several of them, or an integer fraction of one. `viewer/src/exported/bins.ts` does the
//! same for exported pages; `viewer/test/histogram-bins.json` checks both.

use std::collections::HashSet;

use super::axis::{Axis, Range};
use super::fields::Field;

/// Facts about the values before they are counted.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    range: Range,
    count: u64,
    is_log: bool,
    /// Up to `most` distinct ones; more make no difference.
    distinct: HashSet<u64>,
    most: usize,
    last: u64,
}

impl Values {
    pub fn new(is_log: bool, most: usize) -> Values {
        Values { range: Range::NONE, count: 0, is_log, distinct: HashSet::new(), most, last: f64::NAN.to_bits() }
    }

    pub fn add(&mut self, value: f64, times: u64) {
        self.range.add(value);
        if self.is_log && value <= 0.0 {
            return;
        }
        self.count += times;
        // Successive calls often have the same value.
        let bits = value.to_bits();
        if bits != self.last && self.distinct.len() < self.most {
            self.distinct.insert(bits);
            self.last = bits;
        }
    }

    pub fn join(mut self, other: Values) -> Values {
        self.range.join(other.range);
        self.count += other.count;
        for bits in other.distinct {
            if self.distinct.len() < self.most {
                self.distinct.insert(bits);
            }
        }
        self
    }

    pub fn range(&self) -> &Range {
        &self.range
    }

    /// The axis and its number of bins.
    pub fn bins(&self, field: Field) -> (Axis, usize) {
        let axis = self.range.axis(&super::Wish { is_log: self.is_log, ..super::Wish::default() });
        let max = self.range.largest().filter(|max| *max >= axis.min).unwrap_or(axis.min);
        // Rice's rule: twice the cube root of their number.
        let wanted = (2.0 * (self.count as f64).cbrt()).ceil() as usize;
        let most = wanted.min(self.distinct.len()).clamp(1, self.most.max(1));
        Grid::of(field, axis.is_log).bins(axis.min, max, most)
    }
}

/// The possible edges.
struct Grid {
    is_log: bool,
    is_binary: bool,
    /// Factor from values to the unit on the page: bandwidth is shown in bytes per second.
    factor: f64,
    /// Ids are in the middle of their bin.
    shift: f64,
    least_step: f64,
}

impl Grid {
    fn of(field: Field, is_log: bool) -> Grid {
        let info = field.info();
        let is_rate = info.unit == "bytes/ns";
        Grid {
            is_log,
            is_binary: is_rate || info.unit == "bytes",
            factor: if is_rate { 1e9 } else { 1.0 },
            shift: if info.is_id && !is_log { 0.5 } else { 0.0 },
            // All other fields are whole numbers.
            least_step: if is_log || is_rate { 0.0 } else { 1.0 },
        }
    }

    fn to_grid(&self, value: f64) -> f64 {
        let value = value * self.factor;
        match (self.is_log, self.is_binary) {
            (true, true) => value.log2(),
            (true, false) => value.log10(),
            (false, _) => value + self.shift,
        }
    }

    fn to_value(&self, place: f64) -> f64 {
        let value = match (self.is_log, self.is_binary) {
            (true, true) => place.exp2(),
            (true, false) => 10_f64.powf(place),
            (false, _) => place - self.shift,
        };
        value / self.factor
    }

    /// The smallest allowed step that is not below `rough`.
    fn step(&self, rough: f64) -> f64 {
        let rough = rough.max(self.least_step);
        if self.is_binary {
            return (rough.log2() - 1e-9).ceil().exp2();
        }
        let power = 10_f64.powf((rough.log10() + 1e-9).floor());
        let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9));
        factor.unwrap_or(10.0) * power
    }

    /// Bins from the edge below `min` to the one above `max`, at most `most`.
    fn bins(&self, min: f64, max: f64, most: usize) -> (Axis, usize) {
        let (low, high) = (self.to_grid(min), self.to_grid(max));
        // A single value has a bin of a tenth of its size.
        let length = if high > low {
            high - low
        } else if self.is_log {
            0.1
        } else {
            (low.abs() * 0.1).max(1.0)
        };
        let mut step = self.step(length / most as f64);
        loop {
            let first = (low / step + 1e-9).floor();
            // A value on an edge belongs to the bin that starts there.
            let last = (high / step + 1e-9).floor() + 1.0;
            let count = last - first;
            if count <= most as f64 {
                // An edge within a billionth of a value counts as that value.
                let from = self.to_value(first * step).min(min);
                let until = self.to_value(last * step).max(max);
                return (Axis { min: from, max: until, is_log: self.is_log }, count as usize);
            }
            // Two values on both sides of an edge common to all steps share one bin.
            if step > 4.0 * length && most == 1 {
                let axis = Axis { min: self.to_value(low), max: self.to_value(low + step), is_log: self.is_log };
                return (axis, 1);
            }
            step = self.step(step * 1.5);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = f64>, field: Field, is_log: bool) -> (Axis, usize, Vec<f64>) {
        let mut all = Values::new(is_log, 120);
        values.into_iter().for_each(|value| all.add(value, 1));
        let (axis, bins) = all.bins(field);
        (axis, bins, (0..=bins).map(|at| axis.at(at as f64 / bins as f64)).collect())
    }

    fn near(found: &[f64], wanted: &[f64]) {
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() <= b.abs() * 1e-9 + 1e-12, "{found:?}");
        }
    }

    #[test]
    fn edges_are_round_numbers() {
        near(&of((0..=1000).map(f64::from), Field::Duration, false).2[..3], &[0.0, 50.0, 100.0]);
        // Integer fractions of decades.
        let (axis, bins, edges) = of((1..=1000).map(f64::from), Field::Duration, true);
        assert!(axis.min == 1.0 && bins == 16, "{edges:?}");
        near(&edges[..6], &[1.0, 10_f64.powf(0.2), 10_f64.powf(0.4), 10_f64.powf(0.6), 10_f64.powf(0.8), 10.0]);
        near(&of([8.0, 64.0, 1024.0, 65536.0], Field::Bytes, true).2, &[1.0, 256.0, 65536.0, 16_777_216.0]);
        near(&of((0..64).map(|n| f64::from(n) * 8.0), Field::Bytes, false).2[..3], &[0.0, 64.0, 128.0]);
    }

    #[test]
    fn ids_lie_in_the_middle_of_their_bins() {
        near(&of([0.0, 1.0, 2.0, 3.0], Field::Rank, false).2, &[-0.5, 0.5, 1.5, 2.5, 3.5]);
        let (_, bins, edges) = of((0..4720).map(f64::from), Field::Rank, false);
        assert!(bins <= 34 && edges[0] == -0.5 && (edges[1] - edges[0]).fract() == 0.0, "{edges:?}");
    }

    #[test]
    fn there_are_never_more_bins_than_values() {
        for field in [Field::Duration, Field::Bytes, Field::Bandwidth, Field::Rank] {
            for is_log in [false, true] {
                for values in
                    [&[7.0][..], &[5.0, 5.0, 5.0], &[9.0, 10.0], &[1.0, 1e12], &[3.0, 4.0, 1e6], &[1023.0, 1024.0]]
                {
                    let (axis, bins, _) = of(values.iter().copied(), field, is_log);
                    let mut distinct = values.to_vec();
                    distinct.dedup();
                    assert!(bins <= distinct.len(), "{field:?} {is_log} {values:?}: {bins}");
                    for value in values {
                        assert!(axis.bin(*value, bins).is_some(), "{field:?} {is_log} {values:?}: {value} in {axis:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_value_on_an_edge_is_in_the_bin_that_begins_there() {
        let sizes: Vec<f64> = (3..=20).map(|n| f64::from(1 << n)).collect();
        let many: Vec<f64> = sizes.iter().flat_map(|size| vec![*size; 100]).collect();
        let (axis, bins, edges) = of(many, Field::Bytes, true);
        assert_eq!(bins, 18, "{edges:?}");
        for (at, size) in sizes.iter().enumerate() {
            assert_eq!(axis.bin(*size, bins), Some(at), "{size}");
        }
    }

    #[test]
    fn values_that_are_nearly_on_an_edge_are_counted() {
        for value in [1000.0, 1e6, 3e10 - 1.0, 3e10, 1e15 - 1.0] {
            for is_log in [false, true] {
                let values: Vec<f64> = (0..1000).map(|n| value + f64::from(n) * value / 10.0).collect();
                let (axis, bins, _) = of(values.iter().copied(), Field::Duration, is_log);
                assert!(values.iter().all(|value| axis.bin(*value, bins).is_some()), "{value} {is_log}: {axis:?}");
            }
        }
    }

    #[test]
    fn nothing_and_odd_values_have_an_axis() {
        for field in [Field::Duration, Field::Tag] {
            for is_log in [false, true] {
                for values in [&[][..], &[0.0], &[-3.0, 5.0], &[0.0, f64::MAX], &[-1.0]] {
                    let (axis, bins, _) = of(values.iter().copied(), field, is_log);
                    assert!(
                        bins >= 1 && axis.max > axis.min && axis.min.is_finite(),
                        "{field:?} {is_log} {values:?}: {axis:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_page_has_the_same_bins() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../../viewer/test/histogram-bins.json")).unwrap();
        for case in cases.as_array().unwrap() {
            let named = |field: &Field| serde_json::to_value(field).unwrap() == case["field"];
            let fields = [Field::Duration, Field::Bytes, Field::Bandwidth, Field::Rank];
            let field = fields.into_iter().find(named).unwrap();
            let values = case["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
            let edges: Vec<f64> = case["edges"].as_array().unwrap().iter().map(|edge| edge.as_f64().unwrap()).collect();
            near(&of(values, field, case["is_log"] == true).2, &edges);
        }
    }
}
