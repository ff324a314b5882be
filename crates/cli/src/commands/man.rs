//! `mpiscope man`: manual pages, from the same definitions as `--help`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::Cli;
use crate::failure::Failure;
use crate::say;

/// Print the manual page, or write the manual pages of all commands
#[derive(clap::Args)]
#[command(after_help = "To read it: mpiscope man | man -l -")]
pub struct Args {
    /// Directory for mpiscope.1, mpiscope-run.1 and so on; created if it is missing
    #[arg(value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let Some(dir) = args.dir else {
        let mut page = Vec::new();
        // As `generate_to` does: there is no page about `mpiscope help`.
        Man::new(Cli::command().disable_help_subcommand(true)).render(&mut page).context("manual page")?;
        let page = String::from_utf8(page).context("manual page")?;
        say::result(&page).context("standard output")?;
        return Ok(0);
    };
    fs::create_dir_all(&dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &dir))
        .with_context(|| format!("cannot write manual pages to {}", dir.display()))?;
    Ok(0)
}
