//! `mpiscope ctl`: inspects a running job, pauses or resumes its recording, copies what is recorded so far.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use mpiscope_launch::control::{self, RankState, RankStatus, Wish};
use mpiscope_launch::live::{self, Running};
use mpiscope_launch::{Asked, Gathered, host, shell_words};
use mpiscope_run::{Live, RankRow, Resolver, Run};
use serde::Serialize;

use crate::attend;
use crate::failure::{Failure, OrFail};
use crate::say;

/// Inspect a running job, pause or resume its recording, or copy what is recorded so far
#[derive(clap::Args)]
pub struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,

    #[arg(value_enum)]
    what: What,

    /// Directory for the copy that `snapshot` creates [default: RUN.1, RUN.2, …]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,

    /// Include only processes of this host; do not contact other hosts
    #[arg(long)]
    here: bool,

    /// Print the result as JSON (schemas/ctl.schema.json)
    #[arg(long)]
    json: bool,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Resume recording
    Start,
    /// Pause recording; calls are then counted as not recorded
    Stop,
    /// Copy what is recorded so far into a run that `mpiscope report` can read
    Snapshot,
    /// Show for each rank whether it is recorded and what it is doing
    Status,
}

/// A leader looks for requests once a second; a busy file system may take longer.
const PATIENCE: Duration = Duration::from_secs(4);

/// Another host that answered.
#[derive(Serialize)]
struct Reached {
    host: String,
    running: usize,
    changed: usize,
    problem: Option<String>,
}

/// The result.
#[derive(Serialize)]
struct Outcome {
    /// Version of this structure.
    format: u32,
    /// Running processes of the run, on this host and on those that answered.
    running: usize,
    /// Processes whose recording was paused or resumed.
    changed: usize,
    /// The copy.
    snapshot: Option<PathBuf>,
    /// Other hosts that did the same.
    hosts: Vec<Reached>,
    /// Hosts with processes of this run that were not reached.
    elsewhere: Vec<String>,
    /// Every rank, with `status`.
    ranks: Vec<RankStatus>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    if args.to.is_some() && args.what != What::Snapshot {
        return Err(anyhow::anyhow!("--to requires snapshot: mpiscope ctl RUN snapshot --to DIR").into());
    }
    let gathered = mpiscope_launch::gather(&args.run);
    let running = live::processes(&args.run, &gathered);
    let others = if args.here { Vec::new() } else { others(&args.run, &gathered) };
    let mut outcome = Outcome {
        format: 1,
        running: running.len(),
        changed: 0,
        snapshot: None,
        hosts: Vec::new(),
        elsewhere: Vec::new(),
        ranks: Vec::new(),
    };
    match args.what {
        What::Start | What::Stop => {
            let is_stop = args.what == What::Stop;
            let (changed, problem) = attend::pause(&running, is_stop);
            outcome.changed = changed;
            problem.iter().for_each(say::warning);
            outcome.ask(&args.run, &others, if is_stop { Wish::Stop } else { Wish::Start })?;
        }
        What::Snapshot => {
            let to = args.to.clone().unwrap_or_else(|| free_name(&args.run));
            let asked = Asked { verb: "ctl", ranks: None, program: Vec::new() };
            live::snapshot(&args.run, &to, &running).or_fail(&asked)?;
            let absolute = std::path::absolute(&to).context("cannot determine the current directory")?;
            outcome.ask(&args.run, &others, Wish::Snapshot { to: absolute })?;
            outcome.snapshot = Some(to);
        }
        What::Status => {
            outcome.ranks = status(&args.run, &running)?;
            outcome.ask(&args.run, &others, Wish::Status)?;
            outcome.ranks.sort_by_key(|rank| rank.rank);
        }
    }
    print_outcome(&args, &outcome)?;
    let incomplete = outcome.running == 0 || !outcome.elsewhere.is_empty();
    Ok((incomplete && args.what != What::Status).into())
}

/// Other hosts with processes of the run, as far as known.
fn others(run: &Path, gathered: &Gathered) -> Vec<String> {
    let mut hosts = control::hosts(run);
    hosts.extend(gathered.elsewhere.iter().map(|place| place.host.clone()));
    hosts.sort();
    hosts.dedup();
    hosts.retain(|name| *name != host::name());
    hosts
}

