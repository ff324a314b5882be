//! Algorithms of collective operations.

use super::{Candidate, Change, Facts, Found, percent, set, title};
use crate::Family;
use crate::table::{Entry, Kind};

/// An operation with a smaller share of the time is not worth experiments.
const LEAST: f64 = 0.02;
/// Algorithms that are tried for one operation.
const MOST: usize = 6;
/// Words for the library's own choice, and for what cannot be chosen.
const NO_ALGORITHM: [&str; 5] = ["ignore", "auto", "nb", "ccl", "smp"];

pub(super) fn find(facts: &Facts, found: &mut Found) {
    for (function, share) in facts.calls.iter().filter(|(_, share)| **share >= LEAST) {
        let name = function.trim_start_matches("MPI_").to_ascii_lowercase();
        let Some(entry) = variable(facts, &name) else { continue };
        let mut choices: Vec<&str> = entry.choices.iter().map(|choice| choice.name.as_str()).collect();
        choices.retain(|choice| !NO_ALGORITHM.contains(choice));
        choices.retain(|choice| !choice.starts_with("two_proc") || facts.ranks == 2);
        // Those that the model can judge come first.
        choices.sort_by_key(|choice| in_model(choice).is_none());
        let now = facts.value_of(entry);
        for choice in choices.iter().take(MOST) {
            let number = entry.choices.iter().find(|of| of.name == **choice).and_then(|of| of.number);
            // Open MPI takes numbers in every version.
            let value = number.map_or_else(|| (*choice).to_owned(), |number| number.to_string());
            if now == Some(value.as_str()) || now == Some(*choice) {
                continue;
            }
            let mut changes = vec![set(entry, value)];
            if entry.name.starts_with("coll_tuned_") {
                changes
                    .push(Change::Set { variable: "OMPI_MCA_coll_tuned_use_dynamic_rules".into(), value: "1".into() });
            }
            // Within a host, MPICH's shared memory comes before it.
            let shared = format!("MPIR_CVAR_{}_POSIX_INTRA_ALGORITHM", name.to_ascii_uppercase());
            if let Some(shared) =
                facts.variable(Family::Mpich, &[&shared]).filter(|_| facts.family() == Some(Family::Mpich))
            {
                changes.push(set(shared, "mpir"));
            }
            found.candidates.push(Candidate {
                title: format!("{} ({choice})", title(&changes[..1])),
                subject: entry.name.clone(),
                changes,
                why: format!("{function} takes {} of the ranks' time", percent(*share)),
                question: in_model(choice).map(|algorithm| format!("{function}={algorithm}")),
                predicted: None,
                prior: 0.05 + share / 4.0,
            });
        }
        if choices.len() > MOST {
            found.leave(format!("{}={}", entry.variable(), choices[MOST..].join(", ")), "too many algorithms");
        }
    }
}

/// The variable for the algorithm of an operation.
fn variable(facts: &Facts, name: &str) -> Option<&'static Entry> {
    let upper = name.to_ascii_uppercase();
    let entry = match facts.family()? {
        Family::OpenMpi | Family::Fujitsu => facts.variable(
            Family::OpenMpi,
            &[&format!("coll_tuned_{name}_algorithm"), &format!("coll_libnbc_{name}_algorithm")],
        ),
        Family::Mpich => facts.variable(Family::Mpich, &[&format!("MPIR_CVAR_{upper}_INTRA_ALGORITHM")]),
        _ => None,
    };
    entry.filter(|entry| !entry.choices.is_empty() && entry.kind != Kind::Bool)
}

/// The model's name of an algorithm.
fn in_model(choice: &str) -> Option<&'static str> {
    Some(match choice {
        "linear" | "basic_linear" | "intra_linear" => "linear",
        "binomial" | "binomial_tree" => "binomial",
        "pipeline" | "chain" => "pipeline",
        "scatter_allgather" | "scatter_recursive_doubling_allgather" | "scatter_ring_allgather" => "scatter_allgather",
        "recursive_doubling" => "recursive_doubling",
        "rabenseifner" | "reduce_scatter_allgather" => "rabenseifner",
        "ring" => "ring",
        "bruck" | "brucks" | "modified_bruck" => "bruck",
        "pairwise" => "pairwise",
        _ => return None,
    })
}
