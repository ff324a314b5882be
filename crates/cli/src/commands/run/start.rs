//! What starts a program: its MPI, the matching launcher and the number of ranks.

use mpiscope_launch::launcher::{self, Launcher};
use mpiscope_launch::mpi::{self, MpiFound};
use mpiscope_launch::options::Settings;
use mpiscope_launch::{Asked, Diagnosis, job, program};

use crate::failure::{Failure, OrFail};
use crate::say;

/// What starts a program.
pub struct Start {
    /// It may remain unknown if a launcher is given.
    pub mpi: Option<MpiFound>,
    pub launcher: Launcher,
    /// `None` if the launcher has them from elsewhere.
    pub ranks: Option<u32>,
}

/// For a program, with `n` as it was typed.
pub fn find(n: Option<&str>, settings: &Settings, program: &program::Program, asked: &Asked) -> Result<Start, Failure> {
    let mut mpi = find_mpi(settings, program).or_fail(asked)?;
    let launcher = find_launcher(settings, mpi.as_ref()).or_fail(asked)?;
    if let Some(found) = &mut mpi {
        launcher::complete(&mut found.library, &launcher);
    }
    let has_ranks = launcher.says_ranks(&job::own_env);
    // The MPI's own launcher inside a batch job: use the number of tasks of the batch job.
    let of_batch = || job::batch_jobs(&job::own_env).first().and_then(|batch| batch.size);
    let ranks = asked.ranks.or_else(|| if n.is_none() && !has_ranks { of_batch() } else { None });
    if ranks.is_none() && (n.is_some() || !has_ranks) {
        return Err(Diagnosis::Ranks { given: n.map(Into::into) }).or_fail(asked);
    }
    Ok(Start { mpi, launcher, ranks })
}

/// Rejects command lines with launcher and mpiscope in the wrong order.
pub fn check_order(words: &[String]) -> Result<(), Diagnosis> {
    if launcher::is_launcher(words) {
        let (ranks, program) = launcher::take_apart(words);
        let launcher = words[0].clone();
        return Err(Diagnosis::WrongOrder { launcher, program, ranks });
    }
    // pbsdsh starts independent programs, each of which may start a job.
    match job::launched(&job::own_env).filter(|launched| launched.makes_ranks) {
        Some(launched) => Err(Diagnosis::InsideLauncher { launched }),
        None => Ok(()),
    }
}

/// The program's MPI. It may remain unknown if a launcher is given.
fn find_mpi(settings: &Settings, program: &program::Program) -> Result<Option<MpiFound>, Diagnosis> {
    if let Some(path) = &settings.mpi {
        return mpi::named(path).map(Some);
    }
    match mpi::detect(program) {
        Ok(found) => Ok(Some(found)),
        Err(error) if settings.launcher.is_some() && error.leaves_mpi_open() => {
            say::warning(format_args!("{error}; continuing because a launcher is given"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn find_launcher(settings: &Settings, mpi: Option<&MpiFound>) -> Result<Launcher, Diagnosis> {
    let Some(text) = &settings.launcher else {
        // Not reached: detection fails earlier if the MPI is unknown.
        let Some(found) = mpi else {
            return Launcher::given("mpirun");
        };
        return launcher::find(&found.library);
    };
    let launcher = Launcher::given(text)?;
    if let (Some(own), Some(other)) = (mpi.and_then(|found| found.library.vendor), launcher.vendor)
        && own != other
    {
        say::warning(format_args!(
            "the launcher belongs to {other}, but the program's MPI is {own}: ranks may not connect to each other"
        ));
    }
    Ok(launcher)
}
