//! Which loop of a rank is the time step, and which are inside of it.
//!
//! A level of 5920 calls inside of one of 40 is a loop inside of a loop, or the loop itself, with something in every 148th
//! iteration that has iterations of its own. The text does not tell the two apart; see [`is_interval`] for what does.

use mpiscope_abi::role::{Pattern, Role};

use super::nest::{LEAST_TURNS, LOOKED_AT, Level, Rank, between, horizon, in_turns};
use super::robust::median;
use super::tokens::Meaning;

/// Of iterations of a loop in those of another before the other is not in all iterations of the first.
const MORE: f64 = 1.3;
/// The same where all ranks meet in each iteration of the other.
const SLIGHTLY_MORE: f64 = 1.02;
/// Share of a rank below which a loop is not the main one.
const LEAST_SHARE: f64 = 0.05;
/// Of what the best loop covers, for another one to be the main one.
const NEARLY: f64 = 0.6;
/// An inner loop is named if it has this many iterations in one of the outer loop.
const LEAST_NESTED: u64 = 3;
/// An inner loop is named if it has this share of the calls of an iteration.
const LEAST_FILLED: f64 = 0.5;
/// Iterations between two outputs, or two looks at a residual, are a round number above this; fewer are the stages of a step.
const MOST_STAGES: u64 = 4;
/// Calls in every so many-th iteration lengthen it by less than one part in so many.
const SLIGHT: u64 = 8;
/// Iterations that a solver takes at least, where the program may as well rebuild its mesh.
const LEAST_SOLVER: u64 = 16;

/// A loop inside of the main one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Inner {
    /// Where its marker is called.
    pub place: u32,
    /// Iterations in one of the loop around it.
    pub least: u64,
    pub most: u64,
}

/// The main loop of a rank: the outermost one that is not merely something in every so many-th iteration of another.
pub(crate) fn main<'a>(rank: &Rank<'_>, loops: &'a [Level]) -> Option<&'a Level> {
    let possible = |l: &&Level| l.is_alike && l.count >= LEAST_TURNS;
    let best = loops.iter().filter(possible).map(|l| l.covers).max_by(f64::total_cmp)?;
    if best < LEAST_SHARE {
        return None;
    }
    let mut fitting: Vec<&Level> = loops.iter().filter(possible).filter(|l| l.covers >= best * NEARLY).collect();
    if fitting.iter().any(|l| !l.is_row) {
        fitting.retain(|l| !l.is_row);
    }
    fitting.sort_by_key(|l| (l.count, l.first_ns));
    let is_rare =
        |outer: &Level| fitting.iter().any(|inner| inner.count > outer.count && is_interval(rank, outer, inner));
    fitting.iter().find(|l| !is_rare(l)).or(fitting.last()).copied()
}

/// How often one loop goes round in each iteration of another, and before its first and after its last iteration.
struct Trips {
    before: u64,
    inside: Vec<u64>,
    after: Option<u64>,
}

fn trips(rank: &Rank<'_>, outer: &Level, inner: &Level) -> Trips {
    let (around, of) = (rank.letter(outer.marker), rank.letter(inner.marker));
    let starts = &around.track.starts;
    let known = starts.partition_point(|&s| s <= horizon(of)).min(LOOKED_AT);
    let inside: Vec<u64> = in_turns(of, &starts[..known]).into_iter().map(u64::from).collect();
    let before = between(of, 0, around.first_ns).len() as u64;
    let all: u64 = inside.iter().sum();
    let after = if inside.len() as u64 + 1 == outer.count {
        Some(u64::from(of.count).saturating_sub(before + all))
    } else {
        // As many in all other iterations, if it was always the same.
        let same = inside.iter().all(|n| *n == inside[0]);
        let rest = inside.first().map_or(0, |n| n * (outer.count - 1));
        same.then(|| u64::from(of.count).saturating_sub(before + rest))
    };
    Trips { before, inside, after }
}

