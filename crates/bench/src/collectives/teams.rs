//! The first 2, 4, 8, … ranks, which make the operations that programs use most: how their time grows with the number of ranks.

use mpiscope_mpi::{Comm, Mpi, MpiError};

use super::job::Job;
use super::operation::Operation;

/// Whether it is measured for each number.
pub fn is_measured(operation: Operation) -> bool {
    use Operation::{Allgather, Allreduce, Alltoall, Barrier, Bcast, Reduce};
    matches!(operation, Barrier | Bcast | Reduce | Allreduce | Allgather | Alltoall)
}

/// The name of an operation's series on so many ranks.
pub fn series(operation: Operation, ranks: usize) -> String {
    format!("{}/ranks-{ranks}", operation.name())
}

/// All ranks, and the first ones.
pub struct Teams<'a> {
    all: Job<'a>,
    /// `None` if this rank is not among them.
    first: Vec<Option<Job<'a>>>,
    /// Of `first`, and of the other ranks.
    comms: Vec<Comm<'a>>,
}

impl<'a> Teams<'a> {
    /// Collective; every rank calls it with the same numbers.
    pub fn new(mpi: &'a Mpi, numbers: &[usize]) -> Result<Teams<'a>, MpiError> {
        let all = Job::new(mpi, mpi.world())?;
        let rank = all.calls.rank();
        let (mut first, mut comms) = (Vec::new(), Vec::new());
        for &ranks in numbers {
            let is_in = (rank as usize) < ranks;
            let comm = mpi.world().split(i32::from(is_in), rank)?;
            first.push(if is_in { Some(Job::new(mpi, comm)?) } else { None });
            comms.push(comm);
        }
        Ok(Teams { all, first, comms })
    }

    /// The job of the first ranks, if they are so many and this one is among them.
    pub fn of(&self, ranks: usize) -> Option<&Job<'a>> {
        let mut jobs = std::iter::once(&self.all).chain(self.first.iter().flatten());
        jobs.find(|job| job.calls.size() == ranks)
    }

    /// Collective.
    pub fn free(self) -> Result<(), MpiError> {
        self.first.into_iter().flatten().try_for_each(Job::free)?;
        self.all.free()?;
        self.comms.into_iter().try_for_each(Comm::free)
    }
}
