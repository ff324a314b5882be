//! Changes that give ranks other calls.

use mpiscope_model::simulation::{Calls, Part, Section, Step};

use super::SLIGHT_NS;

/// Takes the calls of each rank in order, and gives those that it makes instead.
pub(super) trait Rewrite: Send {
    /// Takes the next call of a rank; adds to `out` what is complete.
    fn step(&mut self, rank: usize, step: Step, parts: &[Part], out: &mut Calls);

    /// A rank makes no more calls.
    fn end(&mut self, rank: usize, out: &mut Calls);

    /// After the last call: what has changed, where that is worth a few words; an error if nothing has, and why.
    fn summary(&self) -> Result<String, String>;
}

/// The next section, rewritten.
pub(super) fn rewritten(rewrite: &mut dyn Rewrite, section: &Section) -> Section {
    let mut out = Section { kinds: section.kinds.clone(), is_last: section.is_last, ranks: Vec::new() };
    for (rank, calls) in section.ranks.iter().enumerate() {
        let mut changed = Calls::default();
        for step in &calls.steps {
            rewrite.step(rank, *step, calls.parts_of(step), &mut changed);
        }
        if section.is_last {
            rewrite.end(rank, &mut changed);
        }
        out.ranks.push(changed);
    }
    out
}

/// Whether a call without messages does not end an exchange: it takes, with the computing before it, at most as long as packing. An example is a send to
/// `MPI_PROC_NULL`.
pub(super) fn is_slight(step: &Step, parts: &[Part]) -> bool {
    parts.is_empty() && step.row != u64::MAX && step.gap_ns + step.own_ns <= SLIGHT_NS
}

/// Whether a call belongs to the exchange before it. One that `waits` for a message does not, since what follows may depend on it.
pub(super) fn goes_on(step: &Step, parts: &[Part], waits: bool) -> bool {
    let has_next = step.gap_ns <= SLIGHT_NS && has_messages(parts) && !waits;
    has_next || is_slight(step, parts)
}

/// Whether a call has messages, and no operation of several ranks.
pub(super) fn has_messages(parts: &[Part]) -> bool {
    !parts.is_empty() && parts.iter().all(Part::is_of_message)
}

/// For [`Step::moved_rows`]: from the row of a call to that of the one that takes over what it did.
pub(super) fn rows_between(row: u64, to: u64) -> i32 {
    to.wrapping_sub(row) as i32
}
