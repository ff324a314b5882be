//! The result, as JSON has it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mpiscope_failures::{Entry, Finding, Findings, Place, Unknown};
use serde::Serialize;

use super::facts::Facts;

/// All that is known of a failed job.
#[derive(Serialize)]
pub struct Answer {
    format: u32,
    /// Logs and runs as given.
    files: Vec<PathBuf>,
    pub bytes: u64,
    pub lines: u64,
    /// Id of the most likely cause.
    pub cause: Option<String>,
    pub is_unexplained: bool,
    pub messages: Vec<Message>,
    pub unknown: Vec<Unknown>,
    pub more_unknown: u64,
    pub run: Option<Facts>,
}

/// All messages of one kind.
#[derive(Serialize)]
pub struct Message {
    #[serde(flatten)]
    pub entry: &'static Entry,
    pub count: u64,
    pub first: Place,
    pub text: String,
    pub first_rank: Option<u32>,
    pub first_host: Option<String>,
    pub ranks: Vec<u32>,
    pub hosts: Vec<String>,
    pub fields: BTreeMap<String, String>,
}

impl Answer {
    pub fn new(files: &[PathBuf], found: Findings, mut run: Option<Facts>) -> Self {
        if let (Some(run), Some(rank)) = (&mut run, found.cause().and_then(|finding| finding.first_rank)) {
            run.name_first(rank);
        }
        let cause = found.cause().map(|finding| finding.entry.id.clone());
        let failed = run.as_ref().is_some_and(|facts| facts.first.is_some());
        Self {
            format: 1,
            files: files.to_vec(),
            bytes: found.bytes,
            lines: found.lines,
            is_unexplained: found.is_unexplained() || failed && cause.is_none(),
            cause,
            messages: found.messages.into_iter().map(Message::new).collect(),
            unknown: found.unknown,
            more_unknown: found.more_unknown,
            run,
        }
    }
}

impl Message {
    fn new(finding: Finding) -> Self {
        Self {
            entry: finding.entry,
            count: finding.count,
            first: finding.first,
            text: finding.text,
            first_rank: finding.first_rank,
            first_host: finding.first_host,
            ranks: finding.ranks,
            hosts: finding.hosts,
            fields: finding.fields.into_iter().collect(),
        }
    }
}
