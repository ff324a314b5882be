//! The lines around a place in a log, as one process wrote them: without prefixes, colours, and lines of other processes.

use crate::prefix::{self, Origin};

/// No line contributes more.
const LINE_BYTES: usize = 1024;

/// A line with prefixes off.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Where it comes from.
    pub origin: Origin<'a>,
    /// The rest.
    pub text: &'a [u8],
    /// Escape sequences were taken out.
    is_copy: bool,
}

impl<'a> Line<'a> {
    /// The line in `log` that contains `at`; `scratch` is for lines with escape sequences.
    pub fn at(log: &'a [u8], at: usize, scratch: &'a mut Vec<u8>) -> Self {
        Self::of(&log[line_begin(log, at)..line_end(log, at)], scratch)
    }

    fn of(line: &'a [u8], scratch: &'a mut Vec<u8>) -> Self {
        let is_copy = memchr::memchr2(0x1b, b'\r', line).is_some();
        let mut line = line;
        if is_copy {
            without_escapes(line, scratch);
            line = scratch;
        }
        let (origin, text) = prefix::strip(line);
        Self { origin, text, is_copy }
    }

    /// Where `found` is in the text, which is `tail` bytes before the end of the line in the log; `None` if it is in a prefix.
    pub fn place(&self, found: &[u8], tail: usize) -> Option<usize> {
        if self.is_copy { memchr::memmem::find(self.text, found) } else { self.text.len().checked_sub(tail) }
    }
}

/// Lines with prefixes off, in one text.
#[derive(Clone, Debug, Default)]
pub struct View {
    text: Vec<u8>,
    /// Where the line of the place begins in `text`.
    here: usize,
}

impl View {
    /// Of the line in `log` that contains `at`, with as many lines before and after it as given, without those of other processes.
    pub fn around(log: &[u8], at: usize, before: usize, after: usize) -> Self {
        let (begin, end) = (line_begin(log, at), line_end(log, at));
        let (mut first, mut last) = (begin, end);
        for _ in 0..before {
            if first == 0 || log[first - 1] != b'\n' {
                break;
            }
            first = line_begin(log, first - 1);
        }
        for _ in 0..after {
            if last + 1 >= log.len() || log[last] != b'\n' {
                break;
            }
            last = line_end(log, last + 1);
        }
        let (mut of_place, mut of_other, mut view) = (Vec::new(), Vec::new(), Self::default());
        let place = Line::of(&log[begin..end], &mut of_place);
        let mut from = first;
        while from <= last {
            let until = if from == begin { end } else { line_end(log, from) };
            if from == begin {
                view.here = view.text.len();
                view.push(place.text);
            } else {
                let line = Line::of(&log[from..until], &mut of_other);
                if place.origin.agrees(&line.origin) {
                    view.push(line.text);
                }
            }
            from = until + 1;
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

/// Without colours, other escape sequences and carriage returns.
fn without_escapes(line: &[u8], out: &mut Vec<u8>) {
    out.clear();
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
