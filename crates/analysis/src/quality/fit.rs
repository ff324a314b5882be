//! Lines through times of transfers: latency + bytes / bandwidth, another line where the protocol changes.
//!
//! Times span orders of magnitude, so residuals are relative: 10 % of 1 µs count as much as 10 % of 1 ms. The breaks
//! between lines are found by dynamic programming over all of them (segmented least squares, Bellman 1961); how
//! many lines there are by the Bayesian information criterion (Schwarz 1978).

/// Many messages of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub bytes: f64,
    pub ns: f64,
    pub weight: f64,
}

/// A line over a range of sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    pub first: usize,
    pub last: usize,
    /// Time of a message without payload.
    pub latency_ns: f64,
    /// Time of a byte; 0 when sizes make no difference or there is one size only.
    pub ns_per_byte: f64,
    /// Root of the mean squared relative error.
    pub residual: f64,
}

impl Segment {
    /// Time of a message.
    pub fn ns(&self, bytes: f64) -> f64 {
        self.latency_ns + self.ns_per_byte * bytes
    }
}

/// More lines than protocols that an MPI has for one path (short, eager, rendezvous).
const LINES: usize = 3;
/// Points that a line needs where there are several lines: through two, any line fits.
const POINTS: usize = 3;
/// A fit that is this good is not made better by more lines: clocks and caches are not better.
const GOOD: f64 = 0.03;

/// Their error, and the lines.
type Lines = (f64, Vec<Segment>);

/// Lines through `points`, which come in order of size.
pub(crate) fn fit(points: &[Point]) -> Vec<Segment> {
    let n = points.len();
    if n == 0 {
        return Vec::new();
    }
    let total: f64 = points.iter().map(|p| p.weight).sum();
    let error = |s: &Segment| {
        let weight: f64 = points[s.first..=s.last].iter().map(|p| p.weight).sum();
        s.residual * s.residual * weight
    };
    // best[k][j]: the smallest error of k+1 lines through points 0..=j, with the lines.
    let mut best: Vec<Vec<Option<Lines>>> = Vec::new();
    let one = |j: usize| {
        let s = line(points, 0, j);
        Some((error(&s), vec![s]))
    };
    best.push((0..n).map(one).collect());
    for k in 1..LINES.min(n / POINTS) {
        let row = (0..n).map(|j| {
            let starts = (POINTS * k..=(j + 1).checked_sub(POINTS)?).filter_map(|i| {
                let (before, lines) = best[k - 1][i - 1].as_ref().filter(|(_, l)| is_long_enough(l, k))?;
                let last = line(points, i, j);
                Some((before + error(&last), lines.iter().copied().chain([last]).collect::<Vec<_>>()))
            });
            starts.min_by(|a, b| a.0.total_cmp(&b.0))
        });
        let row = row.collect();
        best.push(row);
    }
    let criterion = |(k, (error, _)): &(usize, Lines)| {
        // Two numbers a line and the breaks between.
        let parameters = (3 * (k + 1) - 1) as f64;
        n as f64 * (error / total).max(GOOD * GOOD).ln() + parameters * (n as f64).ln()
    };
    let candidates = best.into_iter().map(|mut row| row.pop().flatten()).enumerate();
    let candidates = candidates.filter_map(|(k, found)| Some((k, found?)));
    candidates.min_by(|a, b| criterion(a).total_cmp(&criterion(b))).map_or(Vec::new(), |(_, (_, lines))| lines)
}

fn is_long_enough(lines: &[Segment], count: usize) -> bool {
    lines.len() == count && lines.iter().all(|l| l.last + 1 - l.first >= POINTS)
}

