//! Iterations: which loop of the program is the main loop, how long its iterations take, which of them are outliers.

use std::collections::BTreeSet;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_store::Dimensions;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::marks::MOST;
use super::nest::{self, LEAST_TURNS, Level, Rank};
use super::robust::{median, median_and_mad};
use super::sequence::{Letter, Sequence};
use super::step::{self, Inner};
use super::tokens::Tables;
use crate::explanation::structure::{IterationOutlier, Iterations, NestedLoop, OtherLoop, Range, WarmUp, Windows};

/// The main loop on one rank.
pub(crate) struct Turns {
    pub rank: usize,
    pub level: Level,
    /// All iterations, warm-up too.
    pub count: u64,
    /// Beginnings that are kept.
    pub starts: Vec<u64>,
    pub end_ns: u64,
    /// Number of its first iteration within the level.
    first: i64,
}

impl Turns {
    /// When iteration `i` begins; where that is not kept, about when.
    fn begin(&self, i: u64) -> u64 {
        match self.starts.get(i as usize) {
            Some(&ns) => ns,
            None if i >= self.count => self.end_ns,
            None => {
                let of_level = |i: u64| (i as i64 + self.first).max(0) as u64;
                self.level.marks.at(of_level(i), of_level(self.count), self.end_ns)
            }
        }
    }

    /// Which iteration is at this moment, of those that are kept.
    pub fn at(&self, ns: u64) -> Option<u64> {
        let after = self.starts.partition_point(|&s| s <= ns);
        (after > 0 && ns < self.end_ns && (after < self.starts.len() || self.count as usize == after))
            .then(|| after as u64 - 1)
    }
}

/// All results, for the analyses that follow.
pub(crate) struct Loop {
    pub turns: Vec<Turns>,
    /// Iterations before number 0.
    pub apart: u64,
    /// By how much an iteration is longer than the median one now and then (95th percentile).
    pub noise_ns: u64,
    pub found: Iterations,
}

impl Loop {
    pub fn turns_of(&self, rank: usize) -> Option<&Turns> {
        self.turns.binary_search_by_key(&rank, |t| t.rank).ok().map(|i| &self.turns[i])
    }
    /// Number of the iteration of a rank at a moment.
    pub fn number(&self, rank: usize, ns: u64) -> Option<u64> {
        self.turns_of(rank)?.at(ns)?.checked_sub(self.apart)
    }
}

/// Part by which what leads to the first iteration may differ from rank to rank.
const ALIKE: u64 = 20;
/// Iterations of which it is looked at how far apart ranks begin them.
const SKEWS: usize = 64;
/// Iterations that the computing before the first call of the loop must last to be called slow; and ns. The pages of a few
/// buffers take less.
const LEAST_LEAD: u64 = 6;
const LEAST_LEAD_NS: u64 = 20_000_000;

/// The facts about each rank.
fn ranks<'a>(sequences: &'a [Sequence], tables: &'a Tables, dimensions: &'a Dimensions) -> Vec<Rank<'a>> {
    let ranks = dimensions.ranks.len() as u64;
    let rows = sequences.iter().zip(&tables.ranks).zip(&dimensions.ranks);
    rows.map(|((sequence, alphabet), row)| Rank { sequence, alphabet, tables, row, ranks }).collect()
}

/// The one with the most votes; of those with as many, the largest.
fn elected<T: Ord + Clone + std::hash::Hash>(votes: impl IntoIterator<Item = T>) -> Option<T> {
    let mut counts: FxHashMap<T, u64> = FxHashMap::default();
    votes.into_iter().for_each(|v| *counts.entry(v).or_default() += 1);
    counts.into_iter().max_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0))).map(|c| c.0)
}

