//! All messages of one kind, folded while they come.

use crate::bounded::Bounded;
use crate::entry::Entry;
use crate::finding::{Finding, Place, quoted};
use crate::pattern::Fields;
use crate::scan::NEAR_LINES;

const MOST_RANKS: usize = 65_536;
const MOST_HOSTS: usize = 1024;

/// After so many messages with nothing new, lines that look the same are counted without their surroundings.
const TOLD: u32 = 256;

/// Of those that name no rank, one in so many is read all the same.
const SAMPLED: u64 = 16;

/// A message: where it is, which text found it, who prints it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Number of the log.
    pub file: u64,
    /// Line in it.
    pub line: u64,
    /// Number of the text of the entry.
    pub pattern: usize,
    /// Its rank.
    pub rank: Option<u32>,
}

/// All messages of one kind.
pub struct Folded {
    finding: Finding,
    ranks: Bounded<u32>,
    hosts: Bounded<String>,
    last: Seen,
    /// Texts of the last message, as bits.
    parts: u64,
    /// Its rank is that of a message before, as it was not read.
    is_guessed: bool,
    /// Messages that were read since one said something new.
    told: u32,
}

impl Folded {
    /// Before the first message, whose place, line and fields are given.
    pub fn new(entry: &'static Entry, first: Place, line: &[u8], fields: &Fields) -> Self {
        let finding = Finding {
            entry,
            count: 0,
            first,
            text: quoted(line),
            first_rank: None,
            first_host: None,
            ranks: Vec::new(),
            hosts: Vec::new(),
            fields: fields.clone(),
        };
        let (ranks, hosts) = (Bounded::new(MOST_RANKS), Bounded::new(MOST_HOSTS));
        Self { finding, ranks, hosts, last: Seen::default(), parts: 0, is_guessed: false, told: 0 }
    }

    /// Whether this line is counted already.
    pub fn is_last(&self, file: u64, line: u64) -> bool {
        (self.last.file, self.last.line) == (file, line)
    }

    /// Whether reading the message can be left out, as it repeats what is known: thousands of ranks print the same.
    pub fn is_told(&self, rank: Option<u32>) -> bool {
        let is_known = || match rank {
            Some(rank) => self.last.rank == Some(rank) || self.ranks.is_known(&rank),
            None => !self.finding.count.is_multiple_of(SAMPLED),
        };
        self.told >= TOLD && is_known()
    }

    /// Counts a message that was not read.
    pub fn repeat(&mut self, seen: Seen) {
        // A further text of the same message, as in error stacks: if messages of this kind name ranks at all.
        let part = 1 << seen.pattern.min(63);
        let is_other = self.parts & part == 0 && self.last.rank.is_some();
        let is_rank = seen.rank.is_none() || seen.rank == self.last.rank;
        let is_same = is_other && is_rank && self.is_near(&seen);
        self.parts = part | if is_same { self.parts } else { 0 };
        self.is_guessed = seen.rank.is_none();
        self.finding.count += u64::from(!is_same);
        self.last = Seen { rank: seen.rank.or(self.last.rank), ..seen };
    }

    /// Adds a message that was read.
    pub fn add(&mut self, seen: Seen, host: Option<String>, fields: Fields, line: &[u8]) {
        let mut is_new = false;
        if let Some(rank) = seen.rank {
            self.finding.first_rank.get_or_insert(rank);
            is_new |= self.ranks.insert(rank);
        }
        if let Some(host) = host {
            self.finding.first_host.get_or_insert_with(|| host.clone());
            is_new |= self.hosts.insert(host);
        }
        self.told = if is_new { 0 } else { self.told.saturating_add(1) };
        let part = 1 << seen.pattern.min(63);
        let is_rank = if self.is_guessed { self.parts & part == 0 } else { self.last.rank == seen.rank };
        let is_same = seen.rank.is_some() && is_rank && self.is_near(&seen);
        self.parts = part | if is_same { self.parts } else { 0 };
        self.is_guessed = false;
        if is_same {
            self.finding.complete(fields, quoted(line));
        } else {
            self.finding.count += 1;
        }
        self.last = seen;
    }

    fn is_near(&self, seen: &Seen) -> bool {
        seen.file == self.last.file && seen.line <= self.last.line + NEAR_LINES
    }

    /// All of them.
    pub fn finish(self) -> Finding {
        Finding { ranks: self.ranks.into_vec(), hosts: self.hosts.into_vec(), ..self.finding }
    }
}
