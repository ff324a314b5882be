//! The run beside what its machine can do.

use mpiscope_analysis::attainable::{Attainable, AttainableRow, Estimate, Halo, LeftOut, Shape};
use mpiscope_query::MachineProfile;

use super::Report;
use super::grid::{Field, Grid, number, spare, words};
use super::page::Page;
use super::sections::rest;
use super::style::Style;
use super::units;
use crate::commands::bench::distance_text;

/// Rows of the table on one page, and lines of what was left out.
const ROWS: usize = 6;
const LEFT_OUT: usize = 3;
const LABEL: usize = 13;
/// Marks of times.
const NOT_QUIET: &str = "*";
const FEW_SAMPLES: &str = "~";

/// Messages, collective operations and the exchange of a grid beside the curves of the profile; then what the profile lacks.
pub fn section(page: &mut Page, report: &Report, full: bool) {
    let Some(profile) = &report.machine_profile else { return };
    let measured = profile.ended_s.map(|s| format!(", measured {}", units::utc(s.saturating_mul(1_000_000_000))));
    let remark = profile.path.as_ref().map_or_else(String::new, |path| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        format!("by the profile {name}{}", measured.unwrap_or_default())
    });
    page.heading("ATTAINABLE", &remark);
    if let Some(found) = report.explanation.as_ref().and_then(|e| e.attainable.as_ref()) {
        table(page, found, full);
        if let Some(halo) = &found.halo {
            exchange(page, halo);
        }
        left_out(page, found, full);
        let of_rows = found.rows.iter().take(shown(found, full)).map(|row| row.attainable);
        let of_halo = found.halo.iter().flat_map(|halo| &halo.shapes).filter_map(|shape| shape.attainable);
        if of_rows.chain(of_halo).any(|estimate| !is_certain(estimate)) {
            page.paragraph(
                FEW_SAMPLES,
                LABEL,
                "the profile has few samples at this size: measure it longer (--budget)",
            );
        }
        if found.rows.is_empty() && found.halo.is_none() && found.left_out.is_empty() {
            page.line("nothing to compare: the run shows no time of a transfer or of a blocking collective operation");
        }
    }
    notes(page, profile);
}

/// Rows of the table that are printed.
fn shown(found: &Attainable, full: bool) -> usize {
    if full { found.rows.len() } else { ROWS }
}

/// Messages and collective operations by size.
fn table(page: &mut Page, found: &Attainable, full: bool) {
    if found.rows.is_empty() {
        return;
    }
    let style = page.style;
    let row = |row: &AttainableRow| {
        vec![
            Field::Count(row.count),
            Field::Bytes(row.bytes),
            Field::Time(row.median_ns),
            time(Some(row.attainable), style),
            interval(Some(row.attainable), style),
            row.reached.map_or(Field::Empty, Field::Share),
            Field::Time(row.excess_ns),
            Field::Text(operation(row.what, row.pair_class.map(|class| (class, row.hops)), row.ranks)),
        ]
    };
    let columns = vec![
        number("", "count"),
        number("", "size"),
        number("", "median"),
        number("", "attainable"),
        spare("", "95 % interval"),
        number("", "reached"),
        number("", "excess"),
        words("", "of"),
    ];
    let shown = shown(found, full);
    let rows = found.rows.iter().take(shown).map(row).collect();
    page.lines(Grid { columns, rows }.text(style));
    rest(page, shown, found.rows.len(), "sizes");
}

/// `messages, same L3` or `MPI_Allreduce, 4 ranks`.
fn operation(what: &str, distance: Option<(&str, Option<u32>)>, ranks: u64) -> String {
    match distance {
        Some((class, hops)) => format!("{what}, {}", distance_text(class, hops)),
        None => format!("{what}, {} ranks", units::exact(ranks)),
    }
}

/// A time; marked where the machine was not quiet, and where the profile has few samples.
fn time(estimate: Option<Estimate>, style: Style) -> Field {
    estimate.map_or(Field::Empty, |estimate| {
        let disturbed = if estimate.is_disturbed { NOT_QUIET } else { "" };
        let uncertain = if is_certain(estimate) { "" } else { FEW_SAMPLES };
        Field::Text(format!("{}{disturbed}{uncertain}", units::time(estimate.ns as u64, style)))
    })
}

