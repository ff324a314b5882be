//! Why a program cannot be recorded as asked, and the next thing to type.

use std::io;
use std::path::PathBuf;

use crate::job::Launched;
use crate::settings::SettingsError;
use crate::words;

/// What the user typed, so that an answer can repeat it corrected.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// `run` or `exec`.
    pub verb: &'static str,
    pub ranks: Option<u32>,
    /// The program and its arguments.
    pub program: Vec<String>,
}

impl Asked {
    fn program(&self) -> String {
        words::join(&self.program)
    }

    fn ranks(&self) -> u32 {
        self.ranks.unwrap_or(4)
    }

    fn run(&self, options: &str) -> String {
        let gap = if options.is_empty() { "" } else { " " };
        format!("mpiscope run -n {}{gap}{options} {}", self.ranks(), self.program())
    }

    fn again(&self, options: &str) -> String {
        let words = format!("{options} {}", self.program());
        match (self.verb, self.ranks) {
            ("exec", Some(ranks)) => format!("mpirun -n {ranks} mpiscope exec {words}"),
            ("exec", None) => format!("mpiscope exec {words}"),
            _ => self.run(options),
        }
    }
}

/// A reason not to start. Each ends `mpiscope` with exit code 2 before anything ran.
#[derive(Debug, thiserror::Error)]
pub enum Diagnosis {
    #[error("there is no program '{program}'{}", if *.in_path { " in PATH" } else { "" })]
    ProgramMissing { program: String, in_path: bool },
    #[error("{} cannot be executed: {why}", path.display())]
    NotExecutable { path: PathBuf, why: &'static str },
    #[error("{} is neither an ELF program nor a script with '#!'", path.display())]
    UnknownFormat { path: PathBuf },
    #[error("{} asks for the interpreter '{interpreter}', which is not there", script.display())]
    InterpreterMissing { script: PathBuf, interpreter: String },
    #[error("{} is a {machine} program; this machine is {host}", path.display())]
    ForeignMachine { path: PathBuf, machine: String, host: String },
    #[error("{} is {what}: the system ignores LD_PRELOAD for it, so nothing can be recorded", path.display())]
    Privileged { path: PathBuf, what: &'static str },
    #[error("{} is statically linked{}: no library can be preloaded into it",
        path.display(), if *.holds_mpi { " with its MPI" } else { "" })]
    Static { path: PathBuf, holds_mpi: bool },
    #[error("{} holds its MPI itself (linked statically): its MPI calls cannot be intercepted", path.display())]
    StaticMpi { path: PathBuf },
    #[error("{} needs libraries that are not found: {}", path.display(), names.join(", "))]
    MissingLibraries { path: PathBuf, names: Vec<String> },
    #[error("{program} maps no MPI library{}", if *.is_script { " (it is a script)" } else { "" })]
    NoMpi { program: String, is_script: bool },
    #[error("two MPI libraries would be mapped: {} and {}", first.display(), second.display())]
    MixedMpi { first: PathBuf, second: PathBuf },
    #[error("{} has no mpi4py, so no MPI is known for this Python program", python.display())]
    Mpi4pyMissing { python: PathBuf },
    #[error("{} could not say which MPI its mpi4py maps: {why}", python.display())]
    PythonFailed { python: PathBuf, why: String },
    #[error("{} could not be examined: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("{} is not an MPI library: it does not define PMPI_Init", path.display())]
    NotAnMpi { path: PathBuf },
    #[error("no mpirun belongs to this program's MPI, {mpi}")]
    LauncherMissing { mpi: String, looked: Vec<PathBuf>, packages: &'static [&'static str] },
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("the launcher '{word}' was not found in PATH")]
    LauncherNotFound { word: String },
    #[error("'{launcher}' alone starts no job")]
    LauncherIncomplete { launcher: String, subcommand: &'static str },
    #[error("the launcher is not a command line: {0}")]
    LauncherText(#[from] words::Unclosed),
    #[error("'{launcher}' is a launcher; mpiscope has to know the program it launches")]
    WrongOrder { launcher: String, program: Vec<String>, ranks: Option<u32> },
    #[error("this already runs under a launcher ({}): every rank would start a job of its own", launched.variable)]
    InsideLauncher { launched: Launched },
    #[error("how many ranks? {}", match given { Some(text) => format!("'{text}' is not a number above 0"), None => "-n is missing".into() })]
    Ranks { given: Option<String> },
    #[error("{} exists", path.display())]
    RunExists { path: PathBuf },
    #[error("{} is no run (it has no run.json), so --force does not remove it", path.display())]
    NotARun { path: PathBuf },
    #[error("the directory {} of mpiscope run cannot be entered here: {source}", path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("the directory {} does not exist", parent.display())]
    ParentMissing { parent: PathBuf },
    #[error("the run directory {} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("another process has been replacing this run for too long: {}", lock.display())]
    LockStuck { lock: PathBuf },
    #[error("the collector, libmpiscope.so, was not found")]
    LibraryMissing { looked: Vec<PathBuf> },
    #[error("the collector, which this mpiscope carries, cannot be kept in {}: {source}", dir.display())]
    LibraryNotUnpacked { dir: PathBuf, source: io::Error },
    #[error("{}: a path with a space or a colon cannot stand in LD_PRELOAD", path.display())]
    LibraryPathUnusable { path: PathBuf },
    #[error("{program} could not be started: {source}")]
    Start { program: String, source: io::Error },
}

impl Diagnosis {
    /// Whether only the MPI is unknown, and the program could be recorded all the same.
    pub fn leaves_mpi_open(&self) -> bool {
        matches!(
            self,
            Self::NoMpi { .. } | Self::Mpi4pyMissing { .. } | Self::PythonFailed { .. } | Self::Unreadable { .. }
        )
    }

    /// The same about a run directory as the user wrote it, not as it was resolved.
    pub fn about(self, given: &std::path::Path) -> Self {
        let given = given.to_owned();
        match self {
            Self::RunExists { .. } => Self::RunExists { path: given },
            Self::NotARun { .. } => Self::NotARun { path: given },
            Self::Unwritable { source, .. } => Self::Unwritable { path: given, source },
            other => other,
        }
    }

    /// Where mpiscope looked, one path a line.
    pub fn looked(&self) -> &[PathBuf] {
        match self {
            Self::LauncherMissing { looked, .. } | Self::LibraryMissing { looked } => looked,
            _ => &[],
        }
    }

    /// Commands that would get further, the likeliest first.
    pub fn next_steps(&self, asked: &Asked) -> Vec<String> {
        let program = || asked.program();
        match self {
            Self::ProgramMissing { in_path: true, program: name } => {
                let rest = words::join(&asked.program[asked.program.len().min(1)..]);
                vec![
                    format!(
                        "mpiscope {} {}./{name} {rest}",
                        asked.verb,
                        match asked.verb {
                            "run" => format!("-n {} ", asked.ranks()),
                            _ => String::new(),
                        }
                    )
                    .trim_end()
                    .to_owned(),
                ]
            }
            Self::ProgramMissing { program, .. } => vec![format!("ls -l {program}")],
            Self::NotExecutable { path, .. } => vec![format!("chmod +x {}", path.display())],
            Self::UnknownFormat { path } => vec![
                format!("file {}", path.display()),
                asked.again(&format!("/bin/sh {}", path.display())).trim_end_matches(&program()).trim_end().to_owned(),
            ],
            Self::InterpreterMissing { script, .. } => {
                vec![format!("head -1 {}", script.display())]
            }
            Self::ForeignMachine { path, .. } => vec![format!("file {}", path.display())],
            Self::Privileged { path, .. } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                vec![format!("cp {} {name}.plain   # a copy has no privileges; record that", path.display())]
            }
            Self::Static { .. } => vec!["mpicc … -o PROG   # link again without -static".into()],
            Self::StaticMpi { .. } => {
                vec!["mpicc … -o PROG   # link again with the shared MPI library (libmpi.so, not .a)".into()]
            }
            Self::MissingLibraries { path, .. } => vec![
                format!("ldd {}", path.display()),
                format!("LD_LIBRARY_PATH=DIR {}", asked.again("").replace("  ", " ")),
            ],
            Self::NoMpi { .. } => vec![
                format!("{}   # if it opens an MPI by itself", asked.run("--launcher mpirun")),
                format!("mpiscope doctor {}", asked.program.first().map_or("", |word| word)),
            ],
            Self::MixedMpi { .. } => vec![
                format!("ldd {}", asked.program.first().map_or("", |word| word)),
                "mpicc … -o PROG   # build the program and its libraries with one MPI".into(),
            ],
            Self::Mpi4pyMissing { python } => {
                vec![format!("{} -m pip install mpi4py", python.display()), asked.run("--launcher mpirun")]
            }
            Self::PythonFailed { python, .. } => {
                vec![format!("{} -c 'from mpi4py import MPI'", python.display()), asked.run("--launcher mpirun")]
            }
            Self::Unreadable { path, .. } => vec![format!("file {}", path.display())],
            Self::NotAnMpi { .. } => vec!["mpiscope doctor".into()],
            Self::LauncherMissing { packages, .. } => {
                let mut steps: Vec<String> = packages.iter().map(|package| (*package).to_owned()).collect();
                steps.push(asked.run("--launcher /path/to/mpirun"));
                steps
            }
            Self::LauncherNotFound { .. } | Self::LauncherText(_) => {
                vec![asked.run("--launcher \"srun --mpi=pmix\""), "mpiscope doctor".into()]
            }
            Self::WrongOrder { launcher, program, ranks } => {
                let count = ranks.or(asked.ranks).unwrap_or(4);
                let program = match program.is_empty() {
                    true => "./a.out".into(),
                    false => words::join(program),
                };
                vec![
                    format!("mpiscope run -n {count} {program}"),
                    format!("{launcher} -n {count} mpiscope exec {program}"),
                ]
            }
            Self::InsideLauncher { .. } => vec![
                format!("mpirun -n {} mpiscope exec {}", asked.ranks(), program()),
                format!("{}   # without mpirun before it", asked.run("")),
            ],
            Self::Settings(error) => error.next_steps(),
            Self::LauncherIncomplete { launcher, subcommand } => {
                vec![asked.again(&format!("--launcher '{launcher} {subcommand}'"))]
            }
            Self::Ranks { .. } => vec![format!("mpiscope run -n 4 {}", program())],
            Self::RunExists { path } => vec![
                format!("mpiscope report {}", path.display()),
                asked.again("--force"),
                asked.again("-o NEW.mpiscope"),
            ],
            Self::NotARun { .. } => vec![asked.again("-o NEW.mpiscope")],
            Self::ParentMissing { parent } => vec![format!("mkdir -p {}", parent.display())],
            Self::Unwritable { .. } => vec![asked.again("-o /tmp/NEW.mpiscope")],
            Self::LockStuck { lock } => vec![format!("rmdir {}", lock.display())],
            Self::LibraryMissing { .. } => vec![
                "cargo build --release   # puts libmpiscope.so beside mpiscope".into(),
                format!("MPISCOPE_LIBRARY=/path/to/libmpiscope.so {}", asked.again("").replace("  ", " ")),
            ],
            Self::LibraryNotUnpacked { .. } => {
                vec![format!(
                    "XDG_CACHE_HOME=DIRECTORY {}   # one that you can write to",
                    asked.again("").replace("  ", " ")
                )]
            }
            Self::LibraryPathUnusable { path } => {
                vec![format!("cp '{}' /tmp/ && export MPISCOPE_LIBRARY=/tmp/libmpiscope.so", path.display())]
            }
            Self::Directory { .. } => vec!["cd to a directory that all nodes share, then mpiscope run …".into()],
            Self::Start { .. } => vec!["mpiscope doctor PROG".into()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Asked {
        Asked { verb: "run", ranks: Some(8), program: vec!["./a.out".into(), "x y".into()] }
    }

    #[test]
    fn wrong_order_is_answered_with_both_right_ones() {
        let error = Diagnosis::WrongOrder {
            launcher: "mpirun".into(),
            program: vec!["./a.out".into(), "-v".into()],
            ranks: Some(4),
        };
        assert_eq!(
            error.next_steps(&asked()),
            ["mpiscope run -n 4 ./a.out -v", "mpirun -n 4 mpiscope exec ./a.out -v"]
        );
    }

    #[test]
    fn a_run_that_exists_can_be_read_or_replaced() {
        let error = Diagnosis::RunExists { path: "a.out.mpiscope".into() };
        assert_eq!(error.to_string(), "a.out.mpiscope exists");
        assert_eq!(
            error.next_steps(&asked()),
            [
                "mpiscope report a.out.mpiscope",
                "mpiscope run -n 8 --force ./a.out 'x y'",
                "mpiscope run -n 8 -o NEW.mpiscope ./a.out 'x y'",
            ]
        );
        let exec = Asked { verb: "exec", ..asked() };
        assert_eq!(error.next_steps(&exec)[1], "mpirun -n 8 mpiscope exec --force ./a.out 'x y'");
        let alone = Asked { ranks: None, ..exec };
        assert_eq!(error.next_steps(&alone)[1], "mpiscope exec --force ./a.out 'x y'");
    }

    #[test]
    fn the_number_of_ranks_is_asked_for() {
        let error = Diagnosis::Ranks { given: Some("0".into()) };
        assert_eq!(error.to_string(), "how many ranks? '0' is not a number above 0");
        let error = Diagnosis::Ranks { given: None };
        assert_eq!(error.to_string(), "how many ranks? -n is missing");
        assert_eq!(error.next_steps(&asked()), ["mpiscope run -n 4 ./a.out 'x y'"]);
    }

    #[test]
    fn a_missing_program_in_path_may_lie_here() {
        let error = Diagnosis::ProgramMissing { program: "a.out".into(), in_path: true };
        assert_eq!(error.to_string(), "there is no program 'a.out' in PATH");
        let asked = Asked { program: vec!["a.out".into(), "1".into()], ..asked() };
        assert_eq!(error.next_steps(&asked), ["mpiscope run -n 8 ./a.out 1"]);
    }
}
