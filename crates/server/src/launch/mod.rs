//! Programs that are started from the page.
//!
//! This crate starts nothing: it decides who may ask for it ([`http`], [`secret`]), and that only what was shown to a
//! person is run ([`tickets`]). Who starts programs implements [`Launch`]. Without it none of the addresses exist.

mod http;
mod secret;
mod tickets;

use std::path::PathBuf;
use std::sync::Arc;

use mpiscope_query::view::Viewing;
use serde::{Deserialize, Serialize};

pub(crate) use http::{Launching, offers, routes};
pub use secret::Secret;

/// What a person has filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The program and its arguments as they would be typed; no shell will read it.
    pub program: String,
    /// Number of ranks; the launcher's own if empty.
    #[serde(default)]
    pub ranks: String,
    /// Options by their name on the command line; empty values are not given.
    #[serde(default)]
    pub options: Vec<(String, String)>,
}

/// What will be run, exactly.
#[derive(Clone, Debug, Serialize)]
pub struct Command {
    /// The program and its arguments, word by word.
    pub program: Vec<String>,
    /// All of it, as it could be typed.
    pub text: String,
    /// Where it runs.
    pub directory: PathBuf,
    /// The run that it makes.
    pub run: PathBuf,
    /// As many as were asked for.
    pub ranks: Option<u64>,
    /// What is started: never joined, never split again.
    #[serde(skip)]
    pub words: Vec<String>,
}

/// Something that cannot be done: what, and what to do next.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    pub what: String,
    pub next: String,
}

/// How a program is getting on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Nothing was started yet.
    Idle,
    Running,
    /// It was asked to end.
    Stopping,
    Ended,
}

/// What there is to say of the program that was started last.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    pub stage: Stage,
    /// Number of the run since the server began; 0 before the first.
    pub number: usize,
    pub command: Option<Command>,
    pub elapsed_ms: u64,
    /// Ranks that have called MPI_Init, as far as that is known here.
    pub ranks_up: usize,
    /// What the program and mpiscope have written, from byte `from` on.
    pub output: String,
    pub from: u64,
    /// Ask from here on the next time.
    pub until: u64,
    /// Exit code of `mpiscope run`, once it has ended.
    pub code: Option<i32>,
    /// How it ended, in words.
    pub verdict: Option<String>,
    /// Where its views are, from the page's folder on; nothing if there is no run to be seen.
    pub view: Option<String>,
}

/// Whoever can start programs.
pub trait Launch: Send + Sync + 'static {
    /// What the form has, as JSON.
    fn form(&self) -> serde_json::Value;
    /// What a wish comes to. Starts nothing.
    fn check(&self, wish: &Wish) -> Result<Command, Refusal>;
    /// Starts it.
    fn start(&self, command: Command) -> Result<(), Refusal>;
    /// How far the last one is, with what was written from byte `after` on.
    fn progress(&self, after: u64) -> Progress;
    /// Asks the program to end.
    fn stop(&self);
    /// The run of this number, once there is something to see.
    fn viewing(&self, number: usize) -> Option<Arc<Viewing>>;
    /// Somebody has guessed the code too often.
    fn locked(&self);
}
