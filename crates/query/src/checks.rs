//! What `mpiscope check` has found in a run: the file that it writes, and the same on the run's time axis.

use std::fs;
use std::io;
use std::path::Path;

use mpiscope_ingest::Moments;
use mpiscope_judge::{Confidence, Severity};
use mpiscope_run::{Diagnostic, Run};
use serde::{Deserialize, Serialize};

const FILE: &str = "findings.json";
/// A file that is larger than any that a check writes is none.
const MOST_BYTES: u64 = 256 << 20;

/// Everything that a check has found (schemas/check.schema.json).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checks {
    /// Version of this structure.
    pub format: u32,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Processes that were checked.
    pub processes: usize,
    /// Events that were not heard: what follows from their absence is not certain.
    pub events_lost: u64,
    /// What else was not seen, or not while the program ran.
    #[serde(default)]
    pub notes: Vec<String>,
    /// In the order in which they were found.
    pub findings: Vec<CheckFinding>,
}

/// Something wrong, with its places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckFinding {
    /// The rule.
    pub id: String,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// Section of MPI-5.0.
    pub section: String,
    /// One line.
    pub title: String,
    /// One paragraph: what, who.
    pub text: String,
    /// What to do.
    pub advice: String,
    /// The calls that it is about, the one to look at first.
    pub parties: Vec<CheckCall>,
    /// Further calls of which these are examples.
    pub more: u64,
    /// Numbers that explain it, by name.
    pub numbers: Vec<(String, i64)>,
    /// How often it has happened.
    pub count: u64,
    /// When it was told first, ns of `CLOCK_MONOTONIC` where the checker ran.
    pub found_ns: u64,
    /// Taken out by `--suppress`.
    pub suppressed: bool,
}

/// A call that a finding is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckCall {
    /// Rank in `MPI_COMM_WORLD`; processes of other worlds come after it.
    pub rank: u32,
    /// Which world, 0 the first: others were spawned, or are programs that came later.
    #[serde(default)]
    pub world: u32,
    /// Rank in that world.
    #[serde(default)]
    pub world_rank: u32,
    /// MPI has started that world (`MPI_Comm_spawn`).
    #[serde(default)]
    pub spawned: bool,
    /// `None` when it is about no call.
    pub function: Option<String>,
    /// Number of the argument in C, from 0.
    pub argument: Option<u8>,
    /// Its name.
    pub argument_name: Option<String>,
    /// What it does here.
    pub role: String,
    /// The innermost line whose source is known.
    pub file: Option<String>,
    /// Its number.
    pub line: Option<u32>,
    /// Innermost first; empty when unknown.
    pub stack: Vec<CheckLine>,
    /// When it was told, ns of `CLOCK_MONOTONIC` of its host; in a report ns since the origin of the run.
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
    /// Makes the program wrong: what is only possible never does.
    pub fn is_wrong(&self) -> bool {
        !self.suppressed && self.confidence == Confidence::Certain && self.severity > Severity::Hint
    }
}

impl Checks {
    /// Its folder in a run.
    pub const FOLDER: &str = "check";
    /// Version that is written.
    pub const FORMAT: u32 = 1;

    /// Writes it into a run: whole or not at all.
    pub fn write(&self, run: &Path) -> io::Result<()> {
        let folder = run.join(Checks::FOLDER);
        fs::create_dir_all(&folder)?;
        let new = folder.join(format!(".{FILE}"));
        fs::write(&new, self.to_json()?)?;
        fs::rename(new, folder.join(FILE))
    }

    /// As the file and `mpiscope check --json` have it.
    pub fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// What a check has left in a run; `None` when it was not checked. Moments of calls are on the run's axis.
    pub fn of_run(run: &Run) -> Result<Option<Checks>, Diagnostic> {
        let (name, path) = (format!("{}/{FILE}", Checks::FOLDER), run.path.join(Checks::FOLDER).join(FILE));
        let wrong = |text: String| Diagnostic::skipped(&name, text);
        let bytes = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Ok(meta) if meta.len() > MOST_BYTES => return Err(wrong("too large for the findings of a check".into())),
            _ => fs::read(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?,
        };
        let mut checks = Checks::parse(&bytes).map_err(wrong)?;
        let moments = Moments::of(run);
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

    /// Files of before have numbers of processes only.
    fn with_worlds(mut self) -> Checks {
        for call in self.findings.iter_mut().flat_map(|finding| &mut finding.parties).filter(|call| call.world == 0) {
            call.world_rank = call.rank;
        }
        self
    }

    /// Those that were not suppressed.
    pub fn told(&self) -> impl Iterator<Item = &CheckFinding> {
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
        assert_eq!(Checks::parse(b"{\"format\": 9}"), Err("format 9; this mpiscope reads format 1".into()));
        assert!(Checks::parse(b"[1]").unwrap_err().starts_with("not a file of check findings: "));
    }
}
