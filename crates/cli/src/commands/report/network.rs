//! How far messages went on the network that the user described.

use std::path::Path;

use mpiscope_run::topology::Topology;
use mpiscope_run::topology::table::{Distances, Hops, RankHops, Traffic};
use mpiscope_run::{Run, Spread, Summary};

use super::grid::{Field, Grid, number, spare, words};
use super::page::Page;
use super::units::{self, share};

/// Adds hops to the summary, and returns the network. Errors name the file and, if known, the line.
pub fn locate(run: &Run, summary: &mut Summary, file: &Path) -> anyhow::Result<Topology> {
    let topology = Topology::read(file).map_err(anyhow::Error::msg)?;
    run.locate(summary, &topology).map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))?;
    Ok(topology)
}

/// Name of a class of partners, and its value.
type Class = (&'static str, fn(&Distances) -> &Traffic);

const CLASSES: [Class; 5] = [
    ("itself", |d| &d.itself),
    ("same node", |d| &d.same_node),
    ("neighbour", |d| &d.neighbour),
    ("farther", |d| &d.farther),
    ("unknown", |d| &d.unknown),
];

/// Name of a row, and its value for one rank or all.
type Mean = (&'static str, fn(&Distances) -> Option<f64>);

const MEANS: [Mean; 3] =
    [("mean", |d| d.hops_mean), ("per message", |d| d.hops_mean_by_messages), ("per byte", |d| d.hops_mean_by_bytes)];

/// Classes of partners and hops, over ranks.
pub fn section(page: &mut Page, s: &Summary, full: bool) {
    let Some(hops) = &s.topology else { return };
    page.heading("NETWORK", &hops.network);
    let placed = if hops.by_rank { "by rank number, not by host" } else { "by host" };
    let (used, all) = (units::exact(hops.nodes_used), units::exact(hops.nodes));
    page.line(format!("{used} of {all} nodes used; ranks placed {placed}"));
    let mut rows = Vec::new();
    for (what, value, field) in [
        ("partners", (|t| t.partners) as fn(&Traffic) -> u64, Field::Count as fn(u64) -> Field),
        ("messages sent", |t| t.messages, Field::Count),
        ("bytes sent", |t| t.bytes, Field::Bytes),
    ] {
        traffic(page, hops, &mut rows, what, value, field);
    }
    distances(hops, &mut rows);
    let columns = vec![
        words("", "of a rank"),
        words("", "to"),
        number("", "min"),
        number("", "mean"),
        number("", "max"),
        number("", "all"),
        number("", "share"),
    ];
    page.lines(Grid { columns, rows }.text(page.style));
    if full {
        by_hops(page, hops);
        by_rank(page, hops);
    }
}

fn with_rank(text: String, rank: i32) -> Field {
    Field::Text(format!("{text} [{rank}]"))
}

fn traffic(
    page: &Page,
    hops: &Hops,
    rows: &mut Vec<Vec<Field>>,
    what: &str,
    value: fn(&Traffic) -> u64,
    field: fn(u64) -> Field,
) {
    let whole = CLASSES.iter().fold(0, |sum: u64, (_, class)| sum.saturating_add(value(class(&hops.total))));
    let mut label = what;
    for (name, class) in CLASSES {
        let all = value(class(&hops.total));
        if all == 0 && (name == "itself" || name == "unknown") {
            continue;
        }
        let each = hops.ranks.iter().map(|r| (r.rank, value(class(&r.distances))));
        let Some(spread) = Spread::from_values(each) else { continue };
        let text = |n: u64| field(n).text(page.style);
        rows.push(vec![
            Field::Text(std::mem::take(&mut label).to_owned()),
            Field::Text(name.to_owned()),
            with_rank(text(spread.min.value), spread.min.rank),
            field(spread.mean),
            with_rank(text(spread.max.value), spread.max.rank),
            field(all),
            Field::Share(share(all, whole)),
        ]);
    }
}

fn mean(value: f64) -> String {
    format!("{value:.2}")
}

fn distances(hops: &Hops, rows: &mut Vec<Vec<Field>>) {
    let largest: Mean = ("largest", |d| d.hops_max.map(f64::from));
    let mut label = "hops";
    for (name, value) in [largest].into_iter().chain(MEANS) {
        let each = hops.ranks.iter().filter_map(|r| Some((r.rank, value(&r.distances)?)));
        let (Some(spread), Some(all)) = (Spread::of_shares(each), value(&hops.total)) else { continue };
        let text = |n: f64| if name == "largest" { format!("{n:.0}") } else { mean(n) };
        rows.push(vec![
            Field::Text(std::mem::take(&mut label).to_owned()),
            Field::Text(name.to_owned()),
            with_rank(text(spread.min.value), spread.min.rank),
            Field::Text(mean(spread.mean)),
            with_rank(text(spread.max.value), spread.max.rank),
            Field::Text(text(all)),
            Field::Empty,
        ]);
    }
}

fn by_hops(page: &mut Page, hops: &Hops) {
    page.heading("NETWORK BY HOPS", "");
    let rows = hops.by_hops.iter().map(|row| {
        let Traffic { partners, messages, bytes } = row.sent;
        vec![Field::Count(row.hops.into()), Field::Count(partners), Field::Count(messages), Field::Bytes(bytes)]
    });
    let columns = vec![number("", "hops"), number("", "pairs"), number("", "messages"), number("", "bytes")];
    page.lines(Grid { rows: rows.collect(), columns }.text(page.style));
}

fn by_rank(page: &mut Page, hops: &Hops) {
    page.heading("NETWORK BY RANK", "messages sent; mean hops of partners, of messages, of bytes");
    let optional = |value: Option<f64>| value.map_or(Field::Empty, |value| Field::Text(mean(value)));
    let row = |r: &RankHops| {
        let d = &r.distances;
        vec![
            Field::Number(r.rank.into()),
            r.node.map_or(Field::Text("?".into()), Field::Count),
            Field::Text(r.place.clone()),
            Field::Count(d.itself.messages),
            Field::Count(d.same_node.messages),
            Field::Count(d.neighbour.messages),
            Field::Count(d.farther.messages),
            d.hops_max.map_or(Field::Empty, |hops| Field::Count(hops.into())),
            optional(d.hops_mean),
            optional(d.hops_mean_by_messages),
            optional(d.hops_mean_by_bytes),
        ]
    };
    let columns = vec![
        number("", "rank"),
        number("", "node"),
        words("", "place"),
        spare("", "itself"),
        number("", "same node"),
        number("", "neighbour"),
        number("", "farther"),
        number("", "hops max"),
        number("", "mean"),
        number("", "message"),
        number("", "byte"),
    ];
    page.lines(Grid { rows: hops.ranks.iter().map(row).collect(), columns }.text(page.style));
}
