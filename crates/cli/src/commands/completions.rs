//! `mpiscope completions`: what a shell needs to complete command lines of mpiscope.

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::failure::Failure;
use crate::say;

/// Print the completions for a shell
#[derive(clap::Args)]
#[command(after_help = "For this shell alone: source <(mpiscope completions bash)")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    // Into memory first: the generators panic when a reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mpiscope", &mut script);
    let script = String::from_utf8(script).context("completions")?;
    say::result(&script).context("standard output")?;
    Ok(0)
}
