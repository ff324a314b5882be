//! `mpiscope bench report`: a machine profile as text, CSV or JSON.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use mpiscope_bench::{AxisOf, EXPERIMENTS, Experiment, JOURNAL, MESSAGE_SIZE, Numbers, Rows, Table, make_profile};
use mpiscope_machine::{Curve, CurvePoint, FILE, Parameter, Profile, Scope, read};

use super::{balance, distance_text, staircase};
use crate::commands::report::grid::{Column, Field, Grid, number, words};
use crate::commands::report::style::Style;
use crate::commands::report::units;
use crate::failure::Failure;
use crate::say;
use crate::wrap::wrap;

/// Print a machine profile
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 printed, 1 printed but the profile is incomplete, 2 no profile")]
pub struct Args {
    /// The profile: a directory such as HOST.machine
    #[arg(value_name = "MACHINE")]
    machine: PathBuf,

    /// Print everything as one JSON object (schemas/machine.schema.json)
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print the times by size as CSV
    #[arg(long)]
    csv: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

pub fn main(args: &Args) -> Result<i32, Failure> {
    // A job without a launching mpiscope that ended early has left only its journal.
    let profile = if !args.machine.join(FILE).exists() && args.machine.join(JOURNAL).exists() {
        make_profile(&args.machine, None).map_err(anyhow::Error::from)?
    } else {
        read(&args.machine).map_err(anyhow::Error::from)?
    };
    let text = if args.json {
        serde_json::to_string_pretty(&profile).map_err(anyhow::Error::from)? + "\n"
    } else if args.csv {
        csv(&profile)
    } else {
        page(&profile, Style::new(args.width.into(), |name| std::env::var(name).ok()))
    };
    say::result(&text).context("standard output")?;
    Ok(i32::from(!profile.complete))
}

fn page(profile: &Profile, style: Style) -> String {
    let mut lines = vec![profile.mpi.version.clone()];
    lines.push(format!(
        "{}, {}",
        units::counted(profile.mpi.ranks.max(0) as u64, "rank(s)"),
        units::utc(profile.started_s * 1_000_000_000)
    ));
    for host in &profile.hosts {
        let processor = host.processor.as_deref().unwrap_or("unknown processor");
        let (cores, ranks) =
            (units::counted(host.cores as u64, "core(s)"), units::counted(host.ranks as u64, "rank(s)"));
        lines.push(format!("{}: {processor}, {cores}, {ranks}", host.host));
    }
    lines.extend(profile.settings.topology.as_ref().map(|network| format!("network: {network}")));
    if profile.settings.with_threads {
        lines.push("MPI_THREAD_MULTIPLE".to_owned());
    }
    for (name, value) in &profile.settings.variables {
        lines.push(format!("{name}={value}"));
    }
    if !profile.problems.is_empty() {
        lines.extend([String::new(), "CONSIDER".to_owned()]);
        for problem in &profile.problems {
            lines.extend(item(problem, style));
        }
    }
    let advice: Vec<String> = profile.parameters.iter().filter_map(advice).collect();
    if !advice.is_empty() {
        lines.extend([String::new(), "USE INSTEAD".to_owned()]);
        lines.extend(advice.iter().flat_map(|text| item(text, style)));
    }
    for scope in scopes(profile) {
        lines.extend([String::new(), title(profile, scope)]);
        let parameters = parameters(profile, scope);
        if !parameters.rows.is_empty() {
            lines.extend(parameters.text(style));
        }
        if let Some(text) = balance::sentence(profile, scope) {
            lines.extend([String::new()].into_iter().chain(wrap(&text, style.width)));
        }
        for experiment in EXPERIMENTS {
            let is_shown = |curve: &&Curve| {
                let any = curve.points.iter().any(|point| (experiment.table.shown)(&curve.series, point.x));
                curve.scope == scope && curve.experiment == experiment.id && any
            };
            let curves: Vec<&Curve> = profile.curves.iter().filter(is_shown).collect();
            if !curves.is_empty() {
                lines.extend([String::new(), caption(experiment, &curves)]);
                lines.extend(table(experiment, &curves).text(style));
            }
            let of_experiment = profile.staircases.iter().filter(|found| found.experiment == experiment.id);
            for (at, found) in of_experiment.filter(|_| scope == Scope::All).enumerate() {
                if at == 0 {
                    let text = format!("{}: {}", experiment.id, staircase::CAPTION);
                    lines.extend([String::new()].into_iter().chain(wrap(&text, style.width)));
                }
                lines.extend([String::new()].into_iter().chain(staircase::picture(found, style)));
            }
        }
    }
    if profile.parameters.iter().any(|parameter| parameter.disturbed) {
        lines.extend([String::new(), "* the machine was not quiet".to_owned()]);
    }
    if profile.curves.iter().any(|curve| curve.points.iter().any(|point| !mark(point).is_empty())) {
        lines.push("~ interval wider than wanted, ' drift, \" second mode".into());
    }
    lines.iter().map(|line| style.clean(line).trim_end().to_owned()).collect::<Vec<_>>().join("\n") + "\n"
}

/// An item of a list.
fn item(text: &str, style: Style) -> Vec<String> {
    let lines = wrap(text, style.width - 2);
    let line = |(at, line): (usize, &String)| format!("{}{line}", if at == 0 { "- " } else { "  " });
    lines.iter().enumerate().map(line).collect()
}

/// What to use instead, with its uncertainty.
fn advice(parameter: &Parameter) -> Option<String> {
    let (text, low, high) = (parameter.advice.as_ref()?, parameter.low?, parameter.high?);
    Some(format!("{text} ({low:.1} to {high:.1}){}", if parameter.disturbed { " *" } else { "" }))
}

/// Those that have numbers: pairs, then all ranks, then single ranks.
fn scopes(profile: &Profile) -> BTreeSet<Scope> {
    let of_curves = profile.curves.iter().map(|curve| curve.scope);
    profile.parameters.iter().map(|parameter| parameter.scope).chain(of_curves).collect()
}

fn title(profile: &Profile, scope: Scope) -> String {
    let class = profile.class_of(scope);
    match scope.pair().and_then(|pair| profile.pairs.get(pair)) {
        Some(pair) => format!("RANKS {} AND {}: {}", pair.ranks[0], pair.ranks[1], distance_text(&class, pair.hops)),
        None => class.to_uppercase(),
    }
}

/// What the numbers of a table are.
fn caption(experiment: &Experiment, curves: &[&Curve]) -> String {
    let numbers = match experiment.table.numbers {
        Numbers::Times => "times".to_owned(),
        Numbers::Rates | Numbers::Operations(_) => "rates".to_owned(),
        Numbers::RatesFrom(first) => format!("times, from {} on rates", units::bytes(first)),
    };
    let skew = curves.iter().map(|curve| curve.skew_ns).max().unwrap_or(0);
    let skew = match skew {
        0 => String::new(),
        ns => {
            format!(" after the begin of the last rank; begins are spread over {}", mpiscope_units::time_of(ns as f64))
        }
    };
    format!("{}: {numbers}{skew}", experiment.id)
}

fn column(head: &'static str) -> Column {
    number("", head)
}

fn parameters(profile: &Profile, scope: Scope) -> Grid {
    let columns = vec![
        words("", "parameter"),
        words("", "sizes"),
        column("value"),
        column("95 % interval"),
        words("", " "),
        Column { spare: true, ..words("", "what") },
    ];
    let of_scope = profile.parameters.iter().filter(|parameter| parameter.scope == scope);
    let row = |parameter: &Parameter| {
        let sizes = parameter.from_bytes.zip(parameter.to_bytes);
        let sizes = sizes.map(|(from, to)| match from == to {
            true => units::bytes(from),
            false => format!("{} to {}", units::bytes(from), units::bytes(to)),
        });
        let interval = parameter
            .low
            .zip(parameter.high)
            .map(|(low, high)| format!("{} to {}", value(low, &parameter.unit), value(high, &parameter.unit)));
        vec![
            Field::Text(parameter.id.clone()),
            Field::Text(sizes.unwrap_or_default()),
            Field::Text(value(parameter.value, &parameter.unit)),
            Field::Text(interval.unwrap_or_default()),
            Field::Text(if parameter.disturbed { "*" } else { "" }.into()),
            Field::Text(parameter.text.clone()),
        ]
    };
    Grid { columns, rows: of_scope.map(row).collect() }
}

/// A number with its unit.
pub fn value(value: f64, unit: &str) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    match unit {
        "ns" => format!("{sign}{}", mpiscope_units::time_of(size)),
        // Three digits; a byte takes between 1 ps and some ns.
        "ns/B" => match size * 1e3 {
            ps @ ..10.0 => format!("{sign}{ps:.2} ps/B"),
            ps @ ..100.0 => format!("{sign}{ps:.1} ps/B"),
            ps @ ..1000.0 => format!("{sign}{ps:.0} ps/B"),
            ps => format!("{sign}{:.2} ns/B", ps / 1e3),
        },
        "B/s" => format!("{sign}{}", units::rate(size)),
        "flop/s" => format!("{sign}{}", mpiscope_units::flops(size)),
        "B" => format!("{sign}{}", units::bytes(size as u64)),
        "1/s" => format!("{sign}{size:.1} 1/s"),
        "messages" => format!("{sign}{}", units::counted(size as u64, "message(s)")),
        "1" => format!("{sign}{}", units::percent(size)),
        "x" => format!("{sign}{size:.2} x"),
        other => format!("{sign}{size} {other}"),
    }
}

