//! Time by function, message sizes, partners and call sites.

use std::collections::BTreeMap;

use mpiscope_run::{BINS, CallRow, Extreme, PeerClass, SizeRow, Summary};

use super::bars;
use super::grid::{Column, Field, Grid, number, spare, words};
use super::page::{Extent, Page};
use super::tables::place;
use super::units::{self, share};

/// A column of text only.
fn head(head: &'static str) -> Column {
    number("", head)
}

pub fn rest(page: &mut Page, shown: usize, all: usize, what: &str) {
    if all > shown {
        page.line(format!("... and {} more {what}: --full", all - shown));
    }
}

/// Per function: count, time, extremes over ranks.
pub fn calls(page: &mut Page, s: &Summary, extent: Extent) {
    if s.calls.is_empty() {
        return;
    }
    let total = units::time(s.overview.time_ns, page.style);
    let whole = units::time(s.overview.rank_time_ns, page.style);
    let remark = format!("{} calls, {total} in MPI; shares of {whole} rank time", units::count(s.overview.calls));
    page.heading("WHERE THE TIME GOES", &remark);
    let digits = s.ranks.iter().map(|r| r.rank.to_string().len()).max().unwrap_or(1);
    let style = page.style;
    let at = |e: Extreme| Field::Text(format!("{} [{:>digits$}]", units::time(e.value, style), e.rank));
    let row = |c: &CallRow| {
        vec![
            Field::Text(c.call.clone()),
            Field::Count(c.sum.calls),
            Field::Time(c.sum.time_ns),
            s.overview.share(&c.call, c.sum.time_ns).map_or(Field::Empty, Field::Share),
            Field::Time(c.sum.mean_ns()),
            at(c.time_ns_by_rank.min),
            at(c.time_ns_by_rank.max),
            if c.sum.bytes == 0 { Field::Empty } else { Field::Bytes(c.sum.bytes) },
        ]
    };
    let columns = vec![
        words("", "call"),
        head("count"),
        head("time"),
        head("share"),
        head("mean"),
        head("min rank"),
        head("max rank"),
        head("bytes"),
    ];
    // One row more than the limit replaces the line that would mention it.
    let shown = if s.calls.len() <= extent.calls.saturating_add(1) { s.calls.len() } else { extent.calls };
    let grid = Grid { columns, rows: s.calls.iter().take(shown).map(row).collect() };
    page.lines(grid.text(style));
    if s.calls.len() > shown {
        let others = &s.calls[shown..];
        let time = others.iter().fold(0, |sum: u64, c| sum.saturating_add(c.sum.time_ns));
        let part: f64 = others.iter().filter_map(|c| s.overview.share(&c.call, c.sum.time_ns)).sum();
        let count = others.iter().fold(0, |sum: u64, c| sum.saturating_add(c.sum.calls));
        page.line(format!(
            "... and {} more functions: {} calls, {}, {}: --full",
            others.len(),
            units::count(count),
            units::time(time, style),
            units::percent(part)
        ));
    }
}

/// The ranks' shares of MPI as a picture.
pub fn shares(page: &mut Page, s: &Summary) {
    let values: Vec<Option<f64>> = s.ranks.iter().filter(|r| r.rank >= 0).map(|r| r.mpi_share).collect();
    let top = values.iter().flatten().copied().fold(0.0, f64::max);
    if values.len() < 2 || top <= 0.0 {
        return;
    }
    let (marks, each) = bars::spark(&values, page.style.width, page.style);
    let many = if each > 1 { format!("; each mark is the mean of {each} ranks") } else { String::new() };
    page.heading("SHARE OF MPI BY RANK", &format!("of each rank's time; scale 0 to {}{many}", units::percent(top)));
    page.line(marks);
}

/// Bins of each function: time, count or bytes.
pub fn bins_of(rows: &[&SizeRow], value: fn(&SizeRow) -> u64) -> [u64; BINS] {
    let mut bins = [0; BINS];
    for row in rows {
        if let Some(bin) = row.bin.and_then(|b| bins.get_mut(usize::from(b))) {
            *bin = value(row);
        }
    }
    bins
}

/// Rows of each function, the longest time first.
pub fn sizes_by_call(s: &Summary) -> Vec<(&str, Vec<&SizeRow>)> {
    let mut by_call: BTreeMap<&str, Vec<&SizeRow>> = BTreeMap::new();
    for row in s.sizes.iter().filter(|r| r.bin.is_some()) {
        by_call.entry(&row.call).or_default().push(row);
    }
    let mut found: Vec<_> = by_call.into_iter().collect();
    found.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.iter().map(|r| u128::from(r.sum.time_ns)).sum::<u128>()));
    found
}

/// Message sizes as bars.
pub fn sizes(page: &mut Page, s: &Summary, extent: Extent) {
    let by_call = sizes_by_call(s);
    if by_call.is_empty() {
        return;
    }
    page.heading("SIZES", "bytes of one call; share of its time by size in tenths, * is all");
    let columns = vec![words("", "call"), head("count"), head("mean"), words("", bars::RULER)];
    let row = |(call, rows): &(&str, Vec<&SizeRow>)| {
        let count = rows.iter().fold(0, |n: u64, r| n.saturating_add(r.sum.calls));
        let bytes = rows.iter().fold(0, |n: u64, r| n.saturating_add(r.sum.bytes));
        vec![
            Field::Text((*call).to_owned()),
            Field::Count(count),
            Field::Bytes(bytes.checked_div(count).unwrap_or(0)),
            Field::Text(bars::bins(&bins_of(rows, |r| r.sum.time_ns))),
        ]
    };
    let grid = Grid { columns, rows: by_call.iter().take(extent.sizes).map(row).collect() };
    page.lines(grid.text(page.style));
    rest(page, extent.sizes, by_call.len(), "functions");
}

