//! A rank waits for lower ranks in a scan.

use mpiscope_store::{CommRow, Member};

use super::collective::Meeting;
use crate::explanation::{Wait, WaitKind};

/// Early scan: the member with rank r waits for the last of those with a lower rank in the communicator.
///
/// ```text
/// rank 0              [--]
/// rank 1         [====|--]                  wait = min(max start of ranks < r, end) − start
/// rank 2                   [--]             none: the others entered before
/// ```
///
/// Source: Scalasca, *Early Scan*; MPI-5.0 §6.11.
pub fn early_scan(meeting: &Meeting<'_>, comm: &CommRow, mut found: impl FnMut(Wait)) {
    let mut last: Option<&Member> = None;
    for rank in &comm.members {
        let Ok(at) = meeting.members.binary_search_by_key(rank, |m| m.rank) else { continue };
        let member = &meeting.members[at];
        if let Some(wait) = last.and_then(|l| meeting.wait(WaitKind::EarlyScan, member, l)) {
            found(wait);
        }
        if last.is_none_or(|l| l.end.start_ns < member.end.start_ns) {
            last = Some(member);
        }
    }
}
