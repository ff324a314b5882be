//! What is set now, left out: a setting that helped another program or another machine may harm this one.

use super::{Candidate, Change, Facts, Found, title};
use crate::names::{Known, lookup, parameter};
use crate::setting::Source;
use crate::table::Kind;

/// Subjects that do not make a program faster.
const NOT_TRIED: [&str; 7] = ["debugging", "warnings", "timeouts", "launching", "gpu", "interface", "mapping"];

pub(super) fn find(facts: &Facts, found: &mut Found) {
    let has_algorithm = facts
        .settings
        .iter()
        .any(|setting| setting.name.contains("coll_tuned_") && setting.name.ends_with("_algorithm"));
    let mut all: Vec<Change> = Vec::new();
    for setting in &facts.settings {
        let known = match setting.source.has_bare_names() {
            true => parameter(&setting.name, facts.family()),
            false => lookup(&setting.name, facts.family()),
        };
        let Known::Entry(entry) = known else { continue };
        let is_read = facts.family().is_some_and(|family| entry.family.is_read_by(family));
        let subject = entry.subject();
        if !is_read || entry.kind == Kind::Place || subject.is_some_and(|subject| NOT_TRIED.contains(&subject)) {
            continue;
        }
        // Without the algorithm itself, this one has no effect.
        if entry.name == "coll_tuned_use_dynamic_rules" && has_algorithm {
            continue;
        }
        let changes = match &setting.source {
            Source::Environment => vec![Change::Unset { variable: setting.name.clone() }],
            Source::Launcher { option } if option == "--export" => {
                found.leave(&setting.name, "words of --export are not changed");
                continue;
            }
            Source::Launcher { option } => {
                vec![Change::WithoutOption { option: option.clone(), name: setting.name.clone() }]
            }
            Source::OverrideFile { .. } => {
                found.leave(&setting.name, format!("{} overrides everything else", setting.source.title()));
                continue;
            }
            // The environment is stronger than these files.
            _ if !entry.default.is_empty() && entry.default != setting.value => {
                vec![Change::Set { variable: entry.variable(), value: entry.default.clone() }]
            }
            _ => continue,
        };
        all.extend(changes.iter().filter(|change| matches!(change, Change::Unset { .. })).cloned());
        found.candidates.push(Candidate {
            title: title(&changes),
            subject: match subject {
                Some("eager-limit" | "binding") => subject.unwrap_or_default().to_owned(),
                _ => entry.name.clone(),
            },
            changes,
            why: format!("{}={} is set by {}", setting.name, setting.value, setting.source.title()),
            question: None,
            predicted: None,
            prior: 0.5,
        });
    } // Some have an effect only together, such as two thresholds of malloc.
    if all.len() > 1 {
        found.candidates.push(Candidate {
            title: format!("without these {} variables: {}", all.len(), names(&all)),
            subject: "all settings".to_owned(),
            why: "several are set by the environment".to_owned(),
            changes: all,
            question: None,
            predicted: None,
            prior: 0.6,
        });
    }
}

fn names(changes: &[Change]) -> String {
    let name = |change: &Change| match change {
        Change::Unset { variable } => Some(variable.clone()),
        _ => None,
    };
    changes.iter().filter_map(name).collect::<Vec<_>>().join(", ")
}
