//! The findings of `mpiscope check`.

use mpiscope_judge::Confidence;
use mpiscope_query::{CheckFinding, Checks};

use super::page::{Extent, Page};
use crate::checking::text;

/// Findings of the check, errors first; the one-page report omits the callers of their calls.
pub fn section(page: &mut Page, checks: &Checks, all_normal: bool, extent: Extent, full: bool) {
    let mut reported: Vec<&CheckFinding> = checks.reported().collect();
    reported.sort_by_key(|finding| (finding.confidence == Confidence::Possible, std::cmp::Reverse(finding.severity)));
    let processes = if checks.processes == 1 { "process" } else { "processes" };
    page.heading("CHECKED", &format!("{} {processes}", checks.processes));
    if reported.is_empty() {
        page.line(if all_normal { "no problems found" } else { "no problems found; see HOW IT ENDED" });
    }
    if checks.events_lost > 0 {
        let text = format!("{} events were lost: findings that depend on them are not certain", checks.events_lost);
        page.paragraph("", 0, &text);
    }
    for note in &checks.notes {
        page.paragraph("", 0, note);
    }
    for finding in reported.iter().take(extent.findings) {
        let mut finding = (*finding).clone();
        if !full {
            finding.parties.iter_mut().for_each(|call| call.stack.truncate(1));
        }
        page.lines(text::finding_text(&finding, page.style.width).lines().map(str::to_owned).collect());
        if finding.count > 1 {
            page.line(format!("  {} times", finding.count));
        }
    }
    if reported.len() > extent.findings {
        page.line(format!("... and {} more findings: --full", reported.len() - extent.findings));
    }
}
