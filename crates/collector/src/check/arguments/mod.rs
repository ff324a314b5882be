//! Checks the arguments of a call, before the MPI library gets them.
//!
//! [`check`] walks the parameters by their class ([`handles`], [`keys`], [`numbers`]), then looks at the buffers
//! ([`buffers`]) and the operation ([`operations`]), and last at what the standard limits for single functions, by topic
//! ([`topologies`], [`communicators`], [`group_ranks`], [`datatypes`], [`info`]).

mod buffers;
mod communicators;
mod datatypes;
mod group_ranks;
mod handles;
mod info;
mod keys;
mod numbers;
mod operations;
mod topologies;

use mpiscope_abi::spec::{class, length, param_flag};
use mpiscope_abi::{Family, Flow, Param, id};
use mpiscope_trace::check::rule;

pub use handles::{is_idup, session};

use super::transfer::{CommPosition, Side};
use super::view::Slot;
use super::{CallContext, groups, inflight, transfer, windows};
use crate::decode;

/// What must be checked again for arguments that were correct before: whether their memory still exists.
#[inline(always)]
pub fn check_again(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>) {
    let gives = gives.filter(|_| !inflight::ignores_origin(s));
    for side in [gives, gets].into_iter().flatten() {
        buffers::memory(s, side, false);
    }
}

/// Checks all of them.
pub fn check(s: &mut CallContext<'_>, place: &CommPosition, gives: Option<&Side>, gets: Option<&Side>) {
    let plan = s.view.plan;
    let skip_send = transfer::replaced(&s.view, Slot::Buffer);
    let skip_receive = transfer::replaced(&s.view, Slot::ReceiveBuffer);
    let idle = place.is_idle(&s.view);
    let skip_origin = inflight::ignores_origin(s);
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
            class::COMM..=class::INFO if param.is(param_flag::IN) => handles::handle(s, param, place),
            class::KEYVAL if param.is(param_flag::IN) => keys::attribute_key(s, param),
            class::ERRHANDLER if param.is(param_flag::IN) => keys::error_handler(s, param),
            class::MESSAGE if param.is(param_flag::IN) => handles::message(s, param),
            class::COUNT if param.is(param_flag::IN) => numbers::counts(s, param, place),
            class::LENGTH if param.is(param_flag::IN) => numbers::lengths(s, param),
            class::TAG => numbers::tag(s, param),
            class::ROOT => numbers::root(s, param, place),
            class::RANK if param.is(param_flag::IN) => numbers::rank(s, param, place),
            _ => numbers::values(s, param),
        }
    }
    buffers::in_place(s, place);
    for side in [gives, gets].into_iter().flatten() {
        buffers::memory(s, side, true);
    }
    if let (Some(gives), Some(gets)) = (gives, gets) {
        buffers::overlap(s, gives, gets);
    }
    if let Some(gets) = gets {
        buffers::twice(s, gets);
    }
    operations::operation(s, given.or(gets));
    operations::written_type(s);
    buffers::window_memory(s);
    operations::single_element(s, gives.or(gets));
    by_function(s, place);
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

/// Most elements of a list that are looked at.
const MOST: i64 = 1 << 16;

/// An argument that is an integer.
pub fn number(s: &CallContext<'_>, name: &str) -> Option<i64> {
    s.view.plan.named(name).map(|p| s.view.int(p))
}

fn list(s: &CallContext<'_>, name: &str, n: i64) -> Option<Vec<i64>> {
    let param = s.view.plan.named(name)?;
    (0..n.clamp(0, MOST) as usize).map(|i| s.view.element(param, i)).collect()
}

/// Checks what the standard limits for this function only.
fn by_function(s: &mut CallContext<'_>, place: &CommPosition) {
    let plan = s.view.plan;
    topologies::topology_of(s, place);
    if !communicators::is_right_kind(s, place) {
        return;
    }
    match plan.base {
        id::Cart_create => topologies::cart(s, place),
        id::Graph_create => topologies::graph(s, place),
        id::Dist_graph_create | id::Dist_graph_create_adjacent => topologies::dist_graph(s),
        id::Cart_shift => topologies::shift(s, place),
        id::Cart_rank => topologies::coordinates(s, place),
        id::Dims_create => topologies::dims(s),
        id::Comm_split => communicators::colour(s),
        id::Type_create_subarray => datatypes::subarray(s),
        id::Intercomm_create => communicators::remote_leader(s, place),
        id::Intercomm_create_from_groups => groups::check_sides(s),
        id::Comm_join => communicators::socket(s),
        id::Cart_coords | id::Cart_get => topologies::room_for_dimensions(s, place),
        id::Group_range_incl | id::Group_range_excl => group_ranks::ranges_of_group(s),
        id::Group_translate_ranks => group_ranks::translated(s),
        id::Type_create_darray => datatypes::darray(s),
        id::Type_get_contents => datatypes::contents(s),
        id::Pack | id::Unpack | id::Pack_external | id::Unpack_external => datatypes::packed(s),
        id::Info_delete | id::Info_get_nthkey => info::info_key(s),
        id::Info_set => info::info_lengths(s),
        id::Graph_neighbors => topologies::room_for_neighbours(s, place),
        id::Win_shared_query => communicators::shared_rank(s),
        id::Win_detach => windows::detaches(s),
        _ => {}
    }
}
