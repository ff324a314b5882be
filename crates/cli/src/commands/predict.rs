//! `mpiscope predict`: what would change if …?

mod output;
mod placing;
mod scaling;
mod sums;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Context;
use mpiscope_machine::Profile;
use mpiscope_predict::{Answer, ApplyError, Change, Reproduction, Row, parse};
use mpiscope_query::{Prediction, Target, has_calls, message_times, why_no_events};
use mpiscope_run::{Resolver, Run};
use mpiscope_units::percent;
use serde::Serialize;

use super::report::{grid, live, style::Style};
use crate::failure::Failure;
use crate::memory::give_back;
use crate::progress::Progress;
use crate::say;
use crate::wrap::wrap;
use grid::{Field, Grid, number, words};

const AFTER_HELP: &str = "\
Changes (several in one --what-if are made together; give --what-if again for another question):
  latency=0.5x  bandwidth=2x  overhead=0.5x  eager=64K  contention=off
  machine=other.machine         the costs of communication that mpiscope bench has measured there
  balance=perfect               before each call, every rank computes as long as the mean of all
  rank:5=balanced               its computing is as long as the mean, the others do the rest; also region:NAME=… and
                                site:FILE:LINE=… (computing before these calls, of all ranks)
  rank:5=2x faster              its computing; also region:NAME=… and site:FILE:LINE=… (computing before these calls)
  site:exchange.c:77=nonblocking  a blocking send or receive becomes part of a non-blocking exchange
  site:exchange.c:77=aggregated  messages to one rank in one exchange become one message, operations in a row one operation
  site:exchange.c:77=reordered  each rank sends to the rank after it first
  site:exchange.c:77=arrival    messages are received, and worked on, in the order in which they are sent
  site:exchange.c:77=early      a receive comes before the computing that comes before it
  MPI_Wait=merged               waits that follow each other become one
  MPI_Waitall=split             a wait for several messages becomes one for each, with a part of the computing after it
  MPI_Sendrecv=neighbourhood    the exchange becomes a neighbourhood collective operation
  MPI_Isend=phased              the exchange is made in phases, with another partner in each
  rank:5=on time                never later than half of the others where all wait for all
  MPI_Barrier=none              also site:FILE:LINE=none
  MPI_Comm_dup=once             communicators or windows of a loop are created once, before it
  MPI_Allreduce=ring            another algorithm; hierarchical: in stages within and between hosts
  placement=best                ranks on other hosts: by-slot, by-node, folded, best, another order of mpiscope place, or
                                a file with one host for each rank

Scaling, from two or more runs of different sizes:
  mpiscope predict a4.mpiscope a8.mpiscope a16.mpiscope --ranks 64,256,1024
  mpiscope predict a4.mpiscope a8.mpiscope a16.mpiscope --size 1e6,1e6,4e6 --ranks 64 --at-size 8e6

Exit codes:
  0  answered
  2  the run cannot be read, an invalid option, a change that this run does not allow, or runs from which no
     scaling can be predicted";

/// Predict what a change would gain: replay a recorded run on another machine, with another balance, order or algorithm
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run; with --ranks, two or more of different sizes
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,

    /// What to change; without it, everything that may help this run is tried and ranked
    #[arg(long, value_name = "CHANGES")]
    what_if: Vec<String>,

    /// Machine profile with the costs of communication (mpiscope bench); without it, they are fitted to the run
    #[arg(long, value_name = "PROFILE")]
    machine: Option<PathBuf>,

    #[command(flatten)]
    placing: placing::Options,

    /// Also write the run with the changes of the only --what-if as a run that report, view and diff open
    #[arg(short, long, value_name = "NAME.mpiscope", requires = "what_if")]
    output: Option<PathBuf>,

    /// With --output: replace a run that exists
    #[arg(long, requires = "output")]
    force: bool,

    #[command(flatten)]
    scaling: scaling::Options,

    /// Print everything as one JSON object (schemas/predict.schema.json; with --ranks schemas/scaling.schema.json;
    /// of a run without events schemas/sums.schema.json)
    #[arg(long)]
    json: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

