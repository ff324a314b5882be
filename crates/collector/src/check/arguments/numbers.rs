//! Numbers that the standard limits, by the class of the parameter: counts, tags, ranks, values.

use mpiscope_abi::role::{Epoch, Role};
use mpiscope_abi::spec::{class, param_flag};
use mpiscope_abi::{Family, Param, id};
use mpiscope_trace::check::rule;

use super::group_ranks::members_of_group;
use super::members;
use crate::check::transfer::CommPosition;
use crate::check::view::Slot;
use crate::check::{CallContext, files, windows};

pub fn counts(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
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

pub fn lengths(s: &mut CallContext<'_>, param: &'static Param) {
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

pub fn tag(s: &mut CallContext<'_>, param: &'static Param) {
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
    let most = s.checker.life.tag_ub();
    if (takes && tag == any) || (0..=most).contains(&tag) {
        return;
    }
    // The window of tags of other calls (creation of communicators) is the same.
    let text = if tag == any { "MPI_ANY_TAG" } else { "" };
    s.find(rule::TAG, Some(param), [tag, most, 0], text);
}

pub fn root(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
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

pub fn rank(s: &mut CallContext<'_>, param: &'static Param, place: &CommPosition) {
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
        return members_of_group(s, param);
    }
    let Some(comm) = place.info else { return };
    if !(between || own_group) || param.is(param_flag::ARRAY) {
        return;
    }
    let c = &s.view.process.mpi.constants;
    let rank = s.view.int(param);
    let size = if comm.remote_size > 0 && between { comm.remote_size } else { comm.size };
    let is_proc_null = between && rank == i64::from(c.proc_null);
    let any = receives && rank == i64::from(c.any_source);
    if !(is_proc_null || any || (0..i64::from(size)).contains(&rank)) {
        let text = match rank {
            r if r == i64::from(c.any_source) => "MPI_ANY_SOURCE",
            r if r == i64::from(c.proc_null) => "MPI_PROC_NULL",
            _ => "",
        };
        s.find(rule::RANK, Some(param), [rank, size.into(), 0], text);
    }
}

/// Values whose range the standard gives.
pub fn values(s: &mut CallContext<'_>, param: &'static Param) {
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
            let dynamic = s.checker.windows.get(&window).is_none_or(windows::Window::is_dynamic);
            (!dynamic && value(s) < 0, "a displacement of at least 0")
        }
        class::OFFSET if !matches!(plan_base, id::File_seek | id::File_seek_shared) => {
            let current = files::current(s.view.process.mpi.constants.family);
            (value(s) < 0 && !(name == "disp" && value(s) == current), "at least 0")
        }
        class::UNIT => (value(s) <= 0, "a unit of at least 1"),
        class::BYTES => (value(s) < 0, "a size of at least 0"),
        class::LOCK => {
            let locks = windows::locks(s.view.process.mpi.constants.family);
            (!locks.contains(&value(s)), "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE")
        }
        class::ASSERT => match windows::invalid_assertion(s.view.process.mpi.constants.family, plan_base, value(s)) {
            Some(why) => (true, why),
            None => return,
        },
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
        class::MODE => match files::invalid_mode(s.view.process.mpi.constants.family, value(s)) {
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
