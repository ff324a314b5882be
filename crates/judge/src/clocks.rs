//! Which event happened before which (vector clocks).
//!
//! Only processes whose moments are compared have a component: those with wildcard receives, or with accesses to windows
//! and files. A program without them has no cost.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// The moments of each component's process that are known at one moment. Shared until something is added.
pub(crate) type Clock = Option<Arc<[u32]>>;

struct Component {
    at: usize,
    /// A moment was noted since the process last sent anything.
    is_asked: bool,
    /// Each send to others is a separate moment.
    ticks: bool,
}

/// Clocks of all processes.
#[derive(Default)]
pub(crate) struct Clocks {
    most: usize,
    components: FxHashMap<u32, Component>,
    of: Vec<Clock>,
}

impl Clocks {
    pub fn new(most: usize) -> Clocks {
        Clocks { most, ..Clocks::default() }
    }

    pub fn clock_of(&mut self, process: u32) -> &mut Clock {
        let at = process as usize;
        if self.of.len() <= at {
            self.of.resize(at + 1, None);
        }
        &mut self.of[at]
    }

    /// A new moment of a process: a clock with this value is after it. `None` if too many processes are tracked already.
    pub fn moment(&mut self, process: u32) -> Option<u32> {
        let next = self.components.len();
        let component = match self.components.get_mut(&process) {
            Some(component) => component,
            None if next < self.most => {
                self.components.entry(process).or_insert(Component { at: next, is_asked: false, ticks: false })
            }
            None => return None,
        };
        component.is_asked = true;
        let at = component.at;
        let now = self.clock_of(process).as_ref().and_then(|c| c.get(at)).copied().unwrap_or(0);
        Some(now.saturating_add(1))
    }

    /// From now on each send of a process to others is a separate moment: a process with a later one has received from it since.
    /// Half of the components are reserved for requests of single moments.
    pub fn tick(&mut self, process: u32) {
        if self.components.len() < self.most / 2 {
            self.moment(process);
        }
        if let Some(component) = self.components.get_mut(&process) {
            component.ticks = true;
        }
    }

    /// See [`Clocks::tick`].
    pub fn ticks(&self, process: u32) -> bool {
        self.components.get(&process).is_some_and(|c| c.ticks)
    }

    /// A process is about to send to others: what they receive is after its moments so far.
    pub fn outgoing(&mut self, process: u32) -> Clock {
        let Some(component) = self.components.get_mut(&process).filter(|c| c.is_asked || c.ticks) else {
            return self.clock_of(process).clone();
        };
        component.is_asked = false;
        let at = component.at;
        let clock = self.clock_of(process);
        let mut values = clock.as_deref().map(<[u32]>::to_vec).unwrap_or_default();
        if values.len() <= at {
            values.resize(at + 1, 0);
        }
        values[at] = values[at].saturating_add(1);
        *clock = Some(values.into());
        clock.clone()
    }

    /// The moment of a process in `clock`.
    pub fn seen(&self, clock: &Clock, process: u32) -> u32 {
        let Some(at) = self.components.get(&process).map(|c| c.at) else { return 0 };
        clock.as_ref().and_then(|c| c.get(at)).copied().unwrap_or(0)
    }

    /// Merges `other` into the clock of a process.
    pub fn learn(&mut self, process: u32, other: &Clock) {
        join(self.clock_of(process), other);
    }
}

/// The later of both, component by component.
pub(crate) fn join(clock: &mut Clock, other: &Clock) {
    let Some(new) = other else { return };
    match clock {
        None => *clock = Some(new.clone()),
        Some(old) => {
            if Arc::ptr_eq(old, new) || (new.len() <= old.len() && new.iter().zip(old.iter()).all(|(n, o)| n <= o)) {
                return;
            }
            let n = old.len().max(new.len());
            let value = |c: &[u32], i: usize| c.get(i).copied().unwrap_or(0);
            *clock = Some((0..n).map(|i| value(old, i).max(value(new, i))).collect());
        }
    }
}
