//! Handles: whether an object exists, is of the right kind, committed, and may be freed here.

use mpiscope_abi::spec::{class, param_flag};
use mpiscope_abi::{Param, id};
use mpiscope_trace::check::rule;

use super::members;
use crate::check::handles::Strange;
use crate::check::transfer::CommPosition;
use crate::check::view::Slot;
use crate::check::{CallContext, lifetimes};

/// What a handle is.
enum State {
    Fine,
    Unknown,
    Null,
    Freed,
    Not(&'static str),
}

fn rule_of(class: u8) -> Option<u16> {
    Some(match class {
        class::COMM => rule::COMM,
        class::GROUP => rule::GROUP,
        class::TYPE => rule::TYPE,
        class::OP => rule::OP,
        class::WINDOW => rule::WINDOW,
        class::FILE => rule::FILE,
        class::INFO => rule::INFO,
        _ => return None,
    })
}

fn state(s: &CallContext<'_>, class: u8, handle: u64) -> State {
    if handle == s.view.nulls.null(class) {
        return State::Null;
    }
    match s.checker.objects.get(class, handle) {
        Some(known) if known.live > 0 => return State::Fine,
        Some(_) => return State::Freed,
        None => {}
    }
    if s.view.nulls.is_predefined(handle) {
        return State::Fine;
    }
    if s.checker.objects.is_other(class, handle) {
        return State::Not("a handle of another kind");
    }
    match s.view.nulls.judge(class, handle) {
        Strange::Null => State::Null,
        // Fortran handles of freed objects lead nowhere.
        Strange::Impossible(_) if s.view.plan.fortran => State::Not("already freed or never created"),
        Strange::Impossible(why) => State::Not(why),
        Strange::Possible => State::Unknown,
    }
}

pub fn handle(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
    let Some(rule) = rule_of(param.class) else { return };
    if param.is(param_flag::ARRAY) {
        if param.class == class::TYPE {
            type_list(s, param, place);
        }
        return;
    }
    let Some(handle) = s.view.handle(param) else { return };
    let plan = s.view.plan;
    let name = mpiscope_abi::name(plan.base);
    let frees = param.is(param_flag::OUT) && lifetimes::frees(plan.base);
    match state(s, param.class, handle) {
        // mpi4py sets the error handler of each communicator at once: wrong, but its user can do nothing about it.
        State::Fine
            if param.class == class::COMM
                && !plan.converts
                && plan.base != id::Comm_set_errhandler
                && is_being_made(s, handle) =>
        {
            s.find(rule, Some(param), [0; 3], "the operation that creates it is not complete");
        }
        State::Fine
            if param.class == class::COMM
                && !plan.converts
                && !plan.any_time
                && !s.checker.life.has_world()
                && is_worlds(s, handle) =>
        {
            s.find(
                rule,
                Some(param),
                [0; 3],
                "it exists only between MPI_Init and MPI_Finalize, even while a session is open",
            );
        }
        State::Fine => {
            let known = s.checker.objects.get(param.class, handle).copied().unwrap_or_default();
            if frees && known.predefined && param.class != class::GROUP && param.class != class::INFO {
                s.find(rule::FREED, Some(param), [0; 3], "it is predefined");
            } else if param.class == class::TYPE && !known.committed && needs_commit(s) {
                s.find_from(rule::UNCOMMITTED, Some(param), [0; 3], "", known.site);
            }
        }
        State::Unknown => {}
        State::Null => {
            let allowed = match param.class {
                _ if plan.converts => true,
                class::INFO => !name.starts_with("MPI_Info_"),
                class::FILE => name.ends_with("_errhandler"),
                class::COMM if mpiscope_abi::param_name(param) == "peer_comm" => !is_leader(s, place),
                // Significant at the leader only, which is not known here.
                class::GROUP if mpiscope_abi::param_name(param) == "remote_group" => true,
                class::TYPE => {
                    s.view.number(Slot::Count).unwrap_or(1) == 0 || s.view.number(Slot::ReceiveCount) == Some(0)
                }
                _ => false,
            };
            if !allowed {
                s.find(rule, Some(param), [0; 3], "null handle");
            }
        }
        State::Freed => {
            let known = s.checker.objects.get(param.class, handle).copied().unwrap_or_default();
            let rule = if frees { rule::FREED } else { rule };
            let text = if param.class == class::FILE { "already closed" } else { "already freed" };
            s.find_from(rule, Some(param), [0; 3], text, known.site);
        }
        State::Not(why) => s.find(rule, Some(param), [0; 3], why),
    }
}

/// One of the communicators that come with `MPI_Init` (MPI-5.0 §11.2).
fn is_worlds(s: &CallContext<'_>, handle: u64) -> bool {
    let c = &s.view.process.mpi.constants;
    [c.comm_world as u64, c.comm_self as u64].contains(&handle)
}

/// Whether a communicator comes from an operation that is still pending (MPI-5.0 §7.4.2).
fn is_being_made(s: &CallContext<'_>, handle: u64) -> bool {
    let known = s.checker.objects.get(class::COMM, handle);
    known.is_some_and(|t| is_idup(t.function)) && s.checker.requests.makes(handle)
}

/// Makes a communicator without blocking.
pub fn is_idup(function: u16) -> bool {
    matches!(u32::from(function), id::Comm_idup | id::Comm_idup_with_info)
}

fn is_leader(s: &CallContext<'_>, place: &CommPosition) -> bool {
    let leader = s.view.plan.named("local_leader");
    match (place.info, leader) {
        (Some(comm), Some(param)) => i64::from(comm.rank) == s.view.int(param),
        _ => false,
    }
}

fn needs_commit(s: &CallContext<'_>) -> bool {
    s.view.plan.transfers || s.view.plan.base == id::File_set_view
}

/// Datatypes of a `w` operation or a structure.
fn type_list(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
    let Some(array) = s.view.word(param) else { return };
    let counts = match mpiscope_abi::param_name(param) {
        "sendtypes" => s.view.param(Slot::Count),
        "recvtypes" => s.view.param(Slot::ReceiveCount),
        _ => s.view.plan.named("array_of_blocklengths"),
    };
    for i in 0..members(s, param, place) {
        if counts.and_then(|c| s.view.element(c, i)) == Some(0) {
            continue;
        }
        let Some(handle) = s.view.stored(param, array, i) else { return };
        let text = match state(s, class::TYPE, handle) {
            State::Fine => {
                let known = s.checker.objects.get(class::TYPE, handle).copied().unwrap_or_default();
                if !known.committed && needs_commit(s) {
                    s.find_from(rule::UNCOMMITTED, Some(param), [i as i64, 0, 0], "", known.site);
                    return;
                }
                continue;
            }
            State::Unknown => continue,
            State::Null => "null handle",
            State::Freed => "already freed",
            State::Not(why) => why,
        };
        s.find(rule::TYPE, Some(param), [i as i64, 0, 0], text);
        return;
    }
}

/// A message that a matched probe has found.
pub fn message(s: &mut CallContext<'_>, param: &'static Param) {
    if s.view.plan.converts {
        return;
    }
    let Some(handle) = s.view.word(param).and_then(|at| s.view.stored(param, at, 0)) else { return };
    let text = if handle == s.view.nulls.null(class::MESSAGE) {
        "null handle"
    } else if s.checker.messages.is_received(handle) {
        "already received"
    } else {
        return impossible(s, rule::MESSAGE, param, handle);
    };
    s.find(rule::MESSAGE, Some(param), [0; 3], text);
}

/// A session, also after the last one, when nothing else is looked at.
pub fn session(s: &mut CallContext<'_>) {
    let is_session = |p: &&Param| p.class == class::SESSION && p.is(param_flag::IN);
    let Some(param) = s.view.plan.params.iter().find(is_session) else { return };
    if s.view.plan.converts || param_flag::ARRAY & param.flags != 0 {
        return;
    }
    let Some(handle) = s.view.handle(param) else { return };
    if handle == s.view.nulls.null(class::SESSION) {
        return s.find(rule::SESSION, Some(param), [0; 3], "null handle");
    }
    let known = s.checker.objects.get(class::SESSION, handle).copied();
    match known {
        Some(gone) if gone.live == 0 => {
            s.find_from(rule::SESSION, Some(param), [0; 3], "already finalised", gone.site);
        }
        Some(_) => {}
        None => impossible(s, rule::SESSION, param, handle),
    }
}

/// Reports an unknown handle that cannot be valid.
pub fn impossible(s: &mut CallContext<'_>, rule: u16, param: &'static Param, handle: u64) {
    if let Strange::Impossible(why) = s.view.nulls.judge(param.class, handle) {
        s.find(rule, Some(param), [0; 3], why);
    }
}
