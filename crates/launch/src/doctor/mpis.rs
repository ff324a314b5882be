//! MPI libraries on this machine that a program would find.

use std::fs;
use std::path::{Path, PathBuf};

use crate::launcher::{self, Candidate, Launcher};
use crate::mpi::{Library, classify};

/// Libraries in the loader's cache, in `LD_LIBRARY_PATH`, beside each launcher and in the active virtual environment. The
/// name narrows the search; the symbols decide.
pub fn installed_libraries(launchers: &[Candidate]) -> Vec<Library> {
    let mut paths = cached("/etc/ld.so.cache");
    let mut dirs: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default()).collect();
    for prefix in ["VIRTUAL_ENV", "CONDA_PREFIX", "I_MPI_ROOT", "MPI_HOME"] {
        dirs.extend(std::env::var_os(prefix).map(|value| PathBuf::from(value).join("lib")));
    }
    for candidate in launchers {
        let real = fs::canonicalize(&candidate.path).unwrap_or_else(|_| candidate.path.clone());
        if let Some(prefix) = real.parent().and_then(Path::parent) {
            dirs.extend([prefix.join("lib"), prefix.join("lib/release"), prefix.join("lib64")]);
        }
    }
    for dir in dirs.iter().filter(|dir| dir.is_absolute()) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            paths.push(entry.path());
        }
    }
    let mut found: Vec<Library> = Vec::new();
    for path in paths.iter().filter(|path| may_be_mpi(path)) {
        // Debian and others link one library under several names, so most are duplicates.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        if found.iter().all(|known| known.path != real)
            && let Ok(Some(mut library)) = classify(&real)
        {
            for candidate in launchers {
                let launcher = Launcher {
                    words: vec![candidate.path.to_string_lossy().into_owned()],
                    vendor: Some(candidate.vendor),
                    version: candidate.version.clone(),
                };
                launcher::complete(&mut library, &launcher);
            }
            found.push(library);
        }
    }
    found
}

fn may_be_mpi(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains("mpi") && name.contains(".so")
}

/// Paths in the loader's cache. Every version of the format stores paths as zero-terminated strings, which is all that is
/// needed here.
fn cached(file: &str) -> Vec<PathBuf> {
    let bytes = fs::read(file).unwrap_or_default();
    let texts = bytes.split(|byte| *byte == 0).filter(|text| text.starts_with(b"/"));
    texts.filter_map(|text| std::str::from_utf8(text).ok()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stand_in_the_cache() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cache");
        fs::write(&file, b"glibc-ld.so.cache1.1\0\x03\0libmpi.so\0/usr/lib/libmpi.so\0/x\0").unwrap();
        let paths = cached(file.to_str().unwrap());
        assert_eq!(paths, ["/usr/lib/libmpi.so", "/x"].map(PathBuf::from));
        assert!(may_be_mpi(&paths[0]) && !may_be_mpi(&paths[1]));
        assert!(cached("/nonexistent").is_empty());
    }
}
