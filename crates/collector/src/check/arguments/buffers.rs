//! Buffers: `MPI_IN_PLACE`, whether their memory exists, and whether those of one call overlap.

use mpiscope_abi::role::Role;
use mpiscope_abi::spec::{attribute, class, param_flag};
use mpiscope_abi::{Flow, Param, id};
use mpiscope_trace::check::rule;

use crate::check::memory::Inaccessible;
use crate::check::transfer::{CommPosition, Side};
use crate::check::view::Slot;
use crate::check::{CallContext, inflight};

pub fn in_place(s: &mut CallContext<'_>, place: &CommPosition) {
    use Flow as F;
    let plan = s.view.plan;
    let flow = plan.facts.flow;
    let inter = place.info.is_some_and(|c| c.remote_size > 0);
    let collective = matches!(plan.role, Role::Collective(_)) && !plan.facts.is(attribute::NEIGHBOR) && !inter;
    for (slot, what) in [(Slot::Buffer, "the send buffer"), (Slot::ReceiveBuffer, "the receive buffer")] {
        let Some(param) = s.view.param(slot) else { continue };
        if param.class != class::BUFFER || !s.view.buffer(param).in_place {
            continue;
        }
        // Windows and attached buffers: any address.
        if !plan.transfers {
            continue;
        }
        // Open MPI's MPI_IN_PLACE is the address 1, which programs may pass in arguments that are ignored.
        if param.is(param_flag::AT_ROOT) && !place.at_root {
            continue;
        }
        let known = place.info.is_some() || !matches!(plan.role, Role::Collective(_));
        let why = match (slot, flow) {
            _ if !known => continue,
            _ if place.is_idle(&s.view) => continue,
            _ if !collective => "this call does not allow it",
            (Slot::Buffer, F::Gather | F::GatherV | F::Reduce) if place.at_root => continue,
            (Slot::Buffer, F::Gather | F::GatherV | F::Reduce) => "allowed only at the root",
            (
                Slot::Buffer,
                F::Allgather
                | F::AllgatherV
                | F::Alltoall
                | F::AlltoallV
                | F::AlltoallW
                | F::Allreduce
                | F::ReduceScatter
                | F::ReduceScatterBlock,
            ) => continue,
            (Slot::ReceiveBuffer, F::Scatter | F::ScatterV) if place.at_root => continue,
            (Slot::ReceiveBuffer, F::Scatter | F::ScatterV) => "allowed only at the root",
            (Slot::Buffer, F::Broadcast) => "this call does not allow it",
            (Slot::Buffer, F::Scatter | F::ScatterV) => "here it replaces the receive buffer",
            _ => "here it replaces the send buffer",
        };
        let text = format!("{what}: {why}");
        s.find(rule::IN_PLACE, Some(param), [0; 3], &text);
    }
}

/// Whether the memory of a side exists. What was correct before is checked again only if that is cheap.
pub fn memory(s: &mut CallContext<'_>, side: &Side, is_new: bool) {
    let bytes = side.span.1.saturating_sub(side.span.0).max(0) as u64;
    if bytes == 0 || side.buffer.special || side.buffer.in_place {
        return;
    }
    let (from, to) = side.span;
    let at = |from: i64| side.buffer.address.wrapping_add_signed(from);
    if side.buffer.address == 0 && at(from) < 4096 {
        s.find(rule::BUFFER_NULL, side.param, [bytes as i64, 0, 0], "");
        return;
    }
    let mut ask = |from: i64, to: i64| {
        s.checker.memory.inaccessible(at(from), to.saturating_sub(from) as u64, side.writes).map(|why| (from, to, why))
    };
    let found = match () {
        () if !side.of_arrays => ask(from, from + 1).map(|(.., why)| (from, to, why)),
        () if side.pieces.len() <= 1 => in_one_array(&mut ask, side.dense, from, to),
        // Between the pieces may be anything.
        () => match ask(from, to) {
            None => None,
            Some(_) => side.pieces.iter().find_map(|&(from, to)| in_one_array(&mut ask, side.dense, from, to)),
        },
    };
    match found {
        Some((from, to, why)) => {
            not_accessible(s, side.param, at(from), to.saturating_sub(from) as u64, Some(why));
        }
        None if s.checker.memory.has_walked() || is_new => given_back(s, side.param, at(from), bytes),
        None => {}
    }
}

