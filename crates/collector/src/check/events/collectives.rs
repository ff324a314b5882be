//! Collective operations, and what has to be the same in all processes.

use mpiscope_abi::spec::param_flag;
use mpiscope_abi::{Flow, id};
use mpiscope_trace::check::event::{Body, Data, Part, flag};

use super::operations::operation;
use crate::check::transfer::{CommPosition, Side};
use crate::check::view::Slot;
use crate::check::{CallContext, groups, names};

pub fn collective(s: &mut CallContext<'_>, place: &CommPosition, gives: Option<&Side>, gets: Option<&Side>) {
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
    let agreed = if plan.persistent { vec![s.checker.ordinals.next(s.head_comm, 2)] } else { agreed(s) };
    let body = Body::Collective { op: 0, root, reduction, send, receive, agreed };
    operation(s, [(body, if replaced { flag::IN_PLACE } else { 0 })]);
}

fn significant(s: &CallContext<'_>, place: &CommPosition, param: &mpiscope_abi::Param) -> bool {
    s.view.plan.transfers && (!param.is(param_flag::AT_ROOT) || place.at_root)
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
    let file = || s.checker.files.get(s.file()).map_or(0, |f| f.ordinal);
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
        id::Win_free => vec![s.open.windows.freed_ordinal()],
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
