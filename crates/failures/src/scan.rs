//! A log, piece by piece, to what was found in it.
//!
//! The automaton runs over each piece once. At a hit the lines around are read: so a piece is handled only when the bytes
//! behind it are there, and the last bytes before it are kept.

use std::collections::{HashMap, VecDeque};

use aho_corasick::Input;
use aho_corasick::automaton::OverlappingState;

use crate::bounded::Bounded;
use crate::catalogue::{Catalogue, Hit};
use crate::context::Context;
use crate::finding::{Finding, Findings, Place, Unknown};
use crate::pattern::Fields;
use crate::unknown;
use crate::view::{self, View};

/// Bytes that are handled at once.
const PIECE_BYTES: usize = 256 << 10;

/// Bytes before and behind a hit that may belong to its message.
const AROUND_BYTES: usize = 6 << 10;

/// Lines before and behind it.
const LINES_BEFORE: usize = 14;
const LINES_AFTER: usize = 14;

/// Lines near a message belong to it: error stacks, and what a launcher adds. So they are not unknown.
const NEAR_LINES: u64 = 8;

/// Kinds of unknown lines that are kept, and that are counted.
const KEPT_UNKNOWN: usize = 40;
const MOST_UNKNOWN: usize = 4096;

/// So many messages of one kind are read with the lines around; of more of them, only the anchors are counted.
const READ_MESSAGES: u64 = 20_000;

const MOST_RANKS: usize = 65_536;
const MOST_HOSTS: usize = 1024;

/// Longer lines are quoted by their beginning.
const QUOTED_CHARS: usize = 240;

