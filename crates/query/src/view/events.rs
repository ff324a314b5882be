//! Single calls, messages, operations, waits and regions of a window.

use mpiscope_pyramid::{Layer, RankGroup, Window};
use mpiscope_store::{CallColumns, CollectiveRow, Facts, Found, Kept, Member, Message, RankSpan, RegionId, WaitRow};

use super::scene::asking;
use super::step::Place;
use super::{Cancel, Filter, Scene, ViewError};

/// Calls that `filter` wants; if there are more than `limit`, the longest ones.
pub fn calls(scene: &Scene, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<Kept, ViewError> {
    let selection = scene.selection(filter);
    let keep = |calls: &CallColumns, at: usize| selection.wants(calls, at);
    Ok(scene.rows.calls(&scene.wanted(filter), limit, keep, &asking(cancel))?)
}

/// Messages of its ranks and its window; the other parts of `filter` concern their envelope and the calls of both sides.
pub fn messages(scene: &Scene, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<Found<Message>, ViewError> {
    let is_function = |rank: u32, facts: u32| {
        let Some(wanted) = &filter.functions else { return true };
        let of_rank = scene.facts().get(rank as usize);
        of_rank.and_then(|f| f.get(facts as usize)).is_some_and(|f| wanted.binary_search(&f.function).is_ok())
    };
    let keep = |m: &Message| {
        filter.comm.is_none_or(|comm| comm == m.comm)
            && filter.tag.is_none_or(|tag| tag == m.tag)
            && filter.peer.is_none_or(|peer| peer == m.sender || peer == m.receiver)
            && (filter.wants_peer(m.sender) || filter.wants_peer(m.receiver))
            && filter.bytes_min.is_none_or(|least| m.bytes >= least)
            && filter.bytes_max.is_none_or(|most| m.bytes <= most)
            && (is_function(m.sender.0, m.send.facts) || is_function(m.receiver.0, m.receive.facts))
    };
    Ok(scene.rows.messages(&scene.wanted(filter), limit, keep, &asking(cancel))?)
}

/// Collective operations with their members.
#[derive(Clone, Debug, Default)]
pub struct Operations {
    pub rows: Vec<CollectiveRow>,
    /// Where the members of each begin, and one more.
    pub offset: Vec<u32>,
    pub members: Vec<Member>,
    pub total: u64,
}

/// Operations that a rank of `filter` takes part in.
pub fn collectives(scene: &Scene, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<Operations, ViewError> {
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

/// Stretches of waiting; the longest ones if there are more than `limit`.
pub fn waits(scene: &Scene, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<Found<WaitRow>, ViewError> {
    let facts = |w: &WaitRow| scene.facts().get(w.rank.0 as usize)?.get(w.facts as usize);
    let is_wanted = |f: &Facts| {
        filter.functions.as_ref().is_none_or(|wanted| wanted.binary_search(&f.function).is_ok())
            && filter.comm.is_none_or(|comm| comm == f.comm)
            && filter.site.is_none_or(|site| site == f.site)
            && filter.region.is_none_or(|region| region == f.region)
    };
    let keep = |w: &WaitRow| facts(w).is_some_and(is_wanted);
    Ok(scene.rows.waits(&scene.wanted(filter), limit, keep, &asking(cancel))?)
}

/// Regions of the program; the longest ones if there are more than `limit`.
pub fn regions(scene: &Scene, filter: &Filter, limit: usize, cancel: &Cancel) -> Result<Found<RankSpan>, ViewError> {
    let keep = |r: &RankSpan| filter.region.is_none_or(|region: RegionId| region == r.span.region);
    let mut found = scene.rows.regions(&scene.wanted(filter), limit, keep, &asking(cancel))?;
    // Outermost first, so that they can be drawn one over the other.
    found.rows.sort_by_key(|r| (r.rank, r.span.thread, r.span.start_ns, std::cmp::Reverse(r.span.end_ns)));
    Ok(found)
}

/// Regions of a bin that are looked at.
const MOST_IN_BIN: usize = 1 << 20;
/// Bins in which it is looked for where a region begins.
const BINS: u32 = 4096;

/// When a region begins for the first time, on whichever rank; `None` where that is not there any more.
pub fn region_begin(scene: &Scene, region: RegionId, cancel: &Cancel) -> Result<Option<u64>, ViewError> {
    // The preview says in which bin; the rows there say when.
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

/// The first call (or the last, backward) whose function, site, region or communicator has `text` in it.
pub fn find(
    scene: &Scene,
    filter: &Filter,
    text: &str,
    is_forward: bool,
    cancel: &Cancel,
) -> Result<Option<Place>, ViewError> {
    let text = text.to_lowercase();
    let dimensions = scene.dimensions();
    let has = |name: &str| name.to_lowercase().contains(&text);
    let is_it = |f: &Facts| {
        has(mpiscope_abi::name(f.function))
            || has(dimensions.site(f.site))
            || has(dimensions.comm(f.comm))
            || has(&dimensions.region(f.region))
    };
    let of_facts: Vec<Vec<bool>> = scene.facts().iter().map(|of_rank| of_rank.iter().map(is_it).collect()).collect();
    let selection = scene.selection(filter);
    let window = filter.window_ns();
    let take = |found: &mut Option<Place>, calls: &CallColumns, at: usize| {
        let named = of_facts.get(calls.rank[at] as usize).and_then(|f| f.get(calls.facts[at] as usize));
        let is_inside = if is_forward { calls.start_ns[at] >= window.start } else { calls.end_ns[at] <= window.end };
        if named == Some(&true) && is_inside && selection.wants(calls, at) {
            *found = nearer(*found, Some(Place::of(calls, at)), is_forward);
        }
    };
    let join = |a, b| nearer(a, b, is_forward);
    Ok(scene.rows.fold_calls(&scene.wanted(filter), &asking(cancel), || None, take, join)?)
}

fn nearer(a: Option<Place>, b: Option<Place>, is_forward: bool) -> Option<Place> {
    let key = |p: &Place| (p.start_ns, p.rank, p.row);
    match (a, b) {
        (Some(a), Some(b)) => Some(if (key(&a) <= key(&b)) == is_forward { a } else { b }),
        (a, b) => a.or(b),
    }
}