/// Finds the loop that most ranks share.
pub(crate) fn find(sequences: &[Sequence], tables: &Tables, dimensions: &Dimensions) -> Option<Loop> {
    let ranks = ranks(sequences, tables, dimensions);
    let loops: Vec<Vec<Level>> = ranks.par_iter().map(nest::loops).collect();
    let chosen = ranks.iter().zip(&loops).filter_map(|(rank, loops)| step::main(rank, loops));
    let count = elected(chosen.map(|l| l.count))?;
    let is_cut = dimensions.is_cut();
    // What is left of a ring differs from rank to rank, and so does the call with which it begins.
    let room = if is_cut { count / 2 } else { count / 50 };
    let fitting = |rank: usize| loops[rank].iter().filter(|l| l.count.abs_diff(count) <= room);
    let exact = (0..ranks.len()).filter_map(|r| fitting(r).find(|l| l.count == count).map(|l| l.marker_place));
    let place = elected(exact)?;
    let mut turns: Vec<Turns> = ranks
        .par_iter()
        .enumerate()
        .filter_map(|(rank, of)| {
            let worth = |l: &&Level| (l.count.abs_diff(count), l.marker_place != place, l.first_ns);
            let mut level = fitting(rank).min_by_key(worth)?.clone();
            nest::complete(of, &mut level);
            let count = level.count;
            let kept = level.starts.len().min(count as usize);
            Some(Turns { rank, count, starts: level.starts[..kept].to_vec(), end_ns: level.end_ns, first: 0, level })
        })
        .collect();
    let nested = elected(turns.iter().map(|t| step::nested(&ranks[t.rank], &loops[t.rank], &t.level)));
    if is_cut {
        let period_ns = turns.iter().map(|t| t.level.period_ns).max().unwrap_or(0);
        align(&mut turns, period_ns);
        turns.retain(|t| t.count >= LEAST_TURNS);
    }
    let count = turns.iter().map(|t| t.count).min()?;
    let place = elected(turns.iter().map(|t| t.level.place))?;
    let mut found = Loop { turns, apart: 0, noise_ns: 0, found: Iterations::default() };
    if !is_cut {
        found.apart = apart(&found.turns, sequences, tables, count);
    }
    (found.found, found.noise_ns) = measure(sequences, &found, count, place, tables, dimensions);
    found.found.windows = windows(&found.turns, found.apart, found.found.count);
    found.found.is_cut = is_cut;
    if is_cut {
        // Whatever is left first is not the beginning.
        found.found.warm_up = None;
    }
    let calls = found.turns.iter().map(|t| t.level.calls).filter(|c| c.1 > 0);
    found.found.calls = calls.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map(|(least, most)| Range { least, most });
    if let Some(first) = found.turns.first() {
        let inner = |&Inner { place, least, most }: &Inner| NestedLoop {
            site: tables.text(place, dimensions),
            function: tables.function(place),
            least,
            most,
        };
        found.found.nested = nested.iter().flatten().map(inner).collect();
        let others =
            loops[first.rank].iter().filter(|l| l.is_alike && l.count.abs_diff(first.count) > 1 + first.count / 50);
        found.found.other_loops = others
            .map(|l| OtherLoop {
                site: tables.text(l.marker_place, dimensions),
                function: tables.function(l.marker_place),
                count: l.count,
                period_ns: l.period_ns,
            })
            .collect();
    }
    found.found.other_loops.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.site.cmp(&b.site)));
    Some(found)
}

/// Sites that are called in nearly all iterations, on some rank.
pub(crate) fn sites_in_loop(
    l: &Loop,
    sequences: &[Sequence],
    tables: &Tables,
    dimensions: &Dimensions,
) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for t in &l.turns {
        let tenth = t.count / 10;
        let (early_ns, late_ns) = (t.begin(l.apart + tenth + 1), t.begin(t.count - tenth));
        let letters = sequences[t.rank].letters.iter().zip(&tables.ranks[t.rank].meanings);
        let through = letters.filter(|(letter, _)| {
            u64::from(letter.count) * 10 >= l.found.count * 9
                && letter.first_ns <= early_ns
                && letter.last_end_ns >= late_ns.min(t.end_ns)
        });
        places.extend(through.map(|(_, meaning)| meaning.place));
    }
    places.into_iter().map(|place| tables.text(place, dimensions)).collect()
}

/// Cuts the iterations into windows that begin, where iterations are many, with those whose beginning is kept.
fn windows(turns: &[Turns], apart: u64, count: u64) -> Windows {
    let every = turns.iter().map(|t| t.level.marks.every()).max().unwrap_or(1);
    let number = |width: u64| if width == 1 { count } else { count / width + 2 };
    let mut width = every;
    while number(width) > MOST as u64 {
        width *= 2;
    }
    // Most ranks number the iterations of the loop equally.
    let mut offsets: Vec<u64> =
        turns.iter().map(|t| (apart as i64 + t.first).rem_euclid(width as i64) as u64).collect();
    let offset = median(&mut offsets);
    let mut firsts = vec![0];
    firsts.extend((1..count).filter(|j| (j + offset).is_multiple_of(width)));
    firsts.push(count);
    let begins = |t: &Turns| {
        let mut last_ns = 0;
        let begin = |&first: &u64| {
            last_ns = t.begin(first + apart).max(last_ns);
            last_ns
        };
        (t.rank, firsts.iter().map(begin).collect())
    };
    let ranks = turns.iter().map(begins).collect();
    Windows { width, ranks, firsts }
}

/// Rings have lost their beginnings at different moments: iterations count from the first that all ranks still have.
fn align(turns: &mut [Turns], period_ns: u64) {
    let begin_ns = turns.iter().filter_map(|t| t.starts.first()).max().copied().unwrap_or(0);
    for t in turns {
        // Ranks enter an iteration at slightly different moments.
        let before = t.starts.partition_point(|&s| s + period_ns / 2 < begin_ns);
        t.starts.drain(..before);
        t.count -= before as u64;
        t.first += before as i64;
    }
}

