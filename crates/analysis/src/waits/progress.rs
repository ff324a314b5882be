//! A message, or a collective operation, waits until another rank enters MPI again.

use mpiscope_store::{Member, Message};

use super::{Meeting, by_receiver_done, by_sender_done};
use crate::explanation::{Cause, Wait, WaitKind};

/// Shorter waits cannot be distinguished from the transfer itself.
pub const LEAST_NS: u64 = 20_000;

/// Wait for progress, on the receiver's side: the send has started, but its data arrive only when the sender completes it.
///
/// ```text
/// receiver       [recv==wait======|data]   wait = min(send.done_start, receive.done_end)
/// sender    [Isend]   computes    [Wait ]         − max(receive.done_start, outside since)
/// ```
///
/// `outside_since_ns` is when the sender returned from its previous call: in any call it would have made
/// progress. It counts only if the receive has not returned before the sender completes. Source: Hoefler & Lumsdaine, "Message progression in
/// parallel computing: to thread or not to thread?", Cluster 2008; MPI-5.0 §3.7.4 (progress).
pub fn receiver_waits_for_progress(message: &Message, outside_since_ns: u64) -> Option<Wait> {
    let (send, receive) = (&message.send, &message.receive);
    if !send.is_done() || !receive.is_done() || send.done_row == send.row {
        return None;
    }
    let start_ns = receive.done_start_ns.max(send.end_ns).max(outside_since_ns);
    let until_ns = send.done_start_ns;
    if receive.done_end_ns < until_ns || until_ns < start_ns + LEAST_NS {
        return None;
    }
    Some(Wait {
        kind: WaitKind::WaitForProgress,
        rank: message.receiver,
        row: receive.done_row,
        facts: receive.done_facts,
        start_ns,
        end_ns: until_ns,
        cause: Some(by_sender_done(message)),
    })
}

/// The same on the sender's side: the receive is posted, but the receiver computes before it completes it.
///
/// ```text
/// sender          [send==wait======|data]  wait = receive.done_start − max(send.done_start, outside since)
/// receiver  [Irecv]   computes     [Wait ]
/// ```
pub fn sender_waits_for_progress(message: &Message, outside_since_ns: u64) -> Option<Wait> {
    let (send, receive) = (&message.send, &message.receive);
    if !send.is_done() || !receive.is_done() || receive.done_row == receive.row {
        return None;
    }
    let start_ns = send.done_start_ns.max(receive.end_ns).max(outside_since_ns);
    let until_ns = receive.done_start_ns;
    if send.done_end_ns < until_ns || until_ns < start_ns + LEAST_NS {
        return None;
    }
    Some(Wait {
        kind: WaitKind::WaitForProgress,
        rank: message.sender,
        row: send.done_row,
        facts: send.done_facts,
        start_ns,
        end_ns: until_ns,
        cause: Some(by_receiver_done(message)),
    })
}

/// The same in a collective operation that does not block: all have begun it, but it makes progress only in calls of all of them.
///
/// ```text
/// member  [Iallreduce] computes [Wait==wait======|-]  wait = other.done_start − max(done_start, last start, outside since)
/// other   [Iallreduce]        computes           [Wait ]
/// ```
///
/// It counts only if the operation is complete within a quarter of that time after the other member has come: an MPI that makes progress by
/// itself does not wait for it.
pub fn member_waits_for_progress(
    meeting: &Meeting<'_>,
    member: &Member,
    other: &Member,
    outside_since_ns: u64,
) -> Option<Wait> {
    let (end, theirs) = (&member.end, &other.end);
    if !end.is_done() || end.done_row == end.row || theirs.done_row == theirs.row {
        return None;
    }
    let start_ns = end.done_start_ns.max(meeting.last.end.end_ns).max(outside_since_ns);
    let until_ns = theirs.done_start_ns;
    let ns = until_ns.saturating_sub(start_ns);
    let is_soon = end.done_end_ns >= until_ns && end.done_end_ns - until_ns <= ns / 4;
    (ns >= LEAST_NS && is_soon).then_some(Wait {
        kind: WaitKind::WaitForProgress,
        rank: member.rank,
        row: end.done_row,
        facts: end.done_facts,
        start_ns,
        end_ns: until_ns,
        cause: Some(Cause { rank: other.rank, at_ns: until_ns, row: theirs.done_row, facts: theirs.done_facts }),
    })
}