/// Reports a freed heap block: its pages stay mapped.
fn given_back(s: &mut CallContext<'_>, param: Option<&'static Param>, address: u64, bytes: u64) {
    if s.checker.memory.is_freed(address) {
        s.find(rule::BUFFER_UNMAPPED, param, [bytes as i64, 0, address as i64], "the heap block is freed");
    }
}

/// What is wrong with a range; if it is not dense, its first and last byte are data, and all of it belongs to one array.
fn in_one_array(
    ask: &mut impl FnMut(i64, i64) -> Option<(i64, i64, Inaccessible)>,
    is_dense: bool,
    from: i64,
    to: i64,
) -> Option<(i64, i64, Inaccessible)> {
    match ask(from, to) {
        // Pages of the gaps may be away.
        Some(found @ (.., Inaccessible::Unmapped(..))) if !is_dense => {
            (ask(from, from + 1).is_some() || ask(to - 1, to).is_some()).then_some(found)
        }
        found => found,
    }
}

/// Reports inaccessible memory.
fn not_accessible(
    s: &mut CallContext<'_>,
    param: Option<&'static Param>,
    address: u64,
    bytes: u64,
    why: Option<Inaccessible>,
) {
    match why {
        None => {}
        Some(Inaccessible::Unmapped(reach, exists)) => {
            let text = if exists { "read-only" } else { "not mapped" };
            s.find(rule::BUFFER_UNMAPPED, param, [bytes as i64, reach as i64, address as i64], text);
        }
        Some(Inaccessible::Short(room)) => {
            s.find(rule::BUFFER_SHORT, param, [bytes as i64, room as i64, address as i64], "end of the heap block");
        }
    }
}

/// The memory of a new window: it must exist and must not be freed.
pub fn window_memory(s: &mut CallContext<'_>) {
    /// A larger value is not a size: with `MPI_BOTTOM` it means "all memory".
    const MOST: u64 = 1 << 46;
    let base = match s.view.plan.base {
        id::Win_create | id::Win_attach => s.view.plan.named("base"),
        _ => None,
    };
    let size = s.view.plan.named("size").map_or(0, |p| s.view.int(p));
    let Some((base, bytes)) = base.zip(u64::try_from(size).ok()).filter(|(_, bytes)| *bytes > 0) else { return };
    let buffer = s.view.buffer(base);
    // A descriptor holds its address.
    if buffer.special {
        return;
    }
    match buffer.address {
        0 if bytes < MOST => s.find(rule::BUFFER_NULL, Some(base), [size, 0, 0], ""),
        0..4096 => {}
        address => match s.checker.memory.inaccessible_now(address, bytes, false) {
            None => given_back(s, Some(base), address, bytes),
            why => not_accessible(s, Some(base), address, bytes, why),
        },
    }
}

pub fn overlap(s: &mut CallContext<'_>, gives: &Side, gets: &Side) {
    let plan = s.view.plan;
    let relevant = matches!(plan.role, Role::Collective(_) | Role::SendReceive) && plan.facts.flow != Flow::Exchange;
    let odd = |side: &Side| side.buffer.special || side.buffer.in_place || !side.dense || side.span.0 >= side.span.1;
    if !relevant || odd(gives) || odd(gets) {
        return;
    }
    let pieces = |side: &Side| if side.pieces.is_empty() { vec![side.span] } else { side.pieces.clone() };
    let common = |a: (i64, i64), b: (i64, i64)| {
        let at = |side: &Side, offset: i64| side.buffer.address as i128 + i128::from(offset);
        let begin = at(gives, a.0).max(at(gets, b.0));
        let end = at(gives, a.1).min(at(gets, b.1));
        (end - begin).max(0) as i64
    };
    if common(gives.span, gets.span) == 0 {
        return;
    }
    let mut bytes = 0;
    for a in pieces(gives) {
        for b in pieces(gets) {
            bytes += common(a, b);
        }
    }
    if bytes > 0 {
        s.find(rule::BUFFERS_OVERLAP, gets.param, [bytes, 0, 0], "");
    }
}

/// What the call writes must not overlap itself: an operation's result would be undefined.
pub fn twice(s: &mut CallContext<'_>, gets: &Side) {
    if let Some((bytes, text)) = inflight::written_twice(s, gets) {
        s.find(rule::WRITTEN_TWICE, gets.param, [bytes as i64, 0, 0], text);
    }
}
