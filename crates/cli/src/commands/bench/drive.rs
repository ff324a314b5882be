//! `mpiscope bench -n N`: starts the ranks, and makes the profile out of what they have measured.

use std::path::Path;

use anyhow::anyhow;
use mpiscope_bench::{BenchError, Further, JOURNAL, Launches, add_problem, check_order, make_profile, possible};
use mpiscope_launch::launcher::{self, LaunchLimits, Launcher};
use mpiscope_launch::supervise::{self, Beside, How, OnDeath};
use mpiscope_launch::{Asked, Diagnosis, job, mpi, shell_words};
use mpiscope_machine::Profile;
use mpiscope_run::topology::Topology;

use super::{Measure, rank, shown};
use crate::failure::{Failure, OrFail};
use crate::progress::Progress;
use crate::say;

const INTERRUPTED: i32 = 130;

pub fn main(args: &Measure) -> Result<i32, Failure> {
    args.check()?;
    let ranks: Option<u32> = args.n.as_deref().and_then(|text| text.parse().ok()).filter(|ranks| *ranks > 0);
    let asked = Asked { verb: "bench", ranks, program: args.experiments.clone() };
    if let Some(launched) = job::launched(&job::own_env).filter(|launched| launched.makes_ranks) {
        let why = format!("a launcher started this process ({}): give --rank to make it a rank", launched.variable);
        return Err(anyhow!("{why}").into());
    }
    let settings = args.settings().or_fail(&asked)?;
    let given = settings.launcher.as_deref().map(Launcher::given).transpose().or_fail(&asked)?;
    let library = match &settings.mpi {
        Some(path) => mpi::named(path).map(|found| found.library),
        None => mpi::of_launcher(given.as_ref()),
    };
    let mut library = library.or_fail(&asked)?;
    let launcher = given.map_or_else(|| launcher::find(&library), Ok).or_fail(&asked)?;
    launcher::complete(&mut library, &launcher);
    let has_ranks = launcher.says_ranks(&job::own_env);
    if ranks.is_none() && (args.n.is_some() || !has_ranks) {
        return Err(Diagnosis::Ranks { given: args.n.clone() }).or_fail(&asked);
    }
    if let Some(ranks) = ranks {
        let ranks = ranks.try_into().unwrap_or(i32::MAX);
        possible(&args.experiments, ranks).map_err(anyhow::Error::from)?;
        args.order.as_deref().map_or(Ok(()), |order| check_order(order, ranks)).map_err(anyhow::Error::from)?;
    }
    args.topology.as_deref().map(Topology::read).transpose().map_err(anyhow::Error::msg)?;
    let directory = args.directory()?;
    let was_there = directory.exists();
    std::fs::create_dir_all(&directory).map_err(|error| anyhow!("cannot create {}: {error}", directory.display()))?;
    // The ranks may start in another directory.
    let directory = std::fs::canonicalize(&directory).unwrap_or(directory);

    let words = rank::words(args, &library.path, &directory);
    let command = command(&launcher, ranks, &words);
    let launching = &command[..command.len() - words.len() - 1];
    say::line(format_args!("{}; {}", library.title(), shell_words::join(launching)));

    // A journal of an earlier job would be taken for this one's.
    let _ = std::fs::remove_file(directory.join(JOURNAL));
    let finished = supervise::supervise(Path::new(&command[0]), &command, &[], OnDeath::Terminate, Beside::default());
    let finished = match finished {
        Ok(finished) => finished,
        Err(source) => return Err(Diagnosis::Start { program: command[0].clone(), source }).or_fail(&asked),
    };
    let (code, mut interrupted) = (finished.shell_code(), finished.interrupted);
    let ended = finished.unblock();
    let why = reason(ended.how);
    if code == 0 && !interrupted && directory.join(JOURNAL).exists() {
        interrupted = further_jobs(args, &launcher, ranks, &words, &directory).map_err(anyhow::Error::from)?;
    }
    let made = if directory.join(JOURNAL).exists() {
        make_profile(&directory, Some(&why))
    } else {
        Err(BenchError::Nothing(directory.clone()))
    };
    let profile = match made {
        Ok(profile) => profile,
        Err(error) => {
            if !was_there {
                let _ = std::fs::remove_dir_all(&directory);
            }
            if matches!(error, BenchError::Failed(_)) {
                // The rank has printed it.
                return Ok(1);
            }
            let error = anyhow::Error::from(error);
            return Err(if code == 0 { error } else { error.context(why) }.into());
        }
    };
    print_problems(&profile, &args.directory_as_given(&directory));
    Ok(match (profile.complete, interrupted) {
        (_, true) => INTERRUPTED,
        (true, false) => 0,
        (false, false) => 1,
    })
}

/// The command line that starts the ranks.
fn command(launcher: &Launcher, ranks: Option<u32>, words: &[String]) -> Vec<String> {
    let mut command = launcher.command(ranks, &launcher::extra_words(launcher, ranks, LaunchLimits::here()));
    let own = std::fs::read_link("/proc/self/exe").unwrap_or_else(|_| "mpiscope".into());
    command.push(own.to_string_lossy().into_owned());
    command.extend_from_slice(words);
    command
}

fn reason(how: How) -> String {
    match how {
        How::Killed(signal) => format!("signal {signal} ended the launcher"),
        How::Exited(code) => format!("the launcher ended with exit code {code}"),
    }
}

/// Starts the short jobs that follow the main one; whether one of them was interrupted. What was measured before is kept.
fn further_jobs(
    args: &Measure,
    launcher: &Launcher,
    ranks: Option<u32>,
    words: &[String],
    directory: &Path,
) -> Result<bool, BenchError> {
    // A launcher whose own words state the number of ranks takes no other.
    let mut launches = Launches::after(args.budget(), &args.experiments, directory, ranks.is_some())?;
    let (mut what, mut progress, mut interrupted) = ("", Progress::new(""), false);
    while let Some(launch) = launches.next() {
        if what != doing(launch.further) {
            what = doing(launch.further);
            std::mem::replace(&mut progress, Progress::new(what)).done();
        }
        progress.at(launches.percent(launch.further), 100);
        let words = [words, &[format!("--further={}", launch.further.name())]].concat();
        let command = command(launcher, ranks.map(|_| launch.ranks), &words);
        let path = Path::new(&command[0]);
        match supervise::supervise(path, &command, &[], OnDeath::Terminate, Beside::default()) {
            Ok(finished) => {
                interrupted = finished.interrupted;
                let how = finished.unblock().how;
                if how != How::Exited(0) {
                    launches.failed(launch, &reason(how));
                }
                if interrupted {
                    launches.interrupted();
                }
            }
            Err(error) => launches.failed(launch, &error.to_string()),
        }
    }
    progress.done();
    launches.problems().into_iter().try_for_each(|text| add_problem(directory, text))?;
    Ok(interrupted)
}

fn doing(further: Further) -> &'static str {
    match further {
        Further::Start => "measuring fewer ranks in further jobs",
        Further::Level(_) => "measuring levels of threads in further jobs",
    }
}

/// Prints what spoils the numbers of a profile, and the command that shows it.
pub fn print_problems(profile: &Profile, directory: &Path) {
    for problem in &profile.problems {
        say::warning(problem);
    }
    say::line(format_args!("next: mpiscope bench report {}", shown(directory)));
}

impl Measure {
    /// The directory as the user wrote it.
    fn directory_as_given(&self, directory: &Path) -> std::path::PathBuf {
        match (&self.output, directory.file_name()) {
            (Some(given), _) => given.clone(),
            (None, Some(name)) => name.into(),
            (None, None) => directory.into(),
        }
    }
}
