//! An operation of all with all waits for the last rank.

use mpiscope_store::Member;

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Wait at N×N: until the last has come, in operations in which everybody needs something from everybody (`Allreduce`,
/// `Allgather`, `Alltoall`, `Reduce_scatter`), and in those that make or free objects, if nobody left before.
///
/// ```text
/// rank 0  [=======wait=======|data]         wait = min(last.start, end) − start
/// rank 1                     [data]         the last
/// ```
///
/// Source: Scalasca, *Wait at N×N*.
pub fn wait_at_nxn(meeting: &Meeting<'_>, member: &Member) -> Option<Wait> {
    meeting.wait(WaitKind::WaitAtNxn, member, meeting.last)
}

/// N×N completion: from the first return to that of the rank.
///
/// Source: Scalasca, *N×N Completion*.
pub fn nxn_completion(meeting: &Meeting<'_>, member: &Member) -> Option<Wait> {
    meeting.completion(WaitKind::NxnCompletion, member)
}
