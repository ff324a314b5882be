//! Writing to people (stderr) and results (stdout). A reader that has gone away is no error.

use std::fmt::Display;
use std::io::{self, Write};

/// A line for people, written at once: ranks that share a terminal do not mix theirs.
pub fn line(text: impl Display) {
    let _ = io::stderr().lock().write_all(format!("mpiscope: {text}\n").as_bytes());
}

/// A line for people that continues the one before.
pub fn more(text: impl Display) {
    let _ = io::stderr().lock().write_all(format!("  {text}\n").as_bytes());
}

/// Something that is not as it should be, but does not stop anything.
pub fn warning(text: impl Display) {
    line(format_args!("warning: {text}"));
}

/// A result.
pub fn result(text: &str) -> io::Result<()> {
    to(io::stdout().lock(), text)
}

/// The same to a place of its own.
pub fn to(mut out: impl Write, text: &str) -> io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
