//! Windows: conflicting accesses of processes to the same bytes (MPI-5.0 §12.7).
//!
//! Two accesses of different processes have an order if the later one is after the earlier one's completion at the target (fence,
//! complete and wait, unlock or flush, and everything that is ordered after them), or if one of them has the target's exclusive
//! lock. What a process does with its own memory is an access as well, if it is an MPI call or a store that was detected: memory
//! that has changed since others may access it, and into which none of them has written its present contents.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use mpiscope_trace::check::event::{access, assertion, memory};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bytes::{Piece, Ranges, common};
use super::fences::Fences;
use super::ordering_hints::{Moment, Observers};
use super::{Access, Changed, Observation, is_seen};
use crate::clocks::{Clock, Clocks};
use crate::report::CallRef;

/// Most accesses of one target with which later ones are compared.
const MOST_LIVE: usize = 1024;
/// Most accesses to dynamic windows that are judged at the end.
const MOST_DYNAMIC: usize = 1 << 16;
/// Most changed buffers that wait until it is known what others have written.
const MOST_DOUBTS: usize = 1024;
/// Most words by which a process may signal others.
const MOST_FLAGS: usize = 256;
/// Most conflicts that wait for the end. Processes that repeatedly signal each other in memory make ever more pairs: the first
/// and the last pair between the same places of the same processes represent all.
const MOST_PENDING: usize = 4096;

/// Window and target.
pub(super) type Key = (u32, u32);

/// A process's part of a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub unit: i64,
    /// Bytes; `None` for a dynamic window.
    pub size: Option<u64>,
}

/// Memory of a process that belongs to a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub window: u32,
    pub address: u64,
    pub bytes: u64,
    /// Displacements in it are addresses.
    pub is_attached: bool,
    /// When it was detached; `i128::MAX` while it is attached.
    pub to_ns: i128,
}

pub(super) struct Live {
    pub access: Access,
    bounds: (i64, i64),
    /// The clock of its origin.
    pub clock: Clock,
    /// The moment of its origin that others must have in their clocks to be after it; `None` until it is complete.
    pub done: Option<u32>,
    /// Its number among all accesses.
    pub number: u64,
}

/// Since when others may access a process's memory.
struct Exposure {
    clock: Clock,
    moment: Option<u32>,
    asserted: u64,
    place: CallRef,
    /// At any time, under locks.
    is_passive: bool,
}

/// What a process has stored itself in that time.
struct Stored {
    pieces: Vec<Piece>,
    content: Vec<u8>,
    place: CallRef,
}

/// What a process has changed, unless others have written there at the same time.
struct Doubt {
    process: u32,
    places: Vec<(u32, (i64, i64))>,
    /// A process whose clock has this moment is later.
    moment: u32,
    what: Doubted,
}

enum Doubted {
    /// What its access reads: a write by another process conflicts with the access.
    Buffer(Changed),
    /// What it has asserted not to change: writes of others do not matter.
    Promise(CallRef),
    /// A byte of its memory that others may access at any time, and that none of them is known to have given the value `now`:
    /// a conflict of its own store with `access`. Events of another process that wrote it may still be on their way.
    Stored { access: Access, place: CallRef, now: Option<u8> },
}

/// A conflict under locks, unless something in memory has put the two in order.
struct Pending {
    first: (Access, u64),
    second: (Access, u64),
    /// The clocks of their origins.
    clocks: [Clock; 2],
    key: Key,
    common: (i64, i64),
    /// A possible finding about it exists already.
    is_reported: bool,
}

impl Pending {
    /// Both write, so that neither reads what the other has written.
    fn may_be_sure(first: &Access, second: &Access) -> bool {
        let writes = |a: &Access| !a.is_own && !a.reads();
        writes(first) && writes(second)
    }

    /// No event that another process could have observed has ordered them.
    fn is_sure(&self, observers: &Observers, clocks: &Clocks) -> bool {
        let moment = |of: &'_ (Access, u64), clock| Moment { origin: of.0.origin, number: of.1, clock };
        let (one, other) = (moment(&self.first, &self.clocks[0]), moment(&self.second, &self.clocks[1]));
        Self::may_be_sure(&self.first.0, &self.second.0) && !observers.may_order(one, other, clocks)
    }
}

