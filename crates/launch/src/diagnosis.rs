//! Why a program cannot be recorded, and what to type next.

use std::io;
use std::path::PathBuf;

use crate::job::Launched;
use crate::launcher;
use crate::mpi::Vendor;
use crate::settings::SettingsError;
use crate::shell_words;

/// What the user typed, so that a message can suggest a corrected command.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// `run`, `exec` or `bench`.
    pub verb: &'static str,
    /// The number of ranks, if given.
    pub ranks: Option<u32>,
    /// The program and its arguments; of `bench` the experiments.
    pub program: Vec<String>,
}

impl Asked {
    fn program(&self) -> String {
        shell_words::join(&self.program)
    }

    fn ranks(&self) -> u32 {
        self.ranks.unwrap_or(4)
    }

    /// The command that starts a job.
    fn starts_job(&self) -> &'static str {
        if self.verb == "bench" { "bench" } else { "run" }
    }

    fn run(&self, options: &str) -> String {
        let gap = if options.is_empty() { "" } else { " " };
        format!("mpiscope {} -n {}{gap}{options} {}", self.starts_job(), self.ranks(), self.program())
            .trim_end()
            .to_owned()
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

/// A reason not to start. Each ends `mpiscope` with exit code 2 before the program starts.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum Diagnosis {
    #[error("program '{program}' not found{}", if *.in_path { " in PATH" } else { "" })]
    ProgramMissing { program: String, in_path: bool },
    #[error("cannot execute {}: {why}", path.display())]
    NotExecutable { path: PathBuf, why: &'static str },
    #[error("{} is neither an ELF program nor a script with '#!'", path.display())]
    UnknownFormat { path: PathBuf },
    #[error("{} needs the interpreter '{interpreter}', which does not exist", script.display())]
    InterpreterMissing { script: PathBuf, interpreter: String },
    #[error("{} is a {machine} program, but this machine is {host}", path.display())]
    ForeignMachine { path: PathBuf, machine: String, host: String },
    #[error("{} is {what}: the system ignores LD_PRELOAD for it, so nothing can be recorded", path.display())]
    Privileged { path: PathBuf, what: &'static str },
    #[error("{} is statically linked{}: no library can be preloaded into it",
        path.display(), if *.holds_mpi { " with its MPI" } else { "" })]
    Static { path: PathBuf, holds_mpi: bool },
    #[error("{} has a statically linked MPI: its MPI calls cannot be intercepted", path.display())]
    StaticMpi { path: PathBuf },
    #[error("{} needs libraries that are not found: {}", path.display(), names.join(", "))]
    MissingLibraries { path: PathBuf, names: Vec<String> },
    #[error("{program} loads no MPI library{}", if *.is_script { " (it is a script)" } else { "" })]
    NoMpi { program: String, is_script: bool },
    #[error("two MPI libraries would be loaded: {} and {}", first.display(), second.display())]
    MixedMpi { first: PathBuf, second: PathBuf },
    #[error("{} has no mpi4py, so the MPI of this Python program is unknown", python.display())]
    Mpi4pyMissing { python: PathBuf },
    #[error("cannot find out which MPI the mpi4py of {} loads: {why}", python.display())]
    PythonFailed { python: PathBuf, why: String },
    #[error("cannot examine {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("{} is not an MPI library: it does not define PMPI_Init", path.display())]
    NotAnMpi { path: PathBuf },
    #[error("no MPI library found on this machine{}", match vendor { Some(vendor) => format!(" for the launcher of {vendor}"), None => String::new() })]
    NoMpiInstalled { vendor: Option<Vendor> },
    #[error("{} MPI libraries are installed, and this job's launcher does not show which is its own: {}", paths.len(),
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))]
    SeveralMpis { paths: Vec<PathBuf> },
    #[error("no launcher (mpirun) found for this program's MPI, {mpi}")]
    LauncherMissing { mpi: String, looked: Vec<PathBuf>, packages: &'static [&'static str] },
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("launcher '{word}' not found in PATH")]
    LauncherNotFound { word: String },
    #[error("'{launcher}' starts no job without a subcommand")]
    LauncherIncomplete { launcher: String, subcommand: &'static str },
    #[error("the launcher is not a valid command line: {0}")]
    LauncherText(#[from] shell_words::Unclosed),
    #[error("'{launcher}' is a launcher; give mpiscope the program that it launches")]
    WrongOrder { launcher: String, program: Vec<String>, ranks: Option<u32> },
    #[error("mpiscope run already runs under a launcher ({}): every rank would start its own job", launched.variable)]
    InsideLauncher { launched: Launched },
    #[error("the number of ranks is {}", match given { Some(text) => format!("invalid: '{text}' is not a number above 0"), None => "missing: give -n".into() })]
    Ranks { given: Option<String> },
    #[error("{} already exists", path.display())]
    RunExists { path: PathBuf },
    #[error("{} is not a run (it has no run.json), so --force does not remove it", path.display())]
    NotARun { path: PathBuf },
    #[error("cannot enter {} on this host, the directory of mpiscope run: {source}", path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("the directory {} does not exist", parent.display())]
    ParentMissing { parent: PathBuf },
    #[error("cannot write the run directory {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("another process has held the lock on this run for too long: {}", lock.display())]
    LockStuck { lock: PathBuf },
    #[error("the collector, libmpiscope.so, was not found")]
    LibraryMissing { looked: Vec<PathBuf> },
    #[error("cannot unpack the collector, which is part of this mpiscope, to {}: {source}", dir.display())]
    LibraryNotUnpacked { dir: PathBuf, source: io::Error },
    #[error("{}: LD_PRELOAD does not allow a path with a space or a colon", path.display())]
    LibraryPathUnusable { path: PathBuf },
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: io::Error },
}