/// A place on an axis with its unit.
pub fn place(x: u64, unit: &str) -> String {
    if unit == "B" { units::bytes(x) } else { units::count(x) }
}

/// What a reader of a point has to consider.
fn mark(point: &CurvePoint) -> String {
    let signs = [(!point.reached, '~'), (point.drift_share.is_some(), '\''), (point.second_mode_ns.is_some(), '"')];
    signs.into_iter().filter(|(applies, _)| *applies).map(|(_, sign)| sign).collect()
}

/// Times and rates of an experiment's curves, which have at least one place to show.
fn table(experiment: &Experiment, curves: &[&Curve]) -> Grid {
    let table = &experiment.table;
    let axis = curves.first().map_or(MESSAGE_SIZE, |curve| (experiment.axis)(&curve.series));
    match table.rows {
        Rows::Places(head) => by_place(table, axis, head, curves),
        Rows::Series(parts) => by_series(table, axis, parts, curves),
    }
}

/// A time, or the rate that it means.
fn cell(table: &Table, curve: &Curve, x: u64, ns: f64) -> String {
    match table.numbers {
        Numbers::Operations(flop) => mpiscope_units::flops(flop as f64 / ns * 1e9),
        numbers if numbers.is_rate(x) && curve.moved > 0.0 => units::rate(x as f64 * curve.moved / ns * 1e9),
        _ => mpiscope_units::time_of(ns),
    }
}

