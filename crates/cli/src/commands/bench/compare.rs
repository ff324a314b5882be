//! `mpiscope bench compare`: what is different between two machine profiles.

use std::path::PathBuf;

use anyhow::Context;
use mpiscope_bench::{CurveChange, Differences, ParameterChange, Verdict, compare};

use super::distance_text;
use super::report::{place, value};
use crate::commands::report::grid::{Field, Grid, number, words};
use crate::commands::report::style::Style;
use crate::commands::report::units;
use crate::failure::Failure;
use crate::say;

const AFTER_HELP: &str = "\
A difference is reported if it is unlikely by chance (Mann-Whitney, adjusted for the number of
sizes) and larger than 5 %. Samples of one job share its placement and its moment: repeat both
jobs before you decide.

Exit codes: 0 no difference seen, 1 differences, 2 a profile cannot be read, or nothing in common";

/// Compare two machine profiles: two MPIs, two settings, two hosts
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The first profile
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The second profile
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Print everything as one JSON object (schemas/bench-compare.schema.json)
    #[arg(long)]
    json: bool,

    /// Print every size, not only those that differ
    #[arg(long)]
    all: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

pub fn main(args: &Args) -> Result<i32, Failure> {
    let found = compare(&args.a, &args.b).map_err(anyhow::Error::from)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&found).map_err(anyhow::Error::from)? + "\n",
        false => page(args, &found, Style::new(args.width.into(), |name| std::env::var(name).ok())),
    };
    say::result(&text).context("standard output")?;
    let differs = |verdict: Verdict| verdict != Verdict::NoDifferenceSeen;
    let any = found.parameters.iter().any(|p| differs(p.verdict)) || found.curves.iter().any(|c| differs(c.verdict));
    Ok(any.into())
}

fn page(args: &Args, found: &Differences, style: Style) -> String {
    let mut lines = vec![format!("A  {}", args.a.display()), format!("B  {}", args.b.display())];
    for (name, a, b) in &found.settings {
        lines.push(format!("{name}: {a} | {b}"));
    }
    let parameters: Vec<&ParameterChange> =
        found.parameters.iter().filter(|p| args.all || is_different(p.verdict)).collect();
    if !parameters.is_empty() {
        lines.extend([String::new(), "PARAMETERS".to_owned()]);
        let columns = vec![
            words("", "parameter"),
            words("", "ranks"),
            words("", "sizes"),
            number("", "A"),
            number("", "B"),
            number("", "B / A"),
            words("", " "),
        ];
        let row = |p: &&ParameterChange| {
            let sizes = p.sizes.map(|(from, to)| format!("{} to {}", units::bytes(from), units::bytes(to)));
            vec![
                Field::Text(p.id.clone()),
                Field::Text(distance_text(&p.class, p.hops)),
                Field::Text(sizes.unwrap_or_default()),
                Field::Text(value(p.a, &p.unit)),
                Field::Text(value(p.b, &p.unit)),
                Field::Text(p.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))),
                Field::Text(format!("{}{}", verdict(p.verdict), if p.disturbed { " *" } else { "" })),
            ]
        };
        lines.extend(Grid { columns, rows: parameters.iter().map(row).collect() }.text(style));
    }
    let curves: Vec<&CurveChange> = found.curves.iter().filter(|c| args.all || is_different(c.verdict)).collect();
    if !curves.is_empty() {
        lines.extend([String::new(), "TIMES".to_owned()]);
        let columns = vec![
            words("", "what"),
            words("", "ranks"),
            number("", "size"),
            number("", "A"),
            number("", "B"),
            number("", "B / A"),
            number("", "95 % interval"),
            words("", " "),
        ];
        let row = |c: &&CurveChange| {
            let interval = c.low.zip(c.high).map(|(low, high)| format!("{low:.2} to {high:.2}"));
            vec![
                Field::Text(c.series.clone()),
                Field::Text(distance_text(&c.class, c.hops)),
                Field::Text(place(c.x.max(0) as u64, &c.unit)),
                Field::Text(value(c.a_ns, "ns")),
                Field::Text(value(c.b_ns, "ns")),
                Field::Text(format!("{:.2}", c.ratio)),
                Field::Text(interval.unwrap_or_default()),
                Field::Text(verdict(c.verdict).to_owned()),
            ]
        };
        lines.extend(Grid { columns, rows: curves.iter().map(row).collect() }.text(style));
    }
    let same = found.curves.iter().filter(|c| !is_different(c.verdict)).count();
    lines.extend([String::new(), format!("no difference seen at {} of {} sizes", same, found.curves.len())]);
    if parameters.iter().any(|p| p.disturbed) {
        lines.push("* the machine was not quiet".into());
    }
    lines.iter().map(|line| style.clean(line).trim_end().to_owned()).collect::<Vec<_>>().join("\n") + "\n"
}

fn is_different(verdict: Verdict) -> bool {
    verdict != Verdict::NoDifferenceSeen
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Higher => "higher",
        Verdict::Lower => "lower",
        Verdict::NoDifferenceSeen => "no difference seen",
    }
}
