//! `mpiscope env`: what is set that concerns MPI, what has no effect and why, what exists.

mod algorithms;
mod list;
mod memory;
mod page;
mod show;

use std::path::{Path, PathBuf};

use anyhow::Context;
use mpiscope_launch::launcher::{self, Launcher};
use mpiscope_launch::mpi::{self, Library};
use mpiscope_launch::options::Settings;
use mpiscope_launch::settings::{self, Choice, Typed};
use mpiscope_launch::{Asked, Diagnosis, program};
use mpiscope_run::{Resolver, Run, Summary};
use mpiscope_tune::algorithms::Mpi;
use mpiscope_tune::{Differences, Report, Target, differences, examine};
use serde::Serialize;

use super::report::live;
use crate::failure::{Failure, OrFail};
use crate::{say, variables};

const AFTER_HELP: &str = "\
Examples:
  mpiscope env ./a.out                       # what is set, and what is wrong with it
  mpiscope env --launcher 'mpirun --mca btl tcp,self' ./a.out
  mpiscope env show eager                    # search names, subjects and texts
  mpiscope env show eager --mpi openmpi@5    # of another MPI
  mpiscope env show eager --all              # of all of them
  mpiscope env list                          # subjects, and the size of each table
  mpiscope env algorithms a.out.mpiscope     # which algorithms a run's collective calls used, by the MPI's rules
  mpiscope env memory a.out.mpiscope         # shared memory that a run's MPI takes, and what its processes had

Exit codes:
  0  nothing is certainly wrong; possible mistakes are listed
  1  mistakes
  2  an invalid option";

/// Show what is set that concerns MPI, what has no effect and why, and what exists
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[command(flatten)]
    here: Here,
}

#[derive(clap::Subcommand)]
enum Verb {
    Show(show::Args),
    List(list::Args),
    Algorithms(algorithms::Args),
    Memory(memory::Args),
}

#[derive(clap::Args)]
struct Here {
    /// Print as JSON (schemas/env.schema.json)
    #[arg(long)]
    json: bool,

    /// MPI library, instead of the program's [env: MPISCOPE_MPI]
    #[arg(long, value_name = "LIBRARY", value_hint = clap::ValueHint::FilePath)]
    mpi: Option<PathBuf>,

    /// Launcher with its options, whose settings are included [env: MPISCOPE_LAUNCHER] [default: launcher of the MPI]
    #[arg(long, value_name = "COMMAND")]
    launcher: Option<String>,

    /// Use only the tables; do not read the library's own list of variables
    #[arg(long)]
    tables_only: bool,

    // For the process that reads the list.
    #[arg(long, hide = true, value_name = "LIBRARY")]
    list_library: Option<PathBuf>,

    /// The program whose MPI is used [default: the MPI of the first launcher in PATH]
    #[arg(trailing_var_arg = true, value_name = "PROGRAM", value_hint = clap::ValueHint::CommandWithArguments)]
    program: Vec<String>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    match args.verb {
        Some(Verb::Show(args)) => show::main(&args),
        Some(Verb::List(args)) => list::main(&args),
        Some(Verb::Algorithms(args)) => algorithms::main(&args),
        Some(Verb::Memory(args)) => memory::main(&args),
        None => match &args.here.list_library {
            Some(library) => variables::print_list(library),
            None => here(&args.here),
        },
    }
}

/// `MPI_THREAD_MULTIPLE`, as recorded.
const MULTIPLE: i32 = 3;

/// A run, its MPI with what was set for it, and its summary.
fn run_of(path: &Path) -> anyhow::Result<(Run, Mpi, Summary)> {
    let run = Run::open(path, &live(path))?;
    let summary = run.summary(|_| true, &Resolver::default());
    let device = run.ranks.iter().find_map(|rank| rank.defs.info("mpi_device"));
    let text = &summary.overview.mpi;
    let target = Target::of_text(text, device).with_context(|| format!("the tables do not have this MPI: {text}"))?;
    let mpi = Mpi {
        target,
        settings: summary.settings.iter().map(|row| (row.key.clone(), row.value.clone())).collect(),
        is_threaded: summary.overview.thread_level.map(|level| level == MULTIPLE),
    };
    Ok((run, mpi, summary))
}

