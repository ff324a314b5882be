//! Sequences of small messages between the same two ranks that could be one message.

use mpiscope_store::{Dimensions, RankId};
use mpiscope_units::{bytes, count, time};
use rustc_hash::FxHashMap;

use super::draft::{Draft, at_site};
use super::kinds::{Kind, Kinds, NONE};
use super::registry::{CallSeen, Context, QualityRule};
use super::sample::Top;
use super::sequences::{Sequence, Sequences};
use crate::explanation::{Confidence, Explanation, Relations, Rule};

pub(super) const SMALL: Rule = Rule {
    id: "small_messages",
    what: "Many small messages in a row go from the same line to the same rank, without a receive or a wait between them.",
    formula: "A sequence: calls of one site to one peer with at most 1 KiB each, less than 20 µs after the previous call, \
              with no call between them that could depend on another rank. cost = Σ min(time of the call, cap) × (n − 1) / n \
              on both sides; cap = fitted latency of the smallest messages, or 2 µs without a fit, at most 5 µs, so \
              that waiting is not counted. One message costs latency + bytes / bandwidth: Hockney (Parallel Computing 20, 1994).",
    threshold: "Sequences of at least 8 messages; ≥ 1 % of rank time and ≥ 1 ms for one call site.",
    doubt: "The receiver may need the first values before the last ones are available.",
    saving: "The run in which these calls take less time by the cost.",
    relations: Relations { grows_with_queues: true, ..Relations::IN_CALLS },
};

/// Largest small message: every MPI and network could transfer more than this within its latency.
const SMALL_BYTES: u64 = 1024;
/// Calls further apart have a computation between them.
const GAP_NS: u64 = 20_000;
/// Shortest sequence that is worth a change of the program.
const ROW: u32 = 8;
/// How long a call may take before it counts as waiting, if no latency was measured.
const CAP_NS: u64 = 2_000;
/// The same if one was measured: where ranks share cores, latencies are those of the scheduler.
const MOST_CAP_NS: u64 = 5_000;

/// A sequence, and the epoch of its calls: with another epoch, another one begins.
#[derive(Clone, Copy, Default)]
struct Row {
    epoch: u32,
    sequence: Sequence,
}

#[derive(Default)]
struct Rank {
    rows: Vec<Row>,
    /// Sequences by group and peer, where the peer is in the call: they come after those of the facts.
    inline: FxHashMap<(u32, RankId), u32>,
    send_epoch: u32,
    receive_epoch: u32,
    last_end_ns: u64,
    /// A receive was posted and nothing waited for since.
    has_posted: bool,
}

/// Collects sequences.
pub(crate) struct Small {
    ranks: Vec<Rank>,
    sums: Sequences,
}

impl QualityRule for Small {
    const RULES: &'static [Rule] = &[SMALL];

    fn new(kinds: &Kinds, _dimensions: &Dimensions) -> Small {
        let rank = |&streams: &u32| Rank {
            rows: vec![Row::default(); streams as usize],
            send_epoch: 1,
            receive_epoch: 1,
            ..Rank::default()
        };
        Small { ranks: kinds.streams.iter().map(rank).collect(), sums: Sequences::new(kinds.groups.len(), ROW) }
    }

