//! Neighbourhood operations wait only for neighbours.

use mpiscope_store::{CommRow, Member, RankId};

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Wait for the last of the neighbours that send, in a Cartesian or graph topology; or for one to which the rank sends, if it is seen to
/// wait for that ([`awaited_destination`]). False if the neighbours of a rank are not recorded: nothing is reported for it.
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
    let member_of = |place: usize| member_at(comm, meeting.members, place);
    for at in 0..comm.members.len() {
        let Some(member) = member_of(at) else { continue };
        let mut last: Option<&Member> = None;
        are_known &= comm.for_each_source(at, |neighbor| {
            last = member_of(neighbor).into_iter().chain(last).max_by_key(|other| other.end.start_ns);
        });
        let other = awaited_destination(comm, at, (member, last), member_of).or(last);
        if let Some(wait) = other.and_then(|other| meeting.wait(WaitKind::WaitAtNxn, member, other)) {
            found(wait);
        }
    }
    are_known
}

/// The member at a place of a communicator, if it takes part; members are in the order of their ranks.
pub fn member_at<'a>(comm: &CommRow, members: &'a [Member], place: usize) -> Option<&'a Member> {
    let rank: &RankId = comm.members.get(place)?;
    members.get(members.binary_search_by_key(rank, |member| member.rank).ok()?)
}

/// The member of a graph to which this one sends, and for which it waits although the last that sends to it is there: it enters meanwhile,
/// and soon after that the wait is over. Open MPI lets a send wait until its receiver takes the message.
pub fn awaited_destination<'a>(
    comm: &CommRow,
    place: usize,
    (member, last): (&Member, Option<&Member>),
    member_of: impl Fn(usize) -> Option<&'a Member>,
) -> Option<&'a Member> {
    let end_ns = member.end.done_end_ns;
    let begin_ns = last.map_or(0, |last| last.end.start_ns).max(member.end.done_start_ns);
    let destinations = comm.destinations(place).filter_map(member_of);
    let entered = destinations.filter(|other| (begin_ns + 1..=end_ns).contains(&other.end.start_ns));
    let other = entered.max_by_key(|other| other.end.start_ns)?;
    let (waited_ns, rest_ns) = (other.end.start_ns - begin_ns, end_ns - other.end.start_ns);
    (member.end.is_done() && rest_ns.saturating_mul(4) <= waited_ns).then_some(other)
}
