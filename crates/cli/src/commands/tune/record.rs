//! The recorded run, from which candidates come.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use mpiscope_launch::options::Settings;
use mpiscope_launch::supervise::How;
use mpiscope_launch::timed::{self, End};

use crate::interrupt::Noting;
use crate::say;

/// In the directory of the search.
pub const RUN: &str = "recorded.mpiscope";

/// Records the program once with `mpiscope run`, in another process: supervising closes the streams of its own. Returns false after
/// an interruption.
pub fn record(
    n: Option<&str>,
    settings: &Settings,
    program: &[String],
    run: &Path,
    left: Duration,
    noting: &Noting,
) -> anyhow::Result<bool> {
    say::line("recording the program once");
    let own = std::fs::read_link("/proc/self/exe").context("this executable")?;
    let mut command = Command::new(own);
    command.arg("run");
    if let Some(n) = n {
        command.args(["-n", n]);
    }
    if let Some(launcher) = &settings.launcher {
        command.args(["--launcher", launcher]);
    }
    if let Some(mpi) = &settings.mpi {
        command.arg("--mpi").arg(mpi);
    }
    command.arg("--force").arg("-o").arg(run).arg("--").args(program);
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
