//! `mpiscope predict RUN RUN… --ranks`: how the program scales.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Context;
use mpiscope_query::{QueryError, Watch, computing_before, grid_exchange, message_times, scaling_sums};
use mpiscope_run::{Resolver, Run};
use mpiscope_scaling::{
    Answer, Asked, Decompositions, Dominates, MOST_RANKS, Range, Scaling, Sums, decompositions, predict,
};
use mpiscope_units::{count, percent};
use serde::Serialize;

use super::super::report::{grid, live, style::Style, units};
use crate::failure::Failure;
use crate::memory::give_back;
use crate::progress::Progress;
use crate::say;
use crate::wrap::wrap;
use grid::{Field, Grid, number, words};

/// Options for scaling.
#[derive(clap::Args)]
#[command(next_help_heading = "Scaling")]
pub struct Options {
    /// Numbers of ranks to predict from two or more runs of different sizes
    #[arg(long, value_name = "P,P…", value_delimiter = ',',
        conflicts_with_all = ["what_if", "output", "force", "nodes", "topology"],
        value_parser = clap::value_parser!(u64).range(1..=MOST_RANKS))]
    ranks: Vec<u64>,

    /// Problem sizes of the runs in their order, in any unit, such as cells; needed only if the sizes differ
    #[arg(long, value_name = "N,N…", value_delimiter = ',', requires = "ranks", value_parser = size)]
    size: Vec<f64>,

    /// Problem sizes of the predictions: one for all, or one for each; needed only if those of the runs are neither
    /// equal nor proportional to the ranks
    #[arg(long, value_name = "N,N…", value_delimiter = ',', requires = "size", value_parser = size)]
    at_size: Vec<f64>,
}

impl Options {
    pub fn is_asked(&self) -> bool {
        !self.ranks.is_empty()
    }

    fn asked(&self) -> anyhow::Result<Vec<Asked>> {
        let sizes = &self.at_size;
        anyhow::ensure!(
            sizes.len() < 2 || sizes.len() == self.ranks.len(),
            "--at-size gives {} sizes for {} predictions; give one, or one for each",
            sizes.len(),
            self.ranks.len()
        );
        let size = |at: usize| sizes.get(at).or(sizes.first()).copied();
        Ok(self.ranks.iter().enumerate().map(|(at, &ranks)| Asked { ranks, size: size(at) }).collect())
    }
}

/// A problem size: `1000`, `1e6`.
fn size(text: &str) -> Result<f64, String> {
    let found: f64 = text.trim().parse().map_err(|_| "a size is a number such as 1000 or 1e6".to_owned())?;
    if found.is_finite() && found > 0.0 { Ok(found) } else { Err("a size is above 0".into()) }
}

/// The result, as JSON has it.
#[derive(Serialize)]
struct Output<'a> {
    format: u32,
    #[serde(flatten)]
    answer: &'a Answer,
    decompositions: Option<&'a Decompositions>,
}

pub fn main(
    paths: &[PathBuf],
    options: &Options,
    machine: Option<&Path>,
    json: bool,
    width: u16,
) -> Result<i32, Failure> {
    if !options.is_asked() {
        return Err(
            anyhow::anyhow!("{} runs given; for scaling add --ranks P,…; otherwise give one run", paths.len()).into()
        );
    }
    let asked = options.asked()?;
    let profile = machine.map(super::profile_with_messages).transpose()?;
    let times = profile.as_ref().and_then(message_times);
    if !options.size.is_empty() && options.size.len() != paths.len() {
        let (given, runs) = (options.size.len(), paths.len());
        return Err(anyhow::Error::from(mpiscope_scaling::ScalingError::SizeForSome { given, runs }).into());
    }
    let (mut runs, mut weak_points) = (Vec::new(), Vec::new());
    for (at, path) in paths.iter().enumerate() {
        let run = Run::open(path, &live(path)).map_err(anyhow::Error::from)?;
        let name = path.display().to_string();
        if let Some(predicted) = &run.manifest.predicted {
            let instead = format!("Give a recorded run; this one was predicted from {}", predicted.from.display());
            return Err(super::is_predicted(path, &instead).into());
        }
        let (mut sums, weak) = scaling_sums(&run, &Resolver::default(), &name, options.size.get(at).copied())
            .map_err(anyhow::Error::from)?;
        sums.computing_before = with_progress(|watch| computing_before(&run, &Resolver::default(), watch))?;
        runs.push(sums);
        weak_points.extend(weak);
        drop(run);
        give_back();
    }
    let mut answer = predict(&runs, &asked).map_err(anyhow::Error::from)?;
    answer.notes.extend(weak_points);
    let time = |bytes: f64| times.as_ref().map(|(curve, _)| curve.at(bytes.round() as u64));
    let exchange = exchange_of_largest(paths, &runs)?;
    let grids = exchange.map(|exchange| decompositions(&exchange, &answer, &time));
    let text = if json {
        let output = Output { format: 1, answer: &answer, decompositions: grids.as_ref() };
        serde_json::to_string_pretty(&output).context("cannot write JSON")? + "\n"
    } else {
        let of_messages = times.as_ref().map(|(_, which)| *which);
        text(&answer, grids.as_ref(), of_messages, Style::new(width.into(), |key| std::env::var(key).ok()))
    };
    say::result(&text).context("cannot write the prediction")?;
    Ok(0)
}

