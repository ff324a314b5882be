//! A run that failed almost at once, so that its speed cannot be judged.

use mpiscope_analysis::Explanation;

use super::page::Page;
use super::units;

/// The line of the verdict.
pub fn verdict(page: &mut Page, e: &Explanation, indent: usize) {
    let Some(failed) = &e.failed else { return };
    let after = units::time(failed.after_ns, page.style);
    let who = match (failed.alike, failed.ranks) {
        (1, 1) => "1 rank".to_owned(),
        (alike, ranks) if alike < ranks => format!("{alike} of {ranks} failed ranks"),
        (_, ranks) => format!("{ranks} ranks"),
    };
    let text = format!("the run failed {after} after MPI_Init ({who}: {}): too soon to judge its speed", failed.how);
    page.paragraph("failed", indent, &text);
}
