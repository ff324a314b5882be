//! Offsets and drift of the clocks of hosts.

use mpiscope_run::{Basis, ClockRow, Summary};

use super::grid::{Field, Grid, number, words};
use super::page::Page;
use super::units;

/// Nothing on one host, or without measurements.
pub fn section(page: &mut Page, s: &Summary) {
    if s.clocks.iter().all(|row| row.rounds == 0 && row.failures == 0) {
        return;
    }
    page.heading("CLOCKS", "offset: reference clock minus host clock; drift: its change over time");
    let style = page.style;
    let row = |c: &ClockRow| {
        let basis = match c.basis {
            Basis::Reference => "reference",
            Basis::Rounds => "rounds",
            Basis::TimeOfDay => "time of day",
            Basis::Unknown => "unknown",
        };
        let time = |ns: Option<u64>| ns.map_or(Field::Empty, Field::Time);
        let offset = c.offset_ns.filter(|_| c.basis != Basis::Reference).map_or(Field::Empty, |ns| {
            let sign = if ns < 0 { "-" } else { "+" };
            Field::Text(format!("{sign}{}", units::time(ns.unsigned_abs(), style)))
        });
        vec![
            Field::Text(c.host.clone()),
            Field::Text(basis.into()),
            Field::Count(c.rounds - c.rounds_left_out),
            Field::Count(c.failures),
            offset,
            c.drift_ppm.map_or(Field::Empty, |ppm| Field::Text(format!("{ppm:+.3}ppm"))),
            time(c.error_ns.filter(|_| c.basis == Basis::Rounds)),
            time(c.rtt_ns),
        ]
    };
    let columns = vec![
        words("", "host"),
        words("", "by"),
        number("", "rounds"),
        number("", "failed"),
        number("", "offset"),
        number("", "drift"),
        number("", "error up to"),
        number("", "round trip"),
    ];
    page.lines(Grid { rows: s.clocks.iter().map(row).collect(), columns }.text(page.style));
}
