//! Time of completion calls by the bytes that they received: for `MPI_Wait` those of its message, for
//! `MPI_Waitall` those of all messages together.

use std::collections::BTreeMap;

use mpiscope_store::{CallInfo, Dimensions, End, RankId};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, Input};
use crate::explanation::{CompletionRow, Explanation};
use crate::quality::size_class;

/// At most this many calls wait for the rest of their messages; beyond that, calls are counted with the messages known so far.
const PENDING: usize = 1 << 16;
/// Bins of sizes; the last one also has everything above.
const BINS: usize = 32;

#[derive(Clone, Copy)]
struct CompletionSum {
    calls: u64,
    ns: u64,
    min_ns: u64,
    max_ns: u64,
    bytes: u64,
}

/// A call that completes several messages.
struct Call {
    left: u32,
    received: u32,
    bytes: u64,
    facts: u32,
    ns: u64,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Completions {
    pending: FxHashMap<(RankId, u64), Call>,
    /// By function and bin.
    sums: FxHashMap<(u32, u8), CompletionSum>,
}

impl Completions {
    fn side(&mut self, facts: &[Vec<CallInfo>], rank: RankId, end: &End, received: Option<u64>) {
        // A call that transfers the data itself is already in the table of sizes.
        if !end.is_done() || end.done_row == end.row {
            return;
        }
        let ns = end.done_end_ns.saturating_sub(end.done_start_ns);
        if end.done_with <= 1 {
            if let Some(bytes) = received {
                self.count(facts, rank, end.done_facts, ns, bytes);
            }
            return;
        }
        let new = || Call { left: end.done_with, received: 0, bytes: 0, facts: end.done_facts, ns };
        let call = self.pending.entry((rank, end.done_row)).or_insert_with(new);
        call.left -= 1;
        if let Some(bytes) = received {
            (call.received, call.bytes) = (call.received + 1, call.bytes.saturating_add(bytes));
        }
        if call.left == 0 {
            let call = self.pending.remove(&(rank, end.done_row));
            call.into_iter().for_each(|call| self.complete(facts, rank, &call));
        }
    }

    fn complete(&mut self, facts: &[Vec<CallInfo>], rank: RankId, call: &Call) {
        if call.received > 0 {
            self.count(facts, rank, call.facts, call.ns, call.bytes);
        }
    }

    fn count(&mut self, facts: &[Vec<CallInfo>], rank: RankId, of: u32, ns: u64, bytes: u64) {
        let Some(facts) = facts.get(rank.0 as usize).and_then(|f| f.get(of as usize)) else { return };
        let none = CompletionSum { calls: 0, ns: 0, min_ns: u64::MAX, max_ns: 0, bytes: 0 };
        let bin = size_class(bytes).min(BINS - 1) as u8;
        let sum = self.sums.entry((facts.function, bin)).or_insert(none);
        (sum.calls, sum.ns, sum.bytes) = (sum.calls + 1, sum.ns.saturating_add(ns), sum.bytes.saturating_add(bytes));
        (sum.min_ns, sum.max_ns) = (sum.min_ns.min(ns), sum.max_ns.max(ns));
    }

    fn flush(&mut self, facts: &[Vec<CallInfo>]) {
        for ((rank, _), call) in std::mem::take(&mut self.pending) {
            self.complete(facts, rank, &call);
        }
    }
}

impl Analysis for Completions {
    fn take(&mut self, input: &Input<'_>) {
        for message in &input.batch.messages {
            self.side(input.facts, message.receiver, &message.receive, Some(message.bytes));
            self.side(input.facts, message.sender, &message.send, None);
        }
        if input.batch.is_last || self.pending.len() > PENDING {
            self.flush(input.facts);
        }
    }

    fn finish(self: Box<Self>, _: &Dimensions, _: &[Vec<CallInfo>], explanation: &mut Explanation) {
        let sorted: BTreeMap<(&'static str, u8), CompletionSum> =
            self.sums.into_iter().map(|((id, bin), sum)| ((mpiscope_abi::name(id), bin), sum)).collect();
        let row = |((function, bin), sum): ((&'static str, u8), CompletionSum)| CompletionRow {
            function,
            bin,
            calls: sum.calls,
            time_ns: sum.ns,
            min_ns: sum.min_ns,
            max_ns: sum.max_ns,
            bytes_received: sum.bytes,
        };
        explanation.completions = sorted.into_iter().map(row).collect();
    }
}

#[cfg(test)]
mod tests {
    use crate::Explainer;
    use mpiscope_ingest::testing::ingested;

    #[test]
    fn by_the_bytes_that_they_bring() {
        let run = ingested(
            "1 0 1 Send to=0 tag=1 bytes=100
             1 1 2 Send to=0 tag=2 bytes=3000
             1 2 3 Send to=0 tag=3 bytes=2000
             0 0 1 Irecv from=1 tag=1 bytes=100 request=1
             0 1 5 Wait requests=1
             0 5 6 Irecv from=1 tag=2 bytes=3000 request=1
             0 6 7 Irecv from=1 tag=3 bytes=2000 request=2
             0 7 8 Isend to=1 tag=4 bytes=8 request=3
             0 8 18 Waitall requests=1,2,3
             1 4 5 Recv from=0 tag=4 bytes=8
             0 20 21 Isend to=1 tag=4 bytes=8 request=3
             0 21 22 Wait requests=3
             1 20 21 Recv from=0 tag=4 bytes=8",
        );
        let mut explainer = Explainer::new(&run.dimensions);
        run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
        let found = explainer.finish(&run.dimensions, &run.facts).completions;
        let rows: Vec<_> = found.iter().map(|r| (r.function, r.bin, r.calls, r.time_ns, r.bytes_received)).collect();
        // The second Wait received nothing.
        assert_eq!(rows, [("MPI_Wait", 7, 1, 4_000, 100), ("MPI_Waitall", 13, 1, 10_000, 5000)]);
    }
}
