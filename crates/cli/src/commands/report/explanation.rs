//! The verdict and structure of the run: what a reader sees first.

use mpiscope_analysis::structure::{Grid, Iterations, PatternDetails};
use mpiscope_analysis::{Explanation, Finding, Rule};

use super::findings::one;
use super::page::Page;
use super::units;
use super::{damage, efficiencies, failed, machine, stuck};

pub(super) const INDENT: usize = 10;
/// Maximum number of places listed for time in MPI without waiting, and their minimum share of the rank time.
const PLACES: usize = 3;
const LEAST_PLACE: f64 = 0.03;

/// The division of the time, in three lines.
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
    failed::verdict(page, e, INDENT + 1);
    stuck::verdict(page, e, INDENT + 1);
    machine::first_line(page, e);
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
    machine::split(page, e);
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

/// The main loop, the grid, the pattern: on one line if they fit. Then ranks in lockstep, and synchronization.
fn structure(page: &mut Page, e: &Explanation) {
    let mut parts = Vec::new();
    if let Some(main) = &e.iterations {
        parts.extend(main_loop(page, main));
        match e.phases.len() {
            0 | 1 => {}
            n => parts.push(format!("{n} phases")),
        }
    }
    parts.extend(e.grid.as_ref().map(|grid| arrangement(page, grid)));
    parts.extend(e.pattern.map(|name| format!("pattern {}", exchange(name, e.pattern_details))));
    if !parts.is_empty() {
        page.paragraph("structure", INDENT + 1, &parts.join(", "));
    }
    for (at, phase) in e.phases.iter().enumerate().filter(|(_, p)| !p.lockstep.is_empty()) {
        let ranks: Vec<String> = phase.groups.iter().take(GROUPS).map(|g| group(g)).collect();
        let more = if phase.groups.len() > GROUPS { ", ..." } else { "" };
        let advice = format!("keep each on one node: {}{more}", ranks.join(", "));
        page.paragraph("", INDENT + 1, &format!("phase {} ({}): {}; {advice}", at + 1, phase.name, phase.lockstep));
    }
    if let Some(first) = e.synchronisation.first() {
        page.paragraph("", INDENT + 1, &first.text);
    }
}

/// Maximum number of groups listed.
const GROUPS: usize = 3;

/// `1 warm-up + 10 iterations of 21.0ms`, `40 × 148 iterations`, with its share of the run and the calls of an iteration.
fn main_loop(page: &Page, main: &Iterations) -> Vec<String> {
    let (times, dash) = if page.style.unicode { ("×", "–") } else { ("x", "-") };
    let range = |least: u64, most: u64| match least == most {
        true => units::count(least),
        false => format!("{}{dash}{}", units::count(least), units::count(most)),
    };
    let apart = main.warm_up.as_ref().filter(|w| w.is_apart).map_or(0, |w| w.count);
    let warm_up = if apart > 0 { format!("{apart} warm-up + ") } else { String::new() };
    let period = units::time(main.period_ns, page.style);
    let share = units::percent(main.share);
    let plural = if main.count == 1 { "" } else { "s" };
    let mut parts =
        vec![format!("{warm_up}{} iteration{plural} of {period} ({share} of the run)", units::count(main.count))];
    if !main.nested.is_empty() {
        let inner: Vec<String> = main.nested.iter().map(|n| range(n.least, n.most)).collect();
        parts.push(format!("each {} inner ones", inner.join(&format!(" {times} "))));
    }
    if let Some(calls) = main.calls {
        let each = if calls.most == 1 { "call" } else { "calls" };
        parts.push(format!("{} {each} a rank in each", range(calls.least, calls.most)));
    }
    parts
}

/// `5×5 grid`, `ring of 8 ranks`, `line of 8 ranks`.
fn arrangement(page: &Page, grid: &Grid) -> String {
    if let ([ranks], [periodic]) = (&grid.dims[..], &grid.periodic[..]) {
        return format!("{} of {ranks} ranks", if *periodic { "ring" } else { "line" });
    }
    let dims: Vec<String> = grid.dims.iter().map(u32::to_string).collect();
    format!("{} grid", dims.join(if page.style.unicode { "×" } else { "x" }))
}

/// A pattern with its details.
fn exchange(name: &str, details: Option<PatternDetails>) -> String {
    let details = details.unwrap_or_default();
    let name = name.replace('_', " ");
    match (details.neighbors, details.direction) {
        (Some(1), _) => format!("{name} with 1 neighbour"),
        (Some(n), _) => format!("{name} with {n} neighbours"),
        (None, Some("forward")) => format!("{name} to higher ranks"),
        (None, Some("backward")) => format!("{name} to lower ranks"),
        (None, Some("both")) => format!("{name} forth and back"),
        (None, Some(_)) => format!("{name} from all corners"),
        (None, None) => name,
    }
}

/// `0–4`, or `0, 5, 10`, shortened.
fn group(ranks: &[i32]) -> String {
    match ranks {
        [first, .., last] if ranks.windows(2).all(|w| w[1] == w[0] + 1) => format!("{first}-{last}"),
        [first, second, .., last] if ranks.len() > 3 => format!("{first} {second} ... {last}"),
        _ => ranks.iter().map(i32::to_string).collect::<Vec<_>>().join(" "),
    }
}

/// Phases, synchronization, the critical path, and delays.
pub fn details(page: &mut Page, e: &Explanation) {
    if !e.phases.is_empty() {
        page.heading("PHASES OF AN ITERATION", "");
        for phase in &e.phases {
            let calls =
                if phase.functions.is_empty() { String::new() } else { format!(": {}", phase.functions.join(", ")) };
            let median = units::time(phase.median_ns, page.style);
            let together = if phase.lockstep.is_empty() { String::new() } else { format!(" ({})", phase.lockstep) };
            let name = &phase.name;
            page.paragraph("", 2, &format!("{} {median} {name}{together}{calls}", units::percent(phase.share)));
        }
    }
    if let Some(found) = &e.efficiency {
        efficiencies::sections(page, found);
    }
    if !e.synchronisation.is_empty() {
        page.heading("SYNCHRONIZATION", "");
        e.synchronisation.iter().for_each(|s| page.paragraph("", 2, &s.text));
    }
    if let Some(path) = &e.critical_path {
        let length = units::time(path.length_ns, page.style);
        page.heading("CRITICAL PATH", &format!("shares of {length}; {} changes of rank", units::count(path.jumps)));
        for row in path.rows.iter().take(12) {
            let site = row.site.as_deref().unwrap_or("");
            let what =
                if row.function.is_empty() { row.kind.to_owned() } else { format!("{} at {site}", row.function) };
            let ns = units::time(row.ns, page.style);
            page.line(format!("{:>7} {ns:>8} rank {:>4}  {what}", units::percent(row.share), row.rank));
        }
    }
    if !e.delays.is_empty() {
        page.heading("CAUSES OF WAITS", "direct waits; all waits that follow from it");
        for delay in e.delays.iter().take(12) {
            let time = |ns| units::time(ns, page.style);
            let site = delay.site.as_deref().unwrap_or("");
            let (direct, total) = (time(delay.direct_ns), time(delay.total_ns));
            page.line(format!(
                "{direct:>8} {total:>8} rank {:>4}  before {} at {site}",
                delay.cause_rank, delay.function
            ));
        }
    }
}

/// The explanation of a rule.
pub fn rule(page: &mut Page, rule: &Rule) {
    page.line(rule.id);
    for (label, text) in
        [("detects", rule.what), ("formula", rule.formula), ("threshold", rule.threshold), ("doubt", rule.doubt)]
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
