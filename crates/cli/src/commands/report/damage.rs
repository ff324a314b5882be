//! Unreadable parts of a run, reported before any conclusion from the rest.

use mpiscope_analysis::{Explanation, unreadable_text};

use super::explanation::INDENT;
use super::page::Page;

/// The line of the verdict, if files are damaged.
pub fn verdict(page: &mut Page, e: &Explanation) {
    let Some(text) = unreadable_text(&e.scope.unreadable) else { return };
    let rest = match e.scope.rank_time_ns {
        0 => "nothing readable is left of the run",
        _ => "the following is about the rest",
    };
    page.paragraph("damage", INDENT + 1, &format!("{text}; {rest}"));
}
