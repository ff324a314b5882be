//! How long ranks compute, by stretch of the run.

use crate::explanation::structure::Iterations;
use crate::explanation::timeline::Timeline;
use crate::explanation::{Balance, Scope, stretches};

/// Where there are no iterations, the run is cut into this many intervals, to see whether the same ranks always compute longest.
pub(super) const SLICES: usize = 16;
/// Fewer iterations do not show what is usual.
const LEAST_TURNS: u64 = 8;
/// Share of the time in the main loop from which iterations are compared.
const LEAST_IN_LOOP: f64 = 0.5;
/// If this share of the differences between ranks is in some iterations, only these are analysed.
const PASSING: f64 = 0.75;
/// This many iterations in a row are more than chance.
const LEAST_IN_A_ROW: u64 = 4;
/// Share of the gaps between them that must be alike where they recur, and share of the run that they must span.
const REGULAR: f64 = 0.75;
/// It grows or shrinks if ranks differ by this factor more in one tenth of the intervals than in another.
const GROWS: u64 = 3;

/// Computing time of ranks, in total and by stretch of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    pub start_ns: u64,
    pub slice_ns: u64,
    /// By rank.
    pub slices: Vec<Vec<u64>>,
    /// By rank: where each stretch begins, and where the last one ends, ns.
    pub bounds_ns: Vec<Vec<u64>>,
    /// First and last iteration of each stretch, if stretches consist of iterations.
    pub turns: Vec<(u64, u64)>,
    /// By rank: its current stretch, with beginning and end.
    now: Vec<(usize, u64, u64)>,
}

impl Load {
    pub fn new(scope: &Scope) -> Load {
        let span_ns = scope.end_ns.saturating_sub(scope.start_ns);
        Load {
            start_ns: scope.start_ns,
            slice_ns: (span_ns / SLICES as u64).max(1),
            slices: vec![vec![0; SLICES]; scope.ranks as usize],
            bounds_ns: Vec::new(),
            turns: Vec::new(),
            now: vec![(0, 0, 0); scope.ranks as usize],
        }
    }

    /// A rank has computed from `from_ns` to `until_ns`.
    #[inline]
    pub fn add(&mut self, rank: usize, from_ns: u64, until_ns: u64) {
        // No divisions where it is still the same stretch.
        if let Some(&(slice, begin_ns, end_ns)) = self.now.get(rank)
            && from_ns >= begin_ns
            && until_ns < end_ns
            && let Some(sum) = self.slices.get_mut(rank).and_then(|slices| slices.get_mut(slice))
        {
            *sum += until_ns.saturating_sub(from_ns);
            return;
        }
        self.add_to_stretches(rank, from_ns, until_ns);
    }

    #[cold]
    fn add_to_stretches(&mut self, rank: usize, from_ns: u64, until_ns: u64) {
        let Some(slices) = self.slices.get_mut(rank) else { return };
        let at = |ns: u64| ((ns.saturating_sub(self.start_ns) / self.slice_ns) as usize).min(SLICES - 1);
        let (first, last) = (at(from_ns), at(until_ns));
        if let Some(now) = self.now.get_mut(rank) {
            let begin_ns = self.start_ns.saturating_add(last as u64 * self.slice_ns);
            *now = (last, begin_ns, begin_ns.saturating_add(self.slice_ns));
        }
        if first == last {
            slices[first] += until_ns.saturating_sub(from_ns);
            return;
        }
        let mut now_ns = from_ns;
        for (slice, sum) in slices.iter_mut().enumerate().take(last + 1).skip(first) {
            let end_ns = match slice == last {
                true => until_ns,
                false => self.start_ns + (slice as u64 + 1) * self.slice_ns,
            };
            *sum += end_ns.saturating_sub(now_ns);
            now_ns = end_ns;
        }
    }

    /// The same by iteration, so that a rank that is ahead of others in time does not count as busier, in at most this many intervals. `None`
    /// unless all ranks are in the same main loop most of the time.
    pub fn by_turn(main: &Iterations, lines: &[&Timeline], most_bins: u64) -> Option<Load> {
        let kept = main.starts_ns.iter().map(Vec::len).min()? as u64;
        if main.starts_ns.len() != lines.len() || kept < main.count || kept < LEAST_TURNS || main.share < LEAST_IN_LOOP
        {
            return None;
        }
        // The end of the last iteration is known roughly: without it, iteration `at` ends where the next one begins.
        let bins = (kept - 1).min(most_bins);
        let first_of = |bin: u64| bin * (kept - 1) / bins;
        let of_rank = |(starts, line): (&Vec<u64>, &&Timeline)| {
            let useful = |turn: u64| line.at(starts[turn as usize]).useful_ns;
            (0..bins).map(|b| useful(first_of(b + 1)).saturating_sub(useful(first_of(b)))).collect()
        };
        let bounds = |starts: &Vec<u64>| (0..=bins).map(|b| starts[first_of(b) as usize]).collect();
        Some(Load {
            bounds_ns: main.starts_ns.iter().map(bounds).collect(),
            slices: main.starts_ns.iter().zip(lines).map(of_rank).collect(),
            turns: (0..bins).map(|b| (first_of(b), first_of(b + 1).saturating_sub(1))).collect(),
            ..Load::default()
        })
    }

