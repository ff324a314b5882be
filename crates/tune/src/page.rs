//! The page of annotated variables, by subject: `docs/tuning/variables.md`.

use crate::Family;
use crate::table::{self, Entry};

/// Title of a subject, from its word.
fn title(subject: &str) -> String {
    let mut text = subject.replace('-', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The whole page.
pub fn page() -> String {
    let mut text = String::from(
        "# Variables by subject\n\n\
         <!-- Made from crates/tune/data/notes by `MPISCOPE_BLESS=1 cargo test -p mpiscope-tune the_page_is_what_the_notes_say`. -->\n\n\
         One subject has another name under each MPI. `mpiscope env show WORD` searches these and all other variables;\n\
         see [tuning](README.md).\n",
    );
    for subject in crate::subjects() {
        text.push_str(&format!("\n## {}\n\n", title(subject)));
        text.push_str("| for | variable | default | what it changes |\n|---|---|---|---|\n");
        for family in Family::ALL {
            let of_subject =
                table::entries(family).iter().filter(|entry| entry.note.subject.as_deref() == Some(subject));
            for entry in of_subject {
                text.push_str(&row(entry));
            }
        }
    }
    text
}

fn row(entry: &Entry) -> String {
    let note = &entry.note;
    let mut what = note.changes.clone().unwrap_or_default();
    if let Some(helps) = &note.helps {
        what.push_str(&format!(" **Helps** {helps}."));
    }
    if let Some(costs) = &note.costs {
        what.push_str(&format!(" **Costs** {costs}."));
    }
    let versions =
        note.versions.as_ref().map(|text| format!(" ({})", text.replace("..", " to ").trim())).unwrap_or_default();
    let default = if entry.default.is_empty() { String::new() } else { format!("`{}`", entry.default) };
    let cell = |text: &str| text.replace('|', "\\|");
    format!(
        "| {}{versions} | `{}` | {} | {} |\n",
        entry.family.title(),
        entry.variable(),
        cell(&default),
        cell(what.trim())
    )
}
