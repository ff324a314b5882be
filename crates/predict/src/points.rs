//! Curves of time over size from typical times of sizes.

use std::collections::BTreeMap;

use mpiscope_model::simulation::Curve;

use crate::fit::ALWAYS_EAGER_BYTES;

/// What was measured so many times as often says more about a larger size than that size does.
pub(crate) const MUCH_MORE_OFTEN: f64 = 8.0;
/// The times of sizes up to so many times the largest one, and beyond, follow from the time for a byte.
const BEYOND: u64 = 4;
/// A sender that needs less than this part of the receiver's time leaves before it.
const LEAVES_BEFORE: f64 = 0.6;

/// A typical time of a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub bytes: u64,
    pub ns: f64,
    /// Of so many.
    pub samples: f64,
}

impl Point {
    /// The mean of two, at the larger size.
    fn with(self, other: Point) -> Point {
        let samples = self.samples + other.samples;
        let ns = (self.ns * self.samples + other.ns * other.samples) / samples.max(1.0);
        Point { bytes: self.bytes.max(other.bytes), ns, samples }
    }
}

/// Whether senders leave so much before receivers that they do not wait until the data are there: over TCP, when the system has them.
pub(crate) fn far_below(sent: &[Point], received: &[Point]) -> bool {
    let of = |bytes: u64| received.iter().find(|point| point.bytes == bytes);
    let ratios = sent.iter().filter_map(|point| Some(point.ns / of(point.bytes)?.ns.max(1.0)));
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio, count + 1));
    count > 0 && sum < LEAVES_BEFORE * f64::from(count)
}

/// Several samples of a size say the same: their mean.
pub(crate) fn mean_curve(points: Vec<Point>) -> Vec<Point> {
    let mut sums: BTreeMap<u64, Point> = BTreeMap::new();
    for point in points {
        sums.entry(point.bytes).and_modify(|sum| *sum = sum.with(point)).or_insert(point);
    }
    sums.into_values().collect()
}

/// A message takes no longer than its bytes would in pieces of a shorter size that was measured much more often: a few messages that
/// something else held up do not tell the time for a byte.
pub(crate) fn in_pieces(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_unstable_by_key(|point| point.bytes);
    for at in 1..points.len() {
        let (shorter, longer) = points.split_at_mut(at);
        let point = &mut longer[0];
        let often = shorter.iter().filter(|s| s.bytes > 0 && s.samples >= MUCH_MORE_OFTEN * point.samples);
        let pieces = often.map(|s| s.ns * point.bytes as f64 / s.bytes as f64);
        point.ns = pieces.fold(point.ns, f64::min);
    }
    points
}

/// The times that do not fall with the size and are closest to these, by the number of samples: a few slow short messages say
/// nothing about thousands of longer ones that took less (isotonic regression by pooling adjacent violators: Barlow, Bartholomew, Bremner & Brunk, 1972).
pub(crate) fn rising(mut points: Vec<Point>) -> impl Iterator<Item = (u64, f64)> {
    points.sort_unstable_by_key(|point| point.bytes);
    // Each with the sizes that it stands for.
    let mut pools: Vec<(Point, Vec<u64>)> = Vec::new();
    for point in points {
        pools.push((point, vec![point.bytes]));
        while let [.., (a, _), (b, _)] = pools[..]
            && a.ns > b.ns
            && let Some((last, sizes)) = pools.pop()
            && let Some((pool, of)) = pools.last_mut()
        {
            *pool = pool.with(last);
            of.extend(sizes);
        }
    }
    pools.into_iter().flat_map(|(pool, sizes)| sizes.into_iter().map(move |bytes| (bytes, pool.ns)))
}

/// With the points of `others` of smaller and larger sizes.
pub(crate) fn extended(mut points: Vec<Point>, others: Vec<Point>) -> Vec<Point> {
    let known = points.iter().map(|point| point.bytes);
    let (least, most) = (known.clone().min().unwrap_or(u64::MAX), known.max().unwrap_or(0));
    points.extend(others.into_iter().filter(|other| other.bytes < least || other.bytes > most));
    points
}

/// Time for a byte, ns: the median of the slopes between two sizes, weighted by their distance and by how often both were measured
/// (Theil, 1950; Sen, 1968). The slope between the two largest sizes alone would be noise where they are close to each other.
fn ns_per_byte(points: &[Point]) -> Option<f64> {
    let mut slopes: Vec<(f64, f64)> = Vec::new();
    for (at, a) in points.iter().enumerate() {
        for b in &points[at + 1..] {
            let bytes = b.bytes as f64 - a.bytes as f64;
            if bytes != 0.0 {
                slopes.push(((b.ns - a.ns) / bytes, bytes.abs() * a.samples.min(b.samples)));
            }
        }
    }
    slopes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = slopes.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let middle = slopes.iter().find(|(_, weight)| {
        sum += weight;
        2.0 * sum >= all
    });
    middle.map(|(slope, _)| slope.max(0.0))
}

