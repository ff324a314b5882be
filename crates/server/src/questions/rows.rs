//! Individual calls, messages, operations, and the steps from one to another.

use mpiscope_query::view::{
    self, AtRank, BundlesWish, By, CallAt, Cancel, Filter, Lifetime, Load, MessageSide, OpenedRun, Sent, Stage,
    ViewError,
};
use mpiscope_store::{End, Member, RegionId, flags};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::frame::Frame;
use crate::params::Params;

/// Ids with −1 for none.
fn id(id: u32) -> i32 {
    if id == u32::MAX { -1 } else { id as i32 }
}

/// Their number, and whether the answer has only some of them.
fn head(total: u64, come: usize) -> Value {
    json!({"total": total, "is_cut": (come as u64) < total})
}

/// Bits of `flags` in the protocol.
mod bits {
    pub const POLL: u16 = 1;
    pub const FAILED: u16 = 2;
    pub const NESTED: u16 = 4;
    pub const NON_BLOCKING: u16 = 8;
}

pub(super) fn calls(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let limit = params.limit("limit", 50_000, 200_000)?;
    let found = view::calls(scene, &filter, limit, cancel)?;
    let rows = &found.rows;
    let head = head(found.total, rows.len());
    let facts = || (0..rows.len()).map(|at| rows.call_info_of(at, scene.call_info()));
    let arguments = || {
        (0..rows.len())
            .map(|at| rows.detail(at).copied().or_else(|| Some(rows.call_info_of(at, scene.call_info())?.detail(0))))
    };
    let bit = |is: bool, bit: u16| if is { bit } else { 0 };
    let flags_of = |at: usize| {
        let of_facts = rows.call_info_of(at, scene.call_info()).map_or(0, |f| f.flags);
        bit(of_facts & flags::POLL != 0, bits::POLL)
            | bit(of_facts & flags::FAILED != 0, bits::FAILED)
            | bit(rows.flags[at] & flags::NESTED != 0, bits::NESTED)
            | bit(of_facts & flags::NON_BLOCKING != 0, bits::NON_BLOCKING)
    };
    Ok(Frame::new("calls", head)
        .column("rank", rows.rank.iter().copied())
        .column("thread", rows.thread.iter().copied())
        .column("row", rows.row.iter().map(|&v| v as f64))
        .column("start_ns", rows.start_ns.iter().map(|&v| v as f64))
        .column("duration_ns", (0..rows.len()).map(|at| rows.duration_ns(at) as f64))
        .column("function", facts().map(|f| f.map_or(0, |f| f.function as u16)))
        .column("count", rows.calls.iter().copied())
        .column("comm", facts().map(|f| f.map_or(-1, |f| id(f.comm.0))))
        .column("peer", arguments().map(|d| d.map_or(-1, |d| id(d.peer.0))))
        .column("tag", arguments().map(|d| d.map_or(-1, |d| d.tag)))
        .column("bytes_sent", arguments().map(|d| d.map_or(0.0, |d| d.bytes_sent as f64)))
        .column("bytes_received", arguments().map(|d| d.map_or(0.0, |d| d.bytes_received as f64)))
        .column("site", facts().map(|f| f.map_or(0, |f| f.site.0)))
        .column("region", facts().map(|f| f.map_or(-1, |f| id(f.region.0))))
        .column("window", facts().map(|f| f.map_or(-1, |f| if f.window > 0 { f.window as i32 } else { -1 })))
        .column("flags", (0..rows.len()).map(flags_of))
        .into())
}

/// The end of an operation that a call started: of the call that completed it.
fn done_ns(end: &End) -> f64 {
    if end.is_done() { end.done_end_ns as f64 } else { end.end_ns as f64 }
}

/// The row of that call; the call itself if none is known to have completed it.
fn done_row(end: &End) -> f64 {
    if end.is_done() { end.done_row as f64 } else { end.row as f64 }
}

pub(super) fn messages(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    messages_of(scene, &filter, params.limit("limit", 2000, 2000)?, cancel)
}

