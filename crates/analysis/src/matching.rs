//! What was matched, what could not be, and what the clocks get wrong.

use mpiscope_abi::role::{Pattern, Role, role};
use mpiscope_store::{Collective, Dimensions, Facts, LoneReason, Member, Message, flags};
use serde::Serialize;

use crate::explain::{Analysis, Explanation, Input};

/// How well the two sides of communication were brought together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Matching {
    /// Messages of which both sides are known.
    pub messages: u64,
    /// Of those: whose source was not recorded and follows from order and time.
    pub messages_inferred: u64,
    /// Sends and receives whose other side was overwritten in its ring.
    pub lone_overwritten: u64,
    /// The same of processes that were not recorded.
    pub lone_peer_unknown: u64,
    /// Sends that nobody received.
    pub sends_never_received: u64,
    /// Receives that took nothing.
    pub receives_never_sent: u64,
    /// Collective operations of which all members are known.
    pub collectives: u64,
    /// Those of which some are missing.
    pub collectives_incomplete: u64,
    /// Messages that were received before they were sent, and synchronising operations that a rank left before the
    /// last one came: what is wrong with the clocks.
    pub causality_violations: u64,
    /// The worst of them, ns.
    pub causality_worst_ns: u64,
}

/// Counts.
#[derive(Default)]
pub(crate) struct Matcher {
    found: Matching,
}

/// How much too early a message came, ns.
fn message_violation(message: &Message) -> u64 {
    if message.receive.is_done() { message.send.start_ns.saturating_sub(message.receive.done_end_ns) } else { 0 }
}

/// How much too early a rank left an operation that nobody can leave before all have come (MPI-5.0 §6.3: a barrier;
/// operations of all with all where every rank contributes data are the same by their results).
fn collective_violation(collective: &Collective, members: &[Member]) -> u64 {
    if !matches!(role(collective.function), Role::Collective(Pattern::Barrier)) || collective.missing > 0 {
        return 0;
    }
    let last = members.iter().map(|m| m.end.start_ns).max().unwrap_or(0);
    let first = members.iter().filter(|m| m.end.is_done()).map(|m| m.end.done_end_ns).min();
    first.map_or(0, |first| last.saturating_sub(first))
}

impl Analysis for Matcher {
    fn take(&mut self, input: &Input<'_>) {
        let found = &mut self.found;
        let violation = |found: &mut Matching, ns: u64| {
            if ns > 0 {
                found.causality_violations += 1;
                found.causality_worst_ns = found.causality_worst_ns.max(ns);
            }
        };
        for message in &input.batch.messages {
            found.messages += 1;
            found.messages_inferred += u64::from(message.flags & flags::INFERRED != 0);
            violation(found, message_violation(message));
        }
        for collective in &input.batch.collectives {
            let members = input.batch.members.get(collective.members.clone()).unwrap_or_default();
            if collective.missing == 0 {
                found.collectives += 1;
            } else {
                found.collectives_incomplete += 1;
            }
            violation(found, collective_violation(collective, members));
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

    fn finish(self: Box<Self>, _: &Dimensions, _: &[Vec<Facts>], explanation: &mut Explanation) {
        let m = &self.found;
        for (n, text) in [
            (m.causality_violations, "time(s) something arrived before it was sent: clocks of hosts disagree"),
            (m.lone_overwritten, "send(s) and receive(s) whose other side was overwritten: not explained"),
            (m.lone_peer_unknown, "send(s) and receive(s) with processes that were not recorded: not explained"),
            (m.sends_never_received, "send(s) that nobody received"),
            (m.receives_never_sent, "receive(s) that took no message"),
            (m.collectives_incomplete, "collective operation(s) of which not all ranks are known"),
        ] {
            if n > 0 {
                explanation.caveats.push(format!("{n} {text}"));
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
        run.batches.iter().for_each(|b| explainer.take(&run.dimensions, &run.facts, b));
        let found = explainer.finish(&run.dimensions, &run.facts);
        let m = &found.matching;
        assert_eq!((m.messages, m.sends_never_received, m.collectives, m.collectives_incomplete), (1, 1, 1, 1));
        assert_eq!((m.causality_violations, m.causality_worst_ns), (2, 5_000));
        assert_eq!(found.caveats.len(), 3, "{:?}", found.caveats);
    }
}