/// A row for each place, and a column for each curve.
fn by_place(table: &Table, axis: AxisOf, head: fn(&str) -> &'static str, curves: &[&Curve]) -> Grid {
    let mut columns = vec![column(axis.name)];
    for curve in curves {
        columns.push(column(head(&curve.series)));
        columns.push(words("", " "));
    }
    let places: BTreeSet<u64> = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(move |point| (curve, point.x)))
        .filter(|(curve, x)| (table.shown)(&curve.series, *x))
        .map(|(_, x)| x)
        .collect();
    let row = |x: u64| {
        let mut row = vec![Field::Text(place(x, axis.unit))];
        for curve in curves {
            let point = curve.points.iter().find(|point| point.x == x);
            row.push(Field::Text(point.map_or_else(String::new, |point| cell(table, curve, x, point.median_ns))));
            row.push(Field::Text(point.map(mark).unwrap_or_default()));
        }
        row
    };
    Grid { columns, rows: places.into_iter().map(row).collect() }
}

/// A row for each curve and place: the parts of the series' name, the place, and the number; of all ranks, those of the slowest, the median and the
/// fastest rank.
fn by_series(table: &Table, axis: AxisOf, parts: &'static [&'static str], curves: &[&Curve]) -> Grid {
    let mut columns: Vec<Column> = parts.iter().map(|part| words("", part)).collect();
    // Of all ranks, the number is that of the slowest.
    let of_all = curves.iter().any(|curve| curve.scope == Scope::All);
    let number = if of_all { "slowest rank" } else { "median" };
    columns.extend([column(axis.name), column(number)]);
    if of_all {
        columns.extend([column("median"), column("fastest")]);
    }
    columns.push(words("", " "));
    let row = |curve: &Curve, point: &CurvePoint| {
        let mut names = curve.series.split('/');
        let mut row: Vec<Field> =
            parts.iter().map(|_| Field::Text(names.next().unwrap_or_default().to_owned())).collect();
        let of_ranks = |ns: Option<f64>| Field::Text(ns.map_or_else(String::new, |ns| cell(table, curve, point.x, ns)));
        row.push(Field::Text(place(point.x, axis.unit)));
        row.push(of_ranks(Some(point.median_ns)));
        if of_all {
            row.extend([of_ranks(point.rank_median_ns), of_ranks(point.rank_min_ns)]);
        }
        row.push(Field::Text(mark(point)));
        row
    };
    let mut shown: Vec<(&Curve, &CurvePoint)> = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(move |point| (*curve, point)))
        .filter(|(curve, point)| (table.shown)(&curve.series, point.x))
        .collect();
    // What is compared at one size stays together; 4 neighbours come before 26.
    let key = |series: &str| -> Vec<(u64, String)> {
        series.split('/').map(|part| (part.parse().unwrap_or(0), part.to_owned())).collect()
    };
    shown.sort_by_cached_key(|(curve, point)| (point.x, key(&curve.series)));
    Grid { columns, rows: shown.into_iter().map(|(curve, point)| row(curve, point)).collect() }
}

