//! Locks of memory that others access in an epoch of fences: a window must not be locked and exposed at once (MPI-5.0 §12.5.3).

use rustc_hash::FxHashMap;

use super::windows::Key;
use super::{Access, Observation};
use crate::report::CallRef;

/// An access or a lock between two fences, which all processes of the window count alike.
type Between = (u32, CallRef);

#[derive(Default)]
pub(super) struct Fences {
    /// Fences of a window that a process has passed.
    passed: FxHashMap<Key, u32>,
    /// The last access that belongs to fences.
    accessed: FxHashMap<Key, Between>,
    /// The last lock of a target, or of all of them.
    locked: FxHashMap<(u32, Option<u32>), Between>,
}

impl Fences {
    fn passed(&self, window: u32, process: u32) -> u32 {
        self.passed.get(&(window, process)).copied().unwrap_or(0)
    }

    pub fn pass(&mut self, window: u32, process: u32) {
        *self.passed.entry((window, process)).or_default() += 1;
    }

    /// A process accesses a target, without a lock and not between start and complete.
    pub fn access(&mut self, (window, target): Key, access: &Access, found: &mut Vec<Observation>) {
        let now = self.passed(window, access.origin);
        self.accessed.insert((window, target), (now, access.place));
        for of in [Some(target), None] {
            if let Some(&(_, lock)) = self.locked.get(&(window, of)).filter(|(at, _)| *at == now) {
                note(found, lock, access.place, target);
            }
        }
    }

    /// A process locks a target, or all of them.
    pub fn lock(&mut self, window: u32, target: Option<u32>, place: CallRef, found: &mut Vec<Observation>) {
        let now = self.passed(window, place.process);
        self.locked.insert((window, target), (now, place));
        let meets = |key: &Key| key.0 == window && target.is_none_or(|target| target == key.1);
        let met = self.accessed.iter().filter(|(key, (at, _))| meets(key) && *at == now);
        if let Some((&(_, target), &(_, access))) = met.min_by_key(|(key, _)| key.1) {
            note(found, place, access, target);
        }
    }
}

/// The process that accesses finds its own locks itself.
fn note(found: &mut Vec<Observation>, lock: CallRef, access: CallRef, target: u32) {
    if lock.process != access.process {
        found.push(Observation::Locked { lock, access, target });
    }
}