/// The result, as JSON has it.
#[derive(Serialize)]
struct Output<'a> {
    format: u32,
    run: &'a std::path::Path,
    caveats: &'a [String],
    network: &'static str,
    reproduction: &'a Reproduction,
    answers: Vec<&'a Answer>,
    refused: Vec<Refused<'a>>,
}

/// What was tried and is not possible.
#[derive(Serialize)]
struct Refused<'a> {
    change: &'a str,
    why: String,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let path = match &args.runs[..] {
        [one] if !args.scaling.is_asked() => one,
        runs => return scaling::main(runs, &args.scaling, args.machine.as_deref(), args.json, args.width),
    };
    let mut asked: Vec<Vec<Change>> =
        args.what_if.iter().map(|text| parse(text)).collect::<Result<_, _>>().map_err(anyhow::Error::from)?;
    mpiscope_query::read_machines(&mut asked).map_err(anyhow::Error::from)?;
    if args.output.is_some() && asked.len() != 1 {
        return Err(anyhow::anyhow!(
            "--output writes the run of one question; put all changes into one --what-if: --what-if '{}'",
            args.what_if.join(", ")
        )
        .into());
    }
    placing::read_orders(&mut asked)?;
    let run = Run::open(path, &live(path)).map_err(anyhow::Error::from)?;
    if let Some(predicted) = &run.manifest.predicted {
        let instead = format!(
            "Predict from the recorded run, with both changes: mpiscope predict {} --what-if '{}, ...'",
            predicted.from.display(),
            predicted.changes
        );
        return Err(is_predicted(path, &instead).into());
    }
    let profile = args.machine.as_deref().map(profile_with_messages).transpose()?;
    let topology = args.placing.topology()?;
    let target = Target { profile: profile.as_ref(), nodes: args.placing.nodes()?, topology: topology.as_ref() };
    let mut progress = Progress::new("reading events");
    let found = mpiscope_query::predict(&run, &Resolver::default(), &asked, target, &mut |done, all| {
        progress.at(done, all);
        give_back();
        ControlFlow::Continue(())
    });
    progress.done();
    let found = found.map_err(anyhow::Error::from)?;
    if found.calls == 0 {
        let why = why_no_events(&run);
        let summary = run.summary(|_| true, &Resolver::default());
        // Questions are about single calls.
        if asked.is_empty() && args.output.is_none() && has_calls(&run) {
            let sums = sums::Sums::new(path, &summary, &found.caveats, why);
            let text = match args.json {
                true => serde_json::to_string_pretty(&sums).context("cannot write JSON")? + "\n",
                false => sums.page(Style::new(args.width.into(), |key| std::env::var(key).ok())),
            };
            say::result(&text).context("cannot write the sums")?;
            return Ok(0);
        }
        let path = path.display();
        return Err(anyhow::anyhow!("{path}: no events to replay: {why}; its sums: mpiscope report {path}").into());
    }
    if let Some(error) = found.answers.iter().find_map(|answer| answer.as_ref().err()) {
        return Err(anyhow::anyhow!("{error}").into());
    }
    for problem in &found.problems {
        say::line(format_args!("{}", problem.text));
    }
    if let Some(output) = &args.output {
        output::Output { path: output, force: args.force }.write(&run, &found)?;
    }
    let text = if args.json {
        let answers = found.answers.iter().flatten().collect();
        let refused =
            found.refused.iter().map(ApplyError::parts).map(|(change, why)| Refused { change, why }).collect();
        let (network, reproduction) = (found.network, &found.reproduction);
        let output = Output { format: 1, run: path, caveats: &found.caveats, network, reproduction, answers, refused };
        serde_json::to_string_pretty(&output).context("cannot write JSON")? + "\n"
    } else {
        text(&found, asked.is_empty(), Style::new(args.width.into(), |key| std::env::var(key).ok()))
    };
    say::result(&text).context("cannot write the prediction")?;
    Ok(0)
}

/// A model that replays what a model made has no error that says anything.
fn is_predicted(path: &Path, instead: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "{}: a predicted run; a model that replays what it made itself has no error that says anything. {instead}",
        path.display()
    )
}