    /// Computing before the main loop, and after it, if all ranks are in the same one most of the time.
    pub fn outside(main: &Iterations, lines: &[&Timeline], scope: &Scope) -> Option<[Load; 2]> {
        let of_loop = &main.windows.ranks;
        if of_loop.len() != lines.len() || main.count < LEAST_TURNS || main.share < LEAST_IN_LOOP {
            return None;
        }
        let (mut before, mut after) = (Load::default(), Load::default());
        for (rank, begins) in of_loop {
            let (line, &begin_ns, &end_ns) = (lines.get(*rank)?, begins.first()?, begins.last()?);
            let [begin, end, last] = [begin_ns, end_ns, scope.end_ns].map(|ns| line.at(ns).useful_ns);
            // The end of the last iteration is known roughly.
            let rest_ns = end.saturating_sub(begin) / main.count;
            before.slices.push(vec![begin, 0, 0]);
            after.slices.push(vec![0, 0, last.saturating_sub(end).saturating_sub(rest_ns)]);
            before.bounds_ns.push(vec![scope.start_ns, begin_ns, end_ns, scope.end_ns]);
        }
        after.bounds_ns.clone_from(&before.bounds_ns);
        Some([before, after])
    }

    /// The iterations in which ranks differ.
    pub fn iterations(&self) -> Option<Vec<(u64, u64)>> {
        let count = self.turns.last()?.1 + 2;
        let of_bin = |(bin, &(first, last)): (usize, &(u64, u64))| (first, last, self.missing_in(bin));
        Some(stretches(&self.turns.iter().enumerate().map(of_bin).collect::<Vec<_>>(), count))
    }

    /// Stretches in which ranks differ more than in the mean one.
    fn uneven(&self) -> Vec<usize> {
        let missing_ns: Vec<u64> = (0..self.turns.len()).map(|bin| self.missing_in(bin)).collect();
        let all_ns: u128 = missing_ns.iter().map(|&ns| u128::from(ns)).sum();
        let is_uneven = |bin: &usize| u128::from(missing_ns[*bin]) * missing_ns.len() as u128 > all_ns;
        (0..missing_ns.len()).filter(is_uneven).collect()
    }

    /// The same for only the iterations in which ranks differ, if these are consecutive and most of the run is balanced.
    pub fn passing(&self) -> Option<Load> {
        let mut kept: Vec<usize> = Vec::new();
        for run in self.uneven().chunk_by(|a, b| a + 1 == *b) {
            let (first, last) = (self.turns[run[0]].0, self.turns[*run.last()?].1);
            if last + 1 - first >= LEAST_IN_A_ROW {
                kept.extend(run);
            }
        }
        self.only(&kept)
    }

