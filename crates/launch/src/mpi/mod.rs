//! Finds the MPI that a program will load.

mod installed;
mod library;
mod python;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::elf::{ElfError, Image};
use crate::objects;
use crate::program::Program;
use crate::{Diagnosis, program};

pub use installed::{of_launcher, of_this_job};
pub use library::{Family, Library, Vendor, classify, memchr_find};
pub use python::{is_python, probe as probe_python};

/// The MPI of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MpiFound {
    /// The library that defines `PMPI_Init`.
    pub library: Library,
    /// The Python whose mpi4py loads it, for a Python program.
    pub python: Option<PathBuf>,
}

/// Finds the MPI that `program` loads at its start, or why it is unknown.
///
/// # Errors
///
/// If the program loads no MPI or several, is statically linked, misses libraries, or is a Python without mpi4py.
pub fn detect(program: &Program) -> Result<MpiFound, Diagnosis> {
    // A script named like a Python interpreter is a shim (pyenv) that starts one.
    let is_shim = is_python(&program.path);
    if is_shim || is_python(&program.executable) {
        let python = match program.is_script && !is_shim {
            true => &program.executable,
            false => &program.path,
        };
        let mapped = probe_python(python)?;
        return Ok(MpiFound {
            library: only_one(&mapped, &python.to_string_lossy(), program.is_script)?,
            python: Some(python.clone()),
        });
    }
    let path = &program.executable;
    let image = Image::open(path).map_err(|error| unreadable(path, &error))?;
    let interpreter = image.interpreter().map_err(|error| unreadable(path, &error))?;
    let Some(interpreter) = interpreter else {
        let holds_mpi = image.contains_function("PMPI_Init").unwrap_or(false);
        return Err(Diagnosis::Static { path: path.clone(), holds_mpi });
    };
    let listed = objects::list(&interpreter, path)
        .map_err(|error| Diagnosis::Unreadable { path: path.clone(), why: error.to_string() })?;
    if !listed.missing.is_empty() {
        return Err(Diagnosis::MissingLibraries { path: path.clone(), names: listed.missing });
    }
    let name = program.path.to_string_lossy();
    match only_one(&listed.found, &name, program.is_script) {
        // An executable linked with libmpi.a does not export the symbol.
        Err(Diagnosis::NoMpi { .. }) if image.contains_function("PMPI_Init").unwrap_or(false) => {
            Err(Diagnosis::StaticMpi { path: path.clone() })
        }
        Ok(library) => Ok(MpiFound { library, python: None }),
        Err(other) => Err(other),
    }
}

/// An MPI named by the user: a library, or a program linked with one.
///
/// # Errors
///
/// If the file cannot be read, or is neither an MPI nor linked with one.
pub fn named(path: &Path) -> Result<MpiFound, Diagnosis> {
    if let Some(library) = classify(path).map_err(|error| unreadable(path, &error))? {
        return Ok(MpiFound { library, python: None });
    }
    match program::inspect(&path.to_string_lossy()).and_then(|program| detect(&program)) {
        Ok(found) => Ok(found),
        Err(_) => Err(Diagnosis::NotAnMpi { path: path.into() }),
    }
}

fn only_one(paths: &[PathBuf], program: &str, is_script: bool) -> Result<Library, Diagnosis> {
    let mut libraries: Vec<Library> = Vec::new();
    for path in paths {
        // Unreadable files are not the MPI: vdso, deleted files, other formats.
        if let Ok(Some(library)) = classify(path)
            && !libraries.iter().any(|known| known.path == library.path)
        {
            libraries.push(library);
        }
    }
    // A standard-ABI library may be a thin layer over its vendor's library.
    if libraries.len() > 1
        && let Some(index) = libraries.iter().position(|found| found.family == Family::StandardAbi)
    {
        let front = libraries.swap_remove(index);
        match libraries.iter().find(|other| other.vendor != front.vendor && front.vendor.is_some()) {
            Some(other) => {
                return Err(Diagnosis::MixedMpi { first: front.path, second: other.path.clone() });
            }
            None => return Ok(front),
        }
    }
    match libraries.len() {
        0 => Err(Diagnosis::NoMpi { program: program.to_owned(), is_script }),
        1 => Ok(libraries.swap_remove(0)),
        _ => Err(Diagnosis::MixedMpi { first: libraries[0].path.clone(), second: libraries[1].path.clone() }),
    }
}

fn unreadable(path: &Path, error: &ElfError) -> Diagnosis {
    Diagnosis::Unreadable { path: path.into(), why: error.to_string() }
}

#[cfg(test)]
mod tests;
