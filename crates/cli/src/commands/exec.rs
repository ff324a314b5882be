//! `mpiscope exec`: runs and records one rank, between its launcher and its program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mpiscope_launch::cores::{self, Sampling};
use mpiscope_launch::env::{self, ChildEnv};
use mpiscope_launch::host_leader::{Beside, LeaderConfig};
use mpiscope_launch::instrumented::{self, NoRaces, Obstacle, Races};
use mpiscope_launch::manifest::{self, Manifest};
use mpiscope_launch::options::{Settings, Yield, format_size};
use mpiscope_launch::run_dir::{self, Entered, RunDir};
use mpiscope_launch::spool::{self, Gathered, Spool};
use mpiscope_launch::supervise::{self, OnDeath};
use mpiscope_launch::{
    Asked, Diagnosis, copy_speed, exit_record, host, job, launcher, library, node, program, shell_words,
};
use mpiscope_records::ConfigNote;

use crate::attend;
use crate::commands::relay;
use crate::failure::{Failure, OrFail};
use crate::failure_line;
use crate::places;
use crate::recording::Recording;
use crate::say;

/// Record one rank under any launcher: mpirun -n 4 mpiscope exec ./a.out
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    recording: Recording,

    /// Id of the run that `mpiscope run` has made
    #[arg(long, hide = true, value_name = "ID", requires = "output")]
    in_run: Option<String>,

    /// Directory to start the program in, for launchers that start it elsewhere
    #[arg(long, hide = true, value_name = "DIR")]
    directory: Option<PathBuf>,

    /// Collector library
    #[arg(long, hide = true, env = "MPISCOPE_LIBRARY", hide_env_values = true)]
    library: Option<PathBuf>,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM", value_hint = clap::ValueHint::CommandWithArguments)]
    program: Vec<String>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let asked = Asked { verb: "exec", ranks: job::size(&job::own_env), program: args.program.clone() };
    if launcher::is_launcher(&args.program) {
        let (ranks, program) = launcher::take_apart(&args.program);
        let launcher = args.program[0].clone();
        return Err(Diagnosis::WrongOrder { launcher, program, ranks }).or_fail(&asked);
    }
    if let Some(directory) = &args.directory {
        let entered = std::env::set_current_dir(directory);
        entered.map_err(|source| Diagnosis::Directory { path: directory.clone(), source }).or_fail(&asked)?;
    }
    let mut starts_by_default = false;
    let (mut settings, note) = match args.in_run {
        Some(_) => (args.recording.given_by_run().or_fail(&asked)?, ConfigNote::default()),
        None => {
            let resolved = args.recording.resolve(None).or_fail(&asked)?;
            starts_by_default = resolved.is_default("start");
            (resolved.settings, resolved.note)
        }
    };
    let program = program::inspect(&args.program[0]).or_fail(&asked)?;
    // Does nothing under `run`, which has resolved the places and does not pass the options on.
    places::find(&program, &mut settings, starts_by_default)?;
    let library = library::find(args.library.as_deref()).or_fail(&asked)?;
    let Entered { run, is_part } = enter(&args, &settings, note.clone()).or_fail(&asked)?;
    if run.is_mine {
        let from = note.text().map_or_else(String::new, |text| format!(" (options: {text})"));
        let path = shell_words::join(&[run.path.to_string_lossy()]);
        say::line(format_args!("recording in {path}{from}; afterwards: mpiscope report {path}"));
    }

    let here = host::name();
    if is_part && job::speaks_for_node(&job::own_env) {
        let path = settings.output.as_deref().unwrap_or(Path::new("RUN")).display();
        say::warning(format_args!(
            "{here} cannot access {path}: its files are kept in {}, and mpiscope run fetches them at the end",
            run.path.display()
        ));
    }
    let local = job::local_ranks(&job::own_env);
    let needed = settings.collector.buffer_bytes.saturating_mul(local);
    let spool = open_spool(settings.spool.as_deref(), &run, &here, needed);
    // A report works without what cannot be determined here.
    let _ = node::write_once(&run.path, &here);
    let runtime = instrumented::runtime(&program, &library, &settings).unwrap_or_else(|obstacle| {
        // `mpiscope run` has already reported it.
        if run.is_mine {
            report_instrumented(&Err(obstacle));
        }
        None
    });
    let races = instrumented::races(&program, &library, &settings);
    if run.is_mine {
        report_races(races.as_ref(), &run.path);
    }
    let races = races.and_then(Result::ok);
    let yielding = match settings.give_way {
        Yield::On => library::yielding(&library),
        Yield::Off => None,
    };
    if settings.give_way == Yield::On && yielding.is_none() && job::speaks_for_node(&job::own_env) {
        let path = library.with_file_name(env::YIELD_NAME);
        say::warning(format_args!(
            "{} is missing: --yield has no effect; install it beside the collector",
            path.display()
        ));
    }
    let child = ChildEnv {
        library: &library,
        runtime: runtime.as_deref(),
        yielding: yielding.as_deref(),
        races: races.as_ref(),
        run_dir: &run.path,
        run_id: &run.run_id,
        spool: &spool.dir,
        settings: &settings,
    };
    let set = child.variables(std::env::var_os(env::LD_PRELOAD).as_deref());
    let judge = args.in_run.is_some() && !settings.collector.check.is_none() && !is_part;
    if judge && job::speaks_for_node(&job::own_env) && Manifest::read(&run.path).is_ok_and(|made| made.host != here) {
        // If it cannot be started, the events of this host's ranks are read after they have ended.
        let _ = relay::start(&run.path, &run.run_id, settings.spool.as_deref());
    }
    let (mut beside, mut sampling) = (None, None);
    let plan = plan(&run, &here, is_part, &settings);
    let cores = cores::SamplerConfig {
        run: run.path.clone(),
        run_id: run.run_id.clone(),
        host: here.clone(),
        gives_way: yielding.is_some(),
    };
    let begin = |pid| {
        sampling = Sampling::start(cores, pid);
        beside = Beside::start(plan);
    };
    let hooks = supervise::Beside {
        started: Some(Box::new(begin)),
        signal: settings
            .signal
            .number()
            .map(|signal| (signal, Box::new(attend::toggle(&run.path)) as Box<dyn FnMut(u32)>)),
        // What a rank writes goes straight to its launcher: bytes between both would be lost when the launcher kills `exec`.
        keeps_stderr: false,
        hears: None,
    };
    let finished = supervise::supervise(&program.path, &args.program, &set, OnDeath::Kill, hooks);
    if let Some(sampling) = sampling {
        sampling.end();
    }
    if let Some(beside) = beside {
        beside.end();
    }
    let finished = match finished {
        Ok(finished) => finished,
        Err(source) => {
            spool.close(&run, &here);
            let program = args.program[0].clone();
            return Err(Diagnosis::Start { program, source }).or_fail(&asked);
        }
    };

    let record = exit_record::of_process(&here, &finished.ended);
    if let Err(error) = record.write(&run.ranks()) {
        say::warning(format_args!(
            "cannot write the exit record of process {} to {}: {error}",
            finished.ended.pid,
            run.path.display()
        ));
    }
    let done = spool.close(&run, &here);
    // Measured last, when all data is safe, and never after a failure. A report without it only has fewer details.
    if job::speaks_for_node(&job::own_env) {
        let ended_well = finished.ended.how.exit_code() == Some(0);
        let measure =
            || if ended_well { copy_speed::measure() } else { Err("the program did not end with exit code 0") };
        let _ = node::add_copy_speed(&run.path, &here, measure);
    }
    // On this host, `mpiscope run` tries again when all ranks have ended and then reports what it finds.
    let run_will_report =
        args.in_run.is_some() && Manifest::read(&run.path).is_ok_and(|manifest| manifest.host == here);
    if !run_will_report {
        report_kept(&done, &run);
    }
    if args.in_run.is_none() {
        failure_line::of_rank(&run.path, finished.ended.how, record.launched_rank);
    }
    finished.end_alike()
}

