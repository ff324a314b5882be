//! Probes, the messages that matched probes have found, and their receives.

use std::collections::HashSet;

use mpiscope_abi::role::Role;
use mpiscope_trace::check::event::{Body, flag, need};

use super::messages::{asked, data};
use super::operations::operation;
use crate::check::tracked::WordMap;
use crate::check::transfer::Side;
use crate::check::view::Slot;
use crate::check::{CallContext, info_assertions, statuses};

/// The arguments of a pending probe.
#[derive(Default)]
pub struct Probe {
    /// Source and tag; `None` for wildcards.
    asked: Option<(Option<i32>, Option<i32>)>,
    /// Number of the message that a blocking matched probe will find.
    message: u64,
}

impl Probe {
    /// Prepares for the next call.
    #[inline]
    pub fn clear(&mut self) {
        *self = Probe::default();
    }
}

/// Messages that matched probes have found, by handle.
#[derive(Default)]
pub struct Messages {
    /// Messages that are not yet received: number and communicator.
    found: WordMap<u64, (u64, u32)>,
    /// Handles of received messages: the MPI may reuse them.
    received: HashSet<u64>,
    last: u64,
}

impl Messages {
    /// Whether the message with this handle was already received.
    pub fn is_received(&self, handle: u64) -> bool {
        self.received.contains(&handle)
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

pub fn matched(s: &mut CallContext<'_>, side: Option<&Side>) {
    let param = s.view.param(Slot::Message);
    let handle = param.and_then(|p| s.view.stored(p, s.view.word(p)?, 0));
    let Some((message, comm)) = handle.and_then(|h| s.checker.messages.found.remove(&h)) else {
        // Of MPI_PROC_NULL, or matched out of sight.
        s.open.blocking = false;
        return;
    };
    s.checker.messages.received.extend(handle);
    s.head_comm = comm;
    s.open.comm = comm;
    let body = Body::ReceiveMatched { op: 0, message, data: data(s, side) };
    operation(s, [(body, info_assertions::of_length(s))]);
}

#[inline]
pub fn probe(s: &mut CallContext<'_>) {
    let (source, tag) = asked(s, Slot::Peer, Slot::Tag);
    let is_proc_null = source == Some(s.view.process.mpi.constants.proc_null);
    s.open.wild = source.is_none() || tag.is_none();
    info_assertions::wild(s, [(source.is_none(), Slot::Peer), (tag.is_none(), Slot::Tag)]);
    s.open.probe.asked = Some((source, tag));
    if s.view.plan.number(Slot::Flag).is_some() {
        return;
    }
    let message = if s.view.plan.role == Role::MatchedProbe { s.checker.messages.next() } else { 0 };
    s.open.probe.message = message;
    s.open.blocking = true;
    let source = if is_proc_null { Some(-1) } else { source };
    s.emit(flag::BLOCKING | if is_proc_null { flag::PROC_NULL } else { 0 }, Body::Probe { source, tag, message });
}

#[inline]
pub fn probed(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let Some((source, tag)) = s.open.probe.asked else { return };
    if let Some(flag) = s.view.param(Slot::Flag).and_then(|p| s.view.word(p)) {
        // SAFETY: the MPI has just written it.
        if flag == 0 || unsafe { *(flag as *const i32) } == 0 {
            let is_proc_null = source == Some(s.view.process.mpi.constants.proc_null);
            let key = 1 | u64::from(source.unwrap_or(-7) as u32) << 32 | u64::from(tag.unwrap_or(-7) as u32) << 1;
            if !is_proc_null {
                let body = Body::Poll { ops: Vec::new(), need: need::ALL, probe: Some((source, tag)) };
                s.ask(body, key ^ u64::from(s.head_comm) << 17);
            }
            return;
        }
    }
    let known = statuses::received(s).map(|(source, tag, _)| (source, tag));
    let Some((source, tag)) = known.or(source.zip(tag)) else { return };
    let mut message = 0;
    if plan.role == Role::MatchedProbe {
        message = if plan.number(Slot::Flag).is_some() { s.checker.messages.next() } else { s.open.probe.message };
        let handle = s.view.param(Slot::Message).and_then(|p| s.view.stored(p, s.view.word(p)?, 0));
        if let Some(handle) = handle.filter(|&h| !s.view.nulls.is_predefined(h)) {
            let comm = s.head_comm;
            s.checker.messages.received.remove(&handle);
            s.checker.messages.found.insert(handle, (message, comm));
        }
    }
    if source >= 0 {
        let (any_source, any_tag) =
            s.open.probe.asked.map_or((false, false), |(source, tag)| (source.is_none(), tag.is_none()));
        let flags = if any_source { flag::ANY_SOURCE } else { 0 } | if any_tag { flag::ANY_TAG } else { 0 };
        s.emit(flags, Body::Found { source, tag, message });
    }
}
