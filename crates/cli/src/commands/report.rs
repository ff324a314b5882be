//! `mpiscope report`: one page about the MPI of a run, or one of its tables.

mod attainable;
mod bars;
mod checks;
mod clocks;
mod completions;
mod damage;
mod details;
mod efficiencies;
mod explanation;
mod failed;
mod findings;
pub mod grid;
mod header;
mod machine;
mod network;
mod notes;
mod page;
mod places;
mod quality;
mod regions;
mod sections;
mod stuck;
pub mod style;
mod tables;
#[cfg(test)]
mod tests;
pub mod units;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueHint;
use mpiscope_analysis::Explanation;
use mpiscope_launch::options::RankSet;
use mpiscope_run::{Live, Rank, Resolver, Run, Summary};

use crate::explained::{add_gains, explain};
use crate::failure::Failure;
use crate::say;
use mpiscope_query::{Assertion, Gains, Report, Verdict, machine_profile, metrics};
use style::Style;
use tables::By;

const EXIT_CODES: &str = "\
Exit codes:
  0  the run is complete
  1  the report was printed, but files of the run are damaged or missing (listed in the report), or the profile of
     --machine cannot be used
  2  no report: not a run, no rank called MPI, an invalid option or topology file
  3  the report was printed, but an --assert condition does not hold (see messages)";

/// Summarize a run on one page: time in MPI, why ranks wait, what to change
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES, override_usage = "mpiscope report [OPTIONS] <RUN>")]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope
    #[arg(value_name = "RUN", required_unless_present = "findings")]
    run: Option<PathBuf>,

    /// Print everything instead of one page
    #[arg(long, conflicts_with_all = ["by", "json", "csv"])]
    full: bool,

    /// Print only this table
    #[arg(long, value_enum)]
    by: Option<By>,

    /// Print everything as one JSON object (schemas/report.schema.json)
    #[arg(long, conflicts_with_all = ["by", "csv"])]
    json: bool,

    /// Print the table of --by (default: call) as CSV with a header line; times in ns, sizes in bytes
    #[arg(long)]
    csv: bool,

    /// Print every finding, or only ID, with its evidence, where to look and how the rule works
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = ALL)]
    #[arg(conflicts_with_all = ["by", "json", "csv", "full"])]
    findings: Option<String>,

    /// Print only what is counted, without reading events: no verdict, no findings
    #[arg(long, conflicts_with_all = ["findings", "assert"])]
    quick: bool,

    /// Return exit code 3 unless this holds, such as 'parallel_efficiency>=0.8'; may be repeated
    #[arg(long, value_name = "COMPARISON")]
    assert: Vec<Assertion>,

    /// Include only these ranks, such as 0,7-11, in every table and in all totals
    #[arg(long, value_name = "RANKS")]
    ranks: Option<RankSet>,

    /// World to report, if the run has several (MPI_Comm_spawn); each numbers its ranks from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    world: u64,

    /// Report how far messages went on the network that FILE describes (docs/topology.md)
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,

    /// Compare the run with what DIR, a machine profile by mpiscope bench, says that the machine can do [default: the only
    /// *.machine beside the run]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["by", "csv", "quick"])]
    machine: Option<PathBuf>,

    /// Predict what the changes gain that findings advise, by the model of mpiscope predict, and put the largest gain first: auto
    /// does that for runs of up to 1 million calls
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, value_enum, default_value = "auto",
        default_missing_value = "always", conflicts_with_all = ["by", "csv", "quick"])]
    gains: GainsWhen,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

/// Value of --findings without an ID.
const ALL: &str = "all";

impl Args {
    /// In `--findings RUN` the run is taken for an ID.
    fn take_run(&mut self) -> Result<PathBuf, Failure> {
        if let Some(run) = self.run.take() {
            return Ok(run);
        }
        match self.findings.replace(ALL.to_owned()).filter(|id| id != ALL) {
            Some(run) => Ok(run.into()),
            None => Err(anyhow::anyhow!("no RUN is given; type: mpiscope report RUN --findings").into()),
        }
    }
}

pub fn main(mut args: Args) -> Result<i32, Failure> {
    let path = args.take_run()?;
    let mut run = Run::open(&path, &live(&path)).map_err(anyhow::Error::from)?;
    let last = run.worlds.len() as u64 - 1;
    if args.world > last {
        return Err(anyhow::anyhow!("invalid world {}: the run has worlds 0 to {last}", args.world).into());
    }
    run.keep_world(args.world);
    check_ranks(&args, &run)?;
    let wanted = |rank: i32| match &args.ranks {
        Some(set) => u32::try_from(rank).is_ok_and(|rank| set.contains(rank)),
        None => true,
    };
    let resolver = Resolver::default();
    let mut summary = run.summary(wanted, &resolver);
    if summary.ranks.is_empty() {
        let asked = args.ranks.as_ref().map_or("", |set| set.as_str());
        return Err(anyhow::anyhow!("rank(s) {asked} were not recorded; {}", present(&run)).into());
    }
    let network = args.topology.as_deref().map(|file| network::locate(&run, &mut summary, file)).transpose()?;
    let style = Style::new(args.width.into(), |key| std::env::var(key).ok());
    let mut profile = None;
    let explanation = match args.needs_events() {
        true => {
            let reference;
            (profile, reference) =
                machine_profile(&run, &summary.overview.mpi, args.machine.as_deref(), network.as_ref());
            run.forget_sums();
            let (mut explanation, problems) = explain(&run, &resolver, reference).map_err(anyhow::Error::from)?;
            add_gains(&run, &resolver, &mut explanation, args.gains.into()).map_err(anyhow::Error::from)?;
            explanation.keep_ranks(wanted);
            summary.add_problems(problems);
            Some(explanation)
        }
        false => None,
    };
    if let Some(explanation) = explanation.as_ref().filter(|_| !args.json) {
        summary.sizes.extend(completions::rows(explanation));
    }
    let report = Report { machine_profile: profile, ..Report::new(&run, summary, explanation) };
    let text = render(&args, &report, style)?;
    say::result(&text).context("cannot write the report")?;
    if let Some(explanation) = &report.explanation
        && !holds(&args.assert, &report.summary, explanation)?
    {
        return Ok(NOT_SO);
    }
    let Summary { diagnostics, overview, .. } = &report.summary;
    let is_unusable = args.machine.is_some() && report.machine_profile.as_ref().is_some_and(|profile| !profile.is_used);
    Ok((diagnostics.iter().any(|d| d.damage) || !overview.missing.is_empty() || is_unusable).into())
}