/// The caller chooses the limit.
pub(crate) fn messages_of(
    scene: &OpenedRun,
    filter: &Filter,
    limit: usize,
    cancel: &Cancel,
) -> Result<Answer, ViewError> {
    let found = view::messages(scene, filter, limit, cancel)?;
    let rows = &found.rows;
    let head = head(found.total, rows.len());
    Ok(Frame::new("messages", head)
        .column("sender", rows.iter().map(|m| m.sender.0))
        .column("receiver", rows.iter().map(|m| m.receiver.0))
        .column("send_row", rows.iter().map(|m| m.send.row as f64))
        .column("receive_row", rows.iter().map(|m| m.receive.row as f64))
        .column("receive_done_row", rows.iter().map(|m| done_row(&m.receive)))
        .column("sent_ns", rows.iter().map(|m| m.send.start_ns as f64))
        .column("send_done_ns", rows.iter().map(|m| done_ns(&m.send)))
        .column("posted_ns", rows.iter().map(|m| m.receive.start_ns as f64))
        .column("received_ns", rows.iter().map(|m| done_ns(&m.receive)))
        .column("bytes", rows.iter().map(|m| m.bytes as f64))
        .column("tag", rows.iter().map(|m| m.tag))
        .column("comm", rows.iter().map(|m| id(m.comm.0)))
        .column("unexpected", rows.iter().map(|m| u8::from(m.send.start_ns < m.receive.start_ns)))
        .into())
}

/// Most lines that a page draws.
const BUNDLES_MOST: usize = 4000;

pub(super) fn bundles(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let order = scene.order(params.text("order").unwrap_or_default())?;
    let wish = BundlesWish {
        columns: params.parts("columns", 128, 4096)?,
        rows: params.parts("rows", 64, 2048)?,
        most: params.parts("limit", 2000, BUNDLES_MOST)?,
    };
    let found = view::bundles(scene, &order, &filter, &wish, cancel)?;
    let head = json!({
        "total": found.total(), "bin_ns": found.bin_ns, "rows_per_block": found.rows_per_block, "basis": found.basis,
    });
    let rows = &found.rows;
    let latency = |sent: &Sent| if sent.received > 0 { sent.total_ns as f64 / sent.received as f64 } else { -1.0 };
    Ok(Frame::new("bundles", head)
        .column("from_ns", rows.iter().map(|b| b.from_ns as f64))
        .column("sender", rows.iter().map(|b| b.sender))
        .column("receiver", rows.iter().map(|b| b.receiver))
        .column("count", rows.iter().map(|b| b.sent.count as f64))
        .column("bytes", rows.iter().map(|b| b.sent.bytes as f64))
        .column("latency_ns", rows.iter().map(|b| latency(&b.sent)))
        .into())
}

pub(super) fn moment(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let at_ns = params.ns("at")?.ok_or_else(|| ViewError::Wrong("the parameter at is missing".into()))?;
    let found = view::moment(scene, &filter, at_ns, params.limit("limit", 1000, 10_000)?, cancel)?;
    let (ranks, rows) = (&found.ranks, &found.messages);
    let mut head = head(found.total, rows.len());
    head["at_ns"] = json!(at_ns);
    head["stages"] = json!(Stage::ALL);
    let load = |of: fn(&AtRank) -> Load| {
        let loads: Vec<Load> = ranks.iter().map(of).collect();
        let counts: Vec<u32> = loads.iter().map(|load| load.count.min(u32::MAX.into()) as u32).collect();
        (counts, loads.into_iter().map(|load| load.bytes as f64))
    };
    let (sends, sends_bytes) = load(|r| r.sends);
    let (receives, receives_bytes) = load(|r| r.receives);
    let (unexpected, unexpected_bytes) = load(|r| r.unexpected);
    let of_ranks = Frame::new("moment", head)
        .column("call_row", ranks.iter().map(|r| r.call.map_or(-1.0, |(row, _, _)| row as f64)))
        .column("call_function", ranks.iter().map(|r| r.call.map_or(-1, |(_, function, _)| function as i32)))
        .column("call_start_ns", ranks.iter().map(|r| r.call.map_or(-1.0, |(_, _, start)| start as f64)))
        .column("waits", ranks.iter().map(|r| u8::from(r.waits)))
        .column("sends", sends)
        .column("sends_bytes", sends_bytes)
        .column("receives", receives)
        .column("receives_bytes", receives_bytes)
        .column("unexpected", unexpected)
        .column("unexpected_bytes", unexpected_bytes)
        .column("stage", rows.iter().map(|(_, stage)| Stage::ALL.iter().position(|s| s == stage).unwrap_or(0) as u8));
    Ok(with_messages(of_ranks, rows.iter().map(|(message, _)| message)).into())
}

