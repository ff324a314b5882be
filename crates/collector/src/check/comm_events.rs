//! Events of communication: what a call is going to do, and its result.

use mpiscope_abi::role::{Mode, Pattern, Role};
use mpiscope_abi::{Flow, id};
use mpiscope_trace::check::event::{Body, Data, MOST_CONTENT, Part, flag, need};
use mpiscope_trace::check::rule;
use mpiscope_trace::check::words::Again;

use super::CallContext;
use super::arg_cache::Worked;
use super::arguments::number;
use super::requests::Request;
use super::transfer::{self, CommPosition, Side};
use super::view::Slot;
use super::{
    buffered, completion, error_codes, files, groups, inflight, info_assertions, names, sessions, statuses, windows,
};
use crate::decode;
use crate::mpi::call;

/// Before the call.
pub fn before(s: &mut CallContext<'_>, worked: &Worked) {
    let plan = s.view.plan;
    let Worked { place, gives, gets, told } = worked;
    let (gives, gets) = (gives.as_ref(), gets.as_ref());
    if s.checker.has_attached() {
        buffered::apart(s, gives);
        buffered::apart(s, gets);
    }
    if plan.role == Role::Send(Mode::Buffered) {
        buffered::sending(s, gives);
    }
    if !told.is_empty() && !s.open.wrong {
        return again(s, told);
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
                s.say(0, body);
            }
        }
        Role::Collective(pattern) => {
            if matches!(pattern, Pattern::File | Pattern::Object)
                && plan.number(Slot::File).is_some()
                && let Some(body) = files::before(s, gives, gets)
            {
                s.say(flag::MORE, body);
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
                    s.say(0, body);
                }
            }
            id::Remove_error_class | id::Remove_error_code | id::Remove_error_string => error_codes::removing(s),
            id::Pack | id::Unpack => s.open.position = number(s, "position").unwrap_or(0),
            id::Get_count | id::Get_elements | id::Get_elements_x => statuses::counting(s),
            _ => completion::named_only(s),
        },
    }
}

/// Tells the parts of an operation, now or when its request is started.
fn operation<const N: usize>(s: &mut CallContext<'_>, mut parts: [(Body, u16); N]) {
    let plan = s.view.plan;
    s.open.tells = true;
    if plan.persistent {
        s.open.told = parts.into();
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
        s.open.ops[number.min(1)] = op;
        set_op(body, op);
        let more = if number < last { flag::MORE } else { 0 };
        let words = s.say_ref(*flags | more | if waits { flag::BLOCKING } else { 0 }, body);
        let kept = is_kept.then(|| Again::from_words(words)).flatten();
        s.open.again.extend(kept);
    }
}

/// Whether the call returns when its operation is complete.
fn waits(s: &CallContext<'_>) -> bool {
    !s.view.plan.makes_request && !matches!(s.view.plan.role, Role::Access)
}

/// Writes the parts of an operation as before with the same arguments.
fn again(s: &mut CallContext<'_>, parts: &[Again]) {
    s.open.tells = true;
    s.open.blocking = waits(s);
    for (number, part) in parts.iter().enumerate() {
        let op = s.checker.requests.new_op();
        s.open.ops[number.min(1)] = op;
        let head = s.head(part.flags);
        s.voice.say_again(head, op, part);
    }
}

