//! Iterations, phases, patterns of communication, outliers.

mod graph;
mod grid;
mod iterations;
mod meetings;
mod pattern;
mod phases;
mod robust;
mod sequence;
mod tokens;

use mpiscope_store::{Dimensions, Facts};
use rayon::prelude::*;

pub use grid::Grid;
pub use iterations::{IterationOutlier, Iterations, OtherLoop, WarmUp};
pub use meetings::Synchronisation;
pub use phases::Phase;

use crate::explain::{Analysis, Explanation, Input};
use crate::rules::Rule;
use graph::Graph;
use meetings::Meetings;
use sequence::Sequence;
use tokens::Tables;

/// Rules of this part.
pub const RULES: &[Rule] = &[];

/// Beginnings of turns kept for all ranks and loops together.
const STARTS: usize = 4 << 20;
/// Ranks of which some turns are looked at closely.
const SAMPLED: usize = 256;

/// What a run repeats, with whom ranks exchange, what stands out.
#[derive(Default)]
pub struct Structure {
    tables: Option<Tables>,
    sequences: Vec<Sequence>,
    threads: Vec<Option<u16>>,
    graph: Graph,
    meetings: Meetings,
}

impl Structure {
    fn begin(&mut self, input: &Input<'_>) {
        let tables = Tables::new(input.facts);
        let most_starts = (STARTS / (4 * input.facts.len().max(1))).clamp(64, 4096);
        let ranks = tables.ranks.iter().zip(&input.dimensions.ranks).enumerate();
        let every = input.facts.len().div_ceil(SAMPLED).max(1);
        self.sequences = ranks
            .map(|(rank, (alphabet, row))| {
                Sequence::new(alphabet.meanings.len(), row.init_end_ns, most_starts, rank % every == 0)
            })
            .collect();
        self.graph = Graph::new(input.facts.len());
        self.threads = vec![None; self.sequences.len()];
        self.tables = Some(tables);
    }
}

impl Analysis for Structure {
    fn take(&mut self, input: &Input<'_>) {
        if self.tables.is_none() {
            self.begin(input);
        }
        let Some(tables) = &self.tables else { return };
        let ranks = self.sequences.par_iter_mut().zip(&mut self.threads).zip(&tables.ranks).zip(&input.batch.ranks);
        ranks.filter(|(_, batch)| !batch.calls.is_empty()).for_each(|(((sequence, thread), alphabet), batch)| {
            let thread = *thread.get_or_insert_with(|| busiest_thread(batch));
            sequence.take(alphabet, &batch.calls, batch.first_row, thread);
        });
        for message in &input.batch.messages {
            self.graph.take(message);
            self.meetings.message(message, tables);
        }
        self.meetings.take(input.batch, tables);
    }

    fn finish(self: Box<Self>, dimensions: &Dimensions, _facts: &[Vec<Facts>], explanation: &mut Explanation) {
        let Some(tables) = &self.tables else { return };
        let found = iterations::find(&self.sequences, tables, dimensions);
        if let Some(found) = &found {
            explanation.phases = phases::find(found, &self.sequences, tables, dimensions);
            explanation.iterations = Some(found.found.clone());
        }
        let neighbors = self.graph.regular(found.as_ref().map_or(0, |f| f.found.count));
        explanation.grid = grid::find(&neighbors, dimensions);
        explanation.pattern = if self.meetings.all_to_all_bytes > self.graph.bytes {
            Some("alltoall")
        } else {
            pattern::of_messages(&neighbors, explanation.grid.as_ref())
        };
        explanation.synchronisation = self.meetings.finish(found.as_ref(), &self.sequences, tables, dimensions);
    }
}

/// The thread whose calls are followed: the one with the most calls in the rank's first stretch.
fn busiest_thread(batch: &mpiscope_store::RankBatch) -> u16 {
    let mut counts: Vec<(usize, u16)> = Vec::new();
    for call in &batch.calls {
        match counts.iter_mut().find(|c| c.1 == call.thread) {
            Some(c) => c.0 += 1,
            None => counts.push((1, call.thread)),
        }
    }
    counts.iter().max_by_key(|c| (c.0, std::cmp::Reverse(c.1))).map_or(0, |c| c.1)
}
