//! `mpiscope ctl`: look at a job while it runs, pause its recording, keep a copy of what there is.

use std::path::{Path, PathBuf};

use anyhow::Context;
use mpiscope_launch::live::{self, Running};
use mpiscope_launch::{Asked, words};
use mpiscope_query::{Live, RankRow, Resolver, Run};
use serde::Serialize;

use crate::failure::{Failure, OrFail};
use crate::say;

/// Look at a running job, pause its recording and go on, or keep a copy of what there is now
#[derive(clap::Args)]
pub struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,

    #[arg(value_enum)]
    what: What,

    /// Directory for the copy that `snapshot` makes [default: RUN.1, RUN.2, …]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,

    /// Result as JSON (schema: schemas/ctl.schema.json)
    #[arg(long)]
    json: bool,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Go on recording
    Start,
    /// Pause the recording; calls are counted as not recorded
    Stop,
    /// A run that `mpiscope report` can read, of what is recorded up to now
    Snapshot,
    /// Each rank: whether it is recorded, what it is doing
    Status,
}

/// What came of it.
#[derive(Serialize)]
struct Outcome {
    /// Version of this structure.
    format: u32,
    /// Processes of the run that run on this host.
    running: usize,
    /// Processes whose recording was paused or let go on.
    changed: usize,
    /// The copy.
    snapshot: Option<PathBuf>,
    /// Hosts with processes of this run that cannot be reached from here.
    elsewhere: Vec<String>,
    /// With `status`: every rank.
    ranks: Vec<Status>,
}

/// One rank.
#[derive(Serialize)]
struct Status {
    rank: i32,
    host: String,
    pid: u32,
    /// `recorded`, `paused` or `ended`.
    state: &'static str,
    /// Calls so far, and time in them, ns.
    calls: u64,
    mpi_ns: u64,
    /// The call it is in and for how long, ns.
    call: Option<String>,
    call_ns: Option<u64>,
    site: Option<String>,
    /// Its innermost region.
    region: Option<String>,
    /// How it ended, or that it runs.
    fate: String,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    if args.to.is_some() && args.what != What::Snapshot {
        return Err(anyhow::anyhow!("--to says where a snapshot goes: mpiscope ctl RUN snapshot --to DIR").into());
    }
    let gathered = mpiscope_launch::gather(&args.run);
    let running = live::processes(&args.run, &gathered);
    let mut elsewhere: Vec<String> = gathered.elsewhere.iter().map(|place| place.host.clone()).collect();
    elsewhere.sort();
    elsewhere.dedup();
    let mut outcome =
        Outcome { format: 1, running: running.len(), changed: 0, snapshot: None, elsewhere, ranks: Vec::new() };
    match args.what {
        What::Start | What::Stop => outcome.changed = pause(&running, args.what == What::Stop),
        What::Snapshot => {
            let to = args.to.clone().unwrap_or_else(|| free_name(&args.run));
            let asked = Asked { verb: "ctl", ranks: None, program: Vec::new() };
            live::snapshot(&args.run, &to, &running).or_fail(&asked)?;
            outcome.snapshot = Some(to);
        }
        What::Status => outcome.ranks = status(&args.run, &running)?,
    }
    tell(&args, &outcome)?;
    let incomplete = outcome.running == 0 || !outcome.elsewhere.is_empty();
    Ok((incomplete && args.what != What::Status).into())
}

/// Pauses the recording of processes or lets them go on; how many.
fn pause(running: &[Running], paused: bool) -> usize {
    let change = |one: &&Running| match mpiscope_trace::control::set_paused(&one.file, paused) {
        Ok(_) => true,
        // It has ended meanwhile, and its file is in the run.
        Err(_) if !one.file.exists() => false,
        Err(error) => {
            say::warning(format_args!("{}: {error}", one.file.display()));
            false
        }
    };
    running.iter().filter(change).count()
}

