//! The critical path by rank and place: rank, activity and time.

use std::cmp::Reverse;

use mpiscope_store::{CallColumns, CallInfo, flags};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::opened_run::joined;
use super::path::{OnPath, path};
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// With more visible calls on the path, they are not examined individually: 40 bytes each.
const MANY: usize = 4 << 20;

/// The activity of a rank on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// It is in a call.
    Call,
    /// It computes; place and function are those of the call that ends the computation.
    Computing,
    /// It waits for the data of the late call: from the start of that call until the data arrive.
    Transfer,
}

/// The path in the window.
#[derive(Clone, Debug, Serialize)]
pub struct PathGroups {
    /// Longest first.
    pub rows: Vec<PathGroup>,
    /// Number of all groups.
    pub total: usize,
    /// Whether `rows` has fewer than `total`.
    pub is_cut: bool,
    /// Whether the path of the run is known.
    pub is_known: bool,
    /// Whether too many calls lie on it in the window to examine them.
    pub is_too_long: bool,
    /// Its length in the window, of all ranks and places.
    pub path_ns: u64,
}

/// A rank at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathGroup {
    /// Its index in the run.
    pub rank: u32,
    /// What the rank does meanwhile.
    pub doing: Doing,
    /// Id of the function; outside MPI that of the call that ends the interval.
    pub function: Option<u32>,
    /// Id of the call site, as `function`.
    pub site: Option<u32>,
    /// Length of its intervals in the window.
    pub total_ns: u64,
    /// Of the path in the window.
    pub share: f64,
    /// Its number of intervals.
    pub count: u64,
    /// The longest of its intervals.
    pub longest: PathStretch,
}

/// An interval of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PathStretch {
    /// In ns since the origin of the run.
    pub from_ns: u64,
    /// See `from_ns`.
    pub until_ns: u64,
    /// The call that it lies in, or that ends it.
    pub row: Option<u64>,
}

impl PathStretch {
    fn ns(&self) -> u64 {
        self.until_ns.saturating_sub(self.from_ns)
    }
}

/// A call that touches the path.
#[derive(Clone, Copy)]
struct Piece {
    rank: u32,
    facts: u32,
    start_ns: u64,
    end_ns: u64,
    row: u64,
    /// Whether the filter selects it.
    is_wanted: bool,
}

type Key = (u32, Doing, u32, u32);

#[derive(Default)]
struct PathShare {
    total_ns: u64,
    count: u64,
    longest: PathStretch,
}

/// The path by rank and place, in the window of `filter` and among its ranks. A filter by calls leaves computing out.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn path_groups(scene: &OpenedRun, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<PathGroups, ViewError> {
    let window = filter.window_ns();
    let clipped =
        |on: OnPath| OnPath { from_ns: on.from_ns.max(window.start), until_ns: on.until_ns.min(window.end), ..on };
    let stretches: Vec<OnPath> = path(scene, filter, cancel)?.into_iter().map(clipped).collect();
    let is_known = scene.path.get().is_some_and(|path| !path.is_empty());
    let path_ns = match (stretches.first(), stretches.last()) {
        (Some(first), Some(last)) => last.until_ns.saturating_sub(first.from_ns),
        _ => 0,
    };
    let by_rank = by_rank(&stretches, filter);
    let pieces = pieces(scene, filter, &by_rank, cancel)?;
    let is_too_long = pieces.len() > MANY;
    let mut sums: FxHashMap<Key, PathShare> = FxHashMap::default();
    if !is_too_long {
        let has_all = filter.functions.is_none() && !filter.is_narrow();
        let mut add = |rank: u32, doing: Doing, piece: Option<&Piece>, from_ns: u64, until_ns: u64| {
            let is_wanted = has_all || (doing == Doing::Call && piece.is_some_and(|piece| piece.is_wanted));
            if from_ns >= until_ns || !is_wanted {
                return;
            }
            let facts = piece.and_then(|piece| scene.call_info().get(rank as usize)?.get(piece.facts as usize));
            let key = (rank, doing, facts.map_or(u32::MAX, |f| f.function), facts.map_or(u32::MAX, |f| f.site.0));
            let sum = sums.entry(key).or_default();
            let stretch = PathStretch { from_ns, until_ns, row: piece.map(|piece| piece.row) };
            sum.total_ns = sum.total_ns.saturating_add(stretch.ns());
            sum.count += 1;
            if stretch.ns() > sum.longest.ns() {
                sum.longest = stretch;
            }
        };
        for (rank, of_rank) in &by_rank {
            let from = pieces.partition_point(|piece| piece.rank < *rank);
            let until = pieces.partition_point(|piece| piece.rank <= *rank);
            divide(of_rank, &pieces[from..until], |doing, piece, from_ns, until_ns| {
                add(*rank, doing, piece, from_ns, until_ns);
            });
        }
    }
    let total = sums.len();
    let mut found: Vec<(Key, PathShare)> = sums.into_iter().collect();
    found.sort_unstable_by_key(|(key, sum)| (Reverse(sum.total_ns), *key));
    found.truncate(limit);
    let some = |id: u32| (id != u32::MAX).then_some(id);
    let row = |((rank, doing, function, site), sum): (Key, PathShare)| PathGroup {
        rank,
        doing,
        function: some(function),
        site: some(site),
        total_ns: sum.total_ns,
        share: sum.total_ns as f64 / path_ns.max(1) as f64,
        count: sum.count,
        longest: sum.longest,
    };
    let rows: Vec<PathGroup> = found.into_iter().map(row).collect();
    Ok(PathGroups { is_cut: rows.len() < total, rows, total, is_known, is_too_long, path_ns })
}

