//! The libraries that a program will load, as its dynamic loader finds them.
//!
//! This runs the loader (`ld.so --list PROG`), which runs nothing of the program. Interpreting `DT_NEEDED`, run paths,
//! `$ORIGIN`, hardware directories and `ld.so.cache` here would be a second loader that differs in the cases that matter.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::subprocess::{self, AskError};

/// Long, as the first access to a library on a busy network file system is slow.
const LIMIT: Duration = Duration::from_secs(20);

/// The loader's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects {
    /// Paths in loading order.
    pub found: Vec<PathBuf>,
    /// Needed libraries that were not found.
    pub missing: Vec<String>,
}

/// Lists the libraries that `program` loads at its start, by running `interpreter`.
///
/// # Errors
///
/// If the loader cannot be started or does not answer in time; missing libraries are part of the result.
pub fn list(interpreter: &Path, program: &Path) -> Result<Objects, AskError> {
    let mut command = Command::new(interpreter);
    // The user's preloaded libraries are included; `ask` removes the collector.
    let answer = subprocess::run_with_limit(command.arg("--list").arg(program), LIMIT)?;
    let mut objects = parse(&answer.stdout);
    objects.missing.extend(missing_in(&answer.stderr));
    Ok(objects)
}

fn parse(text: &str) -> Objects {
    let mut objects = Objects::default();
    for line in text.lines() {
        let line = line.trim();
        let (name, target) = match line.split_once(" => ") {
            Some((name, target)) => (name, target),
            None => (line, line),
        };
        if target.starts_with("not found") {
            objects.missing.push(name.to_owned());
            continue;
        }
        // "path (0x00007f…)"; the path may contain parentheses.
        let path = target.rsplit_once(" (0x").map_or(target, |(path, _)| path);
        if path.starts_with('/') {
            objects.found.push(PathBuf::from(path));
        }
    }
    objects
}

/// Some loaders stop at the first missing library and report it on stderr.
fn missing_in(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let rest = line.split_once("error while loading shared libraries: ")?.1;
        rest.split_once(':').map(|(name, _)| name.trim().to_owned())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let text = "\tlinux-vdso.so.1 (0x00007fc5b582f000)\n\
                    \tlibmpi.so.40 => /lib/x (y)/libmpi.so.40 (0x00007fc5b56d9000)\n\
                    \tlibgone.so.1 => not found\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007fc5b5831000)\n";
        let objects = parse(text);
        let found = ["/lib/x (y)/libmpi.so.40", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from);
        assert_eq!(objects.found, found);
        assert_eq!(objects.missing, ["libgone.so.1"]);
        assert_eq!(parse("\tstatically linked\n"), Objects::default());
    }

    #[test]
    fn a_loader_s_complaint_is_read() {
        let text = "a.out: error while loading shared libraries: libx.so.3: cannot open shared \
                    object file: No such file or directory\n";
        assert_eq!(missing_in(text), ["libx.so.3"]);
    }
}
