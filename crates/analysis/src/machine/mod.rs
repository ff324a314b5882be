//! The influence of the machine: whether ranks had a core when they were ready to run.
//!
//! `exec` samples processor time from outside ([`mpiscope_store::RankCores`]). Here it is combined with the time outside MPI:
//! computing is split into *running* and *not running* ([`overlap`]), the use of each host is summed up ([`hosts`]), and findings
//! that follow from it become symptoms of the finding that names the host ([`fold`]).
//!
//! # Design constraints
//!
//! * A sample shows how much of an interval a rank ran, but not when in it. How much of the waiting is inside and outside MPI is an
//!   estimate, and always comes with its bounds.
//! * The number of ranks by itself proves nothing: ranks that sleep share a core without loss.

mod disturbed;
mod findings;
mod fold;
mod headline;
mod hosts;
mod overlap;
mod rates;
mod remedy;
mod rules;
#[cfg(test)]
mod tests;

use mpiscope_store::{CallInfo, Dimensions};

pub use rules::RULES;

pub use crate::explanation::machine::{HostUse, Machine, RankUse, Split, Windows};

use crate::causes;
use crate::explanation::Explanation;

/// Share of the rank time that ranks of a host have to wait for a core before anything is concluded from it: daemons, launchers and
/// the sampling itself cost a few percent where every rank has its own core.
const STARVED: f64 = 0.05;

/// Adds the facts about the machine, its findings, and which other findings follow from them.
pub(crate) fn explain(dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation) {
    let Some((ranks, windows)) = overlap::measure(dimensions, &explanation.timelines, &explanation.scope) else {
        return;
    };
    let hosts = hosts::measure(dimensions, &ranks);
    let computing = ranks.iter().map(|rank| rank.computing).sum();
    let mut machine = Machine { headline: None, computing, ranks, hosts, windows };
    let mut found = findings::find(dimensions, &machine, &explanation.scope);
    if let Some(tape) = &explanation.tape {
        for found in found.iter_mut().filter(|f| f.cause.is_some()) {
            let remedy = remedy::with_cores(&found.ranks(&machine), tape, dimensions);
            found.finding.savable_ns = Some(causes::saved_ns(&remedy, tape, facts, &explanation.scope));
        }
    }
    machine.headline = headline::line(&machine, &found, &explanation.scope);
    if found.is_empty() {
        disturbed::leave_out(&machine.ranks, dimensions, &mut explanation.findings);
    }
    fold::completions(&machine, &mut explanation.findings);
    fold::fold(&machine, &found, &mut explanation.findings);
    explanation.findings.extend(found.into_iter().map(|f| f.finding));
    explanation.machine = Some(machine);
}