/// What the largest run exchanges along the axes of its grid, if it has one.
fn exchange_of_largest(paths: &[PathBuf], runs: &[Sums]) -> Result<Option<mpiscope_scaling::Exchange>, Failure> {
    let Some((path, _)) = paths.iter().zip(runs).max_by_key(|(_, run)| run.ranks) else { return Ok(None) };
    let run = Run::open(path, &live(path)).map_err(anyhow::Error::from)?;
    with_progress(|watch| grid_exchange(&run, &Resolver::default(), watch))
}

/// Reads events, which takes time.
fn with_progress<T>(read: impl FnOnce(&mut Watch<'_>) -> Result<T, QueryError>) -> Result<T, Failure> {
    let mut progress = Progress::new("reading events");
    let found = read(&mut |done, all| {
        progress.at(done, all);
        give_back();
        ControlFlow::Continue(())
    });
    progress.done();
    Ok(found.map_err(anyhow::Error::from)?)
}

/// Call sites in the text.
const SHORT: usize = 8;

fn time(ns: f64) -> Field {
    Field::Time(ns.max(0.0).round() as u64)
}

fn interval(range: &Range, style: Style) -> Field {
    let [low, high] = [range.low, range.high].map(|ns| units::time(ns.max(0.0).round() as u64, style));
    Field::Text(format!("{low} … {high}"))
}

fn share(part: f64, whole: f64) -> Field {
    Field::Text(if whole > 0.0 { percent(part / whole) } else { String::new() })
}

fn text(answer: &Answer, grids: Option<&Decompositions>, of_messages: Option<&str>, style: Style) -> String {
    let mut lines = vec!["THE RUNS                  means over ranks".to_owned()];
    let columns = vec![
        number("", "ranks"),
        number("", "time"),
        number("", "modelled"),
        number("", "computing"),
        number("", "imbalance"),
        number("", "communicating"),
    ];
    let of_run = |of: &mpiscope_scaling::Measured| {
        vec![
            Field::Count(of.ranks),
            time(of.time_ns),
            time(of.modelled_ns),
            share(of.computing_ns, of.time_ns),
            share(of.imbalance_ns, of.time_ns),
            share(of.communication_ns, of.time_ns),
        ]
    };
    lines.extend(Grid { columns, rows: answer.measured.iter().map(of_run).collect() }.text(style));
    lines.extend(wrap(&recognised(answer), style.width));
    lines.push(String::new());
    lines.push("PREDICTED".to_owned());
    let columns = vec![
        number("", "ranks"),
        number("", "time"),
        number("", "interval"),
        number("", "computing"),
        number("", "imbalance"),
        number("", "communicating"),
        number("", "efficiency"),
    ];
    let of_asked = |of: &mpiscope_scaling::Predicted| {
        let whole = of.time_ns.value;
        vec![
            Field::Text(format!("{}{}", count(of.ranks), if of.is_far { "*" } else { "" })),
            time(whole),
            interval(&of.time_ns, style),
            share(of.computing_ns.value, whole),
            share(of.imbalance_ns.value, whole),
            share(of.communication_ns.value, whole),
            of.efficiency.map_or(Field::Empty, |efficiency| Field::Text(percent(efficiency.value))),
        ]
    };
    lines.extend(Grid { columns, rows: answer.predicted.iter().map(of_asked).collect() }.text(style));
    if answer.predicted.iter().any(|of| of.is_far) {
        lines.extend(wrap("* far beyond the largest run: terms that no run shows may decide there.", style.width));
    }
    lines.extend(wrap(&dominates(&answer.dominates), style.width));
    lines.push(String::new());
    lines.extend(sites(answer, style));
    if let Some(grids) = grids {
        lines.push(String::new());
        lines.extend(shapes(grids, of_messages, style));
    }
    if !answer.notes.is_empty() {
        lines.push(String::new());
        for note in &answer.notes {
            lines.extend(wrap(&format!("{note}."), style.width));
        }
    }
    let fit = |line: &String| style.shorten(style.clean(line).trim_end(), style.width);
    lines.iter().map(fit).collect::<Vec<_>>().join("\n") + "\n"
}

fn recognised(answer: &Answer) -> String {
    let goes = format!("computing of a rank goes with p^{:.2} over p ranks", answer.computing_exponent);
    match answer.scaling {
        Scaling::Strong => format!("Strong scaling: the same problem on more ranks; {goes} (ideal: -1)."),
        Scaling::Weak => format!("Weak scaling: the problem grows with the ranks; {goes} (ideal: 0)."),
        Scaling::Neither if answer.measured.iter().any(|of| of.size.is_some()) => {
            format!("Runs of several problem sizes; {goes}.")
        }
        Scaling::Neither => {
            format!("Neither strong nor weak scaling: {goes}. With --size N,… efficiency can be computed.")
        }
    }
}

fn dominates(of: &Dominates) -> String {
    let what = "Communication takes longer than computing, that of the busiest rank,";
    let limit = count(MOST_RANKS);
    let bound = |ranks: Option<u64>| ranks.map_or_else(|| format!("not below {limit}"), count);
    match of.ranks {
        _ if of.is_measured => format!("{what} already in the smallest run."),
        None => match of.low {
            None => format!("Communication does not take longer than computing below {limit} ranks."),
            Some(low) => format!(
                "Communication does not take longer than computing below {limit} ranks; within the uncertainty it may from {} ranks.",
                count(low)
            ),
        },
        Some(ranks) => {
            format!("{what} from {} ranks (interval: {} … {}).", count(ranks), bound(of.low), bound(of.high))
        }
    }
}

/// The call sites whose time grows most, and the computing that remains.
fn sites(answer: &Answer, style: Style) -> Vec<String> {
    let Some((at, of)) = answer.predicted.iter().enumerate().max_by_key(|(_, of)| of.ranks) else { return Vec::new() };
    let largest = count(answer.measured.last().map_or(0, |of| of.ranks));
    let far = count(of.ranks);
    let mut lines = vec![format!("CALL SITES                those that grow most from {largest} to {far} ranks")];
    lines.extend(site_table(&answer.sites, at, of.time_ns.value, style));
    if !answer.computing_before.is_empty() {
        lines.push(String::new());
        lines.push(format!("COMPUTING                 before these calls, longest at {far} ranks"));
        lines.extend(site_table(&answer.computing_before, at, of.time_ns.value, style));
    }
    lines
}

/// `at` is the number of the prediction, `whole_ns` its time.
fn site_table(sites: &[mpiscope_scaling::Site], at: usize, whole_ns: f64, style: Style) -> Vec<String> {
    let columns = vec![
        words("", "call"),
        words("", "call site"),
        number("", "measured"),
        number("", "predicted"),
        number("", "share"),
        words("", "time of a rank"),
    ];
    let row = |site: &mpiscope_scaling::Site| {
        let predicted = site.predicted_ns[at].value;
        vec![
            Field::Text(site.call.clone()),
            Field::Text(site.place.split(" < ").next().unwrap_or_default().to_owned()),
            time(site.measured_ns),
            time(predicted),
            share(predicted, whole_ns),
            Field::Text(site.growth.clone()),
        ]
    };
    let mut lines = Grid { columns, rows: sites.iter().take(SHORT).map(row).collect() }.text(style);
    if sites.len() > SHORT {
        lines.push(format!("... and {} more: --json", sites.len() - SHORT));
    }
    lines
}

/// Grids of one, two and three divided axes.
fn shapes(grids: &Decompositions, of_messages: Option<&str>, style: Style) -> Vec<String> {
    let text = |dims: &[u32]| dims.iter().map(u32::to_string).collect::<Vec<_>>().join(" × ");
    let own = match &grids.dims[..] {
        [one] => format!("a row of {one} ranks"),
        dims => format!("the {} grid", text(dims)),
    };
    let mut lines = vec![format!("DECOMPOSITIONS            exchange of {own} ({})", grids.source)];
    let mut columns = vec![
        number("", "ranks"),
        words("", "grid"),
        number("", "messages"),
        number("", "bytes"),
        number("", "surface"),
        number("", "time"),
    ];
    columns.truncate(if of_messages.is_some() { 6 } else { 5 });
    let row = |ranks: u64, shape: &mpiscope_scaling::Shape| {
        let mut row = vec![
            Field::Count(ranks),
            Field::Text(format!("{}{}", text(&shape.dims), if shape.is_assumed { "*" } else { "" })),
            Field::Count(shape.messages.round() as u64),
            Field::Bytes(shape.bytes.round() as u64),
            Field::Text(format!("{:.2}x", shape.surface)),
        ];
        row.extend(of_messages.map(|_| shape.time_ns.map_or(Field::Empty, time)));
        row
    };
    let rows = grids.at.iter().flat_map(|of| of.shapes.iter().map(|shape| row(of.ranks, shape))).collect();
    lines.extend(Grid { columns, rows }.text(style));
    if grids.at.iter().any(|of| of.shapes.iter().any(|shape| shape.is_assumed)) {
        lines.extend(wrap(
            "* divides an axis that the run does not divide; it is assumed as long as the others.",
            style.width,
        ));
    }
    let note = "Messages and bytes that a rank inside of the grid sends in the whole run; surface: bytes, compared with as many divided axes as in the run.";
    let times = of_messages
        .map(|which| format!(" Time: of these messages one after another, {which}, by the machine profile."));
    lines.extend(wrap(&format!("{note}{}", times.unwrap_or_default()), style.width));
    lines
}
