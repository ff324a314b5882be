//! Messages in the order in which they are sent: a receiver that waits for one message while another one is there takes that one first, and works on it.
//!
//! A receive and the computing after it belong together. Those of a rank that follow each other, without other calls between them, change places: sorted by when
//! their messages were sent in the recorded run, so messages of one sender keep their order. What follows the last of them may need all of them. Only as much of it as
//! follows one of the others is taken to be work on the last message alone, and the rest comes after all.

use mpiscope_model::simulation::{Calls, Part, Step};

use super::is;
use super::rewrite::{Rewrite, is_slight};

/// Receives that change places with each other at most: a program needs a buffer for each.
const MOST: usize = 1024;

/// A call that receives, and slight ones after it that concern it, such as `MPI_Get_count`.
struct Receive {
    calls: Vec<(Step, Vec<Part>)>,
    sent_ns: u64,
    /// Computing between them and the next receive, ns.
    after_ns: u64,
}

/// See the module.
pub(super) struct Arrival {
    selected: Vec<Vec<bool>>,
    /// By rank: receives that follow each other.
    receives: Vec<Vec<Receive>>,
    moved: u64,
    has_several: bool,
}

impl Arrival {
    /// Of receives in a row of which one is such a call.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> Arrival {
        let receives = selected.iter().map(|_| Vec::new()).collect();
        Arrival { selected, receives, moved: 0, has_several: false }
    }

    /// Receives in a row are over, and `gap_ns` is computed after them. Gives what of it comes after all of them.
    fn give(&mut self, rank: usize, gap_ns: u64, out: &mut Calls) -> u64 {
        let Some(mut receives) = self.receives.get_mut(rank).map(std::mem::take) else { return gap_ns };
        let (Some(first), Some(last)) = (receives.first(), receives.len().checked_sub(1)) else { return gap_ns };
        self.has_several |= last > 0;
        let mut before_ns = first.calls.first().map_or(0, |(step, _)| step.gap_ns);
        let mut rest_ns = gap_ns;
        if !receives.is_sorted_by_key(|of| of.sent_ns) {
            let others_ns = receives[..last].iter().map(|of| of.after_ns).max().unwrap_or(0);
            receives[last].after_ns = gap_ns.min(others_ns);
            rest_ns -= receives[last].after_ns;
        } else {
            receives[last].after_ns = 0;
        }
        let mut order: Vec<usize> = (0..receives.len()).collect();
        order.sort_by_key(|&at| receives[at].sent_ns);
        self.moved += (0..).zip(&order).filter(|(to, from)| to != *from).count() as u64;
        for at in order {
            let after_ns = receives[at].after_ns;
            let mut gap_ns = Some(before_ns);
            for (step, parts) in receives[at].calls.drain(..) {
                out.push(Step { gap_ns: gap_ns.take().unwrap_or(step.gap_ns), ..step }, parts);
            }
            before_ns = after_ns;
        }
        before_ns + rest_ns
    }
}

impl Rewrite for Arrival {
    fn step(&mut self, rank: usize, mut step: Step, parts: &[Part], out: &mut Calls) {
        let Some(receives) = self.receives.get_mut(rank) else { return out.push(step, parts.iter().copied()) };
        if let Some(last) = receives.last_mut().filter(|_| is_slight(&step, parts)) {
            last.calls.push((step, parts.to_vec()));
            return;
        }
        let only_receives = only_receives(parts);
        if only_receives && (1..MOST).contains(&receives.len()) {
            if let Some(last) = receives.last_mut() {
                last.after_ns = step.gap_ns;
            }
        } else {
            step.gap_ns = self.give(rank, step.gap_ns, out);
        }
        let is_open = self.receives.get(rank).is_some_and(|of| !of.is_empty());
        if only_receives && (is_open || is(&self.selected, rank, step.facts)) {
            let receive = Receive { calls: vec![(step, parts.to_vec())], sent_ns: step.sent_ns, after_ns: 0 };
            self.receives[rank].push(receive);
        } else {
            out.push(step, parts.iter().copied());
        }
    }

    fn end(&mut self, rank: usize, out: &mut Calls) {
        self.give(rank, 0, out);
    }

    fn summary(&self) -> Result<String, String> {
        match (self.moved, self.has_several) {
            (0, true) => Err("these messages are received in the order in which they are sent".to_owned()),
            (0, false) => {
                Err("no two of these receives follow each other: there are other calls between them".to_owned())
            }
            (moved, _) => Ok(format!("{moved} receives change places")),
        }
    }
}

/// Whether a call does nothing but wait for messages.
fn only_receives(parts: &[Part]) -> bool {
    let is_of_receive = |part: &Part| matches!(part, Part::Receive { .. } | Part::AwaitReceived(_));
    parts.iter().all(is_of_receive) && parts.iter().any(|part| matches!(part, Part::AwaitReceived(_)))
}