/// Whether `outer` is only what the program does in every so many-th iteration of `inner`: prints, writes, looks at the
/// residual, makes its mesh anew. The same text could be a solver inside of a time step. What tells them apart:
///
/// - what is done in the middle of an iteration of `inner` belongs to it, and so does what is done in place of something else;
/// - a loop inside of another goes round as often before the first call of the outer one or after its last as it always
///   does, or not at all; `if (step % 10 == 0)` leaves other numbers there;
/// - the outer loop is the step where its own calls are exchanges with neighbours;
/// - the outer loop is the step where all its own calls are broadcasts: results go the other way;
/// - a program rebuilds its mesh by calls that hand out data, after few steps that end in a collective operation of their own;
/// - a solver takes as many iterations as it needs, each with a collective operation that says whether it is done; results
///   come after a round number of steps; stages of a step are few; loops over ranks have as many iterations as there are ranks,
///   or lines in a grid; levels of a multigrid have messages of other sizes each.
fn is_interval(rank: &Rank<'_>, outer: &Level, inner: &Level) -> bool {
    let trips = trips(rank, outer, inner);
    let mut inside = trips.inside.clone();
    let usual = median(&mut inside);
    let has_collective = inner.letters.iter().any(|&l| matches!(rank.meaning(l).role, Role::Collective(_)));
    if usual < 2 {
        // What is left out in some iterations is not the loop. Nor is an exchange that some iterations make twice.
        let (all, turns) = (trips.inside.iter().sum::<u64>(), trips.inside.len());
        if rank.is_function(inner.marker) && is_replaced(rank, outer, inner) {
            return true;
        }
        return all as f64 >= turns as f64 * if has_collective { SLIGHTLY_MORE } else { MORE };
    }
    if in_the_middle(rank, outer, inner) {
        return true;
    }
    let same = trips.inside.iter().filter(|n| **n == usual).count() as f64;
    let is_steady = same >= 0.8 * trips.inside.len() as f64 || trips.inside.iter().skip(1).all(|n| *n == usual);
    let own: Vec<&Meaning> = outer.letters.iter().map(|&l| rank.meaning(l)).collect();
    let is_message = |m: &&&Meaning| {
        matches!(m.role, Role::Send(_) | Role::Receive | Role::SendReceive | Role::Start | Role::Access)
            && !rank.tables.is_hub(m.place)
    };
    if replaces(rank, outer, inner) {
        return true;
    }
    let at_ends = |n: u64| n == 0 || n.abs_diff(usual) <= 1 + usual / 8;
    let is_cut_short = is_steady && !(at_ends(trips.before) && trips.after.is_none_or(at_ends));
    let is_round = usual.is_multiple_of(5) || usual.is_power_of_two();
    if own.iter().any(|m| is_message(&m)) {
        return is_steady && is_round && usual >= LEAST_SOLVER && is_slight(rank, outer, inner, usual);
    }
    if is_cut_short && (has_collective || usual > MOST_STAGES) {
        return true;
    }
    let hands_out = own.iter().any(|m| rank.tables.hands_out(m.place));
    if has_collective && hands_out && usual < LEAST_SOLVER {
        return true;
    }
    // A broadcast says what to do next. Results go the other way.
    let broadcasts = own.iter().all(|m| m.role == Role::Collective(Pattern::OneToN));
    if !is_steady || broadcasts || usual <= MOST_STAGES || has_sizes(rank, outer, inner) {
        return false;
    }
    let partners = |l: &u16| rank.meaning(*l).peer;
    let is_ring = inner.letters.iter().map(partners).filter(|p| p.is_some()).all(|p| p == partners(&inner.marker));
    if is_ring && !has_collective && [rank.ranks, rank.ranks - 1].contains(&usual) {
        return false;
    }
    is_round
}

/// Whether a call of the outer loop comes between two of one iteration of the inner one.
fn in_the_middle(rank: &Rank<'_>, outer: &Level, inner: &Level) -> bool {
    let (Some(&first), Some(&last)) = (inner.letters.first(), inner.letters.last()) else { return false };
    let (first, last) = (rank.letter(first), rank.letter(last));
    // Otherwise one of them is used outside of this loop as well, and says nothing.
    if first.count != last.count || first.first_ns == last.first_ns {
        return false;
    }
    let until_ns = horizon(first).min(horizon(last));
    outer.letters.iter().any(|&l| {
        let starts = &rank.letter(l).track.starts;
        let known = starts.iter().take(LOOKED_AT).filter(|&&s| s < until_ns);
        let (mut inside, mut all) = (0, 0);
        for &at in known {
            // Begun and not ended.
            let [begun, ended] = [first, last].map(|l| l.track.starts.partition_point(|&s| s < at));
            inside += usize::from(begun > ended);
            all += 1;
        }
        all > 1 && inside * 10 >= all * 9
    })
}

/// Beginnings of a loop's iterations up to a moment.
fn starts_until<'a>(rank: &Rank<'a>, level: &Level, until_ns: u64) -> &'a [u64] {
    let starts = &rank.letter(level.marker).track.starts;
    &starts[..starts.partition_point(|&s| s <= until_ns)]
}

