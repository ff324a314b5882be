//! Straight lines fitted to a curve that changes its law at some points: times of messages by size, whose protocol changes.

/// A point of the curve; `y` is above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The size, or whatever else was varied; at least 0.
    pub x: f64,
    /// The time, or whatever else was measured.
    pub y: f64,
}

/// A line through consecutive points: `y = intercept + slope · x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Index of its first point.
    pub first: usize,
    /// Index of its last point.
    pub last: usize,
    /// `y` at `x = 0`, by extension of the line.
    pub intercept: f64,
    /// Change of `y` for each unit of `x`; at least 0.
    pub slope: f64,
}

/// Points of a segment.
const FEWEST: usize = 3;
/// Relative error below which a fit is as good as another one: what measurements of time reach. More segments would only
/// follow the noise.
const NOISE: f64 = 0.02;

/// Fits at most `most` lines to points in ascending order of `x`. The sum of squared *relative* errors is minimal, since sizes and
/// times cover many powers of two; the number of lines is that of the best Bayesian information criterion. No slope is
/// negative.
pub fn fit(points: &[Point], most: usize) -> Vec<Segment> {
    let n = points.len();
    if n < FEWEST {
        return Vec::new();
    }
    // costs[count][end]: the least error of the first `end` points with `count` lines, and where the last line begins.
    let most = most.min(n / FEWEST).max(1);
    let mut costs = vec![vec![(f64::INFINITY, 0usize); n + 1]; most + 1];
    costs[0][0] = (0.0, 0);
    for count in 1..=most {
        for end in count * FEWEST..=n {
            for begin in (count - 1) * FEWEST..=end - FEWEST {
                let before = costs[count - 1][begin].0;
                if before.is_finite() {
                    let cost = before + line(&points[begin..end]).2;
                    if cost < costs[count][end].0 {
                        costs[count][end] = (cost, begin);
                    }
                }
            }
        }
    }
    let criterion = |count: usize| {
        let error = (costs[count][n].0 / n as f64).max(NOISE * NOISE);
        // Two coefficients for each line, one place for each change.
        n as f64 * error.ln() + (3 * count - 1) as f64 * (n as f64).ln()
    };
    let best = (1..=most).min_by(|&a, &b| criterion(a).total_cmp(&criterion(b))).unwrap_or(1);
    let (mut segments, mut end) = (Vec::new(), n);
    for count in (1..=best).rev() {
        let begin = costs[count][end].1;
        segments.push(fit_between(points, begin, end - 1));
        end = begin;
    }
    segments.reverse();
    segments
}

/// The line through the points from `first` to `last`.
pub fn fit_between(points: &[Point], first: usize, last: usize) -> Segment {
    let (intercept, slope, _) = line(&points[first..=last]);
    Segment { first, last, intercept, slope }
}

/// Intercept, slope and squared relative error of the best line.
fn line(points: &[Point]) -> (f64, f64, f64) {
    let (mut w, mut wx, mut wy, mut wxx, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let weight = 1.0 / (p.y * p.y).max(f64::MIN_POSITIVE);
        w += weight;
        wx += weight * p.x;
        wy += weight * p.y;
        wxx += weight * p.x * p.x;
        wxy += weight * p.x * p.y;
    }
    let determinant = w * wxx - wx * wx;
    let mut slope = if determinant > 0.0 { (w * wxy - wx * wy) / determinant } else { 0.0 };
    slope = slope.max(0.0);
    let intercept = (wy - slope * wx) / w;
    let error = |p: &Point| (intercept + slope * p.x - p.y) / p.y.max(f64::MIN_POSITIVE);
    (intercept, slope, points.iter().map(|p| error(p) * error(p)).sum())
}

/// The value of the fit at `x`; between two segments, that of the nearer end.
pub fn predict(points: &[Point], segments: &[Segment], x: f64) -> Option<f64> {
    let distance = |s: &Segment| {
        let (low, high) = (points[s.first].x, points[s.last].x);
        if x < low { low / x.max(1.0) } else { x.max(1.0) / high.max(1.0) }.max(1.0)
    };
    let segment = segments.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some(segment.intercept + segment.slope * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes() -> impl Iterator<Item = f64> {
        std::iter::once(0.0).chain((0..24).map(|i| f64::from(1 << i)))
    }

    /// 500 ns + 0.1 ns/B up to 4 KiB, then 3,000 ns + 0.05 ns/B.
    fn two_protocols(noise: f64, random: &mut fastrand::Rng) -> Vec<Point> {
        let law = |x: f64| if x <= 4096.0 { 500.0 + 0.1 * x } else { 3000.0 + 0.05 * x };
        sizes().map(|x| Point { x, y: law(x) * (1.0 + noise * (random.f64() - 0.5)) }).collect()
    }

    #[test]
    fn a_change_of_protocol_is_found() {
        let mut random = fastrand::Rng::with_seed(8);
        for noise in [0.0, 0.02, 0.05] {
            let points = two_protocols(noise, &mut random);
            let found = fit(&points, 4);
            assert_eq!(found.len(), 2, "{noise}: {found:?}");
            assert_eq!(points[found[0].last].x, 4096.0);
            assert!((found[0].intercept / 500.0 - 1.0).abs() < 0.03, "{found:?}");
            assert!((found[1].slope / 0.05 - 1.0).abs() < 0.05, "{found:?}");
            for x in [3.0, 1536.0, 6144.0, 3e6] {
                let law = if x <= 4096.0 { 500.0 + 0.1 * x } else { 3000.0 + 0.05 * x };
                let got = predict(&points, &found, x).unwrap();
                assert!((got / law - 1.0).abs() < 0.05, "{x}: {got} {law}");
            }
        }
    }

    #[test]
    fn a_line_is_one_line() {
        let points: Vec<Point> = sizes().map(|x| Point { x, y: 700.0 + 0.2 * x }).collect();
        let found = fit(&points, 4);
        assert_eq!(found.len(), 1);
        assert!((found[0].slope - 0.2).abs() < 1e-9 && (found[0].intercept - 700.0).abs() < 1e-6);
        assert!(fit(&points[..2], 4).is_empty());
        assert_eq!(predict(&points, &[], 4.0), None);
    }

    proptest! {
        #[test]
        fn segments_cover_all_points(values in proptest::collection::vec(1f64..1e6, 3..40)) {
            let points: Vec<Point> = values.iter().enumerate().map(|(i, &y)| Point { x: i as f64, y }).collect();
            let found = fit(&points, 4);
            prop_assert_eq!(found[0].first, 0);
            prop_assert_eq!(found[found.len() - 1].last, points.len() - 1);
            prop_assert!(found.windows(2).all(|two| two[0].last + 1 == two[1].first));
            prop_assert!(found.iter().all(|s| s.slope >= 0.0 && s.last - s.first >= 2));
        }
    }
}
