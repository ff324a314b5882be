//! The catalogue of all rules: `docs/explanation/rules.md`.

use crate::explanation::{Relations, Rule, Subject, WhyLate, WithoutCore};
use crate::rules::parts;

const HEAD: &str = "\
# Rules of the explanation

Generated from the constants of type `Rule` in `crates/analysis/src`: change them there, then run `cargo test -p mpiscope-analysis`
with `MPISCOPE_BLESS=1`. `mpiscope report RUN --findings ID` prints the same for one rule, with what it found in the run.

Costs are rank time: ns summed over ranks. The *saving* is what the whole run takes less in a [replay](causes.md) with one change; the change is
described for each rule. How findings relate to each other is described in [causes and savings](causes.md).
";

/// The page of the documentation that lists all rules.
pub fn catalogue() -> String {
    let mut out = HEAD.to_owned();
    out += "\n| rule | what it looks for |\n|---|---|\n";
    for rule in parts().iter().flat_map(|part| &part.rules) {
        out += &format!("| [`{0}`](#{0}) | {1} |\n", rule.id, rule.what);
    }
    for part in parts() {
        out += &format!("\n## {}\n", part.heading);
        if let Some(document) = part.document {
            out += &format!("\nHow it works, with figures: [{document}]({document}).\n");
        }
        part.rules.iter().for_each(|rule| out += &section(rule));
    }
    out
}

fn section(rule: &Rule) -> String {
    let Rule { id, what, formula, threshold, doubt, saving, relations } = rule;
    let mut out = format!("\n### {id}\n\n{what}\n\n");
    let related = related(relations).join(" ");
    let items = [
        ("Computed", *formula),
        ("Threshold", *threshold),
        ("May be wrong", *doubt),
        ("Saving", *saving),
        ("Related", related.as_str()),
    ];
    for (name, text) in items.into_iter().filter(|(_, text)| !text.is_empty()) {
        let end = if text.ends_with(['.', ')']) { "" } else { "." };
        out += &format!("- **{name}:** {text}{end}\n");
    }
    out
}

/// What relations mean for reports.
fn related(relations: &Relations) -> Vec<&'static str> {
    let subject = match relations.subject {
        Subject::Stop => "It comes before all other findings.",
        Subject::Machine => "Findings about late ranks and late returns from calls may be its symptoms.",
        Subject::Program => "",
    };
    let without_core = match relations.without_core {
        Some(WithoutCore::Late) => {
            "A rank without a core is late, too: then it is a symptom of a finding about the machine."
        }
        Some(WithoutCore::Completion) => {
            "A rank without a core returns late, too: then it is a symptom of a finding about the machine."
        }
        None => "",
    };
    let why_late = match relations.why_late {
        Some(WhyLate::Computing | WhyLate::Master | WhyLate::Sending) => {
            "Waits of which most trace back to its ranks are its symptoms."
        }
        Some(WhyLate::Queues) => "Sequences of small messages at its call sites are its symptoms.",
        Some(WhyLate::Chain) => "Waits for messages at its call sites are its symptoms.",
        Some(WhyLate::Moment) => "Waits of which most disappear in the replay without it are its symptoms.",
        Some(WhyLate::Repeated) => {
            "Waits of which most disappear in the replay without it are its symptoms, and so is late completion at its call sites."
        }
        Some(WhyLate::Idle) => "Waits of its ranks are its symptoms.",
        None => "",
    };
    let explains = match relations.explains_time_in_calls {
        true => "Its time inside calls is explained, and not part of unexplained_mpi_time.",
        false => "",
    };
    let saving = match relations.needs_saving {
        true => "It is not reported if the replay without it saves less than the threshold.",
        false => "",
    };
    let cores = match relations.needs_lost_cores {
        true => {
            "Where processor time was sampled, it is not reported if ranks waited for a core for less than half of its cost."
        }
        false => "",
    };
    [subject, without_core, why_late, explains, saving, cores].into_iter().filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_says_something() {
        for rule in crate::rules() {
            assert!(rule.what.ends_with('.') && rule.saving.ends_with('.'), "{}", rule.id);
            for text in [rule.what, rule.formula, rule.threshold, rule.doubt, rule.saving] {
                assert!(text.len() >= 10 && !text.contains("  "), "{}: {text:?}", rule.id);
            }
        }
    }

    #[test]
    fn the_page_is_what_the_rules_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/explanation/rules.md");
        if std::env::var_os("MPISCOPE_BLESS").is_some() {
            std::fs::write(path, catalogue()).unwrap();
        }
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert!(there == catalogue(), "docs/explanation/rules.md is stale: run with MPISCOPE_BLESS=1");
    }
}
