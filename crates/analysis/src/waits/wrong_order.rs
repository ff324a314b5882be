//! A receive waits for a late sender while a message that is received later is already in flight.

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, Message, RankBatch};

use crate::explanation::{Wait, WaitKind};

/// At most this many rows before a receive are examined.
const LOOK_BACK: u64 = 64;

/// Wrong order: while the receiver waits for A, message B is already in flight, but its receive comes after
/// that of A. If the receiver had received B first, it would have had work to do.
///
/// ```text
/// receiver     [=====recv A=====|--] [recv B]
/// sender of B  [send B]
/// sender of A                   [send A]       B.send.start < A.send.start, B is received after A
/// ```
///
/// What the receiver sends, or does together with others, between A and B may need A: then B could not have been received
/// first ([`mark`]). So the early message of the next iteration is not a message in the wrong order.
///
/// The wait keeps its length and changes its kind, depending on whether B has the same source as A.
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

/// Finds the waits among `waits` (of one rank, by row) that `later` shows to be in the wrong order: those between which
/// and the completion of `later` this rank only receives.
pub(super) fn mark(waits: &mut [Wait], later: &Message, rows: &RankBatch, facts: &[CallInfo]) {
    let before = waits.partition_point(|w| w.row < later.receive.row);
    if waits[..before].last().is_none_or(|w| w.end_ns <= later.send.start_ns) {
        return;
    }
    let row_of = |row: u64| rows.calls.get(row.checked_sub(rows.first_row)? as usize);
    let mut row = later.receive.done_row;
    for wait in waits[..before].iter_mut().rev() {
        if wait.end_ns <= later.send.start_ns || later.receive.done_row - wait.row > LOOK_BACK {
            break;
        }
        while row > wait.row {
            let role = row_of(row).and_then(|call| facts.get(call.facts as usize)).map(|f| f.role);
            if !role.is_some_and(only_receives) {
                return;
            }
            row -= 1;
        }
        if let Some(kind) = wrong_order(wait, later) {
            wait.kind = kind;
        }
    }
}

/// Whether a call does nothing but receive, or complete what was posted.
pub(crate) fn only_receives(role: Role) -> bool {
    use Role::{Complete, Local, MatchedProbe, MatchedReceive, Probe, Receive};
    matches!(role, Receive | MatchedReceive | Probe | MatchedProbe | Complete | Local)
}
