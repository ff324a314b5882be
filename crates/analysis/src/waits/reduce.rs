//! The root waits for the ranks that contribute data.

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};
use mpiscope_store::Member;

/// Early reduce: the root is in `Reduce` or `Gather` before the others.
///
/// ```text
/// root   [=====wait=====|data]              wait = min(last other.start, end) − start
/// first      [data]
/// last                  [data]
/// ```
///
/// Source: Scalasca, *Early Reduce*, which counts until the first of the others enters. The root cannot continue before
/// the last of them has entered (MPI-5.0 §6.9.1), so this is what is counted here.
pub fn early_reduce(meeting: &Meeting<'_>, root: &Member) -> Option<Wait> {
    let others = meeting.members.iter().filter(|m| m.rank != root.rank);
    let last = others.max_by_key(|m| (m.end.start_ns, std::cmp::Reverse(m.rank)))?;
    meeting.wait(WaitKind::EarlyReduce, root, last)
}
