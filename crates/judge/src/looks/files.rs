//! Files: what processes read and write at the same places (MPI-5.0 §14.6.1).
//!
//! What a process has written is there for another one after `MPI_File_sync` (or close) of the writer, something that orders the
//! two, and `MPI_File_sync` (or open) of the other one. Between atomic accesses nothing is undefined.

use std::collections::VecDeque;

use mpiscope_trace::check::event::{access, order};
use rustc_hash::FxHashMap;

use super::bytes::common;
use super::{Access, Found, is_seen};
use crate::clocks::{Clock, Clocks};

/// Accesses of one file that later ones are compared with.
const MOST_LIVE: usize = 1024;

struct Live {
    access: Access,
    bounds: (i64, i64),
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

    pub fn access(&mut self, file: u32, access: Access, clocks: &mut Clocks, is_blind: bool, found: &mut Vec<Found>) {
        let using = self.using.entry((file, access.origin)).or_default();
        let (since, is_atomic) = (using.since.clone(), using.is_atomic);
        let number = self.number(file);
        let live = self.live.entry(number).or_default();
        let new = access.ranges.bounds();
        for old in live.iter().filter(|old| old.bounds.0 < new.1 && new.0 < old.bounds.1) {
            let a = &old.access;
            let harmless = a.origin == access.origin
                || (a.what == access::GET && access.what == access::GET)
                || (old.is_atomic && is_atomic)
                || is_seen(clocks, &since, a.origin, old.done);
            if harmless || is_blind {
                continue;
            }
            if let Some(common) = common(&a.ranges, &access.ranges) {
                super::windows::note(found, (true, false), a, &access, common, true);
            }
        }
        // A process that goes through a file piece by piece is one long access.
        if let Some(last) = live.iter_mut().rev().take(8).find(|old| {
            let a = &old.access;
            (a.origin, a.what, a.place.site, old.is_atomic)
                == (access.origin, access.what, access.place.site, is_atomic)
                && old.done.is_none()
                && old.bounds.1 == new.0
        }) {
            last.access.ranges.append(access.ranges);
            last.bounds.1 = new.1;
            return;
        }
        if live.len() >= MOST_LIVE {
            live.pop_front();
        }
        live.push_back(Live { access, bounds: new, done: None, is_atomic });
    }

    pub fn order(&mut self, process: u32, file: u32, what: Option<u64>, clocks: &mut Clocks) {
        let number = self.number(file);
        let using = self.using.entry((file, process)).or_default();
        match what {
            Some(order::ATOMIC) => using.is_atomic = true,
            Some(order::NOT_ATOMIC) => using.is_atomic = false,
            _ => {
                using.since = clocks.of(process).clone();
                let Some(live) = self.live.get_mut(&number).filter(|live| !live.is_empty()) else { return };
                let mine = |old: &Live| old.access.origin == process && old.done.is_none();
                match clocks.moment(process) {
                    Some(moment) => live.iter_mut().filter(|old| mine(old)).for_each(|old| old.done = Some(moment)),
                    // Too many processes to follow.
                    None => live.retain(|old| !mine(old)),
                }
            }
        }
        if what == Some(order::CLOSE) {
            self.using.remove(&(file, process));
        }
    }
}
