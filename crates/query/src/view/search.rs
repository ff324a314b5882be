//! Search for calls by a text: part of the name of their function, site, region or communicator.

use std::collections::BinaryHeap;

use mpiscope_store::{CallColumns, CallInfo};
use serde::Serialize;

use super::step::CallAt;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// Calls in search order: by start, then by rank and row.
type Turn = (u64, u32, u64);

impl CallAt {
    fn turn(&self) -> Turn {
        (self.start_ns, self.rank, self.row)
    }
}

/// A call of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The call.
    #[serde(flatten)]
    pub place: CallAt,
    /// Id of its function.
    pub function: u16,
    /// Id of its call site.
    pub site: u32,
}

/// In search order; no two calls are equal.
impl Ord for Match {
    fn cmp(&self, other: &Match) -> std::cmp::Ordering {
        self.place.turn().cmp(&other.place.turn())
    }
}

impl PartialOrd for Match {
    fn partial_cmp(&self, other: &Match) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The number of all matching calls, and some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Matches {
    /// All matching calls.
    pub total: u64,
    /// Number of those that start before those in `rows`.
    pub before: u64,
    /// At most as many as requested.
    pub rows: Vec<Match>,
}

/// The facts that match a text, of each rank.
struct Named(Vec<Vec<bool>>);

impl Named {
    fn new(scene: &OpenedRun, text: &str) -> Named {
        let text = text.to_lowercase();
        let dimensions = scene.dimensions();
        let has = |name: &str| name.to_lowercase().contains(&text);
        let is_it = |f: &CallInfo| {
            has(mpiscope_abi::name(f.function))
                || has(dimensions.site(f.site))
                || has(dimensions.comm(f.comm))
                || has(&dimensions.region(f.region))
        };
        Named(scene.call_info().iter().map(|of_rank| of_rank.iter().map(is_it).collect()).collect())
    }

    fn has(&self, calls: &CallColumns, at: usize) -> bool {
        let of_rank = self.0.get(calls.rank[at] as usize);
        of_rank.and_then(|f| f.get(calls.call_info[at] as usize)).copied().unwrap_or(false)
    }
}

/// The first matching call (or the last, backward) that starts in the window of `filter`; `from`: after this call
/// (before it, backward).
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn find(
    scene: &OpenedRun,
    filter: &Filter,
    text: &str,
    from: Option<CallAt>,
    is_forward: bool,
    cancel: &Cancel,
) -> Result<Option<CallAt>, ViewError> {
    let named = Named::new(scene, text);
    let window = filter.window_ns();
    let is_ahead = |place: &CallAt| {
        from.is_none_or(|from| if is_forward { place.turn() > from.turn() } else { place.turn() < from.turn() })
    };
    let take = |found: &mut Option<CallAt>, _: &CallInfo, calls: &CallColumns, at: usize| {
        let place = CallAt::from_columns(calls, at);
        if named.has(calls, at) && window.contains(&place.start_ns) && is_ahead(&place) {
            *found = nearer(*found, Some(place), is_forward);
        }
    };
    let join = |a, b| nearer(a, b, is_forward);
    Ok(scene.fold(filter, Care::Exact, cancel, || None, take, join)?.0)
}

fn nearer(a: Option<CallAt>, b: Option<CallAt>, is_forward: bool) -> Option<CallAt> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if (a.turn() <= b.turn()) == is_forward { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// The number of matching calls that start in the window of `filter`, and the first `limit` of them that start at `from_ns` or
/// later.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn matches(
    scene: &OpenedRun,
    filter: &Filter,
    text: &str,
    from_ns: u64,
    limit: usize,
    cancel: &Cancel,
) -> Result<Matches, ViewError> {
    struct Seen {
        total: u64,
        before: u64,
        /// The first ones; the top of the heap is the last of them.
        first: BinaryHeap<Match>,
    }
    let named = Named::new(scene, text);
    let window = filter.window_ns();
    let put = |first: &mut BinaryHeap<Match>, one: Match| {
        if first.len() < limit {
            first.push(one);
        } else if let Some(mut last) = first.peek_mut()
            && one < *last
        {
            *last = one;
        }
    };
    let begin = || Seen { total: 0, before: 0, first: BinaryHeap::new() };
    let take = |all: &mut Seen, facts: &CallInfo, calls: &CallColumns, at: usize| {
        let place = CallAt::from_columns(calls, at);
        if !named.has(calls, at) || !window.contains(&place.start_ns) {
            return;
        }
        all.total += 1;
        if place.start_ns < from_ns {
            all.before += 1;
        } else {
            put(&mut all.first, Match { place, function: facts.function as u16, site: facts.site.0 });
        }
    };
    let join = |mut a: Seen, b: Seen| {
        a.total += b.total;
        a.before += b.before;
        b.first.into_iter().for_each(|one| put(&mut a.first, one));
        a
    };
    let (found, _) = scene.fold(filter, Care::Exact, cancel, begin, take, join)?;
    Ok(Matches { total: found.total, before: found.before, rows: found.first.into_sorted_vec() })
}
