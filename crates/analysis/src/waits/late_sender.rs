//! A receive waits for a send that has not started.

use mpiscope_store::{End, Message};

use super::by_sender;
use crate::explanation::{Wait, WaitKind};

/// Late sender: the receiver is in a blocking receive, or in the call that completes a receive, before the send
/// begins.
///
/// ```text
/// receiver   [=====wait=====|---]          wait = min(send.start, done.end) − done.start
/// sender                    [send]
/// ```
///
/// Source: Scalasca, *Late Sender*; Wolf & Mohr, "Automatic performance analysis of hybrid MPI/OpenMP applications",
/// J. Systems Architecture 49 (2003).
pub fn late_sender(message: &Message) -> Option<Wait> {
    let End { done_row, done_facts, done_start_ns, done_end_ns, .. } = message.receive;
    message.receive.is_done().then(|| in_call(message, done_row, done_facts, done_start_ns, done_end_ns)).flatten()
}

/// The same for any call of the receiver that returns when the message has arrived.
pub(super) fn in_call(message: &Message, row: u64, facts: u32, start_ns: u64, end_ns: u64) -> Option<Wait> {
    let at_ns = message.send.start_ns;
    (at_ns > start_ns).then(|| Wait {
        kind: WaitKind::LateSender,
        rank: message.receiver,
        row,
        facts,
        start_ns,
        end_ns: at_ns.min(end_ns),
        cause: Some(by_sender(message, at_ns)),
    })
}