/// The line through points `first..=last` with the smallest squared relative error; neither number is negative.
fn line(points: &[Point], first: usize, last: usize) -> Segment {
    let points = &points[first..=last];
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let weight = p.weight / (p.ns * p.ns).max(1.0);
        w += weight;
        x += weight * p.bytes;
        y += weight * p.ns;
        xx += weight * p.bytes * p.bytes;
        xy += weight * p.bytes * p.ns;
    }
    let det = w * xx - x * x;
    let (mut latency_ns, mut ns_per_byte) =
        if det > 1e-9 * w * xx { ((y * xx - x * xy) / det, (w * xy - x * y) / det) } else { (y / w, 0.0) };
    if ns_per_byte < 0.0 {
        (latency_ns, ns_per_byte) = (y / w, 0.0);
    } else if latency_ns < 0.0 {
        (latency_ns, ns_per_byte) = (0.0, xy / xx);
    }
    let found = Segment { first, last, latency_ns, ns_per_byte, residual: 0.0 };
    let (mut errors, mut weights) = (0.0, 0.0);
    for p in points {
        let off = (found.ns(p.bytes) - p.ns) / p.ns.max(1.0);
        errors += p.weight * off * off;
        weights += p.weight;
    }
    Segment { residual: (errors / weights).sqrt(), ..found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(sizes: impl IntoIterator<Item = f64>, time: impl Fn(f64) -> f64) -> Vec<Point> {
        sizes.into_iter().map(|bytes| Point { bytes, ns: time(bytes), weight: 1.0 }).collect()
    }

    #[test]
    fn one_line() {
        let found = fit(&points([0.0, 100.0, 1000.0, 10_000.0], |b| 500.0 + b / 10.0));
        let [s] = found[..] else { panic!("{found:?}") };
        assert!((s.latency_ns - 500.0).abs() < 0.01 && (s.ns_per_byte - 0.1).abs() < 1e-6 && s.residual < 1e-6);
    }

    #[test]
    fn a_step_between_protocols() {
        let sizes = (0..12).map(|i| f64::from(1 << (i + 6)));
        let found = fit(&points(sizes, |b| if b <= 4096.0 { 300.0 + b / 2.0 } else { 9000.0 + b / 10.0 }));
        let [a, b] = found[..] else { panic!("{found:?}") };
        assert_eq!((a.last, b.first), (6, 7));
        assert!((a.latency_ns - 300.0).abs() < 1.0 && (b.latency_ns - 9000.0).abs() < 1.0);
    }

    #[test]
    fn one_size_and_none() {
        assert_eq!(fit(&[]), []);
        let found = fit(&points([8.0], |_| 700.0));
        assert_eq!((found[0].latency_ns, found[0].ns_per_byte), (700.0, 0.0));
    }

    proptest! {
        #[test]
        fn any_points(mut raw in proptest::collection::vec((0u64..1 << 40, 0u64..1 << 40), 0..40)) {
            raw.sort_unstable();
            let points: Vec<Point> =
                raw.iter().map(|&(b, ns)| Point { bytes: b as f64, ns: ns as f64, weight: 1.0 }).collect();
            let found = fit(&points);
            let mut next = 0;
            for s in &found {
                prop_assert_eq!(s.first, next);
                prop_assert!(s.latency_ns >= 0.0 && s.ns_per_byte >= 0.0 && s.residual.is_finite());
                next = s.last + 1;
            }
            prop_assert_eq!(next, points.len());
        }

        #[test]
        fn a_noisy_line_comes_back(latency in 100.0f64..10_000.0, per_byte in 0.05f64..10.0, seed in 0u64..1000) {
            let sizes = (0..16).map(|i| f64::from(1 << i));
            let mut state = seed;
            let noise = |b: f64| (b, latency + b * per_byte);
            let points: Vec<Point> = sizes.map(noise).map(|(bytes, ns)| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let off = (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5;
                Point { bytes, ns: ns * (1.0 + 0.02 * off), weight: 1.0 }
            }).collect();
            let found = fit(&points);
            prop_assert_eq!(found.len(), 1);
            prop_assert!((found[0].latency_ns / latency - 1.0).abs() < 0.05);
            prop_assert!(found[0].ns(30_000.0) / (latency + 30_000.0 * per_byte) > 0.9);
        }
    }
}
