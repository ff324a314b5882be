//! Threads that make progress while the program computes.

use super::{Candidate, Facts, Found, percent, set, title};
use crate::Family;

/// Less time in calls that complete requests is not worth a thread.
const LEAST: f64 = 0.05;

pub(super) fn find(facts: &Facts, found: &mut Found) {
    let share = facts.share(|name| name.starts_with("MPI_Wait") || name.starts_with("MPI_Test"));
    if share < LEAST {
        let text = format!("calls that complete requests take only {} of the ranks' time", percent(share));
        found.leave("progress thread", text);
        return;
    }
    if facts.ranks_per_host >= facts.cores {
        found.leave("progress thread", "no core is free for it");
        return;
    }
    let entry = match facts.family() {
        Some(Family::Mpich) => facts.variable(Family::Mpich, &["MPIR_CVAR_ASYNC_PROGRESS"]),
        Some(Family::Intel) => facts.variable(Family::Intel, &["I_MPI_ASYNC_PROGRESS"]),
        Some(Family::CrayMpich) => facts.variable(Family::CrayMpich, &["MPICH_ASYNC_PROGRESS"]),
        Some(Family::OpenMpi) if facts.hosts > 1 => facts.variable(Family::OpenMpi, &["btl_tcp_progress_thread"]),
        _ => None,
    };
    let Some(entry) = entry else {
        found.leave("progress thread", "this MPI has none for messages within a host");
        return;
    };
    let changes = vec![set(entry, 1)];
    found.candidates.push(Candidate {
        title: title(&changes),
        subject: "progress".to_owned(),
        changes,
        why: format!("calls that complete requests take {} of the ranks' time", percent(share)),
        question: Some("progress=always".to_owned()),
        predicted: None,
        prior: 0.1,
    });
}
