//! Experiments of two ranks, for one pair of each distance, while all other ranks sleep.
//!
//! The lower rank of a pair, its leader, decides which place is next and by how many operations, and tells its partner. The time is the leader's:
//! operations have to end with a message to it.

use std::time::Instant;

use mpiscope_machine::Scope;
use mpiscope_mpi::Rank;

use crate::error::BenchError;
use crate::rounds::{END, Order, Together, VERIFY};
use crate::schedule::{Batch, Place, Schedule};
use crate::session::Session;

/// This rank's end of a pair.
#[derive(Clone, Copy)]
pub struct End {
    pub own: Rank,
    pub peer: Rank,
    pub is_leader: bool,
    pub scope: Scope,
}

/// Measures all places with each pair. Every rank calls it with the same places. `make` makes what an end does; both ends of a pair call it, and may
/// exchange messages.
pub fn pairwise<'a, W: Together>(
    session: &mut Session<'a>,
    places: &[Place],
    make: &mut dyn FnMut(&mut Session<'a>, End) -> Result<W, BenchError>,
) -> Result<(), BenchError> {
    let budget = session.budget / session.pairs.len().max(1) as u32;
    for pair in 0..session.pairs.len() {
        let [leader, partner] = session.pairs[pair].ranks;
        let end = |own, peer| End { own, peer, is_leader: own == leader, scope: Scope::Pair(pair) };
        if session.rank == leader {
            let schedule = session.schedule(places.to_vec(), session.plan.seed ^ pair as u64, Instant::now(), budget);
            let end = end(leader, partner);
            let mut work = make(session, end)?;
            lead(session, end, schedule, &mut work)?;
            session.release(partner)?;
        } else if session.rank == partner {
            let mut work = make(session, end(partner, leader))?;
            follow(session, leader, places.len(), &mut work)?;
        } else {
            session.idle(leader)?;
        }
    }
    Ok(())
}

fn lead(session: &mut Session, end: End, mut schedule: Schedule, work: &mut impl Together) -> Result<(), BenchError> {
    let mpi = session.mpi;
    let measure = |at: usize, operations: u64, work: &mut dyn Together| -> Result<Batch, BenchError> {
        Order { at: at as u64, operations }.send(mpi, end.peer)?;
        let time = work.batch(at, operations)?.unwrap_or_default();
        // A time of 0 has no logarithm and no rate.
        let time_ns = (time.as_nanos() as f64 / operations.max(1) as f64).max(1e-3);
        Ok(Batch { operations, time_ns, ranks_ns: None })
    };
    while let Some(at) = schedule.next() {
        let count = match schedule.operations(at) {
            Some(count) => count,
            None => {
                Order { at: at as u64, operations: VERIFY }.send(mpi, end.peer)?;
                work.verify(at)?;
                schedule.calibrate(at, |count| measure(at, count, work).map(|batch| (count, batch.time_ns)))?
            }
        };
        let batch = measure(at, count, work)?;
        schedule.sample(session, end.scope, at, &batch)?;
    }
    Order { at: END, operations: 1 }.send(mpi, end.peer)
}

fn follow(session: &mut Session, leader: Rank, places: usize, work: &mut impl Together) -> Result<(), BenchError> {
    loop {
        let Order { at, operations } = Order::receive(session.mpi, leader)?;
        match (at, operations) {
            (END, _) => return Ok(()),
            _ if at >= places as u64 => return Err(BenchError::Protocol { rank: leader }),
            (_, VERIFY) => work.verify(at as usize)?,
            _ => {
                work.batch(at as usize, operations)?;
            }
        }
    }
}
