//! Paths of sources in text output: relative to the current directory if they are below it, as a user would type them.
//! Output for programs (`--json`, `--csv`, SARIF) has absolute paths.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// The path of a source file as it is shown.
pub fn shown(path: &str) -> Cow<'_, str> {
    here().path(path)
}

/// A sentence that may contain such paths.
pub fn in_text(text: &str) -> Cow<'_, str> {
    here().text(text)
}

fn here() -> &'static Here {
    static HERE: OnceLock<Here> = OnceLock::new();
    HERE.get_or_init(Here::now)
}

/// All names of the current directory.
struct Here(Vec<PathBuf>);

impl Here {
    fn now() -> Here {
        let Ok(own) = std::env::current_dir() else { return Here(Vec::new()) };
        // Compilers also take the directory's name from PWD, which may contain symbolic links.
        let typed = std::env::var_os("PWD").map(PathBuf::from);
        let typed = typed.filter(|path| path.is_absolute() && path.canonicalize().is_ok_and(|path| path == own));
        // Every path is below the root.
        Here([Some(own), typed].into_iter().flatten().filter(|folder| folder.parent().is_some()).collect())
    }

    fn path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        let plain = plain(Path::new(path));
        let below = self.0.iter().find_map(|folder| plain.as_deref()?.strip_prefix(folder).ok());
        match below.and_then(Path::to_str).filter(|below| !below.is_empty()) {
            Some(below) => Cow::Owned(below.to_owned()),
            None => Cow::Borrowed(path),
        }
    }

    fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let folders = self.0.iter().filter_map(|folder| folder.to_str());
        folders.fold(Cow::Borrowed(text), |text, folder| match without(&text, &format!("{folder}/")) {
            Some(shorter) => Cow::Owned(shorter),
            None => text,
        })
    }
}

/// An absolute path without `.` components. A path with `..` is unchanged: its target depends on symbolic links.
fn plain(path: &Path) -> Option<PathBuf> {
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    (path.is_absolute() && !goes_up).then(|| path.components().collect())
}

/// `text` without `folder` where a path begins with it; `None` where none does.
fn without(text: &str, folder: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(folder) {
        let before = text[..at].chars().next_back();
        if before.is_none_or(|before| before.is_whitespace() || "('\"`,:;=".contains(before)) {
            out += &text[done..at];
            done = at + folder.len();
        }
    }
    (done > 0).then(|| out + &text[done..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Here {
        Here(vec!["/work/heat".into(), "/home/u/heat".into()])
    }

    #[test]
    fn a_path_below_is_relative() {
        for (path, shown) in [
            ("/work/heat/heat.c", "heat.c"),
            ("/work/heat/./src//halo.f90", "src/halo.f90"),
            ("/home/u/heat/src/halo.f90", "src/halo.f90"),
            ("/work/heater/heat.c", "/work/heater/heat.c"),
            ("/usr/include/mpi.h", "/usr/include/mpi.h"),
            ("/work/heat/build/../src/halo.f90", "/work/heat/build/../src/halo.f90"),
            ("/work/heat", "/work/heat"),
            ("src/halo.f90", "src/halo.f90"),
            ("<frozen importlib>", "<frozen importlib>"),
            ("", ""),
        ] {
            assert_eq!(here().path(path), shown);
        }
    }

    #[test]
    fn paths_in_a_sentence() {
        for (text, shown) in [
            (
                "'step.c:4' is ambiguous: /work/heat/a/step.c:4, /home/u/heat/b/step.c:4",
                "'step.c:4' is ambiguous: a/step.c:4, b/step.c:4",
            ),
            ("step in heat (/work/heat/step.c:4)", "step in heat (step.c:4)"),
            ("/work/heat/a.out+0x1139", "a.out+0x1139"),
            ("/old/work/heat/a.out, /work/heater", "/old/work/heat/a.out, /work/heater"),
            ("/work/heat/work/heat/x.c", "work/heat/x.c"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(here().text(text), shown);
        }
    }

    #[test]
    fn the_current_directory_is_one() {
        let own = std::env::current_dir().unwrap();
        assert_eq!(shown(own.join("src/a.c").to_str().unwrap()), "src/a.c");
        assert_eq!(in_text(&format!("at {}/src/a.c:3", own.display())), "at src/a.c:3");
    }
}
