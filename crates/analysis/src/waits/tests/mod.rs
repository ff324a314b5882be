//! Runs small enough to compute their waits by hand.

mod collectives;
mod messages;
pub(crate) mod properties;
mod windows;

use mpiscope_ingest::testing::ingested;

use super::Waits;
use crate::analysis::Input;
use crate::explain::Explainer;
use crate::explanation::Explanation;

/// Waits of a run: kind, rank, begin and end in µs, rank of the cause.
fn waits(text: &str) -> Vec<(&'static str, u32, u64, u64, Option<u32>)> {
    let run = ingested(text);
    let mut waits = Waits::default();
    let mut found = Vec::new();
    for batch in &run.batches {
        found.extend(waits.detect(&Input::without_waits(&run.dimensions, &run.facts, batch)));
    }
    let row = |w: &crate::Wait| (w.kind.id(), w.rank.0, w.start_ns / 1000, w.end_ns / 1000, w.cause.map(|c| c.rank.0));
    found.iter().map(row).collect()
}

fn explained(text: &str) -> Explanation {
    let run = ingested(text);
    let mut explainer = Explainer::new(&run.dimensions);
    run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
    explainer.finish(&run.dimensions, &run.facts)
}
