//! The section on regions, markers and values of the program.

use mpiscope_run::snapshots::SnapshotRow;
use mpiscope_run::{RegionRow, Summary};

use super::grid::{Field, Grid, number, spare, words};
use super::page::{Extent, Page};
use super::sections::rest;
use super::units::{self, share};

/// Regions as a tree, then markers and values.
pub fn render(page: &mut Page, s: &Summary, extent: Extent) {
    tree(page, s, extent);
    snapshots(page, s, extent);
    labels(page, s);
}

fn tree(page: &mut Page, s: &Summary, extent: Extent) {
    if s.regions.is_empty() {
        return;
    }
    page.heading("REGIONS", "all ranks; time in MPI as a share of the region");
    let columns = vec![
        words("", "region"),
        number("", "count"),
        number("", "time"),
        spare("", "least rank"),
        spare("", "most rank"),
        number("", "in MPI"),
        number("", "share"),
        spare("", "most in"),
    ];
    let extreme = |e: &mpiscope_run::Extreme| Field::Text(format!("{} [{}]", units::time(e.value, page.style), e.rank));
    let row = |r: &RegionRow| {
        let outside = r.source.is_empty();
        let or = |field: Field| if outside { Field::Empty } else { field };
        vec![
            Field::Text(format!("{:indent$}{}", "", r.name, indent = 2 * r.depth.min(16) as usize)),
            or(Field::Count(r.count)),
            or(Field::Time(r.time_ns)),
            or(extreme(&r.time_ns_by_rank.min)),
            or(extreme(&r.time_ns_by_rank.max)),
            Field::Time(r.mpi.time_ns),
            if r.time_ns == 0 { Field::Empty } else { Field::Share(share(r.mpi.time_ns, r.time_ns)) },
            r.by_call.first().map_or(Field::Empty, |c| Field::Text(c.call.clone())),
        ]
    };
    let grid = Grid { columns, rows: s.regions.iter().take(extent.regions).map(row).collect() };
    page.lines(grid.text(page.style));
    rest(page, extent.regions, s.regions.len(), "regions");
    let open: Vec<&str> = s.regions.iter().filter(|r| r.open > 0).map(|r| r.region.as_str()).collect();
    if !open.is_empty() {
        page.paragraph("open at the end: ", 17, &open.join(", "));
    }
}

fn snapshots(page: &mut Page, s: &Summary, extent: Extent) {
    if s.snapshots.is_empty() {
        return;
    }
    page.heading("SNAPSHOTS", "statistics between the program's calls of clear and snapshot");
    let columns = vec![
        words("", "region"),
        number("", "number"),
        number("", "calls"),
        number("", "in MPI"),
        spare("", "least rank"),
        spare("", "most rank"),
        number("", "bytes"),
        spare("", "most in"),
    ];
    let extreme = |e: &mpiscope_run::Extreme| Field::Text(format!("{} [{}]", units::time(e.value, page.style), e.rank));
    let row = |r: &SnapshotRow| {
        vec![
            Field::Text(if r.region.is_empty() { "(everything)".into() } else { r.region.clone() }),
            Field::Count(r.number),
            Field::Count(r.mpi.calls),
            Field::Time(r.mpi.time_ns),
            extreme(&r.mpi_ns_by_rank.min),
            extreme(&r.mpi_ns_by_rank.max),
            Field::Bytes(r.mpi.bytes),
            r.by_call.first().map_or(Field::Empty, |c| Field::Text(c.call.clone())),
        ]
    };
    let grid = Grid { columns, rows: s.snapshots.iter().take(extent.regions).map(row).collect() };
    page.lines(grid.text(page.style));
    rest(page, extent.regions, s.snapshots.len(), "snapshots");
}

fn labels(page: &mut Page, s: &Summary) {
    if s.labels.is_empty() {
        return;
    }
    page.heading("MARKERS AND VALUES", "");
    let columns =
        vec![words("", "name"), words("", "unit"), words("", "kind"), number("", "count"), number("", "ranks")];
    let row = |l: &mpiscope_run::LabelRow| {
        vec![
            Field::Text(l.name.clone()),
            Field::Text(l.unit.clone()),
            Field::Text(l.kind.into()),
            Field::Count(l.count),
            Field::Count(l.ranks),
        ]
    };
    let grid = Grid { columns, rows: s.labels.iter().map(row).collect() };
    page.lines(grid.text(page.style));
}
