//! The verdict and the findings: what a reader sees first.

use mpiscope_analysis::{Explanation, Finding, Rule};

use super::damage;
use super::efficiencies;
use super::findings::one;
use super::page::Page;
use super::units;

pub(super) const INDENT: usize = 10;
/// Places that are named for time in MPI that is not waiting, and the share of the rank time from which on they are.
const PLACES: usize = 3;
const LEAST_PLACE: f64 = 0.03;

/// Where the time went, in three lines.
pub fn verdict(page: &mut Page, e: &Explanation) {
    let all = e.scope.rank_time_ns;
    if all == 0 && e.scope.unreadable.is_empty() {
        return;
    }
    let total = units::time(all, page.style);
    let span = match e.scope.calls_lost {
        0 => "MPI_Init to MPI_Finalize".to_owned(),
        _ => {
            let [from, until] = [e.scope.start_ns, e.scope.end_ns].map(|ns| units::time(ns, page.style));
            format!("{from} to {until} of the run")
        }
    };
    page.heading("VERDICT", &format!("shares of {total} of rank time, {span}"));
    damage::verdict(page, e);
    if all == 0 {
        return;
    }
    let percent = |ns: u64| units::percent(units::share(ns, all));
    let t = e.time;
    page.paragraph(
        "time",
        INDENT + 1,
        &format!(
            "computing {}, waiting for other ranks {}, in MPI otherwise {}",
            percent(t.computing_ns),
            percent(t.waiting_ns),
            percent(t.communicating_ns)
        ),
    );
    let otherwise: Vec<String> = e
        .places
        .iter()
        .take(PLACES)
        .filter(|p| p.communicating_ns as f64 >= LEAST_PLACE * all as f64)
        .map(|p| {
            let site = p.site.as_deref().map_or_else(String::new, |site| format!(" at {site}"));
            format!("{} {}{site}", percent(p.communicating_ns), p.function)
        })
        .collect();
    if !otherwise.is_empty() {
        page.paragraph("otherwise", INDENT + 1, &otherwise.join(", "));
    }
    efficiency(page, e);
    structure(page, e);
}

fn efficiency(page: &mut Page, e: &Explanation) {
    let Some(found) = &e.efficiency else { return };
    let times = if page.style.unicode { '×' } else { 'x' };
    let product =
        |whole: Option<f64>, name: &str, (a, first): (&str, Option<f64>), (b, second): (&str, Option<f64>)| {
            let percent = |share: f64| units::percent(share);
            Some(match (whole?, first, second) {
                (whole, Some(x), Some(y)) => {
                    format!("{name} {} = {a} {} {times} {b} {}", percent(whole), percent(x), percent(y))
                }
                (whole, ..) => format!("{name} {}", percent(whole)),
            })
        };
    let w = &found.whole;
    let parallel =
        product(w.parallel, "parallel", ("load balance", w.load_balance), ("communication", w.communication));
    let communication =
        product(w.communication, "communication", ("serialisation", w.serialisation), ("transfer", w.transfer));
    for (label, text) in [("efficiency", parallel), ("", communication)] {
        if let Some(text) = text {
            page.paragraph(label, INDENT + 1, &text);
        }
    }
}

/// The main loop, the grid, the pattern: on one line where that fits.
fn structure(page: &mut Page, e: &Explanation) {
    let mut parts = Vec::new();
    if let Some(loop_) = &e.iterations {
        let apart = loop_.warm_up.as_ref().filter(|w| w.is_apart).map_or(0, |w| w.count);
        let warm_up = if apart > 0 { format!(" after {apart} for warm-up") } else { String::new() };
        let period = units::time(loop_.period_ns, page.style);
        parts.push(format!("{} iterations of {period}{warm_up}", units::count(loop_.count)));
        if e.phases.len() > 1 {
            parts.push(format!("{} phases", e.phases.len()));
        }
    }
    if let Some(grid) = &e.grid {
        let dims: Vec<String> = grid.dims.iter().map(u32::to_string).collect();
        let times = if page.style.unicode { "×" } else { "x" };
        parts.push(format!("{} grid", dims.join(times)));
    }
    if let Some(pattern) = e.pattern {
        parts.push(format!("pattern {}", pattern.replace('_', " ")));
    }
    if !parts.is_empty() {
        page.paragraph("structure", INDENT + 1, &parts.join(", "));
    }
    if let Some(first) = e.synchronisation.first() {
        page.paragraph("", INDENT + 1, &first.text);
    }
}

/// Phases, meetings and the critical path, one after the other.
pub fn details(page: &mut Page, e: &Explanation) {
    if !e.phases.is_empty() {
        page.heading("PHASES OF AN ITERATION", "");
        for phase in &e.phases {
            let calls =
                if phase.functions.is_empty() { String::new() } else { format!(": {}", phase.functions.join(", ")) };
            let median = units::time(phase.median_ns, page.style);
            page.paragraph("", 2, &format!("{} {median} {}{calls}", units::percent(phase.share), phase.name));
        }
    }
    if let Some(found) = &e.efficiency {
        efficiencies::sections(page, found);
    }
    if !e.synchronisation.is_empty() {
        page.heading("WHO MEETS WHOM", "");
        e.synchronisation.iter().for_each(|s| page.paragraph("", 2, &s.text));
    }
    if let Some(path) = &e.critical_path {
        let length = units::time(path.length_ns, page.style);
        page.heading("CRITICAL PATH", &format!("{length}, {} changes of rank", units::count(path.jumps)));
        for row in path.rows.iter().take(12) {
            let site = row.site.as_deref().unwrap_or("");
            let what =
                if row.function.is_empty() { row.kind.to_owned() } else { format!("{} at {site}", row.function) };
            let ns = units::time(row.ns, page.style);
            page.line(format!("{:>6} {ns:>7} rank {:>4}  {what}", units::percent(row.share), row.rank));
        }
    }
    if !e.delays.is_empty() {
        page.heading("WHO IS BEHIND THE WAITS", "directly, and through others");
        for delay in e.delays.iter().take(12) {
            let time = |ns| units::time(ns, page.style);
            let site = delay.site.as_deref().unwrap_or("");
            let (direct, total) = (time(delay.direct_ns), time(delay.total_ns));
            page.line(format!(
                "{direct:>7} {total:>7} rank {:>4}  before {} at {site}",
                delay.cause_rank, delay.function
            ));
        }
    }
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
pub fn evidence(page: &mut Page, number: usize, f: &Finding, e: &Explanation) {
    page.line("");
    one(page, number, f, e);
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
