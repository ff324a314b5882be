//! Algorithms of collective operations.

use super::{Candidate, Facts, Found, percent, set, title};
use crate::Family;
use crate::algorithms::{companions, in_model, names};
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
        let Some((family, entry)) = variable(facts, &name) else { continue };
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
            for (name, value) in companions(family, entry, &name) {
                changes.extend(facts.variable(family, &[&name]).map(|entry| set(entry, value)));
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

/// The variable for the algorithm of an operation, and who reads it.
fn variable(facts: &Facts, operation: &str) -> Option<(Family, &'static Entry)> {
    let family = match facts.family()? {
        Family::Fujitsu => Family::OpenMpi,
        family => family,
    };
    let names = names(family, operation);
    let entry = facts.variable(family, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    (!entry.choices.is_empty() && entry.kind != Kind::Bool).then_some((family, entry))
}
