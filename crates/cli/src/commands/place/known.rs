//! What is known of who sends what to whom, in all of a run or in one phase.

use std::ops::ControlFlow;

use anyhow::{Context, bail};
use mpiscope_analysis::Explanation;
use mpiscope_place::Named;
use mpiscope_query::{Layout, explain, traffic, transfers_of, why_no_events};
use mpiscope_run::{Resolver, Run};

use super::lockstep::{Lockstep, lockstep};
use super::predicted::MOST_CALLS;
use super::{Args, Weight};
use crate::memory::give_back;
use crate::progress::Progress;

/// The phases of a run, where they are needed.
pub struct Known {
    explanation: Option<Explanation>,
    /// The phase of `--phase`.
    pub phase: Option<String>,
}

impl Known {
    /// Counts what ranks exchange in the run, or in the phase of `--phase`, in the layout.
    pub fn of(run: &Run, args: &Args, layout: &mut Layout, calls: u64) -> anyhow::Result<Known> {
        let resolver = Resolver::default();
        let shows_groups = args.rank.is_none() && args.coordinates.is_empty() && args.shapes.is_none();
        let is_asked = args.phase.is_some() || args.by == Weight::Time;
        let is_explained = is_asked || (shows_groups && calls <= MOST_CALLS);
        let mut progress = Progress::new("reading events");
        let mut watch = |done, all| {
            progress.at(done, all);
            give_back();
            ControlFlow::Continue(())
        };
        let explanation = match is_explained {
            true => Some(explain(run, &resolver, None, &mut watch)?.0),
            false => None,
        };
        let phase = args.phase.map(|number| phase(run, explanation.as_ref(), number)).transpose()?;
        let has_events = explanation.as_ref().is_none_or(has_events);
        if phase.is_none() && (args.by != Weight::Time || !has_events) {
            layout.add(&transfers_of(run, &resolver)?);
        } else {
            let phase = explanation.as_ref().zip(phase.as_ref().map(|(at, _)| *at));
            layout.put_traffic(traffic(run, &resolver, phase, &mut watch)?);
        }
        progress.done();
        Ok(Known { explanation, phase: phase.map(|(at, name)| format!("{} ({name})", at + 1)) })
    }

    /// Ranks in lockstep, and which orders keep them together.
    pub fn lockstep(&self, orders: &[Named]) -> Vec<Lockstep> {
        self.explanation.as_ref().map_or(Vec::new(), |explanation| lockstep(explanation, orders))
    }
}

fn has_events(explanation: &Explanation) -> bool {
    explanation.scope.calls > 0
}

/// The place of a phase, and its name.
fn phase(run: &Run, explanation: Option<&Explanation>, number: u32) -> anyhow::Result<(usize, String)> {
    let explanation = explanation.context("phases need events")?;
    if !has_events(explanation) {
        bail!("--phase needs events: {}", why_no_events(run));
    }
    let phases = &explanation.phases;
    let at = number as usize - 1;
    let Some(found) = phases.get(at) else {
        let names = phases.iter().zip(1..).map(|(phase, number)| format!("{number} {}", phase.name));
        match phases.is_empty() {
            true => bail!("--phase {number}: the run has no loop with phases"),
            false => bail!("--phase {number}: the phases are {}", names.collect::<Vec<_>>().join(", ")),
        }
    };
    Ok((at, found.name.clone()))
}
