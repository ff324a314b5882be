//! Problems of a run, as text for people and with an id for programs.

use std::path::Path;

use serde::Serialize;

/// One problem of the data, not of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable name of the kind.
    pub id: &'static str,
    /// File concerned, relative to the run.
    pub file: Option<String>,
    /// One sentence.
    pub text: String,
    /// Whether data of the run is missing or unreliable because of it.
    pub damage: bool,
}

impl Diagnostic {
    /// A file that could not be used at all.
    pub fn skipped(file: &str, why: impl ToString) -> Diagnostic {
        Diagnostic { id: "file-skipped", file: Some(file.into()), text: why.to_string(), damage: true }
    }
    /// A file that could be used only in part.
    pub fn damaged(file: &str, parts: u64) -> Diagnostic {
        let text = format!("{parts} damaged part(s) are left out");
        Diagnostic { id: "file-damaged", file: Some(file.into()), text, damage: true }
    }
    /// A ring that cannot be read in part: the interval as shares of the run.
    pub fn unreadable(file: &str, (from, until): (f64, f64), events: u64) -> Diagnostic {
        let percent = |share: f64| (100.0 * share).round();
        let (from, until) = (percent(from), percent(until));
        let text = match from <= 0.0 {
            true if until >= 100.0 => format!("its events cannot be read ({events} lost)"),
            true => format!("the events in the first {until} % of the run cannot be read ({events} lost)"),
            false => format!("the events after {from} % of the run cannot be read ({events} lost)"),
        };
        Diagnostic { id: "file-damaged", file: Some(file.into()), text, damage: true }
    }
    /// A host whose files are not in the run: its processes still run, or everything there was killed.
    pub fn elsewhere(host: &str, dir: &Path, run: &Path) -> Diagnostic {
        let (dir, run) = (dir.display(), run.display());
        let text = format!(
            "files of {host} are still in {dir} there; if the program has ended, type there: mpiscope gather {run}"
        );
        Diagnostic { id: "host-not-gathered", file: None, text, damage: false }
    }
    /// A note about something that loses no data.
    pub fn note(id: &'static str, text: impl ToString) -> Diagnostic {
        Diagnostic { id, file: None, text: text.to_string(), damage: false }
    }
}
