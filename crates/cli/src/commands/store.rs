//! `mpiscope store`: writes a run as Parquet tables.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context;
use mpiscope_query::{QueryError, Stored, store, store_place};
use mpiscope_run::{Resolver, Run};
use mpiscope_store::TableSize;
use serde::Serialize;

use super::report::{live, units};
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::progress::Progress;
use crate::say;

const AFTER_HELP: &str = "\
Read it with Polars, pandas, DuckDB, Spark or Dask (docs/store.md):
  duckdb -c \"select function, sum(calls) from 'a.out.mpiscope/store/calls/*.parquet' group by 1\"

Exit codes:
  0    the store is complete
  1    the store is complete, but files of the run are damaged or missing (see messages)
  2    the store could not be written, or an invalid option
  130  interrupted; the next call resumes where that saves time";

/// Write a run as Parquet tables, for Polars, pandas, DuckDB, Spark or Dask
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The run: a directory such as a.out.mpiscope
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Directory of the store [default: in RUN]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Rebuild the store even if it is up to date
    #[arg(long)]
    force: bool,

    /// Print the result as JSON (schemas/store.schema.json)
    #[arg(long)]
    json: bool,
}

/// The result, as JSON has it.
#[derive(Serialize)]
struct Made {
    format: u32,
    store: PathBuf,
    was_there: bool,
    has_waits: bool,
    tables: Vec<TableSize>,
    problems: Vec<String>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let run = Run::open(&args.run, &live(&args.run)).map_err(anyhow::Error::from)?;
    let place = args.store.clone().unwrap_or_else(|| store_place(&args.run));
    let (noting, mut progress) = (Noting::begin(), Progress::new("writing the store"));
    let made = store(&run, &Resolver::default(), &place, args.force, &mut |done, all| {
        progress.at(done, all);
        if noting.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    progress.done();
    drop(noting);
    let made = match made {
        Err(error @ QueryError::Interrupted { .. }) => {
            say::line(error);
            return Ok(130);
        }
        other => other.map_err(anyhow::Error::from)?,
    };
    let problems: Vec<_> = run.diagnostics.iter().chain(&made.problems).collect();
    for problem in &problems {
        say::warning(&problem.text);
    }
    let is_damaged = problems.iter().any(|p| p.damage);
    let problems = problems.iter().map(|p| p.text.clone()).collect();
    let Stored { manifest, was_there, .. } = made;
    if was_there {
        say::line(format_args!("{} is up to date; --force rebuilds it", place.display()));
    }
    let made =
        Made { format: 1, store: place, was_there, has_waits: manifest.has_waits, tables: manifest.tables, problems };
    let text =
        if args.json { serde_json::to_string_pretty(&made).map_err(anyhow::Error::from)? + "\n" } else { text(&made) };
    say::result(&text).context("cannot write the result")?;
    Ok(is_damaged.into())
}

fn text(made: &Made) -> String {
    let bytes: u64 = made.tables.iter().map(|t| t.bytes).sum();
    let mut text = format!("{}: {}\n", made.store.display(), units::bytes(bytes));
    for table in made.tables.iter().filter(|t| t.rows > 0) {
        let _ = writeln!(text, "  {:<16}{:>14} rows{:>12}", table.name, table.rows, units::bytes(table.bytes));
    }
    text
}
