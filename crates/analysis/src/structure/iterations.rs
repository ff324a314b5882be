//! Iterations: which loop of the program is meant, how long its turns take, which of them stand out.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_store::{Dimensions, RankRow};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::marks::MOST;
use super::robust::{median, median_and_mad};
use super::sequence::{Letter, Level, Sequence};
use super::tokens::{Alphabet, Meaning, Tables};

/// The main loop of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Iterations {
    /// Turns; those that were set apart as warm-up are not among them.
    pub count: u64,
    /// Median length.
    pub period_ns: u64,
    /// Median absolute deviation of the lengths.
    pub mad_ns: u64,
    /// Turns at the beginning that were slower, or apart.
    pub warm_up: Option<WarmUp>,
    /// Site of the first call of a turn.
    pub marker_site: String,
    /// Function of the first call of a turn.
    pub marker_function: &'static str,
    /// Ranks that have this loop with this number of turns.
    pub ranks: u64,
    /// Share of the rank time in it.
    pub share: f64,
    /// Whether the beginning is lost: then numbers count from the first turn that is left on all ranks.
    pub is_cut: bool,
    /// Turns that took much longer, the worst first, at most 16.
    pub outliers: Vec<IterationOutlier>,
    /// Loops inside or around it: (site of the first call, turns on a rank).
    pub other_loops: Vec<OtherLoop>,
    /// Beginnings of the turns by rank (index as in [`Dimensions::ranks`]); the first some thousands only, and none
    /// for ranks without this loop.
    #[serde(skip)]
    pub starts_ns: Vec<Vec<u64>>,
    /// All iterations in windows.
    #[serde(skip)]
    pub(crate) windows: Windows,
}

impl Iterations {
    /// All of them, as one stretch.
    pub(crate) fn all(&self) -> Vec<(u64, u64)> {
        vec![(0, self.count.saturating_sub(1))]
    }
}

/// Iterations in at most [`MOST`] windows: each its own, or some together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Windows {
    /// First iteration of each; the last number is that of all iterations.
    pub firsts: Vec<u64>,
    /// Iterations in a window, except for the first and the last, which may have fewer.
    pub width: u64,
    /// Of each rank with the loop: its index, and when it begins these iterations.
    pub ranks: Vec<(usize, Vec<u64>)>,
}

/// Turns at the beginning that are not like the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WarmUp {
    /// How many.
    pub count: u64,
    /// By how much they were longer, in all, on the median rank.
    pub excess_ns: u64,
    /// Whether the program does something between them and the others. If so they are not counted as iterations.
    pub is_apart: bool,
}

/// A turn that took much longer than the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IterationOutlier {
    /// Its number, from 0.
    pub iteration: u64,
    /// By how much it was longer than the median.
    pub excess_ns: u64,
    /// Ranks whose computation was much longer in it, at most 16; none if it was not a computation.
    pub ranks: Vec<i32>,
}

/// A loop that is not the main one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherLoop {
    /// Its first call.
    pub site: String,
    /// Function of it.
    pub function: &'static str,
    /// Turns.
    pub count: u64,
    /// Median length.
    pub period_ns: u64,
}

/// The main loop on one rank.
pub(crate) struct Turns<'a> {
    pub rank: usize,
    pub level: &'a Level,
    /// All turns, warm-up too.
    pub count: u64,
    /// Beginnings that are kept.
    pub starts: Cow<'a, [u64]>,
    pub end_ns: u64,
    /// Number of its first turn among those of the level.
    first: i64,
}

impl Turns<'_> {
    /// When turn `i` begins; where that is not kept, about when.
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

    /// Length of turn `i`, if it is kept.
    fn length(&self, i: usize) -> Option<u64> {
        let end = match self.starts.get(i + 1) {
            Some(&next) => next,
            None if i + 1 == self.count as usize => self.end_ns,
            None => return None,
        };
        Some(end.saturating_sub(*self.starts.get(i)?))
    }

    /// Which turn is at this moment, of those that are kept.
    pub fn at(&self, ns: u64) -> Option<u64> {
        let after = self.starts.partition_point(|&s| s <= ns);
        (after > 0 && ns < self.end_ns && (after < self.starts.len() || self.count as usize == after))
            .then(|| after as u64 - 1)
    }
}

