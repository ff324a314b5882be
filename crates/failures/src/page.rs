//! The catalogue as a document.

use std::fmt::Write;

use crate::catalogue::Catalogue;
use crate::entry::Entry;

const HEAD: &str = "\
# Error messages of MPI jobs

Generated from `crates/failures/messages`; rewrite it with `MPISCOPE_BLESS=1 cargo test -p mpiscope-failures the_page`. `mpiscope explain FILE` finds these
messages in a log, `mpiscope explain show ID` prints one of them. [How it works](README.md).

The role of a message: a *cause* names the reason; a *failure* reports that something failed, for a reason that is in the program or in another message; a *follower* only
reports that something else has ended; a *note* is a warning with which jobs may run well.
";

/// The text of `docs/explain/messages.md`.
pub fn page(catalogue: &Catalogue) -> String {
    let mut out = HEAD.to_owned();
    for source in catalogue.sources() {
        let entries = || catalogue.entries().iter().filter(|entry| entry.source() == source.id);
        let _ = write!(out, "\n## {}\n", source.name);
        for entry in entries() {
            section(&mut out, entry);
        }
    }
    out
}

fn section(out: &mut String, entry: &Entry) {
    let _ = write!(out, "\n### `{}`: {}\n\n", entry.id, entry.title);
    let _ = writeln!(out, "*{}*, {}", entry.role.name(), entry.versions);
    if !entry.patterns.is_empty() {
        out.push_str("\n```\n");
        for pattern in &entry.patterns {
            let _ = writeln!(out, "{}", pattern.replace('~', " ").replace("{!}", ""));
        }
        out.push_str("```\n");
    }
    let _ = write!(out, "\n{}\n\nWhy: {}\n\n", plain(&entry.means), plain(&entry.why));
    for (at, step) in entry.steps.iter().enumerate() {
        let _ = writeln!(out, "{}. {}", at + 1, plain(step));
    }
    if !entry.see.is_empty() {
        let _ = writeln!(out, "\nEvidence: {}.", plain(&entry.see.join("; ")));
    }
}

/// Signs that Markdown would read as its own are marked.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '<' | '>' | '[' | ']' | '`' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::page;
    use crate::catalogue::catalogue;

    #[test]
    fn the_page_shows_the_catalogue() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explain/messages.md");
        if std::env::var_os("MPISCOPE_BLESS").is_some() {
            std::fs::write(&path, page(catalogue())).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == page(catalogue()), "docs/explain/messages.md is stale: run with MPISCOPE_BLESS=1");
    }
}
