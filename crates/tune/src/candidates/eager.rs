//! The eager limit: up to which size a message is sent without waiting for its receiver.

use super::{Candidate, Facts, Found, set, title};
use crate::Family;
use crate::table::Entry;

/// Limits that are tried above the current one.
const MOST: usize = 3;
/// Open MPI's limit includes the header, and a message of 64 KiB shall fit: the next size is taken.
const HEADER_BYTES: u64 = 64;
/// Open MPI keeps many buffers of this size in a shared segment of 4 MiB.
const LARGEST_BYTES: u64 = 1 << 20;

pub(super) fn find(facts: &Facts, found: &mut Found) {
    if facts.messages.is_empty() {
        found.leave("eager limit", "the run has no messages from rank to rank");
        return;
    }
    let names = variables(facts);
    if names.is_empty() {
        found.leave("eager limit", "the tables have no variable of this MPI for it");
        return;
    }
    let now = limit(facts, names[0]);
    let above = |bytes: u64| (bytes + HEADER_BYTES).next_power_of_two();
    let mut sizes: Vec<(u64, u64)> = facts.messages.clone();
    sizes.sort_by_key(|(bytes, calls)| std::cmp::Reverse(calls.saturating_mul(*bytes)));
    let mut limits: Vec<u64> = Vec::new();
    for (bytes, _) in sizes.iter().filter(|(bytes, _)| *bytes >= now) {
        let limit = above(*bytes);
        if limit <= LARGEST_BYTES && !limits.contains(&limit) {
            limits.push(limit);
        }
    }
    limits.truncate(MOST);
    // Large eager messages are copied twice: below the size that carries most bytes.
    let most = sizes.first().map_or(0, |(bytes, _)| *bytes);
    if most < now && most >= 4096 {
        limits.push(most.next_power_of_two() / 4);
    }
    if limits.is_empty() {
        found.leave(
            "eager limit",
            format!("the messages of the run do not reach from one side of {now} bytes to the other"),
        );
    }
    for bytes in limits {
        let mut changes: Vec<_> = names.iter().map(|entry| set(entry, bytes)).collect();
        // A fragment has to hold it.
        for entry in &names {
            let largest = entry.name.replace("_eager_limit", "_max_send_size");
            if let Some(largest) = facts.variable(Family::OpenMpi, &[&largest]).filter(|_| entry.name != largest)
                && largest.default.parse().is_ok_and(|default: u64| default < bytes)
            {
                changes.push(set(largest, bytes));
            }
        }
        found.candidates.push(Candidate {
            title: title(&changes[..1]),
            subject: "eager-limit".to_owned(),
            changes,
            why: format!("most bytes are in messages of about {most} bytes; the limit is {now}"),
            // A threshold of copying decides how a message goes, not whether its sender waits.
            question: (bytes > now && !names[0].name.contains("_IPC_")).then(|| format!("eager={bytes}")),
            predicted: None,
            prior: 0.1,
        });
    }
}

/// Those that are in use: within a host, and between hosts if there are several.
fn variables(facts: &Facts) -> Vec<&'static Entry> {
    let one = |family, names: &[&str]| facts.variable(family, names);
    let found = match facts.family() {
        Some(Family::OpenMpi | Family::Fujitsu) => {
            let within = one(Family::OpenMpi, &["btl_vader_eager_limit", "btl_sm_eager_limit"]);
            let between = one(Family::OpenMpi, &["btl_tcp_eager_limit"]).filter(|_| facts.hosts > 1);
            [within, between]
        }
        Some(Family::Mpich) if facts.device_has("ch4") && facts.hosts < 2 && !facts.has_only_ucx() => {
            // Its own shared memory; the cells' size cannot be raised alone.
            [one(Family::Mpich, &["MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"]), None]
        }
        Some(Family::Mpich) if facts.device_has("ucx") => [one(Family::Ucx, &["UCX_RNDV_THRESH"]), None],
        Some(Family::Mpich) if facts.device_has("ofi") => {
            [one(Family::Mpich, &["MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE", "MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD"]), None]
        }
        Some(Family::Mpich) if facts.device_has("ch3") => {
            [one(Family::Mpich, &["MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE"]), None]
        }
        Some(Family::Intel) => [one(Family::Intel, &["I_MPI_EAGER_THRESHOLD"]), None],
        Some(Family::Mvapich) => [one(Family::Mvapich, &["MV2_IBA_EAGER_THRESHOLD"]), None],
        Some(Family::CrayMpich) => [one(Family::CrayMpich, &["MPICH_GNI_MAX_EAGER_MSG_SIZE"]), None],
        _ => [None, None],
    };
    found.into_iter().flatten().collect()
}

/// The limit now: as the library reported it, as it is set, or the default.
fn limit(facts: &Facts, entry: &Entry) -> u64 {
    let reported = facts.reported.get(&entry.name).map(String::as_str);
    let values = [reported, facts.value_of(entry), Some(entry.default.as_str())];
    // UCX decides by itself (`auto`): about 8 KiB within a host.
    values.into_iter().flatten().find_map(bytes).unwrap_or(8192)
}

/// `4096`, `64K`.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches(['b', 'B']);
    let (number, shift) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 10),
        'm' | 'M' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}