/// Both sides of messages, as far as they are known.
fn with_messages<'a>(
    frame: Frame<'a>,
    rows: impl ExactSizeIterator<Item = &'a Lifetime> + Clone + Send + 'a,
) -> Frame<'a> {
    let side = |side: Option<MessageSide>, of: fn(MessageSide) -> u64| side.map_or(-1.0, |side| of(side) as f64);
    frame
        .column("sender", rows.clone().map(|m| id(m.sender.0)))
        .column("receiver", rows.clone().map(|m| id(m.receiver.0)))
        .column("send_row", rows.clone().map(move |m| side(m.send, |side| side.row)))
        .column("sent_ns", rows.clone().map(move |m| side(m.send, |side| side.start_ns)))
        .column("receive_row", rows.clone().map(move |m| side(m.receive, |side| side.row)))
        .column("posted_ns", rows.clone().map(move |m| side(m.receive, |side| side.start_ns)))
        .column("bytes", rows.clone().map(|m| m.bytes as f64))
        .column("tag", rows.clone().map(|m| m.tag.unwrap_or(i32::MIN)))
        .column("comm", rows.map(|m| id(m.comm.0)))
}

/// All messages that are pending at some moment of a window; nothing if there are more than `most`. Exported pages compute the state at
/// each moment from them.
pub(crate) fn lifetimes_of(
    scene: &OpenedRun,
    filter: &Filter,
    most: usize,
    cancel: &Cancel,
) -> Result<Option<Answer>, ViewError> {
    let rows = view::lifetimes(scene, filter, cancel)?;
    if rows.len() > most {
        return Ok(None);
    }
    let done = |side: Option<MessageSide>| side.and_then(|side| side.done_ns).map_or(-1.0, |ns| ns as f64);
    let frame = with_messages(Frame::new("lifetimes", json!({"stages": Stage::ALL})), rows.iter())
        .column("send_done_ns", rows.iter().map(|m| done(m.send)))
        .column("receive_done_ns", rows.iter().map(|m| done(m.receive)))
        .column("is_lost", rows.iter().map(|m| u8::from(m.is_lost)));
    Ok(Some(frame.into()))
}

pub(super) fn collectives(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    collectives_of(scene, &filter, params.limit("limit", 200, 500)?, cancel)
}

/// The caller chooses the limit.
pub(crate) fn collectives_of(
    scene: &OpenedRun,
    filter: &Filter,
    limit: usize,
    cancel: &Cancel,
) -> Result<Answer, ViewError> {
    let found = view::collectives(scene, filter, limit, cancel)?;
    let rows = &found.rows;
    let head = head(found.total, rows.len());
    let (offset, members) = in_sight(&found, filter);
    Ok(Frame::new("collectives", head)
        .column("operation", rows.iter().map(|c| c.operation as f64))
        .column("function", rows.iter().map(|c| c.function as u16))
        .column("comm", rows.iter().map(|c| id(c.comm.0)))
        .column("root", rows.iter().map(|c| id(c.root.0)))
        .column("member_offset", offset)
        .column("rank", members.iter().map(|m| m.rank.0))
        .column("row", members.iter().map(|m| m.end.row as f64))
        .column("done_row", members.iter().map(|m| done_row(&m.end)))
        .column("start_ns", members.iter().map(|m| m.end.start_ns as f64))
        .column("end_ns", members.iter().map(|m| done_ns(&m.end)))
        .into())
}

/// Members among the selected ranks: an operation of thousands is shown in a few dozen rows.
fn in_sight<'a>(found: &'a view::Operations, filter: &Filter) -> (Vec<u32>, Vec<&'a Member>) {
    let mut members = Vec::new();
    let mut offset = vec![0];
    for ends in found.offset.windows(2) {
        let of_operation = &found.members[ends[0] as usize..ends[1] as usize];
        members.extend(of_operation.iter().filter(|m| filter.wants_rank(m.rank.0)));
        offset.push(members.len() as u32);
    }
    (offset, members)
}

