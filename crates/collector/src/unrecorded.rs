//! What gets past the recorder, by name: functions of the MPI that it does not know, and who refers to them.

use mpiscope_trace::defs::Definition;

use crate::elf::Object;
use crate::process::Process;
use crate::{elf, visibility};

/// Longest text of one fact; the file keeps no longer ones.
const LONGEST: usize = 4000;

/// Functions of this MPI that nobody wraps, as facts `mpi.not_wrapped`, `mpi.not_wrapped.1`, …: names with blanks
/// between them.
pub fn describe_library(process: &Process) {
    let Some(own) = elf::containing(process.own.0) else { return };
    let mut names: Vec<&str> = Vec::new();
    process.mpi.library.functions(|name| {
        if is_call(name) && !visibility::knows(&own, name) {
            names.push(name);
        }
    });
    names.sort_unstable();
    let mut texts = vec![String::new()];
    for name in names {
        if texts[texts.len() - 1].len() + name.len() >= LONGEST {
            texts.push(String::new());
        }
        let last = texts.len() - 1;
        if !texts[last].is_empty() {
            texts[last].push(' ');
        }
        texts[last] += name;
    }
    let _guard = process.lock();
    for (at, value) in texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        let key = if at == 0 { "mpi.not_wrapped".into() } else { format!("mpi.not_wrapped.{at}") };
        process.file.define(&Definition::Info { key, value });
    }
}

/// `MPI_Send`, `MPIX_Query`; not constants that are functions (`MPI_NULL_COPY_FN`), which are told by capitals.
fn is_call(name: &str) -> bool {
    let rest = name.strip_prefix("MPI_").or_else(|| name.strip_prefix("MPIX_"));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains(|c: char| c.is_ascii_lowercase())
    })
}

/// Functions of this MPI that `object` refers to and that are not seen when it calls them.
pub fn describe(object: &Object, process: &Process) {
    let mpi = process.mpi;
    if object.range == process.own || mpi.parts.iter().any(|p| p.range == object.range) {
        return;
    }
    let Some(own) = elf::containing(process.own.0) else { return };
    let mut seen: Vec<(String, &str)> = Vec::new();
    object.slots(|_, name| {
        let why = if name.starts_with("PMPI_") || name.starts_with("pmpi_") {
            "called by its profiling name"
        } else if name.starts_with("MPIX_") {
            "an extension of this MPI"
        } else if name.starts_with("MPI_") && !visibility::knows(&own, name) {
            "newer than MPI-5.0"
        } else if name.starts_with("mpi_") && name.ends_with('_') && !visibility::knows(&own, name) {
            "a Fortran routine that is not in the table"
        } else {
            return;
        };
        // Predefined callbacks are constants, not calls; data is neither.
        let lower = name.to_ascii_lowercase();
        let constant = ["_fn", "_fn_", "_fn_null", "_fn_null_"].iter().any(|end| lower.ends_with(end));
        let defined = mpi.parts.iter().chain([&mpi.library]).any(|part| part.defines_function(name));
        if !constant && defined && !seen.iter().any(|s| s.0 == name) {
            seen.push((name.to_owned(), why));
        }
    });
    // A profiling library of the program's own stands before us: it gets the calls.
    if object.defines("MPI_Send").is_some() {
        let whose = if object.path.is_empty() { "the program" } else { &object.path };
        let definition =
            Definition::NotIntercepted { name: "MPI_*".into(), why: format!("{whose} has its own MPI_Send") };
        let _guard = process.lock();
        process.file.define(&definition);
    }
    let _guard = process.lock();
    for (name, why) in seen {
        process.file.define(&Definition::NotIntercepted { name, why: why.into() });
    }
}