/// Reports whether the memory accesses of a program compiled with `-fsanitize=thread` are checked.
pub fn report_instrumented(runtime: &Result<Option<PathBuf>, Obstacle>) {
    match runtime {
        Ok(None) => {}
        Ok(Some(_)) => say::line(format_args!(
            "compiled with -fsanitize=thread: accesses to buffers in flight are checked, data races between threads are not"
        )),
        Err(obstacle) => say::warning(format_args!(
            "compiled with -fsanitize=thread, but accesses to buffers are not checked: {obstacle}"
        )),
    }
}

/// Reports whether and where `--thread-races` has an effect.
pub fn report_races(races: Option<&Result<Races, NoRaces>>, run: &Path) {
    match races {
        None => {}
        Some(Ok(races)) => {
            let log = run.join(env::RACES_LOG);
            say::line(format_args!(
                "the compiler's runtime detects data races between threads; its reports: {}.PID",
                shell_words::join(&[log.to_string_lossy()])
            ));
            if races.openmp.is_none() {
                say::warning(format_args!(
                    "{} is missing beside the collector: accesses that GCC's OpenMP orders may be reported as races",
                    env::OPENMP_NAME
                ));
            }
        }
        Some(Err(why)) => say::warning(format_args!("--thread-races has no effect: {why}")),
    }
}

