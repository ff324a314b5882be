//! When each call of the run begins and ends under changes, and what becomes of it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mpiscope_abi::role::Role;
use mpiscope_model::simulation::{Calls, Network, Part, Section, Simulation, Step, Watch};
use mpiscope_store::CallInfo;

use crate::apply::{Applied, ApplyError, Run, WAIT};
use crate::change::Change;
use crate::joined::{Carries, Fate, Joined, begun};

/// What a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A call of the recorded run.
    Call {
        /// Its row.
        row: u64,
        /// It comes before calls that it came after.
        is_early: bool,
        /// What of it is not as it was.
        becomes: Becomes,
    },
    /// A wait that the recorded run does not have.
    Wait,
    /// Nothing more: its last moment.
    End,
}

/// What a call of the recorded run becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// It stays as it was.
    Same,
    /// It only begins what it did; the next [`What::Wait`] completes it.
    Apart,
    /// It sends or receives something else.
    Carrying(Carries),
    /// It waits for what the calls with these rows waited for, too.
    WaitForAll(Vec<u64>),
    /// It does not occur: the call with this row does what it did.
    Gone(u64),
}

/// What a rank does, and when, ns since the origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happens {
    /// What.
    pub what: What,
    /// From when on.
    pub start_ns: u64,
    /// Until when.
    pub end_ns: u64,
}

/// The run under changes, as it goes on.
pub struct Schedule<'a> {
    run: Run<'a>,
    changes: String,
    applied: Applied,
    simulation: Simulation,
    /// By rank: what the simulation has not come to, in order.
    planned: Vec<VecDeque<Planned>>,
    /// By rank: what it has come to, but of which not all is known.
    unsettled: Vec<VecDeque<(Planned, u64, u64)>>,
    /// With messages that are aggregated.
    joined: Option<Joined>,
}

/// What a rank does, with what is needed to know what becomes of it.
struct Planned {
    what: What,
    step: Step,
    /// Only where messages are aggregated.
    begun: Vec<Part>,
}

/// Puts down when what is planned happens.
struct Record<'a> {
    planned: &'a mut [VecDeque<Planned>],
    out: &'a mut [VecDeque<(Planned, u64, u64)>],
}

impl Watch for Record<'_> {
    fn step(&mut self, rank: u32, _: &Step, start_ns: u64, end_ns: u64) {
        let at = rank as usize;
        if let (Some(planned), Some(out)) = (self.planned.get_mut(at), self.out.get_mut(at))
            && let Some(planned) = planned.pop_front()
        {
            out.push_back((planned, start_ns, end_ns));
        }
    }
}