/// A call of a process, and whether it is a direct access of the program.
type Caller = (u32, u64, u16, Option<u64>);

fn caller(a: &Access) -> Caller {
    (a.origin, a.place.key, a.place.function, a.is_touch.then_some(a.what))
}

/// Words by which processes may signal each other, with the moments.
#[derive(Default)]
struct Flags {
    /// The last atomic operation of a process that wrote the word.
    raised: FxHashMap<u32, FxHashMap<Word, u64>>,
    /// The first atomic operation of a process that read it.
    read: FxHashMap<u32, FxHashMap<Word, u64>>,
}

/// Bytes of a target.
type Word = (Key, (i64, i64));

impl Flags {
    fn note(&mut self, key: Key, access: &Access, at: u64) {
        let Some(range) = access.ranges.single() else { return };
        let word = (key, range);
        let (raises, reads) = match access.what {
            access::ACCUMULATE => (!access.reads(), access.fetches || access.is_swap),
            _ if access.is_touch => (!access.reads(), access.reads()),
            _ => return,
        };
        if raises {
            let raised = self.raised.entry(access.origin).or_default();
            if raised.len() < MOST_FLAGS || raised.contains_key(&word) {
                raised.insert(word, at);
            }
        }
        if reads {
            let read = self.read.entry(access.origin).or_default();
            if read.len() < MOST_FLAGS {
                read.entry(word).or_insert(at);
            }
        }
    }

    /// Words other than the conflicting bytes that a process had read before its access.
    fn read_before(&self, (access, at): (&Access, u64), key: Key, common: (i64, i64)) -> impl Iterator<Item = Word> {
        let all = self.read.get(&access.origin).into_iter().flatten();
        all.filter(move |((of, range), first)| {
            **first < at && !(*of == key && range.0 < common.1 && common.0 < range.1)
        })
        .map(|(word, _)| *word)
    }

    /// Whether one process may have signalled the other after its access, and the other one read that before its own.
    fn may_order(&self, pending: &Pending) -> bool {
        let one = |before: &(Access, u64), after: &(Access, u64)| {
            let Some(raised) = self.raised.get(&before.0.origin) else { return false };
            self.read_before((&after.0, after.1), pending.key, pending.common)
                .any(|word| raised.get(&word).is_some_and(|&at| at > before.1))
        };
        one(&pending.first, &pending.second) || one(&pending.second, &pending.first)
    }
}

/// All windows.
#[derive(Default)]
pub(super) struct Windows {
    parts: FxHashMap<Key, Part>,
    /// By process.
    own: FxHashMap<u32, Vec<Own>>,
    pub(super) live: FxHashMap<u32, FxHashMap<u32, VecDeque<Live>>>,
    /// Other windows with the same memory, and the difference of a byte's offset in them.
    pub(super) overlaps: FxHashMap<Key, Vec<(u32, i64)>>,
    exposed: FxHashMap<Key, Exposure>,
    stored: FxHashMap<Key, Stored>,
    flags: Flags,
    pub(super) observers: Observers,
    pub(super) fences: Fences,
    pending: Vec<Pending>,
    doubts: Vec<Doubt>,
    /// Windows whose info asserts that all accumulates have one operation.
    same_op: FxHashSet<u32>,
    /// Pairs of calls that have pending conflicts; the index of the last one, 0 if there is only the first.
    alike: FxHashMap<(Key, Caller, Caller), usize>,
    /// Number of accesses so far.
    count: u64,
    /// Windows of a process that contain buffers of its accesses.
    serving: FxHashMap<u32, FxHashSet<u32>>,
    /// Targets that operations of a process access.
    by_op: FxHashMap<(u32, u64), Vec<Key>>,
    dynamic: Vec<(Key, Access)>,
    waiting: Vec<u32>,
    is_over: bool,
}

impl Windows {
    /// Whether a target's part is known; if not, the caller is woken when it is.
    pub fn knows(&mut self, window: u32, target: u32, process: u32) -> bool {
        let known = self.is_over || self.parts.contains_key(&(window, target));
        if !known {
            self.waiting.push(process);
        }
        known
    }

