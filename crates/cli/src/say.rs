//! Writing to people (stderr) and results (stdout). A reader that has gone away is no error.

use std::fmt::Display;
use std::io::{self, Write};

/// A line for people.
pub fn line(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "mpiscope: {text}");
}

/// A line for people that continues the one before.
pub fn more(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "  {text}");
}

/// Something that is not as it should be, but does not stop anything.
pub fn warning(text: impl Display) {
    line(format_args!("warning: {text}"));
}

/// A result.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
