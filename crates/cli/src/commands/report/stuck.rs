//! Ranks that could not continue when the recording ended: the first line of the verdict.

use mpiscope_analysis::Explanation;

use super::page::Page;

/// The wait-for cycle, or which ranks waited for which.
pub fn verdict(page: &mut Page, e: &Explanation, indent: usize) {
    let Some(found) = &e.stuck else { return };
    let arrow = if page.style.unicode { "←" } else { "<-" };
    page.paragraph(found.kind, indent, &found.text.replace('←', arrow));
}