/// Whether this is a collective operation that the program does there and, at most, after the loop again.
fn is_once(letter: &Letter, role: Role, end_ns: u64) -> bool {
    // A result on one rank may be printed in the first step.
    let is_for_all = matches!(role, Role::Collective(pattern) if pattern != Pattern::NToOne);
    is_for_all && (letter.count == 1 || letter.count == 2 && letter.last_ns >= end_ns)
}

/// How much longer than usual the median rank computed before the very first call of the loop, if that computing is
/// part of the first iteration: there was a collective operation before it. What comes after `MPI_Init` alone is the setting
/// up of the program.
fn lead_ns(l: &Loop, sequences: &[Sequence], tables: &Tables) -> u64 {
    let excess = |t: &Turns| {
        let marker = &sequences[t.rank].letters[usize::from(t.level.first)];
        let before = tables.ranks[t.rank].meanings.get(usize::from(marker.first_before)).map(|m| m.role);
        let is_led = match before {
            Some(Role::Collective(Pattern::Barrier)) => true,
            // Whatever prepares the loop may be in there too; but the loop's first iteration is not measured either.
            Some(Role::Collective(_)) => l.apart > 0,
            _ => false,
        };
        if !is_led || t.starts.first() != Some(&marker.first_ns) {
            return 0;
        }
        let usual = marker.steps.iter().filter(|s| s.count > 1).max_by_key(|s| s.count).map_or(0, |s| s.gap.median());
        marker.first_gap_ns.saturating_sub(usual)
    };
    let mut leads: Vec<u64> = l.turns.iter().map(excess).collect();
    let apart_ns = leads.iter().max().unwrap_or(&0) - leads.iter().min().unwrap_or(&0);
    let usual_ns = median(&mut leads);
    // A slow iteration is equally slow on all ranks; setting up is not.
    if apart_ns > usual_ns / ALIKE { 0 } else { usual_ns }
}

/// Iterations after which the program does, once, something that does not belong to the loop: they are a warm-up.
fn apart(turns: &[Turns], sequences: &[Sequence], tables: &Tables, count: u64) -> u64 {
    let most = 1.max(count / 10).min(count.saturating_sub(LEAST_TURNS)) as usize;
    let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
    for t in turns {
        let sequence = &sequences[t.rank];
        let meanings = &tables.ranks[t.rank].meanings;
        let once = sequence.letters.iter().zip(meanings).filter(|(l, m)| is_once(l, m.role, t.end_ns));
        let after = once.filter_map(|(l, _)| {
            let k = t.starts.partition_point(|&s| s <= l.first_ns);
            // After the last start that is kept, it is unknown which iteration it was.
            let is_known = k < t.starts.len() || t.starts.len() as u64 == t.count;
            (is_known && (1..=most).contains(&k)).then_some(k)
        });
        if let Some(k) = after.max() {
            *votes.entry(k).or_default() += 1;
        }
    }
    votes.iter().filter(|(_, v)| **v * 2 > turns.len()).map(|(k, _)| *k as u64).max().unwrap_or(0)
}

/// Ranks with a computation whose excess is a large part of the excess of the iteration.
fn culprits(l: &Loop, turn: u64, excess_ns: u64, sequences: &[Sequence], dimensions: &Dimensions) -> Vec<i32> {
    let mut ranks: Vec<(u64, i32)> = Vec::new();
    for t in &l.turns {
        let gaps = sequences[t.rank].long_gaps.iter();
        let here = gaps.filter(|g| t.at(g.start_ns) == Some(turn) || t.at(g.end_ns) == Some(turn));
        let longest = here.map(|g| g.excess_ns).max().unwrap_or(0);
        if longest * 3 >= excess_ns {
            ranks.push((longest, dimensions.ranks[t.rank].world_rank));
        }
    }
    ranks.sort_by_key(|&(ns, rank)| (std::cmp::Reverse(ns), rank));
    ranks.truncate(16);
    ranks.into_iter().map(|r| r.1).collect()
}

