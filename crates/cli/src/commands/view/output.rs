//! The destination of a picture or page: a file, which is written completely or not at all, or standard output.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A destination.
#[derive(Debug)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

impl Output {
    /// Parses the argument: `-` is standard output.
    pub fn new(path: &Path) -> Output {
        if path == Path::new("-") { Output::Stdout } else { Output::File(path.to_owned()) }
    }

    /// Checks before any work whether `what` could be written.
    pub fn check(&self, what: &str, may_replace: bool) -> anyhow::Result<()> {
        match self {
            Output::Stdout if std::io::stdout().is_terminal() => {
                bail!("refusing to write the {what} to the terminal; redirect the output, or give a file")
            }
            Output::Stdout => Ok(()),
            Output::File(path) if path.is_dir() => bail!("{} is a directory; give a file", path.display()),
            Output::File(path) if path.exists() && !may_replace => {
                bail!("{} already exists; --force replaces it", path.display())
            }
            Output::File(path) => {
                let folder = folder(path);
                if !folder.is_dir() {
                    bail!("the directory {} does not exist", folder.display());
                }
                Ok(())
            }
        }
    }

    /// Writes it. A file is never left incomplete, because a script could not detect that.
    pub fn write(&self, bytes: &[u8], may_replace: bool) -> anyhow::Result<()> {
        match self {
            Output::Stdout => {
                let mut out = std::io::stdout().lock();
                match out.write_all(bytes).and_then(|()| out.flush()) {
                    // The reader closed the pipe.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                    other => other.context("cannot write to standard output"),
                }
            }
            Output::File(path) => {
                write(path, bytes, may_replace).with_context(|| format!("cannot write {}", path.display()))
            }
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a temporary file first: an existing file remains until the new one is complete.
fn write(path: &Path, bytes: &[u8], may_replace: bool) -> anyhow::Result<()> {
    let name = path.file_name().context("the path has no file name")?;
    let beside = folder(path).join(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| match may_replace {
            true => std::fs::rename(&beside, path),
            // Fails if the file was created meanwhile.
            false => std::fs::hard_link(&beside, path).or_else(|error| match error.kind() {
                ErrorKind::AlreadyExists => Err(error),
                // A file system without hard links.
                _ => std::fs::rename(&beside, path),
            }),
        });
    let _ = std::fs::remove_file(&beside);
    Ok(written?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_only_when_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.png");
        let output = Output::new(&file);
        output.check("picture", false).unwrap();
        output.write(b"first", false).unwrap();
        assert!(output.check("picture", false).is_err() && output.write(b"second", false).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"first");
        output.check("picture", true).unwrap();
        output.write(b"third", true).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"third");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        assert!(Output::new(folder.path()).check("picture", true).is_err());
        assert!(Output::new(&folder.path().join("no/where")).check("picture", true).is_err());
    }
}
