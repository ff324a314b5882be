//! Finds the MPI that a Python's mpi4py loads, by running that Python.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Diagnosis;
use crate::subprocess::{self, AskError};

const LIMIT: Duration = Duration::from_secs(10);

/// mpi4py loads its MPI when `MPI` is imported; initializing it would fail outside a job on some clusters. `MISSING`
/// distinguishes a missing mpi4py from one that fails to load.
const SCRIPT: &str = "\
import sys
try:
    import mpi4py
except ImportError:
    print('MISSING')
    sys.exit(0)
mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
from mpi4py import MPI
seen = set()
for line in open('/proc/self/maps'):
    parts = line.rstrip('\\n').split(None, 5)
    if len(parts) == 6 and parts[5].startswith('/') and parts[5] not in seen:
        seen.add(parts[5])
        print('MAPPED ' + parts[5])
";

/// Whether an executable is a Python interpreter, by its name: `python`, `python3.12`, `pypy3`.
pub fn is_python(executable: &Path) -> bool {
    let Some(name) = executable.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == 't'))
}

/// The files that a Python has mapped after importing mpi4py's `MPI`.
///
/// # Errors
///
/// If mpi4py is missing, or the Python fails or does not answer in time.
pub fn probe(python: &Path) -> Result<Vec<PathBuf>, Diagnosis> {
    let failed = |why: String| Diagnosis::PythonFailed { python: python.into(), why };
    let answer = subprocess::run_with_limit(Command::new(python).args(["-c", SCRIPT]), LIMIT)
        .map_err(|error: AskError| failed(error.to_string()))?;
    if answer.stdout.lines().next() == Some("MISSING") {
        return Err(Diagnosis::Mpi4pyMissing { python: python.into() });
    }
    let mapped: Vec<PathBuf> =
        answer.stdout.lines().filter_map(|line| line.strip_prefix("MAPPED ")).map(PathBuf::from).collect();
    if mapped.is_empty() {
        // The last line of a traceback is the error.
        let last = answer.stderr.lines().rfind(|line| !line.trim().is_empty());
        return Err(failed(last.unwrap_or("no output").trim().to_owned()));
    }
    Ok(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_are_known_by_name() {
        for name in ["/usr/bin/python3", "python", "python3.12", "python3.13t", "pypy3"] {
            assert!(is_python(Path::new(name)), "{name}");
        }
        for name in ["python3-config", "ipython", "a.out", "/usr/bin/pythonic"] {
            assert!(!is_python(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn answers_of_a_python_are_told_apart() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let fake = |text: &str| {
            let path = dir.path().join("python3");
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            probe(&path)
        };
        assert!(matches!(fake("echo MISSING"), Err(Diagnosis::Mpi4pyMissing { .. })));
        let error = fake("echo 'Traceback' >&2; echo 'RuntimeError: no MPI' >&2; exit 1");
        assert!(error.unwrap_err().to_string().ends_with("RuntimeError: no MPI"));
        assert_eq!(fake("echo 'MAPPED /a b/libmpi.so'").unwrap(), [PathBuf::from("/a b/libmpi.so")]);
    }
}
