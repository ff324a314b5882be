//! Buffers of messages that nothing has received yet: a sender waits when they are full.

use super::{Candidate, Facts, Found, percent, set, title};
use crate::Family;

/// Less time in sends is not worth experiments.
const LEAST: f64 = 0.05;
/// Buffers are made so many times as large.
const FACTOR: u64 = 4;

pub(super) fn find(facts: &Facts, found: &mut Found) {
    const WHAT: &str = "buffers for early messages";
    let is_send = |name: &str| matches!(name, "MPI_Send" | "MPI_Isend" | "MPI_Sendrecv" | "MPI_Rsend" | "MPI_Irsend");
    let share = facts.share(is_send);
    if share < LEAST {
        found.leave(WHAT, format!("sends take only {} of the ranks' time", percent(share)));
        return;
    }
    let entry = match facts.family() {
        Some(Family::OpenMpi | Family::Fujitsu) => {
            facts.variable(Family::OpenMpi, &["btl_vader_free_list_max", "btl_sm_free_list_max"])
        }
        Some(Family::Mpich) => facts.variable(Family::Mpich, &["MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS"]),
        _ => None,
    };
    let now = entry.and_then(|entry| facts.value_of(entry).unwrap_or(&entry.default).parse::<u64>().ok());
    let Some((entry, now)) = entry.zip(now) else {
        found.leave(WHAT, "the tables have no variable of this MPI for it");
        return;
    };
    let changes = vec![set(entry, now * FACTOR)];
    found.candidates.push(Candidate {
        title: title(&changes),
        subject: "queues".to_owned(),
        changes,
        why: format!("sends take {} of the ranks' time, and wait when the buffers are full", percent(share)),
        question: None,
        predicted: None,
        prior: 0.05 + share / 8.0,
    });
}
