//! Everything about one call.

use mpiscope_store::{CallColumns, Message, NO_TAG, RankId, Wanted};
use serde::Serialize;

use super::fields::Field;
use super::opened_run::asking;
use super::step::{CallAt, around, at};
use super::{Cancel, Class, OpenedRun, ViewError};

/// A call with names instead of ids.
#[derive(Clone, Debug, Serialize)]
pub struct CallInfo {
    /// Index of the rank in the run.
    pub rank: u32,
    /// Its rank in `MPI_COMM_WORLD`; negative if it is unknown.
    pub world_rank: i32,
    /// The host that the rank runs on.
    pub host: String,
    /// Number of the thread in its rank.
    pub thread: u16,
    /// Number of the call in its rank; with `rank` its identity.
    pub row: u64,
    /// The function's name, such as `MPI_Send`.
    pub function: String,
    /// The function's id.
    pub function_id: u32,
    /// The class's id, see [`Class`].
    pub class: &'static str,
    /// Entry, ns since the origin of the run.
    pub start_ns: u64,
    /// Return, ns since the origin of the run.
    pub end_ns: u64,
    /// `end_ns` minus `start_ns`.
    pub duration_ns: u64,
    /// Polls folded into it.
    pub count: u32,
    /// The communicator's name; `None` if the function has none.
    pub comm: Option<String>,
    /// Rank in the run of the destination or source; `None` if it has none or the wildcard is unresolved.
    pub peer: Option<u32>,
    /// The tag argument, or that of the received message.
    pub tag: Option<i32>,
    /// Rank in the run of the root of a collective call.
    pub root: Option<u32>,
    /// Payload that the call sends.
    pub bytes_sent: u64,
    /// Payload that the call receives.
    pub bytes_received: u64,
    /// Elements of the datatype; 0 if unknown.
    pub elements: u64,
    /// The datatype's name.
    pub datatype: Option<String>,
    /// Where the program calls it.
    pub site: SiteFrames,
    /// Path of the innermost region around it.
    pub region: Option<String>,
    /// The iteration of the main loop in which it starts.
    pub iteration: Option<usize>,
    /// Whether it is a poll, such as `MPI_Test` without completion.
    pub is_poll: bool,
    /// Whether it returned an error.
    pub is_failed: bool,
    /// Whether it runs inside of another MPI call, such as a callback.
    pub is_nested: bool,
    /// At most 64, in the order in which they were posted.
    pub messages: Vec<MessageInfo>,
    /// `None` if the call is not collective, or its operation is unknown.
    pub collective: Option<OperationInfo>,
    /// At most 64 of the waits inside of it.
    pub waits: Vec<WaitInfo>,
    /// The neighbours in time.
    pub near: Near,
}

/// Its call site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteFrames {
    /// The innermost frame, for people.
    pub text: String,
    /// `function file:line`, the innermost first.
    pub frames: Vec<String>,
}

/// A message that it sent, received or completed.
#[derive(Clone, Debug, Serialize)]
pub struct MessageInfo {
    /// `sent` or `received`.
    pub direction: &'static str,
    /// The other side: the call that posted it there.
    pub rank: u32,
    /// Number of that call in its rank.
    pub row: u64,
    /// Payload on the sender's side.
    pub bytes: u64,
    /// The message's tag.
    pub tag: i32,
    /// Entry of the call that sends it.
    pub sent_ns: u64,
    /// `None` if no call completed it.
    pub received_ns: Option<u64>,
}

/// The collective operation that it is part of.
#[derive(Clone, Debug, Serialize)]
pub struct OperationInfo {
    /// Its number in the store.
    pub operation: u64,
    /// Its number on the communicator.
    pub number: u64,
    /// The communicator's name.
    pub comm: String,
    /// Members with a recorded call.
    pub members: u32,
    /// Members without one.
    pub missing: u32,
    /// Entry of the first rank.
    pub first_start_ns: u64,
    /// Entry of the last rank.
    pub last_start_ns: u64,
    /// The last rank to arrive.
    pub last_rank: Option<u32>,
}

/// An interval of waiting inside it.
#[derive(Clone, Debug, Serialize)]
pub struct WaitInfo {
    /// Stable id of the cause, such as `late_sender`.
    pub kind: &'static str,
    /// In ns since the origin of the run.
    pub start_ns: u64,
    /// See `start_ns`.
    pub end_ns: u64,
    /// `None` if no single call is the cause.
    pub cause: Option<Cause>,
}

/// The call that it waited for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Cause {
    /// Its rank in the run.
    pub rank: u32,
    /// Its number in that rank.
    pub row: u64,
}

/// The calls of the rank before and after it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Near {
    /// `None` at the first call.
    pub previous: Option<CallAt>,
    /// `None` at the last call.
    pub next: Option<CallAt>,
}

/// Most messages of one call in an answer.
const MESSAGES: usize = 64;

/// Messages that a call posted or completed, in the order of their posting.
pub(crate) fn messages_of(scene: &OpenedRun, call: &CallColumns, cancel: &Cancel) -> Result<Vec<Message>, ViewError> {
    let (rank, row) = (RankId(call.rank[0]), call.row[0]);
    let keep = |m: &Message| {
        let is_row = |end: &mpiscope_store::End| end.row == row || end.done_row == row;
        (m.sender == rank && is_row(&m.send)) || (m.receiver == rank && is_row(&m.receive))
    };
    let wanted = Wanted { ranks: Some(vec![rank]), ..around(call) };
    let mut found = scene.rows.messages(&wanted, MESSAGES, keep, &asking(cancel))?.rows;
    let posted = |m: &Message| if m.sender == rank { m.send.row } else { m.receive.row };
    found.sort_by_key(posted);
    Ok(found)
}

