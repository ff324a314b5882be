//! Open MPI's files of parameters: `name = value` in lines, `#` begins a comment.

use std::path::Path;

use serde::Serialize;

use crate::launcher::Words;
use crate::setting::{Setting, Source};

/// Longest line that is read as a setting.
const MAX_LINE_BYTES: usize = 64 << 10;

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileProblem {
    /// The file.
    pub path: String,
    /// The line, counted from 1; `None` if it concerns the whole file.
    pub line: Option<usize>,
    /// What.
    pub what: String,
}

/// A file's settings and problems.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// In the order of the file.
    pub settings: Vec<Setting>,
    /// What could not be read.
    pub problems: Vec<FileProblem>,
}

/// Reads the bytes of a file; `place` makes a source of a path and a line.
pub fn parse_params(path: &Path, bytes: &[u8], place: impl Fn(String, usize) -> Source) -> Parsed {
    let path = path.display().to_string();
    let mut parsed = Parsed::default();
    let problem = |line, what: &str| FileProblem { path: path.clone(), line, what: what.to_owned() };
    // A text has no zero byte; all other bytes may be in a value.
    if bytes.contains(&0) {
        parsed.problems.push(problem(None, "is not a text file: it contains zero bytes"));
        return parsed;
    }
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        if line.len() > MAX_LINE_BYTES {
            parsed.problems.push(problem(Some(number), &format!("has a line of {} bytes", line.len())));
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if text.starts_with('-') {
            // Files for --tune may have options of the launcher.
            let options: Vec<String> = text.split_whitespace().map(Into::into).collect();
            let words = Words::read(&[vec![String::new()], options].concat(), true);
            if words.settings.is_empty() {
                parsed.problems.push(problem(Some(number), "has an option that is neither --mca nor -x"));
            }
            parsed.settings.extend(words.settings.into_iter().map(|setting| Setting {
                source: match setting.source {
                    Source::Launcher { option } if option == "-x" => {
                        Source::Launcher { option: format!("-x in {path}:{number}") }
                    }
                    _ => place(path.clone(), number),
                },
                ..setting
            }));
            continue;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), value.trim()),
            None => {
                parsed.problems.push(problem(Some(number), "has no '='"));
                continue;
            }
        };
        if name.is_empty() || name.contains(char::is_whitespace) {
            parsed.problems.push(problem(Some(number), &format!("has no name before '=': '{}'", short(name))));
            continue;
        }
        let value = value.trim_matches('"');
        parsed.settings.push(Setting { name: name.into(), value: value.into(), source: place(path.clone(), number) });
    }
    parsed
}

fn short(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &[u8]) -> Parsed {
        parse_params(Path::new("/etc/p.conf"), text, |path, line| Source::SystemFile { path, line })
    }

    #[test]
    fn lines_become_settings() {
        let parsed = parse(b"# comment\n\nbtl = ^tcp\npml=\"ob1\"\r\n  osc = a b\n");
        let pairs: Vec<_> = parsed.settings.iter().map(|set| (set.name.as_str(), set.value.as_str())).collect();
        assert_eq!(pairs, [("btl", "^tcp"), ("pml", "ob1"), ("osc", "a b")]);
        assert_eq!(parsed.settings[2].source.title(), "/etc/p.conf:5");
        assert!(parsed.problems.is_empty());
    }

    #[test]
    fn files_for_tune_have_options() {
        let parsed = parse(b"--mca btl_tcp_links 4 -mca pml ob1\n-x UCX_TLS=tcp\n-n 4\n");
        let pairs: Vec<_> = parsed.settings.iter().map(|set| (set.name.as_str(), set.source.title())).collect();
        assert_eq!(pairs[1], ("pml", "/etc/p.conf:1".into()));
        assert_eq!(pairs[2], ("UCX_TLS", "launcher's -x in /etc/p.conf:2".into()));
        assert_eq!(parsed.problems.len(), 1);
    }

    #[test]
    fn bad_files_are_described() {
        assert_eq!(parse(b"\x7fELF\0\0").problems[0].what, "is not a text file: it contains zero bytes");
        assert_eq!(parse(b"btl tcp\n").problems[0].what, "has no '='");
        assert_eq!(parse(b"= tcp\n").problems[0].line, Some(1));
        let long = [b"a=".as_slice(), &[b'x'; 1 << 20]].concat();
        assert!(parse(&long).problems[0].what.contains("1048578 bytes"));
        assert_eq!(parse(b"a=\xff\n").settings.len(), 1);
    }
}
