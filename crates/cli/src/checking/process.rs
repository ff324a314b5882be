//! One process that is checked, wherever it is.

use std::path::Path;

use mpiscope_trace::check::event::Event;
use mpiscope_trace::defs::Definition;
use mpiscope_trace::reader::TickClock;

use super::helpers::Begun;
use super::hosts::Far;
use super::rings::{Rank, State};
use super::sites::Sites;

/// Where its words come from.
pub enum Source {
    /// Its rank file.
    Here(Rank),
    /// Another host.
    There(Far),
}

/// One process that is read.
pub struct Process {
    pub source: Source,
    pub sites: Sites,
    /// Its number at the judge, once it is known.
    pub number: Option<u32>,
    /// Known with it.
    pub clock: Option<TickClock>,
    /// What was read before that.
    pub waiting: Vec<Event>,
    pub definitions: Vec<Definition>,
    pub name: String,
    pub has_begun: bool,
    pub begun: Begun,
    pub has_ended: bool,
    /// A session began it, called at this site.
    pub session: Option<u32>,
    /// The site of its last event.
    pub last_site: u32,
    pub lost: u64,
    /// How it ended was told.
    pub end_told: bool,
}

impl Process {
    pub fn new(name: String, source: Source) -> Process {
        Process {
            source,
            sites: Sites::default(),
            number: None,
            clock: None,
            waiting: Vec::new(),
            definitions: Vec::new(),
            name,
            has_begun: false,
            begun: Begun::default(),
            has_ended: false,
            session: None,
            last_site: 0,
            lost: 0,
            end_told: false,
        }
    }

    /// What the head of its file says; `None` when that has not come yet.
    pub fn state(&self) -> Option<State> {
        match &self.source {
            Source::Here(rank) => Some(rank.state()),
            Source::There(far) => far.state,
        }
    }

    /// Takes what its rings hold now, at most `most` events of each; how many there were. What comes from other hosts comes
    /// by itself.
    pub fn read(&mut self, now_ns: u64, most: usize) -> usize {
        let Source::Here(rank) = &mut self.source else { return 0 };
        let before = self.waiting.len();
        rank.read(now_ns, most, &mut self.waiting);
        let definitions = rank.definitions();
        let taken = self.waiting.len() - before;
        self.define(definitions);
        taken
    }

    pub fn define(&mut self, definitions: Vec<Definition>) {
        definitions.iter().for_each(|definition| self.sites.define(definition));
        self.definitions.extend(definitions);
    }

    /// Calls in vain since each ring's last event: thread, how many, when the latest was.
    pub fn polls(&self) -> Vec<(u8, u64, u64)> {
        match &self.source {
            Source::Here(rank) => rank.polls().collect(),
            Source::There(far) => far.polled().collect(),
        }
    }

    /// Events that found no room.
    pub fn events_lost(&self) -> u64 {
        match &self.source {
            Source::Here(rank) => rank.lost(),
            Source::There(far) => far.lost,
        }
    }

    /// Whether all that it said was read, if it has ended.
    pub fn is_read(&self) -> bool {
        match &self.source {
            Source::Here(_) => true,
            Source::There(far) => far.is_over,
        }
    }

    /// Its file has come into the run: what did not come otherwise is read from there. False when it is another process's.
    pub fn go_on_in(&mut self, path: &Path) -> bool {
        let Source::There(far) = &self.source else { return false };
        let Some(mut rank) = Rank::open(path) else { return false };
        if far.state.is_some_and(|state| !state.is_same(&rank.state())) {
            return false;
        }
        rank.go_on(|thread| far.known(thread), far.definitions_known());
        self.source = Source::Here(rank);
        true
    }
}
