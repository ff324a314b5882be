//! The catalogue: every rule, what a process finds by itself and what only the judge can find.
//!
//! Texts of process-side rules are templates. `{text}` and `{0}`, `{1}`, `{2}` are what the event carries; each rule says
//! in `values` what they are. A part in `[…]` is left out when `{text}` is empty.

mod judge;
mod process;

use crate::finding::{Confidence, Severity};

/// Short way to a rule in the tables.
macro_rules! rule {
    ($id:expr, $severity:ident, $confidence:ident, $section:literal, $title:literal, $text:literal, $values:literal, $advice:literal) => {
        Rule {
            id: $id,
            severity: Severity::$severity,
            confidence: Confidence::$confidence,
            section: $section,
            title: $title,
            text: $text,
            values: $values,
            advice: $advice,
        }
    };
}
use rule;

/// A kind of finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Stable id.
    pub id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure, unless the finding knows better.
    pub confidence: Confidence,
    /// Section of MPI-5.0.
    pub section: &'static str,
    /// One line.
    pub title: &'static str,
    /// What it means; of process-side rules the template of the finding's text.
    pub text: &'static str,
    /// What `{0}`, `{1}`, `{2}` and `{text}` are.
    pub values: &'static str,
    /// What to do.
    pub advice: &'static str,
}

/// All rules of both sides, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    process::RULES.iter().map(|(_, rule)| rule).chain(judge::RULES)
}

/// The rule with an id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// The rule of a number of [`mpiscope_trace::check::rule`].
pub fn of_process(number: u16) -> Option<&'static Rule> {
    process::RULES.iter().find(|(n, _)| *n == number).map(|(_, rule)| rule)
}

/// A template with its values.
pub fn fill(template: &str, text: &str, values: [i64; 3]) -> String {
    let mut out = String::with_capacity(template.len() + text.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('[') {
        let (optional, after) = after.split_once(']').unwrap_or((after, ""));
        out += before;
        if !text.is_empty() {
            out += optional;
        }
        rest = after;
    }
    out += rest;
    for (at, value) in values.iter().enumerate() {
        if *value == 1 {
            out = out.replace(&format!("{{{at}}} bytes"), "1 byte");
        }
        out = out.replace(&format!("{{{at}}}"), &value.to_string());
    }
    // Last: a text may contain anything.
    out.replace("{text}", text)
}

/// The page of the documentation that lists them.
pub fn page() -> String {
    let mut out = String::from(
        "# Rules of the checker\n\nGenerated from the catalogue (`crates/judge/src/rules`). Sections are those of MPI-5.0. \
         *Certain* follows from the standard for this\nexecution; *possible* has an excuse that cannot be seen. A finding may \
         be less sure than its rule.\n",
    );
    let mut group = "";
    for rule in all() {
        let of = rule.id.split('.').next().unwrap_or_default();
        if of != group {
            out += &format!("\n## {of}\n");
            group = of;
        }
        let name = |text: String| text.trim_matches('"').to_owned();
        let severity = name(format!("{:?}", rule.severity).to_lowercase());
        let confidence = name(format!("{:?}", rule.confidence).to_lowercase());
        let meaning = rule.text.replace(['[', ']'], "");
        out += &format!(
            "\n### `{}`\n\n{}. {severity}, {confidence}, §{}.\n\n{meaning}\n",
            rule.id, rule.title, rule.section
        );
        if !rule.values.is_empty() {
            out += &format!("\nWhere {}.\n", rule.values);
        }
        out += &format!("\nWhat to do: {}\n", rule.advice);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use mpiscope_trace::check::rule;

    #[test]
    fn every_number_of_a_process_has_its_rule() {
        for &number in rule::ALL {
            let found = of_process(number).unwrap_or_else(|| panic!("no entry for {number}: {:?}", rule::id(number)));
            assert_eq!(Some(found.id), rule::id(number));
        }
        assert_eq!(process::RULES.len(), rule::ALL.len());
    }

    #[test]
    fn ids_are_distinct_and_entries_complete() {
        let ids: BTreeSet<_> = all().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), all().count());
        for rule in all() {
            assert!(rule.id.contains('.') && !rule.title.is_empty() && !rule.title.ends_with('.'), "{}", rule.id);
            assert!(rule.text.ends_with(['.', ']']) && rule.advice.ends_with('.'), "{}", rule.id);
            assert!(rule.section.starts_with(|c: char| c.is_ascii_digit()), "{}", rule.id);
        }
    }

    #[test]
    fn templates() {
        assert_eq!(fill("{0} of {1}[: {text}].", "a {1} b", [4, -2, 0]), "4 of -2: a {1} b.");
        assert_eq!(fill("{0} of {1}[: {text}].", "", [4, -2, 0]), "4 of -2.");
        assert_eq!(fill("{0} bytes, {1} bytes.", "", [1, 11, 0]), "1 byte, 11 bytes.");
    }

    #[test]
    fn the_page_is_what_the_catalogue_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/checking/rules.md");
        if std::env::var_os("MPISCOPE_BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert!(there == page(), "docs/checking/rules.md is stale: run with MPISCOPE_BLESS=1");
    }
}
