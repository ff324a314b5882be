//! Collective operations on `MPI_COMM_WORLD`, with elements of `MPI_DOUBLE` and `MPI_SUM`.

use mpiscope_abi::Family;
use mpiscope_abi::predefined::{DATATYPES, OPS, Predefined};

use crate::calls::calls;
use crate::{Mpi, MpiError, Rank, done, symbol};

calls! {
    CollectiveCalls;
    Bcast(buffer: *mut f64, count: i32, datatype: usize, root: i32, comm: usize);
    Reduce(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, root: i32, comm: usize);
    Allreduce(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Reduce_scatter_block(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Scan(from: *const f64, into: *mut f64, count: i32, datatype: usize, op: usize, comm: usize);
    Gather(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, root: i32, comm: usize);
    Scatter(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, root: i32, comm: usize);
    Allgather(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, comm: usize);
    Alltoall(from: *const f64, out: i32, out_type: usize, into: *mut f64, in_: i32, in_type: usize, comm: usize);
    Alltoallv(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize
    );
}

/// The operations of an MPI. All ranks call each of them, with the same lengths.
///
/// All functions panic if a buffer is shorter than what the operation reads or writes on this rank.
pub struct Collectives<'a> {
    mpi: &'a Mpi,
    calls: CollectiveCalls,
    size: usize,
    rank: Rank,
    double: usize,
    sum: usize,
    comm: usize,
}

impl Mpi {
    /// Looks up the collective operations.
    ///
    /// # Errors
    ///
    /// [`MpiError::Lacks`] if the MPI lacks one of the functions, `MPI_DOUBLE` or `MPI_SUM`; if the size or the rank cannot be read.
    pub fn collectives(&self) -> Result<Collectives<'_>, MpiError> {
        let find = |name: &str| symbol(libc::RTLD_DEFAULT, name);
        let calls = CollectiveCalls::find(find).map_err(|name| MpiError::Lacks { name })?;
        let (double, sum) = (self.predefined(&DATATYPES, "MPI_DOUBLE")?, self.predefined(&OPS, "MPI_SUM")?);
        let (size, rank) = (self.size()? as usize, self.rank()?);
        Ok(Collectives { mpi: self, calls, size, rank, double, sum, comm: self.constants.comm_world })
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

    /// Rank of this process in `MPI_COMM_WORLD`.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Barrier` returns an error code.
    pub fn barrier(&self) -> Result<(), MpiError> {
        self.mpi.barrier()
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
        assert!(into.len() >= from.len());
        let (out, count) = (from.as_ptr(), count(from.len())?);
        // SAFETY: both buffers have that many elements, and are distinct.
        let code =
            unsafe { (self.calls.Reduce)(out, into.as_mut_ptr(), count, self.double, self.sum, root, self.comm) };
        done("MPI_Reduce", code)
    }

    /// Sums over the ranks, element by element, on all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Allreduce` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn allreduce(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        assert!(into.len() >= from.len());
        let (out, count) = (from.as_ptr(), count(from.len())?);
        // SAFETY: as for `reduce`.
        let code = unsafe { (self.calls.Allreduce)(out, into.as_mut_ptr(), count, self.double, self.sum, self.comm) };
        done("MPI_Allreduce", code)
    }

    /// Sums over the ranks up to and including this one (inclusive scan), element by element.
    ///
    /// # Errors
    ///
    /// If `MPI_Scan` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn scan(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        assert!(into.len() >= from.len());
        let (out, count) = (from.as_ptr(), count(from.len())?);
        // SAFETY: as for `reduce`.
        let code = unsafe { (self.calls.Scan)(out, into.as_mut_ptr(), count, self.double, self.sum, self.comm) };
        done("MPI_Scan", code)
    }

    /// Sums over the ranks; each rank receives its own block of the sums, as long as `into`.
    ///
    /// # Errors
    ///
    /// If `MPI_Reduce_scatter_block` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn reduce_scatter_block(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        assert!(from.len() >= into.len() * self.size);
        let (out, count) = (from.as_ptr(), count(into.len())?);
        // SAFETY: there is a block for each rank, and the buffers are distinct.
        let code = unsafe {
            (self.calls.Reduce_scatter_block)(out, into.as_mut_ptr(), count, self.double, self.sum, self.comm)
        };
        done("MPI_Reduce_scatter_block", code)
    }

    /// Collects a block of each rank on the root; elsewhere `into` is not changed.
    ///
    /// # Errors
    ///
    /// If `MPI_Gather` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn gather(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        assert!(into.len() >= from.len() * self.size);
        let (out, count, double) = (from.as_ptr(), count(from.len())?, self.double);
        // SAFETY: there is room for a block of each rank, and the buffers are distinct.
        let code =
            unsafe { (self.calls.Gather)(out, count, double, into.as_mut_ptr(), count, double, root, self.comm) };
        done("MPI_Gather", code)
    }

    /// Collects a block of each rank, in the order of the ranks, on all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Allgather` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn allgather(&self, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        assert!(into.len() >= from.len() * self.size);
        let (out, count, double) = (from.as_ptr(), count(from.len())?, self.double);
        // SAFETY: as for `gather`.
        let code = unsafe { (self.calls.Allgather)(out, count, double, into.as_mut_ptr(), count, double, self.comm) };
        done("MPI_Allgather", code)
    }

    /// Sends each rank its block of the root's data, as long as `into`.
    ///
    /// # Errors
    ///
    /// If `MPI_Scatter` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn scatter(&self, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        assert!(from.len() >= into.len() * self.size);
        let (out, count, double) = (from.as_ptr(), count(into.len())?, self.double);
        // SAFETY: there is a block for each rank, and the buffers are distinct.
        let code =
            unsafe { (self.calls.Scatter)(out, count, double, into.as_mut_ptr(), count, double, root, self.comm) };
        done("MPI_Scatter", code)
    }

    /// Sends a block of `block` elements to each rank, and receives one from each.
    ///
    /// # Errors
    ///
    /// If `MPI_Alltoall` returns an error code, or there are more than 2³¹ − 1 elements.
    pub fn alltoall(&self, block: usize, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        assert!(from.len().min(into.len()) >= block * self.size);
        let (out, count, double) = (from.as_ptr(), count(block)?, self.double);
        // SAFETY: there is a block for each rank in both buffers, which are distinct.
        let code = unsafe { (self.calls.Alltoall)(out, count, double, into.as_mut_ptr(), count, double, self.comm) };
        done("MPI_Alltoall", code)
    }

    /// As [`Collectives::alltoall`], by `MPI_Alltoallv`: counts and displacements in elements, the same for both buffers.
    ///
    /// # Errors
    ///
    /// If `MPI_Alltoallv` returns an error code.
    pub fn alltoallv(&self, blocks: &[i32], places: &[i32], from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        assert!(blocks.len() == self.size && places.len() == self.size);
        let end =
            |(block, place): (&i32, &i32)| usize::try_from(*block).ok()?.checked_add(usize::try_from(*place).ok()?);
        let room = from.len().min(into.len());
        assert!(blocks.iter().zip(places).all(|of| end(of).is_some_and(|end| end <= room)));
        let (counts, places, double) = (blocks.as_ptr(), places.as_ptr(), self.double);
        let (out, into) = (from.as_ptr(), into.as_mut_ptr());
        // SAFETY: every block is within both buffers, which are distinct; the arrays have an element for each rank.
        let code =
            unsafe { (self.calls.Alltoallv)(out, counts, places, double, into, counts, places, double, self.comm) };
        done("MPI_Alltoallv", code)
    }
}

fn count(elements: usize) -> Result<i32, MpiError> {
    i32::try_from(elements).map_err(|_| MpiError::TooLong { bytes: elements.saturating_mul(8) })
}