/// A curve. If the run has only long messages, it does not show which part of their time is latency: that of nothing is taken to be
/// `at_zero_ns`, if it is less.
pub(crate) fn anchored(points: Vec<Point>, at_zero_ns: f64) -> Curve {
    let per_byte = ns_per_byte(&points);
    let mut points: Vec<(u64, f64)> = rising(points).collect();
    if let (Some(&(bytes, ns)), Some(per_byte)) = (points.last(), per_byte) {
        let beyond = bytes.saturating_mul(BEYOND);
        points.push((beyond, ns + per_byte * (beyond - bytes) as f64));
    }
    if let Some(&(bytes, ns)) = points.first()
        && bytes > ALWAYS_EAGER_BYTES
    {
        points.push((0, at_zero_ns.min(ns)));
    }
    Curve::new(points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(bytes: u64, ns: f64, samples: f64) -> Point {
        Point { bytes, ns, samples }
    }

    #[test]
    fn a_few_slow_messages_do_not_outweigh_many_fast_ones() {
        let curve: Vec<(u64, f64)> =
            rising(vec![point(8, 20.0, 990.0), point(0, 520.0, 10.0), point(64, 90.0, 1.0)]).collect();
        assert_eq!(curve, [(0, 25.0), (8, 25.0), (64, 90.0)]);
    }

    #[test]
    fn the_time_for_a_byte_is_not_that_of_two_close_sizes() {
        let points = [
            point(4, 1_000.0, 100.0),
            point(2_000, 1_160.0, 50.0),
            point(3_000, 1_240.0, 50.0),
            point(3_100, 1_500.0, 5.0),
        ];
        let slope = ns_per_byte(&points).expect("a slope");
        assert!((slope - 0.08).abs() < 0.005, "{slope}");
        let curve = anchored(points.to_vec(), 0.0);
        assert!((curve.at(27_000) - (1_500.0 + 23_900.0 * slope)).abs() < 1.0, "{curve:?}");
        assert_eq!((ns_per_byte(&points[..1]), ns_per_byte(&[])), (None, None));
    }

    #[test]
    fn sizes_beyond_the_known_ones_come_from_calls_that_complete_several() {
        let known = vec![point(2_000, 5.0, 9.0), point(4_000, 6.0, 9.0)];
        let others = vec![point(4, 1.0, 9.0), point(3_000, 2.0, 9.0), point(9_000, 3.0, 9.0)];
        let sizes: Vec<u64> = extended(known, others.clone()).iter().map(|point| point.bytes).collect();
        assert_eq!(sizes, [2_000, 4_000, 4, 9_000]);
        assert_eq!(extended(Vec::new(), others.clone()), others);
    }

    #[test]
    fn a_few_long_messages_that_were_held_up_do_not_tell_the_time_for_a_byte() {
        let of = |points: &[Point]| -> Vec<f64> { in_pieces(points.to_vec()).iter().map(|point| point.ns).collect() };
        let many = point(8_000, 60_000.0, 500.0);
        assert_eq!(of(&[point(18_000, 2e6, 6.0), many]), [60_000.0, 135_000.0]);
        // As many samples say as much, and few ones may say that it takes less.
        assert_eq!(of(&[many, point(18_000, 2e6, 100.0)]), [60_000.0, 2e6]);
        assert_eq!(of(&[many, point(18_000, 90_000.0, 6.0)]), [60_000.0, 90_000.0]);
        // A short message consists of latency, which pieces would pay many times.
        assert_eq!(of(&[point(8, 1_000.0, 500.0), point(80_000, 60_000.0, 3.0)]), [1_000.0, 60_000.0]);
    }

    proptest! {
        #[test]
        fn times_rise_and_keep_their_sum(points in prop::collection::vec((0u64..1000, 0f64..1e6, 1f64..100.0), 0..30)) {
            let points: Vec<Point> = points.into_iter().map(|(bytes, ns, samples)| point(bytes, ns, samples)).collect();
            let sum: f64 = points.iter().map(|point| point.ns * point.samples).sum();
            let mut sorted = points.clone();
            sorted.sort_by_key(|point| point.bytes);
            let curve: Vec<(u64, f64)> = rising(sorted.clone()).collect();
            prop_assert_eq!(curve.len(), points.len());
            prop_assert!(curve.windows(2).all(|pair| pair[0].1 <= pair[1].1 && pair[0].0 <= pair[1].0));
            let kept: f64 = curve.iter().zip(&sorted).map(|((_, ns), point)| ns * point.samples).sum();
            prop_assert!((kept - sum).abs() <= 1e-6 * sum.max(1.0));
        }
    }
}
