//! The buffers of a call: their bytes, and whether other operations use them.

use std::sync::Arc;

use mpiscope_abi::Flow;
use mpiscope_abi::role::Role;
use mpiscope_abi::spec::{class, param_flag};
use mpiscope_trace::check::rule;

use super::layout::{Bytes, Layout, Piece};
use super::{MOST_PARTITIONS, MOST_REMEMBERED, Planned, SHADOWS, WIDE, WIDEST, buffer_location, ends, page_guard};
use crate::check::CallContext;
use crate::check::tracked::WordMap;
use crate::check::transfer::{self, CommPosition, Side};
use crate::check::types;
use crate::check::view::Slot;
use crate::config::Guard;

/// The bytes of a datatype.
pub(super) fn bytes_of(s: &mut CallContext<'_>, datatype: u32) -> Option<Arc<Bytes>> {
    let at = datatype as usize;
    if let Some(Some(known)) = s.checker.flights.bytes.get(at) {
        return Some(Arc::clone(known));
    }
    let info = s.checker.types.get(at).copied().filter(|t| t.size > 0)?;
    let bytes = match info.kind {
        types::kind::DERIVED => return None,
        // A number, and behind it an int where the structure has it.
        types::kind::PAIR if info.extent != info.size as i64 => {
            let number = info.size - 4;
            Bytes::of_runs(vec![(0, number), (number.next_multiple_of(4) as i64, 4)])
        }
        _ => Bytes::dense(info.size),
    };
    let bytes = Arc::new(bytes);
    keep_bytes(s, at, Arc::clone(&bytes));
    Some(bytes)
}

pub(super) fn keep_bytes(s: &mut CallContext<'_>, at: usize, bytes: Arc<Bytes>) {
    let all = &mut s.checker.flights.bytes;
    if all.len() <= at {
        all.resize(at + 1, None);
    }
    all[at] = Some(bytes);
}

/// A derived datatype that this call has just created.
pub fn new_type(s: &mut CallContext<'_>, id: u32) {
    if id == 0 || s.checker.flights.bytes.get(id as usize).is_some_and(Option::is_some) {
        return;
    }
    let map = types::map(&s.view);
    // Copies have the same bytes.
    if let [only] = map.blocks[..]
        && (only.displacement_bytes, only.count, map.repeat, map.cut) == (0, 1, 1, false)
    {
        if let Some(bytes) = bytes_of(s, only.datatype) {
            keep_bytes(s, id as usize, bytes);
        }
        return;
    }
    let parts: WordMap<u32, (Arc<Bytes>, i64)> = map
        .blocks
        .iter()
        .filter_map(|b| {
            let extent = s.checker.types.get(b.datatype as usize)?.extent;
            Some((b.datatype, (bytes_of(s, b.datatype)?, extent)))
        })
        .collect();
    if let Some(bytes) = Bytes::of_map(&map, |id| parts.get(&id).cloned()) {
        keep_bytes(s, id as usize, Arc::new(bytes));
    }
}

/// The bytes of one side of a call, as offsets from its buffer.
pub(super) fn layout(s: &mut CallContext<'_>, side: &Side) -> Option<Arc<Layout>> {
    if side.counts.is_empty() || side.pieces.is_empty() {
        return elements(s, side.datatype, 0, side.count.checked_mul(side.times)?);
    }
    let mut places = side.pieces.iter();
    let mut pieces = Vec::with_capacity(side.pieces.len());
    for (i, &count) in side.counts.iter().enumerate() {
        let datatype = side.datatypes.get(i).copied().unwrap_or(side.datatype);
        let info = *s.checker.types.get(datatype as usize)?;
        let (low, high) = info.span(count);
        if high <= low {
            continue;
        }
        let base = places.next()?.0 - low;
        pieces.push(Piece { base, count, extent: info.extent, bytes: bytes_of(s, datatype)? });
    }
    Layout::from_pieces(pieces).map(Arc::new)
}

