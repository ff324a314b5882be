//! What was wrong with a run, in words for people and with an id for programs.

use std::path::Path;

use serde::Serialize;

/// One finding about the data, not about the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable name of the kind.
    pub id: &'static str,
    /// File concerned, relative to the run.
    pub file: Option<String>,
    /// One sentence.
    pub text: String,
    /// Whether data of the run is missing or doubtful because of it.
    pub damage: bool,
}

impl Diagnostic {
    /// A file that could not be used at all.
    pub fn skipped(file: &str, why: impl ToString) -> Diagnostic {
        Diagnostic { id: "file-skipped", file: Some(file.into()), text: why.to_string(), damage: true }
    }
    /// A file of which only a part could be used.
    pub fn damaged(file: &str, parts: u64) -> Diagnostic {
        let text = format!("{parts} part(s) make no sense and are left out");
        Diagnostic { id: "file-damaged", file: Some(file.into()), text, damage: true }
    }
    /// A ring of which a part cannot be read: from where to where in the run, as shares of it.
    pub fn unreadable(file: &str, (from, until): (f64, f64), events: u64) -> Diagnostic {
        let percent = |share: f64| (100.0 * share).round();
        let (from, until) = (percent(from), percent(until));
        let text = match from <= 0.0 {
            true if until >= 100.0 => format!("its events cannot be read ({events} are lost)"),
            true => format!("the events up to {until} % of the run cannot be read ({events} are lost)"),
            false => format!("from {from} % of the run on, the events cannot be read ({events} are lost)"),
        };
        Diagnostic { id: "file-damaged", file: Some(file.into()), text, damage: true }
    }
    /// A host that has not handed over its files: its processes still run, or were killed with all that would have.
    pub fn elsewhere(host: &str, dir: &Path, run: &Path) -> Diagnostic {
        let (dir, run) = (dir.display(), run.display());
        let text = format!(
            "{host} has not handed over what it has in {dir}; unless it still runs, type there: mpiscope gather {run}"
        );
        Diagnostic { id: "host-not-gathered", file: None, text, damage: false }
    }
    /// Something worth knowing that costs no data.
    pub fn note(id: &'static str, text: impl ToString) -> Diagnostic {
        Diagnostic { id, file: None, text: text.to_string(), damage: false }
    }
}
