//! Which network interfaces carry the messages between hosts, where a host has several.

use super::{Candidate, Change, Facts, Found, set, title};
use crate::Family;

/// Interfaces that are tried alone.
const MOST: usize = 4;

pub(super) fn find(facts: &Facts, found: &mut Found) {
    const WHAT: &str = "network interfaces";
    if facts.hosts < 2 {
        found.leave(WHAT, "no messages go between hosts");
        return;
    }
    if facts.interfaces.len() < 2 {
        found.leave(WHAT, "this host has only one");
        return;
    }
    let variable = |family, names: &[&str]| facts.variable(family, names);
    let entry = match facts.family() {
        Some(Family::OpenMpi | Family::Fujitsu) => variable(Family::OpenMpi, &["btl_tcp_if_include"]),
        Some(Family::Mpich) if facts.device_has("ucx") => variable(Family::Ucx, &["UCX_NET_DEVICES"]),
        Some(Family::Mpich | Family::Intel) if facts.device_has("ofi") || facts.family() == Some(Family::Intel) => {
            variable(Family::Libfabric, &["FI_TCP_IFACE"])
        }
        Some(Family::Mpich) => variable(Family::Mpich, &["MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE"]),
        _ => None,
    };
    let mut push = |changes: Vec<Change>| {
        found.candidates.push(Candidate {
            title: title(&changes),
            subject: "interfaces".to_owned(),
            changes,
            why: format!("a host has {} interfaces: {}", facts.interfaces.len(), facts.interfaces.join(", ")),
            question: None,
            predicted: None,
            prior: 0.06,
        });
    };
    if facts.family() == Some(Family::Intel)
        && let Some(entry) = variable(Family::Intel, &["I_MPI_MULTIRAIL"])
    {
        push(vec![set(entry, 1)]);
    }
    let Some(entry) = entry else {
        found.leave(WHAT, "the tables have no variable of this MPI for it");
        return;
    };
    for interface in facts.interfaces.iter().take(MOST).filter(|one| facts.value_of(entry) != Some(one.as_str())) {
        push(vec![set(entry, interface)]);
    }
}
