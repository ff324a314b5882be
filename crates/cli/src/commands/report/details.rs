//! Sections only of `--full`: every function in detail, extremes by peer, the matrix, the mapping of ranks, and the
//! definitions.

use std::collections::BTreeMap;

use mpiscope_run::{CallRow, DatatypeRow, PeerRow, ProtocolRow, SizeRow, Spread, Summary};

use super::bars;
use super::clocks;
use super::grid::{Field, Grid, number, words};
use super::page::Page;
use super::places;
use super::sections::{bins_of, sizes_by_call};
use super::tables::coordinates;
use super::units;
use crate::sources::shown;

/// All sections.
pub fn render(page: &mut Page, s: &Summary) {
    calls(page, s);
    comm_calls(page, s);
    peer_extremes(page, s);
    matrix(page, s);
    mapping(page, s);
    places::section(page, s);
    clocks::section(page, s);
    variables(page, "SETTINGS", "variables of the environment that change what the MPI does", &s.settings);
    variables(page, "PROTOCOL FACTS", "variables of the MPI (MPI_T), in the MPI's own units", &s.protocol);
    objects(page, s);
    stacks(page, s);
    unseen(page, s);
}

fn calls(page: &mut Page, s: &Summary) {
    let sizes: BTreeMap<&str, Vec<&SizeRow>> = sizes_by_call(s).into_iter().collect();
    page.heading("EVERY FUNCTION", "over all ranks; min and max per rank, with [rank]");
    for call in &s.calls {
        page.line("");
        page.line(format!("{}  ({})", call.call, call.groups.join(", ")));
        one_call(page, call);
        let Some(rows) = sizes.get(call.call.as_str()) else { continue };
        page.line(format!("  sizes         {}", bars::RULER));
        for (label, value) in [
            ("by count", (|r| r.sum.calls) as fn(&SizeRow) -> u64),
            ("by time", |r| r.sum.time_ns),
            ("by bytes", |r| r.sum.bytes),
        ] {
            page.line(format!("    {label:<10}  {}", bars::bins(&bins_of(rows, value))));
        }
    }
}

fn one_call(page: &mut Page, c: &CallRow) {
    let style = page.style;
    let time = |ns| units::time(ns, style);
    let mut row = |label: &str, total: String, spread: &Spread, text: &dyn Fn(u64) -> String| {
        page.line(format!(
            "  {label:<8} {total:>12}   min {:>9} [{}]   mean {:>9}   max {:>9} [{}]",
            text(spread.min.value),
            spread.min.rank,
            text(spread.mean),
            text(spread.max.value),
            spread.max.rank
        ));
    };
    row("count", units::count(c.sum.calls), &c.calls_by_rank, &units::count);
    row("time", time(c.sum.time_ns), &c.time_ns_by_rank, &time);
    if c.sum.bytes > 0 {
        row("bytes", units::bytes(c.sum.bytes), &c.bytes_by_rank, &units::bytes);
        let (sent, received) = (units::bytes(c.sum.bytes_sent), units::bytes(c.sum.bytes_received));
        page.line(format!("  payload  {sent} sent, {received} received"));
    }
    let (min, mean, max) = (time(c.sum.min_call_ns), time(c.sum.mean_ns()), time(c.sum.max_call_ns));
    page.line(format!("  one call     shortest {min}, mean {mean}, longest {max}; called by {} rank(s)", c.ranks));
}

fn comm_calls(page: &mut Page, s: &Summary) {
    if s.comms.is_empty() {
        return;
    }
    page.heading("COMMUNICATORS BY FUNCTION", "");
    let rows = s.comms.iter().flat_map(|comm| {
        comm.by_call.iter().map(|c| {
            vec![
                Field::Text(comm.facts.label.clone()),
                Field::Text(comm.facts.members.clone()),
                Field::Text(c.call.clone()),
                Field::Count(c.sum.calls),
                Field::Time(c.sum.time_ns),
                Field::Bytes(c.sum.bytes),
            ]
        })
    });
    let columns = vec![
        words("", "communicator"),
        words("", "members"),
        words("", "call"),
        number("", "count"),
        number("", "time"),
        number("", "bytes"),
    ];
    page.lines(Grid { rows: rows.collect(), columns }.text(page.style));
}

