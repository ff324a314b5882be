//! Requests that a call makes, and generalised ones.

use mpiscope_abi::id;
use mpiscope_abi::role::Role;
use mpiscope_trace::check::event::Body;
use mpiscope_trace::check::rule;

use crate::check::requests::Request;
use crate::check::view::Slot;
use crate::check::{CallContext, arguments, inflight, statuses};

/// The program completes the operation of a generalised request.
pub fn generalized(s: &mut CallContext<'_>) {
    let param = s.view.param(Slot::Request);
    // The request is passed itself, not where it is kept.
    let Some(handle) = param.and_then(|p| s.view.handle(p)) else { return };
    let Some(request) = s.checker.requests.get_mut(handle, 0) else { return };
    let is_generalized = u32::from(request.function) & !mpiscope_abi::LARGE == id::Grequest_start;
    let (op, was_complete) = (request.ops[0], std::mem::replace(&mut request.is_reported_complete, true));
    match () {
        () if !is_generalized => s.find(rule::REQUEST, param, [0; 3], "not created by MPI_Grequest_start"),
        () if was_complete => {
            s.find(rule::REQUEST_STALE, param, [0; 3], "MPI_Grequest_complete was already called for it")
        }
        () if op != 0 => s.emit(0, Body::Generalized { op, is_complete: true }),
        () => {}
    }
}

/// The handle that the call's new request is going to be stored over.
pub fn overwrites(s: &mut CallContext<'_>) {
    if !s.view.plan.makes_request {
        return;
    }
    let Some(param) = s.view.param(Slot::Request) else { return };
    let Some(kept_at) = s.view.word(param).filter(|&w| w != 0) else { return };
    if let Some(handle) = s.view.stored(param, kept_at, 0) {
        let site = s.site;
        s.checker.requests.overwrite(handle, kept_at, site);
    }
}

pub fn new_request(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let Some(param) = s.view.param(Slot::Request) else { return };
    let Some(kept_at) = s.view.word(param).filter(|&w| w != 0) else { return };
    let Some(handle) = s.view.stored(param, kept_at, 0) else { return };
    if handle == s.view.nulls.null(param.class) {
        return;
    }
    inflight::initialised(s);
    let start_events = s.open.operation.take_start_events();
    let partitions = match s.view.number(Slot::Partitions) {
        Some(n) => vec![false; n.clamp(0, 1 << 16) as usize],
        _ => Vec::new(),
    };
    let request = Request {
        ops: s.open.operation.reported_ops(),
        persistent: plan.persistent,
        active: !plan.persistent,
        start_events,
        function: plan.function as u16,
        site: s.site,
        made: s.site,
        comm: s.head_comm,
        sends: matches!(plan.role, Role::Send(_)) || plan.base == id::Grequest_start,
        cancelled: false,
        overwritten: 0,
        wild: s.open.wild,
        kept_at,
        is_reported_complete: false,
        partitions,
        buffers: s.open.buffers.take_buffers(),
        makes: made(s),
        waiter: 0,
        receives: statuses::datatype(s),
    };
    s.checker.requests.made(handle, request);
}

/// The communicator that the call's request is going to make.
fn made(s: &CallContext<'_>) -> u64 {
    let new = s.view.param(Slot::NewHandle).and_then(|p| s.view.handle(p));
    new.filter(|_| arguments::is_idup(s.view.plan.base as u16)).unwrap_or(0)
}
