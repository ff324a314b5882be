//! Progress of long work: a bar on a terminal, plain lines elsewhere, nothing for short work.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shorter work shows no progress.
const PATIENCE: Duration = Duration::from_millis(700);
/// Interval of plain lines.
const PLAIN: Duration = Duration::from_secs(10);
/// Interval of redrawing the bar.
const FRAME: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;

/// Work in progress.
pub struct Progress {
    what: Cow<'static, str>,
    begun: Instant,
    last_shown: Instant,
    is_terminal: bool,
    is_shown: bool,
}

impl Progress {
    /// Starts the clock.
    pub fn new(what: impl Into<Cow<'static, str>>) -> Progress {
        let now = Instant::now();
        let what = what.into();
        Progress { what, begun: now, last_shown: now, is_terminal: std::io::stderr().is_terminal(), is_shown: false }
    }

    /// Reports that `done` of `all` is done.
    pub fn at(&mut self, done: u64, all: u64) {
        let now = Instant::now();
        let pause = if self.is_terminal { FRAME } else { PLAIN };
        if now - self.begun < PATIENCE || self.is_shown && now - self.last_shown < pause || done >= all {
            return;
        }
        self.last_shown = now;
        self.is_shown = true;
        let share = done as f64 / all.max(1) as f64;
        let mut err = std::io::stderr().lock();
        let _ = if self.is_terminal {
            let full = (share * WIDTH as f64) as usize;
            let bar = format!("{}{}", "=".repeat(full), " ".repeat(WIDTH - full.min(WIDTH)));
            write!(err, "\rmpiscope: {} [{bar}] {:3.0} %", self.what, share * 100.0).and_then(|()| err.flush())
        } else {
            writeln!(err, "mpiscope: {}: {:.0} %", self.what, share * 100.0)
        };
    }

    /// Removes the bar when the work is done.
    pub fn done(self) {
        if self.is_shown && self.is_terminal {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r{:width$}\r", "", width = WIDTH + self.what.len() + 24).and_then(|()| err.flush());
        }
    }
}