/// The program completes the operation of a generalised request.
fn generalized(s: &mut CallContext<'_>) {
    let param = s.view.param(Slot::Request);
    // The request is passed itself, not where it is kept.
    let Some(handle) = param.and_then(|p| s.view.handle(p)) else { return };
    let Some(request) = s.checker.requests.get_mut(handle, 0) else { return };
    let is_generalized = u32::from(request.function) & !mpiscope_abi::LARGE == id::Grequest_start;
    let (op, was_said) = (request.ops[0], std::mem::replace(&mut request.said_complete, true));
    match () {
        () if !is_generalized => s.find(rule::REQUEST, param, [0; 3], "not created by MPI_Grequest_start"),
        () if was_said => s.find(rule::REQUEST_STALE, param, [0; 3], "MPI_Grequest_complete was already called for it"),
        () if op != 0 => s.say(0, Body::Generalized { op, is_complete: true }),
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

fn data(s: &CallContext<'_>, side: Option<&Side>) -> Data {
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

fn send(s: &CallContext<'_>, side: Option<&Side>, mode: u64) -> (Body, u16) {
    let c = &s.view.process.mpi.constants;
    let dest = s.view.number(Slot::Peer).unwrap_or(-1) as i32;
    let tag = s.view.number(Slot::Tag).unwrap_or(0) as i32;
    let nobody = dest == c.proc_null;
    let flags = partitioned(s) | if nobody { flag::NOBODY } else { 0 };
    let partitions = s.view.number(Slot::Partitions).map_or(0, |n| u32::try_from(n).unwrap_or(0));
    (Body::Send { op: 0, mode, partitions, dest: if nobody { -1 } else { dest }, tag, data: data(s, side) }, flags)
}

fn receive(s: &mut CallContext<'_>, side: Option<&Side>, source: Slot, which: Slot) -> (Body, u16) {
    let (from, tag) = asked(s, source, which);
    let nobody = from == Some(s.view.process.mpi.constants.proc_null);
    s.open.wild = from.is_none() || tag.is_none();
    info_assertions::wild(s, [(from.is_none(), source), (tag.is_none(), which)]);
    let flags = partitioned(s) | info_assertions::of_length(s) | if nobody { flag::NOBODY } else { 0 };
    let source = if nobody { Some(-1) } else { from };
    (Body::Receive { op: 0, source, tag, data: data(s, side) }, flags)
}

/// Source and tag of a receive or probe, without wildcards.
fn asked(s: &CallContext<'_>, source: Slot, tag: Slot) -> (Option<i32>, Option<i32>) {
    let c = &s.view.process.mpi.constants;
    let source = s.view.number(source).map(|n| n as i32).filter(|&n| n != c.any_source);
    (source, s.view.number(tag).map(|n| n as i32).filter(|&n| n != c.any_tag))
}

fn matched(s: &mut CallContext<'_>, side: Option<&Side>) {
    let param = s.view.param(Slot::Message);
    let handle = param.and_then(|p| s.view.stored(p, s.view.word(p)?, 0));
    let Some((message, comm)) = handle.and_then(|h| s.checker.messages.remove(&h)) else {
        // Of MPI_PROC_NULL, or matched out of sight.
        s.open.blocking = false;
        return;
    };
    s.checker.received.extend(handle);
    s.head_comm = comm;
    s.open.comm = comm;
    let body = Body::ReceiveMatched { op: 0, message, data: data(s, side) };
    operation(s, [(body, info_assertions::of_length(s))]);
}

fn probe(s: &mut CallContext<'_>) {
    let (source, tag) = asked(s, Slot::Peer, Slot::Tag);
    let nobody = source == Some(s.view.process.mpi.constants.proc_null);
    s.open.wild = source.is_none() || tag.is_none();
    info_assertions::wild(s, [(source.is_none(), Slot::Peer), (tag.is_none(), Slot::Tag)]);
    s.open.probe = Some((source, tag));
    if s.view.plan.number(Slot::Flag).is_some() {
        return;
    }
    let message = if s.view.plan.role == Role::MatchedProbe { s.checker.new_message() } else { 0 };
    s.open.ops[0] = message;
    s.open.blocking = true;
    let source = if nobody { Some(-1) } else { source };
    s.say(flag::BLOCKING | if nobody { flag::NOBODY } else { 0 }, Body::Probe { source, tag, message });
}

fn collective(s: &mut CallContext<'_>, place: &CommPosition, gives: Option<&Side>, gets: Option<&Side>) {
    let plan = s.view.plan;
    let lists = lists(s, place);
    let c = &s.view.process.mpi.constants;
    let inter = place.info.is_some_and(|info| info.remote_size > 0);
    let root = place.root.map(|root| match root as i32 {
        root if inter && root == c.root => -1,
        root if inter && root == c.proc_null => -2,
        root => root,
    });
    let op = s.view.param(Slot::Op).and_then(|p| s.view.handle(p));
    let reduction = op.map_or(0, |handle| s.view.process.ops.id(handle));
    let replaced = [Slot::Buffer, Slot::ReceiveBuffer]
        .iter()
        .any(|&slot| s.view.param(slot).is_some_and(|p| significant(s, place, p) && s.view.buffer(p).in_place));
    let part = |side: Option<&Side>| side.map(Side::part).unwrap_or_default();
    let moves = plan.facts.flow != Flow::None && plan.number(Slot::File).is_none();
    // What is compared with other processes would be reported twice.
    s.cut |= s.open.wrong;
    let [send, receive] = if moves {
        [part(gives), part(gets)]
    } else {
        lists.map(|counts| Part::new(Data::default(), counts, Vec::new()))
    };
    // The initialisations are in one order on all processes, whatever becomes of the call.
    let agreed = if plan.persistent { vec![s.checker.ordinal(s.head_comm, 2)] } else { agreed(s) };
    let body = Body::Collective { op: 0, root, reduction, send, receive, agreed };
    operation(s, [(body, if replaced { flag::IN_PLACE } else { 0 })]);
}

fn significant(s: &CallContext<'_>, place: &CommPosition, param: &mpiscope_abi::Param) -> bool {
    s.view.plan.transfers && (!param.is(mpiscope_abi::spec::param_flag::AT_ROOT) || place.at_root)
}

/// What is not the same everywhere: groups, leaders, neighbours; on the sending and the receiving side, see
/// [`mpiscope_trace::check::agreed`].
fn lists(s: &mut CallContext<'_>, place: &CommPosition) -> [Vec<u64>; 2] {
    let plan = s.view.plan;
    match plan.base {
        id::Comm_create | id::Comm_create_group => {
            let tag = plan.named("tag").map(|p| s.view.int(p) as u64);
            let ranks = place.info.and_then(|comm| groups::ranks(s, |world| groups::rank_in(comm, world)));
            s.cut |= ranks.is_none();
            [tag.into_iter().collect(), ranks.unwrap_or_default()]
        }
        id::Comm_create_from_group => {
            let text = plan
                .named("stringtag")
                .and_then(|p| names::text(&s.view, p))
                .map(|text| mpiscope_codescan::sum(text.as_bytes()));
            let ranks = groups::ranks(s, Some);
            s.cut |= ranks.is_none();
            [text.into_iter().collect(), ranks.unwrap_or_default()]
        }
        id::Intercomm_create_from_groups => {
            let text = plan
                .named("stringtag")
                .and_then(|p| names::text(&s.view, p))
                .map(|text| mpiscope_codescan::sum(text.as_bytes()));
            let sides = groups::sides(s);
            s.cut |= sides.is_none() || text.is_none();
            let (Some(sides), Some(text)) = (sides, text) else { return Default::default() };
            let leader = plan.named("remote_leader").map_or(-1, |p| s.view.int(p));
            let leader = usize::try_from(leader).ok().and_then(|at| sides.other.as_ref()?.get(at).copied());
            [std::iter::once(text).chain(leader).collect(), sides.own]
        }
        // The reader matches calls by their port.
        id::Comm_accept | id::Comm_connect if place.at_root => {
            let name = plan.named("port_name").and_then(|p| names::text(&s.view, p));
            [name.map(|name| mpiscope_codescan::sum(name.trim_end().as_bytes())).into_iter().collect(), Vec::new()]
        }
        id::Intercomm_create => {
            let number = |name: &str| plan.named(name).map_or(-1, |p| s.view.int(p));
            let peer = plan.named("peer_comm").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.comms.id(h));
            let leads = place.info.is_some_and(|comm| i64::from(comm.rank) == number("local_leader"));
            let (leader, tag) = (number("remote_leader"), number("tag"));
            [Vec::new(), if leads && peer != 0 { vec![peer.into(), leader as u64, tag as u64] } else { Vec::new() }]
        }
        id::Dist_graph_create_adjacent => ["destinations", "sources"].map(|name| {
            let degree = if name == "sources" { "indegree" } else { "outdegree" };
            let n = plan.named(degree).map_or(0, |p| s.view.int(p)).clamp(0, 4096) as usize;
            let list = plan.named(name);
            (0..n).filter_map(|i| s.view.element(list?, i)).map(|rank| rank as u64).collect()
        }),
        _ => Default::default(),
    }
}

/// See [`mpiscope_trace::check::agreed`].
fn agreed(s: &CallContext<'_>) -> Vec<i64> {
    let plan = s.view.plan;
    let number = |name: &str| plan.named(name).map_or(0, |p| s.view.int(p));
    let truth = |name: &str| i64::from(number(name) != 0);
    let list = |name: &str, n: i64| -> Vec<i64> {
        let Some(param) = plan.named(name) else { return Vec::new() };
        (0..n.clamp(0, 4096) as usize).filter_map(|i| s.view.element(param, i)).collect()
    };
    let text = |name: &str| {
        let text = plan.named(name).and_then(|p| names::text(&s.view, p));
        text.map_or(0, |text| mpiscope_codescan::sum(text.as_bytes()) as i64)
    };
    let file = || s.checker.files.get(&s.file()).map_or(0, |f| f.ordinal);
    match plan.base {
        id::Cart_create => {
            let n = number("ndims");
            let periods = list("periods", n).into_iter().map(|p| i64::from(p != 0));
            [vec![n, truth("reorder")], list("dims", n), periods.collect()].concat()
        }
        id::Graph_create => {
            let n = number("nnodes");
            let index = list("index", n);
            let edges = list("edges", index.last().copied().unwrap_or(0));
            [vec![n, truth("reorder")], index, edges].concat()
        }
        id::Dist_graph_create | id::Dist_graph_create_adjacent => vec![truth("reorder")],
        id::Intercomm_create | id::Intercomm_create_from_groups => vec![number("local_leader")],
        id::Intercomm_merge => vec![truth("high")],
        id::Win_free => vec![s.open.ordinal],
        id::File_open => vec![number("amode"), text("filename")],
        id::File_set_view => {
            let etype = plan.named("etype").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.types.id(h));
            vec![file(), crate::objects::type_extent(etype), text("datarep")]
        }
        id::File_set_size | id::File_preallocate => vec![file(), number("size")],
        id::File_set_atomicity => vec![file(), truth("flag")],
        id::File_seek_shared => vec![file(), number("offset"), number("whence")],
        _ if plan.number(Slot::File).is_some() => vec![file()],
        _ => Vec::new(),
    }
}

/// What a status returned to the program, if it is usable.
pub fn status(s: &CallContext<'_>) -> Option<(i32, i32, u64)> {
    let address = match s.open.own_status {
        Some(address) => address,
        None => {
            let word = s.view.param(Slot::Status).and_then(|p| s.view.word(p))?;
            if decode::status_ignored(s.view.process, word, s.view.plan.fortran) {
                return None;
            }
            word
        }
    };
    // SAFETY: a status that the MPI has filled.
    Some(unsafe { decode::read_status(s.view.process, address) })
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
        ignored(s, code);
    }
    if code != 0 && !plan.persistent {
        // It will not come about.
        for op in s.open.ops.into_iter().filter(|&op| op != 0 && !matches!(plan.role, Role::Probe | Role::MatchedProbe))
        {
            s.say(0, Body::Complete { op, status: None, bytes: 0, cancelled: true });
        }
    }
    if s.open.blocking || (code != 0 && plan.makes_request && !plan.persistent) {
        let received = matches!(plan.role, Role::Receive | Role::SendReceive | Role::MatchedReceive);
        let status = if received && s.open.blocking && code == 0 { status(s) } else { None };
        let bytes = status.map_or(0, |(_, _, bytes)| bytes);
        s.say(0, Body::Return { code, status: status.map(|(source, tag, _)| (source, tag)), bytes });
    }
}

