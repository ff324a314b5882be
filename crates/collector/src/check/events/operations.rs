//! The events of one operation: written before the call, or with each start of its request.

use mpiscope_abi::role::Role;
use mpiscope_trace::check::event::{Body, flag};
use mpiscope_trace::check::words::Again;

use crate::check::CallContext;

/// The operation of a pending call.
#[derive(Default)]
pub struct Operation {
    /// It is reported, now or with each start.
    tells: bool,
    /// Its numbers; a combined send and receive has two.
    ops: [u64; 2],
    /// Its events, for each start.
    told: Vec<(Body, u16)>,
    /// Its events, for the next call with these arguments.
    again: Vec<Again>,
}

impl Operation {
    /// For the next call.
    #[inline]
    pub fn clear(&mut self) {
        (self.tells, self.ops) = (false, [0; 2]);
        self.told.clear();
        self.again.clear();
    }

    /// It is reported by other events; its number if its completion is.
    pub fn is_reported_as(&mut self, op: u64) {
        self.tells = true;
        self.ops[0] = op;
    }

    /// Its numbers, 0 where there is none.
    pub fn ops(&self) -> [u64; 2] {
        self.ops
    }

    /// The same if other processes have its events.
    pub fn reported_ops(&self) -> [u64; 2] {
        if self.tells { self.ops } else { [0; 2] }
    }

    /// Its events, for each start.
    pub fn take_told(&mut self) -> Vec<(Body, u16)> {
        std::mem::take(&mut self.told)
    }

    /// Its events, for the next call with these arguments.
    pub fn take_again(&mut self) -> Vec<Again> {
        std::mem::take(&mut self.again)
    }
}

/// Tells the parts of an operation, now or when its request is started.
pub fn operation<const N: usize>(s: &mut CallContext<'_>, mut parts: [(Body, u16); N]) {
    let plan = s.view.plan;
    s.open.operation.tells = true;
    if plan.persistent {
        s.open.operation.told = parts.into();
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
        let words = s.say_ref(*flags | more | if waits { flag::BLOCKING } else { 0 }, body);
        let kept = is_kept.then(|| Again::from_words(words)).flatten();
        s.open.operation.again.extend(kept);
    }
}

/// Whether the call returns when its operation is complete.
fn waits(s: &CallContext<'_>) -> bool {
    !s.view.plan.makes_request && !matches!(s.view.plan.role, Role::Access)
}

/// Writes the parts of an operation as before with the same arguments.
pub fn again(s: &mut CallContext<'_>, parts: &[Again]) {
    s.open.operation.tells = true;
    s.open.blocking = waits(s);
    for (number, part) in parts.iter().enumerate() {
        let op = s.checker.requests.new_op();
        s.open.operation.ops[number.min(1)] = op;
        let head = s.head(part.flags);
        s.voice.say_again(head, op, part);
    }
}

/// Gives an event the number of its operation.
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