fn measure(
    sequences: &[Sequence],
    l: &Loop,
    count: u64,
    place: u32,
    tables: &Tables,
    dimensions: &Dimensions,
) -> (Iterations, u64) {
    let kept = l.turns.iter().map(|t| t.starts.len()).min().unwrap_or(0).min(count as usize);
    // Length of each iteration: until the median rank begins the next one. (The median of the ranks' own lengths would be that of
    // another rank each time, and the sum could be longer than the run.)
    let mut across = Vec::new();
    let begins: Vec<u64> = (0..=kept as u64)
        .map(|i| {
            across.clear();
            across.extend(l.turns.iter().map(|t| t.begin(i)));
            median(&mut across)
        })
        .collect();
    let lengths: Vec<u64> = begins.windows(2).map(|two| two[1].saturating_sub(two[0])).collect();
    let apart = l.apart as usize;
    // The end of the last iteration is known only roughly.
    let last = kept.saturating_sub(1);
    let (mut period_ns, mut mad_ns) = median_and_mad(&lengths[apart.min(last)..last]);
    if count > 2 * kept as u64 {
        let of_ranks = |f: &dyn Fn(&Turns) -> u64| median(&mut l.turns.iter().map(f).collect::<Vec<_>>());
        period_ns = of_ranks(&|t| t.level.later.as_ref().map_or(t.level.period_ns, |l| l.periods.median()));
        mad_ns = of_ranks(&|t| t.level.later.as_ref().map_or(0, |l| l.periods.mad()));
    }
    let slow = |length: u64, share: f64| {
        length.saturating_sub(period_ns) > (6 * mad_ns).max((period_ns as f64 * share) as u64).max(1_000)
    };
    // Ranks that come to the loop one after the other wait for the last in the first iteration: that is how they started.
    let skew = |i: usize| {
        let mut starts: Vec<u64> = l.turns.iter().filter_map(|t| t.starts.get(i).copied()).collect();
        let last = starts.iter().max().copied().unwrap_or(0);
        last - median(&mut starts)
    };
    let usual_skew = median(&mut (apart.min(last)..last).take(SKEWS).map(skew).collect::<Vec<_>>());
    let excess = |range: std::ops::Range<usize>| {
        let longer = lengths[range].iter().map(|&n| n.saturating_sub(period_ns)).sum::<u64>();
        longer.saturating_sub(skew(0).saturating_sub(usual_skew))
    };
    let mut warm_up = None;
    // What leads to the first iteration is part of it only where it is far longer than any iteration: a program may set up.
    let lead_ns =
        Some(lead_ns(l, sequences, tables)).filter(|&ns| ns > (LEAST_LEAD * period_ns).max(LEAST_LEAD_NS)).unwrap_or(0);
    if apart > 0 && apart <= last {
        warm_up = Some(WarmUp { count: l.apart, excess_ns: excess(0..apart) + lead_ns, is_apart: true });
    } else {
        let leading = lengths[..last].iter().take_while(|&&n| slow(n, 0.25)).count().max(usize::from(lead_ns > 0));
        if leading > 0 && leading * 4 <= last.max(4) {
            let excess_ns = excess(0..leading) + lead_ns;
            warm_up = Some(WarmUp { count: leading as u64, excess_ns, is_apart: false });
        }
    }
    let settled = warm_up.map_or(0, |w| w.count as usize);
    let mut above: Vec<u64> = lengths[settled.min(last)..last].iter().map(|&n| n.saturating_sub(period_ns)).collect();
    above.sort_unstable();
    let noise_ns = above.get(above.len() * 95 / 100).copied().unwrap_or(0);
    let mut outliers: Vec<IterationOutlier> = (settled..last)
        .filter(|&i| slow(lengths[i], 0.5))
        .map(|i| IterationOutlier {
            iteration: (i - apart) as u64,
            excess_ns: lengths[i] - period_ns,
            ranks: culprits(l, i as u64, lengths[i] - period_ns, sequences, dimensions),
        })
        .collect();
    if let Some(first) = l.turns.first() {
        let later = first.level.later.iter().flat_map(|l| &l.outliers);
        outliers.extend(later.map(|&(iteration, excess_ns)| IterationOutlier {
            iteration: iteration.saturating_sub(l.apart),
            excess_ns,
            ranks: Vec::new(),
        }));
    }
    outliers.sort_by_key(|o| (std::cmp::Reverse(o.excess_ns), o.iteration));
    outliers.truncate(16);
    let mut starts_ns = vec![Vec::new(); dimensions.ranks.len()];
    let (mut inside, mut all) = (0u64, 0u64);
    for t in &l.turns {
        starts_ns[t.rank] = t.starts.get(apart..).unwrap_or_default().to_vec();
        inside += t.end_ns.saturating_sub(t.starts.get(apart).copied().unwrap_or(t.end_ns));
    }
    for row in &dimensions.ranks {
        all += row.rows_time_ns();
    }
    let found = Iterations {
        count: count - l.apart,
        period_ns,
        mad_ns,
        warm_up,
        marker_site: tables.text(place, dimensions),
        marker_function: tables.function(place),
        ranks: l.turns.len() as u64,
        share: if all == 0 { 0.0 } else { inside as f64 / all as f64 },
        outliers,
        starts_ns,
        ..Iterations::default()
    };
    (found, noise_ns)
}
