//! How long calls usually take after all that they need has come, and which of them were interrupted.
//!
//! A median of the costs of a run replays a rank that lost its core in a call, or a packet that was sent twice, as if nothing had happened, and such a replay is too
//! short. What a call took beyond the usual stays where it was: it belongs to the machine, not to the program.

use std::cmp::Ordering;

/// Calls of which a usual time is known.
const FEW: usize = 5;
/// A call that takes so many times the usual time, and [`AT_LEAST_NS`] more, was interrupted.
const MANY: f32 = 1.5;
/// See [`MANY`].
const AT_LEAST_NS: f32 = 20_000.0;
/// By how much the usual time follows each call.
const FOLLOWS: f32 = 1.05;

/// The usual times of the calls of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usual {
    /// Since what the call needs was sent, of calls that began before that.
    since_needed: Middle,
    /// Since the call began, of those that need nothing, or to which it had come.
    since_start: Middle,
}

impl Usual {
    /// Takes the next call and the moment at which the last of what it needs was sent; gives by how much it exceeds the usual time if it was
    /// interrupted, ns, else 0.
    pub fn excess_ns(&mut self, needed_ns: u64, (start_ns, end_ns): (u64, u64)) -> u64 {
        let Some(late_ns) = start_ns.checked_sub(needed_ns).filter(|&ns| ns > 0) else {
            return self.since_needed.next(end_ns.saturating_sub(needed_ns));
        };
        let (late_ns, ns) = (late_ns as f32, end_ns.saturating_sub(start_ns));
        match self.since_needed.known() {
            // It was still on its way.
            Some(usual_ns) if late_ns < usual_ns => {
                let since_start = self.since_start.known().map_or(u64::MAX, |usual_ns| excess(ns as f32, usual_ns));
                excess(late_ns + ns as f32, usual_ns).min(since_start)
            }
            _ => self.since_start.next(ns),
        }
    }
}

/// By how much a call exceeds its usual time if it was interrupted, ns, else 0.
fn excess(ns: f32, usual_ns: f32) -> u64 {
    let excess_ns = ns - usual_ns;
    if excess_ns > AT_LEAST_NS && ns > MANY * usual_ns { excess_ns as u64 } else { 0 }
}

/// The median of times that come one after the other: of the first ones, and then it follows the others.
#[derive(Clone, Copy, Debug, Default)]
struct Middle {
    first_ns: [f32; FEW],
    seen: u32,
    usual_ns: f32,
}

impl Middle {
    fn known(&self) -> Option<f32> {
        (self.seen as usize >= FEW).then_some(self.usual_ns)
    }

    /// Takes the next time; gives [`excess`].
    fn next(&mut self, ns: u64) -> u64 {
        let ns = ns as f32;
        let seen = self.seen as usize;
        self.seen = self.seen.saturating_add(1);
        if let Some(slot) = self.first_ns.get_mut(seen) {
            *slot = ns;
            if seen + 1 == FEW {
                let mut sorted = self.first_ns;
                sorted.sort_unstable_by(f32::total_cmp);
                self.usual_ns = sorted[FEW / 2].max(1.0);
            }
            return 0;
        }
        let usual_ns = self.usual_ns;
        // As many go up as go down where it is the median.
        self.usual_ns = match ns.total_cmp(&usual_ns) {
            Ordering::Greater => usual_ns * FOLLOWS,
            Ordering::Less => (usual_ns / FOLLOWS).max(1.0),
            Ordering::Equal => usual_ns,
        };
        excess(ns, usual_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_than_usual_was_interrupted() {
        let mut usual = Middle::default();
        for _ in 0..100 {
            assert_eq!(usual.next(10_000), 0);
        }
        let excess_ns = usual.next(5_000_000);
        assert!((4_980_000..5_000_000).contains(&excess_ns), "{excess_ns}");
        assert_eq!(usual.next(25_000), 0, "too little to matter");
    }

    #[test]
    fn the_usual_time_follows_the_calls() {
        let mut usual = Middle::default();
        for at in 0..1000u64 {
            usual.next(if at % 3 == 0 { 3_000_000 } else { 1_000_000 });
        }
        let excess_ns = usual.next(3_000_000);
        assert!((1_700_000..2_100_000).contains(&excess_ns), "{excess_ns}");
        // All of them take longer now.
        let later: Vec<u64> = (0..100).map(|_| usual.next(3_000_000)).collect();
        assert_eq!(later.last(), Some(&0));
    }

    #[test]
    fn what_is_on_its_way_takes_the_rest_of_its_time() {
        let mut usual = Usual::default();
        // Sent 100 µs after the call begins, there 1 ms later.
        for _ in 0..10 {
            assert_eq!(usual.excess_ns(100_000, (0, 1_100_000)), 0);
        }
        // Sent 900 µs before: the rest takes 100 µs.
        for _ in 0..10 {
            assert_eq!(usual.excess_ns(100_000, (1_000_000, 1_100_000)), 0);
        }
        let excess_ns = usual.excess_ns(100_000, (1_000_000, 2_100_000));
        assert!((900_000..1_100_000).contains(&excess_ns), "{excess_ns}");
        // Sent long before.
        for _ in 0..10 {
            assert_eq!(usual.excess_ns(100_000, (9_000_000, 9_001_000)), 0);
        }
        assert!(usual.excess_ns(100_000, (9_000_000, 9_901_000)) > 800_000);
    }

    #[test]
    fn the_first_calls_are_not_judged() {
        let mut usual = Middle::default();
        assert_eq!([1, 1, 1_000_000_000, 1, 1].map(|ns| usual.next(ns)), [0; 5]);
        assert!(usual.next(1_000_000_000) > 999_000_000);
    }
}
