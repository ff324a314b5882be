//! Operations with their datatypes, and datatypes that an access allows.

use mpiscope_abi::role::Role;
use mpiscope_abi::{Flow, id};
use mpiscope_trace::check::rule;

use crate::check::transfer::Side;
use crate::check::types::kind;
use crate::check::view::Slot;
use crate::check::{CallContext, types};

/// Operation × datatype.
pub fn operation(s: &mut CallContext<'_>, side: Option<&Side>) {
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
pub fn written_type(s: &mut CallContext<'_>) {
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

/// The datatype of `MPI_Fetch_and_op` and `MPI_Compare_and_swap`, which access one element.
pub fn single_element(s: &mut CallContext<'_>, side: Option<&Side>) {
    let plan = s.view.plan;
    if !matches!(plan.base, id::Fetch_and_op | id::Compare_and_swap) {
        return;
    }
    let datatype = side.map_or(0, |side| side.datatype);
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
