//! A fence waits for the last rank.

use mpiscope_store::Member;

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Wait at fence: in `Win_fence` until the last rank enters, if no rank left before (a fence with `MPI_MODE_NOPRECEDE` need
/// not synchronise).
///
/// ```text
/// rank 0  [=======wait=======|--]           wait = min(last.start, end) − start
/// rank 1                     [--]
/// ```
///
/// Source: Scalasca, *Wait at Fence*; MPI-5.0 §12.5.1.
pub fn wait_at_fence(meeting: &Meeting<'_>, member: &Member) -> Option<Wait> {
    meeting.wait(WaitKind::WaitAtFence, member, meeting.last)
}