    pub fn part(&self, key: Key) -> Option<Part> {
        self.parts.get(&key).copied()
    }

    pub fn learn(&mut self, window: u32, process: u32, part: Part) -> Vec<u32> {
        self.parts.insert((window, process), part);
        std::mem::take(&mut self.waiting)
    }

    pub fn own(&self, process: u32) -> &[Own] {
        self.own.get(&process).map_or(&[], Vec::as_slice)
    }

    pub fn memory(
        &mut self,
        (window, process): Key,
        what: u64,
        (address, bytes): (u64, u64),
        at_ns: i128,
        clocks: &Clocks,
        found: &mut Vec<Observation>,
    ) {
        let own = self.own.entry(process).or_default();
        if what == memory::DETACHED {
            let found = own.iter().position(|o| o.window == window && o.address == address && o.to_ns == i128::MAX);
            match found {
                Some(at) if own[at].is_attached => own[at].to_ns = at_ns,
                Some(at) => drop(own.remove(at)),
                None => {}
            }
            return;
        }
        let is_attached = what == memory::ATTACHED;
        own.push(Own { window, address, bytes, is_attached, to_ns: i128::MAX });
        self.meet((window, process), (address, bytes), clocks, found);
    }

    pub fn access(
        &mut self,
        key: Key,
        displacement: i64,
        mut access: Access,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        if access.is_fenced && !is_blind {
            self.fences.access(key, &access, found);
        }
        let Some(part) = self.parts.get(&key).copied() else { return };
        access.ranges.shift(displacement.saturating_mul(part.unit.max(1)));
        let at = access.ranges.bounds();
        if at.0 == at.1 {
            return;
        }
        match part.size {
            Some(size) if at.0 < 0 || i128::from(at.1) > i128::from(size) => {
                found.push(Observation::Range { access: access.clone(), target: key.1, bounds: at, size: Some(size) });
                // Its effect is unknown: it is compared with nothing, and others need not have written what it may have written.
                if access.what != access::GET {
                    let end = at.1.max(i64::try_from(size).unwrap_or(i64::MAX));
                    access.ranges = Ranges::one(at.0.min(0), end);
                    (access.is_exact, access.content) = (false, Vec::new());
                    self.add_access(key, access, clocks, is_blind, found);
                }
                return;
            }
            Some(_) => {}
            None if self.dynamic.len() < MOST_DYNAMIC => {
                let place = (access.place.key, access.place.function);
                // A place that is right again and again need not be kept.
                if !self.is_attached(key, &access)
                    && !self.dynamic.iter().rev().take(16).any(|(k, a)| {
                        *k == key && (a.place.key, a.place.function) == place && a.ranges == access.ranges
                    })
                {
                    self.dynamic.push((key, access.clone()));
                }
            }
            None => {}
        }
        if access.op != 0 {
            self.by_op.entry((access.origin, access.op)).or_default().push(key);
        }
        if !is_blind && !self.overlaps.is_empty() {
            self.through_others(key, &access, clocks, found);
        }
        self.add_access(key, access, clocks, is_blind, found);
    }

    pub fn local(
        &mut self,
        window: u32,
        access: Access,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        let key = (window, access.origin);
        if access.op != 0 {
            self.by_op.entry((access.origin, access.op)).or_default().push(key);
        }
        if access.serves.is_some() {
            self.serving.entry(access.origin).or_default().insert(window);
        }
        self.add_access(key, access, clocks, is_blind, found);
    }

    /// The program itself accesses a word: this is complete at once.
    pub fn touched(
        &mut self,
        key: Key,
        access: Access,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        let Some(moment) = clocks.moment(access.origin) else { return };
        let live = self.live.entry(key.0).or_default().entry(key.1).or_default();
        // A process that does not have the earlier moment does not have this one.
        let about =
            |a: &Access| (a.origin, a.what, a.place.key, a.is_locked, a.is_exclusive, a.is_active, a.ranges.get(0));
        live.retain(|l| !(l.access.is_touch && about(&l.access) == about(&access)));
        self.add_access(key, access, clocks, is_blind, found);
        if let Some(last) = self.live.get_mut(&key.0).and_then(|w| w.get_mut(&key.1)).and_then(VecDeque::back_mut) {
            last.done = Some(moment);
        }
    }

