//! `mpiscope bench list`.

use std::fmt::Write;

use anyhow::Context;
use mpiscope_bench::EXPERIMENTS;

use crate::failure::Failure;
use crate::say;
use crate::wrap::wrap;

/// List the experiments
#[derive(clap::Args)]
pub struct Args {}

const WIDTH: usize = 80;
const INDENT: usize = 14;

pub fn main(_: &Args) -> Result<i32, Failure> {
    let mut text = String::new();
    for experiment in EXPERIMENTS {
        let _ = writeln!(text, "{}", experiment.id);
        for (name, words) in [
            ("what", experiment.what),
            ("measures", experiment.measures),
            ("parameters", experiment.parameters),
            ("ranks", &format!("at least {}", experiment.fewest_ranks)),
            ("made", if experiment.is_standard { "without names, and if it is named" } else { "only if it is named" }),
            ("source", experiment.source),
        ] {
            for (at, line) in wrap(words, WIDTH - INDENT).iter().enumerate() {
                let _ = writeln!(text, "  {:<12}{line}", if at == 0 { name } else { "" });
            }
        }
    }
    say::result(&text).context("standard output")?;
    Ok(0)
}
