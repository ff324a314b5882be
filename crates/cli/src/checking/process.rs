//! One checked process, on this or another host.

use std::path::Path;

use mpiscope_trace::check::event::Event;
use mpiscope_trace::defs::Definition;
use mpiscope_trace::reader::TickClock;

use super::hosts::RemoteProcess;
use super::other_threads::Begun;
use super::rings::{Rank, State};
use super::sites::Sites;

/// The source of its words.
pub enum Source {
    /// Its rank file.
    Here(Rank),
    /// Another host.
    There(RemoteProcess),
}

/// One checked process.
pub struct Process {
    pub source: Source,
    pub sites: Sites,
    /// The judge's number of the process, once it is known.
    pub number: Option<u32>,
    /// Known together with the number.
    pub clock: Option<TickClock>,
    /// Events read before the number was known.
    pub waiting: Vec<Event>,
    pub definitions: Vec<Definition>,
    pub name: String,
    pub has_begun: bool,
    pub begun: Begun,
    pub has_ended: bool,
    /// The site of the call if the process started MPI with a session.
    pub session: Option<u32>,
    /// The site of its last event.
    pub last_site: u32,
    pub lost: u64,
    /// Whether its end was passed to the judge.
    pub end_reported: bool,
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
            end_reported: false,
        }
    }

    /// The head of its file; `None` until it has arrived.
    pub fn state(&self) -> Option<State> {
        match &self.source {
            Source::Here(rank) => Some(rank.state()),
            Source::There(far) => far.state,
        }
    }

    /// Reads at most `most` events from each of its rings; returns how many. Events from other hosts arrive through the hub.
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

    /// Unsuccessful polls since each ring's last event: thread, number, time of the latest.
    pub fn polls(&self) -> Vec<(u8, u64, u64)> {
        match &self.source {
            Source::Here(rank) => rank.polls().collect(),
            Source::There(far) => far.polled().collect(),
        }
    }

    /// Events that were lost because a buffer was full.
    pub fn events_lost(&self) -> u64 {
        match &self.source {
            Source::Here(rank) => rank.lost(),
            Source::There(far) => far.lost,
        }
    }

    /// Whether all its events were read, if it has ended.
    pub fn is_read(&self) -> bool {
        match &self.source {
            Source::Here(_) => true,
            Source::There(far) => far.is_over,
        }
    }

    /// Called when its file is in the run: reads from it the events that have not arrived. False if the file belongs to
    /// another process.
    pub fn go_on_in(&mut self, path: &Path) -> bool {
        let Source::There(far) = &self.source else { return false };
        let Some(mut rank) = Rank::open(path) else { return false };
        if far.state.is_some_and(|state| !state.is_same(&rank.state())) {
            return false;
        }
        rank.go_on(|thread| far.complete_words(thread), far.definitions_known());
        self.source = Source::Here(rank);
        true
    }
}