    /// A call; only those of the first thread of a rank count.
    #[inline]
    fn call(&mut self, seen: &CallSeen<'_>) {
        let CallSeen { rank, row, call, info, details } = *seen;
        if call.thread != 0 {
            return;
        }
        let state = &mut self.ranks[rank];
        if call.start_ns > state.last_end_ns + GAP_NS {
            state.send_epoch += 1;
            state.receive_epoch += 1;
        }
        state.last_end_ns = call.end_ns;
        match info.kind {
            Kind::Local => return,
            Kind::Send => state.receive_epoch += 1,
            Kind::Receive => state.send_epoch += 1,
            Kind::Post => state.has_posted = true,
            Kind::Complete if !state.has_posted => return,
            _ => {
                state.send_epoch += 1;
                state.receive_epoch += 1;
                state.has_posted = false;
                return;
            }
        }
        let (mut stream, mut bytes) = (info.stream, info.bytes);
        if call.detail != 0
            && let Some(detail) = details.get(call.detail as usize - 1)
        {
            bytes = detail.bytes_sent.max(detail.bytes_received);
            let next = state.rows.len() as u32;
            stream = *state.inline.entry((info.group, detail.peer)).or_insert(next);
            if stream == next {
                state.rows.push(Row::default());
            }
        }
        if bytes > SMALL_BYTES || stream == NONE {
            return;
        }
        let epoch = if info.kind == Kind::Send { state.send_epoch } else { state.receive_epoch };
        let found = &mut state.rows[stream as usize];
        if found.epoch != epoch {
            self.sums.close(rank, &found.sequence);
            *found = Row { epoch, sequence: Sequence::begin(info.group, call.start_ns, row) };
        }
        self.sums.add(&mut found.sequence, bytes, call);
    }

    fn conclude(mut self, context: &Context<'_>, out: &mut Explanation) {
        let kinds = context.kinds;
        for (at, rank) in self.ranks.iter().enumerate() {
            rank.rows.iter().for_each(|row| self.sums.close(at, &row.sequence));
        }
        let cap_ns = context.latency_ns().map_or(CAP_NS, |l| (l as u64).min(MOST_CAP_NS));
        let mut left: Vec<u32> = self.sums.groups().collect();
        while let Some(group) = left.pop() {
            // As many calls with as many bytes are the other side of the same messages.
            let key = |group: u32| (self.sums.of(group).calls, self.sums.of(group).bytes);
            let other = left.iter().position(|&g| key(g) == key(group) && kinds.is_send(g) != kinds.is_send(group));
            let mut groups = vec![group];
            groups.extend(other.map(|at| left.remove(at)));
            groups.sort_by_key(|&g| (!kinds.is_send(g), g));
            self.report(&groups, cap_ns, context, out);
        }
    }
}

impl Small {
    /// Calls of these groups, which send and receive the same messages, or of one.
    fn report(&self, groups: &[u32], cap_ns: u64, context: &Context<'_>, out: &mut Explanation) {
        let Context { kinds, dimensions, .. } = *context;
        let of = |group: &u32| self.sums.of(*group);
        let cost_ns: u64 = groups.iter().map(|group| of(group).saved_ns(cap_ns)).sum();
        let Some(sum) = groups.first().map(of).filter(|_| cost_ns >= out.scope.threshold_ns()) else { return };
        let place = |&group: &u32| {
            format!("{}{}", kinds.function_name(group), at_site(kinds.site(group, dimensions).as_deref()))
        };
        let places: Vec<String> = groups.iter().map(place).collect();
        let moves = if places.len() > 1 { "transfer" } else { "transfers" };
        let draft = Draft::new(&SMALL, Confidence::Medium, &out.scope, cost_ns).describe(
            format!("{} {moves} only {} at a time", places.join(" and "), bytes(sum.bytes / sum.calls)),
            format!(
                "{} calls in {} sequences of {} on average, to or from the same rank, with no waiting call between them. One \
                 message per sequence would save {}.",
                count(sum.calls),
                count(sum.sequences),
                count(sum.calls / sum.sequences),
                time(cost_ns)
            ),
            "Collect the values in one buffer, or describe them by one datatype, and send them as one message.".into(),
        );
        let mut paid = vec![0; kinds.ranks()];
        let (mut top, mut calls) = (Top::default(), 0);
        for sum in groups.iter().map(of) {
            paid.iter_mut().zip(&sum.by_rank).for_each(|(all, ns)| *all += ns);
            top.merge(&sum.top);
            calls += sum.calls;
        }
        let finding = draft
            .at(groups.iter().copied(), kinds, dimensions)
            .paid_by(&paid, dimensions)
            .int("calls", calls)
            .int("rows", sum.sequences)
            .int("bytes", sum.bytes)
            .float("calls_per_row", sum.calls as f64 / sum.sequences as f64)
            .int("cap_ns", cap_ns)
            .proven_by(&top, dimensions);
        out.findings.push(finding.done());
    }
}
