//! A receive waits for a send that has not begun.

use mpiscope_store::Message;

use super::by_sender;
use crate::wait::{Wait, WaitKind};

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
    let (send, receive) = (&message.send, &message.receive);
    if !receive.is_done() || send.start_ns <= receive.done_start_ns {
        return None;
    }
    Some(Wait {
        kind: WaitKind::LateSender,
        rank: message.receiver,
        row: receive.done_row,
        facts: receive.done_facts,
        start_ns: receive.done_start_ns,
        end_ns: send.start_ns.min(receive.done_end_ns),
        cause: Some(by_sender(message, send.start_ns)),
    })
}
