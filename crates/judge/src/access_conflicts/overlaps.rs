//! Windows that share memory of one process: concurrent accesses through both of them are undefined, of whatever kind,
//! if one of them writes (MPI-5.0 §12.2.1, §12.7). A lock of one window does not exclude accesses through the other.

use super::bytes::{Ranges, common};
use super::windows::{Key, Live, Windows};
use super::{Access, Observation, is_seen};
use crate::clocks::{Clock, Clocks};

/// Windows that have some memory of a process in common with one of them; with more than so many nobody is compared.
const MOST: usize = 16;

impl Windows {
    /// Memory has become part of a window: whatever other windows have of it is accessed through both from now on. Accesses
    /// through both may have been looked at before this was known.
    pub(super) fn meet(
        &mut self,
        (window, process): Key,
        stretch: (u64, u64),
        clocks: &Clocks,
        found: &mut Vec<Observation>,
    ) {
        let of = |own: &super::windows::Own| if own.is_attached { 0 } else { own.address };
        let Some(base) = self.own(process).iter().rfind(|o| o.window == window).map(of) else { return };
        let meets = |own: &&super::windows::Own| {
            own.window != window
                && own.to_ns == i128::MAX
                && own.address < stretch.0.saturating_add(stretch.1)
                && stretch.0 < own.address.saturating_add(own.bytes)
        };
        let others: Vec<(u32, i64)> =
            self.own(process).iter().filter(meets).map(|own| (own.window, base.wrapping_sub(of(own)) as i64)).collect();
        for (other, distance) in others {
            for ((one, two), distance) in [((window, other), distance), ((other, window), distance.wrapping_neg())] {
                let list = self.overlaps.entry((one, process)).or_default();
                if list.len() < MOST && !list.contains(&(two, distance)) {
                    list.push((two, distance));
                }
            }
            let live = |window: u32| self.live.get(&window).and_then(|w| w.get(&process)).into_iter().flatten();
            for one in live(window) {
                let ranges = moved(&one.access, distance);
                for two in live(other) {
                    let (old, new) = if one.number < two.number { (one, two) } else { (two, one) };
                    // Whether the first one was over before the second one began is not known any more.
                    if old.access.origin != new.access.origin {
                        against(old, &new.access, (&ranges, &two.access.ranges), &new.clock, clocks, found);
                    }
                }
            }
        }
    }

    /// An access is compared with those through other windows.
    pub(super) fn through_others(&self, key: Key, access: &Access, clocks: &mut Clocks, found: &mut Vec<Observation>) {
        let Some(others) = self.overlaps.get(&key) else { return };
        let clock = clocks.clock_of(access.origin).clone();
        for &(window, distance) in others {
            let ranges = moved(access, distance);
            for old in self.live.get(&window).and_then(|w| w.get(&key.1)).into_iter().flatten() {
                against(old, access, (&ranges, &old.access.ranges), &clock, clocks, found);
            }
        }
    }
}

/// Bytes of an access as another window counts them.
fn moved(access: &Access, distance: i64) -> Ranges {
    let mut ranges = access.ranges.clone();
    ranges.shift(distance);
    ranges
}

/// Two accesses through different windows; `ranges` are those of both, counted alike.
fn against(
    old: &Live,
    new: &Access,
    ranges: (&Ranges, &Ranges),
    clock: &Clock,
    clocks: &Clocks,
    found: &mut Vec<Observation>,
) {
    let a = &old.access;
    // What a process does to its own memory is compared in each of its windows.
    let is_access = |x: &Access| !x.is_own && x.is_exact;
    let (one, other) = (ranges.0.bounds(), ranges.1.bounds());
    if !is_access(a) || !is_access(new) || (a.reads() && new.reads()) || one.1 <= other.0 || other.1 <= one.0 {
        return;
    }
    let is_same = a.origin == new.origin;
    if if is_same { old.done.is_some() } else { is_seen(clocks, clock, a.origin, old.done) } {
        return;
    }
    let Some(common) = common(ranges.0, ranges.1) else { return };
    let place = |x: &Access| (x.place.key, x.place.function, x.origin);
    let is_known = found.iter().any(|one| match one {
        Observation::Through { first, second, .. } => (place(first), place(second)) == (place(a), place(new)),
        _ => false,
    });
    if !is_known {
        let is_sure = is_same || (a.is_active && new.is_active);
        found.push(Observation::Through { first: a.clone(), second: new.clone(), bytes: common.1 - common.0, is_sure });
    }
}
