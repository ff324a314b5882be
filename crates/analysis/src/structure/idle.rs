//! Idle ranks.

use std::collections::BTreeMap;

use mpiscope_units::time;

use super::registry::{Context, StructureRules};
use super::robust::median;
use super::thresholds::{ranks_named, share};
use crate::explanation::structure::Iterations;
use crate::explanation::{Confidence, Explanation, Finding, Proof, Relations, Remedy, Rule, Value, WhyLate, capital};

const IDLE: Rule = Rule {
    id: "idle_ranks",
    what: "Ranks that exchange no messages while others do, or that compute nothing.",
    formula: "No messages (or, if no rank sends any, less than a fiftieth of the median rank's computation) and \
              computation in less than a tenth of the time. Cost: their time in MPI and after their end.",
    threshold: "1 % of the rank time and 1 ms; at most half of the ranks.",
    doubt: "A rank may be there only to read and write files for the others.",
    saving: "The run in which all ranks share the computation of the active ones: an upper bound.",
    relations: Relations { why_late: Some(WhyLate::Idle), ..Relations::NONE },
};

/// The rules of this file.
pub(super) const RULES: StructureRules = StructureRules { rules: &[IDLE], find };

/// Share of its time that an idle rank computes at most.
const MOST_COMPUTING: f64 = 0.10;
/// If no rank exchanges messages: share of the median rank's computing from which a rank is not idle.
const OF_MEDIAN: f64 = 0.02;

/// Finding `idle_ranks`.
fn find(scene: &Context<'_>, explanation: &mut Explanation) {
    let count = scene.sequences.len();
    if count < 2 {
        return;
    }
    let mut messages = vec![0u64; count];
    for (from, edges) in scene.graph.edges.iter().enumerate() {
        for e in edges.iter().filter(|e| (e.to as usize) < count) {
            messages[from] += e.messages;
            messages[e.to as usize] += e.messages;
        }
    }
    let busy = messages.iter().filter(|&&n| n > 0).count();
    let time_ns = |rank: usize| {
        let row = &scene.dimensions.ranks[rank];
        row.time_ns()
    };
    let computing_ns = |rank: usize| time_ns(rank).saturating_sub(scene.sequences[rank].mpi_ns);
    let usual_computing = median(&mut (0..count).map(computing_ns).collect::<Vec<_>>());
    let idle: Vec<usize> = (0..count)
        .filter(|&rank| {
            let computing = computing_ns(rank) as f64;
            let computes = computing > time_ns(rank) as f64 * MOST_COMPUTING;
            // It exchanges no messages where others do; where no rank does, it computes almost nothing.
            let is_out =
                if busy * 2 > count { messages[rank] == 0 } else { computing < usual_computing as f64 * OF_MEDIAN };
            let ends_early = time_ns(rank) * 2 < scene.scope.end_ns.saturating_sub(scene.scope.start_ns);
            is_out && (!computes || ends_early)
        })
        .collect();
    // Ranks with lost rows cannot be judged.
    if idle.is_empty() || idle.len() * 2 > count || scene.dimensions.is_cut() {
        return;
    }
    let idle_ns = |rank: usize| {
        let after = scene.scope.end_ns.saturating_sub(scene.dimensions.ranks[rank].finalize_start_ns);
        time_ns(rank).saturating_sub(computing_ns(rank)) + after
    };
    let cost_ns: u64 = idle.iter().map(|&r| idle_ns(r)).sum();
    if cost_ns < scene.scope.threshold_ns() {
        return;
    }
    let shared = (count - idle.len()) as f64 / count as f64;
    let names: Vec<i32> = idle.iter().map(|&r| scene.dimensions.ranks[r].world_rank).collect();
    let who = ranks_named(&names);
    let proof = idle.iter().take(16).map(|&r| {
        let row = &scene.dimensions.ranks[r];
        Proof { rank: row.world_rank, start_ns: row.init_end_ns, end_ns: row.finalize_start_ns, row: None }
    });
    explanation.findings.push(Finding {
        title: format!("{} of {count} ranks do nothing", idle.len()),
        text: format!(
            "{} exchange{} {} and compute{} for only {} of {} in total; the rest is time in MPI or after the end.",
            capital(&who),
            if names.len() == 1 { "s" } else { "" },
            if busy * 2 > count { "no messages" } else { "almost nothing" },
            if names.len() == 1 { "s" } else { "" },
            time(idle.iter().map(|&r| computing_ns(r)).sum()),
            time(idle.iter().map(|&r| time_ns(r)).sum()),
        ),
        advice: format!(
            "Check how the program assigns work to {who}: start it on a number of ranks that divides its work evenly, or on \
             {} ranks, which take just as long.",
            count - idle.len()
        ),
        cost_ns,
        share: share(cost_ns, scene.scope),
        confidence: Confidence::High,
        ranks: names.clone(),
        cause_ranks: names,
        sites: Vec::new(),
        regions: Vec::new(),
        // They are idle all the time.
        iterations: explanation.iterations.as_ref().map(Iterations::all),
        evidence: BTreeMap::from([
            ("idle_ranks", Value::Int(idle.len() as u64)),
            ("ranks", Value::Int(count as u64)),
            ("idle_ns", Value::Int(cost_ns)),
            ("median_computing_ns", Value::Int(usual_computing)),
        ]),
        proof: proof.collect(),
        // Work that the others share with them, if it can be shared.
        is_bound: true,
        remedy: Some(Remedy::computing(count, |rank| if idle.contains(&rank) { 1.0 } else { shared })),
        ..Finding::of(&IDLE)
    });
}