impl Outcome {
    /// Asks the leaders of other hosts to do the same.
    fn ask(&mut self, run: &Path, hosts: &[String], wish: Wish) -> Result<(), Failure> {
        let with_leader = control::hosts(run);
        let (reachable, not): (Vec<String>, Vec<String>) =
            hosts.iter().cloned().partition(|host| with_leader.contains(host));
        self.elsewhere = not;
        if reachable.is_empty() {
            return Ok(());
        }
        let answers = control::request(run, &reachable, &wish, PATIENCE);
        for (host, answer) in
            answers.with_context(|| format!("cannot contact other hosts through {}", run.display()))?
        {
            let Some(answer) = answer else {
                self.elsewhere.push(host);
                continue;
            };
            if let Some(problem) = &answer.problem {
                say::warning(format_args!("{host}: {problem}"));
            }
            self.running += answer.running;
            self.changed += answer.changed;
            // The answer is newer than what is in the run.
            let has_answered = |one: &RankStatus| answer.ranks.iter().any(|r| (r.pid, &r.host) == (one.pid, &one.host));
            self.ranks.retain(|one| !has_answered(one));
            self.ranks.extend(answer.ranks);
            self.hosts.push(Reached {
                host,
                running: answer.running,
                changed: answer.changed,
                problem: answer.problem,
            });
        }
        self.elsewhere.sort();
        Ok(())
    }
}

/// `RUN.1`, or the next name that is free.
fn free_name(run: &Path) -> PathBuf {
    let run = run.to_string_lossy();
    let names = (1u32..).map(|n| PathBuf::from(format!("{}.{n}", run.trim_end_matches('/'))));
    names.into_iter().find(|name| std::fs::symlink_metadata(name).is_err()).unwrap_or_default()
}

fn status(run: &Path, running: &[Running]) -> Result<Vec<RankStatus>, Failure> {
    let in_spool = running.iter().map(|one| one.file.clone()).filter(|file| !file.starts_with(run)).collect();
    let live = Live { files: in_spool, monotonic_ns: mpiscope_launch::clock::monotonic_ns(), ..Live::default() };
    let run = Run::open(run, &live).map_err(anyhow::Error::from)?;
    let summary = run.summary(|_| true, &Resolver::default());
    let here = host::name();
    let one = |r: &RankRow| {
        let call = r.in_flight.last();
        RankStatus {
            rank: r.rank,
            host: r.host.clone(),
            pid: r.pid,
            state: match (r.host == here && running.iter().any(|one| one.pid == r.pid), r.paused) {
                (false, _) => RankState::Ended,
                (true, true) => RankState::Paused,
                (true, false) => RankState::Recorded,
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

fn print_outcome(args: &Args, outcome: &Outcome) -> Result<(), Failure> {
    let run = shell_words::join(&[args.run.to_string_lossy()]);
    if args.json {
        let text = serde_json::to_string_pretty(outcome).context("cannot write JSON")? + "\n";
        say::result(&text).context("cannot write the result")?;
        return Ok(());
    }
    if !outcome.elsewhere.is_empty() {
        say::warning(format_args!(
            "could not contact other hosts with processes of the run: {}",
            outcome.elsewhere.join(" ")
        ));
        say::more(format_args!("try: the same command on those hosts"));
    }
    if outcome.running == 0 {
        say::line(format_args!("no process of {run} runs on this host or on a host that answers"));
    }
    match args.what {
        What::Start | What::Stop if outcome.running > 0 => {
            let what = if args.what == What::Stop { "paused" } else { "resumed" };
            say::line(format_args!("recording of {} of {} processes {what}", outcome.changed, outcome.running));
        }
        What::Snapshot => {
            if let Some(to) = &outcome.snapshot {
                say::line(format_args!("next: mpiscope report {}", shell_words::join(&[to.to_string_lossy()])));
            }
        }
        What::Status => say::result(&table(&outcome.ranks)).context("cannot write the result")?,
        _ => {}
    }
    Ok(())
}

/// A line for each rank.
fn table(ranks: &[RankStatus]) -> String {
    use super::report::grid::{Field, Grid, number, words};
    let mut columns = vec![number("rank", "rank")];
    let several = ranks.iter().any(|one| one.host != ranks[0].host);
    if several {
        columns.push(words("host", "host"));
    }
    columns.extend([
        words("state", "state"),
        number("calls", "calls"),
        words("call", "now in"),
        number("call_ns", "since"),
        words("region", "region"),
        words("site", "at"),
    ]);
    let text = |text: &Option<String>| text.clone().map_or(Field::Empty, Field::Text);
    let row = |s: &RankStatus| {
        let mut row = vec![Field::Number(s.rank.into())];
        if several {
            row.push(Field::Text(s.host.clone()));
        }
        row.extend([
            Field::Text(if s.state == RankState::Ended { s.fate.clone() } else { s.state.text().into() }),
            Field::Count(s.calls),
            text(&s.call),
            s.call_ns.map_or(Field::Empty, Field::Time),
            text(&s.region),
            text(&s.site),
        ]);
        row
    };
    let grid = Grid { columns, rows: ranks.iter().map(row).collect() };
    let style = super::report::style::Style::new(80, |key| std::env::var(key).ok());
    grid.text(style).join("\n") + "\n"
}
