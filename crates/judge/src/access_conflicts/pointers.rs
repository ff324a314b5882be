//! Shared file pointers: where calls that use them access a file (MPI-5.0 §14.4.4).
//!
//! All processes together move the pointer: they set a view, seek, call an ordered operation, close the file. Between two such calls
//! lies a *stretch*. In a stretch the calls access consecutive parts of the file, in an order that only the calls themselves decide, so
//! the place of each is known when all processes have left the stretch. It is certain where the call is ordered with all others of
//! the stretch; otherwise it is one of several possible places.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Access;
use super::bytes::{Ranges, tiled};
use crate::clocks::{Clock, Clocks};

/// Calls of a stretch that are placed; the others only move the pointer.
const MOST_USES: usize = 1024;
/// Calls of a stretch of which it is looked whether they are in order with all others.
const MOST_COMPARED: usize = 128;
/// Stretches of a file that some processes are in and others have not left the first of.
const MOST_STRETCHES: usize = 1024;

/// A view of a file.
#[derive(Clone)]
pub(crate) struct Layout {
    /// Where it begins, bytes.
    pub begin: i64,
    /// What tiles the file from there.
    pub tile: Ranges,
    pub extent: i64,
}

impl Layout {
    /// Of a file that no view was set for.
    pub fn plain() -> Layout {
        Layout { begin: 0, tile: Ranges::one(0, 1), extent: 1 }
    }

    /// Where bytes of the view's data lie.
    pub fn ranges(&self, offset: u64, bytes: u64) -> Option<Ranges> {
        tiled(self.begin, &self.tile, self.extent, offset, bytes)
    }
}

/// What all processes do to a pointer together. Bytes count in the data of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Move {
    To(i64),
    By(i64),
    /// Nobody knows where to.
    Away,
}

/// What a process does with a pointer.
pub(crate) enum Pointer {
    /// It has opened the file, as have so many in all.
    Opened {
        processes: u32,
        to: Move,
    },
    Moved(Move),
    Used(Box<Use>),
    /// It has made a call that fails: whether that moves the pointer is up to the MPI.
    Lost,
}

/// A call that accesses the file where the pointer is.
pub(crate) struct Use {
    /// Without the bytes.
    pub access: Access,
    /// None when it is not known.
    pub layout: Option<Layout>,
    pub bytes: u64,
    /// In an ordered operation, which all processes call: the process's rank.
    pub rank: Option<u32>,
}

/// A use whose place is not known yet.
pub(super) struct Pending {
    access: Access,
    layout: Option<Layout>,
    bytes: u64,
    /// Bytes of the stretch before it, if calls go on as they were read.
    before: i64,
    rank: u32,
    /// What its process knew then; and what others have to know to come after it.
    clock: Clock,
    moment: Option<u32>,
    /// See [`super::files`].
    pub since: Clock,
    pub done: Option<u32>,
    pub is_atomic: bool,
    is_dropped: bool,
}

impl Pending {
    /// With the bytes that it accesses.
    fn placed(self, at: i64, is_sure: bool, out: &mut Vec<(Access, Pending)>) {
        let ranges = u64::try_from(at).ok().zip(self.layout.as_ref()).and_then(|(at, l)| l.ranges(at, self.bytes));
        if let Some(ranges) = ranges.filter(|_| self.bytes > 0 && !self.is_dropped) {
            let access = Access { ranges, is_exact: is_sure, ..self.access.clone() };
            out.push((access, self));
        }
    }

    fn is_before(&self, other: &Pending, clocks: &Clocks) -> bool {
        self.moment.is_some_and(|moment| clocks.seen(&other.clock, self.access.origin) >= moment)
    }
}

struct PointerEpoch {
    /// What began it.
    start: Move,
    entered: u32,
    /// Of the operation that began it.
    ordered: Vec<Pending>,
    uses: Vec<Pending>,
    /// Of all uses.
    bytes: i64,
    /// A call may have moved the pointer or not.
    is_lost: bool,
}

impl PointerEpoch {
    fn new(start: Move) -> PointerEpoch {
        PointerEpoch { start, entered: 0, ordered: Vec::new(), uses: Vec::new(), bytes: 0, is_lost: false }
    }
}

/// The pointer of one file.
#[derive(Default)]
pub(super) struct Shared {
    processes: u32,
    /// Where it is at the begin of the first stretch.
    at: Option<i64>,
    /// Not all have left the first one.
    stretches: VecDeque<PointerEpoch>,
    /// How many have been left by all.
    left: usize,
    /// By process: in which stretch it is.
    of: FxHashMap<u32, usize>,
    /// It has never been used.
    is_unused: bool,
}

impl Shared {
    pub fn open(&mut self, process: u32, processes: u32, to: Move) {
        if self.stretches.is_empty() {
            let at = if let Move::To(at) = to { Some(at) } else { None };
            *self = Shared { processes, at, is_unused: true, ..Shared::default() };
            self.stretches.push_back(PointerEpoch { entered: processes, ..PointerEpoch::new(to) });
        }
        self.of.insert(process, 0);
    }

