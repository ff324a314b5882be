//! Programs started from the page.
//!
//! This crate starts nothing: it decides who may request it ([`http`], [`secret`]), and that only a command shown to a
//! person is run ([`tickets`]). The code that starts programs implements [`Launch`]. Without it none of the addresses exist.

mod http;
mod secret;
mod tickets;

use std::path::PathBuf;
use std::sync::Arc;

use mpiscope_query::view::ViewSession;
use serde::{Deserialize, Serialize};

pub(crate) use http::{Launching, offers, routes};
pub use secret::Secret;

/// The form as filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The program and its arguments as typed; no shell reads them.
    pub program: String,
    /// Number of ranks; the launcher's own if empty.
    #[serde(default)]
    pub ranks: String,
    /// Options by their name on the command line; empty values are left out.
    #[serde(default)]
    pub options: Vec<(String, String)>,
}

/// The exact command.
#[derive(Clone, Debug, Serialize)]
pub struct Command {
    /// The program and its arguments, word by word.
    pub program: Vec<String>,
    /// The complete command, as it could be typed.
    pub text: String,
    /// Its directory.
    pub directory: PathBuf,
    /// The run that it makes.
    pub run: PathBuf,
    /// The requested number of ranks.
    pub ranks: Option<u64>,
    /// The words that are executed: never joined, never split again.
    #[serde(skip)]
    pub words: Vec<String>,
}

/// A refusal: what happened, and what to do next.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The problem.
    pub what: String,
    /// What the user can do.
    pub next: String,
}

/// The stage of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Nothing has been started yet.
    Idle,
    /// The program runs.
    Running,
    /// The program has been requested to end.
    Stopping,
    /// The program has ended, and its run can be shown if there is one.
    Ended,
}

/// The progress of the last started program.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// What happens now.
    pub stage: Stage,
    /// Number of the run since the server began; 0 before the first.
    pub number: usize,
    /// The command that was started; `None` before the first.
    pub command: Option<Command>,
    /// Since the program was started, until it ended.
    pub elapsed_ms: u64,
    /// Ranks that have called MPI_Init, as far as that is known here.
    pub ranks_up: usize,
    /// The output of the program and of mpiscope, from byte `from` on.
    pub output: String,
    /// First byte of `output`, counted from the start of the program.
    pub from: u64,
    /// First byte of the next request.
    pub until: u64,
    /// Exit code of `mpiscope run`, once it has ended.
    pub code: Option<i32>,
    /// How it ended, in words.
    pub verdict: Option<String>,
    /// The address of its views, relative to the page's folder; nothing if there is no run to show.
    pub view: Option<String>,
}

/// The interface to the code that starts programs.
pub trait Launch: Send + Sync + 'static {
    /// The content of the form, as JSON.
    fn form(&self) -> serde_json::Value;
    /// The command for a form. Starts nothing.
    ///
    /// # Errors
    ///
    /// If the form is incomplete or invalid.
    fn check(&self, wish: &Wish) -> Result<Command, Refusal>;
    /// Starts it.
    ///
    /// # Errors
    ///
    /// If another program runs, or it cannot be started.
    fn start(&self, command: Command) -> Result<(), Refusal>;
    /// The progress of the last program, with its output from byte `after` on.
    fn progress(&self, after: u64) -> Progress;
    /// Requests the program to end.
    fn stop(&self);
    /// The run of this number, once there is something to see.
    fn viewing(&self, number: usize) -> Option<Arc<ViewSession>>;
    /// The code was wrong too often.
    fn locked(&self);
}
