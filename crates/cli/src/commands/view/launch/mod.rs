//! Programs that are started from the page: `mpiscope view --launch`.
//!
//! Starts this executable with `run`, so that a program is recorded exactly as from a shell, and the page shows the
//! messages of `run`.

mod form;
mod log;
mod one;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mpiscope_query::view::ViewSession;
use mpiscope_server::launch::{Command, Launch, Progress, Refusal, Stage, Wish};

use crate::say;
use one::One;

/// All programs started since `view` started.
pub struct Launches {
    all: Mutex<Vec<Arc<One>>>,
    /// Set when `view` ends: no more programs are started or read.
    is_over: Arc<AtomicBool>,
    is_locked: AtomicBool,
}

impl Launches {
    pub fn new(is_over: Arc<AtomicBool>) -> Launches {
        Launches { all: Mutex::default(), is_over, is_locked: AtomicBool::new(false) }
    }

    fn last(&self) -> (usize, Option<Arc<One>>) {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        (all.len(), all.last().cloned())
    }

    /// Ends running programs and waits for them, so that none remain.
    pub fn end(&self) {
        let (_, last) = self.last();
        let Some(one) = last.filter(|one| !one.has_ended()) else { return };
        say::line("ending the program that was started from the page");
        one.stop();
        one.wait();
    }
}

impl Launch for Launches {
    fn form(&self) -> serde_json::Value {
        form::form()
    }

    fn check(&self, wish: &Wish) -> Result<Command, Refusal> {
        form::check(wish)
    }

    fn start(&self, command: Command) -> Result<(), Refusal> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_over.load(Ordering::Relaxed) {
            return Err(refusal("mpiscope view is ending.", "Start it again."));
        }
        if all.last().is_some_and(|one| !one.has_ended()) {
            return Err(refusal("A program still runs.", "Wait until it ends, or stop it."));
        }
        say::line(format_args!("from the page: {}", command.text));
        all.push(One::start(command, self.is_over.clone()));
        Ok(())
    }

    fn progress(&self, after: u64) -> Progress {
        match self.last() {
            (number, Some(one)) => one.progress(number, after),
            (_, None) => Progress {
                stage: Stage::Idle,
                number: 0,
                command: None,
                elapsed_ms: 0,
                ranks_up: 0,
                output: String::new(),
                from: 0,
                until: 0,
                code: None,
                verdict: None,
                view: None,
            },
        }
    }

    fn stop(&self) {
        if let (_, Some(one)) = self.last() {
            one.stop();
        }
    }

    fn viewing(&self, number: usize) -> Option<Arc<ViewSession>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(number.checked_sub(1)?)?.viewing()
    }

    fn locked(&self) {
        if !self.is_locked.swap(true, Ordering::Relaxed) {
            say::warning("too many wrong codes: the page cannot start programs any more; restart mpiscope view (^C)");
        }
    }
}

fn refusal(what: impl Into<String>, next: impl Into<String>) -> Refusal {
    Refusal { what: what.into(), next: next.into() }
}
