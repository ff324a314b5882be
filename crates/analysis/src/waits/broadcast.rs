//! Ranks wait for the root that has the data.

use mpiscope_store::Member;

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Late broadcast: the others are in `Bcast` or `Scatter` before the root.
///
/// ```text
/// other  [=====wait=====|data]              wait = min(root.start, end) − start
/// root                  [data]
/// ```
///
/// Source: Scalasca, *Late Broadcast*.
pub fn late_broadcast(meeting: &Meeting<'_>, root: &Member, member: &Member) -> Option<Wait> {
    meeting.wait(WaitKind::LateBroadcast, member, root)
}