/// `RUN.1`, or the next that is free.
fn free_name(run: &Path) -> PathBuf {
    let run = run.to_string_lossy();
    let names = (1u32..).map(|n| PathBuf::from(format!("{}.{n}", run.trim_end_matches('/'))));
    names.into_iter().find(|name| std::fs::symlink_metadata(name).is_err()).unwrap_or_default()
}

fn status(run: &Path, running: &[Running]) -> Result<Vec<Status>, Failure> {
    let in_spool = running.iter().map(|one| one.file.clone()).filter(|file| !file.starts_with(run)).collect();
    let live = Live { files: in_spool, monotonic_ns: mpiscope_launch::clock::monotonic_ns(), ..Live::default() };
    let run = Run::open(run, &live).map_err(anyhow::Error::from)?;
    let summary = run.summary(|_| true, &Resolver::default());
    let one = |r: &RankRow| {
        let call = r.in_flight.last();
        Status {
            rank: r.rank,
            host: r.host.clone(),
            pid: r.pid,
            state: match (running.iter().any(|one| one.pid == r.pid), r.paused) {
                (false, _) => "ended",
                (true, true) => "paused",
                (true, false) => "recorded",
            },
            calls: r.sum.calls,
            mpi_ns: r.mpi_ns,
            call: call.map(|c| c.call.clone()),
            call_ns: call.and_then(|c| c.elapsed_ns),
            site: call.and_then(|c| c.site.clone()),
            region: r.regions.first().cloned(),
            fate: r.fate.text(),
        }
    };
    Ok(summary.ranks.iter().map(one).collect())
}

fn tell(args: &Args, outcome: &Outcome) -> Result<(), Failure> {
    let run = words::join(&[args.run.to_string_lossy()]);
    if args.json {
        let text = serde_json::to_string_pretty(outcome).context("cannot write JSON")? + "\n";
        say::result(&text).context("cannot write the result")?;
        return Ok(());
    }
    if !outcome.elsewhere.is_empty() {
        say::warning(format_args!(
            "processes on other hosts are not reached from here: {}",
            outcome.elsewhere.join(" ")
        ));
        say::more(format_args!("try: the same command there"));
    }
    if outcome.running == 0 {
        say::line(format_args!("no process of {run} runs on this host"));
    }
    match args.what {
        What::Start | What::Stop if outcome.running > 0 => {
            let what = if args.what == What::Stop { "paused" } else { "recorded again" };
            say::line(format_args!("{} of {} processes {what}", outcome.changed, outcome.running));
        }
        What::Snapshot => {
            if let Some(to) = &outcome.snapshot {
                say::line(format_args!("next: mpiscope report {}", words::join(&[to.to_string_lossy()])));
            }
        }
        What::Status => say::result(&table(&outcome.ranks)).context("cannot write the result")?,
        _ => {}
    }
    Ok(())
}

/// A line for each rank.
fn table(ranks: &[Status]) -> String {
    use super::report::grid::{Field, Grid, number, words};
    let columns = vec![
        number("rank", "rank"),
        words("state", "state"),
        number("calls", "calls"),
        words("call", "now in"),
        number("call_ns", "since"),
        words("region", "region"),
        words("site", "at"),
    ];
    let text = |text: &Option<String>| text.clone().map_or(Field::Empty, Field::Text);
    let row = |s: &Status| {
        vec![
            Field::Number(s.rank.into()),
            Field::Text(if s.state == "ended" { s.fate.clone() } else { s.state.into() }),
            Field::Count(s.calls),
            text(&s.call),
            s.call_ns.map_or(Field::Empty, Field::Time),
            text(&s.region),
            text(&s.site),
        ]
    };
    let grid = Grid { columns, rows: ranks.iter().map(row).collect() };
    let style = super::report::style::Style::new(80, |key| std::env::var(key).ok());
    grid.text(style).join("\n") + "\n"
}