    /// The same if they come regularly, all along, and are at most half of all iterations: what a rank does in one of so many
    /// iterations. This must be a load of single iterations.
    pub fn recurring(&self) -> Option<(Load, usize)> {
        let (bins, kept) = (self.turns.len(), self.uneven());
        let firsts: Vec<usize> = kept.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]).collect();
        let mut gaps: Vec<usize> = firsts.windows(2).map(|two| two[1] - two[0]).collect();
        gaps.sort_unstable();
        let period = *gaps.get(gaps.len() / 2)?;
        let regular = gaps.iter().filter(|gap| gap.abs_diff(period) <= (period / 4).min(1 + period / 16)).count();
        let is_regular = gaps.len() as u64 >= LEAST_IN_A_ROW && regular as f64 >= REGULAR * gaps.len() as f64;
        let is_all_along = (firsts[firsts.len() - 1] - firsts[0]) as f64 >= REGULAR * bins as f64;
        let load = (is_regular && is_all_along).then(|| self.only(&kept))?;
        Some((load?, period))
    }

    /// Only these stretches, if most of the differences are in them, and most of the run is not.
    fn only(&self, kept: &[usize]) -> Option<Load> {
        let bins = self.turns.len();
        let missing_ns =
            |bins: &mut dyn Iterator<Item = usize>| bins.map(|bin| self.missing_in(bin)).sum::<u64>() as f64;
        let (all_ns, kept_ns) = (missing_ns(&mut (0..bins)), missing_ns(&mut kept.iter().copied()));
        if kept.is_empty() || kept.len() * 2 > bins + 1 || kept_ns < PASSING * all_ns {
            return None;
        }
        let of_rank = |slices: &Vec<u64>| {
            let mut only = vec![0; bins];
            kept.iter().for_each(|&bin| only[bin] = slices[bin]);
            only
        };
        Some(Load { slices: self.slices.iter().map(of_rank).collect(), ..self.clone() })
    }

    /// Whether ranks differ much more in some stretches than in others: then the work has to be distributed again during the run.
    pub fn is_growing(&self) -> bool {
        let mut missing_ns: Vec<u64> = (0..self.turns.len()).map(|bin| self.missing_in(bin)).collect();
        missing_ns.sort_unstable();
        let tenth = missing_ns.len() / 10;
        let ends = missing_ns.get(tenth).zip(missing_ns.iter().rev().nth(tenth));
        ends.is_some_and(|(&least, &most)| most > GROWS * least)
    }

    /// A sum over stretches, extended by the incomplete last iteration.
    pub fn of_all(&self, ns: u64) -> u64 {
        let turns = self.turns.last().map_or(0, |t| t.1 + 1);
        ns + ns / turns.max(1) * u64::from(turns > 0)
    }

    /// Number of stretches.
    pub fn bins(&self) -> usize {
        self.slices.first().map_or(0, Vec::len)
    }

    pub fn totals(&self) -> Vec<u64> {
        self.slices.iter().map(|s| s.iter().sum()).collect()
    }

    /// The same computing, evenly distributed: by each rank's total, or by its computing in each stretch. `None` unless stretches
    /// are those of the program, because the computing at a moment says little.
    pub fn balanced(&self, is_lasting: bool) -> Option<Balance> {
        if !is_lasting && self.bounds_ns.is_empty() {
            return None;
        }
        let ranks = self.slices.len();
        let factors_of = |loads: Vec<u64>| -> Vec<f64> {
            let mean = loads.iter().sum::<u64>() as f64 / ranks.max(1) as f64;
            loads.iter().map(|&own| if own > 0 { mean / own as f64 } else { 1.0 }).collect()
        };
        let by_stretch: Vec<Vec<f64>> = match is_lasting {
            true => vec![factors_of(self.totals()); self.bins()],
            false => (0..self.bins()).map(|bin| factors_of(self.slices.iter().map(|s| s[bin]).collect())).collect(),
        };
        let ends = || (0..=self.bins() as u64).map(|b| self.start_ns + b * self.slice_ns).collect();
        Some(Balance {
            bounds_ns: if self.bounds_ns.is_empty() { vec![ends(); ranks] } else { self.bounds_ns.clone() },
            factors: (0..ranks).map(|rank| by_stretch.iter().map(|of| of[rank]).collect()).collect(),
            ..Balance::default()
        })
    }

    /// As [`missing`], for one stretch.
    pub fn missing_in(&self, slice: usize) -> u64 {
        missing(&self.slices.iter().map(|s| s[slice]).collect::<Vec<_>>())
    }
}

/// Σ (maximum − own): the time for which all ranks would wait for the slowest one.
pub(super) fn missing(loads: &[u64]) -> u64 {
    let max = loads.iter().copied().max().unwrap_or(0);
    loads.iter().map(|l| max - l).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn load(slices: Vec<[u64; SLICES]>) -> Load {
        let slices: Vec<Vec<u64>> = slices.iter().map(|s| s.to_vec()).collect();
        Load { slice_ns: 100, slices, ..Load::default() }
    }

    #[test]
    fn uneven_iterations_in_a_row() {
        let turns: Vec<(u64, u64)> = (0..SLICES as u64).map(|turn| (turn, turn)).collect();
        let load_of = |late: &[usize]| {
            let mut slices = vec![[10; SLICES]; 2];
            late.iter().for_each(|&turn| slices[1][turn] = 50);
            Load { turns: turns.clone(), ..load(slices) }
        };
        let found = load_of(&[3, 4, 5, 6]).passing().expect("iterations in a row");
        assert_eq!(found.slices[1][2..8], [0, 50, 50, 50, 50, 0]);
        assert_eq!(found.iterations(), Some(vec![(3, 6)]));
        // What comes again and again is another case, and most of the run is no part of it.
        assert!(load_of(&[3, 7, 11]).passing().is_none());
        assert!(load_of(&[2, 3, 4, 5, 6, 7, 8, 9, 10]).passing().is_none());
        assert!(load_of(&[]).passing().is_none());
        let (found, every) = load_of(&[1, 4, 7, 10, 13]).recurring().expect("every third iteration");
        assert_eq!(
            (every, &found.slices[0][..5], &found.slices[1][..5]),
            (3, &[0, 10, 0, 0, 10][..], &[0, 50, 0, 0, 50][..])
        );
        // Accidents come rarely or irregularly, and most of the run is no part of it.
        let (_, every) = load_of(&[1, 3, 5, 7, 9, 11, 13, 15]).recurring().expect("every second iteration");
        assert_eq!(every, 2);
        for accidents in [&[2, 7, 12][..], &[1, 2, 4, 9, 15], &[3, 4, 5, 6], &[1, 3, 4, 6, 9, 11, 12, 15]] {
            assert!(load_of(accidents).recurring().is_none(), "{accidents:?}");
        }
    }

    #[test]
    fn computing_is_cut_at_the_ends_of_stretches() {
        let mut one = load(vec![[0; SLICES]]);
        one.add(0, 50, 320);
        one.add(0, 5000, 5100);
        assert_eq!(one.slices[0][..4], [50, 100, 100, 20]);
        assert_eq!((one.slices[0][15], one.totals()[0]), (100, 370));
    }
}
