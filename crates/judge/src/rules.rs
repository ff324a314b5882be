//! The catalogue: every rule, of what a process finds by itself and of what only the judge can find.
//!
//! Texts of the rules of a process are templates. `{text}` and `{0}`, `{1}`, `{2}` are what the event carries; a comment before each rule
//! explains them. A part in `[…]` is left out when `{text}` is empty.

mod arguments;
mod buffers;
mod calls;
mod collectives;
mod deadlocks;
mod files;
mod messages;
mod objects;
mod races;
mod requests;
mod windows;

use crate::finding::{Confidence, Severity};

/// Declares a rule: all parts are named, and none can be left out. `process` and a number begin a rule that a process finds by itself; its
/// `text` is the template of the finding's text. The judge writes the texts of all others.
macro_rules! rule {
    (process $number:path, $id:literal, $severity:ident, $confidence:ident, $section:literal, $title:literal,
     text: $text:literal, meaning: $meaning:literal, example: [$($line:literal),+ $(,)?], advice: $advice:literal) => {
        Rule {
            number: Some($number),
            id: $id,
            severity: Severity::$severity,
            confidence: Confidence::$confidence,
            section: $section,
            title: $title,
            text: $text,
            meaning: $meaning,
            example: &[$($line),+],
            advice: $advice,
        }
    };
    ($id:literal, $severity:ident, $confidence:ident, $section:literal, $title:literal,
     meaning: $meaning:literal, example: [$($line:literal),+ $(,)?], advice: $advice:literal) => {
        Rule {
            number: None,
            id: $id,
            severity: Severity::$severity,
            confidence: Confidence::$confidence,
            section: $section,
            title: $title,
            text: "",
            meaning: $meaning,
            example: &[$($line),+],
            advice: $advice,
        }
    };
}
use rule;

/// A kind of finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its number in [`mpiscope_trace::check::rule`], if a process finds it by itself.
    pub number: Option<u16>,
    /// Stable id.
    pub id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure, unless the finding itself is less sure.
    pub confidence: Confidence,
    /// Section of MPI-5.0.
    pub section: &'static str,
    /// One line.
    pub title: &'static str,
    /// Template of the finding's text; empty where the judge writes it.
    pub text: &'static str,
    /// What it means, for the documentation.
    pub meaning: &'static str,
    /// A few lines of C that are wrong in this way.
    pub example: &'static [&'static str],
    /// How to fix it.
    pub advice: &'static str,
}

/// The rules by subject; all rules whose ids begin alike are in one of them.
const TABLES: [&[Rule]; 11] = [
    arguments::RULES,
    calls::RULES,
    requests::RULES,
    objects::RULES,
    buffers::RULES,
    messages::RULES,
    collectives::RULES,
    deadlocks::RULES,
    races::RULES,
    windows::RULES,
    files::RULES,
];

/// All rules, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.into_iter().flatten()
}

/// The rule with an id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// The rule of a number of [`mpiscope_trace::check::rule`].
pub fn of_process(number: u16) -> Option<&'static Rule> {
    all().find(|rule| rule.number == Some(number))
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

/// Headings of the documentation, by what ids begin with.
const HEADINGS: &[(&str, &str)] = &[
    ("argument", "Arguments"),
    ("life", "Initialisation, threads and the end"),
    ("error", "Error codes"),
    ("request", "Requests"),
    ("leak", "Objects that are never freed"),
    ("object", "Objects that cannot be freed"),
    ("buffer", "Buffers of pending operations"),
    ("buffered-send", "Buffered sends"),
    ("message", "Messages"),
    ("collective", "Collective operations"),
    ("deadlock", "Deadlocks"),
    ("race", "Races"),
    ("rma", "Windows"),
    ("file", "Files"),
    ("io", "Accesses of several processes to a file"),
];

fn group(rule: &Rule) -> &str {
    rule.id.split('.').next().unwrap_or_default()
}

/// A word of an enumeration, in lower case.
fn word(value: impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

/// The page of the documentation that lists them.
pub fn page() -> String {
    let mut out = String::from(
        "# Rules of the checker\n\n\
         Generated from the declarations of the rules in `crates/judge/src/rules`: change them there, then run `cargo test -p mpiscope-judge`\n\
         with `MPISCOPE_BLESS=1`.\n\n\
         A *certain* finding follows from the standard for this execution. A *possible* one may have an explanation that mpiscope cannot see. \
         A finding\ncan be less sure than its rule. An *error* breaks the standard, a *warning* may not work elsewhere, and a *hint* shows what \
         may differ from run\nto run. The examples are as short as possible: they show the mistake, not a whole program. Sections are those of \
         MPI-5.0.\n\n| rule | meaning | severity | |\n|---|---|---|---|\n",
    );
    for rule in all() {
        let (id, title) = (rule.id, rule.title);
        // As hosts of repositories make anchors of headings: without dots.
        let anchor = id.replace('.', "");
        out += &format!("| [`{id}`](#{anchor}) | {title} | {} | {} |\n", word(rule.severity), word(rule.confidence));
    }
    let mut last = "";
    for rule in all() {
        if group(rule) != last {
            last = group(rule);
            let heading = HEADINGS.iter().find(|(of, _)| *of == last).map_or(last, |(_, heading)| heading);
            out += &format!("\n## {heading}\n");
        }
        let Rule { id, title, section, meaning, advice, .. } = rule;
        let (severity, confidence) = (word(rule.severity), word(rule.confidence));
        out += &format!("\n### `{id}`\n\n**{title}** ({severity}, {confidence}, MPI-5.0 §{section})\n\n{meaning}\n");
        out += &format!("\n```c\n{}\n```\n\nFix: {advice}\n", rule.example.join("\n"));
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
        assert_eq!(all().filter(|rule| rule.number.is_some()).count(), rule::ALL.len());
    }

    #[test]
    fn ids_are_distinct_and_entries_complete() {
        let ids: BTreeSet<_> = all().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), all().count());
        for rule in all() {
            assert!(rule.id.contains('.') && !rule.title.is_empty() && !rule.title.ends_with('.'), "{}", rule.id);
            assert_eq!(rule.text.is_empty(), rule.number.is_none(), "{}", rule.id);
            assert!(rule.text.is_empty() || rule.text.ends_with(['.', ']']), "{}", rule.id);
            assert!(rule.meaning.ends_with(['.', ')']) && rule.advice.ends_with('.'), "{}", rule.id);
            assert!(rule.example.len() <= 8 && rule.example.iter().any(|line| line.contains("MPI_")), "{}", rule.id);
            assert!(HEADINGS.iter().any(|(of, _)| *of == group(rule)), "{}", rule.id);
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
    fn the_page_shows_the_catalogue() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/checking/rules.md");
        if std::env::var_os("MPISCOPE_BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert!(there == page(), "docs/checking/rules.md is stale: run with MPISCOPE_BLESS=1");
    }
}