fn csv(profile: &Profile) -> String {
    let columns = vec![
        words("experiment", ""),
        words("series", ""),
        words("class", ""),
        number("rank_a", ""),
        number("rank_b", ""),
        number("x", ""),
        words("unit", ""),
        number("median_ns", ""),
        number("low_ns", ""),
        number("high_ns", ""),
        number("min_ns", ""),
        number("p05_ns", ""),
        number("p95_ns", ""),
        number("max_ns", ""),
        number("rank_min_ns", ""),
        number("rank_median_ns", ""),
        number("bytes_per_s", ""),
        number("samples", ""),
        number("warm_up", ""),
        number("operations", ""),
        words("reached", ""),
        number("skew_ns", ""),
        number("hops", ""),
    ];
    let ns = |value: f64| Field::Text(format!("{value:.3}"));
    let row = |curve: &Curve, point: &CurvePoint| {
        let ranks: Vec<i32> = match curve.scope {
            Scope::Pair(pair) => profile.pairs.get(pair).map(|pair| pair.ranks.to_vec()).unwrap_or_default(),
            Scope::Rank(rank) => vec![rank],
            Scope::All => Vec::new(),
        };
        let rank = |at: usize| ranks.get(at).map_or(Field::Empty, |&rank| Field::Number(rank.into()));
        let known = |value: Option<f64>| value.map_or(Field::Empty, ns);
        let rate = point.x as f64 * curve.moved / point.median_ns.max(1e-3) * 1e9;
        vec![
            Field::Text(curve.experiment.clone()),
            Field::Text(curve.series.clone()),
            Field::Text(profile.class_of(curve.scope)),
            rank(0),
            rank(1),
            Field::Count(point.x),
            Field::Text(curve.axis.unit.clone()),
            ns(point.median_ns),
            known(point.low_ns),
            known(point.high_ns),
            ns(point.min_ns),
            ns(point.p05_ns),
            ns(point.p95_ns),
            ns(point.max_ns),
            known(point.rank_min_ns),
            known(point.rank_median_ns),
            if curve.moved > 0.0 { Field::Text(format!("{rate:.0}")) } else { Field::Empty },
            Field::Count(point.samples),
            Field::Count(point.warm_up),
            Field::Count(point.operations),
            Field::Text(point.reached.to_string()),
            Field::Count(curve.skew_ns),
            profile.hops_of(curve.scope).map_or(Field::Empty, |hops| Field::Count(hops.into())),
        ]
    };
    let rows = profile.curves.iter().flat_map(|curve| curve.points.iter().map(move |point| row(curve, point)));
    Grid { columns, rows: rows.collect() }.csv()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::{Axis, Pair};

    fn profile() -> Profile {
        let point =
            |x: u64, median_ns: f64| CurvePoint { x, median_ns, samples: 12, reached: x > 0, ..CurvePoint::default() };
        Profile {
            mpi: mpiscope_machine::MpiFacts { version: "Open MPI v4.1.4".into(), ranks: 2, ..Default::default() },
            problems: vec!["other processes on n used 1.3 cores while the ranks measured".into()],
            pairs: vec![Pair { class: "same-l3".into(), hops: None, ranks: [0, 1] }],
            parameters: vec![Parameter {
                experiment: "pingpong".into(),
                id: "latency".into(),
                scope: Scope::Pair(0),
                unit: "ns".into(),
                value: 412.0,
                low: Some(405.0),
                high: Some(420.0),
                disturbed: true,
                text: "half a round trip".into(),
                advice: None,
                ..Parameter::default()
            }],
            curves: vec![Curve {
                experiment: "pingpong".into(),
                series: "ping-pong".into(),
                scope: Scope::Pair(0),
                axis: Axis { name: "message size".into(), unit: "B".into() },
                moved: 1.0,
                skew_ns: 0,
                points: vec![point(0, 412.0), point(6, 413.0), point(8192, 2000.0)],
            }],
            ..Profile::default()
        }
    }

    #[test]
    fn a_page() {
        let text = page(&profile(), Style { unicode: true, width: 100 });
        for line in [
            "- other processes on n used 1.3 cores while the ranks measured",
            "RANKS 0 AND 1: same L3",
            "412 ns 405 ns to 420 ns",
            "* the machine was not quiet",
            "0 B     412 ns ~",
            "8.00 KiB 3.81 GiB/s",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("6 B"), "{text}");
    }

    #[test]
    fn pairs_of_hosts_have_their_hops() {
        let mut profile = profile();
        profile.pairs[0] = Pair { class: "other-node".into(), hops: Some(2), ranks: [0, 3] };
        profile.settings.topology = Some("torus 4".into());
        let text = page(&profile, Style { unicode: true, width: 100 });
        assert!(
            text.contains("RANKS 0 AND 3: different hosts, 2 hops\n") && text.contains("network: torus 4\n"),
            "{text}"
        );
        let of = |profile: &Profile, column: &str| {
            let csv = csv(profile);
            let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
            let head = lines.next().unwrap();
            lines.next().unwrap()[head.iter().position(|name| name == column).unwrap()].clone()
        };
        assert_eq!([of(&profile, "class"), of(&profile, "hops")], ["other-node", "2"]);
        profile.pairs[0].hops = None;
        assert_eq!(of(&profile, "hops"), "");
    }

    #[test]
    fn experiments_of_all_ranks_have_a_section_of_their_own() {
        let curve = |series: &str| Curve {
            experiment: "halo".into(),
            series: series.into(),
            scope: Scope::All,
            axis: Axis { name: "message size".into(), unit: "B".into() },
            moved: 4.0,
            skew_ns: 100_000,
            points: vec![CurvePoint {
                x: 1 << 20,
                median_ns: 4e6,
                rank_median_ns: Some(2e6),
                rank_min_ns: Some(1e6),
                reached: true,
                ..CurvePoint::default()
            }],
        };
        let mut profile = profile();
        profile.curves.extend([curve("26/phased/world/open"), curve("4/phased/world/open")]);
        let text = page(&profile, Style { unicode: true, width: 120 });
        let lines: Vec<&str> = text.lines().collect();
        let title = lines.iter().position(|line| *line == "ALL RANKS").unwrap();
        assert!(lines.iter().position(|line| line.starts_with("RANKS 0")).unwrap() < title, "{text}");
        assert_eq!(lines[title + 2], "halo: rates after the begin of the last rank; begins are spread over 100 µs");
        let words = |at: usize| lines[title + at].split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(4).starts_with("4 phased world open 1.00 MiB "), "{text}");
        // 4 MiB in 4, 2 and 1 ms.
        assert!(words(4).ends_with("1.95 GiB/s 3.91 GiB/s"), "{text}");
        assert!(words(5).starts_with("26 phased world"), "{text}");
        let rows = csv(&profile);
        assert!(
            rows.lines().last().unwrap().starts_with("halo,4/phased/world/open,all ranks,,,1048576,B,4000000.000,"),
            "{rows}"
        );
    }

    #[test]
    fn every_size_is_in_csv() {
        let text = csv(&profile());
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().nth(2).unwrap().starts_with("pingpong,ping-pong,same-l3,0,1,6,B,413.000,,,"), "{text}");
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(value(0.09, "ns/B"), "90.0 ps/B");
        assert_eq!(value(1.5, "ns/B"), "1.50 ns/B");
        assert_eq!(value(-12.0, "ns"), "-12 ns");
        assert_eq!(value(4056.0, "B"), "3.96 KiB");
        assert_eq!(value(0.031, "1"), "3.1 %");
    }
}
