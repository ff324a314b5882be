//! One wait for several messages becomes a wait for each, followed by the part of the computing that needs it.
//!
//! Which part of the computing after a wait needs which message is not recorded. Here each message is needed by an equal part, and they are awaited in the order of
//! their requests. What is gained is thus an upper bound: a program that needs all of them before it computes gains nothing.

use mpiscope_model::simulation::{Calls, Part, Step};

use super::rewrite::Rewrite;
use super::{SLIGHT_NS, WAIT, is};

/// See the module.
pub(super) struct SplitWaits {
    selected: Vec<Vec<bool>>,
    /// By rank: a wait after which the rank may compute.
    waits: Vec<Option<(Step, Vec<Part>)>>,
    before: u64,
    after: u64,
}

impl SplitWaits {
    /// Of these calls.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> SplitWaits {
        let waits = vec![None; selected.len()];
        SplitWaits { selected, waits, before: 0, after: 0 }
    }

    /// A wait is followed by that much computing. Gives what of it is not before another wait.
    fn give(&mut self, rank: usize, gap_ns: u64, out: &mut Calls) -> u64 {
        let Some((step, parts)) = self.waits.get_mut(rank).and_then(Option::take) else { return gap_ns };
        if gap_ns <= SLIGHT_NS {
            out.push(step, parts);
            return gap_ns;
        }
        let (received, sent): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| matches!(part, Part::AwaitReceived(_)));
        let part_ns = gap_ns / received.len() as u64;
        let last = received.len() - 1;
        self.before += 1;
        self.after += received.len() as u64;
        for (at, message) in received.into_iter().enumerate() {
            let step = match at {
                0 => step,
                _ => Step { row: step.row, facts: WAIT, gap_ns: part_ns, ..Step::default() },
            };
            // The computing needs no send to be over.
            let others = if at == last { &sent[..] } else { &[] };
            out.push(step, [message].into_iter().chain(others.iter().copied()));
        }
        gap_ns - part_ns * last as u64
    }
}

impl Rewrite for SplitWaits {
    fn step(&mut self, rank: usize, mut step: Step, parts: &[Part], out: &mut Calls) {
        step.gap_ns = self.give(rank, step.gap_ns, out);
        let awaits = |part: &Part| matches!(part, Part::AwaitSent(_) | Part::AwaitReceived(_));
        let received = parts.iter().filter(|part| matches!(part, Part::AwaitReceived(_))).count();
        if received > 1 && is(&self.selected, rank, step.facts) && parts.iter().all(awaits) {
            self.waits[rank] = Some((step, parts.to_vec()));
        } else {
            out.push(step, parts.iter().copied());
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        self.give(rank, 0, out);
    }

    fn summary(&self) -> Result<String, String> {
        match self.before {
            0 => Err("none of these waits is for several messages and followed by computing".to_owned()),
            1 => Ok(format!("1 wait becomes {}", self.after)),
            before => Ok(format!("{before} waits become {}", self.after)),
        }
    }
}