/// This many elements from an offset on.
pub(super) fn elements(s: &mut CallContext<'_>, datatype: u32, base: i64, count: u64) -> Option<Arc<Layout>> {
    if base == 0
        && let Some(known) = s.checker.flights.layouts.get(&(datatype, count))
    {
        return known.clone();
    }
    let extent = s.checker.types.get(datatype as usize)?.extent;
    let bytes = bytes_of(s, datatype)?;
    let made = Layout::from_pieces(vec![Piece { base, count, extent, bytes }]).map(Arc::new);
    if base == 0 {
        let known = &mut s.checker.flights.layouts;
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert((datatype, count), made.clone());
    }
    made
}

/// Number of partitions of a call that creates a partitioned request; 1 for all others.
pub(super) fn partitions(s: &CallContext<'_>) -> u64 {
    s.view.number(Slot::Partitions).map_or(1, |n| n.max(0) as u64)
}

/// Whether the received data of the call may land in a shadow.
pub(super) fn can_redirect(s: &CallContext<'_>, gives: Option<&Side>) -> bool {
    let in_place = gives.is_some_and(|side| side.buffer.in_place);
    // What goes in place there is longer than what comes out.
    !(in_place && matches!(s.view.plan.facts.flow, Flow::ReduceScatter | Flow::ReduceScatterBlock))
}

/// The significant buffers of a call: operations that ignore a buffer do not use it.
pub(super) fn ignored(s: &CallContext<'_>) -> bool {
    let proc_null = i64::from(s.view.process.mpi.constants.proc_null);
    matches!(s.view.plan.role, Role::Access) && s.view.number(Slot::Peer) == Some(proc_null)
}

/// An access that only reads has no origin buffer.
pub fn ignores_origin(s: &CallContext<'_>) -> bool {
    if !matches!(s.view.plan.role, Role::Access) {
        return false;
    }
    let op = s.view.param(Slot::Op).and_then(|p| s.view.handle(p));
    let name = op.and_then(|h| s.checker.ops.get(s.view.process.ops.id(h) as usize));
    name == Some(&"MPI_NO_OP")
}

/// The buffers of a call, by the arguments that point to them.
pub(super) fn plan(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>, lasting: bool) -> Vec<Planned> {
    // What one buffer gives and gets; accesses have one for each.
    let exchange = s.view.plan.facts.flow == Flow::Exchange && s.view.plan.role != Role::Access;
    let redirects = lasting && can_redirect(s, gives);
    let mut planned = Vec::new();
    let skip = exchange || ignores_origin(s);
    for side in [gives.filter(|_| !skip), gets].into_iter().flatten() {
        if let Some(one) = plan_side(s, side, lasting, redirects) {
            planned.push(one);
        }
    }
    planned
}

/// The compare buffer of `MPI_Compare_and_swap`, which may be read until the access is complete.
pub(super) fn compared(s: &mut CallContext<'_>, place: &CommPosition) -> Option<Planned> {
    let side = transfer::compared(&s.view, place, &s.checker.types)?;
    plan_side(s, &side, true, false)
}

