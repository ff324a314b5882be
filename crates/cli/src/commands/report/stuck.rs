//! Ranks that were stuck when the recording ended: the first thing of the verdict.

use mpiscope_analysis::Explanation;

use super::page::Page;

/// The wait-for cycle, or who has waited for whom.
pub fn verdict(page: &mut Page, e: &Explanation, indent: usize) {
    let Some(found) = &e.stuck else { return };
    let arrow = if page.style.unicode { "←" } else { "<-" };
    let text = found.text.replace('←', arrow);
    page.paragraph(found.kind, indent, &text);
    if found.kind == "deadlock" {
        let ring = found.ranks.iter().filter(|r| r.in_ring).count() as u64;
        if found.waiting > ring {
            let others = found.waiting - ring;
            let verb = if others == 1 { "rank waits" } else { "ranks wait" };
            page.paragraph("", indent, &format!("{others} more {verb} for them"));
        }
    }
}
