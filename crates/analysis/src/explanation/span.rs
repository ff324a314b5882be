//! When costs arise: sums over intervals of the run, and the iterations that these are in.

use super::scope::Scope;
use super::structure::Iterations;

/// Intervals of a run: ten or more for each iteration of a usual loop, 8 KiB for each list.
const SLICES: usize = 1024;
/// Share of the cost that the named iterations must have.
const MOST: f64 = 0.95;
/// From this share of the iterations, the text says all of them.
const ALL: f64 = 0.8;
/// A range of iterations with less than this share of the cost is not named.
const LEAST: f64 = 0.03;
/// At most this many ranges of iterations are named.
const NAMED: usize = 8;

/// Cost over the time of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spread {
    start_ns: u64,
    slice_ns: u64,
    ns: Vec<u64>,
}

impl Spread {
    pub fn new(scope: &Scope) -> Spread {
        let span_ns = scope.end_ns.saturating_sub(scope.start_ns);
        Spread { start_ns: scope.start_ns, slice_ns: span_ns / SLICES as u64 + 1, ns: Vec::new() }
    }

    /// Adds a cost that lasted from `from_ns` to `until_ns`.
    #[inline]
    pub fn add(&mut self, from_ns: u64, until_ns: u64) {
        if self.slice_ns == 0 {
            return;
        }
        if self.ns.is_empty() {
            self.ns.resize(SLICES, 0);
        }
        let at = |ns: u64| ((ns.saturating_sub(self.start_ns) / self.slice_ns) as usize).min(SLICES - 1);
        let (first, last) = (at(from_ns), at(until_ns));
        let mut now_ns = from_ns;
        for slice in first..last {
            let end_ns = self.start_ns + (slice as u64 + 1) * self.slice_ns;
            self.ns[slice] += end_ns.saturating_sub(now_ns);
            now_ns = end_ns;
        }
        self.ns[last] += until_ns.saturating_sub(now_ns);
    }

    /// Adds another list of the same run.
    pub fn add_all(&mut self, other: &Spread) {
        if self.ns.len() < other.ns.len() {
            self.ns.resize(other.ns.len(), 0);
        }
        self.ns.iter_mut().zip(&other.ns).for_each(|(ns, more)| *ns += more);
    }

    /// The iterations in which most of it arises: see [`stretches`].
    pub fn iterations(&self, main: &Iterations) -> Option<Vec<(u64, u64)>> {
        let starts = main.starts_ns.iter().find(|s| !s.is_empty())?;
        // Iterations whose start was not kept take the usual time.
        let end_ns = match starts.len() as u64 >= main.count {
            true => starts.last()? + main.period_ns,
            false => u64::MAX,
        };
        let number = |ns: u64| match starts.partition_point(|&s| s <= ns) {
            0 => None,
            after if after < starts.len() || end_ns != u64::MAX => (ns < end_ns).then(|| after as u64 - 1),
            after => Some((after as u64 - 1 + (ns - starts[after - 1]) / main.period_ns.max(1)).min(main.count - 1)),
        };
        let mut costs: Vec<(u64, u64, u64)> = Vec::new();
        let mut outside_ns = 0;
        for (slice, &ns) in self.ns.iter().enumerate().filter(|(_, ns)| **ns > 0) {
            let from_ns = self.start_ns + slice as u64 * self.slice_ns;
            let (first, last) = match self.slice_ns < main.period_ns {
                true => (number(from_ns + self.slice_ns / 2), number(from_ns + self.slice_ns / 2)),
                false => (number(from_ns), number(from_ns + self.slice_ns - 1)),
            };
            match first.or(last).zip(last.or(first)) {
                Some((first, last)) => costs.push((first, last, ns)),
                None => outside_ns += ns,
            }
        }
        let inside_ns: u64 = costs.iter().map(|c| c.2).sum();
        (inside_ns > outside_ns).then(|| stretches(&costs, main.count))
    }
}

