//! The verdict and the findings: what a reader sees first.

use mpiscope_analysis::{Confidence, Explanation, Finding, Rule};

use super::page::Page;
use super::units;

const INDENT: usize = 10;

/// Where the time went, in three lines.
pub fn verdict(page: &mut Page, e: &Explanation) {
    let all = e.scope.rank_time_ns;
    if all == 0 {
        return;
    }
    let total = units::time(all, page.style);
    page.heading("VERDICT", &format!("shares of {total} of rank time, MPI_Init to MPI_Finalize"));
    let percent = |ns: u64| units::percent(units::share(ns, all));
    let t = e.time;
    page.paragraph(
        "time",
        INDENT,
        &format!(
            "computing {}, waiting for other ranks {}, in MPI otherwise {}",
            percent(t.computing_ns),
            percent(t.waiting_ns),
            percent(t.communicating_ns)
        ),
    );
}

/// Findings, the costliest first: all of them, or the first few.
pub fn findings(page: &mut Page, e: &Explanation, most: usize) {
    if e.scope.rank_time_ns == 0 {
        return;
    }
    let remark = if e.findings.is_empty() { "" } else { "cost in rank time; costs overlap" };
    page.heading("FINDINGS", remark);
    if e.findings.is_empty() {
        page.line("nothing that costs enough to be said");
    }
    for (at, finding) in e.findings.iter().take(most).enumerate() {
        one(page, at + 1, finding);
    }
    if e.findings.len() > most {
        page.line(format!("... and {} more: --full", e.findings.len() - most));
    }
    for caveat in &e.caveats {
        page.paragraph("note", INDENT, caveat);
    }
}

fn one(page: &mut Page, number: usize, f: &Finding) {
    let confidence = match f.confidence {
        Confidence::High => "",
        Confidence::Medium => ", medium confidence",
        Confidence::Low => ", low confidence",
    };
    let cost = format!("{} {}{confidence}", units::percent(f.share), units::time(f.cost_ns, page.style));
    page.paragraph(&format!("{number:>2}"), 3, &format!("{}: {cost} [{}]", f.title, f.id));
    page.paragraph("", 3, &f.text);
    page.paragraph("   try:", 8, &f.advice);
}

/// A rule, explained.
pub fn rule(page: &mut Page, rule: &Rule) {
    page.line(rule.id);
    for (label, text) in
        [("looks for", rule.what), ("formula", rule.formula), ("silent", rule.threshold), ("doubt", rule.doubt)]
    {
        page.paragraph(label, INDENT + 1, text);
    }
}

/// A finding with its evidence and where to look.
pub fn evidence(page: &mut Page, number: usize, f: &Finding) {
    page.line("");
    one(page, number, f);
    for (label, values) in [("sites", &f.sites), ("regions", &f.regions)] {
        if !values.is_empty() {
            page.paragraph(&format!("   {label}"), 14, &values.join("; "));
        }
    }
    for (key, value) in &f.evidence {
        let text = serde_json::to_string(value).unwrap_or_default();
        page.paragraph("   evidence", 14, &format!("{key} = {}", text.trim_matches('"')));
    }
    for proof in &f.proof {
        let (start, end) = (proof.start_ns as f64 / 1e9, proof.end_ns as f64 / 1e9);
        let row = proof.row.map(|row| format!(", row {row}")).unwrap_or_default();
        page.paragraph("   look at", 14, &format!("rank {}: {start:.9} s to {end:.9} s{row}", proof.rank));
    }
}
