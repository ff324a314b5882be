//! The lines around a place in a log, as one process wrote them: without prefixes, colours, and lines of other processes.

use std::borrow::Cow;

use crate::prefix::{self, Origin};

/// No line contributes more.
const LINE_BYTES: usize = 1024;

/// Lines with prefixes off, in one text.
#[derive(Clone, Debug, Default)]
pub struct View {
    text: Vec<u8>,
    /// Where the line of the place begins in `text`.
    here: usize,
    /// Where that line comes from.
    origin: Origin,
}

impl View {
    /// Of the line in `log` that contains `at`, with as many lines before and after it as given.
    pub fn around(log: &[u8], at: usize, before: usize, after: usize) -> Self {
        let begin = line_begin(log, at);
        let end = line_end(log, at);
        let (origin, line) = plain(&log[begin..end]);
        let mut view = Self { origin, ..Self::default() };
        let mut earlier = Vec::new();
        let mut until = begin;
        for _ in 0..before {
            if until == 0 || log[until - 1] != b'\n' {
                break;
            }
            let from = line_begin(log, until - 1);
            let (origin, line) = plain(&log[from..until - 1]);
            if view.origin.agrees(&origin) {
                earlier.push(line);
            }
            until = from;
        }
        for line in earlier.iter().rev() {
            view.push(line);
        }
        view.here = view.text.len();
        view.push(&line);
        let mut from = end;
        for _ in 0..after {
            if from + 1 >= log.len() || log[from] != b'\n' {
                break;
            }
            let until = line_end(log, from + 1);
            let (origin, line) = plain(&log[from + 1..until]);
            if view.origin.agrees(&origin) {
                view.push(&line);
            }
            from = until;
        }
        view
    }

    fn push(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }

    /// All lines, each with its end.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The lines after that of the place.
    pub fn later(&self) -> &[u8] {
        let rest = &self.text[self.here..];
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        &rest[end..]
    }

    /// The line of the place.
    pub fn line(&self) -> &[u8] {
        let rest = &self.text[self.here..];
        &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
    }

    /// Where the line of the place begins.
    pub fn here(&self) -> usize {
        self.here
    }

    /// Where the line comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Of a text, for tests: the place is in the first line.
    #[cfg(test)]
    pub fn of_text(text: &str) -> Self {
        Self { text: text.as_bytes().to_vec(), ..Self::default() }
    }
}

/// Where the line with `at` begins, or the part of it that is looked at.
pub fn line_begin(log: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(LINE_BYTES);
    memchr::memrchr(b'\n', &log[from..at]).map_or(from, |found| from + found + 1)
}

/// Where it ends.
pub fn line_end(log: &[u8], at: usize) -> usize {
    let until = log.len().min(at + LINE_BYTES);
    memchr::memchr(b'\n', &log[at..until]).map_or(until, |found| at + found)
}

/// The text of a line, and where it comes from.
pub fn plain(line: &[u8]) -> (Origin, Cow<'_, [u8]>) {
    if memchr::memchr2(0x1b, b'\r', line).is_none() {
        let (origin, rest) = prefix::strip(line);
        return (origin, Cow::Borrowed(rest));
    }
    let without = without_escapes(line);
    let (origin, rest) = prefix::strip(&without);
    (origin, Cow::Owned(rest.to_vec()))
}

/// Without colours, other escape sequences and carriage returns.
fn without_escapes(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            0x1b => {
                let Some(after) = rest.strip_prefix(b"[") else { continue };
                let end = after.iter().position(|byte| (0x40..=0x7e).contains(byte)).map_or(after.len(), |end| end + 1);
                rest = &after[end..];
            }
            b'\r' => {}
            byte => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_processes_are_left_out() {
        let log = b"[1,0]<stderr>:a\n[1,1]<stderr>:other\n[1,0]<stderr>:\x1b[31mplace\x1b[0m\n[1,1]<stderr>:other\n[1,0]<stderr>:c\n";
        let at = memchr::memmem::find(log, b"place").unwrap();
        let view = View::around(log, at, 8, 8);
        assert_eq!(view.text(), b"a\nplace\nc\n");
        assert_eq!((view.here(), view.line(), view.later()), (2, &b"place"[..], &b"c\n"[..]));
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let log = vec![b'x'; 1 << 20];
        assert!(View::around(&log, 500_000, 8, 8).text().len() <= 2 * LINE_BYTES + 1);
        assert_eq!(View::around(b"", 0, 8, 8).text(), b"\n");
    }
}
