//! A command that fails: what happened, where, and what to type next.

use mpiscope_launch::{Asked, Diagnosis, job};

use crate::say;

/// Ends the command with exit code 2.
#[derive(Debug)]
pub enum Failure {
    /// The request could not be carried out.
    Diagnosis {
        what: Box<Diagnosis>,
        asked: Asked,
    },
    Other(anyhow::Error),
}

impl Failure {
    pub const EXIT_CODE: i32 = 2;

    /// Prints it and returns the exit code. In a job only the first rank prints more than one line, as the others would
    /// repeat it.
    pub fn print(&self) -> i32 {
        let first = job::speaks_for_job(&job::own_env);
        match self {
            Self::Diagnosis { what, asked } => {
                say::line(format_args!("error: {what}"));
                if first {
                    if !what.looked().is_empty() {
                        let dirs: Vec<String> = what.looked().iter().map(|path| path.display().to_string()).collect();
                        say::more(format_args!("looked in: {}", dirs.join(" ")));
                    }
                    for step in what.next_steps(asked) {
                        say::more(format_args!("try: {step}"));
                    }
                }
            }
            Self::Other(error) => say::line(format_args!("error: {error:#}")),
        }
        Self::EXIT_CODE
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

/// Combines a diagnosis with what was typed.
pub trait OrFail<T> {
    fn or_fail(self, asked: &Asked) -> Result<T, Failure>;
}

impl<T> OrFail<T> for Result<T, Diagnosis> {
    fn or_fail(self, asked: &Asked) -> Result<T, Failure> {
        self.map_err(|what| Failure::Diagnosis { what: Box::new(what), asked: asked.clone() })
    }
}
