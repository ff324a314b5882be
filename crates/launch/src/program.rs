//! Finds the program on the command line, and decides whether the collector can be preloaded into it.
//!
//! This reads only one page of the file and its mode, so that `exec` can afford it in every rank.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};

use crate::Diagnosis;
use crate::elf::Ident;

/// Enough bytes for `#!` lines and ELF headers.
const HEAD_BYTES: usize = 4096;
/// Number of nested interpreters that the kernel allows.
const MAX_SCRIPTS: usize = 5;

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file to execute; symbolic links are not resolved, as a virtual environment's Python is one.
    pub path: PathBuf,
    /// The ELF file that the kernel starts: `path`, or the interpreter of a script.
    pub executable: PathBuf,
    /// Words of the `#!` line between the interpreter and the script.
    pub script_words: Vec<String>,
    /// Whether `path` is a script.
    pub is_script: bool,
}

/// Finds a program as `execvp` does, and checks whether the collector can be loaded into it.
///
/// # Errors
///
/// If there is no such program, this machine cannot execute it, or the collector cannot be loaded into it.
pub fn inspect(given: &str) -> Result<Program, Diagnosis> {
    let path = resolve(given)?;
    let mut program = Program { executable: path.clone(), path, script_words: Vec::new(), is_script: false };
    for _ in 0..MAX_SCRIPTS {
        let head = head(&program.executable)?;
        let Some(line) = head.strip_prefix(b"#!") else {
            check_binary(&program.executable, &head)?;
            return Ok(program);
        };
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).into_owned();
        let (interpreter, words) = shebang(&line);
        program.is_script = true;
        program.script_words = words;
        program.executable = resolve(&interpreter)
            .map_err(|_| Diagnosis::InterpreterMissing { script: program.path.clone(), interpreter })?;
    }
    Err(Diagnosis::UnknownFormat { path: program.path })
}

/// The interpreter of a `#!` line and its words; `env` is resolved.
fn shebang(line: &str) -> (String, Vec<String>) {
    let mut words = line.split_whitespace().map(str::to_owned);
    let first = words.next().unwrap_or_default();
    if Path::new(&first).file_name().is_some_and(|name| name == "env") {
        let mut rest = words.skip_while(|word| word.starts_with('-') || word.contains('='));
        if let Some(interpreter) = rest.next() {
            return (interpreter, rest.collect());
        }
        return (first, Vec::new());
    }
    (first, words.collect())
}

/// A name with a slash is a path; any other is searched in `PATH`.
///
/// # Errors
///
/// If there is no such file, or it cannot be executed.
pub fn resolve(given: &str) -> Result<PathBuf, Diagnosis> {
    if given.contains('/') {
        let path = PathBuf::from(given);
        return match executable(&path) {
            Ok(()) => Ok(path),
            Err(None) => Err(Diagnosis::ProgramMissing { program: given.into(), in_path: false }),
            Err(Some(why)) => Err(Diagnosis::NotExecutable { path, why }),
        };
    }
    let found = search_path().map(|dir| dir.join(given)).find(|path| executable(path).is_ok());
    found.ok_or_else(|| Diagnosis::ProgramMissing { program: given.into(), in_path: true })
}

/// Directories of `PATH`.
pub fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    std::env::split_paths(&path).collect::<Vec<_>>().into_iter().filter(|dir| dir.is_absolute())
}

/// `Err(None)` if there is no such file, otherwise why it cannot be executed.
fn executable(path: &Path) -> Result<(), Option<&'static str>> {
    let meta = fs::metadata(path).map_err(|_| None)?;
    if meta.is_dir() {
        return Err(Some("it is a directory"));
    }
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
        return Err(None);
    };
    // SAFETY: the name ends in zero. The kernel considers access lists and mount options.
    if unsafe { libc::access(name.as_ptr(), libc::X_OK) } != 0 || meta.mode() & 0o111 == 0 {
        return Err(Some("it has no execute permission"));
    }
    Ok(())
}

fn head(path: &Path) -> Result<Vec<u8>, Diagnosis> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
    match read {
        Ok(_) => Ok(head),
        Err(_) => Err(Diagnosis::NotExecutable { path: path.into(), why: "it cannot be read" }),
    }
}