    fn add_access(
        &mut self,
        key: Key,
        access: Access,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        self.count += 1;
        let number = self.count;
        self.flags.note(key, &access, number);
        if !access.is_own && (access.what == access::GET || access.fetches || access.is_swap) {
            self.observers.reads(access.origin, number);
        }
        let clock = clocks.clock_of(access.origin).clone();
        let new = access.ranges.bounds();
        if !self.doubts.is_empty() {
            self.excuse(key, &access, new, &clock, clocks);
        }
        let same_op = self.same_op.contains(&key.0);
        let live = self.live.entry(key.0).or_default().entry(key.1).or_default();
        if !is_blind && access.is_exact {
            for old in live.iter().filter(|old| old.bounds.0 < new.1 && new.0 < old.bounds.1 && old.access.is_exact) {
                let breaks = same_op && differ(&old.access, &access);
                if is_ordered(old, &access, breaks, &clock, clocks) {
                    continue;
                }
                let Some(common) = common(&old.access.ranges, &access.ranges) else { continue };
                let a = &old.access;
                // Of a word that was written in part the rest may be what was wanted.
                let covers = |a: &Access, word: &Access| {
                    !word.is_touch || word.ranges.iter().all(|w| a.ranges.iter().any(|r| r.0 <= w.0 && w.1 <= r.1))
                };
                if !covers(a, &access) || !covers(&access, a) {
                    continue;
                }
                let is_sure = a.origin == access.origin || (a.is_active && access.is_active);
                let (first, second) = ((a.clone(), old.number), (access.clone(), number));
                let has_read =
                    |one: &(Access, u64)| self.flags.read_before((&one.0, one.1), key, common).next().is_some();
                let is_reported = is_sure || !(has_read(&first) || has_read(&second));
                if is_reported {
                    record_access(found, (false, breaks), a, &access, common, is_sure);
                }
                if is_sure || (is_reported && !Pending::may_be_sure(a, &access)) {
                    continue;
                }
                let between = (key, caller(a), caller(&access));
                let clocks = [old.clock.clone(), clock.clone()];
                let pending = Pending { first, second, clocks, key, common, is_reported };
                match self.alike.entry(between) {
                    Entry::Occupied(last) if *last.get() > 0 => self.pending[*last.get()] = pending,
                    _ if self.pending.len() >= MOST_PENDING => {}
                    Entry::Occupied(mut one) => {
                        one.insert(self.pending.len());
                        self.pending.push(pending);
                    }
                    Entry::Vacant(none) => {
                        none.insert(0);
                        self.pending.push(pending);
                    }
                }
            }
        }
        keep(live, access, new, clock, number);
    }

    pub fn complete(&mut self, process: u32, window: u32, target: Option<u32>, is_local: bool, clocks: &mut Clocks) {
        let moment = clocks.moment(process);
        let here = |of: u32| target.is_none_or(|t| t == of);
        for (&of, live) in self.live.entry(window).or_default().iter_mut() {
            if here(of) {
                let over =
                    |a: &Access| a.origin == process && !a.is_own && (!is_local || a.what == access::GET || a.fetches);
                end(live, moment, over);
            }
        }
        // Their buffers may be used again.
        for of in self.serving.get(&process).into_iter().flatten() {
            if let Some(live) = self.live.get_mut(of).and_then(|w| w.get_mut(&process)) {
                end(live, moment, |a| a.serves.is_some_and(|(w, t)| w == window && here(t)));
            }
        }
    }

    pub fn over(&mut self, process: u32, op: u64, clocks: &mut Clocks) {
        let Some(keys) = self.by_op.remove(&(process, op)) else { return };
        let moment = clocks.moment(process);
        for (window, target) in keys {
            if let Some(live) = self.live.get_mut(&window).and_then(|w| w.get_mut(&target)) {
                // What writes is not there before a flush.
                let over =
                    |a: &Access| a.origin == process && a.op == op && (a.is_own || a.what == access::GET || a.fetches);
                end(live, moment, over);
            }
        }
    }

