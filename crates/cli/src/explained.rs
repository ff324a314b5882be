//! The explanation of a run, with progress.

use std::ops::ControlFlow;

use mpiscope_analysis::Explanation;
use mpiscope_query::QueryError;
use mpiscope_run::{Diagnostic, Resolver, Run};

use crate::progress::Progress;

/// Explains `run`; the second value says what stood in the way.
pub fn explain(run: &Run, resolver: &Resolver) -> Result<(Explanation, Vec<Diagnostic>), QueryError> {
    let mut progress = Progress::new("reading events");
    let explained = mpiscope_query::explain(run, resolver, &mut |done, all| {
        progress.at(done, all);
        ControlFlow::Continue(())
    });
    progress.done();
    explained
}
