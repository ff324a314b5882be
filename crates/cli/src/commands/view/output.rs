//! Where a picture or a page goes: a file, all of it or nothing, or the standard output.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A place to write to.
#[derive(Debug)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

impl Output {
    /// What was typed: `-` is the standard output.
    pub fn new(path: &Path) -> Output {
        if path == Path::new("-") { Output::Stdout } else { Output::File(path.to_owned()) }
    }

    /// Before any work: whether it could be written. `what` is what would be.
    pub fn check(&self, what: &str, may_replace: bool) -> anyhow::Result<()> {
        match self {
            Output::Stdout if std::io::stdout().is_terminal() => {
                bail!("the {what} would be written to the terminal; redirect it, or name a file")
            }
            Output::Stdout => Ok(()),
            Output::File(path) if path.is_dir() => bail!("{} is a directory; name a file", path.display()),
            Output::File(path) if path.exists() && !may_replace => {
                bail!("{} exists; --force replaces it", path.display())
            }
            Output::File(path) => {
                let folder = folder(path);
                if !folder.is_dir() {
                    bail!("there is no directory {}", folder.display());
                }
                Ok(())
            }
        }
    }

    /// Writes it. Half of it never stands there: it would look like all of it to a script.
    pub fn write(&self, bytes: &[u8], may_replace: bool) -> anyhow::Result<()> {
        match self {
            Output::Stdout => {
                let mut out = std::io::stdout().lock();
                match out.write_all(bytes).and_then(|()| out.flush()) {
                    // Whoever read it had enough.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                    other => other.context("cannot write to the standard output"),
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

/// Beside it first: what was there stays until the new one is whole.
fn write(path: &Path, bytes: &[u8], may_replace: bool) -> anyhow::Result<()> {
    let name = path.file_name().context("it has no name")?;
    let beside = folder(path).join(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| match may_replace {
            true => std::fs::rename(&beside, path),
            // Fails where something has come to be there meanwhile.
            false => std::fs::hard_link(&beside, path).or_else(|error| match error.kind() {
                ErrorKind::AlreadyExists => Err(error),
                // A file system without links.
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
