//! Programs compiled with `-fsanitize=thread`: the runtime that reports their loads and stores to the collector.
//!
//! Such a program needs its compiler's runtime by name. The dynamic loader uses a preloaded library of that name instead, so
//! the compiler's runtime is not loaded. Without checks of buffers this is not needed. With `--thread-races` the compiler's
//! runtime stays, and the collector reports MPI's accesses to it.

use std::path::{Path, PathBuf};

use crate::elf::{ElfError, Image};
use crate::env::{OPENMP_NAME, RUNTIME_NAME};
use crate::library;
use crate::options::{Settings, ThreadRaces};
use crate::program::Program;

/// Names of the compilers' runtimes: GCC `libtsan.so.2` and other numbers, clang `libclang_rt.tsan-x86_64.so` and other
/// machines.
const RUNTIMES: [&str; 2] = ["libtsan.so.", "libclang_rt.tsan"];
/// A symbol that every instrumented file uses.
const INIT: &str = "__tsan_init";
/// Prefixes of the functions that compilers' runtimes provide.
const INTERFACE: [&str; 4] = ["__tsan_", "__sanitizer_", "Annotate", "WTFAnnotate"];
/// Defined in the runtime.
const ROOM: &str = "mpiscope_tsan_room_for_the_name_by_which_programs_need_it";

/// Why an instrumented program keeps its compiler's runtime, so that its accesses are not checked.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    /// mpiscope's runtime is not beside the collector.
    #[error("{} is missing; it has to be beside the collector", .0.display())]
    Missing(PathBuf),
    /// The compiler's runtime is statically linked and cannot be replaced.
    #[error(
        "its compiler's runtime is part of the executable; link it with gcc -fsanitize=thread, or clang -shared-libsan"
    )]
    Linked,
    /// A function that the program calls and mpiscope's runtime does not have.
    #[error("it uses {0} of its compiler's runtime, which mpiscope does not provide")]
    Needs(String),
    /// The copy under this name cannot be written.
    #[error("no directory is writable for a copy of {RUNTIME_NAME} named {0}")]
    Unwritten(String),
    /// The program or a library cannot be read.
    #[error("{0}")]
    Elf(#[from] ElfError),
}

/// The library to preload in addition to the collector; `None` if the program needs none.
///
/// # Errors
///
/// If the program is instrumented, and its compiler's runtime cannot be replaced.
pub fn runtime(program: &Program, collector: &Path, settings: &Settings) -> Result<Option<PathBuf>, Obstacle> {
    if !looks_at_buffers(settings) || settings.collector.thread_races == ThreadRaces::On {
        return Ok(None);
    }
    // Other problems of the file are reported elsewhere.
    let Ok(image) = Image::open(&program.executable) else { return Ok(None) };
    let needed = image.needed()?;
    let Some(name) = needed.into_iter().find(|name| RUNTIMES.iter().any(|known| name.starts_with(known))) else {
        return if image.contains_function(INIT)? { Err(Obstacle::Linked) } else { Ok(None) };
    };
    let path = collector.with_file_name(RUNTIME_NAME);
    if !path.is_file() {
        return Err(Obstacle::Missing(path));
    }
    let ours = Image::open(&path)?;
    let wanted = image.undefined_names(|name| INTERFACE.iter().any(|start| name.starts_with(start)))?;
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    if let Some((missing, _)) = wanted.iter().zip(ours.defines(&wanted)?).find(|(_, defined)| !defined) {
        return Err(Obstacle::Needs((*missing).to_owned()));
    }
    if ours.soname()?.as_deref() == Some(&name) {
        return Ok(Some(path));
    }
    let copy = ours.renamed(&name, ROOM)?;
    let kept = copy.and_then(|bytes| library::kept(&bytes, RUNTIME_NAME));
    kept.map(Some).ok_or(Obstacle::Unwritten(name))
}

fn looks_at_buffers(settings: &Settings) -> bool {
    !settings.collector.check.is_none() && settings.collector.check_bytes > 0
}

/// `--thread-races` for a program whose compiler's runtime can detect them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Races {
    /// The library that reports OpenMP's synchronization to the runtime, if it exists.
    pub openmp: Option<PathBuf>,
}

/// Why `--thread-races` has no effect.
#[derive(Debug, thiserror::Error)]
pub enum NoRaces {
    /// The compiler has not instrumented this file.
    #[error("{} is not compiled with -fsanitize=thread", .0.display())]
    Plain(PathBuf),
    /// `--check` does not include rules of buffers.
    #[error("buffers are not checked")]
    Unchecked,
}

