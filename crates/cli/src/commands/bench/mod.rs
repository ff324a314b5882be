//! `mpiscope bench`: measures this machine and its MPI.

mod balance;
mod compare;
mod drive;
mod list;
mod rank;
mod report;
mod staircase;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use clap::ValueHint;
use mpiscope_bench::{Further, JOURNAL, chosen};
use mpiscope_launch::options::{Settings, TABLE, parse_size};
use mpiscope_launch::settings::{self, Choice, Typed};
use mpiscope_launch::{Diagnosis, host};
use mpiscope_machine::{FILE, SUFFIX};
use mpiscope_units::counted;

use crate::failure::Failure;

const AFTER_HELP: &str = "\
Examples:
  mpiscope bench -n 2                             # the standard set; writes HOST.machine
  mpiscope bench -n 16 halo fanout                # only these, with more sizes and methods
  mpirun -n 64 mpiscope bench --rank pingpong     # under any launcher, also on several hosts
  mpiscope bench -n 64 pingpong --topology F.toml # a pair of hosts for each number of hops
  mpiscope bench list
  mpiscope bench report HOST.machine
  mpiscope bench compare A.machine B.machine

Exit codes:
  0    measured; the output reports whether the machine was not quiet, or the time budget ended
  1    the job ended early, or a message had wrong bytes: what was measured until then is kept
  2    nothing was measured, or an invalid option
  130  interrupted: what was measured until then is kept";

/// Measure this machine and its MPI: one executable for every MPI, no compiler needed
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[command(flatten)]
    measure: Measure,
}

#[derive(clap::Subcommand)]
enum Verb {
    List(list::Args),
    Report(report::Args),
    Compare(compare::Args),
}

#[derive(clap::Args)]
struct Measure {
    /// Number of ranks
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    n: Option<String>,

    /// MPI library to measure [env: MPISCOPE_MPI] [default: that of the launcher, or of the first launcher in PATH]
    #[arg(long, value_name = "LIBRARY", value_hint = ValueHint::FilePath)]
    mpi: Option<PathBuf>,

    /// Launcher to use, such as "srun --mpi=pmix" [env: MPISCOPE_LAUNCHER] [default: launcher of the MPI]
    #[arg(long, value_name = "COMMAND")]
    launcher: Option<String>,

    /// Directory of the machine profile [default: HOST.machine]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Replace DIR if it is an existing profile
    #[arg(long)]
    force: bool,

    /// Time for all experiments, seconds; what is not yet precise enough by then is reported
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    budget: u32,

    /// Largest message
    #[arg(long, value_name = "SIZE", default_value = "8M", value_parser = max_bytes)]
    max_bytes: usize,

    /// Initialize MPI with MPI_THREAD_MULTIPLE, and measure also what needs several threads
    #[arg(long)]
    threads: bool,

    /// Let the ranks begin each operation of collectives spread over so many microseconds, in a random order
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    skew: Option<u32>,

    /// Also measure placement with the ranks in this order, such as 0,2,1,3
    #[arg(long, value_name = "RANKS", value_delimiter = ',')]
    order: Option<Vec<i32>>,

    /// Measure a pair of hosts for each number of hops in the network that FILE describes (docs/topology.md)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    topology: Option<PathBuf>,

    /// Be one rank: for use after a launcher
    #[arg(long)]
    rank: bool,

    /// The launching mpiscope makes the profile
    #[arg(long, hide = true, requires = "rank")]
    journal_only: bool,

    /// A further job, which measures only this
    #[arg(long, hide = true, requires = "journal_only", value_parser = further)]
    further: Option<Further>,

    /// Experiments, or series of one, such as collectives/allgather [default: the standard set, as far as it is possible with this
    /// number of ranks]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<String>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    match args.verb {
        None if args.measure.rank => rank::main(&args.measure),
        None => drive::main(&args.measure),
        Some(Verb::List(args)) => list::main(&args),
        Some(Verb::Report(args)) => report::main(&args),
        Some(Verb::Compare(args)) => compare::main(&args),
    }
}

/// A count of bytes is an `int`.
fn max_bytes(text: &str) -> Result<usize, String> {
    let bytes = parse_size(text).map_err(|error| error.to_string())?;
    let most = 1 << 30;
    if bytes > most { Err("the largest message is 1G".into()) } else { Ok(bytes as usize) }
}

fn further(name: &str) -> Result<Further, &'static str> {
    Further::named(name).ok_or("no further job has this name")
}

impl Measure {
    /// The options in force: those given here, then the environment, then `mpiscope.toml`.
    fn settings(&self) -> Result<Settings, Diagnosis> {
        let spec = |name: &str| TABLE.iter().find(|spec| spec.name == name);
        let mpi = self.mpi.as_ref().map(|path| path.clone().into_os_string());
        let launcher = self.launcher.as_ref().map(Into::into);
        let given = [("mpi", mpi), ("launcher", launcher)];
        let values = given.into_iter().filter_map(|(name, value)| Some((spec(name)?, value?))).collect();
        let typed = Typed { values, profile: None, config: Choice::Found };
        let here = std::env::current_dir().unwrap_or_default();
        Ok(settings::resolve(&typed, &settings::own_environment, &here)?.settings)
    }

    /// The experiments exist, and options for one of them are given with it.
    fn check(&self) -> anyhow::Result<()> {
        let chosen = chosen(&self.experiments)?;
        for (option, is_given, id) in
            [("--skew", self.skew.is_some(), "collectives"), ("--order", self.order.is_some(), "placement")]
        {
            if is_given && chosen.iter().all(|experiment| experiment.id != id) {
                bail!("{option} is for the experiment {id}: add {id}");
            }
        }
        Ok(())
    }

    fn budget(&self) -> Duration {
        Duration::from_secs(self.budget.into())
    }

    /// The directory of the profile, if it can be written.
    fn directory(&self) -> anyhow::Result<PathBuf> {
        let path = self.output.clone().unwrap_or_else(|| format!("{}.{SUFFIX}", host::name()).into());
        // The launching mpiscope has made it.
        if path.exists() && !self.journal_only {
            let is_profile = path.join(FILE).exists() || path.join(JOURNAL).exists();
            match (is_profile, self.force) {
                (true, true) => {}
                (true, false) => {
                    bail!("{} already exists; use --force to replace it, or -o NEW.{SUFFIX}", path.display())
                }
                (false, true) => bail!("{} is not a machine profile, so --force does not replace it", path.display()),
                (false, false) => bail!("{} already exists; use -o NEW.{SUFFIX}", path.display()),
            }
        }
        Ok(path)
    }
}

/// The distance of two ranks in words.
pub fn distance_text(class: &str, hops: Option<u32>) -> String {
    let hops = hops.map(|hops| format!(", {}", counted(hops.into(), "hop(s)"))).unwrap_or_default();
    format!("{}{hops}", class_text(class))
}

/// The pair class in words.
fn class_text(class: &str) -> &str {
    match class {
        "same-l2" => "same L2",
        "same-l3" => "same L3",
        "same-numa" => "same NUMA node",
        "same-package" => "same package",
        "same-node" => "same host",
        "same-node-not-bound" => "same host, not bound",
        "other-node" => "different hosts",
        other => other,
    }
}

fn shown(path: &Path) -> String {
    mpiscope_launch::shell_words::join(&[path.to_string_lossy()])
}