/// For which runs gains are predicted.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum GainsWhen {
    Auto,
    Always,
    Never,
}

impl From<GainsWhen> for Gains {
    fn from(when: GainsWhen) -> Gains {
        match when {
            GainsWhen::Auto => Gains::Short,
            GainsWhen::Always => Gains::Always,
            GainsWhen::Never => Gains::Never,
        }
    }
}

/// Exit code if an assertion does not hold.
const NOT_SO: i32 = 3;

impl Args {
    fn needs_events(&self) -> bool {
        let page = self.by.is_none() && !self.csv && !self.quick;
        // The bytes that completions received are known only from events.
        let completions = self.by == Some(By::Size) && !self.quick;
        page || completions || !self.assert.is_empty()
    }
}

/// Checks all assertions and prints those that do not hold.
fn holds(assertions: &[Assertion], summary: &Summary, explanation: &Explanation) -> anyhow::Result<bool> {
    let metrics = metrics(summary, explanation);
    let mut all = true;
    for assertion in assertions {
        match assertion.check(&metrics) {
            Verdict::Holds => {}
            Verdict::Fails(why) => {
                say::line(format_args!("assertion failed: {why}"));
                all = false;
            }
            Verdict::Unknown(why) => anyhow::bail!("--assert: {why}"),
        }
    }
    Ok(all)
}

/// Moves files of ended processes from shared memory into the run; files of running processes are read in place.
pub fn live(run: &Path) -> Live {
    let gathered = mpiscope_launch::gather(run);
    for kept in &gathered.kept {
        say::warning(format_args!("cannot move {} into the run: {}", kept.path.display(), kept.why));
    }
    Live {
        files: gathered.alive,
        elsewhere: gathered.elsewhere.into_iter().map(|place| (place.host, place.dir)).collect(),
        monotonic_ns: mpiscope_launch::clock::monotonic_ns(),
    }
}

/// Rejects ranks that the run cannot have: a typing error. Ranks of its world that were not recorded are listed in the
/// report.
fn check_ranks(args: &Args, run: &Run) -> anyhow::Result<()> {
    let Some(set) = &args.ranks else { return Ok(()) };
    let past = |rank: &Rank| rank.header.world_size.max(rank.rank().saturating_add(1));
    let end = run.ranks.iter().map(past).max().unwrap_or(0).max(0) as u32;
    let unknown: Vec<String> = set
        .stretches()
        .filter(|&(_, last)| last >= end)
        .map(|(first, last)| match first.max(end) {
            first if first == last => first.to_string(),
            first => format!("{first}-{last}"),
        })
        .collect();
    let there_are = || present(run);
    anyhow::ensure!(unknown.is_empty(), "invalid rank(s) {}: {}", unknown.join(","), there_are());
    Ok(())
}

fn present(run: &Run) -> String {
    let mut ranks: Vec<i32> = run.ranks.iter().filter(|r| r.is_recorded() && r.rank() >= 0).map(Rank::rank).collect();
    ranks.sort_unstable();
    match ranks.is_empty() {
        true => "no rank of the run was recorded".into(),
        false => format!("the run has {}", units::ranks(&ranks, 12)),
    }
}

/// A table and the remark about it; for a table without rows, only the remark.
fn by_text(by: By, summary: &Summary, style: Style) -> String {
    let grid = tables::grid(by, summary);
    let remark = tables::remark(by, summary, style);
    let mut lines = if grid.rows.is_empty() && remark.is_some() { Vec::new() } else { grid.text(style) };
    if let Some(remark) = remark {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(style.shorten(&remark, style.width));
    }
    lines.join("\n") + "\n"
}

fn render(args: &Args, report: &Report, style: Style) -> anyhow::Result<String> {
    let summary = &report.summary;
    if args.json {
        let mut text = serde_json::to_string_pretty(report)?;
        text.push('\n');
        return Ok(text);
    }
    if args.csv {
        return Ok(tables::grid(args.by.unwrap_or(By::Call), summary).csv());
    }
    if let (Some(id), Some(explanation)) = (&args.findings, &report.explanation) {
        return page::findings(explanation, id, style);
    }
    Ok(match args.by {
        Some(by) => by_text(by, summary, style),
        None => page::render(report, args.full, style),
    })
}