/// Whether races are detected; `None` without `--thread-races`.
pub fn races(program: &Program, collector: &Path, settings: &Settings) -> Option<Result<Races, NoRaces>> {
    if settings.collector.thread_races == ThreadRaces::Off {
        return None;
    }
    if !looks_at_buffers(settings) {
        return Some(Err(NoRaces::Unchecked));
    }
    let is_instrumented = || {
        let image = Image::open(&program.executable).ok()?;
        let needed = image.needed().ok()?;
        let has_shared = needed.iter().any(|name| RUNTIMES.iter().any(|known| name.starts_with(known)));
        Some(has_shared || image.contains_function(INIT).ok()?)
    };
    if !is_instrumented().unwrap_or(false) {
        return Some(Err(NoRaces::Plain(program.executable.clone())));
    }
    let openmp = Some(collector.with_file_name(OPENMP_NAME)).filter(|path| path.is_file());
    Some(Ok(Races { openmp }))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    /// A library or program from C, if there is a compiler.
    fn compile(dir: &Path, name: &str, source: &str, flags: &[&str]) -> Option<PathBuf> {
        let (from, to) = (dir.join(format!("{name}.c")), dir.join(name));
        std::fs::write(&from, source).unwrap();
        let status = Command::new("cc").arg(from).arg("-o").arg(&to).args(flags).current_dir(dir).status();
        status.is_ok_and(|status| status.success()).then_some(to)
    }

    #[test]
    fn who_needs_which() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let shared = ["-shared", "-fPIC", "-Wl,-soname,libtsan.so.2"];
        let ours = format!("void {INIT}(void) {{}} void {ROOM}(void) {{}}");
        let theirs = "void __tsan_init(void) {} void __tsan_more(void) {}";
        if compile(dir, RUNTIME_NAME, &ours, &shared).is_none() {
            return;
        }
        compile(dir, "libtheirs.so", theirs, &shared).unwrap();
        let collector = dir.join("libmpiscope.so");
        let mut settings = Settings::default();
        let program = |name: &str, source: &str, flags: &[&str]| Program {
            executable: compile(dir, name, source, flags).unwrap(),
            path: dir.join(name),
            script_words: Vec::new(),
            is_script: false,
        };
        let calls = |function: &str| format!("void {function}(void); int main(void) {{ {function}(); return 0; }}");
        let link = ["-L.", "-l:libtheirs.so"];
        let usual = program("usual", &calls(INIT), &link);
        assert!(matches!(runtime(&usual, &collector, &settings), Ok(None)), "nothing is checked");
        settings.collector.check = "all".parse().unwrap();
        assert_eq!(runtime(&usual, &collector, &settings).unwrap(), Some(dir.join(RUNTIME_NAME)));
        settings.collector.check_bytes = 0;
        assert!(matches!(runtime(&usual, &collector, &settings), Ok(None)), "buffers are not");
        settings.collector.check_bytes = 1;
        assert!(races(&usual, &collector, &settings).is_none(), "not requested");
        settings.collector.thread_races = ThreadRaces::On;
        assert!(matches!(runtime(&usual, &collector, &settings), Ok(None)), "the compiler's own is to look for races");
        let found = races(&usual, &collector, &settings).unwrap().unwrap();
        assert_eq!(found, Races { openmp: None }, "no such library is there");
        settings.collector.thread_races = ThreadRaces::Off;
        let other = program("other", "int main(void) { return 0; }", &[]);
        assert!(matches!(runtime(&other, &collector, &settings), Ok(None)));
        let more = program("more", &calls("__tsan_more"), &link);
        assert!(matches!(runtime(&more, &collector, &settings), Err(Obstacle::Needs(name)) if name == "__tsan_more"));
        let linked = program("linked", &format!("void {INIT}(void) {{}} int main(void) {{ return 0; }}"), &[]);
        assert!(matches!(runtime(&linked, &collector, &settings), Err(Obstacle::Linked)));
        let elsewhere = dir.join("nowhere/libmpiscope.so");
        assert!(matches!(runtime(&usual, &elsewhere, &settings), Err(Obstacle::Missing(_))));
        let image = Image::open(&dir.join(RUNTIME_NAME)).unwrap();
        assert!(image.renamed(&"x".repeat(ROOM.len() + 1), ROOM).unwrap().is_none());
        for name in ["libtsan.so.0", "libclang_rt.tsan-x86_64.so"] {
            let copy = dir.join("copy.so");
            std::fs::write(&copy, image.renamed(name, ROOM).unwrap().unwrap()).unwrap();
            let copy = Image::open(&copy).unwrap();
            assert_eq!(copy.soname().unwrap().as_deref(), Some(name));
            assert_eq!(copy.defines(&[INIT]).unwrap(), [true]);
        }
    }
}
