//! When each call of the run begins and ends under changes.

use std::collections::VecDeque;
use std::sync::Arc;

use mpiscope_model::simulation::{Calls, Network, Part, Section, Simulation, Step, Watch};

use crate::apply::{Applied, ApplyError, Run, WAIT};
use crate::change::Change;

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A call of the recorded run.
    Call {
        /// Its row.
        row: u64,
        /// It comes before calls that it came after.
        is_early: bool,
        /// It only begins what it did; the next [`What::Wait`] completes it.
        is_apart: bool,
    },
    /// A wait that the recorded run does not have.
    Wait,
    /// Nothing more: its last moment.
    End,
}

/// What a rank does, and when, ns since the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happens {
    /// What.
    pub what: What,
    /// From when on.
    pub start_ns: u64,
    /// Until when.
    pub end_ns: u64,
}

/// The run under changes, as it goes on.
pub struct Schedule {
    applied: Applied,
    simulation: Simulation,
    /// By rank: what the simulation has not come to, in order.
    planned: Vec<VecDeque<What>>,
}

/// Puts down when what is planned happens.
struct Record<'a> {
    planned: &'a mut [VecDeque<What>],
    out: &'a mut [Vec<Happens>],
}

impl Watch for Record<'_> {
    fn step(&mut self, rank: u32, _: &Step, start_ns: u64, end_ns: u64) {
        let at = rank as usize;
        if let (Some(planned), Some(out)) = (self.planned.get_mut(at), self.out.get_mut(at))
            && let Some(what) = planned.pop_front()
        {
            out.push(Happens { what, start_ns, end_ns });
        }
    }
}

impl Schedule {
    /// The run under these changes.
    ///
    /// # Errors
    ///
    /// If the run has nothing that a change names, it cannot be done there, or its calls have other arguments than those of the run.
    pub fn new(run: Run<'_>, network: &Network, changes: &[Change]) -> Result<Schedule, ApplyError> {
        if let Some(change) = changes.iter().find(|change| has_other_arguments(change)) {
            let why =
                "its calls have other arguments than those that are recorded, so it has no predicted run".to_owned();
            return Err(ApplyError::Impossible { change: change.to_string(), why });
        }
        let applied = Applied::new(changes, network, run)?;
        let simulation = Simulation::new(applied.network.clone(), &run.recorded.starts_ns);
        Ok(Schedule { applied, simulation, planned: vec![VecDeque::new(); run.facts.len()] })
    }

    /// Whether calls of a rank with these facts are left out.
    pub fn without(&self, rank: usize) -> &[bool] {
        self.applied.without(rank)
    }

    /// Takes the next section of the recorded program, and adds to `out` what each rank does, as far as is known.
    pub fn add(&mut self, section: &Arc<Section>, out: &mut [Vec<Happens>]) {
        let changed = self.applied.section(section);
        for (rank, (calls, planned)) in changed.ranks.iter().zip(&mut self.planned).enumerate() {
            plan(&self.applied, rank, calls, planned);
        }
        self.simulation.add(&changed, &mut Record { planned: &mut self.planned, out });
    }
}

/// Whether calls of the changed program have other arguments: what they send, and what they wait for.
fn has_other_arguments(change: &Change) -> bool {
    matches!(change, Change::Aggregated(_) | Change::Reordered(_) | Change::Merged(_) | Change::Neighbourhood(_))
}

/// What the calls of a rank are, in order.
fn plan(applied: &Applied, rank: usize, calls: &Calls, planned: &mut VecDeque<What>) {
    let mut found = Vec::with_capacity(calls.steps.len());
    let mut least = u64::MAX;
    for step in calls.steps.iter().rev() {
        let what = match step {
            Step { row: u64::MAX, .. } => What::End,
            Step { facts: WAIT, .. } => What::Wait,
            _ => {
                // Without messages, it stays as it was.
                let begins = |part: &Part| matches!(part, Part::Send { .. } | Part::Receive { .. });
                let is_apart = applied.is_apart(rank, step.facts) && calls.parts_of(step).iter().any(begins);
                What::Call { row: step.row, is_early: step.row > least, is_apart }
            }
        };
        if let What::Call { row, .. } = what {
            least = least.min(row);
        }
        found.push(what);
    }
    planned.extend(found.into_iter().rev());
}
