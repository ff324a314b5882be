//! A send waits for the receive.

use mpiscope_store::Message;

use super::by_receiver;
use crate::explanation::{Wait, WaitKind};

/// Late receiver: the sender is in a blocking send, or in the call that completes a send, before the receive is
/// posted, and does not leave it before that.
///
/// ```text
/// sender    [=====wait=====|---]           wait = min(receive.start, done.end) − done.start
/// receiver                 [receive]       only if done.end ≥ receive.start
/// ```
///
/// A send that returned before its receive was posted did not wait: the MPI buffered the message (eager). Whether a send
/// that returned later waited, or was only slow, follows from its size ([`super::eager::Eager`]).
///
/// Source: Scalasca, *Late Receiver*; MPI-5.0 §3.4 (what completes when).
pub fn late_receiver(message: &Message) -> Option<Wait> {
    let (send, receive) = (&message.send, &message.receive);
    let blocked = send.is_done() && send.done_start_ns < receive.start_ns && send.done_end_ns >= receive.start_ns;
    blocked.then(|| Wait {
        kind: WaitKind::LateReceiver,
        rank: message.sender,
        row: send.done_row,
        facts: send.done_facts,
        start_ns: send.done_start_ns,
        end_ns: receive.start_ns.min(send.done_end_ns),
        cause: Some(by_receiver(message, receive.start_ns)),
    })
}
