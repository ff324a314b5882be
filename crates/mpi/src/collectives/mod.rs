//! Collective operations with elements of `MPI_DOUBLE` and `MPI_SUM`.

mod counts;
mod neighbour_counts;
mod neighbours;
mod nonblocking;
mod nonblocking_counts;

use mpiscope_abi::Family;
use mpiscope_abi::predefined::{DATATYPES, OPS, Predefined};

use crate::calls::calls;
use crate::{Comm, Mpi, MpiError, Rank, done, symbol};
pub use counts::Counts;

calls! {
    CollectiveCalls;
    Bcast(buffer: *mut f64, count: i32, datatype: usize, root: i32, comm: usize);
    Reduce(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, root: i32, comm: usize);
    Allreduce(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Reduce_scatter_block(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Exscan(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Scan(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Gather(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, root: i32, comm: usize);
    Scatter(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, root: i32, comm: usize);
    Allgather(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, comm: usize);
    Alltoall(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, comm: usize);
}

/// The operations of an MPI on a communicator. All its ranks call each of them, with the same lengths.
///
/// All functions panic if a buffer is shorter than what the operation reads or writes on this rank.
pub struct Collectives<'a> {
    of: Comm<'a>,
    calls: CollectiveCalls,
    nonblocking: nonblocking::Calls,
    with_counts: counts::Calls,
    nonblocking_counts: nonblocking_counts::Calls,
    of_neighbours: neighbours::Calls,
    neighbour_counts: neighbour_counts::Calls,
    size: usize,
    rank: Rank,
    double: usize,
    sum: usize,
    comm: usize,
    /// `double` for each rank, as wide as the MPI's handles.
    doubles: Vec<u64>,
}

impl Mpi {
    /// Looks up the collective operations, for the ranks of a communicator.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI lacks one of the functions, `MPI_DOUBLE` or `MPI_SUM`; if the size or the rank cannot be read.
    pub fn collectives<'a>(&'a self, of: Comm<'a>) -> Result<Collectives<'a>, MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let lacks = |name| MpiError::Lacks { name };
        let calls = CollectiveCalls::find(find).map_err(lacks)?;
        let nonblocking = nonblocking::Calls::find(find).map_err(lacks)?;
        let with_counts = counts::Calls::find(find).map_err(lacks)?;
        let nonblocking_counts = nonblocking_counts::Calls::find(find).map_err(lacks)?;
        let of_neighbours = neighbours::Calls::find(find).map_err(lacks)?;
        let neighbour_counts = neighbour_counts::Calls::find(find).map_err(lacks)?;
        let (double, sum) = (self.predefined(&DATATYPES, "MPI_DOUBLE")?, self.predefined(&OPS, "MPI_SUM")?);
        let (size, rank) = (of.size()? as usize, of.rank()?);
        let (comm, doubles) = (of.handle(), self.handles(&vec![double; size]));
        Ok(Collectives {
            of,
            calls,
            nonblocking,
            with_counts,
            nonblocking_counts,
            of_neighbours,
            neighbour_counts,
            size,
            rank,
            double,
            sum,
            comm,
            doubles,
        })
    }

    /// Handles as an array of the MPI's width.
    pub(crate) fn handles(&self, handles: &[usize]) -> Vec<u64> {
        match self.constants.int_handles {
            false => handles.iter().map(|&handle| handle as u64).collect(),
            true => {
                let pair = |pair: &[usize]| pair.iter().rev().fold(0, |word, &handle| word << 32 | handle as u64);
                handles.chunks(2).map(pair).collect()
            }
        }
    }

    pub(crate) fn predefined(&self, all: &[Predefined], name: &'static str) -> Result<usize, MpiError> {
        let lacks = MpiError::Lacks { name };
        let Some(found) = all.iter().find(|known| known.name == name) else { return Err(lacks) };
        match self.constants.family {
            Family::Mpich => Ok(found.mpich as usize),
            Family::Standard => Ok(found.standard as usize),
            Family::OpenMpi => symbol(libc::RTLD_DEFAULT, found.open_mpi).ok_or(lacks),
        }
    }
}

impl Collectives<'_> {
    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Rank of this process in the communicator.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Barrier` returns an error code.
    pub fn barrier(&self) -> Result<(), MpiError> {
        self.of.barrier()
    }

    /// Copies the root's data to all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Bcast` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn bcast(&self, data: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let count = count(data.len())?;
        // SAFETY: the buffer has that many elements.
        let code = unsafe { (self.calls.Bcast)(data.as_mut_ptr(), count, self.double, root, self.comm) };
        done("MPI_Bcast", code)
    }

    /// Sums over the ranks, element by element, on the root; elsewhere `into` is not changed.
    ///
    /// # Errors
    ///
    /// If `MPI_Reduce` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn reduce(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: both buffers have that many elements, and are distinct.
        let code = unsafe { (self.calls.Reduce)(out, into, count, self.double, self.sum, root, self.comm) };
        done("MPI_Reduce", code)
    }

    /// Sums over the ranks, element by element, on all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Allreduce` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn allreduce(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for `reduce`.
        let code = unsafe { (self.calls.Allreduce)(out, into, count, self.double, self.sum, self.comm) };
        done("MPI_Allreduce", code)
    }

    /// Sums over the ranks up to and including this one (inclusive scan), element by element.
    ///
    /// # Errors
    ///
    /// If `MPI_Scan` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn scan(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for `reduce`.
        let code = unsafe { (self.calls.Scan)(out, into, count, self.double, self.sum, self.comm) };
        done("MPI_Scan", code)
    }

    /// Sums over the ranks before this one (exclusive scan), element by element; on rank 0, nothing that is known.
    ///
    /// # Errors
    ///
    /// If `MPI_Exscan` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn exscan(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.sum_of(from, into)?;
        // SAFETY: as for `reduce`.
        let code = unsafe { (self.calls.Exscan)(out, into, count, self.double, self.sum, self.comm) };
        done("MPI_Exscan", code)
    }

    /// Sums over the ranks; each rank receives its own block of the sums, as long as `into`.
    ///
    /// # Errors
    ///
    /// If `MPI_Reduce_scatter_block` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn reduce_scatter_block(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, count) = self.block_of(from, into)?;
        // SAFETY: there is a block for each rank, and the buffers are distinct.
        let code = unsafe { (self.calls.Reduce_scatter_block)(out, into, count, self.double, self.sum, self.comm) };
        done("MPI_Reduce_scatter_block", code)
    }

    /// Collects a block of each rank on the root; elsewhere `into` is not changed.
    ///
    /// # Errors
    ///
    /// If `MPI_Gather` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn gather(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.blocks_of(from, into)?, self.double);
        // SAFETY: there is room for a block of each rank, and the buffers are distinct.
        let code = unsafe { (self.calls.Gather)(out, count, double, into, count, double, root, self.comm) };
        done("MPI_Gather", code)
    }

    /// Collects a block of each rank, in the order of the ranks, on all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Allgather` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn allgather(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.blocks_of(from, into)?, self.double);
        // SAFETY: as for `gather`.
        let code = unsafe { (self.calls.Allgather)(out, count, double, into, count, double, self.comm) };
        done("MPI_Allgather", code)
    }

    /// Sends each rank its block of the root's data, as long as `into`.
    ///
    /// # Errors
    ///
    /// If `MPI_Scatter` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn scatter(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.block_of(from, into)?, self.double);
        // SAFETY: there is a block for each rank, and the buffers are distinct.
        let code = unsafe { (self.calls.Scatter)(out, count, double, into, count, double, root, self.comm) };
        done("MPI_Scatter", code)
    }

    /// Sends a block of `block` elements to each rank, and receives one from each.
    ///
    /// # Errors
    ///
    /// If `MPI_Alltoall` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn alltoall(&self, block: usize, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.exchange_of(block, from, into)?, self.double);
        // SAFETY: there is a block for each rank in both buffers, which are distinct.
        let code = unsafe { (self.calls.Alltoall)(out, count, double, into, count, double, self.comm) };
        done("MPI_Alltoall", code)
    }

    /// The addresses and the number of elements of a sum.
    fn sum_of(&self, from: &[f64], into: &mut [f64]) -> Result<(*const f64, *mut f64, i32), MpiError> {
        assert!(into.len() >= from.len());
        Ok((from.as_ptr(), into.as_mut_ptr(), count(from.len())?))
    }

    /// The same of an operation in which each rank receives its block, as long as `into`.
    fn block_of(&self, from: &[f64], into: &mut [f64]) -> Result<(*const f64, *mut f64, i32), MpiError> {
        assert!(from.len() >= into.len() * self.size);
        Ok((from.as_ptr(), into.as_mut_ptr(), count(into.len())?))
    }

    /// The same of an operation that collects a block of each rank, as long as `from`.
    fn blocks_of(&self, from: &[f64], into: &mut [f64]) -> Result<(*const f64, *mut f64, i32), MpiError> {
        assert!(into.len() >= from.len() * self.size);
        Ok((from.as_ptr(), into.as_mut_ptr(), count(from.len())?))
    }

    /// The same of an exchange of blocks.
    fn exchange_of(
        &self,
        block: usize,
        from: &[f64],
        into: &mut [f64],
    ) -> Result<(*const f64, *mut f64, i32), MpiError> {
        assert!(from.len().min(into.len()) >= block * self.size);
        Ok((from.as_ptr(), into.as_mut_ptr(), count(block)?))
    }
}

fn count(elements: usize) -> Result<i32, MpiError> {
    i32::try_from(elements).map_err(|_| MpiError::TooLong { bytes: elements.saturating_mul(8) })
}