pub(super) fn plan_side(s: &mut CallContext<'_>, side: &Side, lasting: bool, redirects: bool) -> Option<Planned> {
    let at = buffer_location::locate(&s.view, side.param?)?;
    let whole = layout(s, side)?;
    let n = partitions(s);
    let layouts = if n > 1 && n <= MOST_PARTITIONS && side.pieces.is_empty() {
        let extent = s.checker.types.get(side.datatype as usize)?.extent;
        let step = extent.checked_mul(side.count as i64)?;
        (0..n).map(|i| elements(s, side.datatype, step * i as i64, side.count)).collect::<Option<Vec<_>>>()?
    } else {
        vec![Arc::clone(&whole)]
    };
    let message = matches!(s.view.plan.role, Role::Receive | Role::SendReceive | Role::MatchedReceive) && n <= 1;
    let writes = side.writes;
    let mut one = Planned {
        base: at.base,
        layouts,
        writes,
        message,
        is_list: false,
        readable: false,
        exposed: false,
        rewritten: false,
        shadow: 0,
        block: None,
    };
    if !lasting || s.view.process.config.check_bytes == 0 {
        return Some(one);
    }
    let (begin, end) = ends(at.base, &whole);
    let mut exposed = false;
    s.checker.flights.exposed.meeting(begin, end, |_| {
        exposed = true;
        false
    });
    if !is_ordinary(s, at.base, &whole, writes) {
        return Some(one);
    }
    one.readable = !writes;
    if exposed {
        // What others write there has to be seen in the window at once. Of an access it is known from which call on they may.
        one.exposed = s.view.plan.role == Role::Access;
        one.readable &= one.exposed;
        return Some(one);
    }
    one.rewritten = !writes && matches!(s.view.plan.role, Role::Collective(_));
    // A broadcast may go over another process and come back to its root, which would undo what the program has written there.
    let comes_back = one.rewritten && s.view.plan.facts.flow == Flow::Broadcast;
    // A page that cannot be written would be no use to an adaptor. A start that nothing follows must find its message.
    let guarded = !writes
        && !s.view.plan.persistent
        && (comes_back
            || (s.view.process.config.guard == Guard::All
                && (one.rewritten || !page_guard::whole_pages(at.base, &whole).is_empty())));
    let wide = (end - begin) <= whole.payload.saturating_mul(WIDEST).max(WIDE);
    if guarded || (writes && redirects) {
        let most = s.view.process.config.check_bytes.saturating_mul(SHADOWS);
        let room = if wide { s.checker.flights.pool.allocate(at.base, whole.span, most) } else { None };
        match room {
            Some((block, shadow)) => {
                (one.block, one.shadow, one.readable) = (Some(block), shadow, true);
                buffer_location::replace(s, &at, shadow);
            }
            None => s.checker.flights.left_alone += u64::from(writes),
        }
    }
    Some(one)
}

/// Arrays of counts, displacements and datatypes of a collective operation that continues after the call: they must not change
/// before it is complete (MPI-5.0 §6.12). Not those of Fortran, which may be copies that the compiler made for the call.
pub(super) fn lists(s: &mut CallContext<'_>, place: &CommPosition) -> Vec<Planned> {
    let plan = s.view.plan;
    if !matches!(plan.role, Role::Collective(_)) || plan.fortran || plan.persistent || place.is_idle(&s.view) {
        return Vec::new();
    }
    let without_sends = transfer::replaced(&s.view, Slot::Buffer);
    let mut planned = Vec::new();
    for (at, param) in plan.params.iter().enumerate() {
        let is_list = param.is(param_flag::ARRAY) && param.is(param_flag::IN);
        let is_one = is_list && matches!(param.class, class::COUNT | class::DISPLACEMENT | class::TYPE);
        let here = |slot| plan.number(slot) == Some(at as u8);
        let of_sends = here(Slot::Count) || here(Slot::Type) || here(Slot::Displacements);
        // Reductions have one list, which counts whatever is in place.
        let is_ignored = without_sends && of_sends && plan.facts.flow != Flow::ReduceScatter;
        if !is_one || is_ignored || (param.is(param_flag::AT_ROOT) && !place.at_root) {
            continue;
        }
        let receives = mpiscope_abi::param_name(param).starts_with('r');
        let Some(n) = place.pieces(&s.view, receives).filter(|&n| n > 0) else { continue };
        let Some(base) = s.view.word(param).filter(|&base| base != 0) else { continue };
        let each = match param.class {
            class::TYPE if s.view.process.int_handles => 4,
            class::TYPE => size_of::<usize>(),
            _ if param.is(param_flag::WIDE) => 8,
            _ => 4,
        };
        let bytes = Arc::new(Bytes::dense((n * each) as u64));
        let Some(layout) = Layout::from_pieces(vec![Piece { base: 0, count: 1, extent: 0, bytes }]) else { continue };
        let readable = s.view.process.config.check_bytes > 0 && is_ordinary(s, base, &layout, false);
        planned.push(Planned {
            base,
            layouts: vec![Arc::new(layout)],
            writes: false,
            message: false,
            is_list: true,
            readable,
            exposed: false,
            rewritten: false,
            shadow: 0,
            block: None,
        });
    }
    planned
}

