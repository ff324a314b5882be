//! Operations with a count and a displacement for each rank.

use super::Collectives;
use crate::calls::calls;
use crate::{MpiError, Rank, done};

calls! {
    Calls;
    Gatherv(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        root: i32,
        comm: usize
    );
    Scatterv(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_type: usize,
        into: *mut f64,
        in_: i32,
        in_type: usize,
        root: i32,
        comm: usize
    );
    Allgatherv(
        from: *const f64,
        out: i32,
        out_type: usize,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_type: usize,
        comm: usize
    );
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
    Alltoallw(
        from: *const f64,
        out: *const i32,
        out_places: *const i32,
        out_types: *const u64,
        into: *mut f64,
        in_: *const i32,
        in_places: *const i32,
        in_types: *const u64,
        comm: usize
    );
    Reduce_scatter(from: *const f64, into: *mut f64, counts: *const i32, datatype: usize, op: usize, comm: usize);
}

/// How many elements each rank has, and where they begin.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    counts: Vec<i32>,
    places: Vec<i32>,
    /// The places in bytes; `None` if they do not fit.
    places_in_bytes: Option<Vec<i32>>,
    /// The same for functions that take `MPI_Aint`.
    offsets: Vec<isize>,
    end: usize,
}

impl Counts {
    /// The same count for all ranks, one block after the other.
    ///
    /// # Errors
    ///
    /// [`MpiError::TooLong`] if there are more than 2³¹ − 1 elements.
    pub fn equal(ranks: usize, block: usize) -> Result<Counts, MpiError> {
        let end = ranks * block;
        super::count(end)?;
        let in_bytes = |rank: usize| i32::try_from(rank * block * size_of::<f64>()).ok();
        Ok(Counts {
            counts: vec![block as i32; ranks],
            places: (0..ranks).map(|rank| (rank * block) as i32).collect(),
            places_in_bytes: (0..ranks).map(in_bytes).collect(),
            offsets: (0..ranks).map(|rank| (rank * block * size_of::<f64>()) as isize).collect(),
            end,
        })
    }

    /// Addresses of the counts and of the places, for so many ranks or neighbours.
    ///
    /// # Panics
    /// If they are for another number, or for more elements than there is room.
    pub(super) fn check(&self, number: usize, room: usize) -> (*const i32, *const i32) {
        assert!(self.counts.len() == number && self.end <= room);
        (self.counts.as_ptr(), self.places.as_ptr())
    }

    /// Address of the places in bytes.
    pub(super) fn places_in_bytes(&self) -> Result<*const i32, MpiError> {
        let too_long = MpiError::TooLong { bytes: self.end * size_of::<f64>() };
        self.places_in_bytes.as_ref().map(|places| places.as_ptr()).ok_or(too_long)
    }

    /// The same as `MPI_Aint`.
    pub(super) fn offsets(&self) -> *const isize {
        self.offsets.as_ptr()
    }
}

/// All functions use blocks of equal counts, and panic as the functions without counts do.
impl Collectives<'_> {
    pub(super) fn check(&self, counts: &Counts, room: usize) -> (*const i32, *const i32) {
        counts.check(self.size, room)
    }

    /// [`Collectives::gather`] by `MPI_Gatherv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Gatherv` returns an error code.
    pub fn gatherv(&self, counts: &Counts, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into_at, count), double) = (self.blocks_of(from, into)?, self.double);
        let (sizes, places) = self.check(counts, into.len());
        // SAFETY: every block is within the buffer, which has room for one of each rank; the arrays have an element for each rank.
        let code =
            unsafe { (self.with_counts.Gatherv)(out, count, double, into_at, sizes, places, double, root, self.comm) };
        done("MPI_Gatherv", code)
    }

    /// [`Collectives::allgather`] by `MPI_Allgatherv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Allgatherv` returns an error code.
    pub fn allgatherv(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let ((out, into_at, count), double) = (self.blocks_of(from, into)?, self.double);
        let (sizes, places) = self.check(counts, into.len());
        // SAFETY: as for `gatherv`.
        let code =
            unsafe { (self.with_counts.Allgatherv)(out, count, double, into_at, sizes, places, double, self.comm) };
        done("MPI_Allgatherv", code)
    }

    /// [`Collectives::scatter`] by `MPI_Scatterv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Scatterv` returns an error code.
    pub fn scatterv(&self, counts: &Counts, from: &[f64], into: &mut [f64], root: Rank) -> Result<(), MpiError> {
        let ((out, into, count), double) = (self.block_of(from, into)?, self.double);
        let (sizes, places) = self.check(counts, from.len());
        // SAFETY: as for `gatherv`.
        let code =
            unsafe { (self.with_counts.Scatterv)(out, sizes, places, double, into, count, double, root, self.comm) };
        done("MPI_Scatterv", code)
    }

    /// [`Collectives::alltoall`] by `MPI_Alltoallv`.
    ///
    /// # Errors
    ///
    /// If `MPI_Alltoallv` returns an error code.
    pub fn alltoallv(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (sizes, places) = self.check(counts, from.len().min(into.len()));
        let (out, into, double) = (from.as_ptr(), into.as_mut_ptr(), self.double);
        // SAFETY: every block is within both buffers, which are distinct; the arrays have an element for each rank.
        let code =
            unsafe { (self.with_counts.Alltoallv)(out, sizes, places, double, into, sizes, places, double, self.comm) };
        done("MPI_Alltoallv", code)
    }

    /// [`Collectives::alltoall`] by `MPI_Alltoallw`, with the same datatype for all ranks.
    ///
    /// # Errors
    ///
    /// If `MPI_Alltoallw` returns an error code, or a block begins after more than 2³¹ − 1 bytes.
    pub fn alltoallw(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (sizes, _) = self.check(counts, from.len().min(into.len()));
        let places = counts.places_in_bytes()?;
        let (out, into, types) = (from.as_ptr(), into.as_mut_ptr(), self.doubles.as_ptr());
        // SAFETY: as for `alltoallv`.
        let code =
            unsafe { (self.with_counts.Alltoallw)(out, sizes, places, types, into, sizes, places, types, self.comm) };
        done("MPI_Alltoallw", code)
    }

    /// [`Collectives::reduce_scatter_block`] by `MPI_Reduce_scatter`.
    ///
    /// # Errors
    ///
    /// If `MPI_Reduce_scatter` returns an error code.
    pub fn reduce_scatter(&self, counts: &Counts, from: &[f64], into: &mut [f64]) -> Result<(), MpiError> {
        let (out, into, _) = self.block_of(from, into)?;
        let (sizes, _) = self.check(counts, from.len());
        // SAFETY: there is a block for each rank, and the buffers are distinct.
        let code = unsafe { (self.with_counts.Reduce_scatter)(out, into, sizes, self.double, self.sum, self.comm) };
        done("MPI_Reduce_scatter", code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_each_other() {
        let counts = Counts::equal(3, 5).unwrap();
        assert_eq!((counts.counts, counts.places, counts.end), (vec![5; 3], vec![0, 5, 10], 15));
        assert_eq!((counts.places_in_bytes, counts.offsets), (Some(vec![0, 40, 80]), vec![0, 40, 80]));
        assert_eq!(Counts::equal(2, 1 << 29).unwrap().places_in_bytes, None);
        assert_eq!(Counts::equal(2, 1 << 29).unwrap().offsets, [0, 1 << 32]);
        assert!(Counts::equal(2, 1 << 30).is_err());
    }
}
