//! Iterations, phases, patterns of communication, outliers.

mod chain;
mod fill;
mod graph;
mod grid;
mod idle;
mod iterations;
mod lockstep;
mod marks;
mod master;
mod meetings;
mod nest;
mod outliers;
mod pattern;
mod phases;
mod placement;
mod registry;
mod robust;
mod sequence;
mod step;
mod sweep;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_loops;
mod thresholds;
mod tokens;

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, Dimensions};
use rayon::prelude::*;

pub use registry::rules;

pub use crate::explanation::structure::{
    Grid, IterationOutlier, Iterations, NestedLoop, OtherLoop, PatternDetails, Phase, Range, Synchronisation, WarmUp,
};

use crate::analysis::{Analysis, Input};
use crate::explanation::{Explanation, Scope};
use chain::Chains;
use graph::Graph;
use iterations::Loop;
use master::Causes;
use meetings::Meetings;
use nest::Rank;
use registry::Context;
use sequence::Sequence;
use tokens::Tables;

/// Calls of which is kept when they were, of all ranks together; and the fewest and the most of each letter.
const STARTS: usize = 8 << 20;
const LEAST_STARTS: usize = 64;
const MOST_STARTS: usize = 4096;

/// What a run repeats, with whom ranks exchange, what stands out.
#[derive(Default)]
pub struct Structure {
    tables: Option<Tables>,
    sequences: Vec<Sequence>,
    threads: Vec<Option<u16>>,
    graph: Graph,
    meetings: Meetings,
    causes: Causes,
    chains: Chains,
}

impl Structure {
    /// Before the first batch.
    pub fn new(scope: &Scope) -> Structure {
        Structure { chains: Chains::new(scope), ..Structure::default() }
    }

    fn begin(&mut self, input: &Input<'_>) {
        let tables = Tables::new(input.facts, input.dimensions);
        let tracks = |alphabet: &tokens::Alphabet| alphabet.meanings.len() + alphabet.of_functions.len();
        let letters: usize = tables.ranks.iter().map(tracks).sum();
        let most_starts = (STARTS / letters.max(1)).clamp(LEAST_STARTS, MOST_STARTS);
        let ranks = tables.ranks.iter().zip(&input.dimensions.ranks);
        self.sequences = ranks
            .map(|(alphabet, row)| {
                let (letters, functions) = (alphabet.meanings.len(), alphabet.of_functions.len());
                let mut sequence = Sequence::new(letters, functions, row.rows_from_ns, most_starts);
                // Behind the last row of another rank iterations cannot be compared.
                if row.rows_until_ns < row.finalize_start_ns {
                    sequence.until_ns = row.rows_until_ns;
                }
                sequence
            })
            .collect();
        self.graph = Graph::new(input.facts.len());
        self.threads = vec![None; self.sequences.len()];
        self.tables = Some(tables);
    }
}

impl Structure {
    /// Beginnings of iterations on a rank in a stretch of time that has been taken: of any loop, as it is not known yet
    /// which is the main one, and only of so many iterations as are kept of each.
    pub(crate) fn turns_between(&self, rank: usize, from_ns: u64, until_ns: u64, found: &mut Vec<u64>) {
        match self.sequences.get(rank) {
            Some(sequence) => sequence.turns_between(from_ns, until_ns, found),
            None => found.clear(),
        }
    }
}

impl Analysis for Structure {
    fn add_batch(&mut self, input: &Input<'_>) {
        if self.tables.is_none() {
            self.begin(input);
        }
        let Some(tables) = &self.tables else { return };
        let ranks = self.sequences.par_iter_mut().zip(&mut self.threads).zip(&tables.ranks).zip(&input.batch.ranks);
        ranks.filter(|(_, batch)| !batch.calls.is_empty()).for_each(|(((sequence, thread), alphabet), batch)| {
            let thread = *thread.get_or_insert_with(|| busiest_thread(batch));
            let calls = &batch.calls[..batch.calls.partition_point(|call| call.end_ns <= sequence.until_ns)];
            sequence.add_calls(alphabet, calls, batch.first_row, thread);
        });
        for message in &input.batch.messages {
            self.graph.add_message(message);
            self.meetings.message(message, tables);
        }
        self.meetings.add_batch(input.batch, tables);
        for wait in input.waits {
            if let Some(sequence) = self.sequences.get_mut(wait.rank.0 as usize) {
                sequence.waited(wait.row, wait.ns());
            }
        }
        self.causes.add_waits(input.waits);
        self.chains.add_waits(input.waits, input.batch);
    }

