//! Lines of trouble that no message explains: which wait for a message near them, and which are kept.

use std::collections::{HashMap, VecDeque};

use crate::finding::{Place, Unknown, quoted};
use crate::unknown;

/// Most kinds of unknown lines that are reported, and most that are counted.
const KEPT: usize = 40;
const MOST: usize = 4096;

/// A line, until it is known whether a message is near.
struct Waiting {
    line: u64,
    kind: Kind,
}

enum Kind {
    /// One that was there before.
    Known(usize),
    /// By its shape; with the line if there is room for it.
    New(Vec<u8>, Option<Unknown>),
}

/// The unknown lines of a log.
#[derive(Default)]
pub struct Troubles {
    /// Numbers of kinds by shapes: those below `KEPT` are in `kept`.
    kinds: HashMap<Vec<u8>, usize>,
    kept: Vec<Unknown>,
    waiting: VecDeque<Waiting>,
    shape: Vec<u8>,
}

impl Troubles {
    /// Notes a line that looks like trouble.
    pub fn note(&mut self, file: &str, line: u64, text: &[u8], rank: Option<u32>) {
        unknown::shape(text, &mut self.shape);
        let kind = match self.kinds.get(&self.shape) {
            Some(kind) => Kind::Known(*kind),
            None if self.kinds.len() >= MOST => return,
            None => {
                let first = || Place { file: file.to_owned(), line };
                let found =
                    (self.kept.len() < KEPT).then(|| Unknown { first: first(), text: quoted(text), count: 1, rank });
                Kind::New(self.shape.clone(), found)
            }
        };
        self.waiting.push_back(Waiting { line, kind });
    }

    /// The lines from `first` on belong to a message.
    pub fn forget_from(&mut self, first: u64) {
        while self.waiting.back().is_some_and(|waiting| waiting.line >= first) {
            self.waiting.pop_back();
        }
    }

    /// No message is near lines before `line`.
    pub fn settle(&mut self, line: u64) {
        while self.waiting.front().is_some_and(|waiting| waiting.line < line) {
            match self.waiting.pop_front().map(|waiting| waiting.kind) {
                Some(Kind::Known(kind)) => self.count(kind),
                Some(Kind::New(shape, found)) => self.add(shape, found),
                None => return,
            }
        }
    }

    fn count(&mut self, kind: usize) {
        if let Some(kept) = self.kept.get_mut(kind) {
            kept.count += 1;
        }
    }

    fn add(&mut self, shape: Vec<u8>, found: Option<Unknown>) {
        if let Some(kind) = self.kinds.get(&shape) {
            self.count(*kind);
        } else if self.kinds.len() < MOST {
            self.kinds.insert(shape, self.kinds.len());
            self.kept.extend(found.filter(|_| self.kept.len() < KEPT));
        }
    }

    /// The kept lines in the order of the logs, and how many kinds there are beyond them.
    pub fn finish(mut self) -> (Vec<Unknown>, u64) {
        self.settle(u64::MAX);
        let more = (self.kinds.len() - self.kept.len()) as u64;
        self.kept.sort_by(|a, b| (&a.first.file, a.first.line).cmp(&(&b.first.file, b.first.line)));
        (self.kept, more)
    }
}
