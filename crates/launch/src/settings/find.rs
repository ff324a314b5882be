//! Finds the configuration file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::SettingsError;

/// The file's name in a project.
pub const FILE_NAME: &str = "mpiscope.toml";
/// A handwritten file has a few KiB; a larger one is something else.
const MAX_BYTES: u64 = 1 << 20;

/// The configuration file that the user chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Choice {
    /// The one in the working directory or the nearest parent directory, if any.
    #[default]
    Found,
    /// The one of `--config`.
    Given(PathBuf),
    /// None: `--no-config`.
    None,
}

/// The file in a directory or its nearest parent, up to the root of a checkout.
pub(super) fn upwards(from: &Path) -> Result<Option<PathBuf>, SettingsError> {
    for dir in from.ancestors() {
        let file = dir.join(FILE_NAME);
        if file.is_file() {
            return match is_trusted(&file, from) {
                true => Ok(Some(file)),
                false => Err(SettingsError::Foreign { file }),
            };
        }
        // A directory, or a file in a worktree.
        if dir.join(".git").exists() {
            break;
        }
    }
    Ok(None)
}

/// Whether a file may be used. A file can name a launcher, which mpiscope then starts. A user who can create a file in `/tmp`
/// must not be able to run programs as other users who work below it. So the owner has to be the user, root, or the owner of
/// the working directory, whose programs the user runs anyway.
fn is_trusted(file: &Path, working_dir: &Path) -> bool {
    let (Ok(itself), Ok(target)) = (fs::symlink_metadata(file), fs::metadata(file)) else {
        return true; // reading it fails with a message
    };
    // SAFETY: no arguments, cannot fail.
    let own = unsafe { libc::geteuid() };
    let here = fs::metadata(working_dir).map(|meta| meta.uid()).ok();
    let known = |uid: u32| uid == own || uid == 0 || Some(uid) == here;
    known(itself.uid()) && known(target.uid()) && target.mode() & 0o002 == 0
}

/// The text of a file, if it can be a configuration.
pub(super) fn read(file: &Path) -> Result<String, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { file: file.into(), source };
    let mut bytes = Vec::new();
    File::open(file).and_then(|open| open.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable(io::Error::other("it is larger than 1 MiB")));
    }
    String::from_utf8(bytes).map_err(|_| unreadable(io::Error::other("it is not valid UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn found(from: &Path) -> Option<PathBuf> {
        upwards(from).unwrap()
    }

    #[test]
    fn the_nearest_file_up_to_the_checkout() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        let write = |at: &str| {
            let file = dir.path().join(at).join(FILE_NAME);
            fs::write(&file, "").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            file
        };
        let top = write("");
        assert_eq!(found(&deep), Some(top));
        let near = write("a/b");
        assert_eq!(found(&deep), Some(near.clone()));
        // A directory of that name is none.
        fs::create_dir(deep.join(FILE_NAME)).unwrap();
        assert_eq!(found(&deep), Some(near.clone()));
        fs::remove_file(&near).unwrap();
        fs::create_dir(dir.path().join("a/.git")).unwrap();
        assert_eq!(found(&deep), None);
        // The checkout's own directory is looked into.
        let root = write("a");
        assert_eq!(found(&deep), Some(root));
    }

    #[test]
    fn a_file_that_everybody_may_write_is_not_taken() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(FILE_NAME);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(upwards(dir.path()), Err(SettingsError::Foreign { .. })));
    }

    #[test]
    fn a_file_of_another_user_is_not_taken() {
        // SAFETY: no arguments, cannot fail.
        if unsafe { libc::geteuid() } != 0 {
            eprintln!("skipped: only root can give files away");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let (file, sub) = (dir.path().join(FILE_NAME), dir.path().join("sub"));
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::create_dir(&sub).unwrap();
        std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
        assert!(matches!(upwards(&sub), Err(SettingsError::Foreign { .. })));
        // In the other's own directory it is his programs that run.
        std::os::unix::fs::chown(&sub, Some(65534), None).unwrap();
        assert_eq!(found(&sub), Some(file));
    }

    #[test]
    fn what_cannot_be_a_configuration_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.toml");
        let said = |file: &Path| read(file).unwrap_err().to_string();
        assert!(said(&file).contains(": No such file"), "{}", said(&file));
        fs::write(&file, b"\xff").unwrap();
        assert!(said(&file).ends_with("it is not valid UTF-8"));
        assert!(said(Path::new("/dev/zero")).ends_with("it is larger than 1 MiB"));
    }
}
