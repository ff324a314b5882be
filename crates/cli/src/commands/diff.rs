//! `mpiscope diff`: compares two runs, or two sets of repeated runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use mpiscope_abi::settings::is_setting;
use mpiscope_analysis::{Change, Judgement, UnreadableRow, compare, unreadable_text};
use mpiscope_run::{Predicted, Resolver, Run, Summary};
use serde::Serialize;

use super::report::{grid, live, style::Style, units};
use crate::explained::explain;
use crate::failure::Failure;
use crate::say;
use crate::wrap::wrap;
use grid::{Column, Field, Grid, number, words};
use mpiscope_query::{Metrics, metrics};

const AFTER_HELP: &str = "\
One run on each side shows what differs; only repeated runs show how much of that is noise:
  mpiscope diff a1.mpiscope a2.mpiscope a3.mpiscope -- b1.mpiscope b2.mpiscope b3.mpiscope

Exit codes:
  0  compared
  1  compared, with changes that noise does not explain
  2  a run cannot be read, or an invalid option";

/// Compare two runs: time, findings, waits, calls, sizes, call sites
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Runs before the change; with two runs and no `--`, the second is after it
    #[arg(value_name = "BEFORE", required = true)]
    before: Vec<PathBuf>,

    /// Runs after the change
    #[arg(value_name = "AFTER", last = true)]
    after: Vec<PathBuf>,

    /// Print everything as one JSON object (schemas/diff.schema.json)
    #[arg(long, conflicts_with = "all")]
    json: bool,

    /// Print every number that differs, not only the important ones
    #[arg(long)]
    all: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

/// The result, as JSON has it.
#[derive(Serialize)]
struct Diff {
    format: u32,
    before: Vec<PathBuf>,
    after: Vec<PathBuf>,
    /// Runs that can be read only in part.
    losses: Vec<Unread>,
    /// Predicted runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    predicted: Vec<PredictedRun>,
    /// Variables of the environment and of the MPI that differ.
    settings: Vec<Setting>,
    changes: Vec<Change>,
}

/// A predicted run.
#[derive(Serialize)]
struct PredictedRun {
    run: PathBuf,
    predicted: Predicted,
}

/// A variable with different values on the two sides; several values of a side in order.
#[derive(Debug, PartialEq, Serialize)]
struct Setting {
    name: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// The unreadable part of a run: numbers of waits and findings come from the rest.
#[derive(Serialize)]
struct Unread {
    run: PathBuf,
    unreadable: Vec<UnreadableRow>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let (before, after) = sides(&args)?;
    let (mut losses, mut predicted) = (Vec::new(), Vec::new());
    let mut read = |paths: &[PathBuf]| {
        let of_run = |path: &PathBuf| of_run(path, &mut losses, &mut predicted);
        let runs = paths.iter().map(of_run).collect::<anyhow::Result<Vec<_>>>()?;
        Ok::<(Vec<Metrics>, Vec<Settings>), anyhow::Error>(runs.into_iter().unzip())
    };
    let ((a, settings_a), (b, settings_b)) = (read(&before)?, read(&after)?);
    let names: BTreeSet<&String> = a.iter().chain(&b).flat_map(Metrics::keys).collect();
    let of = |side: &[Metrics], name: &str| side.iter().map(|m| m.get(name).copied()).collect::<Vec<_>>();
    let mut changes: Vec<Change> = names.into_iter().map(|name| compare(name, &of(&a, name), &of(&b, name))).collect();
    changes.retain(|c| c.judgement != Judgement::Same);
    let changed = changes.iter().any(|c| c.judgement == Judgement::Changed);
    let settings = different(&settings_a, &settings_b);
    let diff = Diff { format: 1, before, after, losses, predicted, settings, changes };
    let text = if args.json {
        serde_json::to_string_pretty(&diff).context("cannot write JSON")? + "\n"
    } else {
        let style = Style::new(args.width.into(), |key| std::env::var(key).ok());
        text(&diff, args.all, style)
    };
    say::result(&text).context("cannot write the comparison")?;
    Ok(changed.into())
}

fn sides(args: &Args) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    match (&args.before[..], &args.after[..]) {
        ([a, b], []) => Ok((vec![a.clone()], vec![b.clone()])),
        (_, []) => anyhow::bail!("give two runs, or the runs before and after: mpiscope diff A1 A2 -- B1 B2"),
        (before, after) => Ok((before.to_vec(), after.to_vec())),
    }
}

