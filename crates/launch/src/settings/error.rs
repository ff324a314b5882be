//! What is wrong with a configuration, where, and what helps.

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::Serialize;

use crate::options::OptionError;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct At {
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for At {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}:{}", self.file.display(), self.line)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{origin}: {source}")]
    Given { origin: String, source: OptionError },
    #[error("the configuration file {} cannot be read: {source}", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error("{} belongs to somebody else, or everybody may write it; it is not used unasked, as it can name \
             programs to start", file.display())]
    Foreign { file: PathBuf },
    #[error("{at}: {message}")]
    Syntax { at: At, message: String },
    #[error("{at}: there is no option '{key}'{}", meant(.nearest))]
    UnknownKey { at: At, key: String, nearest: Option<String> },
    #[error("{at}: '{key}' stands on the command line only{why}")]
    CommandLineOnly { at: At, key: String, why: &'static str },
    #[error("{at}: '{key}' wants {wanted}, not {}", article(.found))]
    WrongType { at: At, key: String, wanted: &'static str, found: &'static str },
    #[error("{at}: '{key}': {source}")]
    BadValue { at: At, key: String, source: OptionError },
    #[error("{origin}: there is no profile '{name}'{}", meant(.nearest))]
    UnknownProfile { origin: String, name: String, nearest: Option<String>, known: Vec<String>, file: Option<PathBuf> },
    #[error("{at}: profiles are based on each other in a circle: {}", chain.join(" → "))]
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
    /// Commands that get further.
    pub fn next_steps(&self) -> Vec<String> {
        match self {
            Self::Given { .. } => Vec::new(),
            Self::Foreign { file } => {
                let file = crate::words::join(&[file.to_string_lossy()]);
                vec![format!("--config {file}   # if you trust it"), "--no-config".into()]
            }
            Self::UnknownProfile { known, file, .. } => {
                let from = file.as_ref().map_or_else(
                    || "no mpiscope.toml was found from here upwards".into(),
                    |file| format!("those of {} and the built-in", file.display()),
                );
                vec![format!("--profile {}   # {from}", known.join("|"))]
            }
            _ => vec!["mpiscope config --no-config   # every option with its default".into()],
        }
    }
}
