//! Loops of one rank: which letters come once in an iteration, where iterations begin, what is in them.
//!
//! Letters that come alternately, each once between two of the other, are called equally often in each iteration of the same loop:
//! they are one *level*. Which level is the time step, `step` finds.

use mpiscope_store::RankRow;

use super::marks::Marks;
use super::robust::median;
use super::sequence::{Later, Letter, Sequence};
use super::tokens::{Alphabet, Meaning, Tables};

/// Fewer iterations are no loop.
pub(crate) const LEAST_TURNS: u64 = 3;
/// Iterations that are looked at closely.
pub(crate) const LOOKED_AT: usize = 256;
/// Iterations of which the moments of all calls are kept.
const SAMPLES: usize = 64;
/// Levels of a rank that are looked at: those with most of its time.
const LEVELS: usize = 64;
/// Share of a rank's time below which a loop does not matter.
const LEAST_OF_TIME: f64 = 0.02;
/// The same of a row of equal calls: a program that does little else.
const LEAST_OF_ROW: f64 = 0.25;
/// Part of the iterations that have the same letters.
const ALIKE: f64 = 0.7;
/// The same where partners change now and then: iterations with the same partners, and iterations with the same calls.
const SAME_PARTNERS: f64 = 0.45;
const SAME_CALLS: f64 = 0.7;
/// Part of the iterations that begin after the same call.
const USUAL_WAY: f64 = 0.6;

/// A loop on one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    /// The letter whose calls are counted: one in each iteration.
    pub marker: u16,
    /// Where it is called.
    pub marker_place: u32,
    /// Index of the place where an iteration begins.
    pub place: u32,
    pub count: u64,
    pub first_ns: u64,
    pub last_ns: u64,
    /// Where the last iteration ends.
    pub end_ns: u64,
    /// Beginnings of the first iterations, and of all, thinned.
    pub starts: Vec<u64>,
    pub marks: Marks,
    /// Lengths of iterations beyond `starts`.
    pub later: Option<Box<Later>>,
    /// Letters of an iteration in order of their last use, and the one that comes first.
    pub body: Vec<u16>,
    pub first: u16,
    /// Some iterations: beginning, end of the last call of each letter of `body`, end of the iteration.
    pub samples: Vec<Vec<u64>>,
    /// Median length of an iteration.
    pub period_ns: u64,
    /// Share of the rank in iterations that have what the others have: of its time and of its calls, the geometric mean. Times
    /// vary with what else the machine does, and set-up may have more calls than all that comes after.
    pub covers: f64,
    /// Letters that come once in an iteration.
    pub letters: Vec<u16>,
    /// Letters of a usual iteration, how often each.
    pub usual: Vec<(u16, u64)>,
    pub is_alike: bool,
    /// The same call again and again, without computing.
    pub is_row: bool,
    /// Calls of an iteration: fewest and most of the first iterations.
    pub calls: (u64, u64),
}

/// The facts about a rank.
#[derive(Clone, Copy)]
pub(crate) struct Rank<'a> {
    pub sequence: &'a Sequence,
    pub alphabet: &'a Alphabet,
    pub tables: &'a Tables,
    pub row: &'a RankRow,
    /// Ranks of the run.
    pub ranks: u64,
}

impl<'a> Rank<'a> {
    /// Of a letter, or of a function of the program: those are numbered after the letters.
    pub fn letter(&self, letter: u16) -> &'a Letter {
        let (at, letters) = (usize::from(letter), &self.sequence.letters);
        if at < letters.len() { &letters[at] } else { &self.sequence.visits[at - letters.len()] }
    }

    pub fn meaning(&self, letter: u16) -> &'a Meaning {
        &self.alphabet.meanings[usize::from(self.call(letter))]
    }

    /// Whether this is a function of the program, and not a call.
    pub fn is_function(&self, letter: u16) -> bool {
        usize::from(letter) >= self.sequence.letters.len()
    }

    /// A letter in place of a function: one of its calls.
    pub fn call(&self, letter: u16) -> u16 {
        let (at, letters) = (usize::from(letter), self.sequence.letters.len());
        if at < letters { letter } else { self.alphabet.of_functions[at - letters] }
    }

    /// What a function of the program calls.
    fn calls_of(&self, function: u16) -> impl Iterator<Item = &'a Letter> {
        let own = function - self.functions().start;
        let all = self.sequence.letters.iter().zip(&self.alphabet.functions);
        all.filter(move |(_, of)| **of == own).map(|(letter, _)| letter)
    }

    /// Numbers of the functions of the program.
    fn functions(&self) -> std::ops::Range<u16> {
        let letters = self.sequence.letters.len();
        letters as u16..(letters + self.sequence.visits.len()) as u16
    }
}