/// The fewest ranges of iterations `(first, last, cost)` that have most of the cost, as first and last of each; one
/// from first to last of all `count` if that is nearly all.
pub(crate) fn stretches(costs: &[(u64, u64, u64)], count: u64) -> Vec<(u64, u64)> {
    let all = vec![(0, count.saturating_sub(1))];
    let total: u64 = costs.iter().map(|c| c.2).sum();
    // The end of a loop's last iteration is known only roughly.
    let mut left: Vec<(u64, u64, u64)> = costs.iter().map(|c| (c.0, c.1.min(count.saturating_sub(1)), c.2)).collect();
    left.sort_unstable_by_key(|c| (std::cmp::Reverse(c.2), c.0));
    let mut sum = 0;
    let costly = left.iter().take_while(|c| {
        let more = (sum as f64) < MOST * total as f64;
        sum += c.2;
        more
    });
    let mut chosen: Vec<(u64, u64)> = costly.map(|c| (c.0, c.1)).collect();
    chosen.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for (first, last) in chosen {
        match runs.last_mut() {
            Some(run) if first <= run.1 + 1 => run.1 = run.1.max(last),
            _ => runs.push((first, last)),
        }
    }
    // Joins the ranges that are closest to each other.
    while runs.len() > NAMED {
        let gap = |i: &usize| runs[i + 1].0 - runs[*i].1;
        let Some(nearest) = (0..runs.len() - 1).min_by_key(gap) else { break };
        runs[nearest].1 = runs[nearest + 1].1;
        runs.remove(nearest + 1);
    }
    let cost = |run: &(u64, u64)| left.iter().filter(|c| run.0 <= c.0 && c.1 <= run.1).map(|c| c.2).sum::<u64>() as f64;
    if runs.iter().any(|run| cost(run) >= 10.0 * LEAST * total as f64) {
        runs.retain(|run| cost(run) >= LEAST * total as f64);
    }
    let covered: u64 = runs.iter().map(|r| r.1 - r.0 + 1).sum();
    if runs.is_empty() || covered as f64 >= ALL * count as f64 { all } else { runs }
}

/// `iterations 3 and 100–120 of 200`; nothing for all of them.
pub(crate) fn named(runs: &[(u64, u64)], count: u64) -> Option<String> {
    if runs.is_empty() || runs == [(0, count.saturating_sub(1))] {
        return None;
    }
    let text = |&(a, b): &(u64, u64)| if a == b { a.to_string() } else { format!("{a}–{b}") };
    let texts: Vec<String> = runs.iter().map(text).collect();
    let list = match &texts[..] {
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => return None,
    };
    let is_one = runs.len() == 1 && runs[0].0 == runs[0].1;
    Some(format!("iteration{} {list} of {count}", if is_one { "" } else { "s" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_iterations() {
        let every = |step: u64| (0..200).step_by(step as usize).map(|i| (i, i, 10)).collect::<Vec<_>>();
        assert_eq!(stretches(&every(1), 200), [(0, 199)]);
        assert_eq!(stretches(&every(3), 200), [(0, 199)]);
        let mut some: Vec<(u64, u64, u64)> = (100..=120).map(|i| (i, i, 50)).collect();
        some.extend((0..20).map(|i| (i, i, 1)));
        assert_eq!(stretches(&some, 200), [(100, 120)]);
        // A little noise elsewhere.
        let mut noisy: Vec<(u64, u64, u64)> = (20..35).map(|i| (i, i, 80)).collect();
        noisy.extend([(5, 5, 30), (7, 7, 20), (50, 50, 30)]);
        assert_eq!(stretches(&noisy, 60), [(20, 34)]);
        assert_eq!(named(&[(100, 120)], 200).as_deref(), Some("iterations 100–120 of 200"));
        assert_eq!(named(&[(7, 7)], 200).as_deref(), Some("iteration 7 of 200"));
        assert_eq!(named(&[(0, 199)], 200), None);
    }

    #[test]
    fn moments_to_iterations() {
        let scope = Scope { start_ns: 0, end_ns: 1_000_000, ..Scope::default() };
        let starts = (0..100).map(|i| i * 10_000).collect();
        let main = Iterations { count: 100, period_ns: 10_000, starts_ns: vec![starts], ..Iterations::default() };
        let mut spread = Spread::new(&scope);
        (20..30u64).for_each(|i| spread.add(i * 10_000 + 3_000, i * 10_000 + 8_000));
        assert_eq!(spread.iterations(&main), Some(vec![(20, 29)]));
        assert_eq!(Spread::new(&scope).iterations(&main), None);
    }
}
