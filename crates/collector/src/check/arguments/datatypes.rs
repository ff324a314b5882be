//! Constructors of datatypes, their contents, and packing.

use mpiscope_abi::id;
use mpiscope_abi::spec::class;
use mpiscope_trace::check::rule;

use super::{list, number};
use crate::check::{CallContext, types};
use crate::mpi::call;

/// `MPI_ORDER_C` or `MPI_ORDER_FORTRAN`.
fn order(s: &mut CallContext<'_>) {
    let Some(order) = number(s, "order") else { return };
    if !types::orders(s.view.process.mpi.constants.family).contains(&order) {
        s.find(rule::VALUE, s.view.plan.named("order"), [order, 0, 0], "MPI_ORDER_C or MPI_ORDER_FORTRAN");
    }
}

pub fn subarray(s: &mut CallContext<'_>) {
    order(s);
    let Some(n) = number(s, "ndims") else { return };
    if n <= 0 {
        return s.find(rule::VALUE, s.view.plan.named("ndims"), [n, 0, 0], "at least 1");
    }
    let lists = (list(s, "array_of_sizes", n), list(s, "array_of_subsizes", n), list(s, "array_of_starts", n));
    let (Some(sizes), Some(inner), Some(starts)) = lists else { return };
    for i in 0..sizes.len() {
        let bad = if inner[i] < 1 || inner[i] > sizes[i] {
            Some(("array_of_subsizes", inner[i]))
        } else if starts[i] < 0 || starts[i] + inner[i] > sizes[i] {
            Some(("array_of_starts", starts[i]))
        } else {
            None
        };
        if let Some((name, value)) = bad {
            let text = format!("a part of the array, which has {} elements in dimension {i}", sizes[i]);
            return s.find(rule::VALUE, s.view.plan.named(name), [value, sizes[i], i as i64], &text);
        }
    }
}

/// An array that is distributed over a grid of processes (MPI-5.0 §5.1.4).
pub fn darray(s: &mut CallContext<'_>) {
    order(s);
    let (Some(size), Some(rank), Some(n)) = (number(s, "size"), number(s, "rank"), number(s, "ndims")) else { return };
    if !(0..size).contains(&rank) {
        return s.find(rule::RANK, s.view.plan.named("rank"), [rank, size, 0], "of the process grid");
    }
    let (Some(array), Some(grid)) = (list(s, "array_of_gsizes", n), list(s, "array_of_psizes", n)) else { return };
    if let Some(&bad) = array.iter().find(|&&extent| extent < 1) {
        return s.find(rule::VALUE, s.view.plan.named("array_of_gsizes"), [bad, 0, 0], "at least 1");
    }
    if let Some(&bad) = grid.iter().find(|&&extent| extent < 1) {
        return s.find(rule::VALUE, s.view.plan.named("array_of_psizes"), [bad, 0, 0], "at least 1");
    }
    let product = grid.iter().fold(1i64, |all, &extent| all.saturating_mul(extent));
    if product != size {
        let text = format!("a grid of {size} processes, the value of the argument size");
        s.find(rule::VALUE, s.view.plan.named("array_of_psizes"), [product, size, 0], &text);
    }
}

/// What a datatype was made from: it has to be a derived one, and there has to be room for all of it (MPI-5.0 §5.1.13).
pub fn contents(s: &mut CallContext<'_>) {
    let param = s.view.plan.named("datatype");
    let Some(handle) = param.and_then(|p| s.view.handle(p)) else { return };
    let Some(known) = s.checker.objects.get(class::TYPE, handle).copied().filter(|t| t.live > 0) else { return };
    if known.predefined {
        return s.find(rule::TYPE, param, [0; 3], "a predefined datatype has no contents");
    }
    let mut needed = [0i32; 3];
    let [integers, addresses, types] = &mut needed;
    let mut combiner = 0;
    // What has counts of its own has another envelope.
    if number(s, "max_large_counts").is_some()
        || !call::Type_get_envelope(handle as usize, integers, addresses, types, &mut combiner)
    {
        return;
    }
    for (name, needed) in ["max_integers", "max_addresses", "max_datatypes"].into_iter().zip(needed) {
        if let Some(room) = number(s, name).filter(|&room| room < i64::from(needed)) {
            let text = format!("room for all {needed}");
            return s.find(rule::VALUE, s.view.plan.named(name), [room, needed.into(), 0], &text);
        }
    }
}

/// Packing and unpacking: from the position on there has to be room, or data. The representation that this MPI uses by itself
/// is the one in memory, without anything added.
pub fn packed(s: &mut CallContext<'_>) {
    let base = s.view.plan.base;
    let packs = matches!(base, id::Pack | id::Pack_external);
    let (count, size) = if packs { ("incount", "outsize") } else { ("outcount", "insize") };
    let (Some(count), Some(room), Some(at)) = (number(s, count), number(s, size), number(s, "position")) else {
        return;
    };
    let Some(handle) = s.view.plan.named("datatype").and_then(|p| s.view.handle(p)) else { return };
    let bytes = match base {
        id::Pack | id::Unpack => {
            let id = s.view.process.types.id(handle) as usize;
            s.checker.types.get(id).map(|t| t.size as i64).filter(|&bytes| bytes > 0)
        }
        // Numbers have another size there.
        _ if s.view.plan.fortran => None,
        _ => s.view.plan.named("datarep").and_then(|p| s.view.word(p)).and_then(|name| {
            let mut bytes = 0isize;
            call::Pack_external_size(name as *const u8, 1, handle as usize, &mut bytes).then_some(bytes as i64)
        }),
    };
    let Some(bytes) = bytes.map(|each| each.saturating_mul(count)).filter(|&bytes| bytes > 0) else { return };
    if at < 0 {
        return s.find(rule::VALUE, s.view.plan.named("position"), [at, 0, 0], "at least 0");
    }
    if at.saturating_add(bytes) > room {
        let text = format!("the buffer has {room} bytes, and the position is {at}");
        s.find(rule::BUFFER_SHORT, s.view.plan.named(size), [bytes, (room - at).max(0), 0], &text);
    }
}
