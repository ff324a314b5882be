//! The `mpiscope` command: parses arguments, prints text, returns exit codes. All logic is in the crates below. Messages
//! go to stderr, results go to stdout.

mod attend;
mod checking;
mod commands;
mod explained;
mod failure;
mod failure_line;
mod interrupt;
mod memory;
mod places;
mod progress;
mod recording;
mod say;
mod sources;
mod variables;
mod wrap;

use clap::{Parser, Subcommand};

use commands::{
    bench, check, completions, config, ctl, diff, doctor, env, exec, explain, gather, man, place, predict, relay,
    report, run, store, tune, view,
};

const EXIT_CODES: &str = "\
Exit codes:
  run, exec   the exit code of the launcher (run) or program (exec); 128+N if signal N ended it
  check       10 if a certain error or warning was found, otherwise as for run
  others      0 success, 1 completed with problems (see messages)
  2           the request could not be carried out; no program was started";

/// Records, explains, views and checks the MPI of parallel programs.
#[derive(Parser)]
#[command(name = "mpiscope", version, after_help = EXIT_CODES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// Subcommands in the order in which they are typically used.
#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Check(check::Args),
    Exec(exec::Args),
    #[command(hide = true)]
    Relay(relay::Args),
    Report(report::Args),
    View(view::Args),
    Diff(diff::Args),
    Predict(predict::Args),
    Place(place::Args),
    Gather(gather::Args),
    Store(store::Args),
    Ctl(ctl::Args),
    Bench(bench::Args),
    Doctor(doctor::Args),
    Env(env::Args),
    Explain(explain::Args),
    Tune(tune::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

fn main() -> ! {
    memory::share_heaps();
    let code = match Cli::parse().command {
        Command::Run(args) => run::main(args),
        Command::Check(args) => check::main(args),
        Command::Exec(args) => exec::main(args),
        Command::Relay(args) => relay::main(args),
        Command::Report(args) => report::main(args),
        Command::View(args) => view::main(args),
        Command::Diff(args) => diff::main(args),
        Command::Predict(args) => predict::main(args),
        Command::Place(args) => place::main(args),
        Command::Gather(args) => gather::main(args),
        Command::Store(args) => store::main(args),
        Command::Ctl(args) => ctl::main(args),
        Command::Bench(args) => bench::main(args),
        Command::Doctor(args) => doctor::main(args),
        Command::Env(args) => env::main(args),
        Command::Explain(args) => explain::main(args),
        Command::Tune(args) => tune::main(args),
        Command::Config(args) => config::main(args),
        Command::Completions(args) => completions::main(args),
        Command::Man(args) => man::main(args),
    };
    let code = code.unwrap_or_else(|failure| failure.print());
    std::process::exit(code)
}