type Variables = BTreeMap<String, BTreeSet<String>>;
/// Variables of a run with their values; `None` for one without the environment, which older versions did not record.
type Settings = Option<Variables>;

fn settings(summary: &Summary) -> Settings {
    if !summary.has_settings {
        return None;
    }
    let (mut asked, mut found) = (Variables::new(), Variables::new());
    for row in &summary.protocol {
        if let Some(name) = row.key.strip_prefix("cvar.") {
            asked.entry(name.to_owned()).or_default().insert(row.value.clone());
        }
    }
    for row in &summary.settings {
        found.entry(row.key.clone()).or_default().insert(row.value.clone());
    }
    // The MPI's own answer contains the environment.
    found.extend(asked);
    Some(found)
}

/// Variables that differ between two sides, of all runs that have them.
fn different(before: &[Settings], after: &[Settings]) -> Vec<Setting> {
    let (before, after): (Vec<_>, Vec<_>) = (before.iter().flatten().collect(), after.iter().flatten().collect());
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let names: BTreeSet<&String> = before.iter().chain(&after).flat_map(|run| run.keys()).collect();
    let values = |side: &[&Variables], name: &String| -> Vec<String> {
        let found: BTreeSet<&String> = side.iter().filter_map(|run| run.get(name)).flatten().collect();
        found.into_iter().cloned().collect()
    };
    let rows = names.into_iter().map(|name| Setting {
        name: name.clone(),
        before: values(&before, name),
        after: values(&after, name),
    });
    // Variables of the tool interface are not recorded in each run.
    let is_known = |row: &Setting| is_setting(&row.name) || !row.before.is_empty() && !row.after.is_empty();
    rows.filter(|row| row.before != row.after && is_known(row)).collect()
}

fn of_run(
    path: &Path,
    losses: &mut Vec<Unread>,
    predicted: &mut Vec<PredictedRun>,
) -> anyhow::Result<(Metrics, Settings)> {
    let mut run = Run::open(path, &live(path))?;
    predicted.extend(run.manifest.predicted.clone().map(|predicted| PredictedRun { run: path.to_owned(), predicted }));
    let resolver = Resolver::default();
    let summary = run.summary(|_| true, &resolver);
    run.forget_sums();
    let (explanation, _) = explain(&run, &resolver, None)?;
    if !explanation.scope.unreadable.is_empty() {
        losses.push(Unread { run: path.to_owned(), unreadable: explanation.scope.unreadable.clone() });
    }
    Ok((metrics(&summary, &explanation), settings(&summary)))
}

/// Sections of the text: the prefix of the names, and the title.
const SECTIONS: [(&str, &str); 6] = [
    ("", "THE RUN"),
    ("finding.", "FINDINGS"),
    ("wait.", "WAITS"),
    ("call.", "CALLS"),
    ("size.", "CALLS BY SIZE"),
    ("site.", "CALL SITES"),
];

/// Rows of a section without `--all`.
const SHORT: usize = 8;

