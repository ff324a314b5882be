//! Mean, deviation and percentiles of many durations.

use mpiscope_pyramid::Sums;

/// This many values are stored exactly: percentiles of fewer are exact.
const EXACT: usize = 256;
/// Bins per octave above that: a percentile is within 1.1 %.
const BINS: f64 = 32.0;

/// Durations of a group of calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    pub count: u64,
    pub total_ns: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    squares: f64,
    /// Values with their frequencies, until there are too many.
    values: Vec<(u64, u64)>,
    /// Then: number of the first bin, and counts from there on.
    first: usize,
    bins: Vec<u64>,
}

fn bin(ns: u64) -> usize {
    ((ns.max(1) as f64).log2() * BINS) as usize
}

impl Spread {
    /// `times` calls that took `total_ns` together (folded polls: each counts with the mean).
    pub fn add(&mut self, total_ns: u64, times: u64) {
        let times = times.max(1);
        let each = total_ns / times;
        self.min_ns = if self.count == 0 { each } else { self.min_ns.min(each) };
        self.max_ns = self.max_ns.max(each);
        self.count += times;
        self.total_ns = self.total_ns.saturating_add(total_ns);
        self.squares += times as f64 * (each as f64).powi(2);
        self.put(each, times);
    }

    /// Calls known by bins: sums are exact, percentiles within the width of the bins.
    pub fn add_tallied(&mut self, sums: &Sums, durations: impl Iterator<Item = (u64, u64)>) {
        if sums.calls == 0 {
            return;
        }
        self.min_ns = if self.count == 0 { sums.min_ns } else { self.min_ns.min(sums.min_ns) };
        self.max_ns = self.max_ns.max(sums.max_ns);
        self.count += sums.calls;
        self.total_ns = self.total_ns.saturating_add(sums.time_ns);
        self.squares += sums.squares;
        durations.for_each(|(ns, times)| self.put(ns, times));
    }

    fn put(&mut self, ns: u64, times: u64) {
        if self.bins.is_empty() {
            self.values.push((ns, times));
            if self.values.len() > EXACT {
                for (ns, times) in std::mem::take(&mut self.values) {
                    self.put_bin(bin(ns), times);
                }
            }
        } else {
            self.put_bin(bin(ns), times);
        }
    }

    fn put_bin(&mut self, bin: usize, times: u64) {
        if self.bins.is_empty() {
            self.first = bin;
        }
        if bin < self.first {
            self.bins.splice(0..0, std::iter::repeat_n(0, self.first - bin));
            self.first = bin;
        }
        let at = bin - self.first;
        if at >= self.bins.len() {
            self.bins.resize(at + 1, 0);
        }
        self.bins[at] += times;
    }

    /// Adds another one.
    pub fn join(&mut self, other: Spread) {
        if other.count == 0 {
            return;
        }
        self.min_ns = if self.count == 0 { other.min_ns } else { self.min_ns.min(other.min_ns) };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.squares += other.squares;
        if !other.bins.is_empty() && self.bins.is_empty() {
            for (ns, times) in std::mem::take(&mut self.values) {
                self.put_bin(bin(ns), times);
            }
        }
        other.values.into_iter().for_each(|(ns, times)| self.put(ns, times));
        other
            .bins
            .into_iter()
            .enumerate()
            .filter(|(_, n)| *n > 0)
            .for_each(|(at, n)| self.put_bin(other.first + at, n));
    }

    pub fn mean_ns(&self) -> f64 {
        self.total_ns as f64 / self.count.max(1) as f64
    }

    /// Standard deviation.
    pub fn sd_ns(&self) -> f64 {
        (self.squares / self.count.max(1) as f64 - self.mean_ns().powi(2)).max(0.0).sqrt()
    }

    /// Values below which these shares (ascending) lie.
    pub fn percentiles<const N: usize>(&self, shares: [f64; N]) -> [f64; N] {
        let mut values = self.values.clone();
        values.sort_unstable();
        let exact = values.iter().map(|&(ns, times)| (ns as f64, times));
        let middle = |at: usize| ((self.first + at) as f64 + 0.5) / BINS;
        let binned = self.bins.iter().enumerate().map(|(at, &n)| (middle(at).exp2(), n));
        let mut all = exact.chain(binned);
        let (mut seen, mut value) = (0, 0.0);
        shares.map(|share| {
            let wanted = ((share * self.count as f64).ceil() as u64).max(1);
            while seen < wanted {
                let Some((next, times)) = all.next() else { break };
                value = next;
                seen += times;
            }
            value.clamp(self.min_ns as f64, self.max_ns as f64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_exact_and_many_within_two_per_cent() {
        let mut few = Spread::default();
        [30, 10, 20].into_iter().for_each(|ns| few.add(ns, 1));
        assert_eq!(few.percentiles([0.5, 0.95]), [20.0, 30.0]);
        assert_eq!((few.min_ns, few.max_ns, few.mean_ns()), (10, 30, 20.0));
        assert!((few.sd_ns() - (200.0_f64 / 3.0).sqrt()).abs() < 1e-9);

        let (mut even, mut odd, mut all) = (Spread::default(), Spread::default(), Spread::default());
        for ns in 1..=10_000_u64 {
            all.add(ns, 1);
            if ns % 2 == 0 { even.add(ns, 1) } else { odd.add(ns, 1) }
        }
        few.join(even);
        few.join(odd);
        let [median, high] = few.percentiles([0.5, 0.99]);
        assert!((median / 5000.0 - 1.0).abs() < 0.02 && (high / 9900.0 - 1.0).abs() < 0.02, "{median} {high}");
        assert_eq!(few.count, all.count + 3);
        let mut polls = Spread::default();
        polls.add(700, 7);
        assert_eq!((polls.count, polls.max_ns, polls.percentiles([0.5])), (7, 100, [100.0]));
    }
}