/// Whether the profile has an interval there. A median of a few samples may be off by orders of magnitude on a busy machine.
fn is_certain(estimate: Estimate) -> bool {
    estimate.low_ns.is_some()
}

fn interval(estimate: Option<Estimate>, style: Style) -> Field {
    let ends = estimate.and_then(|estimate| Some([estimate.low_ns?, estimate.high_ns?]));
    ends.map_or(Field::Empty, |ends| {
        let [low, high] = ends.map(|ns| units::time(ns as u64, style));
        Field::Text(format!("{low} to {high}"))
    })
}

/// The exchange of the grid, and what it would cost with other grids.
fn exchange(page: &mut Page, halo: &Halo) {
    let style = page.style;
    let Some(own) = halo.shapes.first() else { return };
    let each = halo.iterations.map_or("in the whole run".to_owned(), |_| "in each iteration".to_owned());
    let messages = units::counted(own.messages.round() as u64, "message(s)");
    let mut text = format!("grid {}: {each}, a rank sends {} in {messages}", dims(own, style), size(own));
    if let (Some(median), Some(waiting)) = (halo.median_ns, halo.waiting_ns) {
        text += &format!(" and spends {} in these calls", units::time(median, style));
        text += &format!(", of which {} waiting (medians)", units::time(waiting, style));
    }
    if let (Some(most), Some(rank)) = (halo.max_ns, halo.max_rank) {
        text += &format!("; the most: {} [{rank}]", units::time(most, style));
    }
    page.line("");
    page.paragraph("exchange", LABEL, &text);
    let columns = vec![
        words("", "  grid"),
        number("", "messages"),
        number("", "surface"),
        number("", "of own"),
        number("", "attainable"),
        spare("", "95 % interval"),
        words("", "remark"),
    ];
    let row = |shape: &Shape| {
        vec![
            Field::Text(format!("  {}", dims(shape, style))),
            Field::Text(format!("{:.0}", shape.messages)),
            Field::Text(size(shape)),
            Field::Share(shape.surface),
            time(shape.attainable, style),
            interval(shape.attainable, style),
            Field::Text(remark(shape).to_owned()),
        ]
    };
    page.lines(Grid { columns, rows: halo.shapes.iter().map(row).collect() }.text(style));
    if halo.shapes.iter().any(|shape| shape.is_assumed) {
        page.paragraph("", 2, "assumed: an axis that the run does not divide has the mean length of the others");
    }
    if halo.other_share > 0.0 {
        let share = units::percent(halo.other_share);
        page.paragraph(
            "",
            2,
            &format!("{share} of the messages go to other than direct neighbours: grids are without them"),
        );
    }
}

fn remark(shape: &Shape) -> &'static str {
    match (shape.is_own, shape.is_assumed) {
        (true, _) => "this run",
        (false, true) => "assumed",
        (false, false) => "",
    }
}

fn dims(shape: &Shape, style: Style) -> String {
    let times = if style.unicode { " × " } else { " x " };
    shape.dims.iter().map(u32::to_string).collect::<Vec<_>>().join(times)
}

fn size(shape: &Shape) -> String {
    units::bytes(shape.bytes as u64)
}

/// What the profile has no numbers for.
fn left_out(page: &mut Page, found: &Attainable, full: bool) {
    let shown = if full { found.left_out.len() } else { LEFT_OUT };
    for left in found.left_out.iter().take(shown) {
        let LeftOut { what, pair_class, hops, ranks, count, time_ns, why, command } = left;
        let command = command.as_ref().map_or_else(String::new, |command| format!("; {command}"));
        let text = format!(
            "{}: {} in {}: {why}{command}",
            operation(what, pair_class.map(|class| (class, *hops)), *ranks),
            units::exact(*count),
            units::time(*time_ns, page.style)
        );
        page.paragraph("not compared", LABEL, &text);
    }
    rest(page, shown, found.left_out.len(), "that are not compared");
}

fn notes(page: &mut Page, profile: &MachineProfile) {
    if profile.is_disturbed {
        page.paragraph(NOT_QUIET, LABEL, "the machine was not quiet while this was measured: it may be faster");
    }
    let label = if profile.is_used { "profile" } else { "not used" };
    for note in &profile.notes {
        page.paragraph(label, LABEL, note);
    }
}
