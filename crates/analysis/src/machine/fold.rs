//! Which findings are caused by the machine.

use super::findings::HostFinding;
use crate::explanation::machine::{Machine, RankUse};
use crate::explanation::{Finding, WithoutCore};

/// The parts of advice about leaving calls late that are about cores, exactly as written there.
const OWN_CORE: [&str; 2] =
    [" Check that every process has its own core.", "Check that every process has its own core."];

/// Share of a finding's cost that must be explained.
const MOST: f64 = 0.5;
/// Ranks that compute this many times as much as the others are late with any number of cores.
const REALLY_MORE: f64 = 1.25;
/// Below this share of the rank time, waiting for a core does not count.
const NOBODY: f64 = 0.02;

/// Puts findings under the one that explains them.
pub(super) fn fold(machine: &Machine, roots: &[HostFinding], findings: &mut [Finding]) {
    for root in roots {
        let starved = root.ranks(machine);
        for finding in findings.iter_mut().filter(|f| f.caused_by.is_none()) {
            if follows(finding, root, &starved, machine) {
                finding.caused_by = Some(root.finding.id);
            }
        }
    }
}

fn follows(finding: &Finding, root: &HostFinding, starved: &[&RankUse], machine: &Machine) -> bool {
    let shows = finding.relations.without_core;
    if root.cause.is_none() {
        let slow = &root.finding.cause_ranks;
        let are_slow = !finding.cause_ranks.is_empty() && finding.cause_ranks.iter().all(|rank| slow.contains(rank));
        return shows == Some(WithoutCore::Late)
            && are_slow
            && finding.cost_ns <= root.finding.cost_ns * machine.ranks.len() as u64;
    }
    let (is_late, is_completion) = (shows == Some(WithoutCore::Late), shows == Some(WithoutCore::Completion));
    if !is_late && !is_completion {
        return false;
    }
    let blamed: Vec<&RankUse> = match finding.cause_ranks.is_empty() || is_completion {
        true => starved.to_vec(),
        false => starved.iter().filter(|r| finding.cause_ranks.contains(&r.rank)).copied().collect(),
    };
    // A rank that waits for its core is late both in computing and inside of MPI, where others need its progress. Each of the
    // others may wait for it as long.
    let lost_ns: u64 = blamed.iter().map(|r| r.main_run_queue_ns).sum();
    let others = machine.ranks.len().saturating_sub(1).max(1) as u64;
    // Where the run was replayed, a core for each rank must save as much as what is put under it. Bounds are too high.
    let can_explain = match (root.finding.savable_ns, finding.savable_ns) {
        (Some(saved_ns), Some(needed_ns)) if !finding.is_bound => saved_ns >= needed_ns,
        (Some(saved_ns), needed_ns) => saved_ns as f64 >= MOST * needed_ns.unwrap_or(finding.cost_ns) as f64,
        (None, _) => lost_ns.saturating_mul(others) as f64 >= MOST * finding.cost_ns as f64,
    };
    can_explain && !(is_late && is_real(finding, &blamed, machine))
}

/// Whether the ranks that are named as the cause also used more processor time.
fn is_real(finding: &Finding, blamed: &[&RankUse], machine: &Machine) -> bool {
    if finding.cause_ranks.is_empty() || blamed.is_empty() || blamed.len() * 2 >= machine.ranks.len() {
        return false;
    }
    let mean = |ranks: &[&RankUse]| {
        ranks.iter().map(|r| r.computing.running_ns as f64).sum::<f64>() / ranks.len().max(1) as f64
    };
    let rest: Vec<&RankUse> = machine.ranks.iter().filter(|r| !finding.cause_ranks.contains(&r.rank)).collect();
    let (own, of_rest) = (mean(blamed), mean(&rest));
    let excess = (own - of_rest).max(0.0) * blamed.len() as f64;
    let others = machine.ranks.len().saturating_sub(1).max(1) as f64;
    own >= REALLY_MORE * of_rest && excess * others >= MOST * finding.cost_ns as f64
}

/// Removes advice about cores that the samples refute: where no rank waited for a core, each had one.
pub(super) fn completions(machine: &Machine, findings: &mut [Finding]) {
    let sampled: u64 = machine.ranks.iter().map(|r| r.sampled_ns).sum();
    let queued: u64 = machine.ranks.iter().map(|r| r.main_run_queue_ns).sum();
    if queued as f64 >= NOBODY * sampled as f64 {
        return;
    }
    let leaves_late = |f: &&mut Finding| f.relations.without_core == Some(WithoutCore::Completion);
    for finding in findings.iter_mut().filter(leaves_late) {
        for part in OWN_CORE {
            finding.advice = finding.advice.replace(part, "");
        }
    }
}
