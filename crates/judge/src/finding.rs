//! Findings, as they are reported.

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Correct, but its result may differ from run to run.
    Hint,
    /// Works here, but may not work elsewhere.
    Warning,
    /// The program is wrong.
    Error,
}

/// How sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Something that mpiscope cannot see may excuse it.
    Possible,
    /// Follows from the standard for this execution.
    Certain,
}

/// Roles of an instruction that touches bytes of a buffer, or what lies beside them: see [`mpiscope_trace::check::rule::MAY_BE_BESIDE`].
pub const MAY_READ: &str = "may read";
/// See [`MAY_READ`].
pub const MAY_WRITE: &str = "may write";
/// The same where the memory has changed.
pub const MAY_HAVE_WRITTEN: &str = "may have written";

/// A call that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Party {
    /// Number of its process: its rank in `MPI_COMM_WORLD`, or the number that the reader assigned to a process of another world.
    pub process: u32,
    /// Function id, 0 when it is no call.
    pub function: u16,
    /// Call site in the process's own numbers, 0 when unknown.
    pub site: u32,
    /// Number of the argument in C, from 0.
    pub argument: Option<u8>,
    /// What it does here: "sends", "waits", "started here".
    pub role: String,
    /// When, ticks of the process's clock.
    pub at: u64,
}

/// A problem, reported once for each place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Its number among those of this run, from 0.
    pub number: u32,
    /// Id of the rule: stable.
    pub id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// Section of MPI-5.0.
    pub section: &'static str,
    /// One line.
    pub title: String,
    /// One paragraph: what happens, and in which processes.
    pub text: String,
    /// What to do.
    pub advice: String,
    /// Those involved, the one to look at first.
    pub parties: Vec<Party>,
    /// How many more parties there are; those listed are examples.
    pub more: u64,
    /// Numbers that explain it, by name.
    pub numbers: Vec<(String, i64)>,
    /// Equal for findings about the same place, in different processes as well.
    pub key: u64,
    /// How often it has happened by now; see [`crate::Judge::counts`].
    pub count: u64,
    /// The wrong call did not reach the MPI.
    pub withheld: bool,
    /// Processes among them can never continue.
    pub stuck: bool,
}
