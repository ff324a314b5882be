//! The events of one operation: written before the call, or with each start of its request.

use mpiscope_abi::role::Role;
use mpiscope_trace::check::event::{Body, flag};
use mpiscope_trace::check::words::Again;

use crate::check::CallContext;

/// The operation of a pending call.
#[derive(Default)]
pub struct Operation {
    /// Its events are written now, or at each start of its request.
    is_reported: bool,
    /// Numbers of its operations; a combined send and receive has two.
    ops: [u64; 2],
    /// Events to write at each start of a persistent request.
    start_events: Vec<(Body, u16)>,
    /// Events to write for the next call with the same arguments.
    cached: Vec<Again>,
}

impl Operation {
    /// Prepares for the next call.
    #[inline]
    pub fn clear(&mut self) {
        (self.is_reported, self.ops) = (false, [0; 2]);
        self.start_events.clear();
        self.cached.clear();
    }

    /// Other events report it. `op` is its number if its completion is an event, else 0.
    pub fn is_reported_as(&mut self, op: u64) {
        self.is_reported = true;
        self.ops[0] = op;
    }

    /// Numbers of its operations, 0 where there is none.
    pub fn ops(&self) -> [u64; 2] {
        self.ops
    }

    /// The same if its events were written, else 0.
    pub fn reported_ops(&self) -> [u64; 2] {
        if self.is_reported { self.ops } else { [0; 2] }
    }

    /// Takes the events to write at each start.
    pub fn take_start_events(&mut self) -> Vec<(Body, u16)> {
        std::mem::take(&mut self.start_events)
    }

    /// Takes the events to write for the next call with the same arguments.
    pub fn take_cached(&mut self) -> Vec<Again> {
        std::mem::take(&mut self.cached)
    }
}

/// Writes the events of an operation now, or keeps them for the starts of its request.
pub fn operation<const N: usize>(s: &mut CallContext<'_>, mut parts: [(Body, u16); N]) {
    let plan = s.view.plan;
    s.open.operation.is_reported = true;
    if plan.persistent {
        s.open.operation.start_events = parts.into();
        return;
    }
    let waits = waits(s);
    s.open.blocking = waits;
    // Receives of any source or tag are looked at each time.
    let is_kept = plan.can_be_known && !s.open.wild;
    let last = parts.len() - 1;
    for (number, (body, flags)) in parts.iter_mut().enumerate() {
        let op = s.checker.requests.new_op();
        // An access without a request has none.
        let op = if matches!(plan.role, Role::Access) && !plan.makes_request { 0 } else { op };
        s.open.operation.ops[number.min(1)] = op;
        set_op(body, op);
        let more = if number < last { flag::MORE } else { 0 };
        let words = s.emit_ref(*flags | more | if waits { flag::BLOCKING } else { 0 }, body);
        let kept = is_kept.then(|| Again::from_words(words)).flatten();
        s.open.operation.cached.extend(kept);
    }
}

/// Whether the call returns when its operation is complete.
fn waits(s: &CallContext<'_>) -> bool {
    !s.view.plan.makes_request && !matches!(s.view.plan.role, Role::Access)
}

/// Writes the same events as for the last call with the same arguments.
pub fn repeat(s: &mut CallContext<'_>, parts: &[Again]) {
    s.open.operation.is_reported = true;
    s.open.blocking = waits(s);
    for (number, part) in parts.iter().enumerate() {
        let op = s.checker.requests.new_op();
        s.open.operation.ops[number.min(1)] = op;
        let head = s.head(part.flags);
        s.writer.write_again(head, op, part);
    }
}

/// Sets the operation's number in an event.
pub fn set_op(body: &mut Body, number: u64) {
    match body {
        Body::Send { op, .. }
        | Body::Receive { op, .. }
        | Body::ReceiveMatched { op, .. }
        | Body::Collective { op, .. }
        | Body::Generalized { op, .. }
        | Body::Flush { op }
        | Body::Access { op, .. } => *op = number,
        _ => {}
    }
}