/// The profile of a machine where messages were measured.
pub fn profile_with_messages(path: &Path) -> anyhow::Result<Profile> {
    let profile = mpiscope_machine::read(path)?;
    let path = path.display();
    anyhow::ensure!(
        message_times(&profile).is_some(),
        "{path}: no times of messages; measure them: mpiscope bench -n 2 pingpong"
    );
    Ok(profile)
}

/// Rows of a table that are not printed in full.
const SHORT: usize = 8;

/// Interruptions that take less of the time in calls are not mentioned.
const MENTIONED: f64 = 0.01;

fn text(found: &Prediction, is_ranked: bool, style: Style) -> String {
    let mut lines = Vec::new();
    for caveat in &found.caveats {
        lines.extend(wrap(&format!("{caveat}."), style.width));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push("THE MODEL                 the run as it was, replayed".to_owned());
    let reproduction = &found.reproduction;
    let columns = vec![words("", "what"), number("", "recorded"), number("", "replayed"), number("", "error")];
    let mut rows = vec![row("time of the run", &reproduction.time)];
    rows.extend(reproduction.waits.iter().map(|of| row(&format!("wait {}", of.what), of)));
    rows.extend(reproduction.functions.iter().take(SHORT).map(|of| row(&format!("in {}", of.what), of)));
    lines.extend(Grid { columns, rows }.text(style));
    let mut notes = vec![format!(
        "Costs of communication: {}. {} of the time in calls is replayed as recorded, because the model has no data about what these calls wait for.",
        found.network,
        percent(reproduction.as_recorded_share)
    )];
    if reproduction.interrupted_share > MENTIONED {
        notes.push(format!(
            "{} of the time in calls is more than these calls usually take, as if they were interrupted; it is replayed as recorded.",
            percent(reproduction.interrupted_share)
        ));
    }
    notes.extend(reproduction.notes.iter().map(|note| format!("{note}.")));
    for note in notes {
        lines.extend(wrap(&note, style.width));
    }
    lines.push(String::new());
    lines.push(if is_ranked { "WHAT TO CHANGE".to_owned() } else { "WHAT IF".to_owned() });
    let answers: Vec<&Answer> = found.answers.iter().flatten().collect();
    let columns = vec![
        words("", "change"),
        number("", "predicted"),
        number("", "gain"),
        number("", "interval"),
        words("", "effort"),
    ];
    let of = |answer: &&Answer| {
        vec![
            Field::Text(answer.change.clone()),
            Field::Time(answer.predicted_ns),
            Field::Text(percent(answer.gain)),
            Field::Text(format!("{:.1} … {:.1} %", answer.low * 100.0, answer.high * 100.0)),
            Field::Text(answer.effort.to_owned()),
        ]
    };
    let shown: Vec<&Answer> =
        answers.iter().copied().filter(|answer| !is_ranked || answer.low > 0.0 || answer.gain > 0.01).collect();
    if shown.is_empty() {
        lines.push("Nothing that was tried gains more than the model's error.".to_owned());
    } else {
        lines.extend(Grid { columns, rows: shown.iter().map(of).collect() }.text(style));
        for answer in shown.iter().filter(|answer| !answer.how.is_empty()) {
            lines.extend(wrap(&format!("{}: {}", answer.change, answer.how), style.width));
        }
    }
    if !found.refused.is_empty() {
        let changes: Vec<&str> = found.refused.iter().map(|refused| refused.parts().0).collect();
        let text = format!(
            "Tried and not possible in this run: {}; --what-if with one of them states why.",
            changes.join("; ")
        );
        lines.extend(wrap(&text, style.width));
    }
    let fit = |line: &String| style.shorten(style.clean(line).trim_end(), style.width);
    lines.iter().map(fit).collect::<Vec<_>>().join("\n") + "\n"
}

fn row(what: &str, row: &Row) -> Vec<Field> {
    vec![
        Field::Text(what.to_owned()),
        Field::Time(row.recorded_ns),
        Field::Time(row.replayed_ns),
        Field::Text(if row.recorded_ns == 0 { String::new() } else { percent(row.error()) }),
    ]
}
