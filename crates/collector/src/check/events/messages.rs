//! Sends and receives.

use mpiscope_trace::check::event::{Body, Data, flag};

use crate::check::transfer::Side;
use crate::check::view::Slot;
use crate::check::{CallContext, info_assertions};

pub fn data(s: &CallContext<'_>, side: Option<&Side>) -> Data {
    match side {
        Some(side) => Data { count: side.count.saturating_mul(side.times), ..side.data() },
        // To and from MPI_PROC_NULL.
        None => {
            let datatype = s.view.param(Slot::Type).and_then(|p| s.view.handle(p));
            Data {
                address: 0,
                count: s.view.number(Slot::Count).unwrap_or(0).max(0) as u64,
                datatype: datatype.map_or(0, |handle| s.view.process.types.id(handle)),
            }
        }
    }
}

fn partitioned(s: &CallContext<'_>) -> u16 {
    if s.view.plan.number(Slot::Partitions).is_some() { flag::PARTITIONED } else { 0 }
}

pub fn send(s: &CallContext<'_>, side: Option<&Side>, mode: u64) -> (Body, u16) {
    let c = &s.view.process.mpi.constants;
    let dest = s.view.number(Slot::Peer).unwrap_or(-1) as i32;
    let tag = s.view.number(Slot::Tag).unwrap_or(0) as i32;
    let is_proc_null = dest == c.proc_null;
    let flags = partitioned(s) | if is_proc_null { flag::PROC_NULL } else { 0 };
    let partitions = s.view.number(Slot::Partitions).map_or(0, |n| u32::try_from(n).unwrap_or(0));
    (
        Body::Send { op: 0, mode, partitions, dest: if is_proc_null { -1 } else { dest }, tag, data: data(s, side) },
        flags,
    )
}

pub fn receive(s: &mut CallContext<'_>, side: Option<&Side>, source: Slot, which: Slot) -> (Body, u16) {
    let (from, tag) = asked(s, source, which);
    let is_proc_null = from == Some(s.view.process.mpi.constants.proc_null);
    s.open.wild = from.is_none() || tag.is_none();
    info_assertions::wild(s, [(from.is_none(), source), (tag.is_none(), which)]);
    let flags = partitioned(s) | info_assertions::of_length(s) | if is_proc_null { flag::PROC_NULL } else { 0 };
    let source = if is_proc_null { Some(-1) } else { from };
    (Body::Receive { op: 0, source, tag, data: data(s, side) }, flags)
}

/// Source and tag of a receive or probe, without wildcards.
pub fn asked(s: &CallContext<'_>, source: Slot, tag: Slot) -> (Option<i32>, Option<i32>) {
    let c = &s.view.process.mpi.constants;
    let source = s.view.number(source).map(|n| n as i32).filter(|&n| n != c.any_source);
    (source, s.view.number(tag).map(|n| n as i32).filter(|&n| n != c.any_tag))
}
