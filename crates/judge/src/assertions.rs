//! `MPI_MODE_NOCHECK`: assertions about locks, and about matching posts and starts (MPI-5.0 §12.5.5).
//!
//! The assertion is about time: no other process holds or requests the lock; the post is complete when the start is called. So
//! the moments of the calls decide, as far as the clocks of the processes agree. Two calls that nothing orders are wrong in any
//! order; those that occur in the wrong order are reported.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::report::{CallRef, Draft, Sink};

/// Most locks of a window that are remembered: each lock that is released is compared with all of them.
const MOST: usize = 64;
/// Most posts and starts that wait for their counterpart.
const MOST_HALVES: usize = 1 << 16;

/// A lock, from its call until the call that releases it.
#[derive(Clone, Copy)]
struct Hold {
    process: u32,
    /// The target; `None` for locks of all processes.
    target: Option<u32>,
    is_exclusive: bool,
    is_promised: bool,
    from_ns: i128,
    /// Release of the lock; `None` while it is held.
    to_ns: Option<i128>,
    place: CallRef,
}

impl Hold {
    fn excludes(&self, other: &Hold) -> bool {
        let meets = self.target.is_none() || other.target.is_none() || self.target == other.target;
        self.process != other.process && meets && (self.is_exclusive || other.is_exclusive)
    }
}

/// A post or start: whether it makes the assertion, when and where it was called.
#[derive(Clone, Copy)]
pub(crate) struct Half {
    pub is_start: bool,
    pub is_promised: bool,
    pub at_ns: i128,
    pub place: CallRef,
}

/// All assertions so far.
#[derive(Default)]
pub(crate) struct NoChecks {
    holds: FxHashMap<u32, VecDeque<Hold>>,
    /// By window, target, origin and sequence number.
    halves: FxHashMap<(u32, u32, u32, u32), Half>,
}

impl NoChecks {
    /// A process is about to lock a window.
    pub fn locks(
        &mut self,
        window: u32,
        target: Option<u32>,
        (is_exclusive, is_promised): (bool, bool),
        from_ns: i128,
        place: CallRef,
    ) {
        let holds = self.holds.entry(window).or_default();
        if holds.len() >= MOST {
            holds.pop_front();
        }
        let process = place.process;
        holds.push_back(Hold { process, target, is_exclusive, is_promised, from_ns, to_ns: None, place });
    }

    /// The process is about to unlock.
    pub fn unlocks(
        &mut self,
        window: u32,
        target: Option<u32>,
        process: u32,
        to_ns: i128,
        error_ns: i128,
        sink: &mut Sink,
    ) {
        let Some(holds) = self.holds.get_mut(&window) else { return };
        let mine = |h: &&mut Hold| h.process == process && h.target == target && h.to_ns.is_none();
        let Some(over) = holds.iter_mut().rev().find(mine) else { return };
        over.to_ns = Some(to_ns);
        let over = *over;
        for other in holds.iter().filter(|other| over.excludes(other)) {
            let Some(ends) = other.to_ns else { continue };
            let at_once = over.from_ns + error_ns < ends && other.from_ns + error_ns < to_ns;
            if !at_once || !(over.is_promised || other.is_promised) {
                continue;
            }
            let (one, two) = if over.is_promised { (&over, other) } else { (other, &over) };
            let text = format!(
                "Rank {} asserts MPI_MODE_NOCHECK for its lock, but rank {} holds a lock on the same memory at the same time, \
                 {}.",
                one.process,
                two.process,
                if one.is_exclusive && two.is_exclusive { "both exclusive" } else { "at least one of them exclusive" }
            );
            let draft = Draft::new("rma.assertion").text(text);
            sink.add(draft.party(one.place, "asserts").party(two.place, "locks as well"));
        }
    }

    /// A post or start of a window, by target, origin and sequence number; all but the first one are looked up.
    pub fn half(&mut self, key: (u32, u32, u32, u32), half: Half, error_ns: i128, sink: &mut Sink) {
        let Some(other) = self.halves.remove(&key) else {
            if self.halves.len() < MOST_HALVES {
                self.halves.insert(key, half);
            }
            return;
        };
        let (start, post) = if half.is_start { (half, other) } else { (other, half) };
        let (target, origin) = (key.1, key.2);
        let text = match (start.is_promised, post.is_promised) {
            (true, false) => format!("Rank {origin} starts with MPI_MODE_NOCHECK, but rank {target} posts without it."),
            (false, true) => format!("Rank {target} posts with MPI_MODE_NOCHECK, but rank {origin} starts without it."),
            (true, true) if start.at_ns + error_ns < post.at_ns => format!(
                "Rank {origin} asserts MPI_MODE_NOCHECK in MPI_Win_start, but rank {target} has not yet posted its window."
            ),
            _ => return,
        };
        let draft = Draft::new("rma.assertion").text(text);
        sink.add(draft.party(start.place, "starts").party(post.place, "posts"));
    }
}
