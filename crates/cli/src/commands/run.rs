//! `mpiscope run`: finds the program's MPI and the matching launcher, and records the whole job.

use std::path::Path;

use mpiscope_launch::env::{self, ChildEnv};
use mpiscope_launch::hung_launcher::{self, Watch};
use mpiscope_launch::instrumented;
use mpiscope_launch::launcher::{self, LaunchLimits};
use mpiscope_launch::manifest;
use mpiscope_launch::options::Check;
use mpiscope_launch::run_dir::{self, RunDir};
use mpiscope_launch::supervise::{self, OnDeath};
use mpiscope_launch::{Asked, Diagnosis, Gathered, job, library, outcome, program, shell_words, spool};
use mpiscope_run::{Live, Run};

mod others;
pub mod start;

use super::exec::{report_instrumented, report_kept, report_races};
use super::gather::left;
use crate::attend;
use crate::checking::{Checking, Job, Only, Wishes};
use crate::failure::{Failure, OrFail};
use crate::failure_line::{self, Listening};
use crate::places;
use crate::recording::{Launching, Recording};
use crate::say;
use crate::variables;
use start::{Start, check_order};

/// Record a program; finds its MPI library and the matching launcher
#[derive(clap::Args)]
pub struct Args {
    /// Number of ranks
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    n: Option<String>,

    #[command(flatten)]
    launching: Launching,

    #[command(flatten)]
    recording: Recording,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM", value_hint = clap::ValueHint::CommandWithArguments)]
    program: Vec<String>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let wishes = Wishes::default();
    launch(args, wishes, None)
}

/// Runs the program as `run` does, with the checker.
pub fn checked(args: Args, wishes: Wishes, list: Check) -> Result<i32, Failure> {
    launch(args, wishes, Some(list))
}

fn launch(args: Args, mut wishes: Wishes, list: Option<Check>) -> Result<i32, Failure> {
    let ranks = args.n.as_deref().and_then(|text| text.parse().ok()).filter(|ranks| *ranks > 0);
    let asked = Asked { verb: "run", ranks, program: args.program.clone() };
    check_order(&args.program).or_fail(&asked)?;
    let mut resolved = args.recording.resolve(Some(&args.launching)).or_fail(&asked)?;
    let program = program::inspect(&args.program[0]).or_fail(&asked)?;
    let starts_by_default = resolved.is_default("start");
    if let Some(list) = list {
        // Processes then skip the work that only unselected rules need.
        resolved.settings.collector.check = list;
    } else if !resolved.settings.collector.check.is_none() {
        wishes.only = Only::parse(resolved.settings.collector.check.as_str())?;
    }
    places::find(&program, &mut resolved.settings, starts_by_default)?;
    let settings = &resolved.settings;
    let library = library::find(None).or_fail(&asked)?;
    let Start { mpi, launcher, ranks } = start::find(args.n.as_deref(), settings, &program, &asked)?;

    let place = LaunchLimits::here();
    let extra = launcher::extra_words(&launcher, ranks, place);
    let command = launcher.command(ranks, &extra);
    let path = settings.output.clone();
    let path = path.unwrap_or_else(|| run_dir::default_name(&args.program));
    // The ranks get the run's id on their command line, so the job key is not needed; it is set for readers of the file.
    let mut manifest = manifest::of_new_run(args.program.clone(), settings.collector.clone(), String::new());
    manifest.job_key = format!("run={}", manifest.run_id);
    manifest.launcher = Some(command.clone());
    manifest.config = resolved.note.clone();
    manifest.mpi = mpi.as_ref().map(manifest::mpi_note);
    let run =
        run_dir::create(&path, &manifest, args.recording.force).map_err(|error| error.about(&path)).or_fail(&asked)?;

    let title = mpi.as_ref().map_or("unknown MPI".into(), |found| found.library.title());
    let from = resolved.note.text().map_or_else(String::new, |text| format!("; options: {text}"));
    say::line(format_args!("{title}; {}; run: {}{from}", shell_words::join(&command), shown(&path)));
    if !extra.is_empty() {
        say::line(format_args!(
            "added {}: without it, Open MPI does not start ({} cores here)",
            extra.join(" "),
            place.cores
        ));
    }

    variables::report_mistakes(mpi.as_ref().map(|found| &found.library), &launcher);
    report_instrumented(&instrumented::runtime(&program, &library, settings));
    report_races(instrumented::races(&program, &library, settings).as_ref(), &path);
    let mut arguments = settings.arguments();
    if !launcher.style().keeps_directory {
        arguments.extend(std::env::current_dir().map(|here| format!("--directory={}", here.display())));
    }
    let command = whole_command(command, &args, &run, &library, &arguments);
    // Processes that MPI_Comm_spawn starts inherit the launcher's environment and do not go through `exec`.
    let spool = spool::expected(&run.run_id, settings.spool.as_deref());
    let spawned = ChildEnv {
        library: &library,
        runtime: None,
        yielding: None,
        races: None,
        run_dir: &run.path,
        run_id: &run.run_id,
        spool: &spool,
        settings,
    };
    let set = spawned.variables(std::env::var_os(env::LD_PRELOAD).as_deref());
    let toggle = |signal| (signal, Box::new(attend::toggle_job(&run.path)) as Box<dyn FnMut(u32)>);
    let mut checking = None;
    let job = Job {
        run: &run.path,
        run_id: &run.run_id,
        spool: settings.spool.as_deref(),
        program: &args.program,
        several: launcher.may_leave_host(&job::own_env),
    };
    let mut watch = None;
    let (listening, hears) = Listening::start();
    let is_checked = !settings.collector.check.is_none();
    let begin = |pid| {
        checking = is_checked.then(|| Checking::start(&job, pid, wishes)).flatten();
        if !job.several {
            watch = Watch::start(pid, Path::new(&launcher.words[0]), &run.path, report_hung);
        }
    };
    let hooks = supervise::Beside {
        started: Some(Box::new(begin)),
        signal: settings.signal.number().map(toggle),
        // Error messages are recognised as they pass. An unknown launcher may pass its own stderr to the ranks.
        keeps_stderr: launcher.vendor.is_some(),
        hears: Some(hears),
    };
    let finished = supervise::supervise(Path::new(&command[0]), &command, &set, OnDeath::Terminate, hooks);
    let mut finished = match finished {
        Ok(finished) => finished,
        Err(source) => {
            let program = command[0].clone();
            return Err(Diagnosis::Start { program, source }).or_fail(&asked);
        }
    };
    let was_hung = watch.is_some_and(Watch::end);
    let code = was_hung.then(|| hung_launcher::exit_code(&run.path, ranks.map_or(u64::MAX, u64::from))).flatten();
    let code = code.unwrap_or_else(|| finished.shell_code());
    if code != 0 {
        // The end time of processes without an exit record. Without this file a report only has fewer details.
        let _ = mpiscope_launch::live::note_end(&run.path);
    }
    let stderr = std::mem::take(&mut finished.stderr);
    if let Some(signal) = finished.ended.how.signal() {
        say::line(format_args!("signal {signal} ended the launcher"));
    }
    let mut done = spool::gather_ended(&run.path);
    // From here on ^C ends mpiscope: only waiting for other hosts remains.
    finished.unblock();
    others::gather(&launcher, &extra, &run, &args.program, ranks, &mut done);
    report_kept(&done, &run);
    report_outcome(&run, &path, &done);
    // Ranks whose files are still missing may have reached the places.
    let is_complete = done.alive.is_empty() && done.elsewhere.is_empty() && done.kept.is_empty();
    if is_complete && !settings.collector.places.is_empty() {
        report_places(&run);
    }
    let result = match checking {
        Some(checking) => checking.write_findings(&run.path, code, &stderr),
        None => Ok(code),
    };
    let heard = listening.end();
    if code != 0 {
        failure_line::of_job(&run.path, &shown(&path), &heard);
    }
    result
}