fn text(diff: &Diff, all: bool, style: Style) -> String {
    let mut lines = Vec::new();
    let single = diff.before.len() < 2 || diff.after.len() < 2;
    let names = |paths: &[PathBuf]| paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(" ");
    lines.push(format!("before  {}", names(&diff.before)));
    lines.push(format!("after   {}", names(&diff.after)));
    for PredictedRun { run, predicted } in &diff.predicted {
        lines.extend(wrap(&format!("{}: {}", run.display(), predicted.text()), style.width));
    }
    if single && diff.predicted.is_empty() {
        lines.push("One run on a side: only repeated runs show how much of this is noise (--help).".into());
    }
    for loss in &diff.losses {
        let text = unreadable_text(&loss.unreadable).unwrap_or_default();
        let text = format!("{}: {text}; waits, findings and shares come from the rest.", loss.run.display());
        lines.extend(wrap(&text, style.width));
    }
    if !diff.settings.is_empty() {
        lines.extend([String::new(), "SETTINGS".to_owned()]);
        let value = |values: &[String]| match values {
            [] => Field::Text("not set".to_owned()),
            values => Field::Text(values.join(" or ")),
        };
        let row = |of: &Setting| vec![Field::Text(of.name.clone()), value(&of.before), value(&of.after)];
        let columns = vec![words("", "variable"), words("", "before"), words("", "after")];
        lines.extend(Grid { columns, rows: diff.settings.iter().map(row).collect() }.text(style));
    }
    let rank_time = diff.changes.iter().find(|c| c.name == "rank_time_ns").and_then(|c| c.before.or(c.after));
    for (prefix, title) in SECTIONS {
        let of_section = |c: &&Change| match prefix {
            "" => !SECTIONS.iter().any(|(p, _)| !p.is_empty() && c.name.starts_with(p)),
            _ => c.name.starts_with(prefix),
        };
        let mut rows: Vec<&Change> = diff.changes.iter().filter(of_section).collect();
        if !all {
            rows.retain(|c| matters(c, prefix, rank_time));
        }
        if rows.is_empty() {
            continue;
        }
        if !prefix.is_empty() {
            rows.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
        }
        let shown = if all { rows.len() } else { rows.len().min(SHORT) };
        lines.push(String::new());
        lines.push(title.to_owned());
        let columns = vec![
            words("", "what"),
            column("before"),
            column("after"),
            column("change"),
            column(if single { "" } else { "95 % interval" }),
            words("", " "),
        ];
        let grid = Grid { columns, rows: rows[..shown].iter().map(|c| row(c, prefix, style)).collect() };
        lines.extend(grid.text(style));
        if rows.len() > shown {
            lines.push(format!("... and {} more: --all", rows.len() - shown));
        }
    }
    if !lines.iter().any(String::is_empty) {
        lines.push(String::new());
        let none = if diff.changes.is_empty() { "nothing differs" } else { "nothing important differs; see --all" };
        lines.push(none.into());
    }
    let fit = |line: &String| style.shorten(style.clean(line).trim_end(), style.width);
    lines.iter().map(fit).collect::<Vec<_>>().join("\n") + "\n"
}

fn column(head: &'static str) -> Column {
    number("", head)
}

/// Whether a change gets a line: not if noise explains it, nor if it is negligible for the run.
fn matters(change: &Change, prefix: &str, rank_time: Option<f64>) -> bool {
    let size = change.difference.abs();
    match unit(&change.name) {
        _ if change.judgement == Judgement::Noise => false,
        "ns" => prefix.is_empty() || rank_time.is_none_or(|all| size >= 0.005 * all),
        "share" => size >= 0.005,
        _ => prefix.is_empty(),
    }
}

fn unit(name: &str) -> &str {
    name.rsplit(['_', '.']).next().unwrap_or("")
}

fn row(change: &Change, prefix: &str, style: Style) -> Vec<Field> {
    let name = change.name.strip_prefix(prefix).unwrap_or(&change.name);
    let name = name.strip_suffix(".time_ns").or(name.strip_suffix("_ns")).unwrap_or(name);
    let value = |v: f64| text_of(&change.name, v, style);
    let known = |v: Option<f64>| Field::Text(v.map_or_else(|| "-".into(), value));
    let signed = |v: f64| format!("{}{}", if v < 0.0 { "-" } else { "+" }, value(v.abs()));
    let relative = match change.relative {
        Some(r) if r < 9.0 => format!(" ({}{})", if r < 0.0 { "-" } else { "+" }, units::percent(r.abs())),
        Some(r) => format!(" (x{:.0})", r + 1.0),
        None => String::new(),
    };
    let interval = change.interval.map(|(a, b)| format!("{} to {}", signed(a), signed(b))).unwrap_or_default();
    vec![
        Field::Text(name.to_owned()),
        known(change.before),
        known(change.after),
        Field::Text(format!("{}{relative}", signed(change.difference))),
        Field::Text(interval),
        Field::Text(if change.judgement == Judgement::Noise { "noise".into() } else { String::new() }),
    ]
}

/// A number in the unit that its name implies.
fn text_of(name: &str, value: f64, style: Style) -> String {
    let whole = value.abs() as u64;
    match unit(name) {
        "ns" => units::time(whole, style),
        "bytes" => units::bytes(whole),
        "share" | "efficiency" | "balance" => units::percent(value),
        _ => units::count(whole),
    }
}