fn check_binary(path: &Path, head: &[u8]) -> Result<(), Diagnosis> {
    let Some(ident) = Ident::read(head) else {
        return Err(Diagnosis::UnknownFormat { path: path.into() });
    };
    if ident != Ident::native() {
        return Err(Diagnosis::ForeignMachine {
            path: path.into(),
            machine: ident.name(),
            host: Ident::native().name(),
        });
    }
    if let Some(what) = privilege(path) {
        return Err(Diagnosis::Privileged { path: path.into(), what });
    }
    if !has_interpreter(head) {
        return Err(Diagnosis::Static { path: path.into(), holds_mpi: holds_mpi(path) });
    }
    Ok(())
}

/// Why the dynamic loader would ignore `LD_PRELOAD`; `None` if it would not.
pub fn privilege(path: &Path) -> Option<&'static str> {
    let mode = fs::metadata(path).ok()?.permissions().mode();
    // SAFETY: no arguments. Root starting a set-uid-root file changes no identity.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    let meta = fs::metadata(path).ok()?;
    if mode & libc::S_ISUID != 0 && meta.uid() != uid {
        return Some("set-uid");
    }
    if mode & libc::S_ISGID != 0 && mode & libc::S_IXGRP != 0 && meta.gid() != gid {
        return Some("set-gid");
    }
    let name = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: both names end in zero; with a length of 0 only the size is returned.
    let len = unsafe { libc::getxattr(name.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    (len > 0 && uid != 0).then_some("given file capabilities")
}

/// Damaged headers count as dynamic: the kernel's error is then the message.
fn has_interpreter(head: &[u8]) -> bool {
    let Ok(header) = elf::FileHeader64::<Endianness>::parse(head) else {
        return true;
    };
    let Ok(endian) = header.endian() else {
        return true;
    };
    match header.program_headers(endian, head) {
        Ok(headers) => headers.iter().any(|header| header.p_type(endian) == elf::PT_INTERP),
        Err(_) => true,
    }
}

fn holds_mpi(path: &Path) -> bool {
    let image = crate::elf::Image::open(path);
    image.is_ok_and(|image| image.contains_function("PMPI_Init").unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(dir: &Path, text: &str) -> String {
        let path = dir.join("script");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_name_is_looked_up_and_a_path_is_not() {
        assert!(inspect("ls").unwrap().path.is_absolute());
        assert!(matches!(inspect("no-such-program-here"), Err(Diagnosis::ProgramMissing { in_path: true, .. })));
        assert!(matches!(inspect("./no-such-program-here"), Err(Diagnosis::ProgramMissing { in_path: false, .. })));
        assert!(matches!(inspect("/tmp"), Err(Diagnosis::NotExecutable { .. })));
    }

    #[test]
    fn scripts_lead_to_their_interpreter() {
        let dir = tempfile::tempdir().unwrap();
        let program = inspect(&script(dir.path(), "#!/usr/bin/env -S A=1 sh -e\n")).unwrap();
        assert!(program.is_script && program.executable.ends_with("sh"));
        assert_eq!(program.script_words, ["-e"]);
        let given = script(dir.path(), "#!/nonexistent/python\n");
        assert!(matches!(inspect(&given), Err(Diagnosis::InterpreterMissing { .. })));
        let given = script(dir.path(), "echo hello\n");
        assert!(matches!(inspect(&given), Err(Diagnosis::UnknownFormat { .. })));
    }

    #[test]
    fn foreign_machines_and_static_programs_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let given = script(dir.path(), "");
        let mut head = [0u8; 64];
        head[..6].copy_from_slice(b"\x7fELF\x01\x01");
        head[18] = elf::EM_386 as u8;
        fs::write(&given, head).unwrap();
        assert!(matches!(inspect(&given), Err(Diagnosis::ForeignMachine { .. })));

        let source = dir.path().join("a.c");
        fs::write(&source, "int PMPI_Init(void){return 0;} int main(void){return 0;}").unwrap();
        let out = dir.path().join("static");
        let status = std::process::Command::new("cc").args(["-static", "-o"]).args([&out, &source]).status();
        if status.is_ok_and(|status| status.success()) {
            let error = inspect(out.to_str().unwrap()).unwrap_err();
            assert!(matches!(error, Diagnosis::Static { holds_mpi: true, .. }), "{error}");
        }
    }
}