/// Everything found, for what comes after.
pub(crate) struct Loop<'a> {
    pub turns: Vec<Turns<'a>>,
    /// Turns before number 0.
    pub apart: u64,
    /// By how much a turn is longer than the median one now and then (95th percentile).
    pub noise_ns: u64,
    pub found: Iterations,
}

impl Loop<'_> {
    pub fn turns_of(&self, rank: usize) -> Option<&Turns<'_>> {
        self.turns.binary_search_by_key(&rank, |t| t.rank).ok().map(|i| &self.turns[i])
    }
    /// Number of the iteration of a rank at a moment.
    pub fn number(&self, rank: usize, ns: u64) -> Option<u64> {
        self.turns_of(rank)?.at(ns)?.checked_sub(self.apart)
    }
}

/// Part by which what leads to the first turn may differ from rank to rank.
const ALIKE: u64 = 20;
/// Turns of which it is looked at how far apart ranks begin them.
const SKEWS: usize = 64;
/// Turns that the computing before the first call of the loop must last to be called slow; and ns. The pages of a few
/// buffers take less.
const LEAST_LEAD: u64 = 6;
const LEAST_LEAD_NS: u64 = 20_000_000;
/// Between two calls of a row of messages passes less.
const LEAST_WORK_NS: u64 = 1_000;
/// Fewer turns are no loop.
const LEAST_TURNS: u64 = 3;
/// Share of a rank's time below which a loop is not the main one.
const LEAST_SHARE: f64 = 0.05;

struct Candidate<'a> {
    level: &'a Level,
    place: u32,
    first: usize,
    count: u64,
    period_ns: u64,
    is_even: bool,
    /// The same call again and again, without computing.
    is_row: bool,
}

impl Candidate<'_> {
    /// Time from its first to its last turn, as far as turns are like each other. That is measured in calls: lengths
    /// vary with what else the machine does.
    fn covers_ns(&self) -> u64 {
        let span_ns = self.level.last_ns.saturating_sub(self.level.first_ns);
        (span_ns as f64 * self.level.fills()) as u64
    }
}

/// A level without turns at its ends that are something else.
fn candidate<'a>(sequence: &Sequence, alphabet: &Alphabet, level: &'a Level) -> Option<Candidate<'a>> {
    let place = alphabet.meanings.get(usize::from(level.marker))?.place;
    let mut distances: Vec<u64> = level.distances.iter().skip(1).map(|&d| d.into()).collect();
    let usual = median(&mut distances) as usize;
    let mut first = 0;
    // A use of the same call before the loop looks like a turn with another body.
    while first < 3 && first + 2 < level.distances.len() {
        let distance = usize::from(level.distances[first + 1]);
        let period = |i: usize| level.starts[i + 1] - level.starts[i];
        let is_other = distance * 2 < usual || distance > 2 * usual + 3;
        let is_far =
            first == 0 && level.starts.len() > 4 && period(0) > 20 * period(1).max(period(2)) && distance > usual;
        if !is_other && !is_far {
            break;
        }
        first += 1;
    }
    let is_partial =
        usual > 0 && sequence.of_last_turn(level) * 2 < usual && level.count > level.distances.len() as u64 - 1;
    let count = level.count - first as u64 - u64::from(is_partial);
    let mut periods: Vec<u64> = level.starts[first..].windows(2).map(|w| w[1] - w[0]).collect();
    if periods.is_empty() || count < LEAST_TURNS {
        return None;
    }
    periods.sort_unstable();
    let kept = periods[periods.len() / 2];
    let period_ns = if level.count > 2 * level.starts.len() as u64 { level.later.median() } else { kept };
    // A loop over neighbours or blocks inside another has short turns and, where the other goes round, long ones.
    // A loop that is passed through twice in a turn of the other has turns of two lengths.
    let sixteenth = periods.len() / 16;
    let (short, long) = (periods[sixteenth], periods[periods.len() - 1 - sixteenth]);
    let steps = &sequence.letters[usize::from(level.marker)].steps;
    let again = steps.iter().find(|s| s.count > 0 && s.from == level.marker);
    let gap_ns = again.map_or(u64::MAX, |s| s.gap.median());
    let is_row = level.distance == 0 && (gap_ns < LEAST_WORK_NS || gap_ns < period_ns / 10);
    let is_even = long < 2 * kept && kept < 2 * short;
    Some(Candidate { level, place, first, count, period_ns, is_even, is_row })
}

