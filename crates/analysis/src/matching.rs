//! What was matched, what could not be matched, and where the clocks contradict causality.

use mpiscope_abi::role::{Pattern, Role, role};
use mpiscope_store::{CallInfo, Collective, Dimensions, LoneReason, Member, Message, RankId, flags};
use mpiscope_units::{counted, time};

use crate::analysis::{Analysis, Input};
use crate::explanation::{Explanation, Matching};

/// Counts.
#[derive(Default)]
pub(crate) struct Matcher {
    found: Matching,
}

/// By how much a message arrived too early, ns.
fn message_violation(message: &Message) -> u64 {
    if message.receive.is_done() { message.send.start_ns.saturating_sub(message.receive.done_end_ns) } else { 0 }
}

/// By how much a rank left too early an operation that no rank can leave before all have entered (MPI-5.0 §6.3: a barrier;
/// the same follows for all-to-all operations in which every rank contributes data). The rank that left, and the rank that
/// entered last.
fn collective_violation(collective: &Collective, members: &[Member]) -> Option<(RankId, RankId, u64)> {
    if !matches!(role(collective.function), Role::Collective(Pattern::Barrier)) || collective.missing > 0 {
        return None;
    }
    let last = members.iter().max_by_key(|m| m.end.start_ns)?;
    let first = members.iter().filter(|m| m.end.is_done()).min_by_key(|m| m.end.done_end_ns)?;
    Some((first.rank, last.rank, last.end.start_ns.saturating_sub(first.end.done_end_ns)))
}

/// The error of times of two ranks relative to each other, ns; `None` if their clocks were not compared.
pub(crate) fn error_ns(dimensions: &Dimensions, one: RankId, other: RankId) -> Option<u64> {
    let rank = |id: RankId| dimensions.ranks.get(id.index()?);
    let (one, other) = (rank(one)?, rank(other)?);
    if one.host == other.host {
        return Some(0);
    }
    Some(one.clock_error_ns?.saturating_add(other.clock_error_ns?))
}

impl Analysis for Matcher {
    fn add_batch(&mut self, input: &Input<'_>) {
        let found = &mut self.found;
        let violation = |found: &mut Matching, one: RankId, other: RankId, ns: u64| {
            if ns > 0 {
                found.causality_violations += 1;
                found.causality_worst_ns = found.causality_worst_ns.max(ns);
                let is_beyond = error_ns(input.dimensions, one, other).is_some_and(|error| ns > error);
                found.causality_beyond_error += u64::from(is_beyond);
            }
        };
        for message in &input.batch.messages {
            found.messages += 1;
            found.messages_inferred += u64::from(message.flags & flags::INFERRED != 0);
            violation(found, message.sender, message.receiver, message_violation(message));
        }
        for collective in &input.batch.collectives {
            let members = input.batch.members.get(collective.members.clone()).unwrap_or_default();
            if collective.missing == 0 {
                found.collectives += 1;
            } else {
                found.collectives_incomplete += 1;
            }
            if let Some((one, other, ns)) = collective_violation(collective, members) {
                violation(found, one, other, ns);
            }
        }
        for lone in &input.batch.lone {
            *match lone.reason {
                LoneReason::Overwritten => &mut found.lone_overwritten,
                LoneReason::PeerUnknown => &mut found.lone_peer_unknown,
                LoneReason::NeverHappened if lone.is_send => &mut found.sends_never_received,
                LoneReason::NeverHappened => &mut found.receives_never_sent,
            } += 1;
        }
    }

    fn conclude(self: Box<Self>, _: &Dimensions, _: &[Vec<CallInfo>], explanation: &mut Explanation) {
        let m = &self.found;
        if m.causality_violations > 0 {
            let within = match m.causality_beyond_error {
                0 => "never by more than the error of the clocks".into(),
                beyond => format!("{beyond} of them by more than the error of the clocks"),
            };
            explanation.caveats.push(format!(
                "{}, by up to {}: {within}",
                counted(
                    m.causality_violations,
                    "message(s) or collective operation(s) completed before the other side had started"
                ),
                time(m.causality_worst_ns),
            ));
        }
        for (n, text) in [
            (m.lone_overwritten, "send(s) or receive(s) whose other side is not in the record: not analysed"),
            (m.lone_peer_unknown, "send(s) or receive(s) with processes that were not recorded: not analysed"),
            (m.sends_never_received, "send(s) without a receive"),
            (m.receives_never_sent, "receive(s) without a message"),
            (m.collectives_incomplete, "collective operation(s) with ranks that are not in the record"),
        ] {
            if n > 0 {
                explanation.caveats.push(counted(n, text));
            }
        }
        explanation.matching = self.found;
    }
}

#[cfg(test)]
mod tests {
    use crate::Explainer;
    use mpiscope_ingest::testing::ingested;

    #[test]
    fn counts_and_violations() {
        let run = ingested(
            "0 10 20 Send to=1 bytes=8
             1  1  5 Recv from=0 bytes=8
             0 30 31 Isend to=1 bytes=8 request=1
             0 40 50 Barrier
             1 20 38 Barrier
             0 60 70 Allreduce bytes=8",
        );
        let mut explainer = Explainer::new(&run.dimensions);
        run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
        let found = explainer.finish(&run.dimensions, &run.facts);
        let m = &found.matching;
        assert_eq!((m.messages, m.sends_never_received, m.collectives, m.collectives_incomplete), (1, 1, 1, 1));
        assert_eq!((m.causality_violations, m.causality_worst_ns), (2, 5_000));
        assert_eq!(m.causality_beyond_error, 2, "on one host there is one clock");
        assert_eq!(found.caveats.len(), 3, "{:?}", found.caveats);
    }
}
