//! Persistent and partitioned requests: what a start and `MPI_Pready` begin, and what tests without completion end.

use mpiscope_abi::id;

use super::begin::begin;
use super::landing::{End, complete};
use super::{Id, unjudged};
use crate::check::CallContext;

/// `MPI_Start`, `MPI_Startall`.
pub fn start(s: &mut CallContext<'_>) {
    for (handle, kept_at) in s.open.requests.started().to_vec() {
        let Some(request) = s.checker.requests.get(handle, kept_at) else { continue };
        let Some(planned) = request.buffers.planned.clone() else { continue };
        let function = request.function;
        // Partitions that are sent are in flight from MPI_Pready on.
        let later = planned.iter().any(|one| !one.writes) && !request.partitions.is_empty();
        let active = if later { Vec::new() } else { begin(s, &planned, None, function) };
        s.open.buffers.begun.extend(&active);
        if let Some(request) = s.checker.requests.get_mut(handle, kept_at) {
            request.buffers.active = active;
        }
    }
}

/// `MPI_Pready` and its variants.
pub fn ready(s: &mut CallContext<'_>) {
    let Some(one) = s.open.requests.single() else { return };
    if s.view.plan.base == id::Parrived || s.open.wrong {
        return;
    }
    let Some(request) = s.checker.requests.get(one.handle, one.kept_at).filter(|r| r.active) else { return };
    let Some(planned) = request.buffers.planned.clone() else { return };
    let (function, partitions) = (request.function, s.open.requests.take_ready());
    for range in partitions {
        // Too many partitions for one each: all of them are one.
        let all_at_once = planned.iter().any(|p| p.layouts.len() == 1) && range != (0, 0);
        if all_at_once {
            continue;
        }
        let active = begin(s, &planned, Some(range), function);
        s.open.buffers.begun.extend(&active);
        if let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) {
            request.buffers.active.extend(active);
        }
    }
}

/// A test reported that a request is complete, but keeps the request (`MPI_Request_get_status`), or that a partition has arrived
/// (`MPI_Parrived`).
pub fn peeked(s: &mut CallContext<'_>) {
    let named = s.open.requests.take_named();
    let alone = named.len() == 1;
    let partition =
        (s.view.plan.base == id::Parrived).then(|| s.view.plan.named("partition").map(|p| s.view.int(p))).flatten();
    for one in named.iter().filter(|one| !one.nothing) {
        let Some(request) = s.checker.requests.get(one.handle, one.kept_at).filter(|r| r.active) else { continue };
        let all = &request.buffers.active;
        if all.is_empty() {
            continue;
        }
        let ids: Vec<Id> = match partition {
            Some(p) if all.len() > 1 => all.get(p as usize).copied().into_iter().collect(),
            Some(_) if request.buffers.planned.as_ref().is_none_or(|p| p.iter().any(|p| p.layouts.len() != 1)) => {
                all.clone()
            }
            // One flight for many partitions: not before all of them have come.
            Some(_) => Vec::new(),
            // Of several requests some may not be complete.
            None if alone || unjudged::is_complete(one.handle) => all.clone(),
            None => Vec::new(),
        };
        complete(s, &ids, End::PLAIN);
    }
    s.open.requests.put_named(named);
}
