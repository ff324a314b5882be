//! `mpiscope check`: `mpiscope run` with the checker.

use std::os::fd::AsFd;
use std::path::PathBuf;

use anyhow::Context;

use crate::checking::{Only, Suppressions, Wishes};
use crate::commands::run;
use crate::failure::Failure;

/// Check a program's use of MPI while it runs: arguments, deadlocks, races, mismatches, leaks
#[derive(clap::Args)]
pub struct Args {
    /// Report only these classes or rules: arguments, collectives, deadlock, buffering, races, messages, resources,
    /// buffers, rma, io
    #[arg(long, value_name = "LIST", help_heading = "Checking")]
    only: Option<String>,

    // Not a doc comment: its brackets would be links.
    #[arg(help = "File with known findings to ignore, one a line: RULE [FUNCTION [FILE:LINE]]; * matches anything")]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Checking")]
    suppress: Option<PathBuf>,

    /// End the program at the first finding
    #[arg(long, help_heading = "Checking")]
    stop_on_first: bool,

    /// What to do with a program in a deadlock: end it, or wait for a debugger
    #[arg(long, value_name = "end|wait", default_value = "end", value_parser = ["end", "wait"], help_heading = "Checking")]
    on_deadlock: String,

    /// Report a deadlock if no process makes progress for SECONDS; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = 0, help_heading = "Checking")]
    deadlock_timeout: u32,

    /// Print the findings as JSON (schemas/check.schema.json)
    #[arg(long, help_heading = "Checking")]
    json: bool,

    /// Write the findings to FILE as SARIF, for editors and continuous integration
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Checking")]
    sarif: Option<PathBuf>,

    #[command(flatten)]
    run: run::Args,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let list = args.only.as_deref().unwrap_or("all");
    let json = args.json.then(|| std::io::stdout().as_fd().try_clone_to_owned()).transpose();
    let wishes = Wishes {
        only: Only::parse(list)?,
        suppressions: args.suppress.as_deref().map(Suppressions::read).transpose()?.unwrap_or_default(),
        stop_on_first: args.stop_on_first,
        wait_in_deadlock: args.on_deadlock == "wait",
        deadlock_timeout_ns: u64::from(args.deadlock_timeout) * 1_000_000_000,
        json: json.context("cannot duplicate standard output")?.map(std::fs::File::from),
        sarif: args.sarif,
    };
    run::checked(args.run, wishes, list.parse().context("--only")?)
}