/// Until when all calls of a letter are kept.
pub(crate) fn horizon(letter: &Letter) -> u64 {
    if letter.track.is_cut() { letter.track.starts.last().copied().unwrap_or(0) } else { u64::MAX }
}

/// Calls of a letter in `from..until`, of those that are kept.
pub(crate) fn between(letter: &Letter, from_ns: u64, until_ns: u64) -> std::ops::Range<usize> {
    let starts = &letter.track.starts;
    let first = starts.partition_point(|&s| s < from_ns);
    first..first.max(starts.partition_point(|&s| s < until_ns))
}

/// Whether two letters come alternately, but for a use or two outside of the loop.
fn by_turns(a: &Letter, b: &Letter) -> bool {
    let until_ns = horizon(a).min(horizon(b));
    let of = |l: &Letter| l.track.starts.iter().take_while(|&&s| s <= until_ns).count().min(2 * LOOKED_AT);
    let (n, m) = (of(a), of(b));
    let (mut i, mut j, mut last, mut again) = (0, 0, None, 0);
    while i < n && j < m {
        let is_a = a.track.starts[i] < b.track.starts[j];
        again += usize::from(last == Some(is_a));
        last = Some(is_a);
        if is_a { i += 1 } else { j += 1 }
    }
    // What is left of one of them, where neither was cut short.
    if n.max(m) < 2 * LOOKED_AT && until_ns == u64::MAX {
        again += (n - i).max(m - j).saturating_sub(1);
    }
    n.min(m) >= 2 && again <= 1 + n.min(m) / 32
}

/// Letters that come alternately, the most frequent ones last; each level in order of first use.
fn levels(rank: &Rank<'_>) -> Vec<Vec<u16>> {
    let letters = &rank.sequence.letters;
    let mut order: Vec<u16> =
        (0..letters.len() as u16).filter(|&l| u64::from(letters[usize::from(l)].count) >= LEAST_TURNS).collect();
    order.sort_by_key(|&l| (rank.letter(l).count, rank.letter(l).first_ns));
    let mut found: Vec<Vec<u16>> = Vec::new();
    for letter in order {
        let of = rank.letter(letter);
        let room = 2 + of.count / 50;
        let near = found.iter_mut().rev().take_while(|level| rank.letter(level[0]).count + room >= of.count);
        match near.into_iter().find(|level| by_turns(rank.letter(level[0]), of)) {
            Some(level) => level.push(letter),
            None => found.push(vec![letter]),
        }
    }
    // An exchange that each iteration makes twice has no call that comes once. The function that makes it is called once.
    for function in rank.functions().filter(|&f| u64::from(rank.letter(f).count) >= LEAST_TURNS) {
        let of = rank.letter(function);
        // A function that does something else each time is no loop.
        if rank.calls_of(function).all(|call| u64::from(call.count) * 10 < u64::from(of.count) * 9) {
            continue;
        }
        let is_known = |level: &Vec<u16>| {
            let other = rank.letter(level[0]);
            match rank.is_function(level[0]) {
                true => other.count.abs_diff(of.count) <= 2 + of.count / 50 && by_turns(other, of),
                false => other.count.abs_diff(of.count) <= of.count / 10,
            }
        };
        if !found.iter().any(is_known) {
            found.push(vec![function]);
        }
    }
    found.sort_by_key(|level| rank.letter(level[0]).count);
    let span = |level: &Vec<u16>| rank.letter(level[0]).last_ns - rank.letter(level[0]).first_ns;
    if found.len() > LEVELS {
        let mut spans: Vec<u64> = found.iter().map(span).collect();
        spans.sort_unstable_by(|a, b| b.cmp(a));
        found.retain(|level| span(level) > spans[LEVELS]);
    }
    found
}

