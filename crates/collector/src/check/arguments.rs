//! Checks the arguments of a call, before the MPI library gets them.

use mpiscope_abi::role::{Epoch, Role};
use mpiscope_abi::spec::{attribute, class, length, param_flag};
use mpiscope_abi::{Family, Flow, Param, id};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::handles::Strange;
use super::memory::Amiss;
use super::transfer::{self, CommPosition, Side};
use super::types::{self, kind};
use super::view::Slot;
use crate::decode;
use crate::mpi::call;

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

/// What must be checked again for arguments that were correct before: whether their memory still exists.
#[inline(always)]
pub fn check_again(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>) {
    let gives = gives.filter(|_| !super::inflight::ignores_origin(s));
    for side in [gives, gets].into_iter().flatten() {
        memory(s, side, false);
    }
}

/// Checks all of them.
pub fn check(s: &mut CallContext<'_>, place: &CommPosition, gives: Option<&Side>, gets: Option<&Side>) {
    let plan = s.view.plan;
    let skip_send = transfer::replaced(&s.view, Slot::Buffer);
    let skip_receive = transfer::replaced(&s.view, Slot::ReceiveBuffer);
    let idle = place.is_idle(&s.view);
    let skip_origin = super::inflight::ignores_origin(s);
    let (given, gives) = (gives, gives.filter(|_| !skip_origin));
    for (at, param) in plan.params.iter().enumerate() {
        let here = |slot| plan.number(slot) == Some(at as u8);
        let sends = here(Slot::Count) || here(Slot::Type) || here(Slot::Displacements);
        let receives = here(Slot::ReceiveCount) || here(Slot::ReceiveType) || here(Slot::ReceiveDisplacements);
        // Not significant here.
        if (param.is(param_flag::AT_ROOT) && !place.at_root)
            || (skip_send && sends && plan.facts.flow != Flow::Reduce)
            || (skip_receive && receives)
            || (skip_origin && sends && plan.base != id::Fetch_and_op)
            || (idle && matches!(param.class, class::COUNT | class::TYPE | class::BUFFER))
        {
            continue;
        }
        if null(s, param, place) {
            continue;
        }
        match param.class {
            class::COMM..=class::INFO if param.is(param_flag::IN) => handle(s, param, place),
            class::KEYVAL if param.is(param_flag::IN) => super::more_arguments::attribute_key(s, param),
            class::ERRHANDLER if param.is(param_flag::IN) => super::more_arguments::error_handler(s, param),
            class::MESSAGE if param.is(param_flag::IN) => message(s, param),
            class::COUNT if param.is(param_flag::IN) => counts(s, param, place),
            class::LENGTH if param.is(param_flag::IN) => lengths(s, param),
            class::TAG => tag(s, param),
            class::ROOT => root(s, param, place),
            class::RANK if param.is(param_flag::IN) => rank(s, param, place),
            _ => values(s, param),
        }
    }
    in_place(s, place);
    for side in [gives, gets].into_iter().flatten() {
        memory(s, side, true);
    }
    if let (Some(gives), Some(gets)) = (gives, gets) {
        overlap(s, gives, gets);
    }
    if let Some(gets) = gets
        && let Some((bytes, text)) = super::inflight::written_twice(s, gets)
    {
        s.find(rule::WRITTEN_TWICE, gets.param, [bytes as i64, 0, 0], text);
    }
    operation(s, given.or(gets));
    written_type(s);
    window_memory(s);
    if matches!(plan.base, id::Fetch_and_op | id::Compare_and_swap) {
        let datatype = gives.or(gets).map_or(0, |side| side.datatype);
        let kind = s.checker.types.get(datatype as usize).map_or(kind::UNKNOWN, |t| t.kind);
        let text = match (plan.base, kind) {
            (_, kind::DERIVED) => Some("a predefined datatype is required here"),
            (id::Compare_and_swap, kind::FLOAT | kind::COMPLEX | kind::PAIR | kind::CHARACTER) => {
                Some("MPI_Compare_and_swap takes only integers, logicals, bytes, addresses and offsets")
            }
            _ => None,
        };
        if let Some(text) = text {
            s.find(rule::TYPE, s.view.param(Slot::Type), [0; 3], text);
        }
    }
    super::more_arguments::check(s, place);
}

