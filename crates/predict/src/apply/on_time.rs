//! A rank that no longer comes late.
//!
//! It is late at an operation in which all wait for all if, in the recorded run, it came later than half of the other members (of two
//! in the middle: the later one). Its computing since its last such operation is shortened by as much, at most to nothing, each part of it by the same factor.
//! Where it was late because it had waited for others, less computing does not help, and the model shows that.

use mpiscope_model::simulation::{Calls, Part, Step};

use super::rewrite::Rewrite;

/// Calls between two such operations that are kept; of more, only the last ones become shorter.
const MOST_KEPT: usize = 1 << 18;

/// See the module.
pub(super) struct OnTime {
    rank: usize,
    /// By kind: whether all wait for all.
    is_for_all: Vec<bool>,
    kept: Vec<(Step, Vec<Part>)>,
}

impl OnTime {
    /// Of this rank.
    pub(super) fn new(rank: usize, is_for_all: Vec<bool>) -> OnTime {
        OnTime { rank, is_for_all, kept: Vec::new() }
    }

    fn give(&mut self, late_ns: u64, out: &mut Calls) {
        let computing_ns: u64 = self.kept.iter().map(|(step, _)| step.gap_ns).sum();
        let left = 1.0 - late_ns.min(computing_ns) as f64 / computing_ns.max(1) as f64;
        for (mut step, parts) in self.kept.drain(..) {
            step.gap_ns = (step.gap_ns as f64 * left) as u64;
            out.push(step, parts);
        }
    }
}

impl Rewrite for OnTime {
    fn step(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls) {
        if rank != self.rank {
            out.push(step, parts.iter().copied());
            return;
        }
        self.kept.push((step, parts.to_vec()));
        let is_for_all = |part: &Part| match part {
            Part::Enter { kind, .. } => self.is_for_all.get(*kind as usize).copied().unwrap_or(false),
            _ => false,
        };
        if parts.iter().any(is_for_all) {
            self.give(step.late_ns, out);
        } else if self.kept.len() >= MOST_KEPT {
            self.give(0, out);
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        if rank == self.rank {
            self.give(0, out);
        }
    }

    fn summary(&self) -> Result<String, String> {
        Ok(String::new())
    }
}