/// Loops of a rank, the one with fewest iterations first.
pub(crate) fn loops(rank: &Rank<'_>) -> Vec<Level> {
    levels(rank).into_iter().filter_map(|letters| level(rank, letters)).collect()
}

fn level(rank: &Rank<'_>, mut letters: Vec<u16>) -> Option<Level> {
    // Most letters have as many calls as the loop has iterations; others are used elsewhere as well.
    let mut counts: Vec<u32> = letters.iter().map(|&l| rank.letter(l).count).collect();
    counts.sort_unstable();
    let of = |n: u32| counts.iter().filter(|&&c| c == n).count();
    let count = counts.iter().copied().max_by_key(|&n| (of(n), std::cmp::Reverse(n)))?;
    letters.sort_by_key(|&l| rank.letter(l).first_ns);
    let marker = letters.iter().copied().find(|&l| rank.letter(l).count == count)?;
    let track = &rank.letter(marker).track;
    let kept = track.starts.len();
    let marker_place = rank.meaning(marker).place;
    let mut found = Level { marker, marker_place, count: count.into(), letters, ..Level::default() };
    (found.first_ns, found.last_ns) = (rank.letter(marker).first_ns, rank.letter(marker).last_ns);
    let sets = Sets::of(rank, marker, count);
    (found.usual, found.is_alike) = (sets.usual(), sets.alike() >= ALIKE && has_usual_way(rank.letter(marker)));
    let mut periods: Vec<u64> = track.starts.windows(2).map(|w| w[1] - w[0]).collect();
    found.period_ns = match &track.later {
        Some(later) if u64::from(count) > 2 * kept as u64 => later.periods.median(),
        _ => median(&mut periods),
    };
    // The last iteration takes as long as the others. Where the first one begins before its marker, it may be the longest: what
    // is sent for the first time.
    let turns = f64::from(count);
    let lasts_ns = (found.last_ns - found.first_ns) as f64 * turns / (turns - 1.0);
    let begin_ns = beginning(rank, &ends(rank, &found).0).map_or(found.first_ns, |begin| begin.0);
    // One iteration may be much longer than the others: what is set up in the first one, or what else the machine did. What it has beyond the
    // usual tells nothing of the loop.
    let longest_ns = periods.iter().max().copied().unwrap_or(0);
    let beyond_ns = longest_ns.saturating_sub(found.period_ns);
    let ns = sets.covered(longest_ns, found.period_ns)
        * (lasts_ns.max((found.last_ns - begin_ns) as f64) - beyond_ns as f64).max(0.0);
    let calls = (found.usual.iter().map(|u| u.1).sum::<u64>() + 1) as f64 * turns * sets.alike();
    let all: u64 = rank.sequence.letters.iter().map(|l| u64::from(l.count)).sum();
    let part = |of: f64, all: u64| (of / all.max(1) as f64).min(1.0);
    let again = rank.letter(marker).steps.iter().find(|s| s.count > 0 && s.from == marker);
    let gap_ns = again.map_or(u64::MAX, |s| s.gap.median());
    found.is_row = found.usual.is_empty() && (gap_ns < LEAST_WORK_NS || gap_ns < found.period_ns / 10);
    // Rows of calls come here and there in a program: what is between them is none of theirs.
    let ns = if found.is_row { ns.min(2.0 * found.period_ns as f64 * turns) } else { ns };
    let of_time = part(ns, rank.row.rows_time_ns());
    let least = if found.is_row { LEAST_OF_ROW } else { LEAST_OF_TIME };
    found.covers = if of_time < least { 0.0 } else { (of_time * part(calls, all)).sqrt() };
    Some(found)
}

/// Whether a letter mostly comes after the same other one. A wait for whatever was begun before does not.
fn has_usual_way(letter: &Letter) -> bool {
    let most = letter.steps.iter().map(|s| s.count).max().unwrap_or(0);
    f64::from(most) >= f64::from(letter.count - 1) * USUAL_WAY
}