/// A null pointer where there may be none.
fn null(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) -> bool {
    // What reads a status needs one, whatever MPI_STATUS_IGNORE is (MPI-5.0 §3.2.6).
    if param.class == class::STATUS
        && param.is(param_flag::IN)
        && s.view.word(param).is_some_and(|word| decode::status_ignored(s.view.process, word, s.view.plan.fortran))
    {
        s.find(rule::NULL, Some(param), [0; 3], "MPI_STATUS_IGNORE");
        return true;
    }
    if s.view.plan.fortran || s.view.word(param) != Some(0) || matches!(param.class, class::BUFFER | class::OTHER) {
        return false;
    }
    let family = s.view.process.mpi.constants.family;
    let pointer = param.is(param_flag::POINTER);
    let wrong = match param.class {
        class::STATUS => family == Family::Mpich && (!param.is(param_flag::ARRAY) || members(s, param, place) > 0),
        class::STRING => param.is(param_flag::IN) && !param.is(param_flag::ARRAY),
        _ if param.is(param_flag::ARRAY) && param.is(param_flag::IN) => members(s, param, place) > 0,
        _ if param.is(param_flag::ARRAY) => false,
        _ => pointer,
    };
    if wrong {
        s.find(rule::NULL, Some(param), [0; 3], mpiscope_abi::param_name(param));
    }
    wrong
}

/// How many elements an array has; 0 when that is not known.
fn members(s: &CallContext<'_>, param: &Param, place: &CommPosition) -> usize {
    match param.length {
        length::UNKNOWN | mpiscope_abi::spec::ABSENT => 0,
        length::PER_PROCESS => {
            let name = mpiscope_abi::param_name(param);
            let receives =
                name.starts_with('r') || (name == "displs" && s.view.plan.number(Slot::Displacements).is_none());
            place.pieces(&s.view, receives).unwrap_or(0)
        }
        at => s.view.plan.params.get(at as usize).map_or(0, |p| s.view.int(p).clamp(0, 1 << 20) as usize),
    }
}

/// One of the communicators that come with `MPI_Init` (MPI-5.0 §11.2).
fn is_worlds(s: &CallContext<'_>, handle: u64) -> bool {
    let c = &s.view.process.mpi.constants;
    [c.comm_world as u64, c.comm_self as u64].contains(&handle)
}

