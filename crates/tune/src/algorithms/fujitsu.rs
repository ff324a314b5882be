//! Fujitsu MPI: the conditions under which it can use algorithms of its network, Tofu. When it prefers them is not documented.

use std::sync::OnceLock;

use serde::Deserialize;

use super::{Call, Inferred, Possible};

const TABLE: &str = include_str!("../../data/algorithms/fujitsu.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Conditions by name, as text.
    conditions: std::collections::BTreeMap<String, String>,
    algorithm: Vec<Algorithm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Algorithm {
    name: String,
    operations: Vec<String>,
    /// Names of conditions.
    needs: Vec<String>,
    suited: String,
}

fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| toml::from_str(TABLE).expect("a test reads the table"))
}

pub(super) fn infer(call: &Call) -> Inferred {
    let operation = call.operation();
    let fitting = table().algorithm.iter().filter(|of| of.operations.contains(&operation));
    let possible = fitting.map(|of| Possible {
        algorithm: of.name.clone(),
        conditions: of.needs.iter().map(|name| (table().conditions[name].clone(), meets(name, call))).collect(),
        suited: of.suited.clone(),
    });
    let why = "documented are the conditions of the algorithms of Tofu, not when one is preferred".to_owned();
    Inferred::NotKnown { why, possible: possible.collect() }
}

/// Whether a call meets a condition; `None` if the run does not show it.
fn meets(condition: &str, call: &Call) -> Option<bool> {
    match condition {
        "one-rank" => Some(call.ranks_per_host == 1),
        "two-ranks" => Some(call.ranks_per_host <= 2),
        "multiple-of-4" => call.bytes.map(|bytes| bytes % 4 == 0),
        "not-in-place" => Some(!call.is_in_place),
        "predefined-operation" => Some(call.is_built_in),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_has_a_text() {
        for of in &table().algorithm {
            assert!(of.needs.iter().all(|name| table().conditions.contains_key(name)), "{}", of.name);
        }
    }
}
