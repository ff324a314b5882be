//! Recorded runs: the first one, from which candidates come, the last one, with the best set, and those of which a part is measured.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use mpiscope_launch::shell_words;
use mpiscope_launch::supervise::How;
use mpiscope_launch::timed::{self, End};
use mpiscope_query::{IterationMark, iteration_mark};
use mpiscope_run::{Resolver, Run};

use super::super::report::live;
use super::state::Stop;
use crate::interrupt::Noting;
use crate::memory::give_back;
use crate::say;

/// The program as it is, in the directory of the search.
pub const RUN: &str = "recorded.mpiscope";
/// The program with the best set.
pub const BEST: &str = "best.mpiscope";

/// What is recorded.
pub struct Recorded<'a> {
    /// The launcher's words.
    pub launcher: &'a [String],
    /// `None` if the launcher has them from elsewhere.
    pub ranks: Option<u32>,
    /// The MPI library that was named, for programs that do not show theirs.
    pub library: Option<&'a PathBuf>,
    pub program: &'a [String],
    /// With `--yield`.
    pub yields: bool,
    /// Only sums, which costs least.
    pub is_light: bool,
}

impl Recorded<'_> {
    /// The command that records into `run`: another process, because supervising closes the streams of its own.
    pub fn command(&self, run: &Path) -> anyhow::Result<Command> {
        let own = std::fs::read_link("/proc/self/exe").context("this executable")?;
        let mut command = Command::new(own);
        command.arg("run").args(["--launcher", &shell_words::join(self.launcher)]);
        if let Some(ranks) = self.ranks {
            command.args(["-n", &ranks.to_string()]);
        }
        if let Some(library) = self.library {
            command.arg("--mpi").arg(library);
        }
        if self.yields {
            command.arg("--yield");
        }
        if self.is_light {
            command.arg("--trace=off");
        }
        command.arg("--force").arg("-o").arg(run).arg("--").args(self.program);
        Ok(command)
    }
}

/// Records the program as it is. Returns false after an interruption.
pub fn first(recorded: &Recorded, run: &Path, left: Duration, noting: &Noting) -> anyhow::Result<bool> {
    say::line("recording the program once");
    let mut command = recorded.command(run)?;
    let done = timed::run(&mut command, left, false, &|| noting.is_interrupted()).context("mpiscope run")?;
    let last = done.stderr.lines().rev().take(5).collect::<Vec<_>>();
    let last = last.into_iter().rev().collect::<Vec<_>>().join("\n  ");
    match done.end {
        End::Itself(How::Exited(0)) => Ok(true),
        End::Interrupted => Ok(false),
        End::TimedOut => bail!("the budget ended while the program was recorded: give more with --budget"),
        End::Itself(How::Exited(code)) => {
            bail!("the program cannot be tuned: its recorded run ended with exit code {code}\n  {last}")
        }
        End::Itself(How::Killed(signal)) => {
            bail!("the program cannot be tuned: signal {signal} ended its recorded run\n  {last}")
        }
    }
}

/// Where a run is ended after so many iterations of the main loop.
pub fn stop(path: &Path, iterations: u64) -> anyhow::Result<Stop> {
    let run = Run::open(path, &live(path))?;
    match iteration_mark(&run, &Resolver::default(), iterations, &mut proceed)? {
        Ok(mark) => Ok(Stop { iterations, function: mark.function, calls: mark.calls }),
        Err(why) => bail!("--stop-after {iterations} iterations: {why}"),
    }
}

impl Stop {
    fn mark(&self) -> IterationMark {
        IterationMark { function: self.function.clone(), calls: self.calls.clone() }
    }

    /// Whether a run that has not ended yet has come there.
    pub fn is_reached(&self, path: &Path) -> bool {
        path.is_dir() && Run::open(path, &live(path)).is_ok_and(|run| self.mark().is_reached(&run))
    }

    /// The time from the end of `MPI_Init` until there, seconds.
    pub fn seconds(&self, path: &Path) -> anyhow::Result<f64> {
        let run = Run::open(path, &live(path))?;
        let found = self.mark().time_ns(&run, &Resolver::default(), &mut proceed)?;
        let ns = found
            .with_context(|| format!("it did not come to iteration {}, or its events are lost", self.iterations))?;
        Ok(ns as f64 / 1e9)
    }
}

fn proceed(_: u64, _: u64) -> ControlFlow<()> {
    give_back();
    ControlFlow::Continue(())
}

/// The time of the slowest rank in a region, given by its path or its name, seconds.
pub fn region_s(run: &Path, region: &str) -> anyhow::Result<f64> {
    let summary = Run::open(run, &live(run))?.summary(|_| true, &Resolver::default());
    let rows = &summary.regions;
    let found = rows.iter().find(|row| row.region == region);
    let found = found.or_else(|| rows.iter().filter(|row| row.name == region).max_by_key(|row| row.time_ns));
    let ns = found.map_or(0, |row| row.time_ns_by_rank.max.value);
    if ns == 0 {
        let mut names: Vec<&str> = rows.iter().map(|row| row.region.as_str()).collect();
        names.truncate(10);
        bail!(
            "the run has no region {region}; it has {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        );
    }
    Ok(ns as f64 / 1e9)
}
