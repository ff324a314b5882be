//! `mpiscope completions`: completion scripts for shells.

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::failure::Failure;
use crate::say;

/// Print a shell's completion script
#[derive(clap::Args)]
#[command(after_help = "For the current shell only: source <(mpiscope completions bash)")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    // Into memory first: the generators panic if the reader closes the pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mpiscope", &mut script);
    let script = String::from_utf8(script).context("completions")?;
    say::result(&script).context("standard output")?;
    Ok(0)
}
