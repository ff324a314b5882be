//! Efficiencies of iterations, phases and regions.

use mpiscope_analysis::efficiency::{Efficiencies, Efficiency, IterationEfficiency, WindowEfficiency};

use super::grid::{Column, Field, Grid, number, words};
use super::page::Page;
use super::units;

/// Maximum number of regions in the table.
const REGIONS: usize = 24;

/// Three tables; empty ones are omitted.
pub fn sections(page: &mut Page, found: &Efficiency) {
    if let Some(iterations) = &found.iterations {
        of_iterations(page, iterations);
    }
    let phase = |p: &mpiscope_analysis::efficiency::PhaseEfficiency| {
        row(Field::Text(p.phase.clone()), p.rank_time_ns, Some(p.computing_ns), &p.efficiency)
    };
    table(page, "EFFICIENCY OF PHASES", "all passes together", "phase", found.phases.iter().map(phase).collect());
    let region = |r: &mpiscope_analysis::efficiency::RegionEfficiency| {
        row(Field::Text(r.region.clone()), r.rank_time_ns, None, &r.efficiency)
    };
    let rows = found.regions.iter().take(REGIONS).map(region).collect();
    table(page, "EFFICIENCY OF REGIONS", "all passes together", "region", rows);
}

fn table(page: &mut Page, title: &str, remark: &str, what: &'static str, rows: Vec<Vec<Field>>) {
    if !rows.is_empty() {
        page.heading(title, remark);
        page.lines(Grid { columns: columns(words("", what)), rows }.text(page.style));
    }
}

fn columns(what: Column) -> Vec<Column> {
    let of = ["rank time", "computing", "parallel", "balance", "serial.", "transfer"];
    of.into_iter().map(|head| number("", head)).chain([what]).collect()
}

fn row(what: Field, rank_time_ns: u64, computing_ns: Option<u64>, e: &Efficiencies) -> Vec<Field> {
    let share = |share: Option<f64>| share.map_or(Field::Empty, Field::Share);
    let shares = [e.parallel, e.load_balance, e.serialisation, e.transfer].map(share);
    let times = [Field::Time(rank_time_ns), computing_ns.map_or(Field::Empty, Field::Time)];
    times.into_iter().chain(shares).chain([what]).collect()
}

/// The distribution, and the worst windows.
fn of_iterations(page: &mut Page, found: &IterationEfficiency) {
    let windows = found.windows.first.len();
    let remark = match found.iterations_per_window {
        1 => format!("{} iterations", units::count(windows as u64)),
        n => format!("{} windows of {n} iterations", units::count(windows as u64)),
    };
    let of = |at: usize| {
        let s = &found.spread;
        let [parallel, load_balance, communication, serialisation, transfer] =
            [s.parallel, s.load_balance, s.communication, s.serialisation, s.transfer].map(|s| s.map(|s| s[at]));
        Efficiencies { parallel, load_balance, communication, serialisation, transfer }
    };
    let mut rows: Vec<Vec<Field>> = Vec::new();
    for (at, name) in ["lowest of each", "median", "highest of each"].into_iter().enumerate() {
        let mut line = row(Field::Text(name.into()), 0, None, &of(at));
        line[0] = Field::Empty;
        rows.push(line);
    }
    let one = |w: &WindowEfficiency| {
        let name = match w.first == w.last {
            true => format!("iteration {}", w.first),
            false => format!("iterations {} to {}", w.first, w.last),
        };
        row(Field::Text(name), w.rank_time_ns, Some(w.computing_ns), &w.efficiency)
    };
    rows.extend(found.worst.iter().map(one));
    table(page, "EFFICIENCY OF ITERATIONS", &remark, "the worst", rows);
}