/// The part of the path on a rank: the interval with data in flight to it, and the interval on the rank itself.
#[derive(Clone, Copy, Debug)]
struct Part {
    is_transfer: bool,
    from_ns: u64,
    until_ns: u64,
}

/// Parts of each selected rank, ranks and moments ascending.
fn by_rank(stretches: &[OnPath], filter: &Filter) -> Vec<(u32, Vec<Part>)> {
    let mut found: std::collections::BTreeMap<u32, Vec<Part>> = std::collections::BTreeMap::new();
    for (at, on) in stretches.iter().enumerate().filter(|(_, on)| filter.wants_rank(on.rank)) {
        let parts = found.entry(on.rank).or_default();
        let before = at.checked_sub(1).map(|before| stretches[before].until_ns).filter(|until| *until < on.from_ns);
        if let Some(from_ns) = before {
            parts.push(Part { is_transfer: true, from_ns, until_ns: on.from_ns });
        }
        parts.push(Part { is_transfer: false, from_ns: on.from_ns, until_ns: on.until_ns });
    }
    found.into_iter().collect()
}

/// Calls that touch the path, by rank and start; more than [`MANY`] if there are too many.
fn pieces(
    scene: &OpenedRun,
    filter: &Filter,
    by_rank: &[(u32, Vec<Part>)],
    cancel: &Cancel,
) -> Result<Vec<Piece>, ViewError> {
    let on_path = Filter {
        from_ns: filter.from_ns,
        until_ns: filter.until_ns,
        ranks: Some(by_rank.iter().map(|(rank, _)| *rank).collect()),
        ..Filter::default()
    };
    let selection = scene.selection(filter);
    let take = |all: &mut Vec<Piece>, _: &CallInfo, calls: &CallColumns, at: usize| {
        let (rank, start_ns, end_ns) = (calls.rank[at], calls.start_ns[at], calls.end_ns[at]);
        let Ok(of_rank) = by_rank.binary_search_by_key(&rank, |(rank, _)| *rank) else { return };
        let parts = &by_rank[of_rank].1;
        let next = parts.get(parts.partition_point(|part| part.until_ns < start_ns));
        // The time of a nested call is counted in the outer one.
        let is_on = next.is_some_and(|part| part.from_ns <= end_ns) && calls.flags[at] & flags::NESTED == 0;
        if is_on && all.len() <= MANY {
            let is_wanted = selection.wants(calls, at);
            all.push(Piece { rank, facts: calls.call_info[at], start_ns, end_ns, row: calls.row[at], is_wanted });
        }
    };
    let (mut found, _) = scene.fold(&on_path, Care::Exact, cancel, Vec::new, take, joined)?;
    found.sort_unstable_by_key(|piece| (piece.rank, piece.start_ns, piece.row));
    Ok(found)
}

/// Divides parts of a rank's time at its calls, both in order of time. Where calls of several threads overlap, a moment belongs to
/// the call that started first.
fn divide<'a>(parts: &[Part], pieces: &'a [Piece], mut add: impl FnMut(Doing, Option<&'a Piece>, u64, u64)) {
    let mut first = 0;
    for part in parts {
        // A call that has ended before this part has ended before the next ones as well, unless a longer call surrounds it.
        while pieces.get(first).is_some_and(|piece| piece.end_ns < part.from_ns) {
            first += 1;
        }
        let touching = pieces[first..].iter().take_while(|piece| piece.start_ns <= part.until_ns);
        let mut at = part.from_ns;
        for piece in touching.filter(|piece| piece.end_ns >= part.from_ns) {
            let in_call = if part.is_transfer { Doing::Transfer } else { Doing::Call };
            let start_ns = piece.start_ns.max(at);
            let end_ns = piece.end_ns.min(part.until_ns);
            add(Doing::Computing, Some(piece), at, start_ns);
            add(in_call, Some(piece), start_ns, end_ns);
            at = at.max(end_ns).max(start_ns.min(part.until_ns));
        }
        add(Doing::Computing, None, at, part.until_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(start_ns: u64, end_ns: u64) -> Piece {
        Piece { rank: 0, facts: 0, start_ns, end_ns, row: start_ns, is_wanted: true }
    }

    fn divided(parts: &[Part], pieces: &[Piece]) -> Vec<(Doing, Option<u64>, u64, u64)> {
        let mut found = Vec::new();
        divide(parts, pieces, |doing, piece, from_ns, until_ns| {
            if from_ns < until_ns {
                found.push((doing, piece.map(|p| p.row), from_ns, until_ns));
            }
        });
        found
    }

    #[test]
    fn each_moment_of_the_path_is_of_one_call_or_of_computing() {
        use Doing::{Call, Computing, Transfer};
        let on = |from_ns, until_ns| Part { is_transfer: false, from_ns, until_ns };
        // A call that reaches into it, one inside, one at its end that only names the end of the computation.
        assert_eq!(
            divided(&[on(10, 50)], &[piece(5, 15), piece(20, 30), piece(50, 60)]),
            [
                (Call, Some(5), 10, 15),
                (Computing, Some(20), 15, 20),
                (Call, Some(20), 20, 30),
                (Computing, Some(50), 30, 50)
            ]
        );
        // Two threads at the same time; nothing after the last call.
        assert_eq!(
            divided(&[on(0, 40)], &[piece(0, 20), piece(10, 30)]),
            [(Call, Some(0), 0, 20), (Call, Some(10), 20, 30), (Computing, None, 30, 40)]
        );
        // Data were in flight while it waited in a call, which it then continued.
        let data = Part { is_transfer: true, from_ns: 10, until_ns: 20 };
        assert_eq!(
            divided(&[data, on(20, 30)], &[piece(5, 25)]),
            [(Transfer, Some(5), 10, 20), (Call, Some(5), 20, 25), (Computing, None, 25, 30)]
        );
    }
}