struct Folded {
    finding: Finding,
    ranks: Bounded<u32>,
    hosts: Bounded<String>,
    last_line: (u64, u64),
    last_rank: Option<u32>,
}

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
    found: HashMap<usize, Folded>,
    unknown: HashMap<Vec<u8>, Option<Unknown>>,
    /// Lines of trouble, until it is known whether a message is near.
    waiting: VecDeque<(u64, Vec<u8>, Unknown)>,
    /// The line of the last hit, with the lines around it.
    last_view: Option<(u64, View)>,
    /// The last line that was judged by a word.
    judged: u64,
    /// Lines up to this one belong to a message.
    covered: u64,
    more_unknown: u64,
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
            found: HashMap::new(),
            unknown: HashMap::new(),
            waiting: VecDeque::new(),
            last_view: None,
            judged: 0,
            covered: 0,
            more_unknown: 0,
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
        let mut findings =
            Findings { bytes: self.bytes, lines: self.lines, more_unknown: self.more_unknown, ..Findings::default() };
        for folded in self.found.into_values() {
            let mut finding = folded.finding;
            finding.ranks = folded.ranks.into_vec();
            finding.hosts = folded.hosts.into_vec();
            findings.messages.push(finding);
        }
        findings.sort();
        findings.unknown = self.unknown.into_values().flatten().collect();
        findings.unknown.sort_by(|a, b| (&a.first.file, a.first.line).cmp(&(&b.first.file, b.first.line)));
        findings
    }

    fn end_file(&mut self) {
        self.handle(self.buffer.len());
        self.count_to(self.buffer.len());
        self.lines += self.line - 1 + u64::from(self.buffer.last().is_some_and(|byte| *byte != b'\n'));
        self.settle(u64::MAX);
        self.buffer.clear();
        (self.from, self.line, self.counted, self.covered, self.judged) = (0, 1, 0, 0, 0);
        self.last_view = None;
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
        let catalogue = self.catalogue;
        let end = self.buffer.len().min(until + catalogue.longest());
        let begin = self.from;
        let mut state = OverlappingState::start();
        // Hits come in the order of their ends, so that a line before the last one may follow.
        loop {
            let input = Input::new(&self.buffer).span(begin..end);
            if catalogue.automaton().try_find_overlapping(input, &mut state).is_err() {
                break;
            }
            let Some(hit) = state.get_match() else { break };
            if hit.start() >= until {
                continue;
            }
            let (text, at) = (hit.pattern().as_usize(), hit.start());
            for hit in catalogue.hits(text) {
                match *hit {
                    Hit::Message { entry, pattern } => self.message(entry, pattern, at),
                    Hit::Word => self.word(at),
                }
            }
        }
        self.from = until;
    }

    fn message(&mut self, entry: usize, pattern: usize, at: usize) {
        let line = self.count_to(at);
        if let Some(folded) = self.found.get_mut(&entry) {
            if folded.last_line == (self.files, line) {
                return;
            }
            if folded.finding.count >= READ_MESSAGES {
                folded.finding.count += 1;
                folded.last_line = (self.files, line);
                self.covered = self.covered.max(line + NEAR_LINES);
                return;
            }
        }
        let view = match self.last_view.take() {
            Some((last, view)) if last == line => view,
            _ => View::around(&self.buffer, at, LINES_BEFORE, LINES_AFTER),
        };
        if let Some(fields) = self.verified(entry, pattern, &view) {
            self.add(entry, line, &view, fields);
        }
        self.last_view = Some((line, view));
    }

    /// The values of the message if it is one.
    fn verified(&self, entry: usize, pattern: usize, view: &View) -> Option<Fields> {
        let wanted = self.catalogue.pattern(entry, pattern);
        let is_other = |text: &String| memchr::memmem::find(view.line(), text.as_bytes()).is_some();
        if self.catalogue.entries()[entry].unless.iter().any(is_other) {
            return None;
        }
        let anchor = memchr::memmem::find(&view.text()[view.here()..], wanted.anchor())?;
        let mut fields = wanted.fields(view, view.here() + anchor)?;
        if let Some(section) = self.catalogue.section(entry, pattern) {
            fields.push(("section".into(), section.clone()));
        }
        Some(fields)
    }

    fn add(&mut self, entry: usize, line: u64, view: &View, mut fields: Fields) {
        let context = Context::of(view);
        let number = |name: &str| fields.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.parse().ok());
        let rank = number("rank").or(context.rank).or(view.origin().rank);
        let host = fields.iter().find(|(key, _)| key == "host").map(|(_, value)| value.clone());
        let host = host.or_else(|| view.origin().host.clone());
        for (name, value) in [("function", context.function), ("object", context.object)] {
            if let Some(value) = value {
                fields.retain(|(key, _)| key != name);
                fields.push((name.to_owned(), value));
            }
        }
        self.cover(line, view);
        let (catalogue, place) = (self.catalogue, Place { file: self.file.clone(), line });
        let folded = self.found.entry(entry).or_insert_with(|| Folded {
            finding: Finding {
                entry: &catalogue.entries()[entry],
                count: 0,
                first: place,
                text: quoted(view.line()),
                first_rank: None,
                first_host: None,
                ranks: Vec::new(),
                hosts: Vec::new(),
                fields: fields.clone(),
            },
            ranks: Bounded::new(MOST_RANKS),
            hosts: Bounded::new(MOST_HOSTS),
            last_line: (0, 0),
            last_rank: None,
        });
        let (file, last) = std::mem::replace(&mut folded.last_line, (self.files, line));
        let is_same = rank.is_some() && folded.last_rank == rank && file == self.files && line <= last + NEAR_LINES;
        folded.last_rank = rank;
        if is_same {
            folded.finding.complete(fields, quoted(view.line()));
        } else {
            folded.finding.count += 1;
        }
        if let Some(rank) = rank {
            folded.finding.first_rank.get_or_insert(rank);
            folded.ranks.insert(rank);
        }
        if let Some(host) = host {
            folded.finding.first_host.get_or_insert_with(|| host.clone());
            folded.hosts.insert(host);
        }
    }

    /// The lines around a message are not unknown; neither is the rest of Open MPI's block between dashes.
    fn cover(&mut self, line: u64, view: &View) {
        let later = view.later().split(|byte| *byte == b'\n');
        let rest = later.take_while(|line| !line.starts_with(b"------------")).count() as u64;
        let rest = if rest as usize >= LINES_AFTER { NEAR_LINES } else { rest.max(NEAR_LINES) };
        self.covered = self.covered.max(line + rest);
        let first = line.saturating_sub(NEAR_LINES);
        self.waiting.retain(|(at, ..)| *at < first);
    }

    fn word(&mut self, at: usize) {
        let line = self.count_to(at);
        if line <= self.covered || std::mem::replace(&mut self.judged, line) == line {
            return;
        }
        let (begin, end) = (view::line_begin(&self.buffer, at), view::line_end(&self.buffer, at));
        let (origin, text) = view::plain(&self.buffer[begin..end]);
        if !unknown::is_trouble(&text) {
            return;
        }
        let first = Place { file: self.file.clone(), line };
        let found = Unknown { first, text: quoted(&text), count: 1, rank: origin.rank };
        let shape = unknown::shape(&text);
        self.settle(line);
        self.waiting.push_back((line, shape, found));
    }

    /// Lines of trouble far enough before `line` have no message near them.
    fn settle(&mut self, line: u64) {
        while let Some((at, ..)) = self.waiting.front() {
            if at.saturating_add(NEAR_LINES) >= line && line != u64::MAX {
                return;
            }
            let Some((_, shape, found)) = self.waiting.pop_front() else { return };
            if let Some(known) = self.unknown.get_mut(&shape) {
                if let Some(known) = known {
                    known.count += 1;
                }
            } else if self.unknown.len() < KEPT_UNKNOWN {
                self.unknown.insert(shape, Some(found));
            } else if self.unknown.len() < MOST_UNKNOWN {
                self.unknown.insert(shape, None);
                self.more_unknown += 1;
            }
        }
    }
}

/// A line for people.
fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().chars().filter(|c| !c.is_control()).take(QUOTED_CHARS).collect()
}
