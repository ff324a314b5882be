//! Errors of a configuration: what, where, and what to do next.

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::Serialize;

use crate::options::OptionError;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct At {
    /// As the user named it, or as it was found.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for At {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}:{}", self.file.display(), self.line)
    }
}

/// Why the options cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum SettingsError {
    #[error("{origin}: {source}")]
    Given { origin: String, source: OptionError },
    #[error("cannot read the configuration file {}: {source}", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error("{} is not used: it belongs to another user or is writable by everyone, and could start any program",
        file.display())]
    Foreign { file: PathBuf },
    #[error("{at}: {message}")]
    Syntax { at: At, message: String },
    #[error("{at}: unknown option '{key}'{}", meant(.nearest))]
    UnknownKey { at: At, key: String, nearest: Option<String> },
    #[error("{at}: '{key}' is allowed only on the command line{why}")]
    CommandLineOnly { at: At, key: String, why: &'static str },
    #[error("{at}: '{key}' must be {wanted}, not {}", article(.found))]
    WrongType { at: At, key: String, wanted: &'static str, found: &'static str },
    #[error("{at}: '{key}': {source}")]
    BadValue { at: At, key: String, source: OptionError },
    #[error("{origin}: unknown profile '{name}'{}", meant(.nearest))]
    UnknownProfile { origin: String, name: String, nearest: Option<String>, known: Vec<String>, file: Option<PathBuf> },
    #[error("{at}: profiles inherit from each other in a cycle: {}", chain.join(" → "))]
    Circle { at: At, chain: Vec<String> },
}

fn meant(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

fn article(noun: &str) -> String {
    let an = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

impl SettingsError {
    /// Commands to try next.
    pub fn next_steps(&self) -> Vec<String> {
        match self {
            Self::Given { .. } => Vec::new(),
            Self::Foreign { file } => {
                let file = crate::shell_words::join(&[file.to_string_lossy()]);
                vec![format!("--config {file}   # if you trust it"), "--no-config".into()]
            }
            Self::UnknownProfile { known, file, .. } => {
                let from = file.as_ref().map_or_else(
                    || "built in; no mpiscope.toml was found here or in a parent directory".into(),
                    |file| format!("from {}, and built in", file.display()),
                );
                vec![format!("--profile {}   # {from}", known.join("|"))]
            }
            _ => vec!["mpiscope config --no-config   # every option with its default".into()],
        }
    }
}
