//! Where the curve jumps: sizes that narrow the place of a protocol change down.
//!
//! Sizes are powers of two. Between two of them the protocol may change, and then neither line predicts what lies between.
//! A gap with a jump is halved, in ratio, until its ends are close.

/// Ratio of the ends of a gap that is not divided further.
const CLOSE: f64 = 1.04;
/// By how much each of the neighbouring lines has to miss the other end of a gap, and both together.
const MISSED: f64 = 0.03;
const MISSED_TOGETHER: f64 = 0.2;

/// A point of the curve.
#[derive(Clone, Copy, Debug)]
pub struct CurvePoint {
    pub bytes: usize,
    pub median_ns: f64,
    /// Half the 95 % interval of the median, as a share of it.
    pub relative_error: f64,
}

/// The sizes to measure next, for the curve so far, by ascending size. None when every jump is between close sizes.
pub fn sizes_in_jumps(curve: &[CurvePoint]) -> Vec<usize> {
    let gaps = (1..curve.len()).filter(|&at| is_apart(curve[at - 1], curve[at]) && is_jump(curve, at));
    let sizes = gaps.map(|at| middle(curve[at - 1].bytes, curve[at].bytes));
    sizes.filter(|size| !curve.iter().any(|point| point.bytes == *size)).collect()
}

/// The geometric mean: not a size with which the fit is checked, which are in the arithmetic middle of powers of two.
fn middle(low: usize, high: usize) -> usize {
    (low as f64 * high as f64).sqrt().round() as usize
}

fn is_apart(low: CurvePoint, high: CurvePoint) -> bool {
    low.bytes > 0 && high.bytes as f64 > low.bytes as f64 * CLOSE
}

/// Whether the lines on both sides of the gap before point `at` miss its other end, by more than the uncertainty of their points.
fn is_jump(curve: &[CurvePoint], at: usize) -> bool {
    let (low, high) = (curve[at - 1], curve[at]);
    // The next point that is far enough away for a slope: those in a gap that was divided before are close together.
    let left = curve[..at - 1].iter().rev().find(|&&point| point.bytes == 0 || is_apart(point, low));
    let right = curve[at + 1..].iter().find(|&&point| is_apart(high, point));
    let (Some(&left), Some(&right)) = (left, right) else { return false };
    let (from_left, from_right) = (missed(left, low, high), missed(right, high, low));
    from_left.min(from_right) > MISSED && from_left + from_right > MISSED_TOGETHER
}

/// Distance of a point from the line through two others, as a share of its time, beyond their uncertainty.
fn missed(far: CurvePoint, near: CurvePoint, wanted: CurvePoint) -> f64 {
    let distance = |point: CurvePoint| point.bytes as f64 - near.bytes as f64;
    let slope = ((far.median_ns - near.median_ns) / distance(far)).max(0.0);
    let predicted_ns = near.median_ns + slope * distance(wanted);
    let errors = [far, near, wanted].map(|point| point.relative_error);
    (predicted_ns / wanted.median_ns - 1.0).abs() - errors.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn powers() -> Vec<usize> {
        std::iter::once(0).chain((0..24).map(|power| 1 << power)).collect()
    }

    fn point(bytes: usize, median_ns: f64, relative_error: f64) -> CurvePoint {
        CurvePoint { bytes, median_ns, relative_error }
    }

    /// Measures what is requested until nothing is; gives all sizes.
    fn refined(law: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut sizes = powers();
        for _ in 0..20 {
            let curve: Vec<CurvePoint> = sizes.iter().map(|&size| point(size, law(size), 0.01)).collect();
            let more = sizes_in_jumps(&curve);
            if more.is_empty() {
                return sizes;
            }
            sizes.extend(more);
            sizes.sort_unstable();
        }
        panic!("no end: {sizes:?}");
    }

    fn two_protocols(limit: usize, jump_ns: f64) -> impl Fn(usize) -> f64 {
        move |size| if size <= limit { 400.0 + 0.1 * size as f64 } else { 400.0 + jump_ns + 0.08 * size as f64 }
    }

    #[test]
    fn a_jump_is_narrowed_down() {
        for limit in [33, 256, 4040, 5000, 8191, 65_536, 100_000] {
            let sizes = refined(two_protocols(limit, 0.5 * (400.0 + 0.1 * limit as f64)));
            let (below, above) =
                (sizes.iter().rev().find(|&&s| s <= limit).unwrap(), sizes.iter().find(|&&s| s > limit).unwrap());
            assert!(*above as f64 / *below as f64 <= 1.05, "{limit}: {below} {above}");
            assert!(sizes.len() <= powers().len() + 8, "{limit}: {sizes:?}");
        }
    }

    #[test]
    fn a_line_and_its_noise_are_left_alone() {
        assert_eq!(refined(|size| 400.0 + 0.1 * size as f64), powers());
        let mut random = fastrand::Rng::with_seed(3);
        let noise: Vec<f64> = (0..1 << 5).map(|_| 1.0 + 0.03 * (random.f64() - 0.5)).collect();
        assert_eq!(refined(|size| (400.0 + 0.1 * size as f64) * noise[size.count_zeros() as usize % 32]), powers());
        assert!(sizes_in_jumps(&[]).is_empty());
        assert!(sizes_in_jumps(&[point(8, 1.0, 0.0), point(16, 9.0, 0.0)]).is_empty(), "no line to compare with");
        let jump = |error: f64| [1, 2, 4, 8].map(|size| point(size, if size < 4 { 100.0 } else { 200.0 }, error));
        assert_eq!((sizes_in_jumps(&jump(0.0)), sizes_in_jumps(&jump(0.5))), (vec![3], vec![]), "uncertain points");
    }

    #[test]
    fn a_bend_without_a_jump_is_left_alone() {
        // From latency to bandwidth, and a cache that ends: the slope changes, the curve does not jump.
        let law = |size: usize| 400.0 + 0.05 * size as f64 + 0.1 * (size as f64 - 65_536.0).max(0.0);
        assert_eq!(refined(law), powers());
    }
}
