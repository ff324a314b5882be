//! The explanation of a run, with progress.

use std::ops::ControlFlow;

use mpiscope_analysis::Explanation;
use mpiscope_analysis::attainable::Reference;
use mpiscope_query::{Gains, QueryError};
use mpiscope_run::{Diagnostic, Resolver, Run};

use crate::memory::give_back;
use crate::progress::Progress;

/// Predicts what the changes gain that the findings of `run` advise.
pub fn add_gains(
    run: &Run,
    resolver: &Resolver,
    explanation: &mut Explanation,
    gains: Gains,
) -> Result<(), QueryError> {
    let mut progress = Progress::new("predicting gains");
    let added = mpiscope_query::add_gains(run, resolver, explanation, gains, &mut |done, all| {
        progress.at(done, all);
        give_back();
        ControlFlow::Continue(())
    });
    progress.done();
    added
}

/// Explains `run`, beside what its machine can do if that is known; the second value lists the problems.
pub fn explain(
    run: &Run,
    resolver: &Resolver,
    reference: Option<Reference>,
) -> Result<(Explanation, Vec<Diagnostic>), QueryError> {
    let mut progress = Progress::new("reading events");
    let mut is_opened = false;
    let explained = mpiscope_query::explain(run, resolver, reference, &mut |done, all| {
        progress.at(done, all);
        // The batches do not need the memory that opening used, and the conclusions do not need that of the batches.
        if !std::mem::replace(&mut is_opened, true) || done == all {
            give_back();
        }
        ControlFlow::Continue(())
    });
    progress.done();
    explained
}
