//! A barrier waits for the last rank.

use mpiscope_store::Member;

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Wait at barrier: until the last rank enters.
///
/// ```text
/// rank 0  [=======wait=======|--]           wait = min(last.start, end) − start
/// rank 1      [====wait======|----]
/// rank 2                     [--]           the last
/// ```
///
/// Source: Scalasca, *Wait at Barrier*.
pub fn wait_at_barrier(meeting: &Meeting<'_>, member: &Member) -> Option<Wait> {
    meeting.wait(WaitKind::WaitAtBarrier, member, meeting.last)
}

/// Barrier completion: from the first return to the rank's own return.
///
/// ```text
/// rank 0  [==================|--]
/// rank 1      [==============|--=own=]      completion = end − max(first end, last.start)
/// ```
///
/// Source: Scalasca, *Barrier Completion*.
pub fn barrier_completion(meeting: &Meeting<'_>, member: &Member) -> Option<Wait> {
    meeting.completion(WaitKind::BarrierCompletion, member)
}