    fn conclude(mut self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation) {
        let Some(tables) = &self.tables else { return };
        let found = iterations::find(&self.sequences, tables, dimensions);
        if let Some(found) = &found {
            (explanation.phases, explanation.in_phases) =
                phases::find(found, &self.sequences, tables, dimensions, facts);
            explanation.iterations = Some(found.found.clone());
            explanation.sites_in_loop = iterations::sites_in_loop(found, &self.sequences, tables, dimensions);
        }
        for (rank, (sequence, alphabet)) in self.sequences.iter().zip(&tables.ranks).enumerate() {
            let letters = sequence.letters.iter().zip(&alphabet.meanings);
            for (letter, meaning) in letters.filter(|(l, m)| l.count > 0 && m.role == Role::Access && m.peer.is_some())
            {
                self.graph.accesses(rank, meaning.peer.0, letter.count.into());
            }
        }
        let neighbors = self.graph.regular(found.as_ref().map_or(0, |f| f.found.count));
        explanation.grid = grid::find(&neighbors, &self.meetings.comms(), dimensions);
        lockstep::name(&mut explanation.phases, explanation.grid.as_ref(), dimensions);
        let (all, near) = (self.meetings.all_to_all_bytes, self.meetings.neighbor_bytes);
        (explanation.pattern, explanation.pattern_details) = if all > self.graph.bytes.max(near) {
            let is_part = self.meetings.transposed_bytes > all / 2;
            (Some(if is_part { "transpose" } else { "alltoall" }), None)
        } else if near > self.graph.bytes {
            (Some("halo"), None)
        } else {
            let ranks = found.iter().flat_map(|l| &l.turns).map(|t| {
                let row = &dimensions.ranks[t.rank];
                let (sequence, alphabet) = (&self.sequences[t.rank], &tables.ranks[t.rank]);
                (Rank { sequence, alphabet, tables, row, ranks: dimensions.ranks.len() as u64 }, t.rank, &t.level)
            });
            let ranks: Vec<_> = ranks.collect();
            let grid = explanation.grid.as_ref();
            let sweep = grid.filter(|g| g.dims.len() > 1).and_then(|grid| sweep::direction(&ranks, grid));
            pattern::of_messages(&neighbors, &self.graph, tables.most_sizes(), grid, sweep).unzip()
        };
        explanation.synchronisation = self.meetings.per_iteration(found.as_ref(), &self.sequences, tables, dimensions);
        caveats(found.as_ref(), dimensions, &self.graph, explanation);
        let scope = explanation.scope.clone();
        let context = Context {
            sequences: &self.sequences,
            tables,
            dimensions,
            facts,
            main: found.as_ref(),
            graph: &self.graph,
            causes: &self.causes,
            chains: &self.chains,
            scope: &scope,
        };
        registry::find(&context, explanation);
    }
}

/// What could not be determined.
fn caveats(main: Option<&Loop>, dimensions: &Dimensions, graph: &Graph, explanation: &mut Explanation) {
    if let Some(l) = main {
        let (with, all) = (l.turns.len(), dimensions.ranks.len());
        if with < all {
            let without = (0..all).filter(|&r| l.turns_of(r).is_none()).map(|r| dimensions.ranks[r].world_rank);
            explanation.caveats.push(format!(
                "Iterations are those of {with} of {all} ranks; other ranks make different calls or a different number of \
                 iterations: {}.",
                thresholds::ranks_named(&without.collect::<Vec<_>>())
            ));
        }
        if l.found.is_cut {
            explanation.caveats.push(
                "Events are missing: iterations are counted from the first to the last one that all ranks have in the record."
                    .to_owned(),
            );
        }
    }
    if graph.beyond > 0 {
        explanation.caveats.push(format!(
            "{} messages of ranks with very many partners are not part of the communication pattern.",
            mpiscope_units::count(graph.beyond)
        ));
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
