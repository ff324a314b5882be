//! Time of completion calls by the bytes that they received: for `MPI_Wait` those of its message, for
//! `MPI_Waitall` those of all messages together.

use std::collections::BTreeMap;

use mpiscope_store::{CallInfo, Dimensions, End, RankId};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, Input};
use crate::explanation::{CompletionRow, Explanation};
use crate::quality::size_class;
use crate::row_map::RowMap;
use crate::slab::put;

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
#[derive(Clone, Copy)]
struct Call {
    left: u32,
    received: u32,
    bytes: u64,
    facts: u32,
    ns: u64,
}

/// Calls of one rank that wait for the rest of their messages.
#[derive(Default)]
struct OfRank {
    numbers: RowMap,
    calls: Vec<Call>,
    free: Vec<u32>,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Completions {
    ranks: Vec<OfRank>,
    /// Calls of all ranks that wait.
    pending: usize,
    /// By function and bin.
    sums: Vec<((u32, u8), CompletionSum)>,
    places: FxHashMap<(u32, u8), usize>,
    /// Place of the sum that was used last.
    latest: usize,
}

impl Completions {
    #[inline]
    fn side(&mut self, facts: &[Vec<CallInfo>], rank: RankId, end: &End, received: Option<u64>) {
        // A call that transfers the data itself is already in the table of sizes.
        if !end.is_done() || end.done_row == end.row {
            return;
        }
        if end.done_with > 1 {
            return self.part(facts, rank, end, received);
        }
        if let Some(bytes) = received {
            let ns = end.done_end_ns.saturating_sub(end.done_start_ns);
            self.count(facts, rank, end.done_facts, ns, bytes);
        }
    }

    /// One of several messages that a call completes.
    fn part(&mut self, facts: &[Vec<CallInfo>], rank: RankId, end: &End, received: Option<u64>) {
        let Some(of) = self.ranks.get_mut(rank.0 as usize) else { return };
        let at = match of.numbers.get(end.done_row) {
            Some(at) => at,
            None => {
                let ns = end.done_end_ns.saturating_sub(end.done_start_ns);
                let call = Call { left: end.done_with, received: 0, bytes: 0, facts: end.done_facts, ns };
                let at = put(&mut of.calls, &mut of.free, call);
                of.numbers.insert(end.done_row, at);
                self.pending += 1;
                at
            }
        };
        let call = &mut of.calls[at as usize];
        call.left -= 1;
        if let Some(bytes) = received {
            (call.received, call.bytes) = (call.received + 1, call.bytes.saturating_add(bytes));
        }
        if call.left == 0 {
            let call = *call;
            of.numbers.remove(end.done_row);
            of.free.push(at);
            self.pending -= 1;
            self.complete(facts, rank, &call);
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
        let key = (facts.function, bin);
        // Nearly always the same as before.
        if self.sums.get(self.latest).is_none_or(|(of, _)| *of != key) {
            self.latest = *self.places.entry(key).or_insert_with(|| {
                self.sums.push((key, none));
                self.sums.len() - 1
            });
        }
        let sum = &mut self.sums[self.latest].1;
        (sum.calls, sum.ns, sum.bytes) = (sum.calls + 1, sum.ns.saturating_add(ns), sum.bytes.saturating_add(bytes));
        (sum.min_ns, sum.max_ns) = (sum.min_ns.min(ns), sum.max_ns.max(ns));
    }

    fn flush(&mut self, facts: &[Vec<CallInfo>]) {
        for rank in 0..self.ranks.len() {
            let of = &mut self.ranks[rank];
            let (numbers, calls) = (of.numbers.drain(), std::mem::take(&mut of.calls));
            of.free.clear();
            for (_, at) in numbers {
                self.complete(facts, RankId(rank as u32), &calls[at as usize]);
            }
        }
        self.pending = 0;
    }
}

impl Analysis for Completions {
    fn add_batch(&mut self, input: &Input<'_>) {
        self.ranks.resize_with(input.facts.len(), OfRank::default);
        for (of, batch) in self.ranks.iter_mut().zip(&input.batch.ranks) {
            of.numbers.begin(batch.first_row, batch.calls.len());
        }
        for message in &input.batch.messages {
            self.side(input.facts, message.receiver, &message.receive, Some(message.bytes));
            self.side(input.facts, message.sender, &message.send, None);
        }
        if input.batch.is_last || self.pending > PENDING {
            self.flush(input.facts);
        }
    }

    fn conclude(self: Box<Self>, _: &Dimensions, _: &[Vec<CallInfo>], explanation: &mut Explanation) {
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