/// The call has returned an error code. The reader finds out from the machine code whether the program checks it; a
/// error handler of the program may have done so already, and wrong arguments are reported.
fn ignored(s: &mut CallContext<'_>, code: i32) {
    if s.open.wrong || s.checker.has_handlers || s.view.plan.fortran {
        return;
    }
    let (mut class, mut length) = (0, 0);
    let mut text = [0u8; 1024];
    if !call::Error_class(code, &mut class) || !call::Error_string(code, text.as_mut_ptr(), &mut length) {
        return;
    }
    let length = usize::try_from(length).unwrap_or(0).min(text.len());
    let text = String::from_utf8_lossy(&text[..length]).replace('\n', " ");
    s.find(rule::ERROR_IGNORED, None, [code.into(), class.into(), 0], text.trim());
}

fn probed(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let Some((source, tag)) = s.open.probe else { return };
    if let Some(flag) = s.view.param(Slot::Flag).and_then(|p| s.view.word(p)) {
        // SAFETY: the MPI has just written it.
        if flag == 0 || unsafe { *(flag as *const i32) } == 0 {
            let nobody = source == Some(s.view.process.mpi.constants.proc_null);
            let key = 1 | u64::from(source.unwrap_or(-7) as u32) << 32 | u64::from(tag.unwrap_or(-7) as u32) << 1;
            if !nobody {
                let body = Body::Poll { ops: Vec::new(), need: need::ALL, probe: Some((source, tag)) };
                s.ask(body, key ^ u64::from(s.head_comm) << 17);
            }
            return;
        }
    }
    let known = status(s).map(|(source, tag, _)| (source, tag));
    let Some((source, tag)) = known.or(source.zip(tag)) else { return };
    let mut message = 0;
    if plan.role == Role::MatchedProbe {
        message = if plan.number(Slot::Flag).is_some() { s.checker.new_message() } else { s.open.ops[0] };
        let handle = s.view.param(Slot::Message).and_then(|p| s.view.stored(p, s.view.word(p)?, 0));
        if let Some(handle) = handle.filter(|&h| !s.view.nulls.is_predefined(h)) {
            let comm = s.head_comm;
            s.checker.received.remove(&handle);
            s.checker.messages.insert(handle, (message, comm));
        }
    }
    if source >= 0 {
        let (any_source, any_tag) =
            s.open.probe.map_or((false, false), |(source, tag)| (source.is_none(), tag.is_none()));
        let flags = if any_source { flag::ANY_SOURCE } else { 0 } | if any_tag { flag::ANY_TAG } else { 0 };
        s.say(flags, Body::Found { source, tag, message });
    }
}