/// Between two calls of a row of messages passes less.
const LEAST_WORK_NS: u64 = 1_000;

/// What is between two calls of a letter.
struct Sets {
    /// Letters that are not rarer, and how often each comes from one call to the next.
    letters: Vec<u16>,
    times: Vec<Vec<u32>>,
    /// Which iterations have the letters that most iterations have, and how long each is.
    typical: Vec<bool>,
    ns: Vec<u64>,
}

impl Sets {
    fn of(rank: &Rank<'_>, marker: u16, count: u32) -> Sets {
        let starts = &rank.letter(marker).track.starts;
        let starts = &starts[..starts.len().min(LOOKED_AT + 1)];
        let not_rarer = |l: u16| l != marker && u64::from(rank.letter(l).count) * 10 >= u64::from(count) * 9;
        // Of what comes very often in an iteration nothing is kept of later iterations.
        let early_ns = starts[starts.len().min(4) - 1];
        let letters: Vec<u16> = (0..rank.sequence.letters.len() as u16)
            .filter(|&l| not_rarer(l) && horizon(rank.letter(l)) >= early_ns)
            .collect();
        let until_ns = letters.iter().map(|&l| horizon(rank.letter(l))).min().unwrap_or(u64::MAX);
        let starts = &starts[..starts.partition_point(|&s| s <= until_ns)];
        let turns = starts.len().saturating_sub(1);
        let ns: Vec<u64> = starts.windows(2).map(|w| w[1] - w[0]).collect();
        let times: Vec<Vec<u32>> = letters.iter().map(|&l| in_turns(rank.letter(l), starts)).collect();
        let of_letters = sets(&letters, &times, turns, |l| l.into());
        let of_places = sets(&letters, &times, turns, |l| rank.meaning(l).place.into());
        let mut found = Sets { letters, times, typical: typical(&of_letters), ns };
        let alike = found.alike();
        // Where partners change now and then, iterations have the same calls with others.
        if (SAME_PARTNERS..ALIKE).contains(&alike) {
            let with_any = typical(&of_places);
            let by_letters = std::mem::replace(&mut found.typical, with_any);
            if found.alike() < SAME_CALLS {
                found.typical = by_letters;
            }
        }
        found
    }

    /// Share of the iterations, the first and the last aside: there a loop may be entered and left.
    fn alike(&self) -> f64 {
        let inner = if self.typical.len() > 4 { &self.typical[1..self.typical.len() - 1] } else { &self.typical[..] };
        inner.iter().filter(|t| **t).count() as f64 / inner.len().max(1) as f64
    }

    /// Share of their time, if the longest one had taken as long as usual.
    fn covered(&self, longest_ns: u64, usual_ns: u64) -> f64 {
        let ns = || self.ns.iter().map(|&ns| if ns == longest_ns { usual_ns } else { ns });
        let typical = ns().zip(&self.typical).filter(|(_, t)| **t).map(|(ns, _)| ns);
        typical.sum::<u64>() as f64 / ns().sum::<u64>().max(1) as f64
    }

    /// Letters of a usual iteration, and how often each comes in it.
    fn usual(&self) -> Vec<(u16, u64)> {
        let of = |times: &Vec<u32>| {
            let mut typical: Vec<u64> =
                times.iter().zip(&self.typical).filter(|(_, t)| **t).map(|(&n, _)| n.into()).collect();
            median(&mut typical)
        };
        self.letters.iter().zip(&self.times).map(|(&l, times)| (l, of(times))).filter(|&(_, n)| n > 0).collect()
    }
}

/// What each iteration has of `letters`, as a number.
fn sets(letters: &[u16], times: &[Vec<u32>], turns: usize, name: impl Fn(u16) -> u64) -> Vec<u64> {
    let mut sets = vec![0; turns];
    let mut names: Vec<(u64, usize)> = letters.iter().enumerate().map(|(at, &l)| (name(l), at)).collect();
    names.sort_unstable();
    for same in names.chunk_by(|a, b| a.0 == b.0) {
        let bit = mix(same[0].0);
        for (turn, set) in sets.iter_mut().enumerate() {
            *set ^= if same.iter().any(|&(_, at)| times[at][turn] > 0) { bit } else { 0 };
        }
    }
    sets
}

