//! Prints messages (stderr) and results (stdout). A closed pipe is not an error.

use std::fmt::Display;
use std::io::{self, Write};

/// A message line, written in one call so that the lines of ranks that share a terminal do not mix.
pub fn line(text: impl Display) {
    let _ = io::stderr().lock().write_all(format!("mpiscope: {text}\n").as_bytes());
}

/// A line that continues the message before.
pub fn more(text: impl Display) {
    let _ = io::stderr().lock().write_all(format!("  {text}\n").as_bytes());
}

/// A problem that does not stop the command.
pub fn warning(text: impl Display) {
    line(format_args!("warning: {text}"));
}

/// A result on stdout.
pub fn result(text: &str) -> io::Result<()> {
    to(io::stdout().lock(), text)
}

/// A result to another file.
pub fn to(mut out: impl Write, text: &str) -> io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
