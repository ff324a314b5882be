//! Slow moments, and computations that sometimes take longer: whether ranks waited for a core meanwhile.

use mpiscope_store::{CpuSample, Dimensions};

use crate::explanation::machine::RankUse;
use crate::explanation::{Finding, Proof, Value};

/// Waiting for a core explains a slow moment if it makes up this share of the excess.
const MOST: f64 = 0.5;

/// Removes slow moments that waiting for a core explains, where it is too little in total to be a separate finding; and
/// noise that it does not explain: then computations differ for another reason.
pub(super) fn leave_out(ranks: &[RankUse], dimensions: &Dimensions, findings: &mut Vec<Finding>) {
    let waited_ns: u64 = ranks.iter().map(|rank| rank.main_run_queue_ns).sum();
    findings.retain(|finding| match finding.relations.needs_lost_cores {
        true => waited_ns as f64 >= MOST * finding.cost_ns as f64,
        false => !finding.relations.is_about_a_moment() || !is_explained(finding, dimensions),
    });
}

fn is_explained(finding: &Finding, dimensions: &Dimensions) -> bool {
    let Some(Value::Int(excess_ns)) = finding.evidence.get("excess_ns") else { return false };
    let waited = |proof: &Proof| {
        let rank = dimensions.ranks.iter().find(|r| r.world_rank == proof.rank)?;
        Some(waited_ns(&rank.cores.samples, proof.start_ns, proof.end_ns))
    };
    // Ranks may have waited one after the other, each for the one that had no core.
    let waited_ns: u64 = finding.proof.iter().filter_map(waited).sum();
    waited_ns as f64 >= MOST * *excess_ns as f64
}

/// Time without a core between the samples around an interval.
fn waited_ns(samples: &[CpuSample], start_ns: u64, end_ns: u64) -> u64 {
    let before = samples.iter().rev().find(|s| s.at_ns <= start_ns).or(samples.first());
    let after = samples.iter().find(|s| s.at_ns >= end_ns).or(samples.last());
    let between = before.zip(after).map_or(0, |(a, b)| b.main_wait_ns.saturating_sub(a.main_wait_ns));
    between.min(end_ns.saturating_sub(start_ns))
}

#[cfg(test)]
mod tests {
    use mpiscope_store::{RankCores, RankRow};

    use super::*;

    #[test]
    fn a_slow_start_without_a_core() {
        let sample = |ms: u64, wait_ms: u64| CpuSample {
            at_ns: ms * 1_000_000,
            main_wait_ns: wait_ms * 1_000_000,
            ..CpuSample::default()
        };
        let rank = |world_rank, wait_ms| RankRow {
            world_rank,
            cores: RankCores {
                samples: vec![sample(0, 0), sample(30, wait_ms), sample(90, wait_ms)],
                ..RankCores::default()
            },
            ..RankRow::default()
        };
        let dimensions =
            |waits: [u64; 2]| Dimensions { ranks: vec![rank(0, waits[0]), rank(1, waits[1])], ..Dimensions::default() };
        let slow = |id| Finding {
            evidence: [("excess_ns", Value::Int(12_000_000))].into(),
            proof: (0..2).map(|rank| Proof { rank, start_ns: 1_000_000, end_ns: 20_000_000, row: None }).collect(),
            ..Finding::of(crate::rule(id).expect("a rule"))
        };
        let remain = |waits| {
            let mut findings = vec![slow("warm_up"), slow("late_sender")];
            leave_out(&[], &dimensions(waits), &mut findings);
            findings.len()
        };
        assert_eq!(remain([10, 0]), 1);
        assert_eq!(remain([4, 3]), 1);
        assert_eq!(remain([2, 1]), 2);
    }
}