/// For each rank: partners, and to which it sends most and least.
fn peer_extremes(page: &mut Page, s: &Summary) {
    let mut by_rank: BTreeMap<i32, Vec<&PeerRow>> = BTreeMap::new();
    for row in s.peers.iter().filter(|p| p.messages_sent > 0) {
        by_rank.entry(row.rank).or_default().push(row);
    }
    if by_rank.is_empty() {
        return;
    }
    page.heading("PEERS OF EACH RANK", "by bytes sent");
    let with = |p: &PeerRow| format!("{} [{}]", units::bytes(p.bytes_sent), p.peer);
    let rows = by_rank.into_iter().filter_map(|(rank, peers)| {
        let key = |p: &&&PeerRow| (p.bytes_sent, p.messages_sent);
        let (least, most) = (peers.iter().min_by_key(key)?, peers.iter().max_by_key(key)?);
        let sum = |value: fn(&PeerRow) -> u64| peers.iter().fold(0, |n: u64, p| n.saturating_add(value(p)));
        Some(vec![
            Field::Number(rank.into()),
            Field::Count(peers.iter().filter(|p| p.peer != rank).count() as u64),
            Field::Count(sum(|p| p.messages_sent)),
            Field::Bytes(sum(|p| p.bytes_sent)),
            Field::Text(with(least)),
            Field::Text(with(most)),
            Field::Time(sum(|p| p.time_ns)),
        ])
    });
    let columns = vec![
        number("", "rank"),
        number("", "partners"),
        number("", "messages"),
        number("", "bytes"),
        number("", "least [peer]"),
        number("", "most [peer]"),
        number("", "time"),
    ];
    page.lines(Grid { rows: rows.collect(), columns }.text(page.style));
}

/// Maximum number of rows and columns of the matrix; larger worlds are combined into blocks.
const BLOCKS: usize = 32;

/// Bytes from rank (down) to rank (across), with 9 for the largest field.
fn matrix(page: &mut Page, s: &Summary) {
    let Some(last) = s.peers.iter().map(|p| p.rank.max(p.peer)).max().filter(|&last| last > 0) else { return };
    let world = (last as usize) + 1;
    let (size, each) = (world.min(BLOCKS), world.div_ceil(BLOCKS));
    let mut fields = vec![0u64; size * size];
    for p in s.peers.iter().filter(|p| p.rank >= 0 && p.peer >= 0) {
        let at = (p.rank as usize / each) * size + p.peer as usize / each;
        if let Some(field) = fields.get_mut(at) {
            *field = field.saturating_add(p.bytes_sent);
        }
    }
    let Some(&top) = fields.iter().max().filter(|&&top| top > 0) else { return };
    let unit = if each > 1 { format!(", {each} ranks a field") } else { String::new() };
    let remark = format!("bytes from (down) to (across); 9 is {}{unit}", units::bytes(top));
    page.heading("COMMUNICATION MATRIX", &remark);
    for (row, values) in fields.chunks(size).enumerate() {
        let mark = |&value: &u64| match value {
            0 => '.',
            v => char::from(b'0' + (u128::from(v) * 9 / u128::from(top)) as u8),
        };
        page.line(format!("{:>7}  {}", row * each, values.iter().map(mark).collect::<String>()));
    }
}

/// Rank, host, cores, coordinates, end.
fn mapping(page: &mut Page, s: &Summary) {
    page.heading("RANKS", "");
    let rows = s.ranks.iter().map(|r| {
        vec![
            Field::Number(r.rank.into()),
            Field::Text(r.host.clone()),
            Field::Number(r.pid.into()),
            Field::Text(r.cpus.clone().unwrap_or_default()),
            Field::Text(coordinates(r)),
            Field::Count(r.sum.calls),
            Field::Time(r.mpi_ns),
            r.mpi_share.map_or(Field::Empty, Field::Share),
            Field::Text(r.fate.text()),
        ]
    });
    let columns = vec![
        number("", "rank"),
        words("", "host"),
        number("", "pid"),
        words("", "cores"),
        words("", "coordinates"),
        number("", "calls"),
        number("", "in MPI"),
        number("", "share"),
        words("", "end"),
    ];
    page.lines(Grid { rows: rows.collect(), columns }.text(page.style));
}

fn table(page: &mut Page, title: &str, columns: Vec<super::grid::Column>, rows: Vec<Vec<Field>>) {
    if !rows.is_empty() {
        page.heading(title, "");
        page.lines(Grid { columns, rows }.text(page.style));
    }
}

/// The structure of a datatype, in words.
fn blocks(d: &DatatypeRow) -> String {
    let blocks = match (d.blocks, d.block_length, d.stride_bytes) {
        (Some(n), Some(length), Some(stride)) => format!("{n} × {length}, every {stride} B"),
        (Some(n), Some(length), None) => format!("{n} × {length}"),
        (Some(n), ..) => n.to_string(),
        _ => String::new(),
    };
    let parts = [Some(blocks), d.parent.clone()].into_iter().flatten().filter(|t| !t.is_empty());
    parts.collect::<Vec<_>>().join(" of ")
}

