//! Finds a launcher and determines its implementation.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use super::{Launcher, directories, names, packages};
use crate::mpi::{Library, Vendor};
use crate::{Diagnosis, program, subprocess};

const LIMIT: Duration = Duration::from_secs(5);

/// A launcher of a known implementation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The executable.
    pub path: PathBuf,
    /// The implementation according to its `--version`.
    pub vendor: Vendor,
    /// Such as `4.1.4`; `None` if `--version` shows none.
    pub version: Option<String>,
}

/// The launcher of a library's MPI: the same implementation, if possible the same version, and nearest to the library.
///
/// # Errors
///
/// [`Diagnosis::LauncherMissing`] if neither the library's installation nor `PATH` has one.
pub fn find(library: &Library) -> Result<Launcher, Diagnosis> {
    let (beside, in_path) = directories(&library.path);
    let looked: Vec<PathBuf> = beside.iter().chain(&in_path).cloned().collect();
    let mut second_best = None;
    for (dir, is_beside) in beside.iter().map(|dir| (dir, true)).chain(in_path.iter().map(|dir| (dir, false))) {
        for name in names(library.vendor) {
            let path = dir.join(name);
            if !path.is_file() {
                continue;
            }
            let Some(found) = identify(&path) else {
                continue;
            };
            let same_maker = match library.vendor {
                Some(vendor) => found.vendor == vendor,
                // A standard-ABI library of an unknown implementation: only a launcher beside it can match.
                None => is_beside,
            };
            if !same_maker {
                continue;
            }
            if is_beside && beside.first() == Some(dir) || same_version(&found, library) {
                return Ok(launcher(found));
            }
            second_best.get_or_insert(found);
        }
    }
    second_best.map(launcher).ok_or_else(|| Diagnosis::LauncherMissing {
        mpi: format!("{} ({})", library.title(), library.path.display()),
        looked: without_repeats(looked),
        packages: packages(library.vendor),
    })
}

fn launcher(found: Candidate) -> Launcher {
    Launcher {
        words: vec![found.path.to_string_lossy().into_owned()],
        vendor: Some(found.vendor),
        version: found.version,
    }
}

fn same_version(found: &Candidate, library: &Library) -> bool {
    found.version.is_some() && found.version == library.version
}

/// Takes the version of a library that does not contain it (MPICH's wheels) from its launcher, if both were installed
/// together.
pub fn complete(library: &mut Library, launcher: &Launcher) {
    let prefix = launcher.words.first().and_then(|word| Path::new(word).ancestors().nth(2));
    let together = prefix.is_some_and(|prefix| prefix.parent().is_some() && library.path.starts_with(prefix));
    if library.version.is_none() && launcher.vendor == library.vendor && together {
        library.version.clone_from(&launcher.version);
    }
}

/// Every launcher in `PATH` of a known implementation; of several links to one file, the first.
pub fn installed() -> Vec<Candidate> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for dir in program::search_path() {
        for name in ["mpirun", "mpiexec", "mpirun.mpich", "mpirun.openmpi", "mpiexec.hydra"] {
            let path = dir.join(name);
            let Ok(real) = std::fs::canonicalize(&path) else {
                continue;
            };
            if !seen.contains(&real) {
                seen.push(real);
                found.extend(identify(&path));
            }
        }
    }
    found
}

/// Runs a launcher for its version.
pub fn identify(path: &Path) -> Option<Candidate> {
    let answer = subprocess::run_with_limit(Command::new(path).arg("--version"), LIMIT).ok()?;
    let (vendor, version) = recognise(&answer.stdout).or_else(|| recognise(&answer.stderr))?;
    Some(Candidate { path: path.into(), vendor, version })
}

fn recognise(text: &str) -> Option<(Vendor, Option<String>)> {
    let after = |mark: &str| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let word = rest.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        word.map(|word| word.trim_end_matches(',').to_owned())
    };
    // Intel's launcher is also a Hydra and may print both.
    for mark in ["Intel(R) MPI Library", "Intel MPI"] {
        if text.contains(mark) {
            return Some((Vendor::Intel, after(mark)));
        }
    }
    for mark in ["(Open MPI)", "(OpenRTE)"] {
        if text.contains(mark) {
            return Some((Vendor::OpenMpi, after(mark)));
        }
    }
    text.contains("HYDRA build details").then(|| (Vendor::Mpich, after("Version:")))
}

fn without_repeats(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::Family;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const HYDRA: &str = "HYDRA build details:\n    Version:                                 4.0.2\n";
    const OPEN_MPI: &str = "mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs";

    #[test]
    fn launchers_say_whose_they_are() {
        assert_eq!(recognise(HYDRA), Some((Vendor::Mpich, Some("4.0.2".into()))));
        assert_eq!(recognise(OPEN_MPI), Some((Vendor::OpenMpi, Some("4.1.4".into()))));
        assert_eq!(recognise("mpirun (Open MPI) 5.0.8\n"), Some((Vendor::OpenMpi, Some("5.0.8".into()))));
        assert_eq!(
            recognise("Intel(R) MPI Library for Linux* OS, Version 2021.10 Build 1"),
            Some((Vendor::Intel, Some("2021.10".into())))
        );
        assert_eq!(recognise("slurm 23.02"), None);
    }

    fn fake(dir: &Path, name: &str, text: &str) {
        fs::create_dir_all(dir).unwrap();
        let path = dir.join(name);
        fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{text}\nEND\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn library(path: PathBuf, vendor: Option<Vendor>, version: &str) -> Library {
        Library { path, soname: None, family: Family::Mpich, vendor, version: Some(version.into()) }
    }

    #[test]
    fn the_launcher_beside_the_library_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let (bin, lib) = (dir.path().join("bin"), dir.path().join("lib"));
        fs::create_dir_all(&lib).unwrap();
        fake(&bin, "mpirun", OPEN_MPI);
        fake(&bin, "mpiexec.hydra", HYDRA);
        let file = lib.join("libx.so");
        let found = find(&library(file.clone(), Some(Vendor::Mpich), "9.9")).unwrap();
        assert_eq!(found.words, [bin.join("mpiexec.hydra").to_str().unwrap()]);
        let found = find(&library(file.clone(), Some(Vendor::OpenMpi), "9.9")).unwrap();
        assert_eq!(found.words, [bin.join("mpirun").to_str().unwrap()]);
        let found = find(&library(file.clone(), None, "9.9")).unwrap();
        assert_eq!(found.words, [bin.join("mpirun").to_str().unwrap()]);

        let mut silent = Library { version: None, ..library(file, Some(Vendor::OpenMpi), "") };
        let launcher = find(&silent).unwrap();
        complete(&mut silent, &launcher);
        assert_eq!(silent.version.as_deref(), Some("4.1.4"));
    }

    #[test]
    fn a_missing_launcher_says_what_to_install() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/b/c/d/lib/libx.so");
        let error = find(&library(file, Some(Vendor::Intel), "2021.10"));
        // Only where no Intel MPI is installed.
        if let Err(Diagnosis::LauncherMissing { mpi, looked, packages }) = error {
            assert!(mpi.starts_with("Intel MPI 2021.10 ("));
            assert!(!looked.is_empty());
            assert_eq!(packages, ["pip install impi-rt"]);
        }
    }
}
