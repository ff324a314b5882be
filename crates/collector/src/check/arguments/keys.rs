//! Keys of attributes, and error handlers: what was created for one kind of objects only.

use mpiscope_abi::spec::class;
use mpiscope_abi::{Param, id};
use mpiscope_trace::check::rule;

use super::handles::impossible;
use crate::check::{CallContext, lifetimes};

/// A key of attributes: of the same kind of objects, not freed before a value is stored, and not one of the MPI's own where
/// something is changed (MPI-5.0 §7.7). That a freed one is asked for, or its attributes are deleted, is right: they stay.
pub fn attribute_key(s: &mut CallContext<'_>, param: &'static Param) {
    let Some(handle) = s.view.handle(param) else { return };
    let base = s.view.plan.base;
    let name = mpiscope_abi::name(base);
    let frees = lifetimes::frees(base);
    if handle == s.view.nulls.null(class::KEYVAL) {
        return s.find(rule::KEYVAL, Some(param), [0; 3], "MPI_KEYVAL_INVALID");
    }
    let changes = frees
        || matches!(base, id::Attr_put | id::Attr_delete)
        || name.ends_with("_set_attr")
        || name.ends_with("_delete_attr");
    let Some(known) = s.checker.objects.get(class::KEYVAL, handle).copied() else {
        if changes && s.view.nulls.is_own_attribute(handle) {
            s.find(rule::KEYVAL, Some(param), [0; 3], "it is predefined, and only MPI sets it");
        }
        return;
    };
    let kind = |name: &str| match name.strip_prefix("MPI_") {
        Some(name) if name.starts_with("Type_") => "datatypes",
        Some(name) if name.starts_with("Win_") => "windows",
        _ => "communicators",
    };
    let maker = mpiscope_abi::name(known.function.into());
    if kind(maker) != kind(name) {
        s.find_from(rule::KEYVAL, Some(param), [0; 3], &format!("it belongs to {}", kind(maker)), known.site);
    } else if known.live == 0 && (frees || base == id::Attr_put || name.ends_with("_set_attr")) {
        s.find_from(rule::KEYVAL, Some(param), [0; 3], "already freed", known.site);
    }
}

/// An error handler: it must exist, and be created for the kind of objects that it is set for. A handler that MPI returned may be predefined.
pub fn error_handler(s: &mut CallContext<'_>, param: &'static Param) {
    let base = s.view.plan.base;
    let Some(handle) = s.view.handle(param).filter(|_| !s.view.plan.converts) else { return };
    if handle == s.view.nulls.null(class::ERRHANDLER) {
        return s.find(rule::ERRHANDLER, Some(param), [0; 3], "MPI_ERRHANDLER_NULL");
    }
    let Some(known) = s.checker.objects.get(class::ERRHANDLER, handle).copied() else {
        return impossible(s, rule::ERRHANDLER, param, handle);
    };
    let maker = mpiscope_abi::name(known.function.into());
    let Some(kind) = maker.strip_suffix("_create_errhandler") else { return };
    if known.live == 0 {
        let rule = if lifetimes::frees(base) { rule::FREED } else { rule::ERRHANDLER };
        return s.find_from(rule, Some(param), [0; 3], "already freed", known.site);
    }
    let sets = mpiscope_abi::name(base).strip_suffix("_set_errhandler");
    if sets.is_some_and(|sets| sets != kind) {
        s.find_from(rule::ERRHANDLER, Some(param), [0; 3], &format!("created by {maker}"), known.site);
    }
}
