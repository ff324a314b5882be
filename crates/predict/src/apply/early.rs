//! Receives before the computing that comes before them: it cannot need what they receive.
//!
//! A rank that computes and then receives takes the message first, so that a sender which waits for it goes on meanwhile. Receives that follow each other closely come
//! together before the computing before the first of them. What the receiver then waits for, and what of it comes later, the replay shows.

use mpiscope_model::simulation::{Calls, Part, Step};

use super::rewrite::Rewrite;
use super::{SLIGHT_NS, is};

/// See the module.
pub(super) struct Early {
    selected: Vec<Vec<bool>>,
    /// By rank: computing before receives that have come earlier, ns.
    later_ns: Vec<u64>,
    moved: u64,
}

impl Early {
    /// Of these receives.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> Early {
        let later_ns = vec![0; selected.len()];
        Early { selected, later_ns, moved: 0 }
    }
}

impl Rewrite for Early {
    fn step(&mut self, rank: usize, mut step: Step, parts: &[Part], out: &mut Calls) {
        if let Some(later_ns) = self.later_ns.get_mut(rank) {
            let receives = is(&self.selected, rank, step.facts)
                && parts.iter().any(|part| matches!(part, Part::Receive { .. }))
                && parts.iter().any(|part| matches!(part, Part::AwaitReceived(_)));
            if !receives {
                step.gap_ns += std::mem::take(later_ns);
            } else if step.gap_ns > SLIGHT_NS {
                self.moved += 1;
                std::mem::swap(&mut step.gap_ns, later_ns);
            }
        }
        out.push(step, parts.iter().copied());
    }

    /// The last call of a rank, its end, takes what is left.
    fn end(&mut self, _: usize, _: &mut Calls) {}

    fn summary(&self) -> Result<String, String> {
        match self.moved {
            0 => Err("these receives come right after other calls, without computing before them".to_owned()),
            moved => Ok(mpiscope_units::counted(moved, "receive(s) before computing")),
        }
    }
}