    pub fn expose(&mut self, key: Key, asserted: u64, place: CallRef, is_passive: bool, clocks: &mut Clocks) {
        let moment = clocks.moment(key.1);
        let clock = clocks.clock_of(key.1).clone();
        self.exposed.insert(key, Exposure { clock, moment, asserted, place, is_passive });
    }

    pub fn stored(&mut self, key: Key, pieces: Vec<Piece>, content: Vec<u8>, place: CallRef) {
        self.stored.insert(key, Stored { pieces, content, place });
    }

    /// Data that an access of a process reads have changed. If others may have written there in the meantime, their writes
    /// conflict with the access, which is found separately.
    pub fn changed(
        &mut self,
        process: u32,
        places: Vec<(u32, (i64, i64))>,
        changed: Changed,
        clocks: &mut Clocks,
        is_blind: bool,
        found: &mut Vec<Observation>,
    ) {
        let may_write = |&(window, range): &(u32, (i64, i64))| {
            let key = (window, process);
            self.may_write(key, range, self.served(key, range), clocks)
        };
        if places.is_empty() || places.iter().any(may_write) {
            return;
        }
        match clocks.moment(process).filter(|_| !is_blind && self.doubts.len() < MOST_DOUBTS) {
            Some(moment) => self.doubts.push(Doubt { process, places, moment, what: Doubted::Buffer(changed) }),
            None => found.push(Observation::Changed { changed, is_sure: false }),
        }
    }

    /// Whether another process may have written there, as far as is known: one whose access was not complete when something of
    /// the process began, or any that is remembered.
    fn may_write(&self, key: Key, range: (i64, i64), since: Option<&Clock>, clocks: &Clocks) -> bool {
        let Some(live) = self.live.get(&key.0).and_then(|w| w.get(&key.1)) else { return false };
        let was_over = |l: &Live| since.is_some_and(|clock| is_seen(clocks, clock, l.access.origin, l.done));
        // Of many the first are forgotten.
        live.len() >= MOST_LIVE || live.iter().any(|l| writes_there(&l.access, l.bounds, range) && !was_over(l))
    }

    /// The clock of a process at the start of its access whose buffer is there.
    fn served(&self, key: Key, range: (i64, i64)) -> Option<&Clock> {
        let live = self.live.get(&key.0)?.get(&key.1)?;
        let serves = |l: &&Live| l.access.serves.is_some() && l.bounds.0 < range.1 && range.0 < l.bounds.1;
        live.iter().find(serves).map(|l| &l.clock)
    }

    /// The process has asserted that it has not stored into its memory. If something has changed there since the snapshot that no
    /// other process has written, the process has written it. Earlier writers are no longer known.
    pub fn not_stored(&mut self, key: Key, place: CallRef, clocks: &mut Clocks, is_blind: bool) {
        let Some(moment) = clocks.moment(key.1).filter(|_| !is_blind && self.doubts.len() < MOST_DOUBTS) else {
            return;
        };
        let Some(stored) = self.stored.get(&key) else { return };
        let own = |range: &&(i64, i64)| !self.may_write(key, **range, None, clocks);
        let places: Vec<_> = stored.pieces.iter().filter(own).map(|&range| (key.0, range)).collect();
        if !places.is_empty() {
            self.doubts.push(Doubt { process: key.1, places, moment, what: Doubted::Promise(place) });
        }
    }

    /// See [`super::AccessConflicts::promise`].
    pub fn promise(&mut self, window: u32, same_op: bool) {
        match same_op {
            true => self.same_op.insert(window),
            false => self.same_op.remove(&window),
        };
    }