fn objects(page: &mut Page, s: &Summary) {
    let text = |t: &str| Field::Text(t.to_owned());
    // Predefined datatypes are listed only in JSON.
    let rows = s.datatypes.iter().filter(|d| !d.created_by.is_empty()).map(|d| {
        let made = d.combiner.as_deref().unwrap_or(&d.created_by);
        let gaps = d.contiguous.map_or("?", |contiguous| if contiguous { "no" } else { "yes" });
        vec![
            text(&if d.name.is_empty() { made.to_owned() } else { format!("{} ({made})", d.name) }),
            Field::Count(d.size_bytes),
            Field::Number(d.extent_bytes),
            text(gaps),
            text(&blocks(d)),
            Field::Count(d.definitions),
        ]
    });
    let columns = vec![
        words("", "datatype"),
        number("", "size B"),
        number("", "extent B"),
        words("", "gaps"),
        words("", "blocks"),
        number("", "definitions"),
    ];
    table(page, "DATATYPES", columns, rows.collect());
    let rows = s.files.iter().map(|f| {
        vec![text(&f.name), text(&f.comm), Field::Number(f.amode.into()), Field::Count(f.ranks), Field::Count(f.opened)]
    });
    let columns = vec![
        words("", "file"),
        words("", "communicator"),
        number("", "amode"),
        number("", "ranks"),
        number("", "opened"),
    ];
    table(page, "FILES", columns, rows.collect());
    let rows = s.windows.iter().map(|w| {
        vec![
            text(&w.created_by),
            text(&w.comm),
            Field::Bytes(w.min_bytes),
            Field::Bytes(w.max_bytes),
            Field::Number(w.disp_unit),
            Field::Count(w.ranks),
            Field::Count(w.made),
        ]
    });
    let columns = vec![
        words("", "window made by"),
        words("", "communicator"),
        number("", "min"),
        number("", "max"),
        number("", "unit B"),
        number("", "ranks"),
        number("", "made"),
    ];
    table(page, "WINDOWS", columns, rows.collect());
}

/// Variables that were recorded, with their values by rank.
fn variables(page: &mut Page, title: &'static str, what: &'static str, rows: &[ProtocolRow]) {
    if rows.is_empty() {
        return;
    }
    page.heading(title, what);
    let rows = rows.iter().map(|p| {
        let ranks = units::stretched(&p.ranks, 6);
        vec![Field::Text(p.key.clone()), Field::Text(p.value.clone()), Field::Text(ranks)]
    });
    let columns = vec![words("", "variable"), words("", "value"), words("", "ranks")];
    page.lines(Grid { rows: rows.collect(), columns }.text(page.style));
}

/// Call sites with paths and callers, which do not fit into the table above.
fn stacks(page: &mut Page, s: &Summary) {
    let known = s.sites.iter().filter(|r| r.frames.len() > 1 || r.frames.iter().any(|f| f.file.is_some()));
    for (i, site) in known.enumerate() {
        if i == 0 {
            page.heading("CALL SITES IN FULL", "by time; shares of rank time");
        }
        let sum = &site.sum;
        let calls = if sum.calls == 1 { "call" } else { "calls" };
        let share = s.overview.share(&site.call, sum.time_ns);
        let share = share.map_or_else(String::new, |share| format!(", {}", units::percent(share)));
        let (count, time) = (units::count(sum.calls), units::time(sum.time_ns, page.style));
        page.line(format!("{}: {count} {calls}, {time}{share}", site.call));
        for frame in &site.frames {
            let line = frame.line.map(|l| format!(":{l}")).unwrap_or_default();
            let file = frame.file.as_ref().map(|f| format!(" {}{line}", shown(f))).unwrap_or_default();
            page.paragraph("  ", 4, &format!("{}{file} ({})", frame.function, frame.module));
        }
    }
}

fn unseen(page: &mut Page, s: &Summary) {
    let rows = s
        .not_intercepted
        .iter()
        .map(|u| vec![Field::Text(u.name.clone()), Field::Text(u.why.clone()), Field::Count(u.ranks)]);
    table(page, "NOT INTERCEPTED", vec![words("", "function"), words("", "why"), number("", "ranks")], rows.collect());
    if !s.not_wrapped.is_empty() {
        let n = s.not_wrapped.len();
        page.heading(
            "UNKNOWN FUNCTIONS",
            "functions of this MPI that cannot be recorded; the program does not use them",
        );
        page.paragraph("", 0, &format!("{n}: {}", s.not_wrapped.join(" ")));
    }
}