/// The main loop of one rank: of those that fill the time nearly as well as any, the one that goes round most often;
/// but not a short loop over neighbours or blocks inside another, nor a row of messages.
fn choose<'a, 'b>(candidates: &'b [Candidate<'a>], row: &RankRow) -> Option<&'b Candidate<'a>> {
    let time_ns = row.rows_time_ns();
    let best = candidates.iter().map(Candidate::covers_ns).max()?;
    if (best as f64) < time_ns as f64 * LEAST_SHARE {
        return None;
    }
    let fills = |c: &&Candidate<'_>| c.covers_ns() as f64 >= best as f64 * 0.6;
    let mut fitting: Vec<_> = candidates.iter().filter(fills).collect();
    fitting.sort_by_key(|c| std::cmp::Reverse((c.count, c.level.distance)));
    let is_inner = |c: &Candidate<'_>| {
        let body = |c: &Candidate<'_>| usize::from(c.level.distance) + 1;
        fitting.iter().any(|outer| {
            outer.count >= LEAST_TURNS
                && outer.count < c.count
                && c.count <= outer.count * 8 + 8
                && body(c) * 3 <= body(outer) * 2
                && !c.is_even
        })
    };
    let outer = fitting.iter().filter(|c| !is_inner(c));
    outer.clone().find(|c| !c.is_row).or(outer.clone().next()).or(fitting.first()).copied()
}

/// Finds the loop that most ranks share.
pub(crate) fn find<'a>(sequences: &'a [Sequence], tables: &Tables, dimensions: &Dimensions) -> Option<Loop<'a>> {
    let candidates: Vec<Vec<Candidate<'a>>> = sequences
        .iter()
        .zip(&tables.ranks)
        .map(|(s, alphabet)| s.levels().filter_map(|level| candidate(s, alphabet, level)).collect())
        .collect();
    let mut votes: FxHashMap<(u32, u64), u64> = FxHashMap::default();
    for (candidates, row) in candidates.iter().zip(&dimensions.ranks) {
        if let Some(chosen) = choose(candidates, row) {
            *votes.entry((chosen.place, chosen.count)).or_default() += 1;
        }
    }
    let (&(place, count), _) =
        votes.iter().max_by_key(|&(&(place, count), &v)| (v, count, std::cmp::Reverse(place)))?;
    let is_cut = dimensions.is_cut();
    let mut turns: Vec<Turns<'a>> = Vec::new();
    let mut period_ns = 0;
    for (rank, candidates) in candidates.iter().enumerate() {
        // What is left of a ring differs from rank to rank, and so does the call with which it begins.
        let room = if is_cut { count / 2 } else { count / 50 };
        let fits =
            |c: &&Candidate<'_>| c.count == count || (is_cut || c.place == place) && c.count.abs_diff(count) <= room;
        let fits = candidates.iter().filter(fits);
        let Some(mine) = fits.min_by_key(|c| (c.place != place, c.count.abs_diff(count), c.level.distance)) else {
            continue;
        };
        period_ns = period_ns.max(mine.period_ns);
        turns.push(Turns {
            rank,
            level: mine.level,
            count: mine.count,
            starts: Cow::Borrowed(
                &mine.level.starts[mine.first..mine.level.starts.len().min(mine.first + mine.count as usize)],
            ),
            end_ns: end_of(mine, &sequences[rank]),
            first: mine.first as i64,
        });
    }
    if is_cut {
        align(&mut turns, period_ns);
        turns.retain(|t| t.count >= LEAST_TURNS);
    }
    if !is_cut {
        rehearsed(&mut turns, sequences, tables);
    }
    let count = turns.iter().map(|t| t.count).min()?;
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
    let mut others: Vec<OtherLoop> = Vec::new();
    if let Some(first) = found.turns.first() {
        for c in candidates[first.rank].iter().filter(|c| c.count.abs_diff(first.count) > 1 + first.count / 50) {
            others.push(OtherLoop {
                site: tables.text(c.place, dimensions),
                function: tables.function(c.place),
                count: c.count,
                period_ns: c.period_ns,
            });
        }
    }
    others.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.site.cmp(&b.site)));
    found.found.other_loops = others;
    Some(found)
}

