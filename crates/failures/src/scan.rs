//! A log, piece by piece, to what was found in it.
//!
//! The automaton runs over each piece once. At a hit the lines around are read: so a piece is handled only when the bytes
//! behind it are there, and the last bytes before it are kept.

use crate::catalogue::{Catalogue, Hit};
use crate::context::Context;
use crate::finding::{Findings, Place};
use crate::folded::{Folded, Seen};
use crate::lanes::{self, Found};
use crate::pattern::Fields;
use crate::troubles::Troubles;
use crate::unknown;
use crate::view::{self, Line, View};

/// Bytes that are handled at once.
const PIECE_BYTES: usize = 256 << 10;

/// Bytes before and behind a hit that may belong to its message.
const AROUND_BYTES: usize = 6 << 10;

/// Lines before and behind it.
const LINES_BEFORE: usize = 14;
const LINES_AFTER: usize = 14;

/// Lines near a message belong to it: error stacks, and what a launcher adds. So they are not unknown.
pub(crate) const NEAR_LINES: u64 = 8;

/// Reads a log.
pub struct Scanner {
    catalogue: &'static Catalogue,
    /// Bytes before `from` are context, those behind are new.
    buffer: Vec<u8>,
    from: usize,
    file: String,
    files: u64,
    /// Number of the line in which `counted` is, and up to where line ends were counted in the buffer.
    line: u64,
    counted: usize,
    /// By the numbers of entries.
    folded: Vec<Option<Box<Folded>>>,
    /// Texts by numbers of entry and pattern whose surroundings were once those of something else: they are always read.
    refused: Vec<Vec<bool>>,
    troubles: Troubles,
    /// What the automaton found in the piece.
    hits: Vec<Found>,
    /// The last line that was judged by a word.
    judged: u64,
    /// Lines up to this one belong to a message.
    covered: u64,
    bytes: u64,
    lines: u64,
}

impl Scanner {
    /// With nothing read.
    pub fn new(catalogue: &'static Catalogue) -> Self {
        Self {
            catalogue,
            buffer: Vec::new(),
            from: 0,
            file: String::new(),
            files: 0,
            line: 1,
            counted: 0,
            folded: std::iter::repeat_with(|| None).take(catalogue.entries().len()).collect(),
            refused: catalogue.pattern_counts().map(|count| vec![false; count]).collect(),
            troubles: Troubles::default(),
            hits: Vec::new(),
            judged: 0,
            covered: 0,
            bytes: 0,
            lines: 0,
        }
    }

    /// The bytes that follow are those of another log.
    pub fn begin_file(&mut self, name: &str) {
        self.end_file();
        name.clone_into(&mut self.file);
        self.files += 1;
    }

