//! Files: what processes read and write at the same places (MPI-5.0 §14.6.1).
//!
//! What a process has written is there for another one after `MPI_File_sync` (or close) of the writer, something that orders the
//! two, and `MPI_File_sync` (or open) of the other one. Between atomic accesses nothing is undefined.

use std::collections::VecDeque;

use mpiscope_trace::check::event::{access, order};
use rustc_hash::FxHashMap;

use super::bytes::common;
use super::pointers::{Pending, Pointer, Shared, pending};
use super::{Access, Move, Observation, is_seen};
use crate::clocks::{Clock, Clocks};

/// Accesses of one file that later ones are compared with.
const MOST_LIVE: usize = 1024;

struct Live {
    access: Access,
    bounds: (i64, i64),
    /// See [`Using::since`].
    since: Clock,
    /// What others have to know of its process when they begin; none while that has not synchronised.
    done: Option<u32>,
    is_atomic: bool,
}

/// What a process has of a file.
#[derive(Default)]
struct Using {
    /// What it knew when it opened or synchronised it last.
    since: Clock,
    is_atomic: bool,
}

/// All files.
#[derive(Default)]
pub(super) struct Files {
    live: FxHashMap<u32, VecDeque<Live>>,
    using: FxHashMap<(u32, u32), Using>,
    same: FxHashMap<u32, u32>,
    pointers: FxHashMap<u32, Shared>,
}

impl Files {
    fn number(&self, file: u32) -> u32 {
        let mut at = file;
        while let Some(&next) = self.same.get(&at) {
            at = next;
        }
        at
    }

    pub fn same(&mut self, one: u32, other: u32) {
        let (one, other) = (self.number(one), self.number(other));
        if one != other {
            let (low, high) = (one.min(other), one.max(other));
            self.same.insert(high, low);
            let moved = self.live.remove(&high).unwrap_or_default();
            self.live.entry(low).or_default().extend(moved);
        }
    }

    pub fn access(
        &mut self,
        file: u32,
        access: Access,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        let using = self.using.entry((file, access.origin)).or_default();
        let (since, is_atomic) = (using.since.clone(), using.is_atomic);
        let new = Live { bounds: access.ranges.bounds(), access, since, done: None, is_atomic };
        self.compare(file, new, clocks, is_blind, found);
    }

    /// An access that may have become known later than others that came after it.
    fn compare(&mut self, file: u32, new: Live, clocks: &Clocks, is_blind: bool, found: &mut Vec<Observation>) {
        let number = self.number(file);
        let live = self.live.entry(number).or_default();
        let (access, bounds) = (&new.access, new.bounds);
        for old in live.iter().filter(|old| old.bounds.0 < bounds.1 && bounds.0 < old.bounds.1) {
            let a = &old.access;
            let harmless = a.origin == access.origin
                || (a.what == access::GET && access.what == access::GET)
                || (old.is_atomic && new.is_atomic)
                || is_seen(clocks, &new.since, a.origin, old.done)
                || is_seen(clocks, &old.since, access.origin, new.done);
            if harmless || is_blind {
                continue;
            }
            if let Some(common) = common(&a.ranges, &access.ranges) {
                super::windows::record_access(found, (true, false), a, access, common, a.is_exact && access.is_exact);
            }
        }
        // A process that goes through a file piece by piece is one long access.
        if let Some(last) = live.iter_mut().rev().take(8).find(|old| {
            let a = &old.access;
            (a.origin, a.what, a.place.site, a.is_exact, old.is_atomic)
                == (access.origin, access.what, access.place.site, access.is_exact, new.is_atomic)
                && old.done.is_none()
                && new.done.is_none()
                && old.bounds.1 == bounds.0
        }) {
            last.access.ranges.append(new.access.ranges);
            last.bounds.1 = bounds.1;
            return;
        }
        if live.len() >= MOST_LIVE {
            live.pop_front();
        }
        live.push_back(new);
    }

    /// A process moves or uses a shared pointer.
    pub fn pointer(
        &mut self,
        process: u32,
        file: u32,
        what: Pointer,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        let using = self.using.entry((file, process)).or_default();
        let pointer = self.pointers.entry(file).or_default();
        let placed = match what {
            Pointer::Opened { processes, to } => {
                pointer.open(process, processes, to);
                return;
            }
            Pointer::Lost => {
                pointer.lose(process);
                return;
            }
            Pointer::Moved(to) => pointer.enter(process, to, None, clocks),
            Pointer::Used(one) => {
                let is_ordered = one.rank.is_some();
                let one = pending(*one, using.since.clone(), using.is_atomic, clocks);
                if !is_ordered {
                    pointer.uses(one);
                    return;
                }
                pointer.enter(process, Move::By(0), Some(one), clocks)
            }
        };
        self.place(file, placed, clocks, is_blind, found);
    }

    /// It has become known where calls with the shared pointer have accessed the file.
    fn place(
        &mut self,
        file: u32,
        placed: Vec<(Access, Pending)>,
        clocks: &Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        for (access, Pending { since, done, is_atomic, .. }) in placed {
            let new = Live { bounds: access.ranges.bounds(), access, since, done, is_atomic };
            self.compare(file, new, clocks, is_blind, found);
        }
    }

    /// Everything has ended.
    pub fn place_remaining(&mut self, clocks: &Clocks, is_blind: bool, found: &mut Vec<Observation>) {
        let mut files: Vec<u32> = self.pointers.keys().copied().collect();
        files.sort_unstable();
        for file in files {
            let placed =
                self.pointers.get_mut(&file).map(|pointer| pointer.place_remaining(clocks)).unwrap_or_default();
            self.place(file, placed, clocks, is_blind, found);
        }
    }

    pub fn order(
        &mut self,
        process: u32,
        file: u32,
        what: Option<u64>,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        let number = self.number(file);
        let using = self.using.entry((file, process)).or_default();
        match what {
            Some(order::ATOMIC) => using.is_atomic = true,
            Some(order::NOT_ATOMIC) => using.is_atomic = false,
            _ => {
                using.since = clocks.clock_of(process).clone();
                let live = self.live.get_mut(&number).filter(|live| !live.is_empty());
                let pointer = self.pointers.get_mut(&file).filter(|pointer| pointer.is_waiting());
                if live.is_some() || pointer.is_some() {
                    let moment = clocks.moment(process);
                    let mine = |old: &Live| old.access.origin == process && old.done.is_none();
                    match (live, moment) {
                        (Some(live), Some(_)) => {
                            live.iter_mut().filter(|old| mine(old)).for_each(|old| old.done = moment)
                        }
                        // Too many processes to follow.
                        (Some(live), None) => live.retain(|old| !mine(old)),
                        (None, _) => {}
                    }
                    if let Some(pointer) = pointer {
                        pointer.sync(process, moment);
                    }
                }
            }
        }
        if what == Some(order::CLOSE) {
            self.using.remove(&(file, process));
            let placed = self.pointers.get_mut(&file).map(|pointer| pointer.enter(process, Move::Away, None, clocks));
            self.place(file, placed.unwrap_or_default(), clocks, is_blind, found);
        }
    }
}