    /// A process moves the pointer together with the others, after `ordered`. What is known by then.
    pub fn enter(
        &mut self,
        process: u32,
        start: Move,
        ordered: Option<Pending>,
        clocks: &Clocks,
    ) -> Vec<(Access, Pending)> {
        let Some(number) = self.of.get_mut(&process) else { return Vec::new() };
        *number += 1;
        let Some(at) = number.checked_sub(self.left).filter(|at| *at <= MOST_STRETCHES) else { return Vec::new() };
        while self.stretches.len() <= at {
            self.stretches.push_back(PointerEpoch::new(start));
        }
        let stretch = &mut self.stretches[at];
        stretch.entered += 1;
        if stretch.start != start {
            stretch.start = Move::Away;
        }
        self.is_unused &= ordered.is_none();
        stretch.ordered.extend(ordered);
        let mut placed = Vec::new();
        while self.stretches.get(1).is_some_and(|next| next.entered >= self.processes) {
            self.leave(clocks, &mut placed);
        }
        placed
    }

    /// All processes have left the first stretch.
    fn leave(&mut self, clocks: &Clocks, placed: &mut Vec<(Access, Pending)>) {
        let Some(old) = self.stretches.pop_front() else { return };
        self.left += 1;
        let end = self.at.and_then(|at| at.checked_add(old.bytes)).filter(|_| !old.is_lost);
        if let Some(at) = self.at {
            place(old.uses, at, !old.is_lost, clocks, placed);
        }
        let Some(next) = self.stretches.front_mut() else { return };
        self.at = match next.start {
            Move::To(at) => Some(at),
            Move::By(by) => end.and_then(|end| end.checked_add(by)),
            Move::Away => None,
        };
        next.ordered.sort_by_key(|one| one.rank);
        for one in next.ordered.drain(..) {
            let Some(at) = self.at else { continue };
            self.at = i64::try_from(one.bytes).ok().and_then(|bytes| at.checked_add(bytes));
            one.placed(at, true, placed);
        }
    }

    /// A process uses the pointer by itself.
    pub fn uses(&mut self, mut one: Pending) {
        self.is_unused = false;
        let Some(stretch) = self.stretch(one.access.origin) else { return };
        one.before = stretch.bytes;
        stretch.bytes = stretch.bytes.saturating_add(i64::try_from(one.bytes).unwrap_or(i64::MAX));
        if stretch.uses.len() < MOST_USES {
            stretch.uses.push(one);
        }
    }

    /// See [`Pointer::Lost`].
    pub fn lose(&mut self, process: u32) {
        if let Some(stretch) = self.stretch(process) {
            stretch.is_lost = true;
        }
    }

    fn stretch(&mut self, process: u32) -> Option<&mut PointerEpoch> {
        let at = self.of.get(&process)?.checked_sub(self.left)?;
        self.stretches.get_mut(at)
    }

    /// A process has synchronised or closed the file: what it has done so far is visible to others from this moment on.
    pub fn sync(&mut self, process: u32, moment: Option<u32>) {
        let all = self.stretches.iter_mut().flat_map(|stretch| stretch.ordered.iter_mut().chain(&mut stretch.uses));
        for one in all.filter(|one| one.access.origin == process && one.done.is_none()) {
            one.done = moment;
            one.is_dropped = moment.is_none();
        }
    }

    /// Whether a call waits to be placed.
    pub fn is_waiting(&self) -> bool {
        !self.is_unused && self.stretches.iter().any(|s| !s.uses.is_empty() || !s.ordered.is_empty())
    }

    /// Everything has ended, and some have not left the first stretch.
    pub fn place_remaining(&mut self, clocks: &Clocks) -> Vec<(Access, Pending)> {
        let mut placed = Vec::new();
        if let (Some(at), Some(first)) = (self.at, self.stretches.pop_front()) {
            place(first.uses, at, false, clocks, &mut placed);
        }
        *self = Shared::default();
        placed
    }
}

/// Calls of a stretch that begins at a place.
fn place(uses: Vec<Pending>, at: i64, is_sure: bool, clocks: &Clocks, placed: &mut Vec<(Access, Pending)>) {
    let is_one = uses.windows(2).all(|pair| pair[0].access.origin == pair[1].access.origin);
    let is_exact = |n: usize| {
        let in_order = |(m, other): (usize, &Pending)| match () {
            () if uses[n].access.origin == other.access.origin => true,
            () if m < n => other.is_before(&uses[n], clocks),
            () => uses[n].is_before(other, clocks),
        };
        is_sure && (is_one || (uses.len() <= MOST_COMPARED && uses.iter().enumerate().all(in_order)))
    };
    let exact: Vec<bool> = (0..uses.len()).map(is_exact).collect();
    for (one, is_exact) in uses.into_iter().zip(exact) {
        let at = at.saturating_add(one.before);
        one.placed(at, is_exact, placed);
    }
}

/// A use, as its process knows things.
pub(super) fn pending(one: Use, since: Clock, is_atomic: bool, clocks: &mut Clocks) -> Pending {
    let Use { access, layout, bytes, rank } = one;
    let clock = clocks.clock_of(access.origin).clone();
    let moment = clocks.moment(access.origin);
    let (rank, before) = (rank.unwrap_or(0), 0);
    Pending { access, layout, bytes, before, rank, clock, moment, since, done: None, is_atomic, is_dropped: false }
}