/// The number of the collective operation that a call is part of.
pub(crate) fn operation_of(scene: &OpenedRun, call: &CallColumns, cancel: &Cancel) -> Result<Option<u64>, ViewError> {
    let (rank, row) = (RankId(call.rank[0]), call.row[0]);
    let wanted = Wanted { ranks: Some(vec![rank]), ..around(call) };
    let take = |found: &mut Option<u64>, part: &mpiscope_store::OperationMember| {
        let end = &part.member.end;
        if end.row == row || end.done_row == row {
            *found = Some(part.operation);
        }
    };
    Ok(scene.rows.fold_members(&wanted, &asking(cancel), || None, take, Option::or)?)
}

/// Everything about the call `row` of `rank`.
///
/// # Errors
///
/// If the rank has no such call, the store cannot be read, or the request is cancelled.
pub fn call(scene: &OpenedRun, rank: u32, row: u64, cancel: &Cancel) -> Result<CallInfo, ViewError> {
    let found = at(scene, rank, row, cancel)?;
    let Some(facts) = found.call_info_of(0, scene.call_info()) else {
        return Err(ViewError::NotThere(format!("the store has no details of call {row} of rank {rank}")));
    };
    let arguments = found.detail(0).copied().unwrap_or_else(|| facts.detail(0));
    let dimensions = scene.dimensions();
    let site = facts.site.index().and_then(|at| dimensions.sites.get(at));
    let row_of_rank = dimensions.ranks.get(rank as usize);
    let datatype = dimensions.datatypes.get(rank as usize).and_then(|of_rank| of_rank.get(&facts.datatype));
    let named = |text: String| (!text.is_empty()).then_some(text);
    let is = |flag: u16| facts.flags & flag != 0;
    let neighbour = |is_forward| super::step::step(scene, rank, row, &super::By::Rank, is_forward, cancel);
    let has_peer = arguments.peer.is_some();
    Ok(CallInfo {
        rank,
        world_rank: dimensions.rank(RankId(rank)),
        host: row_of_rank.map_or_else(String::new, |r| r.host.clone()),
        thread: found.thread[0],
        row,
        function: mpiscope_abi::name(facts.function).to_owned(),
        function_id: facts.function,
        class: Class::of_function(facts.function).id(),
        start_ns: found.start_ns[0],
        end_ns: found.end_ns[0],
        duration_ns: found.duration_ns(0),
        count: found.calls[0],
        comm: named(dimensions.comm(facts.comm).to_owned()),
        peer: has_peer.then_some(arguments.peer.0),
        tag: (arguments.tag != NO_TAG).then_some(arguments.tag),
        root: facts.root.is_some().then_some(facts.root.0),
        bytes_sent: arguments.bytes_sent,
        bytes_received: arguments.bytes_received,
        elements: arguments.count,
        datatype: datatype.map(|d| d.name.clone()).and_then(named),
        site: SiteFrames {
            text: site.map_or_else(String::new, |s| s.text.clone()),
            frames: site.map_or_else(Vec::new, |s| s.frames.clone()),
        },
        region: named(dimensions.region(facts.region)),
        iteration: Field::Iteration.value_of(scene, facts, &found, 0).map(|at| at as usize),
        is_poll: is(mpiscope_store::flags::POLL),
        is_failed: is(mpiscope_store::flags::FAILED),
        is_nested: found.flags[0] & mpiscope_store::flags::NESTED != 0,
        messages: messages_of(scene, &found, cancel)?.iter().map(|m| message(m, rank)).collect(),
        collective: operation(scene, &found, cancel)?,
        waits: waits(scene, &found, cancel)?,
        near: Near { previous: neighbour(false)?, next: neighbour(true)? },
    })
}

fn message(m: &Message, rank: u32) -> MessageInfo {
    let is_sender = m.sender.0 == rank;
    let (other, end) = if is_sender { (m.receiver, &m.receive) } else { (m.sender, &m.send) };
    MessageInfo {
        direction: if is_sender { "sent" } else { "received" },
        rank: other.0,
        row: end.row,
        bytes: m.bytes,
        tag: m.tag,
        sent_ns: m.send.start_ns,
        received_ns: m.receive.is_done().then_some(m.receive.done_end_ns),
    }
}

fn operation(scene: &OpenedRun, call: &CallColumns, cancel: &Cancel) -> Result<Option<OperationInfo>, ViewError> {
    let Some(number) = operation_of(scene, call, cancel)? else { return Ok(None) };
    let found = scene.rows.collectives(&around(call), 1, |c| c.operation == number, &asking(cancel))?;
    let Some(row) = found.rows.first() else { return Ok(None) };
    let members = scene.rows.members(&[number], &asking(cancel))?;
    Ok(Some(OperationInfo {
        operation: number,
        number: row.index,
        comm: scene.dimensions().comm(row.comm).to_owned(),
        members: row.members,
        missing: row.missing,
        first_start_ns: row.first_start_ns,
        last_start_ns: row.last_start_ns,
        last_rank: members.iter().max_by_key(|m| m.member.end.start_ns).map(|m| m.member.rank.0),
    }))
}

fn waits(scene: &OpenedRun, call: &CallColumns, cancel: &Cancel) -> Result<Vec<WaitInfo>, ViewError> {
    let wanted = Wanted { ranks: Some(vec![RankId(call.rank[0])]), ..around(call) };
    let found = scene.rows.waits(&wanted, MESSAGES, |w| w.row == call.row[0], &asking(cancel))?;
    let info = |w: &mpiscope_store::WaitRow| WaitInfo {
        kind: w.kind,
        start_ns: w.start_ns,
        end_ns: w.end_ns,
        cause: w.cause.map(|c| Cause { rank: c.rank.0, row: c.row }),
    };
    Ok(found.rows.iter().map(info).collect())
}
