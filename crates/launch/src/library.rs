//! Finds the collector, `libmpiscope.so`: the first that exists of
//!
//! 1. the given path, or `MPISCOPE_LIBRARY`; the others are then not searched;
//! 2. beside the executable: a build, or a copied pair of files;
//! 3. `../lib/mpiscope/` from there: wheels (`bin/` and `lib/` of an environment), the Debian package, Spack;
//! 4. the copy inside the executable, unpacked into a directory of the user: `cargo install`.
//!
//! Symbolic links to the executable, such as those of pipx and module systems, are followed.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use mpiscope_embed::Carried;

use crate::Diagnosis;
use crate::env::{LIBRARY, LIBRARY_NAME, OPENMP_NAME, RUNTIME_NAME, YIELD_NAME};

/// Finds the collector, in the order given above.
///
/// # Errors
///
/// If it is not found, cannot be unpacked, or its path has a space or colon, which `LD_PRELOAD` does not support.
pub fn find(given: Option<&Path>) -> Result<PathBuf, Diagnosis> {
    let mut looked = Vec::new();
    let variable = || std::env::var_os(LIBRARY).filter(|value| !value.is_empty());
    if let Some(given) = given.map(PathBuf::from).or_else(|| variable().map(PathBuf::from)) {
        looked.push(given);
    } else if let Ok(exe) = fs::read_link("/proc/self/exe") {
        looked = beside(&exe);
        if let (false, Some(carried)) = (looked.iter().any(|path| path.is_file()), mpiscope_embed::CARRIED) {
            looked.extend(unpack(&carried, &directories())?);
        }
    }
    let found = looked.iter().find(|path| path.is_file());
    let Some(found) = found.and_then(|path| fs::canonicalize(path).ok()) else {
        return Err(Diagnosis::LibraryMissing { looked });
    };
    // ld.so splits LD_PRELOAD at both characters and supports no quoting.
    if !fits_preload(&found) {
        return Err(Diagnosis::LibraryPathUnusable { path: found });
    }
    Ok(found)
}

/// The library for `--yield`, beside the collector; `None` if it is missing.
pub fn yielding(collector: &Path) -> Option<PathBuf> {
    Some(collector.with_file_name(YIELD_NAME)).filter(|path| path.is_file())
}

fn fits_preload(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|byte| b" :".contains(byte))
}

fn beside(exe: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(dir) = exe.parent() {
        places.push(dir.join(LIBRARY_NAME));
        places.extend(dir.parent().map(|prefix| prefix.join("lib/mpiscope").join(LIBRARY_NAME)));
    }
    places
}

/// Directories for the unpacked collector: the user's cache, or a directory of the user in the temporary directory, since
/// home directories can be read-only on compute nodes.
fn directories() -> Vec<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    // SAFETY: cannot fail.
    let user = unsafe { libc::geteuid() };
    let mut places: Vec<PathBuf> = cache.map(|cache| cache.join("mpiscope")).into_iter().collect();
    places.push(std::env::temp_dir().join(format!("mpiscope-{user}")));
    places.retain(|place| fits_preload(place));
    places
}

/// Stores a file derived from an installed one in the first writable directory; `None` if there is none. Its directory is
/// named by a hash of the contents.
pub fn kept(bytes: &[u8], name: &str) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    let folder = format!("{:016x}", hasher.finish());
    directories().iter().find_map(|directory| keep(bytes, name, directory, &directory.join(&folder)).ok())
}

/// The unpacked files of the collector, in the first writable one of `directories`. The name is a hash of the contents, so
/// that versions do not conflict and a complete copy is reused.
fn unpack(carried: &Carried, directories: &[PathBuf]) -> Result<Option<PathBuf>, Diagnosis> {
    let mut failed = None;
    for directory in directories {
        let dir = directory.join(carried.fingerprint);
        let kept = keep(carried.runtime, RUNTIME_NAME, directory, &dir);
        let kept = kept.and_then(|_| keep(carried.yielding, YIELD_NAME, directory, &dir));
        let kept = kept.and_then(|_| keep(carried.openmp, OPENMP_NAME, directory, &dir));
        match kept.and_then(|_| keep(carried.bytes, LIBRARY_NAME, directory, &dir)) {
            Ok(path) => return Ok(Some(path)),
            Err(source) => _ = failed.get_or_insert(Diagnosis::LibraryNotUnpacked { dir, source }),
        }
    }
    failed.map_or(Ok(None), Err)
}

/// A file with these contents in `dir`, below `directory`.
fn keep(bytes: &[u8], name: &str, directory: &Path, dir: &Path) -> io::Result<PathBuf> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    // Other users must not be able to replace the library: everyone can write to the temporary directory.
    // A group may write to the user's cache, as many systems have a group per user.
    for (place, others) in [(directory, 0o002), (dir, 0o022)] {
        let about = fs::symlink_metadata(place)?;
        // SAFETY: cannot fail.
        if !about.is_dir() || about.uid() != unsafe { libc::geteuid() } || about.mode() & others != 0 {
            let why = "other users can write to this directory, or it is not yours";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
    }
    let path = dir.join(name);
    if fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(path);
    }
    // Ranks of a job get here at the same time: each writes its own file, and the last rename remains.
    let host = crate::host::name();
    let new = dir.join(format!(".{host}.{}", std::process::id()));
    let written = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o755)
        .open(&new)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&new, &path));
    if let Err(error) = written {
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const CARRIED: Carried = Carried {
        bytes: b"a library",
        runtime: b"another",
        yielding: b"a third",
        openmp: b"a fourth",
        fingerprint: "00000000000000ff",
    };

    #[test]
    fn beside_the_executable_then_in_lib() {
        let places = beside(Path::new("/opt/m/bin/mpiscope"));
        assert_eq!(places, ["/opt/m/bin/libmpiscope.so", "/opt/m/lib/mpiscope/libmpiscope.so"].map(PathBuf::from));
    }

    #[test]
    fn a_carried_library_is_written_once_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let places = [folder.path().join("cache/mpiscope")];
        let path = unpack(&CARRIED, &places).unwrap().unwrap();
        assert!(path.ends_with("cache/mpiscope/00000000000000ff/libmpiscope.so"));
        let written = fs::metadata(&path).unwrap().ino();
        assert_eq!(unpack(&CARRIED, &places).unwrap().unwrap(), path);
        assert_eq!(fs::metadata(&path).unwrap().ino(), written, "complete: not written again");
        fs::write(&path, b"a libr").unwrap();
        unpack(&CARRIED, &places).unwrap();
        assert_eq!(fs::read(&path).unwrap(), CARRIED.bytes);
        assert_eq!(fs::read(path.with_file_name(RUNTIME_NAME)).unwrap(), CARRIED.runtime);
        assert_eq!(fs::read(yielding(&path).unwrap()).unwrap(), CARRIED.yielding);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 4, "nothing else is left");
    }

    #[test]
    fn a_place_that_others_can_write_to_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let [open, own] = ["open", "own"].map(|name| folder.path().join(name));
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        let path = unpack(&CARRIED, &[open.clone(), own.clone()]).unwrap().unwrap();
        assert!(path.starts_with(own));
        let error = unpack(&CARRIED, &[open]).unwrap_err().to_string();
        assert!(error.contains("other users can write"), "{error}");
    }
}
