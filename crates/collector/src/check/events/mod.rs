//! Events: what a call is going to do, and its result.
//!
//! [`before`] and [`after`] choose by the role of the function. The topics: [`operations`] the events of one operation,
//! [`messages`] sends and receives, [`probes`] probes and what they have found, [`collectives`] collective operations,
//! [`new_requests`] the request that a call makes, [`packing`] data that is packed. Windows, files, and calls that take requests
//! have files of their own.

mod collectives;
mod messages;
mod new_requests;
mod operations;
mod packing;
mod probes;

pub use new_requests::overwrites;
pub use operations::{Operation, set_op};
pub use packing::Packing;
pub use probes::{Messages, Probe};

use mpiscope_abi::id;
use mpiscope_abi::role::{Mode, Pattern, Role};
use mpiscope_trace::check::event::{Body, flag, need};

use super::arg_cache::Worked;
use super::view::Slot;
use super::{
    CallContext, buffered, completion, error_codes, files, info_assertions, sessions, statuses, transfer, windows,
};
use collectives::collective;
use messages::{receive, send};
use new_requests::{generalized, new_request};
use operations::{operation, repeat};
use packing::packed;
use probes::{matched, probe, probed};

/// Before the call.
pub fn before(s: &mut CallContext<'_>, worked: &Worked) {
    let plan = s.view.plan;
    let Worked { place, gives, gets, events } = worked;
    let (gives, gets) = (gives.as_ref(), gets.as_ref());
    if s.checker.bsend.has_some() {
        buffered::apart(s, gives);
        buffered::apart(s, gets);
    }
    if plan.role == Role::Send(Mode::Buffered) {
        buffered::sending(s, gives);
    }
    if !events.is_empty() && !s.open.wrong {
        return repeat(s, events);
    }
    match plan.role {
        Role::Send(mode) => {
            let body = send(s, gives, transfer::mode(mode));
            operation(s, [body]);
        }
        Role::Receive => {
            let body = receive(s, gets, Slot::Peer, Slot::Tag);
            operation(s, [body]);
        }
        Role::SendReceive => {
            let bodies = [send(s, gives, 0), receive(s, gets, Slot::Source, Slot::ReceiveTag)];
            operation(s, bodies);
        }
        Role::MatchedReceive => matched(s, gets),
        Role::Probe | Role::MatchedProbe => probe(s),
        Role::Collective(Pattern::Fence) => windows::synchronise(s, None),
        Role::Epoch(kind) => windows::synchronise(s, Some(kind)),
        Role::Access => {
            let body = windows::access(s, gives, gets, 0);
            operation(s, [(body, 0)]);
        }
        Role::File => {
            if let Some(body) = files::before(s, gives, gets) {
                s.emit(0, body);
            }
        }
        Role::Collective(pattern) => {
            if matches!(pattern, Pattern::File | Pattern::Object)
                && plan.number(Slot::File).is_some()
                && let Some(body) = files::before(s, gives, gets)
            {
                s.emit(flag::MORE, body);
            }
            if plan.base == id::Win_free {
                windows::freeing(s);
            }
            collective(s, place, gives, gets);
        }
        Role::Meet if plan.base != id::Comm_join => collective(s, place, None, None),
        Role::Complete => completion::before(s),
        Role::Start => completion::start(s),
        Role::Partition => completion::partitions(s),
        _ => match plan.base {
            id::Request_free | id::Cancel => completion::give_up(s),
            id::Grequest_start => operation(s, [(Body::Generalized { op: 0, is_complete: false }, 0)]),
            id::Grequest_complete => generalized(s),
            id::File_delete => files::deleting(s),
            id::Buffer_attach | id::Comm_attach_buffer => buffered::attaching(s, place),
            id::Buffer_detach
            | id::Buffer_flush
            | id::Buffer_iflush
            | id::Comm_detach_buffer
            | id::Comm_flush_buffer
            | id::Comm_iflush_buffer => {
                if let Some(body) = buffered::emptying(s, place) {
                    operation(s, [(body, 0)]);
                }
            }
            id::Session_detach_buffer | id::Session_flush_buffer | id::Session_iflush_buffer => {
                buffered::check_room(s);
                sessions::emptying(s);
            }
            id::Finalize => buffered::check_room(s),
            id::Intercomm_create
            | id::Comm_create_group
            | id::Comm_create_from_group
            | id::Intercomm_create_from_groups
            | id::Comm_set_info
            | id::Win_set_info
            | id::File_set_info => collective(s, place, None, None),
            id::File_seek | id::File_seek_shared | id::File_set_atomicity => {
                if plan.base != id::File_seek {
                    collective(s, place, None, None);
                }
                if let Some(body) = files::before(s, None, None) {
                    s.emit(0, body);
                }
            }
            id::Remove_error_class | id::Remove_error_code | id::Remove_error_string => error_codes::removing(s),
            id::Pack | id::Unpack => packing::packing(s),
            id::Get_count | id::Get_elements | id::Get_elements_x => statuses::counting(s),
            _ => completion::named_only(s),
        },
    }
}