fn new_request(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let Some(param) = s.view.param(Slot::Request) else { return };
    let Some(kept_at) = s.view.word(param).filter(|&w| w != 0) else { return };
    let Some(handle) = s.view.stored(param, kept_at, 0) else { return };
    if handle == s.view.nulls.null(param.class) {
        return;
    }
    inflight::initialised(&s.open.buffers);
    let told = std::mem::take(&mut s.open.told);
    let partitions = match s.view.number(Slot::Partitions) {
        Some(n) => vec![false; n.clamp(0, 1 << 16) as usize],
        _ => Vec::new(),
    };
    let request = Request {
        ops: if s.open.tells { s.open.ops } else { [0, 0] },
        persistent: plan.persistent,
        active: !plan.persistent,
        told,
        function: plan.function as u16,
        site: s.site,
        made: s.site,
        comm: s.head_comm,
        sends: matches!(plan.role, Role::Send(_)) || plan.base == id::Grequest_start,
        cancelled: false,
        overwritten: 0,
        wild: s.open.wild,
        kept_at,
        said_complete: false,
        partitions,
        buffers: std::mem::take(&mut s.open.buffers),
        makes: made(s),
        waiter: 0,
        receives: statuses::datatype(s),
    };
    s.checker.requests.made(handle, request);
}