impl Diagnosis {
    /// Whether only the MPI is unknown, so that the program can still be recorded.
    pub fn leaves_mpi_open(&self) -> bool {
        matches!(
            self,
            Self::NoMpi { .. } | Self::Mpi4pyMissing { .. } | Self::PythonFailed { .. } | Self::Unreadable { .. }
        )
    }

    /// The same, with the run directory as the user wrote it instead of the resolved path.
    pub fn about(self, given: &std::path::Path) -> Self {
        let given = given.to_owned();
        match self {
            Self::RunExists { .. } => Self::RunExists { path: given },
            Self::NotARun { .. } => Self::NotARun { path: given },
            Self::Unwritable { source, .. } => Self::Unwritable { path: given, source },
            other => other,
        }
    }

    /// The paths where mpiscope looked.
    pub fn looked(&self) -> &[PathBuf] {
        match self {
            Self::LauncherMissing { looked, .. } | Self::LibraryMissing { looked } => looked,
            _ => &[],
        }
    }

    /// Commands to try next, the most likely first.
    pub fn next_steps(&self, asked: &Asked) -> Vec<String> {
        let program = || asked.program();
        match self {
            Self::ProgramMissing { in_path: true, program: name } => {
                let rest = shell_words::join(&asked.program[asked.program.len().min(1)..]);
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
                vec![format!("cp {} {name}.plain   # record the copy, which has no privileges", path.display())]
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
                format!("{}   # if it loads an MPI at run time", asked.run("--launcher mpirun")),
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
            Self::NoMpiInstalled { vendor } => {
                let mut steps: Vec<String> =
                    launcher::packages(*vendor).iter().map(|package| (*package).to_owned()).collect();
                steps.extend([asked.run("--mpi /path/to/libmpi.so"), "mpiscope doctor".into()]);
                steps
            }
            Self::SeveralMpis { paths } => paths
                .iter()
                .map(|path| format!("mpiscope bench --rank --mpi {} {}", path.display(), program()))
                .collect(),
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
                    false => shell_words::join(program),
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
            Self::Ranks { .. } => {
                vec![format!("mpiscope {} -n 4 {}", asked.starts_job(), program()).trim_end().to_owned()]
            }
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
        assert_eq!(error.to_string(), "a.out.mpiscope already exists");
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
        assert_eq!(error.to_string(), "the number of ranks is invalid: '0' is not a number above 0");
        let error = Diagnosis::Ranks { given: None };
        assert_eq!(error.to_string(), "the number of ranks is missing: give -n");
        assert_eq!(error.next_steps(&asked()), ["mpiscope run -n 4 ./a.out 'x y'"]);
    }

    #[test]
    fn a_missing_program_in_path_may_lie_here() {
        let error = Diagnosis::ProgramMissing { program: "a.out".into(), in_path: true };
        assert_eq!(error.to_string(), "program 'a.out' not found in PATH");
        let asked = Asked { program: vec!["a.out".into(), "1".into()], ..asked() };
        assert_eq!(error.next_steps(&asked), ["mpiscope run -n 8 ./a.out 1"]);
    }
}
