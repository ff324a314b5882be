//! The complete report.

use mpiscope_analysis::Explanation;
use mpiscope_run::{Run, Summary};
use serde::Serialize;

use crate::{Checks, MachineProfile};

/// What `mpiscope report --json` prints (schemas/report.schema.json).
#[derive(Serialize)]
pub struct Report {
    /// The counts.
    #[serde(flatten)]
    pub summary: Summary,
    /// Findings of `mpiscope check`; `None` when the run was not checked.
    pub checks: Option<Checks>,
    /// The explanation of the time; `None` when events were not read.
    pub explanation: Option<Explanation>,
    /// The machine profile beside it; `None` if there is none, or events were not read.
    pub machine_profile: Option<MachineProfile>,
}

impl Report {
    /// Includes the findings of a check of the run; an error in their file becomes a note of the summary.
    pub fn new(run: &Run, mut summary: Summary, explanation: Option<Explanation>) -> Report {
        let checks = Checks::of_run(run).unwrap_or_else(|problem| {
            summary.add_problems(vec![problem]);
            None
        });
        let unreadable = explanation.iter().flat_map(|e| &e.scope.unreadable).map(|row| row.events);
        summary.losses.events_unreadable = unreadable.fold(0, u64::saturating_add);
        let rings = explanation.iter().flat_map(|e| &e.scope.unreadable).count() as u64;
        summary.losses.damaged_parts = summary.losses.damaged_parts.max(rings);
        Report { summary, checks, explanation, machine_profile: None }
    }
}
