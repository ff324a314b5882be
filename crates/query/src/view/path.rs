//! The critical path, rank by rank: backwards from the rank that ends last; after each wait it continues on the rank that caused
//! the wait (Böhme, Wolf, de Supinski, Schulz & Geimer, IPDPS 2012).

use mpiscope_store::{WaitRow, Wanted};

use super::opened_run::{asking, joined};
use super::{Cancel, Filter, OpenedRun, ViewError};

/// With more waits that another rank caused, the path is not computed: 24 bytes each.
const MANY: usize = 8 << 20;

/// An interval of a rank's time on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnPath {
    /// Its index in the run.
    pub rank: u32,
    /// In ns since the origin of the run.
    pub from_ns: u64,
    /// See `from_ns`.
    pub until_ns: u64,
}

/// The end of a wait, and the late call that it waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    rank: u32,
    end_ns: u64,
    cause_rank: u32,
    cause_ns: u64,
}

/// Intervals of the path in the window of `filter`, in order of time; none if it is unknown.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn path(scene: &OpenedRun, filter: &Filter, cancel: &Cancel) -> Result<Vec<OnPath>, ViewError> {
    let window = filter.window_ns();
    let is_inside = |on: &&OnPath| on.until_ns >= window.start && on.from_ns < window.end;
    if let Some(known) = scene.path.get() {
        return Ok(known.iter().filter(is_inside).copied().collect());
    }
    let take = |all: &mut Vec<Arrival>, wait: &WaitRow| {
        if let Some(cause) = wait.cause.filter(|c| c.rank != wait.rank && c.start_ns <= wait.end_ns)
            && all.len() <= MANY
        {
            all.push(Arrival {
                rank: wait.rank.0,
                end_ns: wait.end_ns,
                cause_rank: cause.rank.0,
                cause_ns: cause.start_ns,
            });
        }
    };
    let mut arrivals = scene.rows.fold_waits(&Wanted::default(), &asking(cancel), Vec::new, take, joined)?;
    arrivals.sort_unstable();
    let ends = scene.dimensions().ranks.iter().map(|r| r.rows_until_ns);
    let last = ends.enumerate().max_by_key(|&(rank, end_ns)| (end_ns, std::cmp::Reverse(rank)));
    let begin_ns = scene.dimensions().ranks.iter().map(|r| r.rows_from_ns).min().unwrap_or(0);
    let found = match last {
        Some((rank, end_ns)) if arrivals.len() <= MANY => walk(&arrivals, rank as u32, end_ns, begin_ns),
        _ => Vec::new(),
    };
    Ok(scene.path.get_or_init(|| found).iter().filter(is_inside).copied().collect())
}

/// Backwards from `end_ns` on `rank`; `arrivals` by rank and end.
fn walk(arrivals: &[Arrival], mut rank: u32, mut end_ns: u64, begin_ns: u64) -> Vec<OnPath> {
    let mut path = Vec::new();
    while end_ns > begin_ns {
        let next = arrivals.partition_point(|a| (a.rank, a.end_ns) <= (rank, end_ns));
        let before = next.checked_sub(1).map(|at| arrivals[at]).filter(|a| a.rank == rank && a.end_ns > begin_ns);
        let from_ns = before.map_or(begin_ns, |a| a.end_ns);
        if from_ns < end_ns {
            path.push(OnPath { rank, from_ns, until_ns: end_ns });
        }
        // A wait whose cause is later than itself would lead in circles.
        let Some(arrival) = before.filter(|a| a.cause_ns < end_ns) else { break };
        // The data were in flight from the late call to the end of the wait.
        (rank, end_ns) = (arrival.cause_rank, arrival.cause_ns);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_the_last_rank_to_whom_it_waited_for() {
        let arrival = |rank, end_ns, cause_rank, cause_ns| Arrival { rank, end_ns, cause_rank, cause_ns };
        // Rank 0 waits until 50 for rank 1, which has waited until 20 for rank 2; an earlier wait of rank 0 is not on the path.
        let mut arrivals = vec![arrival(0, 50, 1, 48), arrival(1, 20, 2, 18), arrival(0, 10, 2, 8)];
        arrivals.sort_unstable();
        let on = |rank, from_ns, until_ns| OnPath { rank, from_ns, until_ns };
        assert_eq!(walk(&arrivals, 0, 90, 5), [on(2, 5, 18), on(1, 20, 48), on(0, 50, 90)]);
        assert_eq!(walk(&[], 3, 90, 5), [on(3, 5, 90)]);
        // A cause in the future ends it.
        assert_eq!(walk(&[arrival(0, 50, 1, 95)], 0, 90, 5), [on(0, 50, 90)]);
    }
}
