//! Findings: causes first, each with its symptoms below.

use mpiscope_analysis::{Confidence, Explanation, Finding, Gain};

use super::page::Page;
use super::{notes, units};

/// Indent of a finding's text.
const INDENT: usize = 4;
/// Maximum number of symptoms listed below a cause.
const SYMPTOMS: usize = 6;

/// Findings, those first whose changes save most: all of them, or the first few.
pub fn section(page: &mut Page, e: &Explanation, most: usize, full: bool) {
    if e.scope.rank_time_ns == 0 {
        return;
    }
    let remark = match &e.findings[..] {
        [] => "",
        all if all.iter().any(|f| f.gain.is_some()) => "gains and savings by replay; costs in rank time, overlapping",
        _ => "savings by replay; costs in rank time, overlapping",
    };
    page.heading("FINDINGS", remark);
    match (e.findings.is_empty(), &e.failed) {
        (true, Some(_)) => page.line("none: the run failed too soon to judge its speed"),
        (true, None) => page.line("none: no problem costs enough to be reported"),
        (false, _) => {}
    }
    let least_ns = e.scope.threshold_ns();
    let roots = e.findings.iter().filter(|f| f.caused_by.is_none());
    let (alone, moving): (Vec<&Finding>, Vec<&Finding>) =
        roots.partition(|f| f.worth_ns(&e.scope).is_none_or(|ns| ns >= least_ns));
    for (at, finding) in alone.iter().take(most).enumerate() {
        one(page, at + 1, finding, e);
        symptoms(page, e, finding);
    }
    if alone.len() > most {
        page.line(format!("... and {} more: --full", alone.len() - most));
    }
    if !moving.is_empty() {
        let list: Vec<String> = moving.iter().map(|f| format!("{} {}", f.id, units::percent(f.share))).collect();
        let text = format!(
            "{}. {} saves less than {}: the time then passes in the next call. Details: mpiscope report RUN --findings",
            list.join(", "),
            if list.len() > 1 { "Changing only one of these" } else { "Changing this alone" },
            units::percent(units::share(least_ns, e.scope.rank_time_ns))
        );
        page.paragraph("also", INDENT + 2, &text);
    }
    notes::notes(page, INDENT + 2, e.caveats.iter().map(String::as_str), full);
}

/// The symptoms of a finding, in one paragraph.
fn symptoms(page: &mut Page, e: &Explanation, cause: &Finding) {
    let of_it: Vec<&Finding> = e.findings.iter().filter(|f| f.caused_by == Some(cause.id)).collect();
    if of_it.is_empty() {
        return;
    }
    let name = |f: &&Finding| {
        let place = f.sites.first().map_or_else(String::new, |site| format!(" at {site}"));
        format!("{} {}{place}", f.id, units::percent(f.share))
    };
    let mut list: Vec<String> = of_it.iter().take(SYMPTOMS).map(name).collect();
    if of_it.len() > SYMPTOMS {
        list.push(format!("{} more", of_it.len() - SYMPTOMS));
    }
    page.paragraph("    causes:", 12, &list.join("; "));
}

/// One finding: what it saves, what it is, what to try.
pub fn one(page: &mut Page, number: usize, f: &Finding, e: &Explanation) {
    let confidence = match f.confidence {
        Confidence::High => "",
        Confidence::Medium => "  (medium confidence)",
        Confidence::Low => "  (low confidence)",
    };
    let cost = units::time(f.cost_ns, page.style);
    let worth = match f.savable_ns {
        _ if let Some(gain) = &f.gain => format!("gains {}", units::percent(gain.gain.max(0.0))),
        None => format!("costs {}", units::percent(f.share)),
        Some(ns) if f.is_bound => format!("saves at most {}", units::percent(units::share(ns, e.scope.rank_time_ns))),
        Some(ns) => format!("saves {}", units::percent(units::share(ns, e.scope.rank_time_ns))),
    };
    page.line(format!("{number:>2}  {worth:<13} {}  cost {cost}{confidence}", f.id));
    page.paragraph("", INDENT, &format!("{}.", f.title.trim_end_matches('.')));
    page.paragraph("", INDENT, &f.text);
    if let Some(cause) = f.caused_by {
        page.paragraph("", INDENT, &format!("Caused by {cause}."));
    }
    if !f.advice.is_empty() {
        page.paragraph("    try:", 9, &f.advice);
    }
    if let Some(Gain { change, how, gain, low, high }) = &f.gain {
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        let text = match *low > 0.0 {
            true => format!("{:.1} % of the time, {:.1} to {:.1} %", gain * 100.0, low * 100.0, high * 100.0),
            false => "nothing that the model can distinguish from its error".to_owned(),
        };
        page.paragraph("    gain:", 10, &format!("{text}, by {change}{how}"));
    }
    for way in &f.alternatives {
        let worth = units::percent(units::share(way.savable_ns, e.scope.rank_time_ns));
        page.paragraph("     or:", 9, &format!("{} Saves {worth}.", way.advice));
    }
}
