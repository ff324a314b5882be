//! Steps from one call to another.

use std::ops::ControlFlow;

use mpiscope_store::{CallColumns, CallInfo, RankId, Wanted};
use serde::Serialize;

use super::opened_run::asking;
use super::{Cancel, OpenedRun, ViewError};

/// A call and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CallAt {
    /// Its index in the run.
    pub rank: u32,
    /// Its number in that rank.
    pub row: u64,
    /// Entry, ns since the origin of the run.
    pub start_ns: u64,
    /// Return.
    pub end_ns: u64,
}

/// The relation between a call and the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The next of the rank.
    Rank,
    /// The next of the same function.
    Function,
    /// The next on the same communicator.
    Comm,
    /// The next from the same call site.
    Site,
    /// The next that takes longer than this many ns.
    Longer(u64),
    /// The next of one of these functions.
    Functions(Vec<u32>),
    /// The other side of its message.
    Message,
    /// The next member's part in the same collective operation.
    Collective,
}

impl CallAt {
    pub(crate) fn from_columns(calls: &CallColumns, at: usize) -> CallAt {
        CallAt { rank: calls.rank[at], row: calls.row[at], start_ns: calls.start_ns[at], end_ns: calls.end_ns[at] }
    }
}

/// The call at a place.
pub(crate) fn at(scene: &OpenedRun, rank: u32, row: u64, cancel: &Cancel) -> Result<CallColumns, ViewError> {
    let found = scene.rows.call(RankId(rank), row, &asking(cancel))?;
    if found.is_empty() {
        return Err(ViewError::NotThere(format!("rank {rank} has no call {row}")));
    }
    Ok(found)
}

/// The window of a call, for all ranks.
pub(crate) fn around(calls: &CallColumns) -> Wanted {
    Wanted { time_ns: Some(calls.start_ns[0]..calls.end_ns[0].saturating_add(1)), ranks: None }
}

/// From the call `row` of `rank` to the next, or to the one before.
///
/// # Errors
///
/// If the rank has no such call, the store cannot be read, or the request is cancelled.
pub fn step(
    scene: &OpenedRun,
    rank: u32,
    row: u64,
    by: &By,
    is_forward: bool,
    cancel: &Cancel,
) -> Result<Option<CallAt>, ViewError> {
    let from = at(scene, rank, row, cancel)?;
    match by {
        By::Message => return message(scene, &from, is_forward, cancel),
        By::Collective => return collective(scene, &from, is_forward, cancel),
        _ => {}
    }
    let facts = |calls: &CallColumns, at: usize| calls.call_info_of(at, scene.call_info()).copied();
    let first = facts(&from, 0);
    let same = |calls: &CallColumns, at: usize, what: fn(&CallInfo) -> u32| {
        first.as_ref().map(what).is_some_and(|wanted| facts(calls, at).as_ref().map(what) == Some(wanted))
    };
    let visit = |calls: &CallColumns, at: usize| {
        let is_it = match by {
            By::Rank => true,
            By::Function => same(calls, at, |f| f.function),
            By::Comm => same(calls, at, |f| f.comm.0),
            By::Site => same(calls, at, |f| f.site.0),
            By::Longer(than_ns) => calls.duration_ns(at) > *than_ns,
            By::Functions(wanted) => facts(calls, at).is_some_and(|f| wanted.contains(&f.function)),
            By::Message | By::Collective => false,
        };
        if is_it { ControlFlow::Break(CallAt::from_columns(calls, at)) } else { ControlFlow::Continue(()) }
    };
    Ok(scene.rows.step(RankId(rank), row, is_forward, &asking(cancel), visit)?)
}

/// The call at the other end of a message of this call. Of several, forward takes the first, backward the last.
fn message(
    scene: &OpenedRun,
    from: &CallColumns,
    is_forward: bool,
    cancel: &Cancel,
) -> Result<Option<CallAt>, ViewError> {
    let (rank, row) = (RankId(from.rank[0]), from.row[0]);
    let found = super::call::messages_of(scene, from, cancel)?;
    let message = if is_forward { found.first() } else { found.last() };
    let Some(message) = message else { return Ok(None) };
    let is_sender = message.sender == rank && (message.send.row == row || message.send.done_row == row);
    let (other, end) = match is_sender {
        // Where it arrived: the call that completed the receive.
        true => (message.receiver, &message.receive),
        false => (message.sender, &message.send),
    };
    let place = match is_sender && end.is_done() {
        true => CallAt { rank: other.0, row: end.done_row, start_ns: end.done_start_ns, end_ns: end.done_end_ns },
        false => CallAt { rank: other.0, row: end.row, start_ns: end.start_ns, end_ns: end.end_ns },
    };
    Ok(Some(place))
}

/// The next member's part, cyclically.
fn collective(
    scene: &OpenedRun,
    from: &CallColumns,
    is_forward: bool,
    cancel: &Cancel,
) -> Result<Option<CallAt>, ViewError> {
    let (rank, row) = (RankId(from.rank[0]), from.row[0]);
    let Some(operation) = super::call::operation_of(scene, from, cancel)? else { return Ok(None) };
    let members = scene.rows.members(&[operation], &asking(cancel))?;
    let Some(own) = members.iter().position(|m| m.member.rank == rank && m.member.end.row <= row) else {
        return Ok(None);
    };
    let step = if is_forward { 1 } else { members.len() - 1 };
    let next = &members[(own + step) % members.len()].member;
    let end = &next.end;
    Ok(Some(CallAt { rank: next.rank.0, row: end.row, start_ns: end.start_ns, end_ns: end.end_ns }))
}
