//! `run` and `exec` under the MPIs of this machine, at two ranks.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const HELLO: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\n", rank, size);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"#;

/// Compiler wrapper, launcher and what the launcher needs here.
const MPIS: &[(&str, &str, &[&str])] = &[
    ("mpicc.mpich", "mpirun.mpich", &[]),
    ("mpicc.openmpi", "mpirun.openmpi", &["--allow-run-as-root", "--oversubscribe"]),
];

fn each_mpi(test: impl Fn(&Path, &str, &[&str])) {
    for (compiler, launcher, words) in MPIS {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("hello.c"), HELLO).unwrap();
        fs::write(dir.path().join("empty.c"), "int mpiscope_empty;").unwrap();
        let built = Command::new(compiler).current_dir(dir.path()).args(["hello.c", "-o", "hello"]).status();
        if !built.is_ok_and(|status| status.success()) {
            eprintln!("skipped: {compiler} is not installed");
            continue;
        }
        let status = Command::new("cc")
            .current_dir(dir.path())
            .args(["-shared", "-fPIC", "empty.c", "-o", "libmpiscope.so"])
            .status();
        assert!(status.unwrap().success());
        test(dir.path(), launcher, words);
    }
}

fn output(dir: &Path, program: &str, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.current_dir(dir).args(words);
    command.env("MPISCOPE_LIBRARY", dir.join("libmpiscope.so"));
    command.output().unwrap()
}

fn count(dir: &Path, end: &str) -> usize {
    let entries = fs::read_dir(dir.join("hello.mpiscope/ranks")).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().ends_with(end)).count()
}

#[test]
fn run_finds_the_mpi_and_its_launcher() {
    each_mpi(|dir, launcher, _| {
        let ran = output(dir, env!("CARGO_BIN_EXE_mpiscope"), &["run", "-n", "2", "./hello"]);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{said}");
        assert!(said.contains(&format!("/{launcher} -n 2")), "{said}");
        let printed = String::from_utf8_lossy(&ran.stdout);
        assert!(printed.contains("rank 0 of 2\n") && printed.contains("rank 1 of 2\n"));
        assert_eq!(printed.lines().count(), 2);
        assert_eq!(count(dir, ".exit.json"), 2);

        let words = ["run", "-n", "2", "--force", "./hello", "3"];
        let ran = output(dir, env!("CARGO_BIN_EXE_mpiscope"), &words);
        assert_eq!(ran.status.code(), Some(3), "{}", String::from_utf8_lossy(&ran.stderr));
    });
}

#[test]
fn exec_under_a_launcher_makes_one_run() {
    each_mpi(|dir, launcher, words| {
        let exe = env!("CARGO_BIN_EXE_mpiscope");
        let exec = |force: &[&str]| {
            let all = [words, &["-n", "2", exe, "exec"], force, &["./hello"]].concat();
            output(dir, launcher, &all)
        };
        let first = exec(&[]);
        let said = String::from_utf8_lossy(&first.stderr);
        assert_eq!(first.status.code(), Some(0), "{said}");
        assert_eq!(count(dir, ".exit.json"), 2, "{said}");
        let again = exec(&[]);
        assert_eq!(again.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&again.stderr).contains("hello.mpiscope already exists"));
        assert_eq!(exec(&["--force"]).status.code(), Some(0));
        assert_eq!(count(dir, ".exit.json"), 2);
    });
}
