//! Neighbourhood operations wait only for neighbours.

use mpiscope_store::{CommRow, Member, RankId};

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Wait for the last of the neighbours that send, in a Cartesian or graph topology. False if those of a rank are not recorded: nothing is
/// reported for it.
///
/// ```text
/// rank r      [====wait====|--]             wait = min(max start of neighbours, end) − start
/// r + 1                    [--]
/// r + 7                          [--]       not a neighbour
/// ```
///
/// Source: as *Wait at N×N*, for the ranks that MPI-5.0 §8.7 names.
pub fn wait_at_neighbors(meeting: &Meeting<'_>, comm: &CommRow, mut found: impl FnMut(Wait)) -> bool {
    let mut are_known = true;
    let member_of = |rank: RankId| {
        let at = meeting.members.binary_search_by_key(&rank, |m| m.rank).ok()?;
        meeting.members.get(at)
    };
    for (at, &rank) in comm.members.iter().enumerate() {
        let Some(member) = member_of(rank) else { continue };
        let mut last: Option<&Member> = None;
        are_known &= comm.for_each_source(at, |neighbor| {
            let other = comm.members.get(neighbor).copied().and_then(member_of);
            if let Some(other) = other.filter(|o| last.is_none_or(|l| l.end.start_ns < o.end.start_ns)) {
                last = Some(other);
            }
        });
        if let Some(wait) = last.and_then(|l| meeting.wait(WaitKind::WaitAtNxn, member, l)) {
            found(wait);
        }
    }
    are_known
}
