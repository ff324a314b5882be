//! `mpiscope tune`: which settings make this program faster, proved by experiments.

mod answer;
mod experiment;
mod facts;
mod page;
mod predictions;
mod record;
mod state;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use mpiscope_experiments::{Left, Outcome, Search, Verdict};
use mpiscope_launch::launcher::{self, LaunchLimits};
use mpiscope_launch::supervise::How;
use mpiscope_launch::timed::End;
use mpiscope_launch::{Asked, host, program, run_dir, timed};
use mpiscope_tune::{candidates, order};
use mpiscope_units::counted;

use super::run::start::{self, Start, check_order};
use crate::failure::{Failure, OrFail};
use crate::interrupt::Noting;
use crate::recording::{Launching, resolve_launching};
use crate::say;
use answer::Answer;
use experiment::{Experiments, Shown, set_environment};
use record::Recorded;
use state::{FORMAT, State};

const AFTER_HELP: &str = "\
Examples:
  mpiscope tune -n 16 ./a.out
  mpiscope tune -n 16 --budget 1h --same-output ./a.out input
  mpiscope tune -n 16 --dry-run ./a.out       # record once, and list what would be tried
  mpiscope tune --resume a.out.tune           # continue after ^C or the end of the budget

Exit codes:
  0    finished: a set of settings is proved to be faster, or none is
  1    the budget ended before the search; what was measured is kept
  2    the program fails without any change, or an invalid option
  130  interrupted; what was measured is kept";

/// Find settings that make a program faster: candidates from a recorded run, experiments with the program, the best set with its proof
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Number of ranks
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    n: Option<String>,

    #[command(flatten)]
    launching: Launching,

    /// Directory for the results [default: PROGRAM.tune]
    #[arg(short, long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with = "resume")]
    output: Option<PathBuf>,

    /// Replace DIR if it has results of an earlier search
    #[arg(long)]
    force: bool,

    /// Time for everything, such as 90s, 10m or 2h; a run that is not finished by then is ended
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    budget: Duration,

    /// Most runs of the program, in addition to the recorded one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,

    /// End a run after this time, and refuse its settings [default: 3 times the time without changes, and 5 s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Refuse settings with which the program writes other lines to stdout; their order does not count
    #[arg(long, conflicts_with = "resume")]
    same_output: bool,

    /// Measure the time of this region of the program (of its slowest rank) instead of the whole job's; runs are recorded, without events
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    region: Option<String>,

    /// Measure the time from the end of MPI_Init until so many iterations of the main loop are done, and end the run then: '20 iterations'; runs
    /// are recorded
    #[arg(long, value_name = "N iterations", value_parser = iterations, conflicts_with_all = ["resume", "region", "same_output"])]
    stop_after: Option<u64>,

    /// Record the program once and list what would be tried
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,

    /// Continue the search in DIR, with its program and settings, in the same environment
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with_all = ["n", "force"])]
    resume: Option<PathBuf>,

    /// Print the result as one JSON object (schemas/tune.schema.json)
    #[arg(long)]
    json: bool,

    /// Maximum line length of text, at least 60
    #[arg(long, value_name = "COLUMNS", default_value_t = 80, value_parser = clap::value_parser!(u16).range(60..))]
    width: u16,

    /// The program and its arguments
    #[arg(trailing_var_arg = true, value_name = "PROGRAM", required_unless_present = "resume", conflicts_with = "resume",
        value_hint = clap::ValueHint::CommandWithArguments)]
    program: Vec<String>,
}

/// The exit code after ^C.
const INTERRUPTED: i32 = 130;

pub fn main(args: Args) -> Result<i32, Failure> {
    let begin = Instant::now();
    timed::adopt_orphans();
    let noting = Noting::begin();
    let prepared = match &args.resume {
        Some(directory) => Some(resumed(directory, &args)?),
        None => new(&args, begin, &noting)?,
    };
    let Some((directory, mut state)) = prepared else {
        say::line("interrupted while the program was recorded: nothing was measured");
        return Ok(INTERRUPTED);
    };
    if !args.dry_run {
        search(&args, &directory, &mut state, begin, &noting)?;
    }
    state.used_seconds += begin.elapsed().as_secs_f64();
    state.write(&directory)?;
    if let Some(why) = state.search.broken() {
        if state.search.baseline_s().is_none() {
            return Err(anyhow!("the program does not run without any change: {why}").into());
        }
        say::warning(format_args!("the program failed twice without any change: {why}; the search ends"));
    }
    let answer = Answer::new(&state, args.dry_run);
    answer.write(&directory)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&answer).context("result as JSON")? + "\n",
        false => page::page(&answer, &directory, args.width.into()),
    };
    say::result(&text).context("standard output")?;
    Ok(match noting.is_interrupted() {
        true => INTERRUPTED,
        false => i32::from(!args.dry_run && !state.search.is_complete()),
    })
}

