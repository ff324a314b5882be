//! Where ranks run: the cores and packages, and the structure of the hosts.

use std::collections::BTreeMap;

use mpiscope_run::{HostRow, RankRow, Summary};

use super::grid::{Field, Grid, number, words};
use super::page::Page;
use super::tables::numbers;
use super::units;

/// Both tables; nothing if no host was examined.
pub fn section(page: &mut Page, s: &Summary) {
    if s.hosts.is_empty() {
        return;
    }
    hosts(page, &s.hosts);
    ranks(page, s);
}

fn hosts(page: &mut Page, hosts: &[HostRow]) {
    let is_measured = hosts.iter().any(|h| h.copy_bytes_per_s.is_some());
    page.heading("HOSTS", "NUMA nodes with processors; third-level caches");
    let row = |h: &HostRow| {
        let counts = [h.packages, h.numa, h.l3, h.cores].map(|n| if n == 0 { Field::Empty } else { Field::Count(n) });
        let [packages, numa, l3, cores] = counts;
        let not_bound = Field::Count(h.ranks_not_bound);
        let copies = h.copy_bytes_per_s.map_or(Field::Empty, |b| Field::Text(units::rate(b as f64)));
        vec![Field::Text(h.host.clone()), packages, numa, l3, cores, Field::Count(h.ranks), not_bound, copies]
    };
    let columns = vec![
        words("", "host"),
        number("", "packages"),
        number("", "NUMA"),
        number("", "L3"),
        number("", "cores"),
        number("", "ranks"),
        number("", "not bound"),
        number("", if is_measured { "core copies" } else { "" }),
    ];
    page.lines(Grid { rows: hosts.iter().map(row).collect(), columns }.text(page.style));
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for host in hosts {
        if let Some(why) = &host.copy_missing {
            missing.entry(why).or_default().push(&host.host);
        }
    }
    for (why, hosts) in missing {
        let who = match hosts.len() {
            0..=4 => hosts.join(", "),
            n => format!("{n} hosts"),
        };
        page.paragraph("note", 5, &format!("copy bandwidth of a core of {who} is unknown: {why}"));
    }
}

fn ranks(page: &mut Page, s: &Summary) {
    page.heading("PLACEMENT OF RANKS", "location of the cores that each rank may use");
    let row = |r: &RankRow| {
        let bound = match r.place.bound {
            Some(true) => "yes",
            Some(false) => "not bound",
            None => "unknown",
        };
        vec![
            Field::Number(r.rank.into()),
            Field::Text(r.host.clone()),
            Field::Text(r.cpus.clone().unwrap_or_default()),
            r.place.cores.map_or(Field::Empty, Field::Count),
            Field::Text(numbers(&r.place.packages)),
            Field::Text(numbers(&r.place.numa)),
            Field::Text(numbers(&r.place.l3)),
            Field::Text(bound.into()),
        ]
    };
    let columns = vec![
        number("", "rank"),
        words("", "host"),
        words("", "processors"),
        number("", "cores"),
        words("", "package"),
        words("", "NUMA"),
        words("", "L3"),
        words("", "bound"),
    ];
    page.lines(Grid { rows: s.ranks.iter().map(row).collect(), columns }.text(page.style));
}