    /// The next bytes of the log.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = (self.from + PIECE_BYTES + AROUND_BYTES).saturating_sub(self.buffer.len()).max(1);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.buffer.extend_from_slice(now);
            bytes = later;
            if self.buffer.len() >= self.from + PIECE_BYTES + AROUND_BYTES {
                self.handle(self.from + PIECE_BYTES);
                self.drop_old();
            }
        }
    }

    /// What was found in all logs.
    pub fn finish(mut self) -> Findings {
        self.end_file();
        let (unknown, more_unknown) = self.troubles.finish();
        let messages = self.folded.into_iter().flatten().map(|folded| folded.finish()).collect();
        let mut findings = Findings { messages, unknown, more_unknown, bytes: self.bytes, lines: self.lines };
        findings.sort();
        findings
    }

    fn end_file(&mut self) {
        self.handle(self.buffer.len());
        self.count_to(self.buffer.len());
        self.lines += self.line - 1 + u64::from(self.buffer.last().is_some_and(|byte| *byte != b'\n'));
        self.troubles.settle(u64::MAX);
        self.buffer.clear();
        (self.from, self.line, self.counted, self.covered, self.judged) = (0, 1, 0, 0, 0);
    }

    fn drop_old(&mut self) {
        let old = self.from.saturating_sub(AROUND_BYTES);
        self.count_to(self.from);
        self.buffer.drain(..old);
        self.from -= old;
        self.counted -= old;
    }

    /// Counts line ends up to `at`, which is not before the last one.
    fn count_to(&mut self, at: usize) -> u64 {
        if at > self.counted {
            self.line += memchr::memchr_iter(b'\n', &self.buffer[self.counted..at]).count() as u64;
            self.counted = at;
        }
        self.line
    }

    /// Handles hits that begin before `until`.
    fn handle(&mut self, until: usize) {
        let (catalogue, mut hits) = (self.catalogue, std::mem::take(&mut self.hits));
        lanes::search(catalogue.automaton(), &self.buffer, self.from..until, &mut hits);
        let mut rest = &hits[..];
        while let Some(first) = rest.first() {
            let (line, end) = (self.count_to(first.at), view::line_end(&self.buffer, first.at));
            let len = 1 + rest[1..].iter().take_while(|hit| hit.at < end).count();
            let (now, later) = rest.split_at(len);
            rest = later;
            let is_word = |found: &Found| catalogue.hits(found.text) == [Hit::Word];
            if line > self.covered || !now.iter().all(is_word) {
                // Lent to what is found in it.
                let log = std::mem::take(&mut self.buffer);
                self.hits_of_line(&log, line, now);
                self.buffer = log;
            }
        }
        self.hits = hits;
        self.from = until;
    }

    fn hits_of_line(&mut self, log: &[u8], line: u64, hits: &[Found]) {
        let (mut scratch, mut view) = (Vec::new(), None);
        let own = Line::at(log, hits[0].at, &mut scratch);
        for found in hits {
            for hit in self.catalogue.hits(found.text) {
                match *hit {
                    Hit::Message { entry, pattern } => {
                        let spot = Spot { log, at: found.at, line, own: &own };
                        self.message(entry, pattern, &spot, &mut view);
                    }
                    Hit::Word => self.word(line, &own),
                }
            }
        }
    }

    fn message(&mut self, entry: usize, pattern: usize, spot: &Spot, view: &mut Option<View>) {
        let (own, line) = (spot.own, spot.line);
        let mut seen = Seen { file: self.files, line, pattern, rank: own.origin.rank };
        if let Some(folded) = &mut self.folded[entry] {
            if folded.is_last(self.files, line) {
                return;
            }
            if !self.refused[entry][pattern] && folded.is_told(seen.rank) {
                folded.repeat(seen);
                self.cover(line, NEAR_LINES);
                return;
            }
        }
        let Some(mut fields) = self.fields(entry, pattern, spot, view) else {
            self.refused[entry][pattern] = true;
            return;
        };
        if let Some(section) = self.catalogue.section(entry, pattern) {
            fields.push(("section".into(), section.clone()));
        }
        let view = view.get_or_insert_with(|| spot.view());
        let context = Context::of(view);
        let number = |name: &str| fields.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.parse().ok());
        seen.rank = number("rank").or(context.rank).or(seen.rank);
        let host = fields.iter().find(|(key, _)| key == "host").map(|(_, value)| value.clone());
        let host = host.or_else(|| own.origin.host_name());
        context.complete(&mut fields);
        let (catalogue, file) = (self.catalogue, &self.file);
        let folded = self.folded[entry].get_or_insert_with(|| {
            let first = Place { file: file.clone(), line };
            Box::new(Folded::new(&catalogue.entries()[entry], first, own.text, &fields))
        });
        folded.add(seen, host, fields, own.text);
        self.cover(line, lines_of_message(view));
    }

    /// The values of the message if it is one.
    fn fields(&self, entry: usize, pattern: usize, spot: &Spot, view: &mut Option<View>) -> Option<Fields> {
        let (wanted, own) = (self.catalogue.pattern(entry, pattern), spot.own);
        let place = own.place(wanted.anchor(), view::line_end(spot.log, spot.at) - spot.at)?;
        if self.catalogue.is_other(entry, own.text) {
            return None;
        }
        // Most of what is refused differs in the line itself: then the lines around are not looked at.
        if wanted.is_within_line() {
            return wanted.fields(own.text, place);
        }
        if !wanted.fits_line(own.text, place) {
            return None;
        }
        let view = view.get_or_insert_with(|| spot.view());
        wanted.fields(view.text(), view.here() + place)
    }

    /// The lines around a message are not unknown.
    fn cover(&mut self, line: u64, rest: u64) {
        self.covered = self.covered.max(line + rest);
        self.troubles.forget_from(line.saturating_sub(NEAR_LINES));
    }

    fn word(&mut self, line: u64, own: &Line) {
        if line <= self.covered || std::mem::replace(&mut self.judged, line) == line {
            return;
        }
        if unknown::is_trouble(own.text) {
            self.troubles.settle(line.saturating_sub(NEAR_LINES));
            self.troubles.note(&self.file, line, own.text, own.origin.rank);
        }
    }
}

/// Where a text of the catalogue was found.
struct Spot<'a> {
    log: &'a [u8],
    at: usize,
    line: u64,
    own: &'a Line<'a>,
}

impl Spot<'_> {
    fn view(&self) -> View {
        View::around(self.log, self.at, LINES_BEFORE, LINES_AFTER)
    }
}

/// How many lines after that of a message belong to it: also the rest of Open MPI's block between dashes.
fn lines_of_message(view: &View) -> u64 {
    let later = view.later().split(|byte| *byte == b'\n');
    let rest = later.take_while(|line| !line.starts_with(b"------------")).count() as u64;
    if rest as usize >= LINES_AFTER { NEAR_LINES } else { rest.max(NEAR_LINES) }
}
