//! Speed of messages and collective operations, and the overlap of non-blocking operations.

use mpiscope_analysis::Explanation;

use super::grid::{Column, Field, Grid, number, spare, words};
use super::page::Page;
use super::units;

/// Maximum number of rows of a table.
const ROWS: usize = 24;

/// All four tables; empty ones are omitted.
pub fn sections(page: &mut Page, e: &Explanation) {
    speed(page, e);
    collectives(page, e);
    overlap(page, e);
    unexpected(page, e);
}

fn table(page: &mut Page, title: &str, remark: &str, columns: Vec<Column>, mut rows: Vec<Vec<Field>>) {
    if rows.is_empty() {
        return;
    }
    let more = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    page.heading(title, remark);
    page.lines(Grid { columns, rows }.text(page.style));
    if more > 0 {
        page.line(format!("... and {} more: --json", units::count(more as u64)));
    }
}

fn text(words: impl Into<String>) -> Field {
    Field::Text(words.into())
}

fn per_second(bytes: Option<f64>) -> Field {
    bytes.map_or(Field::Empty, |b| Field::Text(units::rate(b)))
}

fn place(function: &str, site: Option<&str>) -> Field {
    text(site.map_or_else(|| function.to_owned(), |site| format!("{function} at {site}")))
}

fn speed(page: &mut Page, e: &Explanation) {
    let mut rows = Vec::new();
    for row in &e.speed {
        for segment in &row.segments {
            let (from, to) = (units::bytes(segment.from_bytes), units::bytes(segment.to_bytes));
            rows.push(vec![
                Field::Count(row.messages),
                Field::Time(segment.latency_ns.max(0.0) as u64),
                per_second(segment.bandwidth_bytes_per_s),
                text(format!("{from} to {to}")),
                row.eager_limit_bytes.map_or(Field::Empty, Field::Bytes),
                text(format!("{}, {}", row.function, row.class)),
            ]);
        }
    }
    let columns = vec![
        number("", "messages"),
        number("", "latency"),
        number("", "bandwidth"),
        number("", "sizes"),
        spare("", "eager to"),
        words("", "of"),
    ];
    table(page, "SPEED OF MESSAGES", "latency + bytes / bandwidth, fitted", columns, rows);
}

fn collectives(page: &mut Page, e: &Explanation) {
    let is_compared = e.collectives.iter().any(|c| c.copy_share.is_some());
    let row = |c: &mpiscope_analysis::quality::CollectiveRow| {
        vec![
            Field::Count(c.count),
            Field::Count(c.ranks),
            Field::Time(c.wait_ns),
            Field::Time(c.transfer_ns),
            per_second(c.bandwidth_bytes_per_s),
            per_second(c.best_bandwidth_bytes_per_s),
            c.copy_share.map_or(Field::Empty, Field::Share),
            place(c.function, c.site.as_deref()),
        ]
    };
    let columns = vec![
        number("", "count"),
        spare("", "ranks"),
        number("", "waiting"),
        number("", "moving"),
        number("", "speed"),
        spare("", "best"),
        number("", if is_compared { "of copy" } else { "" }),
        words("", "operation"),
    ];
    let remark = match is_compared {
        true => "of copy: each rank's speed, as a share of one core's copy speed",
        false => "waiting for the last rank, moving data",
    };
    table(page, "COLLECTIVE OPERATIONS", remark, columns, e.collectives.iter().map(row).collect());
}

fn overlap(page: &mut Page, e: &Explanation) {
    let row = |o: &mpiscope_analysis::quality::OverlapRow| {
        vec![
            Field::Count(o.count),
            Field::Time(o.flight_ns),
            Field::Share(units::share(o.away_ns, o.flight_ns)),
            Field::Time(o.wait_ns),
            Field::Time(o.missed_ns),
            place(o.function, o.site.as_deref()),
            place(o.completed_by, o.completed_at.as_deref()),
        ]
    };
    let columns = vec![
        number("", "count"),
        number("", "flight"),
        number("", "away"),
        number("", "waited"),
        spare("", "missed"),
        words("", "posted by"),
        words("", "completed by"),
    ];
    let remark = "away: share of the time in flight outside of both calls";
    table(page, "OVERLAP", remark, columns, e.overlap.iter().map(row).collect());
}

fn unexpected(page: &mut Page, e: &Explanation) {
    let row = |u: &mpiscope_analysis::quality::UnexpectedRow| {
        vec![
            Field::Count(u.messages),
            Field::Count(u.unexpected),
            Field::Share(units::share(u.unexpected, u.messages)),
            Field::Bytes(u.kept_bytes),
            Field::Time(u.receive_ns),
            place(u.function, u.site.as_deref()),
        ]
    };
    let columns = vec![
        number("", "messages"),
        number("", "unexpected"),
        number("", "share"),
        spare("", "copied"),
        number("", "time"),
        words("", "received by"),
    ];
    let found: Vec<_> = e.unexpected.iter().filter(|u| u.unexpected > 0).map(row).collect();
    table(page, "UNEXPECTED MESSAGES", "sent before their receive was posted", columns, found);
}