pub(super) fn waits(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let limit = params.limit("limit", 50_000, 200_000)?;
    let found = view::waits(scene, &filter, limit, cancel)?;
    let rows = &found.rows;
    let mut kinds: Vec<&str> = rows.iter().map(|w| w.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = |w: &mpiscope_store::WaitRow| kinds.iter().position(|k| *k == w.kind).unwrap_or(0) as u8;
    let mut head = head(found.total, rows.len());
    head["kinds"] = json!(kinds);
    Ok(Frame::new("waits", head)
        .column("rank", rows.iter().map(|w| w.rank.0))
        .column("row", rows.iter().map(|w| w.row as f64))
        .column("start_ns", rows.iter().map(|w| w.start_ns as f64))
        .column("end_ns", rows.iter().map(|w| w.end_ns as f64))
        .column("kind", rows.iter().map(kind))
        .column("cause_rank", rows.iter().map(|w| w.cause.map_or(-1, |c| id(c.rank.0))))
        .column("cause_row", rows.iter().map(|w| w.cause.map_or(-1.0, |c| c.row as f64)))
        .into())
}

pub(super) fn regions(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let filter = params.filter(scene)?;
    let limit = params.limit("limit", 50_000, 200_000)?;
    let found = view::regions(scene, &filter, limit, cancel)?;
    let rows = &found.rows;
    let head = head(found.total, rows.len());
    let regions = &scene.dimensions().regions;
    let depth = |region: u32| {
        let parent = |at: &u32| regions.get(*at as usize).and_then(|row| row.parent);
        std::iter::successors(Some(region), parent).take(256).count().saturating_sub(1).min(255) as u8
    };
    Ok(Frame::new("regions", head)
        .column("rank", rows.iter().map(|r| r.rank.0))
        .column("thread", rows.iter().map(|r| r.span.thread))
        .column("region", rows.iter().map(|r| r.span.region.0))
        .column("depth", rows.iter().map(|r| depth(r.span.region.0)))
        .column("start_ns", rows.iter().map(|r| r.span.start_ns as f64))
        .column("end_ns", rows.iter().map(|r| r.span.end_ns as f64))
        .into())
}

pub(super) fn begin(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let region = RegionId(params.need("region")?);
    Answer::json(&json!({"ns": view::region_begin(scene, region, cancel)?}))
}

pub(super) fn path(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let found = view::path(scene, &params.filter(scene)?, cancel)?;
    Ok(Frame::new("path", json!({"total": found.len()}))
        .column("rank", found.iter().map(|p| p.rank))
        .column("from_ns", found.iter().map(|p| p.from_ns as f64))
        .column("until_ns", found.iter().map(|p| p.until_ns as f64))
        .into())
}

pub(super) fn call(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    Answer::json(&view::call(scene, params.need("rank")?, params.need("row")?, cancel)?)
}

fn is_forward(params: &Params) -> Result<bool, ViewError> {
    match params.text("direction") {
        None | Some("next") => Ok(true),
        Some("previous") => Ok(false),
        Some(other) => Err(ViewError::Wrong(format!("unknown direction '{other}'; use next or previous"))),
    }
}

pub(super) fn step(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let by = match params.text("by").unwrap_or("rank") {
        "rank" => By::Rank,
        "function" => By::Function,
        "comm" => By::Comm,
        "site" => By::Site,
        "message" => By::Message,
        "collective" => By::Collective,
        "longer" => By::Longer(params.ns("than_ns")?.unwrap_or(0)),
        "functions" => By::Functions(params.ids("functions")?.unwrap_or_default()),
        other => {
            return Err(ViewError::Wrong(format!(
                "unknown step '{other}'; use rank, function, functions, comm, site, message, collective, longer"
            )));
        }
    };
    let (rank, row) = (params.need("rank")?, params.need("row")?);
    Answer::json(&view::step(scene, rank, row, &by, is_forward(params)?, cancel)?)
}

/// The call from which a search continues: all three, or none.
fn beside(params: &Params) -> Result<Option<CallAt>, ViewError> {
    let Some(start_ns) = params.ns("start")? else { return Ok(None) };
    let (rank, row) = (params.need("rank")?, params.need("row")?);
    Ok(Some(CallAt { rank, row, start_ns, end_ns: start_ns }))
}

pub(super) fn find(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let (filter, text) = (params.filter(scene)?, params.need_text("text")?);
    Answer::json(&view::find(scene, &filter, text, beside(params)?, is_forward(params)?, cancel)?)
}

pub(super) fn matches(scene: &OpenedRun, params: &Params, cancel: &Cancel) -> Result<Answer, ViewError> {
    let (filter, text) = (params.filter(scene)?, params.need_text("text")?);
    let from_ns = params.ns("at")?.unwrap_or(0);
    let limit = params.limit("limit", 100, 1000)?;
    Answer::json(&view::matches(scene, &filter, text, from_ns, limit, cancel)?)
}
