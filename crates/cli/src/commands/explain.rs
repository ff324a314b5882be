//! `mpiscope explain`: what the error messages of a job mean.

mod answer;
mod browse;
mod facts;
mod text;

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueHint;
use mpiscope_failures::{Scanner, catalogue};
use mpiscope_launch::run_dir::STDERR;

use super::report::style::Style;
use crate::failure::Failure;
use crate::say;
use answer::Answer;
use facts::Facts;

const AFTER_HELP: &str = "\
Examples:
  mpiscope explain error.log                      # the output of a job
  mpirun -n 4 ./a.out 2>&1 | mpiscope explain
  mpiscope explain a.out.mpiscope                 # a run that mpiscope run recorded
  mpiscope explain list memory                    # messages about memory
  mpiscope explain show openmpi.slots

Exit codes:
  0  explained, or nothing that ended a job was found
  1  something failed, and no message of the catalogue names the reason
  2  a file cannot be read, or an invalid option";

/// Explain the error messages of a job: what they mean, why they happen, what to try
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,

    /// Logs, or a run (a directory such as a.out.mpiscope) [default: standard input, also as -]
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    logs: Vec<PathBuf>,

    /// Print everything as one JSON object (schemas/explain.schema.json)
    #[arg(long)]
    json: bool,

    /// Print all messages with their explanation, not only the most likely cause
    #[arg(long, conflicts_with = "json")]
    all: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,
}

#[derive(clap::Subcommand)]
enum Verb {
    List(browse::ListArgs),
    Show(browse::ShowArgs),
}

/// Exit code if the reason is not known.
const UNEXPLAINED: i32 = 1;

/// Bytes to read at once.
const READ_BYTES: usize = 1 << 20;

pub fn main(args: Args) -> Result<i32, Failure> {
    match args.verb {
        Some(Verb::List(list)) => return browse::list(&list),
        Some(Verb::Show(show)) => return browse::show(&show),
        None => {}
    }
    let standard_input = [PathBuf::from("-")];
    let logs = if args.logs.is_empty() { &standard_input[..] } else { &args.logs[..] };
    let (mut scanner, mut run) = (Scanner::new(catalogue()), None);
    for log in logs {
        if log.is_dir() {
            if run.is_some() {
                return Err(anyhow::anyhow!("only one run can be explained at once").into());
            }
            let facts = Facts::of(log)?;
            let kept = log.join(STDERR);
            if kept.is_file() {
                scan(&mut scanner, &kept)?;
            }
            run = Some(facts);
        } else {
            scan(&mut scanner, log)?;
        }
    }
    let answer = Answer::new(logs, scanner.finish(), run);
    let text = match args.json {
        true => serde_json::to_string_pretty(&answer).context("cannot write JSON")? + "\n",
        false => text::page(&answer, args.all, Style::new(args.width.into(), |key| std::env::var(key).ok())),
    };
    say::result(&text).context("cannot write the explanation")?;
    Ok(if answer.is_unexplained { UNEXPLAINED } else { 0 })
}

/// Reads a log from its beginning to its end.
fn scan(scanner: &mut Scanner, log: &Path) -> anyhow::Result<()> {
    let is_input = log == Path::new("-");
    if is_input && io::stdin().is_terminal() {
        say::line("reading standard input; end it with ^D");
    }
    let mut file: Box<dyn Read> = match is_input {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(log).with_context(|| format!("cannot open {}", log.display()))?),
    };
    scanner.begin_file(&if is_input { "standard input".into() } else { log.to_string_lossy() });
    let mut bytes = vec![0; READ_BYTES];
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(len) => scanner.feed(&bytes[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", log.display())),
        }
    }
}
