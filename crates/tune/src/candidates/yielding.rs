//! Polling against yielding, when there are more ranks than cores.

use super::{Candidate, Change, Facts, Found, set, title};
use crate::Family;

pub(super) fn find(facts: &Facts, found: &mut Found) {
    let crowd = format!("{} ranks share {} cores", facts.ranks_per_host, facts.cores);
    if facts.ranks_per_host <= facts.cores {
        found.leave("yielding", "every rank has a core of its own");
        return;
    }
    let changes = if facts.is_open_mpi() {
        let Some(entry) = facts.variable(Family::OpenMpi, &["mpi_yield_when_idle"]) else { return };
        if matches!(facts.value_of(entry), Some("1" | "true" | "yes")) {
            return;
        }
        vec![set(entry, 1)]
    } else if facts.family() == Some(Family::Mpich) && facts.device_has("ucx") {
        let Some(library) = &facts.yield_library else { return };
        vec![Change::Preload { library: library.clone() }]
    } else {
        found.leave("yielding", "no way is known to make this MPI yield");
        return;
    };
    found.candidates.push(Candidate {
        title: title(&changes),
        subject: "yielding".to_owned(),
        changes,
        why: crowd,
        question: None,
        predicted: None,
        prior: 0.4,
    });
}