/// Partners, nodes, the heaviest pair; requests.
pub fn messages(page: &mut Page, s: &Summary) {
    let real: Vec<_> = s.peers.iter().filter(|p| p.messages_sent.max(p.messages_received) > 0).collect();
    let (started, completed) = (s.overview.requests_started, s.overview.requests_completed);
    if real.is_empty() && started.max(completed) == 0 {
        return;
    }
    page.heading("MESSAGES", "");
    if !real.is_empty() {
        peers(page, s, &real);
    }
    if started.max(completed) > 0 {
        let (started, completed) = (units::exact(started), units::exact(completed));
        page.line(format!("requests            {started} started, {completed} completed"));
    }
}

fn peers(page: &mut Page, s: &Summary, real: &[&mpiscope_run::PeerRow]) {
    let mut partners: BTreeMap<i32, u64> = s.ranks.iter().map(|r| (r.rank, 0)).collect();
    real.iter().filter(|p| p.peer != p.rank).for_each(|p| *partners.entry(p.rank).or_default() += 1);
    if let Some(n) = mpiscope_run::Spread::from_values(partners.clone()) {
        let mean = partners.values().sum::<u64>() as f64 / partners.len() as f64;
        page.line(format!(
            "partners of a rank  min {} [{}]  mean {mean:.1}  max {} [{}]",
            n.min.value, n.min.rank, n.max.value, n.max.rank
        ));
    }
    let mut sent: BTreeMap<PeerClass, (u64, u64)> = BTreeMap::new();
    for p in real {
        let (messages, bytes) = sent.entry(p.class).or_default();
        (*messages, *bytes) = (messages.saturating_add(p.messages_sent), bytes.saturating_add(p.bytes_sent));
    }
    let all = sent.values().fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes));
    let part = |(messages, bytes): (u64, u64)| {
        let s = if messages == 1 { "" } else { "s" };
        let part = units::percent(share(bytes, all));
        format!("{} in {} message{s} ({part})", units::bytes(bytes), units::count(messages))
    };
    for (class, sums) in sent.into_iter().filter(|(_, (messages, _))| *messages > 0) {
        page.line(format!("{:<19} {}", sent_label(class), part(sums)));
    }
    if let Some(top) = real
        .iter()
        .filter(|p| p.messages_sent > 0)
        .max_by_key(|p| (p.bytes_sent, p.messages_sent, std::cmp::Reverse((p.rank, p.peer))))
    {
        let arrow = if page.style.unicode { '→' } else { '>' };
        page.line(format!(
            "heaviest pair       {} {arrow} {}: {}",
            top.rank,
            top.peer,
            part((top.messages_sent, top.bytes_sent))
        ));
    }
}

fn sent_label(class: PeerClass) -> &'static str {
    match class {
        PeerClass::Itself => "sent to itself",
        PeerClass::SameL2 => "sent in one L2",
        PeerClass::SameL3 => "sent in one L3",
        PeerClass::SameNuma => "sent in one NUMA",
        PeerClass::SamePackage => "sent in one package",
        PeerClass::SameNode => "sent on one node",
        PeerClass::SameNodeNotBound => "one node, not bound",
        PeerClass::OtherNode => "sent between nodes",
        PeerClass::Unknown => "sent, hosts unknown",
    }
}

/// The hottest call sites.
pub fn sites(page: &mut Page, s: &Summary, extent: Extent) {
    if s.sites.iter().all(|r| place(r) == "(unknown)") {
        return;
    }
    page.heading("CALL SITES", "by time; shares of rank time");
    let columns = vec![words("", "call"), head("count"), head("time"), spare("", "share"), words("", "called from")];
    let row = |r: &mpiscope_run::SiteRow| {
        vec![
            Field::Text(r.call.clone()),
            Field::Count(r.sum.calls),
            Field::Time(r.sum.time_ns),
            s.overview.share(&r.call, r.sum.time_ns).map_or(Field::Empty, Field::Share),
            Field::Text(place(r)),
        ]
    };
    let grid = Grid { columns, rows: s.sites.iter().take(extent.sites).map(row).collect() };
    page.lines(grid.text(page.style));
    rest(page, extent.sites, s.sites.len(), "sites");
}

/// The busiest communicators.
pub fn comms(page: &mut Page, s: &Summary, extent: Extent) {
    if s.comms.is_empty() {
        return;
    }
    page.heading("COMMUNICATORS", "calls that name one; shares of rank time");
    let columns = vec![
        words("", "communicator"),
        head("size"),
        words("", "members"),
        head("count"),
        head("time"),
        head("share"),
        head("bytes"),
    ];
    let row = |c: &mpiscope_run::CommRow| {
        vec![
            Field::Text(c.facts.label.clone()),
            Field::Number(c.facts.size.into()),
            Field::Text(c.facts.members.clone()),
            Field::Count(c.sum.calls),
            Field::Time(c.sum.time_ns),
            s.overview.share("", c.sum.time_ns).map_or(Field::Empty, Field::Share),
            if c.sum.bytes == 0 { Field::Empty } else { Field::Bytes(c.sum.bytes) },
        ]
    };
    let grid = Grid { columns, rows: s.comms.iter().take(extent.comms).map(row).collect() };
    page.lines(grid.text(page.style));
    rest(page, extent.comms, s.comms.len(), "communicators");
}
