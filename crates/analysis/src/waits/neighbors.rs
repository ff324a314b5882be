//! Neighbourhood operations wait only for neighbours.

use mpiscope_store::{CommRow, Member, RankId};

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Wait for the last neighbour in a Cartesian communicator. The neighbours in other topologies are not recorded:
/// nothing is reported for them.
///
/// ```text
/// rank r      [====wait====|--]             wait = min(max start of neighbours, end) − start
/// r + 1                    [--]
/// r + 7                          [--]       not a neighbour
/// ```
///
/// Source: as *Wait at N×N*, for the ranks that MPI-5.0 §8.7 names.
pub fn wait_at_neighbors(meeting: &Meeting<'_>, comm: &CommRow, mut found: impl FnMut(Wait)) {
    let member_of = |rank: RankId| {
        let at = meeting.members.binary_search_by_key(&rank, |m| m.rank).ok()?;
        meeting.members.get(at)
    };
    for (at, &rank) in comm.members.iter().enumerate() {
        let Some(member) = member_of(rank) else { continue };
        let mut last: Option<&Member> = None;
        for_each_neighbor(&comm.dims, at, |neighbor| {
            let other = comm.members.get(neighbor).copied().and_then(member_of);
            if let Some(other) = other.filter(|o| last.is_none_or(|l| l.end.start_ns < o.end.start_ns)) {
                last = Some(other);
            }
        });
        if let Some(wait) = last.and_then(|l| meeting.wait(WaitKind::WaitAtNxn, member, l)) {
            found(wait);
        }
    }
}

/// Neighbours of a rank in a grid in row-major order (MPI-5.0 §8.2): extents, and whether each is periodic.
pub fn for_each_neighbor(dims: &[(u32, bool)], rank: usize, mut each: impl FnMut(usize)) {
    let mut stride = 1usize;
    for &(extent, is_periodic) in dims.iter().rev() {
        let extent = extent.max(1) as usize;
        let at = rank / stride % extent;
        let below = if at > 0 { Some(at - 1) } else { is_periodic.then_some(extent - 1) };
        let above = if at + 1 < extent { Some(at + 1) } else { is_periodic.then_some(0) };
        for to in below.into_iter().chain(above).filter(|&to| to != at) {
            each(rank - at * stride + to * stride);
        }
        stride = stride.saturating_mul(extent);
    }
}

#[cfg(test)]
mod tests {
    use super::for_each_neighbor;

    fn neighbors(dims: &[(u32, bool)], rank: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for_each_neighbor(dims, rank, |n| found.push(n));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn grids() {
        assert_eq!(neighbors(&[(3, false), (2, false)], 0), [1, 2]);
        assert_eq!(neighbors(&[(3, true), (2, false)], 0), [1, 2, 4]);
        assert_eq!(neighbors(&[(3, false), (2, false)], 3), [1, 2, 5]);
        assert_eq!(neighbors(&[(2, false)], 1), [0]);
        assert_eq!(neighbors(&[(4, true)], 3), [0, 2]);
        assert_eq!(neighbors(&[(1, true)], 0), [] as [usize; 0]);
    }
}