impl<'a> Schedule<'a> {
    /// The run under these changes.
    ///
    /// # Errors
    ///
    /// If the run has nothing that a change names, it cannot be done there, or no run can have its calls.
    pub fn new(run: Run<'a>, network: &Network, changes: &[Change]) -> Result<Schedule<'a>, ApplyError> {
        cannot_be_written(changes)?;
        let applied = Applied::new(changes, network, run)?;
        let simulation = Simulation::new(applied.network.clone(), &run.recorded.starts_ns);
        let is_joined = changes.iter().any(|change| matches!(change, Change::Aggregated(_)));
        let changes = changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let ranks = run.facts.len();
        let planned = (0..ranks).map(|_| VecDeque::new()).collect();
        let unsettled = (0..ranks).map(|_| VecDeque::new()).collect();
        let joined = is_joined.then(Joined::default);
        Ok(Schedule { run, changes, applied, simulation, planned, unsettled, joined })
    }

    /// Whether calls of a rank with these facts are left out.
    pub fn without(&self, rank: usize) -> &[bool] {
        self.applied.without(rank)
    }

    /// Whether several messages become one.
    pub fn joins_messages(&self) -> bool {
        self.joined.is_some()
    }

    /// Takes the next section of the recorded program, and adds to `out` what each rank does, as far as is known.
    ///
    /// # Errors
    ///
    /// If no call of MPI does what a call would have to do.
    pub fn add(&mut self, section: &Arc<Section>, out: &mut [Vec<Happens>]) -> Result<(), ApplyError> {
        let changed = self.applied.section(section);
        for (rank, (calls, planned)) in changed.ranks.iter().zip(&mut self.planned).enumerate() {
            let facts = self.run.facts.get(rank).map_or(&[][..], Vec::as_slice);
            plan((&self.applied, facts), rank, calls, planned, self.joined.as_mut());
        }
        self.simulation.add(&changed, &mut Record { planned: &mut self.planned, out: &mut self.unsettled });
        for (rank, out) in out.iter_mut().enumerate() {
            self.settle(rank, out)?;
        }
        Ok(())
    }

    /// What has become known of what a rank does.
    fn settle(&mut self, rank: usize, out: &mut Vec<Happens>) -> Result<(), ApplyError> {
        let Some(joined) = &mut self.joined else {
            let known = self.unsettled[rank].drain(..);
            out.extend(known.map(|(planned, start_ns, end_ns)| Happens { what: planned.what, start_ns, end_ns }));
            return Ok(());
        };
        let facts = self.run.facts.get(rank).map_or(&[][..], Vec::as_slice);
        while let Some((next, ..)) = self.unsettled[rank].front().filter(|(next, ..)| joined.is_settled(&next.begun)) {
            let later = self.unsettled[rank].iter().skip(1).map(|(later, ..)| later).chain(&self.planned[rank]);
            let later = later.map(|later| (later.step.row, &later.begun[..]));
            let fate = match next.what {
                What::Call { becomes: Becomes::Same | Becomes::Gone(_), .. } => {
                    joined.fate((&next.step, &next.begun), (facts, self.run.dimensions), later)
                }
                _ => Ok(Fate::Stays),
            };
            let fate = fate.map_err(|why| ApplyError::Impossible {
                change: self.changes.clone(),
                why: format!("no call of MPI does what a call of the predicted run would do: {why}"),
            })?;
            let Some((next, start_ns, end_ns)) = self.unsettled[rank].pop_front() else { break };
            let mut happens = |what| out.push(Happens { what, start_ns, end_ns });
            let row = next.step.row;
            match (fate, next.what) {
                (Fate::Carries(base, carries), What::Call { is_early, .. }) => {
                    let becomes = Becomes::Carrying(carries);
                    happens(What::Call { row: base, is_early: is_early || base != row, becomes });
                    if base != row {
                        happens(What::Call { row, is_early, becomes: Becomes::Gone(base) });
                    }
                }
                // It has taken place before, where the first of its messages was received.
                (Fate::Gone(base), What::Call { .. }) if base == row => {}
                (Fate::Gone(base), What::Call { is_early, .. }) => {
                    happens(What::Call { row, is_early, becomes: Becomes::Gone(base) });
                }
                (_, what) => happens(what),
            }
        }
        Ok(())
    }
}

/// Why changes have no predicted run, though there is a prediction.
fn cannot_be_written(changes: &[Change]) -> Result<(), ApplyError> {
    let moves = |change: &Change| {
        use Change::{Aggregated, Arrival, Early, Merged, Reordered};
        matches!(change, Aggregated(_) | Reordered(_) | Arrival(_) | Early(_) | Merged(_))
    };
    let refuse = |change: &Change, why: &str| {
        Err(ApplyError::Impossible { change: change.to_string(), why: format!("it has no predicted run: {why}") })
    };
    let apart = changes.iter().any(|change| matches!(change, Change::NonBlocking(_)));
    for change in changes {
        match change {
            Change::Neighbourhood(_) => {
                return refuse(
                    change,
                    "a neighbourhood operation needs a communicator with a topology, such as MPI_Dist_graph_create_adjacent makes, \
                     and the recorded program has none for these ranks; leave out --output",
                );
            }
            Change::Phased(_) => {
                return refuse(change, "the recorded program has no calls for the phases; leave out --output");
            }
            Change::Split(_) => {
                return refuse(
                    change,
                    "the recorded program has no waits for single messages there; leave out --output",
                );
            }
            _ if moves(change) && apart => {
                return refuse(
                    change,
                    "calls that become non-blocking in the same question would have to move, too; ask one of both, or leave out --output",
                );
            }
            _ => {}
        }
    }
    Ok(())
}

/// What the calls of a rank are, in order.
fn plan(
    (applied, facts): (&Applied, &[CallInfo]),
    rank: usize,
    calls: &Calls,
    planned: &mut VecDeque<Planned>,
    mut joined: Option<&mut Joined>,
) {
    let waits = |step: &Step| facts.get(step.facts as usize).is_some_and(|info| info.role == Role::Complete);
    // Waits that another one takes over, by its row.
    let mut merged: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for step in calls.steps.iter().filter(|step| step.moved_rows != 0 && waits(step)) {
        let to = step.row.wrapping_add_signed(step.moved_rows.into());
        merged.entry(to).or_default().push(step.row);
    }
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
                let becomes = match merged.remove(&step.row) {
                    Some(others) => Becomes::WaitForAll(others),
                    None if step.moved_rows != 0 => Becomes::Gone(step.row.wrapping_add_signed(step.moved_rows.into())),
                    None if is_apart => Becomes::Apart,
                    None => Becomes::Same,
                };
                What::Call { row: step.row, is_early: step.row > least, becomes }
            }
        };
        if let What::Call { row, .. } = what {
            least = least.min(row);
        }
        let begun = if joined.is_some() { begun(calls, step) } else { Vec::new() };
        found.push(Planned { what, step: *step, begun });
    }
    for next in found.into_iter().rev() {
        if let Some(joined) = &mut joined {
            joined.add(&next.step, &next.begun);
        }
        planned.push_back(next);
    }
}
