//! Waits one by one become one wait for all.
//!
//! Waits that follow each other, without other calls between them, complete in the first of them; the computing between them, which
//! may need what any of them awaits, comes after it.

use mpiscope_model::simulation::{Calls, Part, Step};

use super::is;
use super::rewrite::{Rewrite, rows_between};

/// See the module.
pub(super) struct MergeWaits {
    selected: Vec<Vec<bool>>,
    /// By rank: waits that follow each other.
    waits: Vec<Vec<(Step, Vec<Part>)>>,
    before: u64,
    after: u64,
}

impl MergeWaits {
    /// Of these calls.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> MergeWaits {
        let waits = vec![Vec::new(); selected.len()];
        MergeWaits { selected, waits, before: 0, after: 0 }
    }
}

impl Rewrite for MergeWaits {
    fn step(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls) {
        let awaits = |part: &Part| matches!(part, Part::AwaitSent(_) | Part::AwaitReceived(_));
        if is(&self.selected, rank, step.facts) && parts.iter().all(awaits) {
            self.waits[rank].push((step, parts.to_vec()));
        } else {
            self.end(rank, out);
            out.push(step, parts.iter().copied());
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        let Some(waits) = self.waits.get_mut(rank).map(std::mem::take) else { return };
        if waits.len() > 1 {
            self.before += waits.len() as u64;
            self.after += 1;
        }
        let all: Vec<Part> = waits.iter().flat_map(|(_, parts)| parts.iter().copied()).collect();
        let first_row = waits.first().map_or(0, |(step, _)| step.row);
        for (at, (mut step, _)) in waits.into_iter().enumerate() {
            let parts = if at == 0 { &all[..] } else { &[] };
            step.moved_rows = rows_between(step.row, first_row);
            out.push(step, parts.iter().copied());
        }
    }

    fn summary(&self) -> Result<String, String> {
        match self.after {
            0 => Err("no two of these waits follow each other: there are other calls between them".to_owned()),
            after => Ok(format!("{} waits become {after}", self.before)),
        }
    }
}
