//! `mpiscope env` as text.

use std::fmt::Write;

use mpiscope_tune::{Certainty, Finding, Shown};

use super::Answer;
use crate::wrap::wrap;

const WIDTH: usize = 80;
/// Longest text about a variable; `env show` has all of it.
const MAX_TEXT_CHARS: usize = 140;

pub fn page(answer: &Answer) -> String {
    let mut text = String::new();
    match (&answer.mpi, &answer.mpi_problem) {
        (Some(library), _) => {
            let _ = writeln!(text, "{} ({})", library.title(), library.path.display());
        }
        (None, problem) => {
            let why = problem.as_deref().unwrap_or("unknown MPI");
            add(&mut text, "", &format!("No MPI to compare with: {why}"));
        }
    }
    let certain = answer.report.findings.iter().filter(|finding| finding.certainty == Certainty::Certain);
    section(&mut text, "Wrong", certain);
    let possible = answer.report.findings.iter().filter(|finding| finding.certainty == Certainty::Possible);
    section(&mut text, "Perhaps wrong", possible);
    if answer.report.settings.is_empty() {
        text.push_str("\nNothing is set that concerns MPI.\n");
    } else {
        text.push_str("\nSet\n");
        for setting in &answer.report.settings {
            line(&mut text, setting);
        }
    }
    library(&mut text, answer);
    text
}

fn section<'a>(text: &mut String, title: &str, findings: impl Iterator<Item = &'a Finding>) {
    for (at, finding) in findings.enumerate() {
        if at == 0 {
            let _ = write!(text, "\n{title}\n");
        }
        let place = finding.source.as_ref().map(|source| format!(" ({})", source.title())).unwrap_or_default();
        add(text, "  ", &format!("{}{place}", finding.text));
        if let Some(advice) = &finding.advice {
            add(text, "    ", &format!("try: {advice}"));
        }
    }
}

fn line(text: &mut String, setting: &Shown) {
    add(text, "  ", &format!("{} = {}", setting.name, setting.value));
    let mut facts = setting.source.title();
    if let Some(default) = setting.default.as_ref().filter(|default| **default != setting.value) {
        facts.push_str(&format!("; default {default}"));
    }
    add(text, "      ", &facts);
    if let Some(why) = &setting.why_not {
        add(text, "      ", &format!("no effect: {why}"));
    } else if let Some(changes) = &setting.changes {
        let short: String = changes.chars().take(MAX_TEXT_CHARS).collect();
        let dots = if short.len() < changes.len() { "…" } else { "" };
        add(text, "      ", &format!("{short}{dots}"));
    }
}

fn library(text: &mut String, answer: &Answer) {
    if let Some(problem) = &answer.library_problem {
        text.push('\n');
        add(text, "", &format!("The library's own list could not be read, so only the tables count: {problem}"));
    }
    let Some(found) = &answer.differences else { return };
    text.push('\n');
    let counts = format!(
        "Table and library: {} variables in both, {} of them with another default; {} only in the library, {} only in the table (--json lists them).",
        found.in_both,
        found.other_defaults.len(),
        found.only_in_library.len(),
        found.only_in_table.len()
    );
    add(text, "", &counts);
}

/// Adds wrapped text; words that do not fit into a line are left whole, so that they can be copied.
pub fn add(text: &mut String, indent: &str, words: &str) {
    for (at, part) in wrap(words, WIDTH - indent.len() - 2).iter().enumerate() {
        let more = if at == 0 { "" } else { "  " };
        let _ = writeln!(text, "{indent}{more}{part}");
    }
}