/// Which iterations have what most have.
fn typical(sets: &[u64]) -> Vec<bool> {
    let mut sorted = sets.to_vec();
    sorted.sort_unstable();
    let usual = sorted.chunk_by(|a, b| a == b).max_by_key(|same| same.len()).map(|same| same[0]);
    sets.iter().map(|set| Some(*set) == usual).collect()
}

/// How often a letter comes from each of `starts` to the next.
pub(crate) fn in_turns(letter: &Letter, starts: &[u64]) -> Vec<u32> {
    let mut times = vec![0; starts.len().saturating_sub(1)];
    let mut turn = 0;
    for &at in &letter.track.starts {
        while turn < times.len() && at >= starts[turn + 1] {
            turn += 1;
        }
        if turn >= times.len() {
            break;
        }
        times[turn] += u32::from(at >= starts[0]);
    }
    times
}

fn mix(at: u64) -> u64 {
    let x = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ x >> 29
}

/// Letters that an iteration begins with, although they have more calls: an inner loop, or used before as well; with the number of
/// the call with which the first iteration begins. And the end of the last iteration.
fn ends(rank: &Rank<'_>, level: &Level) -> (Vec<(u16, usize)>, u64) {
    let marker = rank.letter(level.marker);
    let count_at = |l: u16, until_ns: u64| between(rank.letter(l), 0, until_ns).len() as u64;
    let mut leading: Vec<(u16, usize)> = Vec::new();
    let mut end_ns = marker.last_end_ns;
    for &(letter, usual) in &level.usual {
        let of = rank.letter(letter);
        let before = count_at(letter, marker.first_ns);
        let after = match horizon(of) {
            u64::MAX => of.track.starts.len() as u64 - count_at(letter, marker.last_ns),
            _ if of.last_ns < marker.last_ns => 0,
            _ => usual,
        };
        // A solver takes as many iterations as it needs.
        if before > 0 && before * 8 >= usual * 7 && after < usual {
            leading.push((letter, before.saturating_sub(usual) as usize));
        } else if after > 0 {
            // Its last call in this iteration; it may be used again long after it.
            let nth = (of.track.starts.len() as u64 + usual).saturating_sub(after + 1) as usize;
            let last_ns = match (horizon(of), after > usual) {
                (u64::MAX, true) => of.track.end(nth),
                (_, true) if of.last_end_ns > marker.last_ns.saturating_add(level.period_ns.saturating_mul(4)) => {
                    marker.last_end_ns
                }
                _ => of.last_end_ns,
            };
            end_ns = end_ns.max(last_ns);
        }
    }
    (leading, end_ns)
}

/// The earliest of the calls that [`ends`] finds.
fn beginning(rank: &Rank<'_>, leading: &[(u16, usize)]) -> Option<(u64, u16)> {
    leading.iter().map(|&(l, nth)| (rank.letter(l).track.starts[nth], l)).min()
}

/// Works out where iterations begin and end, and what is in them.
pub(crate) fn complete(rank: &Rank<'_>, level: &mut Level) {
    let marker = rank.letter(level.marker);
    let starts = &marker.track.starts;
    let (leading, end_ns) = ends(rank, level);
    level.end_ns = end_ns.max(marker.last_ns.saturating_add(1));
    // Of a function the call that is its first.
    let begins = |l: &u16| rank.letter(*l).first_ns == marker.first_ns;
    level.first = match rank.call(level.marker) {
        call if call == level.marker => call,
        call => (0..rank.sequence.letters.len() as u16).find(begins).unwrap_or(call),
    };
    level.place = rank.meaning(level.first).place;
    level.later.clone_from(&marker.track.later);
    if let Some((begin_ns, first)) = beginning(rank, &leading) {
        (level.first, level.place, level.first_ns) = (first, rank.meaning(first).place, begin_ns);
        let next = |turn: usize| {
            let after_ns = starts[turn - 1];
            let of = |&(l, _): &(u16, usize)| {
                let of = rank.letter(l);
                let at = of.track.starts.partition_point(|&s| s <= after_ns);
                of.track.starts.get(at).copied().filter(|&s| starts.get(turn).is_none_or(|&next| s < next))
            };
            let found = leading.iter().filter_map(of).min();
            found.unwrap_or_else(|| marker.track.end(turn - 1))
        };
        level.starts = std::iter::once(begin_ns).chain((1..starts.len()).map(next)).collect();
        level.marks = marker.track.marks.ends_as_beginnings(begin_ns, level.count, marker.last_ns);
    } else {
        level.starts.clone_from(starts);
        level.marks = marker.track.marks.clone();
    }
    sample(rank, level);
}