/// What this `exec` does besides running its rank if the job runs on several hosts.
fn plan(run: &RunDir, here: &str, is_part: bool, settings: &Settings) -> LeaderConfig {
    let seconds = settings.clock_rounds.0;
    LeaderConfig {
        run: run.path.clone(),
        run_id: run.run_id.clone(),
        host: here.to_owned(),
        // Other hosts cannot read what a leader writes into a part.
        several: if is_part { Some(false) } else { job::is_on_several_hosts(&job::own_env) },
        rounds: (seconds > 0).then(|| Duration::from_secs(seconds.into())),
        attendant: attend::attendant(&run.path),
    }
}

/// The run that `mpiscope run` created, or the one that the ranks of another launcher agree on.
fn enter(args: &Args, settings: &Settings, note: ConfigNote) -> Result<Entered, Diagnosis> {
    let output = settings.output.clone();
    if let (Some(id), Some(path)) = (&args.in_run, &output) {
        return run_dir::enter(path, id, &args.program, &settings.collector);
    }
    let path = output.unwrap_or_else(|| run_dir::default_name(&args.program));
    let key = job::job_key(&job::own_env);
    let mut manifest = manifest::of_new_run(args.program.clone(), settings.collector.clone(), key.text.clone());
    manifest.config = note;
    let run = run_dir::create_or_join(&path, &manifest, &key, args.recording.force);
    run.map(|run| Entered { run, is_part: false }).map_err(|error| error.about(&path))
}

fn open_spool(given: Option<&Path>, run: &RunDir, here: &str, needed_bytes: u64) -> Spool {
    spool::open(run, here, given, needed_bytes).unwrap_or_else(|error| {
        // The ranks of a node share its memory: one of them reports it.
        if job::speaks_for_node(&job::own_env) {
            say::warning(format_args!(
                "cannot place live buffers of {} in {}: {error}; using the run's directory",
                format_size(needed_bytes),
                given.map_or_else(|| "shared memory".into(), |dir| dir.display().to_string()),
            ));
        }
        Spool::in_run(run)
    })
}

/// Reports where files are that could not be moved into the run.
pub fn report_kept(done: &Gathered, run: &RunDir) {
    for kept in &done.kept {
        say::warning(format_args!("a rank file could not be moved into {}: {}", run.path.display(), kept.why));
        say::more(format_args!("it remains at {}", kept.path.display()));
        say::more(format_args!("try: free some space, then mpiscope report {}", run.path.display()));
    }
}