/// The result, for both forms of output.
#[derive(Serialize)]
struct Answer {
    format: u32,
    mpiscope_version: &'static str,
    /// The MPI in use; null if none was found.
    mpi: Option<Library>,
    /// Why none was found.
    mpi_problem: Option<String>,
    #[serde(flatten)]
    report: Report,
    /// Between the table and the library; null if the library was not read.
    differences: Option<Differences>,
    /// Why the library could not be read.
    library_problem: Option<String>,
}

fn here(args: &Here) -> Result<i32, Failure> {
    let asked = Asked { verb: "env", program: args.program.clone(), ..Asked::default() };
    let settings = resolve(args).or_fail(&asked)?;
    let launcher = settings.launcher.as_deref().map(Launcher::given).transpose().or_fail(&asked)?;
    let found = find(&settings, launcher.as_ref(), &args.program);
    let (library, mpi_problem) = match found {
        Ok(library) => (Some(library), None),
        // A program that was named must have an MPI; otherwise everything but the comparison with one is possible.
        Err(error) if !args.program.is_empty() || settings.mpi.is_some() => return Err(error).or_fail(&asked),
        Err(error) => (None, Some(error.to_string())),
    };
    let launcher = launcher.or_else(|| launcher::find(library.as_ref()?).ok());
    let mut input = variables::gather(library.as_ref(), launcher.as_ref());
    let mut library_problem = None;
    if let Some(library) = library.as_ref().filter(|_| !args.tables_only) {
        match variables::ask(&library.path, &input.settings) {
            Ok(list) => input.library = Some(list),
            Err(error) => library_problem = Some(format!("{error:#}")),
        }
    }
    if !args.tables_only {
        input.below = variables::ask_below(&input.settings);
    }
    let version = input.target.as_ref().and_then(|target| Some((target.family, target.version.clone()?)));
    let differences =
        version.zip(input.library.as_ref()).map(|((family, version), list)| differences(family, &version, list));
    let answer = Answer {
        format: 1,
        mpiscope_version: env!("CARGO_PKG_VERSION"),
        mpi: library,
        mpi_problem,
        report: examine(&input),
        differences,
        library_problem,
    };
    let text = match args.json {
        true => serde_json::to_string_pretty(&answer).context("settings as JSON")? + "\n",
        false => page::page(&answer),
    };
    say::result(&text).context("standard output")?;
    Ok(i32::from(answer.report.has_certain()))
}

/// The options that `run` would use: those of this command, the environment and `mpiscope.toml`.
fn resolve(args: &Here) -> Result<Settings, Diagnosis> {
    let values = [("mpi", args.mpi.as_ref().map(Into::into)), ("launcher", args.launcher.as_ref().map(Into::into))];
    let spec = |name: &str| mpiscope_launch::options::TABLE.iter().find(|spec| spec.name == name);
    let given = values.into_iter().filter_map(|(name, value)| Some((spec(name)?, value?)));
    let typed = Typed { values: given.collect(), profile: None, config: Choice::Found };
    let directory = std::env::current_dir().unwrap_or_default();
    Ok(settings::resolve(&typed, &settings::own_environment, &directory)?.settings)
}

/// The MPI as `run` finds it; without a program, that of the launcher.
fn find(settings: &Settings, launcher: Option<&Launcher>, words: &[String]) -> Result<Library, Diagnosis> {
    let mut library = match (&settings.mpi, words.first()) {
        (Some(path), _) => mpi::named(path)?.library,
        (None, Some(name)) => mpi::detect(&program::inspect(name)?)?.library,
        (None, None) => mpi::of_launcher(launcher)?,
    };
    if let Some(own) = launcher.cloned().or_else(|| launcher::find(&library).ok()) {
        launcher::complete(&mut library, &own);
    }
    Ok(library)
}
