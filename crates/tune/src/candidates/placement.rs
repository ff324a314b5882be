//! The order of the ranks on hosts.

use super::{Candidate, Change, Facts, Found, Launching, percent};
use crate::Family;

/// Less saved traffic between hosts is not worth experiments.
const LEAST: f64 = 0.1;

/// An order of the ranks that sends less between hosts than the recorded one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankOrder {
    /// What it is: `blocks of the process grid`.
    pub what: String,
    /// The part of the bytes between hosts that it saves.
    pub saved: f64,
    /// A file with one host per rank, for Open MPI.
    pub hosts_file: String,
    /// A file with one host and `:1` per rank, for Hydra.
    pub machines_file: String,
}

pub(super) fn find(facts: &Facts, found: &mut Found) {
    const WHAT: &str = "order of the ranks";
    if facts.hosts < 2 {
        found.leave(WHAT, "all ranks are on one host");
        return;
    }
    let Some(order) = facts.rank_order.as_ref().filter(|order| order.saved >= LEAST) else {
        found.leave(WHAT, "no order saves a tenth of the bytes between hosts; see: mpiscope place RUN");
        return;
    };
    let is_new = facts.target.as_ref().and_then(|target| target.version.as_ref()).is_some_and(|of| of.series()[0] >= 5);
    let option = |option: &str, value: &str| Change::Option { option: option.into(), value: value.into() };
    let changes = match (facts.launching(), facts.family()) {
        (Launching::OpenMpi, Some(Family::OpenMpi)) if is_new => {
            vec![option("--map-by", "seq"), option("--hostfile", &order.hosts_file)]
        }
        (Launching::OpenMpi, _) => {
            let sequential = Change::Set { variable: "OMPI_MCA_rmaps".into(), value: "seq".into() };
            vec![sequential, option("--hostfile", &order.hosts_file)]
        }
        (Launching::Hydra, _) => vec![option("-f", &order.machines_file)],
        (Launching::Other, _) => {
            found.leave(WHAT, "files for this launcher: mpiscope place RUN --write DIR");
            return;
        }
    };
    found.candidates.push(Candidate {
        title: format!("ranks on hosts: {}", order.what),
        subject: "rank-order".to_owned(),
        changes,
        why: format!("it saves {} of the bytes between hosts", percent(order.saved)),
        question: None,
        predicted: None,
        prior: 0.05 + order.saved / 4.0,
    });
}
