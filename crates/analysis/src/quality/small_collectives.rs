//! Sequences of small collective operations that could be one operation.

use mpiscope_store::{CommId, Dimensions};
use mpiscope_units::{bytes, count, time};

use super::draft::{Draft, at_site};
use super::kinds::{Kind, Kinds};
use super::registry::{CallSeen, Context, QualityRule};
use super::sequences::{Sequence, SequenceSum, Sequences};
use crate::explanation::{Confidence, Explanation, Relations, Remedy, Rule, WhyLate};

pub(super) const SMALL_COLLECTIVES: Rule = Rule {
    id: "small_collectives",
    what: "Small collective operations follow each other at once at one line, where one operation could take all their data.",
    formula: "A sequence: blocking operations of one site on one communicator with at most 1 KiB each, each less than 2 µs after the \
              previous one, with no other call between them. cost = Σ min(time of the call, cap) × (n − 1) / n on all ranks; cap = \
              twice what such a call usually takes (mean of the class of durations with the median), so that waiting is not \
              counted. One operation costs latency × log(ranks) + bytes / bandwidth, and latency dominates at these sizes: \
              Thakur, Rabenseifner, Gropp (IJHPCA 19, 2005).",
    threshold: "Sequences of at least 4 operations; ≥ 1 % of rank time and ≥ 1 ms for one call site.",
    doubt: "An operation may need the result of the one before it: then they cannot be combined.",
    saving: "The run in which each sequence is one of its calls: an upper bound, because more data take longer.",
    relations: Relations { why_late: Some(WhyLate::Repeated), ..Relations::IN_CALLS },
};

/// Largest small operation, for which latency decides.
const SMALL_BYTES: u64 = 1024;
/// An operation that begins later after the one before it may need its result, which is used by the computing between them, ns.
pub const JOINED_WITHIN_NS: u64 = 2_000;
/// Shortest sequence that is worth a change of the program.
const LEAST: u32 = 4;
/// A call that takes so many times the usual time has waited.
const WAITED: u64 = 2;

/// The operations that a rank has made last, without another call between or after them; there may be none.
#[derive(Clone, Copy, Default)]
struct Last {
    sequence: Sequence,
    comm: CommId,
}

/// Collects sequences.
pub(crate) struct SmallCollectives {
    ranks: Vec<Last>,
    sums: Sequences,
}

impl QualityRule for SmallCollectives {
    const RULES: &'static [Rule] = &[SMALL_COLLECTIVES];

    fn new(kinds: &Kinds, _dimensions: &Dimensions) -> SmallCollectives {
        SmallCollectives {
            ranks: vec![Last::default(); kinds.ranks()],
            sums: Sequences::new(kinds.groups.len(), LEAST),
        }
    }

    /// A call; only those of the first thread of a rank count.
    #[inline]
    fn call(&mut self, seen: &CallSeen<'_>) {
        let CallSeen { rank, row, call, info, .. } = *seen;
        let last = &mut self.ranks[rank];
        let is_small = info.kind == Kind::Collective && info.bytes <= SMALL_BYTES && call.detail == 0;
        let is_open = last.sequence.n > 0;
        if call.thread != 0 || !(is_small || is_open) {
            return;
        }
        let goes_on = is_open
            && is_small
            && (last.sequence.group, last.comm) == (info.group, info.comm)
            && call.start_ns < last.sequence.end_ns + JOINED_WITHIN_NS;
        if !goes_on {
            self.sums.close(rank, &last.sequence);
            *last = Last { sequence: Sequence::begin(info.group, call.start_ns, row), comm: info.comm };
        }
        if is_small {
            self.sums.add(&mut last.sequence, info.bytes, call);
        }
    }

    fn conclude(mut self, context: &Context<'_>, out: &mut Explanation) {
        for (rank, last) in self.ranks.iter().enumerate() {
            self.sums.close(rank, &last.sequence);
        }
        self.sums.groups().for_each(|group| report(group, self.sums.of(group), context, out));
    }
}

fn report(group: u32, sum: &SequenceSum, context: &Context<'_>, out: &mut Explanation) {
    let Context { kinds, dimensions, .. } = *context;
    let cap_ns = WAITED * sum.usual_ns();
    let cost_ns = sum.saved_ns(cap_ns);
    if cost_ns < out.scope.threshold_ns() {
        return;
    }
    let function = kinds.function_name(group);
    let draft = Draft::new(&SMALL_COLLECTIVES, Confidence::Medium, &out.scope, cost_ns).describe(
        format!(
            "{function}{} moves only {} at a time",
            at_site(kinds.site(group, dimensions).as_deref()),
            bytes(sum.bytes / sum.calls)
        ),
        format!(
            "{} calls in {} sequences of {} on average, one right after the other. One {function} per sequence would save {}.",
            count(sum.calls),
            count(sum.sequences),
            count(sum.calls / sum.sequences),
            time(cost_ns)
        ),
        format!(
            "If none of them needs the result of the one before: collect the values in one buffer, and call {function} once for all of them."
        ),
    );
    let finding = draft
        .at([group], kinds, dimensions)
        .without(|quicker| Some(Remedy { inside_ns: 0, joined_within_ns: JOINED_WITHIN_NS, ..quicker }))
        .at_most()
        .paid_by(&sum.by_rank, dimensions)
        .int("calls", sum.calls)
        .int("rows", sum.sequences)
        .int("bytes", sum.bytes)
        .float("calls_per_row", sum.calls as f64 / sum.sequences as f64)
        .int("cap_ns", cap_ns)
        .proven_by(&sum.top, dimensions);
    out.findings.push(finding.done());
}