    /// A process writes into a window, and is not ordered after accesses whose buffers have changed there.
    fn excuse(&mut self, (window, target): Key, access: &Access, bounds: (i64, i64), clock: &Clock, clocks: &Clocks) {
        self.doubts.retain_mut(|doubt| {
            let meets = |&(of, range): &(u32, (i64, i64))| of == window && writes_there(access, bounds, range);
            doubt.process != target
                || !doubt.places.iter().any(meets)
                || is_seen(clocks, clock, target, Some(doubt.moment))
                || match &doubt.what {
                    Doubted::Buffer(_) => false,
                    Doubted::Stored { now, .. } => {
                        let byte = doubt.places.first().map_or(0, |place| place.1.0);
                        wrote(access, byte).is_some_and(|wrote| Some(wrote) != *now)
                    }
                    Doubted::Promise(_) => {
                        doubt.places.retain(|place| !meets(place));
                        !doubt.places.is_empty()
                    }
                }
        });
    }

    /// From now on, no other process can have written what a process has in a window, or in any window.
    fn settle(&mut self, key: Option<Key>, found: &mut Vec<Observation>) {
        let is_over = |doubt: &mut Doubt| {
            key.is_none_or(|(window, process)| doubt.process == process && doubt.places.iter().all(|p| p.0 == window))
        };
        found.extend(self.doubts.extract_if(.., is_over).filter_map(|doubt| match doubt.what {
            Doubted::Buffer(changed) => Some(Observation::Changed { changed, is_sure: true }),
            Doubted::Promise(place) => {
                let &(_, bytes) = doubt.places.first()?;
                Some(Observation::Broken { by: doubt.process, place, bytes })
            }
            Doubted::Stored { access, place, .. } => {
                let &(_, common) = doubt.places.first()?;
                Some(Observation::Stored { by: doubt.process, place, access, common, is_sure: false })
            }
        }));
    }

    /// The process is ordered after the accesses of others in the epoch.
    pub fn hide(&mut self, key: Key, clocks: &mut Clocks, is_blind: bool, found: &mut Vec<Observation>) {
        if self.exposed.get(&key).is_some_and(|exposure| !exposure.is_passive) {
            self.settle(Some(key), found);
        }
        let (exposure, stored) = (self.exposed.remove(&key), self.stored.remove(&key));
        let Some(live) = self.live.get_mut(&key.0).and_then(|w| w.get_mut(&key.1)) else { return };
        if let Some(exposure) = exposure.filter(|_| !is_blind) {
            let epoch: Vec<&Live> = live
                .iter()
                .filter(|old| {
                    let a = &old.access;
                    !a.is_own
                        && (a.is_active || exposure.is_passive)
                        && old.done.is_some()
                        && !is_seen(clocks, &exposure.clock, a.origin, old.done)
                })
                .collect();
            if exposure.asserted & assertion::NO_PUT != 0
                && let Some(one) = epoch.iter().find(|old| !old.access.reads())
            {
                found.push(Observation::Asserted { access: one.access.clone(), by: key.1, place: exposure.place });
            }
            if let Some(moment) = exposure.moment {
                // What came after something that the target did in this epoch may have come after the store.
                let unordered = |old: &&&Live| clocks.seen(&old.clock, key.1) < moment;
                let epoch: Vec<&Live> = epoch.iter().filter(unordered).copied().collect();
                let own: Vec<&Ranges> =
                    live.iter().filter(|o| o.access.is_own && !o.access.is_touch).map(|o| &o.access.ranges).collect();
                let against = |stored: &Stored| contradiction(stored, &epoch, &own, live, clocks, &exposure.clock);
                if let Some(stored) = stored
                    && let Some((access, byte, now)) = against(&stored)
                {
                    let (by, place, common) = (key.1, stored.place, (byte, byte + 1));
                    match clocks.moment(by).filter(|_| exposure.is_passive && self.doubts.len() < MOST_DOUBTS) {
                        Some(moment) => {
                            let (places, what) = (vec![(key.0, common)], Doubted::Stored { access, place, now });
                            self.doubts.push(Doubt { process: by, places, moment, what });
                        }
                        None => {
                            let is_sure = !exposure.is_passive;
                            found.push(Observation::Stored { by, place, access, common, is_sure });
                        }
                    }
                }
            }
        }
        // Later accesses are ordered after these.
        let clock = clocks.clock_of(key.1).clone();
        live.retain(|old| {
            // The others are not yet ordered after accesses of the process itself.
            !(old.done.is_some()
                && if old.access.origin == key.1 {
                    !old.access.is_touch
                } else {
                    is_seen(clocks, &clock, old.access.origin, old.done)
                })
        });
    }

