//! Detection on small programs built here, so that no MPI has to be installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::*;

/// A directory with a C compiler in it; none where there is no `cc`.
struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Option<Self> {
        let there = Command::new("cc").arg("--version").output().is_ok();
        there.then(|| Self(tempfile::tempdir().unwrap()))
    }

    fn cc(&self, source: &str, out: &str, words: &[&str]) -> PathBuf {
        let file = self.0.path().join(format!("{out}.c"));
        fs::write(&file, source).unwrap();
        let out = self.0.path().join(out);
        let status = Command::new("cc")
            .current_dir(self.0.path())
            .arg(&file)
            .arg("-o")
            .arg(&out)
            .args(["-Wl,--no-as-needed", "-L.", "-Wl,-rpath,$ORIGIN"])
            .args(words)
            .status()
            .unwrap();
        assert!(status.success());
        out
    }

    fn library(&self, source: &str, name: &str) -> PathBuf {
        self.cc(source, name, &["-shared", "-fPIC", &format!("-Wl,-soname,{name}")])
    }

    fn detect(&self, words: &[&str]) -> Result<MpiFound, Diagnosis> {
        let path = self.cc("int main(void){return 0;}", "a.out", words);
        detect(&program::inspect(path.to_str().unwrap()).unwrap())
    }
}

const MPICH: &str = "int PMPI_Init(void){return 0;}
    const char MPII_Version_string[] = \"4.0.2\";";
const OPEN_MPI: &str = "int PMPI_Init(void){return 0;} int ompi_mpi_comm_world;
    const char *said(void){return \"Open MPI v4.1.4, package\";}";
const STANDARD: &str = "int PMPI_Init(void){return 0;} int PMPI_Abi_get_version(void){return 0;}
    const char *said(void){return \"MPICH Version:      5.0.0\";}";
const INTEL: &str = "int PMPI_Init(void){return 0;}
    const char *said(void){return \"Intel(R) MPI Library 2021.10 for Linux* OS\";}";

#[test]
fn families_are_told_by_symbols() {
    let Some(lab) = Lab::new() else { return };
    for (source, name, family, title) in [
        (MPICH, "libquite.so.1", Family::Mpich, "MPICH 4.0.2"),
        (OPEN_MPI, "libother.so.2", Family::OpenMpi, "Open MPI 4.1.4"),
        (STANDARD, "libmpi_abi.so.1", Family::StandardAbi, "MPICH 5.0.0 (standard ABI)"),
        (INTEL, "libmpi.so.12", Family::Mpich, "Intel MPI 2021.10"),
    ] {
        lab.library(source, name);
        let found = lab.detect(&[&format!("-l:{name}")]).unwrap();
        assert_eq!(found.library.family, family, "{name}");
        assert_eq!(found.library.title(), title);
        assert_eq!(found.library.soname.as_deref(), Some(name));
    }
}

#[test]
fn an_mpi_behind_another_library_is_found() {
    let Some(lab) = Lab::new() else { return };
    lab.library(MPICH, "libinner.so");
    let words = ["-shared", "-fPIC", "-Wl,-soname,libouter.so", "-l:libinner.so"];
    lab.cc("int outer(void){return 0;}", "libouter.so", &words);
    let found = lab.detect(&["-l:libouter.so"]).unwrap();
    assert!(found.library.path.ends_with("libinner.so"));
}

#[test]
fn programs_without_a_usable_mpi_are_told_apart() {
    let Some(lab) = Lab::new() else { return };
    assert!(matches!(lab.detect(&[]), Err(Diagnosis::NoMpi { is_script: false, .. })));

    lab.library(MPICH, "libone.so");
    lab.library(OPEN_MPI, "libtwo.so");
    let mixed = lab.detect(&["-l:libone.so", "-l:libtwo.so"]);
    assert!(matches!(mixed, Err(Diagnosis::MixedMpi { .. })));

    lab.library(STANDARD, "libmpi_abi.so.1");
    let own = lab.detect(&["-l:libmpi_abi.so.1", "-l:libone.so"]).unwrap();
    assert_eq!(own.library.family, Family::StandardAbi);
    let foreign = lab.detect(&["-l:libmpi_abi.so.1", "-l:libtwo.so"]);
    assert!(matches!(foreign, Err(Diagnosis::MixedMpi { .. })));

    fs::remove_file(lab.0.path().join("libtwo.so")).unwrap();
    let path = lab.0.path().join("a.out");
    let gone = detect(&program::inspect(path.to_str().unwrap()).unwrap()).unwrap_err();
    assert!(gone.to_string().ends_with("needs libraries that are not found: libtwo.so"), "{gone}");

    let source = "int PMPI_Init(void){return 0;} int main(void){return PMPI_Init();}";
    let path = lab.cc(source, "static", &[]);
    let held = detect(&program::inspect(path.to_str().unwrap()).unwrap());
    assert!(matches!(held, Err(Diagnosis::StaticMpi { .. })));
}

#[test]
fn an_mpi_can_be_named() {
    let Some(lab) = Lab::new() else { return };
    let library = lab.library(MPICH, "libone.so");
    assert_eq!(named(&library).unwrap().library.title(), "MPICH 4.0.2");
    lab.detect(&["-l:libone.so"]).unwrap();
    assert_eq!(named(&lab.0.path().join("a.out")).unwrap().library.title(), "MPICH 4.0.2");
    assert!(matches!(named(std::path::Path::new("/bin/ls")), Err(Diagnosis::NotAnMpi { .. })));
}
