//! The findings of `mpiscope check` in a run: the file that it writes, and the same on the run's time axis.

use std::fs;
use std::io;
use std::path::Path;

use mpiscope_ingest::Moments;
use mpiscope_judge::{Confidence, Severity};
use mpiscope_run::{Diagnostic, Run};
use serde::{Deserialize, Serialize};

const FILE: &str = "findings.json";
/// A larger file cannot have been written by a check.
const MOST_BYTES: u64 = 256 << 20;

/// All findings of a check (schemas/check.schema.json).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checks {
    /// Version of this structure.
    pub format: u32,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Processes that were checked.
    pub processes: usize,
    /// Lost events: findings that rely on the absence of an event are not certain.
    pub events_lost: u64,
    /// Other limits of the check: things it could not observe, or not while the program ran.
    #[serde(default)]
    pub notes: Vec<String>,
    /// In the order in which they were found.
    pub findings: Vec<CheckFinding>,
}

/// A problem, with its places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckFinding {
    /// The rule.
    pub id: String,
    /// Severity.
    pub severity: Severity,
    /// Confidence.
    pub confidence: Confidence,
    /// Section of MPI-5.0.
    pub section: String,
    /// One line.
    pub title: String,
    /// One paragraph: what, who.
    pub text: String,
    /// One paragraph: the problem and the calls involved.
    pub advice: String,
    /// The calls involved, the most important one first.
    pub parties: Vec<CheckCall>,
    /// Number of further calls like these.
    pub more: u64,
    /// Numbers that explain it, by name.
    pub numbers: Vec<(String, i64)>,
    /// Number of occurrences.
    pub count: u64,
    /// When it was first reported, ns of `CLOCK_MONOTONIC` where the checker ran.
    pub found_ns: u64,
    /// Suppressed by `--suppress`.
    pub suppressed: bool,
}

/// A call of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckCall {
    /// Rank in `MPI_COMM_WORLD`; processes of other worlds follow.
    pub rank: u32,
    /// The world, 0 for the first: the others were spawned, or are programs that were started later.
    #[serde(default)]
    pub world: u32,
    /// Rank in that world.
    #[serde(default)]
    pub world_rank: u32,
    /// MPI started that world (`MPI_Comm_spawn`).
    #[serde(default)]
    pub spawned: bool,
    /// `None` if the finding is not about a call.
    pub function: Option<String>,
    /// Number of the argument in C, from 0.
    pub argument: Option<u8>,
    /// Its name.
    pub argument_name: Option<String>,
    /// Its role in the finding.
    pub role: String,
    /// The innermost line whose source is known.
    pub file: Option<String>,
    /// Its number.
    pub line: Option<u32>,
    /// Innermost first; empty when unknown.
    pub stack: Vec<CheckLine>,
    /// When it was reported, ns of `CLOCK_MONOTONIC` of its host; in a report ns since the origin of the run.
    #[serde(default)]
    pub at_ns: Option<u64>,
}

/// A line of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLine {
    /// Demangled.
    pub function: String,
    /// Source file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
}

impl CheckFinding {
    /// Makes the program wrong: a possible finding never does.
    pub fn is_wrong(&self) -> bool {
        !self.suppressed && self.confidence == Confidence::Certain && self.severity > Severity::Hint
    }
}

impl Checks {
    /// Its folder in a run.
    pub const FOLDER: &str = "check";
    /// Version that is written.
    pub const FORMAT: u32 = 1;

    /// Writes it into a run, completely or not at all.
    ///
    /// # Errors
    ///
    /// If the run is not writable.
    pub fn write(&self, run: &Path) -> io::Result<()> {
        let folder = run.join(Checks::FOLDER);
        fs::create_dir_all(&folder)?;
        let new = folder.join(format!(".{FILE}"));
        fs::write(&new, self.to_json()?)?;
        fs::rename(new, folder.join(FILE))
    }

    /// As in the file and in `mpiscope check --json`.
    ///
    /// # Errors
    ///
    /// Only from the serializer; the findings of a check can always be written.
    pub fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The findings of a check of this run; `None` when it was not checked. Moments of calls are on the run's axis.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is too large, or has another format.
    pub fn of_run(run: &Run) -> Result<Option<Checks>, Diagnostic> {
        let (name, path) = (format!("{}/{FILE}", Checks::FOLDER), run.path.join(Checks::FOLDER).join(FILE));
        let wrong = |text: String| Diagnostic::skipped(&name, text);
        let bytes = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Ok(meta) if meta.len() > MOST_BYTES => return Err(wrong("too large for the findings of a check".into())),
            _ => fs::read(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?,
        };
        let mut checks = Checks::parse(&bytes).map_err(wrong)?;
        let moments = Moments::from_run(run);
        for call in checks.findings.iter_mut().flat_map(|finding| &mut finding.parties) {
            call.at_ns = call.at_ns.and_then(|ns| moments.of_monotonic(call.rank, ns));
        }
        Ok(Some(checks))
    }

    fn parse(bytes: &[u8]) -> Result<Checks, String> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let none = |error: serde_json::Error| format!("not a file of check findings: {error}");
        match serde_json::from_slice::<Version>(bytes).map_err(none)?.format {
            Checks::FORMAT => serde_json::from_slice(bytes).map_err(none).map(Checks::with_worlds),
            other => Err(format!("unknown format {other}; this mpiscope reads format {}", Checks::FORMAT)),
        }
    }

    /// Files of earlier versions have only numbers of processes.
    fn with_worlds(mut self) -> Checks {
        for call in self.findings.iter_mut().flat_map(|finding| &mut finding.parties).filter(|call| call.world == 0) {
            call.world_rank = call.rank;
        }
        self
    }

    /// The findings that are not suppressed.
    pub fn reported(&self) -> impl Iterator<Item = &CheckFinding> {
        self.findings.iter().filter(|finding| !finding.suppressed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Checks {
        let call = CheckCall {
            rank: 1,
            world: 0,
            world_rank: 1,
            spawned: false,
            function: Some("MPI_Recv".into()),
            argument: None,
            argument_name: None,
            role: "waits".into(),
            file: Some("a.c".into()),
            line: Some(3),
            stack: vec![CheckLine { function: "main".into(), file: Some("a.c".into()), line: Some(3) }],
            at_ns: Some(17),
        };
        let finding = CheckFinding {
            id: "deadlock.cycle".into(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            section: "3.5".into(),
            title: "Deadlock".into(),
            text: "It waits.".into(),
            advice: "Do not.".into(),
            parties: vec![call],
            more: 0,
            numbers: vec![("ranks".into(), 1)],
            count: 1,
            found_ns: 5,
            suppressed: false,
        };
        Checks {
            format: Checks::FORMAT,
            program: vec!["a".into()],
            processes: 2,
            events_lost: 0,
            notes: Vec::new(),
            findings: vec![finding],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Checks::parse(checks().to_json().unwrap().as_bytes()), Ok(checks()));
    }

    #[test]
    fn files_of_before_have_no_moments() {
        let old = checks().to_json().unwrap().replace("\"at_ns\": 17", "\"old\": 17");
        assert_eq!(Checks::parse(old.as_bytes()).unwrap().findings[0].parties[0].at_ns, None);
    }

    #[test]
    fn newer_files_and_other_files_are_refused() {
        assert_eq!(Checks::parse(b"{\"format\": 9}"), Err("unknown format 9; this mpiscope reads format 1".into()));
        assert!(Checks::parse(b"[1]").unwrap_err().starts_with("not a file of check findings: "));
    }
}
