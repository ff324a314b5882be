//! A receive waits for a late sender while a message that is wanted later is there already.

use mpiscope_store::Message;

use crate::wait::{Wait, WaitKind};

/// How many waits before a receive are looked at.
const LOOK_BACK: usize = 16;

/// Wrong order: while the receiver waits for A, message B is on its way or there already, but its receive comes after
/// that of A. Had the receiver taken B first, it would have had something to do.
///
/// ```text
/// receiver     [=====recv A=====|--] [recv B]
/// sender of B  [send B]
/// sender of A                   [send A]       B.send.start < A.send.start, B is received after A
/// ```
///
/// The wait keeps its length and changes its kind; the same or another source than that of A.
/// Source: Scalasca, *Late Sender, Wrong Order*.
pub fn wrong_order(wait: &Wait, later: &Message) -> Option<WaitKind> {
    let cause = wait.cause?;
    let is_waiting = wait.kind == WaitKind::LateSender && wait.rank == later.receiver;
    if !is_waiting || later.receive.row <= wait.row || later.send.start_ns >= cause.at_ns {
        return None;
    }
    Some(match later.sender == cause.rank {
        true => WaitKind::WrongOrderSameSource,
        false => WaitKind::WrongOrderDifferentSource,
    })
}

/// Finds the waits among `waits` (of one rank, by row) that `later` shows to be in the wrong order.
pub(super) fn mark(waits: &mut [Wait], later: &Message) {
    let before = waits.partition_point(|w| w.row < later.receive.row);
    for wait in waits[..before].iter_mut().rev().take(LOOK_BACK) {
        if wait.end_ns <= later.send.start_ns {
            break;
        }
        if let Some(kind) = wrong_order(wait, later) {
            wait.kind = kind;
        }
    }
}