    /// No other window has the same memory any more.
    pub fn is_alone(&self, (window, process): Key) -> bool {
        let (mine, others): (Vec<&Own>, Vec<&Own>) = self.own(process).iter().partition(|o| o.window == window);
        let apart = |a: &Own, b: &Own| {
            a.address.saturating_add(a.bytes) <= b.address || b.address.saturating_add(b.bytes) <= a.address
        };
        !mine.is_empty() && mine.iter().all(|me| others.iter().all(|other| apart(me, other)))
    }

    /// Whether all of it was attached, or may have been, when the access began.
    fn is_attached(&self, (window, target): Key, access: &Access) -> bool {
        let pieces: Vec<&Own> = self
            .own(target)
            .iter()
            .filter(|o| o.window == window && o.is_attached && o.to_ns >= access.at_ns)
            .collect();
        access.ranges.iter().all(|(from, to)| {
            // Pieces may lie side by side.
            let mut at = from as u64;
            while at < to as u64 {
                match pieces.iter().find(|o| (o.address..o.address.saturating_add(o.bytes)).contains(&at)) {
                    Some(piece) => at = piece.address + piece.bytes,
                    None => return false,
                }
            }
            true
        })
    }

    pub fn report_remaining(&mut self, clocks: &Clocks, is_blind: bool, found: &mut Vec<Observation>) -> Vec<u32> {
        self.is_over = true;
        self.settle(None, found);
        for (key, access) in std::mem::take(&mut self.dynamic) {
            if access.is_exact && !self.is_attached(key, &access) {
                let at = access.ranges.bounds();
                found.push(Observation::Range { access, target: key.1, bounds: at, size: None });
            }
        }
        for pending in std::mem::take(&mut self.pending) {
            let is_sure = !is_blind && pending.is_sure(&self.observers, clocks);
            if is_sure || !(pending.is_reported || self.flags.may_order(&pending)) {
                record_access(found, (false, false), &pending.first.0, &pending.second.0, pending.common, is_sure);
            }
        }
        std::mem::take(&mut self.waiting)
    }
}

/// Whether an access by MPI may change bytes of its target. If a process writes into its own memory by calls of its own, the
/// process itself checks its other buffers.
fn writes_there(access: &Access, bounds: (i64, i64), range: (i64, i64)) -> bool {
    !access.is_own && !access.reads() && bounds.0 < range.1 && range.0 < bounds.1
}

/// Reports one conflict for each pair of places.
pub(super) fn record_access(
    found: &mut Vec<Observation>,
    (is_file, same_op): (bool, bool),
    a: &Access,
    b: &Access,
    common: (i64, i64),
    is_sure: bool,
) {
    // An instruction may stand for loads and stores.
    let touches = |x: &Access| x.is_touch.then_some(x.what);
    let places = |x: &Access, y: &Access| {
        (x.place.key, x.place.function, y.place.key, y.place.function, x.origin == y.origin, touches(x), touches(y))
    };
    let known = found.iter().any(|one| match one {
        Observation::Conflict { is_file: f, first, second, is_sure: known, .. } => {
            *f == is_file && *known >= is_sure && places(first, second) == places(a, b)
        }
        _ => false,
    });
    if !known {
        found.push(Observation::Conflict { is_file, same_op, first: a.clone(), second: b.clone(), common, is_sure });
    }
}

/// Whether two accumulates violate the assertion that all have one operation. The standard does not define that of `MPI_Compare_and_swap`.
fn differ(a: &Access, b: &Access) -> bool {
    let both = a.what == access::ACCUMULATE && b.what == access::ACCUMULATE;
    both && a.origin != b.origin && !a.is_swap && !b.is_swap && a.reduction != b.reduction
}

