//! Communicators that come from a session: their buffered messages use the session's buffer unless they have their own
//! (MPI-5.0 §3.6).

use mpiscope_abi::id;
use mpiscope_abi::spec::class;
use mpiscope_trace::check::event::{Body, flag};

use super::CallContext;
use super::tracked::WordMap;
use super::view::Slot;

/// What was made from sessions, by their handles.
#[derive(Default)]
pub struct Sessions {
    groups: WordMap<u64, u64>,
    comms: WordMap<u32, u64>,
    /// Those that have a buffer.
    attached: Vec<u64>,
}

impl Sessions {
    /// Communicators of a session, in the order of their ids.
    fn comms_of(&self, session: u64) -> Vec<u32> {
        let mut comms: Vec<u32> = self.comms.iter().filter(|(_, s)| **s == session).map(|(&comm, _)| comm).collect();
        comms.sort_unstable();
        comms
    }
}

fn session(s: &CallContext<'_>) -> Option<u64> {
    s.view.plan.named("session").and_then(|p| s.view.handle(p))
}

/// A call that makes groups and communicators has succeeded, or one that ends them.
pub fn followed(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let is_first = plan.base == id::Group_from_session_pset;
    if !is_first && s.checker.sessions.groups.is_empty() && s.checker.sessions.comms.is_empty() {
        return;
    }
    match plan.base {
        id::Group_free => {
            let freed = s.open.freed.unwrap_or(0);
            s.checker.sessions.groups.remove(&freed);
        }
        id::Comm_free | id::Comm_disconnect => {
            let comm = s.head_comm;
            s.checker.sessions.comms.remove(&comm);
        }
        id::Session_finalize => {
            let gone = s.open.freed.unwrap_or(0);
            let all = &mut s.checker.sessions;
            all.groups.retain(|_, session| *session != gone);
            all.comms.retain(|_, session| *session != gone);
            all.attached.retain(|&session| session != gone);
        }
        _ => {}
    }
    let Some(param) = s.view.param(Slot::NewHandle) else { return };
    let Some(new) = s.view.handle(param) else { return };
    let of_group = |name| {
        let group = plan.named(name).and_then(|p| s.view.handle(p))?;
        s.checker.sessions.groups.get(&group).copied()
    };
    let from = match plan.base {
        _ if is_first => session(s),
        id::Comm_create_from_group => of_group("group"),
        _ if param.class == class::GROUP => of_group("group").or_else(|| of_group("group1")),
        _ if param.class == class::COMM => s.checker.sessions.comms.get(&s.head_comm).copied(),
        _ => None,
    };
    let Some(from) = from else { return };
    if param.class == class::GROUP {
        s.checker.sessions.groups.insert(new, from);
        return;
    }
    let comm = s.view.process.comms.id(new);
    if comm == 0 {
        return;
    }
    s.checker.sessions.comms.insert(comm, from);
    if s.checker.sessions.attached.contains(&from) {
        report_attached(s, &[comm], u64::MAX);
    }
}

/// The buffer of these communicators is that of their session, or no more.
fn report_attached(s: &mut CallContext<'_>, comms: &[u32], bytes: u64) {
    let function = s.view.plan.function as u16;
    for &comm in comms {
        if !s.checker.bsend.has_own(comm) {
            s.emit_as(function, comm, 0, Body::Attached { bytes, overhead: 0 });
        }
    }
}

/// A session has got a buffer, or has it no more.
pub fn attached(s: &mut CallContext<'_>, has: bool) {
    let Some(session) = session(s) else { return };
    let all = &mut s.checker.sessions;
    all.attached.retain(|&other| other != session);
    if has {
        all.attached.push(session);
    }
    let comms = all.comms_of(session);
    report_attached(s, &comms, if has { u64::MAX } else { 0 });
}

/// Before a call that waits until a session's buffer is empty, or makes a request for that.
pub fn emptying(s: &mut CallContext<'_>) {
    let Some(session) = session(s) else { return };
    let bsend = &s.checker.bsend;
    let comms: Vec<u32> =
        s.checker.sessions.comms_of(session).into_iter().filter(|comm| !bsend.has_own(*comm)).collect();
    let Some(last) = comms.len().checked_sub(1) else { return };
    let waits = !s.view.plan.makes_request;
    s.open.blocking = waits;
    let function = s.view.plan.function as u16;
    let mut op = s.checker.requests.new_op();
    s.open.operation.is_reported_as(if waits { 0 } else { op });
    for (number, comm) in comms.into_iter().enumerate() {
        // A request stands for all of them.
        if waits && number > 0 {
            op = s.checker.requests.new_op();
        }
        let flags = if number < last { flag::MORE } else { 0 } | if waits { flag::BLOCKING } else { 0 };
        s.emit_as(function, comm, flags, Body::Flush { op });
    }
}
