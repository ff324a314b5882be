//! Iterations, phases, patterns of communication, outliers.

mod chain;
mod graph;
mod grid;
mod idle;
mod iterations;
mod marks;
mod master;
mod meetings;
mod outliers;
mod pattern;
mod phases;
mod placement;
mod robust;
mod rules;
mod sequence;
#[cfg(test)]
mod tests;
mod tokens;
mod worth;

use mpiscope_abi::role::Role;
use mpiscope_store::{Dimensions, Facts};
use rayon::prelude::*;

pub use grid::Grid;
pub(crate) use iterations::Windows;
pub use iterations::{IterationOutlier, Iterations, OtherLoop, WarmUp};
pub use meetings::Synchronisation;
pub(crate) use phases::InPhases;
pub use phases::Phase;
pub use rules::RULES;
pub(crate) use worth::share_of;

use crate::explain::{Analysis, Explanation, Input, Scope};
use chain::Chains;
use graph::Graph;
use iterations::Loop;
use master::Causes;
use meetings::Meetings;
use outliers::Scene;
use sequence::Sequence;
use tokens::Tables;

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
    causes: Causes,
    chains: Chains,
}

impl Structure {
    /// Before the first batch.
    pub fn new(scope: &Scope) -> Structure {
        Structure { chains: Chains::new(scope), ..Structure::default() }
    }

    fn begin(&mut self, input: &Input<'_>) {
        let tables = Tables::new(input.facts);
        let most_starts = (STARTS / (4 * input.facts.len().max(1))).clamp(64, 4096);
        let ranks = tables.ranks.iter().zip(&input.dimensions.ranks).enumerate();
        let every = input.facts.len().div_ceil(SAMPLED).max(1);
        self.sequences = ranks
            .map(|(rank, (alphabet, row))| {
                let mut sequence =
                    Sequence::new(alphabet.meanings.len(), row.rows_from_ns, most_starts, rank % every == 0);
                // Behind the last row of another rank turns cannot be compared.
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
    /// Beginnings of turns on a rank in a stretch of time that has been taken: of any loop, as it is not known yet
    /// which is the main one, and only of so many turns as are kept of each.
    pub(crate) fn turns_between(&self, rank: usize, from_ns: u64, until_ns: u64, found: &mut Vec<u64>) {
        match self.sequences.get(rank) {
            Some(sequence) => sequence.turns_between(from_ns, until_ns, found),
            None => found.clear(),
        }
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
            let calls = &batch.calls[..batch.calls.partition_point(|call| call.end_ns <= sequence.until_ns)];
            sequence.take(alphabet, calls, batch.first_row, thread);
        });
        for message in &input.batch.messages {
            self.graph.take(message);
            self.meetings.message(message, tables);
        }
        self.meetings.take(input.batch, tables);
        for wait in input.waits {
            if let Some(sequence) = self.sequences.get_mut(wait.rank.0 as usize) {
                sequence.waited(wait.row, wait.ns());
            }
        }
        self.causes.take(input.waits);
        self.chains.take(input.waits, input.batch);
    }

    fn finish(mut self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<Facts>], explanation: &mut Explanation) {
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
        explanation.grid = grid::find(&neighbors, dimensions);
        let (all, near) = (self.meetings.all_to_all_bytes, self.meetings.neighbor_bytes);
        explanation.pattern = if all > self.graph.bytes.max(near) {
            Some("alltoall")
        } else if near > self.graph.bytes {
            Some("halo")
        } else {
            pattern::of_messages(&neighbors, explanation.grid.as_ref())
        };
        explanation.synchronisation = self.meetings.finish(found.as_ref(), &self.sequences, tables, dimensions);
        caveats(found.as_ref(), dimensions, &self.graph, explanation);
        let scope = explanation.scope.clone();
        let scene = Scene { sequences: &self.sequences, tables, dimensions, main: found.as_ref(), scope: &scope };
        outliers::single(&scene, explanation);
        outliers::warm_up(&scene, explanation);
        outliers::noise(&scene, explanation);
        idle::find(&scene, &self.graph, explanation);
        self.causes.find(&scene, &self.graph, facts, explanation);
        self.chains.find(&scene, facts, explanation);
        placement::advise(&self.graph, dimensions, explanation);
    }
}

/// What could not be known.
fn caveats(main: Option<&Loop<'_>>, dimensions: &Dimensions, graph: &Graph, explanation: &mut Explanation) {
    if let Some(l) = main {
        let (with, all) = (l.turns.len(), dimensions.ranks.len());
        if with < all {
            let without = (0..all).filter(|&r| l.turns_of(r).is_none()).map(|r| dimensions.ranks[r].world_rank);
            explanation.caveats.push(format!(
                "Iterations are those of {with} of {all} ranks; another sequence of calls, or another number of turns: {}.",
                worth::ranks_named(&without.collect::<Vec<_>>())
            ));
        }
        if l.found.is_cut {
            explanation.caveats.push(
                "Events are missing: iterations count from the first that is left on all ranks, to the last."
                    .to_owned(),
            );
        }
    }
    if graph.beyond > 0 {
        explanation.caveats.push(format!(
            "{} messages of ranks with very many partners are not in the pattern of messages.",
            graph.beyond
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
