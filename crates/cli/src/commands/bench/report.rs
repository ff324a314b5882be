//! `mpiscope bench report`: a machine profile as text, CSV or JSON.

use std::path::PathBuf;

use anyhow::Context;
use mpiscope_bench::{EXPERIMENTS, JOURNAL, finish};
use mpiscope_machine::{Curve, CurvePoint, FILE, Pair, Parameter, Profile, read};

use super::class_text;
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
        finish(&args.machine, None).map_err(anyhow::Error::from)?
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
    for (name, value) in &profile.settings.variables {
        lines.push(format!("{name}={value}"));
    }
    if !profile.problems.is_empty() {
        lines.extend([String::new(), "CONSIDER".to_owned()]);
        for problem in &profile.problems {
            lines.extend(
                wrap(problem, style.width - 2)
                    .iter()
                    .enumerate()
                    .map(|(at, line)| format!("{}{line}", if at == 0 { "- " } else { "  " })),
            );
        }
    }
    for (index, pair) in profile.pairs.iter().enumerate() {
        lines.extend([String::new(), title(pair)]);
        lines.extend(parameters(profile, index).text(style));
        for experiment in EXPERIMENTS {
            let of_pair = |curve: &&Curve| curve.pair == Some(index) && curve.experiment == experiment.id;
            let curves: Vec<&Curve> = profile.curves.iter().filter(of_pair).filter(|c| (experiment.shown)(c)).collect();
            if !curves.is_empty() {
                lines.push(String::new());
                lines.extend(table(&curves).text(style));
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

fn title(pair: &Pair) -> String {
    format!("RANKS {} AND {}: {}", pair.ranks[0], pair.ranks[1], class_text(&pair.class))
}

fn column(head: &'static str) -> Column {
    number("", head)
}

fn parameters(profile: &Profile, pair: usize) -> Grid {
    let columns = vec![
        words("", "parameter"),
        words("", "sizes"),
        column("value"),
        column("95 % interval"),
        words("", " "),
        Column { spare: true, ..words("", "what") },
    ];
    let of_pair = profile.parameters.iter().filter(|parameter| parameter.pair == Some(pair));
    let row = |parameter: &Parameter| {
        let sizes = parameter.from_bytes.zip(parameter.to_bytes);
        let sizes = sizes.map(|(from, to)| format!("{} to {}", units::bytes(from), units::bytes(to)));
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
    Grid { columns, rows: of_pair.map(row).collect() }
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
        "B" => format!("{sign}{}", units::bytes(size as u64)),
        "1" => format!("{sign}{}", units::percent(size)),
        other => format!("{sign}{size} {other}"),
    }
}

/// What a reader of a point has to consider.
fn mark(point: &CurvePoint) -> String {
    let signs = [(!point.reached, '~'), (point.drift_share.is_some(), '\''), (point.second_mode_ns.is_some(), '"')];
    signs.into_iter().filter(|(applies, _)| *applies).map(|(_, sign)| sign).collect()
}

/// Times and rates by size, a column for each curve. Sizes with which only the fit is checked are left out.
fn table(curves: &[&Curve]) -> Grid {
    let mut columns = vec![column("size")];
    for curve in curves {
        columns.push(column(head(&curve.series)));
        columns.push(words("", " "));
    }
    let sizes: std::collections::BTreeSet<u64> =
        curves.iter().flat_map(|curve| &curve.points).map(|point| point.bytes).collect();
    let is_shown = |bytes: &u64| *bytes == 0 || bytes.is_power_of_two();
    let row = |bytes: u64| {
        let mut row = vec![Field::Text(units::bytes(bytes))];
        for curve in curves {
            let point = curve.points.iter().find(|point| point.bytes == bytes);
            row.push(Field::Text(point.map_or(String::new(), |point| match bytes {
                // Below, the time matters, above, the rate.
                0..4096 => mpiscope_units::time_of(point.median_ns),
                _ => units::rate(bytes as f64 * curve.moved / point.median_ns * 1e9),
            })));
            row.push(Field::Text(point.map(mark).unwrap_or_default()));
        }
        row
    };
    Grid { columns, rows: sizes.into_iter().filter(is_shown).map(row).collect() }
}

/// Heads of columns.
fn head(series: &str) -> &'static str {
    match series {
        "ping-pong" => "ping-pong",
        "ping-pong-nonblocking" => "non-block.",
        "exchange" => "exchange",
        "exchange-nonblocking" => "non-block.",
        "stream" => "stream",
        _ => "other",
    }
}

fn csv(profile: &Profile) -> String {
    let columns = vec![
        words("experiment", ""),
        words("series", ""),
        words("class", ""),
        number("rank_a", ""),
        number("rank_b", ""),
        number("bytes", ""),
        number("median_ns", ""),
        number("low_ns", ""),
        number("high_ns", ""),
        number("min_ns", ""),
        number("p05_ns", ""),
        number("p95_ns", ""),
        number("max_ns", ""),
        number("bytes_per_s", ""),
        number("samples", ""),
        number("warm_up", ""),
        number("operations", ""),
        words("reached", ""),
    ];
    let ns = |value: f64| Field::Text(format!("{value:.3}"));
    let row = |curve: &Curve, point: &CurvePoint| {
        let pair = curve.pair.and_then(|pair| profile.pairs.get(pair));
        let rank = |at: usize| pair.map_or(Field::Empty, |pair| Field::Number(pair.ranks[at].into()));
        let known = |value: Option<f64>| value.map_or(Field::Empty, ns);
        let rate = point.bytes as f64 * curve.moved / point.median_ns.max(1e-3) * 1e9;
        vec![
            Field::Text(curve.experiment.clone()),
            Field::Text(curve.series.clone()),
            Field::Text(pair.map_or(String::new(), |pair| pair.class.clone())),
            rank(0),
            rank(1),
            Field::Bytes(point.bytes),
            ns(point.median_ns),
            known(point.low_ns),
            known(point.high_ns),
            ns(point.min_ns),
            ns(point.p05_ns),
            ns(point.p95_ns),
            ns(point.max_ns),
            Field::Text(format!("{rate:.0}")),
            Field::Count(point.samples),
            Field::Count(point.warm_up),
            Field::Count(point.operations),
            Field::Text(point.reached.to_string()),
        ]
    };
    let rows = profile.curves.iter().flat_map(|curve| curve.points.iter().map(move |point| row(curve, point)));
    Grid { columns, rows: rows.collect() }.csv()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        let point = |bytes: u64, median_ns: f64| CurvePoint {
            bytes,
            median_ns,
            samples: 12,
            reached: bytes > 0,
            ..CurvePoint::default()
        };
        Profile {
            mpi: mpiscope_machine::MpiFacts { version: "Open MPI v4.1.4".into(), ranks: 2, ..Default::default() },
            problems: vec!["other processes on n used 1.3 cores while the ranks measured".into()],
            pairs: vec![Pair { class: "same-l3".into(), ranks: [0, 1] }],
            parameters: vec![Parameter {
                experiment: "pingpong".into(),
                id: "latency".into(),
                pair: Some(0),
                unit: "ns".into(),
                value: 412.0,
                low: Some(405.0),
                high: Some(420.0),
                disturbed: true,
                text: "half a round trip".into(),
                ..Parameter::default()
            }],
            curves: vec![Curve {
                experiment: "pingpong".into(),
                series: "ping-pong".into(),
                pair: Some(0),
                moved: 1.0,
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
    fn every_size_is_in_csv() {
        let text = csv(&profile());
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().nth(2).unwrap().starts_with("pingpong,ping-pong,same-l3,0,1,6,413.000,,,"), "{text}");
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