/// What iterations are made of, and when; which calls are in them.
fn sample(rank: &Rank<'_>, level: &mut Level) {
    let is_call = |l: &u16| rank.call(*l) == *l;
    let mut letters: Vec<u16> =
        level.usual.iter().map(|u| u.0).chain([level.marker].into_iter().filter(is_call)).collect();
    let turns = level.starts.len().min(LOOKED_AT);
    let ends: Vec<u64> = (0..turns).map(|t| level.starts.get(t + 1).copied().unwrap_or(level.end_ns)).collect();
    let until_ns = letters.iter().map(|&l| horizon(rank.letter(l))).min().unwrap_or(u64::MAX);
    let known: Vec<usize> = (0..turns).filter(|&t| ends[t] <= until_ns && t + 1 < level.count as usize).collect();
    // The first iterations are often special; later ones hardly vary.
    let middle = known.get(known.len() / 2).or(known.first()).copied();
    let Some(middle) = middle else { return };
    let last = |l: u16, t: usize| {
        let times = between(rank.letter(l), level.starts[t], ends[t]);
        times.last().map(|nth| rank.letter(l).track.end(nth))
    };
    letters.retain(|&l| last(l, middle).is_some());
    letters.sort_by_key(|&l| last(l, middle));
    let times = |t: usize| {
        let all = rank.sequence.letters.iter().filter(|l| l.count > 0);
        all.map(|l| between(l, level.starts[t], ends[t]).len() as u64).sum::<u64>()
    };
    let inner: &[usize] = if known.len() > 4 { &known[1..] } else { &known };
    let typical = inner.iter().filter(|&&t| letters.iter().all(|&l| last(l, t).is_some()));
    let mut calls: Vec<u64> = typical.take(SAMPLES).map(|&t| times(t)).collect();
    if calls.is_empty() {
        calls.push(times(middle));
    }
    calls.sort_unstable();
    // Occasional calls are not part of a usual iteration.
    level.calls = match level.usual.iter().any(|u| horizon(rank.letter(u.0)) != u64::MAX) {
        true => (calls[0], calls[calls.len() - 1]),
        false => {
            let usual = calls.chunk_by(|a, b| a == b).max_by_key(|same| same.len()).map_or(0, |same| same[0]);
            (usual, usual)
        }
    };
    let every = known.len().div_ceil(SAMPLES).max(1);
    level.samples = known
        .iter()
        .step_by(every)
        .map(|&t| {
            let begin_ns = level.starts[t];
            let ends_ns = letters.iter().map(|&l| last(l, t).unwrap_or(begin_ns));
            [begin_ns].into_iter().chain(ends_ns).chain([ends[t]]).collect()
        })
        .collect();
    level.body = letters;
}

/// The calls of one usual iteration in order, as letters; empty where they are not kept.
pub(crate) fn turn(rank: &Rank<'_>, level: &Level) -> Vec<u16> {
    let Some(nth) = (level.starts.len().min(level.count as usize) / 2).checked_sub(1) else { return Vec::new() };
    let (from_ns, until_ns) = (level.starts[nth], level.starts.get(nth + 1).copied().unwrap_or(level.end_ns));
    let letters = (0..rank.sequence.letters.len() as u16).filter(|&l| rank.letter(l).count > 0);
    let times = letters.flat_map(|l| {
        let of = rank.letter(l);
        between(of, from_ns, until_ns).map(move |n| (of.track.starts[n], l))
    });
    let mut order: Vec<(u64, u16)> = times.collect();
    order.sort_unstable();
    order.into_iter().map(|o| o.1).collect()
}
