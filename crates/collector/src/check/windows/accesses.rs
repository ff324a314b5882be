//! Accesses to the memory of other processes.

use mpiscope_abi::id;
use mpiscope_trace::check::event::{Body, Data, MOST_CONTENT, access};
use mpiscope_trace::check::rule;

use super::target;
use crate::check::CallContext;
use crate::check::transfer::Side;
use crate::check::view::Slot;

/// An access to another process's memory; the operations of its request, if it makes one.
pub fn access(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>, op: u64) -> Body {
    let base = s.view.plan.base;
    let window = s.window();
    let to = target(s);
    let is_proc_null = to == i64::from(s.view.process.mpi.constants.proc_null);
    let makes_request = s.view.plan.makes_request;
    let entry = s.checker.windows.get_mut(&window).filter(|_| !is_proc_null);
    if let Some(text) = entry.and_then(|w| w.epochs.accessed(to, makes_request)) {
        s.find(rule::NO_EPOCH, s.view.param(Slot::Window), [0; 3], &text);
    }
    let what = match base {
        id::Put | id::Rput => access::PUT,
        id::Get | id::Rget => access::GET,
        _ => access::ACCUMULATE,
    };
    let handle = |slot| s.view.param(slot).and_then(|p| s.view.handle(p));
    let reduction = handle(Slot::Op).map_or(0, |h| s.view.process.ops.id(h));
    let origin = gives.or(if what == access::GET { gets } else { None }).map(Side::data).unwrap_or_default();
    let result = if what == access::ACCUMULATE { gets.map(Side::data).unwrap_or_default() } else { Data::default() };
    let displacement = s.view.number(Slot::TargetDisplacement).unwrap_or(0);
    let at_target = Data {
        address: displacement as u64,
        count: s.view.number(Slot::TargetCount).unwrap_or(1).max(0) as u64,
        datatype: handle(Slot::TargetType).or_else(|| handle(Slot::Type)).map_or(0, |h| s.view.process.types.id(h)),
    };
    let content = if what == access::PUT && !s.open.wrong { content(gives) } else { Vec::new() };
    Body::Access { window, what, op, target: to as i32, reduction, origin, result, at_target, content }
}

/// The first bytes of what lies in one piece.
fn content(side: Option<&Side>) -> Vec<u8> {
    let Some(side) = side.filter(|s| s.dense && !s.buffer.special && s.span.1 > s.span.0 && s.buffer.address >= 4096)
    else {
        return Vec::new();
    };
    let bytes = usize::try_from(side.span.1 - side.span.0).unwrap_or(0).min(MOST_CONTENT);
    let first = side.buffer.address.wrapping_add_signed(side.span.0) as *const u8;
    // SAFETY: the call reads the same bytes; volatile, as another thread may write them.
    (0..bytes).map(|at| unsafe { first.add(at).read_volatile() }).collect()
}