/// Whether iterations of the inner loop lack one of its calls where the outer loop makes its own.
fn replaces(rank: &Rank<'_>, outer: &Level, inner: &Level) -> bool {
    let calls = inner.usual.iter().map(|u| rank.letter(u.0));
    calls.filter(|call| !call.track.starts.is_empty()).any(|call| {
        let until_ns = horizon(call).min(horizon(rank.letter(outer.marker)));
        let known = starts_until(rank, inner, until_ns);
        let (own, of_outer) = (in_turns(call, known), in_turns(rank.letter(outer.marker), known));
        let with = || own.iter().zip(&of_outer).filter(|(_, outer)| **outer > 0);
        let without = own.iter().zip(&of_outer).filter(|(own, outer)| **own == 0 && **outer == 0).count();
        let replaced = with().filter(|(own, _)| **own == 0).count();
        replaced > 1 && replaced * 10 >= with().count() * 9 && without * 10 <= replaced
    })
}

/// Whether something else is done in the iterations of `inner` that lack the call of `outer`.
fn is_replaced(rank: &Rank<'_>, outer: &Level, inner: &Level) -> bool {
    let until_ns = horizon(rank.letter(outer.marker));
    let known = starts_until(rank, inner, until_ns);
    // Before the loop begins and after it has ended nothing is missing.
    let of_outer = in_turns(rank.letter(outer.marker), known);
    let first = of_outer.iter().position(|n| *n > 0).unwrap_or(0);
    let last = of_outer.iter().rposition(|n| *n > 0).unwrap_or(0);
    let lacks = |turn: usize| of_outer[turn] == 0;
    let lacking = (first..last).filter(|&turn| lacks(turn)).count();
    let letters = 0..rank.sequence.letters.len() as u16;
    lacking > 1
        && letters.filter(|&l| horizon(rank.letter(l)) >= until_ns).any(|letter| {
            let there = in_turns(rank.letter(letter), known);
            let with = |wanted: bool| (first..last).filter(|&t| there[t] > 0 && lacks(t) == wanted).count();
            with(true) * 10 >= lacking * 9 && with(false) * 10 <= lacking
        })
}

/// Whether an iteration of the inner loop in which the outer one makes its calls takes hardly longer than others. On a busy
/// machine all take longer, of which the calls say nothing.
fn is_slight(rank: &Rank<'_>, outer: &Level, inner: &Level, usual: u64) -> bool {
    let calls = |level: &Level| level.usual.iter().map(|u| u.1).sum::<u64>() + 1;
    if calls(outer).saturating_sub(calls(inner) * usual) * 2 > calls(inner) {
        return false;
    }
    let of_outer = rank.letter(outer.marker);
    let known = starts_until(rank, inner, horizon(of_outer));
    let there = in_turns(of_outer, known);
    let lengths = |wanted: bool| {
        let turns = known.windows(2).zip(&there).filter(|(_, n)| (**n > 0) == wanted);
        median(&mut turns.map(|(turn, _)| turn[1] - turn[0]).collect::<Vec<u64>>())
    };
    let (with_ns, without_ns) = (lengths(true), lengths(false));
    with_ns.saturating_sub(without_ns) * SLIGHT < without_ns
}

/// Whether messages of the inner loop are of several sizes, which come equally often in each iteration of the outer one.
fn has_sizes(rank: &Rank<'_>, outer: &Level, inner: &Level) -> bool {
    inner.letters.iter().any(|&l| {
        let meaning = rank.meaning(l);
        meaning.sizes > 1 && meaning.rarest.saturating_mul(10) >= outer.count * 9
    })
}

/// Loops inside of `main`, the outermost first, that have most of its calls.
pub(crate) fn nested(rank: &Rank<'_>, loops: &[Level], main: &Level) -> Vec<Inner> {
    let turn: u64 = main.usual.iter().map(|u| u.1).sum::<u64>() + 1;
    let mut found: Vec<(Inner, u64)> = Vec::new();
    let mut around = main;
    for inner in loops.iter().filter(|l| l.is_alike && l.count > main.count) {
        if !inner.usual.iter().all(|u| main.usual.iter().any(|m| m.0 == u.0)) {
            continue;
        }
        let mut inside = trips(rank, around, inner).inside;
        let in_main = median(&mut trips(rank, main, inner).inside.clone());
        if inside.len() > 4 {
            inside.remove(0);
        }
        let usual = median(&mut inside.clone());
        let calls = inner.usual.iter().map(|u| u.1).sum::<u64>() + 1;
        if usual < LEAST_NESTED || (calls * in_main) as f64 <= turn as f64 * LEAST_FILLED {
            continue;
        }
        let (least, most) = (inside.iter().min().copied(), inside.iter().max().copied());
        found.push((
            Inner { place: rank.meaning(inner.marker).place, least: least.unwrap_or(0), most: most.unwrap_or(0) },
            inner.count,
        ));
        around = inner;
    }
    found.into_iter().map(|f| f.0).collect()
}

/// Collective operations that hand out data of several ranks.
pub(crate) fn hands_out(function: &str, role: Role) -> bool {
    matches!(role, Role::Collective(Pattern::NxN)) && !function.contains("educe") && !function.contains("arrier")
}
