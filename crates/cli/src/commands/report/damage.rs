//! What of a run cannot be read: said before anything that is concluded from the rest.

use mpiscope_analysis::{Explanation, unreadable_text};

use super::explanation::INDENT;
use super::page::Page;

/// In the verdict, where files are damaged.
pub fn verdict(page: &mut Page, e: &Explanation) {
    let Some(text) = unreadable_text(&e.scope.unreadable) else { return };
    let rest = match e.scope.rank_time_ns {
        0 => "nothing of the run is left to explain",
        _ => "what follows explains the rest",
    };
    page.paragraph("damage", INDENT + 1, &format!("{text}; {rest}"));
}