/// After the call.
pub fn after(s: &mut CallContext<'_>, code: i32) {
    let plan = s.view.plan;
    if plan.role == Role::Complete {
        completion::left(s);
    }
    if code == 0 {
        match plan.role {
            Role::Probe | Role::MatchedProbe => probed(s),
            Role::Complete => completion::after(s),
            _ => {
                completion::asked(s);
                completion::given_up(s);
            }
        }
        statuses::written(s);
        if plan.makes_request {
            new_request(s);
        }
        objects(s);
    } else {
        completion::failed(s);
        error_codes::returned(s, code);
    }
    if code != 0 && !plan.persistent {
        // It will not come about.
        for op in s.open.operation.ops().into_iter().filter(|&op| op != 0) {
            s.emit(0, Body::Complete { op, status: None, bytes: 0, cancelled: true });
        }
    }
    if s.open.blocking || (code != 0 && plan.makes_request && !plan.persistent) {
        let received = matches!(plan.role, Role::Receive | Role::SendReceive | Role::MatchedReceive);
        let status = if received && s.open.blocking && code == 0 { statuses::received(s) } else { None };
        let bytes = status.map_or(0, |(_, _, bytes)| bytes);
        s.emit(0, Body::Return { code, status: status.map(|(source, tag, _)| (source, tag)), bytes });
    }
}

/// Objects that have events of their own.
fn objects(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    sessions::followed(s);
    let new = || s.view.param(Slot::NewHandle).and_then(|p| s.view.handle(p));
    match plan.base {
        id::Win_create | id::Win_allocate | id::Win_allocate_shared | id::Win_create_dynamic => {
            if let Some(handle) = new() {
                windows::made(s, handle);
            }
        }
        id::Win_test => {
            let flag = s.view.param(Slot::Flag).and_then(|p| s.view.word(p)).unwrap_or(0);
            // SAFETY: the MPI has just written it.
            if flag != 0 && unsafe { *(flag as *const i32) } != 0 {
                windows::tested(s);
            } else if flag != 0 {
                let window = u64::from(s.window());
                let body = Body::Poll { ops: vec![window], need: need::EXPOSURE, probe: None };
                s.ask(body, 1 | 1 << 62 | window << 1);
            }
        }
        id::File_open => {
            if let Some(handle) = new() {
                files::opened(s, handle);
            }
        }
        id::File_close => {
            let file = s.open.file;
            files::closed(s, file);
        }
        id::File_set_view => files::viewed(s),
        id::Win_attach => windows::attached(s, true),
        id::Win_detach => windows::attached(s, false),
        id::Win_fence | id::Win_post => windows::exposed(s),
        id::Win_wait => windows::waited(s),
        id::Win_set_info => windows::informed(s),
        id::Comm_dup_with_info
        | id::Comm_idup_with_info
        | id::Comm_set_info
        | id::Comm_split_type
        | id::Comm_create_from_group
        | id::Intercomm_create_from_groups
        | id::Dist_graph_create
        | id::Dist_graph_create_adjacent => info_assertions::given(s),
        id::Win_shared_query => windows::queried(s),
        id::Buffer_attach
        | id::Comm_attach_buffer
        | id::Session_attach_buffer
        | id::Buffer_detach
        | id::Comm_detach_buffer
        | id::Session_detach_buffer => buffered::changed(s),
        // The buffer attached to the communicator, and its assertions, end with it.
        id::Comm_free | id::Comm_disconnect => {
            let comm = s.head_comm;
            s.checker.assertions.freed(comm);
            s.checker.bsend.freed(comm);
        }
        id::Add_error_class
        | id::Add_error_code
        | id::Add_error_string
        | id::Remove_error_class
        | id::Remove_error_code
        | id::Remove_error_string => error_codes::changed(s),
        id::Pack | id::Unpack => packed(s),
        id::Register_datarep => s.checker.files.has_representations(),
        id::Comm_create_errhandler
        | id::Win_create_errhandler
        | id::File_create_errhandler
        | id::Session_create_errhandler
        | id::Errhandler_create => s.checker.errors.has_handlers(),
        _ => {}
    }
}