/// The communicator that the call's request is going to make.
fn made(s: &CallContext<'_>) -> u64 {
    let new = s.view.param(Slot::NewHandle).and_then(|p| s.view.handle(p));
    new.filter(|_| super::arguments::is_idup(s.view.plan.base as u16)).unwrap_or(0)
}

/// `MPI_Pack` and `MPI_Unpack`.
fn packed(s: &mut CallContext<'_>) {
    let packs = s.view.plan.base == id::Pack;
    let (buffer, count) = if packs { ("outbuf", "incount") } else { ("inbuf", "outcount") };
    let plan = s.view.plan;
    let buffer = plan.named(buffer).map(|p| s.view.buffer(p)).filter(|b| b.address != 0 && !b.special);
    let (from, to) = (s.open.position, number(s, "position").unwrap_or(0));
    let (Some(buffer), Some(bytes)) = (buffer, to.checked_sub(from).filter(|&n| n > 0 && from >= 0)) else { return };
    let count = number(s, count).unwrap_or(0).max(0) as u64;
    let datatype = plan.named("datatype").and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.types.id(h));
    let address = buffer.address + from as u64;
    let n = (bytes as usize).min(MOST_CONTENT);
    // SAFETY: the MPI has just written or read as many bytes there.
    let content = unsafe { std::slice::from_raw_parts(address as *const u8, n) }.to_vec();
    s.say(0, Body::Packed { packs, bytes: bytes as u64, data: Data { address, count, datatype }, content });
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
                if let Some(body) = s.open.later.take() {
                    s.say(0, body);
                }
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
            s.checker.promises.remove(&comm);
            s.checker.attached_to.remove(&comm);
        }
        id::Add_error_class
        | id::Add_error_code
        | id::Add_error_string
        | id::Remove_error_class
        | id::Remove_error_code
        | id::Remove_error_string => error_codes::changed(s),
        id::Pack | id::Unpack => packed(s),
        id::Register_datarep => s.checker.has_representations = true,
        id::Comm_create_errhandler
        | id::Win_create_errhandler
        | id::File_create_errhandler
        | id::Session_create_errhandler
        | id::Errhandler_create => s.checker.has_handlers = true,
        _ => {}
    }
}
