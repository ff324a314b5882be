//! What was found in a log, folded over ranks.

use serde::Serialize;

use crate::entry::{Entry, Role};

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The log, as its reader names it.
    pub file: String,
    /// From 1.
    pub line: u64,
}

/// All messages of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The kind.
    pub entry: &'static Entry,
    /// How many.
    pub count: u64,
    /// Where the first one is.
    pub first: Place,
    /// The first one: the line that identifies it.
    pub text: String,
    /// Rank of the first one that names a rank.
    pub first_rank: Option<u32>,
    /// Its host, as well.
    pub first_host: Option<String>,
    /// All ranks, as far as lines name them (65,536 at most).
    pub ranks: Vec<u32>,
    /// All hosts (1,024 at most).
    pub hosts: Vec<String>,
    /// Values of the first one: `function`, `path`, `limit`.
    pub fields: Vec<(String, String)>,
}

impl Finding {
    /// A value of the first message.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Takes what a further line of the first message says: an error stack has the class first, and then values.
    pub(crate) fn complete(&mut self, fields: Vec<(String, String)>, text: String) {
        if self.count > 1 {
            return;
        }
        let known = self.fields.len();
        for (name, value) in fields {
            if self.field(&name).is_none() {
                self.fields.push((name, value));
            }
        }
        if self.fields.len() > known {
            self.text = text;
        }
    }

    /// Smaller is more likely to be the cause.
    fn order(&self) -> (Role, i8, u64) {
        (self.entry.role, -self.entry.weight, self.first.line)
    }
}

/// Lines that no message of the catalogue explains; those that differ only in numbers are one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// Where the first one is.
    pub first: Place,
    /// The first one.
    pub text: String,
    /// How many.
    pub count: u64,
    /// Rank of the first one.
    pub rank: Option<u32>,
}

/// All that a scan found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// The most likely cause first; followers and notes last.
    pub messages: Vec<Finding>,
    /// In the order of the log.
    pub unknown: Vec<Unknown>,
    /// Kinds of unknown lines beyond those in `unknown`.
    pub more_unknown: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Lines that were read.
    pub lines: u64,
}

impl Findings {
    /// Puts the most likely cause first.
    pub(crate) fn sort(&mut self) {
        self.messages.sort_by_key(Finding::order);
    }

    /// The most likely cause: what ends a job, and is not only the consequence of something else.
    pub fn cause(&self) -> Option<&Finding> {
        self.messages.first().filter(|finding| matches!(finding.entry.role, Role::Cause | Role::Failure))
    }

    /// Whether the log contains only consequences and lines that no entry explains.
    pub fn is_unexplained(&self) -> bool {
        let follows = self.messages.iter().any(|finding| finding.entry.role == Role::Follower);
        self.cause().is_none() && (follows || !self.unknown.is_empty())
    }
}

/// Longer lines are quoted by their beginning.
const QUOTED_CHARS: usize = 240;

/// A line for people.
pub(crate) fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().chars().filter(|c| !c.is_control()).take(QUOTED_CHARS).collect()
}