/// The launcher's command line, which starts `mpiscope exec` with all options for each rank.
fn whole_command(
    mut command: Vec<String>,
    args: &Args,
    run: &RunDir,
    library: &Path,
    options: &[String],
) -> Vec<String> {
    let own = std::fs::read_link("/proc/self/exe").unwrap_or_else(|_| "mpiscope".into());
    let text = |path: &Path| path.to_string_lossy().into_owned();
    command.extend([text(&own), "exec".into(), format!("--in-run={}", run.run_id)]);
    command.push(format!("--output={}", text(&run.path)));
    command.push(format!("--library={}", text(library)));
    command.extend_from_slice(options);
    command.push("--".into());
    command.extend_from_slice(&args.program);
    command
}

fn report_hung() {
    say::line("the program has ended, but the launcher has done nothing for 30 s: ending the launcher");
}

fn report_outcome(run: &RunDir, path: &Path, done: &Gathered) {
    let found = outcome::read(&run.path);
    if !done.alive.is_empty() {
        say::warning(format_args!(
            "{} processes of the program still run; their files are collected when they end",
            done.alive.len()
        ));
    }
    for place in &done.elsewhere {
        left(&place.host, &place.dir, &shown(path));
    }
    if let Some(why) = found.why_nothing(done) {
        say::warning(format_args!("nothing was recorded: {why}"));
        say::more(format_args!("try: mpiscope doctor {}", found.program));
    } else {
        let ranks = found.rank_files;
        let plural = if ranks == 1 { "" } else { "s" };
        say::line(format_args!("{ranks} rank{plural} recorded; next: mpiscope report {}", shown(path)));
    }
}

/// Warns about places that no rank reached. `mpiscope report` repeats it.
fn report_places(run: &RunDir) {
    // Files that cannot be read are reported elsewhere: before this, or by `report`.
    let found = Run::open(&run.path, &Live::default());
    for note in found.iter().flat_map(Run::never_reached) {
        say::warning(note.text);
    }
}

/// The path as the user wrote it, quoted for a shell.
fn shown(path: &Path) -> String {
    shell_words::join(&[path.to_string_lossy()])
}
