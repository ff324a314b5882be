//! A message of the catalogue.

use serde::{Deserialize, Serialize};

/// What a message says about the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It names the reason.
    Cause,
    /// Something failed here, and the reason is in the program, in the last call, or in another message.
    Failure,
    /// It reports that something else has ended, or ends because of it.
    Follower,
    /// A warning: a job may run well with it.
    Note,
}

impl Role {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cause => "cause",
            Self::Failure => "failure",
            Self::Follower => "follower",
            Self::Note => "note",
        }
    }
}

/// Which program prints the messages of a file of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Begins the id of its messages.
    pub id: String,
    /// For people.
    pub name: String,
}

/// A kind of message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Stable id: `openmpi.slots`.
    pub id: String,
    /// What happened, in one line.
    pub title: String,
    /// What it says about the end of a job.
    pub role: Role,
    /// Among causes, larger ones explain smaller ones: the killed process explains the failed connection.
    #[serde(default)]
    pub weight: i8,
    /// Which versions print it.
    pub versions: String,
    /// Texts that recognise it; the syntax is in `pattern.rs`.
    #[serde(rename = "match", default)]
    pub patterns: Vec<String>,
    /// Texts with which a line belongs to another message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// What it means.
    pub means: String,
    /// Why it happens.
    pub why: String,
    /// What to try, in this order.
    #[serde(rename = "try")]
    pub steps: Vec<String>,
    /// What evidence to look at.
    #[serde(default)]
    pub see: Vec<String>,
}

impl Entry {
    /// The part of the id before the first dot.
    pub fn source(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }
}
