//! The examined program: its MPI, its launcher, and what cannot be recorded.

use std::path::PathBuf;

use serde::Serialize;

use crate::elf::Image;
use crate::launcher;
use crate::mpi::{self, MpiFound};
use crate::program::{self, Program};
use crate::{Diagnosis, objects};

/// A program to record, as far as it could be examined: the later fields are empty after the first problem.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Subject {
    /// The program as the user typed it.
    pub given: String,
    /// The file that it means; `None` if there is none.
    pub path: Option<PathBuf>,
    /// The MPI library that it would load; `None` if none was found.
    pub mpi: Option<MpiFound>,
    /// The words that start it under this MPI; `None` if there is no launcher.
    pub launcher: Option<Vec<String>>,
    /// Why it cannot be recorded.
    pub problem: Option<String>,
    /// Why no launcher was found.
    pub launcher_problem: Option<String>,
    /// Objects of the program that also intercept MPI.
    pub interposers: Vec<Interposer>,
    /// Functions of its MPI that are not in the collector's table.
    pub unknown_functions: Vec<String>,
    /// Commands to try next.
    pub next_steps: Vec<String>,
}

/// An object other than the MPI that defines `MPI_Send` and so intercepts calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interposer {
    /// The object's file.
    pub path: PathBuf,
    /// Whether it is the program itself.
    pub is_program: bool,
}

impl Subject {
    /// `given` is the word on the command line; `known` are the functions in the collector's table, empty if they are
    /// unknown.
    pub fn examine(given: &str, known: &[&str]) -> Self {
        let mut subject = Self { given: given.to_owned(), ..Self::default() };
        let program = match program::inspect(given) {
            Ok(program) => program,
            Err(error) => return subject.stopped(&error),
        };
        subject.path = Some(program.path.clone());
        let found = match mpi::detect(&program) {
            Ok(found) => found,
            Err(error) => return subject.stopped(&error),
        };
        subject.interposers = interposers(&program, &found);
        if !known.is_empty() {
            subject.unknown_functions = unknown(&found, known);
        }
        let mut found = found;
        match launcher::find(&found.library) {
            Ok(launcher) => {
                launcher::complete(&mut found.library, &launcher);
                subject.launcher = Some(launcher.words);
            }
            Err(error) => {
                subject.launcher_problem = Some(error.to_string());
                subject.next_steps = error.next_steps(&subject.asked());
            }
        }
        subject.mpi = Some(found);
        subject
    }

    fn asked(&self) -> crate::Asked {
        crate::Asked { verb: "run", ranks: None, program: vec![self.given.clone()] }
    }

    fn stopped(mut self, error: &Diagnosis) -> Self {
        self.problem = Some(error.to_string());
        self.next_steps = error.next_steps(&self.asked());
        // The user is already running doctor.
        self.next_steps.retain(|step| !step.starts_with("mpiscope doctor"));
        self
    }
}

fn interposers(program: &Program, found: &MpiFound) -> Vec<Interposer> {
    let path = &program.executable;
    let listed = Image::open(path)
        .ok()
        .and_then(|image| image.interpreter().ok().flatten())
        .and_then(|interpreter| objects::list(&interpreter, path).ok())
        .unwrap_or_default();
    let all = std::iter::once(path).chain(&listed.found);
    let defines = |path: &PathBuf| {
        let image = Image::open(path).ok()?;
        image.defines(&["MPI_Send", "PMPI_Send"]).ok()
    };
    all.filter(|path| std::fs::canonicalize(path).ok().as_ref() != Some(&found.library.path))
        .filter(|path| matches!(defines(path).as_deref(), Some([true, false])))
        .map(|other| Interposer { path: other.clone(), is_program: other == path })
        .collect()
}

fn unknown(found: &MpiFound, known: &[&str]) -> Vec<String> {
    let Ok(image) = Image::open(&found.library.path) else {
        return Vec::new();
    };
    // `MPI_T_` and constants that are functions (`MPI_NULL_COPY_FN`) are recognized by their capitals.
    let is_call = |name: &str| {
        name.strip_prefix("MPI_").is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains(|c: char| c.is_ascii_lowercase())
        })
    };
    let mut names = image.defined_names(is_call).unwrap_or_default();
    names.retain(|name| !known.contains(&name.as_str()));
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    fn cc(dir: &Path, source: &str, out: &str, words: &[&str]) {
        let file = dir.join(format!("{out}.c"));
        fs::write(&file, source).unwrap();
        let status = Command::new("cc")
            .current_dir(dir)
            .arg(&file)
            .args(["-o", out, "-Wl,--no-as-needed", "-L.", "-Wl,-rpath,$ORIGIN"])
            .args(words)
            .status();
        assert!(status.unwrap().success());
    }

    #[test]
    fn what_will_be_missed_is_seen() {
        if Command::new("cc").arg("--version").output().is_err() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let mpi = "int PMPI_Init(void){return 0;} int PMPI_Send(void){return 0;}
            int MPI_Send(void){return 0;} int MPI_Brand_new(void){return 0;}";
        cc(dir.path(), mpi, "libm1.so", &["-shared", "-fPIC", "-Wl,-soname,libm1.so"]);
        let tool = "int MPI_Send(void){return 0;}";
        cc(dir.path(), tool, "libtool.so", &["-shared", "-fPIC", "-Wl,-soname,libtool.so"]);
        let words = ["-l:libtool.so", "-l:libm1.so"];
        cc(dir.path(), "int main(void){return 0;}", "a.out", &words);
        let given = dir.path().join("a.out");
        let subject = Subject::examine(given.to_str().unwrap(), &["MPI_Send"]);
        assert_eq!(subject.problem, None);
        assert_eq!(subject.interposers.len(), 1);
        assert!(subject.interposers[0].path.ends_with("libtool.so"));
        assert!(!subject.interposers[0].is_program);
        assert_eq!(subject.unknown_functions, ["MPI_Brand_new"]);
        let unasked = Subject::examine(given.to_str().unwrap(), &[]);
        assert!(unasked.unknown_functions.is_empty());
    }

    #[test]
    fn a_problem_comes_with_a_next_step() {
        let subject = Subject::examine("./nothing-here", &[]);
        assert!(subject.problem.unwrap().contains("not found"));
        assert!(!subject.next_steps.is_empty());
    }
}
