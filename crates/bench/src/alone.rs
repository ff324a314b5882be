//! Experiments in which each rank measures alone, without MPI: memory, noise of the system.

use std::time::{Duration, Instant};

use mpiscope_machine::Scope;
use mpiscope_mpi::Rank;

use crate::error::BenchError;
use crate::schedule::{Batch, Place};
use crate::session::Session;

/// Which ranks measure at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// One rank measures, all others sleep.
    OneAfterAnother,
    /// All these ranks measure until the budget ends, so that each of them has the same load beside it; the others sleep.
    AtOnce,
}

/// Measures all places on each of `ranks`. Every rank calls it with the same arguments. `batch(place, operations)` makes this
/// many operations at a place (an index) and returns their time. The samples belong to [`Scope::Rank`].
pub fn alone(
    session: &mut Session,
    ranks: &[Rank],
    turns: Turns,
    places: &[Place],
    batch: &mut dyn FnMut(usize, u64) -> Result<Duration, BenchError>,
) -> Result<(), BenchError> {
    let is_measuring = ranks.contains(&session.rank);
    if turns == Turns::AtOnce {
        session.mpi.barrier()?;
        if is_measuring {
            measure(session, turns, session.budget, places, batch)?;
        }
    }
    for &leader in ranks {
        if session.rank != leader {
            session.idle(leader)?;
            continue;
        }
        if turns == Turns::OneAfterAnother {
            measure(session, turns, session.budget / ranks.len() as u32, places, batch)?;
        }
        session.release(leader)?;
    }
    Ok(())
}

fn measure(
    session: &mut Session,
    turns: Turns,
    budget: Duration,
    places: &[Place],
    batch: &mut dyn FnMut(usize, u64) -> Result<Duration, BenchError>,
) -> Result<(), BenchError> {
    let seed = session.plan.seed ^ session.rank as u64;
    let schedule = session.schedule(places.to_vec(), seed, Instant::now(), budget);
    let mut schedule = if turns == Turns::AtOnce { schedule.endless() } else { schedule };
    let mut time = |at: usize, count: u64| Ok((count, batch(at, count)?.as_nanos() as f64 / count.max(1) as f64));
    while let Some(at) = schedule.next() {
        let count = match schedule.operations(at) {
            Some(count) => count,
            None => schedule.calibrate(at, |count| time(at, count))?,
        };
        let (operations, time_ns) = time(at, count)?;
        // A time of 0 has no logarithm and no rate.
        let batch = Batch { operations, time_ns: time_ns.max(1e-3), ranks_ns: None };
        schedule.sample(session, Scope::Rank(session.rank), at, &batch)?;
    }
    Ok(())
}