/// A new search: the program is recorded, and candidates are found. `None` after an interruption.
fn new(args: &Args, begin: Instant, noting: &Noting) -> Result<Option<(PathBuf, State)>, Failure> {
    let ranks = args.n.as_deref().and_then(|text| text.parse().ok()).filter(|ranks| *ranks > 0);
    let asked = Asked { verb: "tune", ranks, program: args.program.clone() };
    check_order(&args.program).or_fail(&asked)?;
    let settings = resolve_launching(&args.launching).or_fail(&asked)?;
    let program = program::inspect(&args.program[0]).or_fail(&asked)?;
    let Start { mpi, launcher, ranks } = start::find(args.n.as_deref(), &settings, &program, &asked)?;
    let extra = launcher::extra_words(&launcher, ranks, LaunchLimits::here());
    let directory = state::create(&args.directory(), args.force)?;
    let library = mpi.as_ref().map(|found| &found.library);
    say::line(format_args!(
        "{}; {}; results: {}",
        library.map_or("unknown MPI".to_owned(), |library| library.title()),
        launcher.title(),
        directory.display()
    ));

    let run = directory.join(record::RUN);
    let left = args.budget.saturating_sub(begin.elapsed());
    let recorded = Recorded {
        launcher: &launcher.words,
        ranks,
        library: settings.mpi.as_ref(),
        program: &args.program,
        yields: false,
        is_light: false,
    };
    if !record::first(&recorded, &run, left, noting)? {
        return Ok(None);
    }
    if let Some(region) = &args.region {
        record::region_s(&run, region)?;
    }
    let stop = args.stop_after.map(|iterations| record::stop(&run, iterations)).transpose()?;
    let facts = facts::gather(&directory, &run, library, &launcher, ranks)?;
    facts::write_hints(&directory, &facts)?;
    let mut found = candidates(&facts);
    let limit = (args.budget / 10).max(Duration::from_secs(2));
    let advice = predictions::ask(&run, &mut found.candidates, limit, noting);
    order(&mut found.candidates);
    let subjects: Vec<String> = found.candidates.iter().map(|candidate| candidate.subject.clone()).collect();
    let seed = u64::from_str_radix(&host::random_id(), 16).unwrap_or(1);
    let state = State {
        format: FORMAT,
        program: args.program.clone(),
        ranks,
        mpi: library.map(|library| library.title()),
        family: facts.target.as_ref().map(|target| target.family),
        launcher: launcher.words,
        ranks_option: launcher_ranks_option(&facts.launcher),
        extra,
        library: settings.mpi.clone(),
        region: args.region.clone(),
        stop,
        working_directory: std::env::current_dir().unwrap_or_default(),
        timeout_seconds: args.timeout.map(|timeout| timeout.as_secs_f64()),
        same_output: args.same_output,
        output: None,
        candidates: found.candidates,
        untried: found.untried,
        advice,
        search: Search::new(subjects, seed),
        used_seconds: 0.0,
    };
    state.write(&directory)?;
    Ok(Some((directory, state)))
}

/// How this launcher is given the number of ranks.
fn launcher_ranks_option(words: &[String]) -> String {
    let launcher = launcher::Launcher { words: words.to_vec(), vendor: None, version: None };
    launcher.style().ranks.to_owned()
}