fn handle(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
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
    let frees = param.is(param_flag::OUT) && super::lifetimes::frees(plan.base);
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

fn counts(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
    if !param.is(param_flag::ARRAY) {
        let count = s.view.int(param);
        if count < 0 {
            s.find(rule::COUNT, Some(param), [count, 0, 0], "");
        }
        return;
    }
    for i in 0..members(s, param, place) {
        let Some(count) = s.view.element(param, i) else { return };
        if count < 0 {
            let text = format!("for process {i}");
            s.find(rule::COUNT, Some(param), [count, i as i64, 0], &text);
            return;
        }
    }
}

fn lengths(s: &mut CallContext<'_>, param: &'static Param) {
    if s.view.plan.any_time && !mpiscope_abi::name(s.view.plan.base).starts_with("MPI_Type_") {
        return;
    }
    if !param.is(param_flag::ARRAY) {
        let n = s.view.int(param);
        if n < 0 {
            s.find(rule::COUNT, Some(param), [n, 0, 0], mpiscope_abi::param_name(param));
        }
        return;
    }
    let known = s.view.plan.params.get(param.length as usize).map_or(0, |p| s.view.int(p).clamp(0, 1 << 20));
    for i in 0..known as usize {
        let Some(n) = s.view.element(param, i) else { return };
        if n < 0 {
            s.find(rule::COUNT, Some(param), [n, i as i64, 0], mpiscope_abi::param_name(param));
            return;
        }
    }
}

fn tag(s: &mut CallContext<'_>, param: &'static Param) {
    let plan = s.view.plan;
    let slot = if plan.number(Slot::ReceiveTag).is_some_and(|n| std::ptr::eq(&plan.params[n as usize], param)) {
        Slot::ReceiveTag
    } else {
        Slot::Tag
    };
    let takes = match plan.role {
        Role::Receive => plan.base != id::Precv_init,
        Role::Probe | Role::MatchedProbe => true,
        Role::SendReceive => slot == Slot::ReceiveTag,
        _ => false,
    };
    let tag = s.view.int(param);
    let any = i64::from(s.view.process.mpi.constants.any_tag);
    let most = s.checker.tag_ub;
    if (takes && tag == any) || (0..=most).contains(&tag) {
        return;
    }
    // The window of tags of other calls (creation of communicators) is the same.
    let text = if tag == any { "MPI_ANY_TAG" } else { "" };
    s.find(rule::TAG, Some(param), [tag, most, 0], text);
}

fn root(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
    let Some(comm) = place.info else { return };
    let c = &s.view.process.mpi.constants;
    let root = s.view.int(param);
    let (size, special) = if comm.remote_size > 0 {
        (comm.remote_size, root == i64::from(c.root) || root == i64::from(c.proc_null))
    } else {
        (comm.size, false)
    };
    if !special && !(0..i64::from(size)).contains(&root) {
        s.find(rule::ROOT, Some(param), [root, size.into(), 0], "");
    }
}

fn rank(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
    let plan = s.view.plan;
    let name = mpiscope_abi::param_name(param);
    let receives = match plan.role {
        Role::Receive => plan.base != id::Precv_init,
        Role::Probe | Role::MatchedProbe => true,
        Role::SendReceive => name == "source",
        _ => false,
    };
    let between = matches!(
        plan.role,
        Role::Send(_) | Role::Receive | Role::SendReceive | Role::Probe | Role::MatchedProbe | Role::Access
    ) || matches!(plan.role, Role::Epoch(Epoch::Lock | Epoch::Unlock | Epoch::Flush));
    let own_group = matches!(plan.base, id::Cart_coords | id::Graph_neighbors | id::Graph_neighbors_count)
        || name == "local_leader";
    if name == "ranks" && matches!(plan.base, id::Group_incl | id::Group_excl) {
        return super::more_arguments::members_of_group(s, param);
    }
    let Some(comm) = place.info else { return };
    if !(between || own_group) || param.is(param_flag::ARRAY) {
        return;
    }
    let c = &s.view.process.mpi.constants;
    let rank = s.view.int(param);
    let size = if comm.remote_size > 0 && between { comm.remote_size } else { comm.size };
    let nobody = between && rank == i64::from(c.proc_null);
    let any = receives && rank == i64::from(c.any_source);
    if !(nobody || any || (0..i64::from(size)).contains(&rank)) {
        let text = match rank {
            r if r == i64::from(c.any_source) => "MPI_ANY_SOURCE",
            r if r == i64::from(c.proc_null) => "MPI_PROC_NULL",
            _ => "",
        };
        s.find(rule::RANK, Some(param), [rank, size.into(), 0], text);
    }
}

/// Values whose range the standard gives.
fn values(s: &mut CallContext<'_>, param: &'static Param) {
    if !param.is(param_flag::IN) || param.is(param_flag::ARRAY) {
        return;
    }
    let value = |s: &CallContext<'_>| s.view.int(param);
    let name = mpiscope_abi::param_name(param);
    let plan_base = s.view.plan.base;
    let (wrong, text) = match param.class {
        class::PARTITION if name == "partitions" => (value(s) <= 0, "at least 1"),
        class::TARGET_DISPLACEMENT => {
            let window = s.window();
            let dynamic = s.checker.windows.get(&window).is_none_or(|w| w.dynamic);
            (!dynamic && value(s) < 0, "a displacement of at least 0")
        }
        class::OFFSET if !matches!(plan_base, id::File_seek | id::File_seek_shared) => {
            let current = super::files::current(s.view.process.mpi.constants.family);
            (value(s) < 0 && !(name == "disp" && value(s) == current), "at least 0")
        }
        class::UNIT => (value(s) <= 0, "a unit of at least 1"),
        class::BYTES => (value(s) < 0, "a size of at least 0"),
        class::LOCK => {
            let locks = super::windows::locks(s.view.process.mpi.constants.family);
            (!locks.contains(&value(s)), "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE")
        }
        class::ASSERT => {
            match super::windows::assertion_amiss(s.view.process.mpi.constants.family, plan_base, value(s)) {
                Some(why) => (true, why),
                None => return,
            }
        }
        class::WHENCE => {
            let v = value(s);
            let family = s.view.process.mpi.constants.family;
            let known = match family {
                Family::Mpich => (600..=604).step_by(2).any(|w| w == v),
                Family::OpenMpi => (600..=604).step_by(2).any(|w| w == v),
                Family::Standard => (401..=403).contains(&v),
            };
            (!known, "MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END")
        }
        class::MODE => match super::files::mode_amiss(s.view.process.mpi.constants.family, value(s)) {
            Some(why) => (true, why),
            None => return,
        },
        _ => return,
    };
    if wrong {
        let value = value(s);
        s.find(rule::VALUE, Some(param), [value, 0, 0], text);
    }
}

fn in_place(s: &mut CallContext<'_>, place: &CommPosition) {
    use Flow as F;
    let plan = s.view.plan;
    let flow = plan.facts.flow;
    let inter = place.info.is_some_and(|c| c.remote_size > 0);
    let collective = matches!(plan.role, Role::Collective(_)) && !plan.facts.is(attribute::NEIGHBOR) && !inter;
    for (slot, what) in [(Slot::Buffer, "the send buffer"), (Slot::ReceiveBuffer, "the receive buffer")] {
        let Some(param) = s.view.param(slot) else { continue };
        if param.class != class::BUFFER || !s.view.buffer(param).in_place {
            continue;
        }
        // Windows and attached buffers: any address.
        if !plan.transfers {
            continue;
        }
        // Open MPI's MPI_IN_PLACE is the address 1, which may stand in arguments that are ignored.
        if param.is(param_flag::AT_ROOT) && !place.at_root {
            continue;
        }
        let known = place.info.is_some() || !matches!(plan.role, Role::Collective(_));
        let why = match (slot, flow) {
            _ if !known => continue,
            _ if place.is_idle(&s.view) => continue,
            _ if !collective => "this call does not allow it",
            (Slot::Buffer, F::Gather | F::GatherV | F::Reduce) if place.at_root => continue,
            (Slot::Buffer, F::Gather | F::GatherV | F::Reduce) => "allowed only at the root",
            (
                Slot::Buffer,
                F::Allgather
                | F::AllgatherV
                | F::Alltoall
                | F::AlltoallV
                | F::AlltoallW
                | F::Allreduce
                | F::ReduceScatter
                | F::ReduceScatterBlock,
            ) => continue,
            (Slot::ReceiveBuffer, F::Scatter | F::ScatterV) if place.at_root => continue,
            (Slot::ReceiveBuffer, F::Scatter | F::ScatterV) => "allowed only at the root",
            (Slot::Buffer, F::Broadcast) => "this call does not allow it",
            (Slot::Buffer, F::Scatter | F::ScatterV) => "here it replaces the receive buffer",
            _ => "here it replaces the send buffer",
        };
        let text = format!("{what}: {why}");
        s.find(rule::IN_PLACE, Some(param), [0; 3], &text);
    }
}

/// Whether the memory of a side exists. What was correct before is checked again only if that is cheap.
fn memory(s: &mut CallContext<'_>, side: &Side, is_new: bool) {
    let bytes = side.span.1.saturating_sub(side.span.0).max(0) as u64;
    if bytes == 0 || side.buffer.special || side.buffer.in_place {
        return;
    }
    let (from, to) = side.span;
    let at = |from: i64| side.buffer.address.wrapping_add_signed(from);
    if side.buffer.address == 0 && at(from) < 4096 {
        s.find(rule::BUFFER_NULL, side.param, [bytes as i64, 0, 0], "");
        return;
    }
    let mut ask = |from: i64, to: i64| {
        s.checker.memory.amiss(at(from), to.saturating_sub(from) as u64, side.writes).map(|amiss| (from, to, amiss))
    };
    let found = match () {
        () if !side.of_arrays => ask(from, from + 1).map(|(.., amiss)| (from, to, amiss)),
        () if side.pieces.len() <= 1 => in_one_array(&mut ask, side.dense, from, to),
        // Between the pieces may be anything.
        () => match ask(from, to) {
            None => None,
            Some(_) => side.pieces.iter().find_map(|&(from, to)| in_one_array(&mut ask, side.dense, from, to)),
        },
    };
    match found {
        Some((from, to, amiss)) => {
            not_accessible(s, side.param, at(from), to.saturating_sub(from) as u64, Some(amiss));
        }
        None if s.checker.memory.has_walked() || is_new => given_back(s, side.param, at(from), bytes),
        None => {}
    }
}

/// Reports a freed heap block: its pages stay mapped.
fn given_back(s: &mut CallContext<'_>, param: Option<&'static Param>, address: u64, bytes: u64) {
    if s.checker.memory.is_freed(address) {
        s.find(rule::BUFFER_UNMAPPED, param, [bytes as i64, 0, address as i64], "the heap block is freed");
    }
}

/// What is wrong with a range; if it is not dense, its first and last byte are data, and all of it belongs to one array.
fn in_one_array(
    ask: &mut impl FnMut(i64, i64) -> Option<(i64, i64, Amiss)>,
    is_dense: bool,
    from: i64,
    to: i64,
) -> Option<(i64, i64, Amiss)> {
    match ask(from, to) {
        // Pages of the gaps may be away.
        Some(found @ (.., Amiss::Unmapped(..))) if !is_dense => {
            (ask(from, from + 1).is_some() || ask(to - 1, to).is_some()).then_some(found)
        }
        found => found,
    }
}

/// Reports inaccessible memory.
fn not_accessible(
    s: &mut CallContext<'_>,
    param: Option<&'static Param>,
    address: u64,
    bytes: u64,
    amiss: Option<Amiss>,
) {
    match amiss {
        None => {}
        Some(Amiss::Unmapped(reach, exists)) => {
            let text = if exists { "read-only" } else { "not mapped" };
            s.find(rule::BUFFER_UNMAPPED, param, [bytes as i64, reach as i64, address as i64], text);
        }
        Some(Amiss::Short(room)) => {
            s.find(rule::BUFFER_SHORT, param, [bytes as i64, room as i64, address as i64], "end of the heap block");
        }
    }
}

/// The memory of a new window: it must exist and must not be freed.
fn window_memory(s: &mut CallContext<'_>) {
    /// A larger value is not a size: with `MPI_BOTTOM` it means "all memory".
    const MOST: u64 = 1 << 46;
    let base = match s.view.plan.base {
        id::Win_create | id::Win_attach => s.view.plan.named("base"),
        _ => None,
    };
    let size = s.view.plan.named("size").map_or(0, |p| s.view.int(p));
    let Some((base, bytes)) = base.zip(u64::try_from(size).ok()).filter(|(_, bytes)| *bytes > 0) else { return };
    let buffer = s.view.buffer(base);
    // A descriptor holds its address.
    if buffer.special {
        return;
    }
    match buffer.address {
        0 if bytes < MOST => s.find(rule::BUFFER_NULL, Some(base), [size, 0, 0], ""),
        0..4096 => {}
        address => match s.checker.memory.amiss_by_now(address, bytes, false) {
            None => given_back(s, Some(base), address, bytes),
            amiss => not_accessible(s, Some(base), address, bytes, amiss),
        },
    }
}

fn overlap(s: &mut CallContext<'_>, gives: &Side, gets: &Side) {
    let plan = s.view.plan;
    let relevant = matches!(plan.role, Role::Collective(_) | Role::SendReceive) && plan.facts.flow != Flow::Exchange;
    let odd = |side: &Side| side.buffer.special || side.buffer.in_place || !side.dense || side.span.0 >= side.span.1;
    if !relevant || odd(gives) || odd(gets) {
        return;
    }
    let pieces = |side: &Side| if side.pieces.is_empty() { vec![side.span] } else { side.pieces.clone() };
    let common = |a: (i64, i64), b: (i64, i64)| {
        let at = |side: &Side, offset: i64| side.buffer.address as i128 + i128::from(offset);
        let begin = at(gives, a.0).max(at(gets, b.0));
        let end = at(gives, a.1).min(at(gets, b.1));
        (end - begin).max(0) as i64
    };
    if common(gives.span, gets.span) == 0 {
        return;
    }
    let mut bytes = 0;
    for a in pieces(gives) {
        for b in pieces(gets) {
            bytes += common(a, b);
        }
    }
    if bytes > 0 {
        s.find(rule::BUFFERS_OVERLAP, gets.param, [bytes, 0, 0], "");
    }
}

/// A message that a matched probe has found.
fn message(s: &mut CallContext<'_>, param: &'static Param) {
    if s.view.plan.converts {
        return;
    }
    let Some(handle) = s.view.word(param).and_then(|at| s.view.stored(param, at, 0)) else { return };
    let text = if handle == s.view.nulls.null(class::MESSAGE) {
        "null handle"
    } else if s.checker.received.contains(&handle) {
        "already received"
    } else {
        return super::more_arguments::impossible(s, rule::MESSAGE, param, handle);
    };
    s.find(rule::MESSAGE, Some(param), [0; 3], text);
}

/// Operation × datatype.
fn operation(s: &mut CallContext<'_>, side: Option<&Side>) {
    let Some(param) = s.view.param(Slot::Op) else { return };
    let reduces = matches!(
        s.view.plan.facts.flow,
        Flow::Reduce | Flow::Allreduce | Flow::ReduceScatter | Flow::ReduceScatterBlock
    );
    let access = matches!(s.view.plan.role, Role::Access);
    let (Some(handle), Some(side)) = (s.view.handle(param), side) else { return };
    if !(reduces || access) || side.datatype == 0 {
        return;
    }
    let op = s.view.process.ops.id(handle) as usize;
    let Some(&name) = s.checker.ops.get(op).filter(|name| !name.is_empty()) else {
        if access && op != 0 {
            s.find(rule::OP, Some(param), [0; 3], "RMA calls take predefined operations only");
        }
        return;
    };
    if reduces && matches!(name, "MPI_REPLACE" | "MPI_NO_OP") {
        s.find(rule::OP, Some(param), [0; 3], &format!("{name} is for RMA calls only"));
        return;
    }
    if name == "MPI_NO_OP" && matches!(s.view.plan.base, id::Accumulate | id::Raccumulate) {
        let text = "MPI_NO_OP is only for RMA calls that return data";
        return s.find(rule::OP, Some(param), [0; 3], text);
    }
    let info = s.checker.types.get(side.datatype as usize).copied().unwrap_or_default();
    // Accumulates take derived datatypes of one basic one.
    if access && info.kind == kind::DERIVED {
        return;
    }
    if !types::allows(name, info.kind) {
        let datatype = match info.kind {
            kind::DERIVED => "a derived datatype",
            _ => mpiscope_abi::predefined::DATATYPES.get(info.predefined as usize).map_or("?", |p| p.name),
        };
        s.find(rule::OP_TYPE, Some(param), [0; 3], &format!("{name} with {datatype}"));
    }
}

/// What an access writes must not overlap itself: the result would be undefined.
fn written_type(s: &mut CallContext<'_>) {
    let slot = match s.view.plan.base {
        id::Put | id::Rput => Slot::TargetType,
        id::Get | id::Rget => Slot::Type,
        _ => return,
    };
    let Some(param) = s.view.param(slot) else { return };
    let id = s.view.handle(param).map_or(0, |h| s.view.process.types.id(h));
    let order = s.checker.types.get(id as usize).map(|t| t.order);
    if order == Some(types::Order::Overlaps) {
        s.find(rule::TYPE, Some(param), [0; 3], "its elements overlap, and the call writes all of them");
    }
}

/// Size of a group that is alive.
pub fn group_size(s: &CallContext<'_>, handle: u64) -> Option<i32> {
    let mut size = 0;
    let alive = s.checker.objects.get(class::GROUP, handle).is_some_and(|t| t.live > 0);
    (alive && call::Group_size(handle as usize, &mut size)).then_some(size)
}
