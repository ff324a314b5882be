//! Changes that remove the cause of a finding: what the finding advises, as changes of the model.

use std::collections::BTreeSet;

use mpiscope_abi::LARGE;
use mpiscope_abi::role::{Mode, Role};
use mpiscope_analysis::Finding;
use mpiscope_model::simulation::{Algorithm, Network};
use mpiscope_store::{CallInfo, SiteId, flags};

use crate::apply::{Run, awaits_messages, can_be_left_out, makes_object, receives};
use crate::candidates::{eager_limits, frequent, other_algorithms, place};
use crate::change::Change;
use crate::placement::Placement;

/// What the findings of a rule advise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Advice {
    /// Equal work.
    Balance,
    /// Blocking messages at its places as non-blocking exchanges.
    NonBlocking,
    /// The same, receiving before computing, or a larger eager limit.
    EarlyOrEager,
    /// Receiving in the order of sending.
    Arrival,
    /// Progress while ranks compute.
    Progress,
    /// Leaving out the calls at its places.
    Without,
    /// Creating once what the calls at its places create.
    Once,
    /// Messages that follow each other as one.
    Aggregate,
    /// Other algorithms for the operations at its places.
    Algorithm,
    /// Ranks on other hosts.
    Placement,
}

/// Rules whose advice the model can follow.
const RULES: [(&str, Advice); 20] = [
    ("load_imbalance", Advice::Balance),
    ("late_sender", Advice::NonBlocking),
    ("serialisation_chain", Advice::NonBlocking),
    ("wrong_order_same_source", Advice::Arrival),
    ("wrong_order_different_source", Advice::Arrival),
    ("late_receiver", Advice::EarlyOrEager),
    ("wait_for_progress", Advice::Progress),
    ("rma_wait_for_progress", Advice::Progress),
    ("no_overlap", Advice::Progress),
    ("wait_at_barrier", Advice::Without),
    ("redundant_barrier", Advice::Without),
    ("barrier_completion", Advice::Without),
    ("needless_calls", Advice::Without),
    ("recreated_objects", Advice::Once),
    ("nxn_completion", Advice::Algorithm),
    ("slow_collective", Advice::Algorithm),
    ("late_broadcast", Advice::Algorithm),
    ("placement", Advice::Placement),
    ("small_messages", Advice::Aggregate),
    // Data that move in one call after the other may move at the same time.
    ("unexplained_mpi_time", Advice::NonBlocking),
];

/// Whether [`suggested`] knows changes for findings of this rule.
pub fn is_advised(finding: &Finding) -> bool {
    advice(finding).is_some()
}

fn advice(finding: &Finding) -> Option<Advice> {
    RULES.iter().find(|(id, _)| *id == finding.id).map(|(_, advice)| *advice)
}

/// Changes, each for itself, of which the best one says what the finding is worth; none where the model has no such change.
pub fn suggested(finding: &Finding, run: Run<'_>, network: &Network) -> Vec<Vec<Change>> {
    let Some(advice) = advice(finding) else { return Vec::new() };
    let here = |info: &&CallInfo| finding.sites.iter().any(|site| site == run.dimensions.site(info.site));
    let sites_of = |is_such: fn(&CallInfo) -> bool| {
        let calls = run.facts.iter().flatten().filter(here).filter(|info| is_such(info));
        calls.map(|info| run.dimensions.site(info.site)).collect::<BTreeSet<&str>>()
    };
    match advice {
        Advice::Balance => vec![vec![Change::Balance]],
        Advice::Progress => vec![vec![Change::Progress]],
        Advice::Placement => vec![vec![Change::Placement(Placement::named("best"))]],
        Advice::NonBlocking => each_and_all(&sites_of(is_blocking), Change::NonBlocking),
        Advice::Arrival => each_and_all(&sites_of(awaits_messages), Change::Arrival),
        Advice::Aggregate => each_and_all(&sites_of(sends), Change::Aggregated),
        Advice::EarlyOrEager => {
            let mut all = each_and_all(&sites_of(is_blocking), Change::NonBlocking);
            all.extend(early(finding, run));
            all.extend(eager_limits(network));
            all
        }
        Advice::Without => each_and_all(&sites_of(can_be_left_out), Change::Without),
        // What is not created is not freed either.
        Advice::Once => vec![sites_of(makes_object).iter().map(|site| Change::Once(place(site))).collect()],
        Advice::Algorithm => {
            let function = |info: &CallInfo| info.function & !LARGE;
            let functions: BTreeSet<u32> = run.facts.iter().flatten().filter(here).map(function).collect();
            let kinds = (0..).zip(run.kinds).filter(|(_, kind)| functions.contains(&(kind.function & !LARGE)));
            let changes =
                kinds.flat_map(|of| other_algorithms(of, network).map(move |to| (of.1.function & !LARGE, to)));
            let mut found: Vec<(u32, Algorithm)> = Vec::new();
            changes.for_each(|change| {
                if !found.contains(&change) {
                    found.push(change)
                }
            });
            found.into_iter().map(|(function, of)| vec![Change::Algorithm(function, of)]).collect()
        }
    }
}

/// A blocking send or receive that could be non-blocking.
pub(crate) fn is_blocking(info: &CallInfo) -> bool {
    let is_plain = info.flags & (flags::NON_BLOCKING | flags::PERSISTENT) == 0;
    is_plain && matches!(info.role, Role::Receive | Role::Send(Mode::Standard | Mode::Synchronous))
}

fn sends(info: &CallInfo) -> bool {
    matches!(info.role, Role::Send(_))
}

/// The most frequent receives of the ranks that are late; the sites of the finding are those of sends.
fn early(finding: &Finding, run: Run<'_>) -> Vec<Vec<Change>> {
    let is_late = |number: i32| finding.cause_ranks.is_empty() || finding.cause_ranks.contains(&number);
    let ranks = run.facts.iter().zip(&run.dimensions.ranks).filter(|(_, row)| is_late(row.world_rank));
    let sites: BTreeSet<SiteId> = ranks.flat_map(|(facts, _)| facts).map(|info| info.site).collect();
    let are_theirs = |info: &CallInfo| receives(info) && sites.contains(&info.site);
    frequent(run, are_theirs, are_theirs).map(Change::Early).map(|change| vec![change]).collect()
}

/// Each place alone, and all of them together.
fn each_and_all(sites: &BTreeSet<&str>, change: fn(crate::change::Place) -> Change) -> Vec<Vec<Change>> {
    let all: Vec<Change> = sites.iter().map(|site| change(place(site))).collect();
    let mut each: Vec<Vec<Change>> = all.iter().map(|change| vec![change.clone()]).collect();
    if all.len() > 1 {
        each.push(all);
    }
    each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_exist_and_are_named_once() {
        let ids: BTreeSet<&str> = RULES.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids.len(), RULES.len());
        let unknown: Vec<&&str> = ids.iter().filter(|id| mpiscope_analysis::rule(id).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