/// A search that is continued.
fn resumed(directory: &Path, args: &Args) -> anyhow::Result<(PathBuf, State)> {
    let mut state = State::read(directory)?;
    if let Some(why) = state.search.broken() {
        bail!("{}: there is nothing to resume: the program failed without any change: {why}", directory.display());
    }
    if let Some(timeout) = args.timeout {
        state.timeout_seconds = Some(timeout.as_secs_f64());
    }
    let back = state.search.take_back();
    if back > 0 {
        say::line(format_args!("{} for which the last budget was too small", counted(back as u64, "candidate(s)")));
    }
    std::env::set_current_dir(&state.working_directory)
        .with_context(|| format!("the search's directory {}", state.working_directory.display()))?;
    Ok((directory.to_owned(), state))
}

/// Makes experiments until the search or the budget ends. The state is kept after each of them.
fn search(args: &Args, directory: &Path, state: &mut State, begin: Instant, noting: &Noting) -> anyhow::Result<()> {
    let mut shown = Shown::new(args.budget);
    let mut runs = args.runs.unwrap_or(u64::MAX);
    loop {
        let left = args.budget.saturating_sub(begin.elapsed());
        let Some(set) = state.search.next(Left { seconds: left.as_secs_f64(), runs }) else { break };
        if noting.is_interrupted() {
            break;
        }
        shown.begin(state, &set, begin.elapsed());
        let result = Experiments { state, directory }.run(&set, left, noting)?;
        let Some(done) = result else { break };
        if let (Some(output), true) = (done.output, set.is_empty()) {
            match state.output {
                None => state.output = Some((output.count, output.sum)),
                Some(first) if first != (output.count, output.sum) => {
                    bail!(
                        "--same-output: the program writes other lines from run to run, without any change; \
                         leave the option out"
                    )
                }
                Some(_) => {}
            }
        }
        if let Outcome::Refused { why } = &done.outcome
            && !set.is_empty()
        {
            shown.refused(state, &set, why);
        }
        state.search.add(done.outcome);
        runs -= 1;
        state.write(directory)?;
    }
    shown.end();
    record_best(directory, state, args.budget.saturating_sub(begin.elapsed()), noting)
}

/// After a proof, records the program with the best set, for comparing it with the first run. Without time for it, nothing is lost.
fn record_best(directory: &Path, state: &State, left: Duration, noting: &Noting) -> anyhow::Result<()> {
    let best = Verdict::of(&state.search).best;
    let run = directory.join(record::BEST);
    if best.is_empty() || left.is_zero() || noting.is_interrupted() {
        return Ok(());
    }
    let start = state.start(&best);
    let mut command = state.recorded(&start, false).command(&run)?;
    set_environment(&mut command, &start);
    let done = timed::run(&mut command, left, false, &|| noting.is_interrupted())?;
    if !matches!(done.end, End::Itself(How::Exited(0))) && run.exists() {
        std::fs::remove_dir_all(&run).with_context(|| format!("cannot remove {}", run.display()))?;
    }
    Ok(())
}

impl Args {
    fn directory(&self) -> PathBuf {
        let default = || run_dir::default_name(&self.program).with_extension("tune");
        self.output.clone().unwrap_or_else(default)
    }
}

/// `20 iterations`, `20`.
fn iterations(text: &str) -> Result<u64, String> {
    let number = text.trim().trim_end_matches("iterations").trim_end_matches("iteration").trim();
    let number = number.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("`{text}` is not a number of iterations; write '20 iterations'"))
}

/// `90s`, `10m`, `2h`, `45`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.trim().strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, text.trim().chars().last().unwrap_or('s')),
        None => (text.trim(), 's'),
    };
    let factor = match unit {
        'm' => 60.0,
        'h' => 3600.0,
        _ => 1.0,
    };
    let seconds = number.parse::<f64>().ok().map(|number| number * factor);
    seconds
        .filter(|seconds| (0.1..=1e7).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("`{text}` is not a time; write 90s, 10m or 2h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_numbers() {
        assert_eq!(iterations("20 iterations"), Ok(20));
        assert_eq!(iterations("1 iteration"), Ok(1));
        assert_eq!(iterations("7"), Ok(7));
        for text in ["", "iterations", "-1 iterations", "0 iterations", "20 steps"] {
            assert!(iterations(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("90s", 90.0), ("10m", 600.0), ("2h", 7200.0), ("45", 45.0), ("1.5m", 90.0)] {
            assert_eq!(duration(text), Ok(Duration::from_secs_f64(seconds)));
        }
        for text in ["", "m", "-1s", "0", "1d", "NaN", "inf", "1e99h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