/// Whether two accesses of the same bytes are allowed, unless they violate an assertion.
fn is_ordered(old: &Live, new: &Access, breaks: bool, clock: &Clock, clocks: &Clocks) -> bool {
    let a = &old.access;
    let both = |what: u64| a.what == what && new.what == what;
    let harmless = match () {
        () if a.is_own && new.is_own && a.origin == new.origin => true,
        () if a.reads() && new.reads() => true,
        () if both(access::ACCUMULATE) => {
            // From one origin they are applied in their order (MPI-5.0 §12.7.2).
            let goes = a.reads()
                || new.reads()
                || a.is_swap
                || new.is_swap
                || a.reduction == new.reduction
                || a.origin == new.origin;
            goes && a.elements == new.elements
        }
        () => false,
    };
    if harmless && !breaks {
        return true;
    }
    if a.origin == new.origin {
        return old.done.is_some();
    }
    // A lock of the target excludes others that have a lock as well.
    let keeps_out = |one: &Access, other: &Access| one.is_exclusive && (!other.is_own || other.is_locked);
    keeps_out(a, new) || keeps_out(new, a) || is_seen(clocks, clock, a.origin, old.done)
}

/// Marks some of them as complete; if too many processes are tracked already, they are dropped.
fn end(live: &mut VecDeque<Live>, moment: Option<u32>, which: impl Fn(&Access) -> bool) {
    match moment {
        Some(_) => {
            live.iter_mut().filter(|l| l.done.is_none() && which(&l.access)).for_each(|l| l.done = moment);
        }
        None => live.retain(|l| l.done.is_some() || !which(&l.access)),
    }
}

fn keep(live: &mut VecDeque<Live>, access: Access, bounds: (i64, i64), clock: Clock, number: u64) {
    // A process that goes through memory piece by piece is one long access.
    if !access.is_touch
        && let Some(last) = live.iter_mut().rev().take(8).find(|l| {
            let a = &l.access;
            l.done.is_none()
                && l.bounds.1 == bounds.0
                && l.clock.as_deref() == clock.as_deref()
                && (a.origin, a.what, a.place.site, a.place.function)
                    == (access.origin, access.what, access.place.site, access.place.function)
                && (a.is_exclusive, a.is_exact, a.is_own, a.serves, a.op)
                    == (access.is_exclusive, access.is_exact, access.is_own, access.serves, access.op)
                && a.reduction == access.reduction
                && a.elements == access.elements
        })
    {
        last.access.ranges.append(access.ranges);
        last.bounds.1 = bounds.1;
        // What it wrote first is not all of it any more.
        last.access.content.clear();
        return;
    }
    if live.len() >= MOST_LIVE {
        live.pop_front();
    }
    live.push_back(Live { access, bounds, clock, done: None, number });
}

/// What a put wrote to a byte, if known.
fn wrote(a: &Access, byte: i64) -> Option<u8> {
    match a.ranges.single() {
        Some((from, _)) if a.what == access::PUT => a.content.get(usize::try_from(byte - from).ok()?).copied(),
        _ => None,
    }
}

/// Whether accesses of the epoch do not explain all changes of bytes, so that the process has stored there: the access that
/// conflicts with the first such store, its byte, and what is there now.
fn contradiction(
    stored: &Stored,
    epoch: &[&Live],
    own: &[&Ranges],
    live: &VecDeque<Live>,
    clocks: &Clocks,
    since: &Clock,
) -> Option<(Access, i64, Option<u8>)> {
    // Whoever may have written in this epoch, whether or not it came after something of the target's.
    let writers: Vec<&Access> = live
        .iter()
        .filter(|l| !l.access.is_own && !l.access.reads() && !is_seen(clocks, since, l.access.origin, l.done))
        .map(|l| &l.access)
        .collect();
    let mut content = stored.content.iter();
    for &(from, to) in &stored.pieces {
        for byte in from..to {
            let now = content.next().copied();
            if own.iter().any(|ranges| ranges.has(byte)) {
                continue;
            }
            let by: Vec<&&Access> = writers.iter().filter(|a| a.ranges.has(byte)).collect();
            let is_store =
                by.iter().all(|a| a.is_exact && now.is_some() && wrote(a, byte).is_some_and(|w| Some(w) != now));
            if !is_store {
                continue;
            }
            if let Some(one) = epoch.iter().find(|l| l.access.is_exact && l.access.ranges.has(byte)) {
                return Some((one.access.clone(), byte, now));
            }
        }
    }
    None
}