/// Whether this process can access all of it directly.
pub(super) fn is_ordinary(s: &mut CallContext<'_>, base: u64, layout: &Layout, write: bool) -> bool {
    let (begin, end) = ends(base, layout);
    if begin >= end {
        return false;
    }
    let memory = &mut s.checker.memory;
    if memory.is_ordinary(begin, end - begin, write) {
        return buffer_location::is_mapped(begin, end);
    }
    // Pieces far from each other.
    if layout.dense || layout.steps > 1024 {
        return false;
    }
    let mut all = true;
    layout.each(|at, len| {
        let from = base.wrapping_add_signed(at);
        all = memory.is_ordinary(from, len, write) && buffer_location::is_mapped(from, from + len);
        all
    });
    all
}

/// Whether all of it is still mapped.
pub(super) fn is_there(base: u64, layout: &Layout) -> bool {
    let (begin, end) = ends(base, layout);
    if buffer_location::is_mapped(begin, end) {
        return true;
    }
    let mut all = !layout.dense;
    layout.each(|at, len| {
        let from = base.wrapping_add_signed(at);
        all &= buffer_location::is_mapped(from, from + len);
        all
    });
    all
}

/// Reports operations that use the same bytes; returns whether there are any.
pub(super) fn meets(s: &mut CallContext<'_>, base: u64, layout: &Layout, writes: bool) -> bool {
    let flights = &mut s.checker.flights;
    if flights.writes.is_empty() && (!writes || flights.reads.is_empty()) {
        return false;
    }
    let found = flights.meeting(base, layout, writes);
    let mut is_reported = false;
    for &(id, bytes) in &found {
        let Some(other) = s.checker.flights.get(id) else { continue };
        let (function, origin) = (other.function, other.site);
        other.is_reported = true;
        s.checker.flights.let_be(id);
        // One finding for a call is enough.
        if !std::mem::replace(&mut is_reported, true) {
            let name = mpiscope_abi::name(function.into());
            s.find_from(rule::BUFFER_IN_USE, None, [bytes as i64, 0, 0], name, origin);
        }
    }
    is_reported
}

/// Number of bytes that a receiving call would write more than once, and what overlaps (MPI-5.0 §3.2.4, §6.5).
pub fn written_twice(s: &mut CallContext<'_>, side: &Side) -> Option<(u64, &'static str)> {
    if !side.writes || side.buffer.special || side.buffer.in_place || (side.dense && side.pieces.len() <= 1) {
        return None;
    }
    let if_any = |bytes: u64, text| (bytes > 0).then_some((bytes, text));
    if side.pieces.is_empty() {
        let one = elements(s, side.datatype, 0, 1)?;
        if let Some(found) = if_any(one.overlap(), "blocks of the datatype overlap") {
            return Some(found);
        }
        let all = elements(s, side.datatype, 0, side.count.checked_mul(side.times)?)?;
        return if_any(all.overlap(), "elements of the datatype overlap because of its extent");
    }
    for (i, &count) in side.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let datatype = side.datatypes.get(i).copied().unwrap_or(side.datatype);
        if s.checker.types.get(datatype as usize).is_none_or(|t| !t.is_dense())
            && let Some(found) = if_any(elements(s, datatype, 0, count)?.overlap(), "elements of a datatype overlap")
        {
            return Some(found);
        }
    }
    let mut spans = side.pieces.clone();
    spans.sort_unstable();
    if spans.windows(2).all(|two| two[0].1 <= two[1].0) {
        return None;
    }
    if_any(layout(s, side)?.overlap(), "data from different processes overlap")
}