/// Sites that are called in nearly all iterations, on some rank.
pub(crate) fn sites_in_loop(
    l: &Loop<'_>,
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

/// Cuts the iterations into windows that begin, where turns are many, with those whose beginning is kept.
fn windows(turns: &[Turns<'_>], apart: u64, count: u64) -> Windows {
    let every = turns.iter().map(|t| t.level.marks.every()).max().unwrap_or(1);
    let number = |width: u64| if width == 1 { count } else { count / width + 2 };
    let mut width = every;
    while number(width) > MOST as u64 {
        width *= 2;
    }
    // Most ranks number the turns of the loop alike.
    let mut offsets: Vec<u64> =
        turns.iter().map(|t| (apart as i64 + t.first).rem_euclid(width as i64) as u64).collect();
    let offset = median(&mut offsets);
    let mut firsts = vec![0];
    firsts.extend((1..count).filter(|j| (j + offset).is_multiple_of(width)));
    firsts.push(count);
    let begins = |t: &Turns<'_>| {
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

/// End of the last turn: the last call of a letter of the loop before anything else happens.
fn end_of(c: &Candidate<'_>, sequence: &Sequence) -> u64 {
    let usual = c.period_ns;
    if c.level.count > c.count + c.first as u64 {
        // The last mark was no turn.
        return c.level.last_ns;
    }
    let body = c.level.body.iter().chain([&c.level.marker]);
    let last = body.map(|&l| sequence.letters[usize::from(l)].last_end_ns).max().unwrap_or(c.level.last_ns);
    // Calls of the loop that are used again long after it.
    let last = if last > c.level.last_ns + 4 * usual { c.level.last_ns + usual } else { last };
    last.max(c.level.last_ns + 1)
}

/// Rings have lost their beginnings at different moments: turns count from the first that all ranks still have.
fn align(turns: &mut [Turns<'_>], period_ns: u64) {
    let begin_ns = turns.iter().filter_map(|t| t.starts.first()).max().copied().unwrap_or(0);
    for t in turns {
        // Ranks enter a turn at slightly different moments.
        let before = t.starts.partition_point(|&s| s + period_ns / 2 < begin_ns);
        t.starts.to_mut().drain(..before);
        t.count -= before as u64;
        t.first += before as i64;
    }
}

/// Whether this is a collective operation that the program does there and, at most, after the loop again.
fn is_once(letter: &Letter, role: Role, end_ns: u64) -> bool {
    matches!(role, Role::Collective(_)) && (letter.count == 1 || letter.count == 2 && letter.last_ns >= end_ns)
}

/// Adds the turn that a program makes once before the loop, with a collective operation in between: the first call of
/// the loop has been used once before, at the same site. Such a turn does not recur like the others.
fn rehearsed(turns: &mut [Turns<'_>], sequences: &[Sequence], tables: &Tables) {
    let before = |t: &Turns<'_>| {
        let sequence = &sequences[t.rank];
        let marker = &sequence.letters[usize::from(t.level.marker)];
        let first = *t.starts.first()?;
        let is_single = u64::from(marker.count) == t.count + 1 && marker.first_ns < first;
        let mut letters = sequence.letters.iter().zip(&tables.ranks[t.rank].meanings);
        let is_between = |(l, m): (&Letter, &Meaning)| {
            is_once(l, m.role, t.end_ns) && (marker.first_ns..first).contains(&l.first_ns)
        };
        (is_single && letters.any(is_between)).then_some(marker.first_ns)
    };
    let firsts: Vec<Option<u64>> = turns.iter().map(before).collect();
    if firsts.iter().any(Option::is_none) {
        return;
    }
    for (t, first) in turns.iter_mut().zip(firsts.into_iter().flatten()) {
        t.starts.to_mut().insert(0, first);
        t.count += 1;
        t.first -= 1;
    }
}

/// How much longer than usual the median rank computed before the very first call of the loop, if that computing is
/// part of the first turn: there was a collective operation before it. What comes after `MPI_Init` alone is the setting
/// up of the program.
fn lead_ns(l: &Loop<'_>, sequences: &[Sequence], tables: &Tables) -> u64 {
    let excess = |t: &Turns<'_>| {
        let marker = &sequences[t.rank].letters[usize::from(t.level.marker)];
        let before = tables.ranks[t.rank].meanings.get(usize::from(marker.first_before)).map(|m| m.role);
        let is_led = match before {
            Some(Role::Collective(Pattern::Barrier)) => true,
            // Whatever prepares the loop may be in there too; but the loop's first turn is not measured either.
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
    // A slow turn of one loop is slow alike on all ranks; setting up is not.
    if apart_ns > usual_ns / ALIKE { 0 } else { usual_ns }
}

/// Turns after which the program does, once, something that does not belong to the loop: they are a warm-up.
fn apart(turns: &[Turns<'_>], sequences: &[Sequence], tables: &Tables, count: u64) -> u64 {
    let most = 1.max(count / 10).min(count.saturating_sub(LEAST_TURNS)) as usize;
    let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
    for t in turns {
        let sequence = &sequences[t.rank];
        let meanings = &tables.ranks[t.rank].meanings;
        let once = sequence.letters.iter().zip(meanings).filter(|(l, m)| is_once(l, m.role, t.end_ns));
        let after = once.filter_map(|(l, _)| {
            let k = t.starts.partition_point(|&s| s <= l.first_ns);
            (1..=most).contains(&k).then_some(k)
        });
        if let Some(k) = after.max() {
            *votes.entry(k).or_default() += 1;
        }
    }
    votes.iter().filter(|(_, v)| **v * 2 > turns.len()).map(|(k, _)| *k as u64).max().unwrap_or(0)
}

/// Ranks with a computation that was longer than usual by a good part of what the turn was longer.
fn culprits(l: &Loop<'_>, turn: u64, excess_ns: u64, sequences: &[Sequence], dimensions: &Dimensions) -> Vec<i32> {
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
    l: &Loop<'_>,
    count: u64,
    place: u32,
    tables: &Tables,
    dimensions: &Dimensions,
) -> (Iterations, u64) {
    let kept = l.turns.iter().map(|t| t.starts.len()).min().unwrap_or(0).min(count as usize);
    // Length of each turn: that of the median rank.
    let mut across = Vec::new();
    let lengths: Vec<u64> = (0..kept)
        .map(|i| {
            across.clear();
            across.extend(l.turns.iter().filter_map(|t| t.length(i)));
            median(&mut across)
        })
        .collect();
    let apart = l.apart as usize;
    // How the last turn ends is known only roughly.
    let last = if kept as u64 == count { kept - 1 } else { kept };
    let (mut period_ns, mut mad_ns) = median_and_mad(&lengths[apart.min(last)..last]);
    if count > 2 * kept as u64 {
        let of_ranks = |f: &dyn Fn(&Turns<'_>) -> u64| median(&mut l.turns.iter().map(f).collect::<Vec<_>>());
        period_ns = of_ranks(&|t| t.level.later.median());
        mad_ns = of_ranks(&|t| t.level.later.mad());
    }
    let slow = |length: u64, share: f64| {
        length.saturating_sub(period_ns) > (6 * mad_ns).max((period_ns as f64 * share) as u64).max(1_000)
    };
    // Ranks that come to the loop one after the other wait for the last in the first turn: that is how they started.
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
    // What leads to the first turn is part of it only where it is far longer than any turn: a program may set up.
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
        outliers.extend(first.level.later_outliers.iter().map(|&(iteration, excess_ns)| IterationOutlier {
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
