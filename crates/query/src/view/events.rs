//! Individual calls, messages, operations, waits and regions of a window.

use mpiscope_pyramid::{Layer, RankGroup, Window};
use mpiscope_store::{
    CallColumns, CallInfo, CollectiveRow, End, Member, Message, RankId, RankSpan, RegionId, WaitRow, WindowCalls,
    WindowRows,
};

use super::opened_run::asking;
use super::{Cancel, Filter, OpenedRun, ViewError};

/// Calls that match `filter`; if there are more than `limit`, the longest ones.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn calls(scene: &OpenedRun, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<WindowCalls, ViewError> {
    let selection = scene.selection(filter);
    let keep = |calls: &CallColumns, at: usize| selection.wants(calls, at);
    Ok(scene.rows.calls(&scene.wanted(filter), limit, keep, &asking(cancel))?)
}

/// Whether the envelope of a message, and the function of a call at either side, match; regardless of ranks and time.
pub(super) fn wants_message(scene: &OpenedRun, filter: &Filter, m: &Message) -> bool {
    filter.wants_envelope(m.comm, [m.sender, m.receiver], Some(m.tag), m.bytes)
        && (wants_side(scene, filter, m.sender, &m.send) || wants_side(scene, filter, m.receiver, &m.receive))
}

/// Whether the function that starts a side of a message matches.
pub(super) fn wants_side(scene: &OpenedRun, filter: &Filter, rank: RankId, end: &End) -> bool {
    let Some(wanted) = &filter.functions else { return true };
    let facts = scene.call_info().get(rank.0 as usize).and_then(|of_rank| of_rank.get(end.facts as usize));
    facts.is_some_and(|f| wanted.binary_search(&f.function).is_ok())
}

/// Messages of its ranks and its window; the other parts of `filter` apply to their envelope and the calls of both sides.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn messages(
    scene: &OpenedRun,
    filter: &Filter,
    limit: usize,
    cancel: &Cancel,
) -> Result<WindowRows<Message>, ViewError> {
    let keep = |m: &Message| wants_message(scene, filter, m);
    Ok(scene.rows.messages(&scene.wanted(filter), limit, keep, &asking(cancel))?)
}

/// Collective operations with their members.
#[derive(Clone, Debug, Default)]
pub struct Operations {
    /// Ascending by the number of the operation.
    pub rows: Vec<CollectiveRow>,
    /// Start of the members of each, and one more.
    pub offset: Vec<u32>,
    /// All members, operation by operation.
    pub members: Vec<Member>,
    /// Number of operations in the window; at least the number of `rows`.
    pub total: u64,
}

/// Operations that a rank of `filter` takes part in.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn collectives(scene: &OpenedRun, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<Operations, ViewError> {
    let keep = |c: &CollectiveRow| {
        filter.comm.is_none_or(|comm| comm == c.comm)
            && filter.functions.as_ref().is_none_or(|wanted| wanted.binary_search(&c.function).is_ok())
    };
    let mut found = scene.rows.collectives(&scene.wanted(filter), limit, keep, &asking(cancel))?;
    found.rows.sort_unstable_by_key(|c| c.operation);
    let numbers: Vec<u64> = found.rows.iter().map(|c| c.operation).collect();
    let parts = scene.rows.members(&numbers, &asking(cancel))?;
    let mut all = Operations { rows: found.rows, total: found.total, ..Operations::default() };
    let mut parts = parts.into_iter().peekable();
    all.offset.push(0);
    for number in numbers {
        while let Some(part) = parts.next_if(|p| p.operation <= number) {
            all.members.push(part.member);
        }
        all.offset.push(all.members.len() as u32);
    }
    Ok(all)
}

/// The facts of the waiting call, if it matches by function, communicator, site and region.
pub(super) fn wants_wait<'a>(scene: &'a OpenedRun, filter: &Filter, wait: &WaitRow) -> Option<&'a CallInfo> {
    let facts = scene.call_info().get(wait.rank.0 as usize)?.get(wait.facts as usize)?;
    let is_wanted = filter.functions.as_ref().is_none_or(|wanted| wanted.binary_search(&facts.function).is_ok())
        && filter.comm.is_none_or(|comm| comm == facts.comm)
        && filter.site.is_none_or(|site| site == facts.site)
        && filter.region.is_none_or(|region| region == facts.region);
    is_wanted.then_some(facts)
}

/// Intervals of waiting; the longest ones if there are more than `limit`.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn waits(
    scene: &OpenedRun,
    filter: &Filter,
    limit: usize,
    cancel: &Cancel,
) -> Result<WindowRows<WaitRow>, ViewError> {
    let keep = |wait: &WaitRow| wants_wait(scene, filter, wait).is_some();
    Ok(scene.rows.waits(&scene.wanted(filter), limit, keep, &asking(cancel))?)
}

/// Regions of the program; the longest ones if there are more than `limit`.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn regions(
    scene: &OpenedRun,
    filter: &Filter,
    limit: usize,
    cancel: &Cancel,
) -> Result<WindowRows<RankSpan>, ViewError> {
    let keep = |r: &RankSpan| filter.region.is_none_or(|region: RegionId| region == r.span.region);
    let mut found = scene.rows.regions(&scene.wanted(filter), limit, keep, &asking(cancel))?;
    // Outermost first, so that they can be drawn one over the other.
    found.rows.sort_by_key(|r| (r.rank, r.span.thread, r.span.start_ns, std::cmp::Reverse(r.span.end_ns)));
    Ok(found)
}

/// Regions of a bin that are examined.
const MOST_IN_BIN: usize = 1 << 20;
/// Bins in which the start of a region is searched.
const BINS: u32 = 4096;

/// The first start of a region on any rank; `None` if it is no longer recorded.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn region_begin(scene: &OpenedRun, region: RegionId, cancel: &Cancel) -> Result<Option<u64>, ViewError> {
    // The preview gives the bin; the rows in it give the moment.
    let span = scene.until_ns().saturating_add(1);
    let bin_shift = span.div_ceil(BINS.into()).next_power_of_two().ilog2() as u8;
    let all = [RankGroup::from(0..scene.ranks() as u32)];
    let window = Window { bin_shift, first_bin: 0, columns: BINS, rows: &all, layer: Layer::Regions };
    let cells = scene.preview.cells(&window, &asking(cancel))?;
    let is_in = |bin: &usize| {
        let entries = cells.offset[*bin] as usize..cells.offset[bin + 1] as usize;
        cells.function[entries].iter().any(|&id| u32::from(id) == region.0)
    };
    for bin in (0..BINS as usize).filter(is_in) {
        let from_ns = (bin as u64) << bin_shift;
        let filter = Filter {
            from_ns: Some(from_ns),
            until_ns: Some(from_ns + (1 << bin_shift)),
            region: Some(region),
            ..Filter::default()
        };
        let found = regions(scene, &filter, MOST_IN_BIN, cancel)?;
        if let Some(first) = found.rows.iter().map(|r| r.span.start_ns).min() {
            return Ok(Some(first));
        }
    }
    Ok(None)
}
