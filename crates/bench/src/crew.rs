//! Ranks that measure together while all others sleep.

use mpiscope_mpi::{Comm, Rank};

use crate::error::BenchError;
use crate::processors::measuring;
use crate::session::Session;

/// The ranks that take part; rank 0 is one of them.
pub struct Crew<'a> {
    ranks: Vec<Rank>,
    comm: Comm<'a>,
}

impl<'a> Crew<'a> {
    /// All ranks of the job.
    pub fn all(session: &Session<'a>) -> Crew<'a> {
        Crew { ranks: (0..session.size).collect(), comm: session.mpi.world() }
    }

    /// The others, for rank 0.
    pub fn others(&self) -> impl Iterator<Item = Rank> {
        self.ranks.iter().copied().filter(|&rank| rank != 0)
    }

    /// Waits until all that take part have called it.
    pub fn barrier(&self) -> Result<(), BenchError> {
        Ok(self.comm.barrier()?)
    }
}

/// Calls `work` on one rank for each processor, while the others sleep. Every rank calls it.
///
/// A barrier of more ranks than processors takes many time slices if the MPI does not yield: of 16 ranks on two processors, there would be one sample
/// in seconds.
pub fn one_for_each_processor<'a>(
    session: &mut Session<'a>,
    work: impl FnOnce(&mut Session<'a>, &Crew<'a>) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let ranks = measuring(&session.places);
    if ranks.len() == session.places.len() {
        return work(session, &Crew::all(session));
    }
    let takes_part = ranks.contains(&session.rank);
    let comm = session.mpi.world().split(i32::from(takes_part), session.rank)?;
    if takes_part {
        work(session, &Crew { ranks: ranks.clone(), comm })?;
        if session.rank == 0 {
            session.wake_all_but(&ranks)?;
        }
    } else {
        session.idle(0)?;
    }
    Ok(comm.free()?)
}
